//! `--redact`: nothing that tells who ran the program, how and where, is in any output.

use std::ffi::OsStr;
use std::fs;

use crate::common::command::{Folder, HP, endings, sample};
use crate::common::generator::testing::Log;
use heapviz::base::units::{Bytes, Nanos};
use heapviz::profile::{
    BandKeyRef, Breakdown, CostCentre, MarkerKind, Profile, ProfileBuilder, Source,
};
use heapviz::profile_view::{ProfileView, ViewOptions};
use heapviz::report::ReportOptions;
use heapviz::slice::{Privacy, Slice, SliceOptions};

/// A log that names its user wherever a log can.
fn telling_log() -> Vec<u8> {
    let mut log = Log::new();
    log.profile_begins(1, 8, 1);
    let place = b"/home/secret/src/Main.hs:3:1-9";
    log.info_table(1, 0x40, [b"n", b"1", b"T", b"go", b"Main", place]);
    log.cost_centre(1, 7, [b"/home/secret/x", b"Main", place], 0);
    log.event(58, 1, b"load /home/secret/big.json");
    log.event(19, 2, b"wrote C:\\Users\\secret\\x.txt");
    log.begin(3);
    log.string(3, b"0x40", 5);
    log.string(3, b"/home/secret/name", 5);
    log.stack(3, &[7], 5);
    log.end(3);
    log.ended()
}

#[test]
fn no_output_tells_who_ran_it() {
    let hp =
        HP.replace("prog +RTS", "secret-prog --token=secret +RTS").replace("today", "secret day");
    let folder = Folder::new().with("a.hp", hp).with("b.eventlog", telling_log());
    for input in ["a.hp", "b.eventlog"] {
        for format in ["svg", "json", "csv", "hp"] {
            let words = ["-q", "-t0", "--messages", "-f", format, "-o", "-", input];
            let plain = folder.run(&words).drawn().wrote();
            // A table of numbers has no heading.
            if (input, format) != ("a.hp", "csv") {
                assert!(plain.contains("secret"), "{input} as {format} has nothing to hide");
            }
            let run = folder.run(&[&["--redact"][..], &words].concat()).drawn();
            assert!(!run.wrote().contains("secret"), "{input} as {format}: {}", run.wrote());
        }
    }
    let json = folder.run(&["--redact", "-qfjson", "-t0", "-o-", "b.eventlog"]).drawn().wrote();
    for kept in ["go (Main, Main.hs:3:1-9)", "load big.json", "wrote x.txt", "\"name\""] {
        assert!(json.contains(kept), "{kept} in {json}");
    }
}

#[test]
fn no_verb_tells_who_ran_it() {
    let folder = Folder::new().with("b.eventlog", telling_log());
    let log = "b.eventlog";
    for words in [
        &["stats", "-f", "txt", "--bands", "0", "--phases", log][..],
        &["stats", "-f", "json", "--bands", "0", log],
        &["stats", "-f", "md", log],
        &["check", "-f", "json", "--fail-if", "peak > 1TiB", log],
        &["diff", "-f", "json", log, log],
        &["diff", "-f", "svg", log, log],
        &["draw", "-f", "folded", log],
        &["draw", "-f", "speedscope", log],
        &["draw", "-f", "svg", "--view", "flame", log],
    ] {
        let asked = |more: &[&str]| {
            let run = folder.run(&[&words[..1], more, &["-o", "-"], &words[1..]].concat());
            assert_eq!(run.status(), 0, "{words:?}: {}", run.said());
            run.wrote() + &run.said()
        };
        assert!(asked(&[]).contains("secret"), "{words:?} has nothing to hide");
        let redacted = asked(&["--redact"]);
        assert!(!redacted.contains("secret"), "{words:?}: {redacted}");
    }
}

/// Names that are not text, inputs in folders, and the names of several runs on a page.
#[test]
fn no_odd_name_tells_a_folder() {
    let mut log = Log::new();
    log.profile_begins(1, 4, 1);
    for time in 2..5 {
        log.sample(time, b"/home/secret/\xFF.hs", 5);
    }
    let folder = Folder::new();
    fs::create_dir(folder.path().join("secret")).unwrap();
    let folder =
        folder.with("secret/a.eventlog", log.bytes.clone()).with("a.eventlog", log.ended());
    for format in ["hp", "json", "csv", "tidy"] {
        let words = ["--redact", "-q", "-t0", "-f", format, "-o", "-", "secret/a.eventlog"];
        let wrote = folder.run(&words).drawn().wrote();
        assert!(!wrote.contains("secret"), "{format}: {wrote}");
    }
    let words = ["stats", "--redact", "-q", "secret/a.eventlog", "a.eventlog"];
    let stats = folder.run(&words).wrote();
    assert!(stats.contains("a.eventlog") && !stats.contains("secret"), "{stats}");
}

