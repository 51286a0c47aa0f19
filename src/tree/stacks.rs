//! The contents of a slice as weighted stacks.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use foldhash::fast::RandomState;
use indexmap::IndexSet;
use thiserror::Error;

use super::{FrameKind, Moment, TreeFrame};
use crate::base::units::Nanos;
use crate::profile::{BandKey, Breakdown, CallId, CallNode, Calls, Exactness};
use crate::slice::{RowId, Slice};

/// What the amounts of stacks count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
pub enum Weight {
    /// Bytes of the heap that are live.
    Live,
    /// Ticks of the timer.
    Time,
    /// Bytes that were allocated.
    Alloc,
    /// How often a cost centre was pushed.
    Entries,
}

impl Weight {
    /// The name of the weight in options and data: lower case, stable.
    pub const fn name(self) -> &'static str {
        match self {
            Weight::Live => "live",
            Weight::Time => "time",
            Weight::Alloc => "alloc",
            Weight::Entries => "entries",
        }
    }

    /// Whether the amounts are bytes.
    pub const fn is_bytes(self) -> bool {
        match self {
            Weight::Live | Weight::Alloc => true,
            Weight::Time | Weight::Entries => false,
        }
    }
}

/// One stack with its own amount.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Stack<'a> {
    /// The frames below the root, outermost first, as positions in the frames of [`Stacks`].
    pub frames: &'a [u32],
    /// The amount that ends in exactly this stack.
    pub amount: u128,
}

/// Stacks in one piece of memory, because a report can have a hundred thousand of them.
#[derive(Clone, Debug, Default)]
pub struct StackList {
    frames: Vec<u32>,
    stacks: Vec<(Range<usize>, u128)>,
}

impl StackList {
    pub(super) fn push(&mut self, frames: impl Iterator<Item = u32>, amount: u128) {
        let start = self.frames.len();
        self.frames.extend(frames);
        self.stacks.push((start..self.frames.len(), amount));
    }

    pub fn len(&self) -> usize {
        self.stacks.len()
    }

    pub fn get(&self, at: usize) -> Stack<'_> {
        let (frames, amount) = &self.stacks[at];
        Stack { frames: &self.frames[frames.clone()], amount: *amount }
    }

    pub fn iter(&self) -> impl DoubleEndedIterator<Item = Stack<'_>> + ExactSizeIterator {
        (0..self.len()).map(|at| self.get(at))
    }

    pub(super) fn total(&self) -> u128 {
        self.stacks.iter().fold(0, |total, (_, amount)| total.saturating_add(*amount))
    }

    /// Sorts them by their frames, and makes those with the same ones a single stack.
    pub(super) fn unite(&mut self) {
        let frames = |stack: &Range<usize>| &self.frames[stack.clone()];
        self.stacks.sort_unstable_by(|(a, _), (b, _)| frames(a).cmp(frames(b)));
        self.stacks.dedup_by(|(again, more), (first, amount)| {
            let is_same = frames(again) == frames(first);
            if is_same {
                *amount = amount.saturating_add(*more);
            }
            is_same
        });
    }
}

/// What stacks count, and how.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct StackMeasure {
    /// What the amounts count.
    pub weight: Weight,
    /// The instant to which they belong, or how they were counted, in words.
    pub words: String,
    /// The nominal length of a tick, in nanoseconds of one capability's time; `None` if it is not
    /// known, or if amounts are not counted in ticks.
    pub tick_ns: Option<u64>,
    /// The amount in stacks that are not part of the program, which is not in the other amounts.
    pub outside: u128,
}

impl StackMeasure {
    fn new(weight: Weight, words: String) -> Self {
        StackMeasure { weight, words, tick_ns: None, outside: 0 }
    }
}

/// Weighted stacks with one root.
#[derive(Clone, Debug)]
pub struct Stacks {
    /// What the amounts count.
    pub subject: StackMeasure,
    /// The root of all of them.
    pub root: TreeFrame,
    pub(super) frames: IndexSet<Arc<TreeFrame>, RandomState>,
    /// The frames of cost centres, by their ids.
    centres: HashMap<u32, u32, RandomState>,
    /// The stacks, in order of first appearance; a stack can occur several times.
    pub(crate) stacks: StackList,
}

/// Why there are no stacks.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the messages say it")]
pub enum TreeError {
    /// The names of stacks are cut: their outer parts are missing.
    #[error("no tree can be made: {cut} of {of} stacks are cut")]
    Cut { cut: usize, of: usize },
    #[error("the input has no {}", .0.name())]
    Absent(Weight),
    #[error("nothing to draw: every stack has the amount 0")]
    Empty,
}

impl TreeError {
    /// What to do about it, if something can be done.
    pub fn hint(&self) -> Option<&'static str> {
        Some(match self {
            TreeError::Cut { .. } => {
                "use the event log of the run, or run with +RTS -L500: a .hp has only 25 characters \
                 of a stack by default"
            }
            TreeError::Absent(Weight::Live) => "live heap needs heap samples: +RTS -hc -l",
            TreeError::Absent(Weight::Time) => "time needs a time profile: +RTS -p or -P",
            TreeError::Absent(Weight::Alloc | Weight::Entries) => {
                "allocation and entries are in the .prof of the run: +RTS -P"
            }
            TreeError::Empty => return None,
        })
    }
}

