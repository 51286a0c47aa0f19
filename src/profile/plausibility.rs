//! Recognises impossible samples.
//!
//! A damaged byte inside a sound event changes only a residency. A sample is left out when damage is
//! proven at it: it has more than any heap, or a residency that is no multiple of a word; or when it
//! stands out from the samples around it and a witness says that this is wrong: the heap figures of the
//! collection that took its census, or, where there are none, that a single residency rose by a factor
//! that no sound log shows. Figures of other collections prove nothing, because they may be rarer than
//! censuses, late, or lost. An impossible sample is left out completely, because without one of its
//! bands it would look like a fall. The bounds were measured on 17 361 censuses with their own figures,
//! and on 20 305 with neighbours, in logs of GHC 8.2 to 9.10.

use std::cell::Cell;

use super::samples::Tally;
use super::{HeapSeriesKind, KeptSamples, ProfileBuilder, Series, Source};
use crate::base::units::{Bytes, Nanos};
use crate::incident::{Incident, WarningCode};

/// How many bytes a process can address on any machine that GHC compiles for.
pub(crate) const ADDRESS_SPACE: u64 = 1 << 47;

/// How much of it the run-time system reserves for the heap, unless it is given -xr.
const RESERVED: u64 = 1 << 40;

/// How much more than the live data a census may have in a heap of any size. At most 11 kB were seen in
/// 175 logs.
const CENSUS_SLACK: u64 = 1 << 16;

/// A megablock, the unit in which GHC takes memory from the system.
const MEGABLOCK: u64 = 1 << 20;

/// How long after its end a collection may log its figures. Less than a millisecond was seen.
const LATE: Nanos = Nanos::from_nanos(10_000_000_000);

/// How many times what both neighbours have in all bands a single residency can be. At most 8.8 was seen.
const ALONE: u64 = 32;

const BEYOND_ADDRESS_SPACE: &str = "more than a heap can have without +RTS -xr";
const MORE_THAN_THE_HEAP: &str = "more than the heap had then by the log's own figures";
const NO_WORD: &str = "not a multiple of a word, as all other samples are";
/// What no heap has of which a log says nothing else and that no other sample comes near: 64 GiB.
const UNHEARD_OF: u64 = 1 << 36;

/// How many times what both neighbours have in all bands a single residency has that stands out in a sound log, and how much
/// these may differ.
const STANDS_OUT: u64 = 4;

const MORE_THAN_ALL_OTHERS: &str = "many times what all else has, all in one band";
const PERHAPS_DAMAGE: &str = "many times what all else has, all in one band: perhaps damage";
const PERHAPS_A_MOMENT: &str = "many times what the samples before and after have, all in one band: perhaps damage, or a moment of the program";
const ALL_IN_ONE_BAND: &str = "many times what the samples before and after have, all in one band";

impl ProfileBuilder {
    /// Leaves out impossible heap figures and samples.
    pub(super) fn leave_out_the_impossible(&mut self) {
        if self.source != Source::Eventlog {
            return;
        }
        let heap = &mut self.heap;
        heap.of_mut(HeapSeriesKind::Size).leave_out_spikes();
        let size = heap[HeapSeriesKind::Size].clone();
        // In real logs, live data can be a few percent more than the heap's size at the same
        // collection.
        let near = Cell::new(0);
        let most = |time| size.around(time, &near).map_or(u64::MAX, a_quarter_more);
        // Most values are below the bound of every time, so it is seldom searched for.
        let least = size.points.iter().map(|&(_, size)| size.get()).min().unwrap_or(u64::MAX);
        let least = a_quarter_more(least.saturating_add(MEGABLOCK));
        for figure in [HeapSeriesKind::Live, HeapSeriesKind::Blocks] {
            heap.of_mut(figure).leave_out(|time, value| value > least && value > most(time));
        }
        if self.limits.samples == KeptSamples::All {
            return;
        }
        self.runtime.collections.sort();
        let (reasons, doubts) = self.impossible();
        for (sample, why) in doubts {
            let time = self.samples.times()[sample];
            let total = Bytes::new(self.tallies.sealed[sample].sum);
            let incident = Incident::new(WarningCode::DamagedSample).when(time);
            self.incidents.note(incident, || format!("the sample at {time} has {total}, {why}"));
        }
        if reasons.iter().all(Option::is_none) {
            return;
        }
        for (sample, reason) in reasons.iter().enumerate() {
            if let &Some(why) = reason {
                let time = self.samples.times()[sample];
                let total = Bytes::new(self.tallies.sealed[sample].sum);
                let incident = Incident::damaged_sample(WarningCode::ImpossibleSample, time);
                self.incidents.note(incident, || {
                    format!("the sample at {time} is left out: {total} is {why}")
                });
            }
        }
        self.samples.retain(|sample| reasons[sample].is_none());
    }

