//! The chart: what hovering shows, and choosing a part of the run.

use std::collections::HashSet;
use std::fs;

use heapviz::base::units::Nanos;
use heapviz::draw::XAxis;
use heapviz::profile::{ProfileBuilder, Source};
use heapviz::profile_view::ViewOptions;
use heapviz::report::ReportOptions;
use serde_json::{Value, json};

use crate::common::browser::{Browser, Held, Tab};
use crate::common::generator::Random;
use crate::{Plot, fragment, key, report, report_with, root, sample, table, text};

crate::in_chromium! {
    every_sample_opens_without_a_complaint,
    hovering_shows_the_numbers_of_the_json_export,
    an_axis_of_clock_time_has_the_times_of_the_day,
    hovering_repaints_only_what_follows_the_pointer,
    drag_wheel_overview_and_keys_choose_a_part_of_the_run,
    keys_move_the_crosshair_and_a_screen_reader_hears_it,
}

/// Bands whose labels are equal show their place in the source after the label.
fn shows_label(shown: &str, band: &Value) -> bool {
    let rest = shown.strip_prefix(band["label"].as_str().expect("a label"));
    rest.is_some_and(|place| place.is_empty() || place.starts_with(' '))
}

fn every_sample_opens_without_a_complaint(browser: &mut Browser) {
    for entry in fs::read_dir(root().join("samples")).expect("the samples") {
        let entry = entry.expect("an entry");
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.ends_with(".md") || entry.path().is_dir() {
            continue;
        }
        let report = report(&sample(&name));
        // With its first picture.
        assert!(report.len < 240_000, "{name}: {} bytes", report.len);
        let mut tab = browser.open(&report.path);
        tab.quiet();
        let rows = key(&mut tab);
        let bands = report.bands();
        // Suspects are at the bottom of a page; what its words name has the place of another band.
        assert!(rows.len() >= bands.len(), "{name}");
        let other = |row: &&(String, u64)| !bands.iter().any(|band| shows_label(&row.0, band));
        let missing = |band: &&Value| !rows.iter().any(|row| shows_label(&row.0, band));
        let (named, missing) = (rows.iter().filter(other).count(), bands.iter().filter(missing));
        assert!(named <= 3 && missing.count() <= named, "{name}: {rows:?}");
        let names: HashSet<&str> = rows.iter().map(|(label, _)| label.as_str()).collect();
        assert_eq!(names.len(), rows.len(), "{name}: two bands have one name");
        for tab_name in ["run", "bands"] {
            tab.click(&format!("#tab-{tab_name}"));
        }
    }
}

fn hovering_shows_the_numbers_of_the_json_export(browser: &mut Browser) {
    let samples =
        ["leak-hy.eventlog", "leak-hT.eventlog", "leak-hm.hp", "leak-hd.hp", "bands-hy.hp"];
    for (round, name) in samples.into_iter().enumerate() {
        let report = report(&sample(name));
        let json = &report.json;
        let numbers = |key: &str| -> Vec<f64> {
            json[key].as_array().expect("numbers").iter().filter_map(Value::as_f64).collect()
        };
        let (times, total) = (numbers("times_ns"), numbers("total"));
        // A .hp begins and ends with an empty sample, which is not drawn.
        let drawn = || times.iter().zip(&total).filter(|(_, total)| **total > 0.0);
        let mut tab = browser.open_at(&report.path, "", |tab| tab.resize(1300, 900));
        let plot = Plot::of(&mut tab);
        let mut random = Random::new(round as u64, "places");
        for _ in 0..10 {
            // Also beyond the first and last sample.
            let place = plot.from + (plot.to - plot.from) * random.below(1000) as f64 / 1000.0;
            tab.hover(plot.x(place).round(), plot.middle());
            let at: usize = tab.read("Number($('figures').dataset.sample)");
            let pixel = (plot.to - plot.from) / plot.width;
            let nearest =
                drawn().map(|(time, _)| (time - place).abs()).fold(f64::INFINITY, f64::min);
            assert!((times[at] - place).abs() <= nearest + 2.0 * pixel, "{name}: not the nearest");
            // In the page, what leads is at the bottom.
            for row in &key(&mut tab) {
                let band = report.bands().iter().find(|band| shows_label(&row.0, band));
                let band = band.unwrap_or_else(|| panic!("{name}: {}", row.0));
                assert_eq!(json!(row.1), band["residency"][at], "{name}: {} in sample {at}", row.0);
            }
            let figure = |tab: &mut Tab<'_>, kind: &str| {
                let script = format!(
                    "Number(document.querySelector('[data-figure={kind}]')?.dataset.bytes ?? -1)"
                );
                tab.evaluate(&script).as_f64().expect("a number")
            };
            assert_eq!(Some(figure(&mut tab, "total")), json["total"][at].as_f64(), "{name}");
            for kind in ["size", "live", "blocks"] {
                let points = json["heap"][kind].as_array().expect("points");
                let before = points.iter().rfind(|point| point[0].as_f64() <= Some(times[at]));
                let expected = before.map_or(-1.0, |point| point[1].as_f64().expect("bytes"));
                assert_eq!(figure(&mut tab, kind), expected, "{name}: {kind} in sample {at}");
            }
            let head = text(&mut tab, "#instant");
            let time = Nanos::from_nanos(times[at] as i64).to_string();
            assert!(head.starts_with(&time), "{name}: {head} for {time}");
        }
    }
}

