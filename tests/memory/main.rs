//! The memory that the library takes. The allocator counts for the complete process, so nothing else may run
//! in it: there is one test, which calls the checks of each module.

#[path = "../common/mod.rs"]
mod common;
mod corruption;

use peak_alloc::PeakAlloc;

#[global_allocator]
static ALLOCATOR: PeakAlloc = PeakAlloc;
