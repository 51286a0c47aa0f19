//! A part of the run: from one instant to another, each given as a time or as a marker's text.

use std::convert::Infallible;
use std::str::FromStr;

use super::bands::Bands;
use super::samples::Samples;
use super::series::Series;
use super::{Clock, Marker, MarkerKind, Profile};
use crate::error::{Error, WindowError, visible};
use crate::units::Nanos;

/// Which part of a run to show; both ends belong to it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Window {
    /// Where it begins; `None` for the beginning of the run. Default `None`.
    pub from: Option<Bound>,
    /// Where it ends; `None` for the end of the run. Default `None`.
    pub to: Option<Bound>,
}

/// One end of a [`Window`]. A text that reads as a time is one; every other text is a marker's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Bound {
    /// A number without a unit: seconds on the profile's clock, or, where samples have no times
    /// ([`Clock::Sample`]), the number of a sample.
    Number(Nanos),
    /// A time with its unit.
    Time(Nanos),
    /// The text of a marker or message: the whole of it, or a part that only one has. Of several
    /// with one text the first is meant as a beginning, and the last as an end.
    Marker(String),
}

impl FromStr for Bound {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Self, Infallible> {
        let plain = text.trim().ends_with(|c: char| c.is_ascii_digit() || c == '.');
        Ok(match text.parse() {
            Ok(time) if plain => Bound::Number(time),
            Ok(time) => Bound::Time(time),
            Err(_) => Bound::Marker(text.to_owned()),
        })
    }
}

/// The part of a run that a narrowed profile holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Extent {
    /// Where it begins, as it was asked for; `None` at the beginning of the run, and always with
    /// [`Clock::Sample`].
    pub from: Option<Nanos>,
    /// Where it ends, likewise.
    pub to: Option<Nanos>,
    /// How many samples of the run stand before it.
    pub before: usize,
    /// How many stand after it.
    pub after: usize,
}

impl Profile {
    /// The same profile with only those samples, markers and heap points that lie in a window, and
    /// only those bands that these samples name. Bands are then chosen by what is shown.
    ///
    /// # Errors
    /// [`Error::Window`] when a bound names no marker or several, or no sample is left.
    pub fn narrowed(&self, window: &Window) -> Result<Profile, Error> {
        if *window == Window::default() {
            return Ok(self.clone());
        }
        let (extent, range) = match self.clock {
            Clock::Sample => self.numbered(window)?,
            Clock::Elapsed | Clock::Mutator => self.timed(window)?,
        };
        let within = |time: Nanos| {
            extent.from.is_none_or(|from| from <= time) && extent.to.is_none_or(|to| time <= to)
        };
        let mut bands = Bands::default();
        let mut samples = Samples::default();
        for sample in range {
            for (band, size) in self.samples.points(sample) {
                let label = self.bands.label(band);
                let band = bands.intern_labelled(self.bands.key(band).as_ref(), label);
                samples.push_point(band, size);
            }
            samples.seal(self.samples.times()[sample]);
        }
        let mut heap = self.heap.clone();
        for series in [&mut heap.size, &mut heap.live, &mut heap.blocks] {
            series.retain(within);
        }
        let markers = self.markers.iter().filter(|marker| within(marker.time)).cloned().collect();
        Ok(Profile {
            source: self.source,
            run: self.run,
            metadata: self.metadata.clone(),
            breakdown: self.breakdown,
            clock: self.clock,
            bands,
            samples,
            markers,
            heap,
            extent,
            cost_centres: self.cost_centres.clone(),
            info_tables: self.info_tables.clone(),
            incidents: self.incidents.clone(),
            log_size: self.log_size,
        })
    }

