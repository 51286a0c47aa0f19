//! Random heaps, and heaps with a leak, to measure how often the verdict is wrong.
//!
//! Seeds are fixed, so the figures are the same on every machine; `docs/diagnosis.md` has them. The
//! bounds are the measured values with a small margin. By default a tenth of the heaps of most kinds are
//! judged, for which the same bounds must hold; `HEAPVIZ_SEEDS=500` judges all of them.

use super::grown;
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

fn saturation(chance: &mut Chance, n: usize, tau: f64) -> Band {
    shape(chance, n, 5e3, |x| 2e5 + 1e6 * (1.0 - libm::exp(-x / tau)))
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
    Analysis::account_of(&Slice::whole(&grown(&bands, 0.05)), &[])
}

/// The percentage of this many heaps of one kind that are accused.
fn accused(
    name: &str,
    seeds: u64,
    n: usize,
    heap: impl Fn(&mut Chance, usize) -> Vec<Band>,
) -> f64 {
    let guilty = (0..seeds).filter(|seed| {
        let bands = heap(&mut Chance(seed * 7919 + n as u64), n);
        judged(&bands).leak >= Leak::Possible
    });
    let percent = 100.0 * guilty.count() as f64 / seeds as f64;
    println!("{name}, {n} samples, {seeds} heaps: {percent:.1} % accused");
    percent
}

/// How many heaps to judge where all of them are `full`: none of the tests has more than 500.
fn heaps(full: u64) -> u64 {
    let asked = std::env::var("HEAPVIZ_SEEDS").ok().and_then(|seeds| seeds.parse().ok());
    (full * asked.unwrap_or(50) / 500).max(full.min(10))
}

#[test]
fn random_heaps_are_rarely_accused() {
    for n in [12, 20, 30, 100, 1000] {
        let seeds = heaps(if n > 100 { 100 } else { 500 });
        let few = |percent: f64| assert!(percent <= 3.0, "{percent}");
        let one = |name: &str, heap: &dyn Fn(&mut Chance, usize) -> Vec<Band>| {
            few(accused(name, seeds, n, heap));
        };
        one("a random walk", &|c, n| vec![walk(c, n)]);
        one("a walk between bounds", &|c, n| vec![bounded_walk(c, n)]);
        one("AR(0.9) noise", &|c, n| vec![autoregression(c, n, 0.9, 5e4)]);
        one("AR(0.98) noise", &|c, n| vec![autoregression(c, n, 0.98, 2e4)]);
        one("a sawtooth", &|c, n| vec![random_sawtooth(c, n)]);
        one("a step", &|c, n| vec![step(c, n)]);
        one("noise with rare spikes", &|c, n| vec![spikes(c, n)]);
        let ten = |of: fn(&mut Chance, usize) -> Band| {
            move |c: &mut Chance, n| (0..10).map(|_| of(c, n)).collect::<Vec<_>>()
        };
        let few = |percent: f64| assert!(percent <= 8.0, "{percent}");
        few(accused("ten random walks", heaps(100), n, ten(walk)));
        few(accused("ten sawtooths", heaps(100), n, ten(random_sawtooth)));
    }
}

#[test]
fn visibly_bounded_heaps_are_not_accused() {
    for n in [30, 100, 1000] {
        let none = |percent: f64| assert!(percent <= 4.0, "{percent}");
        for tau in [0.1, 0.2, 0.3, 0.4] {
            let name = format!("saturation, τ = {tau} of the run");
            none(accused(&name, heaps(50), n, |c, n| vec![saturation(c, n, tau)]));
        }
        none(accused("level for the last fifth", heaps(50), n, |c, n| vec![late_plateau(c, n)]));
        none(accused("a burst at the end", heaps(100), n, |c, n| vec![burst(c, n)]));
        none(accused("migration between bands", heaps(50), n, migration));
    }
}

