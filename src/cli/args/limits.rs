//! The flags that say how much of an input is kept.

use clap::Args;
use heapviz::limit::Limit;
use heapviz::profile::Limits;
use heapviz::units::Bytes;

/// How much of an input is kept. Only damaged and crafted inputs should ever reach these limits.
#[derive(Debug, Args)]
#[command(next_help_heading = "Limits (real profiles stay far below)")]
pub struct LimitArgs {
    /// Most bands; an input with more is an error
    #[arg(long, value_name = "N", default_value_t = Limits::default().bands)]
    limit_bands: usize,

    /// Most cost centres; the rest appear as numbers
    #[arg(long, value_name = "N",
          default_value_t = Limits::default().cost_centres)]
    limit_cost_centres: usize,

    /// Most info tables; the rest appear as addresses
    #[arg(long, value_name = "N",
          default_value_t = Limits::default().info_tables)]
    limit_info_tables: usize,

    /// Most markers and messages
    #[arg(long, value_name = "N", default_value_t = Limits::default().markers)]
    limit_markers: usize,

    /// Most points in each heap line
    #[arg(long, value_name = "N",
          default_value_t = Limits::default().heap_points)]
    limit_heap_points: usize,

    /// Most different stacks in a time profile; an input with more is an error
    #[arg(long, value_name = "N",
          default_value_t = Limits::default().call_nodes)]
    limit_call_nodes: usize,

    /// Most ticks kept with their times; the others are only counted
    #[arg(long, value_name = "N", default_value_t = Limits::default().ticks)]
    limit_ticks: usize,

    /// Most garbage collections, and most of each other kind of run-time system event
    #[arg(long, value_name = "N",
          default_value_t = Limits::default().runtime_events)]
    limit_runtime_events: usize,

    /// Longest name, label or message; longer ones are cut [default: 1M]
    #[arg(long, value_name = "BYTES")]
    limit_text: Option<Bytes>,

    /// Most text in all names together, in all definitions, and in all messages [default: 512M]
    #[arg(long, value_name = "BYTES")]
    limit_texts: Option<Bytes>,
}

impl LimitArgs {
    /// The limits of reading.
    pub fn limits(&self) -> Limits {
        let bytes = |given: Option<Bytes>, default: usize| {
            given.map_or(default, |bytes| usize::try_from(bytes.get()).unwrap_or(usize::MAX))
        };
        let mut limits = Limits::default();
        limits.bands = self.limit_bands;
        limits.cost_centres = self.limit_cost_centres;
        limits.info_tables = self.limit_info_tables;
        limits.markers = self.limit_markers;
        limits.heap_points = self.limit_heap_points;
        limits.call_nodes = self.limit_call_nodes;
        limits.ticks = self.limit_ticks;
        limits.runtime_events = self.limit_runtime_events;
        limits.text = bytes(self.limit_text, limits.text);
        limits.all_texts = bytes(self.limit_texts, limits.all_texts);
        limits
    }
}

/// How to raise a limit.
pub fn hint(limit: Limit) -> &'static str {
    match limit {
        Limit::Bands => "if it is a real profile, --limit-bands N allows more",
        Limit::CostCentres => "--limit-cost-centres N allows more",
        Limit::InfoTables => "--limit-info-tables N allows more",
        Limit::Markers => "--limit-markers N allows more",
        Limit::HeapPoints => "--limit-heap-points N allows more",
        Limit::CallNodes => "--limit-call-nodes N allows more",
        Limit::Ticks => "--limit-ticks N allows more",
        Limit::RuntimeEvents => "--limit-runtime-events N allows more",
        Limit::Text => "--limit-text BYTES allows more",
        Limit::AllTexts => "--limit-texts BYTES allows more",
        _ => "the --limit flags allow more",
    }
}

#[cfg(test)]
mod tests {
    use clap::{Args, Command};

    use super::*;

    #[test]
    fn every_limit_has_its_flag() {
        let command = LimitArgs::augment_args(Command::new("heapviz"));
        let mut flags: Vec<&str> =
            command.get_arguments().filter_map(|arg| arg.get_long()).collect();
        for limit in Limit::ALL {
            let flag = hint(limit).split("--").nth(1).and_then(|rest| rest.split(' ').next());
            let at = flags.iter().position(|&known| Some(known) == flag);
            flags.remove(at.unwrap_or_else(|| panic!("{limit:?} has no flag of its own")));
        }
        assert_eq!(flags, [""; 0], "flags that no limit names");
    }
}
