//! How an input ends, and its overall condition.

use serde::Serialize;

use super::WarningCode;

/// The condition of an input, from best to worst.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(test, derive(serde::Deserialize))]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Condition {
    /// The input ends with its own end mark.
    Whole,
    /// The program is running, and will write more.
    Running,
    /// The input ends between two events, without an end mark: the program was killed or is still running.
    Open,
    /// The input ends inside an event or sample.
    Cut,
    /// Bytes inside could not be read, or were implausible.
    Damaged,
}

/// How an input ends.
///
/// In JSON, only ends that lost something are shown; all others are `clean`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum End {
    /// The input is complete.
    #[default]
    Clean,
    /// The input has not ended: the program is running.
    #[serde(rename = "clean")]
    Running,
    /// Between two events of an event log, without its end mark.
    #[serde(rename = "clean")]
    NoEndMark,
    /// Between two samples of a `.hp`, without the empty sample that the run-time system writes
    /// last.
    #[serde(rename = "clean")]
    NoLastSample,
    /// Between two statements of a `.hp`, inside a sample.
    InsideSample,
    /// Inside the header of one of several logs, which begins before this byte.
    #[serde(rename = "inside-event")]
    InsideHeader(u64),
    /// Inside an event that begins at this byte of the input, decompressed.
    InsideEvent(u64),
    /// Inside a statement on this line.
    InsideStatement(u64),
    /// In the middle of a compressed stream.
    CompressedCut,
    /// Where a compressed stream could not be decompressed further.
    CompressedDamaged,
}

impl End {
    /// Whether something that was begun is missing.
    pub fn is_loss(self) -> bool {
        match self.condition() {
            Condition::Whole | Condition::Running | Condition::Open => false,
            Condition::Cut | Condition::Damaged => true,
        }
    }

    /// The condition of an input that ends like this and has no other incident.
    pub(super) fn condition(self) -> Condition {
        match self {
            End::Clean => Condition::Whole,
            End::Running => Condition::Running,
            End::NoEndMark | End::NoLastSample => Condition::Open,
            End::InsideSample
            | End::InsideHeader(_)
            | End::InsideEvent(_)
            | End::InsideStatement(_)
            | End::CompressedCut => Condition::Cut,
            End::CompressedDamaged => Condition::Damaged,
        }
    }

    /// The end as a part of a sentence, and the kind of warning that it makes; `None` if there is
    /// nothing to report.
    pub(super) fn words(self) -> Option<(WarningCode, String)> {
        Some(match self {
            End::Clean | End::Running | End::NoLastSample | End::InsideSample => return None,
            End::NoEndMark => (
                WarningCode::LogCut,
                "the log has no end mark: the program was killed or is still running".to_owned(),
            ),
            End::InsideHeader(byte) => {
                (WarningCode::LogCut, format!("a log ends inside its header, at byte {byte}"))
            }
            End::InsideEvent(byte) => {
                (WarningCode::LogCut, format!("the log ends inside an event, at byte {byte}"))
            }
            End::InsideStatement(line) => (
                WarningCode::OddStatement,
                format!("the file ends inside a statement, in line {line}"),
            ),
            End::CompressedCut => {
                (WarningCode::CompressionDamaged, "the compressed stream is cut off".to_owned())
            }
            End::CompressedDamaged => {
                (WarningCode::CompressionDamaged, "the compressed stream is damaged".to_owned())
            }
        })
    }
}
