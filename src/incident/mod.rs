//! What was odd, damaged or left out in an input: one typed ledger with places.
//!
//! Code that meets something odd records an [`Incident`] once. The [`Condition`] of the input, the
//! counts ([`Losses`]), the one-line summary and the sentences for people ([`Warning`]) are all
//! derived from the ledger, so that they cannot disagree. Nothing here prints or knows a flag.

mod end;
pub mod error;
mod ledger;
mod losses;
mod oddity;
mod warning;

use crate::base::units::Nanos;

pub use end::{Condition, End};
pub use ledger::Incidents;
pub use losses::{LastSample, Loss, Losses, SkippedBytes};
pub use oddity::{Expected, Oddity};
pub use warning::{Warning, WarningCode};

/// One thing that was odd about an input. Its words are made when it is noted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Incident {
    code: WarningCode,
    /// Where in the input, when it is about one place.
    place: Option<Place>,
    /// The time in the run, if it is known: that of the sample or event that the incident is about, or of the
    /// last event before it.
    time: Option<Nanos>,
    loss: Loss,
    /// The condition of an input that has only this incident.
    condition: Condition,
    words: Words,
}

/// What was seen and what was done about it.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Words {
    Text(String),
    /// With the name of the row, or the word.
    Statement(Oddity, Box<str>),
}

impl Incident {
    /// An incident about the input as a whole, which loses nothing.
    pub fn new(code: WarningCode) -> Self {
        Incident {
            code,
            place: None,
            time: None,
            loss: Loss::Nothing,
            condition: Condition::Whole,
            words: Words::Text(String::new()),
        }
    }

    pub fn damaged_bytes(bytes: u64) -> Self {
        Incident::new(WarningCode::DamagedBytes)
            .loses(Loss::Bytes(bytes))
            .condition(Condition::Damaged)
    }

    /// A sample that is left out because of damage.
    pub fn damaged_sample(code: WarningCode, time: Nanos) -> Self {
        Incident::new(code).loses(Loss::Sample).condition(Condition::Damaged).when(time)
    }

    /// At an offset in the input, decompressed.
    pub fn at_byte(self, byte: u64) -> Self {
        Incident { place: Some(Place::Byte(byte)), ..self }
    }

    /// On a line of the input, counted from 1.
    pub fn on_line(self, line: u64) -> Self {
        Incident { place: Some(Place::Line(line)), ..self }
    }

    pub fn when(self, time: impl Into<Option<Nanos>>) -> Self {
        Incident { time: time.into(), ..self }
    }

    pub fn loses(self, loss: Loss) -> Self {
        Incident { loss, ..self }
    }

    pub fn condition(self, condition: Condition) -> Self {
        Incident { condition, ..self }
    }

    /// Whether [`Losses::summary`] reports everything important about it.
    fn in_summary(&self) -> bool {
        match self.loss {
            Loss::Bytes(_) => true,
            Loss::Sample => self.code == WarningCode::DamagedSample,
            Loss::Values(_) => self.code == WarningCode::StrayPoints,
            Loss::Nothing | Loss::Statement | Loss::OverLimit => false,
        }
    }

    /// One sentence: where, what was seen, what was done about it.
    fn message(&self) -> String {
        let text = match &self.words {
            Words::Text(text) => text.clone(),
            Words::Statement(oddity, seen) => oddity.text(seen),
        };
        match self.place {
            Some(place) => format!("{place}: {text}"),
            None => text,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
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
