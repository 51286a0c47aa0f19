//! A few damaged bytes cost only the samples that they are in; any other loss is reported.
//!
//! The inputs are copies of sound logs, each with 1 to 8 bytes overwritten, inserted or removed at one
//! random place. The oracle is the undamaged log: another reader could make the same mistake.
//! `HEAPVIZ_SEEDS=400` damages every log that many times in each way.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;

use crate::common;
use crate::common::generator::Random;
use heapviz::analysis::{Analysis, Leak};
use heapviz::input::{InputOptions, read};
use heapviz::profile::{BandKey, Profile};
use heapviz::slice::Slice;

/// The fewest samples of a log that is damaged.
const LEAST_SAMPLES: usize = 8;

/// The largest log that is damaged: larger ones take long and are as their parts.
const MOST_BYTES: usize = 400_000;

/// Of 1000 damaged copies, this many may lose a sample, which is counted, beyond the damaged event.
const BEYOND_PER_THOUSAND: usize = 10;

/// The events of a sound log: their types and where they are. This reader believes every length, except
/// that an IPE event ends with its six texts. `None` for streams that it cannot read: of several logs, or with
/// a length of more than 16 bits.
fn events(log: &[u8]) -> Option<Vec<(u16, Range<usize>)>> {
    let u16_at = |at: usize| u16::from_be_bytes([log[at], log[at + 1]]);
    let u32_at =
        |at: usize| u32::from_be_bytes(log[at..at + 4].try_into().expect("4 bytes")) as usize;
    let (mut sizes, mut at) = (BTreeMap::new(), 8);
    while log[at..].starts_with(b"etb\0") {
        sizes.insert(u16_at(at + 4), u16_at(at + 6));
        at += 12 + u32_at(at + 8);
        at += 8 + u32_at(at);
    }
    at += 12;
    let mut events = Vec::new();
    while at + 10 <= log.len() && u16_at(at) != 0xFFFF {
        let (tag, start) = (u16_at(at), at);
        at += match *sizes.get(&tag)? {
            0xFFFF if tag == 169 => {
                let texts = log[at + 20..].iter().enumerate().filter(|&(_, &byte)| byte == 0);
                21 + texts.map(|(at, _)| at).nth(5)?
            }
            0xFFFF => 12 + usize::from(u16_at(at + 10)),
            size => 10 + usize::from(size),
        };
        events.push((tag, start..at));
    }
    Some(events)
}

/// Where the samples of a log are, in the order of the file.
fn places(events: &[(u16, Range<usize>)]) -> Vec<Range<usize>> {
    let mut places: Vec<Range<usize>> = Vec::new();
    let mut open = None;
    for (tag, event) in events {
        match tag {
            162 | 166 => {
                // Before GHC 8.10 a sample ends where the next begins.
                places.extend(open.replace(event.start).map(|start| start..event.start));
            }
            165 => places.extend(open.take().map(|start| start..event.end)),
            _ => {}
        }
    }
    places.extend(open.map(|start| start..events.last().map_or(start, |(_, last)| last.end)));
    places
}

/// Every sample as text, with the names of the file: definitions may be damaged without any loss of a sample.
pub fn samples(profile: &Profile) -> Vec<String> {
    let key = |band| match profile.bands().key(band) {
        BandKey::Name(name) => String::from_utf8_lossy(name).into_owned(),
        BandKey::Stack(stack) => format!("{stack:?}"),
    };
    let of = |sample: usize| {
        let points = profile.samples().points(sample);
        let points = points.map(|(band, size)| format!("{} {}\n", key(band), size.get()));
        format!("{}\n{}", profile.samples().times()[sample].as_nanos(), points.collect::<String>())
    };
    (0..profile.samples().len()).map(of).collect()
}

/// A way to damage a log at a place.
#[derive(Clone, Copy, Debug)]
enum Way {
    Overwrite,
    PutIn,
    TakeOut,
}

/// A log with a few bytes damaged, and the place of the damage in the undamaged log.
fn damaged(log: &[u8], start: usize, way: Way, random: &mut Random) -> (Vec<u8>, Range<usize>) {
    let at = start + random.index(log.len() - start);
    let length = 1 + random.index(8);
    let noise: Vec<u8> = (0..length).map(|_| random.index(256) as u8).collect();
    let end = log.len().min(at + length);
    let mut damaged = log.to_vec();
    let place = match way {
        Way::PutIn => at..at,
        _ => at..end,
    };
    let put = match way {
        Way::Overwrite => &noise[..end - at],
        Way::PutIn => &noise[..],
        Way::TakeOut => &[],
    };
    damaged.splice(place.clone(), put.iter().copied());
    (damaged, place)
}

