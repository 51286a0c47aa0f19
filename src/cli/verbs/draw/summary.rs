//! What is reported of a chart.

use heapviz::chart::{Chart, Clock, Layer, Role};
use heapviz::error::visible;
use heapviz::export;
use heapviz::render::MissingCharacters;
use heapviz::slice::Slice;
use heapviz::units::{UnitSystem, count, percent};

use crate::cli::message::Message;
use crate::cli::target::{Format, Input, Job, Output};

/// The line that says what was drawn; memory in `units`.
pub fn line(job: &Job, chart: &Chart, units: UnitSystem) -> String {
    let is_band = |layer: &&Layer| layer.role == Role::Band;
    let (shown, verb) = match job.format {
        Format::Hp => (chart.bands - chart.excluded.bands, "written"),
        _ => (chart.layers.iter().filter(is_band).count(), "shown"),
    };
    let mut line = format!(
        "{}: {}, {shown} of {} {verb}",
        visible(&job.input.name()),
        count(chart.times.len(), "sample"),
        count(chart.bands, "band")
    );
    if let Some(peak) = chart.peak() {
        let height = units.text(peak.total);
        let when = match chart.clock {
            Clock::Sample => format!("in sample {}", chart.number(peak.sample)),
            _ => format!("at {}", peak.time),
        };
        line.push_str(&format!(", peak {height} {when}"));
    }
    if chart.trace.bands > 0 && job.format != Format::Hp {
        let share = percent(chart.trace.total, chart.trace.grand_total);
        line.push_str(&format!(
            ", {} ({share}) left out",
            count(chart.trace.bands, "trace element")
        ));
    }
    if let Output::File(path) = &job.output {
        line.push_str(&format!(" -> {}", visible(&path.display().to_string())));
    }
    line
}

/// That a chart has no bands, which nobody asks for on purpose.
pub fn bare(input: &Input, chart: &Chart) -> Message {
    let bands = count(chart.bands, "band");
    Message::warning(format_args!("of {bands} none is drawn"))
        .about(input)
        .hint("--include, --exclude and --trace say which are")
}

/// That bands have no row of their own because all of them together would take too much memory.
pub fn crowded(input: &Input, chart: &Chart) -> Option<Message> {
    let message = chart.crowded()?.message;
    let hint = "choose some with --include, or write all of them with -f hp";
    Some(Message::warning(message).about(input).hint(hint))
}

/// That names are longer than a `.hp` can hold.
pub fn cut_names(input: &Input, slice: &Slice<'_>) -> Option<Message> {
    let cut = export::hp::cut_names(slice);
    let names = count(cut, "name");
    let text = format!("{names} cut to 4999 bytes, the most that readers of .hp take");
    (cut > 0).then(|| Message::note(text).about(input))
}

/// Which characters no font had.
pub fn missing(input: &Input, missing: &MissingCharacters) -> Message {
    let hint = format!("{} (--font FILE)", missing.hint());
    Message::warning(missing).about(input).hint(hint)
}
