//! What to do next about what a verdict says.

use super::cause::Cause;
use super::{Account, BandChange, Finding, Leak, Remark, Who};
use crate::profile::Tells;

/// What to consider before a cure.
pub const CAUTION: &str = "A cache that is meant to grow would look like this, too.";

impl Account {
    /// What to change, where the pattern is sure.
    pub(crate) fn cure(&self) -> Option<Cause> {
        let moved: Vec<_> =
            self.told().iter().map(|band| (&*band.label, band.change as f64)).collect();
        let cause = Cause::of(self.breakdown, &moved);
        let have_ended = self.remarks.iter().any(Remark::is_of_ended_threads);
        let is_other = cause == Some(Cause::Threads) && have_ended;
        if is_other { Some(Cause::EndedThreads) } else { cause }
    }

    /// The bands whose change is no quiet one.
    pub(super) fn told(&self) -> &[BandChange] {
        let bursts = matches!(self.finding, Finding::Bursts { .. });
        let is_told = self.is_judged() && (!self.finding.is_quiet() || bursts);
        if is_told { &self.named } else { &[] }
    }

    /// What a verdict of growth does not say, and what to do next; `None` when nothing grows.
    pub fn next_step(&self) -> Option<String> {
        let cure = self.cure().map(|cause| cause.words().to_string());
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
}
