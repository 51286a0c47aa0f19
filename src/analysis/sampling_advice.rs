//! Advises how to sample the next run, from what is known about this one.
//!
//! GHC's timer of heap samples counts only while the program runs, so a program that waits takes few
//! samples, however long it lives. And a census takes time itself: where most of a run is census, more
//! samples would only make the program slower.

use std::fmt;

use super::constants::{HALF, MANY};
use super::runtime::GcFigures;
use crate::base::units::count;
pub use crate::incident::error::Interval;
use crate::profile::{Breakdown, Clock};
use crate::slice::Slice;

/// Advice on the samples of the next run. Its `Display` is a sentence.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum SamplingAdvice {
    /// There are too few.
    Few {
        /// How many are not empty.
        samples: usize,
        /// How many there are.
        of: usize,
        /// The interval to ask for.
        interval: Interval,
    },
    /// Taking them took most of the time, and there are more than a verdict needs.
    Census {
        /// The share of the time in percent.
        percent: f64,
    },
}

/// The advice for a run; `None` if its samples are good. `samples` is how many are not empty.
pub(super) fn advice(slice: &Slice<'_>, samples: usize) -> Option<SamplingAdvice> {
    let gc = GcFigures::of_slice(slice);
    let is_enough = |gc: &&GcFigures| gc.census_collections as f64 > 2.0 * Interval::WANTED;
    if let Some(gc) = gc.as_ref().filter(is_enough)
        && census_share(gc) >= HALF
    {
        return Some(SamplingAdvice::Census { percent: 100.0 * census_share(gc) });
    }
    // A program that was asked for no profile takes no samples, however often.
    let is_asked = !slice.is_empty() || slice.breakdown() != Breakdown::Unknown;
    if samples >= MANY || !is_asked {
        return None;
    }
    let last = slice.len().checked_sub(1).and_then(|last| slice.when(last));
    // Without a sample, the answer is that of the error that says so.
    let ran = last.and_then(|last| match slice.clock() {
        Clock::Elapsed => gc.map(|gc| gc.elapsed.as_seconds() - seconds(gc.pause_ns)),
        Clock::Mutator => Some(last.as_seconds()),
        Clock::Sample => None,
    });
    let interval = Interval::after(samples, slice.metadata().seconds_between_samples(), ran);
    Some(SamplingAdvice::Few { samples, of: slice.with_data(), interval })
}

/// Whether half of the run or more was census: such a run shows little of the program's own work.
pub(super) fn is_mostly_census(slice: &Slice<'_>) -> bool {
    GcFigures::of_slice(slice).is_some_and(|gc| census_share(&gc) >= HALF)
}

fn census_share(gc: &GcFigures) -> f64 {
    seconds(gc.census_pause_ns) / gc.elapsed.as_seconds()
}

fn seconds(nanoseconds: i128) -> f64 {
    nanoseconds as f64 / 1e9
}

