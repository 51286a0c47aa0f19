//! The browser build: files are added as a reader would add them, and the saved page equals what the
//! command writes.
//!
//! `HEAPVIZ_PAGE` is the page that `cargo run --manifest-path browser/Cargo.toml` wrote. Without it these
//! tests are skipped, because a page built from another version of the library proves nothing.

use std::fs;
use std::io::{ErrorKind, Write};
use std::net::TcpListener;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::common::browser::{Browser, Tab};
use crate::common::command::{Folder, HP};
use crate::parts::PROF;
use crate::{common, root};

crate::in_chromium! {
    what_is_dropped_gives_the_bytes_and_the_words_of_the_command,
    the_report_is_shown_and_no_connection_is_allowed,
}

fn page() -> Option<PathBuf> {
    let page = std::env::var_os("HEAPVIZ_PAGE").map(PathBuf::from);
    if page.is_none() {
        common::skipped(
            "no browser build (cargo run --manifest-path browser/Cargo.toml, HEAPVIZ_PAGE)",
        );
    }
    page.map(|page| fs::canonicalize(page).expect("the page that HEAPVIZ_PAGE names"))
}

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
        if name != "README.md" && name != "hunt" {
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

fn wait_until_read(tab: &mut Tab<'_>, files: usize) {
    tab.wait_for(&format!(
        "document.querySelectorAll('#files li:is([data-state=drawn], [data-state=failed])').length === {files}"
    ));
}

/// Complaints of the page itself, without those of the frames with reports.
fn complaints(tab: &Tab<'_>) -> Vec<String> {
    let outside = |complaint: &&String| !complaint.starts_with("request: blob:");
    tab.complaints.iter().filter(outside).cloned().collect()
}

fn what_is_dropped_gives_the_bytes_and_the_words_of_the_command(browser: &mut Browser) {
    let Some(page) = page() else { return };
    let folder = inputs();
    let mut names = folder.files();
    names.sort();
    let paths: Vec<String> =
        names.iter().map(|name| folder.path().join(name).display().to_string()).collect();
    let mut tab = browser.open(&page);
    tab.must_be_quiet = false;

    // The first two files are dropped; the others are chosen together.
    tab.drop_files("#start", &paths[..2]);
    wait_until_read(&mut tab, 2);
    tab.choose("#choose", &paths[2..]);
    wait_until_read(&mut tab, names.len());

    let mut drawn = 0;
    for (i, name) in names.iter().enumerate() {
        tab.click(&format!("#files li:nth-child({}) button:first-child", i + 1));
        let (said, written) = by_command(&folder, name);
        assert_eq!(messages(&mut tab), said, "{name}");
        let Some(written) = written else {
            assert_eq!(tab.evaluate("document.getElementById('save').hidden"), json!(true));
            continue;
        };
        tab.click("#save");
        let target = Path::new(name.trim_end_matches(".gz")).with_extension("html");
        let bytes = tab.downloaded(&target.display().to_string());
        assert!(bytes == written, "{name}: the page and the command write other bytes");
        drawn += 1;
    }
    assert!(drawn >= 14, "only {drawn} files were drawn");
    // Closed files go; after the last one the page is as it was at the start.
    for left in (0..names.len()).rev() {
        tab.click("#files li:last-child .close");
        assert_eq!(tab.evaluate("document.querySelectorAll('#files li').length"), json!(left));
        let is_start = "!document.getElementById('start').hidden";
        assert_eq!(tab.evaluate(is_start), json!(left == 0));
    }
    assert_eq!(tab.evaluate("document.getElementById('messages').textContent"), json!(""));
    assert!(complaints(&tab).is_empty(), "{:#?}", complaints(&tab));
}

fn the_report_is_shown_and_no_connection_is_allowed(browser: &mut Browser) {
    let Some(page) = page() else { return };
    let mut tab = browser.open(&page);
    tab.must_be_quiet = false;
    tab.choose("#choose", &[root().join("samples/leak-hy.eventlog").display().to_string()]);
    wait_until_read(&mut tab, 1);
    tab.wait_for_in_frame("document.documentElement?.dataset.ready !== undefined");
    let layers = tab.evaluate_in_frame("document.querySelectorAll('#layers li').length");
    assert!(layers.as_u64().expect("a number") > 3, "{layers} layers");
    assert_eq!(tab.evaluate_in_frame("document.getElementById('problem').hidden"), json!(true));
    // Nobody could open the address of this frame.
    assert_eq!(tab.evaluate_in_frame("document.getElementById('copy-link').hidden"), json!(true));
    // Switch to another view, then back to the first, whose fragment is empty.
    for (view, fragment) in [("lines", "#view=lines"), ("stacked", "")] {
        tab.evaluate_in_frame(&format!("document.querySelector('[data-view={view}]').click()"));
        tab.wait_for_in_frame(&format!("location.hash === '{fragment}'"));
        // Within this time a change would not be a step of its own for Back.
        tab.evaluate_in_frame("new Promise(done => setTimeout(done, 900))");
    }
    assert!(complaints(&tab).is_empty(), "{:#?}", complaints(&tab));

    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    listener.set_nonblocking(true).expect("a listener that does not wait");
    let address = format!("http://{}/", listener.local_addr().expect("an address"));
    let (fetched, shown) =
        (format!("fetch('{address}').catch(() => {{}})"), format!("new Image().src = '{address}'"));
    let refused = |attempt: &str| {
        format!(
            "new Promise(done => {{ addEventListener('securitypolicyviolation', event => \
             done(event.effectiveDirective), {{ once: true }}); {attempt} }})"
        )
    };
    let in_worker = format!(
        "(() => {{ const script = new Blob([`{}.then(postMessage)`]); const worker = new \
         Worker(URL.createObjectURL(script)); worker.onmessage = event => window.refusedInWorker = event.data }})()",
        refused(&fetched)
    );
    for (directive, attempt) in [("connect-src", &fetched), ("img-src", &shown)] {
        assert_eq!(tab.evaluate(&refused(attempt)), json!(directive));
        assert_eq!(tab.evaluate_in_frame(&refused(attempt)), json!(directive));
    }
    // The worker runs only after this call (`devtools.rs`), so that the call must not wait for it.
    tab.evaluate(&in_worker);
    tab.wait_for("window.refusedInWorker === 'connect-src'");
    let reached = listener.accept().map_err(|error| error.kind());
    assert!(matches!(reached, Err(ErrorKind::WouldBlock)), "{reached:?}");
}
