//! The bands: isolating, searching, sorting, opening OTHER; links; the tree of cost centres.

use std::collections::HashMap;

use heapviz::base::units::{Bytes, Nanos};
use heapviz::chart::LayerRole;
use heapviz::draw::Palette;
use heapviz::draw::colour::{hash, layer_paints, preferred, preferred_by};
use heapviz::picture::{Rgb, Theme};
use heapviz::profile::{BandKeyRef, Breakdown, ProfileBuilder, Source};
use heapviz::profile_view::{ProfileView, ViewOptions};
use heapviz::slice::{Grouping, Part};
use serde_json::json;

use crate::common::browser::{Browser, Held, Tab};
use crate::common::generator::Breakdown as Generated;
use crate::{
    click_in_menu, fragment, generated, key, report, report_of, sample, table, text, zoom_in,
};

crate::in_chromium! {
    bands_are_found_by_their_place_in_the_source,
    bands_are_isolated_added_searched_sorted_and_other_is_opened,
    bands_have_the_colours_of_the_pictures,
    a_link_shows_the_same_view_again,
    a_link_finds_its_band_in_the_page_of_another_run,
    groups_are_exact,
    neighbouring_groups_have_different_colours,
    names_of_the_key_are_short_and_differ,
    each_band_has_a_small_chart_that_is_drawn_when_it_is_in_sight,
}

fn bands_are_isolated_added_searched_sorted_and_other_is_opened(browser: &mut Browser) {
    let report = report(&sample("bands-hy.hp"));
    let mut tab = browser.open_at(&report.path, "#sort=total", |tab| tab.resize(1300, 1000));
    click_in_menu(&mut tab, "#to-peak");
    let all = key(&mut tab);
    assert_eq!(all.last().expect("OTHER").0, "OTHER");

    tab.click("#layers li:nth-child(3) button");
    assert_eq!(key(&mut tab), [all[2].clone()]);
    tab.click_with("#rows .row[data-index='0']", Held::Shift);
    let two = key(&mut tab);
    assert_eq!((two.len(), &two[0]), (2, &all[0]), "shift-click adds, in the order of the stack");
    tab.click_with("#rows .row[data-index='0']", Held::Shift);
    assert_eq!(key(&mut tab).len(), 1);
    tab.click("#show-all");
    assert_eq!(key(&mut tab), all);

    let members = report.bands().last().expect("OTHER")["members"].as_u64().expect("a number");
    tab.click("#open-other");
    let opened = key(&mut tab);
    assert_eq!(opened.len(), all.len() + 12.min(members as usize));
    let sum = |rows: &[(String, u64)]| rows.iter().map(|row| row.1).sum::<u64>();
    assert_eq!(sum(&opened), sum(&all), "opening OTHER changes no sum");
    tab.click("#close-other");
    click_in_menu(&mut tab, "#draw-trace");
    assert_eq!(sum(&key(&mut tab)), report.peak(), "with the trace elements it is everything");
    click_in_menu(&mut tab, "#draw-trace");

    let listed = |tab: &mut Tab<'_>| {
        let names = tab.evaluate(
            "$$('#rows .row').filter(r => !r.hidden).map(r => r.querySelector('.name').textContent)",
        );
        let names = names.as_array().expect("names").iter();
        names.map(|name| name.as_str().expect("a name").to_owned()).collect::<Vec<_>>()
    };
    tab.enter("search", "^T01\\d$");
    let found = listed(&mut tab);
    assert!(
        found.len() > 3 && found.iter().all(|name| name.len() == 4 && name.starts_with("T01")),
        "{found:?}"
    );
    tab.click("#show-matches");
    assert_eq!(key(&mut tab).len(), found.len());
    tab.enter("search", "(");
    assert_eq!(tab.evaluate("$('search').ariaInvalid"), json!("true"));
    tab.enter("search", "");
    tab.click("#show-all");

    tab.click("[data-key='name'] button");
    let names = listed(&mut tab);
    assert!(names.is_sorted(), "{names:?}");

    let total: u64 =
        table(&mut tab).values().map(|row| row["total_bytes"].parse::<u64>().expect("bytes")).sum();
    assert_eq!(total, report.totals().iter().sum::<u64>(), "the table has every byte");
}

