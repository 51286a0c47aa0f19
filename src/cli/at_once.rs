//! Two things done at once, where there are two processors and enough to do.

use std::num::NonZeroUsize;
use std::thread;

use heapviz::slice::Slice;

/// From how many points on it pays to begin a thread for what looks at all of them: it takes as long
/// as looking at some ten thousand.
const MANY_POINTS: usize = 200_000;

/// What two functions of a slice give.
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
            // The system has no thread to give.
            Err(_) => (here, there()),
        }
    })
}
