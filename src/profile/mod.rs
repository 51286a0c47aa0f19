//! The model: the contents of a heap profile, independent of its file format.
//!
//! A [`Profile`] is a few columnar tables. A decoder fills it through a [`ProfileBuilder`], which
//! is the only way; everything downstream (ranking, charts, exports) only reads it. This module
//! knows neither file formats nor pixels.

mod advice;
mod band;
mod bands;
mod breakdown;
mod builder;
mod calls;
mod cost_centre;
mod events;
mod frame;
pub(crate) mod glossary;
mod info_table;
mod join;
mod kind;
mod limits;
mod logs;
mod marker;
mod metadata;
mod no_samples;
mod plausibility;
mod points;
mod retainer_sets;
mod runs;
mod runtime;
mod samples;
mod series;
#[cfg(any(test, feature = "internals"))]
mod testing;
mod thin;

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, OnceLock};

use serde::Serialize;

pub use advice::advice;
pub(crate) use band::Anatomy;
use band::Definitions;
pub use band::{Band, BandIdentity};
pub use bands::{BandId, BandKey, BandKeyRef, Bands};
#[cfg(feature = "report")]
pub(crate) use breakdown::Traits;
pub use breakdown::{BIOGRAPHY, Breakdown};
pub(crate) use breakdown::{BandNames, Tells};
pub use builder::ProfileBuilder;
pub use calls::{CallId, CallNode, Calls, Exactness, Pseudo};
pub use cost_centre::{CostCentre, CostCentres};
pub use frame::{Frame, Package};
pub use info_table::{InfoTable, InfoTables, parse_address};
pub use join::{Joined, OtherRun};
pub use kind::ClosureKind;
pub(crate) use limits::cut;
pub use limits::{KeptMessages, KeptSamples, Limits};
pub use marker::{Marker, MarkerKind};
pub use metadata::{Filters, Metadata};
pub(crate) use plausibility::ADDRESS_SPACE;
pub(crate) use retainer_sets::is_module;
#[cfg(feature = "cli")]
pub(crate) use retainer_sets::without_module;
pub use retainer_sets::{RetainerSet, RetainerSets};
pub use runs::{Process, RunChoice, RunPlace, Succession};
pub use runtime::{
    BlockCensus, Collection, Collections, CollectorPhase, Generation, MemoryReturn, NonMoving,
    RunTime, SegmentCensus, Ticky, TickyBatch, TickyCounter, TickyCounts, blocks_in_segment,
};
pub use samples::Samples;
pub use series::{HeapSeries, HeapSeriesKind, Series, SeriesKind};
pub(crate) use thin::Thinned;

use crate::base::units::{Bytes, Nanos};
use crate::incident::{Condition, End, Incidents, Losses, Warning};

/// The file format a profile was read from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(serde::Deserialize))]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Source {
    /// A binary event log.
    #[default]
    Eventlog,
    /// A text profile.
    Hp,
    /// A time and allocation report, as text or JSON.
    Prof,
}

/// What a profile's times count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(serde::Deserialize))]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Clock {
    /// Elapsed time since the run-time system started (event logs).
    #[default]
    Elapsed,
    /// CPU time of the program without garbage collection (`.hp`).
    Mutator,
    /// The file has no usable times: samples are counted. Their times stay as written.
    Sample,
}

/// The length of an input, and how much of it has no effect on charts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct LogSize {
    /// Bytes of the input, decompressed; 0 for a `.hp`, where it is not needed.
    pub bytes: u64,
    /// How many of them are events about threads, sparks and collections, which no chart shows.
    pub scheduler: u64,
}

/// A heap profile, a time profile, or what a log says of the run-time system.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Profile {
    /// The format it was read from.
    pub(crate) source: Source,
    /// Which of the runs in its file it is.
    pub(crate) run: RunPlace,
    pub(crate) metadata: Metadata,
    pub(crate) breakdown: Breakdown,
    pub(crate) clock: Clock,
    /// Every band, numbered by first appearance.
    pub(crate) bands: Bands,
    /// The samples, in order of time; with [`Clock::Sample`] in the order of the file.
    pub(crate) samples: Samples,
    /// Named instants, in order of time.
    pub(crate) markers: Vec<Marker>,
    /// The heap as the run-time system sees it.
    pub(crate) heap: Arc<HeapSeries>,
    /// Where time was spent and memory was allocated, by cost-centre stack.
    pub(crate) calls: Calls,
    /// The retainer sets that a report spells out.
    pub(crate) retainers: RetainerSets,
    pub(crate) runtime: RunTime,
    /// The cost centres that the program defined.
    pub(crate) cost_centres: CostCentres,
    /// What is known about the info tables that are bands, by address.
    pub(crate) info_tables: InfoTables,
    /// Whether the program defined any, so that a profile by `-hi` shows places.
    pub(crate) has_info_tables: bool,
    /// What was odd about the input, and what is missing from it.
    pub(crate) incidents: Incidents,
    pub(crate) log_size: LogSize,
    anatomy: BandParts,
}

/// The parts of the bands of a profile. A clone computes them again, so that the clone can be
/// changed.
#[derive(Debug, Default)]
struct BandParts(OnceLock<Anatomy>);

