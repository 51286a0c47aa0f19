//! What a chart shows, as dense numbers: the ranked bands sample by sample, the total of all bands,
//! and what was left out. Pixels and colours are not decided here.

mod captions;
pub mod columns;
pub mod flame;
mod lows;
mod next_steps;
pub mod pair;
pub mod short_names;
mod stack;
#[cfg(test)]
pub(crate) mod testing;

pub(crate) use next_steps::{Known, NextSteps};
pub use stack::{full_names, names_of};

use std::ops::Range;
use std::sync::Arc;

use crate::analysis::runtime::Activity;
use crate::analysis::{Leak, Who, last_full};
use crate::base::sentence::Sentence;
use crate::base::units::{Bytes, Nanos};
use crate::incident::WarningCode;
pub use crate::incident::{Condition, Losses, Warning};
use crate::profile::{BandNames, ClosureKind};
pub use crate::profile::{
    Breakdown, Clock, HeapSeries, HeapSeriesKind, Marker, MarkerKind, Series, Source,
};
pub use crate::slice::Extent;
use crate::slice::rank::Ranking;
use crate::slice::{RowId, SampleNumber};

/// Everything a picture or an export of a profile shows.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Chart {
    /// The heading: the profiled command line, as far as it is known.
    pub title: String,
    /// The headline of the verdict, which is the title of a picture; `None` if it is not shown.
    pub headline: Option<Sentence>,
    /// The command that tells more of what is accused, or of what grew until the program ended.
    pub(crate) next: Option<String>,
    /// Since when what is accused grows.
    pub(crate) since: Option<Nanos>,
    /// The rows that grow, in the order in which they lead.
    pub(crate) rising: Vec<RowId>,
    /// Facts about the run in words, most important first: break-down, filters, GHC, date, samples.
    pub facts: Vec<String>,
    /// What a reader must know to understand the chart, in complete sentences; often empty.
    pub notes: Vec<String>,
    /// The profiled command line, if the file contains it.
    pub job: Option<String>,
    /// When the run began on the wall clock, in nanoseconds since 1970, if the file says it exactly.
    pub started_unix_ns: Option<i64>,
    /// The format it was read from.
    pub source: Source,
    /// How the file ended.
    pub condition: Condition,
    /// What a band stands for.
    pub breakdown: Breakdown,
    /// What the times count. With [`Clock::Sample`] the x axis is the sample's number.
    pub clock: Clock,
    /// Which part of the run it shows.
    pub(crate) extent: Extent,
    /// When the run ended, as far as the input shows it: at its last sample, marker, heap figure or
    /// collection; for a damaged input, at its last sample. `None` with [`Clock::Sample`].
    pub end: Option<Nanos>,
    /// The time of every sample, ascending unless the clock is [`Clock::Sample`].
    pub times: Vec<Nanos>,
    /// The samples that a picture draws: without the empty ones at the ends of a `.hp`.
    pub(crate) censuses: Range<usize>,
    /// The layers of the stack, **bottom first**; OTHER, when there is one, is the first, or the first after the
    /// suspects if they lead.
    pub layers: Vec<Layer>,
    /// The labels of the largest bands of the whole run, down to the smallest that is drawn: see
    /// [`Layer::standing`].
    pub biggest: Vec<Arc<str>>,
    /// The residency of all bands together in each sample, drawn or not.
    pub total: Vec<u128>,
    /// The mean of all bands together over time, in bytes.
    pub mean: f64,
    /// How many rows the slice has: bands, or groups of them.
    pub bands: usize,
    /// The trace elements: bands that are not drawn.
    pub trace: LeftOut,
    /// The bands that were excluded.
    pub excluded: LeftOut,
    /// Named instants in order of time; none with [`Clock::Sample`], which has no place for them.
    pub markers: Vec<Marker>,
    /// The heap as the run-time system sees it; empty with [`Clock::Sample`].
    pub heap: Arc<HeapSeries>,
    /// What the run-time system did, for panels and for the axis of time in the program; empty unless
    /// it was asked for.
    pub(crate) activity: Activity,
    /// What was odd about the input.
    pub warnings: Vec<Warning>,
    /// How the rows of the slice were ranked.
    pub ranking: Ranking,
    /// What is accused, if no band contains it.
    pub(crate) outside: Option<GrowingFigure>,
    /// Whether the suspects are at the bottom of the stack, under OTHER, and all else is drawn pale.
    pub suspects_lead: bool,
    /// The last sample before the exit of the program, where the finding is about that.
    pub(crate) before_exit: Option<usize>,
}

