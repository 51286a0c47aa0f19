//! The type of the page's data in its scripts, `templates/report/data.js`: a test writes it from
//! documents that together have every field, so that the scripts are checked against the Rust structs.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::Path;

use serde_json::Value;

use super::super::island::unpacked;
use super::super::{LeadLine, ReportOptions, ReportRun, TreeStart, write_comparison, write_runs};
use crate::base::units::{Bytes, Nanos};
use crate::chart::HeapSeriesKind;
use crate::compare::compare;
use crate::draw::{DrawOptions, HeapLines, Scale, XAxis};
use crate::input::{InputOptions, read, read_drawable};
use crate::picture::Theme;
use crate::profile::{Breakdown, CostCentre, Profile, ProfileBuilder, Source};
use crate::profile_view::{ProfileView, VerdictChoice, ViewOptions};
use crate::tree::Weight;

/// What is known about a value after some examples.
#[derive(Default)]
struct Shape {
    /// `null`, `boolean`, `number`, `string`, `Sentence`.
    plain: BTreeSet<&'static str>,
    object: Option<Object>,
    /// The elements of lists, all together.
    list: Option<Box<Shape>>,
    /// The elements of pairs and triples whose elements differ, by position.
    tuple: Vec<Shape>,
}

/// Fields, and in how many of the examples each was.
#[derive(Default)]
struct Object {
    examples: usize,
    fields: BTreeMap<String, (usize, Shape)>,
    /// The names of the fields in their order.
    names: Vec<String>,
}

/// Fields that are maps from any text.
const MAPS: [&str; 2] = ["heap", "source_lines"];
/// Lists whose elements differ.
const TUPLES: [&str; 3] = ["gained", "counts", "started"];

/// The most characters of an object on one line.
const LINE: usize = 90;

impl Shape {
    fn add(&mut self, name: &str, value: &Value) {
        match value {
            Value::Null => drop(self.plain.insert("null")),
            Value::Bool(_) => drop(self.plain.insert("boolean")),
            Value::Number(_) => drop(self.plain.insert("number")),
            Value::String(_) => drop(self.plain.insert("string")),
            Value::Array(items) if TUPLES.contains(&name) => {
                self.tuple.resize_with(items.len(), Shape::default);
                for (shape, item) in self.tuple.iter_mut().zip(items) {
                    shape.add("", item);
                }
            }
            Value::Array(items) => {
                let list = self.list.get_or_insert_default();
                items.iter().for_each(|item| list.add("", item));
            }
            Value::Object(fields) if fields.contains_key("say") => {
                self.plain.insert("Sentence");
            }
            Value::Object(fields) if MAPS.contains(&name) => {
                let map = self.object.get_or_insert_default();
                for item in fields.values() {
                    map.fields.entry("*".to_owned()).or_default().1.add("", item);
                }
            }
            Value::Object(fields) => {
                let object = self.object.get_or_insert_default();
                object.examples += 1;
                for (name, value) in fields {
                    if !object.names.contains(name) {
                        object.names.push(name.clone());
                    }
                    let field = object.fields.entry(name.clone()).or_default();
                    field.0 += 1;
                    field.1.add(name, value);
                }
            }
        }
    }

