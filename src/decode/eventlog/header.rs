//! The declarations at the front of a log: which event types there are, and how long each is.
//!
//! Source: `docs/format/eventlog.md#the-header`. Descriptions change from version to version and
//! are skipped; only the sizes count.

use foldhash::HashMap;

use super::byte_window::begins_in;
use super::{Ahead, ByteWindow, More, Tag};
use crate::base::text::visible;
use crate::incident::error::Error;
use crate::incident::{Incident, WarningCode};
use crate::profile::ProfileBuilder;

/// The first four bytes of a log.
pub const HEADER_BEGIN: &[u8; 4] = b"hdrb";
const TYPES_BEGIN: &[u8; 4] = b"hetb";
const RECORD_BEGIN: &[u8; 4] = b"etb\0";
const RECORD_END: &[u8; 4] = b"ete\0";
const TYPES_END: &[u8; 4] = b"hete";
const HEADER_END: &[u8; 4] = b"hdre";
const DATA_BEGIN: &[u8; 4] = b"datb";

/// The longest description that is skipped. Real ones have about 60 bytes.
const MAX_DESCRIPTION: usize = 64 * 1024;
/// The longest extra field. Real ones are empty.
const MAX_EXTRA: usize = 4 * 1024;

/// The declared payload size of an event type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PayloadSize {
    /// The header of the log does not declare the type.
    Undeclared,
    /// Every event of the type has this many bytes of payload.
    Fixed(u16),
    /// Each event states its own length.
    Variable,
}

/// The sizes that a log's header declares.
#[derive(Clone, Debug)]
pub struct Sizes {
    /// Real tags are below 256; this is looked up once for each event.
    low: Box<[PayloadSize; 256]>,
    high: HashMap<u16, PayloadSize>,
    records: usize,
}

impl Sizes {
    /// The sizes of a header without declarations.
    pub fn new() -> Self {
        Sizes {
            low: Box::new([PayloadSize::Undeclared; 256]),
            high: HashMap::default(),
            records: 0,
        }
    }

    /// The declared size of a type.
    pub fn of(&self, tag: Tag) -> PayloadSize {
        match self.low.get(usize::from(tag.0)) {
            Some(&size) => size,
            None => self.high.get(&tag.0).copied().unwrap_or(PayloadSize::Undeclared),
        }
    }

    /// Declares a type and returns its previous declaration, which the new one replaces.
    fn declare(&mut self, tag: Tag, size: PayloadSize) -> PayloadSize {
        match self.low.get_mut(usize::from(tag.0)) {
            Some(slot) => std::mem::replace(slot, size),
            None => self.high.insert(tag.0, size).unwrap_or(PayloadSize::Undeclared),
        }
    }
}

/// A header while it is read, record by record.
#[derive(Clone, Debug)]
pub struct HeaderReader {
    sizes: Sizes,
    begun: bool,
    /// The first bytes of the header, if they were read before it was known to be one.
    swallowed: Vec<u8>,
}

/// Why a part of a header is not read.
#[derive(Debug)]
pub enum Halt {
    Needs(More),
    Wrong(Error),
}

impl From<More> for Halt {
    fn from(more: More) -> Self {
        Halt::Needs(more)
    }
}

impl From<Error> for Halt {
    fn from(error: Error) -> Self {
        Halt::Wrong(error)
    }
}

/// The result of one step through a header.
#[derive(Debug)]
pub enum HeaderStep {
    /// So many bytes were read, and the header goes on.
    Took(usize),
    /// The header is complete, and this many bytes long from here.
    Done(usize, Sizes),
    /// After this many bytes another header begins, whose first bytes may have been swallowed.
    CutBy(usize, Vec<u8>),
}

impl HeaderReader {
    pub fn new() -> Self {
        Self::after(Vec::new())
    }

    /// A reader of a header whose first bytes were read already.
    pub fn after(swallowed: Vec<u8>) -> Self {
        HeaderReader { sizes: Sizes::new(), begun: false, swallowed }
    }

