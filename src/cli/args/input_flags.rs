//! The flags about inputs: how they are read, and which part of them is shown.

use std::num::NonZeroUsize;

use clap::Args;

use crate::base::units::Bytes;
use crate::incident::Limit;
use crate::input::InputOptions;
use crate::profile::{KeptSamples, Limits, RunChoice, Source};
use crate::slice::{Grouping, Privacy, Selection, SliceOptions, Window};

#[derive(Debug, Args)]
#[command(next_help_heading = "Input")]
pub struct ReadingArgs {
    #[command(flatten)]
    format: SourceArgs,

    /// Which run to read when a file holds several (appended logs do); 1 is the first [default: the
    /// last with samples]
    #[arg(long, value_name = "N", hide_short_help = true)]
    run: Option<NonZeroUsize>,

    /// Refuse an input that is damaged or incomplete, and exit with 1
    #[arg(long, hide_short_help = true)]
    pub strict: bool,
}

/// The format of an input, and how much of it is kept.
#[derive(Debug, Args)]
#[command(next_help_heading = "Input")]
pub struct SourceArgs {
    /// Read the inputs as .hp files, without looking at their content
    #[arg(long, conflicts_with = "eventlog", hide_short_help = true)]
    hp: bool,

    /// Read the inputs as event logs, without looking at their content
    #[arg(long, hide_short_help = true)]
    eventlog: bool,

    /// Keep the samples of an event log that are otherwise left out as impossible
    #[arg(long, hide_short_help = true)]
    all_samples: bool,

    /// Keep more or less of an input: bands, cost-centres, info-tables, markers, heap-points,
    /// call-nodes, ticks, runtime-events, text or texts (docs/reference.md). Real profiles stay far below
    /// the limits. Can be given several times
    #[arg(long, value_name = "NAME=N", value_parser = limit, hide_short_help = true)]
    limit: Vec<(LimitPlace, usize)>,
}

type LimitPlace = fn(&mut Limits) -> &mut usize;

/// The limits by name, each with its place.
const LIMITS: [(&str, Limit, LimitPlace); 10] = [
    ("bands", Limit::Bands, |limits| &mut limits.bands),
    ("cost-centres", Limit::CostCentres, |limits| &mut limits.cost_centres),
    ("info-tables", Limit::InfoTables, |limits| &mut limits.info_tables),
    ("markers", Limit::Markers, |limits| &mut limits.markers),
    ("heap-points", Limit::HeapPoints, |limits| &mut limits.heap_points),
    ("call-nodes", Limit::CallNodes, |limits| &mut limits.call_nodes),
    ("ticks", Limit::Ticks, |limits| &mut limits.ticks),
    ("runtime-events", Limit::RuntimeEvents, |limits| &mut limits.runtime_events),
    ("text", Limit::Text, |limits| &mut limits.text),
    ("texts", Limit::AllTexts, |limits| &mut limits.all_texts),
];

pub fn hint(limit: Limit) -> String {
    let name = LIMITS.iter().find(|(_, known, _)| *known == limit).map_or("", |(name, ..)| name);
    let real = if limit == Limit::Bands { "if it is a real profile, " } else { "" };
    format!("{real}--limit {name}=N allows more")
}

fn limit(text: &str) -> Result<(LimitPlace, usize), String> {
    let known = || LIMITS.map(|(name, ..)| name).join(", ");
    let (name, number) =
        text.split_once('=').ok_or_else(|| "expected NAME=N, such as bands=5000".to_owned())?;
    let (_, limit, place) = LIMITS
        .into_iter()
        .find(|(known, ..)| *known == name)
        .ok_or_else(|| format!("`{name}` is not one of {}", known()))?;
    let number = if matches!(limit, Limit::Text | Limit::AllTexts) {
        let bytes: Bytes = number.parse().map_err(|error| format!("{error}"))?;
        usize::try_from(bytes.get()).unwrap_or(usize::MAX)
    } else {
        number.parse().map_err(|_| "expected a whole number after `=`".to_owned())?
    };
    Ok((place, number))
}

impl SourceArgs {
    /// The format, if it was given.
    pub fn source(&self) -> Option<Source> {
        let eventlog = self.eventlog.then_some(Source::Eventlog);
        self.hp.then_some(Source::Hp).or(eventlog)
    }

    pub fn limits(&self) -> Limits {
        let mut limits = Limits::default();
        if self.all_samples {
            limits.samples = KeptSamples::All;
        }
        for (place, number) in &self.limit {
            *place(&mut limits) = *number;
        }
        limits
    }
}

impl ReadingArgs {
    pub fn options(&self) -> InputOptions {
        InputOptions {
            format: self.format.source(),
            run: self.run.map_or(RunChoice::Last, RunChoice::Number),
            limits: self.format.limits(),
        }
    }
}

/// What is shown of a profile: a part of the run, some of its bands, and how much of its origin.
#[derive(Debug, Args)]
#[command(next_help_heading = "Part")]
pub struct SliceArgs {
    #[command(flatten)]
    window: Window,

    /// Make the result fit to be shown to strangers
    ///
    /// Leaves out the command line, the date, folders outside the project, hosts and e-mail addresses.
    #[arg(long)]
    redact: bool,

    #[command(flatten)]
    selection: Selection,

    /// Combine bands by package, module, cost-centre, type or retainers; none keeps the bands of the file
    /// [default: retainers for -hr, else none]
    #[arg(long, value_name = "HOW", hide_short_help = true)]
    group: Option<Grouping>,
}

impl SliceArgs {
    pub fn options(&self) -> SliceOptions {
        SliceOptions {
            window: self.window.clone(),
            selection: self.selection.clone(),
            grouping: self.group.unwrap_or_default(),
            privacy: self.privacy(),
        }
    }

    pub fn privacy(&self) -> Privacy {
        if self.redact { Privacy::Redact } else { Privacy::Show }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_limit_has_a_name() {
        for limit in Limit::ALL {
            assert!(LIMITS.iter().any(|(_, known, _)| *known == limit), "{limit:?}");
        }
        let mut limits = Limits::default();
        for text in ["bands=7", "texts=2M"] {
            let (place, number) = limit(text).unwrap();
            *place(&mut limits) = number;
        }
        assert_eq!((limits.bands, limits.all_texts), (7, 2 << 20));
        for wrong in ["bands", "bands=", "bands=x", "ink=3", "text=-1"] {
            assert!(limit(wrong).is_err(), "{wrong}");
        }
    }
}
