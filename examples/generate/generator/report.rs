//! Reports of time and allocation (`.prof`), as `-P` writes them (`docs/format/prof.md`).

use std::io::{self, Write};

use super::names::name;
use super::shape::{LogShape, Shape};
use super::testing::Random;

/// One row of the tree.
struct Row {
    depth: usize,
    name: String,
    module: String,
    place: String,
    entries: u64,
    ticks: u64,
    bytes: u64,
}

/// Writes a report with as many stacks as the shape has bands, none deeper than the log's stacks.
pub fn write_prof(shape: &Shape, log: &LogShape, mut out: impl Write) -> io::Result<()> {
    let rows = rows(shape, log);
    let (ticks, bytes) =
        rows.iter().fold((0, 0), |sum, row| (sum.0 + row.ticks, sum.1 + row.bytes));
    let label = widest(&rows, "COST CENTRE", |row| row.depth + row.name.len());
    let module = widest(&rows, "MODULE", |row| row.module.len());
    let place = widest(&rows, "SRC", |row| row.place.len());
    let seconds = ticks as f64 / 1000.0;
    writeln!(out, "\tSat Nov 21 10:55 2026 Time and Allocation Profiling Report  (Final)\n")?;
    writeln!(out, "\t   generated +RTS -P -RTS\n")?;
    writeln!(out, "\ttotal time  = {seconds:11.2} secs   ({ticks} ticks @ 1000 us, 1 processor)")?;
    writeln!(
        out,
        "\ttotal alloc = {:>11} bytes  (excludes profiling overheads)\n",
        thousands(bytes)
    )?;
    let heading = format!("{:label$} {:module$} {:place$}", "COST CENTRE", "MODULE", "SRC");
    writeln!(out, "{heading}  %time %alloc  ticks     bytes\n\n\n")?;
    writeln!(out, "{:1$}individual      inherited", "", label + module + place + 14)?;
    writeln!(
        out,
        "{heading} {:6}     entries  %time %alloc   %time %alloc  ticks     bytes\n",
        "no."
    )?;
    for (number, row) in (100..).zip(&rows) {
        let indented = format!("{:1$}{2}", "", row.depth, row.name);
        // Readers ignore percentages if there are counts.
        writeln!(
            out,
            "{indented:label$} {:module$} {:place$} {number:6} {:11}  {:5.1}  {:5.1}   {:5.1}  {:5.1}  {:5} {:9}",
            row.module, row.place, row.entries, 0.0, 0.0, 0.0, 0.0, row.ticks, row.bytes,
        )?;
    }
    Ok(())
}

fn rows(shape: &Shape, log: &LogShape) -> Vec<Row> {
    let mut random = Random::new(shape.seed, "report");
    let mut rows = vec![Row {
        depth: 0,
        name: "MAIN".to_owned(),
        module: "MAIN".to_owned(),
        place: "<built-in>".to_owned(),
        entries: 0,
        ticks: 0,
        bytes: 0,
    }];
    for number in 1..shape.bands {
        let above = rows[rows.len() - 1].depth;
        // Mostly one level deeper, otherwise back to any depth.
        let depth = match random.below(20) {
            0 => 1 + random.index(above + 1),
            _ => above + 1,
        };
        let module = random.below(90);
        rows.push(Row {
            depth: depth.min(usize::from(log.depth)),
            name: String::from_utf8_lossy(&name(&mut random, shape, number)).into_owned(),
            module: format!("Data.Module{module}"),
            place: format!("src/Data/Module{module}.hs:{}:1-40", 1 + random.below(999)),
            entries: random.below(10_000),
            ticks: random.below(5),
            bytes: 8 * random.below(100_000),
        });
    }
    rows
}

fn widest(rows: &[Row], heading: &str, of: impl Fn(&Row) -> usize) -> usize {
    rows.iter().map(of).chain([heading.len()]).max().unwrap_or(0)
}

/// With commas, which the report has only in this number.
fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}
