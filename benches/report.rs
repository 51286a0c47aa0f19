//! The size of reports, the time to write them, and the time to draw them:
//! `cargo bench --bench report`.
//!
//! Prints one line per size. For hovering, zooming and dragging it prints how long each step keeps the page's
//! main thread busy, minus the time for waiting for a frame in which nothing changes: the bench waits for two
//! frames, which occupies the same thread. The time to the first drawing is the browser's own, from the start
//! of the navigation, in headless Chromium. Without Chromium only sizes and writing times are printed.

#[path = "../tests/common/mod.rs"]
mod common;

use std::time::Instant;

use common::browser::{Browser, Held, Mouse, Tab};
use common::synthetic;
use heapviz::profile::Breakdown;
use heapviz::profile_view::{ProfileView, ViewOptions};
use heapviz::report::{ReportOptions, write};
use serde_json::json;

const SIZES: [(&str, Breakdown, usize, usize); 4] = [
    ("-hy", Breakdown::Type, 100, 1_000),
    ("-hi", Breakdown::InfoTable, 25_000, 300),
    ("-hc", Breakdown::CostCentre, 1_000, 8_000),
    ("-hy", Breakdown::Type, 1_000, 8_000),
];

/// A movement of the hand in steps; `step` goes from 0 to 1.
type Move = fn(&mut Tab<'_>, step: f64);

const MOVES: [(&str, Move); 4] = [
    ("waiting", |_, _| {}),
    ("hover", |tab, step| {
        // Up and down across the stack, over one layer after another.
        let y = 240.0 + 180.0 * (step * 6.0).fract();
        tab.mouse(Mouse::Move, (150.0 + 700.0 * step, y), Held::Nothing);
    }),
    ("zoom", |tab, step| {
        let by = if step < 0.5 { -60 } else { 60 };
        tab.mouse(Mouse::Wheel(0, by), (500.0, 330.0), Held::Ctrl);
    }),
    ("drag", |tab, step| {
        let what = if step == 0.0 { Mouse::Press } else { Mouse::Move };
        tab.mouse(what, (200.0 + 500.0 * step, 330.0), Held::Nothing);
    }),
];

/// How long a step of a move keeps the page's main thread busy, in milliseconds.
fn busy(tab: &mut Tab<'_>, act: Move) -> f64 {
    const STEPS: usize = 60;
    tab.devtools("Performance.enable", json!({ "timeDomain": "threadTicks" }));
    let busy = |tab: &mut Tab<'_>| {
        let metrics = tab.devtools("Performance.getMetrics", json!({}));
        let metrics = metrics["metrics"].as_array().expect("metrics").clone();
        let task = metrics.iter().find(|metric| metric["name"] == "TaskDuration");
        task.and_then(|task| task["value"].as_f64()).expect("a time")
    };
    // Drawing something for the first time takes longer.
    act(tab, 0.0);
    tab.settle();
    let before = busy(tab);
    for step in 0..STEPS {
        act(tab, step as f64 / STEPS as f64);
        tab.settle();
    }
    (busy(tab) - before) * 1e3 / STEPS as f64
}

fn main() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut browser = Browser::chromium();
    if browser.is_none() {
        println!("no chromium: pages are not opened");
    }
    for (flag, breakdown, bands, samples) in SIZES {
        let profile = synthetic::profile(breakdown, bands, samples);
        let started = Instant::now();
        let options = ViewOptions::default();
        let run = ProfileView::new(&profile, &options).expect("all of it");
        run.chart();
        let charted = started.elapsed();
        let page = write(&run, &ReportOptions::default());
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
            let mut tab = browser.open(&path);
            tab.resize(1440, 900);
            let [waiting, moves @ ..] = MOVES.map(|(name, act)| (name, busy(&mut tab, act)));
            print!(", {} {:.1} ms", waiting.0, waiting.1);
            for (name, time) in moves {
                print!(", {name} {:.1} ms", time - waiting.1);
            }
        }
        println!();
    }
}
