//! The files that are rewritten while a program runs.

use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use super::Shared;
use crate::base::units::count;
use crate::cli::charts::{has_no_wanted_band, write_all};
use crate::cli::read::messages;
use crate::cli::{
    Choice, FlagUses, GivenFlags, Input, Message, Output, Style, Target, Voice, WrittenOutputs,
};
use crate::incident::error::WindowError;
use crate::input::{ReadError, drawable};
use crate::profile::Profile;
use crate::profile_view::{Measure, ProfileView, ViewOptions};
#[cfg(feature = "web")]
use crate::report;
use crate::slice::rank::Ranking;
use crate::slice::{RowId, Slice};

/// The least time between two pictures.
const EVERY: Duration = Duration::from_secs(1);
/// The ratio of rest to drawing, so that drawing takes at most a tenth of the time.
const REST: u32 = 9;

/// Files that are rewritten, each complete at every moment.
pub struct Outputs {
    targets: Vec<Target>,
    choice: Choice,
    look: Style,
    pub options: ViewOptions,
    due: Instant,
    /// How many samples the last picture had, and in which generation.
    drawn: (usize, u64),
    /// The order of the last picture, bottom first.
    order: Vec<RowId>,
    /// The generation of the engine that the order belongs to.
    order_of: u64,
    /// The name of the source in documents.
    file: Option<String>,
}

impl Outputs {
    pub fn new(
        targets: Vec<Target>,
        choice: Choice,
        look: Style,
        options: ViewOptions,
        file: Option<String>,
    ) -> Self {
        let (due, drawn, order) = (Instant::now(), (0, 0), Vec::new());
        Outputs { targets, choice, look, options, due, drawn, order, order_of: 0, file }
    }

    /// Writes new data, if it is time to. Returns what could not be written.
    pub fn write_when_due(&mut self, shared: &Shared) -> Vec<Message> {
        if self.targets.is_empty() || Instant::now() < self.due {
            return Vec::new();
        }
        let (profile, now) = {
            let state = shared.state();
            let now = state.engine.version();
            if now == self.drawn || now.0 == 0 {
                return Vec::new();
            }
            (state.profile(), now)
        };
        self.drawn = now;
        let began = Instant::now();
        let order = Order::Steady(now.1);
        let failures = profile.map(|profile| self.write(&profile, order, &GivenFlags::default()).0);
        self.due = began + EVERY.max(began.elapsed() * (REST + 1));
        failures.unwrap_or_default()
    }

    /// Writes the last picture, which is the same as that of `heapviz draw`, and reports. Returns
    /// the exit status of the command.
    pub fn finish(
        &mut self,
        shared: &Shared,
        exit: Option<u8>,
        (voice, given): (Voice, &GivenFlags),
        name: &str,
    ) -> ExitCode {
        let (profile, news, mut failed) = {
            let mut state = shared.state();
            (state.profile(), std::mem::take(&mut state.news), state.failed)
        };
        news.iter().for_each(|message| voice.say(message));
        match profile.map(drawable) {
            Some(Ok(profile)) => {
                if let Ok(run) = ProfileView::new(&profile, &self.options) {
                    // The same words as those of `heapviz draw`.
                    messages(&run, &Input::new(Path::new(name)))
                        .iter()
                        .for_each(|message| voice.say(message));
                    if let Some(news) = run.news() {
                        voice.summarise(&format!("{name}: {}", news.text(self.look.draw.units)));
                    }
                }
                let (failures, notes) = self.write(&profile, Order::Ranked, given);
                failures.iter().for_each(|failure| failure.say());
                notes.iter().for_each(|message| voice.say(message));
                failed |= !failures.is_empty();
                for target in self.targets.iter().filter(|_| failures.is_empty()) {
                    let samples = count(Slice::whole(&profile).with_data(), "sample");
                    if let Output::File(path) = &target.output {
                        voice.summarise(&format!("{name}: {samples} -> {}", path.display()));
                    }
                }
            }
            Some(Err(error)) if !self.targets.is_empty() => {
                Message::from(error).say();
                failed = true;
            }
            None if !self.targets.is_empty() && !failed => {
                Message::error(format!("{name}: no data arrived, so nothing was drawn")).say();
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

    /// Writes all targets. Returns the failures, and the notes about missing characters and flags without effect.
    fn write(
        &mut self,
        profile: &Profile,
        order: Order,
        given: &GivenFlags,
    ) -> (Vec<Message>, Vec<Message>) {
        let options = self.options.clone();
        let run = match self.run(profile, &options, order) {
            // A band that was asked for has not arrived yet.
            Ok(run) if order != Order::Ranked && has_no_wanted_band(&run) => {
                return (Vec::new(), Vec::new());
            }
            Ok(run) => run,
            // A marker has not arrived yet.
            Err(_) if order != Order::Ranked => return (Vec::new(), Vec::new()),
            Err(error) => {
                return (vec![ReadError::Decode(error.into()).into()], Vec::new());
            }
        };
        let mut uses = FlagUses::new(given, None, None);
        let WrittenOutputs { failures, mut missing, .. } =
            write_all(&run, &Input::Stdin, &self.targets, (&self.choice, &self.look), &mut uses);
        missing.extend(uses.notes());
        (failures, missing)
    }

    /// The data of the page, and its first picture; `None` if the requested part of the run has not begun.
    #[cfg(feature = "web")]
    pub fn island(
        &mut self,
        profile: &Profile,
        generation: u64,
    ) -> Option<(report::Island, String)> {
        let options = self.options.clone();
        let run = self.run(profile, &options, Order::Steady(generation)).ok()?;
        run.analysis();
        let report = self.look.report(&run);
        Some((report::island(&run, &report), report::first_paint(&run, &report)))
    }

    fn run<'p>(
        &mut self,
        profile: &'p Profile,
        options: &'p ViewOptions,
        order: Order,
    ) -> Result<ProfileView<'p>, WindowError> {
        let mut run = ProfileView::new(profile, options)?.of_file(self.file.clone());
        if let (Order::Steady(generation), Measure::Suspects | Measure::Total) =
            (order, options.measure)
        {
            if generation != self.order_of {
                self.order.clear();
                self.order_of = generation;
            }
            let mut ranking = run.ranking().clone();
            steady(&mut ranking, &self.order);
            self.order.clone_from(&ranking.kept);
            run.rank_as(ranking);
        }
        Ok(run)
    }

    /// Writes files of the present state, in addition to the other outputs.
    #[cfg(feature = "tui")]
    pub fn write_now(&mut self, profile: &Profile, targets: Vec<Target>) -> Result<(), Message> {
        let usual = std::mem::replace(&mut self.targets, targets);
        let (failures, _) = self.write(profile, Order::Ranked, &GivenFlags::default());
        self.targets = usual;
        failures.into_iter().next().map_or(Ok(()), Err)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Order {
    /// The order of the last picture of this generation of the engine, unless a band has clearly
    /// outgrown another.
    Steady(u64),
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