/// One layer of the stack.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Layer {
    /// The band's label, or `OTHER`. Shared, like the full name: the labels of deep stacks are most of
    /// a profile.
    pub label: Arc<str>,
    /// The label with an addition that distinguishes the layer from others with this label.
    pub full_name: Arc<str>,
    /// Shorter names, best first, at least one. None of them is another layer's.
    pub names: Vec<String>,
    /// The rank among all bands of the run by size, 0 for the biggest; it does not depend on the
    /// part of the run that is shown; `None` for OTHER.
    pub standing: Option<usize>,
    /// One band, or OTHER.
    pub role: LayerRole,
    /// How many bands it stands for.
    pub members: usize,
    /// How sure it is that it grows to the end of the run: a picture marks it in the key. `None` if it is
    /// not a suspect.
    pub suspect: Option<Leak>,
    /// The number of bytes that it grew by, if it is a suspect.
    pub grew: Option<Bytes>,
    /// Further facts about it, in lines: the bands of a group, the retainer sets that it can be.
    pub about: Vec<String>,
    /// The residency summed over samples.
    pub total: u128,
    /// The mean over time, in bytes: see [`HeapFigures::mean`](crate::analysis::HeapFigures::mean).
    pub mean: f64,
    /// The residency in each sample.
    pub residency: Vec<Bytes>,
}

/// What a [`Layer`] stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(test, derive(serde::Deserialize))]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum LayerRole {
    /// One band.
    Band,
    /// The bands over the limit.
    Other,
}

/// Bands that are not drawn, for one reason.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct LeftOut {
    /// The number of bands.
    pub bands: usize,
    /// Their residency summed over samples.
    pub total: u128,
    /// The total of all bands, so that the share can be shown.
    pub grand_total: u128,
}

/// What a chart shows besides its ranked rows; by default nothing.
#[derive(Default)]
pub(crate) struct Additions {
    /// Whether the kept rows are put in the order of their means.
    pub by_mean: bool,
    pub(crate) activity: Activity,
    pub growing: Option<Growing>,
}

/// The rows that grow to the end of the run.
pub(crate) struct Growing {
    pub headline: Sentence,
    pub next: Option<String>,
    pub leak: Leak,
    /// With the number of bytes that each grew by, most first.
    pub rows: Vec<(RowId, Bytes)>,
    /// The last sample of what they grew by.
    pub to: Option<usize>,
    /// Since when what is accused grows.
    pub since: Option<Nanos>,
    pub outside: Option<GrowingFigure>,
}

/// A figure of the run-time system that is accused: it grows, and no band contains it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct GrowingFigure {
    pub figure: HeapSeriesKind,
    pub grew: Bytes,
}

/// The figure whose curve it is; `None` of the heap and its bands.
pub(crate) fn figure_of(who: Who, kind: Option<ClosureKind>) -> Option<HeapSeriesKind> {
    match who {
        Who::Heap | Who::Band(_) => None,
        Who::Live => Some(HeapSeriesKind::Live),
        Who::Memory if kind == Some(ClosureKind::OffHeap) => Some(HeapSeriesKind::Resident),
        Who::Memory => Some(HeapSeriesKind::Size),
    }
}

impl LeftOut {
    /// Their share of the grand total in percent; 0 if that is 0.
    pub fn share_percent(&self) -> f64 {
        match self.grand_total {
            0 => 0.0,
            grand => 100.0 * self.total as f64 / grand as f64,
        }
    }
}

/// The sample in which the most was live.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Peak {
    /// The index of the sample.
    pub sample: usize,
    /// When it is, on the axis of the chart.
    pub time: Nanos,
    /// The residency of all bands together, including trace elements.
    pub total: u128,
}

impl Chart {
    /// The statement that bands are in OTHER because separate rows would take too much memory, see
    /// [`Ranking::no_room`].
    pub fn crowded(&self) -> Option<Warning> {
        let no_room = self.ranking.no_room;
        let bands = if no_room == 1 { "band is" } else { "bands are" };
        let message = format!(
            "{no_room} {bands} in OTHER because rows of their own would take too much memory"
        );
        (no_room > 0).then_some(Warning { code: WarningCode::OverLimit, message })
    }

    /// The chart with what is known about its rows besides their numbers.
    #[must_use]
    pub(crate) fn with(mut self, additions: Additions) -> Self {
        if additions.by_mean {
            self.order_by_mean();
        }
        self.activity = additions.activity;
        let first = self.layers.len() - self.ranking.kept.len();
        if let Some(growing) = additions.growing {
            let Growing { leak, rows, to, .. } = growing;
            (self.headline, self.next) = (Some(growing.headline), growing.next);
            (self.outside, self.since) = (growing.outside, growing.since);
            self.before_exit = to;
            let grew = |row: &RowId| rows.iter().find(|one| one.0 == *row).map(|one| one.1);
            for (layer, row) in self.layers[first..].iter_mut().zip(&self.ranking.kept) {
                layer.grew = grew(row);
            }
            // OTHER grows if each of its bands does.
            if let [other, ..] = &mut self.layers[..first] {
                let all = self.ranking.other.iter().map(grew);
                other.grew = all.reduce(|a, b| Some(a?.plus(b?))).flatten();
            }
            self.layers.iter_mut().for_each(|layer| layer.suspect = layer.grew.map(|_| leak));
            self.rising = rows.into_iter().map(|one| one.0).collect();
        }
        self
    }

