//! Under a limit of the system on memory (`ulimit -v`) heapviz runs in a child process.
//!
//! When memory runs out, Rust's standard library ends a program immediately, by SIGABRT, and the program
//! cannot report what happened. The parent, which needs little memory, can report it. Without such a
//! limit no child is started.
//!
//! Nothing simpler is possible without `unsafe`: the hook for a failed allocation is not stable in Rust, an
//! allocator of our own and a signal handler that prints are unsafe code, and what runs before the
//! standard library's abort can at most change the exit status.

use std::ffi::OsString;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command, ExitCode, ExitStatus};

use heapviz::units::Bytes;
use rustix::process::{Pid, Resource, Signal, getrlimit, kill_process};
use signal_hook::consts::{SIGABRT, SIGINT, SIGQUIT, SIGTERM};
use signal_hook::iterator::Signals;
use signal_hook::low_level::emulate_default_handler;

use super::failure::Failure;

/// The environment variable that marks a child process. Programs that it starts do not
/// inherit it.
pub const CHILD: &str = "HEAPVIZ_CONFINED";

/// Runs the command line in a child, and reports that it ran out of memory; `None` without a limit,
/// in the child itself, and if no child can be started.
pub fn run(words: &[OsString]) -> Option<ExitCode> {
    let limit = getrlimit(Resource::As).current?;
    let (name, rest) = words.split_first()?;
    if std::env::var_os(CHILD).is_some() {
        return None;
    }
    // A terminal sends the first two to parent and child, and the child decides what follows.
    let signals = Signals::new([SIGINT, SIGQUIT, SIGTERM]).ok()?;
    let program = std::env::current_exe().ok()?;
    let child = Command::new(program).arg0(name).args(rest).env(CHILD, "1").spawn().ok()?;
    let status = wait(child, signals)?;
    Some(exit(status, Bytes::new(limit)))
}

/// Waits for the end of the child. SIGTERM, which only the parent gets, is passed on.
fn wait(mut child: Child, mut signals: Signals) -> Option<ExitStatus> {
    let pid = i32::try_from(child.id()).ok().and_then(Pid::from_raw)?;
    let handle = signals.handle();
    let passing = std::thread::Builder::new().spawn(move || {
        for _ in signals.forever().filter(|&signal| signal == SIGTERM) {
            // The child may have ended already.
            let _ = kill_process(pid, Signal::TERM);
        }
    });
    let status = child.wait().ok()?;
    handle.close();
    drop(passing);
    Some(status)
}

fn exit(status: ExitStatus, limit: Bytes) -> ExitCode {
    match (status.code(), status.signal()) {
        (Some(code), _) => ExitCode::from(u8::try_from(code).unwrap_or(1)),
        (None, Some(SIGABRT)) => {
            Failure::new(format!("it needs more memory than the limit of the system, {limit}"))
                .hint("raise the limit (ulimit -v), or look at less of the run: --from, --to")
                .message()
                .say();
            ExitCode::from(1)
        }
        (None, signal) => {
            // The parent ends in the same way as the child.
            let _ = emulate_default_handler(signal.unwrap_or(SIGTERM));
            ExitCode::from(1)
        }
    }
}
