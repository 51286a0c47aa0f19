//! `heapviz hunt` on programs that leak, and on programs that misbehave: whatever they do, they
//! leave no process behind, and no file that the user would not expect.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::Signal;
use serde_json::Value;

use crate::common;
use crate::common::command::{Folder, Run, Running, sample};
use crate::watch::wait_for;

/// A script that says it is a program of GHC, writes a profile that leaks, and takes more than a second.
pub const SLOW: &str = r#"case "$*" in *--info*)
    echo ' [("GHC RTS", "YES")'; echo ' ,("GHC version", "9.0.2")'; echo ' ]'; exit 0 ;; esac
{   printf 'JOB "prog"\nDATE "d"\nSAMPLE_UNIT "seconds"\nVALUE_UNIT "bytes"\n'
    for i in 1 2 3 4 5 6 7 8; do for j in 0 1 2 3 4 5 6 7 8 9; do
        printf 'BEGIN_SAMPLE %d.%d\nTHUNK\t%d%d0000\nEND_SAMPLE %d.%d\n' $i $j $i $j $i $j
    done; done; } > prog.hp
sleep 1.6
"#;

/// A script that says it is GHC's, takes every flag, and then does something.
fn pretender(body: &str) -> Folder {
    let answer = r#"case "$*" in *--info*)
    case "$*" in *-hi*|*-l*) echo 'prog: the flag requires the program to be built otherwise' >&2 ;; esac
    echo ' [("GHC RTS", "YES")'; echo ' ,("GHC version", "9.0.2")'; echo ' ,("RTS way", "rts_v")'
    echo ' ]'; exit 0 ;; esac
"#;
    Folder::new().with_script("prog", &format!("{answer}{body}"))
}

/// Starts a hunt in a process group of its own.
fn start(folder: &Folder, words: &[&str]) -> Running {
    Running::start(folder.heapviz(&[&["hunt"], words].concat()).process_group(0))
}

fn hunt(folder: &Folder, words: &[&str]) -> Run {
    start(folder, words).end()
}

/// The processes that have a text in their command line or environment, as the system lists them.
pub fn processes_with(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs::read_dir("/proc").expect("processes").flatten() {
        let line = fs::read(entry.path().join("cmdline")).unwrap_or_default();
        let line = String::from_utf8_lossy(&line).replace('\0', " ");
        if line.contains(text) {
            found.push(line);
        }
    }
    found
}

