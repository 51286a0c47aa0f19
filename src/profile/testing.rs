//! What tests, benchmarks and fuzzing use of a profile, and the command does not.

use super::runtime::{Collection, RunTime};
use super::thin::Thinned;
use super::{
    BandKeyRef, Bands, Calls, CostCentres, InfoTable, InfoTables, Metadata, Profile,
    ProfileBuilder, RetainerSets, RunPlace, Samples,
};
use crate::base::units::{Bytes, Nanos};

impl ProfileBuilder {
    /// Adds a sample of named bands at a time in nanoseconds.
    pub fn sample<N: AsRef<[u8]>>(
        &mut self,
        time: i64,
        points: impl IntoIterator<Item = (N, u64)>,
    ) {
        for (name, size) in points {
            self.add(BandKeyRef::Name(name.as_ref()), size);
        }
        self.seal_sample(Nanos::from_nanos(time));
    }

    /// Adds a sample of stacks of cost centres at a time in nanoseconds.
    pub fn stack_sample<S: AsRef<[u32]>>(
        &mut self,
        time: i64,
        points: impl IntoIterator<Item = (S, u64)>,
    ) {
        for (stack, size) in points {
            self.add(BandKeyRef::Stack(stack.as_ref()), size);
        }
        self.seal_sample(Nanos::from_nanos(time));
    }

    fn add(&mut self, key: BandKeyRef<'_>, size: u64) {
        let band = self.band(key).expect("few bands");
        self.point(band, Bytes::new(size));
    }

    /// Bytes of samples, markers and heap figures of the run that is being read.
    pub fn kept_bytes(&self) -> usize {
        Thinned::ALL.iter().map(|&thing| self.held_of(thing).1).sum()
    }
}

impl InfoTables {
    /// Every table with its address, in order of their first band.
    pub fn iter(&self) -> impl Iterator<Item = (u64, &InfoTable)> {
        self.by_address.iter().map(|(&address, table)| (address, table))
    }
}

impl Collection {
    pub fn between(generation: u16, start: Nanos, end: Nanos) -> Self {
        Collection { start, end, generation, threads: 1, ..Collection::default() }
    }
}

#[cfg(feature = "internals")]
impl Profile {
    pub fn run(&self) -> RunPlace {
        self.run
    }

    pub fn metadata_mut(&mut self) -> &mut Metadata {
        &mut self.metadata
    }

    pub fn bands(&self) -> &Bands {
        &self.bands
    }

    pub fn samples(&self) -> &Samples {
        &self.samples
    }

    pub fn calls(&self) -> &Calls {
        &self.calls
    }

    pub fn retainers(&self) -> &RetainerSets {
        &self.retainers
    }

    pub fn runtime(&self) -> &RunTime {
        &self.runtime
    }

    pub fn cost_centres(&self) -> &CostCentres {
        &self.cost_centres
    }

    pub fn info_tables(&self) -> &InfoTables {
        &self.info_tables
    }
}