fn bands_have_the_colours_of_the_pictures(browser: &mut Browser) {
    for name in ["bands-hy.hp", "leak-hb.eventlog", "leak-he.eventlog"] {
        let profile = sample(name);
        let report = report(&profile);
        let options = ViewOptions::default();
        let run = ProfileView::new(&profile, &options).expect("a run");
        let chart = run.picture();
        let paints = layer_paints(chart, Palette::Vivid);
        let drawn: HashMap<&str, Rgb> = chart
            .layers
            .iter()
            .zip(paints)
            .filter(|(layer, _)| layer.role == LayerRole::Band)
            .map(|(layer, paint)| (&*layer.label, paint.at_full().rgb(Theme::Light)))
            .collect();
        let preferred = preferred(chart.breakdown, Palette::Vivid);
        let mut tab = browser.open_at(&report.path, "", |tab| tab.resize(1300, 2000));
        let rows = tab.evaluate(
            "$$('#rows .row').filter(r => !r.hidden)\
             .map(r => [r.querySelector('.name').textContent, r.querySelector('.swatch').style.background])",
        );
        let rows = rows.as_array().expect("rows");
        assert!(rows.len() >= 5, "{name}");
        for row in rows {
            let label = row[0].as_str().expect("a name").trim_start_matches("era ");
            let named = preferred.named.iter().find(|(name, _)| *name == label);
            let known = drawn.get(label).or(named.map(|(_, rgb)| rgb)).copied();
            let Rgb { r, g, b } =
                known.unwrap_or_else(|| preferred_by(hash(label), Palette::Vivid));
            assert_eq!(row[1], json!(format!("rgb({r}, {g}, {b})")), "{name}: {label}");
        }
    }
}

fn a_link_shows_the_same_view_again(browser: &mut Browser) {
    let report = report(&sample("leak-hc.eventlog"));
    let mut tab = browser.open_at(&report.path, "", |tab| tab.resize(1300, 900));
    for selector in ["[data-view='percent']", "#tab-tree", "[data-direction='callers']"] {
        tab.click(selector);
    }
    click_in_menu(&mut tab, "#to-peak");
    zoom_in(&mut tab);
    tab.click("#layers li:nth-child(2) button");
    let link = fragment(&mut tab);
    let seen = |tab: &mut Tab<'_>| {
        let plot = tab.evaluate("$('plot').dataset.range");
        (plot, key(tab), text(tab, "#tree-when"), text(tab, "#instant"))
    };
    let before = seen(&mut tab);
    assert!(before.2.starts_with("At 1.23"), "{}", before.2);
    drop(tab);
    let mut tab = browser.open_at(&report.path, &link, |tab| tab.resize(1300, 900));
    assert_eq!(seen(&mut tab), before, "{link}");
    assert_eq!(fragment(&mut tab), link);
}

fn a_link_finds_its_band_in_the_page_of_another_run(browser: &mut Browser) {
    let [log, text] = ["leak-hy.eventlog", "leak-hy.hp"].map(|name| report(&sample(name)));
    let mut tab = browser.open(&log.path);
    tab.click("#layers li:nth-child(3) button");
    let name = key(&mut tab)[0].0.clone();
    let link = fragment(&mut tab);
    drop(tab);
    let only = link.split(['#', '&']).find_map(|word| word.strip_prefix("only=")).expect("a band");
    let thrice = format!("#only={only}+{only}+{only}");
    for fragment in [&link, &thrice] {
        let mut tab = browser.open_at(&text.path, fragment, |_| {});
        let key = key(&mut tab);
        assert_eq!((key.len(), &key[0].0), (1, &name), "{fragment}");
    }
}

