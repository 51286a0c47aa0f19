//! Why a profile has nothing to draw.

use super::{Breakdown, Profile, Source};
use crate::incident::Condition;
use crate::incident::error::{Interval, NoSamples};

/// The most names that are listed.
const MOST_NAMES: usize = 5;

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
        let period = self.metadata.seconds_between_samples();
        let interval = Interval::after(0, period, None);
        let filters: Vec<String> =
            self.metadata.filters.set().map(|(name, text)| format!("{name} `{text}`")).collect();
        let only_empty = match filters.is_empty() {
            true => NoSamples::OnlyEmpty { samples: self.samples.len(), interval },
            false => NoSamples::FilteredOut {
                samples: self.samples.len(),
                filters: filters.join(", "),
                names: self.nearest_names(),
            },
        };
        Some(match self.source {
            _ if self.samples.is_empty() && !self.bands.is_empty() => match condition {
                Condition::Damaged => damaged(),
                Condition::Whole | Condition::Running | Condition::Open | Condition::Cut => {
                    NoSamples::NoneComplete
                }
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

    /// The names of the program's own cost centres that are nearest to those of its filters.
    fn nearest_names(&self) -> Vec<String> {
        let wanted: Vec<&str> =
            self.metadata.filters.set().flat_map(|(_, text)| text.split(',')).collect();
        // Those of the run-time system are in capitals.
        let own = self.cost_centres.all().map(|centre| &*centre.label);
        let own = own.filter(|name| name.contains(char::is_lowercase));
        let mut names: Vec<String> = own.map(str::to_owned).collect();
        let likeness = |name: &str| {
            let own = name.to_lowercase();
            let alike = |wanted: &&str| strsim::sorensen_dice(&own, &wanted.to_lowercase());
            (wanted.iter().map(alike).fold(0.0, f64::max) * 1000.0) as u32
        };
        names.sort_by_cached_key(|name| (std::cmp::Reverse(likeness(name)), name.clone()));
        names.dedup();
        names.truncate(MOST_NAMES);
        names
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
    fn a_filter_that_lets_nothing_through_is_named_with_the_names_that_there_are() {
        let mut builder = ProfileBuilder::new(Source::Eventlog);
        builder.metadata.filters = crate::profile::Filters::from_flags(["-hcleakyCuont"]);
        for (id, name) in (1..).zip(["unboxed", "leakyCount", "IDLE"]) {
            builder.define_cost_centre(id, crate::profile::CostCentre::new(name, "Main", ""));
        }
        builder.seal_sample(Nanos::ZERO);
        let Some(NoSamples::FilteredOut { filters, names, .. }) = builder.finish().no_samples()
        else {
            panic!("another reason");
        };
        assert_eq!(
            (filters.as_str(), names[0].as_str()),
            ("cost centre `leakyCuont`", "leakyCount")
        );
        assert!(!names.contains(&"IDLE".to_owned()), "{names:?}");
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
