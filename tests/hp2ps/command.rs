//! The command in the role of hp2ps: names, files, old pictures, messages, exit status.

#![cfg(unix)]

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

const SAMPLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/samples/leak-hy.hp");
const LOG: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/samples/leak-hy.eventlog");

/// A folder with a link `hp2ps` to the program, and a profile `t.hp`.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let link = folder.path().join("hp2ps");
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_heapviz"), link).unwrap();
    fs::copy(SAMPLE, folder.path().join("t.hp")).unwrap();
    folder
}

fn hp2ps(folder: &Path, words: &[&str]) -> Output {
    let mut command = Command::new(folder.join("hp2ps"));
    command.args(words).current_dir(folder).stdin(Stdio::null()).output().unwrap()
}

fn filter(folder: &Path, words: &[&str], input: &[u8]) -> Output {
    let mut command = Command::new(folder.join("hp2ps"));
    command.args(words).current_dir(folder).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
    // It is not an error if the input is not read.
    let _ = child.stdin.take().unwrap().write_all(input);
    child.wait_with_output().unwrap()
}

/// Exit status, standard output and standard error.
fn said(output: &Output) -> (i32, String, String) {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code().unwrap(), text(&output.stdout), text(&output.stderr))
}

const SILENT: (i32, String, String) = (0, String::new(), String::new());

