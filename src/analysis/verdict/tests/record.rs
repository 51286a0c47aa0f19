//! What is found in simulated curves and heaps near the bounds of the rules, on record in `curves.txt` and
//! `heaps.txt`: a change of a rule shows there which of them it changes, and how.
//!
//! `HEAPVIZ_BLESS=1 cargo test --lib verdict::tests::record` writes them.

use std::fmt::Write;

use super::super::*;
use crate::analysis::growth::growth;
use crate::analysis::simulated::{
    Band, Chance, Clocks, autoregression, found, migration, sawtooth, shape, walk,
};

/// How many samples the heaps have, in turn.
const SAMPLES: [usize; 9] = [11, 14, 20, 31, 48, 75, 120, 190, 300];

/// A curve of so many samples.
type OfCurve = fn(&mut Chance, usize) -> Band;

/// The place of a sample in the run, from 0 to 1.
fn place(i: usize, n: usize) -> f64 {
    i as f64 / n as f64
}

/// A band that also rises evenly, by so many bytes.
fn rising(band: Band, bytes: f64) -> Band {
    let n = band.len();
    band.into_iter().enumerate().map(|(i, value)| value + bytes * place(i, n)).collect()
}

/// A line that bends at a place of the run: by how much it rises until then, and by how much afterwards.
fn bent(c: &mut Chance, n: usize, at: f64, (before, after): (f64, f64), noise: f64) -> Band {
    shape(c, n, noise, |x| {
        2e5 + before * (x / at).min(1.0) + after * (x - at).max(0.0) / (1.0 - at)
    })
}

/// Teeth of different heights that are cleared to different heights, on a floor that rises.
fn uneven_teeth(c: &mut Chance, n: usize) -> Band {
    let (teeth, leak) = (3.0 + 17.0 * c.even(), 2e6 * c.even());
    let (mut left, mut at) = (0.0, 0.0);
    let sizes = (0..n).map(|i| {
        if left <= 0.0 {
            let floor = 2e5 + 3e5 * c.even() + leak * place(i, n);
            (left, at) = ((0.5 + c.even()) * n as f64 / teeth, floor);
        }
        (left, at) = (left - 1.0, at + 1e6 * teeth / n as f64);
        at + 1e4 * c.normal()
    });
    sizes.collect()
}

/// An array that grows by nearly the same factor each time; while it is copied, there are two.
fn array(c: &mut Chance, n: usize) -> Band {
    let (factor, longer) = (1.5 + c.even(), 1.0 + 1.5 * c.even());
    let (mut size, mut held, mut left) = (1e4, 0.01 * n as f64, 0.0);
    let sizes = (0..n).map(|_| {
        left -= 1.0;
        if left <= 0.0 {
            (size, held) = (size * (factor + 0.1 * c.normal()), (held * longer).max(2.0));
            left = held;
            return 1.5 * size;
        }
        size * (1.0 + 0.02 * c.normal())
    });
    sizes.collect()
}