/// Waits until no process has a text in its command line.
pub fn wait_until_gone(text: &str) {
    let began = Instant::now();
    while !processes_with(text).is_empty() {
        assert!(began.elapsed() < Duration::from_secs(20), "{text}: the program runs on");
        thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn what_is_not_a_program_of_ghc_is_refused_with_the_way_out() {
    let folder = Folder::new().with_script("prog", "echo hello; echo hello >&2\n");
    let run =
        hunt(&folder, &["--", "./prog"]).failed(&["not compiled by GHC", "heapviz hunt --cabal"]);
    assert!(!run.said().contains("hello"), "what it answered is not the user's: {}", run.said());
    hunt(&folder, &["--", "./missing"]).failed(&["cannot start ./missing", "as ./prog"]);
    let disabled =
        "echo 'prog: RTS options are disabled. Link with -rtsopts to enable them.' >&2; exit 1\n";
    let folder = Folder::new().with_script("prog", disabled);
    hunt(&folder, &["--", "./prog"]).failed(&["accepts no flags", "link it with -rtsopts"]);
    assert_eq!(folder.files(), ["prog"]);
}

#[test]
fn a_program_that_ends_at_once_is_told_apart_from_one_that_fails() {
    let folder = pretender("echo out; echo err >&2\n");
    let run = hunt(&folder, &["--", "./prog"]).says(1, "give it more to do");
    assert!(run.wrote().contains("out") && run.said().contains("err"), "its output goes through");
    hunt(&pretender("exit 7\n"), &["--", "./prog"]).says(1, "exit status 7");
    let run = hunt(&pretender("kill -SEGV $$\n"), &["--", "./prog"]);
    assert!(run.said().contains("ended by signal 11"), "{}", run.said());
    assert_eq!(folder.files(), ["prog"]);
}

#[test]
fn a_program_that_ignores_interrupts_is_ended_and_leaves_nothing() {
    let body = "trap '' INT TERM\nwhile :; do sleep 0.1; : hunted-for-ever; done\n";
    let folder = pretender(body);
    let began = Instant::now();
    let run =
        hunt(&folder, &["--for", "0.5s", "--runs", "1", "--", "./prog", "ignores-hunt-interrupts"]);
    assert!(began.elapsed() < Duration::from_secs(30));
    assert!(run.said().contains("was killed"), "{}", run.said());
    assert_eq!(processes_with("ignores-hunt-interrupts"), Vec::<String>::new());
    assert_eq!(folder.files(), ["prog"]);
}

#[test]
fn what_a_program_leaves_behind_is_ended() {
    let folder = pretender("sh -c 'sleep 600 # left-by-hunted' left-by-hunted &\n");
    let run = hunt(&folder, &["--", "./prog"]);
    assert!(run.said().contains("left processes running"), "{}", run.said());
    assert_eq!(processes_with("left-by-hunted"), Vec::<String>::new());
}

#[test]
fn signals_end_the_program_and_put_the_users_files_back() {
    for (signal, status) in
        [(Signal::INT, 130), (Signal::TERM, 143), (Signal::HUP, 129), (Signal::QUIT, 131)]
    {
        let word = format!("signalled-hunt-{status}");
        let folder = pretender("cp \"$2\" prog.hp; sleep 600 & wait\n").with("prog.hp", "mine");
        let profile = sample("leak-hy.hp");
        let hunt = start(&folder, &["--", "./prog", &word, profile.to_str().expect("a path")]);
        let began = Instant::now();
        while fs::read(folder.path().join("prog.hp")).is_ok_and(|text| text.len() < 10)
            || !folder.path().join("prog.hp").exists()
        {
            assert!(began.elapsed() < Duration::from_secs(20), "the program never wrote");
            thread::sleep(Duration::from_millis(20));
        }
        hunt.signal(signal);
        let run = hunt.end();
        assert_eq!(run.status(), status, "{}", run.said());
        assert_eq!(processes_with(&word), Vec::<String>::new());
        assert_eq!(
            (folder.read("prog.hp"), folder.files()),
            ("mine".into(), vec!["prog".into(), "prog.hp".into()])
        );
    }
}

#[test]
fn calls_that_cannot_be_meant_are_refused_with_the_way_out() {
    let folder = pretender("exit 0\n");
    hunt(&folder, &["--", "./prog", "+RTS", "-hy"]).failed(&["hunt chooses -hy itself"]);
    hunt(&folder, &["--for", "5s", "--warmup", "5s", "--", "./prog"])
        .says(2, "after a warm-up of 5 s");
    hunt(&folder, &["--for", "0.1", "--", "./prog"]).says(2, "at least 0.5 s");
    hunt(&folder, &["./prog", "3"]).says(2, "`-- ./prog`");
    let run = hunt(&folder, &["--", "cabal", "run", "prog"]);
    run.failed(&["cabal would be run, not the program", "heapviz hunt --cabal"]);
    let before = folder.read("prog");
    hunt(&folder, &["-f", "txt", "-o", "prog", "--", "./prog"]).failed(&["prog is an input"]);
    assert_eq!(folder.read("prog"), before);
}

#[test]
fn a_hunt_that_is_killed_leaves_no_program_running() {
    for signal in [Signal::KILL, Signal::USR1] {
        let word = format!("killed-hunt-{}", signal.as_raw());
        let folder = pretender("sh -c 'touch running; sleep 600' $1 & wait\n");
        let hunt = start(&folder, &["--", "./prog", &word]);
        wait_for(&folder.path().join("running"));
        assert!(!processes_with(&word).is_empty());
        hunt.signal(signal);
        hunt.end();
        wait_until_gone(&word);
    }
}

/// A `.hp` of 120 samples with a band of some size, and one that stays.
fn profile_of(size: impl Fn(u64) -> u64) -> String {
    let mut text =
        String::from("JOB \"prog\"\nDATE \"d\"\nSAMPLE_UNIT \"seconds\"\nVALUE_UNIT \"bytes\"\n");
    for sample in 0..120 {
        let (time, size) = (sample as f64 * 0.1, size(sample));
        text += &format!(
            "BEGIN_SAMPLE {time}\nTHUNK_1_1\t{size}\nARR_WORDS\t50000\nEND_SAMPLE {time}\n"
        );
    }
    text
}

#[test]
fn what_fills_stacks_is_explained() {
    let deepens = profile_of(|sample| 100_000 + 40_000 * sample).replace("THUNK_1_1", "STACK");
    let with_thread = |line: &str| match line.strip_prefix("STACK\t") {
        Some(size) => format!("{line}\nTSO\t{}\n", size.parse::<u64>().expect("a size") / 9),
        None => format!("{line}\n"),
    };
    let threads: String = deepens.lines().map(with_thread).collect();
    // What waits is not to be forced.
    let waits = threads.replace("STACK", "THUNK_1_1");
    let evaluates = threads.replace("TSO", "BLACKHOLE");
    for (profile, says, not) in [
        (&waits, "Threads pile up", "Thunks pile up"),
        (&deepens, "A stack deepens", "Threads pile up"),
        (&threads, "Threads pile up", "A stack deepens"),
        (&evaluates, "A stack deepens while a long chain", "Threads pile up"),
    ] {
        let folder = pretender("cp \"$1\" prog.hp\n").with("given.hp", profile);
        hunt(&folder, &["-o", "hunt.txt", "--", "./prog", "given.hp"]).drawn();
        let text = folder.read("hunt.txt");
        assert!(text.contains(says) && !text.contains(not), "{text}");
    }
}

#[test]
fn what_is_held_at_a_normal_end_or_by_the_run_time_system_alone_is_no_leak() {
    let leaks = profile_of(|sample| 100_000 + 40_000 * sample);
    let first_line = |profile: &str, body: &str| {
        let body = format!("cp \"$1\" prog.hp\n{body}");
        let folder = pretender(&body).with("given.hp", profile);
        hunt(&folder, &["-o", "hunt.txt", "-o", "hunt.json", "--", "./prog", "given.hp"]).drawn();
        let found = folder.json("hunt.json");
        assert_eq!(found["verdict"]["leak"], "likely", "{found}");
        folder.read("hunt.txt")
    };
    let ended = first_line(&leaks, "exit 0\n");
    assert!(
        ended.starts_with("./prog: grew until the program ended\nTHUNK_1_1 grew by"),
        "{ended}"
    );
    let failed = first_line(&leaks, "exit 2\n");
    assert!(failed.starts_with("./prog: likely leak\n"), "{failed}");
}

#[test]
fn what_was_cut_is_a_leak_if_its_cause_is_known_or_its_start_was_left_out() {
    let grows = profile_of(|sample| 100_000 + 40_000 * sample);
    let table = grows.replace("THUNK_1_1", "containers-0.6.7:Data.Map.Internal.Bin");
    let filling = "./prog: a leak, or a cache that is filling\n";
    for (profile, warmup, starts, judgement) in [
        (&table, &[][..], filling, "leak-or-cache"),
        (&table, &["--warmup", "1s"], "./prog: likely leak\n", "leak"),
        (&grows, &[], "./prog: likely leak\n", "leak"),
    ] {
        let folder = pretender("cp \"$1\" prog.hp\nsleep 600\n").with("given.hp", profile);
        let words =
            ["--for", "1.5s", "-o", "hunt.txt", "-o", "hunt.json", "--", "./prog", "given.hp"];
        hunt(&folder, &[warmup, &words].concat()).drawn();
        let text = folder.read("hunt.txt");
        assert!(text.starts_with(starts), "{text}");
        assert_eq!(text.contains("To tell which, let it run longer"), starts == filling, "{text}");
        assert_eq!(folder.json("hunt.json")["judgement"], judgement);
    }
}

#[test]
fn a_program_cannot_choose_a_collector_that_is_not_profiled_or_leave_stacks_out() {
    let body = "case \"$*\" in *--copying-gc*-xt*) cp \"$1\" prog.hp ;; *) kill -ABRT $$ ;; esac\n";
    let folder = pretender(body).with("given.hp", profile_of(|sample| 100_000 + 40_000 * sample));
    hunt(&folder, &["-o", "hunt.json", "--", "./prog", "given.hp"]).drawn();
    let found = folder.json("hunt.json");
    let headline = found["verdict"]["headline"].as_str().expect("a headline");
    assert!(headline.starts_with("likely leak: THUNK_1_1 grew by"), "{headline}");
}

#[test]
fn flags_that_a_program_refuses_are_reported_without_its_usage() {
    let script = r#"case "$*" in *-h?*) case "$*" in *--info*) echo 'prog: multiple heap profile options' >&2 ;; esac
    echo 'prog: Usage: <prog> <args> [+RTS <rtsopts>' >&2 ;; esac
echo ' [("GHC RTS", "YES")'; echo ' ,("GHC version", "9.0.2")'; echo ' ,("RTS way", "rts_v")'
echo ' ,("Flag -with-rtsopts", "-N2 -hT")'; echo ' ]'
"#;
    let folder = Folder::new().with_script("prog", script);
    let run = hunt(&folder, &["--", "./prog"]);
    let run = run.failed(&[
        "./prog does not take -hT: multiple heap profile options",
        "with-rtsopts=-N2 -hT: leave -hT out there",
    ]);
    assert!(!run.said().contains("Usage"), "{}", run.said());
}

#[test]
fn two_hunts_in_one_folder_do_not_take_each_others_files() {
    let folder = pretender("echo begun >> begun; sleep 600 # second-hunt\n");
    let first = start(&folder, &["--", "./prog", "in-one-folder"]);
    wait_for(&folder.path().join("begun"));
    hunt(&folder, &["--", "./prog"]).failed(&["another hunt uses prog.hp in this folder"]);
    assert!(folder.path().join("prog.hp").exists(), "the first one still has it");
    first.signal(Signal::INT);
    first.end();
    assert_eq!(folder.files(), ["begun", "prog"]);
}

#[test]
fn a_file_of_the_user_survives_a_second_hunt_and_whoever_moves_it() {
    let body = "echo program > prog.hp; echo begun >> begun; sleep 600 # moved-file\n";
    let folder = pretender(body).with("prog.hp", "mine");
    let first = start(&folder, &["--", "./prog", "with-a-file"]);
    wait_for(&folder.path().join("begun"));
    let second = hunt(&folder, &["--", "./prog"]).failed(&["another hunt uses prog.hp"]);
    assert!(!second.said().contains("remove"), "{}", second.said());
    // Whoever moves it back although a hunt is running has it in the end.
    let place = |name: &str| folder.path().join(name);
    fs::rename(place("prog.hp.before-hunt"), place("prog.hp")).unwrap();
    first.signal(Signal::INT);
    first.end();
    assert_eq!((folder.read("prog.hp"), folder.files().len()), ("mine".into(), 3));
    // A killed hunt leaves it aside. Whether a file with that name is such a one, nobody knows: it is not touched.
    fs::remove_file(place("begun")).unwrap();
    let mut killed = start(&folder, &["--", "./prog", "with-a-file"]);
    wait_for(&place("begun"));
    killed.kill().unwrap();
    killed.wait().unwrap();
    fs::write(place("prog.hp"), "newer").unwrap();
    fs::write(place("prog"), folder.read("prog").replace("sleep 600", "exit")).unwrap();
    let run = hunt(&folder, &["--runs", "1", "--", "./prog"]);
    run.failed(&["prog.hp cannot be moved aside: prog.hp.before-hunt is there", "rename it"]);
    let kept = [folder.read("prog.hp"), folder.read("prog.hp.before-hunt")];
    assert_eq!((kept, folder.files().len()), (["newer".into(), "mine".into()], 4));
}

#[test]
fn a_program_does_not_write_over_a_file_that_was_put_in_its_place_between_two_runs() {
    let body = "rm -f prog.hp; echo mine > prog.hp\n";
    let folder = pretender(body);
    let run = hunt(&folder, &["--", "./prog"]);
    assert_eq!((run.status(), folder.read("prog.hp")), (1, "mine\n".into()), "{}", run.said());
    assert_eq!(folder.files(), ["prog", "prog.hp"]);
}

#[cfg(target_os = "linux")]
#[test]
fn the_name_of_a_program_need_not_be_text() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let folder = pretender("n=${0##*/}; cp \"$1\" \"$n.hp\"; cat \"$n.hp\" > seen\n");
    let name = OsStr::from_bytes(b"\xff\xfe");
    let own = folder.path().join(OsStr::from_bytes(b"\xff\xfe.hp"));
    fs::rename(folder.path().join("prog"), folder.path().join(name)).unwrap();
    fs::write(&own, "mine").unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_heapviz"));
    command.args(["hunt", "--runs", "1", "--"]);
    command.arg(folder.path().join(name)).arg(sample("leak-hy.hp"));
    let run = folder.run_command(&mut command, b"");
    assert!(run.wrote().contains("51 samples"), "{}{}", run.said(), run.wrote());
    assert_eq!(fs::read_to_string(own).unwrap(), "mine");
    assert_eq!(folder.files().len(), 3, "{:?}", folder.files());
}

#[test]
fn the_start_of_a_run_can_be_left_out() {
    let folder = pretender("cp \"$1\" prog.hp\n");
    // It starts up for 6 s, and then stays as it is.
    let folder = folder.with("given.hp", profile_of(|sample| 50_000 * sample.min(60)));
    let verdict = |words: &[&str]| {
        let words = [words, &["-o", "hunt.json", "--", "./prog", "given.hp"]].concat();
        let run = hunt(&folder, &words);
        let text = fs::read_to_string(folder.path().join("hunt.json")).unwrap_or_default();
        let _ = fs::remove_file(folder.path().join("hunt.json"));
        (serde_json::from_str::<Value>(&text).unwrap_or_default(), run)
    };
    let (all, _) = verdict(&[]);
    let (rest, _) = verdict(&["--warmup", "6.5s"]);
    assert_eq!(all["runs"][0]["samples"], 120);
    assert_eq!(rest["runs"][0]["samples"], 55, "{rest}");
    assert_eq!(rest["chain"]["is"].as_array().unwrap().len(), 0, "nothing rose: {rest}");
    let (_, run) = verdict(&["--warmup", "30s"]);
    run.says(1, "no sample from 30 s on");
}

#[test]
fn a_program_that_was_not_built_for_profiling_gets_what_grows_and_what_to_build() {
    // It writes much output.
    let folder = pretender("yes | head -c 300000; cp \"$1\" prog.hp; exit 2\n");
    let folder = folder.with("given.hp", profile_of(|sample| 100_000 + 40_000 * sample));
    let words = ["-o", "hunt.json", "-o", "hunt.txt", "-o", "README.md", "-o", "hunt.html"];
    let words = [&words[..], &["-o", "leak.svg"]].concat();
    let words = [&words[..], &["--", "./prog", "given.hp"]].concat();
    let run = hunt(&folder, &words).drawn();
    assert_eq!(run.wrote().len(), 300_000, "its output goes through untouched");
    let found = folder.json("hunt.json");
    assert_eq!(found["verdict"]["leak"], "likely");
    assert_eq!(found["chain"]["is"][0]["label"], "THUNK_1_1");
    assert_eq!(found["runs"][0]["breakdown"], "-hT");
    let text = folder.read("hunt.txt");
    assert!(text.contains("it is") && text.contains("build it for profiling"), "{text}");
    assert!(text.contains("  heapviz hunt --cabal -- given.hp\n"), "{text}");
    let card = folder.read("leak.svg");
    let says = |words: &str| card.contains(&format!(">{words}<"));
    assert!(says("./prog: likely leak") && says("it is unevaluated (THUNK_1_1)"), "{card}");
    assert!(says("2 MiB") && says("4 MiB"), "round ticks: {card}");
    assert!(card.contains("foldl"), "the cure: {card}");
    // Two layers: what grows, and all bands.
    assert!(
        ["f-tone20", "f-alarm"]
            .iter()
            .all(|class| card.contains(&format!("<path class=\"{class}\""))),
        "{card}"
    );
    let markdown = folder.read("README.md");
    assert!(
        markdown.contains("likely leak")
            && markdown.contains("- it is unevaluated (`THUNK_1_1`): 100 % of the growth"),
        "{markdown}"
    );
    assert!(markdown.ends_with("\n\n`heapviz hunt --cabal -- given.hp`\n"), "{markdown}");
    assert_eq!(
        folder.files(),
        ["README.md", "given.hp", "hunt.html", "hunt.json", "hunt.txt", "leak.svg", "prog"]
    );
}

/// The path of a folder of tests that is not emptied, so that GHC builds its programs once; `None` without
/// GHC.
fn workshop() -> Option<&'static Path> {
    static FOLDER: OnceLock<Option<PathBuf>> = OnceLock::new();
    let folder = FOLDER.get_or_init(|| {
        let objects = ["-v0", "-prof", "-fforce-recomp", "healthy.hs"];
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("hunted");
        fs::create_dir_all(&folder).expect("a folder");
        fs::copy(common::data("hunt/healthy.hs"), folder.join("healthy.hs")).expect("a source");
        let built = Command::new("ghc").args(objects).current_dir(&folder).output();
        built.is_ok_and(|built| built.status.success()).then_some(folder)
    });
    if folder.is_none() {
        common::skipped("no GHC with profiling libraries (Debian: ghc, ghc-prof)");
    }
    folder.as_deref()
}

