//! The answers of `heapviz watch --serve`, and the programs that read them: Prometheus and `go tool
//! pprof`, if they are installed. The tests take the configuration and the names of figures from
//! `docs/fleet.md`.

use std::collections::BTreeMap;
use std::fs;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::common;
use crate::common::command::{Folder, hp, sample};
use crate::common::generator::testing::Log;
use crate::common::served::Served;
use crate::watch::play;

/// A series of an answer: its name and labels, each with its value.
type Series = BTreeMap<String, f64>;

/// The body of an answer to `GET`, which must succeed.
fn body(served: &Served, path: &str, more: &str) -> Vec<u8> {
    let (head, body) = served.get(path, more);
    assert!(head.starts_with("HTTP/1.1 200 "), "{path}: {head}");
    body
}

fn metrics(served: &Served) -> String {
    String::from_utf8(body(served, "/metrics", "")).expect("text")
}

fn series(text: &str) -> Series {
    let one = |line: &str| {
        let (name, value) = line.rsplit_once(' ').expect("a value");
        (name.to_owned(), value.parse().expect("a number"))
    };
    text.lines().filter(|line| !line.starts_with('#')).map(one).collect()
}

/// Asks until the answer is as expected.
fn ask_until(served: &Served, what: &str, expected: impl Fn(&Series) -> bool) -> Series {
    let began = Instant::now();
    loop {
        let text = metrics(served);
        let now = series(&text);
        if expected(&now) {
            return now;
        }
        assert!(began.elapsed() < Duration::from_secs(30), "{what} never came: {text}");
        thread::sleep(Duration::from_millis(100));
    }
}

/// Asks until the run has ended.
fn ended(served: &Served) -> Series {
    // Figures rest after they were made.
    ask_until(served, "the end", |now| {
        now.get("heapviz_source_up") == Some(&0.0)
            && now.get("heapviz_samples_total").is_some_and(|n| *n > 0.0)
    });
    thread::sleep(Duration::from_millis(400));
    series(&metrics(served))
}

/// What `heapviz` says of a file in JSON.
fn json(folder: &Folder, file: &str, more: &[&str]) -> Value {
    let run = folder.run(&[&[file, "-q", "-f", "json", "-o", "-"], more].concat()).drawn();
    serde_json::from_str(&run.wrote()).expect("JSON")
}

fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}

/// The series that a file should have, of those that its JSON has, too.
fn expected(json: &Value) -> Series {
    let mut series = Series::new();
    let mut add = |name: &str, labels: &str, value: f64| {
        series.insert(format!("{name}{labels}"), value);
    };
    let number = |value: &Value| value.as_f64().expect("a number");
    let last = |list: &Value| list.as_array().and_then(|list| list.last().cloned());
    let flag = match json["breakdown"].as_str().expect("a break-down") {
        "closure-type" => "-hT",
        "type" => "-hy",
        "cost-centre" => "-hc",
        "info-table" => "-hi",
        other => panic!("{other}"),
    };
    let bands = json["bands"].as_array().expect("bands");
    for band in bands {
        // Series of bands with one label have places in the source as well.
        if bands.iter().filter(|other| other["label"] == band["label"]).count() > 1 {
            continue;
        }
        let label = escaped(band["label"].as_str().expect("a label"));
        let labels = format!("{{heapProfBreakdown=\"{flag}\",heapProfLabel=\"{label}\"}}");
        let newest = last(&band["residency"]).expect("a sample");
        add("ghc_eventlog_HeapProfSample_bytes", &labels, number(&newest));
    }
    for (id, name) in [("size", "HeapSize"), ("blocks", "BlocksSize"), ("live", "HeapLive")] {
        if let Some(point) = last(&json["heap"][id]) {
            add(&format!("ghc_eventlog_{name}_bytes"), "", number(&point[1]));
        }
    }
    let verdict = &json["verdict"];
    for grade in ["unknown", "none", "possible", "likely"] {
        let is_it = f64::from(u8::from(verdict["leak"] == grade));
        add("heapviz_leak", &format!("{{grade=\"{grade}\"}}"), is_it);
    }
    for suspect in verdict["suspects"].as_array().expect("suspects") {
        let label = escaped(suspect["label"].as_str().expect("a label"));
        let name = "heapviz_band_growth_bytes_per_second";
        add(name, &format!("{{heapProfLabel=\"{label}\"}}"), number(&suspect["rate_bytes_per_s"]));
    }
    if let Some(kept) = verdict["kept_percent"].as_f64() {
        add("heapviz_allocation_kept_ratio", "", kept / 100.0);
    }
    add("heapviz_samples_total", "", number(&json["metrics"]["samples"]));
    add("heapviz_lost_bytes", "", number(&json["losses"]["bytes"]));
    add("heapviz_lost_samples", "", number(&json["losses"]["samples"]));
    series
}

