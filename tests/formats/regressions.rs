//! Inputs that once crashed, hung or broke an invariant, found by fuzzing; and the seeds of the fuzzer.
//!
//! Every file of `tests/regressions/` is read, drawn and exported in every format. Its name says which
//! fuzz target found it and what happened.

use std::fs;
use std::path::Path;

use heapviz::analysis::baseline::Baseline;
use heapviz::analysis::budget::Budget;
use heapviz::decode::Decoder;
use heapviz::draw::{self, DrawOptions};
use heapviz::export;
use heapviz::incident::error::Error;
use heapviz::input::{InputOptions, read};
use heapviz::profile::{Profile, ProfileBuilder, Source};
use heapviz::profile_view::{ProfileView, ViewOptions};
use heapviz::render::{SvgOptions, svg};
use heapviz::slice::Slice;

/// The profile in bytes that are decoded in a format, whatever they look like.
fn decoded(bytes: &[u8], format: Source) -> Result<Profile, Error> {
    let mut profile = ProfileBuilder::new(format);
    let mut decoder = Decoder::new(format);
    decoder.feed(bytes, &mut profile)?;
    decoder.finish(&mut profile)?;
    Ok(profile.finish())
}

fn exercise(profile: &Profile) {
    let mut text = Vec::new();
    export::hp::write(&Slice::whole(profile), &mut text).expect("memory");
    let again = read(&text[..], &InputOptions::default()).expect("what the exporter wrote");
    assert_eq!(again.samples().len(), profile.samples().len());
    if profile.no_samples().is_some() {
        return;
    }
    for trace_percent in [0.0, 1.0, 100.0] {
        let mut options = ViewOptions::default();
        options.rank.trace_percent = trace_percent;
        let run = ProfileView::new(profile, &options).expect("all of the run");
        let (ranking, chart) = (run.ranking(), run.chart());
        let bands = ranking.kept.len() + ranking.other.len() + ranking.trace.len();
        assert_eq!(bands, profile.bands().len());
        let picture = svg(&draw::chart(chart, &DrawOptions::default()), &SvgOptions::default());
        roxmltree::Document::parse(&picture).expect("well-formed SVG");
        let json = export::json::write(&run);
        serde_json::from_str::<serde_json::Value>(&json).expect("JSON");
        export::csv::write(chart);
    }
}

#[test]
fn no_input_that_once_failed_fails_again() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/regressions");
    let mut files = 0;
    for entry in fs::read_dir(folder).expect("the regressions") {
        let path = entry.expect("an entry").path();
        let bytes = fs::read(&path).expect("a file");
        eprintln!("{}", path.display());
        let as_found = read(&bytes[..], &InputOptions::default()).ok();
        let given = [Source::Eventlog, Source::Hp].map(|format| decoded(&bytes, format).ok());
        as_found.iter().chain(given.iter().flatten()).for_each(exercise);
        files += 1;
    }
    assert!(files > 0, "no file was read");
}

/// A fuzzer that starts with refused texts rarely finds one that is accepted.
#[test]
fn the_seeds_of_the_fuzzer_are_read() {
    let seeds = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/seeds");
    if !seeds.exists() {
        return crate::common::skipped("no fuzz/seeds, which the published crate does not contain");
    }
    let seed = |name: &str| {
        fs::read_to_string(seeds.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    };
    for line in seed("rules/ci.budgets").lines() {
        line.parse::<Budget>().unwrap_or_else(|error| panic!("{error}"));
    }
    for name in ["accepted", "leak-hc", "plain", "words-strict"] {
        let baseline = Baseline::read(&seed(&format!("rules/{name}.baseline.json")));
        baseline.unwrap_or_else(|error| panic!("{name}: {error}"));
    }
    for name in ["late-P", "newline", "odd-P", "p", "two-processors"] {
        let report = seed(&format!("prof/{name}.prof"));
        let profile = decoded(report.as_bytes(), Source::Prof);
        let profile = profile.unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(profile.warnings(), [], "{name}");
    }
}
