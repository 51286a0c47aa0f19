//! Each bound of a rule from both of its sides.

mod record;

use super::*;

/// So many samples; `of` gives the bytes in each.
fn curve(n: usize, of: impl Fn(usize) -> f64) -> Vec<f64> {
    (0..n).map(of).collect()
}

/// A sample a second, in a run that does not begin at 0.
fn seconds(n: usize) -> Vec<f64> {
    curve(n, |i| 1000.0 + i as f64)
}

#[test]
fn a_band_is_judged_if_it_changes_by_a_500th_of_the_heap_or_two_pages() {
    assert_eq!([0.0, 4_096_000.0, 5e6].map(least_change), [8192.0, 8192.0, 10_000.0]);
}

#[test]
fn a_fall_at_the_very_end_ends_the_run() {
    let judged =
        |of: &dyn Fn(usize) -> f64, end| judged_samples(&seconds(101), None, &curve(101, of), end);
    // A peak at one sample, and what is left at the end.
    let peak = |at: usize, left: f64| move |i: usize| if i == at { 200.0 } else { left };
    for (of, samples) in [
        (peak(85, 100.0), 86),
        (peak(84, 100.0), 101),
        (peak(90, 159.0), 91),
        (peak(90, 160.0), 101),
    ] {
        assert_eq!(judged(&of, RunEnd::Exit), samples);
        assert_eq!(judged(&of, RunEnd::Cut), 101);
        assert_eq!(judged(&of, RunEnd::Running), 101);
    }
    // Below a hundredth of the peak nothing is left, but three samples are.
    let empty = |left: f64, from: usize| move |i: usize| if i < from { 200.0 } else { left };
    assert_eq!(judged(&empty(1.9, 90), RunEnd::Exit), 90);
    assert_eq!(judged(&empty(2.0, 1), RunEnd::Exit), 101);
    assert_eq!(judged(&empty(1.9, 1), RunEnd::Exit), 3);
    assert_eq!(judged_samples(&[], None, &[], RunEnd::Exit), 0);
    // On a busy machine it takes longer, and by the bytes allocated it does not.
    let by_work = |at: usize, share: f64| {
        let allocated =
            curve(101, |i| if i <= at { 7.0 + i as f64 } else { 7.0 + at as f64 / share });
        judged_samples(&seconds(101), Some(&allocated), &curve(101, peak(at, 100.0)), RunEnd::Exit)
    };
    assert_eq!(
        [(84, 0.86), (84, 0.84), (70, 0.86), (69, 0.86)].map(|(at, share)| by_work(at, share)),
        [85, 101, 71, 101]
    );
    assert_eq!(by_work(85, 0.5), 86);
    // Bytes that do not change say nothing.
    let still = [7.0; 101];
    let total = curve(101, peak(84, 100.0));
    assert_eq!(judged_samples(&seconds(101), Some(&still), &total, RunEnd::Exit), 101);
}

#[test]
fn the_exit_is_what_falls_far_at_the_end_and_is_no_tooth() {
    let to_exit = |n: usize, of: &dyn Fn(usize) -> f64| {
        samples_to_exit(&seconds(n), None, &curve(n, of), RunEnd::Exit)
    };
    let ends_with = |n: usize, last: &[f64]| {
        let first = n - last.len();
        to_exit(n, &|i| if i < first { 100.0 } else { last[i - first] })
    };
    // One sample in twelve, and two at most, below half of the quarter before them.
    for (n, last, samples) in [
        (24, &[49.0, 49.0][..], 22),
        (24, &[50.0, 49.0], 24),
        (24, &[50.0, 50.0], 24),
        (48, &[49.0, 49.0, 49.0], 48),
        (23, &[49.0, 49.0], 23),
        (12, &[49.0], 11),
        (11, &[49.0], 11),
        (24, &[0.9, 0.9, 0.9, 0.9], 20),
        (24, &[1.0, 1.0, 1.0, 1.0], 24),
    ] {
        assert_eq!(ends_with(n, last), samples, "{n} {last:?}");
    }
    // The quarter before them has to be high, not all that was earlier.
    let low_at = |low: usize| {
        move |i: usize| {
            if i == low {
                60.0
            } else if i == 40 {
                40.0
            } else {
                100.0
            }
        }
    };
    assert_eq!((to_exit(41, &low_at(29)), to_exit(41, &low_at(30))), (40, 41));
    // It falls to the end by as much as it has fallen before, or by more than a quarter more.
    let saw = |tooth: f64| {
        to_exit(100, &|i| match i {
            50 => 1000.0 - tooth,
            95.. => 500.0,
            _ => 900.0 + i as f64,
        })
    };
    assert_eq!([60.0, 446.0, 447.0].map(saw), [95, 95, 100]);
    // A tooth is not what is empty.
    let emptied = |i: usize| if i >= 96 { 0.5 } else { 10.0 * (i % 10) as f64 };
    assert_eq!(to_exit(100, &emptied), 96);
    let cut = curve(101, |i| if i == 90 { 200.0 } else { 100.0 });
    assert_eq!(samples_to_exit(&seconds(101), None, &cut, RunEnd::Cut), 101);
    assert_eq!(samples_to_exit(&seconds(101), None, &cut, RunEnd::Exit), 91);
}

