//! Applies each event to the profile.
//!
//! Source: `docs/format/eventlog.md#events` and `docs/format/eventlog.md#samples`. Every payload is
//! read through a cursor that ends with it, so a short one costs its own fields and nothing else.
//! `PROGRAM_ENV` is not read at all: it contains the user's secrets.

use super::dense::{Dense, Reached};
use super::framing::Event;
use super::header::PayloadSize;
use super::runtime::{CollectionReader, NonMovingReader, ticky};
use super::{Declared, Headerless, LogEnd, Sizes, Start, Tag};

use super::sample_events::{self, SampleMachine};
use crate::base::date;
use crate::base::units::{Bytes, Nanos};
use crate::decode::cursor::Cursor;
use crate::incident::error::Error;
use crate::incident::{Loss, WarningCode};
use crate::profile::{
    ADDRESS_SPACE, BandKeyRef, Breakdown, CostCentre, Filters, HeapSeriesKind, MarkerKind,
    Metadata, ProfileBuilder,
};

/// Turns events into facts of the profile.
#[derive(Clone, Debug, Default)]
pub struct Facts {
    samples: SampleMachine,
    collections: CollectionReader,
    nonmoving: NonMovingReader,
    /// The ids of the current stack; kept to save an allocation for each event.
    stack: Vec<u32>,
    /// Bytes of the events about threads and collections so far.
    pub scheduling: u64,
    dense: Dense,
}

impl Facts {
    /// Begins a log with these declarations: what was open in the previous one never ends.
    pub fn start_log(&mut self, sizes: &Sizes) {
        self.forget_bands();
        self.samples.start_log(sizes.of(Tag::HEAP_PROF_SAMPLE_END) != PayloadSize::Undeclared);
        self.collections = CollectionReader::default();
        self.nonmoving = NonMovingReader::default();
    }

    /// Forgets the numbers of bands, which change here.
    pub fn forget_bands(&mut self) {
        self.dense.forget_bands();
    }

    pub fn end_log(&mut self, end: LogEnd, profile: &mut ProfileBuilder) {
        self.samples.end_log(end, profile);
    }

    /// Records that bytes are lost here.
    pub fn damage(&mut self) {
        self.samples.damage();
    }

    /// Takes the frequent events at a position.
    ///
    /// # Errors
    /// [`Error::OverLimit`].
    #[inline]
    pub fn take_many(
        &mut self,
        start: Start<'_>,
        declared: Declared<'_>,
        headerless: &mut Headerless,
        profile: &mut ProfileBuilder,
    ) -> Result<Reached, Error> {
        let in_sample = self.samples.is_open();
        let (mut here, mut time, mut scheduling) = (start, None, 0);
        loop {
            let reached = self.dense.take(here, declared, in_sample, profile)?;
            scheduling += reached.scheduling;
            time = reached.time.or(time);
            here = start.after(reached.at);
            while let Some(event) = here.of_collections(declared.steps, headerless) {
                self.of_collections(&event, profile);
                time = Some(event.time);
                here = start.after(event.end);
            }
            if here.at == reached.at {
                self.scheduling += scheduling;
                return Ok(Reached { at: here.at, time, scheduling });
            }
        }
    }

    /// Takes an event.
    ///
    /// # Errors
    /// [`Error::OverLimit`].
    #[inline]
    pub fn take(&mut self, event: &Event<'_>, profile: &mut ProfileBuilder) -> Result<(), Error> {
        let time = Nanos::from_unsigned_nanos(event.time);
        let cursor = Cursor::new(event.payload);
        let read = match event.tag {
            Tag::HEAP_PROF_SAMPLE_STRING | Tag::HEAP_PROF_SAMPLE_COST_CENTRE => {
                return self.band(event, profile);
            }
            Tag::HEAP_PROF_SAMPLE_BEGIN => {
                self.samples.begin(time, profile);
                Some(())
            }
            Tag::HEAP_PROF_SAMPLE_END => {
                self.samples.end(time, profile);
                Some(())
            }
            Tag::HEAP_BIO_PROF_SAMPLE_BEGIN => self.biographical_begin(cursor, time, profile),
            Tag::HEAP_PROF_BEGIN => prof_begin(cursor, event, profile),
            Tag::HEAP_PROF_COST_CENTRE => cost_centre(cursor, event, profile),
            Tag::IPE => info_table(cursor, event, profile),
            Tag::RTS_IDENTIFIER => rts_identifier(cursor, profile),
            Tag::PROGRAM_ARGS => program_args(cursor, profile),
            Tag::OSPROCESS_PID => process_id(cursor, profile),
            Tag::HEAP_INFO => heap_info(cursor, profile),
            Tag::WALL_CLOCK_TIME => wall_clock(cursor, event.time, profile),
            Tag::USER_MARKER => {
                profile.marker(time, lossy(event.payload), MarkerKind::Marker);
                Some(())
            }
            Tag::USER_MSG => {
                profile.message(time, event.payload);
                Some(())
            }
            Tag::PROF_BEGIN => sample_events::begin_ticks(cursor, profile),
            Tag::PROF_SAMPLE_COST_CENTRE => sample_events::tick(event, &mut self.stack, profile)?,
            Tag(200..=207) => self.nonmoving.take(event, profile),
            Tag(210..=212) => ticky(event, profile),
            tag => {
                if tag.is_of_collections() {
                    self.of_collections(event, profile);
                } else if tag.is_scheduling() {
                    self.scheduling += event.length as u64;
                    let _short_is_skipped = thread(event, profile);
                }
                return Ok(());
            }
        };
        if read.is_none() {
            note_short(event, Loss::Nothing, profile);
        }
        Ok(())
    }

