//! Stacks as paths from the root of a tree: in which direction, from which frame on, under which
//! heading.

use foldhash::HashMap;
use std::sync::Arc;

use super::frame::{FrameKind, TreeFrame};
use super::stacks::{Amount, Stacks, Subject, TreeError};
use crate::pattern::Pattern;

/// Which end of a stack is next to the root.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Direction {
    /// The outermost frame: a node's children are what it calls.
    #[default]
    Callees,
    /// The innermost frame: a node's children are its callers.
    Callers,
}

/// When two frames are one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Identity {
    /// When they are the same cost centre.
    #[default]
    ById,
    /// When they have the same name and module, which several cost centres may.
    ByText,
}

/// What becomes of the roots that are no functions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Roots {
    /// CAFs are under one heading, the run-time system's stacks under another.
    #[default]
    Grouped,
    /// As they are.
    AsWritten,
}

/// How stacks become paths. The defaults show all stacks from the root down.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct TreeOptions {
    /// Which end of a stack is next to the root. Default callees.
    pub direction: Direction,
    /// Only the stacks through a frame that matches, cut off outside of it. Default all.
    pub focus: Option<Pattern>,
    /// When two frames are one. Default by id.
    pub identity: Identity,
    /// What becomes of CAFs and the like. Default grouped.
    pub roots: Roots,
}

/// A path from the root, with what ends at its last frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Path {
    /// Its frames below the root, as positions in [`Paths::frames`].
    pub(super) steps: Vec<u32>,
    /// What ends here.
    pub amount: Amount,
}

/// The paths of some stacks, each once. They take as much memory as the stacks, however few frames
/// these have in common.
#[derive(Clone, Debug)]
pub struct Paths {
    /// What the amounts count.
    pub subject: Subject,
    pub(super) root: Arc<TreeFrame>,
    /// The frames of the stacks, then the headings.
    pub(super) frames: Vec<Arc<TreeFrame>>,
    /// In order of their steps.
    pub(super) paths: Vec<Path>,
}

/// What stands over CAFs, and over the stacks of the run-time system.
const HEADINGS: [&str; 2] = ["CAFs", "run-time system"];

impl Paths {
    /// The paths of some stacks.
    ///
    /// # Errors
    /// [`TreeError::Empty`] when the focus leaves nothing, or nothing differs.
    pub fn of(stacks: &Stacks, options: &TreeOptions) -> Result<Paths, TreeError> {
        let maker = Maker::new(stacks, options);
        let path = |frames: &[u32], amount| Some(Path { steps: maker.steps(frames)?, amount });
        let mut paths: Vec<Path> =
            stacks.stacks.iter().filter_map(|stack| path(&stack.frames, stack.amount)).collect();
        paths.sort_unstable_by(|a, b| a.steps.cmp(&b.steps));
        paths.dedup_by(|again, first| {
            let is_same = again.steps == first.steps;
            if is_same {
                first.amount.add(again.amount);
            }
            is_same
        });
        let subject = stacks.subject.clone();
        if paths.iter().all(|path| subject.width(path.amount) == 0) {
            return Err(TreeError::Empty);
        }
        let headings = HEADINGS.map(|name| TreeFrame::named(name, FrameKind::Heading));
        let frames = stacks.frames.iter().cloned().chain(headings).map(Arc::new).collect();
        Ok(Paths { subject, root: Arc::new(stacks.root.clone()), frames, paths })
    }

    /// The paths that hold something, those with the greatest amounts first.
    pub fn by_amount(&self) -> Vec<&Path> {
        let mut paths: Vec<&Path> =
            self.paths.iter().filter(|path| path.amount != Amount::default()).collect();
        paths.sort_by_key(|path| std::cmp::Reverse(self.subject.width(path.amount)));
        paths
    }

    /// The frames of a path from the root to its end, both included.
    pub fn frames<'a>(
        &'a self,
        path: &'a Path,
    ) -> impl DoubleEndedIterator<Item = &'a TreeFrame> + ExactSizeIterator {
        let frame = |at: usize| match at.checked_sub(1) {
            None => &*self.root,
            Some(step) => &*self.frames[path.steps[step] as usize],
        };
        (0..path.steps.len() + 1).map(frame)
    }

    /// All amounts together.
    pub fn total(&self) -> Amount {
        let mut total = Amount::default();
        self.paths.iter().for_each(|path| total.add(path.amount));
        total
    }
}

struct Maker<'a> {
    stacks: &'a Stacks,
    options: &'a TreeOptions,
    /// The frame that stands for each frame of the stacks: itself, or the first with its text.
    same: Vec<u32>,
    in_focus: Vec<bool>,
}

impl<'a> Maker<'a> {
    fn new(stacks: &'a Stacks, options: &'a TreeOptions) -> Self {
        let mut by_text: HashMap<(&str, &str), u32> = HashMap::default();
        let frames = (0..).zip(&stacks.frames);
        let same = frames
            .map(|(at, frame)| match options.identity {
                Identity::ById => at,
                Identity::ByText => {
                    *by_text.entry((frame.module.as_str(), frame.name.as_str())).or_insert(at)
                }
            })
            .collect();
        let in_focus = |frame: &TreeFrame| {
            options.focus.as_ref().is_none_or(|focus| focus.matches(&frame.qualified()))
        };
        let in_focus = stacks.frames.iter().map(in_focus).collect();
        Maker { stacks, options, same, in_focus }
    }

    /// The steps of a stack from the root on; `None` for one that is not in focus.
    fn steps(&self, frames: &[u32]) -> Option<Vec<u32>> {
        let step = |&at: &u32| self.same[at as usize];
        let Some(focus) = &self.options.focus else {
            return Some(match self.options.direction {
                Direction::Callers => frames.iter().rev().map(step).collect(),
                Direction::Callees => self
                    .heading(frames.first())
                    .into_iter()
                    .chain(frames.iter().map(step))
                    .collect(),
            });
        };
        // What matches is next to the root: its callees below it, or its callers.
        let is_in_focus = |&at: &u32| self.in_focus[at as usize];
        Some(match self.options.direction {
            Direction::Callees => match frames.iter().position(is_in_focus) {
                Some(first) => frames[first..].iter().map(step).collect(),
                None if focus.matches(&self.stacks.root.qualified()) => {
                    frames.iter().map(step).collect()
                }
                None => return None,
            },
            Direction::Callers => {
                let last = frames.iter().rposition(is_in_focus)?;
                frames[..=last].iter().rev().map(step).collect()
            }
        })
    }

    /// The heading over a stack that begins with this frame.
    fn heading(&self, first: Option<&u32>) -> Option<u32> {
        if self.options.roots == Roots::AsWritten {
            return None;
        }
        let heading = match self.stacks.frame(*first?).kind {
            FrameKind::Caf => 0,
            FrameKind::Pseudo(_) => 1,
            _ => return None,
        };
        Some(self.same.len() as u32 + heading)
    }
}
