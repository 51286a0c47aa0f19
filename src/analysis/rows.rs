//! What the analysis reads of a profile: its rows, sample by sample. The one place that knows how a
//! profile stores them.

use crate::profile::{
    BandId, Breakdown, Clock, HeapSeries, Marker, MarkerKind, Profile, parse_address,
};
use crate::units::{Bytes, Nanos};

/// The rows of a profile: every band of it, also those that no picture shows.
#[derive(Clone, Copy, Debug)]
pub struct Rows<'a> {
    profile: &'a Profile,
}

impl<'a> Rows<'a> {
    /// The rows of a profile.
    pub fn of(profile: &'a Profile) -> Self {
        Rows { profile }
    }

    /// How many rows there are.
    pub fn count(&self) -> usize {
        self.profile.bands.len()
    }

    /// How many samples there are.
    pub fn samples(&self) -> usize {
        self.profile.samples.len()
    }

    /// The label of a row.
    pub fn label(&self, row: usize) -> &'a str {
        self.profile.bands.labels().nth(row).unwrap_or_default()
    }

    /// The labels of all rows, by number.
    pub fn labels(&self) -> Vec<&'a str> {
        self.profile.bands.labels().collect()
    }

    /// Whether a label is an address that no info table explains.
    pub fn is_bare(&self, label: &str) -> bool {
        self.breakdown() == Breakdown::InfoTable && parse_address(label.as_bytes()).is_some()
    }

    /// What a row stands for.
    pub fn breakdown(&self) -> Breakdown {
        self.profile.breakdown
    }

    /// What the times count.
    pub fn clock(&self) -> Clock {
        self.profile.clock
    }

    /// When a sample was taken; `None` where samples have no times.
    pub fn when(&self, sample: usize) -> Option<Nanos> {
        match self.profile.clock {
            Clock::Sample => None,
            Clock::Elapsed | Clock::Mutator => self.profile.samples.times().get(sample).copied(),
        }
    }

    /// Where each sample stands: seconds, or numbers of samples where they have no times.
    pub fn axis(&self) -> Vec<f64> {
        match self.profile.clock {
            Clock::Sample => (0..self.samples()).map(|sample| sample as f64).collect(),
            Clock::Elapsed | Clock::Mutator => {
                self.profile.samples.times().iter().map(|time| time.as_seconds()).collect()
            }
        }
    }

    /// The markers that begin phases, in order of time; none where samples have no times.
    pub fn markers(&self) -> impl Iterator<Item = &'a Marker> {
        let timed = self.profile.clock != Clock::Sample;
        self.profile.markers.iter().filter(move |m| timed && m.kind == MarkerKind::Marker)
    }

    /// The heap as the run-time system sees it.
    pub fn heap(&self) -> &'a HeapSeries {
        &self.profile.heap
    }

    /// Whether the profiler itself left a part of the heap out.
    pub fn is_filtered(&self) -> bool {
        self.profile.metadata.filters.set().next().is_some()
    }

    /// The version of the compiler: major and minor.
    pub fn ghc(&self) -> Option<(u32, u32)> {
        let mut parts = self.profile.metadata.ghc_version()?.split('.').map(str::parse);
        Some((parts.next()?.ok()?, parts.next()?.ok()?))
    }

    /// Whether the program was built for profiling.
    pub fn is_profiled(&self) -> bool {
        self.profile.metadata.is_profiled()
    }
}

/// Adds up the points of each row in a sample: a row may have several.
pub struct Sums {
    sizes: Vec<Bytes>,
    named: Vec<BandId>,
    seen: Vec<bool>,
}

impl Sums {
    /// For so many rows.
    pub fn new(rows: &Rows<'_>) -> Self {
        let count = rows.count();
        Sums { sizes: vec![Bytes::ZERO; count], named: Vec::new(), seen: vec![false; count] }
    }

    /// Calls `tell` with every row that a sample names and its bytes, once each.
    #[inline]
    pub fn of(&mut self, rows: &Rows<'_>, sample: usize, mut tell: impl FnMut(usize, u64)) {
        self.named.clear();
        for (band, size) in rows.profile.samples.points(sample) {
            let row = band.index();
            if !self.seen[row] {
                self.seen[row] = true;
                self.named.push(band);
            }
            self.sizes[row] = self.sizes[row].plus(size);
        }
        for band in &self.named {
            let row = band.index();
            tell(row, std::mem::take(&mut self.sizes[row]).get());
            self.seen[row] = false;
        }
    }
}