impl fmt::Display for SamplingAdvice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SamplingAdvice::Few { samples, of, interval } => {
                match samples == of {
                    true if *of == 0 => f.write_str("No samples")?,
                    true if *of == 1 => f.write_str("1 sample is few")?,
                    true => write!(f, "{} are few", count(*of, "sample"))?,
                    false => write!(f, "only {samples} of {} have data", count(*of, "sample"))?,
                }
                write!(f, ": {interval}.")
            }
            SamplingAdvice::Census { percent } => {
                write!(
                    f,
                    "The census took {percent:.0} % of the time: take samples less often, with +RTS -i."
                )
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::units::{Bytes, Nanos};
    use crate::profile::{BandKeyRef, Collection, ProfileBuilder, Source};
    use crate::slice::Slice;

    fn at(seconds: f64) -> Nanos {
        Nanos::from_nanos((seconds * 1e9) as i64)
    }

    /// The advice for so many samples over so many seconds, asked for every `period` seconds, each with a
    /// census of so many seconds.
    fn advised(samples: usize, over: f64, period: f64, census: f64) -> Option<String> {
        let mut builder = ProfileBuilder::new(Source::Eventlog);
        builder.metadata.period_ns = Some((period * 1e9) as u64);
        let band = builder.band(BandKeyRef::Name(b"a")).expect("a band");
        for i in 1..=samples {
            let time = over * i as f64 / samples as f64;
            let (start, end) = (at(time - census), at(time));
            let census = Collection { start, end, census: true, ..Collection::default() };
            builder.runtime_entries(|runtime| &mut runtime.collections.all, [census]);
            builder.point(band, Bytes::new(8));
            builder.seal_sample(end);
        }
        let profile = builder.finish();
        let slice = Slice::whole(&profile);
        advice(&slice, samples).map(|advice| advice.to_string())
    }

    #[test]
    fn seconds_are_cut_to_the_first_significant_digit() {
        assert_eq!(
            [3.2, 0.0491, 0.00412].map(|s| Interval::one_digit(at(s))),
            ["3", "0.05", "0.004"]
        );
    }

    #[test]
    fn the_interval_fits_how_long_the_program_ran() {
        let text = advised(12, 1.2, 0.1, 0.001).expect("advice");
        assert_eq!(text, "12 samples are few: try +RTS -i0.02, or let it run longer.");
        let text = advised(1, 1.2, 0.1, 0.001).expect("advice");
        assert_eq!(text, "1 sample is few: try +RTS -i0.002, or let it run longer.");
        // A program that waited.
        let text = advised(8, 40.0, 0.1, 0.001).expect("advice");
        assert_eq!(text, "8 samples are few: try +RTS -i0.01, or let it run longer.");
        // An interval that no timer has is never proposed.
        let text = advised(5, 0.02, 0.001, 0.0001).expect("advice");
        assert!(text.contains("try +RTS -i0,"), "{text}");
        assert_eq!(advised(100, 10.0, 0.1, 0.001), None);
        assert_eq!(advised(0, 1.0, 0.1, 0.0), None, "no profile was asked for");
    }

    #[test]
    fn each_bound_of_the_advice_has_two_sides() {
        for (samples, over, period, census, end) in [
            // What counts is the time outside of collections.
            (12, 1.2, 0.1, 0.04, Some("-i0.01, or let it run longer.")),
            (29, 2.9, 0.1, 0.001, Some("-i0.05, or let it run longer.")),
            (30, 3.0, 0.1, 0.001, None),
            (20, 10.0, 0.21, 0.001, Some("-i0.07, or let it run longer.")),
            (8, 40.0, 0.1, 1.1, Some("-i0.01, or let it run longer.")),
            // Every collection took a sample.
            (12, 1.2, 0.0, 0.001, Some("are few: let it run longer.")),
            // Half of the time; twice as many as are wanted.
            (800, 80.0, 0.01, 0.049, None),
            (800, 80.0, 0.01, 0.051, Some("take samples less often, with +RTS -i.")),
            (120, 12.0, 0.01, 0.09, None),
            (121, 12.1, 0.01, 0.09, Some("take samples less often, with +RTS -i.")),
        ] {
            let text = advised(samples, over, period, census);
            let is_right = match (&text, end) {
                (Some(text), Some(end)) => text.ends_with(end),
                (text, end) => text.is_none() && end.is_none(),
            };
            assert!(is_right, "{samples} {over} {period} {census}: {text:?}");
        }
    }

    #[test]
    fn the_interval_of_an_hp_is_among_its_flags() {
        for (samples, flags, end) in [
            (
                22,
                "-hr -i0.002",
                "try +RTS -i0, which takes a sample at every major collection, and let it run longer.",
            ),
            (26, "-hc -i0.005", "try +RTS -i0.002, or let it run longer."),
            (26, "-hc -i0", ": let it run longer."),
            (26, "-hc", "try +RTS -i0.004, or let it run longer."),
        ] {
            let mut builder = ProfileBuilder::new(Source::Hp);
            builder.metadata.job = Some(format!("p +RTS {flags}"));
            let band = builder.band(BandKeyRef::Name(b"a")).expect("a band");
            for i in 1..=samples {
                builder.point(band, Bytes::new(8));
                builder.seal_sample(at(0.01 * i as f64));
            }
            let text =
                advice(&Slice::whole(&builder.finish()), samples).expect("advice").to_string();
            assert!(text.ends_with(end), "{flags}: {text}");
        }
    }

    #[test]
    fn where_the_census_takes_most_of_the_time_fewer_samples_are_enough() {
        let text = advised(800, 80.0, 0.01, 0.09).expect("advice");
        assert!(text.starts_with("The census took 90 % of the time"), "{text}");
    }
}
