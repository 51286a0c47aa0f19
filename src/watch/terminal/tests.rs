//! Screens, as text.

mod inline_image;

use std::fs;
use std::path::Path;
use std::time::Instant;

use crate::base::units::UnitSystem;
use crate::input::{self, InputOptions};
use crate::live::LiveOptions;
use crate::profile_view::{ProfileView, ViewOptions};
use ratatui::Terminal;
use ratatui::backend::TestBackend;

use super::colours::Colours;
use super::view::{Sort, TerminalView};
use super::{keys, screen};
use crate::cli::args::StackArgs;
use crate::cli::charts::Choice;
use crate::cli::style::Style;
use crate::watch::outputs::Outputs;
use crate::watch::shared::Shared;
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

/// As `NO_COLOR` asks for.
const PLAIN: Colours = Colours::Few;
const FULL: Colours = Colours::All;

/// A source that has sent these bytes.
fn shared(bytes: &[u8]) -> Shared {
    let shared = Shared::new(LiveOptions::default(), None);
    shared.connected();
    shared.bytes(bytes);
    shared
}

fn end(shared: &Shared) {
    shared.closed();
    shared.finish();
}

/// A `.hp` file with these samples: the time of each, and its bands.
fn hp<'a>(samples: impl IntoIterator<Item = (f64, Vec<(&'a str, u64)>)>) -> Shared {
    let mut text =
        "JOB \"prog +RTS -hT\"\nDATE \"d\"\nSAMPLE_UNIT \"s\"\nVALUE_UNIT \"b\"\n".to_owned();
    for (time, bands) in samples {
        text += &format!("BEGIN_SAMPLE {time:.1}\n");
        bands.iter().for_each(|(name, bytes)| text += &format!("{name}\t{bytes}\n"));
        text += &format!("END_SAMPLE {time:.1}\n");
    }
    shared(text.as_bytes())
}

/// Samples one second apart: one band grows, one comes and goes, one stays.
fn watched(samples: u64) -> Shared {
    let shared = hp((0..samples).map(|i| {
        let cache = (i % 8 < 4).then_some(("cache", 600_000));
        let (leak, rest) = (("leak", 40_000 * i), ("static", 200_000));
        (i as f64, [leak].into_iter().chain(cache).chain([rest]).collect())
    }));
    shared.bytes(format!("MARK {}.0\n", samples / 2).as_bytes());
    shared
}

fn terminal(view: &TerminalView, width: u16, height: u16) -> Terminal<TestBackend> {
    let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
    terminal.draw(|frame| screen::draw(frame, view)).unwrap();
    terminal
}

fn lines(view: &TerminalView, width: u16, height: u16) -> Vec<String> {
    let terminal = terminal(view, width, height);
    let buffer = terminal.backend().buffer();
    let line = |y| -> String { (0..width).map(|x| buffer[(x, y)].symbol()).collect() };
    (0..height).map(|y| line(y).trim_end().to_owned()).collect()
}

fn view(shared: &Shared, colours: Colours) -> TerminalView {
    let mut view = TerminalView::new("prog.hp", UnitSystem::Binary, colours);
    view.update(&mut shared.state(), Instant::now());
    view
}

/// Checks that a screen equals a file in this folder; `HEAPVIZ_BLESS` writes the file.
fn check_screen(file: &str, view: &TerminalView, (width, height): (u16, u16)) {
    let screen = lines(view, width, height).join("\n") + "\n";
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src/watch/terminal");
    let path = Path::new(folder).join(file);
    if std::env::var_os("HEAPVIZ_BLESS").is_some() {
        fs::write(&path, &screen).unwrap();
    }
    assert_eq!(screen, fs::read_to_string(&path).unwrap_or_default(), "\n{screen}");
}

#[test]
fn screens_match_the_reviewed_ones() {
    let shared = watched(33);
    // Without colours, gaps show where a layer ends.
    check_screen("screen-plain.txt", &view(&shared, PLAIN), (70, 20));
    check_screen("screen-39-columns.txt", &view(&shared, PLAIN), (39, 14));
}

/// Run by the next test, in a separate terminal.
#[test]
#[ignore = "it panics on purpose; the next test runs it"]
fn something_panics_in_a_terminal() {
    let mut terminal = super::enter().unwrap();
    terminal.draw(|frame| screen::draw(frame, &view(&watched(9), FULL))).unwrap();
    panic!("as a test");
}

