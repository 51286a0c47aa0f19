//! Two sides that were compared.

use heapviz::analysis::compare::{Comparison, Run};

use crate::cli::target::Input;

/// Two sides, each with its inputs and what they hold, and what became of them.
#[derive(Clone, Copy)]
pub struct Compared<'a> {
    /// The inputs of each side and what they hold.
    pub sides: [(&'a [Input], &'a [Run<'a>]); 2],
    /// What became of the first side.
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
