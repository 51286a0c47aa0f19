//! The only way to make a [`Profile`].
//!
//! Both decoders pass what they read to the builder, in the order of the file. What is only known
//! at the end (labels, the break-down, the clock, the order of samples) is decided in
//! [`ProfileBuilder::finish`], so that the same rules apply to both formats.

use std::sync::Arc;

use foldhash::HashSet;

use super::bands::LabelRoom;
use super::info_table::InfoTableStore;
use super::marker::LatestMessage;
use super::runs::EarlierRuns;
use super::samples::Tallies;
use super::{
    BandId, BandKey, BandKeyRef, BandNames, BandParts, Bands, Breakdown, Calls, Clock, CostCentre,
    CostCentres, Filters, HeapSeries, InfoTables, Limits, LogSize, Marker, MarkerKind, Metadata,
    Profile, RetainerSets, RunPlace, RunTime, Samples, Series, Source, cut, parse_address,
};
use crate::base::units::{Bytes, Nanos};
use crate::incident::error::Error;
use crate::incident::{Condition, End, Incident, Incidents, WarningCode};

/// Collects what a decoder reads.
///
/// Points go into the *open sample*, which exists from the last sealed sample on, even if it has no
/// time yet, because this is what a `.hp` means. A decoder that knows more (event logs say when a
/// sample begins) checks [`ProfileBuilder::open_points`] and discards.
#[derive(Clone, Debug, Default)]
pub struct ProfileBuilder {
    pub(super) source: Source,
    pub limits: Limits,
    /// The logs of the input before this one.
    pub(super) runs: EarlierRuns<ProfileBuilder>,
    /// What is odd about the input, recorded by the decoder as it reads.
    pub incidents: Incidents,
    /// How long the input is, set by the decoder.
    pub log_size: LogSize,
    /// Facts about the run, set by the decoder as it reads.
    pub metadata: Metadata,
    pub(super) breakdown: Option<Breakdown>,
    pub(super) bands: Bands,
    pub(super) samples: Samples,
    pub(super) tallies: Tallies,
    /// Whether points were left out, and perhaps all points of a band.
    left_out: bool,
    /// How many points there may be before those of the open sample are added up.
    most_points: usize,
    pub(super) markers: Vec<Marker>,
    pub(super) latest_message: LatestMessage,
    pub(super) heap: HeapSeries,
    pub(super) cost_centres: CostCentres,
    pub(super) info_tables: InfoTableStore,
    /// Where time was spent and memory was allocated.
    pub calls: Calls,
    /// The retainer sets that a report spells out.
    pub retainers: RetainerSets,
    pub(super) runtime: RunTime,
    /// Whether samples had the begin event that only `-hb` writes.
    pub biographical: bool,
    /// Bytes of text taken so far.
    pub(super) texts: Texts,
}

/// Bytes of text kept, to be compared with [`Limits::all_texts`].
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Texts {
    names: usize,
    definitions: usize,
    pub(super) markers: usize,
}

impl ProfileBuilder {
    /// A builder for a profile from `source`, within the default [`Limits`].
    pub fn new(source: Source) -> Self {
        Self::with_limits(source, Limits::default())
    }

    /// A builder for a profile from `source` that keeps no more than `limits` allow.
    pub fn with_limits(source: Source, limits: Limits) -> Self {
        ProfileBuilder { source, limits, ..Self::default() }
    }

    /// The band of a key, which is created at the first use.
    ///
    /// # Errors
    /// [`Error::OverLimit`] beyond [`Limits`].
    #[inline]
    pub fn band(&mut self, key: BandKeyRef<'_>) -> Result<BandId, Error> {
        match self.bands.find(key) {
            Some(id) => Ok(id),
            None => self.new_band(key),
        }
    }

    fn new_band(&mut self, key: BandKeyRef<'_>) -> Result<BandId, Error> {
        let key = match key {
            BandKeyRef::Name(name) if name.len() > self.limits.text => {
                self.incidents.note_long_text("a band's name", name.len());
                BandKeyRef::Name(cut(name, self.limits.text))
            }
            key @ (BandKeyRef::Name(_) | BandKeyRef::Stack(_)) => key,
        };
        // A name that is cut may already be a band.
        if let Some(id) = self.bands.find(key) {
            return Ok(id);
        }
        if self.bands.len() >= self.limits.bands.min(u32::MAX as usize) {
            let most = self.limits.bands;
            return Err(Error::OverLimit { most, things: "different bands" });
        }
        self.texts.names += match key {
            BandKeyRef::Name(name) => name.len(),
            BandKeyRef::Stack(ids) => size_of_val(ids),
        };
        if self.texts.names > self.limits.all_texts {
            let most = self.limits.all_texts;
            return Err(Error::OverLimit { most, things: "bytes of names of bands" });
        }
        let id = self.bands.intern(key);
        self.update_most_points();
        Ok(id)
    }

