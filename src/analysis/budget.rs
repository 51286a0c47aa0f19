//! Budgets: what a heap may cost, as an expression that people read. One grammar for `check` and for
//! alerts of a running program:
//!
//! ```text
//! BUDGET = METRIC OP LIMIT
//! METRIC = NAME | band("REGEX").NAME
//! OP     = > | >= | < | <= | == | !=
//! LIMIT  = 800MiB | 1MB/min | 2% | 30s | 60 | baseline [* NUMBER] | likely | grew-to-exit
//! ```
//!
//! On purpose there is no further arithmetic. The time of a rate is what the clock of the run counts.

use std::cmp::Ordering::{self, Equal, Greater, Less};
use std::str::FromStr;

use thiserror::Error;

use super::Analysis;
use super::metric::{Metric, Unit};
use crate::base::names::{SIMILAR, nearest};
use crate::base::pattern::Pattern;
use crate::base::units::{Bytes, Nanos};
use crate::profile::Clock;
use crate::slice::Slice;

/// The comparisons of a metric with its limit: the orders of the two in which each holds.
const COMPARISONS: [(&str, &[Ordering]); 6] = [
    (">=", &[Greater, Equal]),
    ("<=", &[Less, Equal]),
    ("==", &[Equal]),
    ("!=", &[Less, Greater]),
    (">", &[Greater]),
    ("<", &[Less]),
];

#[derive(Clone, Copy, Debug, PartialEq)]
enum BudgetLimit {
    Value(f64),
    /// So many times what the baseline has.
    Baseline(f64),
}

/// A budget; the expression says when it is exceeded.
#[derive(Clone, Debug, PartialEq)]
pub struct Budget {
    text: String,
    figure: Metric,
    /// The bands; `None` for the heap.
    band: Option<Pattern>,
    /// The orders of a value and the limit in which it is exceeded.
    holds: &'static [Ordering],
    limit: BudgetLimit,
}

/// Why a text is not a budget: what is wrong with it, and what could have been written.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("`{budget}` is not a budget: {reason}")]
pub struct BudgetError {
    budget: String,
    reason: String,
}

impl BudgetError {
    /// An error about a text, for a reason.
    pub(super) fn new(budget: &str, reason: String) -> Self {
        BudgetError { budget: budget.to_owned(), reason }
    }
}

impl FromStr for Budget {
    type Err = BudgetError;

    fn from_str(text: &str) -> Result<Self, BudgetError> {
        parse(text.trim()).map_err(|reason| BudgetError::new(text.trim(), reason))
    }
}

fn parse(text: &str) -> Result<Budget, String> {
    let (band, rest) = band(text)?;
    let end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(rest.len());
    let (name, rest) = rest.split_at(end);
    let figure = metric(name, band.is_some())?;
    let (holds, limit) = COMPARISONS
        .iter()
        .find_map(|(sign, holds)| Some((*holds, rest.trim_start().strip_prefix(sign)?.trim())))
        .ok_or("expected one of > >= < <= == != after the metric")?;
    let limit = match limit.strip_prefix("baseline") {
        Some(_) if band.is_some() || figure == Metric::Leak => {
            let write = "write a limit, such as 20MiB, 1MiB/min or likely";
            return Err(format!("a baseline has no bands and no grade: {write}"));
        }
        Some(factor) => BudgetLimit::Baseline(times(factor.trim(), figure)?),
        None => BudgetLimit::Value(value(limit, figure)?),
    };
    let budget = Budget { text: text.to_owned(), figure, band, holds, limit };
    let names = figure.unit().names().len();
    let fails = |value| budget.outcome(Some(value as f64), None).state == BudgetState::Exceeded;
    if names > 0 && !budget.needs_baseline() && !(0..names).any(fails) {
        return Err(format!("no `{name}` is that, so it never fails"));
    }
    Ok(budget)
}

/// The band at the front of a text, if it is about one, and what follows that.
fn band(text: &str) -> Result<(Option<Pattern>, &str), String> {
    let Some(rest) = text.strip_prefix("band(") else { return Ok((None, text)) };
    let quoted = rest.trim_start().strip_prefix('"').and_then(|rest| rest.split_once("\")."));
    let (pattern, rest) = quoted.ok_or("a band is written band(\"REGEX\").peak")?;
    let pattern = pattern.parse::<Pattern>().map_err(|error| error.to_string())?;
    Ok((Some(pattern), rest))
}

fn metric(name: &str, of_a_band: bool) -> Result<Metric, String> {
    let all = Metric::ALL.into_iter().filter(|figure| !of_a_band || figure.is_of_bands());
    let known = all.map(Metric::name).collect::<Vec<_>>().join(", ");
    match Metric::named(name) {
        Some(figure) if of_a_band && !figure.is_of_bands() => {
            Err(format!("a band has no `{name}`; it has {known}"))
        }
        Some(figure) => Ok(figure),
        None => {
            let of_bands = if of_a_band { "" } else { "; of a band: band(\"NAME\").peak" };
            let there_are = match nearest(name, Metric::ALL.map(Metric::name), SIMILAR) {
                Some(meant) => format!(": did you mean `{meant}`? There are"),
                None => "; there are".to_owned(),
            };
            Err(format!("there is no metric `{name}`{there_are} {known}{of_bands}"))
        }
    }
}

