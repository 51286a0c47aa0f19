//! Which flags of the run-time system a program was started with.

use std::ffi::{OsStr, OsString};

use crate::cli::message::Message;
use crate::program::ghc_program::runtime_flags;

/// The flags that decide what can be seen of a running program.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Flags {
    /// A flag such as `-hT`: it takes samples.
    heap: bool,
    /// `-l`: it writes an event log.
    log: bool,
    /// `--eventlog-flush-interval`: it writes the log while it runs.
    flush: bool,
}

impl Flags {
    /// The flags of a command line and of the variable `GHCRTS`. A program can also have built-in
    /// flags, which are not visible from outside.
    pub fn of(arguments: &[OsString], variable: Option<&OsStr>) -> Flags {
        let mut flags = Flags::default();
        let variable = variable.unwrap_or_default().to_string_lossy();
        variable.split_whitespace().for_each(|word| flags.note(word));
        runtime_flags(arguments).iter().for_each(|word| flags.note(word));
        flags
    }

    fn note(&mut self, word: &str) {
        self.heap |= word.starts_with("-h");
        self.log |= word.starts_with("-l");
        self.flush |= word.starts_with("--eventlog-flush-interval");
    }

    /// Whether nothing was chosen.
    pub fn are_missing(self) -> bool {
        self == Flags::default()
    }

    /// The advice if no sample arrives; `None` if no flag is missing.
    pub fn advice(self) -> Option<Message> {
        let (missing, hint) = match self {
            Flags { heap: false, log: false, .. } => (
                "no -h flag and no -l, so there are no samples",
                "for a profile add +RTS -hT; for an event log, too: \
                 +RTS -hT -l --eventlog-flush-interval=1",
            ),
            Flags { heap: false, log: true, .. } => {
                ("no -h flag, so there are no samples", "add -hT to its flags: +RTS -l -hT")
            }
            Flags { heap: true, log: true, flush: false } => (
                "no --eventlog-flush-interval, so its event log is written when it ends",
                "GHC 9.2 and newer, with -threaded: +RTS -l -hT --eventlog-flush-interval=1",
            ),
            Flags { heap: true, .. } => return None,
        };
        Some(Message::note(format_args!("the program was started with {missing}")).hint(hint))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rts_flags_are_read_from_the_command_line_and_ghcrts() {
        let of = |line: &str, variable: &str| {
            let words: Vec<OsString> = line.split(' ').map(OsString::from).collect();
            Flags::of(&words, Some(OsStr::new(variable)))
        };
        let all = Flags { heap: true, log: true, flush: true };
        assert_eq!(of("a +RTS -hT -l-au --eventlog-flush-interval=1 -RTS b", ""), all);
        assert_eq!(of("-hT -l", "-hc -l --eventlog-flush-interval=0.5"), all);
        assert_eq!(of("-l +RTS -N2 -RTS -hT -- +RTS -l", ""), Flags::default());
        assert!(all.advice().is_none());
        let said = of("+RTS -l", "").advice().unwrap().to_string();
        assert!(said.contains("no -h flag") && said.contains("-hT"), "{said}");
    }
}
