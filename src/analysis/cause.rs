//! The causes of growth that are known: the sign of each, what it is, and what to change. The verdict, the page and the hunt
//! say these sentences and no others; the hunt decides by its own runs, which show more than the labels of one.

use super::{Account, BandChange, ClosureKind, Finding, Remark};
use crate::base::sentence::{Sentence, name, say};
use crate::profile::Breakdown;

/// What to consider before a cure.
pub const CAUTION: &str = "A cache that is meant to grow would look like this, too.";

/// Why something grows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Cause {
    /// Unevaluated expressions.
    Thunks,
    /// One unevaluated field for each record of this name.
    Field(String),
    /// Functions, and partial applications.
    Functions,
    /// One stack, which deepens.
    Stack,
    /// One stack, on which a chain of thunks is evaluated.
    Chain,
    /// Threads that do not end, or whose identity is kept.
    Threads,
    /// Threads that have ended, and whose identity is kept.
    EndedThreads,
    /// Weak pointers whose keys are alive.
    Weak,
    /// Weak pointers whose keys have died.
    DeadWeak,
    /// A channel.
    Channel,
    /// One action, or function, in each record of this name.
    Action(String),
    /// A top-level value.
    TopLevel,
    /// Memory that is not in the heap.
    OffHeap,
}

impl Cause {
    /// The cause that most of what grows is a sign of, given the labels of what grows, and by how much.
    pub(crate) fn of(breakdown: Breakdown, growing: &[(&str, f64)]) -> Option<Cause> {
        let traits = breakdown.traits();
        let all: f64 = growing.iter().map(|(_, bytes)| bytes).sum();
        let has = |is: &dyn Fn(&str) -> bool| growing.iter().any(|(label, _)| is(label));
        let mostly = |is: &dyn Fn(&str) -> bool| {
            let part = growing.iter().filter(|(label, _)| is(label));
            all > 0.0 && part.map(|(_, bytes)| bytes).sum::<f64>() >= 0.5 * all
        };
        let is_of = |kind| move |label: &str| (traits.kind_of)(label) == Some(kind);
        let is_thunk = is_of(ClosureKind::Unevaluated);
        let is_box = |label: &str| label.ends_with("Weak.Weak");
        let is_id = |label: &str| label.ends_with("Conc.Sync.ThreadId");
        let is_thread = |label: &str| is_of(ClosureKind::Stacks)(label) || is_id(label);
        // A thunk that is evaluated is a black hole, and what waits for it is on a stack.
        let is_chain = |label: &str| is_thunk(label) || label == "STACK";
        let is_evaluated = has(&|label| label == "BLACKHOLE" && is_thunk(label));
        let is_dead = |label: &str| is_of(ClosureKind::DeadWeak)(label) || is_box(label);
        let is_weak = |label: &str| is_of(ClosureKind::Weak)(label) || is_box(label);
        let is_item = |label: &str| label.ends_with("Concurrent.Chan.ChItem");
        match () {
            () if mostly(&is_thunk) || is_evaluated && mostly(&is_chain) => Some(Cause::Thunks),
            () if mostly(&traits.is_function) => Some(Cause::Functions),
            () if mostly(&is_thread) && has(&is_id) => Some(Cause::EndedThreads),
            () if mostly(&is_thread) && has(&|label| label == "TSO") => Some(Cause::Threads),
            () if mostly(&is_thread) => Some(Cause::Stack),
            () if mostly(&is_dead) && has(&is_of(ClosureKind::DeadWeak)) => Some(Cause::DeadWeak),
            () if mostly(&is_weak) => Some(Cause::Weak),
            () if mostly(&is_item) => Some(Cause::Channel),
            () => None,
        }
    }

