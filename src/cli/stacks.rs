//! Chooses the stacks that a flame graph shows, for every verb that draws one.

use heapviz::profile::Profile;
use heapviz::slice::Slice;
use heapviz::tree::{
    Instant, InstantError, PseudoChoice, Stacks, TreeError, Weight, of_calls, of_heap,
};

use super::failure::Failure;

/// What is counted: what was asked for, or else the first of live heap, time and allocation that
/// the input has.
pub fn weight(asked: Option<Weight>, profile: &Profile) -> Weight {
    let has_samples = profile.no_samples().is_none();
    let has_ticks = profile.calls.sum_of_ticks() > 0;
    asked.unwrap_or(match (has_samples, has_ticks) {
        (true, _) => Weight::Live,
        (false, true) => Weight::Time,
        (false, false) => Weight::Alloc,
    })
}

/// Refuses an input without samples whose call tree has no amounts, because its page would be
/// empty.
///
/// # Errors
/// What is wrong with its call tree.
pub fn something_to_show(slice: &Slice<'_>) -> Result<(), Failure> {
    let calls = &slice.profile().calls;
    if slice.profile().no_samples().is_none() || calls.is_empty() {
        return Ok(());
    }
    let time = of_calls(slice, Weight::Time, PseudoChoice::LeaveOut);
    time.or_else(|_| of_calls(slice, Weight::Alloc, PseudoChoice::LeaveOut))?;
    Ok(())
}

/// The live heap at an instant.
///
/// # Errors
/// An input without samples, an instant that it does not have.
pub fn live_at(slice: &Slice<'_>, instant: &Instant) -> Result<Stacks, Failure> {
    if slice.profile().no_samples().is_some() {
        return Err(TreeError::Absent(Weight::Live).into());
    }
    Ok(of_heap(slice, &instant.find(slice)?)?)
}

impl From<TreeError> for Failure {
    fn from(error: TreeError) -> Self {
        match error.hint() {
            Some(hint) => Failure::new(error.to_string()).hint(hint),
            None => Failure::new(error.to_string()),
        }
    }
}

impl From<InstantError> for Failure {
    fn from(error: InstantError) -> Self {
        Failure::new(error.to_string())
            .hint("an instant is peak, last, mean, a time (1.5s) or the text of a marker")
    }
}
