//! Budgets: what a heap may cost, as an expression that people read. One grammar for `check` and for
//! alerts of a running program:
//!
//! ```text
//! BUDGET = METRIC OP LIMIT
//! METRIC = NAME | band("REGEX").NAME
//! OP     = > | >= | < | <= | == | !=
//! LIMIT  = 800MiB | 1MB/min | 1MB/cpu-min | 2% | 30s | 60 | 50% of METRIC | baseline [* NUMBER] [+ SIZE] | likely
//!        | grew-to-exit
//! ```
//!
//! On purpose there is no further arithmetic.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use super::metric::{GRADES, Metric, Unit};
use super::{Analysis, Shape};
use crate::base::names::{SIMILAR, nearest};
use crate::base::pattern::Pattern;
use crate::base::units::{Bytes, Nanos};
use crate::profile::Clock;
use crate::slice::Slice;

/// How a metric is compared with its limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Op {
    More,
    AtLeast,
    Less,
    AtMost,
    Equal,
    Other,
}

const OPS: [(&str, Op); 6] = [
    (">=", Op::AtLeast),
    ("<=", Op::AtMost),
    ("==", Op::Equal),
    ("!=", Op::Other),
    (">", Op::More),
    ("<", Op::Less),
];

impl Op {
    fn holds(self, value: f64, limit: f64) -> bool {
        match self {
            Op::More => value > limit,
            Op::AtLeast => value >= limit,
            Op::Less => value < limit,
            Op::AtMost => value <= limit,
            Op::Equal => value == limit,
            Op::Other => value != limit,
        }
    }
}

/// A metric of the heap, or of the bands that match together.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Subject {
    /// What is measured.
    pub figure: Metric,
    /// The bands; `None` for the heap.
    pub band: Option<Pattern>,
}

impl fmt::Display for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.band {
            Some(band) => write!(f, "band(\"{}\").{}", band.as_str(), self.figure.name()),
            None => f.write_str(self.figure.name()),
        }
    }
}

#[derive(Clone, Debug, PartialEq)]
enum BudgetLimit {
    Value(f64),
    Share { of: Subject, share: f64 },
    Baseline { factor: f64, plus: f64 },
}

/// A budget; the expression says when it is exceeded.
#[derive(Clone, Debug, PartialEq)]
pub struct Budget {
    text: String,
    subject: Subject,
    op: Op,
    limit: BudgetLimit,
    /// The clock of a rate: a minute of CPU is not a minute.
    clock: Option<Clock>,
}

impl Subject {
    /// Whether it is about the band of this label.
    pub(super) fn takes(&self, label: &str) -> bool {
        self.band.as_ref().is_none_or(|band| band.matches(label))
    }
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
    let (subject, rest) = subject(text)?;
    let rest = rest.trim_start();
    let (op, rest) = OPS
        .iter()
        .find_map(|(sign, op)| rest.strip_prefix(sign).map(|rest| (*op, rest)))
        .ok_or("expected one of > >= < <= == != after the metric")?;
    let limit = limit(rest.trim(), &subject)?;
    refuse_idle(&subject, op, &limit)?;
    let time = rest.rsplit_once('/').filter(|_| subject.figure.unit() == Unit::Rate);
    let clock = time.and_then(|(_, time)| Some(pace(time)?.1));
    Ok(Budget { text: text.to_owned(), subject, op, limit, clock })
}

/// Refuses a comparison that no grade or shape can change: nothing is above `likely`.
fn refuse_idle(subject: &Subject, op: Op, limit: &BudgetLimit) -> Result<(), String> {
    let all = match subject.figure.unit() {
        Unit::Grade => GRADES.len(),
        Unit::Shape => Shape::ALL.len(),
        Unit::Bytes | Unit::Rate | Unit::Seconds | Unit::Percent | Unit::Number => return Ok(()),
    };
    let BudgetLimit::Value(limit) = *limit else { return Ok(()) };
    match (0..all).filter(|&place| op.holds(place as f64, limit)).count() {
        0 => Err(format!("no {} is that, so it never fails; write ==", subject.figure.name())),
        held if held == all => {
            Err(format!("every {} is that, so it always fails; write ==", subject.figure.name()))
        }
        _ => Ok(()),
    }
}

