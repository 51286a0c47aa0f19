//! Charts made for tests: profiles given to the builder fact by fact, then ranked and charted like
//! real ones.

use crate::base::units::Nanos;
use crate::chart::{Chart, MarkerKind};
use crate::profile::{Breakdown, Profile, ProfileBuilder, Source};
use crate::slice::rank::RankOptions;

/// What a test chart is made from; `size(band, sample)` is a residency in bytes.
pub struct Recipe<'a> {
    pub job: &'a str,
    pub names: Vec<String>,
    pub times: Vec<i64>,
    pub breakdown: Breakdown,
    pub markers: &'a [(i64, &'a str)],
    pub rank: RankOptions,
}

impl Default for Recipe<'_> {
    fn default() -> Self {
        Recipe {
            job: "Test.prof +RTS -hy -l",
            names: Vec::new(),
            times: Vec::new(),
            breakdown: Breakdown::Type,
            markers: &[],
            rank: RankOptions { trace_percent: 0.0, band_limit: None, ..RankOptions::default() },
        }
    }
}

impl Recipe<'_> {
    /// Bands with made-up names, and samples 20 ms apart.
    pub fn of(bands: usize, samples: usize) -> Self {
        Recipe { names: names(bands), times: times(samples), ..Recipe::default() }
    }

    pub fn chart(&self, size: impl Fn(usize, usize) -> u64) -> Chart {
        let profile = self.profile(size);
        Chart::of_profile(&profile, &self.rank)
    }

    pub fn profile(&self, size: impl Fn(usize, usize) -> u64) -> Profile {
        let mut builder = ProfileBuilder::new(Source::Eventlog);
        builder.metadata.job = Some(self.job.to_owned());
        builder.declare_breakdown(self.breakdown);
        for (sample, &time) in self.times.iter().enumerate() {
            builder.sample(
                time,
                self.names.iter().enumerate().map(|(band, name)| (name, size(band, sample))),
            );
        }
        for (time, label) in self.markers {
            let time = Nanos::from_nanos(*time);
            builder.marker(time, (*label).to_owned(), MarkerKind::Marker);
        }
        builder.finish()
    }
}

/// `count` sample times, 20 ms apart.
pub fn times(count: usize) -> Vec<i64> {
    (1..=count as i64).map(|i| i * 20_000_000).collect()
}

/// `count` made-up names.
pub fn names(count: usize) -> Vec<String> {
    (0..count).map(|i| format!("Module.Sub{}.function{i}", i % 7)).collect()
}

/// A chart of some bands and samples with sizes that go up and down.
pub fn wavy(bands: usize, samples: usize) -> Chart {
    Recipe::of(bands, samples).chart(|band, sample| {
        let wave = ((sample + 13 * band) % 40) as u64;
        (1000 * (band as u64 + 1)) * (20 + wave.min(40 - wave))
    })
}

/// A chart of three samples whose bands have these names.
pub fn chart_of_names<S: AsRef<str>>(names: &[S]) -> Chart {
    let names = names.iter().map(|name| name.as_ref().to_owned()).collect();
    Recipe { names, ..Recipe::of(0, 3) }
        .chart(|band, sample| 1 << 20 | (1000 * band + 77 * sample) as u64)
}

pub fn biography() -> Chart {
    let names = crate::profile::BIOGRAPHY.map(str::to_owned).to_vec();
    Recipe { names, breakdown: Breakdown::Biography, ..Recipe::of(0, 5) }
        .chart(|band, sample| 1000 * (band + 2 * sample + 1) as u64)
}
