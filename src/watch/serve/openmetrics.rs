//! The text that databases of metrics read: OpenMetrics 1.0, or the older text format of
//! Prometheus. Figures of the run-time system have the names and labels of eventlog-live, so that
//! its dashboards show them.

use std::fmt::{Display, Write};

use hyper::header::{ACCEPT, HeaderMap};

use super::figures::Figures;
use crate::analysis::Leak;
use crate::profile::{HeapFigure, MemoryReturn};

/// Which of the two texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// Version 1.0 of OpenMetrics.
    OpenMetrics,
    /// Version 0.0.4 of the text format of Prometheus.
    Prometheus,
}

impl Dialect {
    /// The one that a client prefers: OpenMetrics, if it says that it reads that.
    pub fn of(headers: &HeaderMap) -> Dialect {
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
    pub name: &'a str,
    /// Whether it is connected to a program that runs.
    pub up: bool,
    /// Seconds since the newest sample of the figures came.
    pub age: Option<f64>,
    /// How many samples the run has taken.
    pub samples: u64,
    /// What is known from its log; `None` before anything is.
    pub figures: Option<&'a Figures>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Gauge,
    Counter,
}

/// Some series with one name.
struct Family {
    /// Without the `_total` of a counter.
    name: &'static str,
    kind: Kind,
    unit: Option<&'static str>,
    help: &'static str,
    series: fn(&SourceMetrics<'_>, &mut Lines<'_>),
}

const FAMILIES: &[Family] = &[
    Family {
        name: "ghc_eventlog_HeapProfSample_bytes",
        kind: Kind::Gauge,
        unit: Some("bytes"),
        help: "The newest sample of the heap profile, by band.",
        series: |seen, lines| {
            if let Some(figures) = seen.figures {
                for band in &figures.bands {
                    let label = Label { name: "heapProfBreakdown", value: figures.breakdown };
                    let labels = [label, Label { name: "heapProfLabel", value: &band.name }];
                    lines.series(&labels, band.bytes);
                }
            }
        },
    },
    Family {
        name: "ghc_eventlog_HeapSize_bytes",
        kind: Kind::Gauge,
        unit: Some("bytes"),
        help: "Memory held from the operating system.",
        series: |seen, lines| heap(seen, lines, HeapFigure::Size),
    },
    Family {
        name: "ghc_eventlog_BlocksSize_bytes",
        kind: Kind::Gauge,
        unit: Some("bytes"),
        help: "Blocks in use.",
        series: |seen, lines| heap(seen, lines, HeapFigure::Blocks),
    },
    Family {
        name: "ghc_eventlog_HeapLive_bytes",
        kind: Kind::Gauge,
        unit: Some("bytes"),
        help: "Live data after the last major collection.",
        series: |seen, lines| heap(seen, lines, HeapFigure::Live),
    },
    Family {
        name: "ghc_eventlog_HeapAllocated_bytes",
        kind: Kind::Counter,
        unit: Some("bytes"),
        help: "Bytes that the program has allocated.",
        series: |seen, lines| heap(seen, lines, HeapFigure::Allocated),
    },
    Family {
        name: "ghc_eventlog_MemCurrent",
        kind: Kind::Gauge,
        unit: None,
        help: "Megablocks held when memory was last given back.",
        series: |seen, lines| memory(seen, lines, |memory| memory.held),
    },
    Family {
        name: "ghc_eventlog_MemNeeded",
        kind: Kind::Gauge,
        unit: None,
        help: "Megablocks still needed at that time.",
        series: |seen, lines| memory(seen, lines, |memory| memory.needed),
    },
    Family {
        name: "ghc_eventlog_MemReturned",
        kind: Kind::Gauge,
        unit: None,
        help: "Megablocks given back at that time.",
        series: |seen, lines| memory(seen, lines, |memory| memory.returned),
    },
    Family {
        name: "heapviz_leak",
        kind: Kind::Gauge,
        unit: None,
        help: "The verdict: 1 for its grade, 0 for the others. A running program has no likely leak.",
        series: |seen, lines| {
            if let Some(figures) = seen.figures {
                for (grade, name) in GRADES {
                    let label = Label { name: "grade", value: name };
                    lines.series(&[label], u8::from(figures.leak == grade));
                }
            }
        },
    },
    Family {
        name: "heapviz_band_growth_bytes_per_second",
        kind: Kind::Gauge,
        unit: None,
        help: "How fast the bands grow that the verdict names.",
        series: |seen, lines| {
            for rate in seen.figures.iter().flat_map(|figures| &figures.growth) {
                if rate.bytes_per_second.is_finite() {
                    let label = Label { name: "heapProfLabel", value: &rate.name };
                    lines.series(&[label], rate.bytes_per_second);
                }
            }
        },
    },
    Family {
        name: "heapviz_allocation_kept_ratio",
        kind: Kind::Gauge,
        unit: Some("ratio"),
        help: "The share of what was allocated while they grew that stays in them.",
        series: |seen, lines| {
            let kept = seen.figures.and_then(|figures| figures.kept);
            lines.series_of(kept.filter(|kept| kept.is_finite()));
        },
    },
    Family {
        name: "heapviz_source_up",
        kind: Kind::Gauge,
        unit: None,
        help: "Whether the source is connected and its run has not ended.",
        series: |seen, lines| lines.series_of(Some(u8::from(seen.up))),
    },
    Family {
        name: "heapviz_sample_age_seconds",
        kind: Kind::Gauge,
        unit: Some("seconds"),
        help: "The time since the newest sample arrived.",
        series: |seen, lines| lines.series_of(seen.age),
    },
    Family {
        name: "heapviz_samples",
        kind: Kind::Counter,
        unit: None,
        help: "The samples of the run.",
        series: |seen, lines| lines.series_of(seen.figures.map(|_| seen.samples)),
    },
    Family {
        name: "heapviz_lost_samples",
        kind: Kind::Gauge,
        unit: None,
        help: "Samples that could not be read.",
        series: |seen, lines| lines.series_of(seen.figures.map(|it| it.losses.samples)),
    },
    Family {
        name: "heapviz_lost_values",
        kind: Kind::Gauge,
        unit: None,
        help: "Values of single bands that could not be read.",
        series: |seen, lines| lines.series_of(seen.figures.map(|it| it.losses.values)),
    },
    Family {
        name: "heapviz_lost_bytes",
        kind: Kind::Gauge,
        unit: Some("bytes"),
        help: "Bytes of the input that could not be read.",
        series: |seen, lines| lines.series_of(seen.figures.map(|it| it.losses.bytes)),
    },
    Family {
        name: "heapviz_lost_statements",
        kind: Kind::Gauge,
        unit: None,
        help: "Statements of a .hp that make no sense.",
        series: |seen, lines| lines.series_of(seen.figures.map(|it| it.losses.statements)),
    },
];

/// The grades, as the JSON names them.
const GRADES: [(Leak, &str); 4] = [
    (Leak::Unknown, "unknown"),
    (Leak::None, "none"),
    (Leak::Possible, "possible"),
    (Leak::Likely, "likely"),
];

fn heap(seen: &SourceMetrics<'_>, lines: &mut Lines<'_>, figure: HeapFigure) {
    let mut levels = seen.figures.iter().flat_map(|figures| &figures.heap);
    lines.series_of(levels.find(|level| level.figure == figure).map(|level| level.bytes));
}

fn memory(seen: &SourceMetrics<'_>, lines: &mut Lines<'_>, megablocks: fn(MemoryReturn) -> u32) {
    lines.series_of(seen.figures.and_then(|figures| figures.memory).map(megablocks));
}

/// The text about some sources.
pub fn write(sources: &[SourceMetrics<'_>], dialect: Dialect) -> String {
    let mut text = String::new();
    for Family { name, kind, unit, help, series } in FAMILIES {
        let full_name = match kind {
            Kind::Gauge => (*name).to_owned(),
            Kind::Counter => format!("{name}_total"),
        };
        let mut body = String::new();
        for seen in sources {
            series(seen, &mut Lines { name: &full_name, source: seen.name, text: &mut body });
        }
        if body.is_empty() {
            continue;
        }
        let word = if *kind == Kind::Counter { "counter" } else { "gauge" };
        // The older text knows a counter only by the name of its series.
        let name = if dialect == Dialect::Prometheus { &full_name } else { *name };
        text.push_str(&format!("# HELP {name} {help}\n# TYPE {name} {word}\n"));
        if let (Dialect::OpenMetrics, Some(unit)) = (dialect, unit) {
            text.push_str(&format!("# UNIT {name} {unit}\n"));
        }
        text.push_str(&body);
    }
    if dialect == Dialect::OpenMetrics {
        text.push_str("# EOF\n");
    }
    text
}

/// A label of a series.
struct Label<'a> {
    name: &'static str,
    value: &'a str,
}

/// Where the series of one source go.
struct Lines<'a> {
    name: &'a str,
    source: &'a str,
    text: &'a mut String,
}

