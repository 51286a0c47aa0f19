//! The report in a browser: what a reader sees and does, in headless Chromium.
//!
//! Skipped, and said so, where no Chromium is installed (Debian: `apt-get install chromium`;
//! `HEAPVIZ_CHROMIUM` names another program). `HEAPVIZ_BLESS=1 cargo test --test report_browser
//! pictures` takes the pictures of the guide; look at each before it is committed.

mod bands;
mod chart;
#[path = "../common/mod.rs"]
mod common;
mod extremes;
mod looks;

use std::fs;
use std::path::{Path, PathBuf};

use common::browser::{Browser, Tab};
use heapviz::analysis::Analysis;
use heapviz::chart::Chart;
use heapviz::export;
use heapviz::input::{InputOptions, read_drawable};
use heapviz::profile::Profile;
use heapviz::rank::{RankOptions, rank};
use heapviz::report::{ReportOptions, write};
use heapviz::slice::Slice;
use serde_json::{Value, json};

fn browser() -> Option<Browser> {
    let browser = Browser::start();
    if browser.is_none() {
        common::skipped("no chromium (apt-get install chromium, or set HEAPVIZ_CHROMIUM)");
    }
    browser
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn sample(name: &str) -> Profile {
    let file = fs::File::open(root().join("samples").join(name)).expect("a sample");
    read_drawable(file, &InputOptions::default()).expect("a profile")
}

/// A report on the disk, and the JSON export of the same chart.
struct Report {
    _folder: tempfile::TempDir,
    path: PathBuf,
    json: Value,
    len: usize,
}

fn report(profile: &Profile) -> Report {
    report_of(&Slice::whole(profile), &RankOptions::default())
}

fn report_of(slice: &Slice<'_>, options: &RankOptions) -> Report {
    let chart = Chart::of(slice, rank(slice, options));
    let page = write(slice, &chart, &Analysis::of(slice), &ReportOptions::default());
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("report.html");
    fs::write(&path, &page).expect("a written page");
    let json = serde_json::from_str(&export::json::write(&chart, slice, &Analysis::of(slice)))
        .expect("JSON");
    Report { _folder: folder, path, json, len: page.len() }
}

fn quiet(tab: &mut Tab<'_>) {
    tab.settle();
    assert!(tab.complaints.is_empty(), "{:#?}", tab.complaints);
    assert_eq!(tab.evaluate("document.getElementById('problem').hidden"), json!(true));
}

/// Where the plot is in the window, and what part of the axis it shows.
struct Plot {
    left: f64,
    top: f64,
    width: f64,
    height: f64,
    from: f64,
    to: f64,
}

impl Plot {
    fn of(tab: &mut Tab<'_>) -> Plot {
        let numbers = tab.evaluate(
            "(() => { const p = document.getElementById('plot'), r = p.getBoundingClientRect(); \
             const [l, t, w, h] = p.dataset.box.split(' ').map(Number); \
             return [r.x + l, r.y + t, w, h, ...p.dataset.range.split(' ').map(Number)] })()",
        );
        let at = |i: usize| numbers[i].as_f64().expect("a number");
        Plot { left: at(0), top: at(1), width: at(2), height: at(3), from: at(4), to: at(5) }
    }

    fn x(&self, place: f64) -> f64 {
        self.left + (place - self.from) / (self.to - self.from) * self.width
    }

    fn middle(&self) -> f64 {
        self.top + self.height / 2.0
    }
}

/// The names and exact bytes of the key, top first.
fn key(tab: &mut Tab<'_>) -> Vec<(String, u64)> {
    let rows = tab.evaluate(
        "[...document.querySelectorAll('#layers li')].map(row => [row.querySelector('.name').textContent, \
         Number(row.querySelector('.bytes').dataset.bytes)])",
    );
    let row = |row: &Value| {
        (row[0].as_str().expect("a name").to_owned(), row[1].as_f64().expect("bytes") as u64)
    };
    rows.as_array().expect("rows").iter().map(row).collect()
}

fn text(tab: &mut Tab<'_>, selector: &str) -> String {
    let script = format!("document.querySelector({}).textContent", json!(selector));
    tab.evaluate(&script).as_str().unwrap_or_default().to_owned()
}

fn fragment(tab: &mut Tab<'_>) -> String {
    // It is written once the reader rests.
    std::thread::sleep(std::time::Duration::from_millis(250));
    tab.evaluate("location.hash").as_str().unwrap_or_default().to_owned()
}