fn an_axis_of_clock_time_has_the_times_of_the_day(browser: &mut Browser) {
    let profile = sample("leak-hT.eventlog");
    let mut options = ReportOptions::default();
    options.draw.x = XAxis::Clock;
    let report = report_with(&profile, &ViewOptions::default(), &options);
    let mut tab = browser.open(&report.path);
    tab.evaluate(
        "(() => { window.drawn = []; const draw = CanvasRenderingContext2D.prototype.fillText; \
         CanvasRenderingContext2D.prototype.fillText = function (text, ...rest) { \
         window.drawn.push(text); return draw.call(this, text, ...rest); } })()",
    );
    tab.resize(1290, 900);
    tab.wait_for("window.drawn.includes('clock time in UTC, 2026-11-20')");
    for label in ["23:55:33.0", "23:55:33.5", "23:55:34.5"] {
        let is_drawn = tab.evaluate(&format!("window.drawn.includes('{label}')"));
        assert_eq!(is_drawn, json!(true), "{label}");
    }
    let plot = Plot::of(&mut tab);
    tab.hover(plot.x((plot.from + plot.to) / 2.0).round(), plot.middle());
    let at: usize = tab.read("Number($('figures').dataset.sample)");
    let started = report.json["started_unix_ns"].as_i64().expect("a time");
    let time = started + report.json["times_ns"][at].as_i64().expect("a time");
    let words = heapviz::base::date::time_of(i128::from(time), 100_000_000);
    assert!(text(&mut tab, "#instant").starts_with(&format!("{words} UTC")), "{words}");
}

/// The bands stay painted while the pointer moves, and the highlighted one costs a few points per pixel
/// however many samples there are.
fn hovering_repaints_only_what_follows_the_pointer(browser: &mut Browser) {
    let mut builder = ProfileBuilder::new(Source::Eventlog);
    for sample in 0..20_000 {
        let sizes = (0..30).map(|band| 4_000 + sample * (band + 7) % 500);
        let bands = ('A'..='Z').map(String::from).chain((0..4).map(|band| format!("Band{band}")));
        let points: Vec<(String, u64)> = bands.zip(sizes).collect();
        builder.sample(
            100_000_000 * sample as i64,
            points.iter().map(|(name, size)| (&**name, *size)),
        );
    }
    let report = report(&builder.finish());
    let mut tab = browser.open_at(&report.path, "", |tab| tab.resize(1300, 900));
    tab.evaluate(
        "(() => { window.painted = { points: 0, bands: 0 }; for (const name of ['lineTo', 'fill', 'stroke', \
         'fillRect', 'drawImage']) { const paint = CanvasRenderingContext2D.prototype[name]; \
         CanvasRenderingContext2D.prototype[name] = function (...words) { if (this.canvas.id !== 'over') \
         painted.bands++; else if (name === 'lineTo') painted.points++; return paint.apply(this, words) } } })()",
    );
    let plot = Plot::of(&mut tab);
    let moves = 12;
    for step in 0..moves {
        let down = f64::from(step) / f64::from(moves);
        tab.hover(plot.left + plot.width / 2.0, plot.top + (0.4 + 0.6 * down) * plot.height);
    }
    assert_eq!(tab.evaluate("painted.bands"), json!(0));
    let points: f64 = tab.read("painted.points");
    let most = 5.0 * plot.width * f64::from(moves);
    assert!(points > plot.width && points < most, "{points} points, at most {most}");
}

