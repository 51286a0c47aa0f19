//! No damaged byte decides the scale of a picture, or changes a picture in silence. The inputs are
//! copies of real logs in which some bytes are overwritten, inserted or removed. The oracle is the
//! undamaged log.
//!
//! The results are a table in `docs/measured.md`. Each run makes the rows of one seed again; `HEAPVIZ_DAMAGE=all`
//! makes all, and `HEAPVIZ_BLESS=1` writes them. The logs are those of this package, so the table is the
//! same everywhere.

use std::collections::HashSet;
use std::fmt::Write;
use std::path::Path;

use crate::common;
use crate::common::generator::Random;
use crate::common::generator::testing::Log;
use crate::lengths::{leak, samples};
use heapviz::analysis::Leak;
use heapviz::incident::WarningCode;
use heapviz::incident::error::Error;
use heapviz::input::{InputOptions, read};
use heapviz::profile::{KeptSamples, Profile};

/// Logs of a kind, of which a number of damaged copies is made.
struct Kind {
    name: &'static str,
    logs: &'static [&'static str],
    copies: usize,
    /// How many copies of a thousand may show a peak more than half above the true one.
    false_peaks_per_thousand: usize,
}

const KINDS: &[Kind] = &[
    Kind {
        name: "with heap figures",
        logs: &[
            "ghc-9.0/leak-hy-gc",
            "ghc-9.10/leak-plain-hT-full",
            "odd/killint",
            "stacks/ghc-9.0/parse-hT-gc",
            "stacks/ghc-9.0/parse-hc-gc",
            "stacks/ghc-9.6/parse-hT-gc-N2",
            "stacks/ghc-9.6/parse-hc-gc",
            "stacks/ghc-9.10/parse-hT-gc",
        ],
        copies: 160,
        false_peaks_per_thousand: 0,
    },
    Kind {
        name: "without",
        logs: &[
            "ghc-9.0/leak-hy",
            "ghc-9.0/leak-hc",
            "ghc-9.0/bands-hy",
            "ghc-9.6/leak-hi",
            "ghc-9.6/leak-hb",
            "ghc-9.10/leak-he",
            "ghc-9.10/bands-hd",
            "ghc-9.10/leak-hr",
        ],
        copies: 160,
        false_peaks_per_thousand: 5,
    },
    Kind {
        name: "non-moving collector (`-xn`)",
        logs: &[
            "ghc-9.10/leak-nonmoving",
            "stacks/ghc-9.0/parse-xn",
            "stacks/ghc-9.6/parse-xn-N2",
            "stacks/ghc-9.10/parse-xn",
        ],
        copies: 80,
        false_peaks_per_thousand: 5,
    },
];

const SEEDS: u64 = 3;

const HEAD: &str = "\
| logs | seed | copies | false peaks | samples lost | samples changed | verdicts changed | healthy accused | changed in silence |
|---|---|---|---|---|---|---|---|---|
";

fn peak(profile: &Profile) -> u128 {
    let totals = (0..profile.samples().len()).map(|sample| profile.samples().total(sample));
    totals.max().unwrap_or(0)
}

/// A log with 1 to 256 bytes overwritten, put in or taken out somewhere in its events.
fn damaged(log: &[u8], random: &mut Random) -> Vec<u8> {
    let start = log.windows(4).position(|word| word == b"datb").map_or(0, |at| at + 4);
    let at = start + random.index(log.len() - start);
    let end = log.len().min(at + 1 + random.index(256));
    let noise: Vec<u8> = (at..end).map(|_| random.index(256) as u8).collect();
    let mut damaged = log.to_vec();
    match random.index(3) {
        0 => drop(damaged.splice(at..end, noise)),
        1 => drop(damaged.splice(at..at, noise)),
        _ => drop(damaged.drain(at..end)),
    }
    damaged
}

