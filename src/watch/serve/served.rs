//! The source that is served, and the figures and profiles that were last made of it.
//!
//! Figures are made when a client asks, and only if the source has changed. A pause follows, so that
//! this takes less than one processor however often clients ask. A profile is made once for each sample. Neither waits
//! for the other, and neither ends the watch if it fails.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant, SystemTime};

use hyper::body::Bytes;

use super::super::{Shared, locked, surviving};
use super::families::{BandSeries, ServedFigures};
use super::metrics_text::{SourceMetrics, write};
use crate::cli::args::StackArgs;
use crate::cli::{Document, Format, Trees};
use crate::export::pprof;
use crate::profile_view::{ProfileView, ViewOptions};
use crate::tree::{Instant as HeapInstant, Weight};

/// The ratio of rest to making figures: they take a third of one processor.
const REST: u32 = 2;
/// The longest rest: a machine with other work takes longer for the same figures.
const LONGEST_REST: Duration = Duration::from_secs(2);

pub struct ServedSource {
    shared: Arc<Shared>,
    options: ViewOptions,
    derived: Mutex<Derived>,
    /// The profile that was made last, and of which sample, as
    /// [`Engine::version`](crate::live::Engine::version) says it.
    profile: Mutex<Option<((usize, u64), Bytes)>>,
}

/// What was made of a source.
struct Derived {
    figures: Option<ServedFigures>,
    shown: BandSeries,
    /// When the newest sample of the figures arrived.
    sampled: Option<Instant>,
    /// The number of changes of the source that the figures contain.
    changes: u64,
    /// When figures may be made again.
    due: Instant,
}

impl ServedSource {
    pub fn new(shared: Arc<Shared>, options: ViewOptions) -> ServedSource {
        let limit = options.rank.band_limit;
        let derived = Mutex::new(Derived {
            figures: None,
            shown: BandSeries::new(limit.map(|limit| limit.get())),
            sampled: None,
            changes: 0,
            due: Instant::now(),
        });
        ServedSource { shared, options, derived, profile: Mutex::default() }
    }

    /// Makes the figures again if the source has changed.
    fn refresh(&self, derived: &mut Derived) {
        let (profile, generation, sampled) = {
            let state = self.shared.state();
            if state.changes == derived.changes {
                return;
            }
            derived.changes = state.changes;
            (state.profile(), state.engine.generation(), state.sampled)
        };
        let Some(profile) = profile else { return };
        // A window can begin with a marker that has not arrived yet.
        if let Ok(run) = ProfileView::new(&profile, &self.options) {
            derived.figures = Some(ServedFigures::new(&run, generation, &mut derived.shown));
            derived.sampled = sampled;
        }
    }

    /// The text for engines of metrics.
    pub fn metrics(&self) -> String {
        let mut derived = locked(&self.derived);
        let began = Instant::now();
        if began >= derived.due {
            // The former figures stay, and with them their age.
            surviving("figures of the newest sample", || self.refresh(&mut derived));
            let rest = (began.elapsed() * REST).min(LONGEST_REST);
            derived.due = Instant::now() + rest;
        }
        let state = self.shared.state();
        let (kept, thinned) = state.engine.samples();
        let seen = SourceMetrics {
            up: state.is_read(),
            age: derived.sampled.map(|at| at.elapsed().as_secs_f64()),
            samples: (kept + thinned) as u64,
            figures: derived.figures.as_ref(),
        };
        write(&seen)
    }

    /// The profile that was made of the newest sample.
    pub fn made_profile(&self) -> Option<Bytes> {
        let sample = self.shared.state().engine.version();
        let made = locked(&self.profile);
        made.as_ref().filter(|made| made.0 == sample).map(|made| made.1.clone())
    }

    /// The live heap as a profile for pprof; there may be none, because the last sample of a
    /// `.hp` is empty.
    ///
    /// # Errors
    /// There is no sample yet, or nothing in it.
    pub fn make_profile(&self) -> Result<Bytes, String> {
        let (profile, sampled, sample) = {
            let state = self.shared.state();
            (state.profile(), state.sampled, state.engine.version())
        };
        let nothing = || "no sample yet".to_owned();
        let profile = profile.ok_or_else(nothing)?;
        let run = ProfileView::new(&profile, &self.options).map_err(|_| nothing())?;
        if run.slice().is_empty() {
            return Err(nothing());
        }
        let args = StackArgs {
            at: Some(HeapInstant::Last),
            weight: Some(Weight::Live),
            ..StackArgs::default()
        };
        let trees = Trees::new(&args, &run, Format::Pprof)
            .map_err(|failure| failure.parts().0.to_owned())?;
        let arrived = sampled.and_then(|at| {
            let taken = SystemTime::now().checked_sub(at.elapsed())?;
            let since = taken.duration_since(SystemTime::UNIX_EPOCH).ok()?;
            u64::try_from(since.as_nanos()).ok()
        });
        let (_, paths) = trees.stacks().ok_or_else(nothing)?;
        let profile = Bytes::from(pprof::write(paths, arrived));
        *locked(&self.profile) = Some((sample, profile.clone()));
        Ok(profile)
    }
}
