//! How big reports are, how long they take to write, and how soon they are drawn:
//! `cargo bench --bench report`.
//!
//! Prints one line a size. The time to the first drawing is the browser's own, from the beginning
//! of the navigation, in headless Chromium; without one there is only the rest.

#[path = "../tests/common/mod.rs"]
mod common;

use std::time::Instant;

use common::browser::Browser;
use common::synthetic;
use heapviz::analysis::Analysis;
use heapviz::chart::Chart;
use heapviz::profile::Breakdown;
use heapviz::rank::{RankOptions, rank};
use heapviz::report::{ReportOptions, write};
use heapviz::slice::Slice;

const SIZES: [(&str, Breakdown, usize, usize); 4] = [
    ("-hy", Breakdown::Type, 100, 1_000),
    ("-hi", Breakdown::InfoTable, 25_000, 300),
    ("-hc", Breakdown::CostCentre, 1_000, 8_000),
    ("-hy", Breakdown::Type, 1_000, 8_000),
];

fn main() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut browser = Browser::start();
    if browser.is_none() {
        println!("no chromium: pages are not opened");
    }
    for (flag, breakdown, bands, samples) in SIZES {
        let profile = synthetic::profile(breakdown, bands, samples);
        let started = Instant::now();
        let slice = Slice::whole(&profile);
        let chart = Chart::of(&slice, rank(&slice, &RankOptions::default()));
        let charted = started.elapsed();
        let page = write(&slice, &chart, &Analysis::of(&slice), &ReportOptions::default());
        let written = started.elapsed() - charted;
        print!(
            "{flag} {bands} bands x {samples} samples: {} bytes, written in {:.0} ms (chart {:.0} ms)",
            page.len(),
            written.as_secs_f64() * 1e3,
            charted.as_secs_f64() * 1e3
        );
        let path = folder.path().join(format!("{bands}-{samples}{flag}.html"));
        std::fs::write(&path, page).expect("a written page");
        if let Ok(keep) = std::env::var("HEAPVIZ_KEEP_PAGES") {
            let name = path.file_name().expect("a name");
            std::fs::copy(&path, std::path::Path::new(&keep).join(name)).expect("a kept page");
        }
        if let Some(browser) = &mut browser {
            let mut soonest = [f64::INFINITY; 2];
            for _ in 0..3 {
                let mut tab = browser.open(&path);
                for (best, mark) in soonest.iter_mut().zip(["drawn", "ready"]) {
                    let script = format!("Number(document.documentElement.dataset.{mark})");
                    *best = best.min(tab.evaluate(&script).as_f64().unwrap_or(f64::INFINITY));
                }
            }
            let [drawn, ready] = soonest;
            print!(", drawn after {drawn:.0} ms, table ready after {ready:.0} ms");
        }
        println!();
    }
}
