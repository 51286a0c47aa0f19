//! A view of a profile: with a window, a selection and a grouping, and with or without the texts
//! that identify who ran it.
//!
//! A [`Slice`] borrows its profile and copies no sample. Everything after it (ranking, charts,
//! figures, exports, the report) asks the slice and never the profile, so that a new kind of view
//! has to be written only once. What it shows are *rows*: one for each band, or one for each group
//! of bands.

mod grouping;
pub mod rank;
mod redact;
mod rows;
mod run;
mod window;

use std::borrow::Cow;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

pub use grouping::{Grouping, Part, Selection};
pub use redact::without_folders;
pub use rows::RowId;
pub(crate) use run::Work;
#[cfg(feature = "cli")]
pub(crate) use run::start_of;
pub use run::{RunEnd, SampleNumber};
pub use window::{Bound, Extent, Window};
pub(crate) use window::{WindowEnd, marker_named, on_the_clock};

use crate::base::units::{Bytes, Nanos};
use crate::incident::Incidents;
use crate::incident::error::WindowError;
use crate::profile::{
    Anatomy, Band, BandId, BandKey, Bands, Breakdown, Calls, Clock, CostCentre, HeapSeries,
    InfoTable, Marker, Metadata, Profile, RetainerSet, RunTime, Source, TickyCounter,
};
use redact::Redacted;
use rows::RowTable;

/// The options of a view. The defaults show all of a profile.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SliceOptions {
    /// Which part of the run. Default all of it.
    pub window: Window,
    /// Which bands take part. Other bands count only in the totals of samples. The labels of bands
    /// decide, before they are grouped. Default all.
    pub selection: Selection,
    /// Which bands are one row. By default only retainer sets with the same text.
    pub grouping: Grouping,
    /// Whether to leave out what shows who ran the program, how and where. By default it is shown.
    pub privacy: Privacy,
}

/// Whether texts are shown that identify who ran the program, how and where.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Privacy {
    /// All texts of the profile.
    #[default]
    Show,
    /// No command line, no date, and only the last part of absolute paths.
    Redact,
}

/// A part of a profile, seen through window, selection, grouping and redaction.
#[derive(Debug)]
pub struct Slice<'a> {
    profile: &'a Profile,
    extent: Extent,
    samples: Range<usize>,
    rows: RowTable,
    redacted: Option<Box<Redacted>>,
    anatomy: OnceLock<Anatomy>,
}

