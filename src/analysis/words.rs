//! A verdict in words: first the fact, then its interpretation. The words always state how long the
//! run was observed, and claim no more than was observed.

use super::{
    After, Climb, FEWEST_SAMPLES, InStep, Leak, Remark, RunEnd, SamplingAdvice, Suspect, Verdict,
    WhyNot,
};
use crate::base::units::{Nanos, UnitSystem, count, percent_text};
use crate::profile::{Breakdown, Clock};

impl Leak {
    /// The grade in words.
    pub fn words(self) -> &'static str {
        match self {
            Leak::Unknown => "cannot tell",
            Leak::None => "no leak",
            Leak::Possible => "possible leak",
            Leak::Likely => "likely leak",
        }
    }

    /// The grade as data: `likely`.
    pub fn id(self) -> &'static str {
        match self {
            Leak::Unknown => "unknown",
            Leak::None => "none",
            Leak::Possible => "possible",
            Leak::Likely => "likely",
        }
    }
}

/// A rate on a clock: `1.34 MiB/s`, `1.34 MiB/s of CPU`, `12 KiB/sample`.
pub fn rate_text(rate: f64, clock: Clock, units: UnitSystem) -> String {
    let sign = if rate < 0.0 { "-" } else { "" };
    let bytes = units.text(rate.abs().round() as u128);
    match clock {
        Clock::Elapsed => format!("{sign}{bytes}/s"),
        Clock::Mutator => format!("{sign}{bytes}/s of CPU"),
        Clock::Sample => format!("{sign}{bytes}/sample"),
    }
}

/// What stays of all that is allocated: `keeps 31 KiB of each MiB allocated`.
fn kept_text(percent: f64, units: UnitSystem) -> String {
    let base = units.base() as f64;
    let (scale, unit) = match percent / 100.0 * base * base >= 1.0 {
        true => (base * base, units.names()[2]),
        false => (base * base * base, units.names()[3]),
    };
    let kept = units.text((percent / 100.0 * scale).round() as u128);
    format!("keeps {kept} of each {unit} allocated")
}

/// A place in a run: `1.5 s`, or `sample 12` where samples have no times.
pub fn place_text(time: Option<Nanos>, sample: usize) -> String {
    time.map_or_else(|| format!("sample {}", sample + 1), |time| time.to_string())
}

impl Suspect {
    /// Since when it grows: `the start`, `1.5 s`, or `sample 12`.
    pub fn since_text(&self) -> String {
        match self.from_start {
            true => "the start".to_owned(),
            false => place_text(self.since, self.since_sample - 1),
        }
    }
}

