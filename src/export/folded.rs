//! Folded stacks: a line a stack, outermost first, as flamegraph.pl, inferno and speedscope read it.
//!
//! ```text
//! MAIN.MAIN;Main.main;Main.f 1234
//! ```
//!
//! A difference has two numbers a line, before and after, as `difffolded.pl` writes them.

use indexmap::IndexMap;

use crate::tree::{Amount, Paths};

/// The lines of some paths. Stacks of the same text are one line.
pub fn write(paths: &Paths) -> String {
    let mut lines: IndexMap<String, Amount> = IndexMap::new();
    for path in paths.by_amount() {
        let names: Vec<String> = paths.frames(path).map(|frame| name(&frame.qualified())).collect();
        let sum = lines.entry(names.join(";")).or_default();
        sum.now = sum.now.saturating_add(path.amount.now);
        sum.before = sum.before.saturating_add(path.amount.before);
    }
    let mut text = String::new();
    for (stack, Amount { before, now }) in lines {
        match paths.subject.is_difference {
            true => text.push_str(&format!("{stack} {before} {now}\n")),
            false => text.push_str(&format!("{stack} {now}\n")),
        }
    }
    text
}

/// A name without what parts stacks and lines.
fn name(name: &str) -> String {
    name.chars()
        .map(|c| match c {
            ';' => ',',
            c if c.is_control() => ' ',
            c => c,
        })
        .collect()
}