/// Every expected series is there, and no bytes of the newest sample are missing.
fn agrees(all: &Series, json: &Value) {
    for (name, value) in expected(json) {
        let found = all.get(&name).copied();
        let is_near = |found: f64| (found - value).abs() <= 1e-9 * value.abs();
        assert!(found.is_some_and(is_near), "{name}: {found:?}, not {value}");
    }
    let bands = all.iter().filter(|(name, _)| name.starts_with("ghc_eventlog_HeapProfSample"));
    let sum: f64 = bands.map(|(_, value)| value).sum();
    let total = json["total"].as_array().and_then(|total| total.last()?.as_f64());
    assert_eq!(Some(sum), total);
}

#[test]
fn figures_are_those_of_the_json() {
    let mut answers = String::new();
    for name in ["leak-hT", "leak-hy", "leak-hc", "leak-hi", "uni-hc"] {
        let bytes = fs::read(sample(&format!("{name}.eventlog"))).unwrap();
        let folder = Folder::new().with("x.eventlog", bytes);
        let mut served = Served::watch(folder.path(), &["x.eventlog", "--serve", "0"]);
        agrees(&ended(&served), &json(&folder, "x.eventlog", &[]));
        answers += &metrics(&served);
        assert_eq!(served.interrupt(), Some(0));
    }
    // All of its bands grow.
    let [(name, bytes), _] = hostile();
    let folder = Folder::new().with(name, bytes);
    let served = Served::watch(folder.path(), &[name, "--serve", "0"]);
    ended(&served);
    answers += &metrics(&served);
    let documented = [blocks("yaml"), blocks("promql")].concat().join("\n");
    let words = documented.split(|c: char| !c.is_alphanumeric() && c != '_');
    for name in words.filter(|word| word.starts_with("heapviz_") || word.starts_with("ghc_")) {
        assert!(answers.contains(name), "{name} is in the document, but in no answer");
    }
}