    /// Reads the next piece of the header, which begins at the window's start.
    ///
    /// # Errors
    /// [`Error::Header`] when something else is there.
    pub fn step(
        &mut self,
        window: ByteWindow<'_>,
        profile: &mut ProfileBuilder,
    ) -> Result<HeaderStep, Halt> {
        let before = std::mem::take(&mut self.swallowed);
        if before.is_empty() {
            return self.part(window, profile);
        }
        // No record in a real header is longer.
        const ENOUGH: usize = 4 * 1024;
        let shown = &window.bytes[..window.bytes.len().min(ENOUGH)];
        let both = [&before[..], shown].concat();
        let window = ByteWindow {
            bytes: &both,
            base: window.base - before.len() as u64,
            last: window.last && shown.len() == window.bytes.len(),
        };
        let step = match self.part(window, profile) {
            Err(Halt::Needs(More(needs))) => {
                let needs = needs.saturating_sub(before.len());
                self.swallowed = before;
                return Err(More(needs).into());
            }
            step => step?,
        };
        // How many bytes of the window are used when `used` are, and which of the swallowed ones remain.
        let split = |used: usize| {
            let left = before.get(used..).unwrap_or_default().to_vec();
            (used.saturating_sub(before.len()), left)
        };
        Ok(match step {
            HeaderStep::Took(used) => {
                let (used, left) = split(used);
                self.swallowed = left;
                HeaderStep::Took(used)
            }
            HeaderStep::CutBy(used, _) => {
                let (used, left) = split(used);
                HeaderStep::CutBy(used, left)
            }
            HeaderStep::Done(used, sizes) => HeaderStep::Done(split(used).0, sizes),
        })
    }

    fn part(
        &mut self,
        window: ByteWindow<'_>,
        profile: &mut ProfileBuilder,
    ) -> Result<HeaderStep, Halt> {
        if !self.begun {
            expect(window, 0, &[HEADER_BEGIN, TYPES_BEGIN])?;
            self.begun = true;
            return Ok(HeaderStep::Took(8));
        }
        Ok(match part_at(window)? {
            HeaderPart::Record { tag, size, length } => {
                self.declare(tag, size, window, profile)?;
                HeaderStep::Took(length)
            }
            HeaderPart::End { length } => {
                let sizes = std::mem::replace(&mut self.sizes, Sizes::new());
                HeaderStep::Done(length, sizes)
            }
            HeaderPart::CutBy { at } => HeaderStep::CutBy(at, Vec::new()),
        })
    }

    fn declare(
        &mut self,
        tag: Tag,
        size: PayloadSize,
        window: ByteWindow<'_>,
        profile: &mut ProfileBuilder,
    ) -> Result<(), Error> {
        self.sizes.records += 1;
        let most = profile.limits.header_records;
        if self.sizes.records > most {
            return Err(error(window, 0, format!("more than {most} event types")));
        }
        let before = self.sizes.declare(tag, size);
        if before != PayloadSize::Undeclared && before != size {
            let incident = Incident::new(WarningCode::OddDeclaration).at_byte(window.base);
            profile.incidents.note(incident, || {
                format!("{tag} is declared twice with different sizes; the last one is used")
            });
        }
        Ok(())
    }
}

/// A part of a header after its first eight bytes.
#[derive(Debug)]
pub enum HeaderPart {
    /// The declaration of an event type, this many bytes long.
    Record {
        tag: Tag,
        /// The size of its events' payloads.
        size: PayloadSize,
        length: usize,
    },
    /// The end of the header, this many bytes long.
    End { length: usize },
    /// Another header begins inside this one, because the connection broke there.
    CutBy { at: usize },
}

/// The part of a header at the window's start.
///
/// # Errors
/// [`Error::Header`] when something else is there.
pub fn part_at(window: ByteWindow<'_>) -> Result<HeaderPart, Halt> {
    let outcome = intact_part(window);
    let to = match &outcome {
        Ok(HeaderPart::Record { length, .. }) => *length,
        Err(Halt::Needs(_)) if window.last => window.bytes.len(),
        // The first wrong byte is the first of the other header, or one of the few after it.
        Err(Halt::Wrong(Error::Header { at, .. })) => (at - window.base) as usize + 4,
        _ => return outcome,
    };
    match begins_in(ByteWindow { last: true, ..window }, 0, to) {
        Ok(Some(at)) => Ok(HeaderPart::CutBy { at }),
        _ => outcome,
    }
}

/// The part of a header at the window's start, by its lengths.
fn intact_part(window: ByteWindow<'_>) -> Result<HeaderPart, Halt> {
    let front = window.bytes;
    if front.len() < 4 {
        return Err(More(4).into());
    }
    if front.starts_with(TYPES_END) {
        expect(window, 0, &[TYPES_END, HEADER_END, DATA_BEGIN])?;
        return Ok(HeaderPart::End { length: 12 });
    }
    expect(window, 0, &[RECORD_BEGIN])?;
    let mut cursor = window.cursor(4);
    let (Some(tag), Some(size), Some(description)) = (cursor.u16(), cursor.u16(), cursor.u32())
    else {
        return Err(More(12).into());
    };
    let description = text_length(window, 8, "a description", description, MAX_DESCRIPTION)?;
    let Some(extra) = window.cursor(12 + description).u32() else {
        return Err(More(16 + description).into());
    };
    let extra = text_length(window, 12 + description, "an extra field", extra, MAX_EXTRA)?;
    let end = 16 + description + extra;
    expect(window, end, &[RECORD_END])?;
    let size = if size == 0xFFFF { PayloadSize::Variable } else { PayloadSize::Fixed(size) };
    Ok(HeaderPart::Record { tag: Tag(tag), size, length: end + 4 })
}

