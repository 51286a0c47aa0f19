//! Flame graphs, and the exports of the same trees.

use heapviz::chart::flame::{FlameChart, amount};
use heapviz::draw::{DrawOptions, FlameOptions, flame};
use heapviz::error::visible;
use heapviz::export;
use heapviz::profile::Profile;
use heapviz::render::Rendered;
use heapviz::slice::Slice;
use heapviz::tree::{
    Instant, Paths, Roots, StackTree, Stacks, TreeError, TreeSize, Weight, of_calls,
};
use heapviz::units::{UnitSystem, count};

use super::command::Command;
use crate::cli::args::picture::ViewChoice;
use crate::cli::args::stacks::At;
use crate::cli::failure::Failure;
use crate::cli::picture::{self, Look};
use crate::cli::stacks::{live_at, weight};
use crate::cli::target::{Format, Input};

/// Whether an output is about stacks: it asks for them, or its input has nothing else.
pub fn are_wanted(view: Option<ViewChoice>, format: Format, profile: &Profile) -> bool {
    let has_only_calls = profile.no_samples().is_some() && !profile.calls.is_empty();
    // A page of bands has the call tree, too.
    let has_picture = format != Format::Html;
    format.is_of_stacks()
        || view == Some(ViewChoice::Flame)
        || (view.is_none() && has_only_calls && has_picture)
}

/// What an output shows of the stacks.
pub struct Trees<'a> {
    command: &'a Command,
    slice: &'a Slice<'a>,
    /// The paths of each instant, with its name.
    paths: Vec<(String, Paths)>,
}

impl<'a> Trees<'a> {
    /// The stacks that an output is about.
    ///
    /// # Errors
    /// An instant that the run does not have, a quantity that the input does not have.
    pub fn of(command: &'a Command, slice: &'a Slice<'a>, format: Format) -> Result<Self, Failure> {
        let mut options = command.stacks.tree.clone();
        if format.is_of_stacks() {
            options.roots = Roots::AsWritten;
        }
        let mut stacks = Vec::new();
        match weight(command.stacks.weight, slice.profile()) {
            Weight::Live => {
                for at in &command.stacks.instants {
                    live(slice, at, format, &mut stacks)?;
                }
            }
            weight => {
                let pseudo = command.stacks.pseudo;
                let was_asked = command.stacks.weight.is_some();
                stacks.push(match of_calls(slice, weight, pseudo) {
                    // In a short run, every tick can be outside the program.
                    Err(TreeError::Empty) if weight == Weight::Time && !was_asked => {
                        of_calls(slice, Weight::Alloc, pseudo)?
                    }
                    found => found?,
                });
            }
        }
        if stacks.len() > 1 && format != Format::Speedscope {
            return Err(Failure::new(
                "--at was given several times, and a flame graph shows one instant",
            )
            .hint("-f speedscope takes several; --at A..B draws the difference of two"));
        }
        let paths =
            |stacks: &Stacks| Ok((stacks.subject.words.clone(), Paths::of(stacks, &options)?));
        let paths = stacks.iter().map(paths).collect::<Result<_, TreeError>>()?;
        Ok(Trees { command, slice, paths })
    }

    /// The bytes of an output.
    pub fn render(&self, format: Format, look: &Look<'_>) -> Result<Rendered, Failure> {
        let (_, paths) = &self.paths[0];
        Ok(match format {
            Format::Folded => export::folded::write(paths).into_bytes().into(),
            Format::Pprof => export::pprof::write(paths).into(),
            Format::Json => {
                let tree = StackTree::of_paths(paths, TreeSize::default());
                export::tree::write(&tree).into_bytes().into()
            }
            Format::Speedscope => {
                let name = self.slice.metadata().job.as_deref().unwrap_or("heap profile");
                export::speedscope::write(&visible(name), &self.paths).into_bytes().into()
            }
            Format::Csv | Format::Hp => {
                return Err(Failure::new("a flame graph cannot be written in this format")
                    .hint("use .svg, .png, .pdf, .html, .json, or -f folded, speedscope, pprof"));
            }
            format => {
                let options = self.options();
                let tree = StackTree::of_paths(paths, options.tree_size());
                let chart = FlameChart::of(self.slice, tree);
                picture::render(&flame(&chart, &options), format, look)?
            }
        })
    }

    fn options(&self) -> FlameOptions {
        let DrawOptions { width, units, heading, palette, .. } = self.command.scene.clone();
        let mut options = FlameOptions::default();
        (options.width, options.units) = (width, units);
        (options.heading, options.palette) = (heading, palette);
        options.growth = self.command.growth;
        options
    }

    /// What was drawn, without the place.
    pub fn summary(&self, input: &Input, units: UnitSystem) -> String {
        let (_, paths) = &self.paths[0];
        let words = &paths.subject.words;
        let weight = paths.subject.weight;
        let total = amount(weight, paths.total().now, units);
        let mut line = format!("{}: {} {total}", visible(&input.name()), weight.name());
        if !words.is_empty() {
            line.push_str(&format!(" {}", visible(words)));
        }
        line.push_str(&format!(", {}", count(paths.by_amount().len(), "stack")));
        line
    }
}

/// The live heap at an instant. For a difference, formats that cannot express one get both
/// instants.
fn live(
    slice: &Slice<'_>,
    at: &At,
    format: Format,
    stacks: &mut Vec<Stacks>,
) -> Result<(), Failure> {
    let one = |instant: &Instant| live_at(slice, instant);
    match at {
        At::One(instant) => stacks.push(one(instant)?),
        At::Difference(before, now) if format == Format::Speedscope => {
            stacks.extend([one(before)?, one(now)?]);
        }
        At::Difference(before, now) => {
            stacks.push(Stacks::difference(&one(before)?, &one(now)?));
        }
    }
    Ok(())
}
