//! What the recipe of `docs/ci.md`, and other rules, say of the leaks that people wrote about in public, and of their
//! cures: each story of the shared data, told again as a program, is run as `heapviz check -- ./prog` runs it.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::thread;

use serde_json::Value;

use crate::common;
use crate::common::command::Folder;

const RULES: [&str; 6] = [
    "leak == likely",
    "leak != none",
    "shape >= grew-to-exit",
    "keep > 2%",
    "p99 > baseline * 1.1",
    "keep > baseline * 1.5",
];
const GROWS: usize = 1;
/// The rules of the recipe. The first is not for a server that grows by design.
const HOLDS_MORE: usize = 4;
const KEEPS_MORE: usize = 5;

/// The arguments of programs that end by themselves; all others are servers, and take the seconds until they end.
const OF_BATCH: [(&str, &str); 3] =
    [("S03_floated", "8"), ("S13_twopass", "64"), ("S15_statet", "50000000")];

/// Whether each rule holds of a run, is exceeded, or cannot be told.
fn states(run: &Value) -> Option<Vec<&str>> {
    let budgets = run["budgets"].as_array()?;
    budgets.iter().map(|budget| budget["state"].as_str()).collect()
}

/// What the rules say of a story's leak and of its cure; `None` if GHC lacks a package for it.
fn judged(story: &Path) -> Option<[Value; 2]> {
    let folder = Folder::new();
    for name in ["Main", "Fixed"] {
        fs::copy(story.join(name).with_extension("hs"), folder.path().join(format!("{name}.hs")))
            .expect("a source");
        let words = ["-v0", "-O", "-threaded", "-rtsopts", "-eventlog", "-outputdir", name];
        let mut ghc = Command::new("ghc");
        ghc.args(words).args(["-o", &format!("{name}.program"), &format!("{name}.hs")]);
        let built = ghc.current_dir(folder.path()).stderr(Stdio::null()).status();
        built.ok().filter(std::process::ExitStatus::success)?;
    }
    let title = story.file_name()?.to_str()?;
    let argument = OF_BATCH.iter().find(|(name, _)| *name == title).map_or("60", |(_, arg)| arg);
    let check = |name: &str, words: &[&str]| {
        let program = format!("./{name}.program");
        let start = ["check", "--for", "12s", "-q"];
        let words = [&start[..], words, &["--", &program, argument]].concat();
        let run = folder.heapviz(&words).output().expect("the command");
        (run.status.code(), run.stdout, String::from_utf8_lossy(&run.stderr).into_owned())
    };
    let (status, _, said) = check("Fixed", &["--write-baseline", "base.json"]);
    assert_eq!(status, Some(0), "{title}: {said}");
    let rules = RULES.iter().flat_map(|rule| ["--fail-if", rule]);
    let words: Vec<&str> =
        ["-f", "json", "--baseline", "base.json"].into_iter().chain(rules).collect();
    Some(["Main", "Fixed"].map(|name| {
        let (_, out, said) = check(name, &words);
        serde_json::from_slice(&out).unwrap_or_else(|error| panic!("{title}: {error}: {said}"))
    }))
}

#[test]
#[ignore = "takes half a minute for each story; .ci/nightly runs it"]
fn the_recipe_for_ci_catches_leaks_and_passes_their_cures() {
    let Some(data) = common::shared_data() else { return };
    let mut stories: Vec<_> = fs::read_dir(data.join("stories"))
        .expect("stories")
        .flatten()
        .map(|one| one.path())
        .collect();
    stories.retain(|path| path.is_dir());
    stories.sort();
    let (todo, done) = (Mutex::new(stories), Mutex::new(Vec::new()));
    let worker = || {
        loop {
            let Some(story) = todo.lock().unwrap().pop() else { break };
            let title = story.file_name().unwrap_or_default().to_string_lossy().into_owned();
            match judged(&story) {
                Some(judged) => done.lock().unwrap().push((title, judged)),
                None => println!("{title} is not built: GHC lacks a package"),
            }
        }
    };
    // A server waits longer than it works.
    thread::scope(|scope| (0..4).map(|_| scope.spawn(worker)).for_each(drop));
    let mut done = done.into_inner().unwrap();
    done.sort_by(|one, other| one.0.cmp(&other.0));
    let is_red = |run: &Value, rule: usize| states(run).is_some_and(|states| states[rule] != "ok");
    for (title, [leak, cure]) in &done {
        let of = |run: &Value| states(run).unwrap_or_default().join(" ");
        let figures = |run: &Value| {
            let figure = |rule: usize| run["budgets"][rule]["measured"].clone();
            format!("p99 {} keep {}", figure(HOLDS_MORE), figure(KEEPS_MORE))
        };
        println!(
            "{title}\n  leak {}: {}\n  cure {}: {}",
            of(leak),
            figures(leak),
            of(cure),
            figures(cure)
        );
    }
    println!("\n| rule | leak caught | cure passed | both |\n|---|---|---|---|");
    let row = |name: &str, is_red: &dyn Fn(&Value, &Value) -> bool| {
        let judged = done.iter().map(|(_, [leak, cure])| [is_red(leak, cure), is_red(cure, cure)]);
        let count = |is: &dyn Fn(&[bool; 2]) -> bool| judged.clone().filter(is).count();
        let both = count(&|judged| *judged == [true, false]);
        let (caught, passed) = (count(&|[leak, _]| *leak), count(&|[_, cure]| !*cure));
        println!("| {name} | {caught} | {passed} | {both} of {} |", done.len());
        both
    };
    for (at, rule) in RULES.iter().enumerate() {
        row(&format!("`{rule}`"), &|run, _| is_red(run, at));
    }
    let recipe = |run: &Value, cure: &Value| {
        let by_design = states(cure).is_some_and(|states| states[GROWS] == "exceeded");
        is_red(run, KEEPS_MORE) || !by_design && is_red(run, HOLDS_MORE)
    };
    let both = row("the recipe", &recipe);
    // Of one run on a busy machine it may not be possible to tell.
    assert!(!done.is_empty() && both + 1 >= done.len(), "{both} of {}", done.len());
}
