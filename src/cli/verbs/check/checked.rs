//! What was measured in one input.

use heapviz::analysis::Analysis;
use heapviz::analysis::budget::Outcome;
use heapviz::slice::Slice;

use crate::cli::target::Input;

/// What was measured in one input.
pub struct Checked<'a> {
    /// Where it was read from.
    pub input: &'a Input,
    /// The view of the profile.
    pub slice: Slice<'a>,
    /// Its analysis, without the bands that are accepted.
    pub analysis: Analysis,
    /// The result of each budget.
    pub outcomes: Vec<Outcome>,
}
