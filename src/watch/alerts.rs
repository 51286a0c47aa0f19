//! Budgets that are compared with the program while it runs.

use std::time::{Duration, Instant};

use crate::analysis::alert::Alert;
use crate::analysis::budget::{BudgetState, Outcome};
use crate::base::text::visible;
use crate::base::units::{Nanos, UnitSystem};
use crate::profile::{Clock, Profile};
use crate::slice::{Slice, SliceOptions};

use super::Shared;
use crate::cli::Message;

/// The least time between two checks.
const EVERY: Duration = Duration::from_millis(500);
/// The ratio of rest to checking, so that checking takes at most a twentieth of the time.
const REST: u32 = 19;

/// Alerts, and which of them have been raised.
pub struct Alerts {
    alerts: Vec<(Alert, BudgetState)>,
    slice: SliceOptions,
    units: UnitSystem,
    /// Whether the watch ends when one is raised.
    end_watch: bool,
    due: Instant,
    /// The number of samples at the last check, and the generation.
    seen: (usize, u64),
    /// What was lost of the log, and whether it was reported that alerts are judged without it.
    damage: (Option<String>, bool),
    /// Whether it was reported which alerts cannot be raised yet.
    explained: bool,
    /// Whether the last check was made.
    over: bool,
    raised: bool,
}

/// An alert that has just been raised.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Raised {
    pub text: String,
    /// The time of the sample; `None` if samples have no times.
    pub time: Option<Nanos>,
    pub message: Message,
}

impl Alerts {
    pub fn new(
        alerts: Vec<Alert>,
        end_watch: bool,
        slice: SliceOptions,
        units: UnitSystem,
    ) -> Self {
        let alerts = alerts.into_iter().map(|alert| (alert, BudgetState::Unknown)).collect();
        Alerts {
            alerts,
            slice,
            units,
            end_watch,
            due: Instant::now(),
            seen: (0, 0),
            damage: (None, false),
            explained: false,
            over: false,
            raised: false,
        }
    }

    /// Whether the watch ends here: an alert was raised that asks for it.
    pub fn ends_watch(&self) -> bool {
        self.raised && self.end_watch
    }

    /// The alerts that cannot be raised yet, after the first check, and those that never could, after the last one.
    pub fn waiting(&mut self) -> Vec<Message> {
        if let (Some(damage), false) = &self.damage {
            let text = format!("alerts are judged on a damaged log: {damage}");
            self.damage.1 = true;
            return vec![Message::warning(text)];
        }
        let over = std::mem::take(&mut self.over);
        if self.seen.0 == 0 || !over && self.explained {
            return Vec::new();
        }
        self.explained = true;
        let unknown = self.alerts.iter().filter(|(_, state)| *state == BudgetState::Unknown);
        let message = |(alert, _): &(Alert, BudgetState)| {
            let (why, text) = (alert.waits_for()?, visible(alert.text()));
            Some(match over {
                true => Message::warning(format_args!("`{text}` was never checked: {why}")).hint(
                    "sample the program more often, as with +RTS -i0.02, or give a longer time",
                ),
                false => Message::note(format_args!("`{text}` cannot be raised yet: {why}")),
            })
        };
        unknown.filter_map(message).collect()
    }

    /// Checks new samples, if it is time to, or if this is the `last` check. Returns the alerts that were
    /// raised; an alert is raised again only if its budget was kept in between.
    pub fn check(&mut self, shared: &Shared, last: bool) -> Vec<Raised> {
        let began = Instant::now();
        self.over |= last;
        if self.alerts.is_empty() || !last && began < self.due {
            return Vec::new();
        }
        let profile = {
            let state = shared.state();
            let now = state.engine.version();
            if now == self.seen || now.0 == 0 {
                return Vec::new();
            }
            self.seen = now;
            self.damage.0 = state.damage();
            state.profile().map(|mut profile| {
                let shown = profile.samples.times().to_vec();
                // An alert is about now, so a rate is one of elapsed time also where the clock shown is another.
                state.arrivals.stamp(&mut profile);
                (profile, shown)
            })
        };
        let raised = profile.map(|(profile, shown)| self.raised_in(&profile, &shown));
        let raised = raised.unwrap_or_default();
        self.due = began + EVERY.max(began.elapsed() * (REST + 1));
        self.raised |= !raised.is_empty();
        raised
    }

    /// The alerts that are raised in a profile whose samples are shown at these times.
    fn raised_in(&mut self, profile: &Profile, shown: &[Nanos]) -> Vec<Raised> {
        // A window can begin with a marker that has not arrived yet.
        let Ok(slice) = Slice::new(profile, &self.slice) else { return Vec::new() };
        let last = slice.len().checked_sub(1).filter(|_| slice.clock() != Clock::Sample);
        let time = last.and_then(|last| shown.get(slice.number(last).get() - 1).copied());
        let mut raised = Vec::new();
        for (alert, state) in &mut self.alerts {
            let outcome = alert.check(&slice);
            let before = std::mem::replace(state, outcome.state);
            if outcome.state == BudgetState::Exceeded && before != BudgetState::Exceeded {
                let damage = self.damage.0.as_deref();
                raised.push(describe(alert, &outcome, (slice.clock(), time), self.units, damage));
            }
        }
        raised
    }
}

fn describe(
    alert: &Alert,
    outcome: &Outcome,
    (clock, time): (Clock, Option<Nanos>),
    units: UnitSystem,
    damage: Option<&str>,
) -> Raised {
    let unit = alert.figure().unit();
    let measured = outcome.measured.map_or_else(String::new, |measured| {
        format!(": {}", unit.words(measured, clock).text(units))
    });
    let place = time.map_or_else(String::new, |time| format!(" at {time}"));
    let text = visible(alert.text());
    let damage = damage.map_or_else(String::new, |damage| format!(", on a damaged log: {damage}"));
    let message = Message::warning(format_args!("alert: `{text}`{measured}{place}{damage}"));
    Raised { text, time, message }
}