fn file(folder: &Path, name: &str) -> Vec<u8> {
    fs::read(folder.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

#[test]
fn the_output_goes_to_the_current_folder() {
    let folder = folder();
    let below = folder.path().join("below");
    fs::create_dir(&below).unwrap();
    fs::rename(folder.path().join("t.hp"), below.join("x.hp")).unwrap();
    assert_eq!(said(&hp2ps(folder.path(), &["below/x"])), SILENT);
    assert!(folder.path().join("x.ps").exists() && folder.path().join("x.aux").exists());
    assert!(!below.join("x.ps").exists());
}

#[test]
fn errors_say_what_is_wrong_where_and_the_old_picture_stays() {
    let folder = folder();
    let folder = folder.path();
    let fails = |words: &[&str], message: &str| {
        fs::write(folder.join("t.ps"), "%!PS old").unwrap();
        let (status, stdout, stderr) = said(&hp2ps(folder, words));
        assert_eq!((status, stdout.as_str()), (1, ""), "{words:?}");
        let (error, hint) = stderr.split_once("\n  hint: ").unwrap();
        assert!(error.starts_with(&format!("error: {message}")) && hint.len() > 10, "{stderr}");
        assert_eq!(file(folder, "t.ps"), b"%!PS old");
    };
    fails(&["u"], "u.hp: cannot read: ");
    fails(&["-p", "t"], "t.aux: cannot read: ");
    fs::write(folder.join("t.aux"), "X_RANGE 1.0\nORDER 5").unwrap();
    fails(&["-p", "t"], "t.aux: line 2: `ORDER` is not followed by a name");
    fs::write(folder.join("t.hp"), "JOB \"j\"\n\nDATE 5").unwrap();
    fails(&["t"], "t.hp: line 3: `DATE` is not followed by a string in quotes");
    fs::write(folder.join("t.hp"), "<svg xmlns=\"http://www.w3.org/2000/svg\"/>").unwrap();
    fails(&["t"], "t.hp: not a heap profile: it is an XML document");
    // hp2ps leaves an empty file here.
    fs::remove_file(folder.join("t.ps")).unwrap();
    hp2ps(folder, &["-p", "t"]);
    assert!(!folder.join("t.ps").exists());
    let (status, stdout, stderr) = said(&filter(folder, &[], b"JOB \"j\" a 5"));
    assert_eq!((status, stdout.as_str()), (1, ""));
    assert!(stderr.starts_with("error: standard input: there is no DATE line\n"), "{stderr}");
}

#[test]
fn an_unwritable_output_is_an_error_and_a_profile_is_never_overwritten() {
    let folder = folder();
    let folder = folder.path();
    fs::create_dir(folder.join("t.ps")).unwrap();
    let (status, _, stderr) = said(&hp2ps(folder, &["t"]));
    assert!(status == 1 && stderr.starts_with("error: cannot write t.ps: "), "{stderr}");
    fs::remove_dir(folder.join("t.ps")).unwrap();
    fs::create_dir(folder.join("t.aux")).unwrap();
    let (status, _, stderr) = said(&hp2ps(folder, &["t"]));
    assert!(status == 1 && stderr.starts_with("error: cannot write t.aux: "), "{stderr}");
    assert!(file(folder, "t.ps").ends_with(b"showpage\n"));
    let folder = self::folder();
    let folder = folder.path();
    std::os::unix::fs::symlink("t.hp", folder.join("t.ps")).unwrap();
    let (status, _, stderr) = said(&hp2ps(folder, &["t"]));
    assert!(status == 1 && stderr.contains("is an input"), "{stderr}");
    assert_eq!(file(folder, "t.hp"), fs::read(SAMPLE).unwrap());
}

#[test]
fn what_crashes_or_hangs_hp2ps_is_drawn() {
    let folder = folder();
    let headers = b"JOB \"j\" DATE \"d\" SAMPLE_UNIT \"s\" VALUE_UNIT \"b\"\n";
    let run = |text: &str, words: &[&str]| {
        let output = filter(folder.path(), words, &[headers, text.as_bytes()].concat());
        let (status, stdout, stderr) = said(&output);
        assert!(status == 0 && stdout.ends_with("showpage\n"), "{text}: {stderr}");
        assert!(stdout.len() < 10_000);
        stderr
    };
    let stderr = run("a 5 END_SAMPLE 1.0", &[]);
    assert_eq!(stderr.lines().count(), 1, "{stderr}");
    let name = "BEGIN_SAMPLE 0.0 eabbbaacccacccab 5 END_SAMPLE 0.0";
    assert_eq!(run(name, &[]), "");
    let times = "BEGIN_SAMPLE 100000000000000000.0 a 5 END_SAMPLE 0.0 \
        BEGIN_SAMPLE 100000000000000016.0 a 5 END_SAMPLE 0.0";
    assert_eq!(run(times, &[]), "");
    assert_eq!(run(name, &["-m2147483647"]), "");
    // hp2ps adds up floating-point numbers, so its sums have no limit, and it prints no message.
    let sums = "BEGIN_SAMPLE 1.0\na\t18446744073709551615\na\t5\nEND_SAMPLE 1.0\n";
    assert_eq!(run(sums, &[]), "");
    // It documents this flag, and does not accept it.
    let hp = fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/samples/bands-hy.hp")).unwrap();
    let of = |words: &[&str]| filter(folder.path(), words, &hp).stdout;
    assert_eq!(of(&["-l", "-t0"]), of(&["-m0", "-t0"]));
    assert_ne!(of(&["-l", "-t0"]), of(&["-t0"]));
}

#[test]
fn an_event_log_is_drawn_like_the_same_profile_as_text() {
    let folder = folder();
    let folder = folder.path();
    fs::copy(LOG, folder.join("u.eventlog")).unwrap();
    assert_eq!(said(&hp2ps(folder, &["-d", "u.eventlog"])), SILENT);
    let direct = [file(folder, "u.ps"), file(folder, "u.aux")];
    let mut command = Command::new(env!("CARGO_BIN_EXE_heapviz"));
    let export = command.args(["-q", LOG, "-o"]).arg(folder.join("u.hp")).status().unwrap();
    assert!(export.success());
    assert_eq!(said(&hp2ps(folder, &["-d", "u"])), SILENT);
    assert_eq!([file(folder, "u.ps"), file(folder, "u.aux")], direct);
    let filtered = filter(folder, &["-d"], &fs::read(LOG).unwrap());
    assert_eq!((filtered.status.code(), filtered.stdout), (Some(0), direct[0].clone()));
    let whole = fs::read(LOG).unwrap();
    let (status, _, stderr) = said(&filter(folder, &[], &whole[..whole.len() / 2]));
    assert!(status == 0 && stderr.starts_with("warning: standard input: drew "), "{stderr}");
    assert_eq!(stderr.lines().count(), 1);
    // hp2ps would look for this name, so it has priority.
    fs::copy(SAMPLE, folder.join("u.eventlog.hp")).unwrap();
    assert_eq!(said(&hp2ps(folder, &["u.eventlog"])), SILENT);
    assert!(folder.join("u.eventlog.ps").exists());
}
