//! Flame graphs and exports of stacks, requested on the command line.

use std::fs;
use std::io::Read;

use serde_json::Value;

use crate::common::command::Folder;
use crate::common::generator::testing::Log;
use crate::common::schema::errors;

#[test]
fn the_bars_of_a_flame_graph_have_the_widths_of_the_json() {
    let folder = Folder::new();
    folder.line("--view flame --width 1032 @leak-hc.eventlog -o x.svg -o x.json").drawn();
    let (svg, json) = (folder.read("x.svg"), folder.json("x.json"));
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
    for (line, says) in [
        ("sets.prof", "+RTS -P"),
        ("empty.prof", "until the program ends"),
        ("--view flame cut.hp", "-L500"),
        ("--weight alloc --view flame cut.hp", ".prof"),
    ] {
        let run = folder.line(line);
        let said = run.said().replace('\n', " ");
        assert!(run.status() == 1 && said.contains(says), "{line}: {said}");
    }
    assert!(folder.files().iter().all(|file| !file.ends_with(".svg")));
}

#[test]
fn functions_and_locations_in_pprof_have_their_lines() {
    let folder = Folder::new();
    folder.line("-f pprof @leak-hc.eventlog -o x.pb.gz").drawn();
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
    folder.line("--at peak --at last -f speedscope @leak-hc.eventlog -o x.json").drawn();
    let schema = fs::read_to_string(crate::common::data("speedscope.schema.json")).unwrap();
    let schema: Value = serde_json::from_str(&schema).unwrap();
    let mut document = folder.json("x.json");
    assert_eq!(document["profiles"].as_array().unwrap().len(), 2);
    assert_eq!(errors(&schema, &document, false), Vec::<String>::new());
    document["profiles"][0]["unit"] = Value::from("kB");
    assert_ne!(errors(&schema, &document, false), Vec::<String>::new());
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

fn tree_of(folder: &Folder, line: &str) -> (u64, String) {
    let run = folder.line(&format!("--view flame -f json -o t.json {line}")).drawn();
    (folder.json("t.json")["total"].as_u64().unwrap(), run.said())
}

#[test]
fn a_report_adds_stacks_and_three_more_quantities() {
    let folder = Folder::new().with("a.hp", heap("prog 13 +RTS -hc -P")).with("a.prof", REPORT);
    for (weight, total) in [("live", 256), ("time", 10), ("alloc", 1300), ("entries", 11)] {
        let (found, said) = tree_of(&folder, &format!("--weight {weight} a.hp a.prof"));
        assert!(found == total && said.contains("completes 2 stacks"), "{weight} {found}: {said}");
    }
}

#[test]
fn a_report_next_to_a_profile_is_mentioned_once_and_another_run_s_is_refused() {
    let folder = Folder::new()
        .with("a.hp", heap("prog 13 +RTS -hc -P"))
        .with("b.hp", heap("prog 14 +RTS -hc -P"))
        .with("a.prof", REPORT);
    let said = folder.line("a.hp -o x.svg").said();
    assert_eq!(said.matches("heapviz a.hp a.prof").count(), 1, "{said}");
    folder.line("b.hp a.prof -o x.svg").says(0, "not used: its program is");
}

#[test]
fn a_log_and_its_report_are_read_together() {
    let Some(data) = crate::common::shared_data() else { return };
    let folder = Folder::new();
    let [log, report] = ["eventlog", "prof"]
        .map(|ending| data.join("stacks/ghc-9.6/parse-p-l").with_extension(ending))
        .map(|path| path.display().to_string());
    let total = |line: &str| tree_of(&folder, line).0;
    let (same, said) = tree_of(&folder, &format!("--weight time {log} {report}"));
    assert_eq!(total(&log), same);
    assert!(said.contains("--weight time, alloc or entries"), "{said}");
    let entries = total(&format!("--weight entries {report}"));
    assert_eq!(total(&format!("--weight entries {log} {report}")), entries);
}

#[test]
fn a_log_with_only_collections_is_drawn_as_panels_and_listed_by_stats() {
    let Some(data) = crate::common::shared_data() else { return };
    let log = data.join("stacks/ghc-9.6/parse-gc.eventlog").display().to_string();
    let folder = Folder::new();
    for format in ["csv", "hp"] {
        let bands = folder.run(&[&log, "-f", format, "-o", "x"]);
        let said = bands.said().replace('\n', " ");
        assert!(bands.status() == 1 && said.contains("-o gc.svg"), "{said}");
        assert!(said.contains("heapviz stats"), "{said}");
    }
    folder.run(&[&log, "-o", "x.svg", "-o", "x.html"]).says(0, "no heap samples, ");
    let alone = folder.read("x.svg");
    assert!(alone.contains("no heap samples") && alone.contains("id=\"panel-memory-0\""));
    assert!(!alone.contains("key-heap"), "the lines are in the panel");
    folder.run(&["--panels", "auto", &log, "-o", "x.svg"]).drawn();
    assert_eq!(folder.read("x.svg"), alone);
    folder.run(&["stats", &log]).says(0, "run it with +RTS -h");
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
    let said = folder.line("stats --ticky t.eventlog").drawn().wrote();
    let row = |name: &str| said.lines().find(|line| line.contains(name)).unwrap_or("").to_owned();
    let (go, lne) = (row("go9 (Main)"), row("lne (Main)"));
    assert!(go.contains("40") && go.ends_with("Main.hs:3:1-9"), "{said}");
    assert!(lne.contains('3') && !lne.contains("Main.hs"), "{said}");
    assert!(said.contains("up to the last batch") && said.contains("entries over time"), "{said}");
    folder.line("stats --ticky none.eventlog").says(0, "2 ticky counters, but no counts");
}

/// The labels of all bands of a run, grouped.
fn bands(folder: &Folder, line: &str) -> Vec<String> {
    folder.line(&format!("-f json -o b.json --trace 0 --bands 0 {line}")).drawn();
    let label = |band: &Value| band["label"].as_str().unwrap().to_owned();
    folder.json("b.json")["bands"].as_array().unwrap().iter().map(label).collect()
}

#[test]
fn groups_are_the_same_in_every_verb() {
    let folder = Folder::new();
    let numbered = |group: &str| {
        let labels = bands(&folder, &format!("@leak-hr.hp {group}"));
        labels.iter().filter(|label| label.starts_with('(')).count()
    };
    assert!(numbered("--group none") > 50 && numbered("") == 0);
    let group = "--group package";
    let labels = bands(&folder, &format!("@leak-hT.eventlog {group}"));
    assert!(labels.contains(&"containers".to_owned()), "{labels:?}");
    folder.line(&format!("stats {group} @leak-hT.eventlog")).says(0, "containers");
    folder.line(&format!("diff {group} @leak-hT.eventlog @leak-hT.eventlog")).says(0, "containers");
    let budget = "--fail-if 'band(\"^containers$\").peak > 1TiB'";
    folder.line(&format!("check {group} {budget} @leak-hT.eventlog")).says(0, "peak");
}

#[test]
fn an_invalid_or_unused_grouping_is_reported() {
    let folder = Folder::new();
    for (group, status, says) in [
        ("pakage", 2, "is not package, module, cost-centre, type, retainers or none"),
        ("'Map => maps'", 2, "groups have no rules any more: --include 'REGEX' shows"),
        ("@rules", 2, "groups have no rules any more"),
        ("package", 0, "grouped by package, but no band"),
    ] {
        let line = format!("--group {group} @leak-hy.eventlog -o x.svg");
        folder.line(&line).says(status, says);
    }
}

#[test]
fn a_flame_graph_of_types_says_what_records_callers() {
    let said =
        |log: &str| Folder::new().line(&format!("--view flame @{log} -o flame.svg")).drawn().said();
    assert!(said("leak-hy.eventlog").contains("38 stacks of one bar: +RTS -hc records callers"));
    assert!(!said("leak-hc.eventlog").contains("of one bar"));
}
