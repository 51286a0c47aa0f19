//! The page's analysis: the verdict, the figures of a part, markers, two instants, several runs. Its
//! numbers are compared with the library's.

use heapviz::analysis::Analysis;
use heapviz::base::units::{Bytes, Nanos};
use heapviz::profile::{Breakdown, Profile, ProfileBuilder, Source};
use heapviz::profile_view::ViewOptions;
use heapviz::slice::rank::{RankOptions, rank};
use heapviz::slice::{Bound, Slice, SliceOptions, Window};
use serde_json::{Value, json};

use crate::common::browser::{Browser, Held};
use crate::common::command::Folder;
use crate::common::generator::Random;
use crate::{
    Plot, cells, click_in_menu, copied, key, report, report_of, report_of_comparison,
    report_of_runs, sample, table, text,
};

crate::in_chromium! {
    the_verdict_stands_on_top_and_leads_to_the_suspect,
    the_figures_of_a_part_are_those_of_the_library,
    a_run_is_sorted_and_saved,
    runs_share_a_page,
    a_run_before_and_one_after_are_compared,
    before_and_after_are_seen_at_once_on_one_axis_of_time,
    a_run_that_is_flat_on_the_scale_of_the_other_is_seen,
    any_part_can_be_marked,
    key_table_and_tree_begin_with_what_is_accused,
    what_to_do_are_commands_and_a_report_is_copied,
    the_page_of_a_comparison_begins_with_the_run_that_leaks,
}

/// A server: level bands with noise, and one band that leaks from a third of the run onwards.
fn leaking(samples: u64) -> Profile {
    let mut builder = ProfileBuilder::new(Source::Eventlog);
    builder.declare_breakdown(Breakdown::Type);
    let mut random = Random::new(7, "leaking");
    for sample in 0..samples {
        let leak = 20_000 + 40_000 * sample.saturating_sub(samples / 3);
        let bands = [("Map", 4_000_000), ("Request", 1_500_000), ("Leak", leak)];
        let bands = bands.map(|(band, size)| (band, (size + random.below(9_000)) / 8 * 8));
        builder.sample(100_000_000 * sample as i64, bands);
    }
    builder.finish()
}

fn the_verdict_stands_on_top_and_leads_to_the_suspect(browser: &mut Browser) {
    let report = report(&leaking(300));
    let verdict = &report.json["verdict"];
    let suspect = &verdict["suspects"][0];
    assert_eq!((&verdict["leak"], &suspect["label"]), (&json!("likely"), &json!("Leak")));
    let mut tab = browser.open_at(&report.path, "", |tab| tab.resize(1440, 900));
    let said = text(&mut tab, "#verdict");
    assert!(said.starts_with("Likely leak") && said.contains("Leak"), "{said}");
    let top = "$('verdict').getBoundingClientRect().bottom < $('plot').getBoundingClientRect().top";
    tab.holds(top);
    // The suspect is marked in the key and in the table, where it comes first.
    let marked = "$$('#layers .mark').map(m => m.closest('li').querySelector('bdi').textContent)";
    assert_eq!(tab.evaluate(marked), json!(["Leak"]));
    let first = "document.querySelector('#rows .row[data-index=\"0\"] .name').textContent";
    assert_eq!(tab.evaluate(first), json!("Leak"));
    tab.click("#tab-why");
    tab.click("#panel-why .suspects button");
    assert_eq!(key(&mut tab).len(), 1);
    let since = suspect["since_ns"].as_f64().expect("a time");
    assert_eq!(crate::part(&mut tab), [since, 29.9e9]);
    drop(tab);

    let profile = leaking(300);
    let mut shown = ViewOptions::default();
    shown.verdict = heapviz::profile_view::VerdictChoice::Hide;
    let hidden = report_of(&profile, &shown);
    let mut tab = browser.open(&hidden.path);
    tab.holds("$('verdict').hidden");
}