/// Names with everything that could end a label, a line, or the patience of an engine.
fn hostile() -> [(&'static str, Vec<u8>); 2] {
    let names: [&[u8]; 9] = [
        b"quote\" } 1\nheapviz_leak{a=\"b\"} 1\n# EOF\n",
        b"back\\slash\\",
        b"\\n",
        b"OTHER",
        b"trace elements",
        "\u{202e}é \u{7f}\r\t\u{1}".as_bytes(),
        b"\xff\xfe",
        b"",
        b" ",
    ];
    let mut log = Log::new();
    log.profile_begins(1, 8, 100_000_000);
    for at in 1..30 {
        let time = at * 100_000_000;
        log.begin(time);
        for (band, name) in names.iter().enumerate() {
            log.string(time, name, 1000 * at + band as u64);
        }
        log.end(time);
    }
    let long = format!("\"\\{}", "x\\\"".repeat(1 << 18));
    let hp = hp((1..4).map(|at| (f64::from(at), format!("{long}a\t{at}000\n{long}b\t{at}001\n"))));
    [("hostile.eventlog", log.ended()), ("long.hp", hp.into_bytes())]
}

/// Whether an engine is installed; otherwise the check counts as skipped.
fn has(program: &str, package: &str) -> bool {
    let mut found = Command::new(program);
    let there = found.arg("--help").stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok();
    if !there {
        common::skipped(&format!("no {program} (apt-get install {package})"));
    }
    there
}

#[test]
fn hostile_names_are_only_names() {
    let texts = hostile().map(|(name, bytes)| {
        let folder = Folder::new().with(name, bytes);
        let served = Served::watch(folder.path(), &[name, "--serve", "0"]);
        // The last sample of a `.hp` that goes on is not complete yet.
        let samples = if name.ends_with(".hp") { 2.0 } else { 29.0 };
        ask_until(&served, "all", |now| now.get("heapviz_samples_total") == Some(&samples));
        thread::sleep(Duration::from_millis(400));
        let text = metrics(&served);
        assert!(text.len() < 20_000, "{}", text.len());
        for line in text.lines().filter(|line| !line.starts_with('#')) {
            let (_, value) = line.rsplit_once(' ').expect("a value");
            assert!(value.parse::<f64>().is_ok() && line.len() < 2500, "{line}");
            assert!(!line.contains('\r') && !line.contains('\u{202e}'), "{line}");
        }
        text
    });
    let [text, long] = &texts;
    assert_eq!(series(long).keys().filter(|name| name.contains("x\\\\\\\"")).count(), 2, "{long}");
    assert!(text.contains("heapProfLabel=\"OTHER #2\"} 29003"), "{text}");
    assert!(text.contains("heapProfLabel=\"back\\\\slash\\\\\"} 29001"), "{text}");
    assert!(text.contains("heapProfLabel=\"quote\\\" } 1\\\\u{a}heapviz_leak{a=\\\""), "{text}");
    if !has("promtool", "prometheus") {
        return;
    }
    let said: String = texts.iter().map(|text| checked(text)).collect();
    // The names are those of eventlog-live.
    let is_theirs = |line: &str| {
        line.ends_with("names should be written in 'snake_case' not 'camelCase'")
            && (line.starts_with("ghc_eventlog_") || line.contains(" label names "))
    };
    let ours: Vec<&str> = said.lines().filter(|line| !is_theirs(line)).collect();
    assert!(ours.is_empty(), "{ours:?}");
}

/// What `promtool check metrics` says.
fn checked(text: &str) -> String {
    let mut promtool = Command::new("promtool");
    promtool.args(["check", "metrics"]).stdin(Stdio::piped()).stderr(Stdio::piped());
    let mut child = promtool.stdout(Stdio::null()).spawn().expect("promtool");
    child.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
    String::from_utf8(child.wait_with_output().unwrap().stderr).expect("text")
}

#[test]
fn only_two_paths_are_answered_and_only_to_read() {
    let folder = Folder::new().with("prog", fs::read(sample("leak-hy.eventlog")).unwrap());
    let served = Served::watch(folder.path(), &["prog", "--serve", "0"]);
    ended(&served);
    let host = served.host().to_owned();
    let ask = |start: &str, host: &str| {
        let head = format!("{start} HTTP/1.1\r\nHost: {host}\r\n\r\n");
        String::from_utf8_lossy(&served.answer(head.as_bytes())).into_owned()
    };
    for path in ["/metrics", "/debug/pprof/heap"] {
        let said = ask(&format!("HEAD {path}"), &host);
        let (head, body) = said.split_once("\r\n\r\n").unwrap();
        assert!(head.starts_with("HTTP/1.1 200 ") && body.is_empty(), "{said}");
        for method in ["POST", "PUT", "DELETE", "OPTIONS", "TRACE", "PATCH"] {
            let said = ask(&format!("{method} {path}"), &host).to_ascii_lowercase();
            assert!(
                said.starts_with("http/1.1 405 ") && said.contains("allow: get, head"),
                "{said}"
            );
            assert!(!said.contains("access-control"), "{said}");
        }
        assert!(ask(&format!("GET {path}"), "evil.example").starts_with("HTTP/1.1 403 "));
    }
    let unknown = "/ /metrics/ //metrics /debug/pprof /debug/pprof/ /debug/pprof/profile?seconds=1 \
        /../etc/passwd";
    for path in unknown.split(' ') {
        assert!(ask(&format!("GET {path}"), &host).starts_with("HTTP/1.1 404 "), "{path}");
    }
    for (query, status) in [
        ("metrics?x=1", "200"),
        ("debug/pprof/heap?gc=1&debug=0", "200"),
        ("debug/pprof/heap?seconds=0", "200"),
        ("debug/pprof/heap?seconds=x", "400"),
        ("debug/pprof/heap?seconds=5", "400"),
        ("debug/pprof/heap?seconds", "400"),
        ("debug/pprof/heap?gc=1&at=peak", "400"),
    ] {
        let said = ask(&format!("HEAD /{query}"), &host);
        assert!(said.starts_with(&format!("HTTP/1.1 {status} ")), "{query}: {said}");
    }
    let long =
        format!("GET /metrics HTTP/1.1\r\nHost: {host}\r\nX: {}\r\n\r\n", "a".repeat(20_000));
    assert!(served.answer(long.as_bytes()).starts_with(b"HTTP/1.1 431 "));
    // Many that say nothing keep nobody out.
    let idle: Vec<_> = (0..100).filter_map(|_| TcpStream::connect(&host).ok()).collect();
    assert!(!metrics(&served).is_empty());
    drop(idle);
}

/// Profiles that take seconds to make, in this build.
#[test]
fn profiles_are_made_one_at_a_time_and_hold_up_no_figures() {
    let rows = |at| (0..60_000).map(|band| format!("band {band}\t{at}000\n")).collect();
    let hp = hp((1..4).map(|at| (f64::from(at), rows(at))));
    let folder = Folder::new().with("big.hp", hp);
    let served = Served::watch(folder.path(), &["big.hp", "--serve", "0"]);
    ask_until(&served, "all samples", |now| now.get("heapviz_samples_total") == Some(&3.0));
    // Figures rest after they were made; then nothing is new.
    thread::sleep(Duration::from_secs(2));
    metrics(&served);
    let ask = || {
        let mut stream = TcpStream::connect(served.host()).expect("a connection");
        let head = format!("GET /debug/pprof/heap HTTP/1.1\r\nHost: {}\r\n\r\n", served.host());
        stream.write_all(head.as_bytes()).expect("a request");
        stream
    };
    let status = |mut stream: TcpStream| {
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).expect("an answer");
        String::from_utf8_lossy(&answer[9..12]).into_owned()
    };
    // Figures come while it is made.
    let asked = ask();
    assert!(!metrics(&served).is_empty());
    asked.set_nonblocking(true).unwrap();
    let peeked = asked.peek(&mut [0]);
    assert!(peeked.is_err(), "the profile came first: {peeked:?}");
    asked.set_nonblocking(false).unwrap();
    // Of those that ask meanwhile, and of many that do not wait, nothing is made.
    assert_eq!(status(ask()), "503");
    (0..300).for_each(|_| drop(ask()));
    assert_eq!(status(asked), "200");
    // It was made for this sample: the time in it, which counts nanoseconds, is the same.
    let [one, two] = [0, 1].map(|_| body(&served, "/debug/pprof/heap", ""));
    assert!(one == two && !one.is_empty());
    // Those that ask and do not read keep nobody out.
    let _held: Vec<_> = (0..64).map(|_| ask()).collect();
    assert!(!metrics(&served).is_empty());
}

