//! The text that databases of metrics read: OpenMetrics 1.0, or the older text format of
//! Prometheus. Figures of the run-time system have the names and labels of eventlog-live, so that
//! its dashboards show them.

use std::fmt::{Display, Write};

use hyper::header::{ACCEPT, HeaderMap};

use super::families::ServedFigures;
use crate::analysis::Leak;
use crate::analysis::metric::GRADES;
use crate::profile::{HeapSeriesKind, MemoryReturn};

/// The text format that an engine asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// Version 1.0 of OpenMetrics.
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

/// Some series with one name, which ends with `_total` if they are counters; what they are; and how they are
/// written. Each heap series has one, too, as its row says.
type Family = (&'static str, &'static str, fn(&SourceMetrics<'_>, &mut FamilyText<'_>));

/// The words that are units if a name ends with them.
const UNITS: [&str; 3] = ["bytes", "seconds", "ratio"];

const FAMILIES: &[Family] = &[
    (
        "ghc_eventlog_HeapProfSample_bytes",
        "The newest sample of the heap profile, by band.",
        |seen, lines| {
            if let Some(figures) = seen.figures {
                for (name, bytes) in &figures.bands {
                    let breakdown = ("heapProfBreakdown", figures.breakdown);
                    lines.series(&[breakdown, ("heapProfLabel", name)], bytes);
                }
            }
        },
    ),
    (
        "ghc_eventlog_MemCurrent",
        "Megablocks held when memory was last given back.",
        |seen, lines| memory(seen, lines, |memory| memory.held),
    ),
    ("ghc_eventlog_MemNeeded", "Megablocks still needed at that time.", |seen, lines| {
        memory(seen, lines, |memory| memory.needed)
    }),
    ("ghc_eventlog_MemReturned", "Megablocks given back at that time.", |seen, lines| {
        memory(seen, lines, |memory| memory.returned)
    }),
    (
        "heapviz_leak",
        "The verdict: 1 for its grade, 0 for the others. A running program has no likely leak.",
        |seen, lines| {
            if let Some(figures) = seen.figures {
                for grade in [Leak::Unknown].into_iter().chain(GRADES) {
                    lines.series(&[("grade", grade.id())], u8::from(figures.leak == grade));
                }
            }
        },
    ),
    (
        "heapviz_band_growth_bytes_per_second",
        "How fast the bands grow that the verdict names.",
        |seen, lines| {
            let growth = seen.figures.iter().flat_map(|figures| &figures.growth);
            for (name, rate) in growth.filter(|(_, rate)| rate.is_finite()) {
                lines.series(&[("heapProfLabel", name)], rate);
            }
        },
    ),
    (
        "heapviz_allocation_kept_ratio",
        "The share of what was allocated while they grew that stays in them.",
        |seen, lines| {
            let kept = seen.figures.and_then(|figures| figures.kept);
            lines.series_of(kept.filter(|kept| kept.is_finite()));
        },
    ),
    (
        "heapviz_source_up",
        "Whether the source is connected and its run has not ended.",
        |seen, lines| lines.series_of(Some(u8::from(seen.up))),
    ),
    ("heapviz_sample_age_seconds", "The time since the newest sample arrived.", |seen, lines| {
        lines.series_of(seen.age)
    }),
    ("heapviz_samples_total", "The samples of the run.", |seen, lines| {
        lines.series_of(seen.figures.map(|_| seen.samples))
    }),
    ("heapviz_lost_samples", "Samples that could not be read.", |seen, lines| {
        lines.series_of(seen.figures.map(|it| it.losses.samples))
    }),
    ("heapviz_lost_values", "Values of single bands that could not be read.", |seen, lines| {
        lines.series_of(seen.figures.map(|it| it.losses.values))
    }),
    ("heapviz_lost_bytes", "Bytes of the input that could not be read.", |seen, lines| {
        lines.series_of(seen.figures.map(|it| it.losses.bytes))
    }),
    ("heapviz_lost_statements", "Statements of a .hp that make no sense.", |seen, lines| {
        lines.series_of(seen.figures.map(|it| it.losses.statements))
    }),
];

fn memory(
    seen: &SourceMetrics<'_>,
    lines: &mut FamilyText<'_>,
    megablocks: fn(MemoryReturn) -> u32,
) {
    lines.series_of(seen.figures.and_then(|figures| figures.memory).map(megablocks));
}

/// The text about a source.
pub fn write(seen: &SourceMetrics<'_>, dialect: Dialect) -> String {
    let mut text = String::new();
    let mut add = |name, help, series: &dyn Fn(&mut FamilyText<'_>)| {
        let mut body = String::new();
        series(&mut FamilyText { name, text: &mut body });
        if !body.is_empty() {
            text.push_str(&(head(name, help, dialect) + &body));
        }
    };
    for &(name, help, series) in FAMILIES {
        add(name, help, &|lines| series(seen, lines));
    }
    for &figure in HeapSeriesKind::ALL {
        let (name, help) = figure.row().served;
        let mut levels = seen.figures.iter().flat_map(|figures| &figures.heap);
        let level = levels.find(|level| level.0 == figure).map(|level| level.1);
        add(name, help, &|lines| lines.series_of(level));
    }
    if dialect == Dialect::OpenMetrics {
        text.push_str("# EOF\n");
    }
    text
}

/// The lines before the series of a family.
fn head(series_name: &str, help: &str, dialect: Dialect) -> String {
    let (name, word) = match series_name.strip_suffix("_total") {
        Some(name) => (name, "counter"),
        None => (series_name, "gauge"),
    };
    let unit = name.rsplit('_').next().filter(|word| UNITS.contains(word));
    // The older text knows a counter only by the name of its series.
    let name = if dialect == Dialect::Prometheus { series_name } else { name };
    let mut text = format!("# HELP {name} {help}\n# TYPE {name} {word}\n");
    if let (Dialect::OpenMetrics, Some(unit)) = (dialect, unit) {
        text.push_str(&format!("# UNIT {name} {unit}\n"));
    }
    text
}

/// Where the series of a family go.
struct FamilyText<'a> {
    name: &'a str,
    text: &'a mut String,
}

impl FamilyText<'_> {
    /// Adds a series with labels: their names and values.
    fn series(&mut self, labels: &[(&str, &str)], value: impl Display) {
        let escaped =
            |value: &str| value.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
        // A label without a value means the same as no label.
        let labels: Vec<String> = labels
            .iter()
            .filter(|(_, value)| !value.is_empty())
            .map(|(name, value)| format!("{name}=\"{}\"", escaped(value)))
            .collect();
        let labels = labels.join(",");
        let labels = if labels.is_empty() { labels } else { format!("{{{labels}}}") };
        // Writing to a text does not fail.
        let _ = writeln!(self.text, "{}{labels} {value}", self.name);
    }

    /// The only series of the family, if there is a value.
    fn series_of(&mut self, value: Option<impl Display>) {
        value.into_iter().for_each(|value| self.series(&[], value));
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
        let text = write(&seen, Dialect::Prometheus);
        let counter = "# TYPE ghc_eventlog_HeapAllocated_bytes_total counter\nghc";
        assert!(text.contains(counter) && !text.contains("# EOF"), "{text}");
    }
}
