//! The parts of bands: grouping by them, listing a group, the tree over a part of the run, links to
//! sources; and options that decide how the page starts.

use heapviz::base::units::{Bytes, Nanos};
use heapviz::draw::{Heading, TitleOptions, XAxis};
use heapviz::profile::{Breakdown, CostCentre, Profile, ProfileBuilder, Source};
use heapviz::profile_view::ViewOptions;
use heapviz::report::ReportOptions;
use heapviz::tree::Weight;
use serde_json::json;

use crate::common::browser::Browser;
use crate::{Plot, copied, key, report, report_of, report_with, sample, table, text};

crate::in_chromium! {
    groups_are_looked_into,
    the_tree_has_the_mean_of_a_part_and_what_it_gained,
    a_page_begins_as_the_command_line_says,
    close_samples_are_means,
    a_time_profile_is_a_tree_of_time_and_allocation,
    a_tree_begins_as_the_command_line_says,
    places_lead_to_sources,
    a_cost_centre_stands_between_its_callers_and_callees,
}

fn groups_are_looked_into(browser: &mut Browser) {
    let report = report(&sample("leak-hT.eventlog"));
    let mut tab = browser.open_at(&report.path, "", |tab| tab.resize(1300, 900));
    let is_inside = |name: &str| name.starts_with("containers-");
    let inside = table(&mut tab).keys().filter(|name| is_inside(name)).count();
    tab.enter("by", "package");
    let groups = table(&mut tab).len();
    let group = "$$('#layers li').find(row => row.querySelector('.name').textContent === \
                 'containers').querySelector('button').click()";
    tab.evaluate(group);
    tab.settle();
    tab.click("#open-group");
    assert!(key(&mut tab).iter().all(|(name, _)| is_inside(name)));
    assert_eq!(table(&mut tab).len(), inside);
    let link = crate::fragment(&mut tab);
    tab.click("#leave-group");
    assert_eq!(table(&mut tab).len(), groups);
    drop(tab);
    let mut tab = browser.open_at(&report.path, &link, |tab| tab.resize(1300, 900));
    assert_eq!(table(&mut tab).len(), inside, "{link}");
}

fn the_tree_has_the_mean_of_a_part_and_what_it_gained(browser: &mut Browser) {
    let report = report(&sample("leak-hc.eventlog"));
    let fragment = "#tab=tree&over=shown&range=100000000+1200000000";
    let mut tab = browser.open_at(&report.path, fragment, |tab| tab.resize(1300, 900));
    assert!(text(&mut tab, "#tree-when").starts_with("Mean of "));
    tab.click("[data-over='instant']");
    tab.evaluate("location.hash = 'tab=tree&part=1300000000+2000000000'");
    tab.wait_for("$('tree-when').textContent.startsWith('Gained from ')");
    // The search highlights matches in the tree, and Enter moves between them.
    tab.click("[data-over='shown']");
    tab.enter("tree-search", "shapes");
    tab.evaluate("$('tree-search').focus()");
    tab.press("Enter");
    tab.wait_for("document.querySelector('.tree-row.match') !== null");
    assert!(text(&mut tab, "#tree-note").contains("% of it is in the matches"));
    tab.evaluate("$('icicle').focus()");
    for key in ["ArrowDown", "ArrowDown", "Enter"] {
        tab.press(key);
    }
    assert_eq!(tab.evaluate("$('icicle-reset').hidden"), json!(false));
    tab.press("Escape");
    tab.holds("$('icicle-reset').hidden");
}

