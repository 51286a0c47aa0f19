//! A watch without the terminal view: it prints a line for each change on standard error.

use std::time::{Duration, Instant};

use super::{Alerts, Outputs, Shared, Status, WatchEnd, surviving};
use crate::cli::{Message, Voice};

/// How often the state is checked when nothing arrives.
const LOOK: Duration = Duration::from_millis(200);
/// How long a state lasts before its reason is given.
const LASTING: Duration = Duration::from_secs(5);

/// Another view, which is shown elsewhere.
pub trait Beside {
    fn update(&mut self, shared: &Shared, outputs: &mut Outputs);
    /// How long to wait until the next update.
    fn rest(&self) -> Duration;
}

/// What was said of the source.
struct ReportedStatus {
    name: String,
    /// The state that was said last, since when it lasts, and whether its reason was given.
    said: Option<(Status, Instant, bool)>,
}

impl ReportedStatus {
    /// Prints what is new. Returns whether nothing more will be read.
    fn say_news(&mut self, shared: &Shared, voice: Voice) -> bool {
        let now = Instant::now();
        let (status, news, done) = {
            let mut state = shared.state();
            (Status::new(&state, now), std::mem::take(&mut state.news), state.done)
        };
        for message in news {
            voice.say(&message);
        }
        let name = &self.name;
        match &mut self.said {
            Some((last, since, explained)) if last.is_same_kind(&status) => {
                if let (Some(hint), false) = (status.hint(), *explained)
                    && now.saturating_duration_since(*since) >= LASTING
                {
                    voice.say(&Message::note(format_args!("{name}: {status}")).hint(hint));
                    *explained = true;
                }
                *last = status;
            }
            _ => {
                // The error was printed.
                if !matches!(status, Status::Refused(..)) {
                    voice.summarise(&format!("{name}: {status}"));
                }
                self.said = Some((status, now, false));
            }
        }
        done
    }
}

/// Prints the alerts that are raised, and why others cannot be yet. All are checked if this is the `last`
/// time, otherwise those that are due. Returns whether one ends the watch.
fn say_alerts(alerts: &mut Alerts, shared: &Shared, voice: Voice, last: bool) -> bool {
    let raised = surviving("alerts", || alerts.check(shared, last));
    for raised in raised.unwrap_or_default() {
        raised.message.say();
    }
    for note in alerts.waiting() {
        voice.say(&note);
    }
    alerts.ends_watch()
}

/// Shows changes until the run has ended, or the user ends it; with another view, until the user
/// ends it.
pub fn run(
    shared: &Shared,
    outputs: &mut Outputs,
    alerts: &mut Alerts,
    mut beside: Option<&mut dyn Beside>,
    name: &str,
    voice: Voice,
) -> WatchEnd {
    let mut lines = ReportedStatus { name: name.to_owned(), said: None };
    let mut seen = 0;
    loop {
        let rest = beside.as_ref().map_or(LOOK, |beside| beside.rest());
        seen = shared.wait(seen, rest);
        let done = lines.say_news(shared, voice);
        if let Some(beside) = &mut beside {
            surviving("the page", || beside.update(shared, outputs));
        }
        let over = shared.stopped() || (done && beside.is_none());
        if say_alerts(alerts, shared, voice, over) {
            return WatchEnd::Alert;
        }
        if over {
            // The reading thread also stops at a signal, which is not the end of the run.
            return if done && !shared.stopped() { WatchEnd::Run } else { WatchEnd::User };
        }
        let failures = surviving("outputs", || outputs.write_when_due(shared));
        for failure in failures.unwrap_or_default() {
            failure.say();
        }
    }
}
