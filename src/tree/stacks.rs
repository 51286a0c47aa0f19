//! What a slice has as weighted stacks.

use foldhash::fast::RandomState;
use indexmap::IndexSet;
use thiserror::Error;

use super::frame::{FrameKind, TreeFrame};
use super::instant::Moment;
use crate::profile::{BandKey, BandKind, CallId, Exactness};
use crate::slice::{RowId, Slice};
use crate::units::Nanos;

/// What the amounts of stacks count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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
    /// Its name: lower case, stable.
    pub const fn name(self) -> &'static str {
        match self {
            Weight::Live => "live",
            Weight::Time => "time",
            Weight::Alloc => "alloc",
            Weight::Entries => "entries",
        }
    }

    /// Whether it counts bytes.
    pub const fn is_bytes(self) -> bool {
        matches!(self, Weight::Live | Weight::Alloc)
    }
}

/// Whether the stacks that are no part of the program count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PseudoChoice {
    /// Not, as with `-p`.
    #[default]
    LeaveOut,
    /// They do, as with `-pa`.
    Count,
}

/// An amount, and of a difference the one that it is held against.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Amount {
    /// Before; 0 where there is nothing to compare with.
    pub before: u128,
    /// Now.
    pub now: u128,
}

impl Amount {
    /// An amount with nothing to compare with.
    pub fn of(now: u128) -> Amount {
        Amount { before: 0, now }
    }

    pub(super) fn add(&mut self, other: Amount) {
        self.before = self.before.saturating_add(other.before);
        self.now = self.now.saturating_add(other.now);
    }

    /// How much it changed, either way.
    pub fn change(self) -> u128 {
        self.now.abs_diff(self.before)
    }
}

/// One stack with its own amount.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stack {
    /// Its frames below the root, outermost first, as positions in the frames of [`Stacks`].
    pub frames: Vec<usize>,
    /// What ends in this very stack.
    pub amount: Amount,
}

/// Weighted stacks with one root.
#[derive(Clone, Debug)]
pub struct Stacks {
    /// What the amounts count.
    pub weight: Weight,
    /// What is under all of them.
    pub root: TreeFrame,
    pub(super) frames: IndexSet<TreeFrame, RandomState>,
    /// The stacks, in order of first appearance; one may be there several times.
    pub stacks: Vec<Stack>,
    /// Which instant they are of, or how they were counted, in words.
    pub words: String,
    /// Whether they are the difference of two.
    pub is_difference: bool,
    /// How long a tick is meant to be, in nanoseconds of one capability's time; `None` where nothing
    /// is said of it, and of what is not counted in ticks.
    pub tick_ns: Option<u64>,
    /// What ended in stacks that are no part of the program, and is left out.
    pub left_out: u128,
}

/// Why there are no stacks.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum TreeError {
    /// The names of stacks are cut: their outer parts are missing.
    #[error("{cut} of {of} stacks are cut, so they have no tree")]
    Cut {
        /// How many.
        cut: usize,
        /// Of how many.
        of: usize,
    },
    /// The input does not have the quantity.
    #[error("the input has no {}", .0.name())]
    Absent(Weight),
    /// Every amount is zero.
    #[error("nothing to draw: every stack has the amount 0")]
    Empty,
    /// The stacks have too little in common.
    #[error("the stacks make a tree of more than {most} nodes")]
    TooLarge {
        /// How many nodes it may have.
        most: usize,
    },
}

impl TreeError {
    /// The way out, where there is one.
    pub fn hint(&self) -> Option<&'static str> {
        Some(match self {
            TreeError::Cut { .. } => {
                "use the event log of the run, or run with +RTS -L500: a .hp has only 25 characters \
                 of a stack by default"
            }
            TreeError::Absent(Weight::Live) => "live heap needs heap samples: +RTS -hc -l",
            TreeError::Absent(Weight::Time) => "time needs a time profile: +RTS -p or -P",
            TreeError::Absent(Weight::Alloc | Weight::Entries) => {
                "allocation and entries stand in the .prof of the run: +RTS -P"
            }
            TreeError::TooLarge { .. } => "choose some of the bands, or look at less of the run",
            TreeError::Empty => return None,
        })
    }
}

impl Stacks {
    fn new(weight: Weight, root: TreeFrame, words: String) -> Self {
        Stacks {
            weight,
            root,
            frames: IndexSet::default(),
            stacks: Vec::new(),
            words,
            is_difference: false,
            tick_ns: None,
            left_out: 0,
        }
    }

    /// A frame.
    pub fn frame(&self, at: usize) -> &TreeFrame {
        &self.frames[at]
    }

    pub(super) fn intern(&mut self, frame: TreeFrame) -> usize {
        self.frames.insert_full(frame).0
    }

    /// All amounts together.
    pub fn total(&self) -> Amount {
        let mut total = Amount::default();
        self.stacks.iter().for_each(|stack| total.add(stack.amount));
        total
    }

    /// What `now` has against `before`. Frames are the same by their text, for ids are of one build.
    #[must_use]
    pub fn difference(before: &Stacks, now: &Stacks) -> Stacks {
        let words = match now.words == before.words {
            true => now.words.clone(),
            false => format!("{}, against {}", now.words, without_at(&before.words)),
        };
        let mut both = Stacks::new(now.weight, now.root.clone(), words);
        both.is_difference = true;
        both.tick_ns = now.tick_ns;
        for (side, is_now) in [(before, false), (now, true)] {
            for stack in &side.stacks {
                let frames = stack.frames.iter();
                let frames = frames
                    .map(|&at| both.intern(TreeFrame { id: None, ..side.frame(at).clone() }))
                    .collect();
                let amount = match is_now {
                    true => Amount { before: 0, now: stack.amount.now },
                    false => Amount { before: stack.amount.now, now: 0 },
                };
                both.stacks.push(Stack { frames, amount });
            }
        }
        both
    }
}