impl Verdict {
    /// The grade in words. While the program is running, it describes what was seen so far: only
    /// the end of the run can show whether that is a leak.
    pub(crate) fn grade(&self) -> &'static str {
        match self.leak {
            leak if self.end != RunEnd::Running => leak.words(),
            Leak::Unknown => "too early to tell",
            Leak::None => "no growth so far",
            Leak::Possible | Leak::Likely => "growing so far",
        }
    }

    /// Whether the program is still running, so that more is to come.
    pub(crate) fn is_so_far(&self) -> bool {
        self.end == RunEnd::Running
    }

    /// The fact on which the verdict is based.
    pub fn fact(&self, units: UnitSystem) -> String {
        match self.leak {
            Leak::Unknown => self.too_few(),
            Leak::None => self.no_growth().to_owned(),
            Leak::Possible | Leak::Likely if self.end == RunEnd::Running => format!(
                "{}, by {} so far ({})",
                self.growing_for(),
                units.text(u128::from(self.grew)),
                rate_text(self.rate, self.clock, units)
            ),
            Leak::Possible | Leak::Likely => format!(
                "grew by {}, still growing at the end ({})",
                units.text(u128::from(self.grew)),
                rate_text(self.rate, self.clock, units)
            ),
        }
    }

    /// What the fact is a part of, and what no machine changes about it: clauses without a full stop.
    pub(crate) fn details(&self, units: UnitSystem) -> Vec<String> {
        let mut details = Vec::new();
        if self.leak < Leak::Possible {
            return details;
        }
        if self.suspects.first().is_some_and(|first| first.row.is_some()) {
            let heap = units.text(self.heap_grew.unsigned_abs().into());
            let share = self.grew as f64 / self.heap_grew as f64;
            details.push(if self.heap_grew <= 0 {
                format!("in that time the whole heap fell by {heap}: other bands fell")
            } else if share > 1.05 {
                format!("in that time the whole heap grew by {heap}: other bands fell")
            } else if share >= 0.95 {
                format!("that is all that the heap grew by in that time ({heap})")
            } else {
                let share = percent_text(100.0 * share);
                format!("that is {share} of the {heap} that the heap grew by in that time")
            });
        }
        let differs = |rate: &f64| (rate / self.rate - 1.0).abs() > 0.1;
        let running = self.running_rate.filter(differs).map(|rate| {
            let rate = rate_text(rate, Clock::Elapsed, units);
            format!("{rate} of running time without collections")
        });
        let kept = self.kept_percent.map(|percent| kept_text(percent, units));
        details.extend(running.into_iter().chain(kept));
        details
    }

    /// What later samples show of a heap in which nothing leaks.
    fn no_growth(&self) -> &'static str {
        let shifted = |remark: &Remark| matches!(remark, Remark::OthersFell { .. });
        let rises = self.remarks.iter().any(|remark| remark.rise().is_some());
        match self.end == RunEnd::Running {
            _ if self.remarks.iter().any(shifted) => "a band grows, but the heap does not",
            true if rises => "no band keeps growing steadily",
            false if rises => "no band grows steadily to the end of this run",
            true => "no band keeps growing",
            false => "no band grows to the end of this run",
        }
    }

    /// `growing for 4 min`, for a program that is running.
    fn growing_for(&self) -> String {
        let since = self.suspects.first().and_then(|first| first.since);
        match (since, self.until) {
            (Some(since), Some(until)) => format!("growing for {}", until.since(since)),
            _ => "growing".to_owned(),
        }
    }

    fn too_few(&self) -> String {
        let needed = format!("{FEWEST_SAMPLES} are needed, 30 are better");
        format!("{}: {needed}", count(self.samples, "sample"))
    }

    /// What the next run should do to be sampled better, if this one could have been.
    pub(crate) fn sampling(&self) -> Option<&SamplingAdvice> {
        self.remarks.iter().find_map(|remark| match remark {
            Remark::Sampling(advice) => Some(advice),
            _ => None,
        })
    }

    /// One line to print after drawing, if something grows. `name` is what the picture calls a row, if
    /// it shows it.
    pub fn line(
        &self,
        units: UnitSystem,
        name: impl FnOnce(usize) -> Option<String>,
    ) -> Option<String> {
        let first = self.suspects.first()?;
        let grade = match self.leak {
            Leak::Likely => "likely leak",
            Leak::Possible => "possible leak",
            Leak::None | Leak::Unknown => return None,
        };
        let others = match self.suspects.len().max(self.growing) {
            1 => String::new(),
            n => {
                format!(" ({} in all: {})", count(n, "suspect"), units.text(u128::from(self.grew)))
            }
        };
        // Without a row it is all bands together.
        let was = if first.row.is_some() { "was" } else { "were" };
        Some(format!(
            "{grade}: {} grew by {} since {}, and {was} still growing at the end{others}",
            first.row.and_then(name).unwrap_or_else(|| first.label.clone()),
            units.text(u128::from(first.grew)),
            first.since_text()
        ))
    }

    /// The fact for a picture, without a judgement. `name` is what the picture calls a row, if it shows
    /// it.
    pub fn caption(
        &self,
        units: UnitSystem,
        name: impl FnOnce(usize) -> Option<String>,
    ) -> Option<String> {
        let perhaps = match self.leak {
            Leak::Likely => "",
            Leak::Possible => "perhaps ",
            Leak::None | Leak::Unknown => return None,
        };
        let first = self.suspects.first()?;
        Some(format!(
            "{} {perhaps}still growing at the end: +{} since {}",
            first.row.and_then(name).unwrap_or_else(|| first.label.clone()),
            units.text(u128::from(first.grew)),
            first.since_text()
        ))
    }

    /// What a verdict of growth does not say, and what to do next; `None` when nothing grows.
    pub fn next_step(&self) -> Option<String> {
        if self.leak < Leak::Possible {
            return None;
        }
        let step = match self.breakdown {
            Breakdown::CostCentre | Breakdown::Module => {
                "To see what it is: +RTS -hy; what holds it: -hr"
            }
            Breakdown::InfoTable => "To see what holds it, build with -prof and run with +RTS -hr",
            Breakdown::Retainer => "To see what it is: +RTS -hy; who makes it: -hc",
            Breakdown::Era => "To see what it is: +RTS -hT -hy",
            _ if !self.profiled => {
                "To see who makes it, build with -prof and run with +RTS -hc; \
                 or build with -finfo-table-map and run with -hi (GHC 9.2 or newer)"
            }
            _ => "To see who makes it: +RTS -hc",
        };
        Some(format!("Intended growth looks the same. {step}"))
    }
}

