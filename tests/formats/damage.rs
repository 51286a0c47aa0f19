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
use heapviz::incident::error::Error;
use heapviz::input::{InputOptions, read};
use heapviz::profile::Profile;

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

/// A log with a sample of each size, and the figure of the live heap after each, if it is given.
fn log_of(flags: &[u8], samples: &[(u64, Option<u64>)]) -> Profile {
    let mut log = Log::new();
    log.event(30, 1, &[b"\0\0\0\0prog\0+RTS\0-hT\0", flags].concat());
    log.profile_begins(1, 7, 1);
    for (time, &(size, live)) in (2..).step_by(2).zip(samples) {
        log.sample(time, b"a", size);
        if let Some(live) = live {
            log.heap(51, time + 1, live);
        }
    }
    read(&log.ended()[..], &InputOptions::default()).unwrap()
}

#[test]
fn a_sample_larger_than_the_heap_can_be_is_left_out() {
    let huge = [(800, None), (2 << 40, None), (1600, None)];
    let profile = log_of(b"", &huge);
    assert_eq!((profile.samples().len(), peak(&profile)), (2, 1600));
    assert_eq!(profile.losses().samples, 1);
    assert_eq!(log_of(b"-xr4T\0", &huge).samples().len(), 3);
}

#[test]
fn a_sample_of_a_small_heap_is_compared_with_its_live_data() {
    let live = Some(100_000);
    let profile = log_of(b"", &[(100_000, live), (900_000, live), (130_000, live)]);
    assert_eq!((profile.samples().len(), peak(&profile)), (2, 130_000));
}

#[test]
fn a_log_whose_only_sample_is_impossible_is_refused_with_the_reason() {
    let profile = log_of(b"", &[(2 << 40, None)]);
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