/// Groups that lie on each other have colours that nobody takes for one.
fn neighbouring_groups_have_different_colours(browser: &mut Browser) {
    for (name, by) in
        [("ghc-hT.hp.gz", "package"), ("ghc-hT.hp.gz", "module"), ("pandoc-hT.hp.gz", "package")]
    {
        let report = report(&sample(name));
        let mut tab = browser.open_at(&report.path, &format!("#by={by}"), |_| {});
        let groups = key(&mut tab).len();
        let near = tab.evaluate(
            "(() => { const rows = $$('#layers li:not(.other)').sort((a, b) => a.dataset.place - b.dataset.place); \
             const colours = rows.map(row => getComputedStyle(row.querySelector('.swatch')).backgroundColor.match(/\\d+/g).map(Number)); \
             return Math.min(...colours.slice(1).map((colour, i) => Math.hypot(...colour.map((value, c) => value - colours[i][c])))) })()",
        );
        assert!(groups > 5 && near.as_f64() > Some(45.0), "{name}, {by}: {near}");
    }
}

/// The groups of a page are those of `--group`, also of bands that have no curve and of those that are not in the page.
fn groups_are_exact(browser: &mut Browser) {
    let mut builder = ProfileBuilder::new(Source::Hp);
    builder.declare_breakdown(Breakdown::ClosureType);
    for sample in 0..12 {
        for band in 0..7_000 {
            let name = format!("app-1.0:App.Module{}.Type{band}", band % 7);
            let id = builder.band(BandKeyRef::Name(name.as_bytes())).expect("a band");
            builder.point(id, Bytes::new(8 * (1 + (band * 7919 + sample * 104_729) % 1003)));
        }
        builder.seal_sample(Nanos::from_nanos(1_000_000_000 * sample as i64));
    }
    let profile = builder.finish();
    let mut options = ViewOptions::default();
    options.slice.grouping = Grouping::By(Part::Module);
    let grouped = report_of(&profile, &options);
    let report = report(&profile);
    assert!(report.len < 400_000, "{} bytes", report.len);
    // The page says that it has the biggest bands, and offers the groups because OTHER is more than half.
    let mut tab = browser.open_at(&report.path, "#query=Module3", |_| {});
    let count = text(&mut tab, "#count").replace('\u{202f}', "");
    assert!(count.contains(" of the 50") && count.contains(" biggest of 7000 bands"), "{count}");
    tab.click("#by-group");
    tab.wait_for("location.hash.includes('by=module')");
    tab.evaluate("location.hash = 'by=module&at=7s'");
    tab.wait_for("location.hash.includes('at=7s')");
    tab.settle();
    let shown = key(&mut tab);
    let expected = grouped.json["bands"].as_array().expect("bands");
    assert_eq!(shown.len(), expected.len());
    for (name, bytes) in shown {
        let group = expected.iter().find(|group| group["label"] == *name);
        let group = group.unwrap_or_else(|| panic!("{name} is no group of {expected:?}"));
        assert_eq!(json!(bytes), group["residency"][7], "{name}");
    }
    assert!(!text(&mut tab, "#layers").contains('≥'));
    for (name, cells) in table(&mut tab) {
        let group = expected.iter().find(|group| group["label"] == *name).expect("a group");
        let column =
            |key: &str| -> f64 { cells[key].parse().unwrap_or_else(|_| panic!("{cells:?}")) };
        assert_eq!(Some(column("peak_bytes")), group["peak"].as_f64(), "{name}");
        assert_eq!(Some(column("last_bytes")), group["residency"][11].as_f64(), "{name}");
    }
}

fn names_of_the_key_are_short_and_differ(browser: &mut Browser) {
    let report = report(&sample("leak-hT.eventlog"));
    let mut tab = browser.open(&report.path);
    let names: Vec<String> = tab.read("texts('#layers .name')");
    // Both are `Bin` of a module `Internal`; their complete names are longer than the key is wide.
    // The longest name that has room, which depends on the fonts of the browser.
    let has = |name: &str| names.iter().any(|one| one == name);
    assert!(has("Data.Map.Internal.Bin") || has("Map.Internal.Bin"), "{names:?}");
    assert!(has("IntMap.Internal.Bin"), "{names:?}");
    let full = key(&mut tab);
    assert!(full.iter().any(|(name, _)| name.ends_with("Data.Map.Internal.Bin")), "{full:?}");
    for (i, name) in names.iter().enumerate() {
        assert!(!names[..i].contains(name), "{name} twice");
        assert!(name.chars().count() <= 24, "{name}");
    }
}

