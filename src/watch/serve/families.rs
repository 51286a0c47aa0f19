//! The figures that are served: those of its newest sample and of its verdict,
//! taken from its [`ProfileView`], and which of its bands have a series.
//!
//! A series that comes and goes is useless. So a band that was ever shown keeps its series until
//! its run ends, whatever its rank becomes, up to a limit. Its name is fixed when it is first
//! shown, so that later bands cannot change it. The name depends only on the band itself, so that
//! the same band has the same name in every copy of a program.

use std::collections::{HashMap, HashSet};

use crate::analysis::Leak;
use crate::base::names;
use crate::base::text::visible;
use crate::chart::full_names;
use crate::incident::Losses;
use crate::profile::{Clock, HeapSeriesKind, MemoryReturn};
use crate::profile_view::ProfileView;
use crate::slice::{RowId, Slice};

/// The series of the bands over the limit.
pub const OTHER: &str = "OTHER";
/// The series of the small bands, under the threshold.
pub const TRACE: &str = "trace elements";
/// The series of a band without a name.
const NAMELESS: &str = "(no name)";
/// The longest name of a series, in bytes. Engines cut or refuse longer ones, some at 1 KiB.
const MOST_NAME: usize = 1000;
/// How many bands can have a series, in multiples of those that are shown at a time.
const CHURN: usize = 5;
/// How many bands can have a series where all bands are shown.
const MOST_OF_ALL: usize = 1000;

#[derive(Clone, Debug)]
pub struct ServedFigures {
    /// The flag of the break-down, such as `-hT`; empty if it is not known.
    pub breakdown: &'static str,
    /// The bands of the newest sample that have a series, then OTHER and the trace elements.
    pub bands: Vec<(String, u128)>,
    /// The newest point of each heap series that has one, in bytes.
    pub heap: Vec<(HeapSeriesKind, u64)>,
    /// The last time that memory was given back.
    pub memory: Option<MemoryReturn>,
    pub leak: Leak,
    /// How many bytes the series of the suspects grow by in a second of the profile's clock; empty where
    /// samples have no times.
    pub growth: Vec<(String, f64)>,
    /// The share of what was allocated that stays, 0 to 1, if the log counts allocation.
    pub kept: Option<f64>,
    /// What was lost of the input.
    pub losses: Losses,
}

impl ServedFigures {
    /// The figures of a run. `generation` is that of the engine.
    pub fn new(run: &ProfileView<'_>, generation: u64, shown: &mut BandSeries) -> ServedFigures {
        let slice = run.slice();
        shown.update(run, generation);
        let mut sizes = vec![0_u128; slice.rows().len()];
        if let Some(last) = slice.len().checked_sub(1) {
            slice.each_point(last, |row, size| sizes[row.index()] += u128::from(size.get()));
        }
        let account = run.account();
        let growth = match slice.clock() {
            Clock::Sample => Vec::new(),
            Clock::Elapsed | Clock::Mutator => {
                let rate = |suspect: &crate::analysis::Rise| {
                    let name = suspect.row().and_then(|row| shown.name_of(row));
                    (name.unwrap_or_else(|| bounded(&suspect.label)), suspect.rate)
                };
                account.suspects.iter().map(rate).collect()
            }
        };
        let newest = |(figure, series): (HeapSeriesKind, &crate::profile::Series)| {
            let (_, bytes) = series.points.last()?;
            Some((figure, bytes.get()))
        };
        ServedFigures {
            breakdown: slice.breakdown().flag().unwrap_or_default(),
            bands: shown.levels(run, &sizes),
            heap: slice.heap().iter().filter_map(newest).collect(),
            memory: slice.runtime().collections.returns.last().copied(),
            leak: account.leak,
            growth,
            kept: account
                .heap
                .as_ref()
                .and_then(|rise| rise.kept_percent)
                .map(|percent| percent / 100.0),
            losses: slice.incidents().losses().clone(),
        }
    }
}

