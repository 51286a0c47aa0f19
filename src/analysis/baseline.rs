//! The figures of a run, with which later runs are compared: a small file, meant to be committed.
//!
//! It has no date, no host and no command line, and the same run gives the same bytes.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::budget::{Metric, Subject, measure};
use super::{Analysis, Headline, Leak, Remark, Rows, Suspect};
use crate::base::pattern::Pattern;
use crate::slice::Slice;

/// The figures of an earlier run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Baseline {
    format: String,
    version: u32,
    breakdown: String,
    clock: String,
    ghc: Option<String>,
    /// Which part of the run, which bands and which grouping were asked for; `None` for all.
    view: Option<String>,
    metrics: BTreeMap<String, f64>,
    bands: BTreeMap<String, BandBaseline>,
    accepted: Vec<String>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
struct BandBaseline {
    peak: f64,
    mean: f64,
    r#final: f64,
}

const FORMAT: &str = "heapviz-baseline";
const VERSION: u32 = 1;

/// Why a baseline cannot be used, and the way out.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum BaselineError {
    /// The text is not a baseline.
    #[error("it is not a baseline of heapviz: {0}")]
    NotOne(String),
    /// It was written in another version of the format.
    #[error("it is a baseline of version {0}, and this heapviz reads version {VERSION}")]
    Version(u32),
    /// It belongs to another kind of run.
    #[error("the run of the baseline had the {what} `{was}`, this run has `{is}`")]
    Other {
        what: &'static str,
        /// Its value in the baseline.
        was: String,
        /// Its value in the run.
        is: String,
    },
    /// The run that was to become a baseline leaks.
    #[error("this run grows ({0}), and every later run would be compared with it")]
    Leaks(String),
}

impl BaselineError {
    pub fn hint(&self) -> &'static str {
        match self {
            BaselineError::NotOne(_) | BaselineError::Version(_) => {
                "write it again with --write-baseline"
            }
            BaselineError::Other { .. } => {
                "profile with the flags of that run, or write the baseline again with --write-baseline"
            }
            BaselineError::Leaks(_) => "--accept REGEX names bands that grow by design",
        }
    }
}

fn id(value: impl Serialize) -> String {
    serde_json::to_value(value).ok().and_then(|v| v.as_str().map(str::to_owned)).unwrap_or_default()
}

impl Baseline {
    /// The baseline of a run. `view` describes the part of it that was analysed, and how.
    ///
    /// # Errors [`BaselineError::Leaks`] when bands that are not accepted grow to the end of the
    /// run; `analysis` comes from [`Analysis::accepting`].
    pub fn of(
        slice: &Slice<'_>,
        analysis: &Analysis,
        accepted: &[Pattern],
        view: Option<String>,
    ) -> Result<Self, BaselineError> {
        if analysis.verdict.leak >= Leak::Possible {
            let labels = analysis.verdict.suspects.iter().take(3).map(|s| s.label.as_str());
            return Err(BaselineError::Leaks(labels.collect::<Vec<_>>().join(", ")));
        }
        let metrics = Metric::ALL.into_iter().filter(|(_, metric)| *metric != Metric::Leak);
        let metrics = metrics.filter_map(|(name, metric)| {
            let value = measure(&Subject { metric, band: None }, slice, analysis)?;
            Some((name.to_owned(), value))
        });
        let rows = Rows::of(slice);
        let mut bands: BTreeMap<String, BandBaseline> = BTreeMap::new();
        let most = analysis.figures.heap.mean as f64;
        for (row, figures) in analysis.figures.bands.iter().enumerate() {
            // Bands below a 1000th of the heap are noise.
            if rows.takes_part(row) && figures.mean >= 0.001 * most {
                let band = bands.entry(rows.label(row).to_owned()).or_default();
                band.peak += figures.peak as f64;
                band.mean += figures.mean.round();
                band.r#final += figures.last as f64;
            }
        }
        Ok(Baseline {
            format: FORMAT.to_owned(),
            version: VERSION,
            breakdown: id(slice.breakdown()),
            clock: id(slice.clock()),
            ghc: slice.metadata().ghc_version().map(str::to_owned),
            view,
            metrics: metrics.collect(),
            bands,
            accepted: accepted.iter().map(|pattern| pattern.as_str().to_owned()).collect(),
        })
    }

