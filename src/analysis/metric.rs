//! The figures of a run, as one table: what each is called, in which unit it is, and what it is of the heap and of
//! some bands together. Budgets, baselines, comparisons and keys read it.

use serde::{Serialize, Serializer};

use super::figures::{HeapFigures, figures_of};
use super::runtime::{Activity, AllocationFigures, GcFigures};
use super::{Account, Analysis, Leak, Rise, Shape, rate};
use crate::base::sentence::{Sentence, rounded};
use crate::base::units::{Nanos, percent_text};
use crate::profile::{Clock, HeapSeriesKind};
use crate::slice::{Merger, Slice};

/// A figure of a run, or of some of its bands together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Metric {
    /// The highest residency.
    Peak,
    /// The value that 99 % of the samples stay below.
    P99,
    /// The mean over time; over samples where they have no times.
    #[default]
    Mean,
    /// The median of the last 20th of the samples.
    Final,
    /// How fast it grows, to the last sample or until the program ended; 0 if it does not.
    Growth,
    /// The share of all allocation that stays, in percent; 0 if nothing grows.
    Keep,
    /// The grade of the verdict.
    Leak,
    /// What the heap did over the run.
    Shape,
    /// The number of samples.
    Samples,
    /// The time from the first sample to the last.
    Duration,
    /// The most memory that the run-time system held.
    HeapSize,
    /// The highest live bytes of the run-time system.
    Live,
    /// All that the program allocated.
    Allocated,
    /// All pauses for garbage collection together.
    Pauses,
    /// The longest of them.
    LongestPause,
    /// The share of the time in which the program ran, and was not collected, in percent.
    Productivity,
}

/// The unit of a figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Unit {
    /// Bytes.
    Bytes,
    /// Bytes a second, or a sample where samples have no times.
    Rate,
    /// Percent.
    Percent,
    /// Seconds.
    Seconds,
    /// A number without a unit.
    Number,
    /// A grade of the verdict: 0 none, 1 possible, 2 likely.
    Grade,
    /// A shape, by its place in [`Shape::ALL`].
    Shape,
}

/// The grades that a budget can name, by their numbers.
const GRADES: [Leak; 3] = [Leak::None, Leak::Possible, Leak::Likely];

impl Unit {
    /// An amount in this unit, in words.
    pub fn words(self, value: f64, clock: Clock) -> Sentence {
        match self {
            Unit::Bytes => rounded(value),
            Unit::Rate if value == 0.0 => "0".into(),
            Unit::Rate => rate(value, clock),
            Unit::Seconds if clock == Clock::Sample => format!("{value:.0} samples").into(),
            Unit::Seconds => Nanos::from_nanos((value * 1e9).round() as i64).to_string().into(),
            Unit::Percent => percent_text(value).into(),
            Unit::Number | Unit::Grade | Unit::Shape => match self.names().get(value as usize) {
                Some(&name) => name.into(),
                None => format!("{value}").into(),
            },
        }
    }

    /// The names of the values, the least alarming first, each at the place that is its value; none for an amount.
    pub(crate) fn names(self) -> Vec<&'static str> {
        match self {
            Unit::Grade => GRADES.map(Leak::id).to_vec(),
            Unit::Shape => Shape::ALL.map(|(name, _)| name).to_vec(),
            Unit::Bytes | Unit::Rate | Unit::Percent | Unit::Seconds | Unit::Number => Vec::new(),
        }
    }
}

