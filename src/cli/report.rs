//! What is told on standard error.

use std::fmt::Display;
use std::io::Write;

use heapviz::chart::{Chart, Clock, Role};
use heapviz::error::visible;
use heapviz::incident::Incidents;
use heapviz::profile::Advice;
use heapviz::render::MissingCharacters;
use heapviz::units::{Bytes, count, percent};

use super::limits;
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

/// Prints what was odd about an input: one line that sums up what is lost, and what that line does
/// not say.
pub fn warn(input: &Input, losses: Option<&str>, incidents: &Incidents) {
    if let Some(losses) = losses {
        say(format_args!("warning: {}: {losses}", name(input)));
    }
    for warning in incidents.warnings_beside_summary() {
        say(format_args!("warning: {}: {}", name(input), visible(&warning.message)));
        if let Some(limit) = warning.limit {
            say(format_args!("  hint: {}", limits::hint(limit)));
        }
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