    /// Orders the bands by their means, but eras by age, the oldest first; OTHER stays at the bottom.
    fn order_by_mean(&mut self) {
        let is_numbered = self.breakdown.traits().names == BandNames::Numbers;
        let key = |layer: &Layer| {
            (if is_numbered { layer.label.parse::<u64>().ok() } else { None }, layer.mean)
        };
        let first = self.layers.len() - self.ranking.kept.len();
        let kept = std::mem::take(&mut self.ranking.kept);
        let mut pairs: Vec<(Layer, RowId)> = self.layers.drain(first..).zip(kept).collect();
        pairs.sort_by(|(a, _), (b, _)| {
            let (a, b) = (key(a), key(b));
            a.0.cmp(&b.0).then(a.1.total_cmp(&b.1))
        });
        for (layer, row) in pairs {
            self.layers.push(layer);
            self.ranking.kept.push(row);
        }
    }

    /// Puts what grows at the bottom of the stack, the straightest first, OTHER last of them.
    #[must_use]
    pub(crate) fn with_suspects_leading(mut self) -> Self {
        let mut kept = std::mem::take(&mut self.ranking.kept).into_iter();
        let mut pairs: Vec<(Layer, Option<RowId>)> = std::mem::take(&mut self.layers)
            .into_iter()
            .map(|layer| {
                let row = if layer.role == LayerRole::Band { kept.next() } else { None };
                (layer, row)
            })
            .collect();
        let rank = |row: &Option<RowId>| self.rising.iter().position(|one| Some(*one) == *row);
        pairs.sort_by_key(|(layer, row)| {
            (layer.grew.is_none(), rank(row).unwrap_or(self.rising.len()))
        });
        self.ranking.kept = pairs.iter().filter_map(|(_, row)| *row).collect();
        self.layers = pairs.into_iter().map(|(layer, _)| layer).collect();
        self.suspects_lead = true;
        self
    }

    /// The place of a row among the layers; `None` for a row without its own layer.
    pub(crate) fn layer_of(&self, row: RowId) -> Option<usize> {
        let kept = self.ranking.kept.iter().position(|kept| *kept == row)?;
        let mut rows = 0;
        self.layers.iter().position(|layer| {
            rows += if layer.role == LayerRole::Band { layer.members } else { 0 };
            rows > kept
        })
    }

    /// Marks in a chart of two runs what grows in its own run, as the chart of that run alone does.
    pub(crate) fn mark_as(&mut self, own: &Chart) {
        self.since = own.since;
        for row in &self.ranking.kept {
            if let (Some(here), Some(there)) = (self.layer_of(*row), own.layer_of(*row)) {
                let Layer { suspect, grew, .. } = own.layers[there];
                let layer = &mut self.layers[here];
                (layer.suspect, layer.grew) = (layer.suspect.or(suspect), layer.grew.or(grew));
            }
        }
    }

    /// The best name of the layer of a row; `None` for a row without its own layer.
    pub fn name_of(&self, row: RowId) -> Option<String> {
        self.layers[self.layer_of(row)?].names.first().cloned()
    }

    /// The mark that layers have, if any has one.
    pub(crate) fn suspects(&self) -> Option<Leak> {
        let outside = self.outside.map(|_| Leak::Possible);
        self.layers.iter().find_map(|layer| layer.suspect).or(outside)
    }

    /// The lows of what is accused, all of it together, from where it grows; none if it hardly falls on its way, or is not
    /// at the bottom of the stack.
    pub(crate) fn lows(&self) -> Vec<(Nanos, f64)> {
        let accused =
            || self.layers.iter().take_while(|layer| layer.suspect >= Some(Leak::Possible));
        let since =
            self.since.filter(|_| self.suspects_lead || accused().count() == self.layers.len());
        let Some(since) = since else { return Vec::new() };
        // A `.hp` begins and ends with an empty sample.
        let full = |sample: &usize| self.total[*sample] > 0 && self.times[*sample] >= since;
        let sum = |sample: usize| {
            let sizes = accused().map(|layer| layer.residency[sample].get() as f64);
            (self.times[sample], sizes.sum())
        };
        let curve: Vec<_> = (0..self.times.len()).filter(full).map(sum).collect();
        lows::line_of_lows(&curve)
    }

