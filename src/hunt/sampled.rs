//! One run of a program that is sampled often enough, for a verb that judges a profile and has none yet.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use clap::Args;
use serde::{Deserialize, Serialize};

use super::{HuntStep, Pace, RunDisplay, Runner, failed_run, remarks, standard_input};
use crate::base::units::Nanos;
use crate::cli::{Format, Message, Output, Stop, Target, Voice};
use crate::profile::Profile;
use crate::program::child;
use crate::program::ghc_program::GhcProgram;
use crate::program::own_folder::{OwnFolder, own_folder};
use crate::slice::Bound;

/// How long a run takes at most, unless another time is given.
const USUAL_LENGTH: &str = "60s";

/// How a program is run.
#[derive(Clone, Debug, Args, Serialize, Deserialize)]
pub struct RunArgs {
    /// How long a run of the program may take; one that has not ended by then is interrupted
    #[arg(long = "for", value_name = "TIME", default_value = USUAL_LENGTH, value_parser = length)]
    pub length: Nanos,

    /// A command of the shell that gives the program work, such as requests to a server: it starts two
    /// seconds after the program in each run, or after a third of a short one, and is ended with the run
    #[arg(long, value_name = "COMMAND")]
    pub drive: Option<String>,
}

fn length(text: &str) -> Result<Nanos, String> {
    let time: Nanos = text.parse().map_err(|error| format!("{error}"))?;
    match time >= Nanos::from_nanos(500_000_000) {
        true => Ok(time),
        false => Err("a run takes at least 0.5 s".to_owned()),
    }
}

pub struct Sampled {
    pub profile: Profile,
    /// Where the part of it ends that counts, if that is not its end.
    pub end: Option<Bound>,
}

impl RunArgs {
    pub(super) fn runner<'a>(
        &'a self,
        program: &'a GhcProgram,
        folder: PathBuf,
        input: Option<&OwnFolder>,
        targets: &[Target],
        signal: &'a AtomicUsize,
        voice: Voice,
    ) -> Result<Runner<'a>, Message> {
        let is_data =
            |target: &Target| target.output == Output::Stdout && target.format != Format::Txt;
        Ok(Runner {
            program,
            folder,
            longest: Duration::from_nanos(self.length.as_nanos().unsigned_abs()),
            diverted: targets.iter().any(is_data),
            signal,
            place: program.hp_place()?,
            input: input.map(standard_input::path_in),
            drive: self.drive.as_deref(),
            voice,
        })
    }

    /// Runs a program with `-hT`, which every build takes, and samples it as a hunt does.
    ///
    /// # Errors
    /// A program that is not GHC's or takes no flags, and one without a profile.
    pub fn sampled(
        &self,
        words: &[OsString],
        targets: &[Target],
        voice: Voice,
    ) -> Result<Sampled, Stop> {
        let signal = Arc::new(AtomicUsize::new(0));
        child::note_signals(&signal);
        let sampled = self.sampled_until(&signal, words, targets, voice);
        // A signal is asked for first, whatever the run gave.
        match (signal.load(Ordering::Relaxed), sampled) {
            (0, sampled) => Ok(sampled?),
            (signal, _) => Err(Stop::BySignal(signal)),
        }
    }

    fn sampled_until(
        &self,
        signal: &AtomicUsize,
        words: &[OsString],
        targets: &[Target],
        voice: Voice,
    ) -> Result<Sampled, Message> {
        let (program, folder) = (GhcProgram::ask(words)?, own_folder()?);
        let input = standard_input::copy(self.length, signal, voice)?;
        let folder = (folder.path().to_owned(), folder);
        let runner = self.runner(&program, folder.0, input.as_ref(), targets, signal, voice)?;
        let title = "the run, by closure type";
        let shown = RunDisplay { title, output: true };
        let mut pace = Pace::first(runner.longest);
        let one = runner.run_one(HuntStep::ClosureTypes, Vec::new(), &mut pace, true, shown)?;
        remarks(&one, &program, voice);
        let end = one.end();
        match one.profile {
            Ok(profile) => Ok(Sampled { profile, end }),
            Err(ref why) => Err(failed_run(why, &program, &one)),
        }
    }
}
