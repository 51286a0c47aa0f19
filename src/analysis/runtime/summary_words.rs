//! What the run-time system did, in sentences: the lines of `stats`, and the notes under the panels of a
//! picture.

use super::summary::{
    AllocationFigures, GcFigures, MemoryFigures, NonMovingFigures, RunTimeFigures,
};
use crate::base::sentence::{Sentence, say, size};
use crate::base::units::{Nanos, count, percent};

impl RunTimeFigures {
    /// The lines, each with the word that it begins with; the word is empty for a line that continues the
    /// one before.
    pub fn lines(&self) -> Vec<(&'static str, Sentence)> {
        let mut lines = Vec::new();
        if let Some(gc) = &self.gc {
            lines.push(("collector", gc.line().into()));
            lines.extend(gc.census_line().map(|line| ("", line.into())));
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

    fn census_line(&self) -> Option<String> {
        let (with, share) = (self.census_collections, self.census_share());
        let verb = if with == 1 { "includes" } else { "include" };
        (with > 0).then(|| {
            format!(
                "{with} of them {verb} a heap census, which prolongs them ({share} of all pauses)"
            )
        })
    }

    /// The note of a panel that heap censuses lengthen pauses.
    pub fn census_note(&self) -> Option<String> {
        let (with, share) = (self.census_collections, self.census_share());
        let verb = if with == 1 { "holds" } else { "hold" };
        (with > 0).then(|| {
            format!(
                "{} {verb} a heap census ({share} of all pauses): without profiling they are shorter",
                count(with, "collection"),
            )
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
        if let Some(last) = self.held_last.filter(|&last| last != held) {
            line = say![line, "; ", last, " at the end"];
        }
        Some(line)
    }

    /// The note of a panel on why a program whose collector copies holds more than its live data.
    pub fn copies_note(&self) -> Option<String> {
        let times = self.held_by_live.filter(|&times| times >= 1.5)?;
        Some(format!(
            "the heap held is {times:.1} times the live data: a copying collection needs room for both \
             copies, and the heap may double before the next"
        ))
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
    use crate::base::units::{Bytes, UnitSystem};

    #[test]
    fn one_collection_includes_a_census_and_two_include_one() {
        let figures = |with: usize| GcFigures {
            census_collections: with,
            ..GcFigures::new(&activity(vec![gc(0, 10, 20)], vec![], 100)).expect("collections")
        };
        let words = |with| figures(with).census_line().zip(figures(with).census_note());
        assert_eq!(words(0), None);
        let (line, note) = words(1).expect("a census");
        assert!(line.starts_with("1 of them includes a heap census"), "{line}");
        assert!(note.starts_with("1 collection holds a heap census"), "{note}");
        let (line, note) = words(2).expect("two");
        assert!(line.starts_with("2 of them include a heap census"), "{line}");
        assert!(note.starts_with("2 collections hold a heap census"), "{note}");
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
        assert!(memory(30, 1.5).copies_note().unwrap().contains("1.5 times"));
        assert_eq!(memory(30, 1.49).copies_note(), None);

        let mut marking = NonMovingFigures {
            sweeps: 2,
            marking_ns: 3_000_000_000,
            marked_objects: 0,
            stops: 0,
            stopped_ns: 0,
            longest_stop: Nanos::ZERO,
            live: Bytes::ZERO,
            capacity: Bytes::ZERO,
            free_segments: None,
            blocks: Vec::new(),
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
        let collections = GcFigures::new(&activity(vec![gc(0, 10, 20)], vec![], 100)).unwrap();
        let of =
            |census_pause_ns| GcFigures { census_pause_ns, ..collections.clone() }.census_share();
        assert_eq!((of(5).as_str(), of(-5).as_str()), ("50.0 %", "0 %"));
    }
}
