//! What a reader sees of the data: amounts belong to what is shown, colours to the key, and no label or
//! row is there only in part.

use heapviz::base::units::{Bytes, Nanos};
use heapviz::chart::MarkerKind;
use heapviz::profile::{BandKeyRef, Breakdown, Profile, ProfileBuilder, Source};
use serde_json::{Value, json};

use crate::common::browser::{Browser, Held, Tab};
use crate::{Plot, browser, click_in_menu, key, report, sample, text};

crate::in_chromium! {
    the_wheel_over_a_table_scrolls_the_page,
    labels_columns_and_names_are_never_cut_and_a_band_alone_has_its_own_peak,
    labels_of_markers_are_readable,
    names_that_begin_alike_are_told_apart_where_they_are_cut,
    a_page_without_samples_says_so_and_has_its_panels,
}

/// A profile by type: the bytes of each band in each of some samples, `step` nanoseconds apart.
fn profile(samples: u64, step: i64, bands: &[&str], bytes: impl Fn(u64, usize) -> u64) -> Profile {
    let mut builder = ProfileBuilder::new(Source::Eventlog);
    builder.declare_breakdown(Breakdown::Type);
    for sample in 0..samples {
        builder.sample(
            step * sample as i64,
            bands.iter().enumerate().map(|(i, band)| (band, bytes(sample, i))),
        );
    }
    builder.finish()
}

/// The texts that the page paints on the canvas of its chart.
fn painted_texts(tab: &mut Tab<'_>) -> Vec<String> {
    let script = "new Promise(done => { const { fillText } = CanvasRenderingContext2D.prototype; const texts = []; \
         CanvasRenderingContext2D.prototype.fillText = function (...of) { if (this.canvas.id === 'base' || this.canvas.id === 'over') texts.push(of[0]); fillText.apply(this, of) }; \
         const units = $('units'); const other = units.value === 'si' ? 'binary' : 'si'; const before = units.value; \
         const choose = (value) => { units.value = value; units.dispatchEvent(new Event('change')) }; choose(other); \
         setTimeout(() => { texts.length = 0; choose(before); setTimeout(() => { CanvasRenderingContext2D.prototype.fillText = fillText; done(texts) }, 300) }, 300) })";
    let texts = tab.evaluate(script);
    texts.as_array().expect("texts").iter().filter_map(Value::as_str).map(str::to_owned).collect()
}

fn the_wheel_over_a_table_scrolls_the_page(browser: &mut Browser) {
    for name in ["leak-hy.eventlog", "bands-hy.hp"] {
        let report = report(&sample(name));
        let mut tab = browser.open_at(&report.path, "", |tab| tab.resize(1280, 500));
        tab.evaluate("scrollTo(0, 60)");
        // A long table is at its end.
        tab.evaluate("$('rows').scrollTop = 1e6");
        tab.settle();
        let before: f64 = tab.read("scrollY");
        let at = tab.place_of("#rows");
        let low = tab.evaluate("$('rows').getBoundingClientRect().top + 20");
        tab.wheel((at.0, low.as_f64().expect("a place")), 120, Held::Nothing);
        tab.wait_for(&format!("scrollY > {before} + 20"));
    }
    // A short table is no higher than its rows.
    let few =
        report(&profile(20, 1_000_000_000, &["a", "b"], |sample, i| 1000 * sample + 9 + i as u64));
    let mut tab = browser.open_at(&few.path, "", |tab| tab.resize(1280, 900));
    let height = tab.evaluate("$('rows').getBoundingClientRect().height");
    assert!(height.as_f64() <= Some(2.0 * 26.0 + 2.0), "{height}");
}