#[cfg(target_os = "linux")]
#[test]
fn the_terminal_is_restored_after_a_panic() {
    use std::process::Command;
    let program = std::env::current_exe().unwrap();
    let name = concat!(module_path!(), "::something_panics_in_a_terminal");
    let name = name.split_once("::").unwrap().1;
    let line = format!("{} --ignored --exact {name} --nocapture; stty -a", program.display());
    let in_a_terminal = |line: &str| {
        Command::new("script").args(["-qec", line, "/dev/null"]).env("TERM", "xterm").output()
    };
    if !in_a_terminal("true").is_ok_and(|output| output.status.success()) {
        return eprintln!("skipped: no terminal (`script` of util-linux makes none)");
    }
    let shown = in_a_terminal(&line).unwrap();
    let shown = String::from_utf8_lossy(&shown.stdout).into_owned();
    let (screen, after) = shown
        .split_once("\x1b[?1049l")
        .unwrap_or_else(|| panic!("the screen is not left: {shown}"));
    assert!(screen.contains("\x1b[?1049h"), "{shown:?}");
    assert!(after.contains("as a test") && after.contains(" icanon"), "{after}");
    assert!(after.contains(" echo "), "{after}");
}

/// The picture of the guide: a sample while it was written. `HEAPVIZ_BLESS` writes it.
#[test]
fn the_screen_in_the_guide_is_up_to_date() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let bytes = fs::read(root.join("samples/leak-hT.eventlog")).unwrap();
    let mut view = view(&shared(&bytes[..bytes.len() / 5 * 3]), FULL);
    view.name = "leak.eventlog".to_owned();
    let picture = inline_image::svg(terminal(&view, 100, 28).backend().buffer());
    let path = root.join("docs/report/terminal.svg");
    if std::env::var_os("HEAPVIZ_BLESS").is_some() {
        fs::write(&path, &picture).unwrap();
    }
    assert!(picture == fs::read_to_string(&path).unwrap_or_default(), "{}", path.display());
}

/// What the screen says of a run that has ended is what `stats` says of it.
#[test]
fn the_figures_are_those_of_the_other_outputs() {
    let files =
        ["leak-hT.eventlog", "leak-hc.eventlog", "leak-hi.eventlog", "leak-hd.hp", "bands-hy.hp"];
    let mut compared = 0;
    for file in files {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples").join(file);
        let bytes = fs::read(&path).unwrap();
        let shared = shared(&bytes);
        end(&shared);
        let view = view(&shared, FULL);
        let profile = input::read(&bytes[..], &InputOptions::default()).unwrap();
        let options = ViewOptions::default();
        let run = ProfileView::new(&profile, &options).unwrap();
        let (slice, figures) = (run.slice(), &run.analysis().figures);
        let peak = format!("peak {}", UnitSystem::Binary.text(figures.heap.peak));
        let screen = lines(&view, 120, 30);
        assert!(
            screen.iter().take(7).any(|line| line.contains(&peak)),
            "{file}: {peak}: {screen:?}"
        );
        let said = run.headline().text(UnitSystem::Binary);
        let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        let head = words(&screen[1..3].join(" "));
        assert!(
            words(&said).iter().take(8).all(|word| head.contains(word)),
            "{file}: {head:?}: {said}"
        );
        // The run has ended: what it has left says little.
        for line in view.lines() {
            // Two bands can have one label.
            let mut rows = slice.rows().filter(|&row| slice.label(row) == line.label);
            let now = line.now.get();
            assert!(
                rows.any(|row| figures.bands[row.index()].peak == now),
                "{file}: {} {now}",
                line.label
            );
            compared += 1;
        }
    }
    assert!(compared > 50, "{compared}");
}

#[test]
fn every_size_of_a_screen_can_be_drawn() {
    let empty = Shared::new(LiveOptions::default(), None);
    for shared in [&empty, &watched(1), &watched(2), &watched(300)] {
        for colours in [PLAIN, FULL] {
            let view = view(shared, colours);
            for (width, height) in [(1, 1), (5, 3), (39, 24), (40, 12), (41, 13), (300, 80)] {
                lines(&view, width, height);
            }
        }
    }
}

