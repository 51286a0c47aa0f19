//! Random heaps, and heaps with a leak, to measure how often the verdict is wrong.
//!
//! Seeds are fixed, so the figures are the same on every machine; `docs/diagnosis.md` has them. The
//! bounds are the measured values with a small margin. By default a tenth of the heaps of most kinds are
//! judged, for which the same bounds must hold; `HEAPVIZ_SEEDS=500` judges all of them.

use super::growing;
use crate::analysis::{Account, Analysis, Leak};
use crate::slice::Slice;

/// A generator of random numbers (SplitMix64).
pub struct Chance(pub u64);

impl Chance {
    pub fn even(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
    }

    /// A nearly normal number, computed only with additions: the sum of twelve uniform numbers.
    pub fn normal(&mut self) -> f64 {
        (0..12).map(|_| self.even()).sum::<f64>() - 6.0
    }
}

pub type Band = Vec<f64>;

/// A band of `n` samples with noise; `of` gives its size at a place in the run from 0 to 1.
pub fn shape(chance: &mut Chance, n: usize, noise: f64, of: impl Fn(f64) -> f64) -> Band {
    (0..n).map(|i| of(i as f64 / n as f64) + noise * chance.normal()).collect()
}

pub fn walk(chance: &mut Chance, n: usize) -> Band {
    let mut at = 1e6f64;
    let steps = (0..n).map(|_| {
        at = (at + 3e4 * chance.normal()).abs();
        at
    });
    steps.collect()
}

fn bounded_walk(chance: &mut Chance, n: usize) -> Band {
    let mut at = chance.even();
    let step = 0.02 + 0.08 * chance.even();
    let steps = (0..n).map(|_| {
        at += step * (100.0 / n as f64).sqrt() * chance.normal();
        at = if at > 1.0 { 2.0 - at } else { at.abs() };
        2e5 + 1e6 * at
    });
    steps.collect()
}

pub fn autoregression(chance: &mut Chance, n: usize, memory: f64, step: f64) -> Band {
    let mut at = 0.0;
    let steps = (0..n).map(|_| {
        at = memory * at + step * chance.normal();
        1e6 + at
    });
    steps.collect()
}

pub fn sawtooth(chance: &mut Chance, n: usize, teeth: f64, leak: f64) -> Band {
    let phase = chance.even();
    shape(chance, n, 1e4, |x| 3e5 + 1e6 * (x * teeth + phase).fract() + 1e6 * leak * x)
}

fn random_sawtooth(chance: &mut Chance, n: usize) -> Band {
    let teeth = 3.0 + 9.0 * chance.even();
    sawtooth(chance, n, teeth, 0.0)
}

fn late_plateau(chance: &mut Chance, n: usize) -> Band {
    shape(chance, n, 5e3, |x| 2e5 + 1e6 * (x / 0.8).min(1.0))
}

fn step(chance: &mut Chance, n: usize) -> Band {
    let (at, height) = (0.2 + 0.7 * chance.even(), 5e5 * chance.even());
    shape(chance, n, 2e4, |x| 2e5 + if x > at { height } else { 0.0 })
}

fn burst(chance: &mut Chance, n: usize) -> Band {
    let at = 0.75 + 0.2 * chance.even();
    shape(chance, n, 1e4, |x| 2e5 + 3e6 * (x - at).max(0.0))
}

fn spikes(chance: &mut Chance, n: usize) -> Band {
    let mut band = shape(chance, n, 2e4, |_| 5e5);
    band.iter_mut().for_each(|value| {
        if chance.even() < 0.03 {
            *value += 1e6 * chance.even();
        }
    });
    band
}

/// Twelve bands, each of which rises as the previous one falls.
pub fn migration(chance: &mut Chance, n: usize) -> Vec<Band> {
    (0..12)
        .map(|k| {
            let middle = f64::from(k) / 11.0;
            shape(chance, n, 5e3, |x| 1e6 * (1.0 - 3.0 * (x - middle).abs()).max(0.0))
        })
        .collect()
}

/// The verdict over the bands of a whole run.
fn judged(bands: &[Band]) -> Account {
    let names: Vec<String> = (0..bands.len()).map(|band| format!("band {band}")).collect();
    let bands: Vec<(&str, &[f64])> =
        names.iter().zip(bands).map(|(name, band)| (&**name, &band[..])).collect();
    Analysis::account_of(&Slice::whole(&growing(&bands, 0.05).finish()), &[])
}