    /// The type as TypeScript writes it, and whether anything is known of it.
    fn write(&self, path: &str, indent: usize, text: &mut String) {
        let mut any = false;
        let mut or = |text: &mut String| {
            if any {
                text.push_str(" | ");
            }
            any = true;
        };
        if let Some(object) = &self.object {
            or(text);
            if let Some((_, values)) = object.fields.get("*") {
                text.push_str("Record<string, ");
                values.write(path, indent, text);
                text.push('>');
            } else {
                let field = |name: &String| {
                    let (seen, shape) = &object.fields[name];
                    let maybe = if *seen < object.examples { "?" } else { "" };
                    let mut field = format!("{name}{maybe}: ");
                    shape.write(&format!("{path}.{name}"), indent + 2, &mut field);
                    field
                };
                let fields: Vec<String> = object.names.iter().map(field).collect();
                let line = format!("{{ {} }}", fields.join(", "));
                if line.len() < LINE && !line.contains('\n') {
                    text.push_str(&line);
                } else {
                    let step = format!("\n * {:indent$}", "");
                    let list = fields.join(&format!(",{step}  "));
                    write!(text, "{{{step}  {list},{step}}}").expect("memory");
                }
            }
        }
        if let Some(list) = &self.list {
            or(text);
            let mut element = String::new();
            list.write(&format!("{path}[]"), indent, &mut element);
            let is_plain = element.chars().all(|c| c.is_ascii_alphabetic());
            let element = if is_plain { element } else { format!("({element})") };
            write!(text, "{element}[]").expect("memory");
        }
        if !self.tuple.is_empty() {
            or(text);
            text.push('[');
            for (i, shape) in self.tuple.iter().enumerate() {
                text.push_str(if i > 0 { ", " } else { "" });
                shape.write(&format!("{path}[{i}]"), indent, text);
            }
            text.push(']');
        }
        for plain in self.plain.iter().rev() {
            or(text);
            text.push_str(plain);
        }
        let is_null = self.plain.len() == 1 && self.plain.contains("null");
        let is_known = any
            && (!is_null || self.object.is_some() || self.list.is_some() || !self.tuple.is_empty());
        if !is_known {
            // A field of the struct that no example has would be without a type.
            write!(text, "UNKNOWN {path}").expect("memory");
        }
    }
}

fn sample(name: &str) -> Profile {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples").join(name);
    read(std::fs::File::open(path).expect("a sample"), &InputOptions::default()).expect("a profile")
}

/// The data of each run of a page.
fn data(page: &str) -> Vec<Value> {
    let islands = page.split("class=\"island\">").skip(1);
    let text = |island: &str| unpacked(island.split('<').next().expect("an end"));
    islands.map(|island| serde_json::from_slice(&text(island)).expect("JSON")).collect()
}

fn page(profile: &Profile, options: &ReportOptions) -> String {
    let run_options = ViewOptions::default();
    let run = ProfileView::new(profile, &run_options).expect("all of it");
    write_runs(&[ReportRun::new("run", &run, options)])
}

/// A text profile with a filter and a cut name, without its end.
fn cut() -> Profile {
    let text = "JOB \"prog +RTS -hy -hmMain\"\nDATE \"today\"\nSAMPLE_UNIT \"seconds\"\n\
                VALUE_UNIT \"bytes\"\nBEGIN_SAMPLE 0.1\nMap\t1000\nnothing\nEND_SAMPLE 0.1\n\
                BEGIN_SAMPLE 0.2\nMap\t3000\nEND_SAMPLE 0.2\nBEGIN_SAMPLE 0.3\nMap\t30"
        .replace("Map", "Data.Map.Internal.Bin1...");
    read_drawable(text.as_bytes(), &InputOptions::default()).expect("a profile")
}

/// A leak of a cost centre with a place, in a program whose timer ticked.
fn leak_with_ticks() -> Profile {
    let mut builder = ProfileBuilder::new(Source::Eventlog);
    builder.declare_breakdown(Breakdown::CostCentre);
    let centre = CostCentre::new("work", "Main", "p.hs:1:1-9");
    builder.define_cost_centre(1, centre);
    builder.calls.tick = Some(Nanos::from_nanos(10_000_000));
    for i in 0..60 {
        let time = Nanos::from_nanos(10_000_000 * i);
        builder.tick(time, 0, &[1]).expect("a tick");
        builder.stack_sample(time.as_nanos(), [(&[1], 1_000_000 + 500_000 * i as u64)]);
    }
    builder.finish()
}

/// A program without a heap profile, whose ticks have no length.
fn ticks() -> Profile {
    let mut builder = ProfileBuilder::new(Source::Eventlog);
    let centre = CostCentre::new("work", "Main", "p.hs:1:1-9");
    builder.define_cost_centre(1, centre);
    builder.tick(Nanos::from_nanos(1), 0, &[1]).expect("a tick");
    builder.finish()
}

