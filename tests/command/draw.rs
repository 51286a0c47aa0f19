//! The command as its users see it.

use std::ffi::OsStr;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use crate::common::command::{Folder, HP, sample};

#[test]
fn the_chart_is_written_next_to_its_input_and_one_line_says_so() {
    let folder = Folder::new().with("prog.hp", HP);
    let run = folder.run(&["prog.hp"]).drawn();
    assert_eq!(
        run.said(),
        "prog.hp: 2 samples, 1 of 3 bands shown, peak 2.93 KiB at 2 s, 2 trace elements (0.27 %) \
         left out -> prog.svg\n\
         note: prog.hp: 2 samples are few: try +RTS -i0.05, or let it run longer\n"
    );
    assert_eq!(folder.files(), ["prog.hp", "prog.svg"]);
    assert!(folder.read("prog.svg").starts_with("<svg"));
    // A negative time makes the clock of a .hp unusable; samples have the numbers of the run.
    let folder = folder.with("odd.hp", HP.replace("SAMPLE 1.0", "SAMPLE -1.0"));
    for (words, peak) in [
        (&["--units", "si", "prog.hp"][..], "peak 3 kB at 2 s"),
        (&["odd.hp"], "peak 2.93 KiB in sample 3"),
        (&["--from", "2", "--to", "4", "odd.hp"], "peak 2.93 KiB in sample 3"),
        (&["--from", "3", "odd.hp"], "peak 2.93 KiB in sample 3"),
    ] {
        let said = folder.run(words).drawn().said();
        assert!(said.contains(peak), "{words:?}: {said}");
    }
}

#[test]
fn a_choice_without_bands_is_an_error_and_no_limit_draws_all() {
    let folder = Folder::new().with("prog.hp", HP);
    for choice in [["--include", "nosuch"], ["--exclude", "."]] {
        for call in [&["-o", "x.svg"][..], &["-o", "x.hp"], &["-o", "x.html"], &["-o", "x.csv"]] {
            folder.run(&[&choice[..], call, &["prog.hp"]].concat()).failed(&[
                "error: prog.hp: --include and --exclude leave none of its 3 bands",
                "hint: `heapviz stats -m 0 FILE`",
            ]);
        }
    }
    assert_eq!(folder.files(), ["prog.hp"]);
    let said = |words: &[&str]| folder.run(words).drawn().said();
    assert!(said(&["-t100", "prog.hp"]).contains("1 of 3 bands shown"));
    assert!(said(&["-t0", "-m0", "prog.hp"]).contains("3 of 3 bands shown"));
    assert!(said(&["-t0", "-m1", "prog.hp"]).contains("3 of 3 bands shown, all as OTHER"));
    assert!(folder.read("prog.svg").contains("OTHER (3 bands)"));
}

#[test]
#[cfg(target_os = "linux")]
fn pictures_and_pages_are_opened_on_request_and_their_addresses_printed() {
    let folder = Folder::new().with("a b.hp", HP).with("other.hp", HP);
    let viewers = Folder::new()
        .with_script("xdg-open", &format!("echo \"$1\" >> {}/opened\n", folder.path().display()));
    let run = |words: &[&str], path: &Path| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_heapviz"));
        folder.run_command(command.args(words).env("PATH", path), b"")
    };
    let [picture, page] = ["a%20b.svg", "x.html"]
        .map(|name| format!("file://{}/{name}", folder.path().canonicalize().unwrap().display()));
    let path = format!("{}:/usr/bin:/bin", viewers.path().display());
    let said = run(&["--open", "a b.hp"], Path::new(&path)).drawn().said();
    assert!(said.contains(&format!("note: opened {picture}\n")), "{said}");
    let words = ["diff", "--open", "a b.hp", "other.hp", "-o", "x.html", "-o", "x.json"];
    run(&words, Path::new(&path)).drawn();
    // The program that opens them goes on by itself.
    let opened = || fs::read_to_string(folder.path().join("opened")).unwrap_or_default();
    let all = format!("{picture}\n{page}\n");
    let is_there = (0..200).any(|_| {
        thread::sleep(Duration::from_millis(20));
        opened() == all
    });
    assert!(is_there, "{}", opened());
    // Where nothing opens them, and where there is no file.
    let said = run(&["--open", "a b.hp"], Folder::new().path()).drawn().said();
    assert!(said.contains(&format!("warning: no program opens {picture}\n")), "{said}");
    let said = folder.run(&["--open", "a b.hp", "-o", "-"]).drawn().said();
    assert!(said.contains("note: --open needs a file"), "{said}");
    let said = folder.run(&["--open", "a b.hp", "-f", "json"]).drawn().said();
    assert!(said.contains("note: --open has no effect: it is for pictures and pages"), "{said}");
}

