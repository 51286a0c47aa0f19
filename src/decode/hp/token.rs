//! Tokens: white space, words, strings, keywords (`docs/format/hp.md#tokens`).
//!
//! Everything here reads at the front of a [`Text`] whose end may not have arrived. A reading is
//! `None` while bytes still to come could change it, and once given it never changes: that makes
//! the decoder independent of how its input is cut. So that no input can keep a reading open for
//! ever, nothing looks further than [`REACH`] bytes.

use std::borrow::Cow;

use memchr::{memchr, memchr_iter};

use super::number::Number;

/// How far a statement, or a string in it, may reach. The longest real ones are job lines, which
/// are as long as the command lines of the system, 128 KiB an argument.
pub const REACH: usize = 1 << 20;

/// The longest word; what follows begins another token.
pub const MAX_WORD: usize = 4999;

/// Whether more bytes may come after a [`Text`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tail {
    /// They may.
    Open,
    /// The input ends here.
    Final,
}

/// The unread part of the input, as far as it has arrived.
#[derive(Clone, Copy, Debug)]
pub struct Text<'a> {
    /// The bytes.
    pub bytes: &'a [u8],
    /// What comes after them.
    pub tail: Tail,
}

impl<'a> Text<'a> {
    /// The text from `at` on.
    pub fn from(self, at: usize) -> Self {
        Text { bytes: self.bytes.get(at..).unwrap_or_default(), ..self }
    }

    /// The bytes that a reading may look at.
    pub fn reach(self) -> &'a [u8] {
        &self.bytes[..self.bytes.len().min(REACH)]
    }

    /// `value` when no further byte will come into reach, else `None`.
    pub fn settled<T>(self, value: T) -> Option<T> {
        (self.tail == Tail::Final || self.bytes.len() >= REACH).then_some(value)
    }

    /// Whether `at` is the very end of the input.
    pub fn ends_at(self, at: usize) -> bool {
        self.tail == Tail::Final && at == self.bytes.len()
    }

    /// Where the word at the front ends.
    pub fn word_end(self) -> Option<usize> {
        let window = &self.bytes[..self.bytes.len().min(MAX_WORD)];
        let full = window.len() == MAX_WORD || self.tail == Tail::Final;
        window.iter().position(|&byte| is_white(byte)).or(full.then_some(window.len()))
    }

    /// Where the line at the front ends: at its line feed, or at the end of what is in reach.
    pub fn line_end(self) -> Option<usize> {
        let window = self.reach();
        memchr(b'\n', window).or_else(|| self.settled(window.len()))
    }

    /// The second token, after the first one's end, and where it ends itself. A string counts only
    /// after a keyword that wants one: other statements are wrong from its first byte on.
    pub fn second(self, first_end: usize, keyword: Option<Keyword>) -> Option<(Second<'a>, usize)> {
        let window = self.reach();
        let white = window[first_end..].iter().position(|&byte| !is_white(byte));
        let Some(start) = white.map(|white| first_end + white) else {
            let second = if self.ends_at(window.len()) { Second::Missing } else { Second::Other };
            return self.settled((second, window.len()));
        };
        if window[start] == b'"' && matches!(keyword, Some(Keyword::Header(_))) {
            let (quoted, len) = Quoted::read(self.from(start))?;
            return Some((Second::Quoted(quoted, start), start + len));
        }
        Some(match Number::read(self.from(start))? {
            Some((number, len)) => (Second::Number(number), start + len),
            None => (Second::Other, start),
        })
    }
}

/// A token in second position.
#[derive(Clone, Copy, Debug)]
pub enum Second<'a> {
    /// A number.
    Number(Number<'a>),
    /// A string, and where it begins.
    Quoted(Quoted<'a>, usize),
    /// Nothing that any statement has there.
    Other,
    /// The input ends before it.
    Missing,
}

/// The six bytes that separate tokens.
pub fn is_white(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t'..=b'\r')
}

/// `text` without white space at its end.
pub fn trim_end(text: &[u8]) -> &[u8] {
    let end = text.iter().rposition(|&byte| !is_white(byte)).map_or(0, |last| last + 1);
    &text[..end]
}

/// The words that begin a statement of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keyword {
    /// A header line.
    Header(Header),
    /// `MARK`.
    Mark,
    /// `BEGIN_SAMPLE`.
    Begin,
    /// `END_SAMPLE`.
    End,
}

/// The four header lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Header {
    /// `JOB`.
    Job,
    /// `DATE`.
    Date,
    /// `SAMPLE_UNIT`.
    SampleUnit,
    /// `VALUE_UNIT`.
    ValueUnit,
}

impl Header {
    /// All of them, in the order in which hp2ps misses them (`docs/format/hp.md#the-whole-file`).
    pub const ALL: [Header; 4] = [Header::Job, Header::Date, Header::ValueUnit, Header::SampleUnit];

    /// The keyword.
    pub fn word(self) -> &'static str {
        match self {
            Header::Job => "JOB",
            Header::Date => "DATE",
            Header::SampleUnit => "SAMPLE_UNIT",
            Header::ValueUnit => "VALUE_UNIT",
        }
    }
}

