//! Light and dark themes, narrow windows, printing; and the pictures in the guide.

use std::fs;

use heapviz::base::units::{Bytes, Nanos};
use heapviz::input::InputOptions;
use heapviz::profile::{BandKeyRef, ProfileBuilder, Source};
use serde_json::json;

use crate::common::browser::{Browser, Tab};
use crate::parts::PROF;
use crate::{
    Plot, browser, click_in_menu, common, key, pixel, report, report_of_comparison, report_of_runs,
    root, sample, text, zoom_in,
};

crate::in_chromium! {
    dark_phone_and_paper_are_fit_to_be_read,
    headline_and_facts_are_never_cut,
    nothing_keeps_a_reader_out,
    no_number_in_the_table_is_cut,
    chart_and_table_are_seen_together_and_the_chart_has_half_of_the_window,
    a_part_without_samples_is_shaded,
    other_stays_in_sight_below_a_long_key_and_a_higher_table_has_more_rows,
    the_runtime_panels_are_drawn_on_request_and_left_out_when_empty,
}

fn chart_and_table_are_seen_together_and_the_chart_has_half_of_the_window(browser: &mut Browser) {
    // Without and with panels, and with labels of markers above.
    for (name, sizes) in [
        (
            "hlint-hT.hp.gz",
            &[(1280, 650), (1280, 800), (1366, 768), (1920, 1080), (2560, 1440)][..],
        ),
        ("server-hT.hp.gz", &[(1280, 800)]),
        ("words-lazy.eventlog.gz", &[(1280, 800)]),
        ("leak-hT.eventlog", &[(1280, 800)]),
    ] {
        let report = report(&sample(name));
        let mut tab = browser.open(&report.path);
        for &(width, height) in sizes {
            tab.resize(width, height);
            let [plot, stage, wide, inside, rows, over]: [f64; 6] = tab.read(
                "(() => { const of = (id) => $(id).getBoundingClientRect(); const [, , width, height] = \
                 $('plot').dataset.box.split(' '); const stage = \
                 document.querySelector('.stage').getBoundingClientRect(); return [of('plot').height / innerHeight, \
                 stage.width / innerWidth, of('plot').width / innerWidth, width * height / innerWidth / innerHeight, \
                 (innerHeight - of('rows').top) / document.querySelector('#rows .row').offsetHeight, \
                 document.documentElement.scrollWidth - innerWidth] })()",
            );
            let at = format!("{name}, {width}x{height}");
            assert!(plot >= 0.45 && stage > 0.94 && wide > 0.7, "{at}: {plot} {stage} {wide}");
            assert!(
                height != 800 || inside >= 0.4,
                "{at}: {inside} of the window is inside the axes"
            );
            assert!(rows >= 3.0 && over <= 0.0, "{at}: {rows} rows, {over} pixels too wide");
        }
        // What grows has its row in the key beside it, half-way up.
        let apart = "(() => { const rows = $$('#layers li').map(row => row.getBoundingClientRect()); \
                     return rows.at(-1).top - rows.at(-2).bottom })()";
        let apart = tab.evaluate(apart).as_f64();
        assert!(name != "words-lazy.eventlog.gz" || apart > Some(100.0), "{apart:?}");
    }
}

fn a_part_without_samples_is_shaded(browser: &mut Browser) {
    let mut builder = ProfileBuilder::new(Source::Eventlog);
    let band = builder.band(BandKeyRef::Name(b"a")).expect("a band");
    for second in (0..20).chain(50..60) {
        builder.point(band, Bytes::new(1 << 20));
        builder.seal_sample(Nanos::from_nanos(second * 1_000_000_000));
    }
    let report = report(&builder.finish());
    let mut tab = browser.open(&report.path);
    assert_eq!(tab.evaluate("$('plot').dataset.gaps"), json!("1"));
    let plot = Plot::of(&mut tab);
    let mut at =
        |second: f64| pixel(&mut tab, (plot.x(second * 1e9), plot.top + 0.7 * plot.height));
    assert_eq!(at(25.0), at(45.0));
    assert_eq!(at(10.0), at(55.0));
    assert_ne!(at(10.0), at(25.0));
}