#[test]
fn a_gap_counts_as_three_usual_distances_at_most() {
    assert_eq!(busy_time(&[7.0, 9.0, 11.0, 31.0, 33.0]), [0.0, 2.0, 4.0, 10.0, 12.0]);
    assert_eq!(busy_time(&[7.0, 7.0, 7.0, 12.0]), [0.0, 0.0, 0.0, 5.0]);
    assert!(busy_time(&[]).is_empty());
}

#[test]
fn falls_are_measured_from_the_highest_before() {
    assert_eq!(deepest_fall(&[5.0, 3.0, 8.0, 2.0, 7.0, 4.0]), 6.0);
    assert_eq!(deepest_fall(&[1.0, 2.0]), 0.0);
    assert_eq!(range(&[5.0, 3.0, 8.0]), 5.0);
}

#[test]
fn a_band_that_grows_to_the_end_ends_near_its_highest() {
    let ends = |last: [f64; 3]| ends_high(&curve(10, |i| if i < 7 { 100.0 } else { last[i - 7] }));
    assert!(ends([0.0, 70.0, 0.0]) && ends([0.0, 0.0, 70.0]));
    assert!(!ends([0.0, 69.0, 69.0]) && !ends([70.0, 69.0, 69.0]));
    // A fifth of four samples is one.
    assert!(ends_high(&[1.0, 1.0, 1.0, 0.7]) && !ends_high(&[1.0, 1.0, 1.0, 0.6]));
}

#[test]
fn growth_has_stopped_if_an_eighth_of_it_is_level() {
    let stopped = |n: usize, exit: f64, of: &dyn Fn(usize) -> f64| {
        let values = curve(n, |i| 1e6 + 1e4 * of(i));
        has_stopped(&seconds(n), &values, 1e4 * of(n - 1), 1000.0 + exit)
    };
    let until = |level: usize| move |i: usize| i.min(level) as f64;
    // 12 seconds of a hundred.
    assert!(stopped(101, 100.0, &until(88)) && !stopped(101, 100.0, &until(89)));
    // Four samples.
    assert!(stopped(25, 40.0, &until(21)) && !stopped(25, 40.0, &until(22)));
    // The exit may be later than the last of them.
    assert!(stopped(101, 103.0, &until(90)) && !stopped(101, 102.0, &until(90)));
    // It changed with four of five samples before.
    let every = |still: usize| {
        move |i: usize| (i.min(85) - (i.min(85) / 5).min(still) + usize::from(i >= 85)) as f64
    };
    assert!(stopped(101, 100.0, &every(17)));
    let half = |i: usize| (i.min(85) / 2) as f64;
    assert!(!stopped(101, 100.0, &half));
    let nearly_half = |i: usize| half(i) + if i < 85 { 0.04 * (i % 2) as f64 } else { 0.0 };
    assert!(!stopped(101, 100.0, &nearly_half));
    // What moves by less than a thousandth stands still.
    let slightly = |i: usize| if i < 85 { i as f64 } else { 85.0 + 0.08 * (i % 2) as f64 };
    let more = |i: usize| if i < 85 { i as f64 } else { 85.0 + 0.12 * (i % 2) as f64 };
    assert!(stopped(101, 100.0, &slightly) && !stopped(101, 100.0, &more));
}

