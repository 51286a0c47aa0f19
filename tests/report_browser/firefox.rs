//! Runs the tests of the other files in Firefox.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;

use crate::common::browser::Browser;
use crate::{bands, chart, common, diagnosis, extremes, fingers, looks, page, parts, sight, state};

/// A test that runs in any browser, and its name.
pub type Test = (&'static str, fn(&mut Browser));

/// How many browsers run at the same time.
const BROWSERS: usize = 2;

#[test]
fn firefox() {
    let only = std::env::var("HEAPVIZ_FIREFOX_ONLY").unwrap_or_default();
    // What depends on the browser: places, pointers, fonts, addresses, files.
    let different = [
        chart::TESTS,
        fingers::TESTS,
        looks::TESTS,
        page::TESTS,
        sight::TESTS,
        state::TESTS,
        #[cfg(unix)]
        crate::live::TESTS,
    ];
    // Figures and words, which each browser shows alike.
    let alike = [bands::TESTS, diagnosis::TESTS, extremes::TESTS, parts::TESTS];
    let alike = alike.into_iter().filter(|_| !only.is_empty());
    let tests = different.into_iter().chain(alike).flatten().copied();
    let tests: Vec<Test> = tests.filter(|(name, _)| name.contains(&only)).collect();
    assert!(!tests.is_empty(), "no test has {only:?} in its name");
    let Some(first) = Browser::firefox() else {
        return common::skipped("no firefox (apt-get install firefox-esr, or set HEAPVIZ_FIREFOX)");
    };
    let (queue, failed) = (Mutex::new(tests.into_iter()), Mutex::new(Vec::new()));
    let work = |started: Option<Browser>| {
        let mut browser = started;
        loop {
            let next = queue.lock().expect("the queue").next();
            let Some((name, test)) = next else { return };
            let running = browser.get_or_insert_with(|| Browser::firefox().expect("a Firefox"));
            if catch_unwind(AssertUnwindSafe(|| test(running))).is_err() {
                failed.lock().expect("the list").push(name);
                // The page of the failed test is still open in this browser.
                browser = None;
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..BROWSERS {
            scope.spawn(|| work(None));
        }
        work(Some(first));
    });
    let failed = failed.into_inner().expect("the list");
    assert!(failed.is_empty(), "these tests fail in Firefox: {failed:#?}");
}
