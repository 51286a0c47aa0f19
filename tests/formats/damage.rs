//! No damaged byte decides a picture: copies of real logs in which a stretch is overwritten with random
//! bytes.
//!
//! A log with the collector's heap figures never shows a peak more than half above the true one,
//! whatever was overwritten. A log without them cannot always be recognised as damaged; the share of
//! wrong peaks must stay below the figure in `docs/formats.md`. `HEAPVIZ_SEEDS=400` damages every log
//! that many times.

use std::collections::HashMap;

use crate::common;
use crate::common::generator::Random;
use crate::common::generator::testing::Log;
use heapviz::incident::WarningCode;
use heapviz::incident::error::Error;
use heapviz::input::{InputOptions, read};
use heapviz::profile::{KeptSamples, Profile};

/// Real logs with the heap figures of every collection.
const WITH_FIGURES: &[&str] = &[
    "ghc-9.0/leak-hy-gc",
    "ghc-9.10/leak-plain-hT-full",
    "stacks/ghc-9.6/parse-hT-gc-N2",
    "odd/killint",
    "stacks/ghc-9.6/parse-hc-gc",
    "stacks/ghc-9.10/parse-hT-gc",
];

/// Logs without them.
const WITHOUT: &[&str] = &[
    "ghc-9.0/leak-hy",
    "ghc-9.0/leak-hc",
    "ghc-9.0/bands-hy",
    "ghc-9.6/leak-hi",
    "ghc-9.6/leak-hb",
    "ghc-9.10/leak-he",
    "ghc-9.10/bands-hd",
    "ghc-9.10/leak-hr",
    "ghc-9.10/leak-nonmoving",
];

/// Of the logs without heap figures, at most this many in a thousand may show a wrong peak.
const WRONG_PER_THOUSAND: usize = 30;

fn seeds() -> usize {
    let asked = std::env::var("HEAPVIZ_SEEDS").ok().and_then(|seeds| seeds.parse().ok());
    asked.unwrap_or(30)
}

fn peak(profile: &Profile) -> u128 {
    let totals = (0..profile.samples().len()).map(|sample| profile.samples().total(sample));
    totals.max().unwrap_or(0)
}

/// Every sample as text, by time.
fn samples(profile: &Profile) -> HashMap<i64, String> {
    let of = |sample: usize| {
        let points = profile.samples().points(sample);
        points
            .map(|(band, size)| format!("{} {}\n", profile.bands().label(band), size.get()))
            .collect()
    };
    let times = profile.samples().times().iter().enumerate();
    times.map(|(sample, time)| (time.as_nanos(), of(sample))).collect()
}

/// A log with 4 to 256 bytes overwritten somewhere in its events.
fn overwritten(log: &[u8], random: &mut Random) -> Vec<u8> {
    let mut damaged = log.to_vec();
    let start = log.windows(4).position(|word| word == b"datb").map_or(0, |at| at + 4);
    let at = start + random.index(log.len() - start);
    let end = log.len().min(at + 4 + random.index(253));
    damaged[at..end].iter_mut().for_each(|byte| *byte = random.index(256) as u8);
    damaged
}

/// The results for the damaged copies of some logs.
#[derive(Debug, Default)]
struct Outcome {
    copies: usize,
    /// Copies with a peak more than half above the true one.
    wrong: Vec<String>,
    /// Copies with a peak below two thirds of the true one.
    low: usize,
    /// Samples that are unchanged, and samples that are not.
    same: usize,
    changed: usize,
    /// Samples lost to the damage.
    lost: usize,
}