    /// The statement that the bands of OTHER together exceed 64 bits; for a single band this is an
    /// incident of the input.
    fn huge_other(&self) -> Option<Warning> {
        let other = self.layers.first().filter(|layer| layer.role == LayerRole::Other)?;
        let most = Bytes::new(u64::MAX);
        let sample = self
            .total
            .iter()
            .zip(&other.residency)
            .position(|(&total, &height)| total > u128::from(most.get()) && height == most)?;
        let number = self.number(sample);
        let message =
            format!("sample {number} has 2^64 bytes or more in OTHER, taken as {}", u64::MAX);
        Some(Warning { code: WarningCode::ClampedValue, message })
    }

    /// The first of the highest samples; `None` without samples.
    pub fn peak(&self) -> Option<Peak> {
        let highest = *self.total.iter().max()?;
        let sample = self.total.iter().position(|&total| total == highest)?;
        Some(Peak { sample, time: self.times[sample], total: highest })
    }

    /// The last sample that has anything in it: a `.hp` ends with an empty one.
    pub(crate) fn last_full(&self) -> Option<usize> {
        last_full(&self.total)
    }

    /// The sample of the figures at the end: the last full one, or the last before an exit that the finding is about.
    pub(crate) fn end_sample(&self) -> Option<usize> {
        self.before_exit.or_else(|| self.last_full())
    }

    /// The number of its samples with anything in them, as [`Slice::with_data`](crate::slice::Slice) counts them.
    pub(crate) fn with_data(&self) -> usize {
        self.total.iter().filter(|&&bytes| bytes > 0).count()
    }

    /// The number of a sample in its run, from 1; `sample` counts what is shown, from 0.
    pub fn number(&self, sample: usize) -> SampleNumber {
        self.extent.number(sample)
    }
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroUsize;

    use super::*;
    use crate::chart::testing::Recipe;
    use crate::profile::ProfileBuilder;
    use crate::slice::rank::RankOptions;

    #[test]
    fn an_other_beyond_64_bits_is_warned_about() {
        let of = |size: u64| {
            let mut builder = ProfileBuilder::new(Source::Hp);
            builder.sample(0, [b"a", b"b"].map(|name| (name, size)));
            let options =
                RankOptions { band_limit: NonZeroUsize::new(1), ..RankOptions::default() };
            Chart::of_profile(&builder.finish(), &options)
        };
        let chart = of(1 << 63);
        assert_eq!((chart.warnings.len(), chart.total[0]), (1, 1 << 64));
        assert_eq!(chart.warnings[0].code, WarningCode::ClampedValue);
        // The total is the sum of what is drawn.
        assert_eq!(chart.layers[0].residency, [Bytes::new(u64::MAX)]);
        assert_eq!(chart.layers[0].total, u128::from(u64::MAX));
        assert_eq!(of((1 << 63) - 1).warnings, []);
        // All bands of the first sample are more than 64 bits together, but OTHER is small: only the second is told.
        let mut builder = ProfileBuilder::new(Source::Hp);
        for (at, size) in [8, 1 << 63].into_iter().enumerate() {
            builder.sample(at as i64, [("a", u64::MAX), ("b", size), ("c", size)]);
        }
        let options = RankOptions { band_limit: NonZeroUsize::new(2), ..RankOptions::default() };
        let chart = Chart::of_profile(&builder.finish(), &options);
        assert!(chart.warnings[0].message.starts_with("sample 2 has 2^64"), "{:?}", chart.warnings);
    }

    #[test]
    fn a_title_is_the_program_and_its_own_arguments() {
        let title = |job| Recipe { job, ..Recipe::default() }.chart(|_, _| 1).title;
        let job = "prog -olx +RTS -hc -olx/y.eventlog -L500 -pox/y -s/z -RTS -poz";
        assert_eq!(title(job), "prog -olx -poz");
        assert_eq!(title(" "), "heap profile");
    }

    #[test]
    fn bands_are_ordered_by_the_mean_next_to_their_names() {
        // A sample that stands for much time: the second band has the greater mean, the first the greater sum.
        let recipe = Recipe { times: vec![0, 1, 2, 3, 100], ..Recipe::of(2, 0) };
        let sizes = |band: usize, sample: usize| match (band, sample) {
            (0, 0..3) => 100,
            (0, _) => 1,
            (_, 3) => 200,
            (_, _) => 2,
        };
        let labels = |by_mean: bool| {
            let chart = recipe.chart(sizes).with(Additions { by_mean, ..Additions::default() });
            let kept = chart.ranking.kept.iter().map(|&row| chart.name_of(row).unwrap());
            let layers: Vec<String> = chart.layers.iter().map(|l| l.names[0].clone()).collect();
            assert_eq!(layers, kept.collect::<Vec<_>>());
            layers
        };
        let [first, second] = [&recipe.names[0], &recipe.names[1]].map(String::as_str);
        assert_eq!(labels(false), [second, first]);
        assert_eq!(labels(true), [first, second]);
    }
}