/// A small program, built for profiling. It is built once: one that runs cannot be linked again.
fn built(name: &str) -> Option<PathBuf> {
    static BUILT: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());
    let folder = workshop()?;
    let mut programs = BUILT.lock().unwrap_or_else(PoisonError::into_inner);
    if !programs.insert(name.to_owned()) {
        return Some(folder.join(name));
    }
    let source = match name {
        "Log" => sample("hunt/Log.hs"),
        name => common::data("hunt").join(format!("{name}.hs")),
    };
    fs::copy(&source, folder.join(format!("{name}.hs"))).expect("a source");
    let objects = format!("{name}.objects");
    let words = ["-v0", "-O1", "-prof", "-fprof-auto", "-rtsopts", "-eventlog", "-threaded"];
    let built = Command::new("ghc")
        .args(words)
        .args(["-outputdir", &objects, "-o", name, &format!("{name}.hs")])
        .current_dir(folder)
        .output()
        .expect("ghc");
    assert!(built.status.success(), "{name}: {}", String::from_utf8_lossy(&built.stderr));
    Some(folder.join(name))
}

/// What a hunt for a program found, and the names of the functions in its chain.
fn found(name: &str, flags: &str) -> Option<(Value, Vec<String>, String)> {
    let program = built(name)?;
    // Beside its source, however far this repository is from the folder of temporary files.
    let folder = Folder::inside(workshop()?).with(&format!("{name}.hp"), "mine");
    let program = program.display().to_string();
    let outputs = ["-o", "hunt.json", "-o", "hunt.txt", "-o", "hunt.html", "--", &program];
    hunt(&folder, &[flags.split(' ').collect::<Vec<_>>(), outputs.into()].concat()).drawn();
    let found = folder.json("hunt.json");
    let names = ["made_by", "held_by"].into_iter().flat_map(|link| {
        let parts = found["chain"][link].as_array().expect("a list").clone();
        parts.into_iter().map(|part| part["label"].as_str().unwrap_or_default().to_owned())
    });
    let names = names.collect();
    let expected =
        [&format!("{name}.hp"), "hunt.html", "hunt.json", "hunt.txt"].map(ToString::to_string);
    let mut expected = expected.to_vec();
    expected.sort();
    assert_eq!((folder.files(), folder.read(&format!("{name}.hp"))), (expected, "mine".to_owned()));
    let text = folder.read("hunt.txt");
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    Some((found, names, text))
}

