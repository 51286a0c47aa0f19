//! Decides which sample or samples a tree of the live heap shows.

use std::str::FromStr;

use crate::base::units::Nanos;
use crate::incident::error::WindowError;
use crate::slice::{Bound, Slice, WindowEnd, marker_named, on_the_clock};

/// An instant of a run, as it is asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Instant {
    /// The sample with the greatest total.
    #[default]
    Peak,
    Last,
    /// The mean over the slice, by time.
    Mean,
    /// The sample nearest to a time, the sample with a number if samples have no times, or the
    /// first sample at or after a marker.
    At(Bound),
}

impl FromStr for Instant {
    type Err = std::convert::Infallible;

    /// `peak`, `last`, `mean`, a time, or the text of a marker.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Ok(match text {
            "peak" => Instant::Peak,
            "last" => Instant::Last,
            "mean" => Instant::Mean,
            other => Instant::At(other.parse()?),
        })
    }
}

/// The samples that an instant means, each with its weight.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Moment {
    /// Samples of the slice with their weights, which count in nanoseconds for a mean.
    pub(super) samples: Vec<(usize, u64)>,
    /// In words: `at 3.2 s, the peak`.
    pub words: String,
    /// The time, if it is a single sample with a time.
    pub time: Option<Nanos>,
}

impl Instant {
    /// The samples of the slice that are meant.
    ///
    /// # Errors
    /// [`WindowError`] if there are no such samples.
    pub fn find(&self, slice: &Slice<'_>) -> Result<Moment, WindowError> {
        if slice.is_empty() {
            return Err(WindowError::Empty { window: "in the run".to_owned(), samples: None });
        }
        Ok(match self {
            Instant::Peak => {
                let highest =
                    (0..slice.len()).max_by_key(|&at| (slice.total(at), std::cmp::Reverse(at)));
                moment_at(slice, highest.unwrap_or(0), ", the peak")
            }
            Instant::Last => moment_at(slice, slice.len() - 1, ", the last sample"),
            Instant::Mean => mean(slice),
            Instant::At(bound) => moment_at(slice, sample_at(slice, bound)?, ""),
        })
    }
}

fn moment_at(slice: &Slice<'_>, sample: usize, what: &str) -> Moment {
    let time = slice.when(sample);
    let words = match time {
        Some(time) => format!("at {time}{what}"),
        None => format!("in sample {}{what}", slice.number(sample)),
    };
    Moment { samples: vec![(sample, 1)], words, time }
}

/// Each sample has the weight of half the time to its neighbours, as for the area under a line.
fn mean(slice: &Slice<'_>) -> Moment {
    let last = slice.len() - 1;
    let between = |from: usize, to: usize| match (slice.when(from), slice.when(to)) {
        (Some(from), Some(to)) => u64::try_from(to.since(from).as_nanos()).unwrap_or(0),
        _ => 0,
    };
    let weight = |at: usize| between(at.saturating_sub(1), at) + between(at, last.min(at + 1));
    let mut samples: Vec<(usize, u64)> = (0..=last).map(|at| (at, weight(at))).collect();
    if samples.iter().all(|&(_, weight)| weight == 0) {
        samples.iter_mut().for_each(|(_, weight)| *weight = 1);
    }
    let words = match (slice.when(0), slice.when(last)) {
        (Some(from), Some(to)) => format!("mean from {from} to {to}"),
        _ => format!("mean of {} samples", slice.len()),
    };
    Moment { samples, words, time: None }
}

fn sample_at(slice: &Slice<'_>, bound: &Bound) -> Result<usize, WindowError> {
    let nearest = |time: Nanos| {
        let (first, last) = (slice.times()[0], slice.times()[slice.len() - 1]);
        // A run ends after its last sample, by less than another sample would have taken.
        let interval = last.since(first).as_nanos() / (slice.len() as i64 - 1).max(1);
        if time.as_nanos() > last.as_nanos().saturating_add(interval) {
            let (window, samples) = (format!("at {time}"), format!("from {first} to {last}"));
            return Err(WindowError::Empty { window, samples: Some(samples) });
        }
        let distance = |&at: &usize| slice.times()[at].as_nanos().abs_diff(time.as_nanos());
        Ok((0..slice.len()).min_by_key(distance).unwrap_or(0))
    };
    match bound {
        Bound::Number(time) | Bound::Time(time) if slice.when(0).is_some() => nearest(*time),
        Bound::Number(number) => {
            let wanted = usize::try_from(number.as_nanos() / 1_000_000_000).unwrap_or(0);
            (0..slice.len())
                .find(|&at| slice.number(at).get() == wanted)
                .ok_or(WindowError::NoTimes { samples: slice.len() })
        }
        Bound::Clock(time) if slice.when(0).is_some() => {
            let from = slice.extent().from;
            nearest(on_the_clock(slice.profile(), time, from)?)
        }
        Bound::Time(_) | Bound::Clock(_) => Err(WindowError::NoTimes { samples: slice.len() }),
        Bound::Marker(text) => {
            let marker = marker_named(slice.markers(), text, WindowEnd::From)?;
            let after = slice.times().partition_point(|&time| time < marker.time);
            let window = || format!("from {} on", marker.time);
            let none = || WindowError::Empty { window: window(), samples: None };
            (after < slice.len()).then_some(after).ok_or_else(none)
        }
    }
}