impl Climb {
    /// `THUNK by 13.9 MiB from 0.07 s to 1.48 s, then given back`.
    pub fn text(&self, units: UnitSystem) -> String {
        let after = match self.after {
            After::GivenBack => "then given back",
            After::Level => "then level",
        };
        format!(
            "{} by {} from {} to {}, {after}",
            self.label,
            units.text(u128::from(self.rose)),
            place_text(self.from, self.from_sample - 1),
            place_text(self.to, self.to_sample - 1)
        )
    }
}

impl Remark {
    /// If it is about bands that rise to the end of the run, by how many bytes they do.
    pub(super) fn rise(&self) -> Option<u64> {
        match self {
            Remark::OthersFell { grew: rise, .. } | Remark::StillRises { rose: rise, .. } => {
                Some(*rise)
            }
            _ => None,
        }
    }

    /// The remark in a sentence or two.
    pub fn text(&self, units: UnitSystem) -> String {
        let size = |bytes: u64| units.text(u128::from(bytes));
        match self {
            Remark::OutsideBands { live, bands } => format!(
                "The run-time system's live bytes grew by {}, all bands together by {}: no band \
                 contains what grows. Before GHC 9.10 it can be the stacks of threads; -hT shows \
                 them as STACK.",
                size(*live),
                size(*bands)
            ),
            Remark::MoreThanTheHeap { bands, heap } => format!(
                "The bands of one sample add up to {}, in a heap of {}. The non-moving collector \
                 counts large objects several times, so sizes and rates are too high.",
                size(*bands),
                size(*heap)
            ),
            Remark::NamedSuspect { label } => format!(
                "The first suspect is an address without a place in the source; the first with a \
                 place is {label}."
            ),
            Remark::GrewMore { label, grew, why } => format!(
                "{label} grew by {} in that time, more than a suspect, but is not accused: {}.",
                size(*grew),
                match why {
                    WhyNot::StandsStill => "it does not grow at the end",
                    WhyNot::Falls => "it falls a lot in between",
                    WhyNot::MostHasStopped | WhyNot::NotSure => {
                        "it grows too unevenly, too briefly or too slowly at the end"
                    }
                }
            ),
            Remark::WithoutOwner { label, in_step } => without_owner(label, in_step, units),
            Remark::OthersFell { label, grew, fell } => format!(
                "{label} grew by {} up to the end, in a heap that {}: other bands fell by {}.",
                size(*grew),
                if *fell > grew + grew / 10 { "shrinks" } else { "does not grow" },
                size(*fell)
            ),
            Remark::StillRises { label, rose, why } => format!(
                "{label} rose by {} up to the end of this run, {}.",
                size(*rose),
                match why {
                    WhyNot::MostHasStopped => {
                        "but most of what grew in the heap has stopped growing"
                    }
                    WhyNot::StandsStill | WhyNot::Falls | WhyNot::NotSure => {
                        "but too unevenly, too briefly or too slowly at the end to be called a \
                         leak: a longer run with more samples can show whether it is one"
                    }
                }
            ),
            Remark::Sampling(advice) => advice.to_string(),
            Remark::ErasEnd => {
                "A band stops growing when its era ends, so only all bands together were judged."
                    .to_owned()
            }
        }
    }
}

