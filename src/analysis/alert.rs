//! Alerts: budgets of a program that still runs.
//!
//! ```text
//! ALERT = BUDGET | METRIC-OF-GROWTH OP RATE for TIME
//! ```
//!
//! Most heaps grow at first. So an alert on growth tests whether the heap has grown for all of the
//! last `TIME`, and has no result until the program has run that long. It cannot use the verdict,
//! which judges a run that has ended.

use std::str::FromStr;

use super::budget::{Budget, BudgetError, Outcome};
use super::constants::{FEW, FIFTH, SOME};
use super::curve::rise_to_the_end;
use super::figures::figures_of;
use super::metric::{Metric, sum_of};
use crate::base::units::Nanos;
use crate::profile::Clock;
use crate::slice::Slice;

/// A budget for a running program.
#[derive(Clone, Debug, PartialEq)]
pub struct Alert {
    text: String,
    budget: Budget,
    /// The time over which growth is measured; `None` for other metrics.
    over: Option<Nanos>,
}

impl FromStr for Alert {
    type Err = BudgetError;

    fn from_str(text: &str) -> Result<Self, BudgetError> {
        let text = text.trim();
        let wrong = |reason: &str| BudgetError::new(text, reason.to_owned());
        let (words, over) = match text.rsplit_once(" for ").filter(|(_, time)| !time.contains('"'))
        {
            Some((words, time)) => {
                let time = time.trim().parse::<Nanos>().map_err(|error| wrong(&error.to_string()));
                (words, Some(time?))
            }
            None => (text, None),
        };
        let budget: Budget = words.parse()?;
        if budget.needs_baseline() {
            return Err(wrong("a running program has no baseline; write a size or a rate"));
        }
        if let Some(reason) = refusal(budget.figure(), over) {
            return Err(wrong(&reason));
        }
        Ok(Alert { text: text.to_owned(), budget, over })
    }
}

/// An alert on growth.
const EXAMPLE: &str = "growth > 1MB/min for 10min";

/// Why a running program cannot be watched for a metric, with this duration or without one.
fn refusal(figure: Metric, over: Option<Nanos>) -> Option<String> {
    match over {
        None if figure == Metric::Growth => Some(format!(
            "most heaps grow at first, so an alert on growth needs a duration: {EXAMPLE}"
        )),
        Some(over) if figure == Metric::Growth => {
            (over <= Nanos::ZERO).then(|| "the duration is 0".to_owned())
        }
        Some(_) | None if figure.is_of_verdict() => {
            let name = figure.name();
            Some(format!("`{name}` is known only at the end of a run; write {EXAMPLE}"))
        }
        Some(_) => Some("only growth takes a duration".to_owned()),
        None => None,
    }
}

impl Alert {
    /// The alert as it was written.
    pub fn text(&self) -> &str {
        &self.text
    }

    pub fn figure(&self) -> Metric {
        self.budget.figure()
    }

    /// Compares the run so far with the alert. The state is
    /// [`Unknown`](super::budget::BudgetState::Unknown) while the run is too short to tell.
    pub fn check(&self, slice: &Slice<'_>) -> Outcome {
        self.budget.outcome(self.measure(slice), None)
    }

    /// Why it cannot be raised yet, if it watches growth; `None` for other metrics, which the first sample
    /// has, or the input never has.
    pub fn waits_for(&self) -> Option<String> {
        let over = self.over?;
        let band = self.budget.band().map_or("", |_| " and a band that matches");
        Some(format!("it needs the last {over} of the run, with at least {FEW} samples{band}"))
    }

    fn measure(&self, slice: &Slice<'_>) -> Option<f64> {
        // A `.hp` ends with an empty sample, in which nothing has shrunk.
        let full = match slice.ends_empty() {
            true => (0..slice.len()).rposition(|sample| slice.total(sample) > 0)? + 1,
            false => slice.len(),
        };
        let (axis, clock) = (&slice.axis()[..full], slice.clock());
        // Without bands, the run-time system still tells what it holds.
        let none = || self.budget.band().is_none().then(|| vec![0; slice.len()]);
        let total = &sum_of(slice, |label| self.budget.takes(label)).or_else(none)?[..full];
        let Some(over) = self.over else {
            return self.figure().of_total(&figures_of(total, axis, clock), slice);
        };
        let values: Vec<f64> = total.iter().map(|&bytes| bytes as f64).collect();
        lasting_growth(axis, &values, over.as_seconds(), clock)
    }
}

