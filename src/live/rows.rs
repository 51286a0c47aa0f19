//! The biggest bands of a run that continues, sample by sample.
//!
//! A view shows the heap several times a second, and a run can have millions of points: so the rows
//! to draw are kept, and an update reads only new samples. The order of the bands is that of their
//! totals, but a band gives way only to one that is clearly bigger, so that the picture does not
//! jump.

use std::collections::VecDeque;

use super::Engine;
use crate::base::units::{Bytes, Nanos};
use crate::profile::{BandId, ProfileBuilder};

/// How many bands are kept as rows, and over which time growth is measured.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RowsOptions {
    /// The most rows. Default 12.
    pub most: usize,
    /// The time over which growth is measured without a mark. Default 1 min.
    pub growth_over: Nanos,
}

impl Default for RowsOptions {
    fn default() -> Self {
        RowsOptions { most: 12, growth_over: Nanos::from_nanos(60_000_000_000) }
    }
}

/// A band with its own row.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Row {
    /// The band, by its number in the present run.
    pub band: BandId,
    /// Its residency in each sample.
    pub sizes: Vec<Bytes>,
}

/// The figures of a band at one moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Figures {
    /// Its residency in the last sample.
    pub now: Bytes,
    /// The sum over all samples.
    pub total: u128,
    /// Its growth since the mark, or over the time for which growth is measured; negative if it has
    /// shrunk.
    pub growth: i128,
}

/// The biggest bands of the present run, sample by sample.
#[derive(Clone, Debug, Default)]
pub struct LiveRows {
    options: RowsOptions,
    generation: Option<u64>,
    times: Vec<Nanos>,
    totals: Vec<u128>,
    /// By [`BandId::index`].
    bands: Vec<Band>,
    rows: Vec<Row>,
    /// Residency of all bands at some moments of the past, oldest first.
    past: VecDeque<Moment>,
    mark: Option<Nanos>,
    marked: Option<Moment>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Band {
    total: u128,
    /// Its residency in the last sample that contains it.
    size: u64,
    /// The number of samples up to that one.
    seen: usize,
}

#[derive(Clone, Debug)]
struct Moment {
    time: Nanos,
    sizes: Vec<u64>,
}

/// How many moments of the past there are in the time that growth is measured over.
const MOMENTS: i64 = 12;

impl LiveRows {
    #[cfg(feature = "internals")]
    pub fn new(options: RowsOptions) -> Self {
        LiveRows { options, ..LiveRows::default() }
    }

    /// Takes in new samples. Returns whether there were any.
    pub fn update(&mut self, engine: &Engine) -> bool {
        let Some(run) = engine.run() else { return false };
        let from_anew = self.generation != Some(engine.generation());
        if from_anew {
            *self = LiveRows {
                options: self.options.clone(),
                generation: Some(engine.generation()),
                mark: self.mark,
                ..LiveRows::default()
            };
        }
        let first = self.times.len();
        for sample in first..run.samples().len() {
            self.take(run, sample);
        }
        if self.times.len() > first {
            self.choose(run);
        }
        from_anew || self.times.len() > first
    }

    fn take(&mut self, run: &ProfileBuilder, sample: usize) {
        let time = run.samples().times()[sample];
        self.bands.resize(run.bands().len(), Band::default());
        let seen = sample + 1;
        let mut total = 0;
        for (id, size) in run.samples().points(sample) {
            let band = &mut self.bands[id.index()];
            let before = if band.seen == seen { band.size } else { 0 };
            band.size = before.saturating_add(size.get());
            band.seen = seen;
            band.total += u128::from(size.get());
            total += u128::from(size.get());
        }
        self.times.push(time);
        self.totals.push(total);
        for row in &mut self.rows {
            row.sizes.push(self.bands[row.band.index()].at(seen));
        }
        let is_marked = self.mark.is_some_and(|mark| time <= mark);
        if is_marked || (self.mark.is_some() && self.marked.is_none()) {
            self.marked = Some(self.moment(time));
        }
        let apart = Nanos::from_nanos(self.options.growth_over.as_nanos() / MOMENTS);
        if self.past.back().is_none_or(|last| time.since(last.time) >= apart) {
            self.remember(time);
        }
    }

    fn moment(&self, time: Nanos) -> Moment {
        let seen = self.times.len();
        Moment { time, sizes: self.bands.iter().map(|band| band.at(seen).get()).collect() }
    }

    /// Adds a moment to the past.
    fn remember(&mut self, time: Nanos) {
        let moment = self.moment(time);
        self.past.push_back(moment);
        while self.past.get(1).is_some_and(|m| time.since(m.time) >= self.options.growth_over) {
            self.past.pop_front();
        }
    }

