//! Hostile names, and the largest supported sizes.

use heapviz::analysis::Analysis;
use heapviz::base::units::{Bytes, Nanos};
use heapviz::profile::{BandKeyRef, Breakdown, MarkerKind, ProfileBuilder, Source};
use heapviz::slice::Slice;
use serde_json::{Value, json};

use crate::common::browser::{Browser, Held, Tab};
use crate::common::generator::Breakdown as Generated;
use crate::{Plot, browser, copied, generated, key, report, table, text, zoom_in};

crate::in_chromium! {
    hostile_names_are_only_ever_text,
    profiles_of_almost_nothing_are_shown,
    amounts_beyond_exact_numbers_are_rounded,
    dense_samples_are_drawn_in_columns,
    a_band_without_a_curve_says_so_and_cannot_be_drawn,
}

fn hostile_names_are_only_ever_text(browser: &mut Browser) {
    let names = [
        "</script><script>window.hurt = 1</script>",
        "<!--<script>",
        "<img src=x onerror='window.hurt = 2'>",
        "\u{2028}window.hurt = 3\u{2029}",
        "\u{202e}gnp.exe \u{7}\u{1b}[31m",
        "__proto__",
        "constructor",
        "javascript:window.hurt=4",
        "𝕳𝖆𝖘𝖐𝖊𝖑𝖑 λ→∷",
        "",
        "=cmd|' /C calc'!A0",
    ];
    for breakdown in [
        Breakdown::Type,
        Breakdown::Retainer,
        Breakdown::Biography,
        Breakdown::Era,
        Breakdown::CostCentre,
    ] {
        let mut builder = ProfileBuilder::new(Source::Eventlog);
        builder.metadata.job = Some(names[0].to_owned());
        builder.metadata.arguments = names.map(str::to_owned).to_vec();
        builder.declare_breakdown(breakdown);
        for time in 1..20 {
            builder.sample(
                1_000_000 * time as i64,
                names.iter().enumerate().map(|(i, name)| (name, 1000 * (i as u64 + 1) * time)),
            );
            builder.marker(
                Nanos::from_nanos(900_000 * time as i64),
                names[time as usize % names.len()].to_owned(),
                MarkerKind::Marker,
            );
        }
        let report = report(&builder.finish());
        let mut tab = browser.open(&report.path);
        let shown: Vec<String> = key(&mut tab).into_iter().map(|(name, _)| name).collect();
        for band in report.bands() {
            let label = band["label"].as_str().expect("a label");
            let visible = heapviz::base::text::visible(label);
            let expected = if label.is_empty() { "(no name)" } else { &visible };
            assert!(shown.iter().any(|name| name == expected), "{label:?} in {shown:?}");
        }
        // A spreadsheet would run a cell that begins like a formula.
        let csv = copied(&mut tab, "#copy-csv");
        assert!(csv.contains("\n'=cmd|' /C calc'!A0,"), "{csv}");
        tab.press("/");
        for row in 1..=3 {
            tab.click_with(&format!("#rows .row:nth-child({row})"), Held::Shift);
        }
        tab.click("#tab-run");
        assert_eq!(tab.evaluate("window.hurt ?? null"), Value::Null);
        assert_eq!(tab.evaluate("document.images.length + document.scripts.length"), json!(1));
    }
}

fn amounts_beyond_exact_numbers_are_rounded(browser: &mut Browser) {
    let mut builder = ProfileBuilder::new(Source::Hp);
    builder.declare_breakdown(Breakdown::Type);
    for time in 0..20 {
        builder.sample(
            time * 1_000_000_000,
            [(&b"much"[..], 1 << 62), (b"little", 1000)]
                .map(|(name, size)| (name, if (5..=10).contains(&time) { size } else { 96 })),
        );
    }
    let report = report(&builder.finish());
    let mut tab = browser.open(&report.path);
    let amounts = |tab: &mut Tab<'_>| {
        tab.settle();
        let total = text(tab, "#figures [data-figure=total]");
        (total, text(tab, "#layers li .bytes"), text(tab, "#layers li .share"))
    };
    let much = "4 EiB".to_owned();
    assert_eq!(amounts(&mut tab), (much.clone(), much.clone(), much));
    // The samples after the peak are not shifted by it, but for the rounding.
    tab.evaluate("location.hash = 'at=15s'");
    tab.wait_for("$('instant').textContent.startsWith('15 s')");
    let after = amounts(&mut tab);
    assert!(after.0.ends_with(" B") && after.1.ends_with(" B"), "{after:?}");
    assert!(text(&mut tab, "#run-facts").contains("add up to more than 16 EiB"));
}