/// The results for the damaged copies of some logs.
#[derive(Debug, Default)]
struct Outcome {
    /// Copies that were refused: none has too few samples for that.
    refused: Vec<String>,
    /// Copies with a peak more than half above the true one.
    false_peaks: Vec<String>,
    /// Samples of the undamaged logs, those of them that are missing, and those that are other than they
    /// were.
    samples: usize,
    lost: usize,
    changed: usize,
    verdicts: Vec<String>,
    /// Runs without a leak of which the damaged copy has one.
    accused: Vec<String>,
    /// Copies of which a sample or the verdict has changed and nothing is reported.
    silent: Vec<String>,
}

fn damage(kind: &Kind, seed: u64) -> Outcome {
    let folder = common::packaged_data();
    let mut outcome = Outcome::default();
    for (number, name) in kind.logs.iter().enumerate() {
        let log = std::fs::read(folder.join(name).with_added_extension("eventlog")).unwrap();
        let sound = read(&log[..], &InputOptions::default()).unwrap();
        assert!(sound.losses().is_empty(), "{name}: {:?}", sound.losses());
        let (truth, verdict) = (peak(&sound), leak(&sound));
        let all: HashSet<String> = samples(&sound).into_iter().collect();
        for copy in (number..kind.copies).step_by(kind.logs.len()) {
            let what = format!("{name} {seed} {copy}");
            let damaged = damaged(&log, &mut Random::new(seed, &format!("damage {copy}")));
            outcome.samples += all.len();
            let Ok(profile) = read(&damaged[..], &InputOptions::default()) else {
                outcome.refused.push(what);
                continue;
            };
            let (found, drawn, judged) = (peak(&profile), samples(&profile), leak(&profile));
            if 2 * found > 3 * truth {
                outcome.false_peaks.push(format!("{what}: {found} for {truth}"));
            }
            let same = drawn.iter().filter(|sample| all.contains(*sample)).count();
            let changed = drawn.len() - same;
            outcome.changed += changed;
            outcome.lost += all.len().saturating_sub(drawn.len());
            if judged != verdict {
                outcome.verdicts.push(format!("{what}: {judged:?} for {verdict:?}"));
            }
            if verdict == Leak::None && judged >= Leak::Possible {
                outcome.accused.push(what.clone());
            }
            let reported =
                !profile.losses().is_empty() || profile.warnings().len() > sound.warnings().len();
            if !reported && (judged != verdict || same < all.len()) {
                outcome.silent.push(what);
            }
        }
    }
    outcome
}

impl Outcome {
    fn row(&self, kind: &Kind, seed: u64) -> String {
        let Kind { name, copies, .. } = kind;
        format!(
            "| {name} | {seed} | {copies} | {} | {} of {} | {} | {} | {} | {} |\n",
            self.false_peaks.len(),
            self.lost,
            self.samples,
            self.changed,
            self.verdicts.len(),
            self.accused.len(),
            self.silent.len()
        )
    }

    /// Damage to a sample that leaves its framing intact cannot be detected; at most one per copy has it.
    fn check(&self, kind: &Kind) {
        let copies = kind.copies;
        assert_eq!(self.refused, [""; 0]);
        let most = kind.false_peaks_per_thousand * copies / 1000;
        assert!(self.false_peaks.len() <= most, "{self:#?}");
        assert!(self.changed * 2 <= copies && self.lost <= 4 * copies, "{self:#?}");
    }
}

/// Where the table begins and ends in a text.
fn table(text: &str) -> std::ops::Range<usize> {
    let start = text.find(HEAD).expect("the head of the table");
    let rows = text[start..].split_inclusive('\n').take_while(|line| line.starts_with('|'));
    start..start + rows.map(str::len).sum::<usize>()
}