#[test]
fn a_band_falls_by_what_its_levels_fall_if_most_of_them_do() {
    let fall = |seconds: usize, levels: [f64; 8]| {
        let times = curve(seconds, |i| i as f64);
        steady_fall(&stretches(&times, 8), &curve(seconds, |i| levels[i * 8 / seconds]))
    };
    assert_eq!(fall(80, [90.0, 80.0, 70.0, 60.0, 50.0, 40.0, 30.0, 20.0]), 70.0);
    // Four of the 28 pairs ascend; with five they are too many.
    assert_eq!(fall(80, [60.0, 90.0, 80.0, 70.0, 50.0, 40.0, 20.0, 30.0]), 30.0);
    assert_eq!(fall(80, [50.0, 90.0, 80.0, 70.0, 60.0, 40.0, 20.0, 30.0]), 0.0);
    assert_eq!(fall(5, [90.0, 80.0, 70.0, 60.0, 50.0, 40.0, 30.0, 20.0]), 60.0);
    assert_eq!(fall(4, [90.0, 80.0, 70.0, 60.0, 50.0, 40.0, 30.0, 20.0]), 0.0);
}

/// A heap in which so many samples of a second are judged, all of them at first.
struct Run {
    times: Vec<f64>,
    axis: Vec<f64>,
    total: Vec<f64>,
}

impl Run {
    fn of(total: Vec<f64>) -> Run {
        let axis = curve(total.len(), |i| i as f64);
        Run { times: seconds(total.len()), axis, total }
    }

    fn heap(&self) -> Heap<'_> {
        Heap {
            times: &self.times,
            axis: &self.axis,
            total: &self.total,
            allocated: None,
            running: None,
            run: self.axis[self.axis.len() - 1],
            exit: self.times[self.times.len() - 1],
            cut: 0,
            clocks: 1,
            again: false,
            shapes: KnownShapes::default(),
        }
    }
}

/// A rise of a row by so many bytes since a sample, as certain as one that is likely must be.
fn rise(row: usize, bytes: f64, since: usize) -> Rise {
    let growth = Growth {
        manner: Manner::Steady,
        since,
        bytes,
        rate: 1.0,
        strength: 5.0,
        chance: 2.5e-8,
        late: 0.4,
    };
    let grower = Grower {
        row: Some(row),
        manner: Manner::Steady,
        bytes,
        rate: Slope::exactly(1.0),
        running_rate: Some(2.0),
        kept: Some(3.0),
        since,
        at_end: 0.0,
    };
    Rise { grower, growth }
}

#[test]
fn a_leak_is_likely_if_all_of_its_evidence_is_strong() {
    let run = Run::of(vec![1000.0; 101]);
    let grade = |samples: usize, bytes: f64, since: usize, change: &dyn Fn(&mut Growth)| {
        let run = Run::of(run.total[..samples].to_vec());
        let mut rise = rise(0, bytes, since);
        change(&mut rise.growth);
        run.heap().is_likely(&rise, bytes)
    };
    let as_is = |_: &mut Growth| {};
    assert!(grade(101, 200.0, 0, &as_is));
    assert!(!grade(101, 199.0, 0, &as_is), "less than a fifth of the mean heap");
    assert!(grade(101, 200.0, 60, &as_is) && !grade(101, 200.0, 61, &as_is));
    assert!(grade(30, 200.0, 0, &as_is) && !grade(29, 200.0, 0, &as_is));
    assert!(grade(31, 200.0, 11, &as_is) && !grade(31, 200.0, 12, &as_is));
    let weaker: [&dyn Fn(&mut Growth); 5] = [
        &|growth| growth.manner = Manner::Floors,
        &|growth| growth.manner = Manner::Doubling,
        &|growth| growth.strength = 4.9,
        &|growth| growth.chance = 2.6e-8,
        &|growth| growth.late = 0.39,
    ];
    for change in weaker {
        assert!(!grade(101, 200.0, 0, change));
    }
}

