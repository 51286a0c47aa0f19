//! Every output of every large crafted input stays within the memory and the time that `docs/reference.md`
//! promises: four times the (decompressed) input and 64 MB.
//!
//! The daily run has small inputs. The promised sizes and times are checked by
//! `HEAPVIZ_MATRIX=full cargo test --release --test command matrix -- --nocapture`, which prints a
//! table.
#![cfg(target_os = "linux")]

mod inputs;

use std::fs;
use std::path::Path;
use std::time::Duration;

use crate::common::child::{Program, Run};
use crate::common::command::{Folder, endings};
use inputs::{FULL, SMALL};

/// The memory that an output may take in addition to its share for the input.
const BASE: u64 = 64_000_000;

/// The factor for the size of the input.
const FACTOR: u64 = 4;

/// The time limit for one output of a release build.
const PROMISED: Duration = Duration::from_secs(10);

/// The same for a build without optimisation, on a busy machine.
const PATIENCE: Duration = Duration::from_secs(120);

/// All bands, so that no output is small because most bands are left out.
const ALL_BANDS: &[&str] = &["--bands", "0", "--trace", "0"];

/// An output: its name in the table, and the arguments that request it, without the input.
fn outputs() -> Vec<(&'static str, Vec<&'static str>)> {
    let mut outputs = vec![("svg, 20 bands", vec!["-f", "svg", "-o", "out"])];
    for ending in endings() {
        let ending: &str = ending.leak();
        let file = format!("out.{ending}").leak();
        outputs.push((ending, [&["-o", &*file], ALL_BANDS].concat()));
    }
    outputs.push(("flame", vec!["--view", "flame", "-f", "svg", "-o", "out"]));
    outputs.push(("stats", vec!["stats", "--bands", "0", "-o", "out.txt"]));
    outputs.push(("stats json", vec!["stats", "--bands", "0", "-o", "out.json"]));
    outputs.push(("check", vec!["check", "--fail-if", "peak > 1TiB"]));
    outputs.push(("diff", vec!["diff"]));
    outputs.push(("diff svg", vec!["diff", "--bands", "0", "-o", "out.svg"]));
    outputs.push(("diff flame", vec!["diff", "--view", "flame", "-o", "out.svg"]));
    outputs
}

/// The result of one output, as a row of the table.
struct Cell {
    input: &'static str,
    output: &'static str,
    run: Run,
    memory: u64,
    most_memory: u64,
    most_time: Duration,
    written: u64,
}

impl Cell {
    fn holds(&self) -> bool {
        let in_time = match self.run {
            Run::Took(time) | Run::Refused(time) => time <= self.most_time,
            Run::None | Run::Killed | Run::Failed => false,
        };
        in_time && self.memory <= self.most_memory
    }

    fn row(&self) -> String {
        let run = match self.run {
            Run::Took(time) => format!("{:.2} s", time.as_secs_f64()),
            Run::Refused(time) => format!("refused, {:.2} s", time.as_secs_f64()),
            run => format!("{run:?}"),
        };
        format!(
            "{:8} {:14} {run:>16} {:5} of {:4} MB {:7.1} MB written{}",
            self.input,
            self.output,
            self.memory / 1_000_000,
            self.most_memory / 1_000_000,
            self.written as f64 / 1e6,
            if self.holds() { "" } else { "  TOO MUCH" }
        )
    }
}

fn cell(
    folder: &Path,
    input: (&'static str, &str, u64),
    output: &(&'static str, Vec<&'static str>),
    most_time: Duration,
) -> Cell {
    let (input, file, size) = input;
    let (output, words) = output;
    let is_pair = output.starts_with("diff");
    let mut words = words.clone();
    words.push(file);
    if is_pair {
        words.push(file);
    }
    let program = Program::new(Path::new(env!("CARGO_BIN_EXE_heapviz")), folder, &words);
    let (run, memory) = program.watch(most_time, Duration::from_millis(1));
    let mut written = 0;
    for entry in fs::read_dir(folder).expect("the folder").flatten() {
        if entry.file_name().to_string_lossy().starts_with("out") {
            written += entry.metadata().map_or(0, |about| about.len());
            let _ = fs::remove_file(entry.path());
        }
    }
    let inputs = if is_pair { 2 * size } else { size };
    Cell {
        input,
        output,
        run,
        memory: memory.unwrap_or(0),
        most_memory: BASE + FACTOR * inputs,
        most_time,
        written,
    }
}

#[test]
fn every_output_of_every_large_input_stays_within_its_bounds() {
    let full = std::env::var("HEAPVIZ_MATRIX").is_ok_and(|size| size == "full");
    let sizes = if full { FULL } else { SMALL };
    let most_time = if cfg!(debug_assertions) || !full { PATIENCE } else { PROMISED };
    let folder = Folder::new();
    let mut broken = Vec::new();
    inputs::each(&sizes, |(name, file, bytes)| {
        let size = bytes.len() as u64;
        fs::write(folder.path().join(file), bytes).expect("an input");
        for output in outputs() {
            let cell = cell(folder.path(), (name, file, size), &output, most_time);
            println!("{}", cell.row());
            if !cell.holds() {
                broken.push(cell.row());
            }
        }
    });
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}
