//! Terminals, locales, and file names that are not valid text.
#![cfg(unix)]

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::Write;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use crate::common::command::{Folder, HP, Running, formats, hp, sample};
use crate::common::skipped;

/// A command line that runs in a terminal; `None` if nothing makes one here.
pub fn in_a_terminal(line: &str) -> Option<Command> {
    // The `script` of BSD and macOS takes other arguments, and none makes a terminal without /dev/pts.
    let made = Command::new("script").args(["-qec", "true", "/dev/null"]).output();
    if !made.is_ok_and(|output| output.status.success()) {
        skipped("no terminal (`script` of util-linux makes none)");
        return None;
    }
    let mut command = Command::new("script");
    command.args(["-qec", line, "typescript"]).env("HEAPVIZ", env!("CARGO_BIN_EXE_heapviz"));
    command.env("TERM", "xterm");
    Some(command)
}

/// Runs the command on input that arrives through a pipe in two halves, 1.2 s apart, and returns what a
/// terminal shows in the meantime; `None` without a terminal.
fn on_a_terminal(flags: &str) -> Option<String> {
    let line = format!("\"$HEAPVIZ\" {flags} -f csv -o out.csv - < pipe");
    let mut command = in_a_terminal(&line)?;
    let folder = Folder::new();
    let pipe = folder.path().join("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().expect("mkfifo").success());
    let writer = thread::spawn(move || {
        let mut pipe = File::options().write(true).open(pipe).expect("a reader");
        let text = hp((0..120_000).map(|at| (f64::from(at), "band\t1\n".to_owned())));
        let (first, rest) = text.split_at(text.len() / 2);
        pipe.write_all(first.as_bytes()).expect("a reader");
        thread::sleep(Duration::from_millis(1200));
        pipe.write_all(rest.as_bytes()).expect("a reader");
    });
    let run = folder.run_command(&mut command, b"").drawn();
    writer.join().expect("an end");
    Some(run.wrote())
}

#[test]
fn a_terminal_shows_the_progress_of_a_long_input() {
    let Some(shown) = on_a_terminal("") else { return };
    let (progress, end) = shown.rsplit_once("\r\x1b[K").expect("a line that is wiped");
    for text in [" MiB, ", "iB/s, ", " samples"] {
        assert!(progress.contains(text), "{shown:?}");
    }
    assert!(end.starts_with("standard input: 120000 samples"), "{shown:?}");
}

#[test]
fn a_quiet_run_shows_no_progress() {
    let Some(shown) = on_a_terminal("-q") else { return };
    assert_eq!(shown, "");
}

/// The terminal is gone when the view ends; the last picture is written all the same.
#[test]
fn a_terminal_that_is_closed_ends_the_view_in_order() {
    let line = "trap : HUP; \"$HEAPVIZ\" watch --forever -o heap.json log.eventlog --tui; \
                echo $? > status";
    let Some(mut command) = in_a_terminal(line) else { return };
    let log = fs::read(sample("leak-hy.eventlog")).expect("a sample");
    let folder = Folder::new().with("log.eventlog", log);
    // At the end of its standard input `script` types Ctrl-D, which ends the view.
    command.stdin(Stdio::piped()).stdout(Stdio::null());
    let mut terminal = Running::start(command.current_dir(folder.path()));
    let [picture, status] = ["heap.json", "status"].map(|name| folder.path().join(name));
    let wait_for = |path: &Path| {
        let appears = (0..600).any(|_| {
            thread::sleep(Duration::from_millis(50));
            fs::metadata(path).is_ok_and(|file| file.len() > 0)
        });
        assert!(appears, "{}", path.display());
    };
    wait_for(&picture);
    fs::remove_file(&picture).expect("a picture");
    terminal.kill().expect("a terminal");
    terminal.wait().expect("an end");
    wait_for(&status);
    // 1 if the view notices that the terminal is gone before the signal arrives.
    let status = folder.read("status");
    assert!(["0", "1"].contains(&status.trim()), "{status}");
    assert!(picture.exists(), "the last picture");
}

#[test]
fn a_file_name_that_is_not_text_works() {
    let folder = Folder::new();
    let name = OsStr::from_bytes(b"pr\xFFog.hp");
    if fs::write(folder.path().join(name), HP).is_err() {
        skipped("the file system wants text as names");
        return;
    }
    let run = folder.run(&[name]).drawn();
    assert!(run.said().contains("pr\u{FFFD}og.svg"), "{}", run.said());
    assert!(folder.path().join(OsStr::from_bytes(b"pr\xFFog.svg")).is_file());
    let out = OsStr::from_bytes(b"-o\xFE.json");
    folder.run(&[name, out]).drawn();
    assert!(folder.path().join(OsStr::from_bytes(b"\xFE.json")).is_file());
}

#[test]
fn the_locale_changes_nothing() {
    let folder = Folder::new().with("λ.hp", HP.replace("Map", "Mäp λ").replace("prog", "prög"));
    let log = sample("leak-hy.eventlog");
    let run = |locale: &str, words: &[&OsStr]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_heapviz"));
        command.args(words).env("LC_ALL", locale).env("LANG", locale);
        let run = folder.run_command(&mut command, b"");
        (run.status(), run.said(), run.0.stdout)
    };
    for format in &formats("draw") {
        for input in [OsStr::new("λ.hp"), log.as_os_str()] {
            let words = ["-f", format, "-o", "-"].map(OsStr::new);
            let words = [&words[..], &[input]].concat();
            let plain = run("C", &words);
            assert_eq!(plain, run("C.UTF-8", &words));
            assert_eq!(plain, run("de_DE.UTF-8", &words));
        }
    }
}