    /// A window by time.
    fn timed(&self, window: &Window) -> Result<(Extent, std::ops::Range<usize>), WindowError> {
        let resolve = |bound: &Option<Bound>, end| match bound {
            None => Ok(None),
            Some(Bound::Number(time) | Bound::Time(time)) => Ok(Some(*time)),
            Some(Bound::Marker(text)) => self.marker_named(text, end).map(|m| Some(m.time)),
        };
        let from = resolve(&window.from, End::From)?;
        let to = resolve(&window.to, End::To)?;
        if let (Some(from), Some(to)) = (from, to)
            && from > to
        {
            let (from, to) = (from.to_string(), to.to_string());
            return Err(WindowError::Backwards { from, to });
        }
        let times = self.samples.times();
        let start = from.map_or(0, |from| times.partition_point(|&time| time < from));
        let end = to.map_or(times.len(), |to| times.partition_point(|&time| time <= to));
        if start >= end {
            let ends = times.first().zip(times.last());
            return Err(WindowError::Empty {
                window: words(from.map(|t| t.to_string()), to.map(|t| t.to_string())),
                samples: ends.map(|(first, last)| format!("from {first} to {last}")),
            });
        }
        let (before, after) = (start, times.len() - end);
        Ok((Extent { from, to, before, after }.joined(self.extent), start..end))
    }

    /// A window by the numbers of samples.
    fn numbered(&self, window: &Window) -> Result<(Extent, std::ops::Range<usize>), WindowError> {
        let resolve = |bound: &Option<Bound>| match bound {
            None => Ok(None),
            Some(Bound::Number(number)) if number.as_nanos() % 1_000_000_000 == 0 => {
                Ok(usize::try_from(number.as_nanos() / 1_000_000_000).ok())
            }
            Some(Bound::Number(_) | Bound::Time(_) | Bound::Marker(_)) => {
                Err(WindowError::NoTimes { samples: self.samples.len() })
            }
        };
        let (from, to) = (resolve(&window.from)?, resolve(&window.to)?);
        if let (Some(from), Some(to)) = (from, to)
            && from > to
        {
            let (from, to) = (from.to_string(), to.to_string());
            return Err(WindowError::Backwards { from, to });
        }
        let (number, count) = (self.extent.before + 1, self.samples.len());
        let start = from.map_or(0, |from| from.saturating_sub(number).min(count));
        let end = to.map_or(count, |to| (to + 1).saturating_sub(number).min(count));
        if start >= end {
            let last = number + count.max(1) - 1;
            return Err(WindowError::Empty {
                window: words(from.map(|n| n.to_string()), to.map(|n| n.to_string())),
                samples: (count > 0).then(|| format!("from {number} to {last}")),
            });
        }
        let extent = Extent { from: None, to: None, before: start, after: count - end };
        Ok((extent.joined(self.extent), start..end))
    }

    /// The marker that a text means. Markers are asked before messages, whole texts before parts.
    fn marker_named(&self, text: &str, end: End) -> Result<&Marker, WindowError> {
        type Test = fn(&str, &str) -> bool;
        let tries: [(MarkerKind, Test); 4] = [
            (MarkerKind::Marker, |label, text| label == text),
            (MarkerKind::Message, |label, text| label == text),
            (MarkerKind::Marker, |label, text| label.contains(text)),
            (MarkerKind::Message, |label, text| label.contains(text)),
        ];
        for (kind, matches) in tries {
            let found: Vec<&Marker> = self
                .markers
                .iter()
                .filter(|marker| marker.kind == kind && matches(&marker.label, text))
                .collect();
            let (Some(&first), Some(&last)) = (found.first(), found.last()) else { continue };
            if found.iter().any(|marker| marker.label != first.label) {
                let markers = listed(found.into_iter());
                return Err(WindowError::Ambiguous { text: visible(text), markers });
            }
            return Ok(match end {
                End::From => first,
                End::To => last,
            });
        }
        let named = self.markers.iter().filter(|marker| marker.kind == MarkerKind::Marker);
        Err(WindowError::NoMarker { text: visible(text), markers: listed(named) })
    }
}

#[derive(Clone, Copy)]
enum End {
    From,
    To,
}

