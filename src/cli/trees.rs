//! The stacks that a flame graph or an export of stacks shows, for every verb that writes one.

use super::args::StackArgs;
use super::{Document, DocumentKind, Format, Input, Message, Style};
use crate::base::text::visible;
use crate::base::units::{UnitSystem, count};
use crate::chart::flame::{FlameChart, amount};
use crate::draw::{flame, tree_size};
use crate::input::ReadError;
use crate::picture::Scene;
use crate::profile::Profile;
use crate::profile_view::{ProfileView, VerdictChoice};
use crate::slice::Slice;
use crate::tree::{Instant, Paths, Roots, StackTree, Stacks, TreeError, Weight, of_calls, of_heap};

/// What an output shows of the stacks of a run.
pub struct Trees<'a> {
    run: &'a ProfileView<'a>,
    paths: Paths,
}

impl<'a> Trees<'a> {
    /// The stacks of a run in one format.
    ///
    /// # Errors
    /// An instant that the run does not have, and a quantity that the input does not have.
    pub fn new(
        args: &StackArgs,
        run: &'a ProfileView<'a>,
        format: Format,
    ) -> Result<Self, Message> {
        let roots = if format.is_of_stacks() { Roots::AsWritten } else { Roots::Grouped };
        let slice = run.slice();
        let stacks = match weight(args.weight, slice.profile()) {
            Weight::Live => live_at(slice, &args.at.clone().unwrap_or_default())?,
            weight @ (Weight::Time | Weight::Alloc | Weight::Entries) => {
                match of_calls(slice, weight) {
                    // In a short run, every tick can be outside the program.
                    Err(TreeError::Empty) if weight == Weight::Time && args.weight.is_none() => {
                        of_calls(slice, Weight::Alloc)?
                    }
                    found => found?,
                }
            }
        };
        Ok(Trees { run, paths: Paths::new(&stacks, roots)? })
    }

    /// Whether a band is made of more than one name.
    fn has_callers(&self) -> bool {
        let slice = self.run.slice();
        let is_deep =
            |row| slice.members(row).iter().any(|&band| slice.band(band).frames().nth(1).is_some());
        slice.rows().any(is_deep)
    }

    /// What is shown, without the place.
    pub fn summary(&self, input: &Input, units: UnitSystem) -> String {
        let paths = &self.paths;
        let (words, weight) = (&paths.subject.words, paths.subject.weight);
        let total = amount(weight, paths.total(), units);
        let mut line = format!("{}: {} {total}", visible(&input.name()), weight.name());
        if !words.is_empty() {
            line.push_str(&format!(" {}", visible(words)));
        }
        line.push_str(&format!(", {}", count(paths.by_amount().len(), "stack")));
        if weight == Weight::Live && !self.has_callers() {
            line.push_str(" of one bar: +RTS -hc records callers");
        }
        line
    }
}

impl Document for Trees<'_> {
    fn kind(&self) -> DocumentKind {
        DocumentKind::Stacks
    }

    fn scene(&self, style: &Style) -> Option<Scene> {
        let tree = StackTree::of_paths(&self.paths, tree_size(style.draw.width));
        let slice = self.run.slice();
        let shows_growth = tree.subject.weight == Weight::Live
            && self.run.options().verdict == VerdictChoice::Show
            && !slice.is_empty();
        let mut chart = FlameChart::new(slice, tree);
        if shows_growth {
            let (headline, rows) = (self.run.headline(), self.run.rows_growing());
            chart = chart.with_growth(slice, headline, (self.run.account().leak, &rows));
        }
        Some(flame(&chart, &style.draw, style.root))
    }

    fn stacks(&self) -> Option<(String, &Paths)> {
        let name = self.run.slice().metadata().job.as_deref().unwrap_or("heap profile");
        Some((visible(name), &self.paths))
    }
}

/// What is counted: what was asked for, or else the first of live heap, time and allocation that
/// the input has.
fn weight(asked: Option<Weight>, profile: &Profile) -> Weight {
    let has_samples = profile.no_samples().is_none();
    let has_ticks = profile.calls.sum_of_ticks() > 0;
    asked.unwrap_or(match (has_samples, has_ticks) {
        (true, _) => Weight::Live,
        (false, true) => Weight::Time,
        (false, false) => Weight::Alloc,
    })
}

fn live_at(slice: &Slice<'_>, instant: &Instant) -> Result<Stacks, Message> {
    if slice.profile().no_samples().is_some() {
        return Err(TreeError::Absent(Weight::Live).into());
    }
    Ok(of_heap(slice, &instant.find(slice).map_err(|error| ReadError::Decode(error.into()))?)?)
}

impl From<TreeError> for Message {
    fn from(error: TreeError) -> Self {
        Message::error(&error).hint_if(error.hint())
    }
}