#[test]
fn another_address_is_served_only_when_it_is_named() {
    let folder = Folder::new().with("prog.hp", fs::read(sample("leak-hy.hp")).unwrap());
    let served = Served::watch(folder.path(), &["prog.hp", "--serve", "0.0.0.0:0"]);
    assert!(served.host().starts_with("0.0.0.0:"), "{}", served.host());
    let head = "GET /metrics HTTP/1.1\r\nHost: heapviz.example:9100\r\n\r\n";
    assert!(served.answer(head.as_bytes()).starts_with(b"HTTP/1.1 200 "));
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    let run = folder.run(&["watch", "prog.hp", "--serve", &port]);
    run.failed(&["cannot serve at", "--serve 0"]);
}

#[test]
fn a_program_that_dies_and_returns_is_served_on() {
    let bytes = fs::read(sample("leak-hy.eventlog")).unwrap();
    let half = &bytes[..bytes.len() / 2];
    let folder = Folder::new().with("all.eventlog", &bytes).with("half.eventlog", half);
    let mut served = Served::watch(folder.path(), &["prog.sock", "--serve", "0"]);
    let now = series(&metrics(&served));
    assert_eq!(now, Series::from([("heapviz_source_up".to_owned(), 0.0)]));
    let (head, _) = served.get("/debug/pprof/heap", "");
    assert!(head.starts_with("HTTP/1.1 503 "), "{head}");
    let listener = UnixListener::bind(folder.path().join("prog.sock")).unwrap();
    // It says nothing at first.
    let (stream, _) = listener.accept().unwrap();
    ask_until(&served, "the connection", |now| now.get("heapviz_source_up") == Some(&1.0));
    play(&stream, half, 3);
    drop(stream);
    let all = ended(&served);
    // Of a run that was killed, the verdict depends on whether it may go on.
    let of_half = expected(&json(&folder, "half.eventlog", &[]));
    let levels: Vec<_> = of_half.iter().filter(|(name, _)| name.starts_with("ghc_")).collect();
    assert!(levels.iter().filter(|(_, value)| **value > 0.0).count() > 3, "{levels:?}");
    levels.iter().for_each(|(name, value)| assert_eq!(all.get(*name), Some(*value), "{name}"));
    // Then damage, at another connection.
    let mut damaged = bytes.clone();
    for at in (3000..damaged.len()).step_by(97) {
        damaged[at] = damaged[at].wrapping_mul(31).wrapping_add(at as u8);
    }
    play(listener.accept().unwrap().0, &damaged, 5);
    let (stream, _) = listener.accept().unwrap();
    play(&stream, &bytes, 4);
    drop(stream);
    let whole = json(&folder, "all.eventlog", &[]);
    let samples = whole["metrics"]["samples"].as_f64();
    ask_until(&served, "the whole", |now| now.get("heapviz_samples_total").copied() == samples);
    agrees(&ended(&served), &whole);
    assert_eq!(served.interrupt(), Some(0));
}

