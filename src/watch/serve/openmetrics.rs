//! The text that databases of metrics read: OpenMetrics 1.0, or the older text format of
//! Prometheus. Figures of the run-time system have the names and labels of eventlog-live, so that
//! its dashboards show them.

use std::fmt::Display;

use hyper::header::{ACCEPT, HeaderMap};

use super::families::ServedFigures;
use crate::analysis::Leak;
use crate::analysis::metric::GRADES;
use crate::profile::HeapSeriesKind;

/// The text format that an engine asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    OpenMetrics,
    /// Version 0.0.4 of the text format of Prometheus.
    Prometheus,
}

impl Dialect {
    /// The one that a client prefers: OpenMetrics, if it says that it reads that.
    pub fn new(headers: &HeaderMap) -> Dialect {
        let mut accepted = headers.get_all(ACCEPT).iter().filter_map(|value| value.to_str().ok());
        match accepted.any(|value| value.contains("application/openmetrics-text")) {
            true => Dialect::OpenMetrics,
            false => Dialect::Prometheus,
        }
    }

    pub fn content_type(self) -> &'static str {
        match self {
            Dialect::OpenMetrics => "application/openmetrics-text; version=1.0.0; charset=utf-8",
            Dialect::Prometheus => "text/plain; version=0.0.4; charset=utf-8",
        }
    }
}

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

/// The words that are units if a name ends with them.
const UNITS: [&str; 3] = ["bytes", "seconds", "ratio"];

pub fn write(seen: &SourceMetrics<'_>, dialect: Dialect) -> String {
    let mut text = MetricsText { dialect, text: String::new() };
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
    if dialect == Dialect::OpenMetrics {
        text.text.push_str("# EOF\n");
    }
    text.text
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
    let grades = [Leak::Unknown].into_iter().chain(GRADES);
    text.family(
        "heapviz_leak",
        "The verdict: 1 for its grade, 0 for the others. A running program has no likely leak.",
        grades.map(|grade| ([("grade", grade.id())], u8::from(figures.leak == grade))),
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

struct MetricsText {
    dialect: Dialect,
    text: String,
}

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
            self.head(name, help);
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
            self.text.push_str(&format!("{name}{labels} {value}\n"));
        }
    }

    /// Adds a family of one series, if there is a value.
    fn value(&mut self, name: &str, help: &str, value: Option<impl Display>) {
        self.family(name, help, value.map(|value| ([], value)));
    }

    /// The lines before the series of a family.
    fn head(&mut self, series_name: &str, help: &str) {
        let (name, word) = match series_name.strip_suffix("_total") {
            Some(name) => (name, "counter"),
            None => (series_name, "gauge"),
        };
        let unit = name.rsplit('_').next().filter(|word| UNITS.contains(word));
        // The older text knows a counter only by the name of its series.
        let name = if self.dialect == Dialect::Prometheus { series_name } else { name };
        self.text.push_str(&format!("# HELP {name} {help}\n# TYPE {name} {word}\n"));
        if let (Dialect::OpenMetrics, Some(unit)) = (self.dialect, unit) {
            self.text.push_str(&format!("# UNIT {name} {unit}\n"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::incident::Losses;

    #[test]
    fn labels_are_escaped_and_counters_named_as_each_dialect_wants() {
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
        let text = write(&seen, Dialect::OpenMetrics);
        for lines in [
            "# TYPE ghc_eventlog_HeapProfSample_bytes gauge\n# UNIT ghc_eventlog_HeapProfSample_bytes bytes\n\
             ghc_eventlog_HeapProfSample_bytes{heapProfBreakdown=\"-hT\",heapProfLabel=\"a\\\\\\\"\\nb\"} 7\n",
            "# TYPE ghc_eventlog_HeapAllocated_bytes counter\n# UNIT ghc_eventlog_HeapAllocated_bytes bytes\n\
             ghc_eventlog_HeapAllocated_bytes_total 9\n",
            "# TYPE heapviz_source_up gauge\nheapviz_source_up 1\n",
            "# UNIT heapviz_sample_age_seconds seconds\nheapviz_sample_age_seconds 0.5\n",
        ] {
            assert!(text.contains(lines), "{text}");
        }
        assert!(text.ends_with("\n# EOF\n"));
        let document = include_str!("../../../docs/fleet.md");
        for figure in HeapSeriesKind::ALL {
            let name = figure.row().served.0.trim_start_matches("ghc_eventlog_");
            assert!(document.contains(name), "docs/fleet.md lacks {name}");
        }
        let text = write(&seen, Dialect::Prometheus);
        let counter = "# TYPE ghc_eventlog_HeapAllocated_bytes_total counter\nghc";
        assert!(text.contains(counter) && !text.contains("# EOF"), "{text}");
    }
}
