//! The heap in a terminal, as it changes.

mod chart;
mod colours;
mod keys;
mod screen;
mod view;

#[cfg(test)]
mod tests;

use std::io;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use crate::base::units::UnitSystem;
use ratatui::crossterm::event::{self, Event};

use super::{Alerts, Outputs, Shared, WatchEnd};
use crate::cli::Message;
use colours::Colours;
pub use colours::has_screen;
use view::TerminalView;

/// How long a key may wait.
const KEY: Duration = Duration::from_millis(40);
/// The least time between two screens.
const EVERY: Duration = Duration::from_millis(200);
/// How often a screen is drawn on which only the time has changed.
const IDLE: Duration = Duration::from_millis(500);

/// Shows the heap until the user ends the view.
pub fn run(
    shared: &Shared,
    outputs: &mut Outputs,
    alerts: &mut Alerts,
    name: &str,
    units: UnitSystem,
) -> Result<WatchEnd, Message> {
    let unusable = |error: io::Error| {
        Message::error(format!("the terminal cannot be used: {error}"))
            .hint("without a terminal, -o FILE writes a picture while the program runs")
    };
    let mut terminal = enter().map_err(unusable)?;
    let mut view = TerminalView::new(name, units, Colours::of_terminal());
    let shown = show(&mut terminal, shared, outputs, alerts, &mut view);
    // A terminal that was closed cannot be restored. Dropped, it would print that, and printing to a closed
    // terminal panics; the outputs are still to be written.
    if ratatui::try_restore().is_err() {
        std::mem::forget(terminal);
    }
    // The messages on the screen disappear with it, so they are repeated.
    view.alerts.iter().for_each(|raised| raised.message.say());
    if let Some(headline) = Some(&view.seen.headline).filter(|words| !words.is_empty()) {
        Message::note(format!("{}: {headline}", view.name)).say();
    }
    if let Err(error) = shown
        && !shared.stopped()
    {
        unusable(error).say();
        shared.state().failed = true;
    }
    Ok(match shared.state().done {
        _ if alerts.ends_watch() => WatchEnd::Alert,
        true if !shared.stopped() => WatchEnd::Run,
        _ => WatchEnd::User,
    })
}

/// Takes over the terminal, which is restored even after a panic.
fn enter() -> io::Result<ratatui::DefaultTerminal> {
    if !has_screen() {
        return Err(io::Error::other("TERM names none that can show a screen"));
    }
    refuse_impossible_size()?;
    ratatui::try_init()
}

/// Each cell takes dozens of bytes, twice.
fn refuse_impossible_size() -> io::Result<()> {
    const MOST_CELLS: u32 = 1 << 22;
    let (columns, rows) = ratatui::crossterm::terminal::size()?;
    if u32::from(columns) * u32::from(rows) > MOST_CELLS {
        return Err(io::Error::other(format!("it claims {columns} x {rows} characters")));
    }
    Ok(())
}

fn show(
    terminal: &mut ratatui::DefaultTerminal,
    shared: &Shared,
    outputs: &mut Outputs,
    alerts: &mut Alerts,
    view: &mut TerminalView,
) -> io::Result<()> {
    let (mut drawn, mut seen, mut pending) = (None::<Instant>, 0, true);
    let events = events();
    while !shared.stopped() && !view.over {
        match events.recv_timeout(KEY) {
            Ok(event) => {
                match event? {
                    Event::Key(key) => keys::press(key, view, shared, outputs),
                    Event::Resize(..) => {}
                    Event::FocusGained | Event::FocusLost => continue,
                    Event::Mouse(_) | Event::Paste(_) => continue,
                }
                (pending, drawn) = (true, None);
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => break,
        }
        let now = shared.wait(seen, Duration::ZERO);
        pending |= std::mem::replace(&mut seen, now) != now;
        let age = drawn.map(|drawn| drawn.elapsed());
        if age.is_none_or(|age| age >= if pending { EVERY } else { IDLE }) {
            view.update(&mut shared.state(), Instant::now());
            refuse_impossible_size()?;
            terminal.draw(|frame| screen::draw(frame, view))?;
            (drawn, pending) = (Some(Instant::now()), false);
        }
        for raised in alerts.check(shared, false) {
            view.alert(raised);
        }
        for message in alerts.waiting() {
            view.say(&message.to_string());
        }
        if alerts.ends_watch() {
            break;
        }
        for failure in outputs.write_when_due(shared) {
            view.say(&failure.to_string());
        }
    }
    Ok(())
}

/// The events of the terminal. A separate thread reads them, because reading from a terminal that
/// is gone never returns.
fn events() -> Receiver<io::Result<Event>> {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || while sender.send(event::read()).is_ok() {});
    receiver
}