#[test]
fn go_reads_the_bytes_of_each_stack() {
    if Command::new("go").args(["tool", "pprof", "-h"]).output().is_err() {
        common::skipped("no go (apt-get install golang-go)");
        return;
    }
    let folder = Folder::new().with("x.eventlog", fs::read(sample("leak-hc.eventlog")).unwrap());
    let served = Served::watch(folder.path(), &["x.eventlog", "--serve", "0"]);
    ended(&served);
    for query in ["", "?gc=1"] {
        let run =
            folder.run(&["x.eventlog", "-q", "-f", "folded", "--at", "last", "-o", "-"]).drawn();
        let amount = |line: &str| line.rsplit_once(' ')?.1.parse().ok();
        let mut expected: Vec<i64> = run.wrote().lines().filter_map(amount).collect();
        let address = format!("http://{}/debug/pprof/heap{query}", served.host());
        let raw = pprof(&folder, &address);
        assert!(raw.contains("inuse_space/bytes"), "{raw}");
        let samples = raw.split("Samples:\n").nth(1).unwrap().split("Locations").next().unwrap();
        let value = |line: &str| line.split(':').next()?.trim().parse::<i64>().ok();
        let mut found: Vec<i64> = samples.lines().filter_map(value).collect();
        expected.sort_unstable();
        found.sort_unstable();
        assert!(found.len() > 1 && found == expected, "{query}: {found:?}, not {expected:?}");
        // The sample is as old as its arrival.
        assert!(raw.contains("Time: 20"), "{raw}");
    }
}

fn pprof(folder: &Folder, address: &str) -> String {
    let mut go = Command::new("go");
    go.args(["tool", "pprof", "-raw", address]).env("PPROF_TMPDIR", folder.path());
    let output = go.current_dir(folder.path()).output().expect("go");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("text")
}

/// The blocks of a language in the document.
fn blocks(language: &str) -> Vec<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/fleet.md");
    let text = fs::read_to_string(path).expect("the document");
    let section =
        text.split("\n## ").find(|part| part.starts_with("A service")).expect("the section");
    let fence = format!("```{language}\n");
    section
        .split(&fence)
        .skip(1)
        .map(|block| block.split("```").next().expect("an end").to_owned())
        .collect()
}

#[test]
fn the_configuration_of_the_document_is_one() {
    if !has("promtool", "prometheus") {
        return;
    }
    let [configuration, rules] = [0, 1].map(|at| blocks("yaml").remove(at));
    let folder = Folder::new()
        .with("rules.yml", rules)
        .with("prometheus.yml", format!("rule_files: [rules.yml]\n{configuration}"));
    folder
        .run_command(Command::new("promtool").args(["check", "config", "prometheus.yml"]), b"")
        .drawn();
}

#[test]
fn redaction_holds_for_everything_that_is_served() {
    let text = common::command::HP.replace("Map\t", "go (Main, /home/me/secret/a.hs:1:2)\t");
    // The newest sample has bands.
    let text = text.split("BEGIN_SAMPLE 3.0").next().unwrap().to_owned();
    let folder =
        Folder::new().with("prog.hp", text.replace("prog +RTS", "/home/me/secret/prog +RTS"));
    let seen = |more: &[&str]| {
        let words = [&["prog.hp", "--serve", "0"], more].concat();
        let served = Served::watch(folder.path(), &words);
        ask_until(&served, "all", |now| now.get("heapviz_samples_total") == Some(&3.0));
        let mut seen = metrics(&served).into_bytes();
        let profile = body(&served, "/debug/pprof/heap", "");
        flate2::read::GzDecoder::new(&profile[..]).read_to_end(&mut seen).unwrap();
        String::from_utf8_lossy(&seen).into_owned()
    };
    assert!(seen(&[]).contains("secret"));
    let redacted = seen(&["--redact"]);
    assert!(redacted.contains("a.hs") && !redacted.contains("secret"), "{redacted}");
}
