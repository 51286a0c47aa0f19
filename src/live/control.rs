//! The requests that heapviz can send to a program that serves its event log
//! (`docs/format/eventlog.md#a-log-over-a-socket`).
//!
//! A message is written in one piece and never together with another: a server that gets many at
//! once hangs. The program does not answer; a sample that arrives shows that the request worked.

/// Something to ask for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Command {
    /// Samples from now on.
    Start,
    /// No samples from now on.
    Stop,
    Census,
}

impl Command {
    pub fn message(self) -> Vec<u8> {
        const NAME: &[u8; 15] = b"eventlog-socket";
        let id = match self {
            Command::Start => 3,
            Command::Stop => 4,
            Command::Census => 5,
        };
        [b"\xF0\x9E\x97\x8C\x00", &[NAME.len() as u8][..], NAME, &[id]].concat()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_those_of_the_released_protocol() {
        let census = Command::Census.message();
        let hex: String = census.iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(hex, "f09e978c000f6576656e746c6f672d736f636b657405");
        let last = |command: Command| command.message().last().copied();
        assert_eq!([Command::Start, Command::Stop].map(last), [Some(3), Some(4)]);
    }
}