const CURVES: [(&str, OfCurve); 14] = [
    ("a walk that drifts", |c, n| {
        let drift = 2e5 * c.even() * (n as f64).sqrt();
        rising(walk(c, n), drift)
    }),
    ("a line in noise", |c, n| {
        let noise = 4e5 * c.even();
        shape(c, n, noise, |x| 1e6 + 1e6 * x)
    }),
    ("a line in noise that remembers", |c, n| {
        let rises = 1e6 * c.even();
        rising(autoregression(c, n, 0.8, 3e4), rises)
    }),
    ("an approach to a bound", |c, n| {
        let (tau, noise) = (0.2 + 1.5 * c.even(), 4e4 * c.even());
        shape(c, n, noise, |x| 2e5 + 1e6 * (1.0 - libm::exp(-x / tau)))
    }),
    ("a power of the time", |c, n| {
        let (power, noise) = (0.2 + 1.6 * c.even(), 3e4 * c.even());
        shape(c, n, noise, |x| 2e5 + 1e6 * libm::pow(x, power))
    }),
    ("growth from some place on", |c, n| {
        let (at, falls, noise) = (0.05 + 0.8 * c.even(), c.even(), 3e4 * c.even());
        bent(c, n, at, (-2e5 * falls, 1e6), noise)
    }),
    ("a warm-up, and then growth", |c, n| {
        let (at, before, noise) = (0.1 + 0.65 * c.even(), 1e6 * c.even(), 3e4 * c.even());
        bent(c, n, at, (before, 5e5), noise)
    }),
    ("a line that is level at the end, or nearly", |c, n| {
        let (at, slow, noise) = (0.6 + 0.35 * c.even(), 4e5 * c.even(), 3e4 * c.even());
        bent(c, n, at, (1e6, slow * (1.0 - at)), noise)
    }),
    ("growth that slows down at the end", |c, n| {
        let (at, slow) = (0.75 + 0.1 * c.even(), 1.2e6 * c.even());
        bent(c, n, at, (1e6, slow * (1.0 - at)), 2e4)
    }),
    ("a line after a high beginning", |c, n| {
        let (high, noise) = (1.5e6 * c.even(), 3e4 * c.even());
        let mut band = shape(c, n, noise, |x| 2e5 + 1e6 * x);
        band[..1 + n / 20].iter_mut().for_each(|value| *value += high);
        band
    }),
    ("a line that falls now and then", |c, n| {
        let (often, far) = (0.3 * c.even(), 1e6 * c.even());
        let mut band = shape(c, n, 0.0, |x| 1e6 + 1e6 * x);
        band.iter_mut().for_each(|value| *value -= if c.even() < often { far } else { 0.0 });
        band
    }),
    ("teeth on a floor that rises", |c, n| {
        let (teeth, leak) = (3.0 + 0.3 * c.even() * n as f64, 1.5 * c.even());
        sawtooth(c, n, teeth, leak)
    }),
    ("uneven teeth on a floor that rises", uneven_teeth),
    ("an array that doubles", array),
];

#[test]
fn what_is_found_in_single_curves() {
    is_on_record("curves.txt", &CURVES, |of, seed, n| {
        let mut chance = Chance(7919 * seed);
        let clocks = match seed % 2 {
            0 => Clocks::even(n),
            _ => Clocks::uneven(&mut chance, n),
        };
        let band = of(&mut chance, n);
        let curve = Curve::new(&clocks.times, &band);
        let demands = Demands { curves: 1 + seed as usize, ..Demands::default() };
        let words = growth(&curve, clocks.times[n - 1], &demands).map(|growth| {
            let Growth { manner, since, bytes, rate, strength, chance, late } = growth;
            format!(
                "{manner:?} from {since}: {bytes:.3e} B, {rate:.3e} B/s, {strength:.3} errors, \
                 chance {chance:.2e}, late {late:.3}"
            )
        });
        format!("{n:5} {}", words.as_deref().unwrap_or("-"))
    });
}

/// A heap, and what is judged of it.
struct SimulatedHeap {
    clocks: Clocks,
    bands: Vec<Band>,
    judged: Judged,
    end: RunEnd,
}

/// All bands of a run that ended.
fn whole(clocks: Clocks, bands: Vec<Band>) -> SimulatedHeap {
    SimulatedHeap { clocks, bands, judged: Judged::Bands, end: RunEnd::Exit }
}

type OfHeap = fn(&mut Chance, usize) -> SimulatedHeap;

/// The clocks of a run whose work goes on with another share of the time from a place on.
fn working(n: usize, at: f64, then: f64) -> Clocks {
    Clocks::of((0..n).map(|i| (0.05, if place(i, n) < at { 1.0 } else { then })))
}

/// The same with a log of collections, which take a part of the time that grows.
fn collected(clocks: Clocks, share: f64) -> Clocks {
    let run = clocks.times[clocks.times.len() - 1];
    let running = clocks.times.iter().map(|time| time * (1.0 - share * time / run)).collect();
    Clocks { running: Some(running), ..clocks }
}