/// The factor of a baseline: 1 without one.
fn times(text: &str, figure: Metric) -> Result<f64, String> {
    match text.strip_prefix('*') {
        Some(_) if figure == Metric::Shape => Err("no shape is a multiple of another".to_owned()),
        Some(factor) => number(factor),
        None if text.is_empty() => Ok(1.0),
        None => Err("expected * NUMBER or nothing after baseline".to_owned()),
    }
}

fn number(text: &str) -> Result<f64, String> {
    let number =
        text.trim().parse::<f64>().ok().filter(|number| number.is_finite() && *number >= 0.0);
    number.ok_or_else(|| format!("`{}` is not a number", text.trim()))
}

fn value(text: &str, figure: Metric) -> Result<f64, String> {
    let bytes = |text: &str| {
        let bytes = text.parse::<Bytes>().map_err(|error| error.to_string())?;
        Ok::<f64, String>(bytes.get() as f64)
    };
    match figure.unit() {
        Unit::Bytes => bytes(text),
        Unit::Rate => {
            let (size, time) = text
                .split_once('/')
                .ok_or_else(|| format!("`{text}` is not a rate: write 1MiB/s or 10MB/min"))?;
            let seconds = match time.trim() {
                "s" => 1.0,
                "min" => 60.0,
                "h" => 3600.0,
                time => return Err(format!("`/{time}` is not a rate: write /s, /min or /h")),
            };
            Ok(bytes(size.trim())? / seconds)
        }
        Unit::Seconds => {
            let time = text.parse::<Nanos>().map_err(|error| error.to_string())?;
            Ok(time.as_seconds())
        }
        Unit::Percent => {
            let number = text.strip_suffix('%').map(number);
            number.unwrap_or_else(|| Err(format!("`{text}` is not a share: write 2 %")))
        }
        Unit::Number => number(text),
        Unit::Grade | Unit::Shape => {
            let names = figure.unit().names();
            let place = names.iter().position(|name| *name == text).map(|place| place as f64);
            place.ok_or_else(|| {
                let (name, names) = (figure.name(), names.join(", "));
                format!("`{text}` is no value of `{name}`: write one of {names}")
            })
        }
    }
}

/// The result of a budget.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Outcome {
    /// The measured value; `None` if the input does not have it.
    pub measured: Option<f64>,
    /// The limit as a number; `None` if the baseline does not have it.
    pub limit: Option<f64>,
    /// The answer.
    pub state: BudgetState,
}

/// Whether a budget holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(test, derive(serde::Deserialize))]
#[serde(rename_all = "kebab-case")]
pub enum BudgetState {
    /// The budget holds.
    Ok,
    /// The budget is exceeded.
    Exceeded,
    /// The budget cannot be checked: too few samples for a verdict, or the input does not have the metric.
    Unknown,
}

impl Budget {
    /// The budget as it was written.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// What is measured.
    pub fn figure(&self) -> Metric {
        self.figure
    }

    /// The bands that it is about; `None` for the heap.
    pub fn band(&self) -> Option<&Pattern> {
        self.band.as_ref()
    }

    /// Whether it is about the band of this label.
    pub(super) fn takes(&self, label: &str) -> bool {
        self.band.as_ref().is_none_or(|band| band.matches(label))
    }

    pub(crate) fn needs_baseline(&self) -> bool {
        matches!(self.limit, BudgetLimit::Baseline(_))
    }

    /// Compares a run with the budget. `baseline` gives the earlier value of a metric.
    pub fn check(
        &self,
        slice: &Slice<'_>,
        analysis: &Analysis,
        baseline: impl Fn(Metric) -> Option<f64>,
    ) -> Outcome {
        let measured = match &self.band {
            None => self.figure.of_heap(slice, analysis),
            Some(_) => self.figure.of_bands(slice, &analysis.account, |label| self.takes(label)),
        };
        // Without usable times a run is so many samples long, and grows by so much in each.
        let is_known =
            slice.clock() != Clock::Sample || !self.figure.is_by_clock() || self.needs_baseline();
        self.outcome(measured.filter(|_| is_known), baseline(self.figure))
    }

