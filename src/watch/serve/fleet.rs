//! The sources that are served. Each has its own name, reading thread and engine, so that a source
//! that dies, stalls or sends damaged data does not disturb the others. The figures that were last
//! made are kept with it.
//!
//! Figures are made when a client asks, one source after the other, and only for sources that have
//! changed. A pause follows, so that this takes less than one processor however often clients ask.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant, SystemTime};

use hyper::StatusCode;

use super::figures::{BandSeries, Figures};
use super::openmetrics::{Dialect, SourceMetrics, write};
use crate::base::units::Nanos;
use crate::cli::args::stacks::{At, StackChoice};
use crate::cli::formats::Format;
use crate::cli::stacks::Trees;
use crate::cli::write::Document;
use crate::export::pprof;
use crate::run::{Run, RunOptions};
use crate::slice::Bound;
use crate::tree::{Instant as HeapInstant, Weight};
use crate::watch::shared::{Shared, locked};

/// How long an answer may make figures, before it is sent with the former ones of the other sources.
const MOST_WORK: Duration = Duration::from_secs(3);
/// The ratio of rest to making figures: they take a third of one processor.
const REST: u32 = 2;
/// The longest rest: a machine with other work takes longer for the same figures.
const LONGEST_REST: Duration = Duration::from_secs(2);

pub struct ServedSource {
    pub name: String,
    /// What was read from it.
    pub shared: Arc<Shared>,
    derived: Mutex<Derived>,
}

/// What was made of a source.
struct Derived {
    figures: Option<Figures>,
    shown: BandSeries,
    /// When the newest sample of the figures arrived.
    sampled: Option<Instant>,
    /// The number of changes of the source that the figures contain.
    changes: u64,
}

impl ServedSource {
    /// Makes its figures again if it has changed.
    fn refresh(&self, options: &RunOptions) {
        let mut derived = locked(&self.derived);
        let (profile, generation, sampled) = {
            let state = self.shared.state();
            if state.changes() == derived.changes {
                return;
            }
            derived.changes = state.changes();
            (state.engine.profile(), state.engine.generation(), state.sampled)
        };
        let Some(profile) = profile else { return };
        // A window can begin with a marker that has not arrived yet.
        if let Ok(run) = Run::of(&profile, options) {
            derived.figures = Some(Figures::of(&run, generation, &mut derived.shown));
            derived.sampled = sampled;
        }
    }
}

/// With which status a request is refused, and why.
pub type Refusal = (StatusCode, String);

/// All sources that are served, and how they are shown.
pub struct Fleet {
    options: RunOptions,
    sources: Mutex<Vec<Arc<ServedSource>>>,
    /// When figures may be made again. Whoever makes something of a source holds this.
    due: Mutex<Instant>,
}

/// What a profile is asked for.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Wanted {
    /// The name of its source; not needed if there is only one.
    pub source: Option<String>,
    /// The instant, as for `--at`. Without one, the newest sample.
    pub at: Option<At>,
    /// Only what was added in this many seconds before the newest sample.
    pub seconds: Option<f64>,
}

impl Fleet {
    pub fn new(options: RunOptions) -> Fleet {
        Fleet { options, sources: Mutex::default(), due: Mutex::new(Instant::now()) }
    }

    fn sources(&self) -> Vec<Arc<ServedSource>> {
        locked(&self.sources).clone()
    }

    /// Adds a source that is being read.
    pub fn add(&self, name: String, shared: Arc<Shared>) -> Arc<ServedSource> {
        let limit = self.options.rank.band_limit;
        let derived = Derived {
            figures: None,
            shown: BandSeries::new(limit.map(|limit| limit.get())),
            sampled: None,
            changes: 0,
        };
        let member = Arc::new(ServedSource { name, shared, derived: Mutex::new(derived) });
        locked(&self.sources).push(Arc::clone(&member));
        member
    }

    /// Removes a source; its series end.
    pub fn remove(&self, name: &str) {
        locked(&self.sources).retain(|source| source.name != name);
    }

