//! The flags about results: where they go, and how much is printed besides them.

use std::path::{Path, PathBuf};

use clap::Args;

use super::input::{ReadingArgs, SliceArgs};
use super::picture::UnitArgs;
use crate::base::units::UnitSystem;
use crate::cli::formats::{Format, Kind};
use crate::cli::look::Look;
use crate::cli::message::Voice;
use crate::cli::read::Reader;
use crate::cli::source::Sources;
use crate::cli::target::{Target, targets};
use crate::cli::verb::UsageError;
use crate::slice::{Privacy, SliceOptions};

/// How much the command reports of what it did.
#[derive(Debug, Args)]
#[command(next_help_heading = "Messages")]
pub struct VoiceArgs {
    /// Print errors only
    #[arg(short, long)]
    quiet: bool,
}

impl VoiceArgs {
    /// How much the command reports of what it did.
    pub fn voice(&self) -> Voice {
        if self.quiet { Voice::Quiet } else { Voice::Normal }
    }
}

/// Whether results are shown at once.
#[derive(Debug, Args)]
pub struct OpenArgs {
    /// Open pictures and pages in the program that the system has for them, and print their addresses
    #[arg(long)]
    open: bool,
}

impl OpenArgs {
    /// Sets what is done with what was written.
    pub fn on(&self, look: &mut Look) {
        look.opens = self.open;
    }
}

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
        Reader {
            input: self.reading.options(),
            losses: self.reading.losses(),
            privacy: self.slice.options().privacy,
            voice: self.voice.voice(),
            instead: &[],
        }
    }

    /// Where the result goes, and in which format.
    ///
    /// # Errors An ending without a known format, and a place that is named twice.
    pub fn targets(
        &self,
        format: Option<Format>,
        usual: Format,
        kinds: &'static [Kind],
    ) -> Result<Vec<Target>, UsageError> {
        targets(&self.output, format, usual, kinds).map_err(UsageError)
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
}

/// Where lines of source are looked for.
#[derive(Debug, Args)]
pub struct SourceLineArgs {
    /// Show lines of source from this folder beside their places [default: the current folder and those
    /// of the inputs; nothing with --redact]
    #[arg(long, value_name = "DIR")]
    source: Option<PathBuf>,
}

impl SourceLineArgs {
    /// Where the sources of these files are.
    ///
    /// # Errors
    /// A folder that does not exist, or is named where nothing is to be shown.
    pub fn sources(&self, privacy: Privacy, files: &[PathBuf]) -> Result<Sources, UsageError> {
        match (&self.source, privacy) {
            (Some(folder), Privacy::Show) if !folder.is_dir() => {
                Err(UsageError(format!("--source: {} is not a folder", folder.display())))
            }
            (Some(_), Privacy::Redact) => {
                Err(UsageError("--source shows lines of source, and --redact no origin".to_owned()))
            }
            (None, Privacy::Redact) => Ok(Sources::default()),
            (_, Privacy::Show) => {
                let folders = files.iter().filter_map(|file| file.parent());
                let usual = std::iter::once(Path::new(".")).chain(folders);
                Ok(Sources::of(self.source.as_deref(), usual))
            }
        }
    }
}
