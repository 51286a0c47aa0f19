//! What was found, as text: for a terminal, as Markdown, as CSV.

use std::fmt::Write;

use heapviz::analysis::{
    BandFigures, Climb, Leak, Phase, Rows, Suspect, Verdict, place_text, rate_text, rates,
};
use heapviz::chart::{Clock, LayerRole};
use heapviz::error::visible;
use heapviz::units::{UnitSystem, count};

use super::found::Found;
use super::runtime;
use crate::cli::table::{Side, Table, code};

/// How text is written.
pub struct Options {
    /// Units of memory.
    pub units: UnitSystem,
    /// Whether to list the phases.
    pub phases: bool,
    /// Whether to list the ticky counters.
    pub ticky: bool,
}

/// For a terminal.
pub fn plain(found: &[Found<'_>], options: &Options) -> String {
    let mut out = String::new();
    if found.len() > 1 {
        let mut table = Table::new(&[
            ("input", Side::Left),
            ("peak", Side::Right),
            ("growth", Side::Right),
            ("verdict", Side::Left),
        ]);
        for one in found {
            let verdict = &one.analysis.verdict;
            table.row(vec![
                one.input.shown(one.slice.privacy()),
                options.units.text(one.analysis.figures.heap.peak),
                match verdict.leak {
                    Leak::Unknown => "?".to_owned(),
                    Leak::None => "0".to_owned(),
                    _ => rate_text(verdict.rate, verdict.clock, options.units),
                },
                verdict.grade().to_owned(),
            ]);
        }
        out.push_str(&table.text());
    }
    for one in found {
        if !out.is_empty() {
            out.push('\n');
        }
        detail(&mut out, one, options);
    }
    out
}

/// The heading of an input: `prog.hp  -hy, 67 samples in 2.51 s, peak 6.66 MiB`.
pub fn heading(one: &Found<'_>, units: UnitSystem) -> String {
    if one.slice.is_empty() {
        return "no heap samples".to_owned();
    }
    let verdict = &one.analysis.verdict;
    let flag = verdict.breakdown.flag().map_or(String::new(), |flag| format!("{flag}, "));
    let observed = verdict.observed.map_or(String::new(), |time| match verdict.clock {
        Clock::Mutator => format!(" in {time} of CPU"),
        _ => format!(" in {time}"),
    });
    let peak = units.text(one.analysis.figures.heap.peak);
    format!("{flag}{}{observed}, peak {peak}", count(verdict.samples, "sample"))
}

fn detail(out: &mut String, one: &Found<'_>, options: &Options) {
    let (verdict, units) = (&one.analysis.verdict, options.units);
    let _ = writeln!(
        out,
        "{}  {}",
        visible(&one.input.shown(one.slice.privacy())),
        heading(one, units)
    );
    if one.slice.is_empty() {
        return run_time(out, one, options);
    }
    let grade = verdict.grade();
    let grade = if verdict.leak == Leak::Likely { grade.to_uppercase() } else { grade.to_owned() };
    let _ = writeln!(out, "{grade:<15}{}", verdict.fact(units));
    for climb in shown_climbs(verdict) {
        let _ = writeln!(out, "{:<15}{}", "climbed", visible(&climb.text(units)));
    }
    if !verdict.suspects.is_empty() {
        let _ = write!(out, "\n{}", suspects(one, units).text());
        for suspect in &verdict.suspects {
            if let Some(remark) = about(suspect) {
                let _ = writeln!(out, "  {}", visible(&remark));
            }
        }
    }
    for remark in &verdict.remarks {
        let _ = write!(out, "\n{}", wrapped(&visible(&remark.text(units))));
    }
    if let Some(step) = verdict.next_step() {
        let _ = write!(out, "\n{}", wrapped(&step));
    }
    let _ = write!(out, "\n{}", bands(one, units).text());
    about_bands(out, one);
    if options.phases {
        match one.analysis.phases.is_empty() {
            true => out.push_str("\nno markers, so no phases\n"),
            false => {
                let _ = write!(out, "\n{}", phases(one, units).text());
            }
        }
    }
    run_time(out, one, options);
}

/// What the run-time system did, for a terminal.
fn run_time(out: &mut String, one: &Found<'_>, options: &Options) {
    runtime::write(out, &one.runtime, options.units);
    if one.slice.is_empty()
        && let Some(table) = runtime::generations(&one.runtime)
    {
        let _ = write!(out, "\n{}", table.text());
    }
    if options.ticky {
        match runtime::ticky(&one.runtime, &one.slice, options.units) {
            Some(table) => {
                let _ = write!(out, "\n{}\n{}", wrapped(runtime::TICKY_NOTE), table.text());
            }
            None => {
                let counters = one.slice.profile().runtime.ticky.counters().len();
                let _ = write!(out, "\n{}", wrapped(&runtime::no_ticky(counters)));
            }
        }
    }
}

/// The climbs that are worth a line: the highest.
fn shown_climbs(verdict: &Verdict) -> &[Climb] {
    &verdict.climbs[..verdict.climbs.len().min(3)]
}

/// What is known about a suspect beyond its numbers: `THUNK_1_1: unevaluated, made at Main.hs:3:5`.
fn about(suspect: &Suspect) -> Option<String> {
    let kind = suspect.kind.map(|kind| kind.words().to_owned());
    let place = suspect.place.as_ref().map(|place| format!("made at {place}"));
    let parts: Vec<String> = kind.into_iter().chain(place).collect();
    (!parts.is_empty()).then(|| format!("{}: {}", suspect.label, parts.join(", ")))
}

fn suspects(one: &Found<'_>, units: UnitSystem) -> Table {
    let (verdict, rows) = (&one.analysis.verdict, Rows::of(&one.slice));
    let mut table = Table::new(&[
        ("suspect", Side::Left),
        ("grew by", Side::Right),
        ("of growth", Side::Right),
        (per(verdict.clock), Side::Right),
        ("since", Side::Right),
        ("at the end", Side::Right),
    ]);
    let size = |bytes: u64| units.text(u128::from(bytes));
    let rate = |rate: f64| units.text(rate.max(0.0).round() as u128);
    const MOST: usize = 8;
    for suspect in verdict.suspects.iter().take(MOST) {
        let cells = vec![
            size(suspect.grew),
            format!("{:.0} %", suspect.share_percent),
            rate(suspect.rate),
            suspect.since_text(),
            size(suspect.at_end),
        ];
        match suspect.row {
            Some(row) => table.named_row(one.names.of(rows.id(row)), cells),
            None => table.named_row(std::slice::from_ref(&suspect.label), cells),
        }
    }
    let named: u64 = verdict.suspects.iter().take(MOST).map(|suspect| suspect.grew).sum();
    let others = verdict.growing.saturating_sub(verdict.suspects.len().min(MOST));
    if others > 0 && verdict.grew > named {
        let share = 100.0 * (verdict.grew - named) as f64 / verdict.grew as f64;
        table.row(vec![
            format!("{others} more"),
            size(verdict.grew - named),
            format!("{share:.0} %"),
            String::new(),
            String::new(),
            String::new(),
        ]);
    }
    table
}

/// The shown bands with their figures and their growth, the first on top.
fn bands(one: &Found<'_>, units: UnitSystem) -> Table {
    let mut table = Table::new(&[
        ("band", Side::Left),
        ("mean", Side::Right),
        ("share", Side::Right),
        ("peak", Side::Right),
        ("at", Side::Right),
        ("last", Side::Right),
        (per(one.analysis.verdict.clock), Side::Right),
    ]);
    let size = |bytes: u64| units.text(u128::from(bytes));
    for (row, figures, rate) in rows(one) {
        let cells = vec![
            units.text(figures.mean as u128),
            format!("{:.1} %", one.analysis.figures.share_percent(row.index())),
            size(figures.peak),
            place_text(
                one.slice.when(figures.peak_sample),
                one.slice.number(figures.peak_sample) - 1,
            ),
            size(figures.last),
            rate_cell(rate, units),
        ];
        table.named_row(one.names.of(row), cells);
    }
    let others: usize = one
        .chart
        .layers
        .iter()
        .filter(|layer| layer.role == LayerRole::Other)
        .map(|layer| layer.members)
        .sum();
    if others > 0 {
        let mut cells = vec![format!("{others} more")];
        cells.resize(7, String::new());
        table.row(cells);
    }
    table
}

/// What is known about the shown bands besides their figures: their retainer sets, the bands of a
/// group.
fn about_bands(out: &mut String, one: &Found<'_>) {
    let known: Vec<_> =
        one.chart.layers.iter().rev().filter(|layer| !layer.about.is_empty()).collect();
    out.push_str(if known.is_empty() { "" } else { "\n" });
    for layer in known {
        let text = visible(&format!("{}: {}", layer.full_name, layer.about.join("; ")));
        let _ = write!(out, "{}", wrapped(&text));
    }
}

/// The heading of a column of rates.
fn per(clock: Clock) -> &'static str {
    match clock {
        Clock::Elapsed => "a second",
        Clock::Mutator => "a CPU second",
        _ => "a sample",
    }
}

