//! `--drive COMMAND`: what gives a program work while it runs, such as the requests to a server.

use std::process::{Command, ExitStatus, Stdio};
use std::time::Duration;

use crate::cli::Message;
use crate::program::child::{Started, exit_code};
use crate::program::ghc_program::cannot_start;

/// The longest that a program has to start up before it is driven.
const LONGEST_START: Duration = Duration::from_secs(2);

/// The command that drives one run.
pub struct Driver {
    command: Command,
    /// When it starts.
    start: Duration,
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
        Driver { command, start: LONGEST_START.min(longest / 3), state: DriverState::Waits }
    }

    /// Starts it if the program is up, and sees whether it has ended.
    ///
    /// # Errors
    /// A system without a shell.
    pub fn look(&mut self, wall: Duration) -> Result<(), Message> {
        match &mut self.state {
            DriverState::Waits if wall >= self.start => {
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