fn damage(names: &[&str]) -> Outcome {
    let data = common::real_data();
    let mut outcome = Outcome::default();
    for name in names {
        let log = std::fs::read(data.join(name).with_added_extension("eventlog")).unwrap();
        let sound = read(&log[..], &InputOptions::default()).unwrap();
        assert!(sound.losses().is_empty(), "{name}: {:?}", sound.losses());
        let (truth, whole) = (peak(&sound), samples(&sound));
        for seed in 0..seeds() {
            let mut random = Random::new(1 + seed as u64, "damage");
            let damaged = overwritten(&log, &mut random);
            let Ok(profile) = read(&damaged[..], &InputOptions::default()) else { continue };
            outcome.copies += 1;
            let found = peak(&profile);
            if 2 * found > 3 * truth {
                outcome.wrong.push(format!("{name} {seed}: {found} for {truth}"));
            }
            outcome.low += usize::from(3 * found < 2 * truth);
            let after = samples(&profile);
            let same =
                after.iter().filter(|(time, sample)| whole.get(time) == Some(sample)).count();
            outcome.same += same;
            outcome.changed += after.len() - same;
            outcome.lost += whole.len().saturating_sub(after.len());
        }
    }
    outcome
}

/// Damage to a sample that leaves its framing intact cannot be detected; at most one per copy has it.
fn check(outcome: &Outcome) {
    let all = outcome.same + outcome.changed + outcome.lost;
    eprintln!("lost {} of {all}", outcome.lost);
    assert!(outcome.changed * 2 <= outcome.copies, "{outcome:?}");
    assert!(outcome.lost <= 4 * outcome.copies, "{outcome:?}");
    eprintln!("{outcome:?}");
}

#[test]
fn no_damaged_byte_decides_the_scale_where_the_log_has_heap_figures() {
    let outcome = damage(WITH_FIGURES);
    assert_eq!(outcome.wrong, [""; 0]);
    check(&outcome);
}

#[test]
fn few_damaged_bytes_decide_the_scale_of_logs_without_heap_figures() {
    let outcome = damage(WITHOUT);
    let most = outcome.copies * WRONG_PER_THOUSAND / 1000;
    assert!(outcome.wrong.len() <= most, "{outcome:?}");
    check(&outcome);
}

/// What a log says of the heap beside a sample.
#[derive(Clone, Copy)]
enum Figures {
    None,
    /// The live data, logged by the collection that took the census.
    Own(u64),
    /// The same, without the collection.
    Stray(u64),
}
use Figures::{None as Unknown, Own, Stray};

/// A log with a sample of each size.
fn log_of(flags: &[u8], samples: &[(u64, Figures)]) -> Vec<u8> {
    let mut log = Log::new();
    log.event(30, 1, &[b"\0\0\0\0prog\0+RTS\0-hT\0", flags].concat());
    log.profile_begins(1, 7, 1);
    for (time, &(size, figures)) in (10..).step_by(10).zip(samples) {
        let sample = |log: &mut Log| {
            log.sample(time, b"a", size);
        };
        match figures {
            Figures::None => sample(&mut log),
            Own(live) => {
                log.event(9, time - 1, b"");
                sample(&mut log);
                log.heap(51, time + 1, live).event(53, time + 2, &[0; 58]).event(10, time + 2, b"");
            }
            Stray(live) => {
                sample(&mut log);
                log.heap(51, time + 1, live);
            }
        }
    }
    log.ended()
}

/// The sizes of the samples that are kept of such a log.
fn kept(flags: &[u8], samples: &[(u64, Figures)]) -> Vec<u128> {
    let profile = read(&log_of(flags, samples)[..], &InputOptions::default()).unwrap();
    assert_eq!(profile.losses().samples + profile.samples().len(), samples.len());
    let left_out =
        profile.warnings().iter().filter(|w| w.code == WarningCode::ImpossibleSample).count();
    assert_eq!(left_out, profile.losses().samples.min(5), "each is reported");
    (0..profile.samples().len()).map(|sample| profile.samples().total(sample)).collect()
}

#[test]
fn a_sample_larger_than_the_heap_can_be_is_left_out() {
    let huge = [(800, Unknown), (2 << 40, Unknown), (1600, Unknown)];
    assert_eq!(kept(b"", &huge), [800, 1600]);
    let heaps = [(1 << 40, Unknown), (2 << 40, Unknown), (1 << 40, Unknown)];
    assert_eq!(kept(b"-xr4T\0", &heaps).len(), 3);
}

