//! The page of a running program: the reader's choices stay while the data changes.

use std::fs::{self, File};
use std::io::Write;

use serde_json::json;

use crate::common::browser::{Browser, Held, Tab};
use crate::common::served::Served;
use crate::looks::small;
use crate::{Plot, browser, fragment, key, root, text, zoom_in};

crate::in_chromium! {
    new_samples_come_and_what_the_reader_has_chosen_stays,
    a_running_page_stands_at_now_and_keeps_the_focus,
}

const HEAD: &str = "JOB \"prog +RTS -hT\"\nDATE \"d\"\nSAMPLE_UNIT \"s\"\nVALUE_UNIT \"b\"\n";

/// Samples one second apart: a growing band, a constant one, and from the 40th sample on a new,
/// biggest band whose name sorts first.
fn samples(range: std::ops::Range<u64>) -> String {
    let one = |i: u64| {
        let new = if i >= 40 { "Array\t9000000\n" } else { "" };
        let leak = 50_000 * i;
        format!("BEGIN_SAMPLE {i}.0\n{new}leak\t{leak}\nstatic\t400000\nEND_SAMPLE {i}.0\n")
    };
    range.map(one).collect()
}

fn sample_count(tab: &mut Tab<'_>) -> u64 {
    let most = "Number($('plot').getAttribute('aria-valuemax'))";
    tab.evaluate(most).as_f64().expect("a number") as u64
}

fn wait_for_samples(tab: &mut Tab<'_>, count: u64) {
    tab.wait_for(&format!("Number($('plot').getAttribute('aria-valuemax')) === {count}"));
    tab.settle();
}

fn new_samples_come_and_what_the_reader_has_chosen_stays(browser: &mut Browser) {
    let folder = tempfile::tempdir().unwrap();
    let mut served = Served::start(folder.path(), &["prog.hp"]);
    let address = served.address.clone();
    // The page is opened before it has any data.
    let mut tab = browser.open_address(&address, &address, |_| {});
    tab.quiet();
    tab.wait_for("$('follow-state').textContent.includes('does not exist yet')");
    assert_eq!(text(&mut tab, "#instant"), "waiting for the first sample");
    let mut file = File::create(folder.path().join("prog.hp")).unwrap();
    file.write_all((HEAD.to_owned() + &samples(0..30)).as_bytes()).unwrap();
    wait_for_samples(&mut tab, 30);
    tab.quiet();
    tab.wait_for("$('follow-state').textContent === 'live'");
    tab.resize(1200, 900);
    tab.settle();

    // Zoom, pin a sample and isolate a band.
    let plot = Plot::of(&mut tab);
    tab.drag((plot.x(10e9), plot.middle()), (plot.x(20e9), plot.middle()), Held::Nothing);
    tab.click("#zoom-to");
    tab.settle();
    let plot = Plot::of(&mut tab);
    let place = (plot.x(15e9), plot.middle());
    tab.drag(place, place, Held::Nothing);
    tab.click("#layers li .pick");
    tab.settle();
    let instant = text(&mut tab, "#instant");
    let (zoomed, chosen, rows) = (Plot::of(&mut tab), fragment(&mut tab), key(&mut tab));
    assert!(chosen.contains("range=") && chosen.contains("at=") && chosen.contains("only="));

    // Bands get different numbers, and another band becomes the biggest.
    file.write_all(samples(30..60).as_bytes()).unwrap();
    wait_for_samples(&mut tab, 60);
    let plot = Plot::of(&mut tab);
    assert_eq!((plot.from, plot.to), (zoomed.from, zoomed.to));
    assert_eq!(
        (fragment(&mut tab), key(&mut tab), text(&mut tab, "#instant")),
        (chosen, rows, instant)
    );
    tab.quiet();

    // Without a zoom, the newest sample is visible.
    tab.click("#reset");
    tab.settle();
    file.write_all(samples(60..70).as_bytes()).unwrap();
    wait_for_samples(&mut tab, 70);
    assert_eq!(Plot::of(&mut tab).to, 69e9);

    // A pause freezes the picture and counts the new samples.
    tab.click("#follow-pause");
    file.write_all(samples(70..80).as_bytes()).unwrap();
    tab.wait_for("$('follow-state').textContent.includes('update')");
    assert_eq!(sample_count(&mut tab), 70);
    tab.click("#follow-pause");
    wait_for_samples(&mut tab, 80);
    tab.quiet();

    // The program ends, then heapviz ends; the page keeps working and can be saved.
    file.write_all(b"BEGIN_SAMPLE 80.0\nEND_SAMPLE 80.0\n").unwrap();
    wait_for_samples(&mut tab, 81);
    assert_eq!(served.interrupt(), Some(0));
    tab.wait_for("document.documentElement.dataset.live === 'lost'");
    assert!(text(&mut tab, "#follow-state").contains("this page goes on"));
    zoom_in(&mut tab);
    tab.settle();
    assert!(Plot::of(&mut tab).to < 80e9);
    let saved = tab.evaluate(
        "new Promise(done => { URL.createObjectURL = blob => { blob.text().then(done); return '#' }; \
         $('follow-save').click() })",
    );
    drop(tab);
    let path = folder.path().join("saved.html");
    fs::write(&path, saved.as_str().expect("a page")).unwrap();
    let mut tab = browser.open(&path);
    tab.quiet();
    assert_eq!(sample_count(&mut tab), 81);
    assert_eq!(tab.evaluate("$('follow')"), json!(null));
}

