//! The tokens of a `.hp` and what they mean: keywords, numbers, strings
//! (`docs/format/hp.md#tokens`).

use std::borrow::Cow;

use memchr::memchr_iter;

use super::unread::trim_end;
use super::{Rules, Unread};
use crate::base::units::{Bytes, Nanos};

/// The words that begin a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keyword {
    Header(Header),
    Mark,
    Begin,
    End,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Header {
    Job,
    Date,
    SampleUnit,
    ValueUnit,
}

impl Header {
    /// All of them, in the order in which hp2ps reports them missing
    /// (`docs/format/hp.md#the-complete-file`).
    pub const ALL: [Header; 4] = [Header::Job, Header::Date, Header::ValueUnit, Header::SampleUnit];

    pub fn word(self) -> &'static str {
        Keyword::Header(self).word()
    }
}

impl Keyword {
    /// All of them, the most frequent first.
    pub const ALL: [Keyword; 7] = [
        Keyword::Begin,
        Keyword::End,
        Keyword::Mark,
        Keyword::Header(Header::Job),
        Keyword::Header(Header::Date),
        Keyword::Header(Header::SampleUnit),
        Keyword::Header(Header::ValueUnit),
    ];

    pub fn word(self) -> &'static str {
        match self {
            Keyword::Header(Header::Job) => "JOB",
            Keyword::Header(Header::Date) => "DATE",
            Keyword::Header(Header::SampleUnit) => "SAMPLE_UNIT",
            Keyword::Header(Header::ValueUnit) => "VALUE_UNIT",
            Keyword::Mark => "MARK",
            Keyword::Begin => "BEGIN_SAMPLE",
            Keyword::End => "END_SAMPLE",
        }
    }

    /// The keyword that `word` is, exactly.
    pub fn new(word: &[u8]) -> Option<Self> {
        Keyword::ALL.into_iter().find(|keyword| keyword.word().as_bytes() == word)
    }

    /// Whether `word` may be a keyword whose end is missing.
    pub fn may_begin_with(word: &[u8]) -> bool {
        Keyword::ALL.iter().any(|keyword| keyword.word().as_bytes().starts_with(word))
    }
}

/// The longest number token; further bytes begin another.
pub const MAX_NUMBER: usize = 32;

/// A number as it is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Number<'a> {
    /// Whether a minus precedes it, which hp2ps does not support.
    pub is_negative: bool,
    /// Digits and points, or commas, the first a digit.
    pub digits: &'a [u8],
}

impl<'a> Number<'a> {
    /// The number at the front with its length; `Some(None)` without one. Old versions of GHC write times with a decimal
    /// comma, if the program has set a locale that has one.
    pub fn read(text: Unread<'a>, may_have_comma: bool) -> Option<Option<(Self, usize)>> {
        let is_negative = text.bytes.first() == Some(&b'-');
        let skip = usize::from(is_negative);
        let rest = text.from(skip).bytes;
        let window = &rest[..rest.len().min(MAX_NUMBER)];
        match window.first() {
            Some(byte) if byte.is_ascii_digit() => {}
            None if !text.is_final => return None,
            _ => return Some(None),
        }
        let is_part =
            |byte: u8| byte.is_ascii_digit() || byte == b'.' || (byte == b',' && may_have_comma);
        let end = window.iter().position(|&byte| !is_part(byte));
        let full = window.len() == MAX_NUMBER || text.is_final;
        let end = end.or(full.then_some(window.len()))?;
        Some(Some((Number { is_negative, digits: &window[..end] }, skip + end)))
    }

    pub fn from_digits(digits: &'a [u8]) -> Self {
        Number { is_negative: false, digits }
    }

    /// Whether it has a point: hp2ps accepts times only with one and values only without.
    pub fn has_point(self) -> bool {
        self.digits.contains(&b'.')
    }

