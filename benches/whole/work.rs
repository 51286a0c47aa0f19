//! The inputs, and what heapviz has to do with them.

use std::fs::File;
use std::io::{self, BufWriter};
use std::path::Path;

use clap::ValueEnum;

use crate::generator::{Breakdown, LogShape, Shape, write_eventlog, write_hp, write_prof};

/// The size of the inputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
pub enum Size {
    /// Tens of megabytes: takes a minute, including the other programs.
    Small,
    /// Hundreds of megabytes: the sizes of the goals.
    Full,
    /// The same, and 2 GB of each kind.
    #[value(name = "2g")]
    TwoGigabytes,
}

/// The kind of an input file.
#[derive(Clone, Debug)]
pub enum Input {
    Hp,
    /// An event log, and its content besides samples.
    Log(LogShape),
    /// A `.prof` with a stack for each band, as deep as this.
    Report(LogShape),
}

/// One row of the table.
#[derive(Clone, Debug)]
pub struct Work {
    pub name: &'static str,
    pub goal: &'static str,
    pub shape: Shape,
    pub input: Input,
    /// Flags of heapviz.
    pub flags: &'static [&'static str],
}

impl Work {
    /// The name of its input.
    pub fn file(&self) -> &'static str {
        match self.input {
            Input::Hp => "input.hp",
            Input::Log(_) => "input.eventlog",
            Input::Report(_) => "input.prof",
        }
    }

    /// Writes its input and syncs it to disk, so that nothing is measured while it is being written.
    pub fn generate(&self, path: &Path) -> io::Result<u64> {
        let file = File::create(path)?;
        let out = BufWriter::with_capacity(1 << 20, &file);
        match &self.input {
            Input::Hp => write_hp(&self.shape, out)?,
            Input::Log(log) => write_eventlog(&self.shape, log, out)?,
            Input::Report(log) => write_prof(&self.shape, log, out)?,
        }
        file.sync_all()?;
        Ok(file.metadata()?.len())
    }

    /// The memory limit: 100 MB, and twice the 8 bytes that each point needs. `None` with very many
    /// markers, because then these take most of the memory.
    pub fn memory_goal(&self) -> Option<u64> {
        let markers = if let Input::Log(log) = &self.input { log.markers } else { 0 };
        (markers < 100_000).then_some(100_000_000 + 16 * self.shape.points())
    }
}

/// Without scheduler events or collections.
const QUIET: LogShape = LogShape {
    scheduler: 0,
    collections: 0,
    markers: 20,
    messages: 0,
    capabilities: 1,
    block: 2 << 20,
    definitions: None,
    depth: 12,
};

/// With the deepest stacks that a log can contain.
const DEEP: LogShape = LogShape { depth: 254, ..QUIET };

fn shape(samples: u64, bands: u32, presence: f64) -> Shape {
    Shape { samples, bands, presence, ..Shape::default() }
}

pub fn rows(size: Size) -> Vec<Work> {
    let (samples, events, tables) = match size {
        Size::Small => (1_600, 2_500_000, 50),
        Size::Full | Size::TwoGigabytes => (8_000, 9_500_000, 300),
    };
    let threads = LogShape {
        scheduler: events,
        collections: events / 500,
        markers: 200,
        messages: 1_000,
        capabilities: 4,
        ..QUIET
    };
    let row = |name, goal, shape, input, flags| Work { name, goal, shape, input, flags };
    let with_lines: &[&str] = &["--heap-lines", "all"];
    let deep = Shape { breakdown: Breakdown::CostCentre, ..shape(samples / 10, 1_000, 90.0) };
    let mut rows = vec![
        row(
            "large `.hp`",
            "7x `wc -l`; 100x faster than hp2ps",
            shape(samples, 1_000, 90.0),
            Input::Hp,
            &[],
        ),
        row(
            "the same `.hp` without the verdict",
            "a tenth less",
            shape(samples, 1_000, 90.0),
            Input::Hp,
            &["--no-verdict"],
        ),
        row(
            "log of scheduler events, with markers and heap lines",
            "2 GB/s",
            shape(500, 200, 80.0),
            Input::Log(threads.clone()),
            with_lines,
        ),
        row(
            "log of samples, by type",
            "0.8 GB/s",
            shape(samples, 1_000, 90.0),
            Input::Log(QUIET),
            &[],
        ),
        row(
            "log of samples, by cost-centre stack",
            "0.8 GB/s",
            Shape { breakdown: Breakdown::CostCentre, ..shape(samples, 1_000, 90.0) },
            Input::Log(QUIET),
            &[],
        ),
        row("log of stacks as deep as those of GHC", "", deep.clone(), Input::Log(DEEP), &[]),
        row(
            "the same log as a flame graph",
            "1.5x its chart",
            deep,
            Input::Log(DEEP),
            &["--view", "flame"],
        ),
        row("`.prof` of 10 000 stacks", "50 ms", shape(0, 10_000, 0.0), Input::Report(DEEP), &[]),
        row(
            "log of info tables: 25 000 bands",
            "ranking and drawing 0.3 s for 300 samples",
            Shape { breakdown: Breakdown::InfoTable, ..shape(tables, 25_000, 90.0) },
            Input::Log(QUIET),
            &[],
        ),
        row(
            "the same log as a page",
            "1.6x its chart",
            Shape { breakdown: Breakdown::InfoTable, ..shape(tables, 25_000, 90.0) },
            Input::Log(QUIET),
            &["-f", "html"],
        ),
        row("small `.hp`", "5 ms", shape(40, 50, 100.0), Input::Hp, &[]),
    ];
    if size > Size::Small {
        let many = LogShape { markers: 1_000_000, ..QUIET };
        rows.push(row(
            "100 000 samples, 100 000 bands, 1 000 000 markers",
            "nothing quadratic",
            shape(100_000, 100_000, 0.05),
            Input::Log(many),
            &[],
        ));
    }
    if size == Size::TwoGigabytes {
        let threads = LogShape { scheduler: 125_000_000, collections: 250_000, ..threads };
        let large = "linear; memory as below";
        rows.extend([
            row("2 GB `.hp`", large, shape(100_000, 1_000, 90.0), Input::Hp, &[]),
            row(
                "2 GB of scheduler events",
                large,
                shape(500, 200, 80.0),
                Input::Log(threads),
                with_lines,
            ),
            row("2 GB log of samples", large, shape(55_000, 1_000, 90.0), Input::Log(QUIET), &[]),
        ]);
    }
    rows
}