/// A kind of random heap: how it is made, and how many percent of its heaps are accused with 20, 30, 100 and 1 000 samples:
/// of a healthy heap at most, of one that leaks at least.
struct Kind {
    name: &'static str,
    heap: fn(&mut Chance, usize) -> Vec<Band>,
    percent: [u64; 4],
}

const SAMPLES: [usize; 4] = [20, 30, 100, 1000];

/// How many heaps to judge where all of them are `full`: none of the tests has more than 500.
fn heaps(full: u64) -> u64 {
    let asked = std::env::var("HEAPVIZ_SEEDS").ok().and_then(|seeds| seeds.parse().ok());
    (full * asked.unwrap_or(50) / 500).max(full.min(10))
}

fn heaps_of(samples: usize) -> u64 {
    heaps(if samples > 100 { 100 } else { 400 })
}

/// How many percent of the heaps of a kind are accused with each number of samples.
fn accused(kind: &Kind) -> [u64; 4] {
    let percent = SAMPLES.map(|n| {
        let seeds = heaps_of(n);
        let is_guilty = |seed: &u64| {
            let bands = (kind.heap)(&mut Chance(seed * 7919 + n as u64), n);
            judged(&bands).leak >= Leak::Possible
        };
        100 * (0..seeds).filter(is_guilty).count() as u64 / seeds
    });
    println!("{}: {percent:?} % of heaps with {SAMPLES:?} samples are accused", kind.name);
    percent
}

fn ten(of: fn(&mut Chance, usize) -> Band, chance: &mut Chance, n: usize) -> Vec<Band> {
    (0..10).map(|_| of(chance, n)).collect()
}

fn bounded(chance: &mut Chance, n: usize, tau: f64, noise: f64) -> Vec<Band> {
    vec![shape(chance, n, noise, |x| 2e5 + 1e6 * (1.0 - libm::exp(-x / tau)))]
}

/// A heap in so many steps at random places, which are as high as each other or not, and level between them.
fn steps(chance: &mut Chance, n: usize, count: usize, noise: f64) -> Vec<Band> {
    let steps: Vec<(f64, f64)> =
        (0..count).map(|_| (chance.even(), 5e4 + 5e5 * chance.even())).collect();
    let height = |x: f64| steps.iter().filter(|step| step.0 < x).map(|step| step.1).sum::<f64>();
    vec![shape(chance, n, noise, |x| 2e5 + height(x))]
}

