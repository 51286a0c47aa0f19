//! Ticky counters (types 210 to 212).
//!
//! Source: `docs/format/eventlog.md#events`. Definitions come at exit, after all counts.

use serde::Deserialize;

use super::frame::Event;
use super::tag::Tag;
use crate::base::units::Nanos;
use crate::decode::cursor::Cursor;
use crate::profile::{ProfileBuilder, TickyCounter, TickyCounts};

/// The value in place of an info table's address for a closure without one.
const NO_TABLE: u64 = u64::MAX - 15;

/// The additional data of newer versions about a counter.
#[derive(Default, Deserialize)]
#[serde(default)]
struct About {
    #[serde(rename = "subTy")]
    kind: String,
    #[serde(rename = "fvs")]
    free_variables: String,
    #[serde(rename = "args")]
    arguments: String,
}

/// Takes an event about ticky counters; `None` if its payload is too short.
pub fn take(event: &Event<'_>, profile: &mut ProfileBuilder) -> Option<()> {
    let time = Nanos::from_unsigned_nanos(event.time);
    let mut cursor = Cursor::new(event.payload);
    match event.tag {
        Tag::TICKY_COUNTER_DEF => profile.ticky_counter(counter(cursor)?),
        Tag::TICKY_COUNTER_BEGIN_SAMPLE => profile.ticky_batch(time),
        Tag::TICKY_COUNTER_SAMPLE => {
            let id = cursor.u64()?;
            let [entries, allocations, allocated] = [cursor.u64()?, cursor.u64()?, cursor.u64()?];
            profile.ticky_counts(time, id, TickyCounts { entries, allocations, allocated });
        }
        _ => {}
    }
    Some(())
}

fn counter(mut cursor: Cursor<'_>) -> Option<TickyCounter> {
    let (id, arity) = (cursor.u64()?, cursor.u16()?);
    let mut text = || cursor.c_string_or_rest().0;
    let (arguments, name) = (text(), text());
    let info_table = cursor.u64();
    let json = cursor.c_string_or_rest().0;
    // GHC 9.3 and 9.4 had the JSON in place of the arguments' letters.
    let json = if arguments.starts_with(b"{") { arguments } else { json };
    let about: About = serde_json::from_slice(json).unwrap_or_default();
    let letters = match arguments.starts_with(b"{") {
        true => about.arguments,
        false => String::from_utf8_lossy(arguments).into_owned(),
    };
    Some(TickyCounter {
        id,
        arity,
        arguments: letters,
        name: String::from_utf8_lossy(name).into_owned(),
        kind: about.kind,
        free_variables: about.free_variables,
        info_table: info_table.filter(|&table| table != 0 && table != NO_TABLE),
    })
}