    /// Takes an event that [`Tag::is_of_collections`] names; no other comes here.
    #[inline]
    fn of_collections(&mut self, event: &Event<'_>, profile: &mut ProfileBuilder) {
        let time = Nanos::from_unsigned_nanos(event.time);
        let cursor = Cursor::new(event.payload);
        let read = match event.tag {
            Tag::HEAP_SIZE => heap_point(HeapSeriesKind::Size, cursor, time, profile),
            Tag::HEAP_LIVE => heap_point(HeapSeriesKind::Live, cursor, time, profile),
            Tag::BLOCKS_SIZE => heap_point(HeapSeriesKind::Blocks, cursor, time, profile),
            _ => self.collections.take(event, profile),
        };
        if read.is_none() {
            note_short(event, Loss::Nothing, profile);
        }
    }

    /// Takes the residency of a band, which is named by its text or by its cost-centre stack, innermost first.
    fn band(&mut self, event: &Event<'_>, profile: &mut ProfileBuilder) -> Result<(), Error> {
        let mut cursor = Cursor::new(event.payload);
        let is_stack = event.tag == Tag::HEAP_PROF_SAMPLE_COST_CENTRE;
        let head = (cursor.u8(), cursor.u64(), if is_stack { cursor.u8() } else { Some(0) });
        let (Some(profile_id), Some(size), Some(depth)) = head else {
            note_short(event, Loss::Values(1), profile);
            self.samples.damage();
            return Ok(());
        };
        let key = if !is_stack {
            let (label, ended) = cursor.c_string_or_rest();
            if !ended {
                note_unended_text(event, profile);
            }
            BandKeyRef::Name(label)
        } else if sample_events::ids(event, cursor, depth, &mut self.stack, profile).is_some() {
            BandKeyRef::Stack(&self.stack)
        } else {
            self.samples.damage();
            return Ok(());
        };
        let band = profile.band(key)?;
        self.samples.entry(Nanos::from_unsigned_nanos(event.time), profile);
        // Every version of GHC writes one profile, number 0.
        if profile_id != 0 {
            self.samples.damage();
        }
        let size = residency(size, event, profile);
        profile.point(band, size);
        Ok(())
    }

    /// All samples of `-hb` are written at exit; their own time is in the payload.
    fn biographical_begin(
        &mut self,
        mut cursor: Cursor<'_>,
        event_time: Nanos,
        profile: &mut ProfileBuilder,
    ) -> Option<()> {
        profile.biographical = true;
        let census = cursor.u64().and_then(|_number| cursor.u64());
        self.samples.begin(census.map_or(event_time, Nanos::from_unsigned_nanos), profile);
        census.map(|_| ())
    }
}

/// Sizes are signed inside the run-time system: one a little below zero shows as more than 2^63. A
/// size greater than any address space is damage, and the sample will be left out.
fn residency(size: u64, event: &Event<'_>, profile: &mut ProfileBuilder) -> Bytes {
    if size > i64::MAX as u64 && size.wrapping_neg() < ADDRESS_SPACE {
        let incident = event.incident(WarningCode::ClampedValue);
        let size = size.cast_signed();
        profile.incidents.note(incident, || format!("a size of {size} bytes is taken as 0"));
        return Bytes::ZERO;
    }
    Bytes::new(size)
}

fn prof_begin(
    mut cursor: Cursor<'_>,
    event: &Event<'_>,
    profile: &mut ProfileBuilder,
) -> Option<()> {
    let _profile_id = cursor.u8()?;
    profile.metadata.period_ns = Some(cursor.u64()?);
    let number = cursor.u32()?;
    match Breakdown::from_number(number) {
        Some(breakdown) => profile.declare_breakdown(breakdown),
        None => {
            let incident = event.incident(WarningCode::OddEvent);
            profile.incidents.note(incident, || format!("unknown break-down number {number}"));
            profile.declare_breakdown(Breakdown::Unknown);
        }
    }
    let (texts, complete) = texts(&mut cursor);
    profile.metadata.filters = Filters::new(texts.map(lossy));
    complete.then_some(())
}

