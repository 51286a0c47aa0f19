//! Folded stacks: one line for each stack, outermost first, as flamegraph.pl, inferno and speedscope
//! read it.
//!
//! ```text
//! MAIN.MAIN;Main.main;Main.f 1234
//! ```

use indexmap::{IndexMap, IndexSet};

use crate::base::text::without_format;
use crate::tree::Paths;

/// The lines of some paths. Stacks with the same text share a line.
pub fn write(paths: &Paths) -> String {
    // Stacks are compared by the numbers of their names: all lines together can be very long.
    let mut names: IndexSet<String> = IndexSet::new();
    let name_of: Vec<usize> =
        paths.frames().iter().map(|frame| names.insert_full(name(&frame.qualified())).0).collect();
    let mut lines: IndexMap<Vec<u32>, u128> = IndexMap::new();
    for path in paths.by_amount() {
        let line = path.steps().map(|step| name_of[step] as u32).collect();
        let sum = lines.entry(line).or_default();
        *sum = sum.saturating_add(path.amount);
    }
    let mut text = String::new();
    for (line, amount) in lines {
        for (i, name) in line.into_iter().enumerate() {
            text.push_str(if i > 0 { ";" } else { "" });
            text.push_str(&names[name as usize]);
        }
        text.push_str(&format!(" {amount}\n"));
    }
    text
}

/// A name without the characters that separate frames and lines.
fn name(name: &str) -> String {
    without_format(name)
        .chars()
        .map(|c| match c {
            ';' => ',',
            c if c.is_control() => ' ',
            c => c,
        })
        .collect()
}
