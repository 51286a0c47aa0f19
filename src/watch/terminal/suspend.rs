//! Ctrl-Z: the terminal goes back to the shell while the command is stopped.
//!
//! A terminal in raw mode turns Ctrl-Z into a key, not into a signal, so the key sends the signal to the
//! group of the command, as the terminal would. The main loop then hands the terminal back, stops, and takes
//! the terminal again when the shell continues it. A group that no shell can continue is never stopped, as
//! the system does it for programs that do not handle the signal.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use ratatui::DefaultTerminal;
use ratatui::backend::CrosstermBackend;
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use ratatui::crossterm::execute;
use ratatui::crossterm::terminal::{EnterAlternateScreen, enable_raw_mode};
use rustix::process::{Signal, getpgrp, getsid, kill_current_process_group};
use signal_hook::consts::{SIGSTOP, SIGTSTP};

pub fn is_ctrl_z(key: KeyEvent) -> bool {
    let control = key.modifiers.contains(KeyModifiers::CONTROL);
    key.code == KeyCode::Char('z') && control && key.kind != KeyEventKind::Release
}

/// Remembers that the command was asked to stop.
pub struct Request {
    asked: Arc<AtomicBool>,
    handler: signal_hook::SigId,
}

impl Request {
    pub fn new() -> io::Result<Self> {
        let asked = Arc::default();
        let handler = signal_hook::flag::register(SIGTSTP, Arc::clone(&asked))?;
        Ok(Request { asked, handler })
    }

    /// Does what Ctrl-Z does in a terminal that is not raw.
    pub fn ask(&self) {
        let _ = kill_current_process_group(Signal::TSTP);
    }

    /// Whether the command was asked to stop since the last call.
    pub fn is_due(&self) -> bool {
        self.asked.swap(false, Ordering::Relaxed) && has_a_shell()
    }
}

impl Drop for Request {
    fn drop(&mut self) {
        signal_hook::low_level::unregister(self.handler);
    }
}

/// Whether a shell with job control started the command: its session is then led by another group.
fn has_a_shell() -> bool {
    getsid(None).is_ok_and(|session| session != getpgrp())
}

/// Hands the terminal back, stops, and takes it again.
pub fn until_continued(terminal: &mut DefaultTerminal) -> io::Result<()> {
    ratatui::try_restore()?;
    terminal.show_cursor()?;
    signal_hook::low_level::raise(SIGSTOP)?;
    enable_raw_mode()?;
    execute!(io::stdout(), EnterAlternateScreen)?;
    // Its memory of what is on the screen is empty. `Terminal::clear` asks where the cursor is, which not
    // every terminal answers.
    *terminal = ratatui::Terminal::new(CrosstermBackend::new(io::stdout()))?;
    Ok(())
}
