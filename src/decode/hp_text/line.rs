//! Lines as the run-time system writes them: a row is `NAME TAB DIGITS`, and nothing in NAME is
//! escaped.

use memchr::{memchr, memchr2};

use super::keyword::Keyword;
use super::number::{MAX_NUMBER, Number};
use super::unread::{MAX_WORD, Unread, is_white, trim_end};

/// A row that is a whole line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LineRow<'a> {
    /// The text before the TAB, without white space at its end.
    pub name: &'a [u8],
    /// The number after the TAB.
    pub value: Number<'a>,
    /// The length of the line, including its end.
    pub len: usize,
}

impl<'a> LineRow<'a> {
    /// The row that is the whole line at the front; `Some(None)` when the line is not a row.
    pub fn read(text: Unread<'a>) -> Option<Option<Self>> {
        let window = text.reach();
        let tab = match memchr2(b'\t', b'\n', window) {
            Some(tab) if window[tab] == b'\t' => tab,
            Some(_) => return Some(None),
            None => return text.decided(None),
        };
        let Some((digits, len)) = digits_to_line_end(text, tab + 1)? else { return Some(None) };
        let name = trim_end(&window[..tab]);
        Some(Some(LineRow { name, value: Number::from_digits(digits), len }))
    }

    /// Whether its two tokens have the same meaning as the line.
    pub fn is_two_tokens(self) -> bool {
        is_plain_name(self.name)
            && self.name.len() <= MAX_WORD
            && self.value.digits().len() <= MAX_NUMBER
    }
}

/// Whether a name of any length is one word and not a keyword.
pub fn is_plain_name(name: &[u8]) -> bool {
    name.first().is_some_and(|&first| first != b'"')
        && !name.iter().any(|&byte| is_white(byte))
        && Keyword::of(name).is_none()
}

/// The length of a row without a name, `TAB DIGITS` and the line end; `Some(None)` when the text
/// is not such a row.
pub fn nameless_row(text: Unread<'_>) -> Option<Option<usize>> {
    match text.reach() {
        [b'\t', ..] => digits_to_line_end(text, 1).map(|found| found.map(|(_, len)| len)),
        _ => Some(None),
    }
}

/// The digits from `start` to the line end, and where the next line begins; `Some(None)` when
/// something else is there.
pub fn digits_to_line_end(text: Unread<'_>, start: usize) -> Option<Option<(&[u8], usize)>> {
    let rest = &text.reach()[start..];
    let end = rest.iter().position(|byte| !byte.is_ascii_digit()).unwrap_or(rest.len());
    let digits = &rest[..end];
    let len = match rest[end..] {
        [b'\n', ..] => end + 1,
        [b'\r', b'\n', ..] => end + 2,
        // The end of the input also ends a line.
        [] | [b'\r'] => {
            let whole = text.ends_at(start + rest.len());
            text.decided(())?;
            if !whole {
                return Some(None);
            }
            rest.len()
        }
        _ => return Some(None),
    };
    Some((!digits.is_empty()).then_some((digits, start + len)))
}

/// The name and value of a line that is anything, white space, digits. After a keyword the white
/// space must be the run-time system's TAB: `DATE Mon Jan 5 2026` is not a row.
pub fn spaced_row(line: &[u8]) -> Option<(&[u8], Number<'_>)> {
    let line = trim_end(line);
    let start = line.iter().rposition(|byte| !byte.is_ascii_digit())? + 1;
    let (name, digits) = line.split_at(start);
    let &separator = name.last()?;
    let first = &name[..name.iter().position(|&byte| is_white(byte))?];
    let fits = is_white(separator) && (separator == b'\t' || Keyword::of(first).is_none());
    let name = trim_end(name);
    let good = fits && !digits.is_empty() && memchr(b'\r', name).is_none();
    good.then(|| (name, Number::from_digits(digits)))
}
