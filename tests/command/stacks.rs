//! Flame graphs and exports of stacks, requested on the command line.

use std::fs;
use std::io::Read;

use serde_json::Value;

use crate::common::command::{Folder, sample};
use crate::common::generator::testing::Log;
use crate::common::schema::errors;

#[test]
fn the_bars_of_a_flame_graph_have_the_widths_of_the_json() {
    let folder = Folder::new();
    let log = sample("leak-hc.eventlog").display().to_string();
    for output in ["x.svg", "x.json"] {
        let run = folder.run(&["--view", "flame", "--width", "1032", &log, "-o", output]);
        assert!(run.0.status.success(), "{output}");
    }
    let svg = fs::read_to_string(folder.path().join("x.svg")).unwrap();
    let json: Value =
        serde_json::from_str(&fs::read_to_string(folder.path().join("x.json")).unwrap()).unwrap();
    let (total, nodes) = (json["total"].as_f64().unwrap(), json["nodes"].as_array().unwrap());
    let document = roxmltree::Document::parse(&svg).unwrap();
    let mut widths: Vec<f64> = document
        .descendants()
        .filter(|node| node.attribute("class") == Some("frame"))
        .filter_map(|node| node.children().find(|child| child.has_tag_name("rect")))
        .map(|bar| bar.attribute("width").unwrap().parse().unwrap())
        .collect();
    // A thousand pixels in total; bars have gaps of one pixel.
    let whole = |node: &Value| node["total"].as_f64().unwrap() / total * 1000.0;
    let mut wanted: Vec<f64> = nodes.iter().map(whole).filter(|&width| width >= 0.25).collect();
    widths.sort_by(f64::total_cmp);
    wanted.sort_by(f64::total_cmp);
    assert_eq!(widths.len(), wanted.len());
    for (found, wanted) in widths.iter().zip(&wanted) {
        let gap = 1.0_f64.min(wanted / 4.0);
        assert!((found + gap - wanted).abs() < 0.02, "{found} for {wanted}");
    }
}

#[test]
fn impossible_requests_are_refused_with_a_hint() {
    let folder = Folder::new()
        .with("sets.prof", "\nRetainer sets created during profiling:\nSET 4 = {<>}\n")
        .with("empty.prof", "")
        .with("cut.hp", "BEGIN_SAMPLE 1.0\n(4)f/g/a_very_long_name...\t5\nEND_SAMPLE 1.0\n");
    for (words, said) in [
        (&["sets.prof"][..], "+RTS -P"),
        (&["empty.prof"], "until the program ends"),
        (&["--view", "flame", "cut.hp"], "-L500"),
        (&["--weight", "alloc", "--view", "flame", "cut.hp"], ".prof"),
    ] {
        let run = folder.run(words);
        let stderr = String::from_utf8_lossy(&run.0.stderr).into_owned();
        assert_eq!(run.0.status.code(), Some(1), "{words:?}: {stderr}");
        assert!(stderr.replace("\n", " ").contains(said), "{words:?}: {stderr}");
    }
    assert!(folder.files().iter().all(|file| !file.ends_with(".svg")));
}

#[test]
fn functions_and_locations_in_pprof_have_their_lines() {
    let folder = Folder::new();
    let log = sample("leak-hc.eventlog").display().to_string();
    folder.run(&["-f", "pprof", &log, "-o", "x.pb.gz"]).drawn();
    let mut plain = Vec::new();
    let packed = folder.read_bytes("x.pb.gz");
    flate2::read::GzDecoder::new(&packed[..]).read_to_end(&mut plain).expect("gzip");
    // Line 32 in the fields 2 and 5, each the last of its message: the next function or location follows.
    for end in [[0x10, 32, 0x2A], [0x28, 32, 0x22]] {
        assert!(plain.windows(3).any(|bytes| bytes == end), "{end:?}");
    }
}