fn other_stays_in_sight_below_a_long_key_and_a_higher_table_has_more_rows(browser: &mut Browser) {
    let report = report(&sample("bands-hy.hp"));
    let mut tab = browser.open_at(&report.path, "", |tab| tab.resize(1300, 700));
    let seen = "(() => { const key = $('layers'); const box = key.getBoundingClientRect(); const row = \
                key.querySelector('.other').getBoundingClientRect(); return [key.scrollHeight > key.clientHeight + \
                row.height, row.top >= box.top && row.bottom <= box.bottom + 1] })()";
    assert_eq!(tab.evaluate(seen), json!([true, true]));
    // The table has the whole width until a band is chosen.
    tab.holds("$('details').hidden");
    tab.resize(1300, 900);
    let resize = "getComputedStyle($('rows')).resize";
    assert_eq!(tab.evaluate(resize), json!("vertical"));
    // There is a row at the lower end of the table.
    let filled = "(() => { const box = $('rows').getBoundingClientRect(); return $$('#rows \
                  .row:not([hidden])').some(row => { const at = row.getBoundingClientRect(); return at.top < \
                  box.bottom && at.bottom >= box.bottom - 1 && row.querySelector('.name').textContent !== '' }) })()";
    tab.holds(filled);
    for height in [700, 1500] {
        tab.evaluate(&format!("$('rows').style.height = '{height}px'"));
        tab.settle();
        assert_eq!(tab.evaluate(filled), json!(true), "{height} pixels");
    }
}

fn the_runtime_panels_are_drawn_on_request_and_left_out_when_empty(browser: &mut Browser) {
    let with = report(&sample("leak-hT.eventlog"));
    let gc = &with.json["runtime"]["gc"];
    let mut tab = browser.open_at(&with.path, "", |tab| tab.resize(1300, 1000));
    let said = text(&mut tab, "#run-facts");
    let productive = gc["productivity_percent"].as_f64().expect("a share");
    assert!(said.contains(&format!("collector: {} pauses", gc["collections"])), "{said}");
    assert!(said.contains(&format!("productivity {productive:.1} %")), "{said}");
    tab.holds("$('panels').hidden");
    click_in_menu(&mut tab, "#draw-panels");
    // Lines of the grid have one height everywhere; what is drawn on them does not.
    let painted = "(() => { const [left, , width] = $('plot').dataset.box.split(' ').map(Number); const rows = \
         Math.floor($('panels-canvas').clientHeight / 84); return Array.from({ length: rows }, (_, i) => { const part \
         = painted('panels-canvas', left, i * 84 + 20, width, 60); const heights = new Set(); for (let x = 0; x < \
         part.width; x++) { let height = 0; for (let y = 0; y < part.height; y++) height += part.data[4 * (y * \
         part.width + x) + 3] > 0; heights.add(height) } return heights.size > 3 }) })()";
    tab.wait_for("$('panels-canvas').clientHeight > 0");
    tab.settle();
    // Pauses, productivity, memory, allocation.
    assert_eq!(tab.evaluate(painted), json!([true, true, true, true]));
    // The crosshair of the chart goes through the panels and says their values.
    let plot = Plot::of(&mut tab);
    tab.hover(plot.x(1e9), plot.middle());
    let values = "$('panels-over').dataset.values ?? ''";
    tab.wait_for(&format!(
        "/productivity: [\\d.]+ %; memory held .*: [\\d.]+ MiB against/.test({values})"
    ));
    // It goes through the overview, too, which shows the whole run.
    zoom_in(&mut tab);
    let zoomed = Plot::of(&mut tab);
    tab.hover(zoomed.x(1e9), zoomed.middle());
    tab.settle();
    let mark: f64 = tab.read("$('strip-mark').getBoundingClientRect().x");
    let (first, last) = (plot.left - 1.0, plot.left + plot.width);
    assert!(mark > first && mark < last && (mark - plot.x(1e9)).abs() < 12.0, "{mark}");
    drop(tab);
    let without = report(&sample("bands-hy.hp"));
    let mut tab = browser.open(&without.path);
    tab.holds("$('panels').hidden");
}

