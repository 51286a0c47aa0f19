//! What the verbs that write figures have in common: where the result goes, in which units, and how
//! their inputs are read.

use std::path::PathBuf;

use clap::Args;
use heapviz::slice::SliceOptions;
use heapviz::units::UnitSystem;

use super::reading::{LossPolicy, ReadingArgs};
use super::slice::SliceArgs;
use super::units::UnitArgs;
use super::voice::VoiceArgs;
use crate::cli::read::Reader;
use crate::cli::target::{Target, TextFormat, text_targets};
use crate::cli::verb::UsageError;

/// Where figures go, and what they are about.
#[derive(Debug, Args)]
pub struct FigureArgs {
    /// Where to write the result; its extension chooses the format. Can be given several times. Without it,
    /// and for `-`, to standard output
    #[arg(short, long, value_name = "FILE")]
    output: Vec<PathBuf>,

    #[command(flatten)]
    units: UnitArgs,

    #[command(flatten)]
    slice: SliceArgs,

    #[command(flatten)]
    voice: VoiceArgs,

    #[command(flatten)]
    reading: ReadingArgs,
}

impl FigureArgs {
    /// How inputs are read.
    pub fn reader(&self) -> Reader {
        Reader::new(&self.reading, &self.slice, self.voice.voice())
    }

    /// Where the result goes, and in which format.
    ///
    /// # Errors An ending without a known format, and a place that is named twice.
    pub fn targets<F: TextFormat>(
        &self,
        format: Option<F>,
        usual: F,
    ) -> Result<Vec<Target<F>>, UsageError> {
        text_targets(&self.output, format, usual).map_err(UsageError)
    }

    /// Where the result goes, as it was written.
    pub fn outputs(&self) -> &[PathBuf] {
        &self.output
    }

    /// The units of memory.
    pub fn units(&self) -> UnitSystem {
        self.units.units()
    }

    /// Which part of the inputs is shown.
    pub fn slice(&self) -> SliceOptions {
        self.slice.options()
    }

    /// What happens to an input from which something is lost.
    pub fn losses(&self) -> LossPolicy {
        self.reading.losses()
    }
}
