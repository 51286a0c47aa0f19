//! Files on disk after a failed write: the old chart, and nothing half written.
#![cfg(target_os = "linux")]

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::process::Command;

use crate::common::command::{Folder, HP, Run, Running, endings, hp, sample};
use crate::common::skipped;

/// Runs a shell script as root of its own user and mount namespace, with the command as `$HEAPVIZ` and a
/// sample log as `$LOG`; `None` if the system has no user namespaces.
fn in_namespace(folder: &Folder, script: &str) -> Option<Run> {
    let mut probe = Command::new("unshare");
    let allowed = probe.args(["-rm", "mount", "-t", "tmpfs", "none", "/mnt"]).output();
    if !allowed.is_ok_and(|output| output.status.success()) {
        skipped("no mount namespaces here (unshare -rm)");
        return None;
    }
    let mut command = Command::new("unshare");
    command
        .args(["-rm", "sh", "-eu", "-c", script])
        .env("HEAPVIZ", env!("CARGO_BIN_EXE_heapviz"))
        .env("LOG", sample("leak-hc.eventlog"));
    Some(folder.run_command(&mut command, b""))
}

#[test]
fn a_full_folder_for_temporary_files_is_named_and_not_the_program_blamed() {
    let text = "case \"$*\" in *--info*) echo ' [(\"GHC RTS\", \"YES\")'
        echo ' ,(\"GHC version\", \"9.0.2\")'; echo ' ,(\"RTS way\", \"rts_v_l\")'; echo ' ]'; exit 0 ;; esac
        for word in \"$@\"; do case $word in -ol*) cat \"$LOG\" > \"${word#-ol}\" 2> /dev/null ;; esac; done\n";
    let folder = Folder::new().with_script("prog", text);
    fs::create_dir(folder.path().join("disk")).expect("a folder");
    let script = "mount -t tmpfs -o size=24k none disk; TMPDIR=$PWD/disk exec $HEAPVIZ hunt --runs 1 -- ./prog";
    let Some(run) = in_namespace(&folder, script) else { return };
    for text in
        ["disk/heapviz-", " is full: what ./prog wrote is cut", "set TMPDIR to a folder with more"]
    {
        assert!(run.said().contains(text), "{text}: {}", run.said());
    }
    assert!(!run.said().contains("give it more to do"), "{}", run.said());
}

#[test]
fn a_folder_that_cannot_be_written_is_reported() {
    let folder = Folder::new();
    fs::create_dir(folder.path().join("disk")).expect("a folder");
    let script = "mount -t tmpfs -o ro none disk; exec $HEAPVIZ -q $LOG -o disk/heap.svg";
    let Some(run) = in_namespace(&folder, script) else { return };
    assert_eq!(run.status(), 1, "{}", run.said());
    for text in ["cannot write disk/heap.svg", "Read-only", "hint: name a place"] {
        assert!(run.said().contains(text), "{}", run.said());
    }
}

#[test]
fn a_limit_on_the_size_of_files_is_met_with_a_message() {
    let folder = Folder::new().with("prog.svg", "<svg old").with("prog.hp", HP);
    let run = folder.shell("ulimit -f 2; exec \"$HEAPVIZ\" prog.hp");
    run.failed(&["cannot write prog.svg", "hint: the limit on the size of files"]);
    assert_eq!(folder.read("prog.svg"), "<svg old");
}

/// Every signal that ends the command, at the moments when a file is half done: all bytes are in it but it has no name
/// yet, and it is about to replace the old one.
#[test]
fn no_signal_leaves_a_file_of_another_name() {
    if Command::new("strace").arg("--version").output().is_err() {
        skipped("no strace to send signals at one moment (apt-get install strace)");
        return;
    }
    let signals = [
        "HUP", "INT", "QUIT", "ABRT", "USR1", "USR2", "ALRM", "TERM", "XCPU", "VTALRM", "PROF",
        "IO", "SYS",
    ];
    let verbs = [
        &["prog.hp", "-o", "out"][..],
        &["stats", "prog.hp", "-o", "out"],
        &["diff", "prog.hp", "prog.hp", "-o", "out"],
        &["check", "prog.hp", "--write-baseline", "out"],
        &["hp2ps", "prog.hp"],
        &["watch", "prog.hp", "-o", "out"],
        &["hunt", "--for", "1s", "-o", "out", "--", "./prog"],
    ];
    std::thread::scope(|threads| {
        for words in verbs {
            threads.spawn(move || {
                for signal in signals {
                    interrupted(words, "fsync", signal);
                    interrupted(words, "?rename,?renameat,?renameat2", signal);
                }
                // Nothing can be done about a kill at the last moment.
                interrupted(words, "fsync", "KILL");
            });
        }
    });
}

