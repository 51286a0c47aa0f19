//! Big synthetic profiles: any number of bands and samples, with names and noise like real ones. The
//! same sizes always give the same profile.

use heapviz::base::units::{Bytes, Nanos};
use heapviz::profile::{
    BandKeyRef, Breakdown, CostCentre, HeapSeriesKind, Profile, ProfileBuilder, Source,
};

use super::generator::Random;

/// A profile in which every sample contains every band. Sizes decrease as in real programs, and every
/// value has its own noise, which is the worst case for compression.
pub fn profile(breakdown: Breakdown, bands: usize, samples: usize) -> Profile {
    let mut random = Random::new(1, "synthetic");
    let mut builder = ProfileBuilder::new(Source::Eventlog);
    builder.metadata.job = Some(format!("server --port 8080 +RTS -hi -l ({bands} x {samples})"));
    builder.metadata.rts = Some("GHC-9.10.3 rts_thr".to_owned());
    builder.declare_breakdown(breakdown);
    let keys: Vec<_> =
        (0..bands).map(|band| key(&mut builder, breakdown, band, &mut random)).collect();
    let mut walks: Vec<f64> = (0..bands).map(|band| 4e8 / (band as f64 + 4.0)).collect();
    let mut time = 0;
    for sample in 0..samples {
        time += 100_000_000 + random.below(3_000_000) as i64;
        for (band, walk) in walks.iter_mut().enumerate() {
            // A tenth of the bands leak; the others fluctuate.
            let drift = if band % 10 == 3 { 1.0 + 1.0 / samples as f64 } else { 1.0 };
            *walk *= drift * (0.98 + random.below(4001) as f64 / 100_000.0);
            let size = (*walk * (0.9 + random.below(200) as f64 / 1000.0)) as u64 / 8 * 8;
            let id = match &keys[band] {
                Key::Name(name) => builder.band(BandKeyRef::Name(name)),
                Key::Stack(ids) => builder.band(BandKeyRef::Stack(ids)),
            };
            builder.point(id.expect("below the limits"), Bytes::new(size));
        }
        builder.seal_sample(Nanos::from_nanos(time));
        let total: u64 = walks.iter().map(|walk| *walk as u64).sum();
        let at = Nanos::from_nanos(time);
        builder.heap_point(HeapSeriesKind::Live, at, Bytes::new(total + total / 9));
        builder.heap_point(HeapSeriesKind::Size, at, Bytes::new((total * 2) >> 20 << 20));
        if sample % (samples / 5).max(1) == 0 {
            let label = format!("phase {}", 1 + 5 * sample / samples);
            builder.marker(Nanos::from_nanos(time), label, heapviz::profile::MarkerKind::Marker);
        }
    }
    builder.finish()
}

enum Key {
    Name(Vec<u8>),
    Stack(Vec<u32>),
}

fn key(
    builder: &mut ProfileBuilder,
    breakdown: Breakdown,
    band: usize,
    random: &mut Random,
) -> Key {
    const WORDS: [&str; 16] = [
        "Parser", "Render", "Config", "Session", "Index", "Cache", "Route", "Query", "Schema",
        "Token", "Worker", "Queue", "Store", "Event", "Graph", "Layout",
    ];
    let mut word = || WORDS[random.below(16) as usize];
    let module = format!("App.{}.{}", word(), word());
    let name = format!("{}{}", word().to_lowercase(), word());
    match breakdown {
        Breakdown::InfoTable => {
            let address = 0x40_0000 + 24 * band as u64 + 8 * random.below(3);
            let (line, column) = (random.below(1500), random.below(80));
            let place =
                format!("src/{}.hs:{line}:{column}-{}", module.replace('.', "/"), column + 30);
            let table = format!("{name}_s{:x}_info", random.below(1 << 20));
            let kind = (15 + random.below(6)).to_string();
            let fields = [table.as_str(), &kind, "Map Text Value", &name, &module, &place];
            builder.define_info_table(address, fields.map(str::as_bytes));
            Key::Name(format!("0x{address:x}").into_bytes())
        }
        Breakdown::CostCentre => {
            let own = 1_000_000 + band as u32;
            let place = format!("src/App.hs:{}:3-70", band + 1);
            let centre = CostCentre::new(name, module, place);
            builder.define_cost_centre(own, centre);
            // Innermost first: each band has its own innermost frame, and the others are shared.
            let depth = 2 + random.below(9);
            let ids = (0..depth).map(|level| {
                let outwards = depth - level;
                let id = (random.below(1 + 12 * outwards) + 1000 * outwards) as u32;
                let centre = CostCentre::new(
                    format!("{}{}", WORDS[id as usize % 16].to_lowercase(), id % 97),
                    format!("App.{}", WORDS[id as usize / 16 % 16]),
                    format!("src/App.hs:{}:1-40", id % 1000),
                );
                builder.define_cost_centre(id, centre);
                id
            });
            Key::Stack([own].into_iter().chain(ids).collect())
        }
        _ => Key::Name(format!("{module}.{name}{band}").into_bytes()),
    }
}
