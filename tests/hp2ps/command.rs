//! The command in the role of hp2ps: names, files, old pictures, messages, exit status.

#![cfg(unix)]

use std::fs;
use std::process::Command;

use crate::common::command::{Folder, Run, sample};

/// A folder with a link `hp2ps` to the program, and a profile `t.hp`.
fn folder() -> Folder {
    let folder = Folder::new().with("t.hp", fs::read(sample("leak-hy.hp")).unwrap());
    let link = folder.path().join("hp2ps");
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_heapviz"), link).unwrap();
    folder
}

fn filter(folder: &Folder, words: &[&str], input: &[u8]) -> Run {
    folder.run_command(Command::new(folder.path().join("hp2ps")).args(words), input)
}

/// Exit status, standard output and standard error.
fn hp2ps(folder: &Folder, words: &[&str]) -> (i32, String, String) {
    let run = filter(folder, words, b"");
    (run.status(), run.wrote(), run.said())
}

const SILENT: (i32, String, String) = (0, String::new(), String::new());

#[test]
fn the_output_goes_to_the_current_folder() {
    let folder = folder();
    fs::create_dir(folder.path().join("below")).unwrap();
    fs::rename(folder.path().join("t.hp"), folder.path().join("below/x.hp")).unwrap();
    assert_eq!(hp2ps(&folder, &["below/x"]), SILENT);
    assert_eq!(folder.files(), ["below", "hp2ps", "x.aux", "x.ps"]);
}

#[test]
fn errors_say_what_is_wrong_where_and_the_old_picture_stays() {
    let folder = folder();
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    let fails = |words: &[&str], message: &str| {
        write("t.ps", "%!PS old");
        let (status, stdout, stderr) = hp2ps(&folder, words);
        assert_eq!((status, stdout.as_str()), (1, ""), "{words:?}");
        let (error, hint) = stderr.split_once("\n  hint: ").unwrap();
        assert!(error.starts_with(&format!("error: {message}")) && hint.len() > 10, "{stderr}");
        assert_eq!(folder.read("t.ps"), "%!PS old");
    };
    fails(&["u"], "u.hp: cannot read: ");
    fails(&[""], ".hp: cannot read: ");
    fails(&["-p", "t"], "t.aux: cannot read: ");
    write("t.aux", "X_RANGE 1.0\nORDER 5");
    fails(&["-p", "t"], "t.aux: line 2: `ORDER` is not followed by a name");
    write("t.hp", "JOB \"j\"\n\nDATE 5");
    fails(&["t"], "t.hp: line 3: `DATE` is not followed by a string in quotes");
    write("t.hp", "<svg xmlns=\"http://www.w3.org/2000/svg\"/>");
    fails(&["t"], "t.hp: not a heap profile: it is an XML document");
    // hp2ps leaves an empty file here.
    fs::remove_file(folder.path().join("t.ps")).unwrap();
    hp2ps(&folder, &["-p", "t"]);
    assert!(!folder.path().join("t.ps").exists());
    filter(&folder, &[], b"JOB \"j\" a 5")
        .failed(&["error: standard input: there is no DATE line\n"]);
}

#[test]
fn an_unwritable_output_is_an_error_and_a_profile_is_never_overwritten() {
    let folder = folder();
    let path = |name: &str| folder.path().join(name);
    fs::create_dir(path("t.ps")).unwrap();
    filter(&folder, &["t"], b"").failed(&["error: cannot write t.ps: "]);
    fs::remove_dir(path("t.ps")).unwrap();
    fs::create_dir(path("t.aux")).unwrap();
    filter(&folder, &["t"], b"").failed(&["error: cannot write t.aux: "]);
    assert!(folder.read("t.ps").ends_with("showpage\n"));
    fs::remove_dir(path("t.aux")).unwrap();
    fs::remove_file(path("t.ps")).unwrap();
    std::os::unix::fs::symlink("t.hp", path("t.ps")).unwrap();
    filter(&folder, &["t"], b"").failed(&["is an input"]);
    assert_eq!(folder.read_bytes("t.hp"), fs::read(sample("leak-hy.hp")).unwrap());
}

#[test]
fn what_crashes_or_hangs_hp2ps_is_drawn() {
    let folder = folder();
    let headers = b"JOB \"j\" DATE \"d\" SAMPLE_UNIT \"s\" VALUE_UNIT \"b\"\n";
    let run = |text: &str, words: &[&str]| {
        let run = filter(&folder, words, &[headers, text.as_bytes()].concat()).drawn();
        assert!(run.wrote().ends_with("showpage\n") && run.wrote().len() < 10_000, "{text}");
        run.said()
    };
    let stderr = run("a 5 END_SAMPLE 1.0", &[]);
    assert_eq!(stderr.lines().count(), 1, "{stderr}");
    let name = "BEGIN_SAMPLE 0.0 eabbbaacccacccab 5 END_SAMPLE 0.0";
    assert_eq!(run(name, &[]), "");
    let times = "BEGIN_SAMPLE 100000000000000000.0 a 5 END_SAMPLE 0.0 \
        BEGIN_SAMPLE 100000000000000016.0 a 5 END_SAMPLE 0.0";
    assert_eq!(run(times, &[]), "");
    // Three samples at one time: hp2ps draws by time even where no time passes.
    let at = |time| format!("BEGIN_SAMPLE {time}.00 a 8 END_SAMPLE {time}.00 ");
    assert_eq!(run(&[0, 1, 1, 1].map(at).concat(), &[]), "");
    assert_eq!(run(name, &["-m2147483647"]), "");
    // hp2ps adds up floating-point numbers, so its sums have no limit, and it prints no message.
    let sums = "BEGIN_SAMPLE 1.0\na\t18446744073709551615\na\t5\nEND_SAMPLE 1.0\n";
    assert_eq!(run(sums, &[]), "");
    // It documents this flag, and does not accept it.
    let hp = fs::read(sample("bands-hy.hp")).unwrap();
    let of = |words: &[&str]| filter(&folder, words, &hp).wrote();
    assert_eq!(of(&["-l", "-t0"]), of(&["-m0", "-t0"]));
    assert_ne!(of(&["-l", "-t0"]), of(&["-t0"]));
}

#[test]
fn an_event_log_is_drawn_like_the_same_profile_as_text() {
    let log = fs::read(sample("leak-hy.eventlog")).unwrap();
    let folder = folder().with("u.eventlog", &log);
    let written = |words: &[&str]| {
        assert_eq!(hp2ps(&folder, words), SILENT);
        ["u.ps", "u.aux"].map(|name| folder.read_bytes(name))
    };
    let direct = written(&["-d", "u.eventlog"]);
    folder.line("-q @leak-hy.eventlog -o u.hp").drawn();
    assert_eq!(written(&["-d", "u"]), direct);
    assert_eq!(filter(&folder, &["-d", "-"], &log).drawn().0.stdout, direct[0]);
    let said = filter(&folder, &[], &log[..log.len() / 2]).drawn().said();
    assert!(said.starts_with("warning: standard input: drew "), "{said}");
    assert_eq!(said.lines().count(), 1);
    // hp2ps would look for this name, so it has priority.
    fs::copy(sample("leak-hy.hp"), folder.path().join("u.eventlog.hp")).unwrap();
    assert_eq!(hp2ps(&folder, &["u.eventlog"]), SILENT);
    assert!(folder.path().join("u.eventlog.ps").exists());
}
