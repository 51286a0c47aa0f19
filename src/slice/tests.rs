use super::*;
use crate::profile::{BandKeyRef, ProfileBuilder, RetainerSet, Source, TickyCounter};

fn labels(slice: &Slice<'_>) -> Vec<String> {
    slice.rows().map(|row| slice.label(row).to_owned()).collect()
}

fn grouped(part: Part) -> SliceOptions {
    SliceOptions { grouping: Grouping::By(part), ..SliceOptions::default() }
}

#[test]
fn a_band_has_all_different_sets_with_its_text() {
    let mut builder = ProfileBuilder::new(Source::Hp);
    builder.declare_breakdown(Breakdown::Retainer);
    builder.band(BandKeyRef::Name(b"(4)f")).unwrap();
    builder.band(BandKeyRef::Name(b"f")).unwrap();
    for (number, outer) in [(4, "Main.a"), (5, "Main.b"), (6, "Main.a"), (7, "Main.b")] {
        let retainers = vec![vec!["Main.f".to_owned(), outer.to_owned()]];
        builder.retainer_set(RetainerSet { number, retainers });
    }
    let profile = builder.finish();
    let slice =
        Slice::new(&profile, &SliceOptions { grouping: Grouping::None, ..SliceOptions::default() })
            .unwrap();
    let numbers = |row| slice.retainer_sets(row).iter().map(|set| set.number).collect::<Vec<_>>();
    assert_eq!(slice.rows().map(numbers).collect::<Vec<_>>(), [vec![4, 5], vec![]]);
}

#[test]
fn names_that_were_cut_are_marked_and_modules_add_up() {
    let mut builder = ProfileBuilder::new(Source::Hp);
    builder.declare_breakdown(Breakdown::Retainer);
    builder.band(BandKeyRef::Name(b"(91)build_a_map_with_a_ra")).unwrap();
    let profile = builder.finish();
    let slice = Slice::new(&profile, &SliceOptions::default()).unwrap();
    assert_eq!(slice.label(slice.rows().next().unwrap()), "build_a_map_with_a_ra…");
    let mut builder = ProfileBuilder::new(Source::Hp);
    builder.declare_breakdown(Breakdown::ClosureType);
    for name in ["containers-0.7:Data.Map.Bin", "containers-0.7:Data.Map.Tip", "THUNK"] {
        builder.band(BandKeyRef::Name(name.as_bytes())).unwrap();
    }
    let profile = builder.finish();
    let labels = |part| super::tests::labels(&Slice::new(&profile, &grouped(part)).unwrap());
    assert_eq!(labels(Part::Module), ["Data.Map", "THUNK"]);
    assert_eq!(labels(Part::Package), ["containers", "THUNK"]);
    for part in [Part::CostCentre, Part::Type] {
        assert_eq!(labels(part)[0], "containers-0.7:Data.Map.Bin", "it has no such part");
    }
}

#[test]
fn the_place_of_a_counter_is_that_of_its_info_table() {
    let mut builder = ProfileBuilder::new(Source::Eventlog);
    for (address, place) in [(1, &b"/home/me/a.hs:1"[..]), (2, b":"), (3, b"")] {
        builder.define_info_table(address, [b"n", b"1", b"T", b"go", b"Main", place]);
        let counter = TickyCounter { info_table: Some(address), ..TickyCounter::default() };
        builder.runtime_entries(|runtime| &mut runtime.ticky.counters, [counter]);
    }
    let profile = builder.finish();
    let redacted = SliceOptions { privacy: Privacy::Redact, ..SliceOptions::default() };
    for (options, first) in [(SliceOptions::default(), "/home/me/a.hs:1"), (redacted, "a.hs:1")] {
        let slice = Slice::new(&profile, &options).unwrap();
        let place =
            |info_table| slice.counter(&TickyCounter { info_table, ..TickyCounter::default() }).1;
        assert_eq!(place(Some(1)).as_deref(), Some(first));
        for none in [Some(2), Some(3), Some(4), None] {
            assert_eq!(place(none), None, "{none:?}");
        }
    }
}