fn profiles_of_almost_nothing_are_shown(browser: &mut Browser) {
    let (types, centres) = (Breakdown::Type, Breakdown::CostCentre);
    // Samples, bands, and the bytes of each band in each sample.
    for (samples, bands, size, breakdowns) in [
        (0, 0, 0, &[types, centres][..]),
        (1, 1, 5, &[centres]),
        (1, 3, 0, &[types]),
        (2, 1, u64::MAX, &[centres]),
        (40, 0, 0, &[centres]),
    ] {
        for &breakdown in breakdowns {
            let mut builder = ProfileBuilder::new(Source::Hp);
            builder.declare_breakdown(breakdown);
            for time in 0..samples {
                for band in 0..bands {
                    let name = format!("(1)band{band}/main");
                    let band = builder.band(BandKeyRef::Name(name.as_bytes())).expect("a band");
                    builder.point(band, Bytes::new(size));
                }
                builder.seal_sample(Nanos::from_nanos(if time == 1 { i64::MAX } else { time }));
            }
            let report = report(&builder.finish());
            let mut tab = browser.open(&report.path);
            let plot = Plot::of(&mut tab);
            tab.hover(plot.left + plot.width / 2.0, plot.middle());
            tab.drag(
                (plot.left + 9.0, plot.middle()),
                (plot.left + 99.0, plot.middle()),
                Held::Nothing,
            );
            zoom_in(&mut tab);
            for selector in ["[data-view='lines']", "#reset", "[data-view='percent']"] {
                tab.click(selector);
            }
            if breakdown == Breakdown::CostCentre {
                tab.click("#tab-tree");
            }
            crate::click_in_menu(&mut tab, "#to-peak");
        }
    }
}

#[test]
#[ignore = "takes half a minute: .ci/nightly runs it"]
fn the_largest_reports_are_small_and_quick() {
    let mut browser = browser();
    // Bands, samples, bytes: every value has its own noise, which no real program has. Each begins with its picture.
    let sizes = [
        (Generated::Type, 100, 1_000, 600_000),
        (Generated::InfoTable, 25_000, 300, 1_750_000),
        (Generated::CostCentre, 1_000, 8_000, 3_000_000),
    ];
    for (breakdown, bands, samples, most) in sizes {
        let report = report(&generated(breakdown, bands, samples));
        assert!(report.len <= most, "{bands} x {samples}: {} bytes", report.len);
        let Some(browser) = &mut browser else { continue };
        let mut tab = browser.open_at(&report.path, "", |tab| tab.resize(1400, 1000));
        let drawn = tab.evaluate("Number(document.documentElement.dataset.drawn)");
        // A loose limit, because the machine may be busy.
        assert!(drawn.as_f64() < Some(3000.0), "drawn after {drawn} ms");
        let count = text(&mut tab, "#count").replace('\u{202f}', "");
        let shown: Option<u32> = count.split(' ').find_map(|word| word.parse().ok());
        let shown = shown.expect("a number");
        assert!((bands.min(5_000)..=bands.min(5_100)).contains(&shown), "{count:?}");

        // Scrolling reaches the last row, and only a few rows exist at any time.
        tab.evaluate("$('rows').scrollTop = 1e9");
        tab.settle();
        let last =
            format!("document.querySelector('#rows .row[data-index=\"{}\"]') !== null", shown - 1);
        tab.wait_for(&last);
        assert!(tab.evaluate("document.querySelectorAll('#rows .row').length").as_u64() < Some(60));
        tab.click("[data-key='growth'] button");

        // The drawn layers are exact at every zoom level.
        let plot = Plot::of(&mut tab);
        tab.drag(
            (plot.left + 0.4 * plot.width, plot.middle()),
            (plot.left + 0.42 * plot.width, plot.middle()),
            Held::Nothing,
        );
        tab.click("#zoom-to");
        tab.hover(plot.left + 0.5 * plot.width, plot.middle());
        let at: usize = tab.read("Number($('figures').dataset.sample)");
        // What is accused is first in the key.
        let bands = report.bands();
        let mut compared = 0;
        for (name, bytes) in key(&mut tab) {
            // What is accused is drawn in place of the smallest bands, so OTHER is another one.
            let band = bands.iter().find(|band| band["label"] == name);
            if let Some(band) = band.filter(|_| name != "OTHER") {
                assert_eq!(json!(bytes), band["residency"][at], "{name}");
                compared += 1;
            }
        }
        assert!(compared >= 10, "only {compared} bands of the key were found");
        let redraw = tab.evaluate("Number($('plot').dataset.drawMs)");
        assert!(redraw.as_f64() < Some(100.0), "{redraw} ms for a picture");
    }
}