    /// Compares a value of the metric with the budget; `was` is that of the baseline.
    pub(super) fn outcome(&self, measured: Option<f64>, was: Option<f64>) -> Outcome {
        let limit = match self.limit {
            BudgetLimit::Value(value) => Some(value),
            BudgetLimit::Baseline(factor) => was.map(|was| was * factor),
        };
        let order = measured.zip(limit).and_then(|(measured, limit)| measured.partial_cmp(&limit));
        let state = match order {
            Some(order) if self.holds.contains(&order) => BudgetState::Exceeded,
            Some(_) => BudgetState::Ok,
            None => BudgetState::Unknown,
        };
        Outcome { measured, limit, state }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::testing::profile;

    fn error(text: &str) -> String {
        text.parse::<Budget>().unwrap_err().to_string()
    }

    #[test]
    fn a_wrong_budget_is_refused_with_what_could_be_written() {
        for (text, says) in [
            ("peak", "> >= < <= == !="),
            (
                "pek > 1",
                "no metric `pek`: did you mean `peak`? There are peak, p99, mean, final, growth, keep",
            ),
            ("held > 1MB", "there is no metric `held`"),
            ("memory_growth > 1MB/s", "there is no metric `memory_growth`"),
            (
                "band(\"a\").samples > 1",
                "a band has no `samples`; it has peak, p99, mean, final, growth",
            ),
            ("band(\"a\").keep > 1 %", "a band has no `keep`"),
            ("band(\"a\") > 1", "band(\"REGEX\").peak"),
            ("band(\"a(\").peak > 1", "not a regular expression"),
            ("peak > 1 parsec", "not an amount of memory"),
            ("peak > 50% of mean", "not an amount of memory"),
            ("growth > 1MiB", "write 1MiB/s"),
            ("growth > 1MiB/cpu-min", "write /s, /min or /h"),
            ("growth > 1MiB/sample", "write /s, /min or /h"),
            ("keep > 2", "write 2 %"),
            ("leak == yes", "write one of none, possible, likely"),
            ("leak > likely", "no `leak` is that, so it never fails"),
            ("shape < level", "no `shape` is that, so it never fails"),
            ("peak > baseline + 10MiB", "expected * NUMBER or nothing"),
            ("peak > baseline * -1", "is not a number"),
            ("shape > baseline * 2", "no shape is a multiple"),
            ("peak > baseline * inf", "is not a number"),
            ("leak > baseline", "a baseline has no bands and no grade"),
            ("band(\"a\").peak > baseline", "a baseline has no bands and no grade"),
        ] {
            assert!(error(text).contains(says), "{text}: {}", error(text));
        }
    }

    #[test]
    fn a_budget_is_compared_with_the_measured_value() {
        let profile = profile(&[
            (0.0, &[("ab", 100), ("ac", 50), ("b", 1000)]),
            (1.0, &[("ab", 10), ("ac", 300), ("b", 1000)]),
        ]);
        let slice = Slice::whole(&profile);
        let analysis = Analysis::new(&slice, &[]);
        let state = |text: &str| {
            let budget: Budget = text.parse().expect(text);
            budget.check(&slice, &analysis, |_| None).state
        };
        assert_eq!(state("peak > 1309"), BudgetState::Exceeded);
        assert_eq!(state("peak > 1310"), BudgetState::Ok);
        assert_eq!(state("band(\"^a\").peak == 310"), BudgetState::Exceeded);
        assert_eq!(state("band(\"nothing\").peak > 0"), BudgetState::Unknown);
        assert_eq!(state("peak > baseline"), BudgetState::Unknown);
        assert_eq!(state("duration > 999ms"), BudgetState::Exceeded);
        assert_eq!(state("leak == likely"), BudgetState::Unknown);
        assert_eq!(state("live > 0"), BudgetState::Unknown);
    }

    #[test]
    fn a_run_without_times_has_no_seconds() {
        let mut profile = profile(&[(0.0, &[("a", 1)]), (9.0, &[("a", 1)])]);
        profile.clock = Clock::Sample;
        let slice = Slice::whole(&profile);
        let analysis = Analysis::new(&slice, &[]);
        let state = |text: &str| {
            text.parse::<Budget>().expect(text).check(&slice, &analysis, |_| None).state
        };
        assert_eq!(state("duration > 500ms"), BudgetState::Unknown);
        assert_eq!(state("samples > 1"), BudgetState::Exceeded);
    }

    #[test]
    fn limits_are_in_the_units_of_their_metrics() {
        let limit = |text: &str| {
            let budget: Budget = text.parse().expect(text);
            budget.outcome(None, Some(100.0)).limit
        };
        for (text, expected) in [
            ("growth > 60kB / min", 1000.0),
            ("growth > 36kB/h", 10.0),
            ("growth > 5B/s", 5.0),
            ("peak > baseline * 1.5", 150.0),
            ("peak > baseline", 100.0),
            ("keep > 2 %", 2.0),
            ("duration > 2min", 120.0),
            ("samples < 30", 30.0),
            ("leak >= possible", 1.0),
            ("shape != grew-to-exit", 2.0),
        ] {
            assert_eq!(limit(text), Some(expected), "{text}");
        }
    }

    #[test]
    fn every_comparison_has_its_own_bound() {
        for (sign, below, at, above) in [
            (">", false, false, true),
            (">=", false, true, true),
            ("<", true, false, false),
            ("<=", true, true, false),
            ("==", false, true, false),
            ("!=", true, false, true),
        ] {
            let budget: Budget = format!("samples {sign} 7").parse().expect(sign);
            let is_exceeded =
                |value| budget.outcome(Some(value), None).state == BudgetState::Exceeded;
            assert_eq!([6.0, 7.0, 8.0].map(is_exceeded), [below, at, above], "{sign}");
        }
    }
}
