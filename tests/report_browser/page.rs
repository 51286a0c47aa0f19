//! The browser build: files are added as a reader would add them, and the saved page equals what the
//! command writes.
//!
//! `HEAPVIZ_PAGE` is the page that `cargo run --manifest-path web/Cargo.toml` wrote. Without it these
//! tests are skipped, because a page built from another version of the library proves nothing.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::common::browser::Tab;
use crate::common::command::{Folder, HP};
use crate::{browser, common, root};

fn page() -> Option<PathBuf> {
    let page = std::env::var_os("HEAPVIZ_PAGE").map(PathBuf::from);
    if page.is_none() {
        common::skipped(
            "no browser build (cargo run --manifest-path web/Cargo.toml, HEAPVIZ_PAGE)",
        );
    }
    page.map(|page| fs::canonicalize(page).expect("the page that HEAPVIZ_PAGE names"))
}

/// A time profile, as `+RTS -p` writes it.
const PROF: &str = "\tSat Nov 21 12:00 2026 Time and Allocation Profiling Report  (Final)\n\n\
    \t   prog +RTS -p -RTS\n\n\
    \ttotal time  =        0.10 secs   (100 ticks @ 1000 us, 1 processor)\n\
    \ttotal alloc =       1,000 bytes  (excludes profiling overheads)\n\n\
    COST CENTRE MODULE SRC        %time %alloc\n\n\
    work        Main   p.hs:3:1-9  90.0   95.0\n\
    MAIN        MAIN   <built-in>  10.0    5.0\n\n\n\
    \u{20}                                       individual      inherited\n\
    COST CENTRE MODULE SRC         no.  entries  %time %alloc   %time %alloc\n\n\
    MAIN        MAIN   <built-in>  100        0   10.0    5.0   100.0  100.0\n\
    \u{20}work       Main   p.hs:3:1-9  101        1   90.0   95.0    90.0   95.0\n";

/// All samples, compressed ones, damaged ones, and files that are not profiles.
fn inputs() -> Folder {
    let sample = |name: &str| fs::read(root().join("samples").join(name)).expect("a sample");
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gzip.write_all(&sample("leak-hT.eventlog")).expect("compressed bytes");
    let log = sample("leak-hc.eventlog");
    let mut folder = Folder::new()
        .with("packed.eventlog.gz", gzip.finish().expect("compressed bytes"))
        .with("too long.zst", fs::read(common::data("attack/long31.eventlog.zst")).expect("a log"))
        .with("cut.eventlog", &log[..log.len() / 2])
        .with("time.prof", PROF)
        .with("small.hp", HP)
        .with("letter.txt", "Dear reader,\n")
        .with("empty.hp", "");
    for entry in fs::read_dir(root().join("samples")).expect("the samples") {
        let name = entry.expect("an entry").file_name().into_string().expect("a name");
        if name != "README.md" {
            folder = folder.with(&format!("s-{name}"), sample(&name));
        }
    }
    folder
}

/// The command's messages, except the line about the chart, and the page it wrote.
fn by_command(folder: &Folder, name: &str) -> (Vec<String>, Option<Vec<u8>>) {
    let run = folder.run(&[name, "-o", "by-command.html"]);
    let said = String::from_utf8_lossy(&run.0.stderr).into_owned();
    let is_message = |line: &&str| {
        ["note: ", "warning: ", "error: ", "  hint: "].iter().any(|word| line.starts_with(word))
    };
    let lines = said.lines().filter(is_message).map(|line| line.trim().to_owned()).collect();
    let path = folder.path().join("by-command.html");
    let page = fs::read(&path).ok();
    let _ = fs::remove_file(path);
    (lines, page)
}

/// The page's messages about the file that is shown.
fn messages(tab: &mut Tab<'_>) -> Vec<String> {
    let lines = tab.evaluate(
        "[...document.querySelectorAll('#messages p')].flatMap(p => { \
         const hint = p.querySelector('.hint'); hint?.remove(); const text = p.textContent; \
         if (hint) p.append(hint); return hint ? [text, hint.textContent] : [text] })",
    );
    let text = |line: &Value| line.as_str().expect("a text").to_owned();
    lines.as_array().expect("lines").iter().map(text).collect()
}

