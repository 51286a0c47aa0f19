//! The words of a chart: its heading, facts, notes, and details of single rows.

use super::{Chart, Clock, Condition, Source};
use crate::base::text::visible;
use crate::base::units::{count, percent};
use crate::profile::Metadata;
use crate::slice::{RowId, Slice};

/// The program and its own arguments, as far as they are known: what its run-time flags ask for, other facts tell.
pub fn title(metadata: &Metadata) -> String {
    let mut words = metadata.own_words();
    if let Some(program) = words.first_mut() {
        *program = program.rsplit('/').next().unwrap_or(program);
    }
    match visible(words.join(" ").trim()) {
        title if title.is_empty() => "heap profile".to_owned(),
        title => title,
    }
}

/// Break-down, filters, date, number of samples.
pub fn facts(slice: &Slice<'_>) -> Vec<String> {
    let (metadata, breakdown) = (slice.metadata(), slice.breakdown());
    let mut facts = Vec::new();
    facts.push(match breakdown.flag() {
        _ if slice.is_empty() => "no heap samples".to_owned(),
        Some(flag) => format!("{} ({flag})", breakdown.words()),
        None => breakdown.words().to_owned(),
    });
    facts.extend(
        metadata.filters.set().map(|(name, text)| format!("only {name} {}", visible(text))),
    );
    facts.extend(date(metadata));
    facts.extend(match slice.with_data() {
        0 if slice.is_empty() => None,
        0 => Some(count(slice.len(), "empty sample")),
        samples => Some(count(samples, "sample")),
    });
    facts
}

/// The date of the run, if it is known.
pub fn date(metadata: &Metadata) -> Option<String> {
    metadata.date.as_deref().map(|date| visible(date.trim()))
}

/// All notes: those under a picture, and the bands that it does not show.
pub fn notes(chart: &Chart) -> Vec<String> {
    let mut notes = chart.footnotes();
    let excluded = &chart.excluded;
    if excluded.bands > 0 {
        let bands = count(excluded.bands, "band");
        let share = percent(excluded.total, excluded.grand_total);
        notes.push(format!("{bands} excluded ({share} of the total)"));
    }
    let trace = &chart.trace;
    if trace.bands > 0 {
        let bands = count(trace.bands, "band");
        let share = percent(trace.total, trace.grand_total);
        notes.push(format!("{bands} too small to be seen ({share} of the total) not shown"));
    }
    notes
}

impl Chart {
    /// What a reader must know to read the picture rightly: that it shows a part of the run, or what is odd about the file.
    pub(crate) fn footnotes(&self) -> Vec<String> {
        let mut notes: Vec<String> = self.extent.words(self.times.len()).into_iter().collect();
        notes.extend(self.crowded().map(|warning| warning.message));
        match self.condition {
            Condition::Whole => {}
            Condition::Running => notes.push("the program is still running".to_owned()),
            Condition::Open if self.source == Source::Eventlog => {
                notes.push("the log has no end mark: killed or still running".to_owned());
            }
            Condition::Open => {
                notes.push("the profile stops early: killed or still running".to_owned())
            }
            Condition::Cut => {
                notes.push("the file is cut off; its last sample is not shown".to_owned())
            }
            Condition::Damaged => notes.push("parts of the file are damaged".to_owned()),
        }
        if self.clock == Clock::Sample {
            notes.push("the file has no usable times: samples are numbered".to_owned());
        }
        notes
    }
}

/// The most bands or candidates that are named.
const MOST: usize = 6;

/// Lines about a row; empty for most rows.
pub fn about_row(slice: &Slice<'_>, row: RowId) -> Vec<String> {
    let sets = slice.retainer_sets(row);
    match &sets[..] {
        [] => {}
        [set] => return vec![format!("kept by {}", set.words())],
        several => {
            let of = format!("kept by one of {} sets:", several.len());
            let named = several.iter().take(MOST).map(|set| set.words());
            return std::iter::once(of).chain(named).collect();
        }
    }
    let traits = slice.breakdown().traits();
    if let Some(sentence) = traits.sentence_of(slice.label(row)) {
        return vec![sentence.to_owned()];
    }
    // The numbers of a single retainer set are of no use to readers.
    if slice.key(row).is_some() || slice.breakdown().traits().is_renumbered {
        return Vec::new();
    }
    let members = slice.members(row);
    if members.len() < 2 {
        return Vec::new();
    }
    let mut names: Vec<&str> =
        members.iter().take(MOST).map(|&band| slice.band(band).label).collect();
    names.extend((members.len() > MOST).then_some("…"));
    vec![format!("{}: {}", count(members.len(), "band"), names.join(", "))]
}
