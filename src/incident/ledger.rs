//! The ledger: it counts every incident and keeps the first few of each kind; everything else is
//! derived.

use super::{
    Condition, End, Incident, LastSample, Loss, Losses, Oddity, Place, Warning, WarningCode, Words,
};
use crate::base::units::{Nanos, count};
use crate::incident::error::beginning;

/// How many incidents of one kind are kept one by one.
const KEPT_PER_CODE: usize = 5;

/// Everything odd about one input. It counts every incident and keeps the first few of each kind,
/// so that a crafted file cannot fill the memory with them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Incidents {
    kept: Vec<Incident>,
    counts: Vec<(WarningCode, usize)>,
    over_limits: Vec<&'static str>,
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
    /// Records an incident. Its text is only made if it is kept: a crafted input has millions of them.
    pub fn note(&mut self, incident: Incident, text: impl FnOnce() -> String) {
        if self.count(&incident) {
            self.kept.push(Incident { words: Words::Text(text()), ..incident });
        }
    }

    /// Records an oddity of a `.hp` statement, and the beginning of what is there.
    pub fn note_oddity(&mut self, oddity: Oddity, line: u64, seen: &[u8]) {
        let Some((code, loss)) = oddity.costs() else { return };
        let incident = Incident::new(code).loses(loss).on_line(line);
        if self.count(&incident) {
            self.kept
                .push(Incident { words: Words::Statement(oddity, beginning(seen)), ..incident });
        }
    }

    /// Records that there is more of something than a limit allows: in words once for each thing, because it
    /// only matters that there were more.
    pub fn note_over_limit(&mut self, most: usize, things: &'static str) {
        if self.over_limits.contains(&things) {
            return self.losses.add(Loss::OverLimit, None, None);
        }
        self.over_limits.push(things);
        let incident = Incident::new(WarningCode::OverLimit).loses(Loss::OverLimit);
        self.note(incident, || format!("more than {most} {things}; the rest is left out"));
    }

    pub fn note_long_text(&mut self, thing: &str, length: usize) {
        let incident = Incident::new(WarningCode::OverLimit);
        self.note(incident, || format!("{thing} of {length} bytes is cut"));
    }

    /// Counts an incident, and returns whether to keep it.
    fn count(&mut self, incident: &Incident) -> bool {
        let byte = match incident.place {
            Some(Place::Byte(byte)) => Some(byte),
            Some(Place::Line(_)) | None => None,
        };
        self.losses.add(incident.loss, byte, incident.time);
        self.condition = self.condition.max(Some(incident.condition));
        let at = self.count_of(incident.code);
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

    /// Adds the incidents of a later part of the same input. What ended too early before it is no longer the end.
    pub(crate) fn absorb(&mut self, later: Incidents) {
        let end = self.losses.end;
        if let Some((code, words)) = end.words().filter(|_| end.is_loss()) {
            let incident = Incident::new(code).condition(end.condition());
            self.note(incident, || format!("{words}; another follows"));
        }
        for (code, count) in later.counts {
            let kept = later.kept.iter().filter(|kept| kept.code == code);
            let at = self.count_of(code);
            let room = KEPT_PER_CODE.saturating_sub(self.counts[at].1);
            self.kept.extend(kept.take(room).cloned());
            self.counts[at].1 += count;
        }
        self.condition = self.condition.max(later.condition);
        self.losses.absorb(later.losses);
        self.unfinished = later.unfinished;
    }

    pub fn condition(&self) -> Condition {
        let end = self.losses.end.condition();
        self.condition.map_or(end, |worst| worst.max(end))
    }

    /// What is missing from the profile.
    pub fn losses(&self) -> &Losses {
        &self.losses
    }

    /// Every incident in words: those kept, how the input ends, and one for each kind with further
    /// incidents.
    pub fn warnings(&self) -> Vec<Warning> {
        self.warnings_of(self.kept.iter(), self.end_warning())
    }

    /// The warnings without what [`Losses::summary`] already reports; all of them when there is nothing
    /// to sum up.
    pub fn warnings_not_in_summary(&self) -> Vec<Warning> {
        if self.losses.is_empty() {
            return self.warnings();
        }
        self.warnings_of(self.kept.iter().filter(|kept| !kept.in_summary()), None)
    }

    fn warnings_of<'a>(
        &self,
        kept: impl Iterator<Item = &'a Incident> + Clone,
        end: Option<Warning>,
    ) -> Vec<Warning> {
        let codes: Vec<WarningCode> = kept.clone().map(|kept| kept.code).collect();
        let each =
            kept.map(|incident| Warning { code: incident.code, message: incident.message() });
        let more = self.counts.iter().filter_map(|&(code, count)| {
            let more = count.checked_sub(KEPT_PER_CODE).filter(|&more| more > 0)?;
            let message = || format!("and {more} more of this kind");
            codes.contains(&code).then(|| Warning { code, message: message() })
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
        Some(Warning { code, message })
    }

    /// Passes every text of the input that is kept through `shorten`. A skipped word may be part of a damaged
    /// command line, so it is left out.
    pub(crate) fn redact(&mut self, shorten: impl Fn(&mut String)) {
        for incident in &mut self.kept {
            match &mut incident.words {
                Words::Text(text) => shorten(text),
                Words::Statement(Oddity::NotFollowed(_), seen) => *seen = "…".into(),
                Words::Statement(_, seen) => {
                    let mut text = seen.to_string();
                    shorten(&mut text);
                    *seen = text.into();
                }
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
            let incident = Incident::new(WarningCode::OddEvent).at_byte(i);
            incidents.note(incident, || "unknown break-down number 77".to_owned());
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
    fn a_log_that_was_cut_is_reported_though_another_follows() {
        let mut incidents = Incidents::default();
        incidents.end(End::InsideEvent(90));
        incidents.absorb(Incidents::default());
        assert_eq!(incidents.losses().end, End::Clean);
        let said: Vec<_> = incidents.warnings().into_iter().map(|told| told.message).collect();
        assert_eq!(said, ["the log ends inside an event, at byte 90; another follows"]);
        assert_eq!(incidents.condition(), Condition::Cut);
    }

    #[test]
    fn the_quoted_input_is_short_and_harmless() {
        let mut incidents = Incidents::default();
        incidents.note_oddity(Oddity::WholeLine, 3, b"a\x1b[31m");
        let message = &incidents.warnings()[0].message;
        assert_eq!(message, "line 3: the whole line is taken as one row, named `a\\u{1b}[31m`");
        incidents.note_oddity(Oddity::WholeLine, 4, &[b'x'; 99]);
        let quoted = format!("named `{}...`", "x".repeat(60));
        assert!(incidents.warnings()[1].message.ends_with(&quoted));
    }
}
