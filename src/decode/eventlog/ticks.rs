//! The time profile (types 167 and 168): at every tick the stack of every capability.
//!
//! Source: `docs/format/eventlog.md#events`. Stacks are coded as in samples: innermost first, without
//! MAIN, so depth 0 is MAIN.

use super::frame::Event;
use crate::base::units::Nanos;
use crate::decode::cursor::Cursor;
use crate::incident::error::Error;
use crate::incident::{Loss, WarningCode};
use crate::profile::ProfileBuilder;

/// The length of a tick; `None` when the payload is too short.
pub fn begin(mut cursor: Cursor<'_>, profile: &mut ProfileBuilder) -> Option<()> {
    profile.tick_length(Nanos::from_unsigned_nanos(cursor.u64()?));
    Some(())
}

/// A tick of one capability; `stack` is kept to save an allocation for each event. Returns `None`
/// if the payload is too short.
///
/// # Errors
/// [`Error::OverLimit`].
pub fn tick(
    event: &Event<'_>,
    stack: &mut Vec<u32>,
    profile: &mut ProfileBuilder,
) -> Result<Option<()>, Error> {
    let mut cursor = Cursor::new(event.payload);
    let (Some(capability), Some(_tick), Some(depth)) = (cursor.u32(), cursor.u64(), cursor.u8())
    else {
        return Ok(None);
    };
    let Some(ids) = cursor.take(4 * usize::from(depth)) else {
        let held = cursor.rest().len() / 4;
        note_deep_stack(event, depth, held, profile);
        return Ok(Some(()));
    };
    stack.clear();
    let (ids, _) = ids.as_chunks::<4>();
    stack.extend(ids.iter().map(|id| u32::from_be_bytes(*id)));
    profile.tick(Nanos::from_unsigned_nanos(event.time), capability, stack)?;
    Ok(Some(()))
}

/// A stack that is longer than the event that has it.
#[cold]
pub fn note_deep_stack(event: &Event<'_>, depth: u8, held: usize, profile: &mut ProfileBuilder) {
    let incident = event.incident(WarningCode::OddEvent).loses(Loss::Values(1));
    profile.incidents.note(incident, || {
        format!("a stack of {depth} cost centres in an event with room for {held}; it is left out")
    });
}
