//! What the headline accuses can be seen in the picture under it.

use std::num::NonZeroUsize;

use heapviz::analysis::{Leak, Shape};
use heapviz::base::units::{Bytes, Nanos};
use heapviz::draw::{self, DrawOptions};
use heapviz::input::{InputOptions, read_drawable};
use heapviz::profile::{Breakdown, HeapSeriesKind, Profile, ProfileBuilder, Source};
use heapviz::profile_view::{Measure, ProfileView, VerdictChoice, ViewOptions};
use heapviz::render::{SvgOptions, svg};

use crate::common::command::hp;

/// The name of a band, and its size in each sample.
type Band<'a> = (&'a str, &'a dyn Fn(u64) -> u64);

/// A `.hp` with these bands.
fn profile(bands: &[Band<'_>], samples: u64) -> Profile {
    let row = |sample, (name, size): &Band<'_>| format!("{name}\t{}\n", size(sample));
    let rows = |sample| bands.iter().map(|band| row(sample, band)).collect();
    let text = hp((0..samples).map(|at| (at as f64, rows(at)))).replace("-hy", "-hT");
    read_drawable(text.as_bytes(), &InputOptions::default()).expect("a profile")
}

fn picture(run: &ProfileView<'_>) -> String {
    svg(&draw::chart(run.picture(), &DrawOptions::default()), &SvgOptions::default())
}

#[test]
fn what_is_accused_is_drawn_whatever_trace_and_bands_say() {
    let profile = profile(
        &[
            ("Main.Session", &|sample| 10_000 + 20_000 * sample),
            ("ARR_WORDS", &|_| 100 << 20),
            ("Data.Map.Bin", &|_| 400 << 20),
        ],
        199,
    );
    for bands in [1, 2, 3, 20] {
        let mut options = ViewOptions::default();
        options.rank.band_limit = NonZeroUsize::new(bands);
        let run = ProfileView::new(&profile, &options).expect("all of it");
        assert_eq!(run.account().suspects[0].label, "Main.Session");
        assert!(picture(&run).contains("id=\"band-main-session"), "{bands}");
    }
    let mut options = ViewOptions::default();
    options.verdict = VerdictChoice::Hide;
    let run = ProfileView::new(&profile, &options).expect("all of it");
    assert!(!picture(&run).contains("id=\"band-main-session"), "nothing is accused");
}

/// What a picture has as `<g id="band-...">`, from the bottom of the stack.
fn stack(picture: &str) -> Vec<&str> {
    let bands = picture.split("id=\"band-").skip(1);
    let mut bands: Vec<&str> = bands.filter_map(|rest| rest.split(['-', '"']).next()).collect();
    // They are painted from the top down.
    bands.reverse();
    bands
}

#[test]
fn what_is_accused_is_on_the_baseline_in_colour_and_all_else_is_pale() {
    let profile = profile(
        &[
            ("Leak", &|sample| 1_000_000 + 200_000 * sample),
            ("Worse", &|sample| 1_000_000 + 300_000 * sample),
            ("Small", &|_| 5_000_000),
            ("Big", &|sample| 200_000_000 + sample % 2),
        ],
        99,
    );
    let shown = |measure, bands| {
        let mut options = ViewOptions::default();
        (options.measure, options.rank.band_limit) = (measure, NonZeroUsize::new(bands));
        let run = ProfileView::new(&profile, &options).expect("all of it");
        assert!(run.account().leak >= Leak::Possible);
        picture(&run)
    };
    let usual = shown(Measure::Suspects, 20);
    assert_eq!(stack(&usual), ["worse", "leak", "small", "big"]);
    assert!(usual.contains(".f-pale") && usual.contains(">grew<"));
    assert_eq!(stack(&shown(Measure::Suspects, 3)), ["worse", "leak", "other"]);
    let by_size = shown(Measure::Total, 20);
    assert_eq!(stack(&by_size), ["small", "leak", "worse", "big"]);
    assert!(!by_size.contains("pale"));
}

#[test]
fn what_grew_until_the_program_ended_is_drawn_like_a_leak_and_not_called_one() {
    let late = |sample: u64| match sample {
        0..50 => 0,
        50..99 => 40_000 * (sample - 50),
        _ => 0,
    };
    let profile = profile(&[("Base", &|_| 1_500_000), ("Late", &late)], 100);
    let options = ViewOptions::default();
    let run = ProfileView::new(&profile, &options).expect("all of it");
    let account = run.account();
    assert_eq!((account.leak, account.shape()), (Leak::None, Some(Shape::GrewToExit)));
    let picture = picture(&run);
    assert_eq!(stack(&picture), ["late", "base"]);
    assert!(picture.contains("f-pale") && picture.contains(">+1.83<"), "{picture}");
    assert!(!picture.contains("f-alarm"));
    assert!(picture.contains("grew until the program ended") && !picture.contains("still growing"));
}

#[test]
fn what_climbs_at_the_end_leads_if_the_heap_was_never_higher() {
    for (before, leads) in [(2_000_000, true), (90_000_000, false)] {
        let late = |sample: u64| 4_000_000 * sample.saturating_sub(90);
        let early = |sample: u64| if sample < 30 { before } else { 1_000_000 };
        let profile = profile(&[("Early", &early), ("Late", &late)], 99);
        let options = ViewOptions::default();
        let run = ProfileView::new(&profile, &options).expect("all of it");
        let says = if leads { "climbs at the end: " } else { "no leak: falls from " };
        assert!(run.headline().to_string().starts_with(says), "{}", run.headline());
        let picture = picture(&run);
        let said = [">grew<", "climbs at the end</title>"];
        assert_eq!(said.map(|part| picture.contains(part)), [leads; 2], "{before}");
    }
}

#[test]
fn a_narrow_key_names_what_grew_before_it_has_figures() {
    let grows = |sample: u64| 50_000 * sample;
    let bands =
        ["THUNK_2_0", "THUNK_1_0", "THUNK_0_1", "MUT_VAR_CLEAN"].map(|name| (name, &grows as _));
    let profile = profile(&bands, 99);
    let options = ViewOptions::default();
    let run = ProfileView::new(&profile, &options).expect("all of it");
    let look =
        |width| DrawOptions { width, height: 270.0, max_height: 270.0, ..DrawOptions::default() };
    for (width, has_figures) in [(480.0, false), (960.0, true)] {
        let picture = svg(&draw::chart(run.picture(), &look(width)), &SvgOptions::default());
        assert!(picture.contains(">THUNK_2_0<"), "{picture}");
        let heads = [">grew<", ">at the end<"].map(|head| picture.contains(head));
        assert_eq!(heads, [has_figures; 2], "{width}");
    }
}

/// A log with a small level band, whose live bytes, or whose heap, grow to 200 MiB.
fn growing_outside(figure: HeapSeriesKind) -> Profile {
    let mut builder = ProfileBuilder::new(Source::Eventlog);
    builder.declare_breakdown(Breakdown::ClosureType);
    for sample in 0..100_u64 {
        let time = Nanos::from_nanos(sample as i64 * 1_000_000_000);
        builder.sample(time.as_nanos(), [("Level", 1 << 20)]);
        for each in [HeapSeriesKind::Live, HeapSeriesKind::Size] {
            let grows = each == figure || each == HeapSeriesKind::Size;
            let bytes = if grows { (4 + 2 * sample) << 20 } else { 1 << 20 };
            builder.heap_point(each, time, Bytes::new(bytes));
        }
    }
    builder.finish()
}

#[test]
fn memory_that_is_accused_is_an_area_on_an_axis_that_holds_it() {
    for (figure, name, in_key) in [
        (HeapSeriesKind::Live, "live bytes", ">live bytes<"),
        (HeapSeriesKind::Size, "memory held", ">heap size<"),
    ] {
        let profile = growing_outside(figure);
        let options = ViewOptions::default();
        let run = ProfileView::new(&profile, &options).expect("all of it");
        assert_eq!(run.account().suspects[0].label, name);
        let picture = picture(&run);
        assert!(picture.contains("class=\"accused\"") && picture.contains(">200<"), "{picture}");
        assert!(picture.contains("s-alarm") && picture.contains(in_key), "{picture}");
    }
}

#[test]
fn every_band_that_the_headline_counts_is_marked() {
    // OTHER is marked only if each of its bands grows.
    for (growing, level, marked, other) in [
        (4, 90_000_000, 4, false),
        (11, 9_000_000, 11, false),
        (51, 90_000_000, 19, false),
        (51, 0, 20, true),
    ] {
        let names: Vec<String> = (0..growing).map(|band| format!("b{band}")).collect();
        let (grows, stays) = (|sample: u64| 10_000 + 8_000 * sample, |_: u64| level);
        let mut bands: Vec<Band<'_>> = names.iter().map(|name| (&**name, &grows as _)).collect();
        bands.push(("LEVEL", &stays));
        let profile = profile(&bands, 40);
        let options = ViewOptions::default();
        let run = ProfileView::new(&profile, &options).expect("all of it");
        assert_eq!(run.account().suspects.len(), growing);
        let layers = &run.picture().layers;
        let marks = layers.iter().filter(|layer| layer.suspect.is_some());
        assert_eq!(marks.count(), marked, "{growing}");
        assert_eq!(layers.iter().any(|l| l.label.starts_with("OTHER") && l.grew.is_some()), other);
    }
}
