//! What each key does.

use std::path::PathBuf;

use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};

use super::super::{Outputs, Shared};
use super::TerminalView;
use super::view::Sort;
use crate::cli::target;

/// Does what a key asks for.
#[allow(clippy::wildcard_enum_match_arm, reason = "a keyboard has keys that mean nothing here")]
pub fn press(key: KeyEvent, view: &mut TerminalView, shared: &Shared, outputs: &mut Outputs) {
    if key.kind == KeyEventKind::Release {
        return;
    }
    let control = key.modifiers.contains(KeyModifiers::CONTROL);
    match key.code {
        KeyCode::Char('c' | 'd') if control => view.over = true,
        KeyCode::Char(_) if control => {}
        KeyCode::Char(' ') => view.paused = view.paused.is_none().then_some(0),
        KeyCode::Char('m') => {
            view.toggle_mark();
            let marked = view.mark.is_some();
            view.say(if marked { "gains count from now on" } else { "mark removed" });
        }
        KeyCode::Char('g') => {
            view.sort = match view.sort {
                Sort::Size => Sort::Growth,
                Sort::Growth => Sort::Size,
            };
        }
        KeyCode::Char('?' | 'h') => view.help = !view.help,
        KeyCode::Char('+' | '=') => view.zoom(true),
        KeyCode::Char('-') => view.zoom(false),
        KeyCode::Char('w') => write(view, shared, outputs),
        KeyCode::Esc if view.help => view.help = false,
        KeyCode::Char('q') | KeyCode::Esc => view.over = true,
        _ => {}
    }
}

/// Writes a picture and a page of the present state, under unused names.
fn write(view: &mut TerminalView, shared: &Shared, outputs: &mut Outputs) {
    let Some(profile) = shared.state().profile().filter(|p| !p.samples.is_empty()) else {
        return view.say("there is nothing to write yet");
    };
    let mut numbered = (1..usize::MAX)
        .map(|number| ["svg", "html"].map(|end| PathBuf::from(format!("heap-{number}.{end}"))));
    let Some(files) = numbered.find(|files| !files.iter().any(|file| file.exists())) else {
        return;
    };
    let jobs = target::jobs(&[PathBuf::from("heap")], &files, None).unwrap_or_default();
    match outputs.write_now(&profile, jobs.into_iter().flat_map(|job| job.targets).collect()) {
        Ok(()) => {
            let [picture, page] = files.map(|file| file.display().to_string());
            view.say(&format!("written: {picture} and {page}"));
        }
        Err(failure) => view.say(&failure.to_string()),
    }
}