#[test]
fn the_json_contains_what_the_chart_shows() {
    let folder = Folder::new().with("prog.hp", HP);
    let run = folder.run(&["-t0", "-m2", "-f", "json", "-o", "-", "prog.hp"]).drawn();
    let mut json: serde_json::Value = serde_json::from_str(&run.wrote()).expect("JSON");
    let found = ["verdict", "metrics"].map(|field| json[field].take());
    assert_eq!(found[0]["leak"], "unknown");
    // (0 + 1011) / 2 + (1011 + 3000) / 2 + (3000 + 0) / 2, over 3 s; the empty sample at the end is ignored.
    assert_eq!(found[1]["mean"], 1337);
    assert_eq!((&found[1]["final"], &found[1]["peak_ns"]), (&3000.into(), &2_000_000_000.into()));
    json.as_object_mut().expect("an object").retain(|_, value| *value != serde_json::json!(null));
    let map = json["bands"][0].as_object_mut().expect("a band");
    assert_eq!((&map["peak"], &map["last"], &map["id"]), (&3000.into(), &3000.into(), &0.into()));
    map.retain(|field, _| ["label", "role", "members", "total", "residency"].contains(&&**field));
    assert_eq!(
        json,
        serde_json::json!({
            "format": "heapviz", "version": 2, "heapviz": env!("CARGO_PKG_VERSION"),
            "file": "prog.hp", "labels": {}, "source": "hp", "state": "whole",
            "job": "prog +RTS -hy", "date": "today",
            "breakdown": "type", "clock": "mutator",
            "first_sample": 1,
            "times_ns": [0, 1_000_000_000, 2_000_000_000, 3_000_000_000u64],
            "total": [0, 1011, 3000, 0],
            "bands": [
                {"label": "Map", "role": "band", "members": 1, "total": 4000,
                 "residency": [0, 1000, 3000, 0]},
                {"label": "OTHER", "role": "other", "members": 2, "total": 11,
                 "residency": [0, 11, 0, 0]},
            ],
            "trace": {"bands": 0, "total": 0, "share_percent": 0.0},
            "excluded": {"bands": 0, "total": 0, "share_percent": 0.0},
            "markers": [], "heap": {"size": [], "live": [], "blocks": []}, "warnings": [],
            "runtime": {},
            "losses": {"samples": 0, "values": 0, "bytes": 0, "places": 0, "gaps": [],
                       "statements": 0, "over_limits": 0, "last_sample": "complete",
                       "end": "clean"},
        })
    );
}

#[test]
fn standard_input_and_output_make_a_filter() {
    let folder = Folder::new();
    let by_dash = folder.run_with_input(&["-", "-o", "-", "-f", "csv"], HP.as_bytes()).drawn();
    assert_eq!(
        by_dash.wrote(),
        "time_ns,Map\r\n0,0\r\n1000000000,1000\r\n2000000000,3000\r\n3000000000,0\r\n"
    );
    assert!(by_dash.said().starts_with("standard input: 2 samples"));
    let without_output = folder.run_with_input(&["-"], HP.as_bytes()).drawn();
    assert!(without_output.wrote().starts_with("<svg"));
    assert_eq!(folder.files(), [""; 0]);
}

