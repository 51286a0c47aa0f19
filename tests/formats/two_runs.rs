//! Two runs of one program are the same: a run and itself with other samples taken.

use std::fs::File;
use std::path::PathBuf;

use heapviz::analysis::baseline::Baseline;
use heapviz::compare::{Change, compare};
use heapviz::export;
use heapviz::input::{InputOptions, read};
use heapviz::profile::Profile;
use heapviz::profile_view::{ProfileView, ViewOptions};
use heapviz::slice::Slice;
use heapviz::{Budget, BudgetState};

use crate::common::{data, shared_data};

fn profiles() -> Vec<PathBuf> {
    let mut folders = vec![data("leaks"), data("real-runs")];
    if let Some(shared) = shared_data() {
        let more = ["leaks/dev", "leaks-loaded", "real-runs", "real", "turn6/review", "turn7/bugs"];
        folders.extend(more.map(|name| shared.join(name)));
    }
    let files = folders.iter().flat_map(|folder| folder.read_dir().expect("a folder"));
    let mut files: Vec<PathBuf> = files.map(|file| file.expect("a file").path()).collect();
    // A log has the samples of the `.hp` beside it.
    files.retain(|path| path.to_string_lossy().trim_end_matches(".gz").ends_with(".hp"));
    files.sort();
    files
}

/// A profile as a `.hp` without some of its samples: those at these places, of so many.
fn without(profile: &Profile, is_left_out: impl Fn(usize, usize) -> bool) -> Profile {
    let mut text = Vec::new();
    export::hp::write(&Slice::whole(profile), &mut text).expect("writing to memory");
    let text = String::from_utf8_lossy(&text);
    let mut parts = text.split("BEGIN_SAMPLE");
    let mut kept = parts.next().expect("a head").to_owned();
    let samples: Vec<&str> = parts.collect();
    for (at, sample) in samples.iter().enumerate() {
        if !is_left_out(at, samples.len()) {
            kept += "BEGIN_SAMPLE";
            kept += sample;
        }
    }
    read(kept.as_bytes(), &InputOptions::default()).expect("a profile")
}

/// The recipe of `docs/ci.md`.
const RECIPE: [&str; 2] = ["p99 > baseline * 1.1", "keep > baseline * 1.5"];

/// The rules that a run exceeds, if the baseline was written of another.
fn exceeded(run: &ProfileView<'_>, of: &ProfileView<'_>) -> Option<Vec<&'static str>> {
    let baseline = Baseline::new(of.slice(), of.analysis(), None).ok()?;
    let is_exceeded = |rule: &&str| {
        let budget: Budget = rule.parse().expect("a budget");
        let check = budget.check(run.slice(), run.analysis(), |figure| baseline.get(figure));
        check.state == BudgetState::Exceeded
    };
    Some(RECIPE.into_iter().filter(is_exceeded).collect())
}

#[test]
fn a_run_passes_the_recipe_with_a_baseline_of_half_of_its_samples() {
    let (mut checked, mut wrong) = (0, Vec::new());
    for path in profiles() {
        let profile = read(File::open(&path).expect("a file"), &InputOptions::default());
        let all = without(&profile.expect("a profile"), |_, _| false);
        let halves =
            [0, 1].map(|half| without(&all, |at, of| at % 2 == half && 0 < at && at + 2 < of));
        let options = ViewOptions::default();
        let view = |profile| ProfileView::new(profile, &options).expect("all of it");
        let run = view(&all);
        for (half, other) in halves.iter().enumerate() {
            let other = view(other);
            for [one, another] in [[&run, &other], [&other, &run]] {
                let Some(rules) = exceeded(one, another) else { continue };
                checked += 1;
                for rule in rules {
                    wrong.push(format!("{} {half}: {rule}", path.display()));
                }
            }
        }
    }
    println!("{} of {checked} fail:\n{}", wrong.len(), wrong.join("\n"));
    assert!(checked >= 300, "{checked}");
    // A peak of one sample is in one half: of 50 baselines one may fail.
    assert!(50 * wrong.len() <= checked, "{} of {checked}:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn a_run_and_itself_with_other_samples_are_the_same() {
    let (mut compared, mut wrong) = (0, Vec::new());
    for path in profiles() {
        let profile = read(File::open(&path).expect("a file"), &InputOptions::default());
        let all = without(&profile.expect("a profile"), |_, _| false);
        let others = [
            without(&all, |at, _| at % 3 == 1),
            without(&all, |at, _| (1..4).contains(&at)),
            without(&all, |at, of| at % 2 == 0 && 0 < at && at + 2 < of),
        ];
        let options = ViewOptions::default();
        let view = |profile| ProfileView::new(profile, &options).expect("all of it");
        let run = view(&all);
        for (how, other) in others.iter().enumerate() {
            let other = view(other);
            for [before, after] in [[&run, &other], [&other, &run]] {
                // A `.hp` does not say what its bands are, and some of its samples may not show it.
                let Ok(found) = compare(&[before], &[after]) else { continue };
                compared += 1;
                match found.change {
                    Change::Same | Change::Open => {}
                    Change::Gone | Change::Less | Change::More | Change::New => {
                        wrong.push(format!("{} {how}: {}", path.display(), found.headline()));
                    }
                }
            }
        }
    }
    println!("{} of {compared} are told as a change:\n{}", wrong.len(), wrong.join("\n"));
    assert!(compared >= 300, "{compared}");
    assert!(270 * wrong.len() <= compared, "{} of {compared}:\n{}", wrong.len(), wrong.join("\n"));
}
