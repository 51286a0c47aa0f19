//! CSV (RFC 4180): one row for each sample, one column for each drawn band, top of the stack first.

use std::io;

use crate::base::text::{is_hidden, without_commands, without_format};
use crate::chart::{Chart, Clock};

/// The chart as a table. The first column is the sample's time in nanoseconds on the profile's clock,
/// or the number of the sample where samples have no times; the others are bytes.
pub fn write(chart: &Chart) -> String {
    let mut table = Vec::new();
    write_to(chart, &mut table).expect("memory");
    String::from_utf8(table).expect("made of texts")
}

/// Writes the same piece by piece, without keeping all of it in memory.
///
/// # Errors
/// Those of `out`.
pub fn write_to(chart: &Chart, mut out: impl io::Write) -> io::Result<()> {
    let timed = chart.clock != Clock::Sample;
    write!(out, "{}", if timed { "time_ns" } else { "sample" })?;
    for layer in chart.layers.iter().rev() {
        write!(out, ",{}", field(&layer.full_name))?;
    }
    write!(out, "\r\n")?;
    for (sample, time) in chart.times.iter().enumerate() {
        match timed {
            true => write!(out, "{}", time.as_nanos())?,
            false => write!(out, "{}", chart.number(sample))?,
        }
        for layer in chart.layers.iter().rev() {
            write!(out, ",{}", layer.residency[sample].get())?;
        }
        write!(out, "\r\n")?;
    }
    Ok(())
}

/// A field, quoted where the format asks for it. A spreadsheet would run a text that begins like a
/// formula, and names come from files that may be hostile, so such a text gets a quote in front.
pub(crate) fn field(text: &str) -> String {
    let text = &*without_commands(text);
    // Spreadsheets take full-width signs for the plain ones, and some skip what nobody sees.
    let begin = text.trim_start_matches(|c: char| c.is_whitespace() || is_hidden(c));
    let is_formula = begin.starts_with(['=', '+', '-', '@', '＝', '＋', '－', '＠']);
    let text = &*without_format(text);
    if is_formula || text.starts_with(['\t', '\r']) {
        return quoted(&format!("'{text}"));
    }
    quoted(text)
}

fn quoted(text: &str) -> String {
    if text.contains(['"', ',', '\r', '\n']) || text.trim() != text {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_field_is_a_formula() {
        assert_eq!(field("=1+1"), "'=1+1");
        assert_eq!(field("->(,)"), "\"'->(,)\"");
        assert_eq!(field("@x"), "'@x");
        assert_eq!(field("a=b"), "a=b");
        for hidden in ["", " ", "\u{a0}", "\u{feff}", "\u{200b}\u{2003}", "\u{1}"] {
            for sign in ["=", "+", "-", "@", "＝", "＋", "－", "＠"] {
                let text = format!("{hidden}{sign}1+1");
                let shown = without_format(&text);
                assert_eq!(field(&text).trim_matches('"'), format!("'{shown}"), "{text:?}");
            }
        }
    }
}