    /// What it is, and what to change.
    pub(crate) fn words(&self) -> Sentence {
        let words = match self {
            Cause::Field(record) => {
                return say![
                    "One unevaluated field for each ",
                    name(record),
                    " keeps what it would be made of: make the field strict (!), or evaluate it where the record is made."
                ];
            }
            Cause::Action(record) => {
                return say![
                    "Each ",
                    name(record),
                    " keeps an action, or a function, and that keeps all that it needs: take out of it before what it \
                     needs, so that it keeps only this. To make its field strict does not help."
                ];
            }
            Cause::Thunks => {
                "Thunks pile up, as in a lazy accumulator, or in a list that nobody reads to its end: evaluate each value \
                 before it is kept, with a bang pattern, foldl', or Data.Map.Strict. modifyIORef' evaluates no more than \
                 the outermost constructor."
            }
            Cause::Functions => {
                "Functions pile up, each with what it needs, as in a state or a difference list that nobody runs, or in \
                 handlers that are never removed: apply each as it is made, or drop it."
            }
            Cause::Stack => {
                "A stack deepens: each call waits until another one returns, as in recursion that is not a tail call, or in \
                 a loop that calls itself inside of a handler."
            }
            Cause::Chain => {
                "A stack deepens while a long chain of unevaluated expressions is evaluated: force each as it is made, with \
                 a bang pattern, foldl', or Data.Map.Strict."
            }
            Cause::Threads => {
                "Threads pile up, each with a stack of its own: more are started, for requests or messages, than end, or \
                 they are kept after that with their ThreadId or Async. See what they wait for, and who keeps them."
            }
            Cause::EndedThreads => {
                "The identities of threads pile up, and keep the threads after they have ended: drop each ThreadId or \
                 Async when its thread ends, or keep a Weak to it (mkWeakThreadId)."
            }
            Cause::Weak => {
                "Weak pointers pile up, each with what it finalises: what they are attached to does not die. Attach each to \
                 what dies with its object, such as an IORef or MVar in it."
            }
            Cause::DeadWeak => {
                "Weak pointers pile up whose keys have died and whose finalisers have been started: only the pointers \
                 themselves are kept. Remove them from the list, map or table that holds them."
            }
            Cause::Channel => {
                "A channel fills: nobody reads it as fast as it is written; bound it, or read it."
            }
            Cause::TopLevel => {
                "A top-level value keeps all that was made for it as long as code refers to it: make it where it is used, \
                 from an argument."
            }
            Cause::OffHeap => {
                "No profile of GHC shows who takes memory outside of its heap: heaptrack or valgrind --tool=massif does."
            }
        };
        words.into()
    }
}

impl Account {
    /// What to change, where the pattern is sure.
    pub(crate) fn cure(&self) -> Option<Cause> {
        let moved: Vec<_> =
            self.told().iter().map(|band| (&*band.label, band.change as f64)).collect();
        let cause = Cause::of(self.breakdown, &moved);
        let have_ended = self
            .remarks
            .iter()
            .any(|remark| matches!(remark, Remark::Threads { have_ended: true, .. }));
        let is_other = cause == Some(Cause::Threads) && have_ended;
        if is_other { Some(Cause::EndedThreads) } else { cause }
    }

    /// The bands whose change is no quiet one.
    pub(super) fn told(&self) -> &[BandChange] {
        let bursts = matches!(self.finding, Finding::Bursts { .. });
        let is_told = self.is_judged() && (!self.finding.is_quiet() || bursts);
        if is_told { &self.named } else { &[] }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_piles_up_is_a_sign_of_its_cause() {
        let of = |growing: &[(&str, f64)]| Cause::of(Breakdown::ClosureType, growing);
        for (label, cause) in [
            ("THUNK_1_0", Some(Cause::Thunks)),
            ("FUN_1_0", Some(Cause::Functions)),
            ("WEAK", Some(Cause::Weak)),
            ("DEAD_WEAK", Some(Cause::DeadWeak)),
            ("base:Control.Concurrent.Chan.ChItem", Some(Cause::Channel)),
            ("base:GHC.Conc.Sync.ThreadId", Some(Cause::EndedThreads)),
            ("ghc-prim:GHC.Types.:", None),
            ("TSO", Some(Cause::Threads)),
            ("STACK", Some(Cause::Stack)),
        ] {
            assert_eq!(of(&[(label, 1e6), ("other", 1e5)]), cause, "{label}");
            assert_eq!(of(&[(label, 1e5), ("other", 1.1e5)]), None, "less than half");
        }
        let chain = [("STACK", 1e6), ("BLACKHOLE", 1.0), ("other", 9e5)];
        assert_eq!((of(&chain), of(&[])), (Some(Cause::Thunks), None));
        let threads = [("STACK", 1e6), ("TSO", 1e5), ("base:GHC.Conc.Sync.ThreadId", 1e4)];
        let found = [&threads[..2], &threads].map(of);
        assert_eq!(found, [Some(Cause::Threads), Some(Cause::EndedThreads)]);
        let boxes = [("DEAD_WEAK", 2.7), ("(:)", 2.3), ("base:GHC.Weak.Weak", 0.9)];
        assert_eq!(of(&boxes), Some(Cause::DeadWeak));
    }
}
