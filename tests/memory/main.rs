//! How much memory the library takes. The allocator counts for the whole process, so nothing else may
//! run in it: one test, which calls what each module holds.

#[path = "../common/mod.rs"]
mod common;
mod corruption;

use peak_alloc::PeakAlloc;

#[global_allocator]
static ALLOCATOR: PeakAlloc = PeakAlloc;