fn a_running_page_stands_at_now_and_keeps_the_focus(browser: &mut Browser) {
    let folder = tempfile::tempdir().unwrap();
    let mut served = Served::start(folder.path(), &["prog.hp"]);
    let address = served.address.clone();
    let mut file = File::create(folder.path().join("prog.hp")).unwrap();
    file.write_all((HEAD.to_owned() + &samples(0..30)).as_bytes()).unwrap();
    let mut tab = browser.open_address(&address, &address, |tab| tab.resize(1200, 900));
    wait_for_samples(&mut tab, 30);
    tab.wait_for("document.documentElement.dataset.live === 'live'");
    assert!(text(&mut tab, "#instant").starts_with("Now, 29"), "{}", text(&mut tab, "#instant"));
    // The last part stays the last part.
    let plot = Plot::of(&mut tab);
    tab.drag((plot.x(19e9), plot.middle()), (plot.x(29.5e9), plot.middle()), Held::Nothing);
    tab.click("#zoom-to");
    tab.click("#part-end");
    tab.settle();
    let shown = Plot::of(&mut tab);
    assert_eq!(shown.to, 29e9);
    tab.hover(5.0, 5.0);
    // Focus on the row of a band, and on the head.
    let focused = "document.activeElement.querySelector('.name')?.textContent ?? document.activeElement.closest('[data-key]')?.dataset.key";
    tab.evaluate(
        "$$('#rows .row').find(row => row.querySelector('.name').textContent === 'static').focus()",
    );
    assert_eq!(tab.evaluate(focused), json!("static"));
    file.write_all(samples(30..45).as_bytes()).unwrap();
    wait_for_samples(&mut tab, 45);
    assert_eq!(tab.evaluate(focused), json!("static"));
    assert!(text(&mut tab, "#instant").starts_with("Now, 44"), "{}", text(&mut tab, "#instant"));
    let later = Plot::of(&mut tab);
    // Within a sample: the range moves by sums of fractions of pixels.
    let moved = [later.from - shown.from, later.to - shown.to];
    assert!(moved.iter().all(|by| (by - 15e9).abs() < 1e9), "{moved:?}");
    tab.evaluate("document.querySelector('#head [data-key=peak] button').focus()");
    tab.evaluate("document.querySelector('#head [data-key=peak]').made = true");
    file.write_all(samples(45..60).as_bytes()).unwrap();
    wait_for_samples(&mut tab, 60);
    assert_eq!(tab.evaluate(focused), json!("peak"));
    tab.holds("document.querySelector('#head [data-key=peak]').made");
    // When the program has ended, there is no now.
    file.write_all(b"BEGIN_SAMPLE 60.0\nEND_SAMPLE 60.0\n").unwrap();
    wait_for_samples(&mut tab, 61);
    assert_eq!(served.interrupt(), Some(0));
    tab.wait_for("!$('instant').textContent.startsWith('Now')");
    // Wherever the page is scrolled to.
    tab.evaluate("scrollTo(0, 1e6)");
    let badge = "(() => { const { top, bottom } = document.querySelector('.gone:not([hidden])')?.getBoundingClientRect() ?? {}; return top > 0 && bottom < innerHeight })()";
    tab.wait_for(badge);
}

/// The picture in the guide: a sample while it is being written. `HEAPVIZ_BLESS` writes it.
#[test]
fn picture_of_a_running_program() {
    let path = root().join("docs/report/running.png");
    if std::env::var_os("HEAPVIZ_BLESS").is_some() {
        let Some(mut browser) = browser() else { return };
        let bytes = fs::read(root().join("samples/leak-hT.eventlog")).unwrap();
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("leak.eventlog"), &bytes[..bytes.len() / 5 * 4]).unwrap();
        let served = Served::start(folder.path(), &["leak.eventlog"]);
        let address = served.address.clone();
        let mut tab = browser.open_address(&address, &address, |tab| tab.resize(1280, 760));
        tab.wait_for("$('follow-state').textContent === 'live'");
        tab.settle();
        fs::write(&path, small(&tab.screenshot())).unwrap();
    }
    let guide = fs::read_to_string(root().join("docs/guide.md")).unwrap();
    assert!(guide.contains("report/running.png"));
    assert!(fs::metadata(&path).unwrap().len() < 120_000);
}