#[test]
fn several_inputs_give_several_outputs_and_one_failure_does_not_stop_the_others() {
    let folder = Folder::new().with("a.hp", HP).with("b.hp", "").with("c.hp", HP);
    folder.run(&["a.hp", "b.hp", "c.hp"]).says(1, "error: b.hp: the file is empty");
    assert_eq!(folder.files(), ["a.hp", "a.svg", "b.hp", "c.hp", "c.svg"]);
}

#[test]
fn an_input_is_never_overwritten() {
    let folder = Folder::new().with("prog.hp", HP);
    folder.run(&["prog.hp", "-f", "hp"]).failed(&["prog.hp is an input"]);
    folder.run(&["prog.hp", "-o", "./prog.hp"]).failed(&["not overwritten"]);
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("prog.hp", folder.path().join("link.svg")).expect("a link");
        folder.run(&["prog.hp", "-o", "link.svg"]).failed(&["link.svg is an input"]);
    }
    assert_eq!(folder.read("prog.hp"), HP);
}

#[test]
fn several_outputs_come_from_one_reading() {
    let folder = Folder::new().with("prog.hp", HP);
    // Standard input can be read only once.
    let words = ["-", "-o", "a.svg", "-o", "b.json", "-o", "c.hp", "-o", "-", "-f", "csv"];
    let run = folder.run_with_input(&words, HP.as_bytes()).drawn();
    assert_eq!(folder.files(), ["a.svg", "b.json", "c.hp", "prog.hp"]);
    let (drew, advice) =
        run.said().split_once('\n').map(|(a, b)| (a.to_owned(), b.to_owned())).expect("lines");
    assert!(drew.ends_with("-> a.svg, b.json, c.hp"), "{drew}");
    assert_eq!(advice.lines().count(), 1, "{advice}");
    for (output, format) in [("a.svg", "svg"), ("b.json", "json"), ("c.hp", "hp")] {
        let words = ["-q", "-", "-f", format, "-o", "-"];
        let alone = folder.run_with_input(&words, HP.as_bytes()).drawn().wrote();
        assert_eq!(folder.read(output), alone, "{output}");
    }
    assert!(run.wrote().starts_with("time_ns,Map"));
    // An output that cannot be written does not prevent the others.
    let run = folder.run(&["prog.hp", "-o", "nosuch/a.svg", "-o", "d.svg"]);
    assert_eq!(run.status(), 1);
    assert!(run.said().contains("nosuch") && run.said().contains("-> d.svg\n"), "{}", run.said());
}

#[test]
fn given_both_profiles_of_a_run_the_log_is_drawn_if_it_has_samples() {
    let log = std::fs::read(sample("leak-hy.eventlog")).expect("a sample");
    let folder = Folder::new().with("prog.hp", HP).with("prog.eventlog", &log);
    let said = folder.run(&["prog.hp", "prog.eventlog"]).drawn().said();
    assert!(
        said.starts_with("note: prog.hp: drawing prog.eventlog of the same run instead\n"),
        "{said}"
    );
    assert!(said.contains("prog.eventlog: 51 samples") && said.contains("-> prog.svg"), "{said}");
    // An empty file, and one that is not a log.
    for no_samples in [&log[..0], b"no log"] {
        let folder = Folder::new().with("prog.hp", HP).with("prog.eventlog", no_samples);
        let said = folder.run(&["prog.eventlog", "prog.hp"]).drawn().said();
        let note =
            "note: prog.eventlog: no samples to draw; drawing prog.hp of the same run instead\n";
        assert!(said.starts_with(note) && said.contains("prog.hp: 2 samples"), "{said}");
    }
    let missing = Folder::new().with("prog.hp", HP);
    assert_eq!(missing.run(&["prog.eventlog", "prog.hp"]).status(), 1, "it was named");
}

