//! Flame graphs and exports of stacks, requested on the command line.

use std::fs;

use serde_json::Value;

use crate::common::command::Folder;
use crate::common::schema::errors;

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
fn speedscope_files_match_its_schema() {
    let folder = Folder::new();
    folder.line("--at last -f speedscope @leak-hc.eventlog -o x.json").drawn();
    let schema = fs::read_to_string(crate::common::data("speedscope.schema.json")).unwrap();
    let schema: Value = serde_json::from_str(&schema).unwrap();
    let mut document = folder.json("x.json");
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
fn what_is_over_a_limit_is_cut_unless_no_limits_is_given() {
    let name = "f".repeat((1 << 20) + 1);
    let wider = " ".repeat(name.len());
    let report = REPORT.replace("COST CENTRE ", &format!("COST CENTRE{wider} "));
    let report = report.replace("MAIN            ", &format!("MAIN            {wider}"));
    let report = report.replace("évaluer(λ→∀)", &format!("évaluer(λ→∀){name}"));
    let report = report.replace("eval   ", &format!("eval   {wider}"));
    let folder = Folder::new().with("a.prof", report);
    let hint = "--no-limits keeps all of it";
    folder.line("a.prof -f folded -o cut").says(0, hint);
    let said = folder.line("a.prof -f folded -o whole --no-limits").drawn().said();
    assert!(!said.contains(hint), "{said}");
    let has_it = |file| folder.read(file).contains(&name);
    assert!(has_it("whole") && !has_it("cut"));
    folder.line("a.prof -o x.svg --limit text=9").says(2, "--no-limits");
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
    folder.run(&["--panels", "gc,memory,alloc", &log, "-o", "x.svg"]).drawn();
    assert_eq!(folder.read("x.svg"), alone);
    folder.run(&["stats", &log]).says(0, "run it with +RTS -h");
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
