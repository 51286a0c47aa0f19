//! What is told on standard error.

use std::fmt::Display;
use std::io::Write;

use heapviz::chart::{Chart, Clock, Role};
use heapviz::error::{Warning, visible};
use heapviz::profile::{Advice, RunPlace};
use heapviz::render::MissingCharacters;
use heapviz::units::{Bytes, count, percent};

use super::target::{Input, Output};

/// The name of an input for messages.
pub fn name(input: &Input) -> String {
    match input {
        Input::Stdin => "standard input".to_owned(),
        Input::File(path) => visible(&path.display().to_string()),
    }
}

/// The line that tells what was drawn.
pub fn summary(input: &Input, output: &Output, chart: &Chart) -> String {
    let shown = chart.layers.iter().filter(|layer| layer.role == Role::Band).count();
    let mut line = format!(
        "{}: {}, {shown} of {} shown",
        name(input),
        count(chart.times.len(), "sample"),
        count(chart.bands, "band")
    );
    if let Some(peak) = chart.peak() {
        let height = Bytes::new(u64::try_from(peak.total).unwrap_or(u64::MAX));
        let when = match chart.clock {
            Clock::Sample => format!("in sample {}", peak.sample + 1),
            Clock::Elapsed | Clock::Mutator => format!("at {}", peak.time),
        };
        line.push_str(&format!(", peak {height} {when}"));
    }
    if chart.trace.bands > 0 {
        let share = percent(chart.trace.total, chart.trace.grand_total);
        line.push_str(&format!(
            ", {} ({share}) left out",
            count(chart.trace.bands, "trace element")
        ));
    }
    if let Output::File(path) = output {
        line.push_str(&format!(" -> {}", visible(&path.display().to_string())));
    }
    line
}

/// Prints a line to standard error. That nobody listens is no error.
pub fn say(line: impl Display) {
    let _ = writeln!(std::io::stderr(), "{line}");
}

/// Prints what was odd about an input.
pub fn warn(input: &Input, warnings: &[Warning]) {
    for warning in warnings {
        say(format_args!("warning: {}: {}", name(input), visible(&warning.message)));
    }
}

/// Prints what of an input is lost.
pub fn losses(input: &Input, losses: Option<&str>) {
    if let Some(losses) = losses {
        say(format_args!("warning: {}: {losses}", name(input)));
    }
}

/// Prints which of several runs was drawn.
pub fn run(input: &Input, run: RunPlace) {
    if run.of > 1 {
        let RunPlace { number, of } = run;
        say(format_args!("warning: {}: it holds {of} runs; this is run {number}", name(input)));
        say("  hint: --run N draws another");
    }
}

/// Prints what would show more.
pub fn advise(input: &Input, advice: &[Advice]) {
    for advice in advice {
        say(format_args!("hint: {}: {advice}", name(input)));
    }
}

/// Prints that a chart has no bands, which nobody asks for on purpose.
pub fn bare(input: &Input, chart: &Chart) {
    if chart.layers.is_empty() && chart.bands > 0 {
        let bands = count(chart.bands, "band");
        say(format_args!("warning: {}: of {bands} none is drawn", name(input)));
        say("  hint: --include, --exclude and --trace say which are");
    }
}

/// Prints which characters no font had.
pub fn missing(input: &Input, missing: &MissingCharacters) {
    if !missing.is_empty() {
        say(format_args!("warning: {}: {missing}", name(input)));
        say(format_args!("  hint: {}", missing.hint()));
    }
}

/// Prints why an input was not drawn, and the way out.
pub fn fail(input: Option<&Input>, error: &str, hint: Option<&str>) {
    match input {
        Some(input) => say(format_args!("error: {}: {}", name(input), visible(error))),
        None => say(format_args!("error: {}", visible(error))),
    }
    if let Some(hint) = hint {
        say(format_args!("  hint: {hint}"));
    }
}
