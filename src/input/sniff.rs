//! Recognises the format of an input by its first bytes.

use super::compressed::{GZIP, ZSTD};
use crate::decode::hp::Keyword;
use crate::decode::{eventlog, prof};
use crate::incident::error::{Error, Lookalike};
use crate::profile::Source;

/// How many bytes are looked at: a `.hp` may have a long JOB line and no known word before it, and a log may
/// follow other output.
pub const FRONT: usize = eventlog::FRONT;

/// The format of an input from its first bytes (all of them, or at least the first 64 KiB).
///
/// # Errors
/// [`Error::Empty`], or [`Error::NotAProfile`] with what it looks like instead.
pub fn sniff(front: &[u8]) -> Result<Source, Error> {
    if front.is_empty() {
        return Err(Error::Empty);
    }
    // Before all else, because an archive may contain a profile as it is.
    if front.starts_with(b"PK\x03\x04") {
        return Err(Error::NotAProfile(Lookalike::Zip));
    }
    if is_eventlog(front) {
        Ok(Source::Eventlog)
    } else if is_prof(front) {
        Ok(Source::Prof)
    } else if is_hp(front) {
        Ok(Source::Hp)
    } else if memchr::memmem::find(front, eventlog::BEGIN).is_some() {
        Ok(Source::Eventlog)
    } else {
        Err(Error::NotAProfile(lookalike(front)))
    }
}

/// The format that a user gives, unless the content is certainly in another one.
pub fn as_given(given: Source, found: Result<Source, Error>) -> Result<Source, Error> {
    match found {
        Ok(Source::Eventlog) if given != Source::Eventlog => {
            Err(Error::NotAProfile(Lookalike::OtherFormat("an event log")))
        }
        Ok(Source::Hp) if given != Source::Hp => {
            Err(Error::NotAProfile(Lookalike::OtherFormat("a .hp file")))
        }
        Ok(Source::Prof) if given != Source::Prof => {
            Err(Error::NotAProfile(Lookalike::OtherFormat("a time profile (.prof)")))
        }
        Err(Error::Empty) => Err(Error::Empty),
        Ok(_) | Err(_) => Ok(given),
    }
}

/// `hdrb`, also after the stray block marker of a restarted log, or cut off inside it.
fn is_eventlog(front: &[u8]) -> bool {
    const MAGIC: &[u8] = b"hdrb";
    let begins = |bytes: &[u8]| bytes.starts_with(MAGIC);
    begins(front)
        || MAGIC.starts_with(front)
        || (front.starts_with(&[0, 18]) && front.get(24..).is_some_and(begins))
}

/// The title of a report in its first lines; or the first line that a retainer profile puts there; or
/// JSON with the keys that a report begins with.
fn is_prof(front: &[u8]) -> bool {
    let text = front.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(front).trim_ascii_start();
    let head = &text[..text.len().min(400)];
    let has = |bytes: &[u8], words: &str| memchr::memmem::find(bytes, words.as_bytes()).is_some();
    has(head, prof::TITLE)
        || text.starts_with(prof::CENSUS.as_bytes())
        || text.starts_with(prof::SETS.as_bytes())
        || (text.starts_with(b"{") && has(text, "\"rts_arguments\""))
}

/// A bracket and then what can follow it in JSON. Haskell sources begin with a brace, too: `{-`.
fn is_json(front: &[u8]) -> bool {
    let text = front.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(front).trim_ascii_start();
    let next = |rest: &[u8]| rest.trim_ascii_start().first().copied();
    match text.split_first() {
        Some((b'{', rest)) => matches!(next(rest), None | Some(b'"' | b'}')),
        Some((b'[', rest)) => next(rest).is_none_or(|byte| !byte.is_ascii_uppercase()),
        _ => false,
    }
}

/// A statement's word first, or `BEGIN_SAMPLE` in the text before any other bytes: headers may be missing.
/// A stream is recognised as soon as that word arrives, so what follows it must not matter.
fn is_hp(front: &[u8]) -> bool {
    let text = front.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(front).trim_ascii_start();
    let word = text.split(|byte| byte.is_ascii_whitespace()).next().unwrap_or_default();
    let log = memchr::memmem::find(text, eventlog::BEGIN).unwrap_or(text.len());
    let plain = text[..log].split(|&byte| byte == 0).next().unwrap_or_default();
    Keyword::new(word).is_some() || memchr::memmem::find(plain, b"BEGIN_SAMPLE ").is_some()
}