impl<'a> Slice<'a> {
    /// The view of a profile with these options. Rows are numbered by the first appearance of their
    /// bands within the window; bands that do not appear in it have no row.
    ///
    /// # Errors
    /// [`WindowError`] when a bound of the window names no marker or several, or no sample is in it.
    pub fn new(profile: &'a Profile, options: &SliceOptions) -> Result<Slice<'a>, WindowError> {
        let redacted = match options.privacy {
            Privacy::Show => None,
            Privacy::Redact => Some(Box::new(Redacted::new(profile))),
        };
        let markers = redacted.as_ref().map_or(&profile.markers, |redacted| &redacted.markers);
        let metadata = redacted.as_ref().map_or(&profile.metadata, |redacted| &redacted.metadata);
        let started = metadata.started_unix_ns();
        let (extent, samples) = window::part(profile, markers, &options.window, started)?;
        let mut slice = Slice {
            profile,
            extent,
            samples,
            rows: RowTable::identity(profile.bands.len()),
            redacted,
            anatomy: OnceLock::new(),
        };
        slice.rows = slice.rows_by(options);
        Ok(slice)
    }

    fn rows_by(&self, options: &SliceOptions) -> RowTable {
        let bands = &self.profile.bands;
        let whole = self.samples.len() == self.profile.samples.len();
        let takes = |band| options.selection.takes(self.band_label(band));
        let part = options.grouping.part(self.profile.breakdown);
        let longest = self.profile.metadata.longest_name();
        let mut rows = match (whole, part) {
            (true, None) => RowTable::identity(bands.len()),
            (whole, _) => {
                let order = if whole { bands.ids().collect() } else { self.bands_by_appearance() };
                // Bands that do not take part do not belong to a group.
                let group = |band| {
                    let part = part.filter(|_| takes(band))?;
                    part.of(&self.band(band), longest, self.profile.info_table(band))
                };
                RowTable::grouped(bands.len(), &order, group)
            }
        };
        if options.selection != Selection::default() {
            let excluded = rows.ids().map(|row| !takes(rows.first(row))).collect();
            rows.exclude(excluded);
        }
        rows
    }

    /// All of a profile.
    pub fn whole(profile: &'a Profile) -> Slice<'a> {
        Slice::selecting(profile, |_| true)
    }

    /// All of a profile; the bands for which `takes` is true take part.
    pub(crate) fn selecting(profile: &'a Profile, takes: impl Fn(BandId) -> bool) -> Slice<'a> {
        let mut rows = RowTable::identity(profile.bands.len());
        let excluded: Vec<bool> = profile.bands.ids().map(|band| !takes(band)).collect();
        if excluded.contains(&true) {
            rows.exclude(excluded);
        }
        let samples = 0..profile.samples.len();
        let extent = Extent::default();
        Slice { profile, extent, samples, rows, redacted: None, anatomy: OnceLock::new() }
    }

    fn bands_by_appearance(&self) -> Vec<BandId> {
        let mut seen = vec![false; self.profile.bands.len()];
        let mut order = Vec::new();
        for sample in self.samples.clone() {
            self.profile.samples.points(sample).for_each(|(band, _)| {
                if !std::mem::replace(&mut seen[band.index()], true) {
                    order.push(band);
                }
            });
        }
        order
    }

    /// The profile of the slice. Its texts are not redacted: take texts to show from the slice.
    pub fn profile(&self) -> &'a Profile {
        self.profile
    }

    /// Whether details of who ran the program are shown.
    pub fn privacy(&self) -> Privacy {
        if self.redacted.is_some() { Privacy::Redact } else { Privacy::Show }
    }

    /// What a band stands for.
    pub fn breakdown(&self) -> Breakdown {
        self.profile.breakdown
    }

    /// What the times of samples count.
    pub fn clock(&self) -> Clock {
        self.profile.clock
    }

    /// Which part of the run this is.
    pub(crate) fn extent(&self) -> Extent {
        self.extent
    }

    /// How many samples there are.
    pub fn len(&self) -> usize {
        self.samples.len()
    }

    /// Whether there are no samples.
    pub fn is_empty(&self) -> bool {
        self.samples.is_empty()
    }

    /// The times of the samples as the file has them, which mean nothing with [`Clock::Sample`]: see
    /// [`Slice::when`].
    pub fn times(&self) -> &'a [Nanos] {
        &self.profile.samples.times()[self.samples.clone()]
    }

    /// The time of a sample; `None` where the samples of the profile have no usable times, and after the last
    /// sample.
    pub fn when(&self, sample: usize) -> Option<Nanos> {
        match self.profile.clock {
            Clock::Sample => None,
            Clock::Elapsed | Clock::Mutator => self.times().get(sample).copied(),
        }
    }

    /// The number of a sample in its run, from 1; `sample` counts from 0 within the slice.
    pub(crate) fn number(&self, sample: usize) -> SampleNumber {
        self.extent.number(sample)
    }

    /// The sample with this number, counted from 0 within the slice.
    pub(crate) fn sample(&self, number: SampleNumber) -> usize {
        self.extent.sample(number)
    }

    /// The rows, in order of first appearance, whether or not they take part.
    pub fn rows(&self) -> impl ExactSizeIterator<Item = RowId> + use<> {
        self.rows.ids()
    }

    /// Whether a row takes part; one that does not counts only in the totals of samples.
    pub fn is_selected(&self, row: RowId) -> bool {
        self.rows.is_selected(row)
    }

    /// The bands that a row stands for: at least one.
    pub(crate) fn members(&self, row: RowId) -> Cow<'_, [BandId]> {
        self.rows.members(row)
    }

    /// The text to show for a row. Not unique: two stacks can read the same.
    pub fn label(&self, row: RowId) -> &str {
        match self.rows.group_name(row) {
            Some(name) => name,
            None => self.band_label(self.rows.first(row)),
        }
    }

    /// The row's name in bytes as hp2ps would have read it: the file's own bytes where the file has
    /// them, else the label.
    pub fn name(&self, row: RowId) -> &[u8] {
        match self.rows.group_name(row) {
            Some(name) => name.as_bytes(),
            None => self.band_name(self.rows.first(row)),
        }
    }

    /// What identifies a row in another run: for a group, its name.
    pub(crate) fn identity(&self, row: RowId) -> String {
        match self.single(row) {
            Some(band) => self.with_band(band, |band| band.identity().as_str().to_owned()),
            None => self.label(row).to_owned(),
        }
    }

