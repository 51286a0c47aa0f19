//! Two files of one run: what a report adds to a heap profile, and that another run's report adds nothing.

use heapviz::export::folded;
use heapviz::profile::{BandKey, OtherRun, Profile};
use heapviz::slice::Slice;
use heapviz::tree::{Instant, Paths, Roots, Weight, of_calls, of_heap};

use crate::reports::{expected, profile};

fn pair(of: &str) -> Vec<(String, Profile, Profile)> {
    let (folder, expected) = expected();
    let reports = expected.keys().filter(|name| name.ends_with(&format!("{of}.prof")));
    let pairs: Vec<_> = reports
        .flat_map(|name| {
            let report = folder.join(name);
            ["eventlog", "hp"].into_iter().filter_map(move |ending| {
                let heap = report.with_extension(ending);
                let both = || (heap.display().to_string(), profile(&heap), profile(&report));
                heap.exists().then(both)
            })
        })
        .collect();
    assert!(pairs.len() >= 2, "{of}: {}", pairs.len());
    pairs
}

#[test]
fn retainer_sets_are_expanded_if_only_one_candidate_fits() {
    let (mut proved, mut open) = (0, 0);
    for of in ["parse-hr", "parse-hr-p", "parse-hr-R2"] {
        let pairs = pair(of);
        for (name, mut heap, report) in pairs {
            let sets = report.retainers().sets.clone();
            assert_eq!(heap.join_report(report).unwrap().sets, sets.len(), "{name}");
            let slice = Slice::new(&heap, &Default::default()).unwrap();
            for row in slice.rows() {
                let candidates = slice.retainer_sets(row);
                proved += usize::from(candidates.len() == 1);
                open += usize::from(candidates.len() > 1);
                let label = slice.label(row).trim_end_matches('…').to_owned();
                for set in candidates {
                    assert!(set.text().starts_with(&label), "{name}: {label} and {}", set.words());
                }
            }
        }
    }
    assert!(proved > 50 && open > 5, "{proved} {open}");
}

/// GHC cuts the stacks of a `.hp`; the report of the run has them in full, by their numbers.
#[test]
fn numbers_of_stacks_agree_with_the_report() {
    let pairs = pair("parse-hc-P");
    for (name, mut heap, report) in pairs {
        let total = report.calls().sum_of_alloc();
        let joined = heap.join_report(report).unwrap();
        let stacks =
            heap.bands().ids().filter(|&id| matches!(heap.bands().key(id), BandKey::Stack(_)));
        assert_eq!(stacks.count(), joined.stacks, "{name}");
        // All except those of the run-time system, which have no row.
        assert!(
            heap.bands().len() - joined.stacks <= 2,
            "{name}: {} of {}",
            joined.stacks,
            heap.bands().len()
        );
        assert_eq!(heap.calls().sum_of_alloc(), total, "{name}");
        let slice = Slice::whole(&heap);
        let stacks = of_heap(&slice, &Instant::Peak.find(&slice).unwrap()).unwrap();
        assert_eq!(stacks.total(), (0..slice.len()).map(|at| slice.total(at)).max().unwrap());
    }
}

#[test]
fn the_report_of_another_run_is_refused() {
    let (folder, _) = expected();
    let read = |name: &str| profile(&folder.join("ghc-9.6").join(name));
    let join = |heap: &str, report: &str| {
        let mut heap = read(heap);
        let before = heap.bands().len();
        let error = heap.join_report(read(report)).unwrap_err();
        assert_eq!((heap.bands().len(), heap.retainers().sets.len()), (before, 0));
        error
    };
    let other = join("parse-hc-P.hp", "parse-callers-P.prof");
    assert!(matches!(other, OtherRun::Program { .. }), "{other}");
    let other = join("parse-hr.eventlog", "parse-hr-L25.prof");
    assert!(matches!(other, OtherRun::Censuses { .. }), "{other}");
    let other = join("parse-p-l.eventlog", "parse-p.prof");
    assert!(matches!(other, OtherRun::Ticks { .. }), "{other}");
    let other = join("parse-hc.eventlog", "parse-hc.hp");
    assert_eq!(other, OtherRun::NoReport);
    // Another build, which the command line does not show.
    let mut heap = read("parse-hc.eventlog");
    heap.metadata_mut().job = None;
    let other = heap.join_report(read("parse-late-P.prof")).unwrap_err();
    assert!(matches!(other, OtherRun::Centres { .. }), "{other}");
    // Its own report is accepted.
    assert!(read("parse-p-l.eventlog").join_report(read("parse-p-l.prof")).is_ok());
    assert!(read("parse-Pa-l.eventlog").join_report(read("parse-Pa-l.prof")).is_ok());
}

/// A log has the live heap and the ticks, its report has allocation and entries; each is read from the file
/// that contains it.
#[test]
fn a_log_and_its_report_have_all_four_quantities_together() {
    let (folder, expected) = expected();
    let mut seen = 0;
    for name in expected.keys().filter(|name| name.ends_with("-l.eventlog")) {
        let mut log = profile(&folder.join(name));
        let report = profile(&folder.join(name).with_extension("prof"));
        let ticks = log.calls().sum_of_ticks();
        assert!(log.join_report(report.clone()).unwrap().calls, "{name}");
        assert_eq!(log.calls().sum_of_ticks(), ticks, "{name}");
        assert_eq!(log.calls().sum_of_alloc(), report.calls().sum_of_alloc(), "{name}");
        let (slice, alone) = (Slice::whole(&log), Slice::whole(&report));
        let folded = |slice: &Slice<'_>, weight| {
            let stacks = of_calls(slice, weight).unwrap();
            let mut lines: Vec<String> =
                folded::write(&Paths::new(&stacks, Roots::default()).unwrap())
                    .lines()
                    .map(str::to_owned)
                    .collect();
            lines.sort();
            lines
        };
        for weight in [Weight::Alloc, Weight::Entries] {
            assert_eq!(folded(&slice, weight), folded(&alone, weight), "{name}");
        }
        seen += 1;
    }
    assert!(seen >= 9, "only {seen} pairs");
}
