//! Touch: tapping, dragging, pinching; and a phone.

use serde_json::{Value, json};

use crate::common::browser::Tab;
use crate::{Plot, browser, key, quiet, report, sample, text};

/// An event of fingers at these places.
fn touch(tab: &mut Tab<'_>, kind: &str, places: &[(f64, f64)]) {
    let points: Vec<Value> =
        places.iter().enumerate().map(|(id, (x, y))| json!({ "x": x, "y": y, "id": id })).collect();
    tab.call("Input.dispatchTouchEvent", json!({ "type": kind, "touchPoints": points }));
    tab.settle();
}

fn phone(tab: &mut Tab<'_>) {
    let metrics = json!({ "width": 390, "height": 800, "deviceScaleFactor": 2, "mobile": true });
    tab.call("Emulation.setDeviceMetricsOverride", metrics);
    tab.call("Emulation.setTouchEmulationEnabled", json!({ "enabled": true, "maxTouchPoints": 2 }));
}

#[test]
fn fingers_tap_and_pinch() {
    let Some(mut browser) = browser() else { return };
    let report = report(&sample("leak-hy.eventlog"));
    let mut tab = browser.open_at(&report.path, "", phone);
    tab.evaluate("document.getElementById('plot').scrollIntoView({ block: 'center' })");
    tab.settle();
    let plot = Plot::of(&mut tab);
    let y = plot.middle();
    touch(&mut tab, "touchStart", &[(plot.x(1e9), y)]);
    touch(&mut tab, "touchEnd", &[]);
    tab.wait_for("location.hash.includes('at=')");
    let held = 1.2e9;
    let middle = plot.x(held);
    touch(&mut tab, "touchStart", &[(middle - 30.0, y), (middle + 30.0, y)]);
    touch(&mut tab, "touchMove", &[(middle - 32.0, y), (middle + 32.0, y)]);
    touch(&mut tab, "touchMove", &[(middle - 70.0, y), (middle + 70.0, y)]);
    touch(&mut tab, "touchEnd", &[]);
    let near = Plot::of(&mut tab);
    let closer = (near.to - near.from) / (plot.to - plot.from);
    assert!((0.3..0.75).contains(&closer), "{closer}");
    assert!((near.x(held) - middle).abs() < 12.0, "what is between the fingers stays there");
    quiet(&mut tab);
}

#[test]
fn on_a_phone_a_tapped_row_stays_beside_its_curve() {
    let Some(mut browser) = browser() else { return };
    let report = report(&sample("leak-hy.eventlog"));
    let mut tab = browser.open_at(&report.path, "", phone);
    assert_eq!(tab.evaluate("document.getElementById('details').hidden"), json!(true));
    tab.click("#rows .row[data-index='2']", 0);
    let inside = "(() => { const seen = (e) => { const b = e.getBoundingClientRect(); \
                  return b.width > 0 && b.top >= 0 && b.bottom <= innerHeight }; \
                  return [seen(document.querySelector(\"#rows .row[data-index='2']\")), \
                  seen(document.querySelector('#details .big-spark'))] })()";
    assert_eq!(tab.evaluate(inside), json!([true, true]));
    assert_eq!(key(&mut tab).len(), 1);
    assert!(text(&mut tab, "#details").contains("peak"));
    let wide = "document.documentElement.scrollWidth <= innerWidth";
    assert_eq!(tab.evaluate(wide), json!(true));
    tab.click("#details .close", 0);
    assert_eq!(tab.evaluate("document.getElementById('details').hidden"), json!(true));
    quiet(&mut tab);
}