    /// The key of the band that a row is; `None` for a group.
    pub(crate) fn key(&self, row: RowId) -> Option<&'a BandKey> {
        self.single(row).map(|band| self.profile.bands.key(band))
    }

    fn single(&self, row: RowId) -> Option<BandId> {
        match self.rows.group_name(row) {
            Some(_) => None,
            None => Some(self.rows.first(row)),
        }
    }

    fn bands(&self) -> &Bands {
        self.redacted.as_ref().map_or(&self.profile.bands, |redacted| &redacted.bands)
    }

    fn band_label(&self, band: BandId) -> &str {
        self.bands().label(band)
    }

    fn band_name(&self, band: BandId) -> &[u8] {
        self.bands().name(band)
    }

    /// A band with its parts, as they are to be shown.
    pub(crate) fn band(&self, band: BandId) -> Band<'_> {
        let Some(redacted) = &self.redacted else { return self.profile.band(band) };
        let label = redacted.bands.label(band);
        // A path in a name would be split as a stack.
        let definitions = self.profile.definitions().with_names(&redacted.bands);
        self.anatomy().band(definitions, band, label)
    }

    /// What `look` sees in a band; unlike [`Slice::band`] it keeps nothing, see [`Profile::with_band`].
    pub(crate) fn with_band<T>(&self, band: BandId, look: impl FnOnce(Band<'_>) -> T) -> T {
        let Some(redacted) = &self.redacted else { return self.profile.with_band(band, look) };
        let label = redacted.bands.label(band);
        let definitions = self.profile.definitions().with_names(&redacted.bands);
        self.anatomy().with_band(definitions, band, label, look)
    }

    /// The parts of the bands as they are shown in a redacted slice.
    fn anatomy(&self) -> &Anatomy {
        self.anatomy.get_or_init(|| Anatomy::new(self.profile.bands.len(), redact::frame))
    }

    /// What is known about the info table that a row is, if it is one.
    pub(crate) fn info_table(&self, row: RowId) -> Option<Cow<'a, InfoTable>> {
        let table = self.profile.info_table(self.single(row)?)?;
        Some(match &self.redacted {
            Some(_) => Cow::Owned(redact::info_table(table)),
            None => Cow::Borrowed(table),
        })
    }

    /// A cost centre of the program.
    pub(crate) fn cost_centre(&self, id: u32) -> Option<Cow<'a, CostCentre>> {
        let centre = self.profile.cost_centres.get(id)?;
        Some(match &self.redacted {
            Some(_) => Cow::Owned(redact::cost_centre(centre)),
            None => Cow::Borrowed(centre),
        })
    }

    /// How many points there are in all samples together.
    pub(crate) fn points(&self) -> usize {
        self.profile.samples.points_of(self.samples.clone()).len()
    }

    /// The points of a sample as the file has them, by row: a row can have several, and points can be
    /// zero.
    #[inline]
    pub fn each_point(&self, sample: usize, mut visit: impl FnMut(RowId, Bytes)) {
        let points = self.profile.samples.points(self.samples.start + sample);
        match self.rows.row_of() {
            None => points.for_each(|(band, size)| visit(RowId::of_band(band), size)),
            Some(row_of) => points.for_each(|(band, size)| visit(row_of[band.index()], size)),
        }
    }

    /// What some rows have in a sample together.
    pub(crate) fn bytes(&self, sample: usize, is_one: impl Fn(RowId) -> bool) -> f64 {
        let mut sum = 0.0;
        self.each_point(sample, |row, size| {
            sum += if is_one(row) { size.get() as f64 } else { 0.0 }
        });
        sum
    }

    /// The points of all samples, as [`Slice::each_point`].
    #[inline]
    pub(crate) fn each_point_of_all(&self, mut visit: impl FnMut(RowId, Bytes)) {
        let points = self.profile.samples.points_of(self.samples.clone());
        match self.rows.row_of() {
            None => points.for_each(|(band, size)| visit(RowId::of_band(band), size)),
            Some(row_of) => points.for_each(|(band, size)| visit(row_of[band.index()], size)),
        }
    }

    /// The residency of all bands together in one sample, whether or not they take part.
    pub fn total(&self, sample: usize) -> u128 {
        self.profile.samples.total(self.samples.start + sample)
    }

    /// The samples that census the heap: all but the empty ones that the run-time system writes at either end of a `.hp`.
    /// The last of those is written when the program has ended, by a clock that may be far ahead of the last census.
    /// All bands together have these totals.
    pub(crate) fn censuses(&self, totals: &[u128]) -> Range<usize> {
        let samples = 0..totals.len();
        let is_empty = |sample: usize| totals.get(sample) == Some(&0);
        if self.profile.source != Source::Hp || totals.iter().all(|&total| total == 0) {
            return samples;
        }
        let first = usize::from(self.extent.before == 0 && is_empty(0));
        let last = usize::from(self.extent.after == 0 && is_empty(samples.end - 1));
        first..samples.end - last
    }

    /// The number of samples, as every output tells it: without empty ones, as the run-time system writes at either end
    /// of a .hp.
    pub(crate) fn with_data(&self) -> usize {
        (0..self.len()).filter(|&sample| self.total(sample) > 0).count()
    }

    /// Facts about the run, as they are to be shown.
    pub fn metadata(&self) -> &Metadata {
        self.redacted.as_ref().map_or(&self.profile.metadata, |redacted| &redacted.metadata)
    }

    /// What was odd about the input, as it is to be shown.
    pub(crate) fn incidents(&self) -> &Incidents {
        self.redacted.as_ref().map_or(&self.profile.incidents, |redacted| &redacted.incidents)
    }

    /// The markers of the window, in order of time.
    pub fn markers(&self) -> &[Marker] {
        let markers =
            self.redacted.as_ref().map_or(&self.profile.markers, |redacted| &redacted.markers);
        let Extent { from, to, .. } = self.extent;
        let start = from.map_or(0, |from| markers.partition_point(|marker| marker.time < from));
        let end = to.map_or(markers.len(), |to| markers.partition_point(|m| m.time <= to));
        &markers[start..end.max(start)]
    }

    /// Where time was spent and memory was allocated. The ticks of an event log have times, and
    /// only those within the window count; a report has no times, so all of it counts.
    pub(crate) fn calls(&self) -> Cow<'a, Calls> {
        let calls = &self.profile().calls;
        match self.is_bounded() {
            false => Cow::Borrowed(calls),
            true => Cow::Owned(calls.within(|time| self.admits(time))),
        }
    }

    /// The heap as the run-time system sees it, within the window.
    pub fn heap(&self) -> Arc<HeapSeries> {
        let heap = &self.profile().heap;
        match self.is_bounded() {
            false => Arc::clone(heap),
            true => Arc::new(heap.within(|time| self.admits(time))),
        }
    }

    /// What the run-time system did: of events that last, those that begin within the window.
    pub(crate) fn runtime(&self) -> Cow<'a, RunTime> {
        let runtime = &self.profile().runtime;
        match self.is_bounded() {
            false => Cow::Borrowed(runtime),
            true => Cow::Owned(runtime.within(|time| self.admits(time))),
        }
    }

    /// The retainer sets that a row can stand for, as a report of the run lists them at its last
    /// census: if there is one, it is that set; if there are several, they are the candidates.
    /// Empty without a report.
    #[doc(hidden)]
    pub fn retainer_sets(&self, row: RowId) -> Vec<&'a RetainerSet> {
        let sets = &self.profile().retainers.sets;
        if sets.is_empty() {
            return Vec::new();
        }
        let band = self.band(self.members(row)[0]);
        let text = match band.label.split_once(')') {
            Some((_, text)) if band.number.is_some() => text,
            _ => return Vec::new(),
        };
        let mut found: Vec<&RetainerSet> = Vec::new();
        for set in sets.iter().filter(|set| set.has_text(text)) {
            if found.iter().all(|known| known.retainers != set.retainers) {
                found.push(set);
            }
        }
        found
    }

    /// A ticky counter, and where in the source its closure is, as they may be shown.
    pub(crate) fn counter(&self, counter: &TickyCounter) -> (TickyCounter, Option<String>) {
        let mut shown = counter.clone();
        if self.redacted.is_some() {
            shown.name = without_folders(&shown.name).into_owned();
        }
        let table = counter.info_table.and_then(|id| self.profile().info_tables.get(id));
        let place = table.map(|table| match &self.redacted {
            Some(_) => redact::info_table(table).location,
            None => table.location.clone(),
        });
        (shown, place.filter(|place| !place.is_empty() && place != ":"))
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

/// Adds up the points of each row within a sample: a file can name a band several times in one
/// sample, and a group has many bands. Made once and used for every sample, it allocates once.
#[derive(Debug)]
pub struct Merger<'s, 'a> {
    slice: &'s Slice<'a>,
    merged: Vec<(RowId, Bytes)>,
    /// By row: its place in `merged`. It only counts if that place is the row's, which saves clearing it
    /// for every sample.
    place_of: Vec<usize>,
}

impl<'s, 'a> Merger<'s, 'a> {
    /// For the rows of a slice.
    pub fn new(slice: &'s Slice<'a>) -> Self {
        Merger { slice, merged: Vec::new(), place_of: vec![0; slice.rows().len()] }
    }

    /// The rows that a sample names, each once, in order of first appearance in it, with their
    /// residency. Sums beyond 64 bits become the greatest number.
    pub fn sample(&mut self, sample: usize) -> &[(RowId, Bytes)] {
        let Merger { slice, merged, place_of } = self;
        merged.clear();
        slice.each_point(sample, |row, size| {
            let place = place_of[row.index()];
            match merged.get_mut(place) {
                Some((owner, sum)) if *owner == row => *sum = sum.plus(size),
                _ => {
                    place_of[row.index()] = merged.len();
                    merged.push((row, size));
                }
            }
        });
        merged
    }
}

#[cfg(test)]
mod tests;
