//! The number of instructions in complete runs of heapviz, compared with the record in `instructions.txt`:
//! `cargo bench --profile dev --bench instructions`.
//!
//! This program builds the measured binary itself, with the profile `counting`, so that the counts do not
//! depend on how this program was built. (Without `--profile dev` this program is optimised too, with
//! everything that only tests use.)
//!
//! Counts can be checked where times cannot: on a shared machine two runs of the same program differ by less
//! than a thousandth. They do depend on the compiler and on the processor's features (searching bytes and
//! copying memory use its widest instructions), so the margin is wider if either differs from the
//! record.
//!
//! Each path is counted on one processor.
//!
//! `HEAPVIZ_BLESS=1` records them again.

#[path = "../examples/generate/generator/mod.rs"]
mod generator;

use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Output};

use clap::Parser;
use generator::{Breakdown, LogShape, Shape, write_eventlog, write_hp};

const RECORD: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/benches/instructions.txt");

/// How much more than the record a run may take, in per cent: more than a change that is not meant to cost
/// anything, and less than a reader would notice.
const MARGIN: f64 = 5.0;

/// The same with another compiler or kind of processor.
const MARGIN_ELSEWHERE: f64 = 15.0;

/// Below the record by this much, the record no longer protects the improvement.
const STALE: f64 = 10.0;

#[derive(Debug, PartialEq)]
enum Verdict {
    Fits,
    TooMany,
    LowerTheRecord,
}

/// Compares the numbers of instructions in complete runs with the record.
#[derive(Parser)]
#[command(name = "instructions")]
struct Args {
    /// Only write the inputs, into this folder.
    #[arg(long)]
    inputs: Option<PathBuf>,
    /// Given by cargo.
    #[arg(long, hide = true)]
    bench: bool,
}

fn main() -> io::Result<ExitCode> {
    if let Some(folder) = Args::parse().inputs {
        write_inputs(&folder)?;
        return Ok(ExitCode::SUCCESS);
    }
    for tool in ["valgrind", "taskset"] {
        if Command::new(tool).arg("--version").output().is_err() {
            println!("skipped: no {tool} to count instructions with");
            return Ok(ExitCode::SUCCESS);
        }
    }
    let program = built()?;
    let folder = tempfile::tempdir()?;
    let mut counts = Vec::new();
    for (name, input) in write_inputs(folder.path())? {
        counts.push((name, instructions(&program, &input)?));
    }
    if std::env::var_os("HEAPVIZ_BLESS").is_some() {
        fs::write(RECORD, record(&counts))?;
        println!("recorded in {RECORD}");
        return Ok(ExitCode::SUCCESS);
    }
    check(&counts, &fs::read_to_string(RECORD)?)
}

fn write_inputs(folder: &Path) -> io::Result<Vec<(&'static str, PathBuf)>> {
    let mut inputs = Vec::new();
    for (name, shape, log) in paths() {
        let input = folder.join(name);
        let mut out = BufWriter::new(File::create(&input)?);
        match log {
            Some(log) => write_eventlog(&shape, &log, &mut out)?,
            None => write_hp(&shape, &mut out)?,
        }
        out.flush()?;
        inputs.push((name, input));
    }
    Ok(inputs)
}

