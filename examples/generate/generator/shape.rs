//! The shape of a generated profile.

use clap::{Args, ValueEnum};

/// The kind of bands in a profile.
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
    /// The kind of bands.
    #[arg(long, value_enum, default_value_t = Shape::default().breakdown)]
    pub breakdown: Breakdown,
    /// The number of samples with bands. A .hp gets an additional empty one at each end, as GHC writes it.
    #[arg(long, default_value_t = Shape::default().samples, value_parser = clap::value_parser!(u64).range(..=1_000_000_000))]
    pub samples: u64,
    /// The number of bands. Each is in at least one sample, if there are samples.
    #[arg(long, default_value_t = Shape::default().bands, value_parser = clap::value_parser!(u32).range(1..=100_000_000))]
    pub bands: u32,
    /// The share of the bands in each sample, in per cent; higher if needed to show every band.
    #[arg(long, default_value_t = Shape::default().presence)]
    pub presence: f64,
    /// The share of a sample's bands that are not in the next sample, in per cent.
    #[arg(long, default_value_t = Shape::default().turnover)]
    pub turnover: f64,
    /// The share of a sample's bands that have moved in the next sample, in per cent.
    #[arg(long, default_value_t = Shape::default().churn)]
    pub churn: f64,
    /// The shortest label, in bytes; labels remain distinct.
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
    /// The number of bands in a sample.
    pub fn present(&self) -> usize {
        let bands = self.bands as usize;
        let asked = (bands as f64 * self.presence / 100.0).round() as usize;
        let enough = u64::from(self.bands).div_ceil(self.samples.max(1)) as usize;
        asked.clamp(enough, bands)
    }

    /// The number of values above zero in the profile.
    pub fn points(&self) -> u64 {
        self.samples * self.present() as u64
    }
}

impl Default for Shape {
    /// A small profile. Its lines are as long as those of GHC compiling a module, 33 bytes, and its bands
    /// move as often.
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

/// The other content of an event log.
#[derive(Clone, Debug, PartialEq, Eq, Args)]
pub struct LogShape {
    /// The number of events about threads, over the complete run and all capabilities.
    #[arg(long, default_value_t = LogShape::default().scheduler)]
    pub scheduler: u64,
    /// The number of garbage collections, each with its twelve events, of which two or three are heap
    /// figures.
    #[arg(long, default_value_t = LogShape::default().collections)]
    pub collections: u64,
    /// The number of markers.
    #[arg(long, default_value_t = LogShape::default().markers)]
    pub markers: u64,
    /// The number of user messages.
    #[arg(long, default_value_t = LogShape::default().messages)]
    pub messages: u64,
    /// The number of capabilities.
    #[arg(long, default_value_t = LogShape::default().capabilities, value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub capabilities: u16,
    /// The most bytes in a block, including its marker. A longer event gets its own block.
    #[arg(long, default_value_t = LogShape::default().block, value_parser = clap::value_parser!(u32).range(64..))]
    pub block: u32,
    /// The number of cost centres or info tables that are defined. Default: twice the number of bands (cost
    /// centres), or the number of bands (info tables).
    #[arg(long)]
    pub definitions: Option<u32>,
    /// The deepest stack of cost centres.
    #[arg(long, default_value_t = LogShape::default().depth, value_parser = clap::value_parser!(u8).range(1..))]
    pub depth: u8,
}

impl Default for LogShape {
    /// A program on two cores, traced with all event classes.
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
