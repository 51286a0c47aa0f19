//! The verdict on the benchmark of programs whose leaks are known: a part of it is in this package, and
//! the rest is read if present. Prints the table that is in `docs/measured.md`.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::Path;

use heapviz::analysis::baseline::Baseline;
use heapviz::analysis::budget::{Budget, BudgetState};
use heapviz::analysis::{Account, Analysis, Leak, Metric, RiseEnd};
use heapviz::base::pattern::Pattern;
use heapviz::compare::{Change, compare};
use heapviz::input::{InputOptions, read};
use heapviz::profile_view::{ProfileView, ViewOptions};
use heapviz::slice::Slice;
use serde_json::Value;

use crate::common::{data, real_data, shared_data, skipped};

/// The score of the verdicts on some profiles.
#[derive(Debug, Default)]
struct Score {
    leaks: usize,
    /// Accused, or named in "built up, then freed" because the program freed it before its last sample.
    found: usize,
    first: usize,
    missed: Vec<String>,
    healthy: usize,
    accused: Vec<String>,
    /// The error of the start, as a share of the run.
    starts: Vec<f64>,
}

fn verdict(path: &Path) -> Option<Account> {
    let profile = read(File::open(path).ok()?, &InputOptions::default()).ok()?;
    Some(Analysis::new(&Slice::whole(&profile), &[]).account)
}

/// The label without the number that a `.hp` puts before a stack.
fn plain(label: &str) -> &str {
    match label.strip_prefix('(').and_then(|rest| rest.split_once(')')) {
        Some((number, name)) if number.bytes().all(|b| b.is_ascii_digit()) => name,
        _ => label,
    }
}

fn score<'a>(
    truth: impl Iterator<Item = (&'a String, &'a Value)>,
    verdicts: &BTreeMap<String, Account>,
) -> Score {
    let mut score = Score::default();
    for (name, known) in truth {
        let Some(verdict) = verdicts.get(name) else { continue };
        let accused = verdict.leak >= Leak::Possible;
        match known["class"].as_str() {
            Some("healthy") => {
                score.healthy += 1;
                if accused {
                    score.accused.push(name.clone());
                }
            }
            Some("leak") if known["ambiguous"] != true && known["hard"] != true => {
                score.leaks += 1;
                let told = verdict.finding.rise().map(|told| told.end);
                // What climbs at the end is named, and a longer run is asked for.
                let is_told = [RiseEnd::Freed, RiseEnd::Exit, RiseEnd::Climbs];
                let is_named = told.is_some_and(|end| is_told.contains(&end));
                let first = verdict.suspects.first().map(|first| &first.label);
                let named = verdict.named.first().filter(|_| is_named).map(|band| &band.label);
                let first = first.or(named);
                let Some(first) = first else {
                    score.missed.push(name.clone());
                    continue;
                };
                score.found += 1;
                let leaking = |pattern: &Value| {
                    let pattern: Pattern =
                        pattern.as_str().expect("text").parse().expect("a pattern");
                    pattern.matches(plain(first))
                };
                let groups = known["bands"].as_array().expect("bands");
                if groups.iter().any(|group| group.as_array().expect("a list").iter().any(leaking))
                {
                    score.first += 1;
                    let since = verdict.suspects.first().and_then(|first| first.since);
                    let since = since.map(|time| time.as_seconds());
                    if let (Some(since), Some(start), Some(length)) =
                        (since, known["start_s"].as_f64(), known["length_s"].as_f64())
                    {
                        score.starts.push((since - start).abs() / length);
                    }
                }
            }
            _ => {}
        }
    }
    score.starts.sort_by(f64::total_cmp);
    score
}

impl Score {
    fn start(&self) -> f64 {
        self.starts.get(self.starts.len() / 2).copied().unwrap_or(0.0)
    }

    fn line(&self, name: &str) -> String {
        format!(
            "{name}: found {}/{}, right band first {}/{}, accused {}/{}, start off by {:.1} % of the \
             run; missed {:?}, accused {:?}",
            self.found,
            self.leaks,
            self.first,
            self.found,
            self.accused.len(),
            self.healthy,
            100.0 * self.start(),
            self.missed,
            self.accused
        )
    }
}