/// Sends a signal when a verb makes a call of the system.
fn interrupted(words: &[&str], calls: &str, signal: &str) {
    let folder =
        Folder::new().with("prog.hp", HP).with("out", "<svg old").with("prog.ps", "<svg old");
    let folder = folder.with_script("prog", &crate::hunt::SLOW.replace("sleep 1.6", "sleep 0.2"));
    let given = folder.files();
    let format: &[&str] = match words[0] {
        "prog.hp" | "watch" | "stats" | "diff" => &["-f", "json"],
        _ => &[],
    };
    // What started the tests may ignore signals (`nohup`), and each program passes that on to the next.
    let mut command = Command::new("env");
    command
        .args(["--default-signal", "strace"])
        .args(["-f", "-qq", "-o", "/dev/null", "-e", &format!("trace={calls}")])
        .args(["-e", &format!("inject={calls}:signal={signal}:when=1")])
        .arg(env!("CARGO_BIN_EXE_heapviz"));
    let (before, after) =
        words.split_at(words.iter().position(|it| *it == "--").unwrap_or(words.len()));
    command.args(before).args(format).args(after);
    let run = folder.run_command(&mut command, b"");
    let mut files = folder.files();
    files.retain(|name| name != "prog.aux");
    assert_eq!(files, given, "{words:?} {calls} {signal}: {}", run.said());
    for name in ["out", "prog.ps"] {
        let text = folder.read(name);
        let is_whole =
            text == "<svg old" || text.trim_end().ends_with('}') || text.contains("showpage");
        assert!(is_whole, "{words:?} {calls} {signal}: {text}");
    }
    // It came at all: what is noted ends the verb later, and all else ends it there.
    let is_ended = run.0.status.code().is_none_or(|code| code != 0);
    let is_noted = matches!(words[0], "watch" | "hunt");
    assert!(is_ended || is_noted, "{words:?} {calls} {signal}: {}", run.said());
}

#[test]
fn too_low_a_memory_limit_leaves_the_old_files() {
    let rows = (0..64).map(|band| format!("b{band}.{}\t800\n", "x".repeat(900_000))).collect();
    let text = hp([(1.0, rows)]);
    let folder = Folder::new().with("prog.svg", "<svg old").with("prog.hp", text);
    for words in ["prog.hp", "prog.hp -o prog.html", "stats prog.hp", "watch -o live.svg prog.hp"] {
        let run = folder.shell(&format!("ulimit -v 80000; exec \"$HEAPVIZ\" {words}"));
        assert_eq!(run.0.status.code(), None, "{words}: {}", run.said());
        assert!(run.said().contains("memory allocation of"), "{words}: {}", run.said());
    }
    assert_eq!(folder.read("prog.svg"), "<svg old");
    assert_eq!(folder.files(), ["prog.hp", "prog.svg"]);
    // A run within the limit works as usual.
    let other = Folder::new().with("prog.hp", HP);
    let run = other.shell("ulimit -v 900000; exec \"$HEAPVIZ\" -q prog.hp");
    assert_eq!((run.status(), run.said()), (0, String::new()));
    assert_eq!(other.files(), ["prog.hp", "prog.svg"]);
}

