//! A comparison as text: for a terminal, as Markdown, as JSON.

use std::fmt::Write;

use heapviz::analysis::compare::{Comparison, Presence};
use heapviz::chart::Clock;
use heapviz::error::visible;
use heapviz::units::UnitSystem;
use serde::Serialize;

use crate::cli::table::{Side, Table, code, shortened};

/// A comparison and how its texts show it.
pub struct Words<'a> {
    /// What is shown.
    pub comparison: &'a Comparison,
    /// The names of the side before and the side after.
    pub names: [String; 2],
    /// The most bands that are listed.
    pub most: usize,
    /// What the times of both sides count.
    pub clock: Clock,
    /// The units of amounts.
    pub units: UnitSystem,
}

impl Words<'_> {
    /// For a terminal.
    pub fn plain(&self) -> String {
        let mut out = self.figures().text();
        let _ = write!(out, "\n{}", self.bands().text());
        for line in self.comparison.remarks(self.most) {
            let _ = writeln!(out, "  {line}");
        }
        out
    }

    /// For a pull request.
    pub fn markdown(&self) -> String {
        let [before, after] = &self.names;
        let mut out = format!("### Heap: {}\n\n", self.comparison.headline());
        let _ = writeln!(out, "{} → {}\n", code(&visible(before)), code(&visible(after)));
        out.push_str(&self.figures().markdown());
        let _ = write!(out, "\n{}\n", self.bands().markdown());
        for line in self.comparison.remarks(self.most) {
            let _ = writeln!(out, "{line}  ");
        }
        out
    }

    fn figures(&self) -> Table {
        let short = |name: &String| {
            let name = name.rsplit('/').next().unwrap_or(name);
            visible(&shortened(name, 20))
        };
        let [before, after] = self.names.each_ref().map(short);
        let mut table = Table::new(&[
            ("", Side::Left),
            (&before, Side::Right),
            (&after, Side::Right),
            ("", Side::Left),
        ]);
        for row in self.comparison.comparable() {
            table.row(vec![
                row.figure.name().to_owned(),
                row.figure.text(row.before, self.clock, self.units),
                row.figure.text(row.after, self.clock, self.units),
                row.change(),
            ]);
        }
        let (was, is) = self.comparison.verdicts;
        table.row(vec![
            "verdict".to_owned(),
            was.words().to_owned(),
            is.words().to_owned(),
            String::new(),
        ]);
        table
    }

    fn bands(&self) -> Table {
        let mut table = Table::new(&[
            ("band (mean)", Side::Left),
            ("before", Side::Right),
            ("after", Side::Right),
            ("change", Side::Right),
            ("", Side::Left),
        ]);
        for row in self.comparison.bands.iter().take(self.most) {
            table.row(vec![
                row.name(),
                cell(row.before, row.presence != Presence::New, self.units),
                cell(row.after, row.presence != Presence::Gone, self.units),
                signed(row.after - row.before, self.units),
                row.became(),
            ]);
        }
        table
    }

    /// One line of JSON, with all bands and plain numbers.
    pub fn json(&self) -> String {
        let [before, after] = &self.names;
        let comparison = self.comparison;
        let document = Document { format: "heapviz-diff", version: 1, before, after, comparison };
        let mut text = serde_json::to_string(&document).expect("plain data");
        text.push('\n');
        text
    }
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

/// An amount, or nothing if the band is not there.
pub fn cell(bytes: f64, is_there: bool, units: UnitSystem) -> String {
    if is_there { units.text(bytes.round() as u128) } else { String::new() }
}

/// A difference of two amounts.
pub fn signed(change: f64, units: UnitSystem) -> String {
    let sign = if change < 0.0 { "-" } else { "+" };
    format!("{sign}{}", units.text(change.abs().round() as u128))
}
