//! The state of a watch, in words.

use std::fmt::{self, Display, Formatter};
use std::time::{Duration, Instant};

use crate::live::LogProgress;

use super::{SourceState, WatchState};

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Status {
    /// There is nothing to read from, for this reason.
    Waiting(String),
    /// Connected, but no byte has arrived.
    #[default]
    Silent,
    HeaderOnly,
    /// The program runs, but has taken no sample so far.
    NoSample,
    Live,
    /// No sample has arrived for some seconds.
    Quiet(u64),
    /// Nothing at all has arrived for some seconds.
    Still(u64),
    Ended,
    /// The log stopped before its end.
    Lost,
    /// What was read is no log that can be watched: what it is, and what to do.
    Refused(String, Option<String>),
}

/// Without a sample for that long, the age of the last one is shown.
const QUIET: Duration = Duration::from_secs(3);
/// Without a byte for that long, the program may be hanging.
const STILL: Duration = Duration::from_secs(20);

impl Status {
    pub fn new(state: &WatchState, now: Instant) -> Status {
        let since = |when: Instant| now.saturating_duration_since(when);
        let progress = state.engine.progress();
        match &state.source {
            SourceState::Waiting(reason) => Status::Waiting(reason.clone()),
            _ if let Some(refused) = &state.refused => {
                let (text, hint) = refused.parts();
                Status::Refused(text.to_owned(), hint.map(str::to_owned))
            }
            _ if progress == LogProgress::Ended => Status::Ended,
            SourceState::Closed => Status::Lost,
            SourceState::Open => match (progress, state.sampled) {
                (LogProgress::Silent, _) => Status::Silent,
                (LogProgress::HeaderOnly, _) => Status::HeaderOnly,
                (_, None) => Status::NoSample,
                (_, Some(sampled)) => match (state.heard.map(since), since(sampled)) {
                    (Some(age), _) if age >= STILL => Status::Still(age.as_secs()),
                    (_, age) if age >= QUIET => Status::Quiet(age.as_secs()),
                    _ => Status::Live,
                },
            },
        }
    }

    /// Whether two states differ by nothing but the seconds in them.
    pub fn is_same_kind(&self, other: &Status) -> bool {
        match (self, other) {
            (Status::Waiting(a), Status::Waiting(b)) => a == b,
            _ => std::mem::discriminant(self) == std::mem::discriminant(other),
        }
    }

    /// A possible reason and what to do; shown if the state lasts.
    pub fn hint(&self) -> Option<&str> {
        Some(match self {
            Status::Silent => {
                "perhaps another viewer is connected (a program serves one at a time), or the program \
                 has written nothing yet"
            }
            Status::HeaderOnly | Status::NoSample => {
                "an event log is written when the program ends, unless it is threaded and runs \
                 with +RTS --eventlog-flush-interval=1 (GHC 9.2); its .hp file gets every sample \
                 at once. \
                 Samples need an -h flag, such as -hT. GHC's timer counts only while the program runs: a program that waits needs a short -i, or -i0 for a sample at every major collection"
            }
            Status::Still(_) => {
                "it may be asleep, or stopped; with a flush interval a program can also hang at its \
                 end (GHC issue 26573)"
            }
            Status::Lost => "the program was killed, or closed the connection",
            Status::Refused(_, hint) => return hint.as_deref(),
            Status::Waiting(_) | Status::Live | Status::Quiet(_) | Status::Ended => return None,
        })
    }
}

impl Display for Status {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Status::Waiting(reason) => f.write_str(reason),
            Status::Silent => f.write_str("connected, nothing yet"),
            Status::HeaderOnly => f.write_str("only the header so far"),
            Status::NoSample => f.write_str("running, no sample yet"),
            Status::Live => f.write_str("live"),
            Status::Quiet(seconds) => write!(f, "no sample for {seconds} s: asleep?"),
            Status::Still(seconds) => write!(f, "nothing for {seconds} s"),
            Status::Ended => f.write_str("the run has ended"),
            Status::Lost => f.write_str("the log stopped before its end"),
            Status::Refused(text, _) => f.write_str(text),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::live::LiveOptions;

    use super::super::shared::Shared;
    use super::*;

    const SAMPLE: &[u8] = b"JOB \"j\"\nDATE \"d\"\nSAMPLE_UNIT \"s\"\nVALUE_UNIT \"b\"\n\
        BEGIN_SAMPLE 1.0\na\t5\nEND_SAMPLE 1.0\nBEGIN_SAMPLE 2.0\nEND_SAMPLE 2.0\n";

    /// The status of a watch some seconds after these bytes arrived.
    fn after(bytes: &[u8], seconds: u64) -> Status {
        let shared = Shared::new(LiveOptions::default(), None);
        shared.connected();
        if !bytes.is_empty() {
            shared.bytes(bytes);
        }
        Status::new(&shared.state(), Instant::now() + Duration::from_secs(seconds))
    }

    #[test]
    fn every_silence_is_explained_with_a_hint() {
        let log = std::fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/samples/leak-hT.eventlog"));
        let log = log.expect("a sample");
        for (bytes, seconds, words, hint) in [
            (&b""[..], 9, "connected, nothing yet", "another viewer is connected"),
            (&log[..1000], 9, "only the header so far", "--eventlog-flush-interval=1"),
            (&log[..1000], 9, "only the header so far", ".hp file gets every sample"),
            (SAMPLE, 25, "nothing for 25 s", "GHC issue 26573"),
        ] {
            let status = after(bytes, seconds);
            assert_eq!(status.to_string(), words);
            assert!(status.hint().is_some_and(|text| text.contains(hint)), "{status}");
        }
        assert_eq!(after(SAMPLE, 0), Status::Live);
        assert_eq!(after(SAMPLE, 5).to_string(), "no sample for 5 s: asleep?");
    }
}
