//! Round trips of arbitrary profiles, arbitrary chunks, every prefix.

use std::collections::BTreeMap;
use std::path::Path;

use heapviz::base::units::Nanos;
use heapviz::decode::Decoder;
use heapviz::export;
use heapviz::incident::error::Error;
use heapviz::incident::{Condition, WarningCode};
use heapviz::profile::{
    Breakdown, Clock, HeapSeriesKind, KeptSamples, Limits, MarkerKind, Profile, ProfileBuilder,
    Source,
};
use heapviz::slice::Slice;
use proptest::collection::{btree_set, vec};
use proptest::prelude::*;

use crate::common::generator::testing::Log;

/// Decodes in chunks of these lengths, repeated as needed.
pub fn decode(bytes: &[u8], source: Source, chunks: &[usize]) -> Result<Profile, Error> {
    let mut pair = Pair::new(source);
    let mut rest = bytes;
    for &length in chunks.iter().cycle() {
        if rest.is_empty() {
            break;
        }
        let (chunk, left) = rest.split_at(length.min(rest.len()));
        pair.feed(chunk)?;
        rest = left;
    }
    pair.finish()
}

/// A decoder and the profile that it builds.
#[derive(Clone)]
struct Pair {
    decoder: Decoder,
    builder: ProfileBuilder,
}

impl Pair {
    fn new(source: Source) -> Self {
        // Arbitrary samples may look impossible.
        let mut limits = Limits::default();
        limits.samples = KeptSamples::All;
        let builder = ProfileBuilder::with_limits(source, limits);
        Pair { decoder: Decoder::new(source), builder }
    }

    fn feed(&mut self, bytes: &[u8]) -> Result<(), Error> {
        self.decoder.feed(bytes, &mut self.builder)
    }

    fn finish(mut self) -> Result<Profile, Error> {
        self.decoder.finish(&mut self.builder)?;
        Ok(self.builder.finish())
    }
}

type Sample = (i64, Vec<(Vec<u8>, u64)>);

/// Every sample: its time, and the name and size of every point.
fn samples(profile: &Profile) -> Vec<Sample> {
    let times = profile.samples().times().iter().enumerate();
    times
        .map(|(i, time)| {
            let points = profile.samples().points(i);
            let points =
                points.map(|(band, size)| (profile.bands().name(band).to_vec(), size.get()));
            (time.as_nanos(), points.collect())
        })
        .collect()
}

/// All of the decoded data, as text.
fn everything(profile: &Profile) -> String {
    let facts = (profile.condition(), profile.breakdown(), profile.metadata(), samples(profile));
    let labels = profile.bands().labels().collect::<Vec<_>>();
    let others = (profile.markers(), profile.heap(), profile.info_tables());
    format!("{facts:?} {labels:?} {others:?} {:?} {:?}", profile.warnings(), profile.losses())
}

/// The content of an event log whose bands are names.
#[derive(Debug)]
struct Model {
    names: Vec<Vec<u8>>,
    /// The distance from the previous sample, and (band, size) of every point.
    samples: Vec<(u64, Vec<(prop::sample::Index, u64)>)>,
    markers: Vec<(u64, String)>,
    heap: Vec<(u64, u64)>,
    /// The number of events in a block.
    block: usize,
}

fn models() -> impl Strategy<Value = Model> {
    let name = vec(1..=255u8, 0..40);
    let size = 0..1u64 << 36;
    let sample = (0..5_000_000_000u64, vec((any::<prop::sample::Index>(), size), 0..12));
    (
        btree_set(name, 1..12),
        vec(sample, 0..12),
        vec((0..1u64 << 40, ".{0,20}"), 0..6),
        vec((0..1u64 << 40, 1u64 << 45..1 << 46), 0..6),
        1..20usize,
    )
        .prop_map(|(names, samples, markers, heap, block)| Model {
            names: names.into_iter().collect(),
            samples,
            markers,
            heap,
            block,
        })
}