/// The bands that have a series.
#[derive(Debug, Default)]
pub struct BandSeries {
    most: usize,
    bands: Vec<ServedBand>,
    /// Whether OTHER and the trace elements were ever shown.
    other: bool,
    trace: bool,
    /// The run that they belong to, and the generation of the engine in which rows have these numbers.
    run: usize,
    generation: u64,
}

#[derive(Debug)]
struct ServedBand {
    /// The row of the band; `None` while the run has no row with its label.
    row: Option<RowId>,
    /// The label by which its row is found again.
    label: String,
    name: String,
}

impl BandSeries {
    /// No band is shown yet. `bands` is how many layers a picture would have, `None` for all.
    pub fn new(bands: Option<usize>) -> BandSeries {
        let most = bands.map_or(MOST_OF_ALL, |bands| bands.saturating_mul(CHURN).min(MOST_OF_ALL));
        BandSeries { most, ..BandSeries::default() }
    }

    /// Adds the bands that the run ranks highest and those that it suspects.
    fn update(&mut self, run: &ProfileView<'_>, generation: u64) {
        let (slice, number) = (run.slice(), run.profile().run.number);
        if self.run != number {
            *self = BandSeries { most: self.most, run: number, ..BandSeries::default() };
        }
        let is_same = |band: &ServedBand| {
            let row = band.row.filter(|row| row.index() < slice.rows().len());
            // The label of a band can change when its definition arrives, but not its number.
            row.is_none_or(|row| slice.key(row).is_some() || slice.label(row) == band.label)
        };
        if self.generation != generation || !self.bands.iter().all(is_same) {
            self.find_again(slice);
            self.generation = generation;
        }
        let known: HashSet<RowId> = self.bands.iter().filter_map(|band| band.row).collect();
        let suspects = run.account().suspects.iter().filter_map(|suspect| suspect.row());
        let ranked = run.ranking().kept.iter().rev().copied();
        let mut fresh: Vec<RowId> = suspects.chain(ranked).collect();
        let mut seen = known.clone();
        fresh.retain(|row| seen.insert(*row));
        fresh.truncate(self.most.saturating_sub(self.bands.len()));
        if fresh.is_empty() {
            return;
        }
        // Bands with the same label need names that differ.
        let rows: Vec<RowId> = fresh.iter().copied().chain(known).collect();
        for (&row, name) in fresh.iter().zip(full_names(slice, &rows)) {
            let name = self.free(bounded(&name));
            self.bands.push(ServedBand {
                row: Some(row),
                label: slice.label(row).to_owned(),
                name,
            });
        }
    }

    /// Finds the rows of the bands when rows have other numbers than before.
    fn find_again(&mut self, slice: &Slice<'_>) {
        let mut rows: HashMap<String, Vec<RowId>> = HashMap::new();
        for band in &self.bands {
            rows.entry(band.label.clone()).or_default();
        }
        for row in slice.rows() {
            if let Some(rows) = rows.get_mut(slice.label(row)) {
                rows.push(row);
            }
        }
        // Of several with the same label, the first stays the first.
        rows.values_mut().for_each(|rows| rows.reverse());
        for band in &mut self.bands {
            band.row = rows.get_mut(&band.label).and_then(Vec::pop);
        }
    }

    /// A name that no other series has.
    fn free(&self, name: String) -> String {
        let of_bands = |name: &str| self.bands.iter().any(|band| band.name == name);
        let is_taken = |name: &str| name == OTHER || name == TRACE || of_bands(name);
        names::free(|end| format!("{name}{end}"), is_taken)
    }

    fn name_of(&self, row: RowId) -> Option<String> {
        let band = self.bands.iter().find(|band| band.row == Some(row));
        band.map(|band| band.name.clone())
    }

