//! A part of the run: from one instant to another, each given as a time or as a marker's text.

use std::convert::Infallible;
use std::ops::Range;
use std::str::FromStr;

use crate::base::date::{self, WallTime};
use crate::base::text::visible;
use crate::base::units::Nanos;
use crate::incident::error::WindowError;
use crate::profile::{Clock, Marker, MarkerKind, Profile};

/// Which part of a run to show; both ends belong to it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "cli", derive(clap::Args))]
pub struct Window {
    /// Show the run from here on: a time (1.5s, 2min, 03:10) or the text of a marker
    ///
    /// A bare number is seconds. A time on the wall clock (03:10, 2026-11-22T03:10Z) is in UTC unless it has an
    /// offset.
    #[cfg_attr(feature = "cli", arg(long, value_name = "WHEN", allow_hyphen_values = true))]
    pub from: Option<Bound>,
    /// Show the run up to here, in the same forms.
    #[cfg_attr(feature = "cli", arg(long, value_name = "WHEN", allow_hyphen_values = true))]
    pub to: Option<Bound>,
}

impl Window {
    fn is_on_the_clock(&self) -> bool {
        [&self.from, &self.to].into_iter().flatten().any(|bound| matches!(bound, Bound::Clock(_)))
    }
}

/// One end of a [`Window`]. A text that can be read as a time is a time, since the start or on the wall clock;
/// every other text is that of a marker.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Bound {
    /// A number without a unit: seconds on the profile's clock, or, where samples have no times
    /// ([`Clock::Sample`]), the number of a sample.
    Number(Nanos),
    /// A time with its unit.
    Time(Nanos),
    /// A time on the wall clock, for logs that state it. A time of day is the first such time of the run; as
    /// an end, the first after the beginning.
    Clock(WallTime),
    /// The text of a marker or message: all of it, or a part that only one of them has. If several
    /// have the same text, the first is meant as a beginning, and the last as an end.
    Marker(String),
}

impl FromStr for Bound {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Self, Infallible> {
        let plain = text.trim().ends_with(|c: char| c.is_ascii_digit() || c == '.');
        Ok(match text.parse() {
            Ok(time) if plain => Bound::Number(time),
            Ok(time) => Bound::Time(time),
            Err(_) => match text.parse() {
                Ok(time) => Bound::Clock(time),
                Err(_) => Bound::Marker(text.to_owned()),
            },
        })
    }
}

/// The time since the start of the run that a time on the wall clock means.
///
/// # Errors
/// A profile that does not know the wall clock.
pub(crate) fn on_the_clock(
    profile: &Profile,
    time: &WallTime,
    from: Option<Nanos>,
) -> Result<Nanos, WindowError> {
    let started = match profile.clock {
        Clock::Elapsed => profile.metadata.started_unix_ns(),
        Clock::Mutator | Clock::Sample => None,
    };
    let no_clock = || WindowError::NoClock { text: visible(time.text()) };
    let end = profile.samples.times().last().copied().unwrap_or(Nanos::ZERO);
    let from = from.unwrap_or(Nanos::ZERO);
    Ok(time.in_run(started.ok_or_else(no_clock)?, from, end.max(from)))
}

/// The part of a run that a slice shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Extent {
    /// Where it begins, as it was asked for; `None` at the beginning of the run, and always with
    /// [`Clock::Sample`].
    pub from: Option<Nanos>,
    /// Where the part ends, as it was asked for; `None` at the end of the run, and always with [`Clock::Sample`].
    pub to: Option<Nanos>,
    /// How many samples of the run are before it.
    pub before: usize,
    pub after: usize,
}

/// The part of a run that a window shows: its extent, and the range of its samples. `markers` are
/// those of the profile, as they are to be shown, like `started`, the beginning on the wall clock.
pub(super) fn part(
    profile: &Profile,
    markers: &[Marker],
    window: &Window,
    started: Option<i64>,
) -> Result<(Extent, Range<usize>), WindowError> {
    if *window == Window::default() {
        return Ok((Extent::default(), 0..profile.samples.len()));
    }
    match profile.clock {
        Clock::Sample => numbered(profile, window),
        Clock::Elapsed | Clock::Mutator => timed(profile, markers, window, started),
    }
}

