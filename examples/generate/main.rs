//! Writes a profile of any shape: `cargo run --release --example generate -- --help`.

mod generator;

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use clap::{Parser, Subcommand};

use generator::{LogShape, Shape, write_eventlog, write_hp, write_prof};

/// Writes a valid profile of any shape. The same options give the same bytes.
#[derive(Parser)]
#[command(name = "generate")]
struct Args {
    #[command(subcommand)]
    format: Format,
    /// The output file; standard output by default.
    #[arg(short, long, global = true)]
    output: Option<PathBuf>,
}

#[derive(Subcommand)]
enum Format {
    /// A .hp file.
    Hp {
        #[command(flatten)]
        shape: Shape,
    },
    /// An event log.
    Eventlog {
        #[command(flatten)]
        shape: Shape,
        #[command(flatten)]
        log: LogShape,
    },
    /// A report (.prof) with as many stacks as there are bands.
    Prof {
        #[command(flatten)]
        shape: Shape,
        #[command(flatten)]
        log: LogShape,
    },
}

fn main() -> io::Result<()> {
    let Args { format, output } = Args::parse();
    let target = target(output.as_deref())?;
    match format {
        Format::Hp { shape } => write_hp(&shape, target),
        Format::Eventlog { shape, log } => write_eventlog(&shape, &log, target),
        Format::Prof { shape, log } => write_prof(&shape, &log, target),
    }
}

fn target(output: Option<&Path>) -> io::Result<Box<dyn Write>> {
    let target: Box<dyn Write> = match output {
        Some(path) => Box::new(File::create(path)?),
        None => Box::new(io::stdout().lock()),
    };
    Ok(Box::new(BufWriter::with_capacity(1 << 20, target)))
}