#[test]
fn the_packaged_benchmark_is_judged_correctly() {
    let folder = data("leaks");
    let text = fs::read_to_string(folder.join("truth.json")).expect("the truth");
    let truth: Value = serde_json::from_str(&text).expect("JSON");
    let truth = truth.as_object().expect("an object");
    let verdicts: BTreeMap<String, Account> = truth
        .keys()
        .map(|name| (name.clone(), verdict(&folder.join(name)).expect("a profile")))
        .collect();
    let score = score(truth.iter(), &verdicts);
    println!("{}", score.line("here"));
    assert!(score.leaks >= 25 && score.healthy >= 30, "{score:?}");
    assert_eq!((&score.missed, &score.accused), (&vec![], &vec![]), "{}", score.line("here"));
    assert!(
        score.first * 100 >= score.found * 93 && score.start() < 0.02,
        "{}",
        score.line("here")
    );
}

#[test]
fn the_external_benchmark_is_judged_correctly() {
    let Some(shared) = shared_data() else { return };
    let folder = shared.join("leaks");
    let Ok(text) = fs::read_to_string(folder.join("truth-dev.json")) else {
        return skipped("no leak benchmark");
    };
    let truth: Value = serde_json::from_str(&text).expect("JSON");
    let profiles = truth["profiles"].as_object().expect("profiles");
    let verdicts: BTreeMap<String, Account> = profiles
        .keys()
        .filter_map(|name| Some((name.clone(), verdict(&folder.join("dev").join(name))?)))
        .collect();
    assert_eq!(verdicts.len(), profiles.len());
    for breakdown in ["closure-type", "type", "closure-description", "cost-centre", "biography"] {
        for ending in ["eventlog", "hp"] {
            let of = |(name, known): &(&String, &Value)| {
                known["breakdown"] == breakdown && name.contains(&format!(".{ending}"))
            };
            let score = score(profiles.iter().filter(of), &verdicts);
            println!("{}", score.line(&format!("{breakdown} .{ending}")));
        }
    }
    let enough = |(_, known): &(&String, &Value)| {
        known["breakdown"] != "biography" && known["samples"].as_u64() >= Some(15)
    };
    let all = score(profiles.iter().filter(enough), &verdicts);
    assert!(all.found * 100 >= all.leaks * 97, "{}", all.line("all"));
    assert!(all.first * 100 >= all.found * 93 && all.start() < 0.02, "{}", all.line("all"));
    let logs = score(profiles.iter().filter(|(name, _)| name.contains(".eventlog")), &verdicts);
    assert_eq!(logs.accused, [""; 0], "{}", logs.line("event logs"));
}

/// Runs before and after a fix, repeated, and with functions renamed.
#[test]
fn pairs_of_runs_are_compared_correctly() {
    let folder = real_data().join("leaks");
    let text = fs::read_to_string(folder.join("truth-dev.json")).expect("the truth");
    let truth: Value = serde_json::from_str(&text).expect("JSON");
    let (mut fixed, mut stopped, mut again, mut same) = (0, 0, 0, 0);
    for pair in truth["pairs"].as_array().expect("pairs") {
        let profile = |side: &str| {
            let file = File::open(folder.join("dev").join(pair[side].as_str().expect("a name")));
            read(file.expect("a file"), &InputOptions::default()).expect("a profile")
        };
        let (before, after) = (profile("a"), profile("b"));
        let options = ViewOptions::default();
        let [before, after] =
            [&before, &after].map(|it| ProfileView::new(it, &options).expect("all of it"));
        let comparison = compare(&[&before], &[&after]).expect("one break-down");
        if pair["kind"] == "fixed" {
            fixed += 1;
            // One of the leaks is fixed: at least one of its bands is gone, or nearly.
            let gone = pair["gone"].as_array().expect("leaks").iter().any(|leak| {
                let leak = leak.as_array().expect("bands").iter();
                let mut patterns =
                    leak.map(|p| p.as_str().expect("text").parse().expect("a pattern"));
                patterns.any(|pattern: Pattern| {
                    let rows = comparison.bands.rows.iter();
                    rows.filter(|row| pattern.matches(plain(&row.label)))
                        .any(|row| !row.grows[1] && row.after < 0.2 * row.before)
                })
            });
            stopped += usize::from(gone);
            assert!(
                matches!(comparison.change, Change::Gone | Change::Less),
                "{:?}: {pair}",
                comparison.change
            );
            if !gone {
                println!("not gone: {pair}");
            }
        } else {
            again += 1;
            let figure = |figure: Metric| {
                let row = comparison.figures.iter().find(|row| row.figure == figure);
                row.expect("every figure").change
            };
            assert_eq!(comparison.change, Change::Same, "{} {pair}", comparison.headline());
            let peaks = [Metric::Peak, Metric::P99].map(figure) == [Change::Same; 2];
            same += usize::from(peaks);
        }
    }
    println!("fixed: gone in {stopped} of {fixed}; again or renamed: ~ in {same} of {again}");
    assert_eq!(stopped, fixed);
    assert!(again >= 4 && again - same <= 1 + again / 12);
}