#[test]
fn the_chain_of_a_leak_names_the_line_that_makes_it_and_who_holds_it() {
    let Some((found, names, text)) = found("Log", "--for 5s") else { return };
    // On a busy machine, 5 s may be too short to be sure.
    assert!(
        ["likely", "possible"].contains(&found["verdict"]["leak"].as_str().unwrap()),
        "{found}"
    );
    assert!(names.iter().any(|name| name == "parseEntry"), "{found}");
    assert!(names.iter().any(|name| name == "lastSeen"), "{found}");
    assert!(found["runs"].as_array().unwrap().len() == 5, "{found}");
    // The elements of the list are unevaluated; to force them would not stop the table.
    assert!(text.contains("unevaluated (THUNK") && !text.contains("pile up"), "{text}");
    // A cache that is filling would look the same.
    let first = text.lines().next().expect("a line");
    assert!(
        first.starts_with("../Log.hs:17 was still growing after ")
            && first.ends_with(" s: note keeps what grows in a Map"),
        "{text}"
    );
    let second = "Log: a leak, or a cache that is filling: parseEntry ";
    assert!(text.lines().nth(1).expect("a line").starts_with(second), "{text}");
    let place = found["chain"]["made_by"][0]["place"].as_str().unwrap();
    assert!(place.starts_with("Log.hs:"), "{place}");
    // The folder of the program has its source.
    let line = text.lines().find(|line| line.contains(" | ")).expect("a line of source");
    assert!(line.contains("M.insert host entry"), "{text}");
    for run in found["runs"].as_array().unwrap() {
        let samples = run["samples"].as_u64().unwrap();
        // Fewer than it asks for where a machine is busy, and one as the run ends.
        assert!((20..=501).contains(&samples), "{run}");
    }
    // The manual shows this hunt.
    let manual = fs::read_to_string(sample("../docs/guide.md")).expect("the manual");
    let shown = manual.split("heapviz hunt --for 10s --ghc Log.hs\n").nth(1).expect("the example");
    let shown = shown.split("```").next().unwrap_or_default();
    let shown = shown.split("\nparseEntry makes it").nth(1).expect("the chain");
    let shown = format!("parseEntry makes it{shown}");
    // Shares differ from run to run.
    let fixed = |line: &str| line.split(", ").next().unwrap_or_default().replace("../", "");
    assert!(shown.lines().count() >= 5, "{shown}");
    for line in shown.lines() {
        assert!(text.lines().any(|other| fixed(other) == fixed(line)), "{line}\n{text}");
    }
}

#[test]
fn the_maker_of_byte_strings_is_who_makes_what_points_to_them() {
    let Some((found, names, text)) = found("strings", "--for 8s") else { return };
    assert_eq!(found["chain"]["is_pinned"], true, "{found}");
    assert!(names.iter().any(|name| name == "remember" || name == "fetch"), "{found}");
    assert!(names.iter().all(|name| name != "PINNED"), "{found}");
    assert!(text.contains("pinned memory, as of ByteString"), "{text}");
}

#[test]
fn who_keeps_what_others_make_comes_first_and_the_variable_is_named() {
    let Some((found, _, text)) = found("kept", "--for 4s") else { return };
    let first = text.lines().next().expect("a line");
    assert!(
        first.starts_with("../kept.hs:1") && first.ends_with("typecheck keeps what grows in a Map"),
        "{text}"
    );
    assert_eq!(found["chain"]["made_by"][0]["label"], "parse.b", "{found}");
    assert!(text.contains("the IORef `env`, made in main, holds it: ../kept.hs:24"), "{text}");
    let cells = &found["runs"][4];
    assert_eq!((&cells["breakdown"], &cells["of"][0]), (&"-hc".into(), &"Bin".into()), "{found}");
}

#[test]
fn a_program_that_waits_has_samples_and_a_top_level_value_has_its_line() {
    let Some((found, _, text)) = found("value", "--for 6s") else { return };
    let samples = found["runs"][0]["samples"].as_u64().unwrap();
    assert!(samples >= 60, "it works for a few milliseconds of each second: {found}");
    // What it frees after the interrupt does not count.
    assert_ne!(found["verdict"]["leak"], "none", "{found}");
    assert!(
        text.starts_with("../value.hs:14 ") && text.contains("table keeps it in a list"),
        "{text}"
    );
}

