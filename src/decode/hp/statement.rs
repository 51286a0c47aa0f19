//! Statements: the meaning of one or two tokens, or of one line (`docs/format/hp.md#statements`).
//!
//! hp2ps reads tokens and ignores lines; the run-time system writes lines, a row as `NAME TAB DIGITS`,
//! and escapes nothing. So by the lenient rules a row as the run-time system writes it is read as a line,
//! everything else is read by tokens, and if these make no sense, the line is examined again. By the
//! strict rules tokens come first, and only a line whose tokens hp2ps refuses is read as a row.

use memchr::{memchr, memchr2, memrchr};

use super::token::{Close, Header, MAX_NUMBER, Quoted};
use super::unread::trim_end;
use super::{Keyword, MAX_WORD, Number, Rules, Unread, is_white, until_nul};
use crate::incident::{Expected, Oddity};

/// What is on the line before the text that is being read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LinePosition {
    #[default]
    LineStart,
    Indented,
    Inside,
}

#[derive(Clone, Copy, Debug)]
pub enum Statement<'a> {
    Header(Header, Quoted<'a>),
    Mark(Number<'a>),
    Begin(Number<'a>),
    /// `END_SAMPLE`, with its time when it has one.
    End(Option<Number<'a>>),
    /// A row of a sample, and whether hp2ps would have read something else.
    Row(&'a [u8], Number<'a>, Option<Oddity>),
    /// Not a statement; only the first token has been read.
    Odd(Oddity, &'a [u8]),
    /// The input ends inside it. With its first word.
    Cut(&'a [u8]),
}

/// The statement at the front, which is not white space, and its length. `None` if only more bytes
/// can decide it.
pub fn read(
    text: Unread<'_>,
    position: LinePosition,
    rules: Rules,
) -> Option<(Statement<'_>, usize)> {
    if position != LinePosition::Inside {
        let row = match rules {
            Rules::Lenient => row(text)?,
            Rules::Strict => strict_row(text)?,
        };
        if row.is_some() {
            return row;
        }
    }
    if text.bytes.first() == Some(&b'"') {
        return failed(text, position, rules, None);
    }
    let end = text.word_end()?;
    let word = &text.bytes[..end];
    if text.ends_at(end) {
        // This is never a keyword (`docs/format/hp.md#the-end-of-the-file`), but a name without its
        // value.
        return Some((Statement::Cut(word), end));
    }
    let keyword = Keyword::new(rules.word(word));
    let (second, len) = second(text, end, keyword, rules)?;
    let statement = match (keyword, second) {
        (_, Second::Missing) => Statement::Cut(word),
        (Some(Keyword::Header(header)), Second::Quoted(quoted, _)) if rules == Rules::Strict => {
            Statement::Header(header, quoted)
        }
        (Some(Keyword::Header(header)), Second::Quoted(quoted, start)) => {
            let (quoted, len) = match bare_quotes(text, start, len, quoted.close)? {
                Some(last) => {
                    let (quoted, inside) = Quoted::up_to(text.from(start), last - start);
                    (quoted, start + inside)
                }
                None => (quoted, len),
            };
            return Some((Statement::Header(header, quoted), len));
        }
        (Some(Keyword::Mark), Second::Number(time)) => Statement::Mark(time),
        (Some(Keyword::Begin), Second::Number(time)) => Statement::Begin(time),
        (Some(Keyword::End), Second::Number(time)) => Statement::End(Some(time)),
        (None, Second::Number(value)) => Statement::Row(word, value, None),
        (Some(Keyword::End), _) if !cut_word(text, len)? => {
            return Some((Statement::End(None), end));
        }
        (Some(Keyword::Header(_)), _) => {
            return failed(text, position, rules, Some((word, len, Expected::String)));
        }
        (Some(_), _) => return failed(text, position, rules, Some((word, len, Expected::Time))),
        (None, _) => return failed(text, position, rules, Some((word, len, Expected::Value))),
    };
    Some((statement, len))
}

/// Where a header string with quotes that are not doubled really ends, as GHC before 8.2 wrote it:
/// `JOB "prog "a b" c"`. The string begins at `start` and seems to end before `end`.
///
/// This applies only if the rest of the line is not a statement, because there are files that
/// consist of one long line. `Some(None)` if the string is what it seems.
fn bare_quotes(text: Unread<'_>, start: usize, end: usize, close: Close) -> Option<Option<usize>> {
    if close != Close::Quote || memchr(b'\n', &text.bytes[start..end]).is_some() {
        return Some(None);
    }
    let mut at = end;
    loop {
        let rest = text.reach().get(at..).unwrap_or_default();
        let Some(word) = rest.iter().position(|&byte| byte == b'\n' || !is_white(byte)) else {
            return text.decided(None);
        };
        at += word;
        if text.bytes[at] == b'\n' {
            return Some(None);
        }
        let here = text.from(at);
        let word = here.word_end()?;
        if here.ends_at(word) && text.bytes[at] != b'"' {
            // A word that the end of the file cut off could be anything.
            return match memchr(b'"', &here.bytes[..word]) {
                Some(_) => last_quote(text, end),
                None => Some(None),
            };
        }
        let keyword = Keyword::new(&here.bytes[..word]);
        match (keyword, second(here, word, keyword, Rules::Lenient)?) {
            (Some(_), _) if is_statement(here, word)? => return Some(None),
            (None, (Second::Number(_), len)) if text.bytes[at] != b'"' => at += len,
            _ => return last_quote(text, end),
        }
    }
}

/// The last quote from `from` to the line's end, or to the next sound statement on the line that
/// begins with a keyword. It stops there, so that a long line of headers takes linear time.
fn last_quote(text: Unread<'_>, from: usize) -> Option<Option<usize>> {
    let window = text.reach();
    let (mut at, mut last) = (from, None);
    loop {
        let rest = window.get(at..).unwrap_or_default();
        let word = rest.iter().position(|&byte| is_white(byte));
        let len = match word {
            Some(len) => len,
            None => text.decided(rest.len())?,
        };
        let keyword = Keyword::new(&rest[..len]);
        if at > from && keyword.is_some() && is_statement(text.from(at), len)? {
            return Some(last);
        }
        last = memrchr(b'"', &rest[..len]).map(|quote| at + quote).or(last);
        at += len + 1;
        if word.is_none() || rest[len] == b'\n' {
            return Some(last);
        }
    }
}

/// The row `NAME TAB DIGITS` that is the whole line at the front; `Some(None)` if the line is not
/// such a row.
///
/// NAME may be anything, even several tokens: `MARK`, a quote, blanks, even `a 3 b`, where hp2ps
/// would see two rows. Only a line that begins with a good keyword statement, such as `BEGIN_SAMPLE
/// 1.0 a TAB 5`, is left to the tokens: read as a row, it would lose a sample.
fn row(text: Unread<'_>) -> Option<Option<(Statement<'_>, usize)>> {
    let Some(row) = LineRow::read(text)? else { return Some(None) };
    let LineRow { name, value, len } = row;
    if let Some(end) = name.iter().position(|&byte| is_white(byte)) {
        let has_line_end = name.iter().any(|byte| matches!(byte, b'\r' | 0x0b | 0x0c));
        let keyword = Keyword::new(&name[..end]);
        if has_line_end || (keyword.is_some() && is_statement(text, end)?) {
            return Some(None);
        }
    }
    let oddity = (!row.is_two_tokens()).then_some(Oddity::WholeLine);
    Some(Some((Statement::Row(name, value, oddity), len)))
}

/// The line at the front as a row, if its two tokens are one, or if it is a row of a name with blanks
/// and its tokens make hp2ps refuse the file, whatever comes after it.
fn strict_row(text: Unread<'_>) -> Option<Option<(Statement<'_>, usize)>> {
    if let Some(row) = LineRow::read(text)?.filter(|row| row.is_two_tokens())
        && Keyword::new(until_nul(row.name)).is_none()
    {
        return Some(Some((Statement::Row(row.name, row.value, None), row.len)));
    }
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
    Some(row.map(|(name, value)| (Statement::Row(name, value, Some(Oddity::WholeLine)), end)))
}

/// Whether hp2ps refuses the line because a name in it is not followed by a value. A line with a
/// keyword in the place of a name is not a row, and is read token by token.
fn is_refused(line: &[u8]) -> bool {
    let line = Unread { bytes: line, is_final: true };
    let skip = |at: usize| {
        let rest = &line.bytes[at..];
        rest.iter().position(|&byte| !is_white(byte)).map(|white| at + white)
    };
    let mut at = 0;
    loop {
        let Some(first) = skip(at) else { return false };
        let rest = &line.bytes[first..];
        let Some(len) = rest.iter().position(|&byte| is_white(byte)) else { return false };
        if len >= MAX_WORD || rest[0] == b'"' || Keyword::new(until_nul(&rest[..len])).is_some() {
            return false;
        }
        let Some(second) = skip(first + len) else { return false };
        match (line.bytes[second], Number::read(line.from(second), false)) {
            (b'0'..=b'9', Some(Some((number, len)))) if !number.has_point() => at = second + len,
            _ => return true,
        }
    }
}

#[derive(Clone, Copy, Debug)]
enum Second<'a> {
    Number(Number<'a>),
    /// A string, and where it begins.
    Quoted(Quoted<'a>, usize),
    /// Something that no statement has there.
    Other,
    /// The input ends before it.
    Missing,
}

/// The second token, after the first one's end, and where it ends. A string counts only after a
/// keyword that requires one: other statements are wrong from its first byte on.
fn second(
    text: Unread<'_>,
    first_end: usize,
    keyword: Option<Keyword>,
    rules: Rules,
) -> Option<(Second<'_>, usize)> {
    let window = text.within(rules);
    let white = window[first_end..].iter().position(|&byte| !is_white(byte));
    let Some(start) = white.map(|white| first_end + white) else {
        let second = if text.ends_at(window.len()) { Second::Missing } else { Second::Other };
        return text.decided_within(rules, (second, window.len()));
    };
    if window[start] == b'"' && matches!(keyword, Some(Keyword::Header(_))) {
        let (quoted, len) = Quoted::read(text.from(start), rules)?;
        return Some((Second::Quoted(quoted, start), start + len));
    }
    let is_time = matches!(keyword, Some(Keyword::Begin | Keyword::End | Keyword::Mark));
    Some(match Number::read(text.from(start), is_time && rules == Rules::Lenient)? {
        Some((number, len)) => (Second::Number(number), start + len),
        None => (Second::Other, start),
    })
}

/// Whether the keyword that ends at `end` is followed by what hp2ps requires there.
fn is_statement(text: Unread<'_>, end: usize) -> Option<bool> {
    let keyword = Keyword::new(&text.bytes[..end]);
    Some(match (keyword, second(text, end, keyword, Rules::Lenient)?.0) {
        (Some(Keyword::Header(_)), second) => matches!(second, Second::Quoted(..)),
        (Some(_), Second::Number(time)) => time.has_point() && !time.is_negative,
        _ => false,
    })
}

/// Interprets a text whose tokens are not a statement. `tokens` are the first word, where the
/// second begins, and what it should be; `None` for a string.
fn failed<'a>(
    text: Unread<'a>,
    position: LinePosition,
    rules: Rules,
    tokens: Option<(&'a [u8], usize, Expected)>,
) -> Option<(Statement<'a>, usize)> {
    if position != LinePosition::Inside && rules == Rules::Lenient {
        let end = text.line_end()?;
        let whole = text.ends_at(end) || text.bytes.get(end) == Some(&b'\n');
        if let Some((name, value)) = spaced_row(&text.bytes[..end]).filter(|_| whole) {
            return Some((Statement::Row(name, value, Some(Oddity::WholeLine)), end));
        }
    }
    Some(match tokens {
        Some((word, second, _)) if cut_word(text, second)? => {
            (Statement::Cut(word), text.bytes.len())
        }
        Some((word, _, expected)) => {
            (Statement::Odd(Oddity::NotFollowed(expected), word), word.len())
        }
        None => (Statement::Odd(Oddity::StrayString, b""), Quoted::read(text, rules)?.1),
    })
}

/// Whether the input ends inside the word at `at`, which does not fit there: a word that is cut
/// proves nothing.
fn cut_word(text: Unread<'_>, at: usize) -> Option<bool> {
    let end = at + text.from(at).word_end()?;
    Some(text.ends_at(end))
}

/// A row that is a whole line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LineRow<'a> {
    /// The text before the TAB, without white space at its end.
    pub name: &'a [u8],
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
            && self.value.digits.len() <= MAX_NUMBER
    }
}

/// Whether a name of any length is one word and not a keyword.
pub fn is_plain_name(name: &[u8]) -> bool {
    name.first().is_some_and(|&first| first != b'"')
        && !name.iter().any(|&byte| is_white(byte))
        && Keyword::new(name).is_none()
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
    let fits = is_white(separator) && (separator == b'\t' || Keyword::new(first).is_none());
    let name = trim_end(name);
    let good = fits && !digits.is_empty() && memchr(b'\r', name).is_none();
    good.then(|| (name, Number::from_digits(digits)))
}