/// The page computes the figures of a part itself; they must equal those of a slice in the library.
fn the_figures_of_a_part_are_those_of_the_library(browser: &mut Browser) {
    for (name, from, to) in [
        ("", 3_950_000_000, 26_050_000_000),
        ("", 0, 12_030_000_000),
        ("leak-hy.eventlog", 60_000_000, 1_480_000_000),
        ("leak-hT.eventlog", 500_000_000, 2_000_000_000),
        ("leak-hd.hp", 100_000_000, 800_000_000),
    ] {
        let profile = if name.is_empty() { leaking(300) } else { sample(name) };
        let bound = |time| Some(Bound::Time(Nanos::from_nanos(time)));
        let mut options = SliceOptions::default();
        options.window = Window { from: bound(from), to: bound(to) };
        let slice = Slice::new(&profile, &options).expect("a part");
        let analysis = Analysis::new(&slice, &[]);
        let totals = rank(&slice, &RankOptions::default()).totals;
        // A page gives no verdict on a part: it says what a band gained from the first sample to the last.
        let mut first = vec![0; slice.rows().len()];
        slice.each_point(0, |row, size| first[row.index()] += size.get());
        let report = report(&profile);
        let fragment = format!("#range={from}+{to}");
        let mut tab = browser.open_at(&report.path, &fragment, |tab| tab.resize(1300, 900));
        let table = table(&mut tab);
        for (i, row) in slice.rows().enumerate() {
            let label = slice.label(row);
            // A name that looks like a formula starts with a quote.
            let shown = table.get(label).unwrap_or_else(|| &table[&format!("'{label}")]);
            let figures = &analysis.figures.bands[i];
            let pairs = [
                ("peak_bytes", figures.peak as f64),
                ("last_bytes", figures.last as f64),
                ("mean_bytes", figures.mean),
                ("total_bytes", totals[i] as f64),
                ("grew_bytes", figures.last as f64 - first[i] as f64),
            ];
            for (column, expected) in pairs {
                let seen: f64 = shown[column].parse().expect("a number");
                let scale = expected.abs().max(1e-3);
                assert!(
                    (seen - expected).abs() <= 1e-6 * scale,
                    "{name} {}: {column} is {expected}, shown {seen}",
                    slice.label(row)
                );
            }
        }
    }
}

fn a_run_is_sorted_and_saved(browser: &mut Browser) {
    let report = report(&sample("leak-hy.eventlog"));
    let mut tab = browser.open_at(&report.path, "", |tab| tab.resize(1300, 1000));
    tab.click("#tab-messages");
    tab.enter("message-search", "phase 4");
    assert!(text(&mut tab, "#message-count").starts_with("1 of "));
    assert!(text(&mut tab, "#message-rows button:not([hidden]) .text").contains("phase 4"));
    tab.click("#message-rows button:not([hidden])");
    assert!(text(&mut tab, "#bubble").contains("phase 4"));
    tab.wait_for("location.hash.includes('at=')");
    tab.go("");
    let sorted = "document.querySelector('#head [aria-sort$=scending]')?.dataset.key ?? ''";
    // No column has the usual order, and the page names it.
    assert_eq!(tab.evaluate(sorted), json!(""));
    tab.wait_for("$('count').textContent.includes('by suspicion')");
    // Growth sorts by growth in both directions, and a third click returns to the usual order.
    for sign in [-1.0, 1.0] {
        tab.click("[data-key='growth'] button");
        let csv = copied(&mut tab, "#copy-csv");
        let rows: Vec<Vec<String>> =
            csv.split("\r\n").filter(|line| !line.is_empty()).map(cells).collect();
        let at = rows[0].iter().position(|name| name == "grew_bytes").expect("the column");
        let slopes: Vec<f64> =
            rows[1..].iter().map(|row| sign * row[at].parse::<f64>().expect("a number")).collect();
        assert!(slopes.len() > 5 && slopes.is_sorted(), "{slopes:?}");
    }
    tab.click("[data-key='growth'] button");
    assert_eq!(tab.evaluate(sorted), json!(""));
    for key in ["total", "peak", "mean", "last", "name"] {
        tab.evaluate(&format!("location.hash = 'sort={key}'"));
        tab.wait_for(&format!("({sorted}) === '{key}'"));
    }
    tab.go("");
    // The picture that the page began with.
    let saved = "(() => { let saved = ''; HTMLAnchorElement.prototype.click = function () { \
         saved = `${this.download} ${this.href.slice(0, 26)}` }; $('save-picture').click(); return saved })()";
    assert_eq!(tab.evaluate(saved), json!("Leak.prof.svg data:image/svg+xml;base64,"));
}