fn a_page_begins_as_the_command_line_says(browser: &mut Browser) {
    let profile = sample("leak-hy.eventlog");
    let page = |options: &ReportOptions| report_with(&profile, &ViewOptions::default(), options);
    let mut options = ReportOptions::default();
    options.draw.heading = TitleOptions { title: Heading::None, subtitle: Heading::None };
    options.draw.scale.heap_max = Some(Bytes::new(64 << 20));
    options.draw.scale.time_max = Some(Nanos::from_nanos(9_000_000_000));
    let mut tab = browser.open(&page(&options).path);
    tab.holds("$('title').hidden");
    assert_eq!(text(&mut tab, "#subtitle"), "");
    assert_eq!(tab.evaluate("Number($('plot').dataset.top)"), json!(64 << 20));
    assert_eq!(Plot::of(&mut tab).to, 9e9);
    drop(tab);

    let mut options = ReportOptions::default();
    options.draw.heading.title = Heading::Text("Before".to_owned());
    options.draw.heading.subtitle = Heading::Text("the release".to_owned());
    options.draw.x = XAxis::Sample;
    let mut tab = browser.open(&page(&options).path);
    assert_eq!(text(&mut tab, "#title"), "Before");
    assert!(text(&mut tab, "#subtitle").starts_with("the release"));
    let plot = Plot::of(&mut tab);
    assert_eq!((plot.from, plot.to), (1.0, 51.0));
    tab.hover(plot.x(32.0), plot.middle());
    assert!(text(&mut tab, "#instant").starts_with("sample 32"));
}

fn close_samples_are_means(browser: &mut Browser) {
    let mut builder = ProfileBuilder::new(Source::Eventlog);
    for sample in 0..6000u64 {
        builder.sample(
            1_000_000 * sample as i64,
            [("band", if sample % 9 == 0 { 1_000 } else { 900_000 })],
        );
    }
    let profile = builder.finish();
    let report = report_with(&profile, &ViewOptions::default(), &ReportOptions::default());
    let mut tab = browser.open_at(&report.path, "", |tab| tab.resize(1280, 800));
    // How high the colour of the only band reaches, relative to its peak.
    let share: f64 = tab.read(
        "(() => { const plot = $('plot'); const [left, top, width, height] = plot.dataset.box.split(' \
         ').map(Number); const { data } = painted('base', left + width / 2, top, 1, height); let found = 0; for \
         (let i = 0; i < data.length; i += 4) { const [r, g, b] = data.slice(i, i + 3); if (data[i + 3] === 255 && \
         Math.max(r, g, b) - Math.min(r, g, b) > 40) found++ } return found / height * Number(plot.dataset.top) / \
         900000 })()",
    );
    assert!((0.7..=0.95).contains(&share), "{share}");
    assert_ne!(tab.evaluate("Number($('plot').dataset.columns)"), json!(0));
}

/// A time profile, as `+RTS -p` writes it.
pub const PROF: &[u8] =
    b"\tSat Nov 21 12:00 2026 Time and Allocation Profiling Report  (Final)\n\n\t   prog +RTS -P -RTS\n\n\ttotal time  \
    =        0.10 secs   (100 ticks @ 1000 us, 1 processor)\n\ttotal alloc =       1,000 bytes  (excludes profiling \
    overheads)\n\nCOST CENTRE MODULE SRC        %time %alloc  ticks     bytes\n\nwork        Main   p.hs:3:1-9  90.0   \
    95.0     90       950\nMAIN        MAIN   <built-in>  10.0    5.0     10        50\n\n\n\x20                                       \
    individual      inherited\nCOST CENTRE MODULE SRC         no.  entries  %time %alloc   %time %alloc  ticks     \
    bytes\n\nMAIN        MAIN   <built-in>  100        0   10.0    5.0   100.0  100.0     10        50\n\x20work       \
    Main   p.hs:3:1-9  101        1   90.0   95.0    90.0   95.0     90       950\n";

fn a_time_profile_is_a_tree_of_time_and_allocation(browser: &mut Browser) {
    let options = heapviz::input::InputOptions::default();
    let profile = heapviz::input::read(PROF, &options).expect("a time profile");
    let report = report(&profile);
    let mut tab = browser.open_at(&report.path, "", |tab| tab.resize(1300, 900));
    tab.holds("$('chart').hidden");
    assert_eq!(text(&mut tab, "#tree-when"), "Time of the whole run: 100 ms");
    let rows = "$$('#tree-rows .tree-row:not([hidden])').map(row => \
                ['name', 'bytes', 'own'].map(part => row.querySelector(`.${part}`).textContent))";
    let expected = json!([["MAIN", "100 ms", "10 ms"], ["work", "90 ms", "90 ms"]]);
    assert_eq!(tab.evaluate(rows), expected);
    tab.click("[data-over='alloc']");
    let expected = json!([["MAIN", "1000 B", "50 B"], ["work", "950 B", "950 B"]]);
    assert_eq!(tab.evaluate(rows), expected);
    tab.click("[data-direction='callers']");
    let first = tab.evaluate("document.querySelector('#tree-rows .tree-row .name').textContent");
    assert_eq!(first, json!("work"));
    let link = crate::fragment(&mut tab);
    assert!(link.contains("over=alloc"), "{link}");
}