/// Runs of real programs that are healthy: at most one in ten is possibly a leak, and a log says what the `.hp` of
/// its run says.
#[test]
fn healthy_runs_of_real_programs_are_not_accused() {
    let mut folders = vec![data("real-runs")];
    folders.extend(shared_data().map(|shared| shared.join("real-runs")));
    let files = folders.iter().flat_map(|folder| folder.read_dir().expect("a folder"));
    let verdicts: BTreeMap<String, Account> = files
        .filter_map(|file| {
            let path = file.expect("a file").path();
            let name = path.file_name()?.to_str()?.to_owned();
            name.ends_with(".gz").then(|| (name, verdict(&path).expect("a profile")))
        })
        .collect();
    let graded = |leak: Leak| -> Vec<&String> {
        verdicts.iter().filter(|(_, found)| found.leak == leak).map(|(name, _)| name).collect()
    };
    let (likely, possible) = (graded(Leak::Likely), graded(Leak::Possible));
    println!("{} runs: likely {likely:?}, possible {possible:?}", verdicts.len());
    assert!(verdicts.len() >= 20 && likely.is_empty(), "{likely:?}");
    assert!(10 * possible.len() <= verdicts.len(), "{possible:?}");
    for (log, found) in verdicts.iter().filter(|(name, _)| name.contains(".eventlog")) {
        let hp = &verdicts[&log.replace(".eventlog", ".hp")];
        assert_eq!(found.leak, hp.leak, "{log}");
    }
}

/// Every figure of a run is what its own baseline says.
#[test]
fn no_run_exceeds_its_own_baseline() {
    let mut folders = vec![data("leaks"), data("real-runs")];
    if let Some(shared) = shared_data() {
        let more = ["leaks/dev", "leaks-loaded", "real-runs", "real", "turn5/review", "turn5/eyes"];
        folders.extend(more.map(|name| shared.join(name)));
    }
    let files = folders.iter().flat_map(|folder| folder.read_dir().expect("a folder"));
    let (mut compared, mut wrong) = (0, Vec::new());
    for path in files.map(|file| file.expect("a file").path()).filter(|path| path.is_file()) {
        let Ok(profile) = read(File::open(&path).expect("a file"), &InputOptions::default()) else {
            continue;
        };
        let mut options = ViewOptions::default();
        options.accepted.push(".".parse().expect("a pattern"));
        let run = ProfileView::new(&profile, &options).expect("all of it");
        let (slice, analysis) = (run.slice(), run.analysis());
        let Ok(baseline) = Baseline::new(slice, analysis, None) else { continue };
        let budgets = Metric::ALL
            .into_iter()
            .filter(|figure| *figure != Metric::Leak)
            .map(|figure| format!("{} != baseline", figure.name()));
        for text in budgets {
            let budget: Budget = text.parse().expect(&text);
            let found = budget.check(slice, analysis, |figure| baseline.get(figure));
            compared += usize::from(found.state != BudgetState::Unknown);
            if found.state == BudgetState::Exceeded {
                wrong.push(format!("{}: {text}: {found:?}", path.display()));
            }
        }
    }
    assert!(compared >= 500, "{compared}");
    assert!(wrong.is_empty(), "{} of {compared}:\n{}", wrong.len(), wrong.join("\n"));
}
