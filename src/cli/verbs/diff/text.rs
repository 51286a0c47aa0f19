//! A comparison as text: for a terminal, as Markdown, as JSON.

use std::fmt::Write;

use heapviz::analysis::compare::{Comparison, Presence};
use heapviz::chart::Clock;
use heapviz::error::visible;
use heapviz::units::UnitSystem;
use serde::Serialize;

use crate::cli::table::{Side, Table, code, shortened};

/// For a terminal.
pub fn plain(
    comparison: &Comparison,
    names: &(String, String),
    most: usize,
    clock: Clock,
    units: UnitSystem,
) -> String {
    let mut out = figures(comparison, names, clock, units).text();
    let bands = bands(comparison, most, units);
    let _ = write!(out, "\n{}", bands.text());
    for line in comparison.remarks(most) {
        let _ = writeln!(out, "  {line}");
    }
    out
}

/// For a pull request.
pub fn markdown(
    comparison: &Comparison,
    names: &(String, String),
    most: usize,
    clock: Clock,
    units: UnitSystem,
) -> String {
    let mut out = format!("### Heap: {}\n\n", comparison.headline());
    let _ = writeln!(out, "{} → {}\n", code(&visible(&names.0)), code(&visible(&names.1)));
    out.push_str(&figures(comparison, names, clock, units).markdown());
    let _ = write!(out, "\n{}\n", bands(comparison, most, units).markdown());
    for line in comparison.remarks(most) {
        let _ = writeln!(out, "{line}  ");
    }
    out
}

fn figures(
    comparison: &Comparison,
    names: &(String, String),
    clock: Clock,
    units: UnitSystem,
) -> Table {
    let short = |name: &str| {
        let name = name.rsplit('/').next().unwrap_or(name);
        visible(&shortened(name, 20))
    };
    let (before, after) = (short(&names.0), short(&names.1));
    let mut table = Table::new(&[
        ("", Side::Left),
        (&before, Side::Right),
        (&after, Side::Right),
        ("", Side::Left),
    ]);
    for row in comparison.comparable() {
        table.row(vec![
            row.figure.name().to_owned(),
            row.figure.text(row.before, clock, units),
            row.figure.text(row.after, clock, units),
            row.change(),
        ]);
    }
    let (was, is) = comparison.verdicts;
    table.row(vec![
        "verdict".to_owned(),
        was.words().to_owned(),
        is.words().to_owned(),
        String::new(),
    ]);
    table
}

fn bands(comparison: &Comparison, most: usize, units: UnitSystem) -> Table {
    let mut table = Table::new(&[
        ("band (mean)", Side::Left),
        ("before", Side::Right),
        ("after", Side::Right),
        ("change", Side::Right),
        ("", Side::Left),
    ]);
    for row in comparison.bands.iter().take(most) {
        table.row(vec![
            row.name(),
            cell(row.before, row.presence != Presence::New, units),
            cell(row.after, row.presence != Presence::Gone, units),
            signed(row.after - row.before, units),
            row.became(),
        ]);
    }
    table
}

/// An amount, or nothing where the band is not there.
pub fn cell(bytes: f64, is_there: bool, units: UnitSystem) -> String {
    if is_there { units.text(bytes.round() as u128) } else { String::new() }
}

/// A difference of two amounts.
pub fn signed(change: f64, units: UnitSystem) -> String {
    let sign = if change < 0.0 { "-" } else { "+" };
    format!("{sign}{}", units.text(change.abs().round() as u128))
}

#[derive(Serialize)]
struct Document<'a> {
    format: &'static str,
    version: u32,
    before: &'a str,
    after: &'a str,
    #[serde(flatten)]
    comparison: &'a Comparison,
}

/// The comparison as one line of JSON.
pub fn json(comparison: &Comparison, names: &(String, String)) -> String {
    let document = Document {
        format: "heapviz-diff",
        version: 1,
        before: &names.0,
        after: &names.1,
        comparison,
    };
    let mut text = serde_json::to_string(&document).expect("plain data");
    text.push('\n');
    text
}