fn runs_share_a_page(browser: &mut Browser) {
    let names = ["leak-hy.eventlog", "leak-hc.eventlog", "leak-hd.hp"];
    let (_folder, path) = report_of_runs(&names);
    let mut tab = browser.open_at(&path, "#range=0.5s-1s", |tab| tab.resize(1300, 900));
    for (run, has_tree) in [(2, true), (3, false)] {
        tab.click(&format!("#runs button:nth-child({run})"));
        tab.wait_for(&format!("$('tab-tree').hidden !== {has_tree}"));
        let flag = &names[run - 1]["leak".len().."leak-hc".len()];
        assert!(text(&mut tab, "#subtitle").contains(flag), "{}", text(&mut tab, "#subtitle"));
        // A part of elapsed time is none of processor time.
        assert_eq!(crate::fragment(&mut tab).contains("range=0.5s-1s"), has_tree);
    }
    assert!(crate::fragment(&mut tab).contains("run=2"));
}

fn a_run_before_and_one_after_are_compared(browser: &mut Browser) {
    // The later run has no leak, and it has a band that the earlier one did not have.
    let mut after = ProfileBuilder::new(Source::Eventlog);
    after.declare_breakdown(Breakdown::Type);
    for sample in 0..300u64 {
        after.sample(
            100_000_000 * sample as i64,
            [("Map", 4_000_000), ("Request", 1_500_000), ("Cache", 900_000)]
                .map(|(band, size)| (band, size + sample % 7 * 8)),
        );
    }
    let profiles = [leaking(300), after.finish()];
    let (comparison, _folder, path) = report_of_comparison(&profiles, ["before: a", "after: b"]);
    let mut tab = browser.open_at(&path, "", |tab| tab.resize(1300, 900));
    // An arrow is one character there, which no line breaks.
    let headline = comparison.headline().to_string().replace("->", "→");
    assert!(text(&mut tab, "#compared").contains(&headline));
    // One title, one verdict, and both runs on one axis.
    assert_eq!(text(&mut tab, "#title"), "before: a → after: b");
    assert_eq!(text(&mut tab, "#verdict .badge"), "Before: likely leak");
    let scale = "Number($('plot').dataset.top)";
    let (alone, before) = (tab.evaluate(scale).as_f64(), comparison.figures[0].before);
    tab.click("#runs button:nth-child(2)");
    tab.wait_for("location.hash.includes('run=1')");
    let top = tab.evaluate(scale).as_f64();
    assert!(top >= alone && top > Some(before), "{top:?} is above the peak before, {before}");
    let marks = "Object.fromEntries($$('#layers .changed').map(mark => \
                 [mark.parentElement.querySelector('bdi').textContent, mark.textContent]))";
    assert_eq!(tab.evaluate(marks), json!({ "Cache": "▲" }));
    tab.click("#runs button:nth-child(1)");
    tab.wait_for("!location.hash.includes('run=1')");
    assert_eq!(tab.evaluate(marks), json!({ "Leak": "▼" }));
    let rows = tab.evaluate(
        "$$('#compared-bands tr').map(row => [row.querySelector('.name').textContent, \
         ...[...row.querySelectorAll('td')].map(cell => cell.textContent)])",
    );
    assert_eq!(rows.as_array().expect("rows").len(), comparison.bands.rows.len());
    for (row, band) in rows.as_array().expect("rows").iter().zip(&comparison.bands.rows) {
        assert_eq!((&row[0], &row[4]), (&json!(band.label), &json!(band.became())));
        for (cell, bytes) in [(&row[1], band.before), (&row[2], band.after)] {
            let amount = Bytes::new(bytes.round() as u64).to_string();
            assert_eq!(cell, if bytes > 0.0 { &amount } else { "" }, "{row}");
        }
    }
    // A click shows the band in the run that contains it.
    let row = |label: &str| {
        let place = comparison.bands.rows.iter().position(|band| band.label == label);
        format!("#compared-bands tr:nth-child({}) button", place.expect("a band") + 1)
    };
    for (label, run) in [("Leak", "before: a"), ("Cache", "after: b")] {
        tab.click(&row(label));
        tab.settle();
        assert_eq!(text(&mut tab, "#runs [aria-pressed=true]"), run);
        assert_eq!(key(&mut tab)[0].0, label);
        assert_eq!(key(&mut tab).len(), 1);
    }
    tab.click(&row("Cache"));
    assert_eq!(key(&mut tab).len(), 3, "picked again, all are shown");
}

