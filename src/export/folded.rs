//! Folded stacks: a line a stack, outermost first, as flamegraph.pl, inferno and speedscope read it.
//!
//! ```text
//! MAIN.MAIN;Main.main;Main.f 1234
//! ```
//!
//! A difference has two numbers a line, before and after, as `difffolded.pl` writes them.

use indexmap::IndexMap;

use crate::tree::{Amount, StackTree};

/// The lines of a tree. Stacks of the same text are one line.
pub fn write(tree: &StackTree) -> String {
    let mut lines: IndexMap<String, Amount> = IndexMap::new();
    for id in tree.ids() {
        let own = tree.node(id).own;
        if own.now == 0 && own.before == 0 {
            continue;
        }
        let names: Vec<String> =
            tree.path(id).iter().map(|frame| name(&frame.qualified())).collect();
        let sum = lines.entry(names.join(";")).or_default();
        sum.now = sum.now.saturating_add(own.now);
        sum.before = sum.before.saturating_add(own.before);
    }
    let mut text = String::new();
    for (stack, Amount { before, now }) in lines {
        match tree.is_difference {
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
