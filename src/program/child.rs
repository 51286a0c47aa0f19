//! Programs that the command starts: how they are asked to end, and what they report.
//!
//! A program is never killed first: only a program that ends in order writes the end of its log.

use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize};
use std::time::{Duration, Instant};
use std::{io, thread};

/// How often to look whether a program has ended.
const LOOK: Duration = Duration::from_millis(20);
/// How long a program may take to end after an interrupt: it may have to take a last census of a large
/// heap.
const AFTER_INTERRUPT: Duration = Duration::from_secs(5);
/// How long it may take after it was asked to terminate.
const AFTER_TERMINATE: Duration = Duration::from_secs(2);

/// Which processes belong to a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Belonging {
    /// Only its own: what it starts is not touched.
    Itself,
    /// The processes of the group that the program leads.
    #[cfg_attr(not(unix), allow(dead_code, reason = "there are no process groups"))]
    Group,
}

#[derive(Debug)]
pub struct Started {
    child: Child,
    belonging: Belonging,
    /// Whether the terminal was lent to it.
    has_terminal: bool,
    guard: Option<Guard>,
}

/// A shell that ends a program, or its process group, if the command is killed, which can then end nothing itself: the
/// shell notices that the other end of its standard input is closed. A line means that all is well. The
/// system could send a signal instead (`PR_SET_PDEATHSIG`), but only a program can ask for that, after
/// it was forked, and asking there is `unsafe`; it would also miss what the program starts.
#[cfg(unix)]
#[derive(Debug)]
struct Guard(Child);

#[cfg(unix)]
impl Guard {
    /// Begins before the program does: the command may be killed as soon as that runs. `None` where there is
    /// no shell.
    fn begin() -> Option<Guard> {
        let script = "read program; read all_is_well || \
                      { kill -s TERM -- $program; sleep 2; kill -s KILL -- $program; }";
        let mut command = Command::new("/bin/sh");
        command.args(["-c", script]);
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        // What kills the group of the command must not kill it.
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        command.spawn().ok().map(Guard)
    }

    fn guard(&mut self, program: &Child, belonging: Belonging) {
        let sign = if belonging == Belonging::Group { "-" } else { "" };
        self.tell(&format!("{sign}{}\n", program.id()));
    }

    fn tell(&mut self, line: &str) {
        if let Some(door) = &mut self.0.stdin {
            let _ = io::Write::write_all(door, line.as_bytes());
        }
    }
}

#[cfg(unix)]
impl Drop for Guard {
    fn drop(&mut self) {
        // The program may not have been started.
        self.tell("\n\n");
        let _ = self.0.wait();
    }
}

#[cfg(not(unix))]
#[derive(Debug)]
enum Guard {}

#[cfg(not(unix))]
impl Guard {
    fn begin() -> Option<Guard> {
        None
    }

    fn guard(&mut self, _: &Child, _: Belonging) {}
}

impl Started {
    /// Starts a program that shares the process group of the command, and ends when the command is killed.
    pub fn beside(command: &mut Command) -> io::Result<Started> {
        Started::guarded(command, Belonging::Itself)
    }

    fn guarded(command: &mut Command, belonging: Belonging) -> io::Result<Started> {
        let mut guard = Guard::begin();
        let child = command.spawn()?;
        guard.iter_mut().for_each(|guard| guard.guard(&child, belonging));
        Ok(Started { child, belonging, has_terminal: false, guard })
    }

    /// Starts a program in its own process group, so that [`Started::end`] also ends what it leaves
    /// behind, and which ends when the command is killed. If standard input is a terminal, the program has
    /// it until it ends, as in a shell.
    pub fn apart(command: &mut Command) -> io::Result<Started> {
        #[cfg(unix)]
        {
            if io::IsTerminal::is_terminal(&io::stdin()) && !cfg!(target_os = "linux") {
                return Started::beside(command);
            }
            let mut started = Started::in_background(command)?;
            started.has_terminal = terminal::lend_to(started.id());
            Ok(started)
        }
        #[cfg(not(unix))]
        Started::beside(command)
    }

    /// Starts a program that does not get the terminal.
    pub fn in_background(command: &mut Command) -> io::Result<Started> {
        #[cfg(unix)]
        {
            std::os::unix::process::CommandExt::process_group(command, 0);
            Started::guarded(command, Belonging::Group)
        }
        #[cfg(not(unix))]
        Started::beside(command)
    }

    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// The standard output and error of the program, if they are pipes.
    pub fn pipes(
        &mut self,
    ) -> (Option<std::process::ChildStdout>, Option<std::process::ChildStderr>) {
        (self.child.stdout.take(), self.child.stderr.take())
    }

    /// How it ended; `None` while it runs.
    pub fn ended(&mut self) -> Option<ExitStatus> {
        let ended = self.child.try_wait().ok().flatten();
        if ended.is_some() && self.belonging == Belonging::Itself {
            // Its number may now be that of another program.
            self.guard = None;
        }
        ended
    }

    pub fn has_ended(&mut self) -> bool {
        self.ended().is_some()
    }

    /// Asks it to end, as Ctrl-C does; then to terminate; then kills it. Returns how it ended.
    pub fn end(&mut self) -> io::Result<ExitStatus> {
        #[cfg(unix)]
        for (signal, patience) in [
            (rustix::process::Signal::INT, AFTER_INTERRUPT),
            (rustix::process::Signal::TERM, AFTER_TERMINATE),
        ] {
            // If it has ended, its number may already belong to another program.
            if self.has_ended() {
                break;
            }
            self.signal(signal);
            self.wait_until(patience, Started::has_ended);
        }
        let _ = self.child.kill();
        self.wait()
    }