/// Checks that `words` are at position `at`.
fn expect(window: ByteWindow<'_>, at: usize, words: &[&[u8; 4]]) -> Result<(), Halt> {
    for (i, word) in words.iter().enumerate() {
        let at = at + 4 * i;
        let there = window.cursor(at).rest();
        let there = &there[..there.len().min(4)];
        if !word.starts_with(there) {
            evidence(window, at)?;
            let what = format!(
                "expected `{}`, found `{}`",
                visible(&String::from_utf8_lossy(&word[..])),
                visible(&String::from_utf8_lossy(there))
            );
            return Err(error(window, at, what).into());
        }
        if there.len() < 4 {
            return Err(More(at + 4).into());
        }
    }
    Ok(())
}

fn text_length(
    window: ByteWindow<'_>,
    at: usize,
    what: &str,
    length: u32,
    most: usize,
) -> Result<usize, Halt> {
    let length = length as usize;
    if length <= most {
        return Ok(length);
    }
    evidence(window, at)?;
    Err(error(window, at, format!("{what} of {length} bytes")).into())
}

/// How far after its place an error looks for other evidence: line ends that were rewritten, the
/// first bytes of another header.
const EVIDENCE: usize = 12;

/// Whether the bytes are there that an error at position `at` needs; it must not say more or less
/// when the same bytes come in other pieces.
fn evidence(window: ByteWindow<'_>, at: usize) -> Ahead<()> {
    let needs = at + EVIDENCE;
    if !window.last && window.bytes.len() < needs { Err(More(needs)) } else { Ok(()) }
}

fn error(window: ByteWindow<'_>, at: usize, what: String) -> Error {
    let offset = window.offset(at);
    let seen = &window.bytes[..window.bytes.len().min(at + EVIDENCE)];
    let has = |bytes: &[u8]| memchr::memmem::find(seen, bytes).is_some();
    // Real headers have no CR LF in their first records, only single bytes of either value.
    let line_ends = offset < 200 && has(b"\r\n");
    // The length of variable events, FF FF, in UTF-8: as what cannot be decoded, or from Latin-1.
    let as_text = line_ends || has("\u{fffd}\u{fffd}".as_bytes()) || has("\u{ff}\u{ff}".as_bytes());
    Error::Header { at: offset, what, as_text }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::Source;
    use crate::testing::event;

    /// Why a header is refused of which so many bytes were read before.
    fn refusal(mut at: usize, bytes: &[u8]) -> Error {
        let mut reader = HeaderReader::after(bytes[..at].to_vec());
        let mut profile = ProfileBuilder::new(Source::Eventlog);
        loop {
            let window = ByteWindow { bytes: &bytes[at..], base: at as u64, last: true };
            match reader.step(window, &mut profile) {
                Ok(HeaderStep::Took(n)) => at += n,
                Err(Halt::Wrong(error)) => return error,
                other => panic!("{:?}", other.ok()),
            }
        }
    }

    fn header() -> Vec<u8> {
        let (mut log, types) = (Vec::new(), [(1, 4, "Run thread"), (16, event::VARIABLE, "RTS")]);
        event::header(&mut log, types);
        log
    }

    #[test]
    fn an_error_after_bytes_read_before_says_where_in_the_log_it_is() {
        let mut log = header();
        log[8] = b'?';
        for log in [&log[..], &log[..12]] {
            for swallowed in 1..12 {
                assert_eq!(refusal(swallowed, log), refusal(0, log), "{swallowed}");
            }
        }
    }

    #[test]
    fn rewritten_line_ends_and_characters_are_recognised() {
        // The length of the first description is that of a line end.
        let log = header();
        let latin: String = log.iter().map(|&byte| char::from(byte)).collect();
        let lossy = String::from_utf8_lossy(&log).into_owned();
        let line_ends = log.split(|&byte| byte == b'\n').collect::<Vec<_>>().join(&b"\r\n"[..]);
        for text in [line_ends, lossy.into_bytes(), latin.into_bytes()] {
            assert!(matches!(refusal(0, &text), Error::Header { as_text: true, .. }));
        }
    }
}
