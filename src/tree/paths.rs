//! Turns stacks into paths from the root of a tree, and decides under which heading.

use std::sync::Arc;

use super::stacks::StackList;
use super::{FrameKind, Stack, StackMeasure, Stacks, TreeError, TreeFrame};

/// What happens to roots that are not functions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Roots {
    /// CAFs are under one heading, the run-time system's stacks under another.
    #[default]
    Grouped,
    /// Every root stays as the input has it.
    AsWritten,
}

/// A path from the root, with the amount that ends at its last frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Path<'a> {
    /// The frames below the root, as positions among those of [`Paths`].
    pub(super) steps: &'a [u32],
    /// The amount that ends here.
    pub amount: u128,
}

/// The distinct paths of some stacks. They take as much memory as the stacks, however few frames
/// these share.
#[derive(Clone, Debug)]
pub struct Paths {
    /// What the amounts count.
    pub subject: StackMeasure,
    /// The root, the frames of the stacks, the headings.
    pub(super) frames: Vec<Arc<TreeFrame>>,
    /// The paths, in order of their steps.
    paths: StackList,
}

/// The headings over CAFs and over the stacks of the run-time system.
const HEADINGS: [&str; 2] = ["CAFs", "run-time system"];

impl Paths {
    /// The paths of some stacks.
    ///
    /// # Errors
    /// [`TreeError::Empty`] when no stack has an amount.
    pub fn new(stacks: &Stacks, roots: Roots) -> Result<Paths, TreeError> {
        let mut paths = StackList::default();
        for Stack { frames, amount } in stacks.stacks.iter() {
            // The root is the first of the frames.
            let steps = frames.iter().map(|&at| 1 + at);
            let heading = match roots {
                Roots::Grouped => heading(stacks, frames),
                Roots::AsWritten => None,
            };
            paths.push(heading.into_iter().chain(steps), amount);
        }
        paths.unite();
        if paths.total() == 0 {
            return Err(TreeError::Empty);
        }
        let headings = HEADINGS.map(|name| TreeFrame::named(name, FrameKind::Heading));
        let root = [Arc::new(stacks.root.clone())].into_iter();
        let frames = root.chain(stacks.frames.iter().cloned()).chain(headings.map(Arc::new));
        let frames = frames.collect();
        Ok(Paths { subject: stacks.subject.clone(), frames, paths })
    }

    pub(super) fn len(&self) -> usize {
        self.paths.len()
    }

    /// One of them, in the order of their steps.
    pub(super) fn get(&self, at: usize) -> Path<'_> {
        let Stack { frames: steps, amount } = self.paths.get(at);
        Path { steps, amount }
    }

    /// The paths with an amount, the greatest first.
    pub fn by_amount(&self) -> Vec<Path<'_>> {
        let paths = (0..self.len()).map(|at| self.get(at));
        let mut paths: Vec<Path<'_>> = paths.filter(|path| path.amount > 0).collect();
        paths.sort_by_key(|path| std::cmp::Reverse(path.amount));
        paths
    }

    /// The frames that paths consist of; the first is the root of all.
    pub fn frames(&self) -> &[Arc<TreeFrame>] {
        &self.frames
    }

    /// The amounts of all stacks together.
    pub fn total(&self) -> u128 {
        self.paths.total()
    }
}

impl<'a> Path<'a> {
    /// The frames of the path from the root to its end, as positions in [`Paths::frames`].
    pub fn steps(&self) -> impl DoubleEndedIterator<Item = usize> + use<'a> {
        [0].into_iter().chain(self.steps.iter().map(|&step| step as usize))
    }
}

/// The heading under which a stack is shown; `None` if it needs none.
fn heading(stacks: &Stacks, frames: &[u32]) -> Option<u32> {
    let heading = match stacks.frame(*frames.first()?).kind {
        FrameKind::Caf => 0,
        FrameKind::Pseudo(_) => 1,
        FrameKind::Root | FrameKind::Plain | FrameKind::Heading => return None,
    };
    Some(1 + stacks.frames.len() as u32 + heading)
}