fn cost_centre(
    mut cursor: Cursor<'_>,
    event: &Event<'_>,
    profile: &mut ProfileBuilder,
) -> Option<()> {
    let id = cursor.u32()?;
    let (texts, complete) = texts(&mut cursor);
    let [label, module, location] = texts.map(|text| lossy(text).into());
    // The flag of a CAF is 99, not 1: only bit 0 counts.
    let is_caf = cursor.u8().is_some_and(|flags| flags & 1 == 1);
    if event.wrapped {
        let tag = event.tag;
        profile.incidents.note(event.incident(WarningCode::OddEvent), || {
            format!("{tag} is longer than its 16-bit length can express; it is read by its fields")
        });
    }
    profile.define_cost_centre(id, CostCentre { label, module, location, is_caf });
    complete.then_some(())
}

fn info_table(
    mut cursor: Cursor<'_>,
    event: &Event<'_>,
    profile: &mut ProfileBuilder,
) -> Option<()> {
    let address = cursor.u64()?;
    let (fields, complete) = texts(&mut cursor);
    profile.define_info_table(address, fields);
    if !complete {
        note_unended_text(event, profile);
    }
    Some(())
}

fn rts_identifier(mut cursor: Cursor<'_>, profile: &mut ProfileBuilder) -> Option<()> {
    cursor.take(4)?;
    profile.metadata.rts = Some(lossy(cursor.rest()));
    Some(())
}

fn heap_info(mut cursor: Cursor<'_>, profile: &mut ProfileBuilder) -> Option<()> {
    let (_capability_set, _generations, _most) = (cursor.u32()?, cursor.u16()?, cursor.u64()?);
    profile.allocation_area(Bytes::new(cursor.u64()?));
    Some(())
}

fn program_args(mut cursor: Cursor<'_>, profile: &mut ProfileBuilder) -> Option<()> {
    cursor.take(4)?;
    let texts = cursor.rest();
    let texts = texts.strip_suffix(&[0]).unwrap_or(texts);
    let arguments: Vec<String> = texts.split(|&byte| byte == 0).map(lossy).collect();
    let metadata = &mut profile.metadata;
    metadata.job = Some(Metadata::job_of(&arguments));
    metadata.arguments = arguments;
    Some(())
}

/// The reason for which a thread stops that has ended.
pub const FINISHED: u16 = 5;

fn thread(event: &Event<'_>, profile: &mut ProfileBuilder) -> Option<()> {
    let (mut cursor, time) = (Cursor::new(event.payload), Nanos::from_unsigned_nanos(event.time));
    let thread = cursor.u32()?;
    match event.tag {
        Tag::THREAD_LABEL => profile.label_thread(time, thread, &lossy(cursor.rest())),
        Tag::STOP_THREAD if cursor.u16()? == FINISHED => profile.end_thread(time, thread),
        _ => {}
    }
    Some(())
}

fn process_id(mut cursor: Cursor<'_>, profile: &mut ProfileBuilder) -> Option<()> {
    cursor.take(4)?;
    profile.metadata.process.id = Some(cursor.u32()?);
    Some(())
}

/// The first one dates the run (`docs/format/eventlog.md#the-clock`): a log that restarts repeats
/// it.
fn wall_clock(mut cursor: Cursor<'_>, event_time: u64, profile: &mut ProfileBuilder) -> Option<()> {
    cursor.take(4)?;
    let seconds = cursor.u64()?;
    let nanos = cursor.u32()?;
    if profile.metadata.date.is_none() {
        let start =
            i128::from(seconds) * 1_000_000_000 + i128::from(nanos) - i128::from(event_time);
        profile.metadata.date = date::utc(start);
        profile.metadata.process.epoch_ns = Some(start);
        profile.metadata.process.dated = Some(Nanos::from_unsigned_nanos(event_time));
    }
    Some(())
}

fn heap_point(
    figure: HeapSeriesKind,
    mut cursor: Cursor<'_>,
    time: Nanos,
    profile: &mut ProfileBuilder,
) -> Option<()> {
    let _capability_set = cursor.u32()?;
    let bytes = cursor.u64().map(Bytes::new)?;
    profile.heap_point(figure, time, bytes);
    Some(())
}

/// The next texts of a payload, and whether each has its end.
fn texts<'a, const N: usize>(cursor: &mut Cursor<'a>) -> ([&'a [u8]; N], bool) {
    let mut complete = true;
    let texts = std::array::from_fn(|_| {
        let (text, ended) = cursor.c_string_or_rest();
        complete &= ended;
        text
    });
    (texts, complete)
}

fn lossy(text: &[u8]) -> String {
    String::from_utf8_lossy(text).into_owned()
}

#[cold]
fn note_short(event: &Event<'_>, loss: Loss, profile: &mut ProfileBuilder) {
    let (tag, length) = (event.tag, event.payload.len());
    let incident = event.incident(WarningCode::OddEvent).loses(loss);
    profile.incidents.note(incident, || format!("{tag} of {length} bytes is too short"));
}

#[cold]
fn note_unended_text(event: &Event<'_>, profile: &mut ProfileBuilder) {
    let tag = event.tag;
    let incident = event.incident(WarningCode::OddEvent);
    profile.incidents.note(incident, || format!("a text in {tag} has no end"));
}
