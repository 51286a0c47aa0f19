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
use crate::profile_view::{ProfileView, ViewOptions};
#[cfg(feature = "web")]
use crate::report;
use crate::slice::Slice;

/// The least time between two pictures.
const EVERY: Duration = Duration::from_secs(1);
/// The ratio of rest to drawing, so that drawing takes at most a tenth of the time.
const REST: u32 = 9;

/// Files that are rewritten, each complete at every moment.
pub struct Outputs {
    targets: Vec<Target>,
    choice: Choice,
    style: Style,
    pub options: ViewOptions,
    due: Instant,
    /// How many samples the last picture had, and in which generation.
    drawn: (usize, u64),
    /// The name of the source in documents.
    file: Option<String>,
}

impl Outputs {
    pub fn new(
        targets: Vec<Target>,
        choice: Choice,
        style: Style,
        options: ViewOptions,
        file: Option<String>,
    ) -> Self {
        let (due, drawn) = (Instant::now(), (0, 0));
        Outputs { targets, choice, style, options, due, drawn, file }
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
        let failures = profile.map(|profile| self.write(&profile, None).0);
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
                        voice.summarise(&format!("{name}: {}", news.text(self.style.draw.units)));
                    }
                }
                let (failures, notes) = self.write(&profile, Some(given));
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

    /// Writes all targets; at the end of the watch, what was given on the command line is known. Returns the failures, and
    /// the notes about missing characters and flags without effect.
    fn write(
        &self,
        profile: &Profile,
        at_end: Option<&GivenFlags>,
    ) -> (Vec<Message>, Vec<Message>) {
        let run = match self.run(profile) {
            // A band that was asked for has not arrived yet.
            Ok(run) if at_end.is_none() && has_no_wanted_band(&run) => {
                return (Vec::new(), Vec::new());
            }
            Ok(run) => run,
            // A marker has not arrived yet.
            Err(_) if at_end.is_none() => return (Vec::new(), Vec::new()),
            Err(error) => {
                return (vec![ReadError::Decode(error.into()).into()], Vec::new());
            }
        };
        let none = GivenFlags::default();
        let mut uses = FlagUses::new(at_end.unwrap_or(&none), None, None);
        let WrittenOutputs { failures, mut missing, .. } =
            write_all(&run, &Input::Stdin, &self.targets, (&self.choice, &self.style), &mut uses);
        missing.extend(uses.notes());
        (failures, missing)
    }

    /// The data of the page, and its first picture; `None` if the requested part of the run has not begun.
    #[cfg(feature = "web")]
    pub fn island(&self, profile: &Profile) -> Option<(report::Island, String)> {
        let run = self.run(profile).ok()?;
        run.analysis();
        let report = self.style.report(&run);
        Some((report::island(&run, &report), report::first_paint(&run, &report)))
    }

    fn run<'p>(&'p self, profile: &'p Profile) -> Result<ProfileView<'p>, WindowError> {
        Ok(ProfileView::new(profile, &self.options)?.of_file(self.file.clone()))
    }

    /// Writes files of the present state, in addition to the other outputs.
    #[cfg(feature = "tui")]
    pub fn write_now(&mut self, profile: &Profile, targets: Vec<Target>) -> Result<(), Message> {
        let usual = std::mem::replace(&mut self.targets, targets);
        let (failures, _) = self.write(profile, Some(&GivenFlags::default()));
        self.targets = usual;
        failures.into_iter().next().map_or(Ok(()), Err)
    }
}
