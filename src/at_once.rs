//! Two things done at once, where there are two processors and enough to do.

use std::num::NonZeroUsize;
use std::thread;

/// From how many points on it pays to begin a thread for what looks at all of them: it takes as long
/// as looking at some ten thousand.
pub const MANY_POINTS: usize = 200_000;

/// What two functions give. Where it is not `worth` a thread, or none can be had, `there` is called
/// after `here`.
pub fn at_once<A, B: Send>(
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
            // The system has no thread to give.
            Err(_) => (here, there()),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_are_done_with_a_thread_and_without() {
        let numbers = [3, 4];
        for worth in [false, true] {
            assert_eq!(at_once(worth, || numbers[0], || numbers[1]), (3, 4));
        }
    }
}