/// The smallest of many bands have exact figures, but no curve.
fn a_band_without_a_curve_says_so_and_cannot_be_drawn(browser: &mut Browser) {
    let profile = generated(Generated::Type, 3_000, 300);
    let report = report(&profile);
    let mut tab = browser.open_at(&report.path, "", |tab| tab.resize(1400, 900));
    let runs = text(&mut tab, "#run-facts");
    assert!(runs.contains("have figures of the whole run, but no curve"), "{runs}");
    // The smallest first.
    for _ in 0..2 {
        tab.click("[data-key='peak'] button");
    }
    tab.click("#rows .row[data-index='0']");
    let shown = tab.evaluate(
        "[document.querySelector('#details').innerText.includes('no curve of it'), \
          document.querySelector('#details .buttons button').hidden, document.querySelectorAll('#layers li').length > 5]",
    );
    assert_eq!(shown, json!([true, true, true]));
    let name = text(&mut tab, "#details .band-name span:nth-child(2)");
    let slice = Slice::whole(&profile);
    let band = slice.rows().find(|&row| slice.label(row) == name).expect("its row");
    let peak = Analysis::new(&slice, &[]).figures.bands[band.index()].peak;
    assert_eq!(table(&mut tab)[&name]["peak_bytes"], peak.to_string());
    // A part has figures only for bands that have a curve.
    tab.evaluate("location.hash += '&range=0+1000000000'");
    tab.wait_for("document.querySelector('#details .facts').innerText.includes('gained')");
    let facts = text(&mut tab, "#details .facts");
    assert!(facts.contains("–") && !facts.contains("NaN"), "{facts}");
}

/// Samples closer together than pixels: bands remain visible, and the highest sample keeps its height.
fn dense_samples_are_drawn_in_columns(browser: &mut Browser) {
    let mut builder = ProfileBuilder::new(Source::Eventlog);
    builder.declare_breakdown(Breakdown::Type);
    let samples = 6000u64;
    for sample in 0..samples {
        for band in 0..6u64 {
            let id = builder.band(BandKeyRef::Name(format!("band{band}").as_bytes()));
            let noise = (sample * 7919 + band * 104_729) % 1000;
            let peak = if sample == 3000 { 900_000 } else { 0 };
            builder.point(id.expect("a band"), Bytes::new(1_000_000 + 100 * noise + peak));
        }
        builder.seal_sample(Nanos::from_nanos(1_000_000 * sample as i64));
    }
    let report = report(&builder.finish());
    let mut tab = browser.open_at(&report.path, "", |tab| tab.resize(1280, 900));
    // Below the least total every pixel must have a band's colour, and above the peak no pixel may.
    let measured = tab.evaluate(
        "(() => {
           const plot = $('plot');
           const [left, top, width, height] = plot.dataset.box.split(' ').map(Number);
           const yOf = (bytes) => top + height - (bytes / Number(plot.dataset.top)) * height;
           const count = (data, test) => {
             let found = 0;
             for (let i = 0; i < data.length; i += 4) if (test(data[i], data[i + 1], data[i + 2])) found += 1;
             return found / (data.length / 4);
           };
           const grey = (r, g, b) => Math.max(r, g, b) - Math.min(r, g, b) < 25;
           const floor = yOf(6000000) + 2;
           const stack = painted('base', left + 4, floor, width - 8, top + height - floor - 3).data;
           const ratio = $('base').width / plot.getBoundingClientRect().width;
           const column = painted('base', left + width / 2 - 3, 0, 6, yOf(6e6)).data;
           let first = -1;
           for (let i = 0; i < column.length && first < 0; i += 4) {
             const y = Math.floor(i / 4 / Math.round(6 * ratio)) / ratio;
             if (y > top + 2 && column[i + 3] > 40 && column[i] < 190) first = y;
           }
           return [Number(plot.dataset.columns), count(stack, grey), first - yOf(REPORT_PEAK)];
         })()"
            .replace("REPORT_PEAK", &report.peak().to_string())
            .as_str(),
    );
    let number = |i: usize| measured[i].as_f64().expect("a number");
    assert!(number(0) >= 10.0, "samples a column: {measured}");
    assert!(number(1) < 0.02, "the share of the stack that has no band's colour: {measured}");
    assert!(number(2).abs() <= 2.0, "pixels between the peak and its edge: {measured}");
    // When zoomed in far enough, every sample is drawn.
    tab.evaluate("location.hash = 'range=1000000000+1060000000'");
    tab.wait_for("$('plot').dataset.columns === '0'");
}