impl Clone for BandParts {
    fn clone(&self) -> Self {
        BandParts::default()
    }
}

impl Profile {
    /// The format it was read from.
    pub fn source(&self) -> Source {
        self.source
    }

    /// What the input says of the run, beside its samples.
    pub fn metadata(&self) -> &Metadata {
        &self.metadata
    }

    /// What a band stands for.
    pub fn breakdown(&self) -> Breakdown {
        self.breakdown
    }

    /// What the sample times count.
    pub fn clock(&self) -> Clock {
        self.clock
    }

    /// Named instants, in order of time.
    pub fn markers(&self) -> &[Marker] {
        &self.markers
    }

    /// The heap as the run-time system sees it.
    pub fn heap(&self) -> &HeapSeries {
        &self.heap
    }

    /// Replaces the times of a `.hp` by elapsed times, which `at` knows; it only grows.
    pub(crate) fn set_elapsed(&mut self, at: impl Fn(Nanos) -> Nanos) {
        self.samples.times.iter_mut().for_each(|time| *time = at(*time));
        self.markers.iter_mut().for_each(|marker| marker.time = at(marker.time));
        self.clock = Clock::Elapsed;
    }

    /// Adds the resident memory of the process, which no profile has.
    pub(crate) fn set_resident(&mut self, points: Vec<(Nanos, Bytes)>) {
        Arc::make_mut(&mut self.heap).of_mut(HeapSeriesKind::Resident).points = points;
    }

    /// How many samples it has; [`Slice`](crate::slice::Slice) shows them.
    pub fn len(&self) -> usize {
        self.samples.len()
    }

    /// Whether the profile has no sample.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// A band with its parts.
    ///
    /// # Panics
    /// When the id is of another profile.
    pub(crate) fn band(&self, id: BandId) -> Band<'_> {
        self.anatomy().band(self.definitions(), id, self.bands.label(id))
    }

    /// What `look` sees in a band. Unlike [`Profile::band`] it keeps nothing, so that going through all
    /// bands takes no memory.
    ///
    /// # Panics
    /// When the id is of another profile.
    pub(crate) fn with_band<T>(&self, id: BandId, look: impl FnOnce(Band<'_>) -> T) -> T {
        self.anatomy().with_band(self.definitions(), id, self.bands.label(id), look)
    }

    fn anatomy(&self) -> &Anatomy {
        self.anatomy.0.get_or_init(|| Anatomy::new(self.bands.len(), std::convert::identity))
    }

    pub(crate) fn definitions(&self) -> Definitions<'_> {
        let Profile { bands, breakdown, cost_centres: centres, info_tables: tables, .. } = self;
        Definitions { bands, breakdown: *breakdown, centres, tables }
    }

    /// What is known about the info table that a band is, if it is one.
    pub(crate) fn info_table(&self, id: BandId) -> Option<&InfoTable> {
        match self.bands.key(id) {
            _ if self.info_tables.is_empty() => None,
            BandKey::Name(name) => self.info_tables.get(parse_address(name)?),
            BandKey::Stack(_) => None,
        }
    }

    /// The addresses that stand for bands and that the log does not describe.
    pub(crate) fn bare_addresses(&self) -> impl Iterator<Item = u64> {
        let is_by_address = self.breakdown.traits().names == BandNames::Addresses;
        let ids = self.bands.ids().filter(move |_| is_by_address);
        let address = |id| match self.bands.key(id) {
            BandKey::Name(name) => parse_address(name),
            BandKey::Stack(_) => None,
        };
        ids.filter_map(address).filter(|&address| self.info_tables.get(address).is_none())
    }

    /// Names bands by info tables that are known from elsewhere than the log.
    pub(crate) fn name_addresses(&mut self, tables: impl IntoIterator<Item = (u64, InfoTable)>) {
        let most = Limits::default().text;
        let bare: HashSet<u64> = self.bare_addresses().collect();
        let mut texts = HashMap::new();
        for (address, table) in tables.into_iter().filter(|(address, _)| bare.contains(address)) {
            texts.extend(table.text(most).map(|text| (address, text)));
            self.info_tables.add(address, table);
        }
        self.bands.relabel(|label| {
            if let Some(text) = parse_address(label.as_bytes()).and_then(|at| texts.get(&at)) {
                text.clone_into(label);
            }
        });
        self.anatomy = BandParts::default();
    }

    /// One line that reports what was lost, `None` if nothing was: see [`Losses::summary`].
    pub fn loss_summary(&self) -> Option<String> {
        self.losses().summary(self.samples.len())
    }

    /// The condition of the input.
    pub fn condition(&self) -> Condition {
        self.incidents.condition()
    }

    /// Whether its program is still running, so that more will be written.
    pub fn is_running(&self) -> bool {
        self.incidents.losses().end == End::Running
    }

    /// The parts of the input that were lost.
    pub fn losses(&self) -> &Losses {
        self.incidents.losses()
    }

    /// What was odd about the input, in words.
    pub fn warnings(&self) -> Vec<Warning> {
        self.incidents.warnings()
    }
}