#[test]
fn speedscope_files_match_its_schema() {
    let folder = Folder::new();
    let log = sample("leak-hc.eventlog").display().to_string();
    let words = ["--at", "peak", "--at", "last", "-f", "speedscope", &log, "-o", "x.json"];
    assert!(folder.run(&words).0.status.success());
    let schema = fs::read_to_string(crate::common::data("speedscope.schema.json")).unwrap();
    let schema: Value = serde_json::from_str(&schema).unwrap();
    let mut document: Value = serde_json::from_str(&folder.read("x.json")).unwrap();
    assert_eq!(document["profiles"].as_array().unwrap().len(), 2);
    assert_eq!(errors(&schema, &document, false), Vec::<String>::new());
    document["profiles"][0]["unit"] = Value::from("kB");
    assert_ne!(errors(&schema, &document, false), Vec::<String>::new());
}

#[test]
fn a_flame_graph_shows_the_difference_of_two_runs_but_not_of_a_run_and_itself() {
    let folder = Folder::new();
    let log = sample("leak-hc.eventlog").display().to_string();
    let words = ["diff", "--view", "flame", "--at", "0.5s..peak", &log, &log, "-o"];
    for output in ["x.svg", "x.json"] {
        let run = folder.run(&[&words[..], &[output]].concat());
        assert!(run.0.status.success(), "{}", String::from_utf8_lossy(&run.0.stderr));
    }
    let tree: Value = serde_json::from_str(&folder.read("x.json")).unwrap();
    let root = &tree["nodes"][0];
    assert!(root["total"].as_u64().unwrap() > root["total_before"].as_u64().unwrap());
    assert!(folder.read("x.svg").contains("of the run after, against"));
    let same = ["diff", "--view", "flame", &log, &log, "-o", "y.svg"];
    let run = folder.run(&same);
    let said = String::from_utf8_lossy(&run.0.stderr).into_owned();
    assert!(run.0.status.code() == Some(1) && said.contains("nothing changed"), "{said}");
    assert!(!folder.files().contains(&"y.svg".to_owned()));
}

/// A report with the stacks of two functions, one of which has a name that the `.hp` cuts inside a character.
const REPORT: &str = "\tSat Nov 21 11:24 2026 Time and Allocation Profiling Report  (Final)\n\
    \n\
    \t   prog +RTS -hc -P -RTS 13\n\
    \n\
    \ttotal time  =        0.01 secs   (10 ticks @ 1000 us, 1 processor)\n\
    \ttotal alloc =       1,300 bytes  (excludes profiling overheads)\n\
    \n\
    COST CENTRE     MODULE SRC          %time %alloc  ticks     bytes\n\
    \n\
    \n                                      individual      inherited\n\
    COST CENTRE     MODULE SRC         no.     entries  %time %alloc   %time %alloc  ticks     bytes\n\
    \n\
    MAIN            MAIN   <built-in>  128           0    0.0    7.7   100.0  100.0      0       100\n \
     évaluer(λ→∀)   Main   A.hs:3:1-5  352           2   60.0   53.8   100.0   92.3      6       700\n  \
      eval          Main   A.hs:9:1-5  353           9   40.0   38.5    40.0   38.5      4       500\n";

/// Cut after 25 bytes, the default.
fn heap(job: &str) -> Vec<u8> {
    let head =
        format!("JOB \"{job}\"\nDATE \"x\"\nSAMPLE_UNIT \"seconds\"\nVALUE_UNIT \"bytes\"\n");
    let rows: [&[u8]; 4] = [
        head.as_bytes(),
        b"BEGIN_SAMPLE 1.0\n(353)eval/\xc3\xa9valuer(\xce\xbb\xe2\x86\x92\xe2\x88...\t192\n",
        "(352)évaluer(λ→∀)\t64\n".as_bytes(),
        b"END_SAMPLE 1.0\n",
    ];
    rows.concat()
}

fn tree_of(folder: &Folder, words: &[&str]) -> (u64, String) {
    let run = folder.run(&[&["--view", "flame", "-f", "json", "-o", "t.json"], words].concat());
    let said = String::from_utf8_lossy(&run.0.stderr).into_owned();
    assert!(run.0.status.success(), "{words:?}: {said}");
    let tree: Value = serde_json::from_str(&folder.read("t.json")).unwrap();
    (tree["total"].as_u64().unwrap(), said)
}

