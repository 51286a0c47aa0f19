//! What of a verdict is told besides its headline: grades, rates, places in a run, and what stays of all that is allocated.

use super::{Account, Leak, Remark, Rise, SamplingAdvice, Shape};
use crate::base::sentence::{Sentence, part_of_unit, rounded, row_name, say, size};
use crate::base::units::{Nanos, whole_percent};
use crate::profile::Clock;
use crate::slice::{RowId, SampleNumber};

impl Leak {
    /// The grade in words.
    pub fn words(self) -> &'static str {
        match self {
            Leak::Unknown => "cannot tell",
            Leak::None => "no leak",
            Leak::Possible => "possible leak",
            Leak::Likely => "likely leak",
        }
    }

    /// The grade as data: `likely`.
    pub fn id(self) -> &'static str {
        match self {
            Leak::Unknown => "unknown",
            Leak::None => "none",
            Leak::Possible => "possible",
            Leak::Likely => "likely",
        }
    }
}

/// A rate on a clock: `1.34 MiB/s`, `1.34 MiB/s of CPU`, `12 KiB/sample`.
pub fn rate(rate: f64, clock: Clock) -> Sentence {
    let sign = if rate < 0.0 { "-" } else { "" };
    let per = match clock {
        Clock::Elapsed => "/s",
        Clock::Mutator => "/s of CPU",
        Clock::Sample => "/sample",
    };
    say![sign, rounded(rate.abs()), per]
}

/// What stays of all that is allocated: `of 1 MiB that it allocates, 31 KiB are never freed`.
fn never_freed(percent: f64) -> Sentence {
    let share = percent / 100.0;
    let power = if share * (1u64 << 20) as f64 >= 1.0 { 2 } else { 3 };
    let (unit, kept) = (part_of_unit(1.0, power), part_of_unit(share, power));
    say!["of ", unit, " that it allocates, ", kept, " are never freed"]
}

/// The place of a sample in a run: `1.5 s`, or `sample 12` where samples have no times.
pub fn place_of(time: Option<Nanos>, number: SampleNumber) -> String {
    time.map_or_else(|| format!("sample {number}"), |time| time.to_string())
}

impl Rise {
    /// Since when it grows: `the start`, `1.5 s`, or `sample 12`.
    pub fn since_text(&self) -> String {
        match self.is_from_start {
            true => "the start".to_owned(),
            false => place_of(self.since, self.since_sample),
        }
    }

    /// The name of what rises: that of its row, if a band rises.
    pub(crate) fn name(&self) -> Sentence {
        row_name(self.row().map(RowId::index), &self.label)
    }

    /// `THUNK grew by 20.7 MiB since the start, 99 % of the growth`.
    #[cfg_attr(not(feature = "cli"), allow(dead_code, reason = "only `check` says it"))]
    pub(crate) fn growth(&self) -> Sentence {
        let share = format!(", {} of the growth", whole_percent(self.share_percent));
        say![self.name(), " grew by ", size(self.grew()), " since ", self.since_text(), share]
    }
}

impl Shape {
    /// All of them with their names, the least alarming first.
    pub const ALL: [(&'static str, Shape); 4] = [
        ("level", Shape::Level),
        ("built-up", Shape::BuiltUp),
        ("grew-to-exit", Shape::GrewToExit),
        ("grows", Shape::Grows),
    ];

    /// The shape in words: `built up, then freed`.
    pub fn words(self) -> &'static str {
        match self {
            Shape::Level => "level",
            Shape::BuiltUp => "built up, then freed",
            Shape::GrewToExit => "grew until the program ended",
            Shape::Grows => "grows",
        }
    }
}

impl Account {
    /// What stays of all that is allocated, if the log counts it.
    pub fn kept(&self) -> Option<Sentence> {
        let kept = self.suspects.iter().map(|rise| rise.kept_percent).sum::<Option<f64>>();
        // A heap that was judged by its bands may gain more than was counted.
        kept.filter(|percent| !self.suspects.is_empty() && *percent <= 100.0).map(never_freed)
    }

    /// What the next run should do to be sampled better, if this one could have been.
    pub(crate) fn sampling(&self) -> Option<&SamplingAdvice> {
        self.remarks.iter().find_map(|remark| {
            let Remark::Sampling(advice) = remark else { return None };
            Some(advice)
        })
    }
}

/// What follows a time that counts only what the program itself ran.
pub fn of_cpu(clock: Clock) -> &'static str {
    if clock == Clock::Mutator { " of CPU" } else { "" }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::Analysis;
    use crate::analysis::testing::growing;
    use crate::slice::Slice;

    #[test]
    fn a_rate_names_its_clock() {
        let text = |clock| rate(1_400_000.0, clock).to_string();
        assert_eq!(text(Clock::Elapsed), "1.34 MiB/s");
        assert_eq!(text(Clock::Mutator), "1.34 MiB/s of CPU");
        assert_eq!(text(Clock::Sample), "1.34 MiB/sample");
    }

    #[test]
    fn what_stays_is_a_part_of_the_unit_in_which_it_is_bytes() {
        assert_eq!(
            [3.0, 1e-4, 9e-5, 1e-6].map(|percent| never_freed(percent).to_string()),
            [
                "of 1 MiB that it allocates, 30.7 KiB are never freed",
                "of 1 MiB that it allocates, 1 B are never freed",
                "of 1 GiB that it allocates, 966 B are never freed",
                "of 1 GiB that it allocates, 11 B are never freed",
            ]
        );
    }

    #[test]
    fn all_bands_together_are_many() {
        // Growth that is a part of the noise of each band, but not of their sum.
        let mut random = crate::testing::Random::new(1, "bands");
        let mut sizes = || (0..60).map(|i| (900 + random.below(300) + 4 * i) as f64).collect();
        let sizes: Vec<Vec<f64>> = (0..500).map(|_| sizes()).collect();
        let names: Vec<String> = (0..500).map(|i| format!("band {i}")).collect();
        let bands: Vec<_> =
            names.iter().map(String::as_str).zip(sizes.iter().map(Vec::as_slice)).collect();
        let profile = growing(&bands, 1.0).finish();
        let verdict = Analysis::new(&Slice::whole(&profile), &[]).account;
        assert_eq!(verdict.suspects.len(), 1, "{:?}", verdict.suspects);
        let line = verdict.headline().to_string();
        assert!(line.contains("all bands together grew by"), "{line}");
    }
}
