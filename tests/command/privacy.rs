//! `--redact`: nothing that tells who ran the program, how and where, is in any output.

use std::fs;

use crate::common::command::{Folder, HP, endings, formats};
use crate::common::generator::testing::Log;
use heapviz::base::units::Nanos;
use heapviz::profile::{Breakdown, CostCentre, MarkerKind, Profile, ProfileBuilder, Source};
use heapviz::profile_view::{ProfileView, ViewOptions};
use heapviz::report::ReportOptions;
use heapviz::slice::Privacy;

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
    log.string(3, b"/home/secret/\xFF.hs", 5);
    log.stack(3, &[7], 5);
    log.end(3);
    log.ended()
}

/// Asserts that what a line says has something to hide, and hides it with `--redact`.
fn hides(folder: &Folder, line: &str) -> String {
    let asked = |more: &str| {
        let run = folder.line(&format!("{line} -o - {more}")).drawn();
        run.wrote() + &run.said()
    };
    assert!(asked("").contains("secret"), "{line} has nothing to hide");
    let redacted = asked("--redact");
    assert!(!redacted.contains("secret"), "{line}: {redacted}");
    redacted
}

/// A `.hp` whose command line, day and names tell of a user.
fn telling_hp() -> String {
    let names = [
        "/home/secret/x.hs",
        "(1)f/g//home/secret/m.hs",
        "at ‘/home/secret/q.hs’",
        "in /home/secret",
    ];
    let rows: String = names.iter().map(|name| format!("{name}\t9\n")).collect();
    let (front, samples) = HP.split_once("BEGIN_SAMPLE").unwrap();
    let front = front.replace("prog +RTS -hy", "secret-prog --token=secret +RTS -hc");
    let samples = samples.replace("END_SAMPLE", &(rows + "END_SAMPLE"));
    format!("{}BEGIN_SAMPLE{samples}", front.replace("today", "secret day"))
}

/// Names that are not text, paths in names that are not stacks, and inputs in folders, whose name is their user's.
#[test]
fn no_output_of_any_verb_tells_who_ran_it() {
    let folder = Folder::new();
    fs::create_dir(folder.path().join("secret")).unwrap();
    let folder = folder.with("secret/a.hp", telling_hp()).with("secret/b.eventlog", telling_log());
    for input in ["secret/a.hp", "secret/b.eventlog"] {
        hides(&folder, &format!("draw -f svg --view flame -q {input}"));
        hides(&folder, &format!("diff -q -f json {input} {input}"));
        for verb in ["draw -t0 --messages", "stats --bands 0", "check --fail-if 'peak > 1TiB'"] {
            // What the others have is encoded; what is below compares pages.
            let mut formats = formats(verb.split(' ').next().expect("a verb"));
            formats.retain(|format| !["png", "pdf", "html", "pprof"].contains(&&**format));
            for format in formats {
                hides(&folder, &format!("{verb} -q -f {format} {input}"));
            }
        }
    }
    let json = hides(&folder, "draw -q -f json -t0 secret/b.eventlog");
    for kept in ["go (Main, Main.hs:3:1-9)", "load big.json", "wrote x.txt", "\"name\""] {
        assert!(json.contains(kept), "{kept} in {json}");
    }
    let folder = folder.with("a.eventlog", telling_log());
    hides(&folder, "stats -q secret/b.eventlog a.eventlog");
    // The other outputs hide the same names.
    hides(&folder, "draw -f folded a.eventlog");
    hides(&folder, "diff -f svg a.eventlog a.eventlog");
    hides(&folder, "check -f json --fail-if 'peak > 1TiB' a.eventlog");
}

#[test]
fn the_numbers_stay() {
    let json = |redact: &str| {
        Folder::new().line(&format!("-qfjson -o- {redact} @leak-hy.eventlog")).drawn().json()
    };
    let (mut plain, redacted) = (json(""), json("--redact"));
    assert_ne!(plain["job"], serde_json::Value::Null);
    for told in ["job", "date", "started_unix_ns"] {
        plain[told] = serde_json::Value::Null;
    }
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
        hides(&Folder::new().with("x.hp", HP.replacen(whole, torn, 1)), "-fjson x.hp");
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

/// A log made to hide secrets in many places: in its command line, in a filter, in every form of path.
#[test]
fn no_secret_of_the_crafted_log_is_in_any_output() {
    let log = fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/attack/redact.eventlog"));
    let folder = Folder::new().with("secret.eventlog", log.expect("the log"));
    // The last part of a path is its file, and a folder below the root or a relative path says
    // nothing of a person.
    let unread = ["png", "pdf", "pb.gz", "folded", "speedscope.json"];
    for format in endings().into_iter().filter(|ending| !unread.contains(&&**ending)) {
        let line = format!("--redact --trace 0 -m 0 secret.eventlog -o out.{format}");
        let said = folder.line(&line).drawn().said().replace("secret.eventlog", "");
        let written = folder.read_bytes(&format!("out.{format}"));
        for text in [said, String::from_utf8_lossy(&written).into_owned()] {
            let at = text.find("SECRET").map(|at| text[at..].chars().take(20).collect::<String>());
            assert_eq!(at, None, "in {format}");
        }
    }
}
