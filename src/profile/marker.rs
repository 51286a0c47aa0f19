//! Named instants.

use crate::base::units::Nanos;
use serde::Serialize;

/// A named instant of the run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Marker {
    /// The time on the profile's clock.
    #[serde(rename = "time_ns")]
    pub time: Nanos,
    /// The text; empty for a `.hp` MARK, which has none.
    pub label: String,
    /// Which call made it.
    pub kind: MarkerKind,
}

/// Which call of the program made a [`Marker`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(serde::Deserialize))]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum MarkerKind {
    /// `traceMarker`, or a MARK line of a `.hp`: meant to be drawn.
    Marker,
    /// A call of `traceEvent`, of which there are often many.
    Message,
}

/// The latest of the messages that were not kept, if there was one.
#[derive(Clone, Debug, Default)]
pub(super) struct LatestMessage {
    pub time: Option<Nanos>,
    pub text: Vec<u8>,
}
