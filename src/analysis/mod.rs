//! The interpretation of a profile: figures, and the verdict on whether something leaks.
//!
//! Everything here is a function of all rows of a profile, before bands are chosen to be drawn: a
//! leak may be smaller than what a picture shows. `docs/diagnosis.md` explains the method, how it
//! was tested, and what it cannot know.
//!
//! `timeline.rs` has the samples that are judged and the cut before the exit, `curve.rs` decides whether a curve rises to
//! its end, `story.rs` tells what the heap did, and `account.rs` makes the account of it: who rose, how that ended, and
//! last of all the grade. `words.rs` has its sentences, `cause.rs` what to do, and `constants.rs` all of its numbers.

mod account;
pub mod alert;
pub mod baseline;
pub mod budget;
mod cause;
pub(crate) mod constants;
mod curve;
mod figures;
mod finding;
mod headline;
pub(crate) mod median;
mod memory;
pub mod metric;
mod remarks;
mod rise;
pub mod runtime;
mod sampling_advice;
mod story;
mod timeline;
mod words;

#[cfg(test)]
pub(crate) mod testing;

pub use account::{Account, Leak, Shape};
#[cfg(feature = "report")]
pub(crate) use cause::CAUTION;
#[cfg(feature = "cli")]
pub(crate) use cause::Cause;
pub(crate) use curve::lows;
pub use figures::{BandFigures, Figures, HeapFigures};
pub(crate) use figures::{bands as figures_of_bands, last_full, mean_over_time, time_weights};
pub use finding::{Finding, Unjudged};
pub use metric::Metric;
pub use remarks::Remark;
#[cfg(feature = "cli")]
pub(crate) use remarks::{is_record, record_for_each};
pub use rise::{InStep, Manner, Rise, RiseEnd, Who};
pub use sampling_advice::{Interval, SamplingAdvice};
pub use story::{BandChange, Move, MoveKind};
pub use words::{of_cpu, place_of, rate};

use crate::base::pattern::Pattern;
pub use crate::profile::ClosureKind;
pub use crate::slice::RunEnd;
use crate::slice::Slice;
use figures::Totals;

/// What is known about a run beyond its samples.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Analysis {
    /// Peaks, means and shares.
    pub figures: Figures,
    /// What rose, how that ended, and whether something leaks.
    pub account: Account,
}

impl Analysis {
    /// Analyses a slice. `accepted` are bands that grow by design: they are not judged.
    pub fn new(slice: &Slice<'_>, accepted: &[Pattern]) -> Self {
        let totals = Totals::new(slice);
        let account = Account::new(slice, &totals, accepted);
        Analysis { figures: Figures::new(slice, totals.all), account }
    }