    /// Adds a point to the open sample. Points of one band add up.
    ///
    /// If a sample names its bands many times over, which no run-time system writes, its points are
    /// added up immediately, so that memory depends only on bands and samples.
    #[inline]
    pub fn point(&mut self, band: BandId, size: Bytes) {
        self.tallies.add(size);
        self.samples.points.push(band, size);
        if self.samples.points.len() > self.most_points {
            self.samples.merge_unsealed(self.bands.len());
        }
    }

    /// Calls [`ProfileBuilder::point`] for each of several points.
    #[inline]
    pub(crate) fn points(&mut self, bands: &[BandId], sizes: &[u64]) {
        if self.samples.points.len() + bands.len() > self.most_points {
            let points = bands.iter().zip(sizes);
            return points.for_each(|(&band, &size)| self.point(band, Bytes::new(size)));
        }
        self.tallies.add_all(sizes);
        self.samples.points.extend(bands, sizes);
    }

    /// Computes how many points there may be before those of the open sample are added up. It is
    /// computed only when it changes, because there are many points.
    pub(super) fn update_most_points(&mut self) {
        let sealed = self.samples.points.len() - self.samples.unsealed();
        self.most_points = sealed + 1024 + 4 * self.bands.len();
    }

    /// Ends the open sample, and sets its time.
    pub fn seal_sample(&mut self, time: Nanos) {
        self.samples.seal(time);
        self.tallies.seal();
        self.update_most_points();
    }

    /// Gives the last sample another time.
    pub fn set_last_time(&mut self, time: Nanos) {
        if let Some(last) = self.samples.times.last_mut() {
            *last = time;
        }
    }

    /// How many points the open sample has.
    pub fn open_points(&self) -> usize {
        self.samples.unsealed()
    }

