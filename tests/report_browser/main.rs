//! The report as a reader sees and uses it, in headless Chromium; in Firefox, what it looks like.
//!
//! Without the browser, tests are skipped with a message (Debian: `apt-get install chromium
//! firefox-esr`; `HEAPVIZ_CHROMIUM` and `HEAPVIZ_FIREFOX` name other programs).
//! `HEAPVIZ_BLESS=1 cargo test --test report_browser pictures` writes the pictures of the guide; look at
//! each before committing it.

/// Turns functions that take a browser into tests.
macro_rules! in_chromium {
    ($($test:ident,)*) => {
        mod in_chromium {
            $(#[test]
            fn $test() {
                if let Some(mut browser) = crate::browser() {
                    super::$test(&mut browser);
                }
            })*
        }
    };
}
pub(crate) use in_chromium;

mod bands;
mod chart;
#[path = "../common/mod.rs"]
mod common;
mod diagnosis;
mod extremes;
mod fingers;

#[cfg(unix)]
mod live;
mod looks;
mod page;
mod paint;
mod parts;
mod sight;
mod state;

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use common::browser::{Browser, Tab};
use common::generator::{Breakdown, LogShape, Shape, write_eventlog};
use heapviz::compare::{Comparison, compare};
use heapviz::draw::{self, DrawOptions};
use heapviz::export;
use heapviz::input::{InputOptions, read_drawable};
use heapviz::profile::Profile;
use heapviz::profile_view::{ProfileView, ViewOptions};
use heapviz::report::{ReportOptions, ReportRun, write, write_comparison, write_runs};
use serde_json::{Value, json};