/// The expected samples of the model, and its log.
fn log_of(model: &Model) -> (Vec<Sample>, Vec<u8>) {
    let mut log = Log::new();
    log.open(0, 0);
    let mut last = 0;
    for (time, text) in &model.markers {
        last = last.max(*time);
        log.event(58, *time, text.as_bytes());
    }
    for (time, bytes) in &model.heap {
        last = last.max(*time);
        log.heap(50, *time, *bytes);
    }
    log.close(last);
    let mut expected = Vec::new();
    let mut now = 0;
    log.open(0, 0xFFFF);
    log.profile_begins(0, 4, 100);
    let mut events = 0;
    let mut count = |log: &mut Log, now| {
        events += 1;
        if events % model.block == 0 {
            log.close(now);
            log.open(now, 0xFFFF);
        }
    };
    for (step, points) in &model.samples {
        now += step;
        log.begin(now);
        count(&mut log, now);
        let mut sample = Vec::new();
        for (index, size) in points {
            let name = index.get(&model.names);
            log.string(now, name, *size);
            count(&mut log, now);
            sample.push((name.clone(), *size));
        }
        log.end(now);
        count(&mut log, now);
        expected.push((now as i64, sample));
    }
    log.close(now);
    (expected, log.ended())
}

/// Whether the sum of the points of one band exceeds 64 bits.
fn leaves_64_bits(points: &[(Vec<u8>, u64)]) -> bool {
    let mut sums: BTreeMap<&[u8], u128> = BTreeMap::new();
    for (name, size) in points {
        *sums.entry(name).or_default() += u128::from(*size);
    }
    sums.into_values().any(|sum| sum > u128::from(u64::MAX))
}