    /// The text for engines of metrics.
    pub fn metrics(&self, dialect: Dialect) -> String {
        let sources = self.sources();
        let mut due = locked(&self.due);
        let began = Instant::now();
        if began >= *due {
            // Those that were left out by the last answer come first now.
            let mut order: Vec<&Arc<ServedSource>> = sources.iter().collect();
            order.sort_by_key(|source| locked(&source.derived).sampled);
            for source in order {
                if began.elapsed() > MOST_WORK {
                    break;
                }
                source.refresh(&self.options);
            }
            let rest = (began.elapsed() * REST).min(LONGEST_REST);
            *due = Instant::now() + rest;
        }
        drop(due);
        let derived: Vec<_> = sources.iter().map(|source| locked(&source.derived)).collect();
        let seen: Vec<SourceMetrics<'_>> = sources
            .iter()
            .zip(&derived)
            .map(|(source, derived)| {
                let state = source.shared.state();
                let (kept, thinned) = state.engine.samples();
                SourceMetrics {
                    name: &source.name,
                    up: state.is_read(),
                    age: derived.sampled.map(|at| at.elapsed().as_secs_f64()),
                    samples: (kept + thinned) as u64,
                    figures: derived.figures.as_ref(),
                }
            })
            .collect();
        write(&seen, dialect)
    }

    /// The live heap of a source as a profile for pprof.
    ///
    /// # Errors
    /// A source or an instant that there is not (404), or not yet (503).
    pub fn profile(&self, wanted: &Wanted) -> Result<Vec<u8>, Refusal> {
        const NEVER: StatusCode = StatusCode::NOT_FOUND;
        const NOT_YET: StatusCode = StatusCode::SERVICE_UNAVAILABLE;
        let source = self.source(wanted.source.as_deref()).map_err(|why| (NEVER, why))?;
        // One at a time, as with figures.
        let _working = locked(&self.due);
        let (profile, sampled) = {
            let state = source.shared.state();
            (state.engine.profile(), state.sampled)
        };
        let nothing = || (NOT_YET, format!("{}: no sample yet", source.name));
        let profile = profile.ok_or_else(nothing)?;
        let run = Run::of(&profile, &self.options).map_err(|_| nothing())?;
        let slice = run.slice();
        let last = slice.len().checked_sub(1).ok_or_else(nothing)?;
        let at = match (&wanted.at, wanted.seconds) {
            (Some(_), Some(_)) => {
                let text = "give either `at` or `seconds`: seconds=N is the difference to the newest sample";
                return Err((NEVER, text.to_owned()));
            }
            (Some(at), None) => at.clone(),
            (None, None) => At::One(HeapInstant::Last),
            (None, Some(seconds)) => {
                let Some(until) = slice.when(last) else {
                    let text = "the samples have no times: `seconds` cannot be counted";
                    return Err((NEVER, text.to_owned()));
                };
                let before = until.since(Nanos::from_nanos((seconds * 1e9) as i64));
                At::Difference(HeapInstant::At(Bound::Time(before)), HeapInstant::Last)
            }
        };
        let choice = StackChoice {
            instants: vec![at],
            weight: Some(Weight::Live),
            ..StackChoice::default()
        };
        // Between two samples nothing may have changed, and the last of a `.hp` is empty.
        let status = if wanted.at.is_some() { NEVER } else { NOT_YET };
        let trees = Trees::of(&choice, &run, Format::Pprof)
            .map_err(|failure| (status, failure.words().to_owned()))?;
        // Only the newest sample was taken when it arrived.
        let arrived = sampled.filter(|_| wanted.at.is_none()).and_then(|at| {
            let taken = SystemTime::now().checked_sub(at.elapsed())?;
            let since = taken.duration_since(SystemTime::UNIX_EPOCH).ok()?;
            u64::try_from(since.as_nanos()).ok()
        });
        let (_, instants) = trees.stacks().ok_or_else(nothing)?;
        Ok(pprof::write(&instants[0].1, arrived))
    }

    fn source(&self, name: Option<&str>) -> Result<Arc<ServedSource>, String> {
        let sources = self.sources();
        match (name, &sources[..]) {
            (None, [only]) => Ok(Arc::clone(only)),
            (None, _) => {
                let some = sources.first().map_or("NAME", |source| &source.name);
                Err(format!("there are {} sources: name one with ?source={some}", sources.len()))
            }
            (Some(name), _) => {
                let found = sources.iter().find(|source| source.name == name);
                found.cloned().ok_or_else(|| format!("there is no source `{name}`"))
            }
        }
    }
}