/// How fast a curve has grown, if it has grown during all of its last `over` seconds, else 0;
/// `None` while it is too short to tell.
fn lasting_growth(axis: &[f64], values: &[f64], over: f64, clock: Clock) -> Option<f64> {
    let (&first, &last) = axis.first().zip(axis.last())?;
    if clock == Clock::Sample || last - first < over {
        return None;
    }
    let from = axis.partition_point(|&time| time < last - over);
    let (axis, values) = (&axis[from..], &values[from..]);
    if axis.len() < FEW {
        return None;
    }
    // So few samples show only what rises in each of them, and what begins late has not lasted for all of the time.
    let is_shown = axis.len() >= SOME || values.is_sorted_by(|a, b| a < b);
    let rise = rise_to_the_end(values, axis)
        .filter(|rise| is_shown && rise.from as f64 <= FIFTH * values.len() as f64);
    Some(rise.map_or(0.0, |rise| rise.gain / (axis[rise.to] - axis[rise.from])))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::budget::BudgetState;
    use crate::analysis::testing::profile;
    use crate::base::units::{Bytes, Nanos};
    use crate::profile::{BandKeyRef, HeapSeriesKind, Profile, ProfileBuilder, Source};

    fn error(text: &str) -> String {
        text.parse::<Alert>().unwrap_err().to_string()
    }

    fn run(seconds: usize, heap: impl Fn(usize) -> u64) -> Profile {
        let points: Vec<[(&str, u64); 1]> = (0..seconds).map(|i| [("X", heap(i))]).collect();
        let samples: Vec<(f64, &[(&str, u64)])> =
            points.iter().enumerate().map(|(i, points)| (i as f64, &points[..])).collect();
        profile(&samples)
    }

    fn state(text: &str, profile: &Profile) -> BudgetState {
        text.parse::<Alert>().expect(text).check(&Slice::whole(profile)).state
    }

    #[test]
    fn alerts_are_parsed_as_budgets_and_growth_needs_a_duration() {
        for text in [
            "peak > 2GiB",
            "band(\"a for b\").final > 1MB",
            "growth > 1MB/min for 10 min",
            "live > 1",
        ] {
            assert!(text.parse::<Alert>().is_ok(), "{text}");
        }
        assert!(error("growth > 1MB/min").contains("growth > 1MB/min for 10min"));
        assert!(error("peak > 1GB for 5min").contains("only growth"));
        assert!(error("growth > 1MB/min for ever").contains("time"));
        for figure in ["leak == likely", "keep > 1%"] {
            assert!(error(figure).contains("at the end of a run"), "{figure}");
        }
        assert!(error("peak > baseline").contains("no baseline"));
        assert!(error("pek > 1").contains("There are peak"));
    }

    #[test]
    fn growth_raises_an_alert_only_after_the_full_duration() {
        let text = "band(\"X\").growth > 10kB/s for 60s";
        let steady = |i: usize| 1_000_000 + 20_000 * i as u64;
        assert_eq!(state(text, &run(50, steady)), BudgetState::Unknown);
        assert_eq!(state(text, &run(90, steady)), BudgetState::Exceeded);
        assert_eq!(state("growth > 30kB/s for 60s", &run(90, steady)), BudgetState::Ok);
        // The growth began half a minute ago.
        let late = |i: usize| 1_000_000 + 20_000 * i.saturating_sub(60) as u64;
        assert_eq!(state(text, &run(90, late)), BudgetState::Ok);
        let saw = |i: usize| 1_000_000 + 50_000 * (i % 17) as u64;
        for seconds in 61..120 {
            assert_eq!(state(text, &run(seconds, saw)), BudgetState::Ok, "{seconds}");
        }
        // When memory is given back, the run has not ended: that is a fall like any other.
        let given_back = |i: usize| if i < 100 { steady(i) } else { 1000 };
        assert_eq!(state(text, &run(110, given_back)), BudgetState::Ok);
    }

    #[test]
    fn size_alerts_use_the_run_so_far() {
        let heap = run(30, |i| if i == 10 { 5_000_000 } else { 1_000_000 });
        assert_eq!(state("peak > 4MB", &heap), BudgetState::Exceeded);
        assert_eq!(state("final > 4MB", &heap), BudgetState::Ok);
        assert_eq!(state("band(\"Y\").peak > 0", &heap), BudgetState::Unknown);
        assert_eq!(state("live > 0", &heap), BudgetState::Unknown);
        let mut builder = ProfileBuilder::new(Source::Eventlog);
        builder.heap_point(HeapSeriesKind::Live, Nanos::ZERO, Bytes::new(8));
        assert_eq!(state("live > 0", &builder.finish()), BudgetState::Exceeded, "without bands");
    }

    #[test]
    fn a_window_counts_from_its_end_and_forgives_a_late_start() {
        let text = "growth > 10kB/s for 60s";
        let later = |start: f64, samples: usize, step: f64, from: usize| {
            let points: Vec<[(&str, u64); 1]> = (0..samples)
                .map(|i| {
                    [("X", 1_000_000 + (20_000.0 * step) as u64 * i.saturating_sub(from) as u64)]
                })
                .collect();
            let samples: Vec<(f64, &[(&str, u64)])> = points
                .iter()
                .enumerate()
                .map(|(i, points)| (start + step * i as f64, &points[..]))
                .collect();
            state(text, &profile(&samples))
        };
        assert_eq!(later(1000.0, 50, 1.0, 0), BudgetState::Unknown, "50 s of a later run");
        assert_eq!(later(1000.0, 70, 1.0, 0), BudgetState::Exceeded);
        assert_eq!(later(0.0, 12, 6.5, 0), BudgetState::Unknown, "10 samples in 60 s");
        assert_eq!(later(0.0, 14, 6.0, 0), BudgetState::Exceeded, "11 samples in 60 s");
        // The last 60 of 90 seconds begin at 29; a fifth of them may pass before the growth begins.
        assert_eq!(later(0.0, 90, 1.0, 38), BudgetState::Exceeded);
        assert_eq!(later(0.0, 90, 1.0, 44), BudgetState::Ok);
    }

    #[test]
    fn the_empty_sample_that_ends_a_hp_has_not_shrunk() {
        let mut builder = ProfileBuilder::new(Source::Hp);
        for (second, bytes) in [100, 300, 200, 0].into_iter().enumerate() {
            let band = builder.band(BandKeyRef::Name(b"X")).unwrap();
            if bytes > 0 {
                builder.point(band, Bytes::new(bytes));
            }
            builder.seal_sample(Nanos::from_nanos(1_000_000_000 * second as i64));
        }
        let profile = builder.finish();
        assert_eq!(state("final >= 200B", &profile), BudgetState::Exceeded);
        assert_eq!(state("final > 200B", &profile), BudgetState::Ok);
    }
}
