//! How heapviz's time grows with the input: each kind of thing in four sizes, doubled each time, as a
//! Markdown table. What is linear costs as much for each thing in every column.

use std::io::{self, Write};
use std::path::Path;
use std::time::Duration;

use crate::child::{Program, Run};
use crate::generator::{LogShape, Shape, write_eventlog, write_hp};

/// How often each size is twice the one before.
const SIZES: u64 = 4;

/// How often each is run.
const ROUNDS: usize = 3;

/// What grows, the smallest number of it, and the input that has a given number.
type Kind = (&'static str, u64, fn(u64) -> Input);

struct Input {
    shape: Shape,
    /// Of an event log; a `.hp` without it.
    log: Option<LogShape>,
    /// How many times heapviz is given it.
    files: u64,
}

const KINDS: [Kind; 6] = [
    ("samples of 500 bands", 1_000, |n| hp(Shape { samples: n, bands: 500, ..Shape::default() })),
    ("bands in 40 samples", 5_000, |n| {
        hp(Shape { samples: 40, bands: n as u32, ..Shape::default() })
    }),
    ("markers", 25_000, |n| log(LogShape { markers: n, ..quiet() })),
    ("messages", 25_000, |n| log(LogShape { messages: n, ..quiet() })),
    ("collections", 12_500, |n| log(LogShape { collections: n, ..quiet() })),
    ("files of 40 samples", 16, |n| Input {
        files: n,
        ..hp(Shape { samples: 40, bands: 50, ..Shape::default() })
    }),
];

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

/// Prints the table, for a picture and for a page.
pub fn print(heapviz: &Path, folder: &Path, out: &mut impl Write) -> io::Result<()> {
    let columns = (0..SIZES).map(|i| format!("{}x", 1 << i)).collect::<Vec<_>>().join(" | ");
    writeln!(out, "Time of a run, and of each thing in it.\n")?;
    writeln!(out, "| things | output | {columns} |\n|{}", "---|".repeat(2 + SIZES as usize))?;
    for (name, first, input) in KINDS {
        for output in ["svg", "html"] {
            let mut cells = Vec::new();
            for count in (0..SIZES).map(|i| first << i) {
                let time = time(heapviz, folder, &input(count), output)?;
                let each = time.as_secs_f64() * 1e6 / count as f64;
                cells.push(format!("{:.1} ms, {each:.2} us", time.as_secs_f64() * 1e3));
            }
            writeln!(out, "| {first} {name} | {output} | {} |", cells.join(" | "))?;
            out.flush()?;
        }
    }
    Ok(())
}

fn time(heapviz: &Path, folder: &Path, input: &Input, output: &str) -> io::Result<Duration> {
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
    arguments.extend(["-q", "-f", output]);
    let program = Program::new(heapviz, folder, &arguments);
    let best = (0..ROUNDS).fold(Run::None, |best, _| best.better(program.time()));
    names.iter().try_for_each(|name| std::fs::remove_file(folder.join(name)))?;
    match best {
        Run::Took(time) => Ok(time),
        _ => Err(io::Error::other(format!("heapviz failed on {}", arguments.join(" ")))),
    }
}
