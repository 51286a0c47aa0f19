//! The fields of the page's data, and what the page advises.

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::Value;

use super::super::island::unpacked;
use super::super::{LeadLine, ReportOptions, ReportRun, write_comparison, write_runs};
use crate::base::units::Nanos;
use crate::compare::compare;
use crate::draw::{DrawOptions, XAxis};
use crate::input::{InputOptions, read};
use crate::profile::{CostCentre, Profile, ProfileBuilder, Source};
use crate::profile_view::{ProfileView, ViewOptions};

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

fn compared(profiles: [&Profile; 2]) -> Vec<Value> {
    let (options, plain) = (ViewOptions::default(), ReportOptions::default());
    let [before, after] = profiles.map(|it| ProfileView::new(it, &options).expect("all of it"));
    let comparison = compare(&[&before], &[&after]).expect("runs of one kind");
    let runs = [("before", &before), ("after", &after)]
        .map(|(name, run)| ReportRun::new(name, run, &plain));
    data(&write_comparison(runs, &comparison, None))
}

/// The names of all fields of a document. A sentence has a type of its own, and places in sources are no fields.
fn fields(value: &Value, found: &mut BTreeSet<String>) {
    for (name, value) in value.as_object().into_iter().flatten() {
        found.insert(name.clone());
        if value.get("say").is_none() && name != "source_lines" {
            fields(value, found);
        }
    }
    let items = value.as_array().into_iter().flatten();
    items.filter(|item| item.get("say").is_none()).for_each(|item| fields(item, found));
}

#[test]
fn the_type_of_the_data_in_the_scripts_has_its_fields_and_no_others() {
    let mut written = BTreeSet::new();
    let lead = vec![LeadLine { words: "THUNK grows".into(), ..LeadLine::default() }];
    let source_lines = [("P.hs:1:2".to_owned(), "f x = x".to_owned())].into();
    let draw = DrawOptions { x: XAxis::Clock, ..DrawOptions::default() };
    let options = ReportOptions { draw, lead, source_lines, ..ReportOptions::default() };
    let mut ticks = ProfileBuilder::new(Source::Eventlog);
    ticks.define_cost_centre(1, CostCentre::new("work", "Main", "P.hs:1:2"));
    ticks.tick(Nanos::ZERO, 0, &[1]).expect("a tick");
    let [activity, leak] = ["leak-hT.eventlog", "words-lazy.eventlog.gz"].map(sample);
    for profile in [&activity, &leak, &ticks.finish()] {
        data(&page(profile, &options)).iter().for_each(|data| fields(data, &mut written));
    }
    compared([&activity, &leak]).iter().for_each(|data| fields(data, &mut written));
    let script = include_str!("../../../templates/report/data.js");
    let words = script.split(|c: char| !(c.is_alphanumeric() || "_?:".contains(c)));
    let typed = words.filter_map(|word| word.strip_suffix(':')?.split('?').next());
    assert_eq!(written, typed.map(str::to_owned).collect());
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
        let data = compared([before, after]);
        let first = data.iter().map(|run| &run["facts"]["steps"]["first"]["command"]);
        assert_eq!(first.into_iter().any(|first| first == "heapviz hunt --again"), is_cured);
    }
}