#[test]
fn memory_from_c_is_found_and_ghcs_heap_is_not_accused() {
    if cfg!(not(target_os = "linux")) {
        return;
    }
    let Some((found, _, text)) = found("malloc", "--for 6s --runs 1") else { return };
    let outside = &found["verdict"]["outside"][0];
    assert_eq!(outside["kind"], "off-heap", "{found}");
    let grew = outside["grew"].as_u64().expect("growth off the heap");
    assert!(grew > 8 << 20, "{found}");
    assert_eq!(found["verdict"]["leak"], "possible", "{found}");
    assert!(text.contains("memory off the heap grew by "), "{text}");
    // No line is accused, and no longer run would name one.
    assert!(
        text.contains("heaptrack") && !text.contains(" | ") && !text.contains("--for"),
        "{text}"
    );
    let Some((found, ..)) = self::found("Log", "--for 3s --runs 1") else { return };
    assert_eq!(found["verdict"]["outside"], serde_json::json!([]), "{found}");
}

#[test]
fn a_healthy_program_that_ends_by_itself_is_not_accused() {
    let Some((found, _, text)) = found("healthy", "--for 20s") else { return };
    assert_eq!(found["judgement"], "no-leak", "{found}");
    // It ends after a second, and is sampled often enough nevertheless.
    assert!(found["runs"][0]["samples"].as_u64().unwrap() >= 60, "{found}");
    // By its clock, a small heap is level, or was built up and freed.
    assert!(text.contains("Give it more to do"), "{text}");
}

#[test]
fn the_runs_of_a_program_get_the_same_standard_input() {
    let Some(program) = built("echoes") else { return };
    let folder = Folder::new().with("in.txt", "a line\n");
    let mut command = folder.heapviz(&["hunt", "--for", "60s", "-q", "--"]);
    command.arg(program).stdin(fs::File::open(folder.path().join("in.txt")).unwrap());
    let text = Run(command.output().expect("the command")).drawn().wrote();
    let heard = folder.read("heard").matches("a line").count();
    let shown = text.matches("read: a line").count();
    // The first run may be repeated at another pace.
    assert!(heard >= 3 && (1..heard).contains(&shown), "{heard} runs, and shown {shown} times");
}

#[test]
fn a_pipe_is_copied_once_and_every_run_reads_all_of_it() {
    let folder = pretender("cat >> heard; echo end >> heard; cp \"$1\" prog.hp\n");
    let few: String = profile_of(|_| 100_000).split_inclusive('\n').take(20).collect();
    let folder = folder.with("given.hp", few);
    let text = "a line\n".repeat(100_000);
    let words = ["hunt", "-o", "hunt.txt", "--", "./prog", "given.hp"];
    let run = folder.run_with_input(&words, text.as_bytes());
    assert!(run.said().contains("each run reads a copy of its 684 KiB"), "{}", run.said());
    let all = folder.read("heard");
    let runs = all.matches("end\n").count();
    assert!(runs > 1 && all == format!("{text}end\n").repeat(runs), "{runs} runs");
}

#[test]
fn a_pipe_that_nobody_ends_is_not_waited_for_without_end() {
    let folder = pretender("cp \"$1\" prog.hp\n").with("given.hp", profile_of(|_| 100_000));
    let words = ["hunt", "--for", "1s", "-o", "hunt.txt", "--", "./prog", "given.hp"];
    let mut hunt = Running::start(folder.heapviz(&words).stdin(Stdio::piped()));
    let input = hunt.stdin.take();
    let run = hunt.end();
    drop(input);
    assert!(run.said().contains("nothing came from standard input"), "{}", run.said());
    assert!(folder.read("hunt.txt").contains("no leak"));
}

#[test]
fn a_program_that_fails_is_repeated_like_any_other_and_its_status_is_the_cause() {
    let few: String = profile_of(|_| 100_000).split_inclusive('\n').take(20).collect();
    let folder = pretender("echo out; echo run >> runs; cp \"$1\" prog.hp; exit 3\n");
    let folder = folder.with("given.hp", few);
    let run = hunt(&folder, &["-o", "hunt.txt", "--", "./prog", "given.hp"]);
    assert!(folder.read("runs").lines().count() > 1, "{}", folder.read("runs"));
    assert_eq!(run.wrote().matches("out").count(), 1, "what was seen once is not shown again");
    let text = folder.read("hunt.txt");
    assert!(text.contains("It ended with exit status 3 after 0."), "{text}");
}

#[test]
fn the_command_that_drives_a_program_starts_when_it_runs_and_ends_with_it() {
    let body = "cp \"$1\" prog.hp; while [ ! -e asked ]; do sleep 0.05; done; sleep 0.5\n";
    let folder = pretender(body).with("given.hp", profile_of(|_| 100_000));
    let drive = "touch asked; sleep 600 # drives-the-hunted";
    let words = ["--for", "9s", "--drive", drive, "-o", "hunt.txt", "--", "./prog", "given.hp"];
    let run = hunt(&folder, &words);
    run.drawn();
    assert_eq!(processes_with("drives-the-hunted"), Vec::<String>::new());
    assert!(folder.files().contains(&"asked".to_owned()));
    fs::remove_file(folder.path().join("asked")).unwrap();
    let drive = "touch asked; exit 7";
    let run = hunt(&folder, &[&words[..3], &[drive], &words[4..]].concat());
    assert!(run.said().contains("--drive ended with status 7"), "{}", run.said());
}

#[test]
fn each_run_is_announced_where_no_line_can_be_rewritten_and_files_are_kept() {
    let folder = pretender("cp \"$1\" prog.hp\n").with("given.hp", profile_of(|_| 100_000));
    let words = ["--keep", "logs", "-o", "a.svg", "--", "./prog", "given.hp"];
    let run = hunt(&folder, &words);
    assert!(run.said().contains("run 1, by closure type: up to 60 s\n"), "{}", run.said());
    assert!(
        run.said().contains("the answer -> a.svg\nthe files of all runs -> logs\n"),
        "{}",
        run.said()
    );
    assert!(folder.path().join("logs/prog-hT.hp").exists());
    hunt(&folder, &["--ghc", "X.hs", "--size", "5"]).says(2, "`-- --size`");
}

