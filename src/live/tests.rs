//! Compares the engine with a plain reading of the bytes so far, on the samples of the package.

use std::collections::BTreeMap;
use std::path::Path;

use super::*;
use crate::incident::Condition;
use crate::input::{InputOptions, read};
use crate::profile::BandKeyRef;
use crate::testing::Log;

fn sample(name: &str) -> Vec<u8> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples").join(name);
    std::fs::read(path).expect("a sample")
}

/// Times and points by label.
fn samples(profile: &Profile) -> Vec<(i64, BTreeMap<String, u64>)> {
    let times = profile.samples.times().iter().enumerate();
    let of = |sample| {
        let mut points = BTreeMap::new();
        for (band, size) in profile.samples.points(sample) {
            *points.entry(profile.bands.label(band).to_owned()).or_insert(0) += size.get();
        }
        points
    };
    times.map(|(sample, time)| (time.as_nanos(), of(sample))).collect()
}

/// Checks that the rows have the numbers of the profile.
fn check_rows(rows: &LiveRows, engine: &Engine) {
    let (profile, run) = (engine.profile().expect("a profile"), engine.run().expect("a run"));
    assert_eq!(rows.times(), profile.samples.times());
    let totals: Vec<u128> = (0..profile.samples.len()).map(|i| profile.samples.total(i)).collect();
    assert_eq!(rows.totals(), totals);
    for row in rows.rows() {
        assert_eq!(run.label(row.band), profile.bands.label(row.band));
        let sizes = |sample| -> u64 {
            let points = profile.samples.points(sample).filter(|(band, _)| *band == row.band);
            points.map(|(_, size)| size.get()).sum()
        };
        let kept: Vec<u64> = row.sizes.iter().map(|size| size.get()).collect();
        assert_eq!(kept, (0..profile.samples.len()).map(sizes).collect::<Vec<_>>());
        let figures = rows.figures(row.band);
        assert_eq!(figures.now.get(), kept.last().copied().unwrap_or(0));
        assert_eq!(figures.total, kept.iter().map(|&size| u128::from(size)).sum());
    }
}

#[test]
fn any_pieces_give_the_same_profile_as_reading_all_bytes_so_far() {
    for name in ["leak-hc.eventlog", "leak-hy.hp", "leak-hi.eventlog", "leak-hb.eventlog"] {
        let whole = sample(name);
        let step = whole.len() / 40;
        for piece in [1, 1000, whole.len()] {
            let (mut engine, mut rows) = (Engine::new(LiveOptions::default()), LiveRows::default());
            engine.connect();
            let mut checked = 0;
            for (i, bytes) in whole.chunks(piece).enumerate() {
                engine.feed(bytes).expect("a profile");
                let fed = i * piece + bytes.len();
                if fed / step == checked {
                    continue;
                }
                checked = fed / step;
                let Some(now) = engine.profile() else { continue };
                // A line that has not ended is not read.
                let end = match name.ends_with(".hp") {
                    true => whole[..fed].iter().rposition(|&b| b == b'\n').map_or(0, |at| at + 1),
                    false => fed,
                };
                if let Ok(plain) = read(&whole[..end], &InputOptions::default()) {
                    assert_eq!(samples(&now), samples(&plain), "{name} at {fed}");
                }
                rows.update(&engine);
                check_rows(&rows, &engine);
            }
            assert_eq!(engine.progress(), Progress::Ended, "{name}");
            let plain = read(&whole[..], &InputOptions::default()).unwrap();
            let now = engine.profile().unwrap();
            assert_eq!(
                (now.condition(), now.warnings()),
                (Condition::Whole, plain.warnings()),
                "{name}"
            );
            assert_eq!(now.markers, plain.markers);
        }
    }
}

#[test]
fn a_log_that_continues_is_not_damaged() {
    let bytes = sample("leak-hy.eventlog");
    let mut engine = Engine::new(LiveOptions::default());
    assert_eq!(engine.progress(), Progress::Silent);
    engine.connect();
    engine.feed(&bytes[..1000]).unwrap();
    assert_eq!(engine.progress(), Progress::HeaderOnly);
    // Inside an event.
    engine.feed(&bytes[1000..bytes.len() - 100]).unwrap();
    assert_eq!(engine.progress(), Progress::Running);
    let profile = engine.profile().unwrap();
    assert_eq!((profile.condition(), profile.warnings().len()), (Condition::Running, 0));
    assert!(profile.losses().summary(1).is_none());
}

/// The length of a cut event can be read from the header that follows it, and end beyond all bytes.
#[test]
fn a_closed_connection_loses_nothing_that_waited_for_more_bytes() {
    let log = |times: [u64; 2]| {
        let mut log = Log::new();
        log.profile_begins(1, 7, 1);
        for time in times {
            log.sample(time, b"a", 8 * time);
        }
        log.ended()
    };
    let (mut bytes, next) = (log([10, 20]), log([30, 40]));
    bytes.truncate(bytes.len() - 2);
    // All of a sample's event but the last byte of its time.
    bytes.extend([0, 164, 0, 0, 0, 0, 0, 0, 0]);
    bytes.extend(next);
    let whole = samples(&read(&bytes[..], &InputOptions::default()).unwrap());
    let mut engine = Engine::new(LiveOptions::default());
    engine.connect();
    engine.feed(&bytes).unwrap();
    assert_ne!(samples(&engine.profile().unwrap()), whole);
    engine.disconnect().unwrap();
    assert_eq!(samples(&engine.profile().unwrap()), whole);
}

