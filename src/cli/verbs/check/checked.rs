//! What was measured in one input.

use heapviz::analysis::Analysis;
use heapviz::analysis::budget::Outcome;
use heapviz::slice::Slice;

use crate::cli::target::Input;

/// What was measured in one input.
pub struct Checked<'a> {
    /// Where it was read from.
    pub input: &'a Input,
    /// What is looked at.
    pub slice: Slice<'a>,
    /// What it means, without what is accepted.
    pub analysis: Analysis,
    /// What each budget came to.
    pub outcomes: Vec<Outcome>,
}