    /// Why each sample is impossible, if it is; and which may be, for which reason.
    fn impossible(&self) -> (Vec<Option<&'static str>>, Vec<(usize, &'static str)>) {
        let (word, space) = (self.word(), self.address_space());
        let by_itself = |&Tally { sum, bits }: &Tally| {
            let is_no_word = (bits % word != 0).then_some(NO_WORD);
            (sum >= space).then_some(BEYOND_ADDRESS_SPACE).or(is_no_word)
        };
        let mut reasons: Vec<_> = self.tallies.sealed.iter().map(by_itself).collect();
        let mut order: Vec<usize> = (0..reasons.len()).filter(|&i| reasons[i].is_none()).collect();
        order.sort_by_key(|&sample| self.samples.times()[sample]);
        // An empty sample, with which a run begins and ends, is no measure for others.
        let sum = |place: usize| {
            order.get(place).map(|&i| self.tallies.sealed[i].sum).filter(|&sum| sum > 0)
        };
        let mut sums: Vec<u64> = (0..order.len()).filter_map(sum).collect();
        sums.sort_unstable();
        let nth_highest = |n: usize| sums.len().checked_sub(n).map_or(0, |at| sums[at]);
        let (highest, second) = (nth_highest(1), nth_highest(2));
        let (mut doubts, mut spikes) = (Vec::new(), Vec::new());
        for (place, &sample) in order.iter().enumerate() {
            let around = [place.checked_sub(1).and_then(sum), sum(place + 1)];
            let near = around.into_iter().flatten().max();
            let total = self.tallies.sealed[sample].sum;
            if near.is_some_and(|near| total <= a_quarter_more(near.saturating_add(CENSUS_SLACK))) {
                continue;
            }
            reasons[sample] = match (self.own_most(self.samples.times()[sample]), around) {
                (Some(most), _) => (total > most).then_some(MORE_THAN_THE_HEAP),
                (None, [Some(before), Some(after)]) => {
                    let near = before.max(after).saturating_add(CENSUS_SLACK);
                    let agree = before.max(after) <= a_quarter_more(before.min(after));
                    if agree && self.is_one_alone(sample, near, STANDS_OUT) {
                        spikes.push((sample, PERHAPS_A_MOMENT));
                    }
                    self.is_one_alone(sample, near, ALONE).then_some(ALL_IN_ONE_BAND)
                }
                (None, _) => {
                    // In a log of one sample, its other bands are the measure.
                    let second =
                        if sums.len() == 1 { total - self.largest(sample) } else { second };
                    let near = second.saturating_add(CENSUS_SLACK);
                    let is_alone = total == highest && self.is_one_alone(sample, near, ALONE);
                    let is_known = !self.heap[HeapSeriesKind::Size].points.is_empty();
                    let is_unheard_of =
                        is_alone && total >= UNHEARD_OF && space == RESERVED && !is_known;
                    if is_alone && !is_unheard_of {
                        doubts.push((sample, PERHAPS_DAMAGE));
                    }
                    is_unheard_of.then_some(MORE_THAN_ALL_OTHERS)
                }
            };
        }
        // One that rises often is what the program does.
        spikes.retain(|&(sample, _)| reasons[sample].is_none());
        doubts.extend(spikes.first().copied().filter(|_| spikes.len() == 1));
        (reasons, doubts)
    }

    /// Reports single samples that one band alone makes much bigger than those around them. In a sound log that is what the
    /// program did; in a damaged one it may as well be damage that nothing else shows.
    pub(super) fn note_spikes(&mut self) {
        const MUCH: f64 = 1.4;
        let sum = |sample: usize| {
            self.samples.points(sample).map(|(_, size)| u128::from(size.get())).sum()
        };
        let totals: Vec<u128> = (0..self.samples.len()).map(sum).collect();
        let spikes = totals.windows(3).enumerate().filter_map(|(before, three)| {
            let near = three[0].max(three[2]);
            let sizes = self.samples.points(before + 1).map(|(_, size)| u128::from(size.get()));
            let rest = three[1] - sizes.max().unwrap_or(0);
            let times = three[1] as f64 / near as f64;
            let is_alone = three[0] > 0 && three[2] > 0 && times > MUCH && rest <= near + near / 4;
            is_alone.then_some((self.samples.times()[before + 1], times))
        });
        let spikes: Vec<_> = spikes.collect();
        for (time, times) in spikes {
            let incident = Incident::new(WarningCode::DamagedSample).when(time);
            self.incidents.note(incident, || {
                format!(
                    "the sample at {time} has {times:.1} times as much as those around it, because of one band: perhaps \
                     damage"
                )
            });
        }
    }

    /// Whether a single residency makes a sample many times as large as both its neighbours are.
    fn is_one_alone(&self, sample: usize, near: u64, times: u64) -> bool {
        let total = self.tallies.sealed[sample].sum;
        if total / times <= near {
            return false;
        }
        let largest = self.largest(sample);
        largest / times > near && total - largest <= a_quarter_more(near)
    }

    /// The largest residency of a sample.
    fn largest(&self, sample: usize) -> u64 {
        self.samples.points(sample).map(|(_, size)| size.get()).max().unwrap_or(0)
    }

    /// The address space that the heap of the program could use.
    fn address_space(&self) -> u64 {
        let is_set = self.metadata.rts_flags().iter().any(|flag| flag.starts_with("-xr"));
        let size = self.heap[HeapSeriesKind::Size].points.iter().map(|&(_, size)| size.get()).max();
        if is_set || size.is_some_and(|size| size >= RESERVED) { ADDRESS_SPACE } else { RESERVED }
    }

    /// The word size of which residencies are multiples, if the log shows it; 1 otherwise. Damage
    /// affects few samples, and a sample of few points may be a multiple by chance.
    fn word(&self) -> u64 {
        let samples = self.tallies.sealed.len();
        let points = self.samples.points.len();
        let holds = |word: u64| {
            let odd = self.tallies.sealed.iter().filter(|tally| tally.bits % word != 0).count();
            odd * 4 < samples && points >= 32
        };
        [8, 4].into_iter().find(|&word| holds(word)).unwrap_or(1)
    }

    /// The most that a census of this time can have by the figures of its own collection; `None` if the log
    /// does not have them. The figures of the non-moving collector belong to another moment than its
    /// census.
    fn own_most(&self, time: Nanos) -> Option<u64> {
        if self.metadata.filters.loses_times(self.breakdown.unwrap_or_default()) {
            return None;
        }
        let nonmoving = self.metadata.rts_flags();
        let nonmoving = nonmoving.iter().any(|flag| matches!(*flag, "-xn" | "--nonmoving-gc"));
        if nonmoving || !self.runtime.nonmoving.is_empty() {
            return None;
        }
        let collections = &self.runtime.collections.all;
        let next = collections.partition_point(|gc| gc.start <= time);
        let own = collections[..next].last().filter(|gc| time <= gc.end)?;
        let next = collections.get(next).map(|gc| gc.start);
        let figure = |figure| {
            let (at, value) = self.heap[figure].first_from(time)?;
            let is_own = next.is_none_or(|next| at <= next) && at.since(own.end) <= LATE;
            is_own.then_some(value.get())
        };
        // Old versions count complete pinned blocks in a census: up to a fifth more was seen.
        let by_live = figure(HeapSeriesKind::Live)
            .map(|live| a_quarter_more(live.saturating_add(CENSUS_SLACK)));
        let by_size = figure(HeapSeriesKind::Size).map(|size| size.saturating_add(MEGABLOCK));
        by_live.into_iter().chain(by_size).min()
    }

    /// Removes the bands that no sample names any more because their samples were left out.
    pub(super) fn forget_unused_bands(&mut self) {
        let mut used = vec![false; self.bands.len()];
        self.samples.all_points().for_each(|(band, _)| used[band.index()] = true);
        if self.samples.is_empty() || used.iter().all(|&used| used) {
            return;
        }
        let renumbered = self.bands.retain(|band| used[band.index()]);
        self.samples.points.renumber(|band| renumbered[band.index()].unwrap_or(band));
    }
}