#[test]
fn growers_of_less_than_a_fiftieth_are_counted_but_not_named() {
    let run = Run::of(vec![1000.0; 101]);
    let finding = run.heap().finding(vec![rise(1, 19.0, 0), rise(2, 961.0, 0), rise(3, 20.0, 0)]);
    let rows: Vec<_> = finding.growers.iter().map(|grower| grower.row).collect();
    assert_eq!(rows, [Some(2), Some(3)]);
    assert_eq!((finding.growing, finding.bytes, finding.rate), (3, 1000.0, 3.0));
    assert_eq!((finding.running_rate, finding.kept), (Some(6.0), Some(9.0)));
}

#[test]
fn most_has_stopped_if_the_heap_grows_much_more_than_what_still_grows() {
    let stopped = |total: &dyn Fn(usize) -> f64, bytes: f64, since: usize| {
        Run::of(curve(101, total)).heap().most_has_stopped(&[rise(0, bytes, since)], bytes)
    };
    // The heap grew by 1000 in all, and by 500 in the second half.
    let line = |i: usize| 10.0 * i as f64;
    assert!(stopped(&line, 149.0, 0) && !stopped(&line, 151.0, 0));
    assert!(stopped(&line, 74.0, 50) && !stopped(&line, 76.0, 50));
    // It falls back by 40 of a hundred, or by 60.
    let back = |fall: f64| move |i: usize| line(i) - if (60..65).contains(&i) { fall } else { 0.0 };
    assert!(stopped(&back(450.0), 100.0, 0) && !stopped(&back(550.0), 100.0, 0));
    assert!(stopped(&|i| if i < 50 { 2000.0 } else { line(i) }, 50.0, 50));
}

#[test]
fn the_rest_falls_by_what_is_left_without_the_bands_that_rise() {
    // What the total is without the first row, in eight levels.
    let fell = |rest: [f64; 8], since: usize| {
        let row: Vec<f64> = curve(80, |i| 7.0 * i as f64);
        let total = curve(80, |i| row[i] + rest[i / 10]);
        let run = Run::of(total);
        let other = vec![1.0; 80];
        let changing =
            [(4, &row), (9, &other)].map(|(row, values)| Changing { row, values, ends_high: true });
        run.heap().fall_of_the_rest(&[rise(4, 1.0, since)], &changing)
    };
    assert_eq!(fell([90.0, 80.0, 70.0, 60.0, 50.0, 40.0, 30.0, 20.0], 0), 70.0);
    // Six of the 28 pairs ascend; with seven they are too many.
    assert_eq!(fell([60.0, 90.0, 80.0, 70.0, 50.0, 20.0, 30.0, 40.0], 0), 20.0);
    assert_eq!(fell([50.0, 90.0, 80.0, 70.0, 60.0, 20.0, 30.0, 40.0], 0), 0.0);
    // Only since the rise began.
    assert_eq!(fell([0.0, 0.0, 0.0, 90.0, 80.0, 70.0, 60.0, 50.0], 30), 40.0);
}

/// A heap of some bands, which are its rows.
fn evidence<'a>(times: &'a [f64], total: &'a [f64], candidates: &'a [Candidate]) -> Evidence<'a> {
    Evidence {
        times,
        allocated: None,
        running: None,
        total,
        candidates,
        judged: Judged::Bands,
        end: RunEnd::Exit,
    }
}

fn judged(bands: &[Vec<f64>]) -> Finding {
    let n = bands[0].len();
    let total = curve(n, |i| bands.iter().map(|band| band[i]).sum());
    let candidates: Vec<Candidate> = bands
        .iter()
        .enumerate()
        .map(|(row, values)| Candidate { row, values: values.clone() })
        .collect();
    judge(&evidence(&seconds(n), &total, &candidates))
}