/// Paths in names are not stacks, and the folder of an input is its user's.
#[test]
fn no_name_and_no_input_tells_a_home_folder() {
    let names = [
        "/home/secret/x.hs",
        "(1)f/g//home/secret/m.hs",
        "at ‘/home/secret/q.hs’",
        "in /home/secret",
    ];
    let rows: Vec<String> = names.iter().map(|name| format!("{name}\t9\n")).collect();
    let (front, samples) = HP.split_once("BEGIN_SAMPLE").unwrap();
    let samples = samples.replace("END_SAMPLE", &(rows.concat() + "END_SAMPLE"));
    let job = "JOB \"prog +RTS -hc\"\n";
    let hp = format!("{job}{}BEGIN_SAMPLE{samples}", front.split_once('\n').unwrap().1);
    let folder = Folder::new();
    fs::create_dir(folder.path().join("secret")).unwrap();
    let folder = folder.with("secret/a.hp", hp);
    let input = folder.path().join("secret/a.hp");
    for words in [
        &["draw", "-t0", "-f", "json"][..],
        &["draw", "-f", "folded"],
        &["draw", "-f", "speedscope"],
        &["draw", "-f", "svg", "--view", "flame"],
        &["stats", "-f", "txt"],
        &["stats", "-f", "md"],
        &["stats", "-f", "csv"],
        &["check", "-f", "md", "--fail-if", "peak > 1TiB"],
        &["diff", "-f", "json"],
    ] {
        let asked = |more: &[&str]| {
            let mut all: Vec<&OsStr> = words.iter().chain(more).map(OsStr::new).collect();
            all.extend(["-q", "-o", "-"].map(OsStr::new));
            let inputs = if words[0] == "diff" { 2 } else { 1 };
            all.extend(std::iter::repeat_n(input.as_os_str(), inputs));
            let run = folder.run(&all);
            assert_eq!(run.status(), 0, "{words:?}: {}", run.said());
            run.wrote()
        };
        assert!(asked(&[]).contains("secret"), "{words:?} has nothing to hide");
        let redacted = asked(&["--redact"]);
        assert!(!redacted.contains("secret"), "{words:?}: {redacted}");
    }
}

#[test]
fn the_numbers_stay() {
    let folder = Folder::new();
    let log = sample("leak-hy.eventlog");
    let json = |redact: &[&str]| -> serde_json::Value {
        let mut words: Vec<&std::ffi::OsStr> = redact.iter().map(|word| word.as_ref()).collect();
        words.extend(["-qfjson", "-o-"].map(std::ffi::OsStr::new));
        words.push(log.as_os_str());
        serde_json::from_str(&folder.run(&words).drawn().wrote()).expect("JSON")
    };
    let (mut plain, redacted) = (json(&[]), json(&["--redact"]));
    assert_ne!(plain["job"], serde_json::Value::Null);
    plain["job"] = serde_json::Value::Null;
    plain["date"] = serde_json::Value::Null;
    plain["started_unix_ns"] = serde_json::Value::Null;
    assert!(plain["file"].as_str().is_some_and(|file| file.ends_with("samples/leak-hy.eventlog")));
    plain["file"] = "leak-hy.eventlog".into();
    assert_eq!(plain, redacted);
}

#[test]
fn a_refusal_does_not_tell_the_command_line() {
    let mut log = Log::new();
    log.event(30, 1, b"\0\0\0\0prog\0--token=secret\0");
    let folder = Folder::new().with("x.eventlog", log.ended());
    folder.run(&["x.eventlog"]).failed(&["secret"]);
    let run = folder.run(&["--redact", "x.eventlog"]).failed(&["no heap profile"]);
    assert!(!run.said().contains("secret"), "{}", run.said());
}

#[test]
fn words_of_a_torn_command_line_are_not_quoted() {
    let torn = [("JOB \"prog +RTS -hy\"", "JOB \"prog\" --token=secret"), ("JOB", "secret x\nJOB")];
    for (whole, torn) in torn {
        let folder = Folder::new().with("x.hp", HP.replacen(whole, torn, 1));
        let said = |words: &[&str]| {
            let run = folder.run(&[&["-fjson", "-o-", "x.hp"], words].concat()).drawn();
            run.wrote() + &run.said()
        };
        assert!(said(&[]).contains("secret"), "{torn}");
        assert!(!said(&["--redact"]).contains("secret"), "{}", said(&["--redact"]));
    }
}

