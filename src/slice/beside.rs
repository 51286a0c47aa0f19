//! What a profile has beside its samples, in the part of the run that a slice shows.

use std::borrow::Cow;

use super::{Extent, Slice, redact};
use crate::profile::{Calls, RunTime, TickyCounter};
use crate::units::Nanos;

impl<'a> Slice<'a> {
    /// Where time went and allocations were made. Ticks that an event log dates count within the
    /// window only; a report has no times, and stays whole.
    pub fn calls(&self) -> Cow<'a, Calls> {
        let calls = &self.profile().calls;
        match self.is_bounded() {
            false => Cow::Borrowed(calls),
            true => Cow::Owned(calls.within(|time| self.admits(time))),
        }
    }

    /// What the run-time system did; of stretches of time those that begin within the window.
    pub fn runtime(&self) -> Cow<'a, RunTime> {
        let runtime = &self.profile().runtime;
        match self.is_bounded() {
            false => Cow::Borrowed(runtime),
            true => Cow::Owned(runtime.within(|time| self.admits(time))),
        }
    }

    /// Where in the source a counter's closure is, where its info table says so.
    pub fn place_of_counter(&self, counter: &TickyCounter) -> Option<String> {
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