#[test]
fn noise_rarely_hides_a_bound() {
    for (noise, taus, most) in [
        (2e4, &[0.4, 0.5, 0.6, 0.7][..], 10.0),
        (5e4, &[0.4, 0.5, 0.6, 0.7], 25.0),
        (1e5, &[0.4, 0.5], 12.0),
    ] {
        let mut percents = Vec::new();
        for (n, &tau) in [100, 1000].into_iter().flat_map(|n| taus.iter().map(move |tau| (n, tau)))
        {
            let curve = |c: &mut Chance, n| {
                vec![shape(c, n, noise, |x| 2e5 + 1e6 * (1.0 - libm::exp(-x / tau)))]
            };
            let name = format!("saturation, τ = {tau} of the run, with noise of {noise} in 1e6");
            percents.push(accused(&name, heaps(100), n, curve));
        }
        // Ten heaps say little about one of the curves, but enough about all of them together.
        let percent = match heaps(100) < 100 {
            true => percents.iter().sum::<f64>() / percents.len() as f64,
            false => percents.iter().copied().fold(0.0, f64::max),
        };
        assert!(percent <= most, "{percent}: {percents:?}");
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

#[test]
fn leaks_are_found() {
    let most = |percent: f64| assert!(percent >= 90.0, "{percent}");
    for n in [30, 100, 1000] {
        let line = |c: &mut Chance, n| vec![shape(c, n, 1e4, |x| 5e5 + 5e5 * x)];
        most(accused("a straight leak", heaps(50), n, line));
        let late = |c: &mut Chance, n| vec![shape(c, n, 1e4, |x| 5e5 + 1e6 * (x - 0.5).max(0.0))];
        most(accused("a leak from half-time on", heaps(50), n, late));
        let root = |c: &mut Chance, n| vec![shape(c, n, 5e3, |x| 2e5 + 1e6 * x.sqrt())];
        most(accused("growth by the square root", heaps(50), n, root));
        let warm = |c: &mut Chance, n| {
            vec![shape(c, n, 5e3, |x| 2e5 + 1e6 * (10.0 * x).min(1.0) + 5e5 * x)]
        };
        let found = accused("a warm-up and a leak", heaps(50), n, warm);
        assert!(found >= 80.0, "{found}");
    }
    for (teeth, n, leak) in [(15.0, 300, 1.0), (50.0, 300, 0.7), (100.0, 3000, 0.7)] {
        let saw = |c: &mut Chance, n| vec![sawtooth(c, n, teeth, leak)];
        most(accused(&format!("a leak of {leak} under {teeth} teeth"), heaps(50), n, saw));
    }
    let noisy = |c: &mut Chance, n: usize| {
        let mut band = autoregression(c, n, 0.8, 1e4);
        band.iter_mut().enumerate().for_each(|(i, v)| *v += 6e5 * i as f64 / n as f64);
        vec![band]
    };
    most(accused("a leak of 36 deviations in AR(0.8) noise", heaps(50), 1000, noisy));
    let wide = |c: &mut Chance, n| vec![shape(c, n, 2e4, |x| 5e5 + 1e6 * x)];
    most(accused("a leak of 50 deviations in white noise", heaps(100), 100, wide));
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
    assert!((suspect.since_sample as f64 - half).abs() < 0.03 * samples as f64, "{suspect:?}");
    // 1e6 bytes a run of this many twentieths of a second.
    let rate = 1e6 / (samples as f64 * 0.05);
    assert!((suspect.rate / rate - 1.0).abs() < 0.05, "{suspect:?}");
}

#[test]
fn a_dense_sawtooth_is_judged_by_its_floors() {
    let leaking = |c: &mut Chance, n| vec![sawtooth(c, n, 100.0, 0.3)];
    assert!(accused("a slow leak under 100 teeth", 10, 17_000, leaking) >= 90.0);
    let healthy = |c: &mut Chance, n| vec![sawtooth(c, n, 100.0, 0.0)];
    assert!(accused("100 teeth", 10, 17_000, healthy) < 1.0);
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
    assert!(suspect.since_sample.abs_diff(80) <= 6, "{suspect:?}");
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
    // Less than a fifth of the mean heap; in less than two fifths of the run.
    assert_eq!(leak_of(0.2, 2e5), Leak::Possible);
    assert_eq!(leak_of(0.65, 1e6), Leak::Possible);
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