fn a_quarter_more(bytes: u64) -> u64 {
    bytes.saturating_add(bytes / 4)
}

impl Series {
    /// The first point at or after a time.
    fn first_from(&self, time: Nanos) -> Option<(Nanos, Bytes)> {
        let at = self.points.partition_point(|&(point, _)| point < time);
        self.points.get(at).copied()
    }

    /// The greatest of the values around a time, plus a megablock. `None` if the log has no figure
    /// of the collection at that time, for example because a killed program lost the end of one
    /// buffer. `near` is where the time before was: of a million collections, each is next to the one before.
    fn around(&self, time: Nanos, near: &Cell<usize>) -> Option<u64> {
        let is_before = |at: usize| self.points.get(at).is_some_and(|&(point, _)| point < time);
        let is_first = |at: &usize| !is_before(*at) && (*at == 0 || is_before(*at - 1));
        let found = (near.get()..=near.get() + 2).find(is_first);
        let at = found.unwrap_or_else(|| self.points.partition_point(|&(point, _)| point < time));
        near.set(at);
        let &(next, _) = self.points.get(at)?;
        let near = &self.points[at.saturating_sub(1)..self.points.len().min(at + 2)];
        let most = near.iter().map(|&(_, value)| value.get()).max()?;
        (next.since(time) <= LATE).then(|| most.saturating_add(MEGABLOCK))
    }