fn drag_wheel_overview_and_keys_choose_a_part_of_the_run(browser: &mut Browser) {
    let report = report(&sample("leak-hy.eventlog"));
    let mut tab = browser.open_at(&report.path, "", |tab| tab.resize(1300, 900));
    let whole = Plot::of(&mut tab);
    let y = whole.middle();

    // What is dragged over is marked, and shown alone by a button.
    tab.drag((whole.x(5e8), y), (whole.x(1.4e9), y), Held::Nothing);
    assert_eq!(Plot::of(&mut tab).to, whole.to);
    let marked = crate::part(&mut tab);
    tab.click("#zoom-to");
    let zoomed = Plot::of(&mut tab);
    let pixel = (whole.to - whole.from) / whole.width;
    assert_eq!([zoomed.from, zoomed.to], marked);
    assert!((zoomed.from - 5e8).abs() < 2.0 * pixel && (zoomed.to - 1.4e9).abs() < 2.0 * pixel);
    // The figures are updated: the leak gains during the shown part.
    tab.wait_for("$('count').textContent.includes('figures of')");
    let leak = &table(&mut tab)["*"];
    let gained: f64 = leak["grew_bytes"].parse().expect("a number");
    assert!(gained > 1e6, "{leak:?}");

    let place = zoomed.x(7e8);
    // The chart does not have the focus, so the wheel scrolls the page.
    tab.evaluate("document.activeElement.blur()");
    tab.wheel((place, y), 40, Held::Nothing);
    assert_eq!(Plot::of(&mut tab).from, zoomed.from, "a page that is scrolled does not zoom");
    tab.wheel((place, y), -240, Held::Ctrl);
    let closer = Plot::of(&mut tab);
    assert!(closer.to - closer.from < 0.75 * (zoomed.to - zoomed.from));
    assert!((closer.x(7e8) - place).abs() < 1.5, "what is under the pointer stays there");
    assert!(fragment(&mut tab).contains("range="));

    tab.click("#reset");
    assert_eq!(Plot::of(&mut tab).to, whole.to);
    tab.click("#part-end");
    assert_eq!(fragment(&mut tab), "");

    // The handles under the chart mark a part of the run; what is between them moves along. With a zoom they are on an
    // overview.
    for range in ["", "range=2200000000+2400000000"] {
        tab.evaluate(&format!("location.hash = '{range}'"));
        tab.wait_for(&format!(
            "$('strip').className === 'strip{}'",
            if range.is_empty() { "" } else { " overview" }
        ));
        let (_, strip) = tab.place_of("#overview");
        let now = Plot::of(&mut tab);
        let run = Plot { from: whole.from, to: whole.to, ..now };
        let near = |part: [f64; 2], expected: [f64; 2]| {
            (0..2).all(|end| (part[end] - expected[end]).abs() < 3.0 * pixel)
        };
        tab.drag((run.x(1e9), strip), (run.x(2e9), strip), Held::Nothing);
        assert!(near(crate::part(&mut tab), [1e9, 2e9]), "{range}");
        tab.drag((run.x(2e9), strip), (run.x(1.8e9), strip), Held::Nothing);
        assert!(near(crate::part(&mut tab), [1e9, 1.8e9]), "{range}");
        tab.drag((run.x(1.5e9), strip), (run.x(1.7e9), strip), Held::Nothing);
        assert!(near(crate::part(&mut tab), [1.2e9, 2e9]), "{range}");
        assert_eq!(Plot::of(&mut tab).from, now.from, "the axis stays");
    }

    tab.evaluate("$('plot').focus()");
    tab.press("z");
    assert!((Plot::of(&mut tab).from - 1.2e9).abs() < 3.0 * pixel);
    tab.press("Escape");
    assert_eq!(Plot::of(&mut tab).from, 2.2e9, "what was done last is undone");
    tab.press("0");
    assert_eq!(Plot::of(&mut tab).from, whole.from);
    tab.press("+");
    let near = Plot::of(&mut tab);
    assert!(((near.to - near.from) / (whole.to - whole.from) - 0.5).abs() < 0.01);
}

