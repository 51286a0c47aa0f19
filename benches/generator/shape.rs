//! What a generated profile is to look like.

use clap::{Args, ValueEnum};

/// What the bands of a profile stand for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Breakdown {
    /// Closure types (-hT): package, module and constructor.
    ClosureType,
    /// Types (-hy): one name.
    Type,
    /// Cost-centre stacks (-hc).
    CostCentre,
    /// Info tables (-hi): addresses.
    InfoTable,
}

impl Breakdown {
    /// The flag of the run-time system.
    pub fn flag(self) -> &'static str {
        match self {
            Breakdown::ClosureType => "-hT",
            Breakdown::Type => "-hy",
            Breakdown::CostCentre => "-hc",
            Breakdown::InfoTable => "-hi",
        }
    }

    /// Its number in HEAP_PROF_BEGIN (`docs/format/eventlog.md#the-break-down`).
    pub fn number(self) -> u32 {
        match self {
            Breakdown::CostCentre => 1,
            Breakdown::Type => 4,
            Breakdown::ClosureType => 7,
            Breakdown::InfoTable => 8,
        }
    }
}

/// The samples and bands, in either format.
#[derive(Clone, Debug, PartialEq, Args)]
pub struct Shape {
    /// The seed: the same one gives the same bytes.
    #[arg(long, default_value_t = Shape::default().seed)]
    pub seed: u64,
    /// What the bands stand for.
    #[arg(long, value_enum, default_value_t = Shape::default().breakdown)]
    pub breakdown: Breakdown,
    /// How many samples have bands. A .hp gets an empty one more at each end, as GHC writes it.
    #[arg(long, default_value_t = Shape::default().samples, value_parser = clap::value_parser!(u64).range(..=1_000_000_000))]
    pub samples: u64,
    /// How many bands there are. Each is in at least one sample, when there is one.
    #[arg(long, default_value_t = Shape::default().bands, value_parser = clap::value_parser!(u32).range(1..=100_000_000))]
    pub bands: u32,
    /// How much of the bands is in one sample, in per cent; more when it takes more to show each.
    #[arg(long, default_value_t = Shape::default().presence)]
    pub presence: f64,
    /// How much of the bands of a sample is no longer in the next, in per cent.
    #[arg(long, default_value_t = Shape::default().turnover)]
    pub turnover: f64,
    /// How much of the bands of a sample stands elsewhere in the next, in per cent.
    #[arg(long, default_value_t = Shape::default().churn)]
    pub churn: f64,
    /// The shortest label, in bytes; still distinct.
    #[arg(long, default_value_t = Shape::default().label_min)]
    pub label_min: usize,
    /// The longest label, in bytes.
    #[arg(long, default_value_t = Shape::default().label_max)]
    pub label_max: usize,
    /// The time from one sample to the next, in nanoseconds, up to ten seconds.
    #[arg(long, default_value_t = Shape::default().interval, value_parser = clap::value_parser!(u64).range(..=10_000_000_000))]
    pub interval: u64,
}

impl Shape {
    /// How many bands a sample has.
    pub fn present(&self) -> usize {
        let bands = self.bands as usize;
        let asked = (bands as f64 * self.presence / 100.0).round() as usize;
        let enough = u64::from(self.bands).div_ceil(self.samples.max(1)) as usize;
        asked.clamp(enough, bands)
    }

    /// How many values above zero the profile has.
    pub fn points(&self) -> u64 {
        self.samples * self.present() as u64
    }
}

impl Default for Shape {
    /// A small profile whose lines are as long as those of GHC compiling a module, 33 bytes, and whose
    /// bands change places as often.
    fn default() -> Self {
        Shape {
            seed: 1,
            breakdown: Breakdown::ClosureType,
            samples: 500,
            bands: 200,
            presence: 80.0,
            turnover: 2.0,
            churn: 48.0,
            label_min: 6,
            label_max: 48,
            interval: 100_000_000,
        }
    }
}

/// What an event log has besides.
#[derive(Clone, Debug, PartialEq, Eq, Args)]
pub struct LogShape {
    /// How many events about threads there are, over the whole run and all capabilities.
    #[arg(long, default_value_t = LogShape::default().scheduler)]
    pub scheduler: u64,
    /// How many garbage collections there are, each with its twelve events, of which two or three
    /// are heap figures.
    #[arg(long, default_value_t = LogShape::default().collections)]
    pub collections: u64,
    /// How many markers.
    #[arg(long, default_value_t = LogShape::default().markers)]
    pub markers: u64,
    /// How many user messages.
    #[arg(long, default_value_t = LogShape::default().messages)]
    pub messages: u64,
    /// How many capabilities.
    #[arg(long, default_value_t = LogShape::default().capabilities, value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub capabilities: u16,
    /// The most bytes of a block, its marker included. An event that is longer gets a block of its
    /// own.
    #[arg(long, default_value_t = LogShape::default().block, value_parser = clap::value_parser!(u32).range(64..))]
    pub block: u32,
    /// How many cost centres or info tables are defined. Default: twice as many as there are bands
    /// (cost centres), or as many (info tables).
    #[arg(long)]
    pub definitions: Option<u32>,
    /// The deepest stack of cost centres.
    #[arg(long, default_value_t = LogShape::default().depth, value_parser = clap::value_parser!(u8).range(1..))]
    pub depth: u8,
}

impl Default for LogShape {
    /// A program on two cores that was traced with everything.
    fn default() -> Self {
        LogShape {
            scheduler: 50_000,
            collections: 1_000,
            markers: 5,
            messages: 0,
            capabilities: 2,
            block: 2 << 20,
            definitions: None,
            depth: 12,
        }
    }
}