fn a_tree_begins_as_the_command_line_says(browser: &mut Browser) {
    let options = heapviz::input::InputOptions::default();
    let profile = heapviz::input::read(PROF, &options).expect("a time profile");
    let mut options = ReportOptions::default();
    options.weight = Some(Weight::Alloc);
    let report = report_with(&profile, &ViewOptions::default(), &options);
    let mut tab = browser.open_at(&report.path, "", |tab| tab.resize(1300, 900));
    let pressed = "$$('#panel-tree .segments [aria-pressed=true]').map(b => b.dataset.direction ?? b.dataset.over)";
    assert_eq!(tab.evaluate(pressed), json!(["callees", "alloc"]));
    // The reader's choice is kept in the address, even if it is the default on other pages.
    tab.click("[data-over='time']");
    tab.wait_for("location.hash.includes('over=time')");
    drop(tab);

    // A heap profile opens its tree; without stacks nothing opens.
    options.weight = Some(Weight::Live);
    for (name, chosen) in [("leak-hc.eventlog", "tab-tree"), ("leak-hy.eventlog", "tab-bands")] {
        let profile = sample(name);
        let report = report_with(&profile, &ViewOptions::default(), &options);
        let mut tab = browser.open(&report.path);
        let tab_id = tab.evaluate("document.querySelector('[role=tab][aria-selected=true]').id");
        assert_eq!(tab_id, json!(chosen));
    }
}

fn places_lead_to_sources(browser: &mut Browser) {
    let profile = sample("leak-hc.eventlog");
    let address = "https://example.org/app/{file}#L{line}".to_owned();
    let centres = (0..1000).filter_map(|id| profile.cost_centres().get(id));
    let line = |place: &str| (place.to_owned(), format!("the line at {place}"));
    let lines: std::collections::BTreeMap<String, String> =
        centres.map(|centre| line(&centre.location)).collect();
    let options = ReportOptions {
        source_url: Some(address),
        badge: None,
        source_lines: lines,
        ..ReportOptions::default()
    };
    let report = report_with(&profile, &ViewOptions::default(), &options);
    let mut tab = browser.open_at(&report.path, "#tab=tree", |tab| tab.resize(1300, 900));
    let link = "document.querySelector('#tree-rows a.place')?.href ?? ''";
    let link: String = tab.read(link);
    assert!(link.starts_with("https://example.org/app/Leak.hs#L"), "{link}");
    // A place without a line has no link.
    let all = "$$('#tree-rows .place').filter(p => p.tagName === 'A' && /entire-module/.test(p.textContent)).length";
    assert_eq!(tab.evaluate(all), json!(0));
    assert!(copied(&mut tab, "#copy-csv").contains("Leak.hs"));
    // The details have the line of each place, below its link.
    tab.evaluate("location.hash = ''");
    tab.wait_for("document.querySelector('#rows .row[data-index=\"0\"]')?.offsetHeight > 0");
    tab.click("#rows .row[data-index='0']");
    let shown = "$$('#details code.source').every(code => code.textContent === 'the line at ' + \
                 code.previousSibling.textContent) && document.querySelectorAll('#details code.source').length > 0";
    tab.wait_for(shown);
    tab.holds("document.querySelectorAll('#details ol.stack li').length > 1");
}

/// Stacks of main, f, g and h over five samples; one of them is recursive.
fn calls() -> Profile {
    let mut builder = ProfileBuilder::new(Source::Eventlog);
    builder.declare_breakdown(Breakdown::CostCentre);
    for (id, name) in [(1, "main"), (2, "f"), (3, "g"), (4, "h")] {
        let place = format!("p.hs:{id}:1-9");
        builder.define_cost_centre(id, CostCentre::new(name.to_owned(), "Main".to_owned(), place));
    }
    for time in 0..5u64 {
        builder.stack_sample(
            1_000_000 * time as i64,
            [
                (&[3, 2, 1][..], 100 + 100 * time),
                (&[4, 3, 1], 60),
                (&[3, 2, 3, 2, 1], 3 + time),
                (&[4, 1], 300 - 25 * time),
            ],
        );
    }
    builder.finish()
}

