//! The files that are rewritten while a program runs.

use std::process::ExitCode;
use std::time::{Duration, Instant};

use heapviz::chart::Chart;
use heapviz::error::WindowError;
use heapviz::input::{ReadError, drawable};
use heapviz::profile::{Profile, advice};
use heapviz::rank::{RankOptions, Ranking, SortKey, rank};
#[cfg(feature = "web")]
use heapviz::report;
use heapviz::slice::{RowId, Slice, SliceOptions};
use heapviz::units::count;

use super::kind::Origin;
use super::shared::Shared;
use crate::cli::args::voice::Voice;
use crate::cli::failure::Failure;
use crate::cli::look::{Drawn, Look};
use crate::cli::output;
use crate::cli::target::{Input, Output, Target};

/// The least time between two pictures.
const EVERY: Duration = Duration::from_secs(1);
/// The ratio of rest to drawing, so that drawing takes at most a tenth of the time.
const REST: u32 = 9;

/// Files that are rewritten, each complete at every moment.
pub struct Outputs {
    targets: Vec<Target>,
    look: Look,
    rank: RankOptions,
    slice: SliceOptions,
    due: Instant,
    /// How many samples the last picture had, and in which generation.
    drawn: (usize, u64),
    /// The order of the last picture, bottom first.
    order: Vec<RowId>,
    /// The generation of the engine that the order belongs to.
    order_of: u64,
}

impl Outputs {
    /// Outputs that have not been written yet.
    pub fn new(targets: Vec<Target>, look: Look, rank: RankOptions, slice: SliceOptions) -> Self {
        let (due, drawn, order) = (Instant::now(), (0, 0), Vec::new());
        Outputs { targets, look, rank, slice, due, drawn, order, order_of: 0 }
    }

    /// Refuses to write over the source.
    ///
    /// # Errors
    /// An output that is the source.
    pub fn refuse(&self, source: &Origin) -> Result<(), Failure> {
        let input = match source {
            Origin::Stdin => Input::Stdin,
            Origin::Path(path) => Input::File(path.clone()),
            Origin::Tcp(_) => return Ok(()),
        };
        for target in &self.targets {
            output::refuse_inputs(&target.output, [&input])?;
        }
        Ok(())
    }

    /// Writes new data, if it is time to. Returns what could not be written.
    pub fn write_when_due(&mut self, shared: &Shared) -> Vec<Failure> {
        if self.targets.is_empty() || Instant::now() < self.due {
            return Vec::new();
        }
        let (profile, now) = {
            let state = shared.state();
            let now = (state.engine.samples().0, state.engine.generation());
            if now == self.drawn || now.0 == 0 {
                return Vec::new();
            }
            (state.engine.profile(), now)
        };
        self.drawn = now;
        let began = Instant::now();
        let failures = profile.map(|profile| self.write(&profile, Order::Steady(now.1)));
        self.due = began + EVERY.max(began.elapsed() * (REST + 1));
        failures.unwrap_or_default()
    }

    /// Writes the last picture, which is the same as that of `heapviz draw`, and reports. Returns
    /// the exit status of the command.
    pub fn finish(
        &mut self,
        shared: &Shared,
        exit: Option<u8>,
        voice: Voice,
        name: &str,
    ) -> ExitCode {
        let (profile, news, mut failed) = {
            let mut state = shared.state();
            (state.engine.profile(), std::mem::take(&mut state.news), state.failed)
        };
        news.iter().for_each(|message| voice.say(message));
        match profile.map(drawable) {
            Some(Ok(profile)) => {
                let failures = self.write(&profile, Order::Ranked);
                failures.iter().for_each(|failure| failure.message().say());
                failed |= !failures.is_empty();
                for target in self.targets.iter().filter(|_| failures.is_empty()) {
                    let samples = count(profile.samples.len(), "sample");
                    if let Output::File(path) = &target.output {
                        voice.summarise(&format!("{name}: {samples} -> {}", path.display()));
                    }
                }
            }
            Some(Err(error)) if !self.targets.is_empty() => {
                Failure::from(error).message().say();
                failed = true;
            }
            None if !self.targets.is_empty() && !failed => {
                Failure::new(format!("{name}: no data arrived, so nothing was drawn"))
                    .message()
                    .say();
                failed = true;
            }
            _ => {}
        }
        match exit {
            Some(exit) if exit != 0 || !failed => ExitCode::from(exit),
            _ if failed => ExitCode::from(1),
            _ => ExitCode::SUCCESS,
        }
    }

    fn write(&mut self, profile: &Profile, order: Order) -> Vec<Failure> {
        let (look, targets) = (self.look.clone(), std::mem::take(&mut self.targets));
        let written = self.charted(profile, order, |drawn| {
            targets.iter().filter_map(|target| look.write(drawn, target).err()).collect()
        });
        self.targets = targets;
        match written {
            Ok(failures) => failures,
            // A marker has not arrived yet.
            Err(_) if order != Order::Ranked => Vec::new(),
            Err(error) => vec![ReadError::Decode(error.into()).into()],
        }
    }

    /// The data of the page; `None` if the requested part of the run has not begun.
    #[cfg(feature = "web")]
    pub fn islands(&mut self, profile: &Profile, generation: u64) -> Option<report::Islands> {
        let look = self.look.clone();
        self.charted(profile, Order::Steady(generation), |drawn| look.islands(drawn)).ok()
    }

    /// Does something with the chart of a profile.
    fn charted<T>(
        &mut self,
        profile: &Profile,
        order: Order,
        use_it: impl FnOnce(Drawn<'_>) -> T,
    ) -> Result<T, WindowError> {
        let advice = advice(profile);
        let slice = Slice::of(profile, &self.slice)?;
        let mut ranking = rank(&slice, &self.rank);
        if let (Order::Steady(generation), SortKey::Total) = (order, self.rank.sort) {
            if generation != self.order_of {
                self.order.clear();
                self.order_of = generation;
            }
            steady(&mut ranking, &self.order);
            self.order.clone_from(&ranking.kept);
        }
        let chart = Chart::of(&slice, ranking);
        Ok(use_it(Drawn { slice: &slice, chart: &chart, advice: &advice, analysis: None }))
    }

    /// Writes files of the present state, in addition to the other outputs.
    ///
    /// # Errors
    /// What could not be written.
    #[cfg(feature = "tui")]
    pub fn write_now(&mut self, profile: &Profile, targets: Vec<Target>) -> Result<(), Failure> {
        let usual = std::mem::replace(&mut self.targets, targets);
        let failures = self.write(profile, Order::Ranked);
        self.targets = usual;
        failures.into_iter().next().map_or(Ok(()), Err)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Order {
    /// The order of the last picture of this generation of the engine, unless a band has clearly
    /// outgrown another.
    Steady(u64),
    /// The order by the rules.
    Ranked,
}

/// Keeps the order of the last picture except where something has clearly changed.
fn steady(ranking: &mut Ranking, last: &[RowId]) {
    let total = |row: RowId| ranking.totals[row.index()];
    let mut order: Vec<RowId> =
        last.iter().copied().filter(|row| ranking.kept.contains(row)).collect();
    for &row in &ranking.kept {
        if !order.contains(&row) {
            let at = order.iter().position(|&other| total(other) > total(row));
            order.insert(at.unwrap_or(order.len()), row);
        }
    }
    for at in 1..order.len() {
        let mut place = at;
        while place > 0 {
            let (below, above) = (total(order[place - 1]), total(order[place]));
            if below <= above + above / 4 {
                break;
            }
            order.swap(place, place - 1);
            place -= 1;
        }
    }
    ranking.kept = order;
}
