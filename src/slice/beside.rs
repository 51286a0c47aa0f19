//! What a profile has besides its samples, in the part of the run that a slice shows.

use std::borrow::Cow;

use super::{Extent, RowId, Slice, redact};
use crate::base::units::Nanos;
use crate::profile::{Calls, HeapSeries, RetainerSet, RunTime, TickyCounter};

impl<'a> Slice<'a> {
    /// Where time was spent and memory was allocated. The ticks of an event log have times, and
    /// only those within the window count; a report has no times, so all of it counts.
    pub(crate) fn calls(&self) -> Cow<'a, Calls> {
        let calls = &self.profile().calls;
        match self.is_bounded() {
            false => Cow::Borrowed(calls),
            true => Cow::Owned(calls.within(|time| self.admits(time))),
        }
    }

    /// The heap as the run-time system sees it, within the window.
    pub fn heap(&self) -> Cow<'a, HeapSeries> {
        let heap = &self.profile().heap;
        match self.is_bounded() {
            false => Cow::Borrowed(heap),
            true => Cow::Owned(heap.within(|time| self.admits(time))),
        }
    }

    /// What the run-time system did: of events that last, those that begin within the window.
    pub(crate) fn runtime(&self) -> Cow<'a, RunTime> {
        let runtime = &self.profile().runtime;
        match self.is_bounded() {
            false => Cow::Borrowed(runtime),
            true => Cow::Owned(runtime.within(|time| self.admits(time))),
        }
    }

    /// The retainer sets that a row can stand for, as a report of the run lists them at its last
    /// census: if there is one, it is that set; if there are several, they are the candidates.
    /// Empty without a report.
    #[doc(hidden)]
    pub fn retainer_sets(&self, row: RowId) -> Vec<&'a RetainerSet> {
        let sets = &self.profile().retainers.sets;
        if sets.is_empty() {
            return Vec::new();
        }
        let band = self.band(self.members(row)[0]);
        let text = match band.label().split_once(')') {
            Some((_, text)) if band.number().is_some() => text,
            _ => return Vec::new(),
        };
        let mut found: Vec<&RetainerSet> = Vec::new();
        for set in sets.iter().filter(|set| set.has_text(text)) {
            if found.iter().all(|known| known.retainers != set.retainers) {
                found.push(set);
            }
        }
        found
    }

    /// Where in the source a counter's closure is, if its info table says so.
    pub(crate) fn place_of_counter(&self, counter: &TickyCounter) -> Option<String> {
        let table = self.profile().info_tables.get(counter.info_table?)?;
        let place = match &self.redacted {
            Some(_) => redact::info_table(table).location,
            None => table.location.clone(),
        };
        (!place.is_empty() && place != ":").then_some(place)
    }

    fn is_bounded(&self) -> bool {
        let Extent { from, to, .. } = self.extent();
        from.is_some() || to.is_some()
    }

    fn admits(&self, time: Nanos) -> bool {
        let Extent { from, to, .. } = self.extent();
        from.is_none_or(|from| from <= time) && to.is_none_or(|to| time <= to)
    }
}
