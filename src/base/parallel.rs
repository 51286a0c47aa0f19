//! Runs two computations at the same time, if there are two processors and enough work.

use std::num::NonZeroUsize;
use std::thread;

/// The least number of points for which a thread that visits all of them is worth starting. Starting
/// it takes as long as visiting some ten thousand.
pub const MANY_POINTS: usize = 200_000;

/// The results of two functions. Where a thread is not `worth` its start, or none can be started,
/// `there` is called after `here`.
pub fn join<A, B: Send>(
    worth: bool,
    here: impl FnOnce() -> A,
    there: impl Fn() -> B + Sync,
) -> (A, B) {
    let has_two = || thread::available_parallelism().is_ok_and(|n| n > NonZeroUsize::MIN);
    if !worth || !has_two() {
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