#[rustfmt::skip]
const HEALTHY: [Kind; 26] = [
    Kind { name: "a random walk", heap: |c, n| vec![walk(c, n)], percent: [2, 2, 2, 2] },
    Kind { name: "a walk between bounds", heap: |c, n| vec![bounded_walk(c, n)], percent: [2, 2, 2, 2] },
    Kind { name: "AR(0.9) noise", heap: |c, n| vec![autoregression(c, n, 0.9, 5e4)], percent: [2, 2, 2, 2] },
    Kind { name: "AR(0.98) noise", heap: |c, n| vec![autoregression(c, n, 0.98, 2e4)], percent: [2, 2, 2, 2] },
    Kind { name: "ten random walks", heap: |c, n| ten(walk, c, n), percent: [4, 4, 4, 4] },
    Kind { name: "a sawtooth", heap: |c, n| vec![random_sawtooth(c, n)], percent: [3, 3, 2, 2] },
    Kind { name: "ten sawtooths", heap: |c, n| ten(random_sawtooth, c, n), percent: [8, 4, 2, 2] },
    Kind { name: "a step", heap: |c, n| vec![step(c, n)], percent: [1, 1, 1, 1] },
    Kind { name: "a step up and down again", heap: |c, n| {
        let (up, down) = (0.1 + 0.4 * c.even(), 0.55 + 0.4 * c.even());
        vec![shape(c, n, 1e4, |x| 2e5 + if x > up && x < down { 5e5 } else { 0.0 })]
    }, percent: [0, 0, 0, 0] },
    Kind { name: "three random steps", heap: |c, n| steps(c, n, 3, 5e3), percent: [2, 2, 2, 2] },
    Kind { name: "noise with rare spikes", heap: |c, n| vec![spikes(c, n)], percent: [1, 1, 1, 1] },
    Kind { name: "a burst at the end", heap: |c, n| vec![burst(c, n)], percent: [2, 2, 2, 2] },
    Kind { name: "a result that is built in the last tenth", heap: |c, n| {
        vec![shape(c, n, 1e4, |x| 5e5 + 2e6 * ((x - 0.9) / 0.1).clamp(0.0, 1.0))]
    }, percent: [0, 0, 0, 0] },
    Kind { name: "level for the last fifth", heap: |c, n| vec![late_plateau(c, n)], percent: [0, 0, 0, 0] },
    Kind { name: "migration between bands", heap: migration, percent: [0, 0, 0, 0] },
    Kind { name: "a bound, tau 0.1", heap: |c, n| bounded(c, n, 0.1, 5e3), percent: [0, 0, 0, 0] },
    Kind { name: "a bound, tau 0.2, of which 99 % are reached", heap: |c, n| bounded(c, n, 0.2, 5e3), percent: [0, 0, 0, 0] },
    Kind { name: "a bound, tau 0.3", heap: |c, n| bounded(c, n, 0.3, 5e3), percent: [2, 2, 2, 2] },
    Kind { name: "a bound, tau 0.4", heap: |c, n| bounded(c, n, 0.4, 5e3), percent: [2, 2, 2, 2] },
    Kind { name: "a bound, tau 0.5, 2 % noise", heap: |c, n| bounded(c, n, 0.5, 2e4), percent: [4, 4, 2, 2] },
    Kind { name: "a bound, tau 0.7, 2 % noise", heap: |c, n| bounded(c, n, 0.7, 2e4), percent: [15, 10, 4, 2] },
    Kind { name: "a bound, tau 0.5, 5 % noise", heap: |c, n| bounded(c, n, 0.5, 5e4), percent: [2, 2, 4, 2] },
    Kind { name: "a bound, tau 0.7, 5 % noise", heap: |c, n| bounded(c, n, 0.7, 5e4), percent: [2, 2, 4, 10] },
    Kind { name: "a bound, tau 0.5, 10 % noise", heap: |c, n| bounded(c, n, 0.5, 1e5), percent: [2, 2, 2, 17] },
    Kind { name: "white noise", heap: |c, n| vec![shape(c, n, 1e5, |_| 1e6)], percent: [0, 0, 0, 0] },
    Kind { name: "a fall", heap: |c, n| vec![shape(c, n, 1e4, |x| 1e6 - 5e5 * x)], percent: [0, 0, 0, 0] },
];

#[rustfmt::skip]
const LEAKING: [Kind; 17] = [
    Kind { name: "a straight leak", heap: |c, n| vec![shape(c, n, 1e4, |x| 5e5 + 5e5 * x)], percent: [95, 95, 95, 95] },
    Kind { name: "quadratic growth", heap: |c, n| vec![shape(c, n, 1e4, |x| 5e5 + 1e6 * x * x)], percent: [95, 95, 95, 95] },
    Kind { name: "growth by the square root", heap: |c, n| vec![shape(c, n, 5e3, |x| 2e5 + 1e6 * x.sqrt())], percent: [95, 95, 95, 95] },
    Kind { name: "a memo table, which slows down and does not stop", heap: |c, n| {
        vec![shape(c, n, 5e3, |x| 2e5 + 3e5 * libm::log(1.0 + 20.0 * x))]
    }, percent: [90, 90, 95, 95] },
    Kind { name: "a leak from half-time on", heap: |c, n| {
        vec![shape(c, n, 1e4, |x| 5e5 + 1e6 * (x - 0.5).max(0.0))]
    }, percent: [85, 95, 95, 95] },
    Kind { name: "a leak after two thirds of noise", heap: |c, n| {
        vec![shape(c, n, 2e4, |x| 5e5 + 2e6 * (x - 0.66).max(0.0))]
    }, percent: [0, 0, 40, 0] },
    Kind { name: "a leak that gets faster under noise", heap: |c, n| {
        vec![shape(c, n, 4e4, |x| 5e5 + 1e6 * x * x * x)]
    }, percent: [0, 0, 70, 95] },
    Kind { name: "a staircase of bursts with pauses", heap: |c, n| steps(c, n, 12, 5e3), percent: [20, 35, 70, 80] },
    Kind { name: "a warm-up and a leak", heap: |c, n| {
        vec![shape(c, n, 5e3, |x| 2e5 + 1e6 * (10.0 * x).min(1.0) + 5e5 * x)]
    }, percent: [95, 95, 95, 95] },
    Kind { name: "a leak under 5 teeth", heap: |c, n| vec![sawtooth(c, n, 5.0, 1.0)], percent: [15, 18, 25, 30] },
    Kind { name: "a leak under 8 teeth", heap: |c, n| vec![sawtooth(c, n, 8.0, 1.0)], percent: [0, 0, 80, 95] },
    Kind { name: "a leak under 15 teeth", heap: |c, n| vec![sawtooth(c, n, 15.0, 1.0)], percent: [0, 0, 95, 95] },
    Kind { name: "a leak under 50 teeth", heap: |c, n| vec![sawtooth(c, n, 50.0, 0.7)], percent: [0, 0, 0, 95] },
    Kind { name: "a leak in AR(0.8) noise", heap: |c, n| {
        let mut band = autoregression(c, n, 0.8, 1e4);
        band.iter_mut().enumerate().for_each(|(i, v)| *v += 6e5 * i as f64 / n as f64);
        vec![band]
    }, percent: [90, 95, 95, 95] },
    Kind { name: "a leak of 50 deviations in white noise", heap: |c, n| {
        vec![shape(c, n, 2e4, |x| 5e5 + 1e6 * x)]
    }, percent: [90, 95, 95, 95] },
    Kind { name: "a leak beside a walk", heap: |c, n| vec![walk(c, n), shape(c, n, 1e4, |x| 2e5 + 1e6 * x)], percent: [0, 0, 0, 0] },
    Kind { name: "a leak beside a sawtooth", heap: |c, n| vec![random_sawtooth(c, n), shape(c, n, 1e4, |x| 2e5 + 1e6 * x)], percent: [0, 0, 0, 0] },
];

