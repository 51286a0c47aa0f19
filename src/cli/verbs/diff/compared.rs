//! Two sides that were compared.

use heapviz::analysis::compare::{Comparison, Run};

use crate::cli::target::Input;

/// Two sides, each with its inputs and runs, and their comparison.
#[derive(Clone, Copy)]
pub struct Compared<'a> {
    /// The inputs of each side, and their runs.
    pub sides: [(&'a [Input], &'a [Run<'a>]); 2],
    /// How the second side differs from the first.
    pub comparison: &'a Comparison,
}

/// The name of a side in messages and tables.
pub fn name(side: &[Input]) -> String {
    match side {
        [one] => one.name(),
        several => format!("{} runs", several.len()),
    }
}
