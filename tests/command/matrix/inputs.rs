//! Valid inputs with an extreme number of one thing, as an attacker would make them.

use crate::common::command::hp;
use crate::common::generator::testing::Log;

pub struct Sizes {
    /// Bands, of which each sample contains a few.
    pub bands: usize,
    /// The samples of those bands.
    pub sparse_samples: usize,
    /// Samples of three bands.
    pub samples: usize,
    /// Markers and messages.
    pub markers: usize,
    /// Stacks of 255 cost centres.
    pub stacks: usize,
    /// Names of `label_bytes`.
    pub labels: usize,
    /// The length of each.
    pub label_bytes: usize,
}

/// The sizes for the daily run.
pub const SMALL: Sizes = Sizes {
    bands: 20_000,
    sparse_samples: 1_000,
    samples: 20_000,
    markers: 20_000,
    stacks: 300,
    labels: 20,
    label_bytes: 100_000,
};

/// The sizes for which `docs/reference.md` makes a promise.
pub const FULL: Sizes = Sizes {
    bands: 60_000,
    sparse_samples: 3_000,
    samples: 300_000,
    markers: 500_000,
    stacks: 6_080,
    labels: 64,
    label_bytes: 900_000,
};

/// An input: what it has many of, the name of its file, its bytes.
pub type Input = (&'static str, &'static str, Vec<u8>);

/// Makes one input after another, so that two are never in memory together.
pub fn each(sizes: &Sizes, mut take: impl FnMut(Input)) {
    take(("bands", "bands.hp", bands(sizes)));
    take(("samples", "samples.hp", samples(sizes)));
    take(("markers", "markers.eventlog", markers(sizes)));
    take(("stacks", "stacks.eventlog", stacks(sizes)));
    take(("labels", "labels.hp", labels(sizes)));
}

/// Each band is in one sample: a dense table of them would be almost all zeros.
fn bands(sizes: &Sizes) -> Vec<u8> {
    let each = sizes.bands.div_ceil(sizes.sparse_samples);
    let row = |band| format!("pkg:Module.Con{band}\t{}\n", 16 + 8 * (band * 7919 % 1009));
    let bands = |sample| (sample * each..sizes.bands.min((sample + 1) * each)).map(row).collect();
    hp((0..sizes.sparse_samples).map(|sample| (sample as f64, bands(sample)))).into_bytes()
}

fn samples(sizes: &Sizes) -> Vec<u8> {
    let row = |sample: usize, band: usize| {
        format!("b{band}\t{}\n", 4096 + 8 * (sample * (band + 1) % 10_007))
    };
    let rows = |sample| (0..3).map(|band| row(sample, band)).collect();
    hp((0..sizes.samples).map(|sample| (sample as f64, rows(sample)))).into_bytes()
}

fn markers(sizes: &Sizes) -> Vec<u8> {
    let mut log = Log::new();
    log.profile_begins(1, 7, 1_000);
    for i in 0..sizes.markers as u64 {
        let tag = if i % 2 == 0 { 58 } else { 19 };
        log.event(tag, 10 * i + 2, format!("phase {i} of the run").as_bytes());
    }
    for sample in 0..20 {
        let time = 10 * sample * sizes.markers as u64 / 20 + 5;
        log.begin(time);
        log.string(time, b"Map", 4096 + 64 * (sample % 7));
        log.end(time);
    }
    log.ended()
}

/// All different, and as deep as the format allows.
fn stacks(sizes: &Sizes) -> Vec<u8> {
    let mut log = Log::new();
    log.profile_begins(1, 1, 1_000);
    for id in 0..512 {
        let label = format!("function{id}");
        log.cost_centre(1, id, [label.as_bytes(), b"Some.Module", b"src/Some/Module.hs:1:1-9"], 0);
    }
    for sample in 0..4 {
        log.begin(10 + sample);
        for stack in 0..sizes.stacks as u64 {
            let ids: Vec<u32> = (0..255)
                .map(|depth| ((stack * 7919 + depth * (1 + stack % 31)) % 512) as u32)
                .collect();
            log.stack(10 + sample, &ids, 64 * (1 + stack % 97));
        }
        log.end(10 + sample);
    }
    log.ended()
}

fn labels(sizes: &Sizes) -> Vec<u8> {
    let row = |label| format!("L{label}.{}\t{}\n", "x".repeat(sizes.label_bytes), 800 + 8 * label);
    hp([0.0, 1.0].map(|time| (time, (0..sizes.labels).map(row).collect()))).into_bytes()
}
