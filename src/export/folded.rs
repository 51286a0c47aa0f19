//! Folded stacks: one line for each stack, outermost first, as flamegraph.pl, inferno and speedscope
//! read it.
//!
//! ```text
//! MAIN.MAIN;Main.main;Main.f 1234
//! ```
//!
//! A difference has two numbers on each line, before and after, as `difffolded.pl` writes them.

use indexmap::{IndexMap, IndexSet};

use crate::tree::{Amount, Paths};

/// The lines of some paths. Stacks with the same text share a line.
pub fn write(paths: &Paths) -> String {
    // Stacks are compared by the numbers of their names: all lines together can be very long.
    let mut names: IndexSet<String> = IndexSet::new();
    let name_of: Vec<usize> =
        paths.frames().iter().map(|frame| names.insert_full(name(&frame.qualified())).0).collect();
    let mut lines: IndexMap<Vec<u32>, Amount> = IndexMap::new();
    for path in paths.by_amount() {
        let line = path.steps().map(|step| name_of[step] as u32).collect();
        let sum = lines.entry(line).or_default();
        sum.now = sum.now.saturating_add(path.amount.now);
        sum.before = sum.before.saturating_add(path.amount.before);
    }
    let mut text = String::new();
    for (line, Amount { before, now }) in lines {
        for (i, name) in line.into_iter().enumerate() {
            text.push_str(if i > 0 { ";" } else { "" });
            text.push_str(&names[name as usize]);
        }
        match paths.subject.is_difference {
            true => text.push_str(&format!(" {before} {now}\n")),
            false => text.push_str(&format!(" {now}\n")),
        }
    }
    text
}

/// A name without the characters that separate frames and lines.
fn name(name: &str) -> String {
    name.chars()
        .map(|c| match c {
            ';' => ',',
            c if c.is_control() => ' ',
            c => c,
        })
        .collect()
}
