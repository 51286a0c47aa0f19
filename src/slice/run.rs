//! What a slice tells about the run that it shows: how it was sampled and how it ended, how far the program
//! had come at each sample, and where in the source its rows are made.

use std::fmt;

use serde::Serialize;

use super::{Extent, RowId, Slice};
use crate::base::units::Nanos;
use crate::incident::Condition;
use crate::profile::{Band, Clock, ClosureKind, HeapSeriesKind, Source};

/// The number of a sample in its run, from 1, as readers count. Elsewhere a sample is its place among those of a slice or
/// of a timeline, from 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct SampleNumber(usize);

impl SampleNumber {
    /// The number itself.
    pub fn get(self) -> usize {
        self.0
    }
}

impl fmt::Display for SampleNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl Extent {
    /// The number of a sample of what is shown.
    pub(crate) fn number(&self, sample: usize) -> SampleNumber {
        SampleNumber(self.before + sample + 1)
    }

    /// The sample of what is shown that has this number.
    pub(crate) fn sample(&self, number: SampleNumber) -> usize {
        number.0.saturating_sub(self.before + 1)
    }
}

/// What comes after the last sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunEnd {
    Exit,
    /// More of the run, which is outside the window.
    Cut,
    Running,
}

impl Slice<'_> {
    /// What comes after the last sample.
    pub(crate) fn end(&self) -> RunEnd {
        match self.extent().after {
            0 if self.profile().is_running() => RunEnd::Running,
            0 => RunEnd::Exit,
            _ => RunEnd::Cut,
        }
    }

    /// Where in the source a row is made, as `file:line:column`, so that editors find it. For a
    /// stack it is the place of the innermost cost centre that has one.
    pub(crate) fn place(&self, row: RowId) -> Option<String> {
        let first = *self.members(row).first()?;
        let band = self.band(first);
        let place = band.frames().map(|frame| frame.place.as_str()).find(|place| !place.is_empty());
        place.and_then(start_of)
    }

    /// The module of the innermost frame of a row; empty if it is not known.
    pub(crate) fn module(&self, row: RowId) -> String {
        let first = |band: Band<'_>| band.frames().next().map(|frame| frame.module.clone());
        let module = self.key(row).and_then(|_| self.with_band(self.members(row)[0], first));
        module.unwrap_or_default()
    }

    /// The kind of closures that a band of this name has.
    pub(crate) fn kind(&self, label: &str) -> Option<ClosureKind> {
        (self.breakdown().traits().kind_of)(label)
    }

    /// Where each sample is: seconds, or numbers of samples where they have no times.
    pub(crate) fn axis(&self) -> Vec<f64> {
        match self.clock() {
            Clock::Sample => (0..self.len()).map(|sample| sample as f64).collect(),
            Clock::Elapsed | Clock::Mutator => {
                self.times().iter().map(|time| time.as_seconds()).collect()
            }
        }
    }

    /// How far the program had come with its own work at each sample.
    pub(crate) fn work(&self) -> Work {
        match self.clock() {
            Clock::Elapsed => {
                let times = self.times();
                Work { allocated: self.allocated(times), running: self.mutator_time(times) }
            }
            // The clock of a `.hp` is of this kind itself.
            Clock::Mutator | Clock::Sample => Work::default(),
        }
    }

    /// The bytes that were allocated until each time. `None` if the log says that only for a part of
    /// the run.
    fn allocated(&self, times: &[Nanos]) -> Option<Vec<f64>> {
        let heap = self.heap();
        let points = &heap[HeapSeriesKind::Allocated].points;
        // Of many samples, the first may be taken before the log says anything.
        let early = times.get((times.len() / 16).max(1))?;
        let late = times.get(times.len().checked_sub(2)?)?;
        if points.first()?.0 > *early || points.last()?.0 < *late {
            return None;
        }
        let mut next = 0;
        let at = |&time: &Nanos| {
            next += points[next..].partition_point(|&(point, _)| point < time);
            let (after, bytes) = *points.get(next).unwrap_or(&points[points.len() - 1]);
            let (before, less) = points[next.saturating_sub(1)];
            let (step, gap) = (bytes.get() as f64 - less.get() as f64, after.since(before));
            // Sampling is a part of a collection, at whose end the log says what was allocated.
            let share = match gap.as_seconds() {
                gap if gap > 0.0 => time.since(before).as_seconds() / gap,
                _ => 0.0,
            };
            less.get() as f64 + step * share
        };
        Some(times.iter().map(at).collect())
    }

    /// The seconds outside of collections until each time. `None` without collections.
    fn mutator_time(&self, times: &[Nanos]) -> Option<Vec<f64>> {
        let runtime = self.runtime();
        let mut collections = runtime.collections.all.iter().peekable();
        collections.peek()?;
        // A damaged log can have collections that overlap; time never goes back.
        let (mut paused, mut latest) = (0.0, f64::NEG_INFINITY);
        let at = |&time: &Nanos| {
            while let Some(collection) = collections.next_if(|collection| collection.end <= time) {
                paused += collection.pause().as_seconds();
            }
            let within = collections.peek().filter(|collection| collection.start < time);
            let within = within.map_or(0.0, |begun| time.since(begun.start).as_seconds());
            latest = latest.max(time.as_seconds() - paused - within);
            latest
        };
        Some(times.iter().map(at).collect())
    }

    /// Whether the rows are not the whole heap, because the profiler or the slice left a part of it
    /// out.
    pub(crate) fn is_filtered(&self) -> bool {
        self.metadata().filters.set().next().is_some() || self.is_partial()
    }

    /// Whether there are rows that do not take part.
    pub(crate) fn is_partial(&self) -> bool {
        self.rows().any(|row| !self.is_selected(row))
    }

    /// Whether its last sample may be the empty one with which GHC ends a `.hp`.
    pub(crate) fn ends_empty(&self) -> bool {
        self.profile().source == Source::Hp && self.extent().after == 0
    }

    /// Whether the log has no end mark: its program was killed.
    pub(crate) fn is_killed(&self) -> bool {
        self.profile().source == Source::Eventlog && self.profile().condition() != Condition::Whole
    }
}