    pub fn wait(&mut self) -> io::Result<ExitStatus> {
        let ended = self.child.wait();
        if self.belonging == Belonging::Itself {
            self.guard = None;
        }
        ended
    }

    /// Ends what the program left behind in its process group, and gives the terminal back. Returns
    /// whether there was anything. Only for a program that has ended.
    pub fn clean_up(&mut self) -> bool {
        #[cfg(unix)]
        {
            let left = self.has_left_processes();
            for signal in [rustix::process::Signal::TERM, rustix::process::Signal::KILL] {
                if !self.has_left_processes() {
                    break;
                }
                self.signal(signal);
                self.wait_until(AFTER_TERMINATE, |left| !left.has_left_processes());
            }
            if std::mem::take(&mut self.has_terminal) {
                terminal::take_back();
            }
            self.guard = None;
            left
        }
        #[cfg(not(unix))]
        false
    }

    #[cfg(unix)]
    fn number(&self) -> Option<rustix::process::Pid> {
        i32::try_from(self.child.id()).ok().and_then(rustix::process::Pid::from_raw)
    }

    #[cfg(unix)]
    fn has_left_processes(&self) -> bool {
        let group = self.number().filter(|_| self.belonging == Belonging::Group);
        group.is_some_and(|group| rustix::process::test_kill_process_group(group).is_ok())
    }

    #[cfg(unix)]
    fn signal(&self, signal: rustix::process::Signal) {
        let Some(number) = self.number() else { return };
        let _ = match self.belonging {
            Belonging::Itself => rustix::process::kill_process(number, signal),
            Belonging::Group => rustix::process::kill_process_group(number, signal),
        };
    }

    #[cfg(unix)]
    fn wait_until(&mut self, patience: Duration, is_over: impl Fn(&mut Started) -> bool) {
        let until = Instant::now() + patience;
        while Instant::now() < until && !is_over(self) {
            thread::sleep(LOOK);
        }
    }
}

/// Lends the terminal to a process group, as a shell does: only the group that has it may read from it.
#[cfg(target_os = "linux")]
mod terminal {
    use std::io::{IsTerminal, stdin};

    use nix::sys::signal::{SigSet, Signal};
    use rustix::process::{Pid, getpgrp};

    /// Whether there is a terminal, and this group had it.
    pub fn lend_to(group: u32) -> bool {
        let is_ours = || rustix::termios::tcgetpgrp(stdin()).is_ok_and(|has| has == getpgrp());
        if !stdin().is_terminal() || !is_ours() {
            return false;
        }
        let Some(group) = i32::try_from(group).ok().and_then(Pid::from_raw) else { return false };
        give_to(group);
        // It may have been stopped because it asked for input before it had the terminal.
        let _ = rustix::process::kill_process_group(group, rustix::process::Signal::CONT);
        true
    }

    pub fn take_back() {
        give_to(getpgrp());
    }

    fn give_to(group: Pid) {
        // A group that does not have the terminal is stopped when it takes it, unless it blocks this.
        let mut stops = SigSet::empty();
        stops.add(Signal::SIGTTOU);
        let before = stops.thread_swap_mask(nix::sys::signal::SigmaskHow::SIG_BLOCK);
        let _ = rustix::termios::tcsetpgrp(stdin(), group);
        if let Ok(before) = before {
            let _ = before.thread_set_mask();
        }
    }
}

#[cfg(all(unix, not(target_os = "linux")))]
mod terminal {
    pub fn lend_to(_: u32) -> bool {
        false
    }

    pub fn take_back() {}
}

/// The signals that end a program, as far as it can notice them.
fn ending_signals() -> impl Iterator<Item = i32> {
    // A terminal that is closed sends SIGHUP; the last three are for the purposes of users, and end by default.
    #[cfg(unix)]
    let others = {
        use signal_hook::consts::{SIGALRM, SIGHUP, SIGUSR1, SIGUSR2};
        [SIGHUP, SIGUSR1, SIGUSR2, SIGALRM]
    };
    #[cfg(not(unix))]
    let others = [];
    signal_hook::consts::TERM_SIGNALS.iter().copied().chain(others)
}

/// Makes the first signal that would end the command set a flag instead. A second one ends it.
pub fn stop_on_signals(stop: &Arc<AtomicBool>) {
    for signal in ending_signals() {
        // If a signal cannot be caught, it ends the program as usual.
        let _ = signal_hook::flag::register_conditional_default(signal, Arc::clone(stop));
        let _ = signal_hook::flag::register(signal, Arc::clone(stop));
    }
}

/// Makes each signal that would end the command store its number instead: what was begun must be
/// cleaned up.
pub fn note_signals(noted: &Arc<AtomicUsize>) {
    for signal in ending_signals() {
        let number = usize::try_from(signal).unwrap_or_default();
        let _ = signal_hook::flag::register_usize(signal, Arc::clone(noted), number);
    }
}

/// The signal that ended a program.
pub fn signal_of(status: ExitStatus) -> Option<i32> {
    #[cfg(unix)]
    return std::os::unix::process::ExitStatusExt::signal(&status);
    #[cfg(not(unix))]
    {
        let _ = status;
        None
    }
}

/// The exit status as a shell reports it.
pub fn exit_code(status: ExitStatus) -> u8 {
    if let Some(signal) = signal_of(status) {
        return signal_code(signal);
    }
    status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(1)
}

/// The exit status for a signal, as a shell reports it.
pub fn signal_code(signal: i32) -> u8 {
    u8::try_from(128 + signal).unwrap_or(1)
}
