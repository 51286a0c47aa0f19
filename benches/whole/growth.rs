//! How heapviz's time grows with the input: each kind of item in four sizes, each twice the previous one,
//! as a Markdown table. If growth is linear, the cost per item is the same in every column.

use std::io::{self, Write};
use std::path::Path;
use std::time::Duration;

use crate::child::{Program, Run};
use crate::generator::{Breakdown, LogShape, Shape, write_eventlog, write_hp};

/// The number of sizes, each twice the previous one.
const SIZES: u64 = 4;

/// The number of runs for each size.
const ROUNDS: usize = 3;

/// The kind of item, the smallest number of them, the input with a given number, and the outputs.
type Kind = (&'static str, u64, fn(u64) -> Input, &'static [Output]);

/// An output, and the flags for it.
type Output = (&'static str, &'static [&'static str]);

const PICTURE: Output = ("svg", &["-f", "svg"]);
const PAGE: Output = ("html", &["-f", "html"]);
const FLAME: Output = ("flame graph", &["-f", "svg", "--view", "flame"]);

struct Input {
    shape: Shape,
    /// The additional content of an event log; a `.hp` if `None`.
    log: Option<LogShape>,
    /// How many times heapviz is given it.
    files: u64,
}

/// Pictures include the verdict and, with many samples, columns.
const BOTH: &[Output] = &[PICTURE, PAGE];

const KINDS: [Kind; 7] = [
    (
        "samples of 500 bands",
        1_000,
        |n| hp(Shape { samples: n, bands: 500, ..Shape::default() }),
        BOTH,
    ),
    (
        "bands in 40 samples",
        5_000,
        |n| hp(Shape { samples: 40, bands: n as u32, ..Shape::default() }),
        BOTH,
    ),
    ("stacks in 40 samples", 1_250, stacks, &[PICTURE, PAGE, FLAME]),
    ("markers", 25_000, |n| log(LogShape { markers: n, ..quiet() }), BOTH),
    ("messages", 25_000, |n| log(LogShape { messages: n, ..quiet() }), BOTH),
    ("collections", 12_500, |n| log(LogShape { collections: n, ..quiet() }), BOTH),
    (
        "files of 40 samples",
        16,
        |n| Input { files: n, ..hp(Shape { samples: 40, bands: 50, ..Shape::default() }) },
        BOTH,
    ),
];

fn stacks(n: u64) -> Input {
    let breakdown = Breakdown::CostCentre;
    let shape = Shape { samples: 40, bands: n as u32, breakdown, ..Shape::default() };
    Input { shape, log: Some(quiet()), files: 1 }
}

fn hp(shape: Shape) -> Input {
    Input { shape, log: None, files: 1 }
}

fn log(log: LogShape) -> Input {
    let shape = Shape { samples: 100, bands: 100, ..Shape::default() };
    Input { shape, log: Some(log), files: 1 }
}

fn quiet() -> LogShape {
    LogShape { scheduler: 0, collections: 0, markers: 0, ..LogShape::default() }
}

/// Prints the table.
pub fn print(heapviz: &Path, folder: &Path, out: &mut impl Write) -> io::Result<()> {
    let columns = (0..SIZES).map(|i| format!("{}x", 1 << i)).collect::<Vec<_>>().join(" | ");
    writeln!(out, "Time of a run, and of each thing in it.\n")?;
    writeln!(out, "| things | output | {columns} |\n|{}", "---|".repeat(2 + SIZES as usize))?;
    for (name, first, input, outputs) in KINDS {
        for (output, flags) in outputs {
            let mut cells = Vec::new();
            for count in (0..SIZES).map(|i| first << i) {
                let time = time(heapviz, folder, &input(count), flags)?;
                let each = time.as_secs_f64() * 1e6 / count as f64;
                cells.push(format!("{:.1} ms, {each:.2} us", time.as_secs_f64() * 1e3));
            }
            writeln!(out, "| {first} {name} | {output} | {} |", cells.join(" | "))?;
            out.flush()?;
        }
    }
    Ok(())
}

fn time(heapviz: &Path, folder: &Path, input: &Input, flags: &[&str]) -> io::Result<Duration> {
    let ending = if input.log.is_some() { "eventlog" } else { "hp" };
    let names: Vec<String> = (0..input.files).map(|i| format!("input{i}.{ending}")).collect();
    for name in &names {
        let file = io::BufWriter::new(std::fs::File::create(folder.join(name))?);
        match &input.log {
            Some(log) => write_eventlog(&input.shape, log, file)?,
            None => write_hp(&input.shape, file)?,
        }
    }
    let mut arguments: Vec<&str> = names.iter().map(String::as_str).collect();
    arguments.push("-q");
    arguments.extend(flags);
    let program = Program::new(heapviz, folder, &arguments);
    let best = (0..ROUNDS).fold(Run::None, |best, _| best.better(program.time()));
    names.iter().try_for_each(|name| std::fs::remove_file(folder.join(name)))?;
    match best {
        Run::Took(time) => Ok(time),
        _ => Err(io::Error::other(format!("heapviz failed on {}", arguments.join(" ")))),
    }
}
