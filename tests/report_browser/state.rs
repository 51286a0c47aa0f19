//! The state of the page is held once: the run, the focus, the history and the address agree.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use crate::common::browser::{Browser, Held, Tab};
use crate::{Plot, click_in_menu, fragment, key, report, report_of_runs, root, sample, text};

crate::in_chromium! {
    back_shows_the_run_whose_tab_is_marked,
    the_focus_stays_where_the_reader_sorts_and_chooses,
    back_and_forward_are_steps_of_the_reader_and_nonsense_is_none,
    a_view_is_taken_along_as_a_command_and_as_its_curves,
    the_help_says_what_the_special_names_mean,
}

/// Lets some milliseconds pass.
fn pause(tab: &mut Tab<'_>, ms: u32) {
    tab.evaluate(&format!("new Promise(done => setTimeout(done, {ms}))"));
}

fn back_shows_the_run_whose_tab_is_marked(browser: &mut Browser) {
    let names = ["leak-hy.eventlog", "leak-hT.eventlog"];
    let (_folder, path) = report_of_runs(&names);
    let mut tab = browser.open(&path);
    let shown = |tab: &mut Tab<'_>| {
        tab.settle();
        let key = key(tab).into_iter().map(|(name, _)| name).collect::<Vec<_>>();
        (text(tab, "#runs [aria-pressed=true]"), key)
    };
    let first = shown(&mut tab);
    assert_eq!(first.0, names[0]);
    tab.click("#runs button:nth-child(2)");
    tab.wait_for("location.hash.includes('run=1')");
    let second = shown(&mut tab);
    assert_eq!(second.0, names[1]);
    assert_ne!(first.1, second.1);
    tab.evaluate("history.back()");
    tab.wait_for("!location.hash.includes('run=1')");
    pause(&mut tab, 200);
    assert_eq!(shown(&mut tab), first);
    tab.evaluate("location.hash = '#run=1'");
    pause(&mut tab, 200);
    assert_eq!(shown(&mut tab), second);
    tab.click("#runs button:nth-child(1)");
    assert_eq!(shown(&mut tab), first);
}

fn the_focus_stays_where_the_reader_sorts_and_chooses(browser: &mut Browser) {
    let report = report(&sample("leak-hy.eventlog"));
    let mut tab = browser.open_at(&report.path, "", |tab| tab.resize(1400, 900));
    let focused = "document.activeElement.closest('[data-key]')?.dataset.key ?? document.activeElement.tagName";
    for column in ["peak", "mean", "peak", "name"] {
        tab.evaluate(&format!(
            "document.querySelector('#head [data-key={column}] button').focus()"
        ));
        for _ in 0..2 {
            tab.press("Enter");
            tab.settle();
            assert_eq!(tab.evaluate(focused), json!(column));
        }
    }
    // A row keeps the focus while its place, its units and its figures change.
    let row = "[document.activeElement.className.includes('row'), document.activeElement.querySelector('.name')?.textContent]";
    tab.evaluate("document.querySelector('#rows .row[tabindex=\"0\"]').focus()");
    tab.press("ArrowDown");
    let band = tab.evaluate(row);
    assert_eq!(band[0], json!(true));
    for change in
        ["sort=peak", "sort=peak&units=si", "sort=peak&units=si&range=500000000+1500000000"]
    {
        tab.evaluate(&format!("location.hash = '{change}'"));
        pause(&mut tab, 400);
        assert_eq!(tab.evaluate(row), band, "{change}");
    }
    // A button of the key and one of the details stay, too.
    tab.evaluate("document.querySelector('#layers button').focus()");
    tab.press("Enter");
    tab.settle();
    tab.holds("document.activeElement.closest('#layers') !== null");
    tab.evaluate("document.querySelector('#details .buttons button').focus()");
    tab.press("Enter");
    tab.settle();
    tab.holds("document.activeElement.closest('#details') !== null");
    tab.go("");
    let name = "document.activeElement.querySelector?.('.name')?.textContent ?? ''";
    tab.evaluate("document.querySelector(\"#layers li:nth-child(2) button\").focus()");
    let before = tab.evaluate(name);
    assert_ne!(before, json!(""));
    tab.press("Enter");
    tab.wait_for("$('show-all') !== null");
    assert_eq!(tab.evaluate(name), before);
    tab.evaluate("$('show-all').focus()");
    tab.press("Enter");
    tab.wait_for("$('show-all') === null");
    assert_ne!(tab.evaluate("document.activeElement.tagName"), json!("BODY"));
}