/// Pages that together have every field, and `null` wherever it can be.
fn examples() -> Vec<Value> {
    let plain = ReportOptions::default();
    let line = LeadLine {
        words: "words".into(),
        place: Some("P.hs:1:2".to_owned()),
        share_percent: Some(50.0),
        source: Some("f x = x".to_owned()),
    };
    let scale = Scale {
        time_min: Some(Nanos::from_nanos(1_000_000)),
        time_max: Some(Nanos::from_nanos(9_000_000_000)),
        sample_max: Some(90),
        heap_max: Some(Bytes::new(64 << 20)),
        ..Scale::default()
    };
    let full = ReportOptions {
        flags: vec![vec!["palette".to_owned(), "safe".to_owned()]],
        badge: None,
        draw: DrawOptions {
            x: XAxis::Clock,
            scale,
            heap_lines: HeapLines::All,
            ..DrawOptions::default()
        },
        theme: Some(Theme::Dark),
        source_url: Some("https://example.org/{file}#L{line}".to_owned()),
        source_lines: BTreeMap::from([("P.hs:1:2".to_owned(), "f x = x".to_owned())]),
        lead: vec![line, LeadLine { words: "words".into(), ..LeadLine::default() }],
        tree: TreeStart { weight: Some(Weight::Live) },
    };
    let hidden = ViewOptions { verdict: VerdictChoice::Hide, ..ViewOptions::default() };
    let made = [teeth(), ended(), live_bytes()];
    let mut found: Vec<Value> = made.iter().flat_map(|made| data(&page(made, &plain))).collect();
    let samples = "leak-hT.eventlog leak-hc.eventlog leak-hy.hp words-lazy.eventlog.gz \
        server-hT.hp.gz hlint-hT.hp.gz ghc-hT.hp.gz leak-hb.eventlog leak-hi.eventlog";
    for name in samples.split(' ') {
        let profile = sample(name);
        found.extend(data(&page(&profile, &plain)));
        let run = ProfileView::new(&profile, &hidden).expect("all of it");
        let run = run.of_file(Some("folder/prog.eventlog".to_owned()));
        found.extend(data(&write_runs(&[ReportRun::new("run", &run, &full)])));
    }
    for profile in [cut(), leak_with_ticks(), ticks()] {
        found.extend(data(&page(&profile, &plain)));
    }
    let mut mutator = ReportOptions::default();
    mutator.draw.x = XAxis::Mutator;
    found.extend(data(&page(&sample("words-lazy.eventlog.gz"), &mutator)));
    // Stacks so deep take long to make.
    let mut deep = found[0].clone();
    deep["facts"]["left_out"]["depth"] = 6.into();
    found.push(deep);
    // These have few bands in common.
    let [before, after] = ["words-lazy.eventlog.gz", "leak-hT.eventlog"].map(sample);
    let run_options = ViewOptions::default();
    let [before, after] =
        [&before, &after].map(|it| ProfileView::new(it, &run_options).expect("all of it"));
    let comparison = compare(&[&before], &[&after]).expect("runs of one kind");
    let runs = [("before", &before), ("after", &after)]
        .map(|(name, run)| ReportRun::new(name, run, &plain));
    found.extend(data(&write_comparison(runs, &comparison, None)));
    found
}

/// A sawtooth whose lows rise.
fn teeth() -> Profile {
    let mut builder = ProfileBuilder::new(Source::Hp);
    builder.declare_breakdown(Breakdown::ClosureType);
    for sample in 0..240_u64 {
        builder.sample(
            50_000_000 * sample as i64,
            [("Cache", ((2 + sample / 40) << 17) + ((sample % 40) << 16)), ("Work", 1 << 16)],
        );
    }
    builder.finish()
}

