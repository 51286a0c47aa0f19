//! The ledger: it counts every incident and keeps the first few of each kind; everything else is
//! derived.

use super::{
    Condition, End, Incident, LastSample, Losses, Oddity, Place, Warning, WarningCode, What,
};
use crate::base::units::{Nanos, count};
use crate::incident::error::beginning;
use crate::incident::limit::Limit;

/// How many incidents of one kind are kept one by one.
const KEPT_PER_CODE: usize = 5;

/// Everything odd about one input. It counts every incident and keeps the first few of each kind,
/// so that a crafted file cannot fill the memory with them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Incidents {
    kept: Vec<Incident>,
    counts: Vec<(WarningCode, usize)>,
    /// The worst of what happened before the end.
    condition: Option<Condition>,
    losses: Losses,
    unfinished: Option<Unfinished>,
}

/// The sample that the input ends in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Unfinished {
    time: Nanos,
    points: usize,
}

impl Incidents {
    pub fn note(&mut self, incident: Incident) {
        if self.count(&incident) {
            self.kept.push(incident);
        }
    }

    /// Records an incident and the beginning of the input at its place, which is only copied if it
    /// is kept.
    pub fn note_seen(&mut self, incident: Incident, seen: &[u8]) {
        if self.count(&incident) {
            self.kept.push(Incident { seen: Some(beginning(seen)), ..incident });
        }
    }

    /// Counts an incident, and returns whether to keep it.
    fn count(&mut self, incident: &Incident) -> bool {
        let &Incident { what, place, time, .. } = incident;
        let byte = match place {
            Some(Place::Byte(byte)) => Some(byte),
            Some(Place::Line(_)) | None => None,
        };
        let row = what.row();
        self.losses.add(row.loss, byte, time);
        self.condition = self.condition.max(Some(row.condition));
        let Some(code) = row.code else { return false };
        // Once for each kind of thing: it only matters that there were more.
        let once = matches!(what, What::OverLimit { .. });
        if once && self.kept.iter().any(|kept| kept.what == what) {
            return false;
        }
        let at = self.count_of(code);
        self.counts[at].1 += 1;
        self.counts[at].1 <= KEPT_PER_CODE
    }

    /// Where the incidents of a kind are counted.
    fn count_of(&mut self, code: WarningCode) -> usize {
        if let Some(at) = self.counts.iter().position(|&(known, _)| known == code) {
            return at;
        }
        self.counts.push((code, 0));
        self.counts.len() - 1
    }

    /// Records how the input ends. The last call counts: if a compressed stream was cut, that is
    /// the reason why the log inside it ends there.
    pub fn end(&mut self, end: End) {
        self.losses.end = end;
    }

    /// Notes that the input ended in the middle of its last sample, which is left out with its
    /// points.
    pub fn unfinished_sample(&mut self, time: Nanos, points: usize) {
        self.losses.samples += 1;
        self.losses.last_sample = LastSample::Unfinished;
        self.unfinished = Some(Unfinished { time, points });
    }

    /// Adds the incidents of a later part of the same input.
    pub(crate) fn absorb(&mut self, later: Incidents) {
        for (code, count) in later.counts {
            let kept = later.kept.iter().filter(|kept| kept.what.row().code == Some(code));
            let at = self.count_of(code);
            let room = KEPT_PER_CODE.saturating_sub(self.counts[at].1);
            self.kept.extend(kept.take(room).cloned());
            self.counts[at].1 += count;
        }
        self.condition = self.condition.max(later.condition);
        self.losses.absorb(later.losses);
        self.unfinished = later.unfinished;
    }

    /// The condition of the input.
    pub fn condition(&self) -> Condition {
        let end = self.losses.end.condition();
        self.condition.map_or(end, |worst| worst.max(end))
    }

    /// What is missing from the profile.
    pub fn losses(&self) -> &Losses {
        &self.losses
    }

    /// The incidents that were kept, in the order in which they were met.
    pub fn kept(&self) -> &[Incident] {
        &self.kept
    }

    /// Every incident in words: those kept, how the input ends, and one for each kind with further
    /// incidents.
    pub fn warnings(&self) -> Vec<Warning> {
        self.warnings_of(self.kept.iter(), self.end_warning())
    }

    /// The same without what [`Losses::summary`] already reports; all of them when there is nothing
    /// to sum up.
    pub fn warnings_not_in_summary(&self) -> Vec<Warning> {
        if self.losses.is_empty() {
            return self.warnings();
        }
        self.warnings_of(self.kept.iter().filter(|kept| !kept.what.row().in_summary), None)
    }