impl Stacks {
    fn new(subject: StackMeasure, root: TreeFrame) -> Self {
        let (frames, centres, stacks) = Default::default();
        Stacks { subject, root, frames, centres, stacks }
    }

    /// The frame at a position, as `Stack::frames` has them.
    pub fn frame(&self, at: u32) -> &TreeFrame {
        &self.frames[at as usize]
    }

    pub(super) fn intern(&mut self, frame: TreeFrame) -> u32 {
        self.frames.insert_full(Arc::new(frame)).0 as u32
    }

    /// The frame of a cost centre, which is in many stacks.
    fn intern_centre(&mut self, id: u32, slice: &Slice<'_>) -> u32 {
        if let Some(&frame) = self.centres.get(&id) {
            return frame;
        }
        let frame = self.intern(TreeFrame::of_centre(id, slice.cost_centre(id).as_deref()));
        self.centres.insert(id, frame);
        frame
    }

    /// The amounts of all stacks together.
    pub fn total(&self) -> u128 {
        self.stacks.total()
    }
}

/// The live heap at a moment.
///
/// # Errors
/// [`TreeError::Cut`] when the names of stacks are cut, [`TreeError::Empty`].
pub fn of_heap(slice: &Slice<'_>, moment: &Moment) -> Result<Stacks, TreeError> {
    let amounts = amounts(slice, moment);
    let (mut stacks_cut, mut all_stacks) = (0, 0);
    for &(row, _) in &amounts {
        for &band in slice.members(row).iter() {
            let (kind, is_cut) = slice.with_band(band, |band| (band.kind, band.is_cut));
            if kind == Breakdown::CostCentre {
                all_stacks += 1;
                stacks_cut += usize::from(is_cut);
            }
        }
    }
    if stacks_cut > 0 {
        return Err(TreeError::Cut { cut: stacks_cut, of: all_stacks });
    }
    let root = match all_stacks > 0 {
        true => TreeFrame::main(),
        false => TreeFrame::named("heap", FrameKind::Root),
    };
    let mut stacks = Stacks::new(StackMeasure::new(Weight::Live, moment.words.clone()), root);
    for (row, bytes) in amounts {
        if bytes > 0 {
            let frames = frames_of_row(slice, row, &mut stacks);
            stacks.stacks.push(frames.into_iter(), bytes);
        }
    }
    if stacks.stacks.len() == 0 {
        return Err(TreeError::Empty);
    }
    Ok(stacks)
}

/// The bytes of each selected row at the moment, in order of the rows.
fn amounts(slice: &Slice<'_>, moment: &Moment) -> Vec<(RowId, u128)> {
    let whole: u128 = moment.samples.iter().map(|&(_, weight)| u128::from(weight)).sum();
    let mut sums = vec![0_u128; slice.rows().len()];
    for &(sample, weight) in &moment.samples {
        slice.each_point(sample, |row, size| {
            let more = u128::from(size.get()).saturating_mul(weight.into());
            sums[row.index()] = sums[row.index()].saturating_add(more);
        });
    }
    let selected = slice.rows().filter(|&row| slice.is_selected(row));
    selected.map(|row| (row, sums[row.index()] / whole.max(1))).collect()
}

/// The frames of a row, outermost first.
fn frames_of_row(slice: &Slice<'_>, row: RowId, stacks: &mut Stacks) -> Vec<u32> {
    if let Some(BandKey::Stack(ids)) = slice.key(row) {
        let outer = (ids.len() == MOST_LEVELS).then(|| stacks.intern(lost_levels()));
        let frames = ids.iter().rev().map(|&id| stacks.intern_centre(id, slice));
        return outer.into_iter().chain(frames).collect();
    }
    let members = slice.members(row);
    let single = slice.key(row).is_some();
    let label = || TreeFrame::named(slice.label(row), FrameKind::Plain);
    if !single {
        return vec![stacks.intern(label())];
    }
    slice.with_band(members[0], |band| match band.kind {
        Breakdown::CostCentre => {
            let frames: Vec<TreeFrame> = band.frames().rev().map(TreeFrame::of_frame).collect();
            frames.into_iter().map(|frame| stacks.intern(frame)).collect()
        }
        Breakdown::ClosureType | Breakdown::ClosureDescription | Breakdown::InfoTable => {
            let mut frames = Vec::new();
            if let Some(frame) = band.frames().next() {
                for part in [&frame.package.name, &frame.module] {
                    if !part.is_empty() {
                        frames.push(stacks.intern(TreeFrame::named(part, FrameKind::Heading)));
                    }
                }
                let name = TreeFrame { module: Arc::default(), ..TreeFrame::of_frame(frame) };
                frames.push(stacks.intern(name));
            }
            frames
        }
        Breakdown::Retainer
        | Breakdown::Type
        | Breakdown::Module
        | Breakdown::Biography
        | Breakdown::Era
        | Breakdown::Unknown => vec![stacks.intern(label())],
    })
}