/// What grew until the program ended.
fn ended() -> Profile {
    let mut builder = ProfileBuilder::new(Source::Hp);
    for sample in 0..100_u64 {
        let late = if sample < 99 { 40_000 * sample.saturating_sub(50) } else { 0 };
        builder.sample(1_000_000_000 * sample as i64, [("Base", 1_500_000), ("Late", late)]);
    }
    builder.finish()
}

/// Live bytes that grow in no band.
fn live_bytes() -> Profile {
    let mut builder = ProfileBuilder::new(Source::Eventlog);
    for sample in 0..100_u64 {
        let time = Nanos::from_nanos(1_000_000_000 * sample as i64);
        builder.sample(time.as_nanos(), [("Level", 1 << 20)]);
        builder.heap_point(HeapSeriesKind::Live, time, Bytes::new((4 + 2 * sample) << 20));
    }
    builder.finish()
}

#[test]
fn the_scripts_have_the_type_of_the_data() {
    let mut shape = Shape::default();
    for example in examples() {
        shape.add("", &example);
    }
    let mut text = "// @ts-check\n// The data of a run, as src/report/data.rs writes them. A test writes this file:\n\
         // HEAPVIZ_BLESS=1 cargo test --lib report::facts\n\n\
         /** @import { Sentence } from \"./words.js\" */\n\n/**\n * @typedef {"
        .to_owned();
    shape.write("data", 0, &mut text);
    text.push_str("} Data\n * @typedef {Data[\"facts\"]} Facts\n */\n");
    let unknown: Vec<&str> = text.lines().filter(|line| line.contains("UNKNOWN")).collect();
    assert!(unknown.is_empty(), "no example has these: {unknown:#?}");
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("templates/report/data.js");
    if std::env::var_os("HEAPVIZ_BLESS").is_some() {
        std::fs::write(&path, &text).expect("a file of the checkout");
    }
    let written = std::fs::read_to_string(&path).expect("the type");
    assert!(written == text, "the data have another type; HEAPVIZ_BLESS=1 writes it:\n{text}");
}

#[test]
fn the_page_of_a_hunt_advises_only_to_hunt_again() {
    let profile = sample("words-lazy.eventlog.gz");
    let steps = |lead: Vec<LeadLine>| {
        let options = ReportOptions { lead, ..ReportOptions::default() };
        let facts = data(&page(&profile, &options)).swap_remove(0)["facts"].take();
        let others = facts["steps"]["others"].as_array().expect("a list").len();
        (facts["steps"]["first"]["command"].clone(), others, facts["verdict"]["next"].to_string())
    };
    let line = LeadLine { words: "THUNK grows".into(), ..LeadLine::default() };
    let ((plain, others, _), (hunt, none, next)) = (steps(Vec::new()), steps(vec![line]));
    assert!(plain != hunt && others > 0);
    assert_eq!((hunt, none), ("heapviz hunt --again".into(), 0));
    assert!(!next.contains("-hc") && !next.contains("-hr"), "{next}");
}

#[test]
fn only_after_a_cure_is_there_nothing_to_hunt() {
    let [leaks, sound] = ["words-lazy.eventlog.gz", "words-strict.eventlog.gz"].map(sample);
    for (before, after, is_cured) in
        [(&leaks, &sound, true), (&leaks, &leaks, false), (&sound, &leaks, false)]
    {
        let (options, plain) = (ViewOptions::default(), ReportOptions::default());
        let [before, after] =
            [before, after].map(|it| ProfileView::new(it, &options).expect("all of it"));
        let comparison = compare(&[&before], &[&after]).expect("runs of one kind");
        let runs = [("before", &before), ("after", &after)]
            .map(|(name, run)| ReportRun::new(name, run, &plain));
        let data = data(&write_comparison(runs, &comparison, None));
        let first = data.iter().map(|run| &run["facts"]["steps"]["first"]["command"]);
        assert_eq!(first.into_iter().any(|first| first == "heapviz hunt --again"), is_cured);
    }
}