#[test]
fn the_table_says_of_what_is_accused_what_the_headline_says() {
    // The first samples are those of a program that starts.
    let shared = hp((0..100).map(|i| (i as f64, vec![("THUNK", 10_000 * i.max(2))])));
    for _ in 0..2 {
        let screen = lines(&view(&shared, FULL), 80, 30).join("\n");
        let grew = screen
            .split("THUNK grew by ")
            .nth(1)
            .and_then(|rest| rest.split(" since the start").next());
        assert!(screen.contains(&format!("+{}  THUNK", grew.unwrap())), "{screen}");
        assert!(screen.contains("since the start  1 band"), "{screen}");
        assert!(screen.contains("  THUNK: An expression that was postponed"), "{screen}");
        end(&shared);
    }
}

#[test]
fn the_table_is_sorted() {
    let shared = watched(33);
    let mut view = view(&shared, PLAIN);
    let labels = |view: &TerminalView| -> Vec<String> {
        view.lines().iter().map(|line| line.label.clone()).collect()
    };
    assert_eq!(labels(&view), ["leak", "cache", "static"]);
    view.toggle_mark();
    shared.bytes(b"BEGIN_SAMPLE 40.0\nleak\t1\ncache\t2\nstatic\t900000\nEND_SAMPLE 40.0\n");
    view.sort = Sort::Growth;
    view.update(&mut shared.state(), Instant::now());
    assert_eq!(labels(&view), ["static", "cache", "leak"]);
}

#[test]
fn a_pause_counts_new_samples_and_zoom_shows_the_newest_part() {
    let shared = watched(33);
    let mut view = view(&shared, PLAIN);
    view.paused = Some(0);
    shared.bytes(b"BEGIN_SAMPLE 40.0\nleak\t1\nEND_SAMPLE 40.0\n");
    view.update(&mut shared.state(), Instant::now());
    assert_eq!((view.paused, view.times().len()), (Some(1), 33));
    view.zoom(true);
    assert_eq!(view.first_shown(), 16);
    view.zoom(false);
    assert_eq!(view.first_shown(), 0);
}

#[test]
fn labels_cannot_send_escapes_to_the_terminal() {
    let shared = shared(
        b"JOB \"\x1b[2J\"\nBEGIN_SAMPLE 1.0\n\x1b]0;x\x07\t5\nEND_SAMPLE 1.0\nBEGIN_SAMPLE 2.0\n",
    );
    let screen = lines(&view(&shared, FULL), 80, 20).join("\n");
    assert!(!screen.contains('\x1b') && screen.contains("\\u{1b}]0;x"), "{screen}");
}

#[test]
fn a_leak_is_at_the_bottom_of_a_saw() {
    let tooth = |i: u64| 200_000 + (i * 7919 % 97) * 100_000;
    let samples = (0..3000u64)
        .map(|i| (i as f64 / 10.0, vec![("saw", tooth(i)), ("leak", 10_000 + 700 * i)]));
    let shared = hp(samples);
    let view = view(&shared, FULL);
    let axis = lines(&view, 80, 24).iter().position(|line| line.contains(" 0 s ")).unwrap() as u16;
    let terminal = terminal(&view, 80, 24);
    let buffer = terminal.backend().buffer();
    let bottom = (20..80).map(|x| buffer[(x, axis - 1)].fg);
    assert!(bottom.eq([view.seen.colours[1]; 60]), "the leak is under the saw");
    let range = buffer.content.iter().filter(|cell| Some(cell.fg) == view.seen.range);
    assert!(range.count() > 100);
}

#[test]
fn a_time_without_samples_is_shaded() {
    let times = (0..20).chain(60..80).map(f64::from);
    let shared = hp(times.zip(1..).map(|(time, size)| (time, vec![("a", 1000 * size)])));
    for colours in [PLAIN, FULL] {
        let screen = lines(&view(&shared, colours), 80, 24).join("\n");
        assert!(screen.contains(" no samples "), "{screen}");
    }
}

#[test]
fn escape_closes_the_help_before_the_view() {
    let shared = watched(9);
    let choice = Choice { view: Default::default(), stacks: StackArgs::default() };
    let mut outputs =
        Outputs::new(Vec::new(), choice, Style::default(), ViewOptions::default(), None);
    let mut view = view(&shared, PLAIN);
    let mut press = |view: &mut TerminalView, code: KeyCode| {
        keys::press(KeyEvent::new(code, KeyModifiers::NONE), view, &shared, &mut outputs);
    };
    press(&mut view, KeyCode::Char('?'));
    assert!(lines(&view, 80, 24).join("\n").contains("* is at the column"));
    press(&mut view, KeyCode::Esc);
    assert_eq!((view.help, view.over), (false, false));
    press(&mut view, KeyCode::Esc);
    assert!(view.over);
}