    /// Leaves out values beyond the address space and those for which `refuses` is true.
    fn leave_out(&mut self, refuses: impl Fn(Nanos, u64) -> bool) {
        self.points
            .retain(|&(time, value)| value.get() < ADDRESS_SPACE && !refuses(time, value.get()));
    }

    /// Leaves out single values that stand out from both their neighbours. Memory is given back to
    /// the system bit by bit, so the heap's size never falls like that.
    fn leave_out_spikes(&mut self) {
        self.leave_out(|_, _| false);
        let values: Vec<u64> = self.points.iter().map(|&(_, value)| value.get()).collect();
        let mut at = 0;
        self.points.retain(|_| {
            let value = values[at];
            let before = at.checked_sub(1).map(|before| values[before]);
            let after = values.get(at + 1).copied();
            at += 1;
            let most = before.into_iter().chain(after).max();
            most.is_none_or(|most| value / 4 <= most.max(MEGABLOCK))
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::{BandKeyRef, Breakdown, Collection, Filters};

    fn ms(time: i64) -> Nanos {
        Nanos::from_nanos(1_000_000 * time)
    }

    /// A log of samples after 10, 20, 30 ms, with points of different bands.
    fn log(samples: &[&[u64]]) -> ProfileBuilder {
        log_from(1, samples)
    }

    fn log_from(first: i64, samples: &[&[u64]]) -> ProfileBuilder {
        let mut builder = ProfileBuilder::new(Source::Eventlog);
        for (sizes, time) in samples.iter().zip(first..) {
            builder.sample(
                ms(10 * time).as_nanos(),
                sizes.iter().zip(b"abc").map(|(&size, band)| ([*band], size)),
            );
        }
        builder
    }

    fn is_kept(builder: ProfileBuilder) -> bool {
        builder.finish().samples.times().contains(&ms(20))
    }

    #[test]
    fn a_single_residency_that_stands_alone_is_damage() {
        let between = |sizes: &[u64], before: &[u64]| is_kept(log(&[before, sizes, &[MEGABLOCK]]));
        let kept = |sizes: &[u64]| between(sizes, &[MEGABLOCK]);
        let near = MEGABLOCK + CENSUS_SLACK;
        let alone = ALONE * (near + 1);
        assert!(kept(&[alone - 1]) && !kept(&[alone]));
        assert!(between(&[alone - 1], &[8]), "the larger neighbour counts");
        assert!(kept(&[ALONE * near, near]), "two together");
        assert!(between(&[alone], &[]), "an empty sample is no measure");
        assert!(is_kept(log(&[&[MEGABLOCK], &[alone], &[]])), "nor is one after it");
        assert!(kept(&[alone / 2, alone / 2]), "two bands rose");
        let rest = a_quarter_more(near);
        assert!(!kept(&[alone, rest]) && kept(&[alone, rest + 1]));
        assert!(is_kept(log(&[&[MEGABLOCK], &[alone]])), "nothing comes after it");
    }

    #[test]
    fn a_spike_of_one_band_is_marked_in_a_damaged_log_only() {
        let spikes = |sizes: &[u64], is_damaged: bool| {
            let mut builder = log(&[&[MEGABLOCK, 8], sizes, &[MEGABLOCK, 8], &[MEGABLOCK]]);
            if is_damaged {
                builder.incidents.note(Incident::damaged_bytes(9), String::new);
            }
            let warnings = builder.finish().warnings();
            let text =
                |warning: &crate::incident::Warning| warning.message.contains("perhaps damage");
            warnings.iter().filter(|warning| text(warning)).count()
        };
        assert_eq!(spikes(&[2 * MEGABLOCK, 8], true), 1);
        assert_eq!(spikes(&[2 * MEGABLOCK, 8], false), 0);
        assert_eq!(spikes(&[MEGABLOCK + MEGABLOCK / 4, 8], true), 0);
        assert_eq!(spikes(&[2 * MEGABLOCK, 2 * MEGABLOCK], true), 0, "two bands rose");
    }

    #[test]
    fn one_sample_that_stands_out_is_marked_and_several_are_what_the_program_does() {
        let doubts = |samples: &[&[u64]]| -> Vec<String> {
            let warnings = log(samples).finish().warnings();
            let samples = warnings.into_iter().map(|warning| warning.message);
            samples.filter(|message| message.contains("the sample at")).collect()
        };
        let (level, high) = ([MEGABLOCK, 8], [STANDS_OUT * (MEGABLOCK + CENSUS_SLACK + 9), 8]);
        let found = doubts(&[&level, &high, &level, &level]);
        assert!(found.len() == 1 && found[0].contains("perhaps damage, or a moment"), "{found:?}");
        assert_eq!(doubts(&[&level, &high, &level, &high, &level]), [""; 0]);
        assert_eq!(doubts(&[&level, &[high[0] / 2, 8], &level]), [""; 0]);
        assert_eq!(doubts(&[&level, &high, &[2 * MEGABLOCK, 8]]), [""; 0], "they disagree");
        // Without two neighbours, any other sample is a measure.
        let alone = ALONE * (MEGABLOCK + CENSUS_SLACK + 9);
        assert_eq!(doubts(&[&level, &level, &[alone / 2, 8]]), [""; 0]);
        assert!(doubts(&[&level, &level, &[alone, 8]])[0].ends_with(PERHAPS_DAMAGE));
        assert!(doubts(&[&level, &level, &[UNHEARD_OF, 8]])[0].contains("left out"));
        assert_eq!(doubts(&[&[alone / 2, MEGABLOCK]]), [""; 0], "the other band is a measure");
        assert!(doubts(&[&[alone, MEGABLOCK]])[0].ends_with(PERHAPS_DAMAGE));
        assert!(doubts(&[&[UNHEARD_OF, 8]])[0].contains("left out"));
    }

    /// What a log says about the collection of its second sample.
    struct Witness {
        collections: Vec<(Nanos, Nanos)>,
        figure: (HeapSeriesKind, Nanos),
        flags: &'static [&'static str],
        /// The size of the other samples.
        near: u64,
        /// Whether there are samples before and after the second.
        is_between: [bool; 2],
        /// What the bands are, if they are chosen by biography.
        biography: Option<Breakdown>,
    }

    impl Witness {
        fn sound() -> Witness {
            Witness {
                collections: vec![(ms(1), ms(2)), (ms(15), ms(21))],
                figure: (HeapSeriesKind::Live, ms(21)),
                flags: &["-hy"],
                near: MEGABLOCK,
                is_between: [true; 2],
                biography: None,
            }
        }

        /// The most that the second sample may have by a figure of three megablocks.
        fn most(&self) -> u64 {
            let keeps = |size: u64| {
                let [before, after] = self.is_between.map(usize::from);
                let samples: [&[u64]; 3] = [&[self.near], &[size], &[self.near]];
                let mut builder = log_from(2 - before as i64, &samples[1 - before..2 + after]);
                if let Some(breakdown) = self.biography {
                    builder.declare_breakdown(breakdown);
                    builder.metadata.filters = Filters::from_flags(["-hbdrag"]);
                }
                for &(start, end) in &self.collections {
                    builder.runtime_entries(
                        |runtime| &mut runtime.collections.all,
                        [Collection::between(1, start, end)],
                    );
                }
                let (figure, time) = self.figure;
                builder.heap_point(figure, time, Bytes::new(3 * MEGABLOCK));
                let words = ["p", "+RTS"].iter().chain(self.flags);
                builder.metadata.arguments = words.map(|word| (*word).to_owned()).collect();
                is_kept(builder)
            };
            let (mut least, mut most) = (2 * MEGABLOCK, 30 * MEGABLOCK);
            assert!(keeps(least));
            while !keeps(most) && least + 1 < most {
                let middle = least + (most - least) / 2;
                *(if keeps(middle) { &mut least } else { &mut most }) = middle;
            }
            if keeps(most) { u64::MAX } else { least }
        }
    }

    #[test]
    fn figures_of_its_own_collection_show_that_a_sample_is_too_large() {
        let by_live = a_quarter_more(3 * MEGABLOCK + CENSUS_SLACK);
        assert_eq!(Witness::sound().most(), by_live);
        let size = Witness { figure: (HeapSeriesKind::Size, ms(21)), ..Witness::sound() };
        assert_eq!(size.most(), 4 * MEGABLOCK);
        let with = |collections: &[(i64, i64)], figure: Nanos| {
            let collections = collections.iter().map(|&(start, end)| (ms(start), ms(end)));
            let figure = (HeapSeriesKind::Live, figure);
            Witness { collections: collections.collect(), figure, ..Witness::sound() }.most()
        };
        assert_eq!((with(&[(20, 20)], ms(21)), with(&[(20, 20)], ms(20))), (by_live, by_live));
        assert_eq!(with(&[(15, 19)], ms(21)), u64::MAX, "it was over");
        assert_eq!(with(&[(21, 22)], ms(22)), u64::MAX, "it began later");
        assert_eq!(with(&[(15, 21)], ms(10_021)), by_live);
        assert_eq!(with(&[(15, 21)], ms(10_022)), u64::MAX, "the figure is late");
        assert_eq!(with(&[(15, 21), (40, 41)], ms(40)), by_live);
        assert_eq!(with(&[(15, 21), (40, 41)], ms(41)), u64::MAX, "the figure is of another");
        for is_between in [[false, true], [true, false]] {
            assert_eq!(Witness { is_between, ..Witness::sound() }.most(), by_live, "at an edge");
        }
        let near = 8 * MEGABLOCK;
        let by_neighbours = a_quarter_more(near + CENSUS_SLACK);
        assert_eq!(Witness { near, ..Witness::sound() }.most(), by_neighbours);
        let chosen = |breakdown| Witness { biography: Some(breakdown), ..Witness::sound() }.most();
        assert_eq!(chosen(Breakdown::Biography), by_live);
        assert_eq!(chosen(Breakdown::Type), u64::MAX, "it has no times");
        for flags in [&["-hy", "-xn"][..], &["--nonmoving-gc", "-l"]] {
            assert_eq!(Witness { flags, ..Witness::sound() }.most(), u64::MAX, "{flags:?}");
        }
    }

    #[test]
    fn a_heap_that_leaves_the_reserved_addresses_may_have_all_of_them() {
        let kept = |sample: u64, heap: u64| {
            let mut builder = log(&[&[MEGABLOCK], &[sample]]);
            builder.heap_point(HeapSeriesKind::Size, ms(40), Bytes::new(heap));
            is_kept(builder)
        };
        assert!(kept(2 * RESERVED, RESERVED) && !kept(2 * RESERVED, RESERVED - 1));
        assert!(kept(RESERVED - 8, MEGABLOCK) && !kept(RESERVED, MEGABLOCK));
        let mut asked = log(&[&[MEGABLOCK], &[2 * RESERVED]]);
        asked.metadata.arguments = ["p", "+RTS", "-xr4T"].map(str::to_owned).into();
        assert!(is_kept(asked));
    }

    #[test]
    fn residencies_are_whole_words_if_nearly_all_of_many_are() {
        let of = |sizes: Vec<[u64; 1]>| {
            let samples: Vec<&[u64]> = sizes.iter().map(|size| &size[..]).collect();
            log(&samples).finish().samples.len()
        };
        let kept = |samples: usize, odd: usize, size: u64| {
            of((0..samples).map(|i| [if i < odd { size } else { 80 }]).collect())
        };
        assert_eq!((kept(32, 7, 81), kept(32, 8, 81)), (25, 32), "a quarter is not seldom");
        assert_eq!((kept(32, 1, 81), kept(31, 1, 81)), (31, 31), "31 may be so by chance");
        assert_eq!((kept(32, 7, 84), kept(32, 8, 84)), (25, 32), "words of four bytes");
        let of_four = (0..32).map(|i| [if i == 7 { 82 } else { 80 + 4 * (i % 2) }]);
        assert_eq!(of(of_four.collect()), 31, "no multiple of four bytes");
    }

    #[test]
    fn a_band_that_only_an_impossible_sample_names_is_gone() {
        let alone = 2 * ALONE * MEGABLOCK;
        let bands = |mut builder: ProfileBuilder| {
            builder.band(BandKeyRef::Name(b"without points")).expect("few bands");
            let profile = builder.finish();
            let last = profile.samples.points(0).last().map(|(band, _)| profile.bands.label(band));
            (profile.bands.len(), last.map(str::to_owned))
        };
        let a = Some("a".to_owned());
        assert_eq!(bands(log(&[&[MEGABLOCK], &[8, alone], &[MEGABLOCK]])), (1, a.clone()));
        // Nothing is left out, and so no band is.
        assert_eq!(bands(log(&[&[MEGABLOCK], &[8, MEGABLOCK], &[MEGABLOCK]])), (3, a));
    }

    #[test]
    fn a_heap_that_is_four_times_its_neighbours_is_damage() {
        let kept = |near: u64, size: u64| {
            let mut builder = log(&[]);
            for (time, size) in [(1, near), (2, size), (3, near)] {
                builder.heap_point(HeapSeriesKind::Size, ms(time), Bytes::new(size));
            }
            builder.finish().heap[HeapSeriesKind::Size].points.len() == 3
        };
        let near = 2 * MEGABLOCK;
        assert!(kept(near, 4 * near + 3) && !kept(near, 4 * (near + 1)));
        assert!(kept(8, 4 * MEGABLOCK + 3) && !kept(8, 4 * (MEGABLOCK + 1)));
    }

    #[test]
    fn live_data_is_not_much_more_than_the_heap() {
        let kept = |size: (i64, u64), live: (i64, u64)| {
            let mut builder = log(&[]);
            builder.heap_point(HeapSeriesKind::Size, ms(size.0), Bytes::new(size.1));
            builder.heap_point(HeapSeriesKind::Live, ms(live.0), Bytes::new(live.1));
            !builder.finish().heap[HeapSeriesKind::Live].points.is_empty()
        };
        let most = a_quarter_more(5 * MEGABLOCK);
        assert!(kept((20_000, 4 * MEGABLOCK), (20_000, most)));
        assert!(!kept((20_000, 4 * MEGABLOCK), (20_000, most + 1)));
        assert!(!kept((20_000, 4 * MEGABLOCK), (10_000, most + 1)));
        assert!(kept((20_000, 4 * MEGABLOCK), (9_999, most + 1)), "no figure is near it");
        let mut grown = log(&[]);
        for (time, size) in [(1, 1), (2, 1), (21, 100)] {
            grown.heap_point(HeapSeriesKind::Size, ms(time), Bytes::new(size * MEGABLOCK));
        }
        grown.heap_point(HeapSeriesKind::Live, ms(21), Bytes::new(90 * MEGABLOCK));
        assert_eq!(grown.finish().heap[HeapSeriesKind::Live].points.len(), 1);
    }
}
