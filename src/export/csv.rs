//! CSV (RFC 4180): one row a sample, one column a band drawn, top of the stack first.

use std::fmt::Write;

use crate::chart::Chart;

/// The chart as a table. The first column is the sample's time in nanoseconds on the profile's
/// clock, the others are bytes.
pub fn write(chart: &Chart) -> String {
    let mut table = String::from("time_ns");
    for layer in chart.layers.iter().rev() {
        table.push(',');
        table.push_str(&field(&layer.label));
    }
    table.push_str("\r\n");
    for (sample, time) in chart.times.iter().enumerate() {
        write!(table, "{}", time.as_nanos()).expect("writing to a string");
        for layer in chart.layers.iter().rev() {
            write!(table, ",{}", layer.residency[sample].get()).expect("writing to a string");
        }
        table.push_str("\r\n");
    }
    table
}

/// A field, quoted where the format asks for it.
fn field(text: &str) -> String {
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
    fn fields_are_quoted_when_they_must_be() {
        assert_eq!(field("Map"), "Map");
        assert_eq!(field("(,)"), "\"(,)\"");
        assert_eq!(field("say \"x\""), "\"say \"\"x\"\"\"");
        assert_eq!(field(" a"), "\" a\"");
    }
}