/// The metric at the front of a text, and what follows it.
fn subject(text: &str) -> Result<(Subject, &str), String> {
    let (band, rest) = match text.strip_prefix("band(") {
        Some(rest) => {
            let quoted =
                rest.trim_start().strip_prefix('"').and_then(|rest| rest.split_once("\")"));
            let (pattern, rest) = quoted.ok_or("a band is written band(\"REGEX\").peak")?;
            let pattern = pattern.parse::<Pattern>().map_err(|error| error.to_string())?;
            let rest = rest
                .strip_prefix('.')
                .ok_or("expected .peak or another metric after band(\"REGEX\")")?;
            (Some(pattern), rest)
        }
        None => (None, text),
    };
    let end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(rest.len());
    let (name, rest) = rest.split_at(end);
    let known = |of_bands: bool| -> String {
        let all = Metric::ALL.into_iter().filter(|figure| !of_bands || figure.is_of_bands());
        all.map(Metric::name).collect::<Vec<_>>().join(", ")
    };
    match Metric::named(name) {
        None => {
            let of_bands = if band.is_none() { "; of a band: band(\"NAME\").peak" } else { "" };
            let all = known(band.is_some());
            let meant = nearest(name, Metric::ALL.map(Metric::name), SIMILAR);
            let there_are = match meant {
                Some(meant) => format!(": did you mean `{meant}`? There are"),
                None => "; there are".to_owned(),
            };
            Err(format!("there is no metric `{name}`{there_are} {all}{of_bands}"))
        }
        Some(figure) if band.is_some() && !figure.is_of_bands() => {
            Err(format!("a band has no `{name}`; it has {}", known(true)))
        }
        Some(figure) => Ok((Subject { figure, band }, rest)),
    }
}

fn limit(text: &str, subject: &Subject) -> Result<BudgetLimit, String> {
    if let Some(rest) = text.strip_prefix("baseline") {
        return baseline(rest.trim(), subject.figure);
    }
    if let Some((percent, of)) = text.split_once('%')
        && !(subject.figure.unit() == Unit::Percent && of.is_empty())
    {
        let share = number(percent)? / 100.0;
        let of = of.trim_start().strip_prefix("of ").unwrap_or(of).trim();
        let (of, rest) = self::subject(of)?;
        return match rest.trim().is_empty() && of.figure.unit() == subject.figure.unit() {
            true => Ok(BudgetLimit::Share { of, share }),
            false => Err(format!("a percentage needs a metric of the same kind: 50% of {}", of)),
        };
    }
    Ok(BudgetLimit::Value(value(text, subject.figure)?))
}

fn baseline(text: &str, figure: Metric) -> Result<BudgetLimit, String> {
    if figure == Metric::Leak {
        return Err(
            "a grade cannot be compared with a baseline; write likely, possible or none".to_owned()
        );
    }
    if let Some(factor) = text.strip_prefix('*') {
        return Ok(BudgetLimit::Baseline { factor: number(factor)?, plus: 0.0 });
    }
    if let Some(plus) = text.strip_prefix('+') {
        return Ok(BudgetLimit::Baseline { factor: 1.0, plus: value(plus.trim(), figure)? });
    }
    match text.is_empty() {
        true => Ok(BudgetLimit::Baseline { factor: 1.0, plus: 0.0 }),
        false => Err("expected * NUMBER, + SIZE or nothing after baseline".to_owned()),
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
            let (size, time) = text.split_once('/').ok_or_else(|| {
                format!("`{text}` is not a rate: write 1MiB/s, 10MB/min or 4kB/sample")
            })?;
            let (seconds, _) = pace(time).ok_or_else(|| {
                let time = time.trim();
                format!("`/{time}` is not a rate: write /s, /min, /h, /cpu-min or /sample")
            })?;
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
        Unit::Grade => {
            let place = GRADES.iter().position(|grade| grade.id() == text);
            let place = place.map(|place| place as f64);
            place.ok_or_else(|| format!("`{text}` is not a grade: write likely, possible or none"))
        }
        Unit::Shape => {
            let place = Shape::ALL.iter().position(|(name, _)| *name == text);
            let names = Shape::ALL.map(|(name, _)| name).join(", ");
            let place = place.map(|place| place as f64);
            place.ok_or_else(|| format!("`{text}` is not a shape: write one of {names}"))
        }
    }
}