/// Waits for a download, which gets its final name only when it is complete.
fn downloaded(folder: &Path, name: &str) -> Vec<u8> {
    let begun = Instant::now();
    loop {
        if let Ok(bytes) = fs::read(folder.join(name)) {
            fs::remove_file(folder.join(name)).expect("to make room for the next");
            return bytes;
        }
        assert!(begun.elapsed() < Duration::from_secs(20), "{name} was not saved");
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn wait_until_read(tab: &mut Tab<'_>, files: usize) {
    tab.wait_for(&format!(
        "document.querySelectorAll('#files li:is([data-state=drawn], [data-state=failed])').length \
         === {files}"
    ));
}

/// Complaints of the page itself, without those of the frames with reports.
fn complaints(tab: &Tab<'_>) -> Vec<String> {
    let outside = |complaint: &&String| !complaint.starts_with("request: blob:");
    tab.complaints.iter().filter(outside).cloned().collect()
}

#[test]
fn what_is_dropped_gives_the_bytes_and_the_words_of_the_command() {
    let Some(page) = page() else { return };
    let Some(mut browser) = browser() else { return };
    let (folder, saved) = (inputs(), tempfile::tempdir().expect("a folder"));
    let mut names = folder.files();
    names.sort();
    let paths: Vec<String> =
        names.iter().map(|name| folder.path().join(name).display().to_string()).collect();
    let mut tab = browser.open(&page);
    let behaviour = json!({ "behavior": "allow", "downloadPath": saved.path() });
    tab.devtools("Browser.setDownloadBehavior", behaviour);

    // The first file is dropped; the others are chosen together.
    let (x, y) = tab.place_of("#start");
    for kind in ["dragEnter", "dragOver", "drop"] {
        let data = json!({ "items": [], "files": [paths[0]], "dragOperationsMask": 1 });
        let event = json!({ "type": kind, "x": x, "y": y, "data": data });
        tab.devtools("Input.dispatchDragEvent", event);
    }
    wait_until_read(&mut tab, 1);
    let document = tab.devtools("DOM.getDocument", json!({}));
    let found = json!({ "nodeId": document["root"]["nodeId"], "selector": "#choose" });
    let node = tab.devtools("DOM.querySelector", found);
    tab.devtools("DOM.setFileInputFiles", json!({ "nodeId": node["nodeId"], "files": paths[1..] }));
    wait_until_read(&mut tab, names.len());

    let mut drawn = 0;
    for (i, name) in names.iter().enumerate() {
        tab.click(&format!("#files li:nth-child({}) button", i + 1));
        let (said, written) = by_command(&folder, name);
        assert_eq!(messages(&mut tab), said, "{name}");
        let Some(written) = written else {
            assert_eq!(tab.evaluate("document.getElementById('save').hidden"), json!(true));
            continue;
        };
        tab.click("#save");
        let target = Path::new(name.trim_end_matches(".gz")).with_extension("html");
        let bytes = downloaded(saved.path(), &target.display().to_string());
        assert!(bytes == written, "{name}: the page and the command write other bytes");
        drawn += 1;
    }
    assert!(drawn >= 14, "only {drawn} files were drawn");
    assert!(complaints(&tab).is_empty(), "{:#?}", complaints(&tab));
}

#[test]
fn the_report_is_shown_and_no_connection_is_allowed() {
    let Some(page) = page() else { return };
    let Some(mut browser) = browser() else { return };
    let mut tab = browser.open(&page);
    let document = tab.devtools("DOM.getDocument", json!({}));
    let found = json!({ "nodeId": document["root"]["nodeId"], "selector": "#choose" });
    let node = tab.devtools("DOM.querySelector", found);
    let sample = root().join("samples/leak-hy.eventlog");
    tab.devtools("DOM.setFileInputFiles", json!({ "nodeId": node["nodeId"], "files": [sample] }));
    wait_until_read(&mut tab, 1);
    let begun = Instant::now();
    while tab.evaluate_in_frame("document.documentElement?.dataset.ready !== undefined")
        != json!(true)
    {
        assert!(begun.elapsed() < Duration::from_secs(20), "the report does not draw itself");
        std::thread::sleep(Duration::from_millis(20));
    }
    let layers = tab.evaluate_in_frame("document.querySelectorAll('#layers li').length");
    assert!(layers.as_u64().expect("a number") > 3, "{layers} layers");
    assert_eq!(tab.evaluate_in_frame("document.getElementById('problem').hidden"), json!(true));
    // Switch to another view, then back to the first, whose fragment is empty.
    for (view, fragment) in [("lines", "#view=lines"), ("stacked", "")] {
        tab.evaluate_in_frame(&format!("document.querySelector('[data-view={view}]').click()"));
        std::thread::sleep(Duration::from_millis(900));
        assert_eq!(tab.evaluate_in_frame("location.hash"), json!(fragment));
    }
    assert!(complaints(&tab).is_empty(), "{:#?}", complaints(&tab));
    let refused = tab.evaluate(
        "new Promise(done => { addEventListener('securitypolicyviolation', event => \
         done(event.effectiveDirective)); fetch('http://127.0.0.1:9/').catch(() => {}) })",
    );
    assert_eq!(refused, json!("connect-src"));
    let refused = tab.evaluate(
        "new Promise(done => { addEventListener('securitypolicyviolation', event => \
         done(event.effectiveDirective)); new Image().src = 'http://127.0.0.1:9/x.png' })",
    );
    assert_eq!(refused, json!("img-src"));
}
