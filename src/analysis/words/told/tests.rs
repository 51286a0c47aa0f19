//! The headlines of heaps in which nothing is accused, and of those in which one band of several is.

use crate::analysis::testing::{Curve, curves, verdict};
use crate::analysis::{Analysis, Leak, Shape};
use crate::slice::Slice;

fn headline(bands: &[(&str, Curve<'_>)]) -> String {
    verdict(bands).headline().to_string()
}

#[test]
fn a_mountain_before_it_has_more_to_say_than_that_it_was_freed() {
    let then = |i: f64| match i {
        i if i < 50.0 => 1e6 + 1e5 * i,
        i if i < 98.0 => 1e6 + 8e4 * (i - 50.0),
        _ => 1e4,
    };
    let says = |curve: Curve<'_>, form: usize| {
        verdict(&[("a", curve)]).headline().forms()[form].to_string()
    };
    let rise = "grew until the program ended: +3.59 MiB";
    let all = "freed by the exit; before that 5.63 MiB at 49 s (a), freed";
    assert_eq!(says(&then, 0), format!("{rise} to 4.54 MiB from 50 to 97 s (a); {all}"));
    assert_eq!(
        says(&then, 6),
        format!("{rise} from 50 to 97 s (a); before that 5.63 MiB at 49 s (a)")
    );
    let small = |i: f64| if i < 50.0 { 3e4 * i } else { (then(i) - 99e4).max(1e4) };
    let says = says(&small, 2);
    assert!(says.ends_with(" (a); freed; before that 1.4 MiB at 49 s (a)"), "{says}");
}

#[test]
fn the_headline_says_what_a_heap_of_one_band_did() {
    let hill = |i: f64| if i < 60.0 { 1e5 * i } else { 0.0 };
    for (of, says) in [
        (&(|i: f64| 1e6 + 1e5 * i) as Curve<'_>, "likely leak: a grew by 9.4"),
        (&hill, "built up, then freed: +5.63 MiB until 59 s (a), nothing of it left at the end"),
        (
            &|i: f64| 1e6 + 1e6 * (i - 80.0).max(0.0),
            "climbs at the end: +18.1 MiB since 80 s (a), too short",
        ),
        (&|i: f64| 1e6 + 1e6 * (i % 25.0), "no leak: the heap rises and falls 3 times"),
        (
            &|i: f64| 1e6 + 1e5 * (i - 40.0).clamp(0.0, 40.0),
            "no leak: climbs by 3.72 MiB from 41 to 80 s",
        ),
        (
            &|i: f64| 1e5 * i.min(40.0),
            "no leak: climbs by 3.81 MiB until 40 s (a), then level near 3.82 MiB",
        ),
        (
            &|i: f64| {
                if i < 40.0 {
                    1e5 * i
                } else if i < 80.0 {
                    4e6
                } else {
                    0.0
                }
            },
            "built up, then freed: +3.81 MiB until 40 s (a), held until 79 s, nothing of it left",
        ),
        (
            &|i: f64| 1e6 + 1e6 * (i % 25.0) + 1e6 * (i / 25.0).floor(),
            "lows rise: from 1.91 MiB to 3.82 MiB (a +1.91 MiB); the heap rises and falls 3 times",
        ),
        (
            &|i: f64| if i < 60.0 { 1e5 * i } else { 1e5 + 2e5 * (i - 71.0).max(0.0) },
            "climbs at the end: +5.34 MiB since 71 s (a), too short to judge: run it longer; \
             before that 5.63 MiB at 59 s (a), freed",
        ),
        (
            &|i: f64| if i < 60.0 { 1e5 * i } else { 1e5 + 1e5 * (i - 79.0).max(0.0) },
            "built up again: +5.63 MiB by 59 s (a), +1.91 MiB at the end (a)",
        ),
        (
            &|i: f64| 3e6 + if i < 60.0 { 1e5 * i } else { 0.0 },
            "built up, then freed: +5.63 MiB to 8.49 MiB until 59 s (a), then level near 2.86 MiB",
        ),
        (
            &|i: f64| {
                1e5 * (i.min(70.0) - 2.8 * (i - 70.0).clamp(0.0, 10.0) + 2.0 * (i - 80.0).max(0.0))
            },
            "climbs at the end: +7.63 MiB since the start (a), with a fall by 2.67 MiB, too uneven to \
             judge: run it longer",
        ),
        (
            &|i: f64| 1e6 * libm::sqrt(i),
            "possible leak: a grew by 9.49 MiB since the start (98.1 KiB/s), slower and slower",
        ),
        (
            &|i: f64| 3e2 * i * i * i,
            "likely leak: a grew by 272 MiB since 27 s (3.78 MiB/s), faster and faster",
        ),
        (
            &|i: f64| {
                if i < 97.0 {
                    1e5 * i
                } else if i < 99.0 {
                    25e6
                } else {
                    1e4
                }
            },
            "grew until the program ended: +9.16 MiB steadily until 96 s (a); climbs by 14.7 MiB at the exit (a); freed by the exit",
        ),
        (
            &|i: f64| if i < 97.0 { 1e5 * i } else { 25e6 },
            "likely leak: a grew by 9.16 MiB since the start (97.7 KiB/s); climbs by 14.7 MiB at the exit",
        ),
        // It ends far below all that was there before.
        (
            &|i: f64| match i {
                i if i < 50.0 => 1e6 + 1e5 * i,
                i if i < 98.0 => 1e6 + 8e4 * (i - 50.0),
                _ => 1e4,
            },
            "grew until the program ended: +3.59 MiB to 4.54 MiB from 50 to 97 s (a); freed by the exit; \
             before that 5.63 MiB at 49 s (a), freed",
        ),
        // It falls for long before its exit.
        (
            &|i: f64| match i {
                i if i < 50.0 => 1e5 * i,
                i if i < 98.0 => 5e6 - 8e4 * (i - 50.0),
                _ => 1e4,
            },
            "built up, then freed: +4.77 MiB until 50 s (a), then falls to 1.18 MiB",
        ),
        // It doubles and rests, twice before it rests at first; without rests it is a start.
        (
            &|i: f64| match i as usize {
                0 => 1e6,
                1 => 2e6,
                2..8 => 4e6,
                8..30 => 8e6,
                30..60 => 16e6,
                _ => 32e6,
            },
            "built up: +29.6 MiB by doubling until 60 s (a), level for 39 s",
        ),
        (
            &|i: f64| 1e6 * (1 << (i as usize).min(5)) as f64,
            "no leak: climbs by 28.6 MiB until 5 s (a), then level near 30.5 MiB",
        ),
        // What wavers and climbs at the end is no level.
        (
            &|i: f64| match i as usize {
                0..60 => 36e3 * i,
                60..75 => 22e5 - 53e3 * (i - 60.0),
                _ => 14e5 + 33e3 * (i - 75.0),
            },
            "climbs at the end: +2.09 MiB since the start (a), with a fall by 781 KiB, too uneven",
        ),
        // The level after its last rise is long, so that it does not end with the rise.
        (
            &|i: f64| match i as usize {
                0..50 => 1e5 * i,
                50..70 => 1e5,
                _ => 1e5 + 2e5 * (i - 70.0).min(10.0),
            },
            "built up, then freed: +4.67 MiB by 49 s (a), +1.91 MiB by 80 s (a), 2 MiB left at the end",
        ),
        // It falls to its end as fast as before, which is no exit.
        (
            &|i: f64| if i < 85.0 { 12e4 * i } else { 1008e4 - 6e5 * (i - 84.0) },
            "built up, then freed: +9.61 MiB until 84 s (a), 1.03 MiB left at the end",
        ),
        // It sums up in its last sample what it built.
        (
            &|i: f64| if i < 99.0 { 1e5 * i.min(40.0) } else { 45e5 },
            "no leak: climbs by 3.72 MiB until 39 s (a), then level near 3.82 MiB",
        ),
        // Its highest sample is a late one of a level that wavers.
        (
            &|i: f64| {
                let wavers = if i == 70.0 { 32e4 } else { 2e4 * ((i * 5.0) % 12.0) };
                2e5 * i.min(5.0) + wavers
            },
            "no leak: climbs by 996 KiB until 5 s (a), then level between 978 KiB",
        ),
        // What its exit frees of a level is a quarter of it.
        (
            &|i: f64| if i < 98.0 { 1e5 * i.min(40.0) } else { 3e6 },
            "no leak: climbs by 3.81 MiB until 40 s (a), then level near 3.82 MiB, partly freed by the exit",
        ),
        // What its exit frees is a small part of all.
        (
            &|i: f64| if i < 98.0 { 3e7 + 1e5 * i } else { 3e7 },
            "grew until the program ended: a +9.25 MiB steadily until 97 s; freed by the exit",
        ),
        // It falls before it climbs during its exit.
        (
            &|i: f64| match i {
                i if i < 90.0 => 1e5 * i,
                i if i < 97.0 => 9e6 - 2e5 * (i - 90.0),
                i if i < 99.0 => 12e6,
                _ => 1e4,
            },
            "grew until the program ended: +8.58 MiB steadily until 90 s (a); climbs by 4.01 MiB at the exit (a)",
        ),
        // It falls and rises again on its way to the exit.
        (
            &|i: f64| match i {
                i if i < 88.0 => 1e5 * i,
                i if i < 91.0 => 88e5 - 1e6 * (i - 88.0),
                i if i < 98.0 => 58e5 + 4e5 * (i - 91.0),
                _ => 1e4,
            },
            "grew until the program ended: +8.39 MiB by 88 s (a), again to 7.82 MiB at 97 s (a); freed by the exit",
        ),
        // Teeth that are much smaller than the greatest are counted, too.
        (
            &|i: f64| {
                1e5 + 1e5 * (i % 10.0) * if (i as usize / 10).is_multiple_of(2) { 1.0 } else { 0.2 }
            },
            "no leak: the heap rises and falls 9 times, by up to 879 KiB (a); lows near 98.6 KiB",
        ),
        (
            &|i: f64| match i as usize {
                0..20 => 1e6,
                20..45 => 3e6,
                45..70 => 5e6,
                _ => 12e6,
            },
            "no leak: climbs by 10.5 MiB from 19 to 70 s (a), 6.68 MiB of it since 69 s, then level near 11.4 MiB",
        ),
        // It goes up and down, and has no way.
        (
            &|i: f64| match i {
                i if i < 20.0 => 1e6 + 1e5 * i,
                i if i < 30.0 => 3e6 - 1e5 * (i - 20.0),
                i if i < 50.0 => 2e6 + 1e5 * (i - 30.0),
                i if i < 60.0 => 4e6 - 14e4 * (i - 50.0),
                i if i < 70.0 => 26e5 + 24e4 * (i - 60.0),
                i => 5e6 - 1e5 * (i - 70.0),
            },
            "built up, then partly freed: up and down between 978 KiB and 4.77 MiB (a), highest at 70 s, 2 MiB at the end",
        ),
        // What its first sample holds was built up before it.
        (
            &|i: f64| match i as usize {
                0..20 => 12e6,
                20..40 => 1e5,
                40..60 => 1e5 + 3e5 * (i - 40.0),
                _ => 1e5,
            },
            "built up, then freed: 11.4 MiB by 19 s (a), +5.44 MiB from 40 to 59 s (a), nothing of it left",
        ),
        (
            &|i: f64| if i % 25.0 < 12.0 { 5e6 + 2e6 * (i / 25.0).floor() } else { 1e5 },
            "built up, then freed: +6.58 MiB at 25 s (a), +8.49 MiB at 50 s (a), +10.4 MiB at 75 s (a)",
        ),
        // Its first rise begins below its lows.
        (
            &|i: f64| if i < 10.0 { 8e5 * i } else { 4e6 + 4e6 * f64::from(i % 20.0 < 10.0) },
            "no leak: the heap rises and falls 5 times, by up to 3.81 MiB (a); lows near 3.82",
        ),
        // It makes much of its gain in a short time.
        (
            &|i: f64| 2e5 * i.min(20.0) + 4e4 * (i - 20.0).max(0.0),
            "possible leak: a grew by 6.83 MiB (3.81 MiB of it by 20 s) since the start (70.6 KiB/s)",
        ),
        (
            &|i: f64| 1e4 * i.min(90.0) + 2e5 * (i.min(60.0) - 50.0).clamp(0.0, 10.0),
            "no leak: climbs by 2.61 MiB from 8 to 82 s (a), 2 MiB of it from 50 to 60 s, then level near",
        ),
        // What falls back at once was not gained.
        (
            &|i: f64| 5e4 * i + if i == 50.0 { 2e6 } else { 0.0 },
            "climbs at the end: +4.72 MiB since the start (a), with a fall by 1.86 MiB",
        ),
        // It rises highest after it was freed where it does not rise by most.
        (
            &|i: f64| match i as usize {
                0..40 => 25e4 * i,
                40..45 => 6e6,
                45..60 => 95e5,
                60..75 => 5e5,
                75..85 => 75e5,
                _ => 5e5,
            },
            "built up, then freed: +9.3 MiB by 39 s (a), +3.34 MiB to 9.06 MiB at 45 s (a), +6.68 MiB at 75 s (a), 489 KiB left at the end",
        ),
        // What it held at first was higher than what it climbs to until the exit.
        (
            &|i: f64| match i as usize {
                0..40 => 6e6 + 1e5 * i,
                40..60 => 5e5,
                60..98 => 5e5 + 7e4 * (i - 59.0),
                _ => 1e4,
            },
            "built up again: +3.72 MiB to 9.44 MiB by 39 s (a), +2.47 MiB to 3.01 MiB at the end (a), freed by the exit",
        ),
        // It falls by less than a quarter before its exit, and rises by less.
        (
            &|i: f64| match i as usize {
                0..88 => 1e5 * i,
                88..91 => 87e5 - 6e5 * (i - 87.0),
                91..98 => 69e5 + 2e5 * (i - 90.0),
                _ => 1e4,
            },
            "grew until the program ended: +8.3 MiB by 87 s (a), again to 7.92 MiB at 97 s (a); freed by the exit",
        ),
        // It is level for long before its last climb.
        (
            &|i: f64| match i as usize {
                0..40 => 1e5 * i,
                40..52 => 1e5,
                52..95 => 8e5,
                _ => 8e5 + 22e4 * (i - 94.0),
            },
            "built up, then freed: +3.72 MiB by 39 s (a), +1.05 MiB to 1.81 MiB at the end (a)",
        ),
        // It falls deep, and rises by less than a quarter.
        (
            &|i: f64| match i as usize {
                0..50 => 1e5 * i,
                50..98 => 1e5 + 2e4 * (i - 50.0),
                _ => 1e4,
            },
            "built up, then freed: +4.67 MiB until 49 s (a), then falls to 98.6 KiB, up to 1017 KiB at the end, freed by the exit",
        ),
        // The higher one of those before comes first.
        (
            &|i: f64| match i as usize {
                10..20 => 4e6,
                30..40 => 6e6,
                _ => 1e5 + 2e5 * (i - 71.0).max(0.0),
            },
            "climbs at the end: +5.34 MiB since 71 s (a), too short to judge: run it longer; \
             before that 5.72 MiB at 30 s (a), 3.82 MiB at 10 s (a), freed",
        ),
        // The smallest of four mountains is only counted.
        (
            &|i: f64| match i as usize {
                10..20 => 3e6,
                30..40 => 1e7,
                50..60 => 35e5,
                70..80 => 4e6,
                _ => 1e5,
            },
            "built up, then freed: +9.44 MiB at 30 s (a), +3.24 MiB at 50 s (a), \
             +3.72 MiB at 70 s (a), 98.6 KiB left at the end",
        ),
        // Many smaller rises follow: the headline tells the two greatest of them.
        (
            &|i: f64| match i as usize {
                4..10 => 1e7,
                i if i > 15 && i < 90 && i % 14 < 6 => 3e6 + 1e5 * (i / 14) as f64,
                _ => 1e5,
            },
            "built up, then freed: +9.44 MiB at 4 s (a), +3.24 MiB at 70 s (a), +3.34 MiB at 84 s (a), 98.6 KiB left",
        ),
        // What climbs at the end is told beside many mountains.
        (
            &|i: f64| match i as usize {
                4..10 => 2e7,
                i if i > 15 && i < 85 && i % 14 < 6 => 7e6,
                _ => 1e5 + 1e6 * (i - 88.0).max(0.0),
            },
            "built up again: +19 MiB at 4 s (a), +6.58 MiB at 16 s (a), +10.5 MiB at the end (a)",
        ),
        // What was there in its first sample is freed.
        (
            &|i: f64| match i as usize {
                0..10 => 7e6 + 2e5 * i,
                10..40 => 9e6,
                40..50 => 1e5,
                _ => 1e5 + 1e6 * (i - 50.0).min(12.0),
            },
            "no leak: climbs by 11.4 MiB from 50 to 62 s (a), then level near 11.5 MiB; before that 8.58 MiB at 10 s (a), freed",
        ),
        // The level that is left is freed by its exit.
        (
            &|i: f64| match i as usize {
                0..60 => 3e6 + 1e5 * i,
                60..98 => 3e6,
                _ => 1e4,
            },
            "built up, then freed: +5.63 MiB to 8.49 MiB until 59 s (a), then level near 2.86 MiB, freed by the exit",
        ),
        // A spike at its end leads hardly higher than what it lost before.
        (
            &|i: f64| match i as usize {
                0..90 => 1e5 * i,
                90..96 => 6e6,
                96 | 97 => 95e5,
                _ => 1e4,
            },
            "grew until the program ended: +8.49 MiB by 89 s (a), again to 9.06 MiB at 96 s (a)",
        ),
        // It falls in the end as it did on its way.
        (
            &|i: f64| match i as usize {
                0..98 => {
                    14e5 * (i / 33.0).floor() + 2e5 * (i % 33.0).min(22.0)
                        - 27e4 * (i % 33.0 - 22.0).max(0.0)
                }
                _ => 1e4,
            },
            "grew until the program ended: +6.87 MiB until 88 s (a), with 2 falls by up to 2.86 MiB",
        ),
        // It quickens as a whole, and slows down beside its steep part.
        (
            &|i: f64| 5e4 * i.min(20.0) + 5e5 * (i - 85.0).max(0.0),
            "likely leak: a grew by 7.58 MiB (6.68 MiB of it since 85 s) since the start (79.2 KiB/s)",
        ),
        // It slows down all the time.
        (
            &|i: f64| 1e6 + 2e6 * libm::log1p(i / 2.0),
            "possible leak: a grew by 7.48 MiB since the start (77.4 KiB/s), slower and slower",
        ),
        // It goes on after it was nearly as high for a while.
        (
            &|i: f64| match i as usize {
                0..30 => 2e5 * i,
                30..38 => 58e5 + 35e3 * (i - 29.0),
                _ => 1e5,
            },
            "built up, then freed: +5.7 MiB until 34 s (a)",
        ),
        // A tooth after it is cut by its exit.
        (
            &|i: f64| match i as usize {
                0..80 => 1e5 * i,
                80..98 => 1e5 + 1e5 * (i - 80.0),
                _ => 1e4,
            },
            "built up, then freed: +7.53 MiB until 79 s (a), then falls to 98.6 KiB, up to 1.72 MiB",
        ),
        // It rises again, and is held for less than a fifth of the run.
        (
            &|i: f64| match i as usize {
                0..50 => 1e5 * i,
                50..80 => 1e5,
                _ => 1e5 + 1e5 * (i - 80.0).min(8.0),
            },
            "built up, then freed: +4.67 MiB until 49 s (a), then falls to 98.6 KiB, up to 880 KiB by 88 s, and held",
        ),
        // What rises again stops before its exit, which frees it.
        (
            &|i: f64| match i as usize {
                0..30 => 2e5 * i,
                30..50 => 1e5,
                50..88 => 1e5 + 6e4 * (i - 50.0),
                88..97 => 238e4,
                _ => 1e4,
            },
            "built up again: +5.53 MiB by 29 s (a), +2.12 MiB by 88 s (a), freed by the exit",
        ),
        // Or climbs on slowly.
        (
            &|i: f64| match i as usize {
                0..30 => 2e5 * i,
                30..50 => 1e5,
                50..88 => 1e5 + 6e4 * (i - 50.0),
                88..97 => 238e4 + 75e2 * (i - 88.0),
                _ => 1e4,
            },
            "built up again: +5.53 MiB by 29 s (a), +2.15 MiB by 92 s (a), freed by the exit",
        ),
        // What it begins with is a part of its first mountain.
        (
            &|i: f64| match i as usize {
                0..40 => 2e6 + 2e4 * i,
                40..55 => 1e5,
                _ => 1e5 + 2e5 * (i - 55.0).max(0.0) * f64::from(i < 97.0),
            },
            "grew until the program ended: +7.63 MiB from 56 to 96 s (a); freed by the exit; before that 2.65 MiB at 39 s (a), freed",
        ),
        // It slows down and is level for a short time.
        (&|i: f64| 1e5 * i.min(92.0), "built up: +8.77 MiB until 92 s (a), level for 7 s"),
        // Its last sample is a little higher.
        (
            &|i: f64| 1e5 * i.min(87.0) + if i == 99.0 { 5e5 } else { 0.0 },
            "built up: +8.11 MiB until 85 s (a), level for 14 s",
        ),
        // It is higher where its exit begins.
        (
            &|i: f64| match i as usize {
                0..40 => 2e5 * i,
                40..97 => 8e6,
                97 => 95e5,
                _ => 1e4,
            },
            "no leak: climbs by 7.44 MiB until 39 s (a), then level near 7.63 MiB; +1.43 MiB at the exit \
             (a), freed by the exit",
        ),
        // What is level falls in the end.
        (
            &|i: f64| match i as usize {
                0..40 => 2e5 * i,
                40..97 => 8e6,
                _ => 8e6 - 1e6 * (i - 96.0),
            },
            "no leak: climbs by 7.63 MiB until 40 s (a), then level near 7.63 MiB, partly freed by the exit",
        ),
        (&|_| 1e6, "no leak: the heap stays near 978 KiB"),
        (&|i: f64| 4e6 - 1e4 * i, "no leak: the heap falls from 3.82 MiB to 2.87 MiB"),
        (&|i: f64| 4e6 - 7e3 * i, "no leak: the heap stays between 3.15 MiB and 3.82 MiB"),
    ] {
        let found = headline(&[("b", &|_| 1000.0), ("a", of)]);
        assert!(found.starts_with(says), "{found}");
    }
}

#[test]
fn a_short_rise_at_the_end_leads_if_it_is_nearly_as_great_or_has_the_shape_of_the_end() {
    // By how much each sample gains from the 90th on, and what the last two hold.
    for (again, last, says, shape) in [
        (58e4, 1e4, "grew until the program ended: +4.43 MiB from 89 to 97 s", Shape::GrewToExit),
        (4e5, 1e4, "built up again: +4.58 MiB by 49 s", Shape::GrewToExit),
        (4e5, 4e6, "built up again: +4.58 MiB by 49 s", Shape::Grows),
        (2e5, 1e4, "built up again: +4.58 MiB by 49 s", Shape::BuiltUp),
    ] {
        let heap = |i: f64| match i as usize {
            0..50 => 1e5 * i,
            50..90 => 1e5,
            90..98 => 1e5 + again * (i - 89.0),
            _ => last,
        };
        let account = verdict(&[("a", &heap)]);
        let found = account.headline().to_string();
        assert!(found.starts_with(says), "{found}");
        assert_eq!(account.shape(), Some(shape), "{found}");
    }
}

#[test]
fn what_was_higher_for_most_of_the_run_says_how_high() {
    let peaks = |i: f64| match i as usize {
        5 => 9e6,
        30 | 70 => 5e6,
        _ => 5e5,
    };
    let mut account = verdict(&[("a", &peaks)]);
    let says = account.headline().to_string();
    assert!(says.ends_with(", 488 KiB left at the end"), "{says}");
    account.heights.usual = 1.1e6;
    let says = account.headline().to_string();
    assert!(says.ends_with(", then mostly near 1.05 MiB, 488 KiB left at the end"), "{says}");
}

#[test]
fn the_headline_says_who_of_several_bands_did_it() {
    let moves = headline(&[("in", &|i| 1e6 + 1e5 * i), ("out", &|i| 2e7 - 1e5 * i)]);
    assert!(moves.starts_with("no leak: the heap stays near 20 MiB; in +9.44 MiB"), "{moves}");
    let before_exit = |i: f64, bytes: f64| if i < 99.0 { bytes } else { 1e4 };
    let over =
        headline(&[("base", &|i| before_exit(i, 4e6)), ("in", &|i| before_exit(i, 5e3 * i))]);
    let says = "grew until the program ended: in +479 KiB steadily until 98 s, in a heap of 4.28 MiB; freed by the exit";
    assert!(over.starts_with(says), "{over}");
    // It is forced at the exit, to what is as high or a tenth higher.
    for (last, says) in [(98e5, ""), (112e5, "; climbs by 1.43 MiB at the exit (b)")] {
        let (before, after) = (
            |i: f64| if i < 98.0 { 1e5 * i } else { 1e4 },
            |i: f64| if i < 98.0 { 1e4 } else { last },
        );
        let forced = headline(&[("a", &before), ("b", &after)]);
        let until_exit = "grew until the program ended: +9.25 MiB steadily until 97 s (a)";
        assert_eq!(forced, format!("{until_exit}{says}"));
    }
    // Another band is large in the last sample: it is named last, but before others if it is the largest.
    let spike = |i: f64| if i == 98.0 { 6e6 } else { 1e4 };
    let spiked = headline(&[("up", &|i| before_exit(i, 5e4 * i)), ("spike", &spike)]);
    let says = "grew until the program ended: +10.1 MiB from 6 to 98 s (up, spike), 5.76 MiB of it since 97 s (spike); freed by the exit";
    assert_eq!(spiked, says);
    let (a, b) = (|i: f64| before_exit(i, 3e4 * i), |i: f64| before_exit(i, 25e3 * i));
    let largest = headline(&[("a", &a), ("b", &b), ("spike", &spike)]);
    assert!(largest.contains("(a, spike and 1 more)"), "{largest}");
    // Who made most of it, until another took its place.
    let early = |i: f64| 1e5 * i.min(80.0) - 799e4 * (i - 88.0).clamp(0.0, 1.0);
    let late = |i: f64| 9e6 * (i - 88.0).clamp(0.0, 1.0);
    let taken = headline(&[("early", &early), ("late", &late)]);
    assert!(taken.contains("(early, late)"), "{taken}");
    // It still holds some of it.
    let left = |i: f64| before_exit(i, 1e5 * i.min(80.0) - 5e5 * (i - 80.0).clamp(0.0, 9.0));
    let takes = |i: f64| before_exit(i, 7e5 * (i - 80.0).max(0.0));
    let taken = headline(&[("early", &left), ("late", &takes)]);
    assert!(taken.contains("(early, late)"), "{taken}");
    // Beside others who held more together, or one who held nearly as much, that is no news.
    for beside in [&[8e4, 8e4][..], &[94e3]] {
        let line = |rate: &f64| {
            let rate = *rate;
            move |i: f64| before_exit(i, rate * i)
        };
        let lines: Vec<_> = beside.iter().map(line).collect();
        let mut bands: Vec<(&str, Curve<'_>)> = vec![("early", &early), ("late", &late)];
        bands.extend(["x", "y"].into_iter().zip(lines.iter().map(|line| line as Curve<'_>)));
        let taken = headline(&bands);
        assert!(!taken.contains("early"), "{taken}");
    }
    let peaks = |i: f64| if (i + 10.0) % 30.0 < 4.0 { 1e7 } else { 1e5 };
    let besides = headline(&[("up", &|i| 1e6 + 1e4 * i), ("peaks", &peaks)]);
    let says = "; 3 peaks up to 11.3 MiB (peaks), freed";
    assert!(besides.ends_with(says), "{besides}");
    // It is high in its last samples only.
    let last = |i: f64| if (i + 24.0) % 30.0 < 4.0 { 1e7 } else { 1e5 };
    let besides = headline(&[("up", &|i| 1e6 + 1e4 * i), ("peaks", &last)]);
    assert!(!besides.contains("in a heap"), "{besides}");
    // It rises by less than what the lows of a sawtooth waver by; without a sawtooth, others take its place.
    let saw = |i: f64| 1e6 + 3e6 * ((i * 0.37) % 1.0) + 1e6 * ((i * 0.11) % 1.0);
    let under = headline(&[("up", &|i| 2e3 * i), ("saw", &saw)]);
    assert!(under.starts_with("possible leak: up grew by 193 KiB since the start"), "{under}");
    let gives = |i: f64| 4e6 - 2e3 * i;
    let level = headline(&[("up", &|i| 2e3 * i), ("gives", &gives)]);
    assert!(level.starts_with("no leak: the heap stays near 3.81 MiB"), "{level}");
    // A spike of others that the exit frees is no part of what is held.
    let spike = |i: f64| if i == 98.0 { 3e6 } else { 1e3 };
    let held = headline(&[("up", &|i| 1e5 * i), ("gives", &|i| 1e6 - 1e4 * i), ("spike", &spike)]);
    assert!(held.starts_with("likely leak: up grew by 9.35 MiB since the start"), "{held}");
    // What wavers beside a slow leak is no part of it.
    let wavers = |i: f64| 1e8 - 6e5 * f64::from(i > 40.0 && i < 75.0);
    let slow = headline(&[("up", &|i| 1e4 * i), ("wavers", &wavers)]);
    let says = "grows slowly: up grew by 967 KiB since the start (9.77 KiB/s), in a heap of";
    assert!(slow.starts_with(says), "{slow}");
    // Another band is a third of the growth, unless it made that in the first half.
    for (jumps, part) in [(72.0, ", 66 % of the heap's growth; jumps +4.77 MiB"), (40.0, "")] {
        let jump = |i: f64| if i < jumps { 0.0 } else { 5e6 };
        let also = headline(&[("up", &|i| 1e6 + 1e5 * i), ("jumps", &jump)]);
        let says = "likely leak: up grew by 9.44 MiB since the start (97.7 KiB/s)";
        assert_eq!(also, format!("{says}{part}"));
    }
    // It is less than half, and another gained more, which may be one that stays.
    let jump = |i: f64| if i < 88.0 { 0.0 } else { 8e6 };
    let less = headline(&[("up", &|i| 5e5 + 5e4 * i), ("jumps", &jump)]);
    let says = "possible leak: up grew by 4.72 MiB since the start (48.8 KiB/s), 38 % of the heap's growth; \
                jumps +7.63 MiB";
    assert_eq!(less, says);
    // From low to low of a sawtooth it is all of the growth, if the run ends within a tooth or not.
    let saw = |i: f64| 1e6 * (i % 15.0);
    let jump = |i: f64| 4e6 * f64::from(i > 50.0);
    let under = headline(&[("up", &|i| 1e6 + 1e5 * i), ("saw", &saw), ("jump", &jump)]);
    let says = "up grew by 9.44 MiB since the start (97.7 KiB/s), 69 % of the heap's growth";
    assert!(under.contains(says), "{under}");
    // Of what is accused, its steep part is what its own bands made.
    let early = |i: f64| 2e5 * i.min(20.0) + 4e4 * (i - 20.0).max(0.0);
    let steep = headline(&[("up", &early), ("once", &|i| 4e4 * i.min(20.0))]);
    assert!(steep.contains("up grew by 6.64 MiB (3.62 MiB of it by 20 s)"), "{steep}");
    // The heap falls by more than that, again and again.
    let peaks = headline(&[("up", &|i| 1e6 + 1e5 * i), ("saw", &|i| 2e6 * (i % 10.0))]);
    assert!(peaks.contains("; 9 peaks up to 27"), "{peaks}");
    // Several bands slow down together.
    let slows = |i: f64| 1e6 * (i + 1.0).sqrt().sqrt();
    let beside: [Curve<'_>; 2] = [&slows, &|i| 1e6 + 35e3 * i];
    let is_slow = beside.map(|beside| {
        let both = curves(40, &[("a", &|i| 1.1 * slows(i)), ("b", beside)]).finish();
        let both = Analysis::account_of(&Slice::whole(&both), &[]).headline().to_string();
        assert!(both.starts_with("possible leak: a and b grew by"), "{both}");
        both.ends_with(", slower and slower")
    });
    assert_eq!(is_slow, [true, false]);
    // What is lost at the exit grew under a sawtooth.
    let teeth = |i: f64| before_exit(i, 5e5 * (i % 10.0) + 1e6 * f64::from(i % 20.0 < 10.0));
    let under = headline(&[("teeth", &teeth), ("in", &|i| before_exit(i, 5e3 * i))]);
    assert!(under.ends_with("; in +479 KiB until the program ended"), "{under}");
    let under = verdict(&[("teeth", &teeth), ("in", &|i| before_exit(i, 3e4 * i))]);
    let says = "grew until the program ended: in +2.8 MiB; the heap rises and falls 9 times";
    assert!(under.headline().to_string().starts_with(says), "{}", under.headline());
    assert_eq!(under.shape(), Some(Shape::GrewToExit));
    // In few samples, who comes last is who made it.
    let spike = |i: f64, at: f64, bytes: f64| if (i - at).abs() < 0.5 { bytes } else { 1e4 };
    let took = headline(&[
        ("soon", &|i| spike(i, 51.0, 4e6)),
        ("last", &|i| spike(i, 52.0, 9e6) + spike(i, 53.0, 9e6)),
    ]);
    assert!(took.contains(" (last)"), "{took}");
    // All of it comes in the last sample.
    let last = verdict(&[("low", &|_| 1e4), ("last", &|i| 9e6 * f64::from(i > 98.0))]);
    assert_eq!((last.leak, last.shape()), (Leak::Unknown, Some(Shape::Grows)));
    let says =
        "climbs at the end: the heap stays near 9.77 KiB; climbs by 8.58 MiB at the exit (last)";
    assert_eq!(last.headline().to_string(), says);
    // It begins with what makes a tenth of it.
    let since =
        headline(&[("most", &|i| 1e6 + 1e6 * (i - 30.0).max(0.0)), ("little", &|i| 1e5 + 2e4 * i)]);
    assert!(since.contains(" and 1 more grew by 67.7 MiB since 29 s"), "{since}");
    // A band made a part of what grew until the program ended.
    let half = headline(&[
        ("base", &|i| before_exit(i, 9e6)),
        ("in", &|i| before_exit(i, 7e3 * i)),
        ("too", &|i| before_exit(i, 4e3 * i)),
    ]);
    assert!(half.contains("in a heap of 9.61 MiB, 64 % of the heap's growth"), "{half}");
    // It only takes the place of others.
    let gives = |i: f64| before_exit(i, 1e6 * i.min(10.0) - 1e5 * (i - 10.0).max(0.0));
    let takes = |i: f64| before_exit(i, 1e5 * i);
    let level = headline(&[("gives", &gives), ("takes", &takes)]);
    assert!(level.starts_with("no leak: climbs by 9.44 MiB until 10 s"), "{level}");
    // What was there before the growth is told with it.
    let base = headline(&[("up", &|i| 1e7 + 1e5 * i)]);
    let says = "likely leak: up grew by 9.44 MiB to 19 MiB since the start (97.7 KiB/s)";
    assert!(base.starts_with(says), "{base}");
    // Another holds what is left.
    let freed = |i: f64| if i < 70.0 { 1e5 * i } else { 0.0 };
    let left = headline(&[("freed", &freed), ("left", &|i| 2e6 * f64::from(i > 65.0))]);
    assert!(left.ends_with(" (freed, …), then level near 1.91 MiB (left)"), "{left}");
    // Who gains little is not who holds it.
    let base = headline(&[
        ("freed", &freed),
        ("base", &|_| 2e6),
        ("tiny", &|i| 3e5 * f64::from(i > 65.0)),
    ]);
    assert!(base.ends_with(" (freed), then level near 2.19 MiB"), "{base}");
    // Who made most of it in few samples takes the place of another.
    let few = curves(
        12,
        &[("first", &|i| 1e6 * i * f64::from(i < 5.0)), ("then", &|i| 5e6 * f64::from(i > 4.0))],
    );
    let few = Analysis::account_of(&Slice::whole(&few.finish()), &[]).headline().to_string();
    assert!(few.contains(" (first, then), then level near"), "{few}");
    // A rise goes on after a level, and another makes that.
    let early = |i: f64| before_exit(i, 3e5 * i.min(20.0));
    let late = |i: f64| before_exit(i, 5e4 * (i - 55.0).max(0.0));
    let goes_on = headline(&[("early", &early), ("late", &late)]);
    assert!(goes_on.contains(" (early, …), 1.86 MiB of it since 59 s (late)"), "{goes_on}");
    // What was built up is freed, and others take its place.
    let hill = |i: f64| if i < 90.0 { 1e5 * i } else { 0.0 };
    let others = |i: f64| if i < 90.0 { 1e6 } else { 1.2e7 };
    let evaluated = headline(&[("thunks", &hill), ("records", &others)]);
    assert!(evaluated.starts_with("built up: +10.5 MiB"), "{evaluated}");
    let slow = headline(&[("up", &|i| 1e6 + 1e4 * i), ("saw", &|i| 1e7 * (i % 60.0) / 60.0)]);
    assert!(slow.contains("up +"), "{slow}");
}