#[test]
fn healthy_random_heaps_are_rarely_accused() {
    let mut wrong = Vec::new();
    for kind in &HEALTHY {
        let found = accused(kind);
        // Of few heaps, some more may be accused by chance: two standard deviations.
        let is_rare = |(i, &found): (usize, &u64)| {
            let (most, heaps) = (kind.percent[i].max(1) as f64, heaps_of(SAMPLES[i]) as f64);
            found as f64 <= most + 2.0 * (most * (100.0 - most) / heaps).sqrt()
        };
        if !found.iter().enumerate().all(is_rare) {
            wrong.push((kind.name, found));
        }
    }
    assert!(wrong.is_empty(), "{wrong:?}");
}

#[test]
fn leaks_are_found() {
    for kind in &LEAKING {
        let found = accused(kind);
        let is_enough = |(found, least): (u64, u64)| found + 10 >= least;
        assert!(found.into_iter().zip(kind.percent).all(is_enough), "{}: {found:?}", kind.name);
    }
}

/// So few samples show only growth in every one of them.
#[test]
fn eleven_samples_are_enough_if_all_of_them_rise() {
    let grade = |n: usize, bytes: fn(usize) -> f64| judged(&[(0..n).map(bytes).collect()]).leak;
    assert_eq!(grade(10, |i| 1e5 * i as f64 + 1e5), Leak::Unknown);
    assert_eq!(grade(11, |i| 1e5 * i as f64 + 1e5), Leak::Possible);
    assert_eq!(grade(14, |i| 1e5 * (i - usize::from(i == 7)) as f64 + 1e5), Leak::Unknown);
    assert_eq!(grade(14, |i| 1e6 - 1e4 * i as f64), Leak::Unknown);
    assert_eq!(grade(29, |i| 1e5 * i as f64 + 1e5), Leak::Possible);
    assert_eq!(grade(30, |i| 1e5 * i as f64 + 1e5), Leak::Likely);
}

/// There are more samples than are judged: every n-th is, including the last.
#[test]
fn a_very_long_run_is_judged_by_some_of_its_samples() {
    let samples = 25_000;
    let mut chance = Chance(3);
    let leaky = shape(&mut chance, samples, 1e3, |x| 1e5 + 1e6 * (x - 0.5).max(0.0));
    let level = shape(&mut chance, samples, 1e3, |_| 5e5);
    let verdict = judged(&[leaky, level]);
    assert_eq!(verdict.leak, Leak::Likely);
    let [suspect] = &verdict.suspects[..] else { panic!("one suspect: {verdict:?}") };
    assert_eq!(suspect.label, "band 0");
    let half = samples as f64 / 2.0;
    assert!(
        (suspect.since_sample.get() as f64 - half).abs() < 0.03 * samples as f64,
        "{suspect:?}"
    );
    // 1e6 bytes a run of this many twentieths of a second.
    let rate = 1e6 / (samples as f64 * 0.05);
    assert!((suspect.rate / rate - 1.0).abs() < 0.05, "{suspect:?}");
}

