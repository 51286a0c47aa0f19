//! The lines of a report, and the texts by which its parts are found.

use crate::incident::error::beginning;
use crate::incident::{Condition, Incident, Loss, WarningCode};
use crate::profile::ProfileBuilder;

/// The text at the beginning of every kind of report.
pub const TITLE: &str = "Time and Allocation Profiling Report";

/// The beginning of the line that `-hr` writes at each census.
pub const CENSUS: &str = "Retainer Profiling: ";

/// The text before the table of retainer sets.
pub const SETS: &str = "Retainer sets created during profiling:";

/// The lines of a report with their places. Line ends may have become CR LF on the way.
pub(super) struct Lines<'a> {
    text: &'a str,
    /// Where each line begins, and the end of the text.
    starts: Vec<usize>,
}

impl<'a> Lines<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        let mut starts = vec![0];
        starts.extend(memchr::memchr_iter(b'\n', text.as_bytes()).map(|at| at + 1));
        if starts.last() != Some(&text.len()) {
            starts.push(text.len());
        }
        Lines { text, starts }
    }

    pub(super) fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// Where a line begins in the text.
    pub(super) fn offset(&self, line: usize) -> usize {
        self.starts[line]
    }

    pub(super) fn get(&self, line: usize) -> &'a str {
        self.span(line, line)
    }

    /// Several lines with the line ends between them, without the last one's.
    pub(super) fn span(&self, from: usize, to: usize) -> &'a str {
        let text = &self.text[self.starts[from]..self.starts[to + 1]];
        let text = text.strip_suffix('\n').unwrap_or(text);
        text.strip_suffix('\r').unwrap_or(text)
    }
}

/// Records a row that makes no sense, which happens if several processes write to one file.
pub(super) fn torn(line: usize, row: &str, profile: &mut ProfileBuilder) {
    profile.calls.torn_rows += 1;
    let incident = Incident::of(WarningCode::OddStatement)
        .on_line(line as u64 + 1)
        .condition(Condition::Damaged)
        .loses(Loss::Statement);
    profile.incidents.note(incident, || {
        let row = beginning(row.as_bytes());
        format!("left out, because it is not a row of a report: `{row}`")
    });
}
