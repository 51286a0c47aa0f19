//! Strings.

use std::borrow::Cow;

use memchr::memchr_iter;

use super::unread::{Tail, Unread, trim_end};

/// How far to search for the closing quote of a string.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QuoteLimit {
    /// As far as any statement may reach; a string without a quote there ends with its line.
    Statement,
    /// To the end of the file, as hp2ps does.
    File,
}

/// A string.
#[derive(Clone, Copy, Debug)]
pub struct Quoted<'a> {
    /// What is between the quotes, doubled quotes still doubled.
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
    /// Without a quote in reach; it is assumed to end with its line.
    Line,
    /// Without a quote, because the input ends inside it.
    Input,
}

impl<'a> Quoted<'a> {
    /// The string that begins with the quote at the front, and its length with the quotes.
    pub fn read(text: Unread<'a>, reach: QuoteLimit) -> Option<(Self, usize)> {
        let (window, decided) = match reach {
            QuoteLimit::Statement => (text.reach(), text.decided(())),
            QuoteLimit::File => (text.bytes, (text.tail == Tail::Final).then_some(())),
        };
        let mut quotes = memchr_iter(b'"', window).skip(1).peekable();
        while let Some(quote) = quotes.next() {
            if quotes.next_if_eq(&(quote + 1)).is_some() {
                continue;
            }
            // The last byte so far may be the first half of a doubled quote.
            if quote + 1 == window.len() {
                decided?;
            }
            return Some((Quoted { raw: &window[1..quote], close: Close::Quote }, quote + 1));
        }
        decided?;
        let end = match reach {
            QuoteLimit::Statement => text.line_end()?,
            QuoteLimit::File => window.len(),
        };
        let close = if text.ends_at(end) { Close::Input } else { Close::Line };
        Some((Quoted { raw: trim_end(&window[1..end]), close }, end))
    }

    /// The string that begins with the quote at the front and ends with the one at `last`, with
    /// literal quotes between them.
    pub fn up_to(text: Unread<'a>, last: usize) -> (Self, usize) {
        let raw = text.bytes.get(1..last).unwrap_or_default();
        (Quoted { raw, close: Close::LastQuote }, last + 1)
    }

    /// The bytes that are meant.
    pub fn bytes(self) -> Cow<'a, [u8]> {
        if self.close == Close::LastQuote || !self.raw.contains(&b'"') {
            return Cow::Borrowed(self.raw);
        }
        let mut bytes = Vec::with_capacity(self.raw.len());
        let mut rest = self.raw;
        while let Some((&byte, after)) = rest.split_first() {
            bytes.push(byte);
            rest = if byte == b'"' { after.strip_prefix(b"\"").unwrap_or(after) } else { after };
        }
        Cow::Owned(bytes)
    }

    /// The text that is meant, with U+FFFD in place of invalid UTF-8.
    pub fn text(self) -> String {
        String::from_utf8_lossy(&self.bytes()).into_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::super::unread::REACH;
    use super::*;

    fn open(bytes: &[u8]) -> Unread<'_> {
        Unread { bytes, tail: Tail::Open }
    }

    fn last(bytes: &[u8]) -> Unread<'_> {
        Unread { bytes, tail: Tail::Final }
    }

    fn string(text: Unread<'_>) -> Option<(String, Close, usize)> {
        let read = |reach| {
            Quoted::read(text, reach).map(|(quoted, len)| (quoted.text(), quoted.close, len))
        };
        let found = read(QuoteLimit::Statement);
        if found.as_ref().is_none_or(|(_, close, _)| *close == Close::Quote) {
            assert_eq!(read(QuoteLimit::File), found);
        }
        found
    }

    #[test]
    fn a_doubled_quote_stands_for_one() {
        assert_eq!(string(open(br#""a""b" "#)), Some(("a\"b".into(), Close::Quote, 6)));
        assert_eq!(string(open(br#""" "#)), Some(("".into(), Close::Quote, 2)));
        assert_eq!(string(open(br#""""" "#)), Some(("\"".into(), Close::Quote, 4)));
        assert_eq!(string(open(br#""""""" "#)), Some(("\"\"".into(), Close::Quote, 6)));
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
    fn hp2ps_seeks_the_closing_quote_to_the_end_of_the_file() {
        let mut long = vec![b'x'; REACH + 5];
        (long[0], long[3]) = (b'"', b'\n');
        assert!(Quoted::read(open(&long), QuoteLimit::File).is_none());
        let (quoted, len) = Quoted::read(last(&long), QuoteLimit::File).unwrap();
        assert_eq!((quoted.close, len), (Close::Input, long.len()));
        long.extend(b"\" ");
        let (quoted, len) = Quoted::read(open(&long), QuoteLimit::File).unwrap();
        assert_eq!((quoted.close, len), (Close::Quote, REACH + 6));
    }

    #[test]
    fn bytes_that_are_not_utf8_become_the_replacement_character() {
        assert_eq!(string(last(b"\"a\xff\"")), Some(("a\u{fffd}".into(), Close::Quote, 4)));
    }
}
