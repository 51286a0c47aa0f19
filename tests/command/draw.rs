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
        ("--hp @leak-hy.eventlog -o- -fsvg", "event log|cannot be read as the flag says"),
        ("missing.hp", "missing.hp|cannot read"),
        (".", "folder"),
    ] {
        folder.line(line).failed(&says.split('|').collect::<Vec<_>>());
    }
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
        ("--same-scale y prog.hp", "--x-max and --y-max"),
    ] {
        folder.line(line).says(2, says);
    }
    assert_eq!(folder.files(), ["prog.hp", "prog.prof"]);
}

#[test]
fn a_flag_that_no_output_uses_is_noted_once_and_nothing_fails() {
    let folder = Folder::new().with("prog.hp", HP);
    for (line, notes) in [
        ("--heap-lines size -o x.svg", &["heap-lines has no effect: the input has no"][..]),
        ("--panels gc,memory -o x.svg", &["panels has no effect: the input has no such figures"]),
        ("--markers nosuch -o x.svg", &["markers matches no marker"]),
        ("--messages -o x.html", &["messages has no effect: the input has no messages"]),
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
fn labels_cannot_drive_the_terminal() {
    let hostile = HP.replace("prog +RTS", "p\u{1b}[31mq +RTS");
    let folder = Folder::new().with("a\u{1b}\nb.hp", &hostile);
    let folder = folder.with("x.hp", hostile).with("e\u{1b}.hp", "");
    for (line, shown) in [
        ("x.hp", "x.hp"),
        ("e\u{1b}.hp", "e\\u{1b}.hp"),
        ("x.hp -o no\u{1b}/x.svg", "no\\u{1b}/x.svg"),
        ("--color always x.hp --no\u{1b}[31msuch", "--nosuch"),
        ("--color always x.hp --no\u{202e}such", "--no\\u{202e}such"),
        ("watch --color always 'a\u{1b}\nb.hp' -o w.svg", "a\\u{1b}\\u{a}b.hp: "),
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