fn dark_phone_and_paper_are_fit_to_be_read(browser: &mut Browser) {
    let report = report(&sample("leak-hT.eventlog"));
    for (scheme, expected) in [("light", "rgb(255, 255, 255)"), ("dark", "rgb(13, 17, 23)")] {
        let prefer = |tab: &mut Tab<'_>| tab.prefer(&[("prefers-color-scheme", scheme)]);
        let mut tab = browser.open_at(&report.path, "", prefer);
        let card = "getComputedStyle(document.querySelector('.card')).backgroundColor";
        assert_eq!(tab.evaluate(card), json!(expected));
        // Paper is white, whatever the reader prefers.
        let features = json!([{ "name": "prefers-color-scheme", "value": scheme }]);
        let paper = json!({ "media": "print", "features": features });
        tab.devtools("Emulation.setEmulatedMedia", paper);
        assert_eq!(tab.evaluate(card), json!("rgb(255, 255, 255)"), "{scheme} on paper");
        let screen = json!({ "media": "", "features": features });
        tab.devtools("Emulation.setEmulatedMedia", screen);
        // Paper is narrower, so the plot is drawn again.
        tab.settle();
        // The plot's own lines change too, also when the reader switches the theme.
        let line = "(() => { const d = painted('base', 0, 0, $('base').clientWidth, $('base').clientHeight).data, seen = {}; \
             for (let i = 0; i < d.length; i += 4) if (d[i + 3] === 255) { const k = `${d[i]},${d[i+1]},${d[i+2]}`; \
             seen[k] = (seen[k] ?? 0) + 1 } return Object.entries(seen).sort((a, b) => b[1] - a[1]).slice(0, 20).map(e => e[0]) })()";
        let grid = if scheme == "dark" { "39,45,55" } else { "227,230,234" };
        assert!(tab.evaluate(line).as_array().expect("colours").contains(&json!(grid)), "{scheme}");
        tab.enter("theme", "dark");
        tab.settle();
        assert_eq!(tab.evaluate(card), json!("rgb(13, 17, 23)"));
        assert!(tab.evaluate(line).as_array().expect("colours").contains(&json!("39,45,55")));
    }
    for width in [320, 390, 768] {
        let mut tab = browser.open_at(&report.path, "", |tab| tab.resize(width, 800));
        let wide = tab.evaluate("document.documentElement.scrollWidth");
        assert!(wide.as_u64() <= Some(u64::from(width)), "{wide} pixels in {width}");
        let plot = Plot::of(&mut tab);
        // The width without a scroll bar.
        let room: f64 = tab.read("Math.min(700, document.documentElement.clientWidth)");
        assert!(plot.width > 0.6 * room, "the plot is {} wide in {room}", plot.width);
        tab.hover(plot.x(1e9), plot.middle());
        assert!(!text(&mut tab, "#instant").contains("peak"));
    }
    let mut tab = browser.open(&report.path);
    let pdf = tab.print();
    assert!(pdf.starts_with(b"%PDF") && pdf.len() > 8_000, "{}", pdf.len());
}

/// Between words a text can be cut inside an amount, so shorter forms of it are shown, and fewer facts.
fn headline_and_facts_are_never_cut(browser: &mut Browser) {
    let report = report(&sample("server-hT.hp.gz"));
    let mut tab = browser.open(&report.path);
    for width in [1600, 1280, 1020, 900, 600, 390] {
        tab.resize(width, 900);
        let cut = "(() => {
            const sentence = document.querySelector('#verdict .sentence');
            const box = $('subtitle').getBoundingClientRect();
            const facts = $$('#subtitle span');
            const seen = facts.filter((fact) => fact.getBoundingClientRect().top < box.bottom - 1);
            return [sentence.scrollHeight > sentence.clientHeight + 1, seen.length > 0,
                seen.some((fact) => fact.scrollWidth > fact.clientWidth + 1 || fact.getBoundingClientRect().right > box.right + 1)];
        })()";
        assert_eq!(tab.evaluate(cut), json!([false, true, false]), "{width} pixels");
        let headline = text(&mut tab, "#verdict .sentence");
        let full = "THUNK_1_1, (:) and 1 more grew by 628 KiB since the start (542 KiB/s of CPU).";
        assert_eq!(headline, full, "{width}");
    }
}