#[test]
fn a_report_adds_stacks_and_three_more_quantities() {
    let folder = Folder::new().with("a.hp", heap("prog 13 +RTS -hc -P")).with("a.prof", REPORT);
    for (weight, total) in [("live", 256), ("time", 10), ("alloc", 1300), ("entries", 11)] {
        let (found, said) = tree_of(&folder, &["--weight", weight, "a.hp", "a.prof"]);
        assert_eq!(found, total, "{weight}");
        assert!(said.contains("completes 2 stacks"), "{said}");
    }
}

#[test]
fn a_report_next_to_a_profile_is_mentioned_once_and_another_run_s_is_refused() {
    let folder = Folder::new()
        .with("a.hp", heap("prog 13 +RTS -hc -P"))
        .with("b.hp", heap("prog 14 +RTS -hc -P"))
        .with("a.prof", REPORT);
    let alone = folder.run(&["a.hp", "-o", "x.svg"]);
    let said = String::from_utf8_lossy(&alone.0.stderr).into_owned();
    assert_eq!(said.matches("heapviz a.hp a.prof").count(), 1, "{said}");
    let other = folder.run(&["b.hp", "a.prof", "-o", "x.svg"]);
    let said = String::from_utf8_lossy(&other.0.stderr).into_owned();
    assert!(other.0.status.success() && said.contains("not used: its program is"), "{said}");
}

#[test]
fn a_log_and_its_report_are_read_together() {
    let Some(data) = crate::common::shared_data() else { return };
    let folder = Folder::new();
    let file = |name: &str| data.join("stacks/ghc-9.6").join(name).display().to_string();
    let (log, report) = (file("parse-p-l.eventlog"), file("parse-p-l.prof"));
    let (ticks, _) = tree_of(&folder, &[&log]);
    let (same, said) = tree_of(&folder, &["--weight", "time", &log, &report]);
    assert_eq!(ticks, same);
    assert!(said.contains("--weight time, alloc or entries"), "{said}");
    let (entries, _) = tree_of(&folder, &["--weight", "entries", &report]);
    assert_eq!(tree_of(&folder, &["--weight", "entries", &log, &report]).0, entries);
}

#[test]
fn a_log_with_only_collections_is_drawn_as_panels_and_listed_by_stats() {
    let Some(data) = crate::common::shared_data() else { return };
    let log = data.join("stacks/ghc-9.6/parse-gc.eventlog").display().to_string();
    let folder = Folder::new();
    for format in ["csv", "hp"] {
        let bands = folder.run(&[&log, "-f", format, "-o", "x"]);
        let said = bands.said().replace('\n', " ");
        assert_eq!(bands.0.status.code(), Some(1), "{said}");
        assert!(said.contains("-o gc.svg") && said.contains("heapviz stats"), "{said}");
    }
    let said = folder.run(&[&log, "-o", "x.svg", "-o", "x.html"]).drawn().said();
    assert!(said.contains("no heap samples, "), "{said}");
    let alone = folder.read("x.svg");
    assert!(alone.contains("no heap samples") && alone.contains("id=\"panel-memory-0\""));
    assert!(!alone.contains("key-heap"), "the lines are in the panel");
    folder.run(&["--panels", "auto", &log, "-o", "x.svg"]).drawn();
    assert_eq!(folder.read("x.svg"), alone);
    let stats = folder.run(&["stats", &log]);
    assert!(
        stats.status() == 0 && stats.said().contains("run it with +RTS -h"),
        "{}",
        stats.said()
    );
}