fn timed(
    profile: &Profile,
    markers: &[Marker],
    window: &Window,
    started: Option<i64>,
) -> Result<(Extent, Range<usize>), WindowError> {
    let resolve = |bound: &Option<Bound>, end, begun| match bound {
        None => Ok(None),
        Some(Bound::Number(time) | Bound::Time(time)) => Ok(Some(*time)),
        Some(Bound::Clock(time)) => {
            let time = on_the_clock(profile, time, begun)?;
            Ok(Some(match end {
                // A run has nothing before its start.
                WindowEnd::From => time.max(Nanos::ZERO),
                WindowEnd::To => time,
            }))
        }
        Some(Bound::Marker(text)) => {
            marker_named(markers, text, end).map(|marker| Some(marker.time))
        }
    };
    let from = resolve(&window.from, WindowEnd::From, None)?;
    let to = resolve(&window.to, WindowEnd::To, from)?;
    if let (Some(from), Some(to)) = (from, to)
        && from > to
    {
        let (from, to) = (from.to_string(), to.to_string());
        return Err(WindowError::Backwards { from, to });
    }
    let times = profile.samples.times();
    let start = from.map_or(0, |from| times.partition_point(|&time| time < from));
    let end = to.map_or(times.len(), |to| times.partition_point(|&time| time <= to));
    // A log with only ticks has no samples in any window.
    let only_ticks = times.is_empty() && !profile.calls.is_empty();
    if start >= end && !only_ticks {
        let ends = times.first().zip(times.last());
        let clock = window.is_on_the_clock().then_some(started).flatten();
        let asked = |bound: &Option<Bound>, time: Option<Nanos>| match bound {
            Some(Bound::Clock(time)) => Some(visible(time.text())),
            Some(Bound::Number(_) | Bound::Time(_) | Bound::Marker(_)) | None => {
                time.map(|time| time.to_string())
            }
        };
        return Err(WindowError::Empty {
            window: words(asked(&window.from, from), asked(&window.to, to)),
            samples: ends.map(|(first, last)| {
                let [from, to] = [first, last].map(|time| instant(clock?, *time));
                let clock = from.zip(to).map(|(from, to)| format!(" ({from} to {to} UTC)"));
                format!("from {first} to {last}{}", clock.unwrap_or_default())
            }),
        });
    }
    let (before, after) = (start, times.len() - end);
    Ok((Extent { from, to, before, after }, start..end))
}

/// A window by the numbers of samples.
fn numbered(profile: &Profile, window: &Window) -> Result<(Extent, Range<usize>), WindowError> {
    let count = profile.samples.len();
    let resolve = |bound: &Option<Bound>| match bound {
        None => Ok(None),
        Some(Bound::Number(number)) if number.as_nanos() % 1_000_000_000 == 0 => {
            Ok(usize::try_from(number.as_nanos() / 1_000_000_000).ok())
        }
        Some(Bound::Number(_) | Bound::Time(_) | Bound::Clock(_) | Bound::Marker(_)) => {
            Err(WindowError::NoTimes { samples: count })
        }
    };
    let (from, to) = (resolve(&window.from)?, resolve(&window.to)?);
    if let (Some(from), Some(to)) = (from, to)
        && from > to
    {
        let (from, to) = (from.to_string(), to.to_string());
        return Err(WindowError::Backwards { from, to });
    }
    let start = from.map_or(0, |from| from.saturating_sub(1).min(count));
    let end = to.map_or(count, |to| to.min(count));
    if start >= end {
        return Err(WindowError::Empty {
            window: words(from.map(|n| n.to_string()), to.map(|n| n.to_string())),
            samples: (count > 0).then(|| format!("from 1 to {count}")),
        });
    }
    Ok((Extent { from: None, to: None, before: start, after: count - end }, start..end))
}

/// The marker that a text means. Markers are searched before messages, and complete texts before
/// parts.
pub(crate) fn marker_named<'a>(
    markers: &'a [Marker],
    text: &str,
    end: WindowEnd,
) -> Result<&'a Marker, WindowError> {
    type Test = fn(&str, &str) -> bool;
    let tries: [(MarkerKind, Test); 4] = [
        (MarkerKind::Marker, |label, text| label == text),
        (MarkerKind::Message, |label, text| label == text),
        (MarkerKind::Marker, |label, text| label.contains(text)),
        (MarkerKind::Message, |label, text| label.contains(text)),
    ];
    for (kind, matches) in tries {
        let found: Vec<&Marker> = markers
            .iter()
            .filter(|marker| marker.kind == kind && matches(&marker.label, text))
            .collect();
        let (Some(&first), Some(&last)) = (found.first(), found.last()) else { continue };
        if found.iter().any(|marker| marker.label != first.label) {
            let markers = listed(found.into_iter());
            return Err(WindowError::Ambiguous { text: visible(text), markers });
        }
        return Ok(match end {
            WindowEnd::From => first,
            WindowEnd::To => last,
        });
    }
    let named = markers.iter().filter(|marker| marker.kind == MarkerKind::Marker);
    Err(WindowError::NoMarker { text: visible(text), markers: listed(named) })
}

