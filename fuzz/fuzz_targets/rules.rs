//! Any text as what people write about a profile: budgets, patterns, times,
//! and the baselines that heapviz writes itself. No panic, and a value that is written and read
//! again is the same.
#![no_main]

use heapviz::analysis::baseline::Baseline;
use heapviz::analysis::budget::Budget;
use heapviz::base::pattern::Pattern;
use heapviz::slice::Bound;
use heapviz::tree::Instant;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let text = String::from_utf8_lossy(data);
    if let Ok(baseline) = Baseline::read(&text) {
        let again = Baseline::read(&baseline.text()).unwrap();
        assert_eq!(again.text(), baseline.text());
    }
    for line in text.lines().take(50) {
        if let Ok(pattern) = line.parse::<Pattern>() {
            assert_eq!(pattern.as_str(), line);
            pattern.matches(&text);
        }
        if let Ok(budget) = line.parse::<Budget>() {
            let again: Budget = budget.text().parse().unwrap();
            assert_eq!(again.text(), budget.text());
        }
        let _ = line.parse::<Bound>();
        let _ = line.parse::<Instant>();
    }
});