fn back_and_forward_are_steps_of_the_reader_and_nonsense_is_none(browser: &mut Browser) {
    let report = report(&sample("leak-hy.eventlog"));
    let mut tab = browser.open(&report.path);
    let plot = Plot::of(&mut tab);
    let place = (plot.x(1e9), plot.middle());
    tab.drag(place, place, Held::Nothing);
    tab.wait_for("location.hash.includes('at=')");
    tab.press("+");
    tab.wait_for("location.hash.includes('range=')");
    tab.evaluate("setTimeout(() => history.back())");
    tab.wait_for("!location.hash.includes('range=')");
    std::thread::sleep(std::time::Duration::from_millis(300));
    assert_eq!(tab.evaluate("location.protocol"), json!("file:"));
    assert!(fragment(&mut tab).contains("at="), "the step before is the pinned sample");
    tab.go("");
    pause(&mut tab, 900);
    tab.click("[data-view='lines']");
    tab.wait_for("location.hash.includes('view=lines')");
    tab.evaluate("new Promise((done) => setTimeout(done, 900))");
    tab.click("#layers li:nth-child(2) button");
    tab.wait_for("location.hash.includes('only=')");
    assert_eq!(key(&mut tab).len(), 1);
    tab.evaluate("history.back()");
    tab.wait_for("document.querySelectorAll('#layers li').length === 11");
    assert!(!fragment(&mut tab).contains("only="));
    tab.evaluate("history.forward()");
    tab.wait_for("document.querySelectorAll('#layers li').length === 1");
    assert!(fragment(&mut tab).contains("only="));
    tab.evaluate("history.back()");
    tab.wait_for("document.querySelectorAll('#layers li').length === 11");
    assert_eq!(
        tab.evaluate("document.querySelector('[data-view=lines]').getAttribute('aria-pressed')"),
        json!("true")
    );
    // A fragment may contain anything, and what makes no sense is not kept.
    tab.go("range=5e99+6e99&tab=nonsense&by=/([&part=0.5s&at=9e9s&run=7&only=no+x+-7&sort=__proto__&view=pie&open=1e9&__proto__=1");
    pause(&mut tab, 200);
    assert_eq!(fragment(&mut tab), "");
    let whole = Plot::of(&mut tab);
    assert!(text(&mut tab, "#figures").contains("before exit"));
    tab.evaluate("location.hash = 'range=0+1'");
    pause(&mut tab, 200);
    let part = Plot::of(&mut tab);
    assert!(part.to - part.from > (whole.to - whole.from) / 1e4, "{} to {}", part.from, part.to);
}

/// A sample in a folder of its own, and the page that the command makes of it.
fn page_by_command(name: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    fs::copy(root().join("samples").join(name), folder.path().join(name)).expect("a copy");
    heapviz(folder.path(), &format!("heapviz -q --palette safe --title 'a b' {name} -o page.html"));
    folder
}

/// Runs a command as a shell reads it.
fn heapviz(folder: &Path, command: &str) {
    let binary = Path::new(env!("CARGO_BIN_EXE_heapviz")).parent().expect("a folder");
    let paths = std::env::join_paths([binary]).expect("a path");
    let shell = if cfg!(windows) { "bash" } else { "/bin/sh" };
    let run =
        Command::new(shell).args(["-c", command]).current_dir(folder).env("PATH", paths).output();
    let run = run.expect("a shell");
    assert!(run.status.success(), "{command}: {}", String::from_utf8_lossy(&run.stderr));
}