/// Accessibility: axe finds no problem in any state. `HEAPVIZ_AXE` is the path of `axe.min.js` from the
/// npm package axe-core.
fn nothing_keeps_a_reader_out(browser: &mut Browser) {
    let Some(axe) = std::env::var_os("HEAPVIZ_AXE") else {
        return common::skipped("no axe (npm install axe-core, HEAPVIZ_AXE=.../axe.min.js)");
    };
    let axe = fs::read_to_string(axe).expect("the script that HEAPVIZ_AXE names");
    let [types, centres, activity] = ["leak-hy.eventlog", "leak-hc.eventlog", "leak-hT.eventlog"]
        .map(|name| report(&sample(name)));
    let time = heapviz::input::read(PROF, &InputOptions::default()).expect("a time profile");
    let time = report(&time);
    let (_folder, runs) = report_of_runs(&["leak-hy.eventlog", "leak-hc.eventlog"]);
    let pair = [sample("leak-hy.eventlog"), sample("leak-hy.hp")];
    let (_, _folder, compared) = report_of_comparison(&pair, ["before", "after"]);
    // Each with what is clicked on.
    for (path, state, click) in [
        (&types.path, "", ""),
        (&types.path, "", "#rows .row[data-index='0']"),
        (&types.path, "tab=messages", ""),
        (&types.path, "tab=run", ""),
        (&types.path, "part=200000000+900000000", ""),
        (&types.path, "view=lines&range=800000000+1600000000", ""),
        (&types.path, "query=(", ""),
        (&activity.path, "undrawn=true&open=5&panels=true", "#menu-button"),
        (&centres.path, "tab=tree", ""),
        (&centres.path, "tab=tree&direction=around&centre=Main.leakyCount&only=centre", ""),
        (&centres.path, "tab=tree&part=500000000+1400000000", "#zoom-to"),
        (&types.path, "", "#help"),
        (&types.path, "", "#command"),
        (&types.path, "", "#menu-button"),
        (&activity.path, "", "#tab-why"),
        (&centres.path, "by=module", "#layers li button"),
        (&time.path, "", ""),
        (&runs, "", ""),
        (&compared, "", ""),
    ] {
        for theme in ["light", "dark"] {
            for width in [1280, 390] {
                let fragment = format!("#theme={theme}&{state}");
                let mut tab = browser.open_at(path, &fragment, |tab| tab.resize(width, 900));
                match click {
                    "" => {}
                    "#command" => crate::click_in_menu(&mut tab, click),
                    _ => tab.click(click),
                }
                tab.evaluate(&format!("(() => {{ {axe}\n return true }})()"));
                let found = tab.evaluate(
                    "axe.run().then(found => found.violations.map(one => \
                     [one.id, ...one.nodes.map(node => node.target.join(' '))].join(' ')))",
                );
                assert_eq!(found, json!([]), "{fragment}, {width} pixels, {click}");
            }
        }
    }
}

#[test]
fn forced_colours_leave_swatches_and_what_is_pressed() {
    let Some(mut browser) = browser() else { return };
    let report = report(&sample("leak-hy.eventlog"));
    let mut tab = browser.open_at(&report.path, "", |tab| {
        tab.prefer(&[("forced-colors", "active"), ("prefers-color-scheme", "dark")]);
    });
    let colours = "new Set($$('#layers .swatch').map(swatch => getComputedStyle(swatch).backgroundColor)).size";
    let layers = key(&mut tab).len() as u64;
    assert!(tab.evaluate(colours).as_u64() >= Some(layers - 1), "swatches keep their colours");
    let outline = "getComputedStyle(document.querySelector('[data-view=stacked]')).outlineStyle";
    assert_eq!(tab.evaluate(outline), json!("solid"), "the pressed button has an outline");
    // Dimming uses the background colour that the reader sees.
    tab.resize(1300, 900);
    let plot = Plot::of(&mut tab);
    tab.hover(plot.x(1e9), plot.top + 0.95 * plot.height);
    let (is_dimmed, off): (bool, f64) = tab.read(
        "(() => { const [left, top] = $('plot').dataset.box.split(' ').map(Number); const drawn = painted('over', left \
         + 4, top + 4, 1, 1).data; $('probe').style.color = 'Canvas'; const seen = \
         getComputedStyle($('probe')).color.match(/\\d+/g).map(Number); return [drawn[3] > 100, \
         Math.max(...seen.map((value, i) => Math.abs(value - drawn[i])))] })()",
    );
    assert!(is_dimmed && off < 6.0, "{is_dimmed} {off}");
}