/// A counter of a closure whose info table has a place, and one of a closure without a table, with a number
/// of batches of counts.
fn ticky_log(batches: usize) -> Vec<u8> {
    let counter = |id: u64, name: &str, table: u64| {
        let mut bytes = id.to_be_bytes().to_vec();
        bytes.extend(2_u16.to_be_bytes());
        bytes.extend(b"+I\0");
        bytes.extend(format!("{name}\0").bytes());
        bytes.extend(table.to_be_bytes());
        bytes.extend(b"{\"type\":\"entCntr\",\"subTy\":\"fun\",\"fvs\":\"\"}\0");
        bytes
    };
    let mut log = Log::new();
    log.open(1, 0xFFFF);
    log.event(29, 1, b"\0\0\0\0GHC-9.10.3 rts_debug");
    log.event(30, 1, b"\0\0\0\0prog\0+RTS\0-lT\0");
    for (id, entries) in [(7_u64, 40_u64), (8, 3)].into_iter().take(batches) {
        log.event(212, 2, b"");
        log.event(211, 2, &[id, entries, 80, 0].map(u64::to_be_bytes).concat());
    }
    let texts: [&[u8]; 6] = [b"go9_info", b"11", b"", b"go9", b"Main", b"Main.hs:3:1-9"];
    log.info_table(3, 0x40, texts);
    log.event(210, 9, &counter(7, "go9{v s53z} (Main) (fun) in r52n", 0x40));
    log.event(210, 9, &counter(8, "lne{v s5} (Main) (lne) in r52n", u64::MAX - 15));
    log.close(10);
    log.ended()
}

#[test]
fn the_names_of_ticky_counters_are_redacted() {
    let mut log = ticky_log(2);
    let name = b"go9{v s53z} (Main) (fun) in r52n";
    let at = log.windows(name.len()).position(|bytes| bytes == name).expect("the counter");
    log[at..at + name.len()].copy_from_slice(b"/home/secret/go9 (Main)  in r52n");
    let folder = Folder::new().with("t.eventlog", log);
    let said = |more: &[&str]| {
        let words = ["stats", "--ticky", "-f", "json", "t.eventlog"];
        folder.run(&[&words[..], more].concat()).drawn().wrote()
    };
    assert!(said(&[]).contains("/home/secret/go9"), "{}", said(&[]));
    let redacted = said(&["--redact"]);
    assert!(redacted.contains("go9") && !redacted.contains("secret"), "{redacted}");
}

#[test]
fn ticky_counters_have_the_places_of_their_info_tables() {
    let folder = Folder::new().with("t.eventlog", ticky_log(2)).with("none.eventlog", ticky_log(0));
    let run = folder.run(&["stats", "--ticky", "t.eventlog"]);
    let said = String::from_utf8_lossy(&run.0.stdout).into_owned();
    let row = |name: &str| said.lines().find(|line| line.contains(name)).unwrap_or("").to_owned();
    assert!(
        row("go9 (Main)").contains("40") && row("go9 (Main)").ends_with("Main.hs:3:1-9"),
        "{said}"
    );
    assert!(row("lne (Main)").contains('3') && !row("lne (Main)").contains("Main.hs"), "{said}");
    assert!(said.contains("up to the last batch") && said.contains("entries over time"), "{said}");
    let run = folder.run(&["stats", "--ticky", "none.eventlog"]);
    let said = String::from_utf8_lossy(&run.0.stdout).into_owned();
    assert!(said.contains("2 ticky counters, but no counts"), "{said}");
}

/// The labels of all bands of a run, grouped.
fn bands(folder: &Folder, file: &str, group: &[&str]) -> Vec<String> {
    let words =
        [&["-f", "json", "-o", "b.json", "--trace", "0", "--bands", "0", file], group].concat();
    let run = folder.run(&words);
    assert!(run.0.status.success(), "{words:?}: {}", String::from_utf8_lossy(&run.0.stderr));
    let json: Value = serde_json::from_str(&folder.read("b.json")).unwrap();
    let label = |band: &Value| band["label"].as_str().unwrap().to_owned();
    json["bands"].as_array().unwrap().iter().map(label).collect()
}

#[test]
fn rules_come_before_the_named_grouping() {
    let folder = Folder::new().with("rules", "# comment\n\nleaky => leak\n");
    let file = sample("leak-hr.hp").display().to_string();
    let numbered = |labels: &[String]| labels.iter().filter(|label| label.starts_with('(')).count();
    let as_written = bands(&folder, &file, &["--group", "none"]);
    let by_default = bands(&folder, &file, &[]);
    assert!(numbered(&as_written) > 50 && numbered(&by_default) == 0);
    let ruled = bands(&folder, &file, &["--group", "@rules"]);
    assert!(ruled.contains(&"leak".to_owned()) && numbered(&ruled) == 0, "{ruled:?}");
    let ruled = bands(&folder, &file, &["--group", "@rules", "--group", "none"]);
    assert!(ruled.contains(&"leak".to_owned()) && numbered(&ruled) > 10, "{ruled:?}");
}