#[test]
fn what_grows_stands_still_if_it_hardly_grows_in_the_last_eighth() {
    let still = |of: &dyn Fn(usize) -> f64, running: Option<&[f64]>| {
        let (times, band) = (seconds(101), Candidate { row: 5, values: curve(101, of) });
        let other = Candidate { row: 6, values: times.clone() };
        let (total, candidates) = (band.values.clone(), [other, band]);
        let finding = Run::of(total.clone()).heap().finding(vec![rise(5, 88.0, 0)]);
        let evidence = Evidence { running, ..evidence(&times, &total, &candidates) };
        stands_still(&evidence, &finding, 101)
    };
    // After 88 of 100 seconds it grows more slowly, with noise in every other sample.
    let slower = |slope: f64, noise: f64, spike: f64| {
        move |i: usize| {
            let sign = if i.is_multiple_of(2) { noise } else { -noise };
            100.0
                + i.min(88) as f64
                + slope * i.saturating_sub(88) as f64
                + sign
                + if i == 97 { spike } else { 0.0 }
        }
    };
    for (slope, noise, spike, expected) in [
        (0.0, 0.0, 0.0, true),
        // A 500th of all that it grew.
        (0.0270, 0.0, 0.0, true),
        (0.0275, 0.0, 0.0, false),
        // What noise may add to that: four times what it adds to a median.
        (0.14, 0.2, 0.0, true),
        (0.16, 0.2, 0.0, false),
        // And at most a 50th of all.
        (0.0, 1.5, 0.0, true),
        (0.0, 2.2, 0.0, false),
        // More than noise moves it.
        (0.02, 0.0, 3.0, true),
        (0.05, 0.2, 3.5, true),
        (0.05, 0.2, 5.0, false),
    ] {
        assert_eq!(still(&slower(slope, noise, spike), None), expected, "{slope} {noise} {spike}");
    }
    // The last eighth of the time that it ran outside of collections.
    let level = slower(0.0, 0.0, 0.0);
    let ran = |then: f64| curve(101, |i| i.min(85) as f64 + then * i.saturating_sub(85) as f64);
    assert!(still(&level, Some(&ran(1.0))) && !still(&level, Some(&ran(0.1))));
    // Four samples at least are late.
    let pause = curve(101, |i| if i < 100 { i as f64 } else { 1e6 });
    assert!(still(&level, Some(&pause)));
}

/// What grew most decides, since it began or over the whole run.
#[test]
fn what_grows_is_bounded_if_it_levels_off_by_the_work() {
    let (times, half) = (seconds(101), 50);
    let levels_off = |i: usize| 1e3 * (1.0 - libm::exp(-(i as f64) / 15.0));
    let rows = [
        curve(101, levels_off),
        curve(101, |i| levels_off(i.saturating_sub(half))),
        curve(101, |i| 1e3 * i as f64),
    ];
    let candidates: Vec<Candidate> =
        rows.into_iter().enumerate().map(|(row, values)| Candidate { row, values }).collect();
    let total = curve(101, |i| candidates.iter().map(|one| one.values[i]).sum());
    let is_bounded = |rises: &[(usize, f64, usize)]| {
        let rises = rises.iter().map(|&(row, bytes, since)| rise(row, bytes, since)).collect();
        let finding = Run::of(total.clone()).heap().finding(rises);
        is_bounded(&evidence(&times, &total, &candidates), &finding, &times)
    };
    assert!(is_bounded(&[(0, 2.0, 0), (2, 1.0, 0)]) && !is_bounded(&[(0, 1.0, 0), (2, 2.0, 0)]));
    assert!(is_bounded(&[(0, 2.0, half)]));
    assert!(is_bounded(&[(1, 2.0, half)]) && !is_bounded(&[(1, 2.0, 0)]));
}

#[test]
fn bands_that_grow_are_excused_if_others_fall_by_three_fifths_of_it() {
    let excuse = |falls: f64| {
        let rises = curve(100, |i| 1e5 + 1e5 * i as f64);
        let other = curve(100, |i| 2e7 - falls * 1e5 * i as f64);
        let finding = judged(&[rises, other]);
        assert_eq!(finding.leak == Leak::None, finding.excuse.is_some());
        finding.excuse
    };
    // Their levels are of eight stretches, not of twelve.
    assert_eq!(excuse(0.62), None);
    assert!(
        matches!(excuse(0.64), Some(Excuse::OthersFell(fell)) if (fell / 5.6e6 - 1.0).abs() < 0.01)
    );
}

