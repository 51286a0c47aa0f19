//! The command line of `heapviz draw`, as the options of each stage.

use heapviz::draw::{DrawOptions, Growth, SameScale};
use heapviz::rank::RankOptions;

use crate::cli::args::given::Given;
use crate::cli::args::measure::Measure;
use crate::cli::args::paper::PaperArgs;
use crate::cli::args::picture::ViewChoice;
use crate::cli::args::stacks::StackChoice;
use crate::cli::read::Reader;
use crate::cli::target::Job;

/// What the command line asks for.
#[derive(Debug)]
pub struct Command {
    /// The jobs, each with one input and its outputs.
    pub jobs: Vec<Job>,
    /// How to read, and which part of the run.
    pub reader: Reader,
    /// Which bands.
    pub rank: RankOptions,
    /// The measure by which they are chosen, if it is not the total.
    pub measure: Option<Measure>,
    /// What a picture looks like.
    pub scene: DrawOptions,
    /// The view that was asked for; `None` for the one that suits the input.
    pub view: Option<ViewChoice>,
    /// What a flame graph shows.
    pub stacks: StackChoice,
    /// The direction in which a flame graph grows.
    pub growth: Growth,
    /// Which axes all pictures have in common.
    pub same_scale: Option<SameScale>,
    /// How it is painted.
    pub paper: PaperArgs,
    /// Which flags were given.
    pub given: Given,
    /// The address that places in a report link to.
    pub source_url: Option<String>,
    /// Whether the verdict is shown.
    pub verdict: VerdictPlace,
}

/// Whether the verdict on what grows is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VerdictPlace {
    /// On the chart if it is sure, and after drawing.
    Shown,
    /// Nowhere.
    Hidden,
}