    /// The longest valid prefix, split at its point.
    fn parts(self) -> (&'a [u8], &'a [u8]) {
        let mut parts = self.digits.splitn(3, |byte| b".,".contains(byte));
        (parts.next().unwrap_or_default(), parts.next().unwrap_or_default())
    }

    /// The number as C's `atof` reads it, without the sign.
    pub fn as_double(self) -> f64 {
        let (whole, fraction) = self.parts();
        let point = if fraction.is_empty() { 0 } else { 1 + fraction.len() };
        let prefix = &self.digits[..whole.len() + point];
        // Digits with at most one point among them, which are always a number.
        str::from_utf8(prefix).ok().and_then(|text| text.parse().ok()).unwrap_or_default()
    }

    /// The number as bytes, and whether it is out of range; then it is the nearest possible one.
    pub fn bytes(self) -> (Bytes, bool) {
        let (whole, _) = self.parts();
        match (self.is_negative, decimal(whole)) {
            (false, Some(value)) => (Bytes::new(value), false),
            (false, None) => (Bytes::new(u64::MAX), true),
            (true, Some(0)) => (Bytes::ZERO, false),
            (true, _) => (Bytes::ZERO, true),
        }
    }

    /// The number as seconds, from the decimal text: a double would already be off by nanoseconds
    /// after some weeks. Decimals beyond the ninth round to nearest. Also whether it is out of range; then it is
    /// the nearest possible one.
    pub fn seconds(self) -> (Nanos, bool) {
        let (whole, fraction) = self.parts();
        let mut nanos = fraction
            .iter()
            .chain(b"000000000")
            .take(9)
            .fold(0i128, |nanos, &digit| 10 * nanos + i128::from(digit - b'0'));
        nanos += i128::from(fraction.get(9).is_some_and(|&digit| digit >= b'5'));
        // Whole seconds beyond u64 are beyond i64 nanoseconds by far.
        nanos += i128::from(decimal(whole).unwrap_or(u64::MAX)) * 1_000_000_000;
        if self.is_negative {
            nanos = -nanos;
        }
        Nanos::read(nanos)
    }
}

/// The value of decimal digits; `None` beyond u64.
fn decimal(digits: &[u8]) -> Option<u64> {
    digits
        .iter()
        .try_fold(0u64, |value, &digit| value.checked_mul(10)?.checked_add(u64::from(digit - b'0')))
}

#[derive(Clone, Copy, Debug)]
pub struct Quoted<'a> {
    /// What is between the quotes, doubled quotes still doubled.
    raw: &'a [u8],
    pub close: Close,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Close {
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
    ///
    /// Without a quote in reach, a string ends with its line; for hp2ps, with the file.
    pub fn read(text: Unread<'a>, rules: Rules) -> Option<(Self, usize)> {
        let (window, decided) = (text.within(rules), text.decided_within(rules, ()));
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
        let end = match rules {
            Rules::Lenient => text.line_end()?,
            Rules::Strict => window.len(),
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
    use super::*;

    fn number(text: &str) -> Number<'_> {
        let text = Unread { bytes: text.as_bytes(), is_final: true };
        Number::read(text, false).unwrap().unwrap().0
    }

    #[test]
    fn times_are_exact_to_the_nanosecond() {
        for (text, nanos, is_clamped) in [
            ("0.042452", 42_452_000, false),
            ("1.", 1_000_000_000, false),
            ("1.5.9", 1_500_000_000, false),
            ("7", 7_000_000_000, false),
            ("-0.003706", -3_706_000, false),
            ("0.0000000014", 1, false),
            ("0.0000000015", 2, false),
            ("0.9999999999", 1_000_000_000, false),
            ("2305843009.213693952", 1 << 61, false),
            ("2305843009.213693953", 1 << 61, true),
            ("99999999999999999999.0", 1 << 61, true),
            ("-99999999999999999999.0", -(1 << 61), true),
        ] {
            assert_eq!(number(text).seconds(), (Nanos::from_nanos(nanos), is_clamped), "{text}");
        }
    }
}