/// A band that is bigger at the peak does not stand before the leak: not in the key, the table, or the tree.
fn key_table_and_tree_begin_with_what_is_accused(browser: &mut Browser) {
    let mut builder = ProfileBuilder::new(Source::Hp);
    builder.declare_breakdown(Breakdown::CostCentre);
    for sample in 0..120u64 {
        let tooth = 400_000 * (sample % 10);
        builder.sample(
            100_000_000 * sample as i64,
            [("batch/main", tooth), ("audit/main", 20_000 + 16_000 * sample)],
        );
    }
    let report = report(&builder.finish());
    assert_eq!(report.json["verdict"]["suspects"][0]["label"], json!("audit/main"));
    let mut tab = browser.open_at(&report.path, "#tab=tree", |tab| tab.resize(1300, 900));
    // A capital would make another name of it.
    let said = text(&mut tab, "#verdict");
    assert!(said.contains("audit grew"), "{said}");
    assert!(text(&mut tab, "#instant").starts_with("Grew, to the end"));
    // At the bottom of the stack, as in the picture.
    let lowest = "document.querySelector('#layers li:last-child .pick').title.split('\\n')[0]";
    assert_eq!(tab.evaluate(lowest), json!("audit/main"));
    assert!(text(&mut tab, "#tree-when").starts_with("What is accused grew: "));
    let marked = "$$('#tree-rows .mark').map(mark => mark.parentElement.textContent)";
    assert_eq!(tab.evaluate(marked), json!(["audit"]));
    assert!(!text(&mut tab, "#tree-rows").contains("batch"));
    tab.click("#tab-bands");
    let columns = "$$('#head [data-key]').slice(0, 3).map(cell => cell.textContent)";
    assert_eq!(tab.evaluate(columns), json!(["Band", "Grew", "At the end"]));
    let row = "document.querySelector('#rows .row[data-index=\"0\"] .name').textContent";
    assert_eq!(tab.evaluate(row), json!("audit/main"));
    // At an instant the tree is that of the instant.
    click_in_menu(&mut tab, "#to-peak");
    tab.click("#tab-tree");
    assert!(text(&mut tab, "#tree-when").starts_with("At "));
    assert!(text(&mut tab, "#tree-rows").contains("batch"));
}

fn any_part_can_be_marked(browser: &mut Browser) {
    let report = report(&sample("leak-hy.eventlog"));
    let mut tab = browser.open_at(&report.path, "", |tab| tab.resize(1300, 900));
    let said = text(&mut tab, "#verdict");
    assert!(said.starts_with("Peak") && said.contains("14.8 MiB at 1.84 s"), "{said}");
    let bands = report.bands();
    let time = |sample: usize| report.json["times_ns"][sample].as_f64().expect("a time");
    let plot = Plot::of(&mut tab);
    let (from, to) = (4, 20);
    let at = |sample: usize| (plot.x(time(sample)), plot.middle());
    let change = |values: &Value| {
        values[to].as_f64().expect("bytes") as i64 - values[from].as_f64().expect("bytes") as i64
    };
    let expected: Vec<i64> = bands.iter().map(|band| change(&band["residency"])).collect();
    let shown = "$$('#layers li').sort((a, b) => b.dataset.place - a.dataset.place)\
                 .map(row => Number(row.querySelector('.bytes').dataset.bytes))";
    // By a drag, and by keys.
    let [(low, y), (high, _)] = [from, to].map(at);
    tab.drag((low - 2.0, y), (high + 2.0, y), Held::Nothing);
    tab.hover(5.0, 5.0);
    assert!(text(&mut tab, "#instant").starts_with("Gained from "));
    let mut given = tab.evaluate(shown);
    given.as_array_mut().expect("amounts").reverse();
    assert!(given == json!(expected) || tab.evaluate(shown) == json!(expected), "{given}");
    let total = "Number(document.querySelector('#figures [data-figure=total]').dataset.bytes)";
    assert_eq!(tab.evaluate(total), json!(change(&report.json["total"])));
    tab.wait_for("$('count').textContent.includes('figures of')");
    let sum: f64 = table(&mut tab)
        .values()
        .map(|row| row["grew_bytes"].parse::<f64>().expect("a number"))
        .sum();
    assert_eq!(sum as i64, change(&report.json["total"]));
    tab.click("#rows .row[data-index='0']");
    assert!(text(&mut tab, "#details").contains("gained"));
    // At an instant it is about that instant.
    tab.evaluate("$('plot').focus()");
    tab.press("Home");
    tab.hover(5.0, 5.0);
    assert!(!text(&mut tab, "#instant").starts_with("Gained"));
    tab.press("[");
    assert!(text(&mut tab, "#instant").starts_with("Gained from "));
    tab.press("Escape");
    assert!(!text(&mut tab, "#instant").starts_with("Gained"));
    drop(tab);
    let centres = crate::report(&sample("leak-hc.eventlog"));
    let mut tab = browser.open_at(&centres.path, "#tab=tree", |tab| tab.resize(1300, 900));
    tab.evaluate("$('plot').focus()");
    tab.press("Home");
    tab.wait_for("$('tree-when').textContent.startsWith('At ')");
    tab.press("[");
    tab.wait_for("$('tree-when').textContent.startsWith('Gained from ')");
}

