//! The two tokens of a statement by hp2ps's rules (`docs/format/hp.md#statements`), and the one kind
//! of line that is read as a whole.

use memchr::memrchr;

use crate::decode::hp_text::line::spaced_row;
use crate::decode::hp_text::{
    Close, Keyword, MAX_WORD, Number, QuoteLimit, Quoted, Tail, Unread, is_white, until_nul,
};

/// Whether the end of the file alone may be the cause of a fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// The faulty token touches the end, or is missing there: the file may be cut.
    PerhapsCut,
    /// More bytes would not help.
    Wrong,
}

/// A token in second position.
pub enum Second<'a> {
    /// A number.
    Number(Number<'a>),
    /// A string, its bytes up to a NUL.
    Text(Vec<u8>),
    /// A word.
    Word,
    /// The file ends before it.
    Missing,
    /// A string that the file's end leaves open.
    Open,
}

/// The two tokens of a statement.
pub struct Pair<'a> {
    /// The first, a word.
    pub first: &'a [u8],
    /// What it means, if anything.
    pub keyword: Option<Keyword>,
    /// The second.
    pub second: Second<'a>,
    /// Where the second begins.
    pub at: usize,
    /// Where it ends.
    pub end: usize,
    /// Why it may be wrong.
    pub cause: Cause,
}

/// The tokens of the statement at the front, which begins with neither white space nor a quote.
pub fn pair(text: Unread<'_>) -> Option<Pair<'_>> {
    let first_end = text.word_end()?;
    let first = &text.bytes[..first_end];
    if text.ends_at(first_end) {
        // A word that reaches the end is a name that matches nothing
        // (`docs/format/hp.md#the-end-of-the-file`).
        let cause = Cause::PerhapsCut;
        let (at, end) = (first_end, first_end);
        return Some(Pair { first, keyword: None, second: Second::Missing, at, end, cause });
    }
    let keyword = Keyword::of(until_nul(first));
    let rest = &text.bytes[first_end..];
    let Some(white) = rest.iter().position(|&byte| !is_white(byte)) else {
        let end = text.bytes.len();
        let pair = Pair {
            first,
            keyword,
            second: Second::Missing,
            at: end,
            end,
            cause: Cause::PerhapsCut,
        };
        return (text.tail == Tail::Final).then_some(pair);
    };
    let at = first_end + white;
    let here = text.from(at);
    let (second, len) = match here.bytes[0] {
        b'"' => {
            let (quoted, len) = Quoted::read(here, QuoteLimit::File)?;
            match quoted.close {
                Close::Quote => (Second::Text(until_nul(&quoted.bytes()).to_vec()), len),
                _ => (Second::Open, here.bytes.len()),
            }
        }
        b'0'..=b'9' => {
            let (number, len) = Number::read(here)??;
            (Second::Number(number), len)
        }
        _ => (Second::Word, here.word_end()?),
    };
    let end = at + len;
    let cause = if text.ends_at(end) { Cause::PerhapsCut } else { Cause::Wrong };
    Some(Pair { first, keyword, second, at, end, cause })
}

/// The line at the front as a row of a name with blanks: name, value, and its length without the
/// line end. Only if the line's tokens make hp2ps refuse the file, whatever comes after it.
pub fn blank_row(text: Unread<'_>) -> Option<Option<(&[u8], Number<'_>, usize)>> {
    let end = text.line_end()?;
    let whole = text.ends_at(end) || text.bytes.get(end) == Some(&b'\n');
    let line = &text.bytes[..end];
    // For most lines the last byte decides.
    let last = line.iter().rposition(|&byte| !is_white(byte));
    if !whole || !last.is_some_and(|last| line[last].is_ascii_digit()) {
        return Some(None);
    }
    let row = spaced_row(line).filter(|(name, _)| {
        name.iter().any(|&byte| is_white(byte)) && memrchr(b'"', name).is_none() && is_refused(line)
    });
    Some(row.map(|(name, value)| (name, value, end)))
}

/// Whether hp2ps refuses the line because a name in it is not followed by a value. A line with a
/// keyword in the place of a name is not a row, and is read token by token.
fn is_refused(line: &[u8]) -> bool {
    let line = Unread { bytes: line, tail: Tail::Final };
    let skip = |at: usize| {
        let rest = &line.bytes[at..];
        rest.iter().position(|&byte| !is_white(byte)).map(|white| at + white)
    };
    let mut at = 0;
    loop {
        let Some(first) = skip(at) else { return false };
        let rest = &line.bytes[first..];
        let Some(len) = rest.iter().position(|&byte| is_white(byte)) else { return false };
        if len >= MAX_WORD || rest[0] == b'"' || Keyword::of(&rest[..len]).is_some() {
            return false;
        }
        let Some(second) = skip(first + len) else { return false };
        match (line.bytes[second], Number::read(line.from(second))) {
            (b'0'..=b'9', Some(Some((number, len)))) if !number.has_point() => at = second + len,
            _ => return true,
        }
    }
}