/// The samples of a sawtooth do not rise like its lows, on any clock.
#[test]
fn a_sawtooth_grows_by_its_lows_in_the_time_that_passed() {
    let saw = curve(240, |i| 2e3 * (i / 8) as f64 + 1e4 * (i % 8) as f64);
    let run = Run::of(saw.clone());
    let grower = |running: &[f64], allocated: &[f64]| {
        let heap = Heap { running: Some(running), allocated: Some(allocated), ..run.heap() };
        heap.rise(None, &saw, &Demands::default(), 0.0).expect("growth").grower
    };
    let running = curve(240, |i| 0.5 * i as f64);
    let found = grower(&running, &vec![7.0; 240]);
    assert_eq!((found.manner, found.since, found.bytes), (Manner::Floors, 2, 59_000.0));
    assert_eq!((found.running_rate, found.kept), (Some(59_000.0 / 118.5), None));
}

#[test]
fn so_few_samples_show_only_what_rises_in_every_one_of_them() {
    let leak = |n: usize, pause: usize| {
        judged(&[curve(n, |i| 1e5 * (i + 1 - usize::from(i == pause)) as f64)]).leak
    };
    assert_eq!([10, 11, 14].map(|n| leak(n, 99)), [Leak::Unknown, Leak::Possible, Leak::Possible]);
    assert_eq!([11, 14].map(|n| leak(n, 5)), [Leak::Unknown; 2]);
    assert_eq!([15, 29, 30].map(|n| leak(n, 5)), [Leak::Possible, Leak::Possible, Leak::Likely]);
    // Only the band that grew most has to.
    let both = |most: usize, other: usize| {
        let band = |bytes: f64, pause: usize| {
            curve(14, move |i| bytes * (i + 1 - usize::from(i == pause)) as f64)
        };
        let found = judged(&[band(1e5, other), band(2e5, most)]);
        (found.leak, found.growing)
    };
    assert_eq!((both(99, 5), both(5, 99).0), ((Leak::Possible, 2), Leak::Unknown));
}

/// What comes after the exit is no evidence, however many samples it has.
#[test]
fn fewer_than_ten_samples_before_the_exit_are_unknown() {
    let leak = |before: usize| {
        let times =
            curve(before + 9, |i| if i < before { 10.0 * i as f64 } else { 10.0 * before as f64 });
        let total = curve(before + 9, |i| if i < before { 1e6 + 1e5 * i as f64 } else { 5e5 });
        judge(&evidence(&times, &total, &[])).leak
    };
    assert_eq!([9, 10].map(leak), [Leak::Unknown, Leak::None]);
}

/// A line in noise falls again and again, and the medians of its stretches do not.
#[test]
fn a_band_may_rise_if_it_or_its_medians_hardly_fall() {
    let noise = |i: usize| ((i * 37) % 11) as f64;
    assert!(may_rise(&curve(240, |i| i as f64 + 50.0 * noise(i))));
    assert!(!may_rise(&curve(240, noise)));
}

/// On a busy machine it may take a fifth of the time to give back what was built.
#[test]
fn what_is_given_back_without_allocating_is_the_exit() {
    let leak = |allocated: Option<&[f64]>| {
        let total = curve(100, |i| if i < 80 { 1e6 + 1e5 * i as f64 } else { 1e5 });
        let times = seconds(100);
        let band = Candidate { row: 0, values: total.clone() };
        judge(&Evidence { allocated, ..evidence(&times, &total, &[band]) }).leak
    };
    let works = curve(100, |i| 1e9 * i as f64);
    let idles = curve(100, |i| 1e9 * i.min(79) as f64 + 1e7 * i.saturating_sub(79) as f64);
    let leaks = [None, Some(&works[..]), Some(&idles)].map(leak);
    assert_eq!(leaks, [Leak::None, Leak::None, Leak::Likely]);
}

/// Bands that are too small to be judged are judged together.
#[test]
fn growth_of_the_whole_heap_is_looked_for_unless_it_fell() {
    let leak = |cut: usize| {
        let n = 100 - cut;
        let total = curve(100, |i| if i < n { 1e6 + 1e5 * i as f64 } else { 4e6 });
        judge(&evidence(&seconds(100), &total, &[])).leak
    };
    assert_eq!([0, 5, 6].map(leak), [Leak::Likely, Leak::Likely, Leak::None]);
}