    /// Reads a baseline.
    ///
    /// # Errors
    /// [`BaselineError::NotOne`] and [`BaselineError::Version`].
    pub fn read(text: &str) -> Result<Self, BaselineError> {
        #[derive(Deserialize)]
        struct Head {
            format: String,
            version: u32,
        }
        let not_one = |error: serde_json::Error| BaselineError::NotOne(error.to_string());
        let head: Head = serde_json::from_str(text).map_err(not_one)?;
        if head.format != FORMAT {
            return Err(BaselineError::NotOne(format!("its format is `{}`", head.format)));
        }
        if head.version != VERSION {
            return Err(BaselineError::Version(head.version));
        }
        serde_json::from_str(text).map_err(not_one)
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

    /// The compiler of the baseline's run, if it is not that of this run.
    pub fn other_ghc(&self, slice: &Slice<'_>) -> Option<&str> {
        let is = slice.metadata().ghc_version();
        self.ghc.as_deref().filter(|was| is.is_some_and(|is| is != *was))
    }

    /// The earlier value of a metric. For several bands together only sums are known, and no peak.
    pub fn get(&self, subject: &Subject) -> Option<f64> {
        let Some(pattern) = &subject.band else {
            return self.metrics.get(subject.metric.name()).copied();
        };
        let found: Vec<&BandBaseline> = self
            .bands
            .iter()
            .filter(|(label, _)| pattern.matches(label))
            .map(|(_, band)| band)
            .collect();
        match (subject.metric, &found[..]) {
            (Metric::Peak, [one]) => Some(one.peak),
            (Metric::Mean, _) => Some(found.iter().map(|band| band.mean).sum()),
            (Metric::Final, _) => Some(found.iter().map(|band| band.r#final).sum()),
            _ => None,
        }
    }

    /// The bands that grow by design.
    ///
    /// # Errors [`BaselineError::NotOne`] if one is not a regular expression.
    pub fn accepted(&self) -> Result<Vec<Pattern>, BaselineError> {
        let pattern = |text: &String| {
            text.parse().map_err(|error: crate::base::pattern::PatternError| {
                BaselineError::NotOne(error.to_string())
            })
        };
        self.accepted.iter().map(pattern).collect()
    }
}

impl Analysis {
    /// The analysis without the suspects that are known to grow by design.
    #[must_use]
    pub fn accepting(mut self, accepted: &[Pattern]) -> Self {
        let verdict = &mut self.verdict;
        let is_accepted = |label: &str| accepted.iter().any(|pattern| pattern.matches(label));
        let (known, suspects): (Vec<Suspect>, _) =
            verdict.suspects.drain(..).partition(|suspect| is_accepted(&suspect.label));
        verdict.suspects = suspects;
        if known.is_empty() {
            return self;
        }
        verdict.remarks.retain(|remark| match remark {
            Remark::NamedSuspect { label } | Remark::WithoutOwner { label, .. } => {
                !is_accepted(label)
            }
            Remark::OutsideBands { .. }
            | Remark::MoreThanTheHeap { .. }
            | Remark::Sampling(_)
            | Remark::ErasEnd => true,
        });
        verdict.growing -= known.len().min(verdict.growing);
        verdict.grew = verdict.suspects.iter().map(|suspect| suspect.grew).sum();
        verdict.rate = verdict.suspects.iter().map(|suspect| suspect.rate).sum();
        for suspect in &mut verdict.suspects {
            suspect.share_percent = 100.0 * suspect.grew as f64 / verdict.grew.max(1) as f64;
        }
        if verdict.suspects.is_empty() {
            verdict.headline = Headline::Accepted(known);
            verdict.leak = Leak::None;
            verdict.growing = 0;
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::testing::{grown, profile};
    use crate::base::units::UnitSystem;
    use crate::base::units::{Bytes, Nanos};
    use crate::profile::{BandKeyRef, CostCentre, ProfileBuilder, Source};

    #[test]
    fn a_baseline_survives_a_round_trip_and_refuses_other_kinds_of_runs() {
        let run = profile(&[(0.0, &[("a", 10), ("b", 20)]), (2.0, &[("a", 30), ("b", 40)])]);
        let slice = Slice::whole(&run);
        let analysis = Analysis::of(&slice);
        let written = Baseline::of(&slice, &analysis, &[], None).expect("no leak").text();
        let baseline = Baseline::read(&written).expect("a baseline");
        assert_eq!(baseline.text(), written);
        // To the last digit: "not more than before" is a budget.
        let large = written.replacen("70.0", "1.8444744073709554e+19", 1);
        assert_eq!(Baseline::read(&large).expect("a baseline").text(), large);
        let subject = |text: &str| {
            format!("{text} > 0").parse::<crate::analysis::budget::Budget>().expect("a budget")
        };
        let get = |text: &str| baseline.get(subject(text).subject());
        assert_eq!((get("peak"), get("mean")), (Some(70.0), Some(50.0)));
        assert_eq!((get("band(\"a\").peak"), get("band(\".\").peak")), (Some(30.0), None));
        assert_eq!(get("band(\".\").mean"), Some(50.0));
        assert!(baseline.fits(&slice, None).is_ok());
        assert!(baseline.fits(&slice, Some("from 1 s")).is_err());
        assert_eq!(
            Baseline::read(&written.replace("\"version\": 1", "\"version\": 2")),
            Err(BaselineError::Version(2))
        );
        assert!(matches!(Baseline::read("{}"), Err(BaselineError::NotOne(_))));
    }

    #[test]
    fn another_compiler_is_named() {
        let of = |rts: Option<&str>| {
            let mut run = profile(&[(0.0, &[("a", 10)]), (2.0, &[("a", 30)])]);
            run.metadata.rts = rts.map(str::to_owned);
            run
        };
        let old = of(Some("GHC-9.6.1 rts_p"));
        let slice = Slice::whole(&old);
        let baseline = Baseline::of(&slice, &Analysis::of(&slice), &[], None).expect("no leak");
        let other = |rts| baseline.other_ghc(&Slice::whole(&of(rts))).map(str::to_owned);
        assert_eq!(other(Some("GHC-9.8.2 rts_p")), Some("9.6.1".to_owned()));
        assert_eq!((other(Some("GHC-9.6.1 rts_thr_p")), other(None)), (None, None));
    }

    /// Two cost centres of one name, for example of local functions.
    #[test]
    fn bands_of_one_label_are_added_up() {
        let mut builder = ProfileBuilder::new(Source::Eventlog);
        for id in [1, 2] {
            builder.define_cost_centre(id, CostCentre::new("f", "Main", "M.hs:1:1"));
        }
        for time in [0, 1] {
            for (id, bytes) in [(1, 1000), (2, 2000)] {
                let band = builder.band(BandKeyRef::Stack(&[id])).expect("few bands");
                builder.point(band, Bytes::new(bytes));
            }
            builder.seal_sample(Nanos::from_nanos(time));
        }
        let run = builder.finish();
        let slice = Slice::whole(&run);
        let baseline = Baseline::of(&slice, &Analysis::of(&slice), &[], None).expect("no leak");
        let figures = |band: &BandBaseline| [band.peak, band.mean, band.r#final];
        let bands: Vec<[f64; 3]> = baseline.bands.values().map(figures).collect();
        assert_eq!(bands, [[3000.0; 3]]);
    }

    #[test]
    fn bands_below_a_thousandth_of_the_heap_are_left_out() {
        let run = profile(&[(0.0, &[("most", 999_000), ("some", 1001), ("few", 998)])]);
        let slice = Slice::whole(&run);
        let baseline = Baseline::of(&slice, &Analysis::of(&slice), &[], None).expect("no leak");
        assert_eq!(baseline.bands.keys().collect::<Vec<_>>(), ["most", "some"]);
    }

    #[test]
    fn what_grows_by_design_is_no_suspect() {
        let line = |rate: f64| -> Vec<f64> { (0..60).map(|i| 1e5 + rate * f64::from(i)).collect() };
        let run = grown(&[("a", &line(2e4)), ("b", &line(1e4)), ("c", &line(0.0))], 1.0);
        let slice = Slice::whole(&run);
        let accepting = |patterns: &[&str]| {
            let patterns: Vec<Pattern> =
                patterns.iter().map(|text| text.parse().expect("a pattern")).collect();
            Analysis::of(&slice).accepting(&patterns)
        };
        let seen = |patterns: &[&str]| {
            let verdict = accepting(patterns).verdict;
            let suspects = verdict.suspects.iter();
            let shares = suspects.map(|suspect| suspect.share_percent.round()).collect::<Vec<_>>();
            (verdict.leak, verdict.growing, verdict.rate.round(), shares)
        };
        assert_eq!(seen(&[]), (Leak::Likely, 2, 3e4, vec![67.0, 33.0]));
        assert_eq!(seen(&["c"]), seen(&[]));
        assert_eq!(seen(&["c", "a"]), (Leak::Likely, 1, 1e4, vec![100.0]));
        assert_eq!(seen(&["a", "b"]), (Leak::None, 0, 0.0, vec![]));
        let headline = accepting(&["a", "b"]).verdict.headline(UnitSystem::Binary, &|_| None);
        assert_eq!(headline, "no leak: all that grows is accepted: a +1.13 MiB, b +576 KiB");
        let left = accepting(&["a"]).verdict;
        assert_eq!(left.grew, left.suspects[0].grew);
        let leaks = |patterns: &[&str]| Baseline::of(&slice, &accepting(patterns), &[], None).err();
        assert_eq!(leaks(&["b"]), Some(BaselineError::Leaks("a".to_owned())));
        assert_eq!(leaks(&["a|b"]), None);
    }
}