#[test]
fn groups_are_the_same_in_every_verb_and_in_every_break_down() {
    let folder = Folder::new();
    for name in [
        "leak-hT.eventlog",
        "leak-hb.eventlog",
        "leak-hc.eventlog",
        "leak-hd.hp",
        "leak-he.eventlog",
        "leak-hi.eventlog",
        "leak-hm.hp",
        "leak-hr.hp",
        "leak-hy.eventlog",
    ] {
        let file = sample(name).display().to_string();
        assert_eq!(
            bands(&folder, &file, &["--group", ".* => everything"]),
            ["everything"],
            "{name}"
        );
        let words: [&[&str]; 3] = [
            &["stats", "--group", ".* => everything", &file],
            &["diff", "--group", ".* => everything", &file, &file],
            &["check", "--group", ".* => everything", "--fail-if", "peak > 1GiB", &file],
        ];
        for words in words {
            let run = folder.run(words);
            let said = String::from_utf8_lossy(&run.0.stdout).into_owned();
            assert!(
                run.0.status.success(),
                "{words:?}: {}",
                String::from_utf8_lossy(&run.0.stderr)
            );
            assert!(words[0] == "check" || said.contains("everything"), "{words:?}: {said}");
        }
    }
}

#[test]
fn an_invalid_or_unused_grouping_is_reported() {
    let folder = Folder::new()
        .with("bad", "# comment\n\na => b\nno arrow\n")
        .with("pattern", "a(b => x\n")
        .with("nameless", "Map =>\n");
    let file = sample("leak-hy.eventlog").display().to_string();
    for (group, said) in [
        ("@bad", "bad, line 4: `no arrow` is not a rule"),
        ("@pattern", "pattern, line 1: `a(b` is not a regular expression"),
        ("@nameless", "nameless, line 1: `Map =>` has no name"),
        ("@absent", "absent: "),
        ("pakage", "is not package, module, cost-centre, type, retainers or none"),
    ] {
        let run = folder.run(&["--group", group, &file, "-o", "x.svg"]);
        let stderr = String::from_utf8_lossy(&run.0.stderr).into_owned();
        assert_eq!(run.0.status.code(), Some(2), "{group}");
        assert!(stderr.contains(said), "{group}: {stderr}");
    }
    for (group, said) in
        [("package", "grouped by package, but no band"), ("zzz => x", "no rule matches")]
    {
        let run = folder.run(&["--group", group, &file, "-o", "x.svg"]);
        let stderr = String::from_utf8_lossy(&run.0.stderr).into_owned();
        assert!(run.0.status.success() && stderr.contains(said), "{group}: {stderr}");
    }
}

#[test]
fn the_heading_names_focus_and_inversion() {
    let folder = Folder::new();
    let log = sample("leak-hc.eventlog").display().to_string();
    let words = ["--view", "flame", "--focus", "leaky", "--callers", &log, "-o", "x.svg"];
    let run = folder.run(&words);
    assert!(run.0.status.success(), "{}", String::from_utf8_lossy(&run.0.stderr));
    let svg = folder.read("x.svg");
    assert!(svg.contains("the peak, through `leaky`, inverted"), "{svg}");
    assert!(svg.contains("stacks without it: "), "{svg}");
}

#[test]
fn a_flame_graph_of_types_says_what_records_callers() {
    let folder = Folder::new();
    let said = |log: &str| {
        let log = sample(log);
        let words = ["--view", "flame", log.to_str().unwrap(), "-o", "flame.svg"];
        folder.run(&words).drawn().said()
    };
    assert!(said("leak-hy.eventlog").contains("38 stacks of one bar: +RTS -hc records callers"));
    assert!(!said("leak-hc.eventlog").contains("of one bar"));
}
