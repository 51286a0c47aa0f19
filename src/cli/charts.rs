//! Makes the documents about one run: its chart, its page, its stacks. `draw` and `watch` write the
//! same ones.

use super::args::{StackArgs, ViewChoice};
use super::write::write;
use super::{
    Content, Document, DocumentKind, FlagUses, Format, Input, Message, Style, Target, Trees, style,
};
use crate::base::units::count;
use crate::draw::{self, XAxis};
use crate::export::csv;
use crate::export::json::{self, Detail};
use crate::picture::{Scene, SvgOptions, page};
use crate::profile::Profile;
use crate::profile_view::ProfileView;
use crate::report;
use crate::slice::Privacy;
use crate::tree::has_something_to_show;

/// The view and the stacks that the user asked for.
#[derive(Clone, Debug)]
pub struct Choice {
    /// The view that was asked for; `None` for the one that suits the input.
    pub view: Option<ViewChoice>,
    pub stacks: StackArgs,
}

impl Choice {
    /// What an output in a format shows of a profile: stacks if they are asked for, or if the input has
    /// nothing else.
    pub fn kind(&self, format: Format, profile: &Profile) -> DocumentKind {
        let has_only_calls = profile.no_samples().is_some() && !profile.calls.is_empty();
        // A page of bands has the call tree, too.
        let suits = self.view.is_none() && has_only_calls && !format.is_page();
        match format.is_of_stacks() || self.view == Some(ViewChoice::Flame) || suits {
            true => DocumentKind::Stacks,
            false => DocumentKind::Chart,
        }
    }
}

/// The results of the outputs of a run.
#[derive(Default)]
pub struct WrittenOutputs<'t> {
    /// The targets that were written with the chart.
    pub charts: Vec<&'t Target>,
    /// The targets that were written with stacks.
    pub stacks: Vec<&'t Target>,
    /// What the stacks are, in one line.
    pub summary: Option<String>,
    pub missing: Vec<Message>,
    pub failures: Vec<Message>,
}

/// Writes targets of a run one after the other. A failed one does not prevent the others.
pub fn write_all<'t>(
    run: &ProfileView<'_>,
    input: &Input,
    targets: impl IntoIterator<Item = &'t Target>,
    (choice, style): (&Choice, &Style),
    uses: &mut FlagUses<'_>,
) -> WrittenOutputs<'t> {
    let mut outcome = WrittenOutputs::default();
    let targets =
        targets.into_iter().map(|target| (choice.kind(target.format, run.profile()), target));
    let (stacks, charts): (Vec<_>, Vec<_>) =
        targets.partition(|(kind, _)| *kind == DocumentKind::Stacks);
    if !charts.is_empty() {
        match check(run, style) {
            Ok(()) => {
                if charts.iter().any(|(_, target)| target.format.has_figures()) {
                    run.analysis();
                }
                for (_, target) in charts {
                    uses.chart(DocumentKind::Chart, target.format, run, &style.draw);
                    match write(run, target, style) {
                        Ok(lacks) => {
                            outcome.missing.extend(style::missing(&lacks));
                            outcome.charts.push(target);
                        }
                        Err(failure) => outcome.failures.push(failure),
                    }
                }
            }
            Err(failure) => outcome.failures.push(failure),
        }
    }
    for (kind, target) in stacks {
        uses.document(kind, target.format);
        let written = Trees::new(&choice.stacks, run, target.format).and_then(|trees| {
            let lacks = write(&trees, target, style)?;
            outcome.missing.extend(style::missing(&lacks));
            outcome.summary = Some(trees.summary(input, style.draw.units));
            Ok(())
        });
        match written {
            Ok(()) => outcome.stacks.push(target),
            Err(failure) => outcome.failures.push(failure),
        }
    }
    outcome.missing.dedup();
    outcome
}

/// Whether a run has bands, and none of them was asked for.
pub fn has_no_wanted_band(run: &ProfileView<'_>) -> bool {
    let slice = run.slice();
    slice.rows().len() > 0 && !slice.rows().any(|row| slice.is_selected(row))
}

/// Refuses a run that has nothing to show in a chart or a page.
///
/// # Errors
/// An input without samples whose call tree has no amounts, one without a band that was asked for, and a date
/// that has to be left out.
pub fn check(run: &ProfileView<'_>, style: &Style) -> Result<(), Message> {
    has_something_to_show(run.slice())?;
    if has_no_wanted_band(run) {
        let bands = count(run.slice().rows().len(), "band");
        return Err(Message::error(format!("--include and --exclude leave none of its {bands}"))
            .hint("`heapviz stats -m 0 FILE` lists all bands"));
    }
    if style.draw.x == XAxis::Clock && run.slice().privacy() == Privacy::Redact {
        return Err(Message::error("--x clock shows the date, which --redact has to leave out")
            .hint("leave out one of them"));
    }
    Ok(())
}

/// The bands of a run over time.
impl Document for ProfileView<'_> {
    fn kind(&self) -> DocumentKind {
        DocumentKind::Chart
    }

    fn scene(&self, style: &Style) -> Option<Scene> {
        Some(draw::chart(self.picture(), &style.draw))
    }

    fn page(&self, style: &Style) -> Option<String> {
        if !self.has_report() {
            // Without samples, the page shows what else the input has as a picture.
            let options = SvgOptions { theme: style.theme };
            return self.scene(style).map(|scene| page(&scene, &options));
        }
        self.analysis();
        Some(report::write(self, &style.report(self)))
    }

    fn json(&self, style: &Style) -> Option<Content<'_>> {
        self.analysis();
        let identity = style.identity(self);
        Some(Content::pieces(move |out| json::write_to(self, &identity, Detail::Samples, out)))
    }

    fn csv(&self) -> Option<Content<'_>> {
        Some(Content::pieces(|out| csv::write_to(self.chart(), out)))
    }

    fn run(&self) -> Option<&ProfileView<'_>> {
        Some(self)
    }
}

/// Several runs on one page, each with the name of its tab.
pub struct Runs<'a>(pub Vec<(String, &'a ProfileView<'a>)>);

impl Document for Runs<'_> {
    fn kind(&self) -> DocumentKind {
        DocumentKind::Runs
    }

    fn page(&self, style: &Style) -> Option<String> {
        Some(style.with_runs(&self.0, report::write_runs))
    }
}