fn rate_cell(rate: f64, units: UnitSystem) -> String {
    let sign = if rate < 0.0 { "-" } else { "" };
    format!("{sign}{}", units.text(rate.abs().round() as u128))
}

/// The shown rows, the first on top, with their figures and rates.
fn rows<'a>(
    one: &'a Found<'_>,
) -> impl Iterator<Item = (heapviz::slice::RowId, &'a BandFigures, f64)> {
    let kept: Vec<_> = one.chart.ranking.kept.iter().rev().copied().collect();
    let wanted: Vec<usize> = kept.iter().map(|row| row.index()).collect();
    let figures = &one.analysis.figures;
    let rates = rates(&Rows::of(&one.slice), &figures.total, &wanted);
    kept.into_iter().zip(rates).map(|(row, rate)| (row, &figures.bands[row.index()], rate.middle))
}

fn phases(one: &Found<'_>, units: UnitSystem) -> Table {
    let mut table = Table::new(&[
        ("phase", Side::Left),
        ("from", Side::Right),
        ("to", Side::Right),
        ("samples", Side::Right),
        ("mean", Side::Right),
        ("peak", Side::Right),
        ("gained most", Side::Left),
    ]);
    let rows = Rows::of(&one.slice);
    for Phase { label, from, to, samples, mean, peak, gained, .. } in &one.analysis.phases {
        table.row(vec![
            label.clone().unwrap_or_else(|| "(start)".to_owned()),
            from.to_string(),
            to.to_string(),
            samples.to_string(),
            units.text(*mean),
            units.text(*peak),
            gained.map_or(String::new(), |(row, bytes)| {
                let label = crate::cli::table::shortened(rows.label(row), 20);
                format!("{label} +{}", units.text(u128::from(bytes)))
            }),
        ]);
    }
    table
}

