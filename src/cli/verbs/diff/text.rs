//! A comparison as text: for a terminal, as Markdown, as JSON.

use std::fmt::Write;

use heapviz::analysis::compare::{
    BandRow, Clocks, Comparison, Figure, FigureRow, Growth, Judgement, Presence,
};
use heapviz::analysis::{Leak, rate_text};
use heapviz::chart::{Breakdown, Clock};
use heapviz::error::visible;
use heapviz::units::{Nanos, UnitSystem};
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
    for line in remarks(comparison, most) {
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
    let (before, after) = comparison.verdicts;
    let mut out = format!("### Heap: {}\n\n", headline(before, after));
    let _ = writeln!(out, "{} → {}\n", code(&visible(&names.0)), code(&visible(&names.1)));
    out.push_str(&figures(comparison, names, clock, units).markdown());
    let _ = write!(out, "\n{}\n", bands(comparison, most, units).markdown());
    for line in remarks(comparison, most) {
        let _ = writeln!(out, "{line}  ");
    }
    out
}

/// The tables as HTML, to be below a picture.
pub fn html(
    comparison: &Comparison,
    names: &(String, String),
    most: usize,
    clock: Clock,
    units: UnitSystem,
) -> String {
    let remarks = remarks(comparison, most).join("; ");
    let tables = [figures(comparison, names, clock, units), bands(comparison, most, units)];
    let tables: String = tables.iter().map(Table::html).collect();
    format!("{tables}<p style=\"text-align:center\">{remarks}</p>\n")
}

/// What became of the verdict.
fn headline(before: Leak, after: Leak) -> String {
    match (before >= Leak::Possible, after >= Leak::Possible) {
        (true, false) if after == Leak::None => format!("the {} is gone", before.words()),
        (false, true) if before == Leak::None => format!("a {} is new", after.words()),
        _ if before == after => format!("{} before and after", after.words()),
        _ => format!("{} before, {} after", before.words(), after.words()),
    }
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
    for row in &comparison.figures {
        // Rates and durations of different clocks are different things.
        let by_clock = matches!(row.figure, Figure::Growth | Figure::Duration);
        if by_clock && comparison.clocks == Clocks::Different {
            continue;
        }
        table.row(vec![
            name(row.figure).to_owned(),
            value(row.figure, row.before, clock, units),
            value(row.figure, row.after, clock, units),
            change(row),
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

/// What a figure is called.
pub fn name(figure: Figure) -> &'static str {
    match figure {
        Figure::Peak => "peak",
        Figure::P99 => "p99",
        Figure::Mean => "mean",
        Figure::Final => "final",
        Figure::Growth => "growth",
        Figure::Duration => "duration",
        Figure::Samples => "samples",
    }
}

/// A value of a figure, with its unit.
pub fn value(figure: Figure, value: f64, clock: Clock, units: UnitSystem) -> String {
    match figure {
        Figure::Growth if value == 0.0 => "0".to_owned(),
        Figure::Growth => rate_text(value, clock, units),
        Figure::Duration => Nanos::from_nanos((value * 1e9).round() as i64).to_string(),
        Figure::Samples => format!("{value:.0}"),
        _ => units.text(value.round() as u128),
    }
}

/// What became of a figure: `÷ 11.4`, `+12 %`, `gone`, `~`.
pub fn change(row: &FigureRow) -> String {
    let p = row.p.map_or(String::new(), |p| format!(" (p {p:.3})"));
    match row.judgement {
        Judgement::Same => format!("~{p}"),
        Judgement::Open => String::new(),
        Judgement::Differs => format!("{}{p}", ratio(row.before, row.after)),
    }
}

fn ratio(before: f64, after: f64) -> String {
    if before <= 0.0 {
        return if after > 0.0 { "new".to_owned() } else { "~".to_owned() };
    }
    if after <= 0.0 {
        return "gone".to_owned();
    }
    let ratio = after / before;
    if ratio >= 2.0 {
        format!("× {ratio:.1}")
    } else if ratio <= 0.5 {
        format!("÷ {:.1}", 1.0 / ratio)
    } else {
        format!("{:+.0} %", 100.0 * (ratio - 1.0))
    }
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
            label(row),
            cell(row.before, row.presence != Presence::New, units),
            cell(row.after, row.presence != Presence::Gone, units),
            signed(row.after - row.before, units),
            what_became(row),
        ]);
    }
    table
}

/// What became of a band, in a few words.
fn what_became(row: &BandRow) -> String {
    let presence = match (row.presence, row.judgement) {
        (Presence::New, _) => "new",
        (Presence::Gone, _) => "gone",
        (Presence::Both, Judgement::Same) => "~",
        (Presence::Both, _) => "",
    };
    let growth = match row.growth {
        Growth::Stopped if row.presence == Presence::Both => "stopped growing",
        Growth::Never | Growth::Stopped => "",
        Growth::Stayed => "still grows",
        Growth::Began => "grows",
    };
    [presence, growth].into_iter().filter(|text| !text.is_empty()).collect::<Vec<_>>().join(", ")
}

fn label(row: &BandRow) -> String {
    match &row.perhaps {
        Some(perhaps) => format!("{} -> {perhaps} ?", row.label),
        None => row.label.clone(),
    }
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

fn remarks(comparison: &Comparison, most: usize) -> Vec<String> {
    let mut lines = Vec::new();
    let left_out = comparison.bands.len().saturating_sub(most) + comparison.small;
    if left_out > 0 {
        lines.push(format!("{left_out} more, most of them below 1 % of the heap"));
    }
    let matched = comparison.matched_percent;
    let matched = if matched > 99.5 { "100".to_owned() } else { format!("{matched:.0}") };
    let mut line = format!("matched {matched} % of the bytes");
    let by_name = matches!(comparison.breakdown, Breakdown::CostCentre | Breakdown::InfoTable);
    if comparison.matched_percent < 50.0 && by_name {
        line.push_str(": names changed? -hy does not depend on names of functions");
    }
    lines.push(line);
    if comparison.clocks == Clocks::Different {
        lines.push(
            "the clocks differ: means are over samples, and rates and durations are left out"
                .to_owned(),
        );
    }
    lines
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