fn a_cost_centre_stands_between_its_callers_and_callees(browser: &mut Browser) {
    let mut all = ViewOptions::default();
    all.rank.trace_percent = 0.0;
    let report = report_of(&calls(), &all);
    let rows = "$$('#tree-rows .tree-row:not([hidden])').map(row => \
                ['name', 'bytes', 'own'].map(part => row.querySelector(`.${part}`).textContent))";
    let named = |name: &str, rows: &str, cell: &str| {
        format!("$$('{rows}').find(row => row.querySelector('{cell}').textContent === '{name}')")
    };
    let mut tab = browser.open_at(&report.path, "#by=centre", |tab| tab.resize(1400, 1000));
    tab.evaluate(&format!("{}.click()", named("Main.g", "#rows .row", ".name")));
    tab.settle();
    tab.click("#open-around");
    tab.wait_for("$('tree-when').textContent.includes('Main.g')");
    // In a recursion, the outermost call counts.
    let middle = json!([
        ["called by", "567 B", ""],
        ["f", "507 B", ""],
        ["main", "60 B", ""],
        ["g", "567 B", "500 B"],
        ["h", "60 B", "60 B"],
        ["f", "7 B", ""],
    ]);
    assert_eq!(tab.evaluate(rows), middle);
    assert!(text(&mut tab, "#tree-when").contains("73.9 % of all"));
    assert_eq!(key(&mut tab), [("stacks with g".to_owned(), 567)], "its curve is in the chart");
    let link = crate::fragment(&mut tab);
    // Enter puts the callee of the middle there.
    tab.evaluate("$('icicle').focus()");
    tab.press("ArrowDown");
    tab.press("Enter");
    tab.wait_for("$('tree-when').textContent.includes('Main.h')");
    assert_eq!(key(&mut tab), [("stacks with h".to_owned(), 360)], "at its own peak");
    assert!(crate::fragment(&mut tab).contains("centre=Main.h"));
    tab.evaluate(&format!("location.hash = '{link}'"));
    tab.wait_for("$('tree-when').textContent.includes('Main.g')");
    assert_eq!(tab.evaluate(rows), middle);
    // The list of all cost centres has what their stacks hold, each stack once.
    tab.click("#all-centres");
    let listed = json!([
        ["main", "767 B", ""],
        ["g", "567 B", "507 B"],
        ["f", "507 B", ""],
        ["h", "260 B", "260 B"],
    ]);
    assert_eq!(tab.evaluate(rows), listed);
    assert_eq!(key(&mut tab).len(), 4, "all bands are shown again");
    tab.click("#tree-rows .tree-row:nth-child(3)");
    tab.wait_for("$('tree-when').textContent.includes('Main.f')");
    assert_eq!(key(&mut tab), [("stacks with f".to_owned(), 507)]);
    tab.click("[data-direction=callees]");
    tab.evaluate("document.querySelector('#tree-rows .tree-row').focus()");
    tab.press("s");
    tab.wait_for("$('tree-when').textContent.includes('Main.main')");
    // So does a double click.
    tab.evaluate(&format!("location.hash = '{}'", link.replace("around", "callees")));
    tab.wait_for("!$('tree-when').textContent.includes('Main.')");
    tab.evaluate(
        "document.querySelector('#tree-rows .tree-row').dispatchEvent(new MouseEvent('dblclick', { bubbles: true }))",
    );
    tab.wait_for("$('tree-when').textContent.includes('Main.main')");

    // What came in during a part, and is still there at its end.
    tab.evaluate("location.hash = 'part=1000000+3000000'");
    tab.wait_for("$('count').textContent.includes('figures of')");
    let gained: Vec<(String, String)> = table(&mut tab)
        .into_iter()
        .map(|(name, cells)| (name, cells["grew_bytes"].clone()))
        .collect();
    assert!(gained.contains(&("g/f/main".to_owned(), "200".to_owned())), "{gained:?}");
    tab.click("#tab-tree");
    // One of the others is level, and one shrinks.
    assert_eq!(text(&mut tab, "#tree-when"), "Gained from 1 ms to 3 ms, and still there: 202 B");
}