/// Lines of at most 80 characters.
fn wrapped(text: &str) -> String {
    let (mut out, mut length) = (String::new(), 0);
    for word in text.split(' ') {
        let long = word.chars().count();
        if length > 0 && length + 1 + long > crate::cli::table::WIDTH {
            out.push('\n');
            length = 0;
        } else if length > 0 {
            out.push(' ');
            length += 1;
        }
        out.push_str(word);
        length += long;
    }
    out.push('\n');
    out
}

/// For a pull request: the verdict first, then the tables.
pub fn markdown(found: &[Found<'_>], options: &Options) -> String {
    let units = options.units;
    let mut out = String::new();
    for (i, one) in found.iter().enumerate() {
        let verdict = &one.analysis.verdict;
        out.push_str(if i > 0 { "\n" } else { "" });
        if one.slice.is_empty() {
            let _ = writeln!(
                out,
                "### {}: no heap samples",
                code(&visible(&one.input.shown(one.slice.privacy())))
            );
            run_time_markdown(&mut out, one, options);
            continue;
        }
        let _ = writeln!(
            out,
            "### {}: {}\n",
            code(&visible(&one.input.shown(one.slice.privacy()))),
            verdict.leak.words()
        );
        let _ = writeln!(out, "{}; {}.", heading(one, units), verdict.fact(units));
        for climb in shown_climbs(verdict) {
            let _ = writeln!(out, "Climbed: {}.", code(&visible(&climb.text(units))));
        }
        if !verdict.suspects.is_empty() {
            let _ = write!(out, "\n{}", suspects(one, units).markdown());
        }
        for remark in &verdict.remarks {
            let _ = writeln!(out, "\n{}", visible(&remark.text(units)));
        }
        if let Some(step) = verdict.next_step() {
            let _ = writeln!(out, "\n{step}");
        }
        let _ = write!(out, "\n{}", bands(one, units).markdown());
        if options.phases && !one.analysis.phases.is_empty() {
            let _ = write!(out, "\n{}", phases(one, units).markdown());
        }
        run_time_markdown(&mut out, one, options);
    }
    out
}

/// What the run-time system did, as Markdown.
fn run_time_markdown(out: &mut String, one: &Found<'_>, options: &Options) {
    let lines = runtime::lines(&one.runtime, options.units);
    out.push_str(if lines.is_empty() { "" } else { "\n" });
    for (word, line) in lines {
        let word = if word.is_empty() { String::new() } else { format!("{word}: ") };
        let _ = writeln!(out, "- {word}{line}");
    }
    if options.ticky
        && let Some(table) = runtime::ticky(&one.runtime, &one.slice, options.units)
    {
        let _ = write!(out, "\n{}\n{}", wrapped(runtime::TICKY_NOTE), table.markdown());
    }
}

/// A row for each shown band of each input, in bytes, seconds and bytes a second.
pub fn csv(found: &[Found<'_>]) -> String {
    let mut out = String::from(
        "input,band,peak,peak_sample,mean,last,share_percent,growth,suspect,grew,since_s\r\n",
    );
    for one in found {
        for ((row, figures, rate), layer) in rows(one).zip(one.chart.layers.iter().rev()) {
            let suspects = &one.analysis.verdict.suspects;
            let suspect = suspects.iter().find(|suspect| suspect.row == Some(row.index()));
            let since = suspect.and_then(|suspect| suspect.since);
            let _ = writeln!(
                out,
                "{},{},{},{},{:.0},{},{:.3},{:.0},{},{},{}\r",
                quoted(&one.input.shown(one.slice.privacy())),
                quoted(&layer.full_name),
                figures.peak,
                one.slice.number(figures.peak_sample),
                figures.mean,
                figures.last,
                one.analysis.figures.share_percent(row.index()),
                rate,
                if suspect.is_some() { "yes" } else { "no" },
                suspect.map_or(0, |suspect| suspect.grew),
                since.map_or(String::new(), |time| time.as_seconds().to_string()),
            );
        }
    }
    out
}

/// A text as a CSV field: in quotes if necessary, and never a formula for a spreadsheet.
fn quoted(text: &str) -> String {
    let text = match text.starts_with(['=', '+', '-', '@', '\t', '\r']) {
        true => format!("'{text}"),
        false => text.to_owned(),
    };
    match text.contains(['"', ',', '\n', '\r']) {
        true => format!("\"{}\"", text.replace('"', "\"\"")),
        false => text,
    }
}