    /// Decides which bands have rows, and their order: the biggest first.
    fn choose(&mut self, run: &ProfileBuilder) {
        let total = |band: BandId| self.bands[band.index()].total;
        let mut order: Vec<BandId> = self.rows.iter().map(|row| row.band).collect();
        let mut others: Vec<BandId> = run.bands().ids().collect();
        others.retain(|band| !order.contains(band) && total(*band) > 0);
        let most = self.options.most.min(others.len());
        if most > 0 && most < others.len() {
            others.select_nth_unstable_by_key(most - 1, |&band| std::cmp::Reverse(total(band)));
            others.truncate(most);
        }
        others.sort_by_key(|&band| (std::cmp::Reverse(total(band)), band));
        for band in others {
            let smallest = (0..order.len()).min_by_key(|&at| total(order[at]));
            match smallest {
                _ if order.len() < self.options.most => order.push(band),
                Some(at) if outgrows(total(band), total(order[at])) => order[at] = band,
                _ => break,
            }
        }
        // A band moves up past those that it has clearly outgrown.
        for at in 1..order.len() {
            let mut place = at;
            while place > 0 && outgrows(total(order[place]), total(order[place - 1])) {
                order.swap(place, place - 1);
                place -= 1;
            }
        }
        let mut known: Vec<Row> = std::mem::take(&mut self.rows);
        let fresh: Vec<BandId> =
            order.iter().copied().filter(|&b| known.iter().all(|row| row.band != b)).collect();
        known.extend(rows_of(run, &fresh));
        self.rows = order
            .iter()
            .filter_map(|&band| {
                let at = known.iter().position(|row| row.band == band)?;
                Some(known.swap_remove(at))
            })
            .collect();
    }

    /// Measures growth from the last sample on; called again, it stops that.
    pub fn toggle_mark(&mut self) {
        self.marked = None;
        self.mark = match self.mark {
            Some(_) => None,
            None => self.times.last().copied(),
        };
        if let Some(mark) = self.mark {
            self.marked = Some(self.moment(mark));
        }
    }

    /// The time from which growth is measured, if the user has set a mark.
    pub fn mark(&self) -> Option<Nanos> {
        self.mark
    }

    /// From which moment on growth is measured.
    pub fn growth_from(&self) -> Option<Nanos> {
        self.marked.as_ref().or(self.past.front()).map(|moment| moment.time)
    }

    /// The time of every sample.
    pub fn times(&self) -> &[Nanos] {
        &self.times
    }

    /// The residency of all bands together in every sample.
    pub fn totals(&self) -> &[u128] {
        &self.totals
    }

    /// The biggest bands, the biggest first.
    pub fn rows(&self) -> &[Row] {
        &self.rows
    }

    pub fn figures(&self, band: BandId) -> Figures {
        let known = self.bands.get(band.index()).copied().unwrap_or_default();
        let now = known.at(self.times.len());
        let from = self.marked.as_ref().or(self.past.front());
        let was = from.and_then(|moment| moment.sizes.get(band.index()).copied()).unwrap_or(0);
        Figures { now, total: known.total, growth: i128::from(now.get()) - i128::from(was) }
    }

    /// The growth of all bands together since [`LiveRows::growth_from`].
    pub fn growth(&self) -> i128 {
        let from = self.marked.as_ref().or(self.past.front());
        let was: u128 = from.map_or(0, |moment| moment.sizes.iter().map(|&s| u128::from(s)).sum());
        let now = self.totals.last().copied().unwrap_or(0);
        i128::try_from(now).unwrap_or(i128::MAX) - i128::try_from(was).unwrap_or(i128::MAX)
    }
}

impl Band {
    /// Its residency in the last of this many samples.
    fn at(&self, seen: usize) -> Bytes {
        if self.seen == seen { Bytes::new(self.size) } else { Bytes::ZERO }
    }
}

/// Whether a band is bigger than another by so much that it takes its place.
fn outgrows(total: u128, other: u128) -> bool {
    total > other + other / 4
}

/// The rows of some bands from the first sample on.
fn rows_of(run: &ProfileBuilder, bands: &[BandId]) -> Vec<Row> {
    if bands.is_empty() {
        return Vec::new();
    }
    const NONE: usize = usize::MAX;
    let mut place = vec![NONE; run.bands().len()];
    bands.iter().enumerate().for_each(|(row, band)| place[band.index()] = row);
    let samples = run.samples();
    let mut rows: Vec<Row> =
        bands.iter().map(|&band| Row { band, sizes: vec![Bytes::ZERO; samples.len()] }).collect();
    for sample in 0..samples.len() {
        for (band, size) in samples.points(sample) {
            if let Some(row) = rows.get_mut(place[band.index()]) {
                row.sizes[sample] = row.sizes[sample].plus(size);
            }
        }
    }
    rows
}