const HEAPS: [(&str, OfHeap); 16] = [
    ("one band rises, and another one falls", |c, n| {
        let (falls, noise) = (1e6 * c.even(), 3e4 * c.even());
        let rising = shape(c, n, 1e4, |x| 2e5 + 1e6 * x);
        let falling = shape(c, n, noise, |x| 1e6 - falls * x);
        whole(Clocks::even(n), vec![rising, falling])
    }),
    ("many small bands fall, and one rises", |c, n| {
        let falls = 5e4 * c.even();
        let mut bands: Vec<Band> = (0..20).map(|_| shape(c, n, 3e3, |x| 1e5 - falls * x)).collect();
        bands.push(shape(c, n, 1e4, |x| 2e5 + 6e5 * x));
        whole(Clocks::even(n), bands)
    }),
    ("most of what grew has stopped", |c, n| {
        let (at, rises, falls) = (0.5 + 0.4 * c.even(), 4e5 * c.even(), 1e6 * c.even());
        let stopped = shape(c, n, 1e4, |x| {
            2e6 * (x / at).min(1.0) - if (0.6..0.63).contains(&x) { falls } else { 0.0 }
        });
        whole(Clocks::even(n), vec![stopped, shape(c, n, 3e3, |x| 1e5 + rises * x)])
    }),
    ("given back before the exit, on a busy machine", |c, n| {
        let (at, back) = (0.6 + 0.4 * c.even(), c.even());
        let band = shape(c, n, 1e3, |x| {
            let built = 2e5 + 1e6 * (x / at).min(1.0);
            if x > at { built * (1.0 - back) } else { built }
        });
        let clocks = working(n, at, 0.5 * c.even());
        let clocks = if c.even() < 0.5 { collected(clocks, c.even()) } else { clocks };
        whole(clocks, vec![shape(c, n, 1e4, |_| 3e5), band])
    }),
    ("teeth that are released at the end", |c, n| {
        let (teeth, leak) = (2.0 + 0.25 * c.even() * n as f64, c.even());
        let mut band = sawtooth(c, n, teeth, leak);
        let (out, left) = (1 + (3.0 * c.even()) as usize, c.even());
        band[n - out..].iter_mut().for_each(|value| *value *= left);
        whole(Clocks::even(n), vec![band])
    }),
    ("a cache that is full, while little is allocated", |c, n| {
        let (at, noise) = (0.7 + 0.25 * c.even(), 2e4 * c.even() * c.even());
        let band = shape(c, n, noise, |x| 2e5 + 1e6 * (x / at).min(1.0));
        let clocks = working(n, at, 0.2 * c.even());
        whole(if c.even() < 0.5 { collected(clocks, 0.8) } else { clocks }, vec![band])
    }),
    ("a cache, and a leak, on a machine that gets slower", |c, n| {
        let (tau, slower) = (0.15 + 0.5 * c.even(), 6.0 * c.even());
        let leak = 1e6 * c.even() * f64::from(c.even() < 0.3);
        let clocks = Clocks::of((0..n).map(|i| (0.05 * (1.0 + slower * place(i, n)), 1.0)));
        let begun = 0.5 * c.even();
        let band = shape(c, n, 3e3, |x| 2e5 + 1e6 * (1.0 - libm::exp(-(x - begun).max(0.0) / tau)));
        whole(clocks, vec![shape(c, n, 1e4, |x| 4e5 + leak * x), band])
    }),
    ("growth that stops exactly", |c, n| {
        let (at, wave) = (0.75 + 0.25 * c.even(), 3e4 * c.even());
        let band = shape(c, n, 0.0, |x| {
            let x = x.min(at);
            2e5 + 1e6 * x + wave * libm::sin(60.0 * x)
        });
        let clocks = Clocks { work: None, ..Clocks::loaded(c, n) };
        whole(clocks, vec![band])
    }),
    ("forty bands that are too small or too uneven", |c, n| {
        let bands = (0..40).map(|_| {
            let (rises, noise) = (8e3 * c.even(), 1.5e4 * c.even());
            shape(c, n, noise, |x| 2e4 + rises * x)
        });
        whole(Clocks::even(n), bands.collect())
    }),
    ("two leaks among walks, with two clocks", |c, n| {
        let (one, other) = (1e6 * c.even(), 1e6 * c.even());
        let mut bands: Vec<Band> = (0..6).map(|_| walk(c, n)).collect();
        bands.push(shape(c, n, 1e4, |x| 2e5 + one * x));
        bands.push(shape(c, n, 1e4, |x| 2e5 + other * libm::pow(x, 0.6)));
        let clocks = Clocks::loaded(c, n);
        whole(if c.even() < 0.5 { collected(clocks, 0.5) } else { clocks }, bands)
    }),
    ("few samples that nearly always rise", |c, n| {
        let (n, noise) = (9 + n % 9, 6e4 * c.even() * c.even());
        let band = shape(c, n, noise, |x| 1e4 + 1e6 * x);
        whole(Clocks::loaded(c, n), vec![band])
    }),
    ("all bands together", |c, n| {
        let (teeth, leak) = (2.0 + 0.3 * c.even() * n as f64, c.even());
        let bands = vec![sawtooth(c, n, teeth, 0.0), shape(c, n, 2e4, |x| 1e6 * leak * x)];
        SimulatedHeap { judged: Judged::Total, ..whole(Clocks::uneven(c, n), bands) }
    }),
    ("a window, or a program that still runs", |c, n| {
        let (at, back) = (0.7 + 0.3 * c.even(), 1e6 * c.even());
        let band = shape(c, n, 1e4, |x| 2e5 + 1e6 * x - if x > at { back } else { 0.0 });
        let end = if c.even() < 0.5 { RunEnd::Cut } else { RunEnd::Running };
        SimulatedHeap { end, ..whole(Clocks::loaded(c, n), vec![band]) }
    }),
    ("one after the other, and a leak", |c, n| {
        let leak = 8e5 * c.even();
        let mut bands = migration(c, n);
        bands.push(shape(c, n, 1e4, |x| 2e5 + leak * x));
        whole(Clocks::even(n), bands)
    }),
    ("stopped now and then, without work", |c, n| {
        let (often, rises) = (0.1 * c.even(), 1e6 * c.even());
        let steps: Vec<_> =
            (0..n).map(|_| (if c.even() < often { 20.0 } else { 0.05 }, 0.0)).collect();
        let bands = vec![shape(c, n, 1e4, |_| 1e6), shape(c, n, 1e4, |x| 2e5 + rises * x)];
        whole(Clocks::of(steps.into_iter()), bands)
    }),
    ("a small leak from some place on", |c, n| {
        let (at, rises, noise) = (0.8 * c.even(), 1e5 * c.even(), 1e4 * c.even());
        let band = shape(c, n, noise, |x| 2e5 + rises * (x - at).max(0.0));
        whole(Clocks::loaded(c, n), vec![band])
    }),
];