/// Not only the profiles: everything that a call reads.
#[test]
fn what_is_read_is_not_overwritten() {
    let font = Path::new(env!("CARGO_MANIFEST_DIR")).join("templates/fonts/DejaVuSans.subset.ttf");
    let folder = Folder::new()
        .with("prog.hp", HP)
        .with("f.ttf", fs::read(font).expect("a font"))
        .with("Leak.hs", "line\n".repeat(70))
        .with("own.eventlog", fs::read(sample("leak-hc.eventlog")).expect("the sample"));
    let log = sample("leak-hc.eventlog").display().to_string();
    let baseline = ["check", &log, "--accept", ".", "--write-baseline", "base.json"];
    folder.run(&baseline).drawn();
    let budget = ["--fail-if", "peak > baseline * 9"];
    let base = [&["check", &log, "--baseline", "base.json", "-f", "json"], &budget[..]].concat();
    for (words, output) in
        [(&["prog.hp", "--font", "f.ttf", "-f", "svg"][..], "f.ttf"), (&base, "base.json")]
    {
        let before = folder.read_bytes(output);
        let run = folder.run(&[words, &["-o", output]].concat());
        run.failed(&[&format!("{output} is an input and is not overwritten")]);
        assert!(folder.read_bytes(output) == before, "{words:?}");
    }
    // Sources, whether a line of them was read or not.
    fs::create_dir(folder.path().join("src")).unwrap();
    fs::create_dir(folder.path().join(".git")).unwrap();
    fs::copy(folder.path().join("Leak.hs"), folder.path().join("src/Other.lhs")).unwrap();
    symlink("src/Other.lhs", folder.path().join("link.json")).unwrap();
    for (words, output) in [
        (&["--to", "1.2s", "--source", ".", "-f", "html", &log][..], "Leak.hs"),
        (&["stats", "--to", "1.2s", "--source", ".", "-f", "md", &log], "Leak.hs"),
        (&["stats", "prog.hp", "--source", "src", "-f", "json"], "src/Other.lhs"),
        (&["prog.hp", "-f", "hp"], "src/Other.lhs"),
        (&["prog.hp"], "link.json"),
        (&["check", "prog.hp", "--fail-if", "peak > 1k", "-f", "json"], "src/Other.lhs"),
        (&["prog.hp", "-f", "svg"], "src/x.cabal"),
        (&["prog.hp", "-f", "svg"], "package.yaml"),
        (&["prog.hp", "-f", "svg"], "stack.yaml"),
        (&["prog.hp", "-f", "svg"], "cabal.project"),
        (&["prog.hp", "-f", "svg"], "cabal.project.local"),
        (&["prog.hp", "-f", "csv"], "src/P.x"),
        (&["prog.hp", "-f", "svg"], "Makefile"),
        (&["prog.hp", "-f", "svg"], ".git/config"),
    ] {
        if !folder.path().join(output).exists() {
            fs::write(folder.path().join(output), "line\n".repeat(70)).unwrap();
        }
        let run = folder.run(&[words, &["-o", output]].concat());
        run.failed(&[&format!("{output} is no file that heapviz writes")]);
        assert_eq!(folder.read(output), "line\n".repeat(70), "{words:?}");
    }
    let before = folder.read_bytes("own.eventlog");
    let words = ["check", "own.eventlog", "--accept", ".", "--write-baseline", "own.eventlog"];
    folder.run(&words).failed(&["own.eventlog is an input and is not overwritten"]);
    assert!(folder.read_bytes("own.eventlog") == before);
}

/// What the command itself wrote is replaced, in every format, and so is what is empty.
#[test]
fn what_heapviz_writes_is_replaced() {
    let log = sample("leak-hc.eventlog").display().to_string();
    let hp = Folder::new().with("prog.hp", HP).with("empty", "");
    hp.run(&["prog.hp", "-f", "svg", "-o", "empty"]).drawn();
    hp.run(&["hp2ps", "prog.hp"]).drawn();
    hp.run(&["hp2ps", "prog.hp"]).drawn();
    for ending in endings() {
        for _ in 0..2 {
            hp.run(&[&log, "-o", &format!("out.{ending}")]).drawn();
        }
    }
    for _ in 0..2 {
        hp.run(&["stats", &log, "-f", "txt", "-o", "out.txt"]).drawn();
        let check = ["check", &log, "--fail-if", "peak > 9G", "-f", "json", "-o", "out.json"];
        hp.run(&check).drawn();
        hp.run(&["diff", &log, &log, "-f", "json", "-o", "out.json"]).drawn();
    }
    for _ in 0..2 {
        hp.run(&["check", &log, "--accept", ".", "--write-baseline", "base.json"]).drawn();
    }
}

