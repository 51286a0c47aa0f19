//! The retainer sets that a `.prof` spells out, and what the censuses said.

/// One `SET n = {…}` line: the retainer set of a number **at the last census only**. The table of sets
/// is numbered anew at every census.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RetainerSet {
    /// Its number at the last census.
    pub number: u64,
    /// Its elements, each a whole cost-centre stack as `module.label`, innermost first and without
    /// MAIN; empty for MAIN itself.
    pub retainers: Vec<Vec<String>>,
}

/// What a `.prof` says of a retainer profile.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RetainerSets {
    /// How many censuses the run took.
    pub censuses: usize,
    /// The sets that had a size at the last of them, by number.
    pub sets: Vec<RetainerSet>,
}