/// How many seconds the time of a rate is, and by which clock: `min`, `cpu-min`, `sample`.
fn pace(time: &str) -> Option<(f64, Clock)> {
    let time = time.trim();
    let (unit, clock) = match time.strip_prefix("cpu-") {
        Some(unit) => (unit, Clock::Mutator),
        None => (time, Clock::Elapsed),
    };
    match unit {
        "sample" if clock == Clock::Elapsed => Some((1.0, Clock::Sample)),
        "s" => Some((1.0, clock)),
        "min" => Some((60.0, clock)),
        "h" => Some((3600.0, clock)),
        _ => None,
    }
}

/// The result of a budget.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Outcome {
    /// The measured value; `None` if the input does not have it.
    pub measured: Option<f64>,
    /// The limit as a number; `None` if the baseline or the input does not have it.
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

    pub(crate) fn subject(&self) -> &Subject {
        &self.subject
    }

    /// Everything that is measured for it.
    pub(super) fn subjects(&self) -> impl Iterator<Item = &Subject> {
        let other = match &self.limit {
            BudgetLimit::Share { of, .. } => Some(of),
            BudgetLimit::Value(_) | BudgetLimit::Baseline { .. } => None,
        };
        std::iter::once(&self.subject).chain(other)
    }

    /// The pattern of the band that it is about, if no band of a run matches it.
    pub(crate) fn missing_band(&self, slice: &Slice<'_>) -> Option<&Pattern> {
        let band = self.subject.band.as_ref()?;
        slice.rows().all(|row| !band.matches(slice.label(row))).then_some(band)
    }

    /// The factor over the baseline, where it is compared with one.
    pub(crate) fn over_baseline(&self) -> Option<f64> {
        match self.limit {
            BudgetLimit::Baseline { factor, plus: 0.0 } => Some(factor),
            BudgetLimit::Baseline { .. } | BudgetLimit::Value(_) | BudgetLimit::Share { .. } => {
                None
            }
        }
    }

    /// The clock of a rate that it names.
    pub(super) fn clock(&self) -> Option<Clock> {
        self.clock
    }

    /// Why a run cannot be compared with its rate, and how to write it: a minute of CPU is not a minute.
    pub(crate) fn other_clock(&self, slice: &Slice<'_>) -> Option<(String, String)> {
        let (named, counted) = (self.clock?, slice.clock());
        if named == counted || slice.is_empty() {
            return None;
        }
        let (counts, unit) = match counted {
            Clock::Elapsed => ("elapsed time", "min"),
            Clock::Mutator => ("CPU time, which stands still while the program waits", "cpu-min"),
            Clock::Sample => ("samples, because its times are not usable", "sample"),
        };
        let (start, _) = self.text.rsplit_once('/')?;
        let is_hp = named == Clock::Elapsed && counted == Clock::Mutator;
        let log = if is_hp { "; an event log (+RTS -l) has elapsed times" } else { "" };
        let why = format!("`{}`: this input counts {counts}", self.text);
        Some((why, format!("write '{start}/{unit}'{log}")))
    }

    pub(crate) fn needs_baseline(&self) -> bool {
        matches!(self.limit, BudgetLimit::Baseline { .. })
    }

    /// Compares a profile with the budget. `baseline` gives the earlier value of a metric.
    pub fn check(
        &self,
        slice: &Slice<'_>,
        analysis: &Analysis,
        baseline: impl Fn(&Subject) -> Option<f64>,
    ) -> Outcome {
        self.outcome(|subject| measure(subject, slice, analysis), baseline)
    }

    /// Compares the values of metrics with the budget; `baseline` gives their earlier values.
    pub(super) fn outcome(
        &self,
        measure: impl Fn(&Subject) -> Option<f64>,
        baseline: impl Fn(&Subject) -> Option<f64>,
    ) -> Outcome {
        let measured = measure(&self.subject);
        let limit = match &self.limit {
            BudgetLimit::Value(value) => Some(*value),
            BudgetLimit::Share { of, share } => measure(of).map(|of| of * share),
            BudgetLimit::Baseline { factor, plus } => {
                baseline(&self.subject).map(|was| was * factor + plus)
            }
        };
        let state = match (measured, limit) {
            (Some(measured), Some(limit)) if self.op.holds(measured, limit) => {
                BudgetState::Exceeded
            }
            (Some(_), Some(_)) => BudgetState::Ok,
            _ => BudgetState::Unknown,
        };
        Outcome { measured, limit, state }
    }
}

