//! What is measured: the inputs, and what heapviz is to do with them.

use std::fs::File;
use std::io::{self, BufWriter};
use std::path::Path;

use clap::ValueEnum;

use crate::generator::{Breakdown, LogShape, Shape, write_eventlog, write_hp};

/// How large the inputs are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
pub enum Size {
    /// Tens of megabytes: in a minute, other programs included.
    Small,
    /// Hundreds of megabytes: the sizes of the goals.
    Full,
    /// These, and 2 GB of each kind.
    #[value(name = "2g")]
    TwoGigabytes,
}

/// One row of the table.
#[derive(Clone, Debug)]
pub struct Work {
    pub name: &'static str,
    pub goal: &'static str,
    pub shape: Shape,
    /// What an event log has besides; a `.hp` without it.
    pub log: Option<LogShape>,
    /// Flags of heapviz.
    pub flags: &'static [&'static str],
}

impl Work {
    /// The name of its input.
    pub fn file(&self) -> &'static str {
        if self.log.is_some() { "input.eventlog" } else { "input.hp" }
    }

    /// Writes its input, down to the disk, so that no one is measured while it is being written.
    pub fn generate(&self, path: &Path) -> io::Result<u64> {
        let file = File::create(path)?;
        let out = BufWriter::with_capacity(1 << 20, &file);
        match &self.log {
            Some(log) => write_eventlog(&self.shape, log, out)?,
            None => write_hp(&self.shape, out)?,
        }
        file.sync_all()?;
        Ok(file.metadata()?.len())
    }

    /// The most memory that is in order: 100 MB and what the points need, 8 bytes each, no more
    /// than twice that. `None` with so many markers that they are what takes the room.
    pub fn memory_goal(&self) -> Option<u64> {
        let markers = self.log.as_ref().map_or(0, |log| log.markers);
        (markers < 100_000).then_some(100_000_000 + 16 * self.shape.points())
    }
}

/// Without scheduler events and collections.
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

fn shape(samples: u64, bands: u32, presence: f64) -> Shape {
    Shape { samples, bands, presence, ..Shape::default() }
}

/// The rows for a size.
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
    let row = |name, goal, shape, log, flags| Work { name, goal, shape, log, flags };
    let with_lines: &[&str] = &["--heap-lines", "all"];
    let mut rows = vec![
        row(
            "large `.hp`",
            "3x `wc -l`; 0.5 s per 200 MB; 20x faster than hp2ps, 100x at 8 000 samples",
            shape(samples, 1_000, 90.0),
            None,
            &[],
        ),
        row(
            "the same `.hp` without the verdict",
            "a tenth less",
            shape(samples, 1_000, 90.0),
            None,
            &["--no-verdict"],
        ),
        row(
            "log of scheduler events, with markers and heap lines",
            "3x `cat`",
            shape(500, 200, 80.0),
            Some(threads.clone()),
            with_lines,
        ),
        row(
            "log of samples, by type",
            "0.6 s for 8 000 samples",
            shape(samples, 1_000, 90.0),
            Some(QUIET),
            &[],
        ),
        row(
            "log of samples, by cost-centre stack",
            "",
            Shape { breakdown: Breakdown::CostCentre, ..shape(samples, 1_000, 90.0) },
            Some(QUIET),
            &[],
        ),
        row(
            "the same log as a flame graph",
            "1.5x its chart",
            Shape { breakdown: Breakdown::CostCentre, ..shape(samples, 1_000, 90.0) },
            Some(QUIET),
            &["--view", "flame"],
        ),
        row(
            "log of info tables: 25 000 bands",
            "ranking and drawing 0.3 s for 300 samples",
            Shape { breakdown: Breakdown::InfoTable, ..shape(tables, 25_000, 90.0) },
            Some(QUIET),
            &[],
        ),
        row(
            "the same log as a page",
            "1.5x its chart",
            Shape { breakdown: Breakdown::InfoTable, ..shape(tables, 25_000, 90.0) },
            Some(QUIET),
            &["-f", "html"],
        ),
        row("small `.hp`", "5 ms", shape(40, 50, 100.0), None, &[]),
    ];
    if size > Size::Small {
        let many = LogShape { markers: 1_000_000, ..QUIET };
        rows.push(row(
            "100 000 samples, 100 000 bands, 1 000 000 markers",
            "nothing quadratic",
            shape(100_000, 100_000, 0.05),
            Some(many),
            &[],
        ));
    }
    if size == Size::TwoGigabytes {
        let threads = LogShape { scheduler: 125_000_000, collections: 250_000, ..threads };
        let large = "linear; memory as below";
        rows.extend([
            row("2 GB `.hp`", large, shape(100_000, 1_000, 90.0), None, &[]),
            row(
                "2 GB of scheduler events",
                large,
                shape(500, 200, 80.0),
                Some(threads),
                with_lines,
            ),
            row("2 GB log of samples", large, shape(55_000, 1_000, 90.0), Some(QUIET), &[]),
        ]);
    }
    rows
}