impl Lines<'_> {
    fn series(&mut self, labels: &[Label<'_>], value: impl Display) {
        let source = Label { name: "source", value: self.source };
        self.text.push_str(self.name);
        let mut before = '{';
        // An empty label is none.
        let labels = std::iter::once(&source).chain(labels).filter(|label| !label.value.is_empty());
        for Label { name, value } in labels {
            self.text.push(before);
            self.text.push_str(name);
            self.text.push_str("=\"");
            escape(value, self.text);
            self.text.push('"');
            before = ',';
        }
        // Writing to a text does not fail.
        let _ = writeln!(self.text, "}} {value}");
    }

    /// The only series of the source, if there is a value.
    fn series_of(&mut self, value: Option<impl Display>) {
        value.into_iter().for_each(|value| self.series(&[], value));
    }
}

fn escape(value: &str, text: &mut String) {
    for c in value.chars() {
        match c {
            '\\' => text.push_str("\\\\"),
            '"' => text.push_str("\\\""),
            '\n' => text.push_str("\\n"),
            other => text.push(other),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_escaped_and_counters_named_as_each_dialect_wants() {
        let seen =
            SourceMetrics { name: "a\\\"\nb", up: true, age: Some(0.5), samples: 0, figures: None };
        let source = "{source=\"a\\\\\\\"\\nb\"}";
        let expected = format!(
            "# HELP heapviz_source_up Whether the source is connected and its run has not ended.\n\
             # TYPE heapviz_source_up gauge\nheapviz_source_up{source} 1\n\
             # HELP heapviz_sample_age_seconds The time since the newest sample arrived.\n\
             # TYPE heapviz_sample_age_seconds gauge\n# UNIT heapviz_sample_age_seconds seconds\n\
             heapviz_sample_age_seconds{source} 0.5\n# EOF\n"
        );
        assert_eq!(write(&[seen], Dialect::OpenMetrics), expected);
        for family in FAMILIES {
            assert!(!family.name.ends_with("_total"), "{}", family.name);
            let is_suffix = |unit: &str| family.name.ends_with(&format!("_{unit}"));
            assert!(family.unit.is_none_or(is_suffix), "{}", family.name);
        }
    }
}
