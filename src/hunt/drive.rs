//! `--drive COMMAND`: what gives a program work while it runs, such as the requests to a server.

use std::fs;
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::time::Duration;

use crate::cli::Message;
use crate::program::child::{Started, exit_code};
use crate::program::ghc_program::cannot_start;

/// The longest that a program has to begin to listen; one that never listens is driven after that.
const LONGEST_START: Duration = Duration::from_secs(5);

/// The command that drives one run.
pub struct Driver {
    command: Command,
    /// When it starts at the latest.
    latest: Duration,
    state: DriverState,
}

enum DriverState {
    Waits,
    Runs(Started),
    Ended(ExitStatus),
}

impl Driver {
    /// A command of the shell, and whether what it says on standard error is shown.
    pub fn new(words: &str, is_shown: bool, longest: Duration) -> Driver {
        let (shell, flag) = if cfg!(windows) { ("cmd", "/C") } else { ("/bin/sh", "-c") };
        let mut command = Command::new(shell);
        command.args([flag, words]).stdin(Stdio::null()).stdout(Stdio::null());
        if !is_shown {
            command.stderr(Stdio::null());
        }
        Driver { command, latest: LONGEST_START.min(longest / 3), state: DriverState::Waits }
    }

    /// Starts it if the program is up, and sees whether it has ended.
    ///
    /// # Errors
    /// A system without a shell.
    pub fn look(&mut self, wall: Duration, program: u32) -> Result<(), Message> {
        match &mut self.state {
            DriverState::Waits if wall >= self.latest || listens(program) => {
                let started = Started::in_background(&mut self.command);
                let shell = self.command.get_program();
                self.state =
                    DriverState::Runs(started.map_err(|error| cannot_start(shell, &error))?);
            }
            DriverState::Runs(driver) => {
                if let Some(status) = driver.ended() {
                    driver.clean_up();
                    self.state = DriverState::Ended(status);
                }
            }
            DriverState::Waits | DriverState::Ended(_) => {}
        }
        Ok(())
    }

    /// Ends it with its run. Returns how it failed, if it did before that.
    pub fn end(self) -> Option<String> {
        match self.state {
            DriverState::Waits => Some("was not started: the run was over before".to_owned()),
            DriverState::Runs(mut driver) => {
                let _ = driver.end();
                driver.clean_up();
                None
            }
            DriverState::Ended(status) if status.success() => None,
            DriverState::Ended(status) => {
                Some(format!("ended with status {} before the run did", exit_code(status)))
            }
        }
    }
}

/// Whether a process waits for connections. Only Linux says so.
fn listens(process: u32) -> bool {
    let folder = Path::new("/proc").join(process.to_string());
    let table = |name: &str| fs::read_to_string(folder.join("net").join(name)).unwrap_or_default();
    let mut listening: Vec<String> = Vec::new();
    for name in ["tcp", "tcp6"] {
        const LISTEN: &str = "0A";
        for line in table(name).lines().skip(1) {
            let words: Vec<&str> = line.split_whitespace().collect();
            if let [_, _, _, LISTEN, _, _, _, _, _, inode, ..] = words[..] {
                listening.push(inode.to_owned());
            }
        }
    }
    for line in table("unix").lines().skip(1) {
        const ACCEPTS: &str = "00010000";
        let words: Vec<&str> = line.split_whitespace().collect();
        if let [_, _, _, ACCEPTS, _, _, inode, ..] = words[..] {
            listening.push(inode.to_owned());
        }
    }
    let files = fs::read_dir(folder.join("fd")).into_iter().flatten().flatten();
    let mut targets = files.filter_map(|file| fs::read_link(file.path()).ok());
    targets.any(|target| {
        let target = target.to_string_lossy();
        let inode = target.strip_prefix("socket:[").and_then(|rest| rest.strip_suffix(']'));
        inode.is_some_and(|inode| listening.iter().any(|one| one == inode))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(target_os = "linux")]
    fn a_process_that_listens_is_told_from_one_that_does_not() {
        let own = std::process::id();
        let server = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
        assert!(listens(own));
        drop(server);
        let mut other = Command::new("sleep").arg("9").spawn().expect("a process");
        assert!(!listens(other.id()));
        other.kill().and_then(|()| other.wait().map(drop)).expect("an end");
    }
}
