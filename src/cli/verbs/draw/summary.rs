//! What is reported about a chart.

use heapviz::chart::{Chart, Clock, LayerRole};
use heapviz::error::visible;
use heapviz::export;
use heapviz::render::MissingCharacters;
use heapviz::slice::Slice;
use heapviz::units::{UnitSystem, count, percent};

use crate::cli::look;
use crate::cli::message::Message;
use crate::cli::target::{Input, Output, Target};

/// What was drawn, or written with all its bands (`is_whole`), without the place; memory in
/// `units`.
pub fn line(input: &Input, chart: &Chart, is_whole: bool, units: UnitSystem) -> String {
    let (shown, verb) = match is_whole {
        true => (chart.bands - chart.excluded.bands, "written"),
        false => {
            (chart.layers.iter().filter(|layer| layer.role == LayerRole::Band).count(), "shown")
        }
    };
    let mut line = format!("{}: ", visible(&input.name()));
    line.push_str(&match chart.times.len() {
        0 => {
            let collections = chart.activity.runtime.collections.all().len();
            format!("no heap samples, {}", count(collections, "collection"))
        }
        samples => {
            let (samples, bands) = (count(samples, "sample"), count(chart.bands, "band"));
            match &chart.layers[..] {
                [layer] if layer.role == LayerRole::Other => {
                    format!("{samples}, {} of {bands} {verb}, all as OTHER", layer.members)
                }
                _ => format!("{samples}, {shown} of {bands} {verb}"),
            }
        }
    });
    if let Some(peak) = chart.peak() {
        let height = units.text(peak.total);
        let when = match chart.clock {
            Clock::Sample => format!("in sample {}", chart.number(peak.sample)),
            _ => format!("at {}", peak.time),
        };
        line.push_str(&format!(", peak {height} {when}"));
    }
    if chart.trace.bands > 0 && !is_whole {
        let share = percent(chart.trace.total, chart.trace.grand_total);
        line.push_str(&format!(
            ", {} ({share}) left out",
            count(chart.trace.bands, "trace element")
        ));
    }
    line
}

/// What a page shows of a time profile, which has no samples.
pub fn calls(input: &Input, slice: &Slice) -> String {
    let stacks = count(slice.profile().calls.nodes().len(), "cost-centre stack");
    format!("{}: no heap samples, {stacks}", visible(&input.name()))
}

/// Where the output is: ` -> heap.svg, heap.json`; nothing for standard output.
pub fn places(targets: &[&Target]) -> String {
    let files: Vec<String> = targets
        .iter()
        .filter_map(|target| match &target.output {
            Output::File(path) => Some(visible(&path.display().to_string())),
            Output::Stdout => None,
        })
        .collect();
    if files.is_empty() { String::new() } else { format!(" -> {}", files.join(", ")) }
}

/// Which of the two profiles of one run was read.
pub fn twin(log: &Input, hp: &Input, read: &Input) -> Message {
    match read == log {
        true => {
            Message::note(format_args!("{} is of the same run and is drawn instead", log.name()))
                .about(hp)
        }
        false => Message::note(format_args!(
            "no samples to draw; {} of the same run is drawn instead",
            hp.name()
        ))
        .about(log),
    }
}

/// A warning that a chart shows no bands at all.
pub fn bare(input: &Input, chart: &Chart) -> Option<Message> {
    let bands = count(chart.bands, "band");
    let message = || {
        Message::warning(format_args!("none of its {bands} is drawn"))
            .about(input)
            .hint("--include, --exclude and --trace choose the bands")
    };
    (chart.layers.is_empty() && chart.bands > 0).then(message)
}

/// A message that bands have no separate row because all together would take too much memory.
pub fn crowded(input: &Input, chart: &Chart) -> Option<Message> {
    let message = chart.crowded()?.message;
    let hint = "choose some with --include, or write all of them with -f hp";
    Some(Message::warning(message).about(input).hint(hint))
}

/// A message that names are longer than a `.hp` allows.
pub fn cut_names(input: &Input, slice: &Slice<'_>) -> Option<Message> {
    let cut = export::hp::cut_names(slice);
    let names = count(cut, "name");
    let text = format!("{names} cut to 4999 bytes, the most that readers of .hp take");
    (cut > 0).then(|| Message::note(text).about(input))
}

/// A message on characters that no font has, if any.
pub fn missing(input: &Input, missing: &MissingCharacters) -> Option<Message> {
    look::missing(missing).map(|message| message.about(input))
}
