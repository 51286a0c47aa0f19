//! Limits the length of the labels of all bands together.

use super::limits::{Limits, cut};
use crate::base::units::count;
use crate::incident::limit::Limit;
use crate::incident::{Incident, Incidents, WarningCode};

/// The length in bytes to which labels are cut once all together exceed [`Limits::all_texts`].
const SHORT_LABEL: usize = 256;

/// How much more text labels made from definitions may have. A few bytes of a log can refer to a
/// long definition many times, so the sum has its own limit.
#[derive(Debug)]
pub(super) struct LabelRoom {
    longest: usize,
    left: usize,
    cut: usize,
}

impl LabelRoom {
    pub(super) fn new(limits: &Limits) -> Self {
        LabelRoom { longest: limits.text, left: limits.all_texts, cut: 0 }
    }

    /// The greatest length of the next label.
    pub(super) fn longest(&self) -> usize {
        if self.left == 0 { SHORT_LABEL.min(self.longest) } else { self.longest }
    }

    pub(super) fn take(&mut self, mut label: String) -> String {
        let most = self.longest();
        if label.len() > most {
            self.cut += 1;
            label.truncate(cut(label.as_bytes(), most).len());
            label.shrink_to_fit();
        }
        self.left = self.left.saturating_sub(label.len());
        label
    }

    pub(super) fn report(self, incidents: &mut Incidents) {
        if self.cut > 0 {
            let incident = Incident::of(WarningCode::OverLimit).limit(Limit::Text);
            incidents.note(incident, || {
                format!("{} cut because of their length", count(self.cut, "label"))
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_cut_to_256_bytes_when_there_is_no_room_left() {
        let taken = |text: usize, room: usize, lengths: &[usize]| {
            let limits = Limits::default().with_text(text).with_all_texts(room);
            let mut room = LabelRoom::new(&limits);
            let taken: Vec<usize> =
                lengths.iter().map(|&length| room.take("x".repeat(length)).len()).collect();
            (taken, room.cut)
        };
        assert_eq!(taken(300, 600, &[300, 301, 257]), (vec![300, 300, 256], 2));
        assert_eq!(taken(300, 601, &[300, 300, 256, 257]), (vec![300, 300, 256, 256], 1));
        assert_eq!(taken(100, 0, &[100, 101]), (vec![100, 100], 1));
    }
}