fn labels_columns_and_names_are_never_cut_and_a_band_alone_has_its_own_peak(browser: &mut Browser) {
    let report = report(&sample("leak-hc.eventlog"));
    let bands = report.bands();
    let total = report.totals();
    let highest = total.iter().position(|bytes| Some(bytes) == total.iter().max());
    // A band whose peak is elsewhere.
    let band = bands
        .iter()
        .filter(|band| band["peak_sample"].as_u64().map(|at| at as usize) != highest)
        .max_by_key(|band| band["peak"].as_u64())
        .expect("a band");
    let label = band["label"].as_str().expect("a label");
    let mut tab = browser.open_at(&report.path, "", |tab| tab.resize(1300, 900));
    tab.evaluate(&format!(
        "$$('#layers .pick').find(b => b.title.startsWith({})).click()",
        json!(format!("{label}\n"))
    ));
    tab.wait_for("document.querySelectorAll('#layers li').length === 1");
    tab.settle();
    assert_eq!(Some(key(&mut tab)[0].1), band["peak"].as_u64());
    assert!(
        text(&mut tab, "#instant").starts_with("At its peak"),
        "{}",
        text(&mut tab, "#instant")
    );
    click_in_menu(&mut tab, "#to-peak");
    tab.wait_for("location.hash.includes('at=')");
    assert_eq!(Some(key(&mut tab)[0].1), band["peak"].as_u64());
    tab.go("");
    let texts = painted_texts(&mut tab);
    for label in ["phase 1: leaky count", "phase 2: force the map", "phase 4: strict again", "done"]
    {
        assert!(texts.iter().any(|text| text == label), "{label} is not in {texts:?}");
    }
    let cut = "(() => { const wide = $('grid').parentElement; return wide.scrollWidth - wide.clientWidth })()";
    let columns = "document.querySelectorAll('#head [data-key]').length";
    let all = tab.evaluate(columns).as_u64();
    tab.click("#rows .row[data-index='0']");
    tab.settle();
    assert_eq!(tab.evaluate(cut), json!(0));
    assert!(tab.evaluate(columns).as_u64() <= all);
    tab.click("#details .close");
    tab.wait_for(&format!("{columns} === {}", all.expect("a number")));
    tab.go("tab=tree");
    tab.resize(390, 844);
    let clipped = "$$('#tree-rows .tree-row:not([hidden]) .name').filter(name => \
         name.getBoundingClientRect().right > name.parentElement.getBoundingClientRect().right + 1).length";
    assert_eq!(tab.evaluate(clipped), json!(0));
    let style = "getComputedStyle(document.querySelector('#tree-rows .name')).textOverflow";
    assert_eq!(tab.evaluate(style), json!("ellipsis"));
}

/// Markers with these labels at these samples of a run with a sample every second.
fn marked(samples: u64, markers: &[(i64, &str)]) -> Profile {
    let mut builder = ProfileBuilder::new(Source::Eventlog);
    builder.declare_breakdown(Breakdown::Type);
    let id = builder.band(BandKeyRef::Name(b"band")).expect("a band");
    for &(time, label) in markers {
        builder.marker(Nanos::from_nanos(time), label.to_owned(), MarkerKind::Marker);
    }
    for sample in 0..samples {
        builder.point(id, Bytes::new(100_000 + sample % 3 * 800));
        builder.seal_sample(Nanos::from_nanos(1_000_000_000 * sample as i64));
    }
    builder.finish()
}

fn labels_of_markers_are_readable(browser: &mut Browser) {
    let labels: Vec<String> = (0..60).map(|i| format!("batch number {i}")).collect();
    let markers: Vec<(i64, &str)> = labels
        .iter()
        .enumerate()
        .map(|(i, label)| (1_000_000_000 * i as i64, label.as_str()))
        .collect();
    let report = report(&marked(61, &markers));
    let mut tab = browser.open_at(&report.path, "", |tab| tab.resize(1280, 900));
    let texts = painted_texts(&mut tab);
    let cut = texts.iter().filter(|text| text.starts_with('b') && text.contains('…')).count();
    // The first says what all labels begin with.
    let whole = texts.iter().filter(|text| {
        labels.iter().any(|label| {
            label == *text || label.strip_prefix("batch number ").is_some_and(|rest| rest == *text)
        })
    });
    assert_eq!(cut, 0, "{texts:?}");
    assert!(whole.count() >= 8, "{texts:?}");
}

