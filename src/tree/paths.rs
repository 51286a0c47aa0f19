//! Turns stacks into paths from the root of a tree: decides in which direction, from which frame
//! on, and under which heading.

use foldhash::HashMap;
use std::sync::Arc;

use super::frame::{FrameKind, TreeFrame};
use super::stacks::{Amount, Stacks, Subject, TreeError};
use crate::base::pattern::Pattern;

/// Which end of a stack is next to the root.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Direction {
    /// The outermost frame: a node's children are what it calls.
    #[default]
    Callees,
    /// The innermost frame: a node's children are its callers.
    Callers,
}

/// When two frames count as one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Identity {
    /// If they are the same cost centre.
    #[default]
    ById,
    /// If they have the same name and module, as several cost centres can.
    ByText,
}

/// What happens to roots that are not functions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Roots {
    /// CAFs are under one heading, the run-time system's stacks under another.
    #[default]
    Grouped,
    /// They stay as they are.
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
    /// When two frames count as one. Default: by id.
    pub identity: Identity,
    /// What happens to CAFs and the like. Default: grouped.
    pub roots: Roots,
}

/// A path from the root, with the amount that ends at its last frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Path {
    /// Its frames below the root, as positions among those of [`Paths`].
    pub(super) steps: Vec<u32>,
    /// The amount that ends here.
    pub amount: Amount,
}

/// The distinct paths of some stacks. They take as much memory as the stacks, however few frames
/// these share.
#[derive(Clone, Debug)]
pub struct Paths {
    /// What the amounts count.
    pub subject: Subject,
    /// The root, the frames of the stacks, the headings.
    pub(super) frames: Vec<Arc<TreeFrame>>,
    /// The paths, in order of their steps.
    pub(super) paths: Vec<Path>,
}

/// The headings over CAFs and over the stacks of the run-time system.
const HEADINGS: [&str; 2] = ["CAFs", "run-time system"];

impl Paths {
    /// The paths of some stacks.
    ///
    /// # Errors
    /// [`TreeError::Empty`] when the focus leaves nothing, or nothing differs.
    pub fn of(stacks: &Stacks, options: &TreeOptions) -> Result<Paths, TreeError> {
        let maker = Maker::new(stacks, options);
        let mut subject = stacks.subject.clone();
        let mut paths = Vec::new();
        for stack in &stacks.stacks {
            match maker.steps(&stack.frames) {
                Some(steps) => paths.push(Path { steps, amount: stack.amount }),
                None => subject.out_of_focus += subject.width(stack.amount),
            }
        }
        paths.sort_unstable_by(|a, b| a.steps.cmp(&b.steps));
        paths.dedup_by(|again, first| {
            let is_same = again.steps == first.steps;
            if is_same {
                first.amount.add(again.amount);
            }
            is_same
        });
        let focus = options.focus.as_ref().map(|focus| format!("through `{}`", focus.as_str()));
        let inverted = (options.direction == Direction::Callers).then(|| "inverted".to_owned());
        let words = std::mem::take(&mut subject.words);
        let words = [(!words.is_empty()).then_some(words), focus, inverted];
        subject.words = words.into_iter().flatten().collect::<Vec<_>>().join(", ");
        if paths.iter().all(|path| subject.width(path.amount) == 0) {
            return Err(TreeError::Empty);
        }
        let headings = HEADINGS.map(|name| TreeFrame::named(name, FrameKind::Heading));
        let root = [Arc::new(stacks.root.clone())].into_iter();
        let frames = root.chain(stacks.frames.iter().cloned()).chain(headings.map(Arc::new));
        let frames = frames.collect();
        Ok(Paths { subject, frames, paths })
    }

    /// The paths with an amount, the greatest first.
    pub fn by_amount(&self) -> Vec<&Path> {
        let mut paths: Vec<&Path> =
            self.paths.iter().filter(|path| path.amount != Amount::default()).collect();
        paths.sort_by_key(|path| std::cmp::Reverse(self.subject.width(path.amount)));
        paths
    }

    /// The frames that paths consist of; the first is the root of all.
    pub fn frames(&self) -> &[Arc<TreeFrame>] {
        &self.frames
    }

    /// All amounts together.
    pub fn total(&self) -> Amount {
        let mut total = Amount::default();
        self.paths.iter().for_each(|path| total.add(path.amount));
        total
    }
}

impl Path {
    /// Its frames from the root to its end, as positions in [`Paths::frames`].
    pub fn steps(&self) -> impl DoubleEndedIterator<Item = usize> + use<'_> {
        [0].into_iter().chain(self.steps.iter().map(|&step| step as usize))
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
        let in_focus = |frame: &Arc<TreeFrame>| {
            options.focus.as_ref().is_none_or(|focus| focus.matches(&frame.qualified()))
        };
        let in_focus = stacks.frames.iter().map(in_focus).collect();
        Maker { stacks, options, same, in_focus }
    }

    /// The steps of a stack from the root on; `None` if it is not in focus.
    fn steps(&self, frames: &[u32]) -> Option<Vec<u32>> {
        // The root is the first of the frames.
        let step = |&at: &u32| 1 + self.same[at as usize];
        let Some(focus) = &self.options.focus else {
            return Some(match self.options.direction {
                Direction::Callers => frames.iter().rev().map(step).collect(),
                Direction::Callees => {
                    let heading = self.heading(frames.first());
                    let mut steps = Vec::with_capacity(frames.len() + 1);
                    steps.extend(heading);
                    steps.extend(frames.iter().map(step));
                    steps
                }
            });
        };
        // The frame that matches is next to the root, with its callees or callers below it.
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
        Some(1 + self.same.len() as u32 + heading)
    }
}