#[derive(Clone, Copy)]
pub(crate) enum WindowEnd {
    From,
    To,
}

/// A time of a run on the wall clock, in UTC.
fn instant(started: i64, time: Nanos) -> Option<String> {
    date::to_the_second(i128::from(started) + i128::from(time.as_nanos()))
}

/// `from 1 s to 2 s`; either end may be missing.
fn words(from: Option<String>, to: Option<String>) -> String {
    match (from, to) {
        (Some(from), Some(to)) => format!("from {from} to {to}"),
        (Some(from), None) => format!("from {from} on"),
        (None, Some(to)) => format!("up to {to}"),
        (None, None) => "in the run".to_owned(),
    }
}

/// Some texts of markers, each once, fit to be shown.
fn listed<'a>(markers: impl Iterator<Item = &'a Marker>) -> Vec<String> {
    const MOST: usize = 12;
    let mut texts: Vec<String> = Vec::new();
    for marker in markers.filter(|marker| !marker.label.is_empty()) {
        let text = visible(&marker.label);
        if texts.contains(&text) {
            continue;
        }
        if texts.len() == MOST {
            texts.push("…".to_owned());
            break;
        }
        texts.push(text);
    }
    texts
}

impl Extent {
    /// The part in words for a chart: `from 1 s to 2 s`; `None` for the whole run.
    pub fn words(&self, samples: usize) -> Option<String> {
        match (self.from, self.to) {
            (None, None) if self.before + self.after == 0 => None,
            (None, None) => {
                let (first, last) = (self.before + 1, self.before + samples);
                Some(format!("samples {first} to {last} of {}", last + self.after))
            }
            (from, to) => Some(words(from.map(|t| t.to_string()), to.map(|t| t.to_string()))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::units::Bytes;
    use crate::profile::{BandKeyRef, HeapSeriesKind, ProfileBuilder, Source};
    use crate::slice::{Slice, SliceOptions};

    const SECOND: i64 = 1_000_000_000;

    /// 2026-11-20 23:59:57 UTC.
    const STARTED: i128 = 1_795_219_197 * SECOND as i128;

    fn profile(source: Source) -> Profile {
        builder(source).finish()
    }

    /// Samples at 1 s to 9 s; band `a` in all of them, `b` up to 4 s.
    fn builder(source: Source) -> ProfileBuilder {
        let mut builder = ProfileBuilder::new(source);
        for second in 1..10 {
            for (name, until) in [(b"b", 4), (b"a", 9)] {
                if second <= until {
                    let band = builder.band(BandKeyRef::Name(name)).unwrap();
                    builder.point(band, Bytes::new(second as u64));
                }
            }
            builder.seal_sample(Nanos::from_nanos(second * SECOND));
            builder.heap_point(
                HeapSeriesKind::Live,
                Nanos::from_nanos(second * SECOND),
                Bytes::new(1),
            );
        }
        for (time, label) in [(2, "load"), (3, "solve 1"), (5, "solve 2"), (7, "load"), (8, "end")]
        {
            let time = Nanos::from_nanos(time * SECOND);
            builder.marker(time, label.to_owned(), MarkerKind::Marker);
        }
        builder
    }

    fn window(from: &str, to: &str) -> Window {
        let bound = |text: &str| (!text.is_empty()).then(|| text.parse().unwrap());
        Window { from: bound(from), to: bound(to) }
    }

    fn slice<'a>(profile: &'a Profile, from: &str, to: &str) -> Result<Slice<'a>, WindowError> {
        Slice::new(profile, &SliceOptions { window: window(from, to), ..SliceOptions::default() })
    }

    fn seconds(from: &str, to: &str) -> Result<Vec<i64>, String> {
        let profile = profile(Source::Eventlog);
        let slice = slice(&profile, from, to).map_err(|error| error.to_string())?;
        assert_eq!(slice.len(), slice.heap()[HeapSeriesKind::Live].points.len());
        Ok(slice.times().iter().map(|time| time.as_nanos() / SECOND).collect())
    }

    #[test]
    fn a_window_includes_both_ends() {
        assert_eq!(seconds("3s", "5"), Ok(vec![3, 4, 5]));
        assert_eq!(seconds("", "2500ms"), Ok(vec![1, 2]));
        assert_eq!(seconds("8.5", "1h"), Ok(vec![9]));
        assert_eq!(seconds("4", "4"), Ok(vec![4]));
        assert_eq!(seconds("", ""), Ok((1..10).collect()));
        let profile = profile(Source::Eventlog);
        let middle = slice(&profile, "3s", "5").unwrap();
        let labels: Vec<_> = middle.markers().iter().map(|marker| &marker.label[..]).collect();
        assert_eq!(labels, ["solve 1", "solve 2"]);
    }

    #[test]
    fn markers_are_found_by_their_text_or_a_unique_part() {
        assert_eq!(seconds("solve 2", "end"), Ok(vec![5, 6, 7, 8]));
        assert_eq!(seconds("en", ""), Ok(vec![8, 9]));
        // The first marker is meant as a beginning, the last as an end.
        assert_eq!(seconds("load", "load"), Ok(vec![2, 3, 4, 5, 6, 7]));
        let error = seconds("solve", "").unwrap_err();
        assert!(error.contains("`solve 1`, `solve 2`"), "{error}");
        let error = seconds("nowhere", "").unwrap_err();
        assert!(error.contains("`nowhere`") && error.contains("`load`"), "{error}");
    }

    #[test]
    fn messages_are_found_after_markers_and_complete_ones_first() {
        let found = |text: &str| {
            let marker =
                |kind, label: &str| Marker { time: Nanos::ZERO, label: label.to_owned(), kind };
            let markers = [
                marker(MarkerKind::Message, "loading"),
                marker(MarkerKind::Message, "load"),
                marker(MarkerKind::Marker, "loads"),
            ];
            marker_named(&markers, text, WindowEnd::From).map(|marker| marker.label.clone()).ok()
        };
        let labels = ["load", "loads", "loadi", "lo", "none"].map(found);
        let expected = [Some("load"), Some("loads"), Some("loading"), Some("loads"), None];
        assert_eq!(labels, expected.map(|label| label.map(str::to_owned)));
    }

    #[test]
    fn windows_without_samples_are_errors() {
        let error = seconds("20s", "").unwrap_err();
        assert_eq!(error, "no sample from 20 s on; the samples run from 1 s to 9 s");
        let error = seconds("3.2", "3.4").unwrap_err();
        assert!(error.starts_with("no sample from 3.2 s to 3.4 s"), "{error}");
        let error = seconds("end", "load").unwrap_err();
        assert!(error.contains("8 s") && error.contains("7 s"), "{error}");
    }

    #[test]
    fn a_time_of_day_is_the_one_in_the_run_however_long_that_is() {
        let mut builder = builder(Source::Eventlog);
        builder.seal_sample(Nanos::from_nanos(23 * 3600 * SECOND));
        let mut profile = builder.finish();
        profile.metadata.process.epoch_ns = Some(STARTED);
        let evening = slice(&profile, "21:00", "").unwrap();
        assert_eq!(evening.extent().from, Some(Nanos::from_nanos((21 * 3600 + 3) * SECOND)));
    }

    #[test]
    fn without_times_bounds_are_sample_numbers() {
        let mut profile = profile(Source::Hp);
        profile.clock = Clock::Sample;
        let middle = slice(&profile, "3", "5").unwrap();
        assert_eq!((middle.len(), middle.extent().before), (3, 2));
        assert_eq!((middle.when(0), middle.number(0).get()), (None, 3));
        assert_eq!((middle.when(2), middle.number(2).get()), (None, 5));
        assert_eq!(middle.extent().words(3).unwrap(), "samples 3 to 5 of 9");
        assert!(slice(&profile, "0", "1").is_ok());
        assert!(slice(&profile, "3", "3").is_ok());
        let mut none = ProfileBuilder::new(Source::Hp).finish();
        none.clock = Clock::Sample;
        let error = slice(&none, "1", "").unwrap_err().to_string();
        assert!(error.contains("no sample") && !error.contains("1 to 0"), "{error}");
        for (from, to) in [("3s", ""), ("load", ""), ("1.5", ""), ("10", ""), ("5", "3"), ("", "0")]
        {
            assert!(slice(&profile, from, to).is_err(), "{from} {to}");
        }
    }
}