/// On paper, rows are moved to the next sheet as a whole, and the tree says what it shows.
#[test]
fn rows_on_paper_are_not_split() {
    let Some(mut browser) = browser() else { return };
    let report = report(&sample("leak-hc.eventlog"));
    // The room on A4, with margins.
    let mut tab = browser.open_at(&report.path, "#tab=tree", |tab| tab.resize(717, 1100));
    tab.devtools("Emulation.setEmulatedMedia", json!({ "media": "print" }));
    tab.evaluate("dispatchEvent(new Event('beforeprint'))");
    let rows = "$$('#rows .row, #tree-rows .tree-row').every(row => { \
         const style = getComputedStyle(row); return style.position === 'static' && style.breakInside === 'avoid' })";
    tab.holds(rows);
    tab.holds("$('tree-when').checkVisibility()");
    tab.evaluate("$('tab-bands').click()");
    tab.settle();
    tab.holds("$('grid').parentElement.scrollWidth <= $('grid').parentElement.clientWidth");
}

fn names_that_begin_alike_are_told_apart_where_they_are_cut(browser: &mut Browser) {
    let alike = [
        "Application.Server.Handler.Session.Request",
        "Application.Server.Handler.Session.Response",
    ];
    let long = "Application.Module.function_with_a_name_that_is_cut_by_the_style_of_the_key_and_the_table_too";
    let names = [alike[0], alike[1], long, "שלום.עולם"];
    let report = report(&profile(40, 100_000_000, &names, |sample, band| {
        1000 + 8 * (sample % 3) + band as u64
    }));
    let mut tab = browser.open_at(&report.path, "#view=each", |tab| tab.resize(1180, 800));
    tab.wait_for("document.querySelectorAll('.each-band bdi').length === 4");
    // Where a name is short or cut, its end is seen.
    let seen: Vec<(String, bool, bool)> = tab.read(
        "$$('.each-band bdi').map(name => { \
         const [all, room] = [name, name.parentElement].map(one => one.getBoundingClientRect()); \
         return [name.textContent, all.left < room.left - 1, all.right < room.right + 1] })",
    );
    for name in alike {
        let end = name.rsplit('.').next().expect("a part");
        assert!(
            seen.iter().any(|(shown, _, is_seen)| shown.ends_with(end) && *is_seen),
            "{seen:?}"
        );
    }
    let listed = "$$('#rows .row:not([hidden]) bdi').filter(one => one.childNodes.length === 1).map(one => one.firstChild.data)";
    let listed: Vec<String> = tab.read(listed);
    for name in names {
        assert_eq!(listed.iter().filter(|one| *one == name).count(), 1, "{name}");
    }
}

fn a_page_without_samples_says_so_and_has_its_panels(browser: &mut Browser) {
    // A log that ends before its first sample has collections only.
    let bytes = std::fs::read(crate::root().join("samples/leak-hT.eventlog")).expect("a sample");
    let read = |end: usize| heapviz::input::read(&bytes[..end], &Default::default()).ok();
    let has_sample = |end: &usize| read(*end).is_some_and(|profile| !profile.samples().is_empty());
    let end = (0..bytes.len()).step_by(256).find(has_sample).expect("a sample") - 256;
    let report = report(&read(end).expect("a profile"));
    let mut tab = browser.open_at(&report.path, "", |tab| tab.resize(1280, 800));
    let texts = painted_texts(&mut tab);
    assert!(texts.iter().any(|text| text.starts_with("no heap samples")), "{texts:?}");
    let plot = Plot::of(&mut tab);
    assert!(plot.to > 1e6, "the axis has the times of the panels: {}", plot.to);
}