#[test]
fn check_runs_a_program_as_a_hunt_does_and_judges_its_heap() {
    let body = "echo out; cat >> heard; cp \"$1\" prog.hp; exit 3\n";
    let folder = pretender(body).with("given.hp", profile_of(|sample| 100_000 + 40_000 * sample));
    let check = |words: &[&str]| {
        let mut command = folder.heapviz(&[&["check"], words].concat());
        Run(command.output().expect("the command"))
    };
    let leak = ["--fail-if", "leak == likely"];
    let run = check(&[&leak[..], &["--", "./prog", "given.hp"]].concat());
    assert_eq!(run.status(), 3, "{}", run.said());
    assert!(run.wrote().starts_with("out\n./prog: the budget is exceeded\n"), "{}", run.wrote());
    assert!(run.said().contains("./prog ended with exit status 3"), "{}", run.said());
    assert_eq!(folder.files(), ["given.hp", "heard", "prog"], "it leaves no files");
    // Data is not mixed with what the program says.
    let run = check(&[&leak[..], &["-f", "json", "--", "./prog", "given.hp"]].concat());
    assert!(serde_json::from_str::<Value>(&run.wrote()).is_ok(), "{}", run.wrote());
    assert!(run.said().contains("out\n"), "{}", run.said());
    let flat = folder.with("given.hp", profile_of(|_| 100_000));
    let check = |words: &[&str]| flat.run(&[&["check"], words].concat());
    check(&["--write-baseline", "base.json", "--", "./prog", "given.hp"]).drawn();
    let budget = ["--baseline", "base.json", "--fail-if", "p99 > baseline * 1.1"];
    check(&[&budget[..], &["--", "./prog", "given.hp"]].concat()).drawn();
    // A program or profiles.
    assert_eq!(check(&[&leak[..], &["given.hp", "--", "./prog"]].concat()).status(), 2);
    assert_eq!(check(&[&leak[..], &["--for", "9s", "given.hp"]].concat()).status(), 2);
    check(&[&leak[..], &["--", "./given.hp"]].concat()).says(1, "cannot start ./given.hp");
}

#[test]
fn a_missing_profiling_library_is_named() {
    let ghc = r#"case "$*" in *numeric*) echo 9.0.2; exit ;; esac
echo "    Could not load module \`Data.Scientific'" >&2
echo "    Perhaps you haven't installed the profiling libraries for package \`scientific-0.3.7.0'?" >&2
exit 1
"#;
    let folder = Folder::new().with("Main.hs", "main = pure ()\n");
    let folder = folder.with_script("ghc", ghc);
    let path = format!("{}:/usr/bin:/bin", folder.path().display());
    let mut command = folder.heapviz(&["hunt", "--ghc", "Main.hs"]);
    let run = Run(command.env("PATH", path).output().expect("the command"));
    run.failed(&["the profiling library of scientific (Debian: libghc-scientific-prof"]);
}

#[test]
fn a_program_that_runs_its_own_code_while_it_is_compiled_is_built_with_an_interpreter_beside_ghc() {
    let file = |name: &str| fs::read_to_string(common::data("hunt/th").join(name)).expect("a file");
    let folder = sample_package();
    let mut tools = vec![vec!["--ghc", "Th.hs"]];
    match Command::new("cabal").arg("--version").output().is_ok() {
        true => tools.push(vec!["--cabal"]),
        false => common::skipped("no cabal (Debian: cabal-install)"),
    }
    fs::remove_file(folder.path().join("log.cabal")).expect("a package");
    let folder = folder.with("Gen.hs", file("Gen.hs")).with("Th.hs", file("Th.hs"));
    let folder = folder.with("th.cabal", file("th.cabal"));
    for tool in tools {
        let words = [&["--runs", "1"][..], &tool[..]].concat();
        let Some(run) = hunt_built(&folder, &words) else { return };
        let run = run.drawn();
        let text = folder.read("hunt.txt");
        assert!(text.contains("Th.hs:8"), "{tool:?} {text}");
        assert!(run.said().contains("built with -fexternal-interpreter"), "{}", run.said());
    }
}

/// A copy of the sample, and a configuration of cabal without servers.
fn sample_package() -> Folder {
    let file = |name: &str| fs::read_to_string(sample("hunt").join(name)).expect("a sample");
    let folder = Folder::new().with("Log.hs", file("Log.hs")).with("log.cabal", file("log.cabal"));
    let cache = folder.path().join("cache").display().to_string();
    folder.with("config", format!("remote-repo-cache: {cache}\n"))
}

/// A hunt for the sample that is built first; `None` without GHC.
fn hunt_built(folder: &Folder, words: &[&str]) -> Option<Run> {
    workshop()?;
    let mut command = folder.heapviz(&["hunt", "--for", "3s", "-o", "hunt.txt"]);
    command.args(words).env("CABAL_CONFIG", folder.path().join("config"));
    Some(Run(command.output().expect("the command")))
}

#[test]
fn from_a_package_to_the_line_with_one_command() {
    let has = |tool: &str| Command::new(tool).arg("--version").output().is_ok();
    let folder = sample_package();
    let before = folder.files();
    let mut tools = vec![vec!["--ghc", "Log.hs"]];
    match has("cabal") {
        true => tools.push(vec!["--cabal"]),
        false => common::skipped("no cabal (Debian: cabal-install)"),
    }
    for tool in tools {
        let Some(run) = hunt_built(&folder, &[&["--runs", "1"][..], &tool[..]].concat()) else {
            return;
        };
        run.drawn();
        let text = folder.read("hunt.txt");
        assert!(text.contains("\nparseEntry makes it    Log.hs:11, "), "{tool:?} {text}");
        assert!(text.contains("      11 | parseEntry line = Entry"), "{tool:?} {text}");
        fs::remove_file(folder.path().join("hunt.txt")).unwrap();
        let mut after = folder.files();
        after.retain(|file| file != "dist-heapviz" && file != "cache");
        assert_eq!(after, before, "{tool:?}");
    }
    assert_eq!(folder.read("dist-heapviz/.gitignore"), "*\n");
}

#[test]
fn a_folder_for_builds_that_heapviz_did_not_make_is_left_alone() {
    let tool = "case \"$*\" in *numeric*) echo 9.6.2;; *) mkdir -p dist-heapviz/stack/bin;; esac\n";
    let make = |place: &str| {
        let folder = Folder::new().with_script("stack", tool);
        fs::create_dir_all(folder.path().join("mine/stack/bin")).unwrap();
        fs::write(folder.path().join("mine/stack/bin/mine"), "mine").unwrap();
        fs::create_dir_all(folder.path().join(place).parent().unwrap()).unwrap();
        folder
    };
    let refused = |folder: &Folder, says: &str| {
        let path = format!(".:{}", std::env::var("PATH").unwrap());
        let run = folder.heapviz(&["hunt", "--stack"]).env("PATH", path).output();
        Run(run.expect("the command")).failed(&[says]);
    };
    let link = std::os::unix::fs::symlink::<PathBuf, PathBuf>;
    let folder = make("dist-heapviz");
    let mine = folder.path().join("mine");
    link(mine.clone(), folder.path().join("dist-heapviz")).unwrap();
    refused(&folder, "dist-heapviz is a link");
    assert_eq!(folder.read("mine/stack/bin/mine"), "mine");
    fs::remove_file(folder.path().join("dist-heapviz")).unwrap();
    fs::rename(&mine, folder.path().join("dist-heapviz")).unwrap();
    refused(&folder, "dist-heapviz was not made by heapviz");
    assert_eq!(folder.read("dist-heapviz/stack/bin/mine"), "mine");
    // In one of its own, a link leads away.
    let folder = make("mine");
    refused(&folder, "stack builds no executable here");
    fs::remove_dir_all(folder.path().join("dist-heapviz/stack")).unwrap();
    link(folder.path().join("mine/stack"), folder.path().join("dist-heapviz/stack")).unwrap();
    refused(&folder, "dist-heapviz/stack is a link");
    assert_eq!(folder.read("mine/stack/bin/mine"), "mine");
}

