//! The figures of a run, with which later runs are compared: a small file, meant to be committed.
//!
//! It has no date, no host and no command line, and the same run gives the same bytes.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::{Analysis, Leak, Metric};
use crate::slice::Slice;

/// The figures of an earlier run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Baseline {
    format: String,
    breakdown: String,
    clock: String,
    /// Which part of the run, which bands and which grouping were asked for, and what may grow; `None` for all.
    view: Option<String>,
    /// The figures of the heap by their names; the shape is its number in [`super::Shape::ALL`].
    metrics: BTreeMap<String, f64>,
}

/// The name of the format with its version: another one has other fields.
const FORMAT: &str = "heapviz-baseline-3";

/// Why a baseline cannot be used, and the way out.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum BaselineError {
    /// The text is not a baseline.
    #[error("it is not a baseline of heapviz: {0}")]
    NotOne(String),
    /// The baseline belongs to another kind of run.
    #[error("the run of the baseline had the {what} `{was}`, this run has `{is}`")]
    Other {
        what: &'static str,
        /// What the baseline says.
        was: String,
        /// What the run says.
        is: String,
    },
    /// The run that was to become a baseline cannot be judged.
    #[error("this run cannot be judged ({0}), so nothing could be compared with it")]
    Unjudged(String),
}

impl BaselineError {
    pub fn hint(&self) -> &'static str {
        match self {
            BaselineError::NotOne(_) => "write it again with --write-baseline",
            BaselineError::Other { .. } => {
                "give the flags of that run, or write the baseline again with --write-baseline"
            }
            BaselineError::Unjudged(_) => {
                "let it run longer, or with a shorter -i, for 30 samples or more"
            }
        }
    }
}

fn id(value: impl Serialize) -> String {
    serde_json::to_value(value).ok().and_then(|v| v.as_str().map(str::to_owned)).unwrap_or_default()
}

impl Baseline {
    /// The baseline of a run. `view` describes the part of it that was analysed, and how.
    ///
    /// # Errors
    ///
    /// [`BaselineError::Unjudged`] when there are too few samples to say what it does.
    pub fn new(
        slice: &Slice<'_>,
        analysis: &Analysis,
        view: Option<String>,
    ) -> Result<Self, BaselineError> {
        let account = &analysis.account;
        if account.leak == Leak::Unknown {
            return Err(BaselineError::Unjudged(account.headline().to_string()));
        }
        let figures = Metric::ALL.into_iter().filter(|figure| *figure != Metric::Leak);
        let metrics = figures.filter_map(|figure| {
            Some((figure.name().to_owned(), figure.of_heap(slice, analysis)?))
        });
        Ok(Baseline {
            format: FORMAT.to_owned(),
            breakdown: id(slice.breakdown()),
            clock: id(slice.clock()),
            view,
            metrics: metrics.collect(),
        })
    }

    /// Reads a baseline.
    ///
    /// # Errors
    /// [`BaselineError::NotOne`].
    pub fn read(text: &str) -> Result<Self, BaselineError> {
        let baseline: Baseline =
            serde_json::from_str(text).map_err(|error| BaselineError::NotOne(error.to_string()))?;
        if baseline.format != FORMAT {
            return Err(BaselineError::NotOne(format!("its format is `{}`", baseline.format)));
        }
        Ok(baseline)
    }

    pub fn text(&self) -> String {
        let mut text = serde_json::to_string_pretty(self).expect("plain data");
        text.push('\n');
        text
    }

    /// Whether a run can be compared with it.
    ///
    /// # Errors [`BaselineError::Other`] when it has another break-down, another clock or another
    /// view.
    pub fn fits(&self, slice: &Slice<'_>, view: Option<&str>) -> Result<(), BaselineError> {
        let all = |view: Option<&str>| view.unwrap_or("the complete run").to_owned();
        let pairs = [
            ("break-down", self.breakdown.clone(), id(slice.breakdown())),
            ("clock", self.clock.clone(), id(slice.clock())),
            ("view", all(self.view.as_deref()), all(view)),
        ];
        match pairs.into_iter().find(|(_, was, is)| was != is) {
            Some((what, was, is)) => Err(BaselineError::Other { what, was, is }),
            None => Ok(()),
        }
    }