#[test]
fn a_sample_is_left_out_if_its_own_collection_contradicts_it() {
    let live = Own(100_000);
    assert_eq!(kept(b"", &[(100_000, live), (900_000, live), (130_000, live)]), [100_000, 130_000]);
    // At the edges, too.
    assert_eq!(kept(b"", &[(900_000, live), (100_000, live), (130_000, live)]), [100_000, 130_000]);
    assert_eq!(kept(b"", &[(100_000, live), (130_000, live), (900_000, live)]), [100_000, 130_000]);
    // A peak that it confirms stays.
    let peak = [(100_000, live), (900_000, Own(880_000)), (130_000, live)];
    assert_eq!(kept(b"", &peak), [100_000, 900_000, 130_000]);
}

#[test]
fn figures_of_other_collections_prove_nothing() {
    // Without collections, rarer than censuses, switched off half way.
    let low = Stray(100_000);
    assert_eq!(kept(b"", &[(100_000, low), (900_000, low), (130_000, low)]).len(), 3);
    let rare =
        [(100_000, Own(100_000)), (900_000, Unknown), (400_000, Unknown), (130_000, Own(130_000))];
    assert_eq!(kept(b"", &rare).len(), 4);
    let off = (1..9).map(|i| (1 << (16 + i), if i < 4 { Own(1 << (16 + i)) } else { Unknown }));
    assert_eq!(kept(b"", &off.collect::<Vec<_>>()).len(), 8);
}

#[test]
fn a_sample_like_those_around_it_stays_whatever_its_figures_say() {
    let grows = [(500_000, Own(500_000)), (520_000, Own(3)), (540_000, Own(540_000))];
    assert_eq!(kept(b"", &grows).len(), 3);
}

#[test]
fn without_figures_a_single_residency_that_stands_alone_is_left_out() {
    const MB: u64 = 1 << 20;
    let sizes = |sizes: &[u64]| sizes.iter().map(|&size| (size, Unknown)).collect::<Vec<_>>();
    assert_eq!(kept(b"", &sizes(&[MB, MB, 40 * MB, MB])).len(), 3);
    // Real programs have such peaks, or more samples of them, or end in them.
    assert_eq!(kept(b"", &sizes(&[MB, MB, 20 * MB, MB])).len(), 4);
    assert_eq!(kept(b"", &sizes(&[MB, MB, 40 * MB, 40 * MB, MB])).len(), 5);
    assert_eq!(kept(b"", &sizes(&[MB, MB, MB, 40 * MB])).len(), 4);
    // Runs begin and end with empty samples.
    assert_eq!(kept(b"", &sizes(&[0, 40 * MB, 0])).len(), 3);
}

#[test]
fn impossible_samples_are_kept_on_request() {
    let log = log_of(b"", &[(800, Unknown), (2 << 40, Unknown), (1600, Unknown)]);
    let mut options = InputOptions::default();
    options.limits.samples = KeptSamples::All;
    let profile = read(&log[..], &options).unwrap();
    assert_eq!((profile.samples().len(), profile.losses().samples), (3, 0));
}

#[test]
fn a_log_whose_only_sample_is_impossible_is_refused_with_the_reason() {
    let log = log_of(b"", &[(2 << 40, Unknown)]);
    let profile = read(&log[..], &InputOptions::default()).unwrap();
    let message = Error::NoSamples(profile.no_samples().expect("nothing is left")).to_string();
    assert!(message.contains("is damaged") && message.contains("2 TiB is more"), "{message}");
}

/// A sample string without its end, followed by bytes that are not an event.
#[test]
fn a_phantom_is_not_drawn() {
    let log = std::fs::read(common::data("attack/phantom.eventlog.gz")).unwrap();
    let profile = read(&log[..], &InputOptions::default()).unwrap();
    assert!(peak(&profile) < 10 << 20, "{}", peak(&profile));
    assert_eq!(profile.losses().samples, 1);
}
