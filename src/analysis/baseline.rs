//! The figures of a run, with which later runs are compared: a small file, meant to be committed.
//!
//! It has no date, no host and no command line, and the same run gives the same bytes.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::budget::Subject;
use super::{Analysis, Leak, Metric};
use crate::base::pattern::Pattern;
use crate::slice::{Merger, Slice};

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
    /// The figures of the heap by their names; the shape is its number in [`super::Shape::ALL`].
    metrics: BTreeMap<String, f64>,
    /// The figures of bands, by their labels.
    bands: BTreeMap<String, BTreeMap<String, f64>>,
    accepted: Vec<String>,
}

const FORMAT: &str = "heapviz-baseline";
const VERSION: u32 = 2;

/// Why a baseline cannot be used, and the way out.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum BaselineError {
    /// The text is not a baseline.
    #[error("it is not a baseline of heapviz: {0}")]
    NotOne(String),
    /// The baseline was written in another version of the format.
    #[error("it is a baseline of version {0}, and this heapviz reads version {VERSION}")]
    Version(u32),
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
            BaselineError::NotOne(_) | BaselineError::Version(_) => {
                "write it again with --write-baseline"
            }
            BaselineError::Other { .. } => {
                "profile with the flags of that run, or write the baseline again with --write-baseline"
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
        accepted: &[Pattern],
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
            version: VERSION,
            breakdown: id(slice.breakdown()),
            clock: id(slice.clock()),
            ghc: slice.metadata().ghc_version().map(str::to_owned),
            view,
            metrics: metrics.collect(),
            bands: bands(slice, analysis),
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
        let name = subject.figure.name();
        let Some(pattern) = &subject.band else {
            return self.metrics.get(name).copied();
        };
        let found: Vec<&BTreeMap<String, f64>> = self
            .bands
            .iter()
            .filter(|(label, _)| pattern.matches(label))
            .map(|(_, band)| band)
            .collect();
        match (subject.figure, &found[..]) {
            (_, [one]) => one.get(name).copied(),
            // Only means add up.
            (Metric::Mean, _) => found.iter().map(|band| band.get(name)).sum(),
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

/// The figures of the bands that are more than a thousandth of the heap, by their labels: the same that a budget
/// measures. Smaller ones are noise.
fn bands(slice: &Slice<'_>, analysis: &Analysis) -> BTreeMap<String, BTreeMap<String, f64>> {
    let most = analysis.figures.heap.mean as f64;
    let mut places: BTreeMap<&str, usize> = BTreeMap::new();
    let mut place_of: Vec<Option<usize>> = vec![None; slice.rows().len()];
    let selected = || slice.rows().filter(|&row| slice.is_selected(row));
    for row in selected() {
        if analysis.figures.bands[row.index()].mean >= 0.001 * most {
            let next = places.len();
            places.entry(slice.label(row)).or_insert(next);
        }
    }
    // Bands of one label that are smaller are measured with it, too.
    for row in selected() {
        place_of[row.index()] = places.get(slice.label(row)).copied();
    }
    let mut totals = vec![vec![0u128; slice.len()]; places.len()];
    let mut merger = Merger::new(slice);
    for sample in 0..slice.len() {
        for (row, size) in merger.sample(sample) {
            if let Some(total) = place_of[row.index()].map(|place| &mut totals[place]) {
                total[sample] += u128::from(size.get());
            }
        }
    }
    let figures = |total: &[u128]| {
        let of_bands = Metric::ALL.into_iter().filter(|figure| figure.is_of_bands());
        let one = |figure: Metric| {
            Some((figure.name().to_owned(), figure.of_curve(slice, analysis, total)?))
        };
        of_bands.filter_map(one).collect()
    };
    places.into_iter().map(|(label, place)| (label.to_owned(), figures(&totals[place]))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::testing::{Curve, curves, profile};
    use crate::base::units::{Bytes, Nanos};
    use crate::profile::{BandKeyRef, CostCentre, Profile, ProfileBuilder, Source};

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
        let written = Baseline::new(&slice, &analysis, &[], None).expect("no leak").text();
        let baseline = Baseline::read(&written).expect("a baseline");
        assert_eq!(baseline.text(), written);
        // To the last digit: "not more than before" is a budget.
        let large = written.replacen("3006.0", "1.8444744073709554e+19", 1);
        assert_eq!(Baseline::read(&large).expect("a baseline").text(), large);
        let subject = |text: &str| {
            format!("{text} > 0").parse::<crate::analysis::budget::Budget>().expect("a budget")
        };
        let get = |text: &str| baseline.get(subject(text).subject());
        assert_eq!((get("peak"), get("mean")), (Some(3006.0), Some(3003.0)));
        assert_eq!((get("band(\"a\").peak"), get("band(\".\").peak")), (Some(1002.0), None));
        assert_eq!(get("band(\".\").mean"), Some(3003.0));
        assert!(baseline.fits(&slice, None).is_ok());
        assert!(baseline.fits(&slice, Some("from 1 s")).is_err());
        assert_eq!(
            Baseline::read(&written.replace("\"version\": 2", "\"version\": 1")),
            Err(BaselineError::Version(1))
        );
        assert!(matches!(Baseline::read("{}"), Err(BaselineError::NotOne(_))));
    }

    #[test]
    fn a_run_that_cannot_be_judged_is_no_baseline() {
        let run = profile(&[(0.0, &[("a", 10)]), (2.0, &[("a", 30)])]);
        let slice = Slice::whole(&run);
        let refused = Baseline::new(&slice, &Analysis::new(&slice, &[]), &[], None);
        assert!(matches!(refused, Err(BaselineError::Unjudged(_))), "{refused:?}");
    }

    /// The end of a band is the median of its last samples, as the end of the heap is.
    #[test]
    fn a_band_is_what_its_own_baseline_says() {
        let falls = |i| if i < 99.0 { 1e7 } else { 2e6 };
        let run = curves(100, &[("A", &falls), ("B", &|_| 3e6)]).finish();
        let slice = Slice::whole(&run);
        let analysis = Analysis::new(&slice, &[]);
        let baseline = Baseline::new(&slice, &analysis, &[], None).expect("no leak");
        for figure in ["peak", "p99", "mean", "final"] {
            let text = format!("band(\"^A$\").{figure} != baseline");
            let budget: crate::analysis::budget::Budget = text.parse().expect("a budget");
            let found = budget.check(&slice, &analysis, |subject| baseline.get(subject));
            assert_eq!(found.measured, found.limit, "{figure}");
        }
    }

    #[test]
    fn another_compiler_is_named() {
        let of = |rts: Option<&str>| {
            let mut run = level(&[("a", 1000, 1002)]);
            run.metadata.rts = rts.map(str::to_owned);
            run
        };
        let old = of(Some("GHC-9.6.1 rts_p"));
        let slice = Slice::whole(&old);
        let baseline =
            Baseline::new(&slice, &Analysis::new(&slice, &[]), &[], None).expect("no leak");
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
        for time in 0..20 {
            for (id, bytes) in [(1, 1000), (2, 2000)] {
                let band = builder.band(BandKeyRef::Stack(&[id])).expect("few bands");
                builder.point(band, Bytes::new(bytes));
            }
            builder.seal_sample(Nanos::from_nanos(time));
        }
        let run = builder.finish();
        let slice = Slice::whole(&run);
        let baseline =
            Baseline::new(&slice, &Analysis::new(&slice, &[]), &[], None).expect("no leak");
        let bands: Vec<Vec<f64>> =
            baseline.bands.values().map(|band| band.values().copied().collect()).collect();
        assert_eq!(bands, [[3000.0, 0.0, 3000.0, 3000.0, 3000.0, 3000.0]]);
    }

    #[test]
    fn bands_below_a_thousandth_of_the_heap_are_left_out() {
        let run = level(&[("most", 999_000, 999_000), ("some", 1001, 1001), ("few", 998, 998)]);
        let slice = Slice::whole(&run);
        let baseline =
            Baseline::new(&slice, &Analysis::new(&slice, &[]), &[], None).expect("no leak");
        assert_eq!(baseline.bands.keys().collect::<Vec<_>>(), ["most", "some"]);
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