/// What grows in step with bytes whose owner the profiler does not know.
fn without_owner(label: &str, in_step: &[InStep], units: UnitSystem) -> String {
    let one = |band: &InStep| {
        let place = band.place.as_ref().map_or(String::new(), |place| format!(", made at {place}"));
        format!("{} (+{}{place})", band.label, units.text(band.grew.into()))
    };
    let bands: Vec<String> = in_step.iter().map(one).collect();
    let bands = match bands.is_empty() {
        true => String::new(),
        false => format!("  These bands grow in step with it: {}.", bands.join(", ")),
    };
    format!(
        "The profiler does not know who holds {label}.{bands} A slice of a ByteString or Text keeps \
         its whole buffer: Data.ByteString.copy or Data.Text.copy keeps only the slice."
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::Analysis;
    use crate::slice::Slice;

    #[test]
    fn a_rate_names_its_clock() {
        let text = |clock| rate_text(1_400_000.0, clock, UnitSystem::Binary);
        assert_eq!(text(Clock::Elapsed), "1.34 MiB/s");
        assert_eq!(text(Clock::Mutator), "1.34 MiB/s of CPU");
        assert_eq!(text(Clock::Sample), "1.34 MiB/sample");
    }

    #[test]
    fn what_stays_is_a_part_of_the_unit_in_which_it_is_bytes() {
        assert_eq!(
            [3.0, 1e-4, 9e-5, 1e-6].map(|percent| kept_text(percent, UnitSystem::Binary)),
            [
                "keeps 30.7 KiB of each MiB allocated",
                "keeps 1 B of each MiB allocated",
                "keeps 966 B of each GiB allocated",
                "keeps 11 B of each GiB allocated",
            ]
        );
    }

    #[test]
    fn growth_is_compared_with_that_of_the_whole_heap() {
        let sizes: Vec<f64> = (0..100).map(|i| 1e6 + 1e5 * f64::from(i)).collect();
        let profile = crate::analysis::testing::grown(&[("a", &sizes)], 1.0);
        let mut verdict = Analysis::of(&Slice::whole(&profile)).verdict;
        // From the median of the first five samples to that of the last five.
        assert_eq!(verdict.heap_grew, 9_500_000);
        verdict.grew = 1000 << 10;
        let mut detail = |kib: i64| {
            verdict.heap_grew = kib << 10;
            verdict.details(UnitSystem::Binary).swap_remove(0)
        };
        for (kib, expected) in [
            (-50, "in that time the whole heap fell by 50 KiB: other bands fell"),
            (0, "in that time the whole heap fell by 0 B: other bands fell"),
            (950, "in that time the whole heap grew by 950 KiB: other bands fell"),
            (960, "that is all that the heap grew by in that time (960 KiB)"),
            (1050, "that is all that the heap grew by in that time (1.03 MiB)"),
            (1060, "that is 94.3 % of the 1.04 MiB that the heap grew by in that time"),
        ] {
            assert_eq!(detail(kib), expected);
        }
        // The rate without collections is another one only if it differs by more than a tenth.
        let mut is_told = |factor: f64| {
            verdict.running_rate = Some(factor * verdict.rate);
            let details = verdict.details(UnitSystem::Binary);
            details.iter().any(|detail| detail.ends_with("of running time without collections"))
        };
        assert_eq!(
            [0.85, 0.95, 1.0, 1.05, 1.15].map(&mut is_told),
            [true, false, false, false, true]
        );
    }

    #[test]
    fn all_bands_together_are_many() {
        // Growth that is a part of the noise of each band, but not of their sum.
        let mut random = crate::testing::Random::new(1, "bands");
        let mut sizes = || (0..60).map(|i| (900 + random.below(300) + i) as f64).collect();
        let sizes: Vec<Vec<f64>> = (0..500).map(|_| sizes()).collect();
        let names: Vec<String> = (0..500).map(|i| format!("band {i}")).collect();
        let bands: Vec<_> =
            names.iter().map(String::as_str).zip(sizes.iter().map(Vec::as_slice)).collect();
        let profile = crate::analysis::testing::grown(&bands, 1.0);
        let verdict = Analysis::of(&Slice::whole(&profile)).verdict;
        assert_eq!(verdict.suspects.len(), 1, "{verdict:?}");
        let line = verdict.line(UnitSystem::Binary, |_| None).expect("growth");
        assert!(line.contains("all bands together grew by"), "{line}");
        assert!(line.ends_with("and were still growing at the end"), "{line}");
    }

    #[test]
    fn the_next_step_is_one_that_the_build_allows() {
        let sizes: Vec<f64> = (0..60).map(|i| 1e6 + 1e5 * f64::from(i)).collect();
        let profile = crate::analysis::testing::grown(&[("THUNK", &sizes)], 0.1);
        let verdict = Analysis::of(&Slice::whole(&profile)).verdict;
        let step = |profiled| Verdict { profiled, ..verdict.clone() }.next_step().expect("growth");
        assert!(step(true).ends_with("To see who makes it: +RTS -hc"));
        assert!(step(false).contains("To see who makes it, build with -prof"));
    }

    /// The words about a run in which one band falls from 9 MB while another rises.
    fn words_of(rising: &str, rate: f64) -> (Leak, String) {
        let falls: Vec<f64> = (0..40).map(|i| 9e6 - 2e5 * f64::from(i)).collect();
        let rises: Vec<f64> = (0..40).map(|i| 1e5 + rate * f64::from(i)).collect();
        let bands = [(":", &falls[..]), (rising, &rises[..])];
        let mut builder = crate::analysis::testing::growing(&bands, 0.1);
        builder.declare_breakdown(Breakdown::ClosureType);
        let profile = builder.finish();
        let verdict = Analysis::of(&Slice::whole(&profile)).verdict;
        let remarks = verdict.remarks.iter().map(|remark| remark.text(UnitSystem::Binary));
        let words: Vec<String> =
            [verdict.fact(UnitSystem::Binary)].into_iter().chain(remarks).collect();
        (verdict.leak, words.join("\n"))
    }

    #[test]
    fn growth_that_another_band_hides_is_reported() {
        // A list is read while thunks pile up.
        let (leak, text) = words_of("THUNK", 1e5);
        assert_eq!(leak, Leak::Possible);
        assert!(text.contains("grew by 3.4") && text.contains("in a heap that shrinks"), "{text}");
        // One type of record replaces another.
        let (leak, text) = words_of("Double", 1.9e5);
        assert_eq!(leak, Leak::None);
        assert!(text.starts_with("a band grows, but the heap does not\nDouble grew by"), "{text}");
        assert!(text.contains("in a heap that does not grow"), "{text}");
        assert_eq!(words_of("THUNK", 0.0).1, "no band grows to the end of this run");
    }

    #[test]
    fn what_rises_to_the_last_sample_did_not_end() {
        // The square root of a square root: slower and slower, but never level.
        let curve = |until: f64| {
            let size = |i: f64| 1e6 + 5e6 * libm::pow(i.min(until) / 200.0, 0.25);
            (0..200).map(|i| size(f64::from(i))).collect::<Vec<f64>>()
        };
        let verdict = |sizes: &[f64]| {
            let profile = crate::analysis::testing::grown(&[("slow", sizes)], 0.1);
            Analysis::of(&Slice::whole(&profile)).verdict
        };
        let rising = verdict(&curve(200.0));
        let words = rising.fact(UnitSystem::Binary);
        assert!(rising.climbs.is_empty(), "{rising:?}");
        assert!(!words.contains("no band grows to the end"), "{words}");
        let level = verdict(&curve(150.0));
        assert_eq!(level.fact(UnitSystem::Binary), "no band grows to the end of this run");
        assert!(level.climbs[0].text(UnitSystem::Binary).ends_with("then level"), "{level:?}");
    }

    /// A verdict on two bands that grow, the first twice as fast.
    fn two_grow() -> Verdict {
        let line =
            |rate: f64| -> Vec<f64> { (0..100).map(|i| 1e6 + rate * f64::from(i)).collect() };
        let (fast, slow) = (line(2e5), line(1e5));
        let profile = crate::analysis::testing::grown(&[("slow", &slow), ("fast", &fast)], 1.0);
        let verdict = Analysis::of(&Slice::whole(&profile)).verdict;
        assert_eq!((verdict.leak, verdict.suspects.len()), (Leak::Likely, 2));
        verdict
    }

    #[test]
    fn the_first_suspect_is_named_and_the_others_are_counted() {
        let mut verdict = two_grow();
        let line = |verdict: &Verdict| verdict.line(UnitSystem::Binary, |_| None).unwrap();
        assert!(line(&verdict).starts_with("likely leak: fast grew by"), "{}", line(&verdict));
        assert!(line(&verdict).contains("(2 suspects in all: "));
        let caption = verdict.caption(UnitSystem::Binary, |_| None).unwrap();
        assert!(caption.starts_with("fast still growing at the end: +"), "{caption}");
        verdict.growing = 5;
        assert!(line(&verdict).contains("(5 suspects in all: "));
        verdict.suspects[1].row = None;
        assert_eq!(verdict.details(UnitSystem::Binary).len(), 1, "the first is a band");
    }

    #[test]
    fn a_running_program_is_described_so_far() {
        let mut verdict = two_grow();
        assert_eq!((verdict.grade(), verdict.is_so_far()), (Leak::Likely.words(), false));
        assert!(verdict.fact(UnitSystem::Binary).contains("still growing at the end"));
        verdict.end = RunEnd::Running;
        assert_eq!((verdict.grade(), verdict.is_so_far()), ("growing so far", true));
        verdict.suspects[0].since = Some(Nanos::from_nanos(9_000_000_000));
        let fact = verdict.fact(UnitSystem::Binary);
        assert!(fact.starts_with("growing for 90 s, by "), "{fact}");
        verdict.leak = Leak::None;
        assert_eq!(verdict.grade(), "no growth so far");
        assert_eq!(verdict.fact(UnitSystem::Binary), "no band keeps growing");
        verdict.end = RunEnd::Exit;
        assert_eq!(verdict.fact(UnitSystem::Binary), "no band grows to the end of this run");
        let mut suspect = verdict.suspects.swap_remove(0);
        (suspect.since, suspect.since_sample, suspect.from_start) = (None, 12, false);
        assert_eq!(suspect.since_text(), "sample 12");
    }
}
