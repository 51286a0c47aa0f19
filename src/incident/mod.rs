//! What was odd, damaged or left out in an input: one typed ledger with places.
//!
//! Code that meets something odd records an [`Incident`] once. The [`Condition`] of the input, the
//! counts ([`Losses`]), the one-line summary and the sentences for people ([`Warning`]) are all
//! derived from the ledger, so that they cannot disagree. Nothing here prints or knows a flag.

mod end;
pub mod error;
mod ledger;
pub mod limit;
mod losses;
mod warning;
mod what;

use crate::base::units::Nanos;

pub use end::{Condition, End};
pub use ledger::Incidents;
pub use losses::{Gap, LastSample, Losses};
pub use warning::{Warning, WarningCode};
pub use what::{EventType, Expected, Impossible, NoClock, Oddity, Thinned, What};

/// One thing that was odd about an input.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Incident {
    /// What it was.
    pub what: What,
    /// Where in the input, when it is about one place.
    pub place: Option<Place>,
    /// The time in the run, if it is known: that of the sample or event that the incident is about, or of the
    /// last event before it.
    pub time: Option<Nanos>,
    /// The beginning of the input there, safe to be shown, if that helps.
    pub seen: Option<Box<str>>,
}

impl Incident {
    /// An incident about the input as a whole.
    pub(crate) fn new(what: What) -> Self {
        Incident { what, place: None, time: None, seen: None }
    }

    /// An incident at an offset in the input, decompressed.
    pub(crate) fn at_byte(byte: u64, what: What) -> Self {
        Incident { place: Some(Place::Byte(byte)), ..Incident::new(what) }
    }

    /// An incident on a line of the input, counted from 1.
    pub(crate) fn on_line(line: u64, what: What) -> Self {
        Incident { place: Some(Place::Line(line)), ..Incident::new(what) }
    }

    /// The same with its time.
    #[must_use]
    pub fn when(self, time: impl Into<Option<Nanos>>) -> Self {
        Incident { time: time.into(), ..self }
    }

    /// One sentence: where, what was seen, what was done about it.
    pub fn message(&self) -> String {
        let text = self.what.text(self.time, self.seen.as_deref().unwrap_or_default());
        match self.place {
            Some(place) => format!("{place}: {text}"),
            None => text,
        }
    }
}

/// A place in an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Place {
    /// An offset, of a compressed input after decompression.
    Byte(u64),
    /// A line, from 1.
    Line(u64),
}

impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Place::Byte(byte) => write!(f, "byte {byte}"),
            Place::Line(line) => write!(f, "line {line}"),
        }
    }
}