    /// Only the account, the same as in [`Analysis::new`]: for a picture, which shows no figures.
    pub fn account_of(slice: &Slice<'_>, accepted: &[Pattern]) -> Account {
        Account::new(slice, &Totals::new(slice), accepted)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::testing::{Curve, curves, profile, verdict};
    use crate::base::units::{Bytes, Nanos};
    use crate::profile::{Breakdown, Clock, HeapSeriesKind, Profile, ProfileBuilder};

    fn account(builder: ProfileBuilder) -> Account {
        Analysis::account_of(&Slice::whole(&builder.finish()), &[])
    }

    /// A run of 40 seconds with one band and figures of the heap.
    fn with_figures(band: Curve<'_>, figures: &[(HeapSeriesKind, Curve<'_>)]) -> ProfileBuilder {
        let mut builder = curves(40, &[("a", band)]);
        for (figure, of) in figures {
            for i in 0..40 {
                let time = Nanos::from_nanos(i * 1_000_000_000);
                builder.heap_point(*figure, time, Bytes::new(of(i as f64) as u64));
            }
        }
        builder
    }

    fn with_live(band: Curve<'_>, live: Curve<'_>) -> Account {
        account(with_figures(band, &[(HeapSeriesKind::Live, live)]))
    }

    #[test]
    fn bands_that_are_more_than_the_heap_was_then_are_remarked() {
        let line = |i: f64| 16e6 + 1e6 * i;
        let is_remarked = |share: f64| {
            let found =
                account(with_figures(&line, &[(HeapSeriesKind::Size, &|i| share * line(i))]));
            found.remarks.iter().any(|remark| remark.words().to_string().contains(" in a heap of "))
        };
        assert_eq!([1.0, 0.96, 0.9].map(is_remarked), [false, false, true]);
    }

    #[test]
    fn what_a_compact_region_holds_is_in_a_band() {
        let found = |region: f64| {
            let mut builder = curves(40, &[("COMPACT_NFDATA", &|i| 1e6 + region * i)]);
            builder.declare_breakdown(Breakdown::ClosureType);
            for i in 0..40 {
                let (time, live) =
                    (Nanos::from_nanos(i * 1_000_000_000), 1_000_000 * (i as u64 + 2));
                builder.heap_point(HeapSeriesKind::Live, time, Bytes::new(live));
            }
            account(builder)
        };
        assert_eq!(found(1e6).leak, Leak::None);
        // It holds nothing of what grows.
        let outside = found(0.0);
        assert_eq!(outside.suspects.first().map(|first| first.who), Some(Who::Live));
        assert!(outside.headline().to_string().starts_with("possible leak: live bytes"));
    }

    #[test]
    fn live_bytes_that_no_band_has_are_a_suspect() {
        let suspect = |band: f64| {
            let found = with_live(&|i| 1e6 + band * i, &|i| 2e6 + 1e6 * i);
            (found.leak, found.suspects.first().and_then(|first| first.kind), found.grew)
        };
        let outside = suspect(0.0);
        assert_eq!((outside.0, outside.1), (Leak::Possible, Some(ClosureKind::OutsideBands)));
        assert!((outside.2 as f64 / 39e6 - 1.0).abs() < 0.1, "{}", outside.2);
        assert_ne!(suspect(0.5e6).1, Some(ClosureKind::OutsideBands));
        // The heap itself grew until the program ended.
        let over = with_live(&|i| if i < 39.0 { 1e5 * i } else { 1e3 }, &|i| 2e6 + 1e6 * i);
        assert!(over.headline().to_string().starts_with("possible leak: live bytes"));
    }

    /// The remark that live bytes grow, and no band contains what grows.
    fn outside(found: &Account) -> Option<String> {
        let remarks = found.remarks.iter().map(|remark| remark.words().to_string());
        remarks.into_iter().find(|words| words.contains("no band contains what grows"))
    }

    #[test]
    fn live_bytes_are_remarked_if_they_grow_four_times_as_much_as_the_bands() {
        let grows = |rate: f64| outside(&with_live(&|i| 5e6 + rate * i, &|i| 2e6 + 1e6 * i));
        let words = grows(0.23e6).expect("a remark");
        assert!(words.contains("live bytes grew by 37.2 MiB, "), "{words}");
        assert_eq!(grows(0.28e6), None);
        assert!(grows(-0.1e6).is_some());
        // So little of the heap that it is noise.
        assert_eq!(outside(&with_live(&|_| 1e9, &|i| 1e9 + 1e4 * i)), None);
    }

    #[test]
    fn live_bytes_grow_since_their_growth_began() {
        let after = |begin: f64| move |i: f64| 2e6 + 1e6 * (i - begin).max(0.0);
        // The bands grew by a fifth of it in that time, and by more before.
        assert!(outside(&with_live(&|i| 5e6 + 2e5 * i, &after(10.0))).is_some());
        let suspect = |begin| with_live(&|_| 1e6, &after(begin)).suspects.swap_remove(0);
        let (from_start, late) = (suspect(0.0), suspect(10.0));
        assert!(from_start.from == 0 && from_start.since_sample.get() == 1, "{from_start:?}");
        assert!((9..14).contains(&late.since_sample.get()), "{late:?}");
        let since = late.since.map(|since| since.as_seconds() as usize + 1);
        assert_eq!(since, Some(late.since_sample.get()));
    }

    #[test]
    fn live_bytes_say_nothing_about_a_part_of_the_heap_or_without_times() {
        let live = |change: &dyn Fn(&mut Profile)| {
            let grows: Curve<'_> = &|i| 2e6 + 1e6 * i;
            let mut profile = with_figures(&|_| 1e6, &[(HeapSeriesKind::Live, grows)]).finish();
            change(&mut profile);
            outside(&Analysis::account_of(&Slice::whole(&profile), &[])).is_some()
        };
        assert!(live(&|_| ()));
        assert!(!live(&|profile| profile.clock = Clock::Sample));
        let filtered = || crate::profile::Filters::from_flags(["-hmMain"]);
        assert!(!live(&|profile| profile.metadata.filters = filtered()));
    }

    /// A heap of GHC that holds more and more, over live data that do not grow.
    #[test]
    fn memory_that_is_held_and_not_live_is_told() {
        let found = |size: Curve<'_>| {
            let figures: [(_, Curve<'_>); 2] = [
                (HeapSeriesKind::Live, &|_| 11.0 * 1_048_576.0),
                (HeapSeriesKind::Size, &|i| size(i) * 1_048_576.0),
            ];
            account(with_figures(&|_| 1e7, &figures))
        };
        let grows = found(&|second| 17.0 + 4.0 * second);
        let told = grows.headline().to_string();
        assert!(told.starts_with("possible leak: memory held grew by 1"), "{told}");
        assert_eq!(grows.leak, Leak::Possible);
        assert_eq!(found(&|_| 400.0).leak, Leak::None);
        // Three times the live data, and what is allocated between two collections.
        assert_eq!(found(&|second| 20.0 + 24.0 * (second % 2.0)).leak, Leak::None);
    }

    #[test]
    fn the_heap_grew_since_the_growth_began() {
        let late = verdict(&[("a", &|i| 5e6 + 1e5 * (i - 50.0).max(0.0))]);
        assert_eq!(late.leak, Leak::Likely);
        assert!((late.heap_grew as f64 / 4.8e6 - 1.0).abs() < 0.05, "{}", late.heap_grew);
    }

    #[test]
    fn what_stays_is_a_share_of_what_was_allocated() {
        let mut builder = curves(100, &[("a", &|i| 1e6 + 1e5 * i)]);
        for i in 0..100 {
            let time = Nanos::from_nanos(i * 1_000_000_000);
            builder.allocated(time, 0, Bytes::new(1_000_000 * i as u64));
        }
        let percent = account(builder).suspects[0].kept_percent.expect("allocation is known");
        assert!((percent - 10.0).abs() < 0.1, "{percent}");
    }

    /// The verdict over bands that grow by so many bytes in each sample.
    fn growth_of(breakdown: Breakdown, bands: &[(&str, f64)]) -> Account {
        let lines: Vec<_> = bands.iter().map(|band| |i: f64| 1e6 + band.1 * i).collect();
        let bands: Vec<(&str, Curve<'_>)> =
            bands.iter().zip(&lines).map(|(band, line)| (band.0, line as Curve<'_>)).collect();
        let mut builder = curves(100, &bands);
        builder.declare_breakdown(breakdown);
        account(builder)
    }

    /// A state of a thread has 120 bytes.
    #[test]
    fn threads_with_their_stacks_are_counted_and_a_stack_alone_deepens() {
        let words = |bands: &[(&str, f64)]| {
            let account = growth_of(Breakdown::ClosureType, bands);
            account.remarks.iter().map(|remark| remark.words().to_string()).collect::<String>()
        };
        let many = words(&[("STACK", 32768.0 * 10.0), ("TSO", 120.0 * 10.0)]);
        assert!(many.contains("990 more threads, each with a stack of 32 KiB"), "{many}");
        assert_eq!(words(&[("STACK", 32768.0)]), "");
        assert_eq!(words(&[("THUNK", 32768.0)]), "");
    }

    #[test]
    fn threads_that_pile_up_are_told_by_their_label() {
        let second = |at: u32| Nanos::from_nanos(i64::from(at) * 1_000_000_000);
        // A request begins in each second, and ends after so many. Each fifth thread has another label.
        let says = |threads: Curve<'_>, lasts: u32| {
            let (states, stacks) = (|at| 120.0 * threads(at), |at| 4096.0 * threads(at));
            let mut builder = curves(100, &[("TSO", &states), ("STACK", &stacks)]);
            builder.declare_breakdown(Breakdown::ClosureType);
            for at in 0..100 {
                let label = if at % 5 == 0 { "timer".to_owned() } else { format!("request {at}") };
                builder.label_thread(second(at), at, &label);
                builder.end_thread(second(at + lasts), at);
            }
            let found = account(builder);
            format!("{} {:?}", found.remarks[0].words(), found.cure())
        };
        let grows: Curve<'_> = &|at| 1000.0 + at;
        let alive = "At 99 s there are 99 more threads, each with a stack of 4 KiB on average; 80 of 80 threads labelled \
                     request have not ended. Some(Threads)";
        assert_eq!(says(grows, 200), alive);
        let kept = says(grows, 2);
        assert!(
            kept.ends_with("; 78 of 80 threads labelled request have ended. Some(EndedThreads)"),
            "{kept}"
        );
        // Bursts of 20, of which each ends at once.
        let bursts = says(&|at| 1000.0 * (at % 20.0), 20);
        assert!(bursts.ends_with("on average. Some(Threads)"), "labels of few: {bursts}");
        let bursts = says(&|at| 5.0 * (at % 20.0), 20);
        assert!(bursts.contains(" labelled request have"), "{bursts}");
    }

    #[test]
    fn a_compact_region_grows_on_purpose_and_hides_nothing() {
        let found = |thunks: f64| {
            let bands = [("COMPACT_NFDATA", 2e5), ("THUNK", thunks)];
            let verdict = growth_of(Breakdown::ClosureType, &bands);
            let headline = verdict.headline().to_string();
            let excused: Vec<String> = verdict.excused.into_iter().map(|rise| rise.label).collect();
            assert_eq!(excused, ["COMPACT_NFDATA"]);
            headline
        };
        let region = "COMPACT_NFDATA grew by 18.9 MiB since the start (a compact region)";
        assert_eq!(found(0.0), format!("no leak: {region}"));
        assert_eq!(found(5e4), "likely leak: THUNK grew by 4.72 MiB since the start (48.8 KiB/s)");
    }

    #[test]
    fn bands_that_do_not_take_part_are_not_judged() {
        let up: Curve<'_> = &|i| 1e6 + 1e5 * i;
        let profile = curves(100, &[("out", up), ("up", up)]).finish();
        let mut options = crate::slice::SliceOptions::default();
        options.selection.exclude.push("out".parse().unwrap());
        let slice = Slice::new(&profile, &options).unwrap();
        let suspects = Analysis::new(&slice, &[]).account.suspects;
        assert_eq!(suspects.iter().map(|one| &*one.label).collect::<Vec<_>>(), ["up"]);
    }

    /// Ten teeth, each higher than the last.
    #[test]
    fn a_sawtooth_whose_lows_and_highs_rise_is_accused() {
        let teeth = |low: f64, high: f64| {
            move |i: f64| {
                let (tooth, within) = ((i / 10.0).floor(), (i % 10.0) / 9.0);
                let height = 165e3 + high * tooth;
                40e3 + low * tooth + height * within
            }
        };
        assert!(verdict(&[("a", &teeth(15e3, 4e3))]).leak >= Leak::Possible);
        assert_eq!(verdict(&[("a", &teeth(0.0, 0.0))]).leak, Leak::None);
    }

    /// Every shape gets a headline, whether its samples are equal, falling, empty or only one, with 1 to 500 bands.
    /// Where a leak is accused, there are suspects.
    #[test]
    fn every_shape_of_a_heap_has_a_headline() {
        let shapes: [&dyn Fn(usize, usize) -> f64; 7] = [
            &|_, sample| 1e5 + 1e4 * sample as f64,
            &|_, sample| 1e6 - 1e4 * sample as f64,
            &|_, _| 1e6,
            &|_, _| 0.0,
            &|band, sample| if band == 0 { 1e6 } else { 1e3 * sample as f64 },
            &|band, sample| 1e4 * ((sample * 7 + band * 13) % 11) as f64,
            &|band, sample| if sample == band % 20 { 1e6 } else { 0.0 },
        ];
        for bands in [1, 2, 50, 51, 500] {
            for samples in [1, 2, 11, 15, 20, 40] {
                for (at, shape) in shapes.iter().enumerate() {
                    let names: Vec<String> = (0..bands).map(|band| format!("b{band}")).collect();
                    let lines: Vec<_> =
                        (0..bands).map(|at| move |i: f64| shape(at, i as usize)).collect();
                    let bands: Vec<(&str, Curve<'_>)> = names
                        .iter()
                        .zip(&lines)
                        .map(|(name, of)| (&**name, of as Curve<'_>))
                        .collect();
                    let verdict = account(curves(samples, &bands));
                    let headline = verdict.headline().to_string();
                    assert!(headline.starts_with(verdict.grade()), "{headline}");
                    let accuses = verdict.leak >= Leak::Possible;
                    assert!(!accuses || !verdict.suspects.is_empty(), "{samples} {at}: {headline}");
                }
            }
        }
    }

    #[test]
    fn nothing_grows_by_more_than_it_holds() {
        // It begins and ends slower than it is on average.
        let slow_ends = |i: f64| 1e5 * (i - 8.0 * libm::sin(i * std::f64::consts::TAU / 99.0));
        let first = &verdict(&[("a", &slow_ends)]).suspects[0];
        assert!(first.grew() <= first.at_end, "{first:?}");
    }

    #[test]
    fn a_straight_line_is_accused_however_it_is_sampled() {
        // Its samples are farther and farther apart at first, and then closer and closer.
        let grade = |bound: f64| {
            let mut time = 0.0;
            let samples = (0..40).map(|i| {
                time += 1.0 + 9.0 * libm::exp(-libm::pow((f64::from(i) - 12.0) / 9.0, 2.0));
                (time, [("a", (1e6 * time.min(bound)) as u64)])
            });
            let samples: Vec<_> = samples.collect();
            let samples: Vec<_> = samples.iter().map(|(at, bands)| (*at, &bands[..])).collect();
            Analysis::account_of(&Slice::whole(&profile(&samples)), &[]).leak
        };
        assert!(grade(f64::INFINITY) >= Leak::Possible);
        assert_eq!(grade(120.0), Leak::None);
    }

    #[test]
    fn what_still_climbs_is_no_level() {
        let grade = |slope: f64| {
            let of = |i: f64| 1e5 * i.min(50.0) + slope * (i - 50.0).max(0.0);
            verdict(&[("a", &of)]).leak
        };
        assert_eq!([4e4, 0.0].map(grade), [Leak::Unknown, Leak::None]);
        // Of few bursts each low and each high is higher than the one before it.
        let teeth = [0, 90, 40, 120, 84, 132, 96, 120, 152, 136, 200, 182, 164, 150];
        let found = account(curves(teeth.len(), &[("a", &|i| 1e4 * f64::from(teeth[i as usize]))]));
        assert!(!found.finding.is_quiet(), "{}", found.headline());
    }

    /// What changes hands before it climbs in its last sample begins the exit.
    #[test]
    fn a_level_heap_may_jump_after_the_exit_begins() {
        let of = |changes: f64| {
            let (a, b) = (
                move |i: f64| if i < changes { 1e6 } else { 0.0 },
                move |i: f64| {
                    let late = if i < 99.0 { 1e6 } else { 2e6 };
                    if i < changes { 0.0 } else { late }
                },
            );
            verdict(&[("a", &a), ("b", &b)])
        };
        for changes in [94.0, 95.0, 96.0, 97.0, 98.0] {
            let says = of(changes).headline().to_string();
            assert_eq!(says, "no leak: level at 977 KiB, then up to 1.91 MiB", "{changes}");
        }
    }

    #[test]
    fn what_the_exit_frees_is_told_of_a_level_heap_unless_it_took_the_place_of_another() {
        let ends = |bytes: f64, i: f64| if i < 97.0 { bytes } else { 1e4 };
        let wedge = |i: f64| ends(6e3 * i, i);
        let says = |base: &dyn Fn(f64) -> f64| {
            verdict(&[("base", base), ("b", &wedge)]).headline().to_string()
        };
        assert_eq!(says(&|i| ends(4e6, i)), "grew until the program ended: b to 562 KiB");
        assert_eq!(says(&|i| ends(4e6 - 6e3 * i, i)), "no leak: level at 3.81 MiB");
    }

    /// A heap is full in the last tenth of its climb, however late, if a fifth of the run is left; nobody knows if a tenth is.
    #[test]
    fn a_heap_is_full_where_its_climb_ends() {
        for knee in (20..100).step_by(5).map(f64::from) {
            for wavers in [0.0, 0.02, 0.08] {
                let of = |i: f64| 1e7 * (i / knee).min(1.0) * (1.0 + wavers * libm::sin(2.0 * i));
                let found = verdict(&[("a", &of)]);
                let Finding::Fills { rise, low, .. } = &found.finding else {
                    assert!(knee > 80.0 || wavers > 0.05, "{knee} {wavers}: {}", found.headline());
                    continue;
                };
                let by = rise.until.map_or(0.0, Nanos::as_seconds);
                assert!((0.85 * knee..=knee + 3.0).contains(&by), "{knee} {wavers}: {by}");
                let latest = if found.leak == Leak::None { 85.0 } else { 95.0 };
                assert!(*low >= 0.85e7 && by <= latest, "{knee} {wavers}: {low}");
            }
        }
    }

    #[test]
    fn a_rise_has_its_beginning_and_its_end_by_the_times_of_samples() {
        let says = |times: &dyn Fn(usize) -> f64, bytes: &dyn Fn(f64) -> f64| {
            let bands: Vec<_> =
                (0..40).map(|i| (times(i), [("a", bytes(times(i)) as u64)])).collect();
            let samples: Vec<_> = bands.iter().map(|(time, bands)| (*time, &bands[..])).collect();
            let profile = profile(&samples);
            Analysis::account_of(&Slice::whole(&profile), &[]).headline().to_string()
        };
        let line: &dyn Fn(f64) -> f64 = &|time| 1e6 + 1e5 * time;
        let gap = says(&|i| 0.1 * i as f64 + if i < 20 { 0.0 } else { 60.0 }, line);
        assert_eq!(gap, "likely leak: a grew by 6.09 MiB since the start (97.7 KiB/s)");
        // Its last step, which takes a fifth of the time, is no exit.
        let last = says(&|i| if i < 39 { i as f64 } else { 48.0 }, line);
        assert_eq!(last, "likely leak: a grew by 4.58 MiB since the start (97.7 KiB/s)");
        let slowing = says(&|i| i as f64, &|time| 1e5 + 1e6 * libm::log1p(20.0 * time));
        assert_eq!(slowing, "possible leak: a grew by 6.35 MiB since the start, slowing down");
    }

    #[test]
    fn an_exit_may_have_many_samples_if_it_is_short() {
        // The heap falls in the last eight samples, which are so many seconds apart.
        let end = |apart: f64| {
            let time = |i: usize| 0.5 * i.min(80) as f64 + apart * i.saturating_sub(80) as f64;
            let bytes =
                |i: usize| 100_000 * i.min(80) as u64 - 1_000_000 * i.saturating_sub(80) as u64;
            let bands: Vec<_> = (1..88).map(|i| (time(i), [("a", bytes(i))])).collect();
            let samples: Vec<_> = bands.iter().map(|(time, bands)| (*time, &bands[..])).collect();
            let profile = profile(&samples);
            Analysis::account_of(&Slice::whole(&profile), &[]).shape()
        };
        assert_eq!((end(0.1), end(1.0)), (Some(Shape::GrewToExit), Some(Shape::BuiltUp)));
    }

    /// What gains little in its first third begins later, and so does what is left of it.
    #[test]
    fn a_rise_begins_after_its_idle_time_however_its_samples_are_spread() {
        let seconds = [0.0, 0.2, 0.4, 0.68, 0.86, 1.06, 1.24, 1.27, 1.35, 1.64, 1.71];
        let kilobytes = [30, 30, 30, 30, 101, 170, 1050, 1060, 1260, 1800, 1910];
        let level = (1..10).map(|i| (1.71 + 0.1 * f64::from(i), 1910));
        let samples: Vec<_> = seconds.into_iter().zip(kilobytes).chain(level).collect();
        let samples: Vec<_> = samples.iter().map(|(at, kb)| (*at, [("a", kb * 1000)])).collect();
        let samples: Vec<_> = samples.iter().map(|(at, bands)| (*at, &bands[..])).collect();
        let profile = profile(&samples);
        let movements = Analysis::account_of(&Slice::whole(&profile), &[]).movements;
        let rise = movements.iter().find(|one| one.kind == MoveKind::Rise).expect("a rise");
        assert_eq!(rise.since.map(Nanos::as_seconds), Some(1.06));
    }

    #[test]
    fn movements_join_and_are_what_bands_gained() {
        let found = verdict(&[
            ("back", &|i| if i < 60.0 { 1e5 * i } else { 1e5 * (120.0 - i) }),
            ("small", &|i| 1e6 + 1e3 * i),
        ]);
        let [rise, fall] = &found.movements[..] else { panic!("{:?}", found.movements) };
        assert_eq!((rise.kind, fall.kind), (MoveKind::Rise, MoveKind::Fall));
        let ends = [rise.from_sample, rise.to_sample, fall.to_sample].map(|number| number.get());
        assert_eq!(ends, [1, 61, 100]);
        assert_eq!((rise.to_sample, rise.to_bytes), (fall.from_sample, fall.from_bytes));
        assert_eq!((rise.size(), fall.size()), (6_060_000, 3_861_000));
        let moved = |movement: &Move| -> Vec<(String, i64)> {
            movement.bands.iter().map(|band| (band.label.clone(), band.change)).collect()
        };
        assert_eq!(moved(rise), [("back".to_owned(), 6_000_000)]);
        assert_eq!(moved(fall), [("back".to_owned(), -3_900_000)]);
    }
}