fn bands_are_found_by_their_place_in_the_source(browser: &mut Browser) {
    let report = report(&sample("leak-hc.eventlog"));
    let mut tab = browser.open_at(&report.path, "", |tab| tab.resize(1300, 900));
    let all = table(&mut tab);
    tab.enter("search", "leak\\.hs:");
    let found = table(&mut tab);
    assert!((1..all.len()).contains(&found.len()), "{} of {}", found.len(), all.len());
    // Labels that would otherwise be equal end with the place in the source.
    assert!(found.keys().any(|name| !name.contains("Leak.hs")), "{:?}", found.keys());
}

/// Also the bands that OTHER hides: they have the shapes of big ones.
fn each_band_has_a_small_chart_that_is_drawn_when_it_is_in_sight(browser: &mut Browser) {
    let report = report(&generated(Generated::Type, 400, 200));
    let mut tab = browser.open_at(&report.path, "", |tab| tab.resize(1280, 800));
    tab.click("[data-view='each']");
    tab.wait_for("document.querySelectorAll('.each-band:not([hidden])').length > 5");
    assert!(text(&mut tab, "#each-words").contains(" bands in the order of the table, from "));
    let shown = "$$('.each-band:not([hidden])').map(cell => cell.title.split('\\n')[0])";
    let listed = "$$('#rows .row:not([hidden])').sort((a, b) => a.dataset.index - b.dataset.index)\
                  .map(row => row.querySelector('.name bdi').textContent)";
    let (cells, rows) = (tab.evaluate(shown), tab.evaluate(listed));
    assert!(cells.as_array().expect("cells").len() < 100, "only what is in sight: {cells}");
    for i in 0..6 {
        assert_eq!(cells[i], rows[i]);
    }
    // How much of its height a small chart fills, by the pixels of its middle column.
    let filled = "(() => { const canvas = document.querySelectorAll('.each-band:not([hidden]) canvas')[INDEX]; \
         const copy = new OffscreenCanvas(canvas.width, canvas.height).getContext('2d', { willReadFrequently: true }); \
         copy.drawImage(canvas, 0, 0); let top = canvas.height; const { data } = copy.getImageData(0, 0, canvas.width, canvas.height); \
         for (let i = 3; i < data.length; i += 4) if (data[i] > 200) top = Math.min(top, Math.floor(i / 4 / canvas.width)); \
         return 1 - top / canvas.height })()";
    let fill = |tab: &mut Tab<'_>, i: usize| {
        tab.evaluate(&filled.replace("INDEX", &i.to_string())).as_f64().expect("a share")
    };
    tab.evaluate("$('each-rows').scrollTop = 1e6");
    tab.settle();
    assert!(fill(&mut tab, 3) > 0.9, "a small band has its own scale");
    tab.click("#shared");
    tab.settle();
    assert!(fill(&mut tab, 3) < 0.2, "on the scale of the biggest, it is low");
    assert!(fragment(&mut tab).contains("view=each&shared=true"));
    tab.evaluate("$('each-rows').scrollTop = 0");
    tab.settle();
    // The search and the keys are those of the table.
    tab.evaluate("document.querySelector('.each-band[tabindex=\"0\"]').focus()");
    tab.press("ArrowRight");
    tab.press("Enter");
    tab.wait_for("!$('details').hidden");
    let chosen = tab
        .evaluate("document.querySelector('.each-band[aria-pressed=true]').title.split('\\n')[0]");
    assert_eq!(chosen, cells[1]);
    assert_eq!(
        text(&mut tab, "#details .band-name span:nth-child(2)"),
        chosen.as_str().expect("a name")
    );
}