/// `3 s` of `at 3 s`.
fn without_at(words: &str) -> &str {
    words.strip_prefix("at ").unwrap_or(words)
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
            let (kind, is_cut) = slice.glance(band, |band| (band.kind(), band.is_cut()));
            if kind == BandKind::Stack {
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
    let mut stacks = Stacks::new(Weight::Live, root, moment.words.clone());
    for (row, bytes) in amounts {
        if bytes > 0 {
            let frames = frames_of_row(slice, row, &mut stacks);
            stacks.stacks.push(Stack { frames, amount: Amount::of(bytes) });
        }
    }
    if stacks.stacks.is_empty() {
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
fn frames_of_row(slice: &Slice<'_>, row: RowId, stacks: &mut Stacks) -> Vec<usize> {
    if let Some(BandKey::Stack(ids)) = slice.key(row) {
        let outer = (ids.len() == MOST_LEVELS).then(lost_levels);
        let frames = ids.iter().rev();
        let frames = frames.map(|&id| TreeFrame::of_centre(id, slice.cost_centre(id).as_deref()));
        return outer.into_iter().chain(frames).map(|frame| stacks.intern(frame)).collect();
    }
    let members = slice.members(row);
    let single = slice.key(row).is_some();
    let label = || TreeFrame::named(slice.label(row), FrameKind::Plain);
    if !single {
        return vec![stacks.intern(label())];
    }
    slice.glance(members[0], |band| match band.kind() {
        BandKind::Stack => {
            let frames: Vec<TreeFrame> = band.frames().rev().map(TreeFrame::of_frame).collect();
            frames.into_iter().map(|frame| stacks.intern(frame)).collect()
        }
        BandKind::ClosureType | BandKind::Description | BandKind::InfoTable => {
            let mut frames = Vec::new();
            if let Some(frame) = band.frames().next() {
                for part in [&frame.package.name, &frame.module] {
                    if !part.is_empty() {
                        frames.push(stacks.intern(TreeFrame::named(part, FrameKind::Heading)));
                    }
                }
                let name = TreeFrame { module: String::new(), ..TreeFrame::of_frame(frame) };
                frames.push(stacks.intern(name));
            }
            frames
        }
        _ => vec![stacks.intern(label())],
    })
}

/// How many levels of a stack an event log keeps: it drops the outermost of deeper ones.
const MOST_LEVELS: usize = 255;

/// What stands for the levels that were dropped.
fn lost_levels() -> TreeFrame {
    TreeFrame::named("…", FrameKind::Heading)
}

/// Time, allocation or entries of a call tree.
///
/// # Errors
/// [`TreeError::Absent`] when the input does not have the quantity, [`TreeError::Empty`].
pub fn of_calls(
    slice: &Slice<'_>,
    weight: Weight,
    pseudo: PseudoChoice,
) -> Result<Stacks, TreeError> {
    let calls = slice.calls();
    let exactness = match weight {
        Weight::Time => calls.time,
        Weight::Alloc => calls.alloc,
        Weight::Entries => calls.entries,
        Weight::Live => Exactness::Absent,
    };
    if exactness == Exactness::Absent || calls.is_empty() {
        return Err(TreeError::Absent(weight));
    }
    let capabilities = calls.capabilities.unwrap_or(1).max(1);
    let words = match exactness {
        Exactness::Rounded => "from shares with one decimal (-P has the counts)".to_owned(),
        _ => String::new(),
    };
    let mut stacks = Stacks::new(weight, TreeFrame::main(), words);
    if weight == Weight::Time {
        // As the report does: with two capabilities two ticks are the time of one.
        let one = |tick: Nanos| tick.as_nanos().unsigned_abs() / u64::from(capabilities);
        stacks.tick_ns = calls.tick.map(one).filter(|&tick| tick > 0);
    }
    let frames: Vec<Option<usize>> = calls
        .nodes()
        .iter()
        .map(|node| {
            let id = node.centre?;
            Some(stacks.intern(TreeFrame::of_centre(id, slice.cost_centre(id).as_deref())))
        })
        .collect();
    for (at, node) in calls.nodes().iter().enumerate() {
        let amount = u128::from(match weight {
            Weight::Time => node.ticks,
            Weight::Alloc => node.alloc,
            Weight::Entries => node.entries,
            Weight::Live => 0,
        });
        if amount == 0 {
            continue;
        }
        let mut path = Vec::new();
        let mut up = at;
        while up != CallId::MAIN.index() {
            path.extend(frames[up]);
            up = calls.nodes()[up].parent.index();
        }
        path.reverse();
        let out = path.first().is_some_and(|&first| match stacks.frame(first).kind {
            FrameKind::Pseudo(pseudo) => pseudo.is_left_out(),
            _ => false,
        });
        if out && pseudo == PseudoChoice::LeaveOut {
            stacks.left_out += amount;
            continue;
        }
        if path.len() == MOST_LEVELS && !calls.ticks().is_empty() {
            path.insert(0, stacks.intern(lost_levels()));
        }
        stacks.stacks.push(Stack { frames: path, amount: Amount::of(amount) });
    }
    if stacks.stacks.is_empty() {
        return Err(TreeError::Empty);
    }
    Ok(stacks)
}