#[test]
fn of_several_executables_one_must_be_named() {
    let folder = sample_package();
    let second = "\nexecutable other\n  main-is: Log.hs\n  build-depends: base, containers\n";
    let package = folder.read("log.cabal") + second;
    let folder = folder.with("log.cabal", package);
    if Command::new("cabal").arg("--version").output().is_ok() {
        let Some(run) = hunt_built(&folder, &["--cabal"]) else { return };
        run.failed(&["the executable 'other' and the executable 'log'", "--cabal NAME"]);
        let Some(run) = hunt_built(&folder, &["--cabal", "logs"]) else { return };
        run.failed(&["the package logs, it is not in this project", "--cabal NAME"]);
    }
    // It notes its words, and makes two programs.
    let stack = r#"echo "$@" >> words
case "$*" in *numeric*) echo 9.6.2; exit ;; esac
while [ "$1" != --local-bin-path ]; do shift; done
mkdir -p "$2" && cp prog "$2/server" && cp prog "$2/client"
"#;
    let folder = pretender("echo built\n").with_script("stack", stack);
    let path = format!("{}:/usr/bin:/bin", folder.path().display());
    let stacked = |target: &[&str]| {
        let mut command = folder.heapviz(&[&["hunt", "--stack"], target].concat());
        Run(command.env("PATH", &path).output().expect("the command"))
    };
    stacked(&[]).failed(&["stack builds several programs here: client, server"]);
    let run = stacked(&["pkg:exe:server"]);
    assert!(run.wrote().contains("built"), "{}", run.said());
    let words = folder.read("words");
    let last = words.lines().last().expect("words");
    let start = "--work-dir dist-heapviz/stack build pkg:exe:server --profile --copy-bins";
    let end = "-fprof-auto -finfo-table-map -fdistinct-constructor-tables -rtsopts";
    assert!(last.starts_with(start) && last.ends_with(end), "{last}");
}

#[test]
fn a_test_suite_is_hunted_in_from_the_folder_of_its_package_and_built_beside_the_project() {
    if Command::new("cabal").arg("--version").output().is_err() {
        return common::skipped("no cabal (Debian: cabal-install)");
    }
    let suite = "\ntest-suite spec\n  type: exitcode-stdio-1.0\n  main-is: Log.hs\n  \
                 build-depends: base, containers\n";
    let package = sample_package();
    let folder = Folder::new().with("cabal.project", "packages: log\n");
    fs::create_dir(folder.path().join("log")).expect("a folder");
    let folder = folder.with("log/Log.hs", package.read("Log.hs"));
    let folder = folder.with("log/log.cabal", package.read("log.cabal") + suite);
    let Some(_) = workshop() else { return };
    let words = ["hunt", "--for", "2s", "--runs", "1", "--cabal", "test:spec"];
    let mut command = folder.heapviz(&words);
    command.current_dir(folder.path().join("log"));
    command.env("CABAL_CONFIG", package.path().join("config"));
    Run(command.output().expect("the command")).drawn();
    assert!(folder.path().join("dist-heapviz").is_dir(), "beside cabal.project");
    assert!(!folder.path().join("log/dist-heapviz").exists());
}

#[test]
fn after_an_edit_the_first_line_says_whether_it_is_repaired() {
    let folder = sample_package();
    let again = || {
        let words = ["hunt", "--again", "-o", "again.txt", "-o", "again.json", "-o", "again.svg"];
        folder.run(&words)
    };
    again().failed(&["there is no hunt to repeat", "hunt with --cabal, --stack or --ghc first"]);
    let Some(run) = hunt_built(&folder, &["--runs", "1", "--ghc", "Log.hs"]) else { return };
    run.drawn();
    let source = folder.read("Log.hs");
    // A local binding has a cost centre of its own; the other edit remembers one entry only.
    let renamed = source
        .replace(" (map succ (drop 20 line))", " rest\n  where rest = map succ (drop 20 line)");
    let cured = format!("-- cured\n{}", source.replace("M.insert host", "M.insert 0"));
    for (edited, status, starts, outcome) in [
        (&source, 3, "not repaired: ", "not-repaired"),
        (&renamed, 3, "not repaired: ", "not-repaired"),
        (&cured, 0, "repaired: ", "repaired"),
    ] {
        fs::write(folder.path().join("Log.hs"), edited).expect("a source");
        let run = again();
        assert_eq!(run.status(), status, "{}", run.said());
        let (text, picture) = (folder.read("again.txt"), folder.read("again.svg"));
        assert!(text.starts_with(starts), "{text}");
        let found = folder.json("again.json");
        assert_eq!(found["again"]["outcome"], outcome, "{found}");
        // Nobody is accused once it is repaired.
        assert_eq!(text.contains("makes it"), status == 3, "{text}");
        assert!(picture.contains(starts) && picture.contains("line: before it"), "{picture}");
    }
    assert!(renamed != source && cured.contains("M.insert 0"));
    fs::write(folder.path().join("dist-heapviz/last-hunt.json"), "{}").expect("a hunt");
    again().failed(&["another version of heapviz wrote", "hunt with --cabal, --stack or --ghc"]);
}

#[test]
fn a_build_that_fails_is_reported_with_its_command() {
    let folder = Folder::new().with("Main.hs", "main = nowhere\n");
    let Some(run) = hunt_built(&folder, &["--ghc", "Main.hs"]) else { return };
    let run = run.failed(&["the build failed", "this was run: ghc -O -prof "]);
    assert!(run.said().contains("nowhere"), "the words of GHC: {}", run.said());
}

/// What is found of a leaking program.
#[derive(Default)]
struct Answer {
    /// Whether its chain leads to the right function, and whether that is the first that it names.
    is_found: bool,
    is_exact: bool,
    /// The first line of `--again` after an edit that cures nothing, and after the cure, if there is one.
    edited: Option<String>,
    cured: Option<String>,
}