/// The figure of a subject; `None` if the profile does not have it.
fn measure(subject: &Subject, slice: &Slice<'_>, analysis: &Analysis) -> Option<f64> {
    match &subject.band {
        None => subject.figure.of_heap(slice, analysis),
        Some(_) => subject.figure.of_bands(slice, analysis, |label| subject.takes(label)),
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
    fn budgets_are_parsed_and_errors_list_the_alternatives() {
        for text in "peak > 800MiB|p99 > baseline * 1.1|mean > baseline + 10MiB|leak == likely|\
            leak != none|keep > 2 %|keep > baseline * 1.2|band(\"^THUNK\").peak > 20MiB|\
            band(\"X\").growth > 1MB/min|final > 50% of peak|samples < 30|duration >= 2min"
            .split('|')
        {
            let read = text.parse::<Budget>();
            assert!(read.is_ok(), "{text}: {read:?}");
        }
        assert!(
            error("pek > 1").contains("no metric `pek`: did you mean `peak`? There are peak, p99")
        );
        assert!(error("band(\"a\").samples > 1").contains("a band has no `samples`"));
        assert!(error("band(\"a(\").peak > 1").contains("not a regular expression"));
        assert!(error("peak > 1 parsec").contains("not an amount of memory"));
        assert!(error("growth > 1MiB").contains("write 1MiB/s"));
        assert!(error("keep > 2").contains("write 2 %"));
        assert!(error("leak == yes").contains("likely, possible or none"));
        assert!(error("peak").contains("> >= < <= == !="));
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
            budget.check(&slice, &analysis, |_| Some(1000.0)).state
        };
        assert_eq!(state("peak > 1309"), BudgetState::Exceeded);
        assert_eq!(state("peak > 1310"), BudgetState::Ok);
        assert_eq!(state("band(\"^a\").peak == 310"), BudgetState::Exceeded);
        assert_eq!(state("band(\"nothing\").peak > 0"), BudgetState::Ok);
        assert_eq!(state("peak > baseline * 1.31"), BudgetState::Ok);
        assert_eq!(state("peak > baseline + 300"), BudgetState::Exceeded);
        assert_eq!(state("mean < 99% of peak"), BudgetState::Exceeded);
        assert_eq!(state("duration > 999ms"), BudgetState::Exceeded);
        assert_eq!(state("leak == likely"), BudgetState::Unknown);
        assert_eq!(state("live > 0"), BudgetState::Unknown);
    }

    #[test]
    fn limits_are_in_the_units_of_their_metrics() {
        let limit = |text: &str| {
            let budget: Budget = text.parse().expect(text);
            let peak = |subject: &Subject| (subject.figure == Metric::Peak).then_some(400.0);
            budget.outcome(peak, |_| Some(100.0)).limit
        };
        for (text, expected) in [
            ("growth > 60kB/min", 1000.0),
            ("growth > 60kB / cpu-min", 1000.0),
            ("growth > 36kB/h", 10.0),
            ("growth > 5B/sample", 5.0),
            ("final > 50% of peak", 200.0),
            ("peak > baseline * 1.5", 150.0),
            ("peak > baseline + 5B", 105.0),
            ("peak > baseline", 100.0),
            ("keep > 2 %", 2.0),
            ("duration > 2min", 120.0),
        ] {
            assert_eq!(limit(text), Some(expected), "{text}");
        }
        assert!("keep > 50 % of keep".parse::<Budget>().is_ok());
        for text in ["peak > 50% of growth", "peak > 50% of mean x"] {
            assert!(error(text).contains("metric of the same kind"), "{text}");
        }
        assert!(error("peak > 50%").contains("there is no metric ``"));
        for text in ["peak > -5% of mean", "peak > inf% of mean", "peak > baseline * -1"] {
            assert!(error(text).contains("is not a number"), "{text}");
        }
        assert!(error("leak > likely").contains("it never fails"));
        assert!(error("shape >= level").contains("it always fails"));
        assert!(error("pek > 1").contains("final, last, growth, keep, leak, shape, samples"));
        assert!(
            error("band(\"a\").keep > 1 %")
                .ends_with("it has peak, p99, mean, final, last, growth")
        );
    }

    #[test]
    fn every_comparison_has_its_own_bound() {
        for (op, below, at, above) in [
            (Op::More, false, false, true),
            (Op::AtLeast, false, true, true),
            (Op::Less, true, false, false),
            (Op::AtMost, true, true, false),
            (Op::Equal, false, true, false),
            (Op::Other, true, false, true),
        ] {
            assert_eq!([6.0, 7.0, 8.0].map(|value| op.holds(value, 7.0)), [below, at, above]);
        }
    }
}
