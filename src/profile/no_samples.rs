//! Why a profile has nothing to draw.

use super::{Breakdown, Profile, Source, State};
use crate::error::NoSamples;

impl Profile {
    /// The reason why there is nothing to draw, `None` when there is something: at least one
    /// point, be it zero bytes.
    pub fn no_samples(&self) -> Option<NoSamples> {
        if self.samples.all_points().len() > 0 {
            return None;
        }
        let automatic_off = self.metadata.rts_flags().contains(&"--no-automatic-heap-samples");
        let asked = self.breakdown != Breakdown::Unknown;
        Some(match self.source {
            _ if self.samples.is_empty() && !self.bands.is_empty() => NoSamples::NoneComplete,
            _ if !self.calls.is_empty() => NoSamples::OnlyTimeProfile,
            Source::Prof => NoSamples::OnlyRetainerSets,
            Source::Hp if self.samples.is_empty() => NoSamples::HeaderOnly,
            // The run-time system writes an empty first and last sample all the same.
            Source::Hp if automatic_off => NoSamples::AutomaticOff,
            Source::Hp => NoSamples::OnlyEmpty { samples: self.samples.len() },
            Source::Eventlog if !self.samples.is_empty() => match self.breakdown {
                Breakdown::Retainer | Breakdown::Biography => NoSamples::BandsNotWritten,
                _ => NoSamples::OnlyEmpty { samples: self.samples.len() },
            },
            Source::Eventlog if automatic_off => NoSamples::AutomaticOff,
            Source::Eventlog if self.state == State::Damaged => NoSamples::Damaged,
            Source::Eventlog if self.state != State::Whole => NoSamples::BuffersLost,
            Source::Eventlog if asked => NoSamples::AskedButNone,
            Source::Eventlog => NoSamples::NotAsked { job: self.metadata.job.clone() },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::ProfileBuilder;
    use crate::units::Nanos;

    fn eventlog(flags: &[&str], state: State) -> Option<NoSamples> {
        let mut builder = ProfileBuilder::new(Source::Eventlog);
        builder.metadata.arguments = flags.iter().map(|s| s.to_string()).collect();
        builder.finish(state).no_samples()
    }

    #[test]
    fn each_reason_is_told_apart() {
        let lost = eventlog(&["p", "+RTS", "-hc"], State::Open);
        assert_eq!(lost, Some(NoSamples::BuffersLost));
        let damaged = eventlog(&["p", "+RTS", "-hc"], State::Damaged);
        assert_eq!(damaged, Some(NoSamples::Damaged));
        let none = eventlog(&["p", "+RTS", "-hc"], State::Whole);
        assert_eq!(none, Some(NoSamples::AskedButNone));
        let off = eventlog(&["p", "+RTS", "-hc", "--no-automatic-heap-samples"], State::Whole);
        assert_eq!(off, Some(NoSamples::AutomaticOff));
        let not = eventlog(&["p", "+RTS", "-l"], State::Whole);
        assert_eq!(not, Some(NoSamples::NotAsked { job: None }));
        let hp = ProfileBuilder::new(Source::Hp).finish(State::Whole).no_samples();
        assert_eq!(hp, Some(NoSamples::HeaderOnly));
        let empty_hp = |job: &str| {
            let mut builder = ProfileBuilder::new(Source::Hp);
            builder.metadata.job = Some(job.to_owned());
            builder.seal_sample(Nanos::ZERO);
            builder.finish(State::Whole).no_samples()
        };
        assert_eq!(empty_hp("p +RTS -hc"), Some(NoSamples::OnlyEmpty { samples: 1 }));
        let off = empty_hp("p +RTS -hc --no-automatic-heap-samples");
        assert_eq!(off, Some(NoSamples::AutomaticOff));
    }
}