    /// The earlier value of a metric.
    pub fn get(&self, figure: Metric) -> Option<f64> {
        self.metrics.get(figure.name()).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::testing::{Curve, curves, profile};
    use crate::base::pattern::Pattern;
    use crate::profile::Profile;

    /// A run of twenty samples in 20 s, in which each of some bands has two sizes in turn.
    fn level(bands: &[(&str, u64, u64)]) -> Profile {
        let of = |i: u64| bands.iter().map(move |band| (band.0, [band.1, band.2][i as usize % 2]));
        let samples: Vec<Vec<_>> = (0..20).map(|i| of(i).collect()).collect();
        let at = |(i, bands)| (i as f64, bands);
        let samples: Vec<_> = samples.iter().map(|it| &it[..]).enumerate().map(at).collect();
        profile(&samples)
    }

    #[test]
    fn a_baseline_survives_a_round_trip_and_refuses_other_kinds_of_runs() {
        let run = level(&[("a", 1000, 1002), ("b", 2000, 2004)]);
        let slice = Slice::whole(&run);
        let analysis = Analysis::new(&slice, &[]);
        let written = Baseline::new(&slice, &analysis, None).expect("no leak").text();
        let baseline = Baseline::read(&written).expect("a baseline");
        assert_eq!(baseline.text(), written);
        // To the last digit: "not more than before" is a budget.
        let large = written.replacen("3006.0", "1.8444744073709554e+19", 1);
        assert_eq!(Baseline::read(&large).expect("a baseline").text(), large);
        let get = |figure| baseline.get(figure);
        assert_eq!((get(Metric::Peak), get(Metric::Mean)), (Some(3006.0), Some(3003.0)));
        assert_eq!(get(Metric::Live), None);
        assert!(baseline.fits(&slice, None).is_ok());
        assert!(baseline.fits(&slice, Some("from 1 s")).is_err());
        let older = written.replace(FORMAT, "heapviz-baseline");
        assert!(Baseline::read(&older).unwrap_err().to_string().contains("its format is"));
        assert!(matches!(Baseline::read("{}"), Err(BaselineError::NotOne(_))));
    }

    #[test]
    fn a_run_that_cannot_be_judged_is_no_baseline() {
        let run = profile(&[(0.0, &[("a", 10)]), (2.0, &[("a", 30)])]);
        let slice = Slice::whole(&run);
        let refused = Baseline::new(&slice, &Analysis::new(&slice, &[]), None);
        assert!(matches!(refused, Err(BaselineError::Unjudged(_))), "{refused:?}");
    }

    #[test]
    fn what_grows_by_design_is_no_suspect() {
        let line = |rate: f64| move |i: f64| 1e5 + rate * i;
        let bands: [(&str, Curve<'_>); 3] =
            [("a", &line(2e4)), ("b", &line(1e4)), ("c", &line(0.0))];
        let run = curves(60, &bands).finish();
        let slice = Slice::whole(&run);
        let accepting = |patterns: &[&str]| {
            let patterns: Vec<Pattern> =
                patterns.iter().map(|text| text.parse().expect("a pattern")).collect();
            Analysis::new(&slice, &patterns)
        };
        let seen = |patterns: &[&str]| {
            let account = accepting(patterns).account;
            let suspects = account.suspects.iter();
            let shares = suspects.map(|suspect| suspect.share_percent.round()).collect::<Vec<_>>();
            (account.leak, account.rate().round(), shares)
        };
        assert_eq!(seen(&[]), (Leak::Likely, 3e4, vec![67.0, 33.0]));
        assert_eq!(seen(&["c"]), seen(&[]));
        assert_eq!(seen(&["c", "a"]), (Leak::Likely, 1e4, vec![100.0]));
        assert_eq!(seen(&["a", "b"]), (Leak::None, 0.0, vec![]));
        let headline = accepting(&["a", "b"]).account.headline().to_string();
        let says = "no leak: a grew by 1.13 MiB since the start (accepted)";
        assert_eq!(headline, says);
        let left = accepting(&["a"]).account;
        assert_eq!(left.grew, left.suspects[0].grew());
    }
}