/// The most important paths, each on 2 to 7 MB.
fn paths() -> [(&'static str, Shape, Option<LogShape>); 4] {
    let quiet = LogShape { scheduler: 0, collections: 0, capabilities: 1, ..LogShape::default() };
    let threads = LogShape { scheduler: 250_000, collections: 1_000, capabilities: 4, ..quiet };
    let census = Shape { samples: 400, bands: 500, ..Shape::default() };
    let few = Shape { samples: 50, bands: 50, ..Shape::default() };
    let tables =
        Shape { breakdown: Breakdown::InfoTable, samples: 3, bands: 30_000, ..Shape::default() };
    let without_definitions = LogShape { definitions: Some(0), ..quiet.clone() };
    [
        ("hp-to-svg", census.clone(), None),
        ("scheduler-events-to-svg", few, Some(threads)),
        ("string-samples-to-svg", Shape { breakdown: Breakdown::Type, ..census }, Some(quiet)),
        ("many-info-tables-to-svg", tables, Some(without_definitions)),
    ]
}

/// Builds the measured binary, and returns its path. PDF and the terminal and web views of `heapviz watch`
/// are left out; without their 80 crates the build is much faster.
fn built() -> io::Result<PathBuf> {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().expect("the folder of builds");
    let mut build = Command::new(env!("CARGO"));
    build.current_dir(env!("CARGO_MANIFEST_DIR")).arg("build").arg("--target-dir").arg(target);
    build.args(["--no-default-features", "--features", "cli"]);
    let status = build.args(["--locked", "--profile", "counting", "--bin", "heapviz"]).status()?;
    match status.success() {
        true => Ok(target.join("counting/heapviz")),
        false => Err(io::Error::other("what is counted cannot be built")),
    }
}

/// Runs heapviz on an input under callgrind, on one processor.
fn instructions(program: &Path, input: &Path) -> io::Result<u64> {
    let output = Command::new("taskset")
        .args(["-c", "0", "valgrind"])
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .arg(program)
        .args(["-q", "--heap-lines", "all"])
        .arg(input)
        .arg("-o")
        .arg(input.with_extension("svg"))
        .output()?;
    counted(&output).ok_or_else(|| {
        io::Error::other(format!("no count: {}", String::from_utf8_lossy(&output.stderr)))
    })
}

/// The count that callgrind printed for a successful run.
fn counted(output: &Output) -> Option<u64> {
    let said = String::from_utf8_lossy(&output.stderr);
    let (_, count) = said.lines().find_map(|line| line.split_once("Collected :"))?;
    if output.status.success() { count.trim().parse().ok() } else { None }
}

/// The compiler, and the features of the processor that make a difference.
fn here() -> String {
    let version = Command::new("rustc").arg("--version").output();
    let version = version.map(|output| String::from_utf8_lossy(&output.stdout).into_owned());
    let version = version.unwrap_or_default();
    let compiler = version.split(' ').take(2).collect::<Vec<_>>().join(" ");
    format!("{compiler}, {}{}", std::env::consts::ARCH, avx2())
}

#[cfg(target_arch = "x86_64")]
fn avx2() -> &'static str {
    if std::arch::is_x86_feature_detected!("avx2") { " with avx2" } else { " without avx2" }
}

#[cfg(not(target_arch = "x86_64"))]
fn avx2() -> &'static str {
    ""
}

/// The beginning of the line that says where the record was made.
const FROM: &str = "# recorded by: ";

fn record(counts: &[(&str, u64)]) -> String {
    let mut text = format!(
        "# Instructions of whole runs; `HEAPVIZ_BLESS=1 cargo bench --profile dev --bench instructions` writes it.\n\
         {FROM}{}\n",
        here()
    );
    for (name, count) in counts {
        let _ = writeln!(text, "{name} {count}");
    }
    text
}

fn check(counts: &[(&str, u64)], record: &str) -> io::Result<ExitCode> {
    let from = record.lines().find_map(|line| line.strip_prefix(FROM)).unwrap_or_default();
    let here = here();
    let margin = if from == here { MARGIN } else { MARGIN_ELSEWHERE };
    println!("counted with {here}, recorded with {from}: the margin is {margin} %");
    let mut code = ExitCode::SUCCESS;
    for &(name, count) in counts {
        let line = record.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
        let Some(known) = line.and_then(|line| line.parse::<u64>().ok()) else {
            println!("{name}: {count}, and no record");
            code = ExitCode::FAILURE;
            continue;
        };
        let change = (count as f64 / known as f64 - 1.0) * 100.0;
        let words = match verdict(change, margin) {
            Verdict::Fits => "",
            Verdict::TooMany => {
                code = ExitCode::FAILURE;
                ": too many; make it cheaper, or say in the commit why not and record it again"
            }
            Verdict::LowerTheRecord => ": lower the record, so that it stays won",
        };
        println!("{name}: {count} ({change:+.1} %){words}");
    }
    Ok(code)
}

fn verdict(change: f64, margin: f64) -> Verdict {
    if change > margin {
        Verdict::TooMany
    } else if change < -STALE {
        Verdict::LowerTheRecord
    } else {
        Verdict::Fits
    }
}