impl Extent {
    /// This part of another part of the run.
    fn joined(self, outer: Extent) -> Extent {
        Extent {
            from: self.from.max(outer.from),
            to: match (self.to, outer.to) {
                (Some(to), Some(outer)) => Some(to.min(outer)),
                (to, outer) => to.or(outer),
            },
            before: self.before + outer.before,
            after: self.after + outer.after,
        }
    }
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

impl Series {
    fn retain(&mut self, within: impl Fn(Nanos) -> bool) {
        self.points.retain(|&(time, _)| within(time));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::{BandKeyRef, ProfileBuilder, Source};
    use crate::units::Bytes;

    const SECOND: i64 = 1_000_000_000;

    /// Samples at 1 s to 9 s; band `a` in all of them, `b` up to 4 s.
    fn profile(source: Source) -> Profile {
        let mut builder = ProfileBuilder::new(source);
        for second in 1..10 {
            for (name, until) in [(b"b", 4), (b"a", 9)] {
                if second <= until {
                    let band = builder.band(BandKeyRef::Name(name)).unwrap();
                    builder.point(band, Bytes::new(second as u64));
                }
            }
            builder.seal_sample(Nanos::from_nanos(second * SECOND));
            builder.heap_live(Nanos::from_nanos(second * SECOND), Bytes::new(1));
        }
        for (time, label) in [(2, "load"), (3, "solve 1"), (5, "solve 2"), (7, "load"), (8, "end")]
        {
            let time = Nanos::from_nanos(time * SECOND);
            builder.marker(time, label.to_owned(), MarkerKind::Marker);
        }
        builder.finish()
    }

    fn window(from: &str, to: &str) -> Window {
        let bound = |text: &str| (!text.is_empty()).then(|| text.parse().unwrap());
        Window { from: bound(from), to: bound(to) }
    }

    fn seconds(from: &str, to: &str) -> Result<Vec<i64>, String> {
        let narrowed = profile(Source::Eventlog).narrowed(&window(from, to));
        let narrowed = narrowed.map_err(|error| error.to_string())?;
        assert_eq!(narrowed.samples.len(), narrowed.heap.live.points().len());
        Ok(narrowed.samples.times().iter().map(|time| time.as_nanos() / SECOND).collect())
    }

    #[test]
    fn both_ends_belong_to_a_window() {
        assert_eq!(seconds("3s", "5"), Ok(vec![3, 4, 5]));
        assert_eq!(seconds("", "2500ms"), Ok(vec![1, 2]));
        assert_eq!(seconds("8.5", "1h"), Ok(vec![9]));
        assert_eq!(seconds("", ""), Ok((1..10).collect()));
    }

    #[test]
    fn markers_are_found_by_their_text_or_a_part_that_one_has() {
        assert_eq!(seconds("solve 2", "end"), Ok(vec![5, 6, 7, 8]));
        assert_eq!(seconds("en", ""), Ok(vec![8, 9]));
        // The first as a beginning, the last as an end.
        assert_eq!(seconds("load", "load"), Ok(vec![2, 3, 4, 5, 6, 7]));
        let error = seconds("solve", "").unwrap_err();
        assert!(error.contains("`solve 1`, `solve 2`"), "{error}");
        let error = seconds("nowhere", "").unwrap_err();
        assert!(error.contains("`nowhere`") && error.contains("`load`"), "{error}");
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
    fn only_bands_of_the_window_are_left() {
        let narrowed = profile(Source::Eventlog).narrowed(&window("5s", "")).unwrap();
        assert_eq!(narrowed.bands.labels().collect::<Vec<_>>(), ["a"]);
        assert_eq!(narrowed.samples.total(0), 5);
        assert_eq!((narrowed.extent.before, narrowed.extent.after), (4, 0));
        let again = narrowed.narrowed(&window("", "6s")).unwrap();
        assert_eq!((again.samples.len(), again.extent.before, again.extent.after), (2, 4, 3));
        assert_eq!(again.extent.words(2).unwrap(), "from 5 s to 6 s");
    }

    #[test]
    fn without_times_bounds_are_numbers_of_samples() {
        let mut profile = profile(Source::Hp);
        profile.clock = Clock::Sample;
        let narrowed = profile.narrowed(&window("3", "5")).unwrap();
        assert_eq!((narrowed.samples.len(), narrowed.extent.before), (3, 2));
        assert_eq!(narrowed.extent.words(3).unwrap(), "samples 3 to 5 of 9");
        assert!(profile.narrowed(&window("0", "1")).is_ok());
        for (from, to) in [("3s", ""), ("load", ""), ("1.5", ""), ("10", ""), ("5", "3"), ("", "0")]
        {
            assert!(profile.narrowed(&window(from, to)).is_err(), "{from} {to}");
        }
    }
}
