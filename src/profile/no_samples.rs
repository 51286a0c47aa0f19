//! Why a profile has nothing to draw.

use super::{Breakdown, Profile, Source};
use crate::incident::Condition;
use crate::incident::error::{Interval, NoSamples};

impl Profile {
    /// The reason why there is nothing to draw, `None` if there is something: at least one point,
    /// even of zero bytes.
    #[doc(hidden)]
    pub fn no_samples(&self) -> Option<NoSamples> {
        if self.samples.all_points().len() > 0 {
            return None;
        }
        let automatic_off = self.metadata.rts_flags().contains(&"--no-automatic-heap-samples");
        let condition = self.condition();
        let job = || self.metadata.job.clone();
        let first = || self.warnings().into_iter().next().map(|warning| warning.message);
        let damaged = || NoSamples::Damaged { first: first() };
        let asked = self.breakdown != Breakdown::Unknown;
        let period = self.metadata.period_ns.map(|period| period as f64 / 1e9);
        let interval = Interval::after(0, period, None);
        let only_empty = NoSamples::OnlyEmpty { samples: self.samples.len(), interval };
        Some(match self.source {
            _ if self.samples.is_empty() && !self.bands.is_empty() => match condition {
                Condition::Damaged => damaged(),
                _ => NoSamples::NoneComplete,
            },
            _ if !self.calls.is_empty() => NoSamples::OnlyTimeProfile,
            Source::Prof => NoSamples::OnlyRetainerSets,
            Source::Hp if self.samples.is_empty() => NoSamples::HeaderOnly,
            // The run-time system still writes an empty first and last sample.
            Source::Hp if automatic_off => NoSamples::AutomaticOff,
            Source::Hp => only_empty,
            Source::Eventlog if !self.samples.is_empty() => {
                match self.breakdown.traits().is_missing_in_logs {
                    true => NoSamples::BandsNotWritten,
                    false => only_empty,
                }
            }
            Source::Eventlog if automatic_off => NoSamples::AutomaticOff,
            Source::Eventlog if condition == Condition::Damaged => damaged(),
            Source::Eventlog if condition != Condition::Whole => NoSamples::BuffersLost,
            Source::Eventlog if asked => NoSamples::AskedButNone { interval },
            Source::Eventlog if self.runtime.is_empty() => NoSamples::NotAsked { job: job() },
            Source::Eventlog => NoSamples::OnlyRuntime { job: job() },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::units::Nanos;
    use crate::incident::End;
    use crate::profile::ProfileBuilder;

    fn eventlog(flags: &[&str], end: End) -> Option<NoSamples> {
        let mut builder = ProfileBuilder::new(Source::Eventlog);
        builder.metadata.arguments = flags.iter().map(|s| s.to_string()).collect();
        builder.incidents.end(end);
        builder.finish().no_samples()
    }

    #[test]
    fn each_reason_has_its_own_message() {
        let lost = eventlog(&["p", "+RTS", "-hc"], End::NoEndMark);
        assert_eq!(lost, Some(NoSamples::BuffersLost));
        let damaged = eventlog(&["p", "+RTS", "-hc"], End::CompressedDamaged);
        let first = Some("the compressed stream is damaged".to_owned());
        assert_eq!(damaged, Some(NoSamples::Damaged { first }));
        let none = eventlog(&["p", "+RTS", "-hc"], End::Clean);
        let interval = Interval::Shorter;
        assert_eq!(none, Some(NoSamples::AskedButNone { interval }));
        let off = eventlog(&["p", "+RTS", "-hc", "--no-automatic-heap-samples"], End::Clean);
        assert_eq!(off, Some(NoSamples::AutomaticOff));
        let not = eventlog(&["p", "+RTS", "-l"], End::Clean);
        assert_eq!(not, Some(NoSamples::NotAsked { job: None }));
        let hp = ProfileBuilder::new(Source::Hp).finish().no_samples();
        assert_eq!(hp, Some(NoSamples::HeaderOnly));
        let empty_hp = |job: &str| {
            let mut builder = ProfileBuilder::new(Source::Hp);
            builder.metadata.job = Some(job.to_owned());
            builder.seal_sample(Nanos::ZERO);
            builder.finish().no_samples()
        };
        assert_eq!(empty_hp("p +RTS -hc"), Some(NoSamples::OnlyEmpty { samples: 1, interval }));
        let off = empty_hp("p +RTS -hc --no-automatic-heap-samples");
        assert_eq!(off, Some(NoSamples::AutomaticOff));
    }
}