    /// The points of the open sample.
    pub fn open_sample(&self) -> impl ExactSizeIterator<Item = (BandId, Bytes)> + '_ {
        self.samples.unsealed_points()
    }

    pub fn discard_open_sample(&mut self) {
        self.left_out |= self.samples.unsealed() > 0;
        self.samples.discard_unsealed();
        self.tallies.discard();
    }

    pub fn sample_count(&self) -> usize {
        self.samples.len()
    }

    /// The time of the sample that was sealed last.
    pub fn newest_time(&self) -> Option<Nanos> {
        self.samples.times().last().copied()
    }

    /// Sets the break-down that the file itself states.
    pub fn declare_breakdown(&mut self, breakdown: Breakdown) {
        self.breakdown = Some(breakdown);
    }

    /// Defines a cost centre; if there are two different definitions, the last wins.
    pub fn define_cost_centre(&mut self, id: u32, mut centre: CostCentre) {
        if self.cost_centres.get(id).is_none() {
            if self.cost_centres.len() >= self.limits.cost_centres {
                let most = self.limits.cost_centres;
                return self.over_limit(most, "cost centres");
            }
            let length = centre.label.len() + centre.module.len() + centre.location.len();
            if !self.has_room_for_definition(length) {
                return;
            }
        }
        let longest = self.limits.text;
        for text in [&mut centre.label, &mut centre.module, &mut centre.location] {
            if text.len() > longest {
                self.incidents.note_long_text("a cost centre", text.len());
                *text = text[..cut(text.as_bytes(), longest).len()].into();
            }
        }
        if !self.cost_centres.define(id, centre) {
            self.incidents.note(Incident::new(WarningCode::OddDeclaration), || {
                format!("cost centre {id} is defined twice, differently; the last one is used")
            });
        }
    }

    /// Stores the texts of an info table: name, closure kind, type, label, module, location.
    pub fn define_info_table(&mut self, address: u64, fields: [&[u8]; 6]) {
        if !self.info_tables.knows(address) && self.info_tables.len() >= self.limits.info_tables {
            let most = self.limits.info_tables;
            return self.over_limit(most, "info tables");
        }
        let fields = fields.map(|text| cut(text, self.limits.text));
        // Every connection to a program defines all of them again.
        if self.info_tables.says(address, fields) {
            return;
        }
        if self.has_room_for_definition(fields.iter().map(|text| text.len() + 1).sum()) {
            self.info_tables.define(address, fields);
        }
    }

    /// Reserves space for a definition's texts, or reports that they exceed the limit.
    pub(super) fn has_room_for_definition(&mut self, length: usize) -> bool {
        let fits = self.texts.definitions + length <= self.limits.all_texts;
        match fits {
            true => self.texts.definitions += length,
            false => self.over_limit(self.limits.all_texts, "bytes of definitions"),
        }
        fits
    }

    pub(super) fn over_limit(&mut self, most: usize, things: &'static str) {
        self.incidents.note_over_limit(most, things);
    }

    pub fn marker(&mut self, time: Nanos, mut label: String, kind: MarkerKind) {
        if self.markers.len() >= self.limits.markers {
            let most = self.limits.markers;
            return self.over_limit(most, "markers and messages");
        }
        if label.len() > self.limits.text {
            self.incidents.note_long_text("a marker's text", label.len());
            label.truncate(cut(label.as_bytes(), self.limits.text).len());
        }
        if self.texts.markers + label.len() > self.limits.all_texts {
            let most = self.limits.all_texts;
            return self.over_limit(most, "bytes of markers and messages");
        }
        self.texts.markers += label.len();
        self.markers.push(Marker { time, label, kind });
    }

    /// The profile of this run; `run` says which of the runs of the input it is.
    pub(super) fn finish_run(mut self, run: RunPlace) -> Profile {
        self.discard_open_sample();
        self.add_latest_message();
        if self.metadata.filters.is_empty() {
            self.metadata.filters = Filters::from_flags(self.metadata.rts_flags());
        }
        self.heap.each(Series::sort);
        let samples = self.samples.len();
        self.leave_out_the_impossible();
        // The hp2ps drop-in refers to the bands of a `.hp` by their numbers.
        let fewer = self.left_out || self.samples.len() < samples;
        if fewer && self.source == Source::Eventlog {
            self.forget_unused_bands();
        }
        self.label_bands();
        let breakdown = self.find_breakdown();
        let mut info_tables = match breakdown.traits().names {
            BandNames::Addresses => self.join_info_tables(),
            BandNames::Texts | BandNames::Stacks | BandNames::RetainerSets | BandNames::Numbers => {
                InfoTables::default()
            }
        };
        for table in self.runtime.ticky.tables() {
            info_tables.join(table, &self.info_tables);
        }
        let clock = self.order_samples(breakdown);
        self.note_huge_sums();
        if self.incidents.condition() == Condition::Damaged {
            self.note_spikes();
        }
        let censuses = self.samples.times().to_vec();
        self.finish_runtime(&censuses);
        Profile {
            source: self.source,
            run,
            metadata: self.metadata,
            breakdown,
            clock,
            bands: self.bands,
            samples: self.samples,
            markers: self.markers,
            heap: Arc::new(self.heap),
            calls: self.calls,
            retainers: self.retainers,
            runtime: self.runtime,
            cost_centres: self.cost_centres,
            info_tables,
            has_info_tables: !self.info_tables.is_empty(),
            incidents: self.incidents,
            log_size: self.log_size,
            anatomy: BandParts::default(),
        }
    }

    fn label_bands(&mut self) {
        let centres = &self.cost_centres;
        let mut room = LabelRoom::new(&self.limits);
        let mut undefined: HashSet<u32> = HashSet::default();
        self.bands.label_all(|key| match key {
            BandKey::Name(name) => String::from_utf8_lossy(name).into_owned(),
            BandKey::Stack(stack) => {
                undefined.extend(stack.iter().filter(|&&id| centres.get(id).is_none()));
                room.take(centres.stack_text(stack, room.longest()))
            }
        });
        room.report(&mut self.incidents);
        if let (Some(first), count) = (undefined.iter().min(), undefined.len()) {
            self.incidents.note(Incident::new(WarningCode::UndefinedCostCentre), || match count {
                1 => format!("cost centre {first} is used but never defined; it shows as ?{first}"),
                _ => format!(
                    "{count} cost centres are used but never defined; they show as ?{first} and so on"
                ),
            });
        }
    }

    /// Source: `docs/format/eventlog.md#when-the-break-down-is-missing`, in its order.
    fn find_breakdown(&mut self) -> Breakdown {
        if let Some(declared) = self.breakdown {
            return declared;
        }
        // The run-time system shows its flags only in the job line of a profiled program. A `.hp` that
        // was exported from an event log always shows them, and there the labels decide.
        let may_be_stacks = || Breakdown::may_be_stacks(self.bands.labels());
        let profiled =
            self.metadata.is_profiled() && (self.metadata.rts.is_some() || may_be_stacks());
        let from_keys = || {
            let stacks = self.bands.ids().any(|id| matches!(self.bands.key(id), BandKey::Stack(_)));
            stacks.then_some(Breakdown::CostCentre)
        };
        let inferred = Breakdown::from_flags(self.metadata.rts_flags(), profiled)
            .or_else(from_keys)
            .or_else(|| self.biographical.then_some(Breakdown::Biography))
            .unwrap_or_else(|| Breakdown::from_labels(self.bands.labels()));
        // A `.hp` never states it, nor does a log that a running program serves, so inferring it is
        // nothing odd.
        let runs = self.incidents.losses().end == End::Running;
        if self.source == Source::Eventlog && !self.samples.is_empty() && !runs {
            let is_known = inferred != Breakdown::Unknown;
            let words = if is_known { inferred.words() } else { "and its labels do not show it" };
            self.incidents.note(Incident::new(WarningCode::BreakdownInferred), || {
                format!("the break-down is not in the log (logging began late?): {words}")
            });
        }
        inferred
    }

    /// Records that sums of bytes were cut to the greatest number, which only crafted files reach.
    fn note_huge_sums(&mut self) {
        if let Some(sample) = self.samples.first_huge_sum() {
            self.incidents.note(Incident::new(WarningCode::ClampedValue), || {
                let (sample, most) = (sample + 1, u64::MAX);
                format!("sample {sample} has a band of 2^64 bytes or more, taken as {most}")
            });
        }
    }

    fn join_info_tables(&mut self) -> InfoTables {
        let store = &self.info_tables;
        let mut joined = InfoTables::default();
        if store.is_empty() {
            return joined;
        }
        let mut room = LabelRoom::new(&self.limits);
        let centres = &self.cost_centres;
        self.bands.label_all(|key| {
            let name = match key {
                BandKey::Name(name) => name,
                BandKey::Stack(ids) => return room.take(centres.stack_text(ids, room.longest())),
            };
            // One address can be written in several ways, so the table is not removed each time.
            let known = parse_address(name).and_then(|address| {
                let table = joined.join(address, store)?;
                Some(room.take(table.text(room.longest())?))
            });
            known.unwrap_or_else(|| String::from_utf8_lossy(name).into_owned())
        });
        room.report(&mut self.incidents);
        joined
    }

    /// Puts the samples in the order of their times, if they have any.
    fn order_samples(&mut self, breakdown: Breakdown) -> Clock {
        let clock = self.find_clock(breakdown);
        if clock != Clock::Sample {
            self.mend_times();
        }
        self.sort_by_time(clock);
        if clock == Clock::Mutator && self.clock_stood_still() {
            self.note_no_times(
                "all samples after the first have one time; samples are drawn by number",
            );
            return Clock::Sample;
        }
        clock
    }

    fn find_clock(&mut self, breakdown: Breakdown) -> Clock {
        match self.source {
            Source::Eventlog if self.metadata.filters.loses_times(breakdown) => {
                self.note_no_times(
                    "a profile with a filter by biography (-hb...) has no sample times in the event \
                     log; samples are drawn by number (the .hp file has the times)",
                );
                Clock::Sample
            }
            Source::Eventlog | Source::Prof => Clock::Elapsed,
            Source::Hp if self.has_two_clocks() => {
                self.note_no_times(
                    "two processes wrote their samples into this file in turn, as after a fork; samples are drawn \
                     by number, and are not one run",
                );
                self.metadata.interleaved = true;
                Clock::Sample
            }
            Source::Hp if self.clock_ran_backwards() => {
                self.note_no_times(
                    "the sample times run backwards, as the mutator clock does with --nonmoving-gc; \
                     samples are drawn by number in the order of the file (the event log has the \
                     elapsed times)",
                );
                Clock::Sample
            }
            Source::Hp => Clock::Mutator,
        }
    }

    fn note_no_times(&mut self, why: &str) {
        self.incidents.note(Incident::new(WarningCode::NoTimes), || why.to_owned());
    }

    /// Whether the times are unusable rather than merely out of order. GHC writes samples in the
    /// order of the run; a time below zero, or many steps back, is the clock's fault (GHC charges
    /// the concurrent collector's CPU time against the mutator), and sorting would shuffle the
    /// samples. A file that was put together by hand steps back a few times.
    fn clock_ran_backwards(&self) -> bool {
        let steps = self.samples.backward_steps();
        self.samples.times().iter().any(|&time| time < Nanos::ZERO)
            || (steps >= 8 && steps * 10 > self.samples.len())
    }

    /// Whether no time passes between samples, so that over time there is nothing to see.
    fn clock_stood_still(&self) -> bool {
        let times = self.samples.times();
        times.len() > 3 && times[2..].iter().all(|time| *time == times[1])
    }

    /// Whether the samples are those of two clocks that run forwards: each sample follows the last one of one of them.
    fn has_two_clocks(&self) -> bool {
        const FEWEST: usize = 8;
        let (mut last, mut counts) = ([Nanos::ZERO; 2], [0; 2]);
        let mut follows = |&time: &Nanos| {
            let before = (0..2).filter(|&clock| last[clock] <= time);
            let clock = before.max_by_key(|&clock| last[clock])?;
            (last[clock], counts[clock]) = (time, counts[clock] + 1);
            Some(())
        };
        self.clock_ran_backwards()
            && self.samples.times().iter().all(|time| follows(time).is_some())
            && counts.iter().all(|&count| count >= FEWEST)
    }

    /// Places samples between their neighbours whose times all later samples contradict: one damaged byte would set the
    /// end of the time axis. Of one later sample nobody knows which of the two is wrong, and in a file that was put
    /// together by hand the neighbours are not in order, either.
    fn mend_times(&mut self) {
        let times = self.samples.times();
        let mut latest = Nanos::from_nanos(i64::MIN);
        let mut wrong = Vec::new();
        for at in (0..times.len()).rev() {
            let (before, after) = (at.checked_sub(1).map(|at| times[at]), times.get(at + 1));
            if at + 2 < times.len()
                && times[at] > latest
                && let Some(&after) = after
                && before.is_none_or(|before| before <= after)
            {
                wrong.push((at, before.unwrap_or(after), after));
            } else {
                latest = latest.max(times[at]);
            }
        }
        for (at, before, after) in wrong.into_iter().rev() {
            let between = Nanos::from_nanos(before.as_nanos() + after.since(before).as_nanos() / 2);
            let time = std::mem::replace(&mut self.samples.times[at], between);
            let incident = Incident::new(WarningCode::SamplesOutOfOrder).when(between);
            self.incidents.note(incident.condition(Condition::Damaged), || {
                format!(
                    "the time of sample {} is {time}, later than those of all that follow; it is placed between its \
                     neighbours, at {between}",
                    at + 1
                )
            });
        }
    }

    fn sort_by_time(&mut self, clock: Clock) {
        let steps = self.samples.backward_steps();
        if clock != Clock::Sample && steps > 0 {
            let times = if steps == 1 { "once".to_owned() } else { format!("{steps} times") };
            self.incidents.note(Incident::new(WarningCode::SamplesOutOfOrder), || {
                format!("sample times step back {times}; the samples have been sorted by time")
            });
            self.samples.sort();
        }
        self.markers.sort_by_key(|marker| marker.time);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::incident::WarningCode;
    use crate::profile::{CallNode, CollectorPhase, HeapSeriesKind, TickyCounts};

    fn hp_with_times(times: &[i64]) -> Profile {
        let mut builder = ProfileBuilder::new(Source::Hp);
        let band = builder.band(BandKeyRef::Name(b"a")).unwrap();
        for (i, &time) in times.iter().enumerate() {
            builder.point(band, Bytes::new(i as u64));
            builder.seal_sample(Nanos::from_nanos(time));
        }
        builder.finish()
    }

    fn sizes(profile: &Profile) -> Vec<u64> {
        profile.samples.all_points().map(|(_, size)| size.get()).collect()
    }

    #[test]
    fn sums_beyond_64_bits_are_warned_about() {
        let of = |points: &[(&[u8], u64)]| {
            let mut builder = ProfileBuilder::new(Source::Hp);
            builder.seal_sample(Nanos::ZERO);
            builder.sample(1, points.iter().copied());
            builder.finish().warnings()
        };
        let warnings = of(&[(b"a", u64::MAX - 1), (b"b", 7), (b"a", 5)]);
        assert_eq!(warnings[0].code, WarningCode::ClampedValue);
        assert!(warnings[0].message.starts_with("sample 2 "), "{}", warnings[0].message);
        assert_eq!(of(&[(b"a", u64::MAX - 6), (b"b", 7), (b"a", 5)]), []);
        assert_eq!(of(&[(b"a", 1 << 31), (b"a", 1 << 31)]), []);
        // Enough points that they are added up while they are read.
        let many: Vec<(&[u8], u64)> = vec![(b"a", 1 << 53); 1 << 12];
        assert_eq!(of(&many).len(), 1);
    }

    #[test]
    fn definitions_fill_their_limits_and_no_more() {
        let limits = Limits { text: 5, all_texts: 10, runtime_events: 1, ..Limits::default() };
        let mut builder = ProfileBuilder::with_limits(Source::Eventlog, limits);
        let mut define = |id: u32, label: &str| {
            builder.define_cost_centre(id, CostCentre::new(label, "", ""));
            (
                builder.cost_centres.get(id).map(|centre| centre.label.to_string()),
                builder.incidents.warnings().len(),
            )
        };
        assert_eq!(define(1, "12345"), (Some("12345".to_owned()), 0));
        assert_eq!(define(1, "123456"), (Some("12345".to_owned()), 1));
        assert_eq!(define(2, "12345").0, Some("12345".to_owned()));
        assert_eq!(define(3, "1"), (None, 2));
    }

    fn limited(limits: Limits) -> ProfileBuilder {
        ProfileBuilder::with_limits(Source::Eventlog, limits)
    }

    fn is_over(builder: &ProfileBuilder) -> bool {
        !builder.incidents.warnings().is_empty()
    }

    #[test]
    fn every_limit_on_definitions_and_texts_is_reached_before_anything_is_left_out() {
        let mut centres = limited(Limits { cost_centres: 1, ..Limits::default() });
        centres.define_cost_centre(1, CostCentre::new("f", "", ""));
        assert!(!is_over(&centres));
        centres.define_cost_centre(2, CostCentre::new("g", "", ""));
        assert!(is_over(&centres) && centres.cost_centres.len() == 1);

        let mut tables = limited(Limits { info_tables: 1, ..Limits::default() });
        tables.define_info_table(1, [b""; 6]);
        tables.define_info_table(1, [b""; 6]);
        assert!(!is_over(&tables));
        tables.define_info_table(2, [b""; 6]);
        assert!(is_over(&tables) && tables.info_tables.len() == 1);
        let mut cut = limited(Limits { text: 3, ..Limits::default() });
        cut.declare_breakdown(Breakdown::InfoTable);
        cut.band(BandKeyRef::Name(b"0x4")).expect("a band");
        cut.define_info_table(0x4, [b"n", b"1", b"T", b"long", b"M", b"a:1"]);
        let cut = cut.finish();
        assert_eq!(
            cut.info_tables.iter().map(|(_, table)| &*table.label).collect::<Vec<_>>(),
            ["lon"]
        );

        let all_texts = || limited(Limits { all_texts: 6, ..Limits::default() });
        let mut names = all_texts();
        assert!(names.band(BandKeyRef::Name(b"123456")).is_ok());
        assert!(names.band(BandKeyRef::Name(b"7")).is_err());

        let mut long = limited(Limits { text: 3, ..Limits::default() });
        for (markers, shorter, longer) in
            [(&mut all_texts(), "123456", "7"), (&mut long, "123", "1234")]
        {
            markers.marker(Nanos::ZERO, shorter.to_owned(), MarkerKind::Marker);
            assert!(!is_over(markers));
            markers.marker(Nanos::ZERO, longer.to_owned(), MarkerKind::Marker);
            assert!(is_over(markers));
        }
    }

    #[test]
    fn every_limit_on_events_is_reached_before_anything_is_left_out() {
        let one = Limits { heap_points: 1, runtime_events: 1, ticks: 1, ..Limits::default() };
        let adds: [fn(&mut ProfileBuilder); 5] = [
            |builder| builder.heap_point(HeapSeriesKind::Live, Nanos::ZERO, Bytes::new(8)),
            |builder| {
                let swept = CollectorPhase { start: Nanos::ZERO, end: Nanos::ZERO };
                builder.runtime_entries(|runtime| &mut runtime.nonmoving.sweeps, [swept]);
            },
            |builder| builder.ticky_counts(Nanos::ZERO, 1, TickyCounts::default()),
            |builder| builder.tick(Nanos::ZERO, 3, &[1]).expect("few stacks"),
            // The second label is of another thread: one that is known takes no more room.
            |builder| {
                let known = builder.runtime.threads.most_alive(Nanos::ZERO).is_some();
                (0..2).for_each(|_| builder.label_thread(Nanos::ZERO, known.into(), "worker 1"));
            },
        ];
        for (at, add) in adds.iter().enumerate() {
            let mut builder = limited(one.clone());
            add(&mut builder);
            assert!(!is_over(&builder), "{at}");
            add(&mut builder);
            assert!(is_over(&builder), "{at}");
        }

        let two_nodes = || limited(Limits { ticks: 1, call_nodes: 2, ..Limits::default() });
        let mut ticks = two_nodes();
        assert!(
            ticks.tick(Nanos::ZERO, 3, &[1]).is_ok() && ticks.tick(Nanos::ZERO, 3, &[1]).is_ok()
        );
        assert!(ticks.tick(Nanos::ZERO, 0, &[2]).is_err());
        let calls = ticks.finish().calls;
        assert_eq!((calls.sum_of_ticks(), calls.capabilities, calls.nodes.len()), (2, Some(4), 2));
        let mut rows = two_nodes();
        let mut is_row = || rows.call(None, 1, CallNode::default()).is_ok();
        assert_eq!([is_row(), is_row(), is_row()], [true, true, false]);
    }

    #[test]
    fn samples_out_of_order_are_sorted_and_reported() {
        for (times, order, clock, code) in [
            (&[1, 5, 3][..], &[0, 2, 1][..], Clock::Mutator, WarningCode::SamplesOutOfOrder),
            // A clock below zero leaves them in the order of the file.
            (&[0, 1, -2, -1], &[0, 1, 2, 3], Clock::Sample, WarningCode::NoTimes),
            (&[0, 1, 1, 1], &[0, 1, 2, 3], Clock::Sample, WarningCode::NoTimes),
            (&[0, 2, 0, 0], &[0, 1, 2, 3], Clock::Sample, WarningCode::NoTimes),
            (&[1, 1, 1, 0], &[3, 0, 1, 2], Clock::Sample, WarningCode::NoTimes),
            (&[0, 1, 2, 1], &[0, 1, 3, 2], Clock::Mutator, WarningCode::SamplesOutOfOrder),
        ] {
            let profile = hp_with_times(times);
            assert_eq!((&*sizes(&profile), profile.clock), (order, clock));
            assert!(profile.warnings().iter().any(|warning| warning.code == code), "{times:?}");
        }
    }

    #[test]
    fn a_time_that_all_later_samples_contradict_is_damage_and_not_order() {
        let times = |times: &[i64]| {
            let profile = hp_with_times(times);
            let ends =
                profile.samples.times().iter().map(|time| time.as_nanos()).collect::<Vec<_>>();
            (ends, sizes(&profile).len(), profile.condition() == Condition::Damaged)
        };
        assert_eq!(times(&[1, 2, 900, 4, 5]), (vec![1, 2, 3, 4, 5], 5, true));
        assert_eq!(times(&[900, 2, 3, 4]), (vec![2, 2, 3, 4], 4, true));
        assert_eq!(times(&[1, 900, 3, 1 << 61, 5, 6]), (vec![1, 2, 3, 4, 5, 6], 6, true));
        // One of the last two is wrong, or a hand has put them together.
        assert_eq!(times(&[1, 2, 900, 4]), (vec![1, 2, 4, 900], 4, false));
        assert_eq!(times(&[1, 5, 9, 2, 3, 4]), (vec![1, 2, 3, 4, 5, 9], 6, false));
        assert_eq!(times(&[1, 5, 3, 6]), (vec![1, 3, 5, 6], 4, false));
    }
}