    fn warnings_of<'a>(
        &self,
        kept: impl Iterator<Item = &'a Incident> + Clone,
        end: Option<Warning>,
    ) -> Vec<Warning> {
        let warning = |code, message, limit: Option<Limit>| Warning { code, message, limit };
        let codes: Vec<WarningCode> =
            kept.clone().filter_map(|kept| kept.what.row().code).collect();
        let each = kept.filter_map(|incident| {
            let row = incident.what.row();
            Some(warning(row.code?, incident.message(), row.limit))
        });
        let more = self.counts.iter().filter_map(|&(code, count)| {
            let more = count.checked_sub(KEPT_PER_CODE).filter(|&more| more > 0)?;
            codes
                .contains(&code)
                .then(|| warning(code, format!("and {more} more of this kind"), None))
        });
        each.chain(end).chain(more).collect()
    }

    /// How the input ends, and with it its last sample, in one sentence.
    fn end_warning(&self) -> Option<Warning> {
        let sample = self.unfinished.map(|Unfinished { time, points }| {
            format!(
                "the sample at {time} is unfinished and left out with its {}",
                count(points, "band")
            )
        });
        let (code, message) = match (self.losses.end.words(), sample) {
            (Some((WarningCode::OddStatement, words)), Some(sample)) => {
                (WarningCode::UnfinishedSample, format!("{words}; {sample}"))
            }
            (Some((code, words)), Some(sample)) => (code, format!("{words}; {sample}")),
            (Some((code, words)), None) => (code, words),
            (None, Some(sample)) => (WarningCode::UnfinishedSample, sample),
            (None, None) => return None,
        };
        Some(Warning { code, message, limit: None })
    }

    /// Passes every text of the input that is kept through `shorten`. A skipped word may be part of a damaged
    /// command line, so it is left out.
    pub(crate) fn redact(&mut self, shorten: impl Fn(&mut String)) {
        for incident in &mut self.kept {
            if let Some(seen) = incident.seen.take() {
                let mut seen = seen.into_string();
                if matches!(incident.what, What::Statement(Oddity::NotFollowed(_))) {
                    seen = "…".to_owned();
                } else {
                    shorten(&mut seen);
                }
                incident.seen = Some(seen.into());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn incidents_of_a_kind_are_kept_up_to_a_few_and_counted_beyond() {
        let mut incidents = Incidents::default();
        for i in 0..8 {
            incidents.note(Incident::at_byte(i, What::UnknownBreakdown(77)));
        }
        incidents.end(End::InsideEvent(90));
        let all = incidents.warnings();
        assert_eq!(all.len(), 7);
        assert_eq!(all[4].message, "byte 4: unknown break-down number 77");
        assert_eq!(all[5].message, "the log ends inside an event, at byte 90");
        assert_eq!(all[6].message, "and 3 more of this kind");
        assert_eq!(all[6].code, WarningCode::OddEvent);
    }

    #[test]
    fn a_cut_input_is_reported_once() {
        let mut incidents = Incidents::default();
        incidents.unfinished_sample(Nanos::from_nanos(2_000_000_000), 3);
        incidents.end(End::InsideEvent(90));
        incidents.end(End::CompressedCut);
        let warnings = incidents.warnings();
        assert_eq!(warnings.len(), 1);
        assert_eq!(warnings[0].code, WarningCode::CompressionDamaged);
        assert_eq!(
            warnings[0].message,
            "the compressed stream is cut off; the sample at 2 s is unfinished and left out with \
             its 3 bands"
        );
        assert_eq!(incidents.warnings_not_in_summary(), []);
        assert_eq!(incidents.condition(), Condition::Cut);
        assert_eq!(
            incidents.losses().summary(4).unwrap(),
            "drew 4 of 5 samples; last sample unfinished; the compressed stream is cut off"
        );
    }

    #[test]
    fn the_worst_makes_the_condition() {
        let mut incidents = Incidents::default();
        assert_eq!(incidents.condition(), Condition::Whole);
        incidents.end(End::Running);
        assert_eq!(incidents.condition(), Condition::Running);
        incidents.end(End::NoEndMark);
        assert_eq!(incidents.condition(), Condition::Open);
        assert!(incidents.losses().is_empty());
        incidents.note(Incident::at_byte(3, What::DamagedBytes { bytes: 2 }));
        assert_eq!(incidents.condition(), Condition::Damaged);
        assert_eq!(incidents.losses().bytes, 2);
    }

    #[test]
    fn a_limit_is_reported_once_and_counted_each_time() {
        let mut incidents = Incidents::default();
        let what = What::OverLimit { limit: Limit::Markers, most: 2, things: "markers" };
        (0..9).for_each(|_| incidents.note(Incident::new(what)));
        assert_eq!(incidents.losses().over_limits, 9);
        let warnings = incidents.warnings();
        assert_eq!(warnings.len(), 1);
        assert_eq!(warnings[0].limit, Some(Limit::Markers));
        assert_eq!(warnings[0].message, "more than 2 markers; the rest is left out");
    }

    #[test]
    fn the_quoted_input_is_short_and_harmless() {
        let mut incidents = Incidents::default();
        let oddity = What::Statement(super::super::Oddity::WholeLine);
        incidents.note_seen(Incident::on_line(3, oddity), b"a\x1b[31m");
        let message = &incidents.warnings()[0].message;
        assert_eq!(message, "line 3: the whole line is taken as one row, named `a\\u{1b}[31m`");
        incidents.note_seen(Incident::on_line(4, oddity), &[b'x'; 99]);
        assert_eq!(incidents.kept()[1].seen.as_deref().unwrap().len(), 60 + "...".len());
    }
}