#[test]
fn bytes_that_are_not_a_profile_are_an_error_once_and_then_ignored() {
    let mut engine = Engine::new(LiveOptions::default());
    engine.connect();
    assert!(engine.feed(&[0; 100]).is_err());
    assert!(engine.feed(&[0; 100]).is_ok());
    engine.connect();
    engine.feed(&sample("leak-hy.hp")).unwrap();
    assert_eq!(engine.progress(), Progress::Ended);
    engine.connect();
    engine.feed(b"junk").unwrap();
    assert!(engine.disconnect().is_err());
}

#[test]
fn a_restarted_program_is_shown_once_it_has_a_sample() {
    let bytes = sample("leak-hy.eventlog");
    let whole = read(&bytes[..], &InputOptions::default()).unwrap();
    let (mut engine, mut rows) = (Engine::new(LiveOptions::default()), LiveRows::default());
    engine.connect();
    engine.feed(&bytes).unwrap();
    rows.update(&engine);
    engine.connect();
    engine.feed(&bytes[..2000]).unwrap();
    rows.update(&engine);
    assert_eq!(rows.times().len(), whole.samples.len());
    assert_eq!(engine.progress(), Progress::HeaderOnly);
    engine.feed(&bytes[2000..bytes.len() / 2]).unwrap();
    rows.update(&engine);
    check_rows(&rows, &engine);
    let profile = engine.profile().unwrap();
    assert!(profile.samples.len() < whole.samples.len());
    assert_eq!((profile.run.number, profile.run.of), (2, 2));
}

#[test]
fn memory_is_bounded_and_what_was_thinned_is_reported() {
    let options = LiveOptions { samples: 100, ..LiveOptions::default() };
    let (mut engine, mut rows) = (Engine::new(options), LiveRows::default());
    engine.connect();
    let mut text = "JOB \"j\"\nDATE \"d\"\nSAMPLE_UNIT \"s\"\nVALUE_UNIT \"b\"\n".to_owned();
    for i in 0..1000 {
        text.push_str(&format!("BEGIN_SAMPLE {i}.0\na\t{}\nEND_SAMPLE {i}.0\n", i % 7));
    }
    for piece in text.as_bytes().chunks(300) {
        engine.feed(piece).unwrap();
        assert!(engine.samples().0 <= 100);
        rows.update(&engine);
    }
    check_rows(&rows, &engine);
    let (left, thinned) = engine.samples();
    assert_eq!(left + thinned, 1000);
    let profile = engine.profile().unwrap();
    assert!(profile.warnings()[0].message.starts_with(&format!("{thinned} samples of the older")));
    assert_eq!(profile.samples.times()[left - 1].as_nanos(), 999_000_000_000);
}

/// A `.hp` with these bands and sizes, in samples one second apart.
fn hp(samples: &[&[(&str, u64)]]) -> Engine {
    let mut text = "JOB \"j\"\nDATE \"d\"\nSAMPLE_UNIT \"s\"\nVALUE_UNIT \"b\"\n".to_owned();
    for (i, bands) in samples.iter().enumerate() {
        text.push_str(&format!("BEGIN_SAMPLE {i}.0\n"));
        bands.iter().for_each(|(name, size)| text.push_str(&format!("{name}\t{size}\n")));
        text.push_str(&format!("END_SAMPLE {i}.0\n"));
    }
    let mut engine = Engine::new(LiveOptions::default());
    engine.connect();
    engine.feed(text.as_bytes()).unwrap();
    engine
}

#[test]
fn bands_change_places_only_when_one_has_clearly_outgrown_the_other() {
    let order = |rows: &LiveRows, engine: &Engine| -> Vec<String> {
        let run = engine.run().unwrap();
        rows.rows().iter().map(|row| run.label(row.band)).collect()
    };
    let options = RowsOptions { most: 2, ..RowsOptions::default() };
    let mut rows = LiveRows::new(options);
    let mut engine = hp(&[&[("a", 100), ("b", 90), ("c", 80)]]);
    rows.update(&engine);
    assert_eq!(order(&rows, &engine), ["a", "b"]);
    let next = |engine: &mut Engine, rows: &mut LiveRows, text: &str| {
        engine.feed(format!("BEGIN_SAMPLE 9.0\n{text}\nEND_SAMPLE 9.0\n").as_bytes()).unwrap();
        rows.update(engine);
        order(rows, engine)
    };
    assert_eq!(next(&mut engine, &mut rows, "b\t20"), ["a", "b"]);
    assert_eq!(next(&mut engine, &mut rows, "b\t20\nc\t40"), ["b", "a"]);
    assert_eq!(next(&mut engine, &mut rows, "c\t10"), ["b", "c"]);
}

#[test]
fn growth_is_measured_from_the_mark_or_over_the_last_minute() {
    let steps: Vec<[(&str, u64); 2]> =
        (0..200).map(|i| [("up", 10 * i), ("saw", 50 + i % 10)]).collect();
    let samples: Vec<&[(&str, u64)]> = steps.iter().map(|step| &step[..]).collect();
    let (engine, mut rows) = (hp(&samples), LiveRows::default());
    rows.update(&engine);
    let run = engine.run().unwrap();
    let band = |name: &[u8]| {
        let found =
            run.bands().ids().find(|&id| run.bands().key(id).as_ref() == BandKeyRef::Name(name));
        found.unwrap()
    };
    let up = rows.figures(band(b"up"));
    assert_eq!((up.now.get(), up.growth), (1990, 10 * (199 - 135)));
    assert_eq!(rows.growth_from().unwrap().as_nanos(), 135_000_000_000);
    rows.toggle_mark();
    assert_eq!(rows.figures(band(b"up")).growth, 0);
    rows.toggle_mark();
    assert_eq!(rows.growth(), 10 * (199 - 135) + 4);
}
