//! Turns stacks into paths from the root of a tree: decides in which direction, from which frame
//! on, and under which heading.

use foldhash::HashMap;
use std::sync::Arc;

use super::stacks::StackList;
use super::{Amount, FrameKind, Stack, StackMeasure, Stacks, TreeError, TreeFrame};
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
pub enum NodeIdentity {
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
    /// Every root stays as the input has it.
    AsWritten,
}

/// How stacks become paths. The defaults show all stacks from the root down.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TreeOptions {
    /// Which end of a stack is next to the root. Default callees.
    pub direction: Direction,
    /// Only the stacks through a frame that matches, cut off outside of it. Default all.
    pub focus: Option<Pattern>,
    /// When two frames count as one. Default: by id.
    pub identity: NodeIdentity,
    /// What happens to CAFs and the like. Default: grouped.
    pub roots: Roots,
}

/// A path from the root, with the amount that ends at its last frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Path<'a> {
    /// The frames below the root, as positions among those of [`Paths`].
    pub(super) steps: &'a [u32],
    /// The amount that ends here.
    pub amount: Amount,
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
    /// [`TreeError::Empty`] when the focus leaves nothing, or nothing differs.
    pub fn new(stacks: &Stacks, options: &TreeOptions) -> Result<Paths, TreeError> {
        let maker = PathBuilder::new(stacks, options);
        let mut subject = stacks.subject.clone();
        let mut paths = StackList::default();
        for Stack { frames, amount } in stacks.stacks.iter() {
            let Some(frames) = maker.in_focus(frames) else {
                subject.out_of_focus += subject.width(amount);
                continue;
            };
            // The root is the first of the frames.
            let steps = frames.iter().map(|&at| 1 + maker.same[at as usize]);
            match options.direction {
                Direction::Callers => paths.push(steps.rev(), amount),
                Direction::Callees => {
                    paths.push(maker.heading(frames).into_iter().chain(steps), amount);
                }
            }
        }
        paths.unite();
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
        let mut paths: Vec<Path<'_>> =
            paths.filter(|path| path.amount != Amount::default()).collect();
        paths.sort_by_key(|path| std::cmp::Reverse(self.subject.width(path.amount)));
        paths
    }

    /// The frames that paths consist of; the first is the root of all.
    pub fn frames(&self) -> &[Arc<TreeFrame>] {
        &self.frames
    }

    /// The amounts of all stacks together.
    pub fn total(&self) -> Amount {
        self.paths.total()
    }
}

impl<'a> Path<'a> {
    /// The frames of the path from the root to its end, as positions in [`Paths::frames`].
    pub fn steps(&self) -> impl DoubleEndedIterator<Item = usize> + use<'a> {
        [0].into_iter().chain(self.steps.iter().map(|&step| step as usize))
    }
}

struct PathBuilder<'a> {
    stacks: &'a Stacks,
    options: &'a TreeOptions,
    /// The frame that stands for each frame of the stacks: itself, or the first with its text.
    same: Vec<u32>,
    is_in_focus: Vec<bool>,
}

impl<'a> PathBuilder<'a> {
    fn new(stacks: &'a Stacks, options: &'a TreeOptions) -> Self {
        let mut by_text: HashMap<(&str, &str), u32> = HashMap::default();
        let frames = (0..).zip(&stacks.frames);
        let same = frames
            .map(|(at, frame)| match options.identity {
                NodeIdentity::ById => at,
                NodeIdentity::ByText => {
                    *by_text.entry((&*frame.module, &*frame.name)).or_insert(at)
                }
            })
            .collect();
        let is_in_focus = |frame: &Arc<TreeFrame>| {
            options.focus.as_ref().is_none_or(|focus| focus.matches(&frame.qualified()))
        };
        let is_in_focus = stacks.frames.iter().map(is_in_focus).collect();
        PathBuilder { stacks, options, same, is_in_focus }
    }

    /// The part of a stack that is shown: from the frame in focus to the innermost, or with callers from the
    /// outermost to the frame in focus. `None` if the focus matches no frame.
    fn in_focus<'f>(&self, frames: &'f [u32]) -> Option<&'f [u32]> {
        let Some(focus) = &self.options.focus else { return Some(frames) };
        let is_in_focus = |&at: &u32| self.is_in_focus[at as usize];
        match self.options.direction {
            Direction::Callees => match frames.iter().position(is_in_focus) {
                Some(first) => Some(&frames[first..]),
                None => focus.matches(&self.stacks.root.qualified()).then_some(frames),
            },
            Direction::Callers => Some(&frames[..=frames.iter().rposition(is_in_focus)?]),
        }
    }

    /// The heading under which a stack is shown; `None` if it needs none, or if only a part of it is shown.
    fn heading(&self, frames: &[u32]) -> Option<u32> {
        if self.options.roots == Roots::AsWritten || self.options.focus.is_some() {
            return None;
        }
        let heading = match self.stacks.frame(*frames.first()?).kind {
            FrameKind::Caf => 0,
            FrameKind::Pseudo(_) => 1,
            FrameKind::Root | FrameKind::Plain | FrameKind::Heading => return None,
        };
        Some(1 + self.same.len() as u32 + heading)
    }
}
