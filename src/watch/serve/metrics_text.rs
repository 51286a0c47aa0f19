//! The text that databases of metrics read: version 0.0.4 of the format of Prometheus. Figures of the
//! run-time system have the names and labels of eventlog-live, so that its dashboards show them.

use std::fmt::Display;

use super::families::ServedFigures;
use crate::analysis::Leak;
use crate::analysis::metric::Unit;
use crate::profile::HeapSeriesKind;

/// What the text is called in an answer.
pub const CONTENT_TYPE: &str = "text/plain; version=0.0.4; charset=utf-8";

/// A source as it is at one moment.
pub struct SourceMetrics<'a> {
    /// Whether it is connected to a program that runs.
    pub up: bool,
    /// Seconds since the newest sample of the figures came.
    pub age: Option<f64>,
    /// How many samples the run has taken.
    pub samples: u64,
    /// What is known from its log; `None` before anything is.
    pub figures: Option<&'a ServedFigures>,
}

pub fn write(seen: &SourceMetrics<'_>) -> String {
    let mut text = MetricsText(String::new());
    if let Some(figures) = seen.figures {
        write_bands_and_verdict(figures, &mut text);
    }
    let up = Some(u8::from(seen.up));
    text.value(
        "heapviz_source_up",
        "Whether the source is connected and its run has not ended.",
        up,
    );
    text.value("heapviz_sample_age_seconds", "The time since the newest sample arrived.", seen.age);
    if let Some(figures) = seen.figures {
        let lost = &figures.losses;
        for (name, help, count) in [
            ("heapviz_samples_total", "The samples of the run.", seen.samples),
            ("heapviz_lost_samples", "Samples that could not be read.", lost.samples as u64),
            (
                "heapviz_lost_values",
                "Values of single bands that could not be read.",
                lost.values as u64,
            ),
            ("heapviz_lost_bytes", "Bytes of the input that could not be read.", lost.bytes),
            (
                "heapviz_lost_statements",
                "Statements of a .hp that make no sense.",
                lost.statements as u64,
            ),
        ] {
            text.value(name, help, Some(count));
        }
        for &figure in HeapSeriesKind::ALL {
            let (name, help) = figure.row().served;
            let level = figures.heap.iter().find(|level| level.0 == figure);
            text.value(name, help, level.map(|level| level.1));
        }
    }
    text.0
}

fn write_bands_and_verdict(figures: &ServedFigures, text: &mut MetricsText) {
    let breakdown = ("heapProfBreakdown", figures.breakdown);
    let bands = figures.bands.iter();
    text.family(
        "ghc_eventlog_HeapProfSample_bytes",
        "The newest sample of the heap profile, by band.",
        bands.map(|(name, bytes)| ([breakdown, ("heapProfLabel", name)], bytes)),
    );
    let memory = figures.memory;
    let (name, help) =
        ("ghc_eventlog_MemCurrent", "Megablocks held when memory was last given back.");
    text.value(name, help, memory.map(|memory| memory.held));
    let (name, help) = ("ghc_eventlog_MemNeeded", "Megablocks still needed at that time.");
    text.value(name, help, memory.map(|memory| memory.needed));
    let (name, help) = ("ghc_eventlog_MemReturned", "Megablocks given back at that time.");
    text.value(name, help, memory.map(|memory| memory.returned));
    let grades = [Leak::Unknown.id()].into_iter().chain(Unit::Grade.names());
    text.family(
        "heapviz_leak",
        "The verdict: 1 for its grade, 0 for the others. A running program has no likely leak.",
        grades.map(|grade| ([("grade", grade)], u8::from(figures.leak.id() == grade))),
    );
    let growth = figures.growth.iter().filter(|(_, rate)| rate.is_finite());
    text.family(
        "heapviz_band_growth_bytes_per_second",
        "How fast the bands grow that the verdict names.",
        growth.map(|(name, rate)| ([("heapProfLabel", name.as_str())], rate)),
    );
    text.value(
        "heapviz_allocation_kept_ratio",
        "The share of what was allocated while they grew that stays in them.",
        figures.kept.filter(|kept| kept.is_finite()),
    );
}

struct MetricsText(String);

impl MetricsText {
    /// Adds a family, which is some series with one name: with the names and values of their labels, and their own
    /// values. If they are counters, the name ends with `_total`.
    fn family<'a, const N: usize, V: Display>(
        &mut self,
        name: &str,
        help: &str,
        series: impl IntoIterator<Item = ([(&'a str, &'a str); N], V)>,
    ) {
        let escaped =
            |value: &str| value.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
        let mut series = series.into_iter().peekable();
        if series.peek().is_some() {
            let kind = if name.ends_with("_total") { "counter" } else { "gauge" };
            self.0.push_str(&format!("# HELP {name} {help}\n# TYPE {name} {kind}\n"));
        }
        for (labels, value) in series {
            // A label without a value means the same as no label.
            let labels: Vec<String> = labels
                .iter()
                .filter(|(_, value)| !value.is_empty())
                .map(|(name, value)| format!("{name}=\"{}\"", escaped(value)))
                .collect();
            let labels = labels.join(",");
            let labels = if labels.is_empty() { labels } else { format!("{{{labels}}}") };
            self.0.push_str(&format!("{name}{labels} {value}\n"));
        }
    }

    /// Adds a family of one series, if there is a value.
    fn value(&mut self, name: &str, help: &str, value: Option<impl Display>) {
        self.family(name, help, value.map(|value| ([], value)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::incident::Losses;

    #[test]
    fn labels_are_escaped_and_counters_are_known_by_their_names() {
        let figures = ServedFigures {
            breakdown: "-hT",
            bands: vec![("a\\\"\nb".to_owned(), 7)],
            heap: vec![(HeapSeriesKind::Allocated, 9)],
            memory: None,
            leak: Leak::None,
            growth: Vec::new(),
            kept: None,
            losses: Losses::default(),
        };
        let seen = SourceMetrics { up: true, age: Some(0.5), samples: 0, figures: Some(&figures) };
        let text = write(&seen);
        for lines in [
            "# TYPE ghc_eventlog_HeapProfSample_bytes gauge\n\
             ghc_eventlog_HeapProfSample_bytes{heapProfBreakdown=\"-hT\",heapProfLabel=\"a\\\\\\\"\\nb\"} 7\n",
            "# TYPE ghc_eventlog_HeapAllocated_bytes_total counter\nghc_eventlog_HeapAllocated_bytes_total 9\n",
            "# TYPE heapviz_source_up gauge\nheapviz_source_up 1\n",
            "# TYPE heapviz_sample_age_seconds gauge\nheapviz_sample_age_seconds 0.5\n",
        ] {
            assert!(text.contains(lines), "{text}");
        }
        let document = include_str!("../../../docs/fleet.md");
        for figure in HeapSeriesKind::ALL {
            let name = figure.row().served.0.trim_start_matches("ghc_eventlog_");
            assert!(document.contains(name), "docs/fleet.md lacks {name}");
        }
    }
}