/// Whether a stretch contains damaged bytes, or bytes were put in between its own.
fn overlaps(stretch: &Range<usize>, damage: &Range<usize>) -> bool {
    if damage.is_empty() {
        return stretch.start < damage.start && damage.start < stretch.end;
    }
    stretch.start < damage.end && damage.start < stretch.end
}

/// How the samples of damaged copies were read.
#[derive(Debug, Default)]
struct Outcome {
    copies: usize,
    /// Copies of which samples are neither drawn nor counted as left out, and how many.
    unsaid: Vec<(String, usize)>,
    /// Those of which two or more are.
    many: usize,
    /// The samples that they hide.
    hidden: usize,
    /// Samples outside the damaged event that are not drawn as they are.
    beyond: Vec<(String, usize)>,
    /// Verdicts that are others than that of the undamaged log.
    verdicts: Vec<String>,
}

pub fn leak(profile: &Profile) -> Leak {
    Analysis::new(&Slice::whole(profile), &[]).account.leak
}

fn damage(name: &str, log: &[u8], seeds: usize, outcome: &mut Outcome) {
    let Ok(sound) = read(log, &InputOptions::default()) else { return };
    if sound.samples().len() < LEAST_SAMPLES || !sound.losses().is_empty() {
        return;
    }
    let Some(events) = events(log) else { return };
    let (places, all) = (places(&events), samples(&sound));
    if places.len() != all.len() {
        // More logs than one, or samples of another clock.
        return;
    }
    let start = events[0].1.start;
    for seed in 0..seeds {
        for way in [Way::Overwrite, Way::PutIn, Way::TakeOut] {
            let mut random = Random::new(1 + seed as u64, &format!("{name} {way:?}"));
            let (copy, damage) = damaged(log, start, way, &mut random);
            let profile = read(&copy[..], &InputOptions::default());
            let what = format!("{name} {way:?} {seed} at {damage:?}");
            let (drawn, counted) = match &profile {
                Ok(profile) => (samples(profile), profile.losses().samples),
                Err(error) => panic!("{what}: {error}"),
            };
            outcome.copies += 1;
            let unsaid = all.len().saturating_sub(drawn.len() + counted);
            if unsaid > 0 {
                outcome.unsaid.push((what.clone(), unsaid));
                outcome.many += usize::from(unsaid > 1);
                outcome.hidden += unsaid;
            }
            let hit: Vec<_> = events.iter().filter(|(_, event)| overlaps(event, &damage)).collect();
            let around = match (hit.first(), hit.last()) {
                (Some((_, first)), Some((_, last))) => first.start..last.end,
                _ => damage.clone(),
            };
            let beyond = places
                .iter()
                .zip(&all)
                .filter(|(place, sample)| !overlaps(place, &around) && !drawn.contains(sample));
            let beyond = beyond.count();
            if beyond > 0 {
                let tags: Vec<u16> = hit.iter().map(|(tag, _)| *tag).collect();
                outcome.beyond.push((format!("{what} {tags:?}"), beyond));
            }
            if let Ok(profile) = &profile
                && leak(profile) != leak(&sound)
            {
                outcome.verdicts.push(format!(
                    "{what}: {:?}, not {:?}",
                    leak(profile),
                    leak(&sound)
                ));
            }
        }
    }
}

fn seeds() -> usize {
    let asked = std::env::var("HEAPVIZ_SEEDS").ok().and_then(|seeds| seeds.parse().ok());
    asked.unwrap_or(6)
}

#[test]
fn a_damaged_length_hides_no_sample() {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut logs = common::files_with_ending(&package.join("samples"), "eventlog");
    let real = common::real_data();
    logs.extend(common::files_with_ending(&real, "eventlog"));
    let mut outcome = Outcome::default();
    for path in logs {
        let log = std::fs::read(&path).expect("a log");
        if log.len() <= MOST_BYTES {
            let name = [&real, package].map(|root| path.strip_prefix(root).ok());
            let name = name.into_iter().flatten().next().unwrap_or(&path).display().to_string();
            damage(&name, &log, seeds(), &mut outcome);
        }
    }
    println!("{outcome:#?}");
    assert_eq!(outcome.hidden, 0);
    assert!(outcome.beyond.len() * 1000 <= outcome.copies * BEYOND_PER_THOUSAND);
}