#[test]
fn a_dense_sawtooth_is_judged_by_its_floors() {
    let leaking: fn(&mut Chance, usize) -> Vec<Band> = |c, n| vec![sawtooth(c, n, 100.0, 0.3)];
    let all = |heap: fn(&mut Chance, usize) -> Vec<Band>| {
        (0..10)
            .filter(|&seed| judged(&heap(&mut Chance(seed), 17_000)).leak >= Leak::Possible)
            .count()
    };
    assert!(all(leaking) >= 9);
    let healthy: fn(&mut Chance, usize) -> Vec<Band> = |c, n| vec![sawtooth(c, n, 100.0, 0.0)];
    assert_eq!(all(healthy), 0);
}

#[test]
fn a_leak_is_dated_and_measured() {
    let mut chance = Chance(1);
    let bands = [
        shape(&mut chance, 200, 1e3, |_| 1e6),
        shape(&mut chance, 200, 1e3, |x| 2e5 + 1e6 * (x - 0.4).max(0.0)),
    ];
    let found = judged(&bands);
    assert_eq!(found.leak, Leak::Likely, "{found:?}");
    let [suspect] = &found.suspects[..] else { panic!("one suspect: {found:?}") };
    assert_eq!(suspect.label, "band 1");
    assert!(suspect.since_sample.get().abs_diff(80) <= 6, "{suspect:?}");
    assert!((suspect.gain / 6e5 - 1.0).abs() < 0.1, "{suspect:?}");
    assert!((suspect.rate / 1e5 - 1.0).abs() < 0.05, "{suspect:?}");
}

/// By how much a band grows from a part of the run on, beside one that stays.
fn leak_of(from: f64, bytes: f64) -> Leak {
    let mut chance = Chance(1);
    let bands = [
        shape(&mut chance, 200, 1e3, |_| 1e6),
        shape(&mut chance, 200, 1e3, |x| 2e5 + bytes * (x - from).max(0.0) / (1.0 - from)),
    ];
    judged(&bands).leak
}

#[test]
fn a_leak_is_likely_only_if_it_lasts_and_is_large() {
    assert_eq!(leak_of(0.2, 1e6), Leak::Likely);
    // Less than a fifth of the mean heap is possible; less than two fifths of the run is an event.
    assert_eq!(leak_of(0.2, 2e5), Leak::Possible);
    assert_eq!(leak_of(0.65, 1e6), Leak::Unknown);
}

#[test]
fn the_verdict_does_not_depend_on_order_or_scale() {
    let bands = |seed| {
        let mut chance = Chance(seed);
        let bands = vec![
            walk(&mut chance, 80),
            sawtooth(&mut chance, 80, 5.0, 0.0),
            shape(&mut chance, 80, 1e4, |x| 1e5 + 1e6 * x),
        ];
        let whole = |band: Band| band.into_iter().map(|v| 4.0 * (v.abs() / 4.0).round()).collect();
        bands.into_iter().map(whole).collect::<Vec<Band>>()
    };
    let found = |bands: &[Band]| {
        let verdict = judged(bands);
        let rows: Vec<Option<usize>> = verdict
            .suspects
            .iter()
            .map(|one| one.label.strip_prefix("band ")?.parse().ok())
            .collect();
        (verdict.leak, rows)
    };
    for seed in 0..40 {
        let mut bands = bands(seed);
        let (leak, rows) = found(&bands);
        let scaled: Vec<Band> = bands.iter().map(|b| b.iter().map(|v| v * 4.0).collect()).collect();
        assert_eq!(found(&scaled), (leak, rows.clone()), "bytes, seed {seed}");
        bands.reverse();
        let turned: Vec<_> = rows.iter().map(|row| row.map(|row| 2 - row)).collect();
        assert_eq!(found(&bands), (leak, turned), "order, seed {seed}");
    }
}