fn what_to_do_are_commands_and_a_report_is_copied(browser: &mut Browser) {
    let report = report(&sample("words-lazy.eventlog.gz"));
    let mut tab = browser.open_at(&report.path, "", |tab| tab.resize(1300, 900));
    tab.holds("$('panel-why').hidden");
    // The first command is in the head, the others are below the reasons.
    let first = "heapviz hunt --cabal -- 400000";
    assert_eq!(copied(&mut tab, "#next button"), first);
    tab.click("#tab-why");
    let others: Vec<String> = tab.read("texts('#panel-why .step code')");
    assert!(others[0].ends_with("words 400000"), "{others:?}");
    assert!(others.iter().all(|other| other != first), "{others:?}");
    // On a phone it is above the fold, with badge, sentence and the beginning of the chart.
    tab.resize(375, 667);
    let bottoms = "['verdict', 'next', 'plot'].map((id, i) => $(id).getBoundingClientRect()[i < 2 ? 'bottom' : 'top'])";
    let bottoms = tab.evaluate(bottoms);
    let at = |i: usize| bottoms[i].as_f64().expect("a place");
    assert!(at(0) <= at(1) && at(1) < 250.0, "{bottoms}");
    tab.resize(1300, 900);
    tab.click("#menu-button");
    let words = copied(&mut tab, "#copy-report");
    for part in [
        "**Likely leak**: `THUNK` grew by",
        "| Band | Grew | At the end |",
        "| `THUNK` | +20.7 MiB | 21 MiB |",
        "```sh\nheapviz ",
    ] {
        assert!(words.contains(part), "{part} is not in {words}");
    }
}

fn the_page_of_a_comparison_begins_with_the_run_that_leaks(browser: &mut Browser) {
    let [lazy, strict] = ["words-lazy.eventlog.gz", "words-strict.eventlog.gz"].map(sample);
    let pairs = [
        ([&lazy, &strict], "Before: likely leak", "heapviz hunt --again"),
        ([&strict, &lazy], "After: likely leak", "heapviz hunt --cabal -- 400000"),
    ];
    for (pair, badge, next) in pairs {
        let profiles = pair.map(Clone::clone);
        let (_, _folder, path) = report_of_comparison(&profiles, ["before: a", "after: b"]);
        let mut tab = browser.open(&path);
        assert_eq!(text(&mut tab, "#verdict .badge"), badge);
        // The old leak is cured: nobody hunts it.
        assert_eq!(text(&mut tab, "#next code"), next);
        let figures = text(&mut tab, "#compared-figures");
        assert!(figures.contains('−') && !figures.contains(" -"), "{figures}");
    }
}

