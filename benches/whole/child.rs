//! Runs programs as children, and measures their time and memory.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// The result of a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Run {
    /// It has not run yet.
    None,
    /// It succeeded in this time.
    Took(Duration),
    /// It was stopped because it took too long.
    Killed,
    /// It exited by itself after this time, but with an exit status other than 0.
    Refused(Duration),
    /// It could not be started, or a signal ended it.
    Failed,
}

impl Run {
    /// The better of two runs of the same program. A failure takes precedence.
    pub fn better(self, other: Run) -> Run {
        match (self, other) {
            (Run::Took(a), Run::Took(b)) => Run::Took(a.min(b)),
            (Run::None | Run::Took(_), _) => other,
            (Run::Killed | Run::Refused(_) | Run::Failed, _) => self,
        }
    }
}

/// A command line that runs in a folder, with its output discarded.
#[derive(Clone, Debug)]
pub struct Program {
    pub path: PathBuf,
    pub arguments: Vec<String>,
    pub folder: PathBuf,
}

impl Program {
    pub fn new(path: &Path, folder: &Path, arguments: &[&str]) -> Self {
        let arguments = arguments.iter().map(|&argument| argument.to_owned()).collect();
        Program { path: path.to_owned(), arguments, folder: folder.to_owned() }
    }

    fn spawn(&self) -> Option<Child> {
        let mut command = Command::new(&self.path);
        command.args(&self.arguments).current_dir(&self.folder).stdin(Stdio::null());
        command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().ok()
    }

    /// Runs it to its end, undisturbed.
    pub fn time(&self) -> Run {
        let start = Instant::now();
        let status = self.spawn().and_then(|mut child| child.wait().ok());
        match status {
            Some(status) if status.success() => Run::Took(start.elapsed()),
            _ => Run::Failed,
        }
    }

    /// Runs it for at most `patience`, and checks its highest resident memory in bytes every `pause`.
    /// Memory used after the last check is missed; `None` if there is no `/proc`. The checks cost time,
    /// which would distort the time of a quick program: see [`Program::time`].
    pub fn watch(&self, patience: Duration, pause: Duration) -> (Run, Option<u64>) {
        let start = Instant::now();
        let Some(mut child) = self.spawn() else { return (Run::Failed, None) };
        let status = format!("/proc/{}/status", child.id());
        let mut peak = None;
        loop {
            match child.try_wait() {
                Ok(Some(status)) if status.success() => return (Run::Took(start.elapsed()), peak),
                Ok(Some(status)) if status.code().is_some() => {
                    return (Run::Refused(start.elapsed()), peak);
                }
                Ok(None) if start.elapsed() < patience => {}
                Ok(None) => {
                    stop(&mut child);
                    return (Run::Killed, peak);
                }
                _ => return (Run::Failed, peak),
            }
            if let Ok(text) = std::fs::read_to_string(&status) {
                peak = peak.max(high_water_mark(&text));
            }
            std::thread::sleep(pause);
        }
    }
}

/// Both fail only if it has already exited.
fn stop(child: &mut Child) {
    let _ = child.kill();
    let _ = child.wait();
}

fn high_water_mark(status: &str) -> Option<u64> {
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok().map(|kilobytes| kilobytes * 1024)
}

/// The path of a program, if it is installed.
pub fn installed(name: &str) -> Option<PathBuf> {
    let folders = std::env::var_os("PATH")?;
    std::env::split_paths(&folders).map(|folder| folder.join(name)).find(|path| path.is_file())
}
