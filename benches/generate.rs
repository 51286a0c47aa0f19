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
}

#[derive(Subcommand)]
enum Format {
    /// A .hp file.
    Hp {
        #[command(flatten)]
        shape: Shape,
        /// Where to; standard output without it.
        #[arg(short, long)]
        output: Option<PathBuf>,
    },
    /// An event log.
    Eventlog {
        #[command(flatten)]
        shape: Shape,
        #[command(flatten)]
        log: LogShape,
        /// Where to; standard output without it.
        #[arg(short, long)]
        output: Option<PathBuf>,
    },
    /// A report (.prof) of as many stacks as there are bands.
    Prof {
        #[command(flatten)]
        shape: Shape,
        #[command(flatten)]
        log: LogShape,
        /// Where to; standard output without it.
        #[arg(short, long)]
        output: Option<PathBuf>,
    },
}

fn main() -> io::Result<()> {
    match Args::parse().format {
        Format::Hp { shape, output } => write_hp(&shape, target(output.as_deref())?),
        Format::Eventlog { shape, log, output } => {
            write_eventlog(&shape, &log, target(output.as_deref())?)
        }
        Format::Prof { shape, log, output } => write_prof(&shape, &log, target(output.as_deref())?),
    }
}

fn target(output: Option<&Path>) -> io::Result<Box<dyn Write>> {
    let target: Box<dyn Write> = match output {
        Some(path) => Box::new(File::create(path)?),
        None => Box::new(io::stdout().lock()),
    };
    Ok(Box::new(BufWriter::with_capacity(1 << 20, target)))
}
