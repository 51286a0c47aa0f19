//! Touch: tapping, dragging, pinching; and the layout on a phone.

use serde_json::json;

use crate::common::browser::{Browser, Touch};
use crate::{Plot, key, report, sample, text};

crate::in_chromium! {
    fingers_tap_pinch_pan_and_leave_the_crosshair,
    details_are_at_the_end_of_a_phone_and_leave_the_row_free,
}

fn fingers_tap_pinch_pan_and_leave_the_crosshair(browser: &mut Browser) {
    let report = report(&sample("leak-hy.eventlog"));
    let mut tab = browser.open_at(&report.path, "", |tab| tab.phone());
    tab.evaluate("$('plot').scrollIntoView({ block: 'center' })");
    tab.settle();
    let plot = Plot::of(&mut tab);
    let y = plot.middle();
    tab.touch(Touch::Start, &[(plot.x(1e9), y)]);
    tab.touch(Touch::End, &[]);
    tab.wait_for("location.hash.includes('at=')");
    let held = 1.2e9;
    let middle = plot.x(held);
    tab.touch(Touch::Start, &[(middle - 30.0, y), (middle + 30.0, y)]);
    tab.touch(Touch::Move, &[(middle - 32.0, y), (middle + 32.0, y)]);
    tab.touch(Touch::Move, &[(middle - 70.0, y), (middle + 70.0, y)]);
    tab.touch(Touch::End, &[]);
    let near = Plot::of(&mut tab);
    let closer = (near.to - near.from) / (plot.to - plot.from);
    assert!((0.3..0.75).contains(&closer), "{closer}");
    assert!((near.x(held) - middle).abs() < 12.0, "what is between the fingers stays there");
    tab.go("range=800000000 1600000000");
    let before = Plot::of(&mut tab);
    let (x, y) = (before.left + before.width / 2.0, before.middle());
    let fingers = |by: f64| [(x - 50.0 + by, y), (x + 50.0 + by, y)];
    tab.touch(Touch::Start, &fingers(0.0));
    for by in [-3.0, -30.0, -60.0] {
        tab.touch(Touch::Move, &fingers(by));
    }
    tab.touch(Touch::End, &[]);
    let after = Plot::of(&mut tab);
    let pixel = (before.to - before.from) / before.width;
    let moved = (after.from - before.from) / pixel;
    // The first movement only starts the gesture.
    assert!((50.0..64.0).contains(&moved), "the axis moved by {moved} pixels");
    let zoomed = (after.to - after.from) / (before.to - before.from);
    assert!((0.95..1.05).contains(&zoomed), "nothing is zoomed: {zoomed}");
    tab.go("");
    let plot = Plot::of(&mut tab);
    let y = plot.middle();
    tab.touch(Touch::Start, &[(plot.x(0.6e9), y)]);
    for place in [0.7e9, 0.9e9, 1.1e9] {
        tab.touch(Touch::Move, &[(plot.x(place), y)]);
    }
    tab.settle();
    let held = text(&mut tab, "#instant");
    tab.touch(Touch::End, &[]);
    tab.settle();
    assert_eq!(text(&mut tab, "#instant"), held);
    assert_eq!(tab.evaluate("$('bubble').hidden"), json!(false));
    assert!(!held.contains("peak"), "{held}");
}

fn details_are_at_the_end_of_a_phone_and_leave_the_row_free(browser: &mut Browser) {
    let report = report(&sample("leak-hy.eventlog"));
    let mut tab = browser.open_at(&report.path, "", |tab| tab.phone());
    // The tapped row is the lowest thing in the window, where the details will be.
    tab.evaluate(
        "document.querySelector(\"#rows .row[data-index='3']\").scrollIntoView({ block: 'end' })",
    );
    tab.settle();
    tab.click("#rows .row[data-index='3']");
    tab.settle();
    let seen = tab.evaluate(
        "(() => { const sheet = $('details').getBoundingClientRect(); \
         const row = document.querySelector(\"#rows .row[data-index='3']\"), b = row.getBoundingClientRect(); \
         return [Math.abs(sheet.bottom - innerHeight) < 1, sheet.top > innerHeight / 2, \
         row.contains(document.elementFromPoint(b.x + b.width / 2, b.y + b.height / 2))] })()",
    );
    assert_eq!(seen, json!([true, true, true]));
    tab.click("#details .close");
    tab.holds("$('details').hidden");
    tab.click("#rows .row[data-index='2']");
    let inside = "(() => { const seen = (e) => { const b = e.getBoundingClientRect(); \
                  return b.width > 0 && b.top >= 0 && b.bottom <= innerHeight }; \
                  const row = document.querySelector(\"#rows .row[data-index='2']\"), b = row.getBoundingClientRect(); \
                  const there = document.elementFromPoint(b.x + b.width / 2, b.y + b.height / 2); \
                  return [seen(row) && row.contains(there), seen(document.querySelector('#details .big-spark'))] })()";
    assert_eq!(tab.evaluate(inside), json!([true, true]));
    // The curve stays there while the page is scrolled.
    tab.evaluate("scrollBy(0, -300)");
    tab.settle();
    assert_eq!(tab.evaluate(inside)[1], json!(true));
    assert_eq!(key(&mut tab).len(), 1);
    assert!(text(&mut tab, "#details").contains("peak"));
    let wide = "document.documentElement.scrollWidth <= innerWidth";
    tab.holds(wide);
    tab.click("#details .close");
    tab.holds("$('details').hidden");
}