#[test]
fn standard_output_that_is_an_input_is_refused() {
    let folder = Folder::new().with("a.hp", HP);
    for line in [
        "a.hp -f hp -o - >> a.hp",
        "a.hp -f csv -o - 1<> a.hp",
        "stats a.hp >> a.hp",
        "diff a.hp a.hp 1<> a.hp",
        "hp2ps < a.hp 1<> a.hp",
    ] {
        folder.shell(&format!("$HEAPVIZ {line}")).says(1, "is an input");
        assert_eq!(folder.read("a.hp"), HP, "{line}");
    }
}

#[test]
fn a_read_only_file_is_kept_even_through_a_link() {
    let folder = Folder::new().with("kept.svg", "<svg old").with("prog.hp", HP);
    let kept = folder.path().join("kept.svg");
    fs::set_permissions(&kept, fs::Permissions::from_mode(0o444)).expect("a mode");
    symlink("kept.svg", folder.path().join("link.svg")).expect("a link");
    for output in ["kept.svg", "link.svg"] {
        let named = format!("cannot write {output}: the file is read-only");
        folder.run(&["prog.hp", "-o", output]).failed(&[
            &named,
            "hint: make it writable",
            "-o FILE",
        ]);
    }
    assert_eq!(folder.read("kept.svg"), "<svg old");
    assert_eq!(folder.files(), ["kept.svg", "link.svg", "prog.hp"]);
}

#[test]
fn help_that_cannot_be_written_is_an_error() {
    for words in ["--help", "-V", "--version", "stats --help", "help"] {
        let run = Folder::new().shell(&format!("$HEAPVIZ {words} > /dev/full"));
        run.failed(&["cannot write to standard output: No space left"]);
    }
}

#[test]
fn closing_the_pipe_of_the_help_is_not_an_error() {
    let run = Folder::new().shell("(sleep 0.3; $HEAPVIZ --help; echo $? >&2) | true").drawn();
    assert_eq!(run.said(), "0\n");
}

#[test]
fn endless_baselines_and_fonts_are_refused() {
    let folder = Folder::new().with("prog.hp", HP);
    for (line, status, says) in [
        (
            "check --fail-if 'peak > 1k' --baseline /dev/zero prog.hp",
            1,
            "cannot read /dev/zero: it has more than 16 MiB",
        ),
        (
            "prog.hp --font /dev/zero -o heap.png",
            1,
            "/dev/zero: it has more than 64 MiB|hint: give one font",
        ),
    ] {
        folder.line(line).says(status, says);
    }
    assert_eq!(folder.files(), ["prog.hp"]);
}

#[test]
fn unsupported_compression_is_refused_with_a_hint() {
    let long = fs::read("tests/data/attack/long31.eventlog.zst").expect("the sample");
    for (name, bytes, says) in [
        (
            "p.zst",
            &long[..],
            ["a window of 2048 MiB", "hint: decompress it first: zstd -dc --long=31"],
        ),
        ("p.xz", b"\xFD7zXZ\0\0\x04", ["compressed with xz", "hint: decompress it first: xz -dc"]),
        ("p.bz2", b"BZh91AY&SY", ["compressed with bzip2", "hint: decompress it first: bzip2 -dc"]),
    ] {
        let run = Folder::new().with(name, bytes).run(&[name]).failed(&says);
        assert!(!run.said().contains("damaged"), "{}", run.said());
        Folder::new().with(name, bytes).run_with_input(&["-", "-o", "-"], bytes).failed(&says);
    }
}

/// At ten moments of it, also between the runs that `check` makes of a program.
#[test]
fn a_signal_during_a_run_is_the_exit_status_and_blames_nobody() {
    use rustix::process::Signal;
    let script =
        "case \"$*\" in *--info*) echo ' [(\"GHC RTS\", \"YES\")]'; exit;; esac\nsleep 5\n";
    let folder = Folder::new().with_script("prog", script);
    for moment in 0..10 {
        let signal = [Signal::TERM, Signal::INT, Signal::HUP][moment % 3];
        let words = ["check", "--fail-if", "leak == likely", "--", "./prog"];
        let check = Running::start(&mut folder.heapviz(&words));
        std::thread::sleep(std::time::Duration::from_millis(300 + 60 * moment as u64));
        check.signal(signal);
        let ended = check.end();
        assert_eq!(ended.status(), 128 + signal.as_raw(), "{moment}: {}", ended.said());
        assert!(!ended.said().contains("error"), "{moment}: {}", ended.said());
    }
}