/// How far a program had come with its own work at each sample. Neither a busy machine nor the census,
/// which takes longer the larger the heap is, adds to it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Work {
    /// The bytes that it had allocated; `None` if the log does not say that up to its last samples.
    pub allocated: Option<Vec<f64>>,
    /// The seconds that it had run outside of collections; `None` without collections.
    pub running: Option<Vec<f64>>,
}

/// The start of a span of source as GHC writes it: `A.hs:3:5-20` and `A.hs:(3,5)-(9,1)` begin at
/// `A.hs:3:5`. `None` for a text without a line, such as `<no location info>`.
pub(crate) fn start_of(span: &str) -> Option<String> {
    let (file, rest) = span.split_once(':')?;
    let rest = rest.trim_start_matches('(').replace(',', ":");
    let end = rest.find(|c: char| !(c.is_ascii_digit() || c == ':')).unwrap_or(rest.len());
    let place = rest[..end].trim_end_matches(':');
    (!place.is_empty()).then(|| format!("{file}:{place}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::testing::growing;
    use crate::base::units::Bytes;
    use crate::profile::{Collection, ProfileBuilder};
    use crate::slice::SliceOptions;

    /// What the work of a program was at samples at 0, 1, 2 and 3 s.
    fn work(log: impl FnOnce(&mut ProfileBuilder)) -> Work {
        let mut builder = growing(&[("a", &[1.0; 4])], 1.0);
        log(&mut builder);
        let profile = builder.finish();
        Slice::whole(&profile).work()
    }

    fn at(seconds: f64) -> Nanos {
        Nanos::from_nanos((seconds * 1e9) as i64)
    }

    #[test]
    fn work_is_what_was_allocated_or_the_time_outside_of_collections() {
        assert_eq!(work(|_| ()), Work::default());
        let allocated = |points: &[(f64, u64)]| {
            work(|log| {
                let points = points.iter();
                points.for_each(|&(time, bytes)| log.allocated(at(time), 0, Bytes::new(bytes)));
            })
            .allocated
        };
        let complete = [(0.5, 100), (1.0, 200), (2.5, 500), (3.5, 800)];
        assert_eq!(allocated(&complete), Some(vec![100.0, 200.0, 400.0, 650.0]));
        // From half-time on it is not known.
        assert_eq!(allocated(&complete[..2]), None);
        let pauses = work(|log| {
            for (start, end) in [(0.25, 0.5), (1.5, 2.5)] {
                let (start, end) = (at(start), at(end));
                let gc = Collection { start, end, ..Collection::default() };
                log.runtime_entries(|runtime| &mut runtime.collections.all, [gc]);
            }
        });
        assert_eq!(pauses.running, Some(vec![0.0, 0.75, 1.25, 1.75]));
    }

    #[test]
    fn only_a_whole_hp_may_end_with_an_empty_sample() {
        for (source, ends) in [(Source::Hp, true), (Source::Eventlog, false)] {
            let mut builder = ProfileBuilder::new(source);
            (0..3).for_each(|second| builder.seal_sample(at(f64::from(second))));
            let profile = builder.finish();
            assert_eq!(Slice::whole(&profile).ends_empty(), ends);
            let mut options = SliceOptions::default();
            options.window.to = Some("1".parse().unwrap());
            assert!(!Slice::new(&profile, &options).unwrap().ends_empty());
        }
    }
}