impl Keyword {
    /// The keyword that `word` is, exactly.
    pub fn of(word: &[u8]) -> Option<Self> {
        Some(match word {
            b"JOB" => Keyword::Header(Header::Job),
            b"DATE" => Keyword::Header(Header::Date),
            b"SAMPLE_UNIT" => Keyword::Header(Header::SampleUnit),
            b"VALUE_UNIT" => Keyword::Header(Header::ValueUnit),
            b"MARK" => Keyword::Mark,
            b"BEGIN_SAMPLE" => Keyword::Begin,
            b"END_SAMPLE" => Keyword::End,
            _ => return None,
        })
    }
}

/// A string.
#[derive(Clone, Copy, Debug)]
pub struct Quoted<'a> {
    /// What stands between the quotes, doubled quotes still doubled.
    raw: &'a [u8],
    /// How it ends.
    pub close: Close,
}

/// How a string ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Close {
    /// With its quote.
    Quote,
    /// With the last quote of its line: the ones before it are meant literally.
    LastQuote,
    /// Without one in reach; it is taken to end with its line.
    Line,
    /// The same, and the input ends before the line does.
    Input,
}

impl<'a> Quoted<'a> {
    /// The string that begins with the quote at the front, and its length with the quotes.
    pub fn read(text: Text<'a>) -> Option<(Self, usize)> {
        let window = text.reach();
        let mut quotes = memchr_iter(b'"', window).skip(1).peekable();
        while let Some(quote) = quotes.next() {
            if quotes.next_if_eq(&(quote + 1)).is_some() {
                continue;
            }
            let closed = (Quoted { raw: &window[1..quote], close: Close::Quote }, quote + 1);
            // The last byte so far may be the first half of a doubled quote.
            return if quote + 1 < window.len() { Some(closed) } else { text.settled(closed) };
        }
        text.settled(())?;
        let end = text.line_end()?;
        let close = if text.ends_at(end) { Close::Input } else { Close::Line };
        Some((Quoted { raw: trim_end(&window[1..end]), close }, end))
    }

    /// The string that begins with the quote at the front and ends with the one at `last`, with
    /// quotes between them that stand for themselves.
    pub fn up_to(text: Text<'a>, last: usize) -> (Self, usize) {
        let raw = text.bytes.get(1..last).unwrap_or_default();
        (Quoted { raw, close: Close::LastQuote }, last + 1)
    }

    /// The text that is meant.
    pub fn text(self) -> String {
        match String::from_utf8_lossy(self.raw) {
            text if self.close == Close::LastQuote => text.into_owned(),
            Cow::Borrowed(text) if !text.contains('"') => text.to_owned(),
            text => text.replace("\"\"", "\""),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn open(bytes: &[u8]) -> Text<'_> {
        Text { bytes, tail: Tail::Open }
    }

    fn last(bytes: &[u8]) -> Text<'_> {
        Text { bytes, tail: Tail::Final }
    }

    fn string(text: Text<'_>) -> Option<(String, Close, usize)> {
        Quoted::read(text).map(|(quoted, len)| (quoted.text(), quoted.close, len))
    }

    #[test]
    fn a_word_is_open_until_white_space_or_its_limit() {
        assert_eq!(open(b"abc").word_end(), None);
        assert_eq!(open(b"abc\x0b").word_end(), Some(3));
        assert_eq!(last(b"abc").word_end(), Some(3));
        assert_eq!(open(&[b'x'; 4998]).word_end(), None);
        assert_eq!(open(&[b'x'; 6000]).word_end(), Some(4999));
    }

    #[test]
    fn a_doubled_quote_stands_for_one() {
        assert_eq!(string(open(br#""a""b" "#)), Some(("a\"b".into(), Close::Quote, 6)));
        assert_eq!(string(open(br#""" "#)), Some(("".into(), Close::Quote, 2)));
        assert_eq!(string(open(br#""""" "#)), Some(("\"".into(), Close::Quote, 4)));
    }

    #[test]
    fn a_quote_at_the_end_of_a_chunk_may_still_be_doubled() {
        assert_eq!(string(open(br#""a""#)), None);
        assert_eq!(string(last(br#""a""#)), Some(("a".into(), Close::Quote, 3)));
    }

    #[test]
    fn a_string_without_end_ends_with_its_line() {
        assert_eq!(string(open(b"\"a\r\nb")), None);
        assert_eq!(string(last(b"\"a\r\nb")), Some(("a".into(), Close::Line, 3)));
        assert_eq!(string(last(b"\"ab")), Some(("ab".into(), Close::Input, 3)));
        let mut long = vec![b'x'; REACH + 5];
        (long[0], long[3]) = (b'"', b'\n');
        assert_eq!(string(open(&long)), Some(("xx".into(), Close::Line, 3)));
    }

    #[test]
    fn bytes_that_are_no_utf8_become_the_replacement_character() {
        assert_eq!(string(last(b"\"a\xff\"")), Some(("a\u{fffd}".into(), Close::Quote, 4)));
    }
}