#[test]
fn damaged_logs_are_drawn_as_the_table_says() {
    let bless = std::env::var_os("HEAPVIZ_BLESS").is_some();
    let all = bless || std::env::var("HEAPVIZ_DAMAGE").is_ok_and(|which| which == "all");
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/measured.md");
    let text = std::fs::read_to_string(&path).expect("docs/measured.md");
    let mut rows = String::from(HEAD);
    for kind in KINDS {
        for seed in 1..=if all { SEEDS } else { 1 } {
            let outcome = damage(kind, seed);
            println!("{outcome:#?}");
            write!(rows, "{}", outcome.row(kind, seed)).unwrap();
            outcome.check(kind);
        }
    }
    if bless {
        let mut text = text.clone();
        text.replace_range(table(&text), &rows);
        std::fs::write(&path, text).expect("docs/measured.md");
        return;
    }
    let written = &text[table(&text)];
    if all {
        return assert_eq!(written, rows);
    }
    for row in rows.lines() {
        assert!(written.lines().any(|line| line == row), "{row}\nis not in\n{written}");
    }
}

/// A log with a sample of each size.
fn log_of(sizes: &[u64]) -> Vec<u8> {
    let mut log = Log::new();
    log.profile_begins(1, 7, 1);
    for (time, &size) in (10..).step_by(10).zip(sizes) {
        log.sample(time, b"a", size);
    }
    log.ended()
}

#[test]
fn impossible_samples_are_reported_or_kept_on_request() {
    let log = log_of(&[800, 2 << 40, 1600]);
    let profile = read(&log[..], &InputOptions::default()).unwrap();
    let codes: Vec<_> = profile.warnings().iter().map(|warning| warning.code).collect();
    assert_eq!((profile.samples().len(), profile.losses().samples), (2, 1));
    assert_eq!(codes, [WarningCode::ImpossibleSample]);
    let mut options = InputOptions::default();
    options.limits.samples = KeptSamples::All;
    let profile = read(&log[..], &options).unwrap();
    assert_eq!((profile.samples().len(), profile.losses().samples), (3, 0));
}

#[test]
fn a_log_whose_only_sample_is_impossible_is_refused_with_the_reason() {
    let log = log_of(&[2 << 40]);
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

/// Every byte of every value of logs without figures of the heap: what it then shows is told, or no more than 32 times what
/// another sample has.
#[test]
fn a_damaged_value_of_a_short_log_is_told_or_bounded() {
    const MOST: u64 = 9_000_000;
    let mut silent = Vec::new();
    for samples in [1, 2, 3, 5, 10] {
        let mut log = Log::new();
        let mut values = Vec::new();
        log.profile_begins(1, 4, 100_000_000);
        for sample in 0..samples {
            let time = 1_000_000_000 * (sample + 1);
            log.begin(time);
            for (band, part) in [("a", 8), ("b", 3), ("c", 1)] {
                let bytes = (MOST - 400_000 * (sample % 4)) / 12 * part / 8 * 8;
                log.string(time, band, bytes);
                let length = log.bytes.len();
                values.extend(length - band.len() - 9..length - band.len() - 1);
            }
            log.end(time);
        }
        log.mark_end();
        let sound = read(&log.bytes[..], &InputOptions::default()).expect("a log");
        assert_eq!(sound.samples().len(), samples as usize);
        assert!(sound.warnings().is_empty(), "{:?}", sound.warnings());
        for (at, wrong) in values.iter().flat_map(|&at| [(at, 0x80), (at, 0xff)]) {
            let mut damaged = log.bytes.clone();
            damaged[at] = wrong;
            let profile = read(&damaged[..], &InputOptions::default()).expect("a log");
            let sum = |sample| -> u64 {
                profile.samples().points(sample).map(|(_, size)| size.get()).sum()
            };
            let peak = (0..profile.samples().len()).map(sum).max().unwrap_or(0);
            if profile.warnings().is_empty() && peak > 33 * MOST {
                silent.push((samples, at, wrong, peak));
            }
        }
    }
    assert_eq!(silent, []);
}
