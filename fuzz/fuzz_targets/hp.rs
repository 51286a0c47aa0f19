//! Any bytes as a `.hp`: no panic, the same profile in any chunks, and what the exporter writes is
//! read as the same samples.
#![no_main]

use std::collections::BTreeMap;

use heapviz::export;
use heapviz::profile::{BandId, Clock, Profile, Source};
use heapviz::slice::Slice;
use heapviz_fuzz::{decode, decode_both_ways};
use libfuzzer_sys::fuzz_target;

/// The bands of a sample, points of one band added up.
fn bands(profile: &Profile, sample: usize) -> BTreeMap<BandId, u64> {
    let mut bands = BTreeMap::new();
    for (band, size) in profile.samples().points(sample) {
        let sum: &mut u64 = bands.entry(band).or_default();
        *sum = sum.saturating_add(size.get());
    }
    bands
}

fuzz_target!(|data: &[u8]| {
    let Some(first) = decode_both_ways(data, Source::Hp) else { return };
    let mut text = Vec::new();
    export::hp::write(&Slice::whole(&first), &mut text).unwrap();
    let second = decode(&text, Source::Hp, || text.len()).unwrap();
    assert_eq!(second.warnings(), []);
    assert_eq!(first.samples().len(), second.samples().len());
    if first.clock() == Clock::Mutator {
        assert_eq!(first.samples().times(), second.samples().times());
    }
    let sizes = |bands: BTreeMap<BandId, u64>| {
        let mut sizes: Vec<u64> = bands.into_values().collect();
        sizes.sort_unstable();
        sizes
    };
    for sample in 0..first.samples().len() {
        assert_eq!(sizes(bands(&first, sample)), sizes(bands(&second, sample)));
    }
});