    /// What each series has of some sizes, by row.
    fn levels(&mut self, run: &ProfileView<'_>, sizes: &[u128]) -> Vec<(String, u128)> {
        let own: HashSet<RowId> = self.bands.iter().filter_map(|band| band.row).collect();
        let rest = |rows: &[RowId]| {
            let rows: Vec<&RowId> = rows.iter().filter(|row| !own.contains(row)).collect();
            let bytes: u128 = rows.iter().map(|row| sizes[row.index()]).sum();
            (!rows.is_empty()).then_some(bytes)
        };
        let ranking = run.ranking();
        // A band for which there was no room is counted like those over the limit.
        let over: Vec<RowId> = ranking.other.iter().chain(&ranking.kept).copied().collect();
        let (other, trace) = (rest(&over), rest(&ranking.trace));
        self.other |= other.is_some();
        self.trace |= trace.is_some();
        let of_row = |band: &ServedBand| band.row.map_or(0, |row| sizes[row.index()]);
        let bands = self.bands.iter().map(|band| (band.name.clone(), of_row(band)));
        let other = self.other.then(|| (OTHER.to_owned(), other.unwrap_or(0)));
        let trace = self.trace.then(|| (TRACE.to_owned(), trace.unwrap_or(0)));
        bands.chain(other).chain(trace).collect()
    }
}

/// A name without control characters. A name that is too long is cut and gets a checksum of the whole
/// name, so that two long names still differ. An empty name gets a text, because engines drop empty labels.
fn bounded(name: &str) -> String {
    if name.is_empty() {
        return NAMELESS.to_owned();
    }
    let shown = visible(name);
    if shown.len() <= MOST_NAME {
        return shown;
    }
    let mut sum = flate2::Crc::new();
    sum.update(name.as_bytes());
    let end = (0..=MOST_NAME - 16).rev().find(|&end| shown.is_char_boundary(end)).unwrap_or(0);
    format!("{}… #{:08x}", &shown[..end], sum.sum())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::{Profile, ProfileBuilder, Source};
    use crate::profile_view::ViewOptions;

    /// A profile with one sample for each list of sizes, of bands with these names.
    fn profile(names: [&str; 3], samples: &[&[u64]]) -> Profile {
        let mut builder = ProfileBuilder::new(Source::Eventlog);
        for (time, sizes) in samples.iter().enumerate() {
            builder.sample(
                time as i64 * 1_000_000_000,
                names.iter().zip(*sizes).map(|(name, &size)| (name, size)),
            );
        }
        builder.finish()
    }

    fn levels(
        profile: &Profile,
        generation: u64,
        options: &ViewOptions,
        shown: &mut BandSeries,
    ) -> Vec<String> {
        let run = ProfileView::new(profile, options).unwrap();
        let figures = ServedFigures::new(&run, generation, shown);
        figures.bands.iter().map(|(name, bytes)| format!("{name} {bytes}")).collect()
    }

    #[test]
    fn a_band_that_was_shown_keeps_its_series() {
        let mut options = ViewOptions::default();
        options.rank.band_limit = std::num::NonZeroUsize::new(2);
        let mut shown = BandSeries::new(Some(2));
        let names = ["a", "b", "c"];
        let first = profile(names, &[&[100, 10, 0]]);
        assert_eq!(levels(&first, 0, &options, &mut shown), ["a 100", "b 10", "trace elements 0"]);
        // Another outgrows it; together with OTHER there is room for one layer.
        let later = profile(names, &[&[100, 10, 0], &[0, 5, 900], &[0, 6, 901]]);
        assert_eq!(
            levels(&later, 0, &options, &mut shown),
            ["a 0", "b 6", "c 901", "trace elements 0"]
        );
        // Rows have other numbers, and one is gone.
        let renumbered = profile(["c", "d", "b"], &[&[7, 8, 9]]);
        let now = levels(&renumbered, 1, &options, &mut shown);
        assert_eq!(now[..3], ["a 0", "b 9", "c 7"]);
        assert_eq!(now[3..], ["OTHER 8", "trace elements 0"]);
    }
}