/// 128 cases, or the number in `PROPTEST_CASES`.
fn config() -> ProptestConfig {
    let config = ProptestConfig { failure_persistence: None, ..ProptestConfig::default() };
    match std::env::var_os("PROPTEST_CASES") {
        Some(_) => config,
        None => ProptestConfig { cases: 128, ..config },
    }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn a_profile_survives_a_round_trip_through_an_event_log(
        model in models(),
        chunks in vec(1..200usize, 1..8),
    ) {
        let (expected, log) = log_of(&model);
        let profile = decode(&log, Source::Eventlog, &[usize::MAX]).unwrap();
        let huge = expected.iter().any(|(_, points)| leaves_64_bits(points));
        prop_assert_eq!(samples(&profile), expected);
        prop_assert_eq!(profile.condition(), Condition::Whole);
        prop_assert_eq!(profile.breakdown(), Breakdown::Type);
        let warned: Vec<WarningCode> = profile.warnings().iter().map(|w| w.code).collect();
        prop_assert_eq!(warned, if huge { vec![WarningCode::ClampedValue] } else { vec![] });
        prop_assert!(profile.losses().is_empty());
        let mut markers = model.markers.clone();
        markers.sort_by_key(|marker| marker.0);
        let found: Vec<_> =
            profile.markers().iter().map(|m| (m.time.as_nanos() as u64, m.label.clone())).collect();
        prop_assert_eq!(found, markers);
        let mut heap = model.heap.clone();
        heap.sort_by_key(|point| point.0);
        let points = profile.heap()[HeapSeriesKind::Size].points.iter();
        let found: Vec<_> = points.map(|(t, b)| (t.as_nanos() as u64, b.get())).collect();
        prop_assert_eq!(found, heap);
        let chunked = decode(&log, Source::Eventlog, &chunks).unwrap();
        prop_assert_eq!(everything(&chunked), everything(&profile));
    }

    #[test]
    fn a_profile_of_stacks_survives_a_round_trip(
        centres in vec(("[a-zA-Z.λ]{1,12}", "[A-Z][a-z]{0,5}", any::<bool>()), 1..8),
        points in vec((vec(any::<prop::sample::Index>(), 0..255), 0..1u64 << 36), 0..20),
    ) {
        let mut log = Log::new();
        log.profile_begins(0, 1, 0);
        log.begin(5);
        let mut expected = Vec::new();
        for (stack, size) in &points {
            let ids: Vec<u32> = stack.iter().map(|id| id.index(centres.len()) as u32).collect();
            log.stack(5, &ids, *size);
            let labels: Vec<&str> = ids.iter().map(|&id| centres[id as usize].0.as_str()).collect();
            let text = if ids.is_empty() { "MAIN".to_owned() } else { labels.join("/") };
            expected.push((text.into_bytes(), *size));
        }
        log.end(5);
        for (id, (label, module, caf)) in centres.iter().enumerate() {
            let flags = if *caf { 99 } else { 0 };
            log.cost_centre(6, id as u32, [label.as_bytes(), module.as_bytes(), b"a:1"], flags);
        }
        let profile = decode(&log.ended(), Source::Eventlog, &[usize::MAX]).unwrap();
        prop_assert_eq!(samples(&profile), vec![(5, expected)]);
        let caf = |id: usize| profile.cost_centres().get(id as u32).map(|centre| centre.is_caf);
        for (id, centre) in centres.iter().enumerate() {
            prop_assert_eq!(caf(id), Some(centre.2));
        }
    }

    #[test]
    fn a_profile_survives_a_round_trip_through_a_hp(
        names in btree_set("[!#-~é][!-~é]{0,30}", 1..10),
        samples_of in vec(
            (0..5_000_000_000i64, vec((any::<prop::sample::Index>(), any::<u64>()), 0..10)),
            1..10,
        ),
        marks in vec(0..10_000_000_000i64, 0..4),
        job in "[ -~é]{0,40}",
        chunks in vec(1..100usize, 1..8),
    ) {
        let keyword = |name: &String| ["JOB", "DATE", "MARK"].contains(&name.as_str());
        let names: Vec<String> = names.into_iter().filter(|name| !keyword(name)).collect();
        prop_assume!(!names.is_empty());
        let mut builder = ProfileBuilder::new(Source::Hp);
        builder.metadata.job = Some(job.clone());
        let mut now = 0;
        for (step, points) in &samples_of {
            now += step;
            // Each band once, because the exporter adds up repeated points.
            let points: BTreeMap<&String, u64> =
                points.iter().map(|(index, size)| (index.get(&names), *size)).collect();
            builder.sample(now, points);
        }
        for &time in &marks {
            builder.marker(Nanos::from_nanos(time), String::new(), MarkerKind::Marker);
        }
        let profile = builder.finish();
        prop_assert_eq!(profile.clock(), Clock::Mutator);
        let mut text = Vec::new();
        export::hp::write(&Slice::whole(&profile), &mut text).unwrap();
        let again = decode(&text, Source::Hp, &chunks).unwrap();
        prop_assert_eq!(samples(&again), samples(&profile));
        prop_assert_eq!(&again.markers(), &profile.markers());
        prop_assert_eq!(again.metadata().job.as_deref(), Some(job.as_str()));
        prop_assert_eq!(&again.warnings()[..], []);
        prop_assert!(again.losses().is_empty());
    }

    #[test]
    fn any_text_reads_the_same_in_any_chunks(
        words in vec(
            prop_oneof![
                "(JOB|DATE|SAMPLE_UNIT|VALUE_UNIT) \"[a-c \"\\\\]{0,8}\"",
                "(BEGIN_SAMPLE|END_SAMPLE|MARK) [0-9]{1,2}(\\.[0-9]{1,3})?",
                "[a-c\" ]{0,6}[ \t][0-9]{1,4}",
                "[ -~]{0,8}",
            ],
            0..24,
        ),
        ends in vec(prop_oneof![Just("\n"), Just("\r\n"), Just(" "), Just("\t"), Just("\"")], 24),
        chunks in vec(1..40usize, 1..8),
    ) {
        let text: String = words.iter().zip(&ends).flat_map(|(word, end)| [word, *end]).collect();
        prop_assume!(!text.is_empty());
        let [whole, chunked] = [&[usize::MAX][..], &chunks]
            .map(|chunks| decode(text.as_bytes(), Source::Hp, chunks).unwrap());
        prop_assert_eq!(everything(&chunked), everything(&whole));
    }

    #[test]
    fn a_damaged_file_reads_the_same_in_any_chunks(
        name in prop::sample::select(
            "leak-hy.eventlog leak-hc.eventlog uni-hc.eventlog leak-hb.eventlog leak-hd.hp \
             bands-hy.hp leak-hr.hp leak-hy.hp".split(' ').collect::<Vec<_>>(),
        ),
        bytes in vec((any::<prop::sample::Index>(), prop::sample::select(&b"\0\x01\xFF\n\t \"9B"[..])), 1..7),
        cut in 0..60usize,
        chunks in vec(prop_oneof![1..300usize, 1..70_000usize], 1..8),
    ) {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples").join(name);
        let mut damaged = std::fs::read(path).expect("a sample");
        damaged.truncate(damaged.len().min(30_000) - cut);
        bytes.iter().for_each(|(at, byte)| *at.get_mut(&mut damaged) = *byte);
        let source = if name.ends_with(".hp") { Source::Hp } else { Source::Eventlog };
        let [whole, chunked] = [&[usize::MAX][..], &chunks].map(|chunks| {
            decode(&damaged, source, chunks).map(|profile| everything(&profile))
        });
        prop_assert!(chunked == whole, "{:?}", chunks);
    }
}