/// What a figure is computed from; `None` is a figure that the input does not have.
#[derive(Clone, Copy)]
enum Origin {
    /// The residency of the heap, or of some bands together.
    Residency(fn(&HeapFigures) -> f64),
    /// The run, whichever bands it has.
    Run(fn(&Slice<'_>) -> Option<f64>),
    /// The account of the heap.
    Verdict(fn(&Account) -> Option<f64>),
}

use Origin::{Residency, Run, Verdict};

/// What is known of a figure: its name in budgets, tables and documents, its unit, and what it is computed from.
struct Row(Metric, &'static str, Unit, Origin);

/// The figures, in the order in which they are declared and listed.
const ROWS: [Row; 16] = [
    Row(Metric::Peak, "peak", Unit::Bytes, Residency(|heap| heap.peak as f64)),
    Row(Metric::P99, "p99", Unit::Bytes, Residency(|heap| heap.p99 as f64)),
    Row(Metric::Mean, "mean", Unit::Bytes, Residency(|heap| heap.mean as f64)),
    Row(Metric::Final, "final", Unit::Bytes, Residency(|heap| heap.r#final as f64)),
    Row(Metric::Growth, "growth", Unit::Rate, Verdict(growth)),
    Row(Metric::Keep, "keep", Unit::Percent, Verdict(keep)),
    Row(Metric::Leak, "leak", Unit::Grade, Verdict(leak)),
    Row(Metric::Shape, "shape", Unit::Shape, Verdict(shape)),
    Row(Metric::Samples, "samples", Unit::Number, Run(|run| Some(run.with_data() as f64))),
    Row(Metric::Duration, "duration", Unit::Seconds, Run(duration)),
    Row(Metric::HeapSize, "heap_size", Unit::Bytes, Run(|run| most(run, HeapSeriesKind::Size))),
    Row(Metric::Live, "live", Unit::Bytes, Run(|run| most(run, HeapSeriesKind::Live))),
    Row(Metric::Allocated, "allocated", Unit::Bytes, Run(allocated)),
    Row(Metric::Pauses, "pauses", Unit::Seconds, Run(|run| Some(gc(run)?.pause_ns as f64 / 1e9))),
    Row(
        Metric::LongestPause,
        "longest_pause",
        Unit::Seconds,
        Run(|run| Some(gc(run)?.longest.as_seconds())),
    ),
    Row(
        Metric::Productivity,
        "productivity",
        Unit::Percent,
        Run(|run| Some(gc(run)?.productivity_percent)),
    ),
];

impl Metric {
    /// All figures, in the order in which they are listed.
    pub const ALL: [Metric; ROWS.len()] = {
        let mut all = [Metric::Peak; ROWS.len()];
        let mut at = 0;
        while at < all.len() {
            all[at] = ROWS[at].0;
            at += 1;
        }
        all
    };

    /// The name in budgets, tables and documents.
    pub const fn name(self) -> &'static str {
        ROWS[self as usize].1
    }

    /// The figure of a name.
    pub fn named(name: &str) -> Option<Metric> {
        Self::ALL.into_iter().find(|figure| figure.name() == name)
    }

    /// What its values are in.
    pub const fn unit(self) -> Unit {
        ROWS[self as usize].2
    }

    /// Whether it depends on what the clock of the run counts.
    pub const fn is_by_clock(self) -> bool {
        match self.unit() {
            Unit::Rate | Unit::Seconds => true,
            Unit::Bytes | Unit::Percent | Unit::Number | Unit::Grade | Unit::Shape => false,
        }
    }

    /// Whether some bands together have it, too.
    pub const fn is_of_bands(self) -> bool {
        match ROWS[self as usize].3 {
            Residency(_) => true,
            Run(_) => false,
            Verdict(_) => matches!(self, Metric::Growth),
        }
    }

    /// Whether it is known only at the end of a run.
    pub(super) const fn is_of_verdict(self) -> bool {
        matches!(ROWS[self as usize].3, Verdict(_))
    }

    /// What it is of a run; `None` if the input does not have it.
    pub fn of_heap(self, slice: &Slice<'_>, analysis: &Analysis) -> Option<f64> {
        match ROWS[self as usize].3 {
            Verdict(of) => of(&analysis.account),
            Residency(_) | Run(_) => self.of_total(&analysis.figures.heap, slice),
        }
    }

    /// What it is of the bands together whose labels match; `None` if none does, if bands do not have it, or if the run
    /// cannot be judged.
    pub(super) fn of_bands(
        self,
        slice: &Slice<'_>,
        account: &Account,
        matches: impl Fn(&str) -> bool,
    ) -> Option<f64> {
        let total = sum_of(slice, matches)?;
        if self != Metric::Growth {
            return self.of_total(&figures_of(&total, &slice.axis(), slice.clock()), slice);
        }
        let growth = account.growth_of(&total).map_or(0.0, |rise| rise.rate);
        (account.is_judged() && (account.leak != Leak::Unknown || growth > 0.0)).then_some(growth)
    }

    /// A figure that needs no verdict, given the residency of what is measured; `None` for those that do, and if the
    /// input does not have it.
    pub(super) fn of_total(self, figures: &HeapFigures, slice: &Slice<'_>) -> Option<f64> {
        match ROWS[self as usize].3 {
            Residency(of) => Some(of(figures)),
            Run(of) => of(slice),
            Verdict(_) => None,
        }
    }
}

/// Whether the account knows how the heap grows. What climbs at the end has a rate, however short it is.
fn knows_growth(account: &Account) -> bool {
    account.is_judged() && (account.leak != Leak::Unknown || account.heap.is_some())
}

fn growth(account: &Account) -> Option<f64> {
    let rate = |rise: &Rise| rise.rate;
    knows_growth(account).then(|| account.heap.as_ref().map_or(0.0, rate))
}

fn keep(account: &Account) -> Option<f64> {
    let kept = account.heap.as_ref().map_or(Some(0.0), |rise| rise.kept_percent);
    kept.filter(|_| knows_growth(account) && account.timeline.counts_allocation())
}

fn leak(account: &Account) -> Option<f64> {
    GRADES.iter().position(|grade| *grade == account.leak).map(|place| place as f64)
}

fn shape(account: &Account) -> Option<f64> {
    let shape = account.shape()?;
    Shape::ALL.iter().position(|(_, known)| *known == shape).map(|place| place as f64)
}

fn duration(slice: &Slice<'_>) -> Option<f64> {
    let axis = slice.axis();
    Some(axis.last()? - axis[0])
}

fn most(slice: &Slice<'_>, figure: HeapSeriesKind) -> Option<f64> {
    slice.heap()[figure].peak().map(|(_, bytes)| bytes.get() as f64)
}

fn allocated(slice: &Slice<'_>) -> Option<f64> {
    AllocationFigures::new(&Activity::new(slice)).map(|all| all.bytes as f64)
}

fn gc(slice: &Slice<'_>) -> Option<GcFigures> {
    GcFigures::of_slice(slice)
}

impl Serialize for Metric {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

/// The residency in each sample of all bands together whose labels match; `None` if none does.
pub(super) fn sum_of(slice: &Slice<'_>, matches: impl Fn(&str) -> bool) -> Option<Vec<u128>> {
    let wanted: Vec<bool> =
        slice.rows().map(|row| slice.is_selected(row) && matches(slice.label(row))).collect();
    if !wanted.contains(&true) {
        return None;
    }
    let mut merger = Merger::new(slice);
    let mut sum_at = |sample| -> u128 {
        let wanted = merger.sample(sample).iter().filter(|(row, _)| wanted[row.index()]);
        wanted.map(|(_, size)| u128::from(size.get())).sum()
    };
    Some((0..slice.len()).map(&mut sum_at).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::testing::{curves, growing};

    #[test]
    fn every_figure_has_a_row_and_a_name_of_its_own() {
        for (at, figure) in Metric::ALL.into_iter().enumerate() {
            assert_eq!(figure as usize, at);
            assert_eq!(Metric::named(figure.name()), Some(figure));
        }
        assert_eq!(Metric::named("pek"), None);
    }

    #[test]
    fn amounts_are_written_in_their_units() {
        let text = |unit: Unit, value, clock| unit.words(value, clock).to_string();
        assert_eq!(text(Unit::Seconds, 3.0, Clock::Sample), "3 samples");
        assert_eq!(text(Unit::Seconds, 1.5, Clock::Elapsed), "1.5 s");
        assert_eq!(text(Unit::Grade, 1.0, Clock::Elapsed), "possible");
        assert_eq!(text(Unit::Shape, 2.0, Clock::Elapsed), "grew-to-exit");
        // A baseline is a file that people may edit.
        assert_eq!(text(Unit::Shape, 6.0, Clock::Elapsed), "6");
    }

    #[test]
    fn bands_that_match_have_a_growth_of_their_own() {
        let up = |i: f64| 1e6 + 5e4 * i;
        let profile = curves(100, &[("up", &up), ("flat", &|_| 1e6)]).finish();
        let slice = Slice::whole(&profile);
        let mut analysis = Analysis::new(&slice, &[]);
        let growth = |name: &str, analysis: &Analysis| {
            Metric::Growth.of_bands(&slice, &analysis.account, |label| label == name)
        };
        assert!((growth("up", &analysis).unwrap() - 5e4).abs() < 1.0);
        // It is that of the heap, if it is what grows.
        assert_eq!(growth("up", &analysis), Metric::Growth.of_heap(&slice, &analysis));
        assert_eq!((growth("flat", &analysis), growth("none", &analysis)), (Some(0.0), None));
        analysis.account.samples = 8;
        (analysis.account.leak, analysis.account.suspects) = (Leak::Unknown, Vec::new());
        analysis.account.finding = crate::analysis::Finding::default();
        assert_eq!(growth("up", &analysis), None);
        // What is released before the exit grew until then, and what climbs at the end grows, too.
        let released = |i: f64| if i < 95.0 { up(i) } else { 1e5 };
        let late = |i: f64| 1e6 + 1e5 * (i - 80.0).max(0.0);
        let others = curves(100, &[("released", &released), ("late", &late)]).finish();
        let others = Slice::whole(&others);
        let analysis = Analysis::new(&others, &[]);
        let growth =
            |name: &str| Metric::Growth.of_bands(&others, &analysis.account, |label| label == name);
        assert!((growth("released").unwrap() - 5e4).abs() < 1.0);
        assert!((growth("late").unwrap() / 1e5 - 1.0).abs() < 0.01, "{:?}", growth("late"));
    }

    #[test]
    fn samples_at_one_time_have_no_rate() {
        let up: Vec<f64> = (0..100).map(|i| 1e6 + 5e4 * f64::from(i)).collect();
        let profile = growing(&[("up", &up)], 0.0).finish();
        let slice = Slice::whole(&profile);
        let analysis = Analysis::new(&slice, &[]);
        assert_eq!(Metric::Growth.of_heap(&slice, &analysis), Some(0.0));
        assert_eq!(Metric::Growth.of_bands(&slice, &analysis.account, |_| true), Some(0.0));
    }
}