/// A profile with a marker, a cost centre and a stack, whose places are in a folder.
fn profile_in(folder: &str, arguments: &[&str]) -> Profile {
    let mut builder = ProfileBuilder::new(Source::Eventlog);
    builder.metadata.arguments = arguments.iter().map(|word| word.to_string()).collect();
    builder.metadata.job = (!arguments.is_empty()).then(|| arguments.join(" "));
    builder.metadata.date = (!arguments.is_empty()).then(|| "a day".to_owned());
    builder.declare_breakdown(Breakdown::CostCentre);
    let centre = CostCentre::new("f", "Main", format!("{folder}Main.hs:1:2"));
    builder.define_cost_centre(1, centre);
    builder.marker(Nanos::ZERO, format!("read {folder}in.txt"), MarkerKind::Marker);
    for time in 1..4 {
        builder.stack_sample(time, [(&[1], 100)]);
    }
    builder.finish()
}

/// What a report holds is encoded; so it is compared with that of a run with nothing to hide.
#[test]
fn a_report_is_that_of_a_run_with_nothing_to_hide() {
    let report = |profile: &Profile, privacy| {
        let mut options = ViewOptions::default();
        options.slice.privacy = privacy;
        let run = ProfileView::new(profile, &options).expect("all of it");
        heapviz::report::write(&run, &ReportOptions::default())
    };
    let telling = profile_in("/home/secret/src/", &["prog", "--token=secret"]);
    let clean = report(&profile_in("", &[]), Privacy::Show);
    assert_ne!(report(&telling, Privacy::Show), clean);
    assert_eq!(report(&telling, Privacy::Redact), clean);
}

#[test]
fn names_that_get_equal_stay_two_bands() {
    let mut builder = ProfileBuilder::new(Source::Hp);
    for (name, size) in [(&b"/home/a/x"[..], 1), (b"/home/b/x", 2)] {
        let band = builder.band(BandKeyRef::Name(name)).expect("a band");
        builder.point(band, Bytes::new(size));
    }
    builder.marker(Nanos::ZERO, "at /home/a/y".to_owned(), MarkerKind::Marker);
    builder.seal_sample(Nanos::ZERO);
    let profile = builder.finish();
    let mut options = SliceOptions::default();
    options.privacy = Privacy::Redact;
    let slice = Slice::new(&profile, &options).expect("a slice");
    assert_eq!(slice.rows().map(|row| slice.label(row)).collect::<Vec<_>>(), ["x", "x"]);
    let names: Vec<&[u8]> = slice.rows().map(|row| slice.name(row)).collect();
    assert_eq!(names, [&b"x"[..], b"x#2"]);
    let mut sizes = Vec::new();
    slice.each_point(0, |_, size| sizes.push(size.get()));
    assert_eq!(sizes, [1, 2]);
    assert_eq!(slice.markers()[0].label, "at y");
}

/// A log made to hide secrets in many places: in its command line, in a filter, in every form of path.
#[test]
fn no_secret_of_the_crafted_log_is_in_any_output() {
    let log = fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/attack/redact.eventlog"));
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("secret.eventlog");
    fs::write(&path, log.expect("the log")).expect("a copy");
    // The last part of a path is its file, and a folder below the root or a relative path says
    // nothing of a person.
    let readable = |ending: &String| !["png", "pdf", "pb.gz"].contains(&&**ending);
    let stacks = |ending: &String| ["folded", "speedscope.json"].contains(&&**ending);
    for format in endings().into_iter().filter(|ending| readable(ending) && !stacks(ending)) {
        let target = folder.path().join(format!("out.{format}"));
        let output = std::process::Command::new(env!("CARGO_BIN_EXE_heapviz"))
            .args(["--redact", "--trace", "0", "-m", "0"])
            .arg(&path)
            .arg("-o")
            .arg(&target)
            .output()
            .expect("heapviz");
        let said = String::from_utf8_lossy(&output.stderr).replace("secret.eventlog", "");
        assert!(output.status.success(), "{format}: {said}");
        let written = String::from_utf8_lossy(&fs::read(&target).expect("an output")).into_owned();
        for text in [&said, &written] {
            let at = text.find("SECRET").map(|at| text[at..].chars().take(20).collect::<String>());
            assert_eq!(at, None, "in {format}");
        }
    }
}