fn keys_move_the_crosshair_and_a_screen_reader_hears_it(browser: &mut Browser) {
    let report = report(&sample("leak-hy.eventlog"));
    let mut tab = browser.open(&report.path);
    tab.evaluate("document.body.focus()");
    let focused = "document.activeElement.id || document.activeElement.dataset.view || document.activeElement.textContent";
    let mut order = Vec::new();
    for _ in 0..16 {
        tab.press("Tab");
        order.push(tab.evaluate(focused).as_str().expect("an element").to_owned());
    }
    let views =
        order.iter().position(|id| id == "stacked").expect("the views take part in tabbing");
    assert_eq!(&order[views..views + 3], ["stacked", "lines", "percent"], "{order:?}");
    let plot = order.iter().position(|id| id == "plot").expect("the plot takes part in tabbing");
    assert!(plot < 3, "{order:?}");

    tab.evaluate("$('plot').focus()");
    let now = |tab: &mut Tab<'_>| {
        tab.evaluate("Number($('plot').getAttribute('aria-valuenow'))").as_u64().expect("a number")
    };
    for (key, at) in
        [("Home", 1), ("ArrowRight", 2), ("ArrowRight", 3), ("ArrowLeft", 2), ("End", 51)]
    {
        tab.press(key);
        assert_eq!(now(&mut tab), at, "{key}");
    }
    tab.press("p");
    let peak = now(&mut tab) as usize - 1;
    let total = report.totals();
    assert_eq!(total[peak], *total.iter().max().expect("a peak"));
    let said = tab.evaluate("$('plot').getAttribute('aria-valuetext')");
    assert!(
        said.as_str().expect("words").starts_with("1.84 s: 14.8 MiB in all; Double 9.78 MiB"),
        "{said}"
    );
    tab.wait_for("$('live').textContent.startsWith('1.84 s')");
    tab.press("M");
    tab.wait_for("$('live').textContent.startsWith('phase')");
    let marker = tab.evaluate("document.querySelector('#bubble .marker').textContent");
    assert!(marker.as_str().expect("a text").starts_with("phase"), "{marker}");
    let time = report.json["times_ns"][now(&mut tab) as usize - 1].as_u64().expect("a time");
    assert!(
        (1_523_080_194..1_700_000_000).contains(&time),
        "the sample after the marker before: {time}"
    );
    // Select a layer upwards, isolate it, and undo that; before that, the crosshair was at the peak.
    let marked = fragment(&mut tab);
    tab.press("ArrowUp");
    tab.press("Enter");
    assert_eq!(key(&mut tab).len(), 1);
    tab.press("Escape");
    assert_eq!(key(&mut tab).len(), 11);
    assert_eq!(fragment(&mut tab), marked);
    tab.press("Escape");
    assert_eq!(now(&mut tab) as usize - 1, peak);
    tab.evaluate("location.hash = 'sort=total'");
    tab.wait_for("document.querySelector('[data-key=total]')?.ariaSort === 'descending'");
    tab.press("/");
    tab.settle();
    assert_eq!(tab.evaluate("document.activeElement.id"), json!("search"));
    tab.press("ArrowDown");
    assert_eq!(tab.evaluate("document.activeElement.dataset.index"), json!("0"));
    tab.press("ArrowDown");
    tab.press("Enter");
    assert_eq!(key(&mut tab)[0].0, "[]");
}
