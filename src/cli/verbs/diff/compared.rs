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

impl Compared<'_> {
    /// What pictures and tables call the sides.
    pub fn names(&self) -> [String; 2] {
        self.sides.map(|(inputs, runs)| match (inputs, runs) {
            ([one], [run, ..]) => one.shown(run.slice.privacy()),
            _ => format!("{} runs", inputs.len()),
        })
    }
}