#[cfg(unix)]
#[test]
fn a_link_stays_a_link_even_if_its_target_is_missing() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let folder = Folder::new().with("prog.hp", HP);
    let path = |name: &str| folder.path().join(name);
    fs::create_dir(path("deep")).expect("a folder");
    symlink("deep/new.svg", path("prog.svg")).expect("a link");
    for _ in 0..2 {
        folder.run(&["prog.hp"]).drawn();
        assert!(path("prog.svg").is_symlink());
        let mode = fs::metadata(path("deep/new.svg")).expect("the chart").permissions().mode();
        assert_eq!(mode & 0o133, 0, "not for others to write, nor to run: {mode:o}");
    }
    symlink("ring.svg", path("ring.svg")).expect("a link");
    folder.run(&["prog.hp", "-o", "ring.svg"]).failed(&["cannot write ring.svg"]);
    assert!(path("ring.svg").is_symlink());
}

#[cfg(unix)]
#[test]
fn a_named_pipe_is_opened_only_when_it_is_used() {
    let folder = Folder::new().with("prog.hp", HP);
    let pipe = folder.path().join("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().expect("mkfifo").success());
    let reader = {
        let pipe = pipe.clone();
        std::thread::spawn(move || fs::read_to_string(pipe).expect("a picture"))
    };
    folder.run(&["prog.hp", "-o", "pipe", "-f", "svg"]).drawn();
    assert_eq!(folder.files(), ["pipe", "prog.hp"]);
    assert!(reader.join().expect("an end").starts_with("<svg"));

    // The output exists, so it is compared with the input; the comparison must not consume the input.
    let folder = folder.with("pipe.svg", "<svg old");
    let writer = std::thread::spawn(move || fs::write(pipe, HP).expect("a reader"));
    folder.run(&["pipe"]).drawn();
    writer.join().expect("an end");
    assert!(folder.read("pipe.svg").starts_with("<svg"));
}

#[test]
fn a_failed_run_leaves_the_old_chart() {
    let folder = Folder::new().with("bad.hp", "JOB \"x\"\n").with("bad.svg", "<svg old");
    folder.run(&["bad.hp"]).failed(&["without a single complete sample", "hint: "]);
    assert_eq!(folder.read("bad.svg"), "<svg old");
    assert_eq!(folder.files(), ["bad.hp", "bad.svg"]);
}

#[test]
fn an_input_that_is_not_a_profile_is_identified() {
    let folder = Folder::new()
        .with("page.hp", "<!DOCTYPE html><html>")
        .with("lfs.eventlog", "version https://git-lfs.github.com/spec/v1\noid sha256:0\n")
        .with("gz.hp", [0x1F, 0x8B, 8, 0])
        .with("notes.txt", "remember the milk\n");
    for (line, says) in [
        ("page.hp", "page.hp|HTML"),
        ("lfs.eventlog", "Git LFS pointer|git lfs pull"),
        ("gz.hp", "cannot be decompressed"),
        ("notes.txt", "JOB|+RTS"),
        ("--hp @leak-hy.eventlog -o- -fsvg", "event log|cannot be read as a .hp"),
        ("missing.hp", "missing.hp|cannot read"),
        (".", "folder"),
    ] {
        folder.line(line).failed(&says.split('|').collect::<Vec<_>>());
    }
}

#[test]
fn a_truncated_log_is_drawn_as_far_as_it_goes_unless_strict_refuses_it() {
    let whole = fs::read(sample("leak-hy.eventlog")).expect("a sample");
    let folder = Folder::new().with("cut.eventlog", &whole[..40_000]).with("whole.hp", HP);
    folder.line("--strict cut.eventlog").failed(&["damaged or incomplete: drew ", "--strict"]);
    assert_eq!(folder.files(), ["cut.eventlog", "whole.hp"]);
    folder.line("--strict whole.hp").drawn();
    folder
        .line("cut.eventlog")
        .says(0, "last sample unfinished|; the log ends inside an event, at byte");
    assert!(folder.read("cut.svg").contains("cut off"));
    let head = Folder::new().with("cut.eventlog", &whole[..1000]);
    head.line("cut.eventlog").failed(&["byte 1000", "inside its header"]);
}

#[test]
fn wrong_flags_are_usage_errors_with_help() {
    let folder = Folder::new().with("prog.hp", HP).with("prog.prof", "");
    for (line, says) in [
        ("--trace 200 prog.hp", "0 to 100"),
        ("--bandz 3 prog.hp", "--bands"),
        ("--bands few prog.hp", "from 1 up, or 0 for no limit"),
        ("-t -1 prog.hp", "0 to 100"),
        ("-m -1 prog.hp", "from 1 up, or 0 for no limit"),
        ("--y-max 0 prog.hp", "ends at 0"),
        ("--x-max 0s prog.hp", "ends at 0"),
        ("-o a.svg -o ./a.svg prog.hp", "two outputs would go to ./a.svg"),
        ("prog.hp -o heap.gif", "extension: use .svg, "),
        ("", "INPUT"),
        ("prog.hp prog.txt", "both be written to prog.svg"),
        ("prog.hp prog.txt -o x.svg", "several"),
        ("--hp --eventlog prog.hp", "cannot be used with"),
        ("-m few -m 3 prog.hp", "invalid value"),
        ("--same-scale z --same-scale y prog.hp", "invalid value"),
    ] {
        folder.line(line).says(2, says);
    }
    assert_eq!(folder.files(), ["prog.hp", "prog.prof"]);
}

#[test]
fn the_last_value_of_a_repeated_flag_counts() {
    let folder = Folder::new().with("prog.hp", HP);
    for (once, twice) in [
        (
            "--units si -t0 -m2 prog.hp -o-",
            "--units=binary --units=si -t5 -t0 -m 9 -m2 prog.hp -o-",
        ),
        ("stats --units=si prog.hp", "stats --units=binary --units=si prog.hp"),
    ] {
        assert_eq!(folder.line(twice).drawn().wrote(), folder.line(once).drawn().wrote());
    }
    // Patterns add up.
    folder.line("-t0 --include Map --include tiny prog.hp -o- -f csv").says(0, "Map|tiny");
}

#[test]
fn a_flag_that_no_output_uses_is_noted_once_and_nothing_fails() {
    let folder = Folder::new().with("prog.hp", HP);
    for (line, notes) in [
        ("--heap-lines size -o x.svg", &["heap-lines has no effect: the input has no"][..]),
        ("--panels gc,memory -o x.svg", &["panels has no effect: the input has no such figures"]),
        ("--markers nosuch -o x.svg", &["markers matches no marker"]),
        ("--messages -o x.html", &["messages has no effect: the input has no messages"]),
        ("--same-scale y -o x.svg", &["same-scale has no effect: it is for several charts"]),
        ("--at peak -o x.svg", &["at has no effect: it is for flame graphs"]),
        (
            "--theme dark --width=500 --key=none -o x.csv",
            &["width has no effect: it is for pictures,", "theme has no", "key has no effect:"],
        ),
        ("--trace 0 -o x.hp", &["trace has no effect: it is for charts of chosen bands"]),
        ("--scale 2 -o x.svg", &["scale has no effect: it is for PNG"]),
        ("--scale 2 -o x.png -o x.svg", &[]),
        ("--theme dark --width=500 --trace 0 -o x.svg", &[]),
    ] {
        let said = folder.line(&format!("{line} prog.hp")).drawn().said();
        let about_flags = said.lines().filter(|line| line.starts_with("note:"));
        let about_flags = about_flags.filter(|line| !line.contains("try +RTS -i"));
        assert_eq!(about_flags.count(), notes.len(), "{line}: {said}");
        notes.iter().for_each(|note| assert!(said.contains(&format!("--{note}")), "{said}"));
    }
    let flame = folder.line("--view flame --at peak -o flame.svg @leak-hc.eventlog").drawn().said();
    assert!(!flame.contains("no effect"), "{flame}");
}

#[test]
fn one_scale_for_different_clocks_has_a_warning() {
    let folder = Folder::new().with("prog.hp", HP);
    let log = sample("leak-hy.eventlog").display().to_string();
    let said = |axes: &str| {
        let words = ["--same-scale", axes, "prog.hp", &log, "-o", "."];
        folder.run(&words).drawn().said()
    };
    for axes in ["x", "both"] {
        assert_eq!(said(axes).matches("warning: --same-scale").count(), 1, "{}", said(axes));
    }
    assert!(!said("y").contains("--same-scale"));
}

#[test]
fn labels_cannot_drive_the_terminal() {
    let hostile = HP.replace("prog +RTS", "p\u{1b}[31mq +RTS");
    let folder = Folder::new().with("x.hp", hostile).with("e\u{1b}.hp", "");
    for (line, shown) in [
        ("x.hp", "x.hp"),
        ("e\u{1b}.hp", "e\\u{1b}.hp"),
        ("x.hp -o no\u{1b}/x.svg", "no\\u{1b}/x.svg"),
        ("--color always x.hp --no\u{1b}[31msuch", "--nosuch"),
        ("--color always x.hp --no\u{202e}such", "--no\\u{202e}such"),
    ] {
        let said = folder.line(line).said();
        assert!(said.contains(shown) && !said.contains(['\u{1b}', '\u{202e}']), "{said}");
    }
}

#[cfg(unix)]
#[test]
fn a_closed_pipe_is_not_an_error() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_heapviz"))
        .args([sample("leak-hT.eventlog").as_os_str(), OsStr::new("-o"), OsStr::new("-")])
        .args(["-f", "json"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command");
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("an end");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_reported() {
    let folder = Folder::new().with("prog.hp", HP);
    folder.run(&["prog.hp", "-o", "/dev/full", "-f", "svg"]).failed(&[
        "/dev/full",
        "No space left",
        "hint: make room",
    ]);
}

#[test]
fn bands_that_do_not_fit_are_reported() {
    let mut text = String::from(&HP[..HP.find("BEGIN_SAMPLE").expect("a sample")]);
    for sample in 0..3000 {
        text += &format!("BEGIN_SAMPLE {sample}.0\nb{sample}\t64\nEND_SAMPLE {sample}.0\n");
    }
    let folder = Folder::new().with("many.hp", text);
    let all = ["--bands", "0", "--trace", "0", "many.hp"];
    let said = folder.run(&all).drawn().said();
    assert!(said.contains("bands are in OTHER because rows of their own"), "{said}");
    assert!(said.contains("write all of them with -f hp"), "{said}");
    let said = folder.run(&[&all[..], &["-f", "hp", "-o", "all.hp"]].concat()).drawn().said();
    assert!(said.contains("3000 of 3000 bands written"), "{said}");
    assert!(!said.contains("OTHER"), "{said}");
    assert_eq!(folder.read("all.hp").matches("BEGIN_SAMPLE").count(), 3000);
}

#[test]
fn a_sum_beyond_64_bits_is_exact_in_totals_and_has_a_warning_where_it_is_capped() {
    let folder = Folder::new();
    let sat = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/attack/sat.hp");
    let run = folder.run(&[sat, "-f", "json", "-o", "-"]);
    for part in [
        "\"total\":[18446744073709556615,1]",
        "\"residency\":[18446744073709551615,1]",
        "\"code\":\"clamped-value\"",
    ] {
        assert!(run.wrote().contains(part), "{part}: {}", run.wrote());
    }
    assert!(run.said().contains("2^64 bytes or more"), "{}", run.said());
}

#[test]
fn names_that_readers_of_hp_would_cut_are_cut_with_a_note() {
    let text = HP.replace("tiny", &"t".repeat(6000));
    let folder = Folder::new().with("prog.hp", text);
    let said = folder.run(&["prog.hp", "-f", "hp", "-o", "out.hp"]).drawn().said();
    assert!(said.contains("1 name cut to 4999 bytes"), "{said}");
    assert!(folder.read("out.hp").contains(&format!("\n{}\t1\n", "t".repeat(4999))));
}
