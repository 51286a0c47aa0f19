//! The flags about results: where they go, and how much is printed besides them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use clap::Args;

use super::{ReadingArgs, SliceArgs, UnitArgs};
use crate::cli::{InputReader, Sources, Voice};
use crate::slice::Privacy;

/// Whether results are shown at once.
#[derive(Debug, Args)]
#[command(next_help_heading = "Output")]
pub struct OpenArgs {
    /// Open pictures and pages in the default program of the system, and print their addresses
    #[arg(long, hide_short_help = true)]
    pub open: bool,
}

/// Where figures go, and what they are about.
#[derive(Debug, Args)]
pub struct FigureArgs {
    /// Where to write the result; the extension chooses the format [default: standard output]
    ///
    /// `-` is standard output. Can be given several times.
    #[arg(short, long, value_name = "FILE")]
    pub output: Vec<PathBuf>,

    #[command(flatten)]
    pub units: UnitArgs,

    #[command(flatten)]
    pub slice: SliceArgs,

    #[command(flatten)]
    voice: Voice,

    #[command(flatten)]
    reading: ReadingArgs,
}

impl FigureArgs {
    pub fn reader(&self) -> InputReader {
        InputReader {
            input: self.reading.options(),
            strict: self.reading.strict,
            privacy: self.slice.privacy(),
            voice: self.voice,
            instead: &[],
        }
    }
}

/// What distinguishes a run from others.
#[derive(Debug, Args)]
#[command(next_help_heading = "Output")]
pub struct LabelArgs {
    /// Label that distinguishes this run from others in JSON and tidy tables, such as
    /// commit=1a2b3c; the label `run` names it in a tidy table. Can be given several times
    /// [default: `commit`, `ref` and `run_id` in GitHub Actions, unless --redact is given]
    #[arg(long, value_name = "KEY=VALUE", value_parser = label, hide_short_help = true)]
    label: Vec<(String, String)>,
}

fn label(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((key, value)) if !key.trim().is_empty() => {
            Ok((key.trim().to_owned(), value.to_owned()))
        }
        _ => Err("expected KEY=VALUE, such as commit=1a2b3c".to_owned()),
    }
}

impl LabelArgs {
    /// The given labels by their keys, and those that an environment provides. The latter are left out of
    /// redacted documents: the name of a branch can contain the name of a person.
    pub fn labels(&self, privacy: Privacy) -> BTreeMap<String, String> {
        const OF_ACTIONS: [(&str, &str); 3] =
            [("commit", "GITHUB_SHA"), ("ref", "GITHUB_REF"), ("run_id", "GITHUB_RUN_ID")];
        let variable = |name: &str| std::env::var(name).ok();
        let is_in_actions = variable("GITHUB_ACTIONS").as_deref() == Some("true");
        let mut labels = BTreeMap::new();
        if is_in_actions && privacy == Privacy::Show {
            labels.extend(OF_ACTIONS.into_iter().filter_map(|(key, name)| {
                let value = variable(name).filter(|value| !value.is_empty())?;
                Some((key.to_owned(), value))
            }));
        }
        labels.extend(self.label.iter().cloned());
        labels
    }
}

/// Where lines of source are looked for.
#[derive(Debug, Args)]
#[command(next_help_heading = "Output")]
pub struct SourceLineArgs {
    /// Show the line of source next to each place, read from this folder [default: the current
    /// folder and those of the inputs; none with --redact]
    #[arg(long, value_name = "DIR")]
    source: Option<PathBuf>,
}

impl SourceLineArgs {
    /// Where the sources of these files are.
    ///
    /// # Errors
    /// A folder that does not exist, or is named where nothing is to be shown.
    pub fn sources(&self, privacy: Privacy, files: &[PathBuf]) -> Result<Sources, String> {
        match (&self.source, privacy) {
            (Some(folder), _) => named_sources(folder, privacy),
            (None, Privacy::Redact) => Ok(Sources::default()),
            (None, Privacy::Show) => {
                let folders = files.iter().filter_map(|file| file.parent());
                Ok(Sources::new(None, std::iter::once(Path::new(".")).chain(folders)))
            }
        }
    }
}

/// Where to find lines of source for documents that may be passed on: these contain none unless
/// somebody asks for them.
#[derive(Debug, Args)]
pub struct PageSourceArgs {
    /// For HTML and text: show the line of source next to each place, read from this folder
    #[arg(long, value_name = "DIR", hide_short_help = true)]
    source: Option<PathBuf>,
}

impl PageSourceArgs {
    /// Where the sources are.
    ///
    /// # Errors
    /// A folder that does not exist, or is named where nothing is to be shown.
    pub fn sources(&self, privacy: Privacy) -> Result<Sources, String> {
        let named = self.source.as_deref().map(|folder| named_sources(folder, privacy));
        named.unwrap_or_else(|| Ok(Sources::default()))
    }
}

fn named_sources(folder: &Path, privacy: Privacy) -> Result<Sources, String> {
    match privacy {
        Privacy::Redact => {
            Err("--source shows lines of the program's source, which --redact has to \
                            leave out"
                .to_owned())
        }
        Privacy::Show if !folder.is_dir() => {
            Err(format!("--source: {} is not a folder", folder.display()))
        }
        Privacy::Show => Ok(Sources::new(Some(folder), [])),
    }
}