fn a_view_is_taken_along_as_a_command_and_as_its_curves(browser: &mut Browser) {
    // Names with all that shells and expressions read in their own way, a type named *, and sets of
    // retainers.
    for (name, band) in [("leak-hc.eventlog", 2), ("leak-hy.eventlog", 1), ("leak-hr.hp", 1)] {
        let folder = page_by_command(name);
        let view = "#range=500000000+1400000000&units=si";
        let mut tab =
            browser.open_at(&folder.path().join("page.html"), view, |tab| tab.resize(1300, 900));
        tab.click(&format!("#layers li:nth-child({band}) button"));
        let shown = key(&mut tab);
        click_in_menu(&mut tab, "#command");
        let command = text(&mut tab, "#command-text");
        assert!(command.contains(name) && command.ends_with(" -o view.svg"), "{command}");
        assert!(
            command.contains("--palette safe") && command.contains("--title 'a b'"),
            "{command}"
        );
        heapviz(folder.path(), &command.replace("view.svg", "view.json"));
        tab.press("Escape");
        if name.contains("-hc") {
            flame_by_command(&mut tab, folder.path());
        }
        tab.quiet();

        let made = fs::read_to_string(folder.path().join("view.json")).expect("the document");
        let made: Value = serde_json::from_str(&made).expect("JSON");
        let bands = made["bands"].as_array().expect("bands");
        assert_eq!(bands.len(), 1, "{command}");
        assert_eq!(bands[0]["label"], json!(shown[0].0), "{command}");
        let residency = bands[0]["residency"].as_array().expect("a curve").iter();
        assert_eq!(residency.filter_map(Value::as_u64).max(), Some(shown[0].1), "{command}");
    }
}

/// A flame graph of the same instant.
fn flame_by_command(tab: &mut Tab<'_>, folder: &Path) {
    tab.evaluate("location.hash = 'tab=tree&at=0.7s'");
    tab.wait_for("$('tree-when').textContent.startsWith('At ')");
    click_in_menu(tab, "#command");
    let command = text(tab, "#command-text");
    heapviz(folder, &command);
    let picture = fs::read_to_string(folder.join("view.svg")).expect("a picture");
    let shown = text(tab, "#tree-when");
    let (when, amount) = shown["At ".len()..].split_once(": ").expect("an instant and an amount");
    assert!(picture.contains(when) && picture.contains(amount), "{command}: {shown}");
}

fn the_help_says_what_the_special_names_mean(browser: &mut Browser) {
    let report = report(&sample("leak-hT.eventlog"));
    let mut tab = browser.open_at(&report.path, "", |tab| tab.resize(1300, 900));
    tab.click("#help");
    let sentence = "(() => { const box = document.querySelector('#help-text .names'); \
                    const name = [...box.querySelectorAll('dt')].find(dt => dt.textContent === 'THUNK'); \
                    return [$('help-box').matches(':popover-open'), \
                    name.nextSibling.textContent, name.checkVisibility()] })()";
    let said = tab.evaluate(sentence);
    assert_eq!((&said[0], &said[2]), (&json!(true), &json!(true)));
    let said = said[1].as_str().expect("a sentence").to_owned();
    assert!(said.contains("not evaluated yet"), "{said}");
    // Neither what does not occur nor the program's own names are explained.
    let names = "texts('#help-text .names dt')";
    let names = tab.evaluate(names);
    let names = names.as_array().expect("names");
    assert!(names.contains(&json!("trace elements")) && !names.contains(&json!("COMPACT_NFDATA")));
    tab.press("Escape");
    assert_eq!(tab.evaluate("$('help-box').matches(':popover-open')"), json!(false));
    // The details say the same.
    let row =
        "$$('#rows .row').find(row => row.querySelector('.name').textContent === 'THUNK').click()";
    tab.evaluate(row);
    tab.settle();
    assert_eq!(text(&mut tab, "#details .meaning"), format!("THUNK: {said}"));
}
