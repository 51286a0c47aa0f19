//! Runs two computations at the same time, if there are two processors and enough work.

use std::num::NonZeroUsize;
use std::thread;

use heapviz::slice::Slice;

/// The least number of points for which a thread that visits all of them is worth starting. Starting
/// it takes as long as visiting some ten thousand.
const MANY_POINTS: usize = 200_000;

/// The results of two functions of a slice.
pub fn at_once<A, B: Send>(
    slice: &Slice<'_>,
    here: impl FnOnce() -> A,
    there: impl Fn() -> B + Sync,
) -> (A, B) {
    let points = slice.profile().samples.all_points().len();
    let has_two = || thread::available_parallelism().is_ok_and(|n| n > NonZeroUsize::MIN);
    if points < MANY_POINTS || !has_two() {
        return (here(), there());
    }
    thread::scope(|scope| {
        let thread = thread::Builder::new().spawn_scoped(scope, &there);
        let here = here();
        match thread.map(thread::ScopedJoinHandle::join) {
            Ok(Ok(there)) => (here, there),
            Ok(Err(panic)) => std::panic::resume_unwind(panic),
            // The system could not start a thread.
            Err(_) => (here, there()),
        }
    })
}
