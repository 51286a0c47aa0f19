//! What the run-time system did, in sentences: the lines of `stats`, and the notes under the panels of a
//! picture.

use super::summary::{
    AllocationFigures, GcFigures, MemoryFigures, NonMovingFigures, RunTimeFigures,
};
use crate::analysis::constants::{HALF, WORTH};
use crate::base::sentence::{Sentence, rounded, say, size};
use crate::base::units::{Bytes, Nanos, count, percent};

impl RunTimeFigures {
    /// The lines, each with the word that it begins with; the word is empty for a line that continues the
    /// one before.
    pub fn lines(&self) -> Vec<(&'static str, Sentence)> {
        let mut lines = Vec::new();
        if let Some(gc) = &self.gc {
            lines.push(("collector", gc.line().into()));
            lines.extend(gc.census_words().map(|line| ("", line.into())));
        }
        let memory = self.memory.as_ref().and_then(MemoryFigures::line);
        lines.extend(memory.map(|line| ("memory", line)));
        lines.extend(self.allocation.map(|figures| ("allocation", figures.line())));
        if let Some(nonmoving) = &self.nonmoving {
            lines.push(("non-moving", nonmoving.line().into()));
            lines.extend(nonmoving.segments_line().map(|line| ("", line)));
        }
        lines
    }
}

impl GcFigures {
    fn line(&self) -> String {
        format!(
            "{}, {} of {}; longest {}; productivity {:.1} %",
            count(self.collections, "pause"),
            sum_of_times(self.pause_ns),
            self.elapsed,
            self.longest,
            self.productivity_percent
        )
    }

    /// That heap censuses lengthen pauses.
    pub fn census_words(&self) -> Option<String> {
        let with = self.census_collections;
        let verb = if with == 1 { "includes" } else { "include" };
        let (pauses, share) = (count(with, "pause"), self.census_share());
        (with > 0).then(|| {
            format!("{pauses} {verb} a heap census ({share} of all pause time): without profiling they are shorter")
        })
    }

    fn census_share(&self) -> String {
        percent(self.census_pause_ns.max(0) as u128, self.pause_ns.max(0) as u128)
    }
}

impl MemoryFigures {
    fn line(&self) -> Option<Sentence> {
        let held = self.held_peak?;
        let mut line = say![held, " held at most"];
        if let (Some(live), Some(times)) = (self.live_peak, self.held_by_live) {
            line = say![line, format!(", {times:.1} times the live data ("), live, ")"];
        }
        if let Some(areas) = self.areas_words() {
            line = say![line, "; of it ", areas];
        }
        if let Some(last) = self.held_last.filter(|&last| last != held) {
            line = say![line, "; ", last, " at the end"];
        }
        Some(line)
    }

    /// What the allocation areas are, if they are a fair part of what was held: `64 MiB are allocation areas`.
    pub fn areas_words(&self) -> Option<Sentence> {
        let (areas, held) = (self.areas?, self.held_peak?);
        let of = match self.capabilities {
            1 => "1 capability: -A sets it".to_owned(),
            many => format!("{many} capabilities: -A and -N set them"),
        };
        let words = || say![areas, format!(" are allocation areas ({of})")];
        (areas.get() as f64 >= WORTH * held.get() as f64).then(words)
    }

    /// The note of a panel on what most of the memory is that is held beyond the live data: allocation areas, free blocks,
    /// or else, as far as the collector copies, room for copies.
    pub fn held_note(&self, copies: bool) -> Option<Sentence> {
        let held = self.held_peak?.get() as f64;
        let part = |bytes: Option<Bytes>| bytes.map_or(0.0, |bytes| bytes.get() as f64);
        let (areas, live) = (part(self.areas), part(self.live_peak));
        // After a collection that copies, as much as was live is free: the next one needs it.
        let free = (part(self.free) - if copies { live } else { 0.0 }).max(0.0);
        let rest = held - areas - free;
        if let Some(words) = self.areas_words().filter(|_| areas >= HALF * (held - live)) {
            return Some(say!["of ", self.held_peak?, " held, ", words]);
        }
        if free > 0.0 && free >= HALF * (held - live) {
            let why = " are free blocks, which are given back later, or needed again";
            return Some(say!["of ", self.held_peak?, " held, ", rounded(free), why]);
        }
        let times =
            self.held_by_live.map(|_| rest / live).filter(|times| copies && *times >= 1.5)?;
        let without = if areas > 0.0 { ", without its allocation areas," } else { "" };
        let why = "a copying collection needs room for both copies, and the heap may double before the next";
        Some(format!("the heap held{without} is {times:.1} times the live data: {why}").into())
    }
}