fn browser() -> Option<Browser> {
    let browser = Browser::chromium();
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

/// A log in which every sample has every band.
fn generated(breakdown: Breakdown, bands: u32, samples: u64) -> Profile {
    let shape = Shape { breakdown, bands, samples, presence: 100.0, ..Shape::default() };
    let log = LogShape { scheduler: 0, collections: 0, ..LogShape::default() };
    let mut bytes = Vec::new();
    write_eventlog(&shape, &log, &mut bytes).expect("memory takes all");
    read_drawable(&bytes[..], &InputOptions::default()).expect("a profile")
}

/// A report on disk, and the JSON export of the same chart.
struct Report {
    _folder: tempfile::TempDir,
    path: PathBuf,
    json: Value,
    len: usize,
}

impl Report {
    /// The bytes of each sample.
    fn totals(&self) -> Vec<u64> {
        serde_json::from_value(self.json["total"].clone()).expect("totals")
    }

    fn peak(&self) -> u64 {
        self.totals().into_iter().max().expect("a peak")
    }

    fn bands(&self) -> &[Value] {
        self.json["bands"].as_array().expect("bands")
    }
}

fn report(profile: &Profile) -> Report {
    report_of(profile, &ViewOptions::default())
}

fn report_of(profile: &Profile, options: &ViewOptions) -> Report {
    report_with(profile, options, &ReportOptions::default())
}

fn report_with(profile: &Profile, shown: &ViewOptions, options: &ReportOptions) -> Report {
    let run = ProfileView::new(profile, shown).expect("a part of the run");
    let page = write(&run, options);
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("report.html");
    fs::write(&path, &page).expect("a written page");
    let json = serde_json::from_str(&export::json::write(&run)).expect("JSON");
    Report { _folder: folder, path, json, len: page.len() }
}

/// One page with several samples.
fn report_of_runs(names: &[&str]) -> (tempfile::TempDir, PathBuf) {
    let profiles: Vec<Profile> = names.iter().map(|name| sample(name)).collect();
    page_of_runs(&profiles, names, write_runs)
}

/// The page of a run before and one after, and what the page is about.
fn report_of_comparison(
    profiles: &[Profile; 2],
    names: [&str; 2],
) -> (Comparison, tempfile::TempDir, PathBuf) {
    let options = ViewOptions::default();
    let [before, after] =
        profiles.each_ref().map(|it| ProfileView::new(it, &options).expect("all of it"));
    let comparison = compare(&[&before], &[&after]).expect("runs of one kind");
    let picture = draw::chart(after.picture(), &DrawOptions::default());
    let (folder, path) = page_of_runs(profiles, &names, |runs| {
        write_comparison([runs[0], runs[1]], &comparison, Some(&picture))
    });
    (comparison, folder, path)
}

/// One page with several profiles, written by `write`.
fn page_of_runs(
    profiles: &[Profile],
    names: &[&str],
    write: impl FnOnce(&[ReportRun<'_>]) -> String,
) -> (tempfile::TempDir, PathBuf) {
    let (shown, options) = (ViewOptions::default(), ReportOptions::default());
    let runs: Vec<ProfileView<'_>> =
        profiles.iter().map(|it| ProfileView::new(it, &shown).expect("all of it")).collect();
    let runs = names.iter().zip(&runs).map(|(name, run)| ReportRun::new(name, run, &options));
    let runs: Vec<ReportRun<'_>> = runs.collect();
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("runs.html");
    fs::write(&path, write(&runs)).expect("a written page");
    (folder, path)
}

/// The text that the page copies when a button is pressed.
fn copied(tab: &mut Tab<'_>, button: &str) -> String {
    let script = format!(
        "new Promise(done => {{ navigator.clipboard.writeText = async text => done(text); \
         document.querySelector({}).click() }})",
        json!(button)
    );
    tab.evaluate(&script).as_str().expect("a text").to_owned()
}

/// The CSV that the page copies: for each row its cells, by column name.
fn table(tab: &mut Tab<'_>) -> HashMap<String, HashMap<String, String>> {
    let csv = copied(tab, "#copy-csv");
    let mut lines = csv.split("\r\n").filter(|line| !line.is_empty()).map(cells);
    let head = lines.next().expect("a head");
    lines.map(|cells| (cells[0].clone(), head.iter().cloned().zip(cells).collect())).collect()
}

/// The cells of one CSV line.
fn cells(line: &str) -> Vec<String> {
    let (mut cells, mut quoted) = (vec![String::new()], false);
    for c in line.chars() {
        match c {
            '"' => quoted = !quoted,
            ',' if !quoted => cells.push(String::new()),
            c => cells.last_mut().expect("a cell").push(c),
        }
    }
    cells
}

/// The position of the plot in the window, and the part of the axis that it shows.
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
            "(() => { const p = $('plot'), r = p.getBoundingClientRect(); const [l, t, w, h] = p.dataset.box.split(' \
             ').map(Number); return [r.x + l, r.y + t, w, h, ...p.dataset.range.split(' ').map(Number)] })()",
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

/// The names and exact bytes in the key, from the top.
fn key(tab: &mut Tab<'_>) -> Vec<(String, u64)> {
    let rows = tab.evaluate(
        "$$('#layers li').map(row => [row.querySelector('.pick').title.split('\\n')[0], \
         Number(row.querySelector('.bytes').dataset.bytes)])",
    );
    let row = |row: &Value| {
        (row[0].as_str().expect("a name").to_owned(), row[1].as_f64().expect("bytes") as u64)
    };
    rows.as_array().expect("rows").iter().map(row).collect()
}

/// Opens the menu of the page, and clicks on something in it.
fn click_in_menu(tab: &mut Tab<'_>, selector: &str) {
    if tab.evaluate("document.querySelector('#menu:popover-open') === null") == json!(true) {
        tab.click("#menu-button");
    }
    tab.click(selector);
}

fn text(tab: &mut Tab<'_>, selector: &str) -> String {
    let script = format!("document.querySelector({}).textContent", json!(selector));
    tab.evaluate(&script).as_str().unwrap_or_default().to_owned()
}

/// The ends of the marked part of the run, from the address.
fn part(tab: &mut Tab<'_>) -> [f64; 2] {
    fragment(tab);
    let ends = "new URLSearchParams(location.hash.slice(1)).get('part').split('-').map(end => Math.round(Number(end.slice(0, -1)) * 1e9))";
    let ends = tab.evaluate(ends);
    [0, 1].map(|i| ends[i].as_f64().expect("a place on the axis"))
}

fn fragment(tab: &mut Tab<'_>) -> String {
    // The page writes it 120 ms after the last change.
    let written = "new Promise(done => setTimeout(() => done(location.hash), 125))";
    tab.evaluate(written).as_str().unwrap_or_default().to_owned()
}

/// The colour of the chart at a place of the window.
fn pixel(tab: &mut Tab<'_>, (x, y): (f64, f64)) -> [f64; 3] {
    tab.read(&format!(
        "(() => {{ const r = $('base').getBoundingClientRect(); \
         return [...painted('base', {x} - r.x, {y} - r.y, 0, 0).data].slice(0, 3) }})()"
    ))
}

/// Shows half as much of the axis, by the key of the chart.
fn zoom_in(tab: &mut Tab<'_>) {
    tab.evaluate("$('plot').focus()");
    tab.press("+");
}
