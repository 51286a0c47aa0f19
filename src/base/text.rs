//! Text that everybody who reads it sees as it is.

use std::borrow::Cow;
use std::io;

use serde::Serialize;
use serde_json::ser::{Formatter, Serializer};

/// `text` with the characters made visible that control a terminal, turn the direction of text, break lines, or that
/// nobody sees, so that two labels could look the same: a label may contain any.
pub fn visible(text: &str) -> String {
    made_visible(text).into_owned()
}

/// A text as [`visible`] makes it, without a copy of nearly all texts: a page shows ten thousands of them.
pub(crate) fn made_visible(text: &str) -> Cow<'_, str> {
    if text.bytes().all(|byte| (b' '..=b'~').contains(&byte)) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        if is_hidden(c) {
            shown.extend(c.escape_unicode());
        } else {
            shown.push(c);
        }
    }
    Cow::Owned(shown)
}

/// A text for a table or a list of stacks, in which control characters stay: without characters that only say how others
/// are shown, such as those that turn the direction of text.
pub(crate) fn without_format(text: &str) -> Cow<'_, str> {
    if !text.contains(is_format) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        if is_format(c) { shown.extend(c.escape_unicode()) } else { shown.push(c) }
    }
    Cow::Owned(shown)
}

/// A line of JSON, as [`write_json`] makes it.
pub fn json(value: &impl Serialize) -> String {
    let mut line = Vec::new();
    write_json(&mut line, value).expect("plain data, in memory");
    String::from_utf8(line).expect("JSON is text")
}

/// Writes a line of JSON. Its strings have escapes for characters that only say how others are shown, and for the second
/// of two `#`, so that no text is a command to the service that runs a job.
pub fn write_json(mut out: impl io::Write, value: &impl Serialize) -> io::Result<()> {
    value.serialize(&mut Serializer::with_formatter(&mut out, Inert))?;
    out.write_all(b"\n")
}

struct Inert;

impl Formatter for Inert {
    fn write_string_fragment<W: io::Write + ?Sized>(
        &mut self,
        out: &mut W,
        text: &str,
    ) -> io::Result<()> {
        let mut begin = 0;
        for (at, c) in text.char_indices() {
            if is_format(c) || (c == '#' && text[begin..at].ends_with('#')) {
                out.write_all(&text.as_bytes()[begin..at])?;
                for unit in c.encode_utf16(&mut [0; 2]) {
                    write!(out, "\\u{unit:04x}")?;
                }
                begin = at + c.len_utf8();
            }
        }
        out.write_all(&text.as_bytes()[begin..])
    }
}

/// Whether a character is one that is made visible.
pub(crate) fn is_hidden(c: char) -> bool {
    c.is_control() || is_format(c) || matches!(c, '\u{2028}' | '\u{2029}')
}

/// Whether a character only says how others are shown: Unicode's category Cf (version 16), and all of the plane in which
/// tags and selectors carry hidden text.
fn is_format(c: char) -> bool {
    matches!(c,
        '\u{ad}' | '\u{600}'..='\u{605}' | '\u{61c}' | '\u{6dd}' | '\u{70f}' | '\u{890}'..='\u{891}' | '\u{8e2}'
        | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2064}'
        | '\u{2066}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{110bd}' | '\u{110cd}'
        | '\u{13430}'..='\u{1343f}' | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}'
        | '\u{e0000}'..='\u{e0fff}')
}

/// Lines of text in which the commands to those who run jobs are made visible, so that a name in the log of a job is only
/// a name. GitHub carries out `::COMMAND::` at the start of a line after blanks, and `##[COMMAND]` anywhere; Azure
/// `##vso[COMMAND]`, TeamCity `##teamcity[COMMAND]`. A line ends where their readers end it, at a carriage return, too.
pub fn without_commands(text: &str) -> Cow<'_, str> {
    if !text.contains("::") && !text.contains("##") {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 16);
    for line in text.split_inclusive(['\n', '\r']) {
        let begin = line.trim_start();
        let mut rest = line;
        if begin.starts_with("::") {
            shown.push_str(&line[..line.len() - begin.len()]);
            shown.push_str("\\u{3a}");
            rest = &begin[1..];
        }
        while let Some(at) = rest.find("##") {
            let word = rest[at + 2..].trim_start_matches(|c: char| c.is_ascii_alphanumeric());
            shown.push_str(&rest[..=at]);
            rest = &rest[at + 1..];
            if word.starts_with('[') {
                shown.push_str("\\u{23}");
                rest = &rest[1..];
            }
        }
        shown.push_str(rest);
    }
    Cow::Owned(shown)
}