impl AllocationFigures {
    fn line(&self) -> Sentence {
        say![size(self.bytes), ", ", size(self.bytes_per_second), " a second in the program"]
    }
}

impl NonMovingFigures {
    fn line(&self) -> String {
        let cycles = count(self.sweeps, "cycle");
        let mut line = format!("{cycles}, marking {}", sum_of_times(self.marking_ns));
        if self.stops > 0 {
            let stops = count(self.stops, "further pause");
            let (all, longest) = (sum_of_times(self.stopped_ns), self.longest_stop);
            line += &format!("; {stops}, {all}, longest {longest}");
        }
        line
    }

    fn segments_line(&self) -> Option<Sentence> {
        let (live, capacity) = (self.live.get(), self.capacity.get());
        let share = percent(capacity.saturating_sub(live).into(), capacity.into());
        let free = format!(" at the end, {share} of it free");
        (capacity > 0).then(|| say!["segments of ", self.capacity, free])
    }
}

/// A sum of nanoseconds as a time; at most the greatest time.
pub fn sum_of_times(nanoseconds: i128) -> Nanos {
    Nanos::from_nanos(i64::try_from(nanoseconds).unwrap_or(i64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::runtime::testing::{activity, gc};
    use crate::base::units::UnitSystem;

    /// A collection of 10 ns.
    fn pauses() -> GcFigures {
        let run = activity(vec![gc(0, 10, 20)], vec![], 100);
        GcFigures::new(&run.runtime.collections, run.elapsed()).expect("collections")
    }

    #[test]
    fn one_collection_includes_a_census_and_two_include_one() {
        let figures = |with: usize| GcFigures { census_collections: with, ..pauses() };
        let words = |with| figures(with).census_words();
        let end = "a heap census (0 % of all pause time): without profiling they are shorter";
        let said = [format!("1 pause includes {end}"), format!("2 pauses include {end}")];
        assert_eq!(
            [words(0), words(1), words(2)],
            [None, Some(said[0].clone()), Some(said[1].clone())]
        );
    }

    #[test]
    fn lines_leave_out_what_there_is_nothing_to_say_about() {
        let bytes = |kib: u64| Some(Bytes::new(kib << 10));
        let memory = |last: u64, times: f64| MemoryFigures {
            held_peak: bytes(30),
            held_last: bytes(last),
            live_peak: bytes(20),
            held_by_live: Some(times),
            ..MemoryFigures::default()
        };
        let line = |last| memory(last, 1.5).line().unwrap().text(UnitSystem::Binary);
        assert_eq!(line(30), "30 KiB held at most, 1.5 times the live data (20 KiB)");
        assert_eq!(line(10), line(30) + "; 10 KiB at the end");
        let note = |memory: MemoryFigures| memory.held_note(true).map(|note| note.to_string());
        assert!(note(memory(30, 1.5)).unwrap().contains("1.5 times"));
        let less = MemoryFigures { held_peak: bytes(29), ..memory(30, 1.45) };
        assert_eq!(note(less), None);
        // Of 10 KiB that are not live, 6 are allocation areas, or free.
        let areas = MemoryFigures { areas: bytes(6), capabilities: 2, ..memory(30, 1.5) };
        assert!(note(areas).unwrap().starts_with("of 30 KiB held, 6 KiB are allocation areas (2 "));
        let free = MemoryFigures { free: bytes(26), ..memory(30, 1.5) };
        assert!(note(free).unwrap().starts_with("of 30 KiB held, 6 KiB are free blocks"));
        let copied = MemoryFigures { free: bytes(20), ..memory(40, 2.0) };
        assert!(note(copied).unwrap().contains("room for both copies"), "what was copied is free");

        let mut marking = NonMovingFigures {
            sweeps: 2,
            marking_ns: 3_000_000_000,
            stops: 0,
            stopped_ns: 0,
            longest_stop: Nanos::ZERO,
            live: Bytes::ZERO,
            capacity: Bytes::ZERO,
        };
        assert_eq!(marking.line(), "2 cycles, marking 3 s");
        assert_eq!(marking.segments_line(), None);
        (marking.stops, marking.capacity) = (1, Bytes::new(4));
        assert!(marking.line().starts_with("2 cycles, marking 3 s; 1 further pause"));
        assert!(
            marking.segments_line().unwrap().text(UnitSystem::Binary).ends_with("100 % of it free")
        );
    }

    #[test]
    fn the_share_of_censuses_is_one_of_all_pauses() {
        let of = |census_pause_ns| GcFigures { census_pause_ns, ..pauses() }.census_share();
        assert_eq!((of(5).as_str(), of(-5).as_str()), ("50.0 %", "0 %"));
    }
}