/// `BZh`, the level, and what is before a block, or before the end of a stream without blocks.
fn is_bzip2(front: &[u8]) -> bool {
    matches!(front, [b'B', b'Z', b'h', b'1'..=b'9', mark @ ..]
        if mark.starts_with(&[0x31, 0x41, 0x59, 0x26, 0x53, 0x59])
            || mark.starts_with(&[0x17, 0x72, 0x45, 0x38, 0x50, 0x90]))
}

/// A byte order mark, or the beginning of a profile with a zero after each letter.
fn is_utf16(front: &[u8]) -> bool {
    [&b"\xFF\xFE"[..], b"\xFE\xFF", b"J\0O\0B\0", b"\0J\0O\0B", b"h\0d\0r\0b\0"]
        .iter()
        .any(|mark| front.starts_with(mark))
}

fn lookalike(front: &[u8]) -> Lookalike {
    let text = front.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(front).trim_ascii_start();
    let begins = |word: &str| {
        text.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word.as_bytes()))
    };
    if begins("version https://git-lfs") {
        Lookalike::GitLfsPointer
    } else if front.starts_with(GZIP) || front.starts_with(ZSTD) {
        Lookalike::CompressedTwice
    } else if front.starts_with(b"\xFD7zXZ\0") {
        Lookalike::Compressed("xz")
    } else if is_bzip2(front) {
        Lookalike::Compressed("bzip2")
    } else if is_utf16(front) {
        Lookalike::Utf16
    } else if begins("<!doctype html") || begins("<html") {
        Lookalike::Html
    } else if begins("<") {
        Lookalike::Foreign("an XML document")
    } else if begins("%!PS") {
        Lookalike::OfHp2ps("a PostScript file")
    } else if begins("X_RANGE") {
        Lookalike::OfHp2ps("an .aux file of hp2ps")
    } else if begins("key, total, count, max, avg") {
        Lookalike::Foreign("a census of ghc-debug, which is one instant of a heap")
    } else if is_json(front) {
        Lookalike::Foreign("a JSON document")
    } else if front.starts_with(b"\x7FELF")
        || front.starts_with(b"MZ")
        || front.starts_with(&[0xCF, 0xFA, 0xED, 0xFE])
    {
        Lookalike::Foreign("an executable")
    } else if front.contains(&0)
        || std::str::from_utf8(front).is_err_and(|e| e.error_len().is_some())
    {
        Lookalike::Binary
    } else {
        Lookalike::Text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_are_found_by_content() {
        assert_eq!(sniff(b"hdrbhetb"), Ok(Source::Eventlog));
        assert_eq!(sniff(b"hd"), Ok(Source::Eventlog));
        let stray = [&[0u8, 18][..], &[0; 22], b"hdrb"].concat();
        assert_eq!(sniff(&stray), Ok(Source::Eventlog));
        assert_eq!(sniff(b"starting...\nhdrbhetb"), Ok(Source::Eventlog));
        assert_eq!(sniff(b"JOB \"x\"\n"), Ok(Source::Hp));
        assert_eq!(sniff(b"\xEF\xBB\xBF \r\nJOB\t\"x\""), Ok(Source::Hp));
        assert_eq!(sniff(b"JOB"), Ok(Source::Hp));
        assert_eq!(sniff(b"\tFri Time and Allocation Profiling Report  (Final)"), Ok(Source::Prof));
        assert_eq!(sniff(b"Retainer Profiling: 0, at 0.012143 seconds"), Ok(Source::Prof));
        assert_eq!(sniff(b"\nRetainer sets created during profiling:\n"), Ok(Source::Prof));
        assert_eq!(sniff(b"{\n\"program\": \"p\",\n\"rts_arguments\": []"), Ok(Source::Prof));
        assert_eq!(sniff(b"a 5 BEGIN_SAMPLE 1.0"), Ok(Source::Hp));
    }

    #[test]
    fn a_given_format_is_used_unless_another_is_recognised() {
        assert_eq!(as_given(Source::Hp, sniff(b"what")), Ok(Source::Hp));
        let wrong = Err(Error::NotAProfile(Lookalike::OtherFormat("an event log")));
        assert_eq!(as_given(Source::Hp, sniff(b"hdrbhetb")), wrong);
        assert_eq!(as_given(Source::Hp, sniff(b"")), Err(Error::Empty));
    }

    #[test]
    fn bytes_after_those_that_show_the_format_do_not_matter() {
        assert_eq!(sniff(b"a\t5\nBEGIN_SAMPLE 1.0\n\0\0hdrbhetb\0"), Ok(Source::Hp));
        assert_eq!(sniff(b"starting\nhdrbhetb BEGIN_SAMPLE 1.0"), Ok(Source::Eventlog));
        assert_eq!(sniff(b"\0 BEGIN_SAMPLE 1.0"), Err(Error::NotAProfile(Lookalike::Binary)));
    }
}