/// Cuts a file at every byte: the samples must be the first ones of the complete file.
///
/// The decoder is cloned before every byte, so that this does not take quadratic time.
fn every_prefix(name: &str, source: Source) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples").join(name);
    let bytes = std::fs::read(path).expect("a sample");
    let points = |profile: &Profile| -> Vec<(i64, Vec<(usize, u64)>)> {
        let times = profile.samples().times().iter().enumerate();
        let of = |i| profile.samples().points(i).map(|(b, s)| (b.index(), s.get())).collect();
        times.map(|(i, time)| (time.as_nanos(), of(i))).collect()
    };
    let whole = points(&decode(&bytes, source, &[usize::MAX]).expect("a profile"));
    assert!(whole.len() > 2, "{name}");
    let mut pair = Pair::new(source);
    let mut most = 0;
    for (at, byte) in bytes.iter().enumerate() {
        match pair.clone().finish() {
            Ok(prefix) => {
                let some = points(&prefix);
                assert_eq!(some[..], whole[..some.len()], "{name} cut at {at}");
                assert!(some.len() >= most, "{name} cut at {at} has fewer samples than before");
                assert_ne!(prefix.condition(), Condition::Damaged, "{name} cut at {at}");
                most = some.len();
            }
            Err(Error::Empty | Error::HeaderCut { .. }) => assert_eq!(most, 0, "{name}"),
            Err(error) => panic!("{name} cut at {at}: {error}"),
        }
        pair.feed(&[*byte]).expect("a good file");
    }
    assert_eq!(points(&pair.finish().expect("the whole")), whole);
}

#[test]
fn every_prefix_of_a_file_is_a_prefix_of_its_samples() {
    std::thread::scope(|threads| {
        for (name, source) in [
            ("uni-hc.eventlog", Source::Eventlog),
            ("leak-he.eventlog", Source::Eventlog),
            ("leak-hb.eventlog", Source::Eventlog),
            ("leak-hr.hp", Source::Hp),
            ("leak-hm.hp", Source::Hp),
        ] {
            threads.spawn(move || every_prefix(name, source));
        }
    });
}