/// The line of a table about one leaking program, and what is found.
fn table_row(name: &str, argument: &str, truth: &[&str], folder: &Path) -> (String, Answer) {
    let began = Instant::now();
    let source = format!("{name}.hs");
    let hunt = |words: &[&str]| -> Value {
        let mut command = Command::new(env!("CARGO_BIN_EXE_heapviz"));
        command.args(["hunt", "-f", "json", "-q"]).args(words).current_dir(folder);
        let run = command.stdin(Stdio::null()).output().expect("the command");
        serde_json::from_slice(&run.stdout).unwrap_or_default()
    };
    let found = hunt(&["--for", "10s", "--ghc", &source, "--", argument]);
    let seconds = began.elapsed().as_secs();
    let text = fs::read_to_string(folder.join(&source)).expect("a source");
    let again = |text: String| {
        fs::write(folder.join(&source), text).expect("a source");
        hunt(&["--again"])["again"]["line"].as_str().unwrap_or("?").to_owned()
    };
    let cure = fs::read_to_string(folder.join(format!("{name}.cured"))).ok();
    let edit = format!("-- edited\n{text}\nunused :: Int -> Int\nunused n = n + 1\n");
    let edited = cure.is_some().then(|| again(edit));
    let cured = cure.filter(|_| !truth.contains(&"no-cure")).map(again);
    let link = |link: &str| {
        let parts = found["chain"][link].as_array().cloned().unwrap_or_default();
        let label = |part: &Value| part["label"].as_str().unwrap_or_default().to_owned();
        parts.iter().take(3).map(label).collect::<Vec<_>>()
    };
    let verdict = found["verdict"]["leak"].as_str().unwrap_or("?");
    let (made, is, held) = (link("made_by"), link("is"), link("held_by"));
    let kinds = link("kinds");
    let keeper = &found["chain"]["kept_by"];
    let is_field = keeper["within"].as_str().is_some_and(|within| within != "cells");
    let piles_up = kinds.iter().any(|kind| kind.starts_with("THUNK"));
    let thunks = match keeper["name"].as_str().filter(|name| is_field && !name.is_empty()) {
        Some(record) => format!("one for each `{record}`"),
        None if piles_up => "yes".to_owned(),
        None => String::new(),
    };
    let names = |label: &String, one: &str| label.split([',', ' ', '.']).any(|word| word == one);
    let named = |one: &str| made.iter().chain(&held).any(|label| names(label, one));
    let is_found = truth.iter().any(|one| one.split('+').all(named));
    // Who keeps it comes before who makes it.
    let holder = keeper["part"]["label"].as_str().map(str::to_owned);
    let is_first =
        |one: &str| holder.iter().chain(&made).next().is_some_and(|label| names(label, one));
    let is_exact = truth.iter().flat_map(|one| one.split('+')).any(is_first);
    let yes = |is: bool| if is { "yes" } else { "no" };
    let code = |labels: Vec<String>| {
        labels.iter().map(|label| format!("`{label}`")).collect::<Vec<_>>().join(" ")
    };
    let row = format!(
        "| {name} | {} | {} | {} | {thunks} | {} | {} | {} | {} | {} | {seconds} s | {} | {} |",
        verdict,
        code(made),
        code(is),
        code(held),
        truth.join(" "),
        yes(is_found),
        yes(is_exact),
        found["runs"][0]["samples"],
        edited.as_deref().unwrap_or_default(),
        cured.as_deref().unwrap_or_default(),
    );
    (row, Answer { is_found, is_exact, edited, cured })
}

/// A program with the import that mtl 2.3 does not bring along.
fn with_monads(text: &str) -> String {
    let mut text = text.to_owned();
    for import in ["import Control.Monad.State", "import Control.Monad.Reader"] {
        text = text.replace(import, &format!("import Control.Monad\n{import}"));
    }
    text
}

/// A folder with all leaking programs, and the cures of some.
fn leaking_programs(data: &Path) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let stories = fs::read_dir(data.join("stories")).expect("stories").flatten();
    let stories = stories.map(|entry| entry.path()).filter(|path| path.is_dir());
    for story in stories.collect::<Vec<_>>() {
        let name = story.file_name().expect("a name").to_string_lossy().into_owned();
        for (file, ending) in [("Main.hs", "hs"), ("Fixed.hs", "cured")] {
            let text = fs::read_to_string(story.join(file)).expect("a source");
            let copy = folder.path().join(format!("{name}.{ending}"));
            fs::write(copy, with_monads(&text)).expect("a copy");
        }
    }
    for programs in ["leaks/programs", "leaks-loaded/programs"] {
        for source in common::files_with_ending(&data.join(programs), "hs") {
            // Some have lines for the preprocessor.
            let text = fs::read_to_string(&source).expect("a source");
            let text = format!("{{-# LANGUAGE CPP #-}}\n{text}");
            let copy = folder.path().join(source.file_name().unwrap());
            fs::write(copy, with_monads(&text)).expect("a copy");
        }
    }
    for shim in ["Data/HashMap/Strict.hs", "Data/Vector/Unboxed/Mutable.hs"] {
        let copy = folder.path().join(shim);
        fs::create_dir_all(copy.parent().expect("a folder")).expect("a folder");
        fs::copy(common::data("hunt/shims").join(shim), copy).expect("a copy");
    }
    folder
}

/// Of three leaking programs; of all of them with `HEAPVIZ_HUNT=all`, or of those that it names.
#[test]
#[ignore = "takes half a minute for each program; .ci/nightly runs it"]
fn leaking_programs_lead_to_the_functions_that_leak() {
    let Some(data) = common::shared_data() else { return };
    if workshop().is_none() {
        return;
    }
    let ghc = Command::new("ghc").arg("--numeric-version").output().expect("GHC");
    println!("GHC {}\n", String::from_utf8_lossy(&ghc.stdout).trim());
    let truth = fs::read_to_string(common::data("hunt/truth.txt")).expect("the truth");
    let wanted = std::env::var("HEAPVIZ_HUNT").unwrap_or_else(|_| "L02 L07 writer_log".to_owned());
    let is_wanted = |name: &str| wanted == "all" || wanted.split(' ').any(|one| one == name);
    let programs: Vec<Vec<&str>> = truth
        .lines()
        .filter(|line| !line.starts_with('#'))
        .map(|line| line.split(' ').collect())
        .filter(|words: &Vec<&str>| is_wanted(words[0]))
        .collect();
    println!(
        "| program | verdict | made by | it is | unevaluated | held by | truth | found | exact | samples | time | an edit | the cure |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|---|---|");
    // Some at a time: a hunt waits longer than it works.
    const AT_A_TIME: usize = 3;
    let next = AtomicUsize::new(0);
    let (mut found, mut exact, mut cures, mut repaired) = (0, 0, 0, 0);
    let hunter = || {
        // What --again repeats is kept in a folder.
        let folder = leaking_programs(&data);
        let mut answers = Vec::new();
        while let Some(words) = programs.get(next.fetch_add(1, Ordering::Relaxed)) {
            let [name, argument, truth @ ..] = &words[..] else { panic!("{words:?}") };
            let (row, answer) = table_row(name, argument, truth, folder.path());
            println!("{row}");
            answers.push(answer);
        }
        answers
    };
    thread::scope(|scope| {
        let hunters: Vec<_> = (0..AT_A_TIME).map(|_| scope.spawn(hunter)).collect();
        for hunter in hunters {
            for Answer { is_found, is_exact, edited, cured } in hunter.join().expect("a hunter") {
                (found, exact) = (found + usize::from(is_found), exact + usize::from(is_exact));
                let is_repaired = |said: &Option<String>| {
                    said.as_deref().is_some_and(|said| said.starts_with("repaired"))
                };
                assert!(!is_repaired(&edited), "an edit that cures nothing: {edited:?}");
                cures += usize::from(cured.is_some());
                repaired += usize::from(is_repaired(&cured));
            }
        }
    });
    let of = programs.len();
    println!("\nof {of} found {found}, exact {exact}; of {cures} cures repaired {repaired}");
    assert!(repaired * 6 >= cures * 5, "of {cures} cures repaired {repaired}");
    assert!(of > 0 && exact * 20 >= of * 17, "of {of} exact {exact}, found {found}");
}