/// A number that has lost its end reads as a different number.
fn no_number_in_the_table_is_cut(browser: &mut Browser) {
    let mut backwards = ProfileBuilder::new(Source::Hp);
    for time in (0..200).rev() {
        backwards.sample(time as i64, [("band", 999_999_999 - 4_654_321 * time)]);
    }
    let backwards = report(&backwards.finish());
    assert_eq!(backwards.json["clock"], json!("sample"));
    let mut hours = ProfileBuilder::new(Source::Eventlog);
    for time in 0..200i64 {
        hours.sample(301_234_567_890 * time, [("band", 999_999_999 - (time - 150).unsigned_abs())]);
    }
    let hours = report(&hours.finish());
    for report in [backwards, hours, report(&sample("leak-hy.eventlog"))] {
        let mut tab = browser.open(&report.path);
        for (units, width) in
            [("binary", 1280), ("si", 1280), ("bytes", 1280), ("binary", 390), ("bytes", 390)]
        {
            tab.resize(width, 900);
            tab.go(&format!("units={units}"));
            let (numbers, cut, spill): (usize, Vec<String>, f64) = tab.read(
                "(() => { const cells = $$('#rows .row:not([hidden]) .cell:not(.name, .shape)').filter(cell => cell.clientWidth > 0); \
                 const row = document.querySelector('#rows .row'); \
                 const ends = [...row.children].filter(cell => cell.clientWidth > 0).map(cell => cell.getBoundingClientRect().right); \
                 return [cells.length, cells.filter(cell => cell.scrollWidth > cell.clientWidth).map(cell => cell.textContent), \
                 Math.max(...ends) - row.getBoundingClientRect().right] })()",
            );
            assert!(
                numbers > 2 && cut.is_empty() && spill <= 0.0,
                "{units}, {width} pixels: {cut:?} {spill}"
            );
        }
    }
}

/// Name, sample, fragment, height, and the steps before the picture is taken.
type Picture = (&'static str, &'static str, &'static str, u32, fn(&mut Tab<'_>));

/// The pictures in the guide and in the README.
const PICTURES: [Picture; 4] = [
    ("likely", "words-lazy.eventlog.gz", "", 760, |tab| {
        let plot = Plot::of(tab);
        tab.hover(plot.x(2.5e9), plot.top + 0.6 * plot.height);
    }),
    ("leak", "leak-hy.eventlog", "", 760, |tab| {
        let plot = Plot::of(tab);
        tab.hover(plot.x(1.2e9), plot.top + 0.6 * plot.height);
    }),
    ("growth", "leak-hy.eventlog", "#part=60000000+1480000000", 1010, |tab| {
        tab.click("#rows .row[data-index='0']");
        tab.evaluate("scrollTo(0, 0)");
        tab.hover(2.0, 2.0);
    }),
    ("centres", "leak-hc.eventlog", "#tab=tree", 640, |tab| {
        tab.evaluate("scrollTo(0, document.querySelector('.tabs').offsetTop - 8)");
        tab.hover(2.0, 2.0);
    }),
];

#[test]
fn pictures() {
    let folder = root().join("docs/report");
    if std::env::var_os("HEAPVIZ_BLESS").is_some() {
        let Some(mut browser) = browser() else { return };
        for (name, from, fragment, height, act) in PICTURES {
            let report = report(&sample(from));
            let mut tab = browser.open_at(&report.path, fragment, |tab| tab.resize(1280, height));
            tab.settle();
            act(&mut tab);
            tab.settle();
            let picture = tab.screenshot();
            tab.quiet();
            fs::create_dir_all(&folder).expect("a folder");
            fs::write(folder.join(format!("{name}.png")), small(&picture)).expect("a picture");
        }
    }
    let shown = ["docs/guide.md", "README.md"]
        .map(|document| fs::read_to_string(root().join(document)).expect("a document"))
        .concat();
    for (name, ..) in PICTURES {
        assert!(shown.contains(&format!("report/{name}.png")), "no document shows {name}");
        let bytes = fs::read(folder.join(format!("{name}.png"))).expect("a picture of the guide");
        assert!(bytes.len() < 120_000, "{name} has {} bytes", bytes.len());
    }
}

/// The same picture, compressed as much as possible.
pub fn small(bytes: &[u8]) -> Vec<u8> {
    let mut reader = png::Decoder::new(std::io::Cursor::new(bytes)).read_info().expect("a PNG");
    let mut pixels = vec![0; reader.output_buffer_size().expect("a small image")];
    let info = reader.next_frame(&mut pixels).expect("an image");
    let mut out = Vec::new();
    let mut encoder = png::Encoder::new(&mut out, info.width, info.height);
    encoder.set_color(info.color_type);
    encoder.set_depth(info.bit_depth);
    encoder.set_compression(png::Compression::High);
    encoder.set_filter(png::Filter::NoFilter);
    let mut writer = encoder.write_header().expect("a header");
    writer.write_image_data(&pixels[..info.buffer_size()]).expect("a picture");
    drop(writer);
    out
}