fn before_and_after_are_seen_at_once_on_one_axis_of_time(browser: &mut Browser) {
    let profiles = ["leak-hT.eventlog", "words-strict.eventlog.gz"].map(sample);
    let (_, _folder, path) = report_of_comparison(
        &profiles,
        ["before: leak-hT.eventlog", "after: words-strict.eventlog.gz"],
    );
    let mut tab = browser.open_at(&path, "#shared=true", |tab| tab.resize(1280, 900));
    tab.holds("$('title').scrollHeight <= $('title').clientHeight + 1 && $('title').scrollWidth <= $('title').clientWidth");
    let both = |tab: &mut crate::Tab<'_>, what: &str| {
        tab.settle();
        tab.evaluate(&format!("['plot', 'twin'].map(id => {what})"))
    };
    let ranges = both(&mut tab, "$(id).dataset.range");
    assert_eq!(ranges[0], ranges[1]);
    let tops = both(&mut tab, "$(id).dataset.top");
    assert_eq!(tops[0], tops[1], "one scale");
    tab.click("#shared");
    let tops = both(&mut tab, "Number($(id).dataset.top)");
    assert!(tops[0].as_f64() > tops[1].as_f64().map(|top| 10.0 * top), "each its own: {tops}");
    let places = "$(id).getBoundingClientRect().top";
    let places = |tab: &mut crate::Tab<'_>| both(tab, places);
    let before = places(&mut tab);
    assert!(before[0].as_f64() < before[1].as_f64(), "before is above after");
    // The crosshair goes through both.
    let plot = Plot::of(&mut tab);
    tab.hover(plot.x(8e8), before[1].as_f64().expect("a place") + 60.0);
    let said = both(&mut tab, "($(id).querySelector('.bubble')).textContent");
    assert!(
        said.as_array()
            .expect("two")
            .iter()
            .all(|one| one.as_str().is_some_and(|one| one.contains("in all"))),
        "{said}"
    );
    // A part that is marked in the other chart is that of both; a click makes the other run the shown one.
    let y = before[1].as_f64().expect("a place") + 60.0;
    tab.drag((plot.x(5e8), y), (plot.x(15e8), y), Held::Nothing);
    tab.click("#zoom-to");
    tab.settle();
    let before = places(&mut tab);
    let y = before[1].as_f64().expect("a place") + 60.0;
    let ranges = both(&mut tab, "$(id).dataset.range");
    assert!(ranges[0] == ranges[1] && ranges[0] != json!(format!("{} {}", plot.from, plot.to)));
    assert_eq!(text(&mut tab, "#plot-name").split(',').next(), Some("before: leak-hT.eventlog"));
    tab.drag((plot.x(9e8), y), (plot.x(9e8), y), Held::Nothing);
    tab.wait_for("location.hash.includes('run=1')");
    assert_eq!(both(&mut tab, "$(id).dataset.range"), ranges);
    assert_eq!(
        text(&mut tab, "#plot-name").split(',').next(),
        Some("after: words-strict.eventlog.gz")
    );
    let after = places(&mut tab);
    assert!(after[0].as_f64() > after[1].as_f64(), "before stays above after: {after}");
    // On a phone, no table of the comparison scrolls sideways.
    tab.resize(390, 844);
    tab.settle();
    tab.click("#tab-compared");
    let wide = "$$('#panel-compared .wide').map(box => box.scrollWidth - box.clientWidth)";
    assert_eq!(tab.evaluate(wide), json!([0, 0]));
}

/// On one scale, a run that is a hundred times lower is in an inset on its own scale; a band has one colour in both.
fn a_run_that_is_flat_on_the_scale_of_the_other_is_seen(browser: &mut Browser) {
    let folder = Folder::new();
    let [lazy, strict] = ["words-lazy", "words-strict"].map(|name| {
        crate::root().join(format!("samples/{name}.eventlog.gz")).display().to_string()
    });
    folder.run(&["diff", &lazy, &strict, "-o", "page.html"]).drawn();
    let path = folder.path().join("page.html");
    let mut tab = browser.open_at(&path, "#shared=true", |tab| tab.resize(1280, 800));
    tab.settle();
    let share: f64 = tab.read(
        "(() => { const [left, top, width, height] = $('twin').dataset.box.split(' ').map(Number); \
         const row = painted('twin-base', left + width / 2, top + 0.5 * height, width / 2, 0); \
         return row.data.filter((blue, i) => i % 4 === 2 && Math.abs(blue - row.data[i - 2]) > 60).length / row.width })()",
    );
    assert!((0.4..0.7).contains(&share), "it ran half as long: {share}");
    let colours = "Object.fromEntries($$('#layers li').map(row => \
         [row.querySelector('bdi').textContent, row.querySelector('.swatch').style.background]))";
    // The table of both runs has the colours of both charts, also of a band that only one of them draws.
    let rows = "$$('#compared-bands tr').filter(row => /THUNK|ARR_WORDS/.test(row.textContent)).map(row => \
         row.querySelector('.swatch').style.background)";
    let [before, rows_before] = [colours, rows].map(|what| tab.evaluate(what));
    tab.click("#runs button:nth-child(2)");
    tab.wait_for("location.hash.includes('run=1')");
    tab.settle();
    let after = tab.evaluate(colours);
    assert_eq!(tab.evaluate(rows), rows_before);
    let after = after.as_object().expect("bands");
    let both: Vec<&String> = after.keys().filter(|name| before.get(*name).is_some()).collect();
    assert!(both.len() >= 4, "{both:?}");
    assert!(both.iter().all(|name| before[*name] == after[*name]), "{before} {after:?}");
}