#[test]
fn what_is_found_in_heaps() {
    is_on_record("heaps.txt", &HEAPS, |of, seed, n| {
        let SimulatedHeap { clocks, bands, judged, end } = of(&mut Chance(104_729 * seed + 1), n);
        let Finding { leak, growers, bytes, rate, running_rate, kept, growing, excuse } =
            found(&clocks, &bands, judged, end);
        let mut parts = vec![format!("{:5} {leak:?}", bands[0].len())];
        if growing > 0 {
            parts.push(format!("{growing}: {bytes:.3e} B, {rate:.3e} B/s"));
            parts.extend(running_rate.map(|rate| format!("{rate:.3e} B/s running")));
            parts.extend(kept.map(|kept| format!("{kept:.3e} kept")));
        }
        parts.extend(excuse.map(|excuse| match excuse {
            Excuse::OthersFell(fell) => format!("others fell by {fell:.3e}"),
            Excuse::MostHasStopped => "most has stopped".to_owned(),
        }));
        let growers = growers.iter().map(|grower| {
            let Grower { row, manner, since, at_end, rate: Slope { low, high, .. }, .. } = grower;
            let row = row.map_or("all".to_owned(), |row| row.to_string());
            format!(
                "; {row} {manner:?} from {since} to {at_end:.3e} B, {low:.3e} to {high:.3e} B/s"
            )
        });
        parts.join(", ") + &growers.collect::<String>()
    });
}

/// Checks a line for each of 27 curves or heaps of every kind, which `found` makes by a number and for so many
/// samples.
fn is_on_record<Of>(name: &str, kinds: &[(&str, Of)], found: impl Fn(&Of, u64, usize) -> String) {
    let mut text = String::new();
    for (kind, of) in kinds {
        writeln!(text, "\n{kind}").unwrap();
        for (seed, &n) in (0..27).zip(SAMPLES.iter().cycle()) {
            writeln!(text, "{}", found(of, seed, n)).unwrap();
        }
    }
    let path = format!("{}/src/analysis/verdict/tests/{name}", env!("CARGO_MANIFEST_DIR"));
    if std::env::var_os("HEAPVIZ_BLESS").is_some() {
        std::fs::write(&path, &text).expect("the record");
    }
    let known = std::fs::read_to_string(&path).expect("the record");
    for (line, (was, is)) in known.lines().zip(text.lines()).enumerate() {
        assert_eq!(is, was, "{name}:{}", line + 1);
    }
    assert_eq!(text.lines().count(), known.lines().count());
}
