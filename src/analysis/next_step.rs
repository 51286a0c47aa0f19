//! What to do next about what a verdict says.

use super::{Account, ClosureKind, Leak, RiseEnd, Who};
use crate::profile::Tells;

/// What to change where thunks pile up.
pub const THUNKS_PILE_UP: &str = "Thunks pile up, as in a lazy accumulator: force it with a bang pattern, \
                                  foldl', modifyIORef', or Data.Map.Strict.";

/// What to consider before a cure.
pub const CAUTION: &str = "A cache that is meant to grow would look like this, too.";

impl Account {
    /// What to change, where the pattern is sure.
    pub fn cure(&self) -> Option<&'static str> {
        let traits = self.breakdown.traits();
        let end = self.told.as_ref().map(|told| told.end);
        let is_told = !self.suspects.is_empty() || end.is_some_and(|end| end != RiseEnd::Level);
        let named = self.named.iter().filter(|_| is_told);
        let moved: Vec<(&str, f64)> =
            named.map(|band| (&*band.label, band.change as f64)).collect();
        if moved.is_empty() {
            return None;
        }
        let all: f64 = moved.iter().map(|(_, bytes)| bytes).sum();
        let mostly = |is: &dyn Fn(&str) -> bool| {
            let part = moved.iter().filter(|(label, _)| is(label));
            part.map(|(_, bytes)| bytes).sum::<f64>() >= 0.5 * all
        };
        // Thunks that are being evaluated are black holes, and what waits for them is on a stack.
        let is_thunk = |label: &str| (traits.kind_of)(label) == Some(ClosureKind::Unevaluated);
        let is_being_evaluated = |label: &str| {
            is_thunk(label)
                || label == "STACK"
                    && moved.iter().any(|(label, _)| *label == "BLACKHOLE" && is_thunk(label))
        };
        if mostly(&is_being_evaluated) {
            Some(THUNKS_PILE_UP)
        } else if mostly(&traits.is_function) {
            Some(
                "Functions pile up, as in a state or a difference list that nobody runs: apply it \
                 as it grows.",
            )
        } else if mostly(&|label| label.ends_with("Concurrent.Chan.ChItem")) {
            Some("A channel fills: nobody reads it as fast as it is written; bound it, or read it.")
        } else {
            None
        }
    }

    /// What a verdict of growth does not say, and what to do next; `None` when nothing grows.
    pub fn next_step(&self) -> Option<String> {
        let cure = self.cure().map(str::to_owned);
        // No breakdown shows what is in no band; a remark says what to do about that.
        let is_outside = self.suspects.first().is_some_and(|first| match first.who {
            Who::Live | Who::Memory => true,
            Who::Heap | Who::Band(_) => false,
        });
        if self.leak < Leak::Possible || is_outside {
            return cure;
        }
        let step = match self.breakdown.traits().tells {
            Tells::Maker => {
                "Run it with +RTS -hy to see its type, with -hr to see what keeps it alive."
            }
            Tells::Place => "To see what keeps it alive, build with -prof and run with +RTS -hr.",
            Tells::Holder => "Run it with +RTS -hy to see its type, with -hc to see who makes it.",
            Tells::Age => "Run it with +RTS -hT or -hy to see what it is.",
            Tells::Content | Tells::Phase | Tells::Unknown => match self.profiled {
                true => "Run it with +RTS -hc to see who makes it.",
                false => {
                    "To see who makes it, build with -prof and run with +RTS -hc; \
                     or build with -finfo-table-map and run with -hi (GHC 9.2 or newer)."
                }
            },
        };
        let first = cure.unwrap_or_else(|| CAUTION.to_owned());
        Some(format!("{first} {step}"))
    }
}

#[cfg(test)]
mod tests {
    use crate::analysis::Analysis;
    use crate::analysis::testing::curves;
    use crate::profile::Breakdown;
    use crate::slice::Slice;

    #[test]
    fn the_next_step_is_one_that_the_build_allows() {
        let profile = curves(100, &[("THUNK", &|i| 1e6 + 1e5 * i)]).finish();
        let verdict = Analysis::account_of(&Slice::whole(&profile), &[]);
        let step = |profiled| {
            let mut account = verdict.clone();
            account.profiled = profiled;
            account.next_step().expect("growth")
        };
        assert!(step(true).ends_with("Run it with +RTS -hc to see who makes it."));
        assert!(step(false).contains("To see who makes it, build with -prof"));
    }

    #[test]
    fn what_piles_up_has_a_cure() {
        let cure = |label: &str| {
            let mut builder = curves(60, &[(label, &|i| 1e6 + 1e5 * i)]);
            builder.declare_breakdown(Breakdown::ClosureType);
            Analysis::account_of(&Slice::whole(&builder.finish()), &[]).cure()
        };
        assert!(cure("THUNK_1_0").is_some_and(|cure| cure.contains("foldl'")));
        assert!(cure("FUN_1_0").is_some_and(|cure| cure.starts_with("Functions pile up")));
        assert!(cure("base:Control.Concurrent.Chan.ChItem").is_some_and(|c| c.contains("channel")));
        assert_eq!(cure("ghc-prim:GHC.Types.:"), None);
    }
}