/// A name as Markdown code, in which backticks do no harm.
pub fn code(text: &str) -> String {
    if text.is_empty() {
        return String::new();
    }
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest + 1);
    let pad = if longest > 0 { " " } else { "" };
    format!("{fence}{pad}{text}{pad}{fence}")
}

/// The file of a place and its line, from 1: `Parse/Eval.hs` and 7 of `Parse/Eval.hs:(7,1)-(12,85)`. `None` for a place that
/// is no file (`<built-in>`), or has no line.
pub(crate) fn file_and_line(place: &str) -> Option<(&str, usize)> {
    place.match_indices(':').find_map(|(at, _)| {
        let span = place[at + 1..].trim_start_matches('(');
        let digits = span.len() - span.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let line = span[..digits].parse().ok()?;
        (at > 0).then_some((&place[..at], line))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terminal_escapes_are_made_visible() {
        assert_eq!(visible("a\u{1b}[31mb\u{202e}λ"), "a\\u{1b}[31mb\\u{202e}λ");
        assert_eq!(visible("a\u{61c}b\u{2028}c"), "a\\u{61c}b\\u{2028}c");
    }

    #[test]
    fn json_has_escapes_for_what_is_not_seen_and_reads_as_the_same_text() {
        let text = "###[x] \u{202e}\u{e0041}\n\"λ";
        let line = json(&text);
        assert_eq!(line, "\"#\\u0023#[x] \\u202e\\udb40\\udc41\\n\\\"λ\"\n");
        assert_eq!(serde_json::from_str::<String>(&line).expect("JSON"), text);
    }

    #[test]
    fn commands_are_made_visible_and_all_else_stays() {
        for (text, shown) in [
            ("::error::x", "\\u{3a}:error::x"),
            ("a\n \u{a0}::x::\r::y::", "a\n \u{a0}\\u{3a}:x::\r\\u{3a}:y::"),
            ("a ##[group]b", "a #\\u{23}[group]b"),
            ("###[x] ##vso[y]##teamcity[z", "##\\u{23}[x] #\\u{23}vso[y]#\\u{23}teamcity[z"),
            ("## Heap\na::b ##", "## Heap\na::b ##"),
            ("(+##) ## [a]", "(+##) ## [a]"),
        ] {
            assert_eq!(without_commands(text), shown, "{text:?}");
        }
    }

    #[test]
    fn what_nobody_sees_is_made_visible() {
        let hidden = "\u{ad}\u{600}\u{605}\u{180e}\u{200b}\u{200c}\u{200d}\u{2060}\u{2064}\u{206f}\u{feff}\
            \u{fffb}\u{110bd}\u{1343f}\u{1d17a}\u{e0001}\u{e0041}\u{e007f}\u{e0100}";
        for hidden in hidden.chars() {
            let shown = format!("a\\u{{{:x}}}b", u32::from(hidden));
            assert_eq!(visible(&format!("a{hidden}b")), shown);
        }
        for plain in ["naïve", "e\u{301}", "日本", "\u{a0}", "→", "🙂\u{fe0f}", "\u{606}"] {
            assert_eq!(visible(plain), plain);
        }
    }

    #[test]
    fn spans_of_all_kinds_begin_with_their_line() {
        for (place, expected) in [
            ("Parse/Eval.hs:(7,1)-(12,85)", Some(("Parse/Eval.hs", 7))),
            ("odd name/M.hs:17:1-50", Some(("odd name/M.hs", 17))),
            ("C:\\src\\M.hs:3:9", Some(("C:\\src\\M.hs", 3))),
            ("<built-in>", None),
            (":3", None),
            ("", None),
        ] {
            assert_eq!(file_and_line(place), expected);
        }
    }
}