/// How many levels of a stack an event log keeps: of deeper stacks, it drops the outermost.
const MOST_LEVELS: usize = 255;

/// The frame for the levels that were dropped.
fn lost_levels() -> TreeFrame {
    TreeFrame::named("…", FrameKind::Heading)
}

/// The most levels that the stacks of a call tree have together: in a report of a few megabytes, each
/// of a hundred thousand rows can be below the one before it.
const ALL_LEVELS: usize = 2_000_000;

/// How many levels are kept of each stack, the innermost, so that all are at most [`ALL_LEVELS`].
fn levels_kept(nodes: &[CallNode]) -> usize {
    let mut depths: Vec<usize> = Vec::with_capacity(nodes.len());
    let mut of_depth = vec![0; nodes.len() + 1];
    for (at, node) in nodes.iter().enumerate() {
        // A parent is before its children; only the root is its own.
        let depth = if at == 0 { 0 } else { depths[node.parent.index()] + 1 };
        depths.push(depth);
        of_depth[depth] += 1;
    }
    let (mut deeper, mut all) = (nodes.len(), 0);
    for (level, count) in of_depth.iter().enumerate() {
        deeper -= count;
        all += deeper;
        if deeper == 0 {
            break;
        }
        if all > ALL_LEVELS {
            return level.max(1);
        }
    }
    usize::MAX
}

/// Refuses an input without samples whose call tree has no amounts, because its page would be empty.
///
/// # Errors
/// What is wrong with its call tree.
pub fn has_something_to_show(slice: &Slice<'_>) -> Result<(), TreeError> {
    let profile = slice.profile();
    if profile.no_samples().is_none() || profile.calls.is_empty() {
        return Ok(());
    }
    let time = of_calls(slice, Weight::Time);
    time.or_else(|_| of_calls(slice, Weight::Alloc)).map(drop)
}

fn measure_of_calls(calls: &Calls, weight: Weight) -> Result<StackMeasure, TreeError> {
    let exactness = match weight {
        Weight::Time => calls.time,
        Weight::Alloc => calls.alloc,
        Weight::Entries => calls.entries,
        Weight::Live => Exactness::Absent,
    };
    if calls.is_empty() {
        return Err(TreeError::Absent(weight));
    }
    let words = match exactness {
        Exactness::Absent => return Err(TreeError::Absent(weight)),
        Exactness::Rounded => "from shares with one decimal (-P has the counts)".to_owned(),
        Exactness::Exact => String::new(),
    };
    let mut measure = StackMeasure::new(weight, words);
    if weight == Weight::Time {
        // As in the report: with two capabilities, two ticks are counted in the time of one.
        let capabilities = calls.capabilities.unwrap_or(1).max(1);
        let one = |tick: Nanos| tick.as_nanos().unsigned_abs() / u64::from(capabilities);
        measure.tick_ns = calls.tick.map(one).filter(|&tick| tick > 0);
    }
    Ok(measure)
}

/// Time, allocation or entries of a call tree, without the stacks of GHC itself, which `-pa` counts.
///
/// # Errors
/// [`TreeError::Absent`] when the input does not have the quantity, [`TreeError::Empty`].
pub fn of_calls(slice: &Slice<'_>, weight: Weight) -> Result<Stacks, TreeError> {
    let calls = slice.calls();
    let mut stacks = Stacks::new(measure_of_calls(&calls, weight)?, TreeFrame::main());
    let nodes = calls.nodes.iter();
    let frames: Vec<Option<u32>> =
        nodes.map(|node| Some(stacks.intern_centre(node.centre?, slice))).collect();
    let levels = levels_kept(&calls.nodes);
    // Innermost first.
    let mut path = Vec::new();
    for (at, node) in calls.nodes.iter().enumerate() {
        let amount = u128::from(match weight {
            Weight::Time => node.ticks,
            Weight::Alloc => node.alloc,
            Weight::Entries => node.entries,
            Weight::Live => 0,
        });
        if amount == 0 {
            continue;
        }
        path.clear();
        let mut up = at;
        while up != CallId::MAIN.index() && path.len() < levels {
            path.extend(frames[up]);
            up = calls.nodes[up].parent.index();
        }
        let is_cut = up != CallId::MAIN.index();
        let out = path.last().is_some_and(|&first| match stacks.frame(first).kind {
            FrameKind::Pseudo(pseudo) => pseudo.is_left_out(),
            FrameKind::Root | FrameKind::Plain | FrameKind::Caf | FrameKind::Heading => false,
        });
        if out {
            stacks.subject.outside += amount;
            continue;
        }
        if is_cut || (path.len() == MOST_LEVELS && !calls.ticks.is_empty()) {
            path.push(stacks.intern(lost_levels()));
        }
        stacks.stacks.push(path.iter().rev().copied(), amount);
    }
    if stacks.stacks.len() == 0 {
        return Err(TreeError::Empty);
    }
    Ok(stacks)
}
