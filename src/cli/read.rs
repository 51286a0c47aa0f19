//! Reads an input, so that every verb gets the same profile, warnings and errors.

use std::fs::File;
use std::io;
use std::path::Path;

use heapviz::input::{InputOptions, ReadError, drawable, read_watched};
use heapviz::profile::{Advice, Breakdown, Clock, Joined, Profile, RunPlace, Source, advice};
use heapviz::slice::{Grouping, Privacy, Slice, SliceOptions};
use heapviz::units::{Bytes, count};

use super::args::limits;
use super::args::reading::{LossPolicy, ReadingArgs};
use super::args::slice::SliceArgs;
use super::args::voice::Voice;
use super::failure::Failure;
use super::message::Message;
use super::progress::ProgressLine;
use super::target::Input;

/// How inputs are read, and which part of them.
#[derive(Clone, Debug)]
pub struct Reader {
    /// The format, and how much is kept.
    pub input: InputOptions,
    /// What to do with an input that is damaged or incomplete.
    pub losses: LossPolicy,
    /// The options of the slice.
    pub slice: SliceOptions,
    /// Whether to show the progress of a long reading, and what was odd.
    pub voice: Voice,
    /// What an input must have.
    needs: Needs,
}

/// What an input must have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Needs {
    /// Samples of the heap.
    Samples,
    /// Samples of the heap, or a time profile.
    SamplesOrTime,
    /// Samples of the heap, or activity of the run-time system.
    SamplesOrRuntime,
    /// Any of them.
    Anything,
    /// Nothing, because it supplements another input.
    Nothing,
}

impl Needs {
    /// Whether a profile without samples is acceptable.
    fn are_met_by(self, profile: &Profile) -> bool {
        let has_time = !profile.calls.is_empty();
        let has_runtime = !profile.runtime.is_empty();
        match self {
            Needs::Samples => false,
            Needs::SamplesOrTime => has_time,
            Needs::SamplesOrRuntime => has_runtime,
            Needs::Anything => has_time || has_runtime,
            Needs::Nothing => true,
        }
    }
}

/// A profile that was read.
pub struct Reading {
    profile: Profile,
    /// The options of the slice.
    slice: SliceOptions,
    /// What was lost from the input, in one line.
    losses: Option<String>,
    /// Advice on what would show more.
    pub advice: Vec<Advice>,
}

impl Reader {
    /// A reader for the arguments of a verb.
    pub fn new(reading: &ReadingArgs, slice: &SliceArgs, voice: Voice) -> Self {
        Reader {
            input: reading.options(),
            losses: reading.losses(),
            slice: slice.options(),
            voice,
            needs: Needs::Samples,
        }
    }

    /// A reader that also accepts inputs with a time profile but without heap samples.
    pub fn of_time_too(self) -> Self {
        let needs = match self.needs {
            Needs::Samples | Needs::SamplesOrTime => Needs::SamplesOrTime,
            Needs::SamplesOrRuntime | Needs::Anything => Needs::Anything,
            Needs::Nothing => Needs::Nothing,
        };
        Reader { needs, ..self }
    }

    /// A reader that also accepts inputs with activity of the run-time system but without heap
    /// samples.
    pub fn of_runtime_too(self) -> Self {
        let needs = match self.needs {
            Needs::Samples | Needs::SamplesOrRuntime => Needs::SamplesOrRuntime,
            Needs::SamplesOrTime | Needs::Anything => Needs::Anything,
            Needs::Nothing => Needs::Nothing,
        };
        Reader { needs, ..self }
    }

    /// Reads the profile in an input.
    ///
    /// # Errors The library's errors, a file that cannot be opened, and a damaged or incomplete
    /// input under `--strict`.
    pub fn read(&self, input: &Input) -> Result<Reading, Failure> {
        self.reading(self.profile_in(input)?)
    }

    /// Reads the profile of a run for which GHC wrote an event log and a `.hp`: the event log if it
    /// has samples, otherwise the `.hp`. Also returns which was read.
    ///
    /// # Errors The same as for [`Reader::read`].
    pub fn read_either<'a>(
        &self,
        log: &'a Input,
        hp: &'a Input,
    ) -> Result<(&'a Input, Reading), Failure> {
        match self.profile_in(log) {
            Ok(profile) if profile.no_samples().is_none() => Ok((log, self.reading(profile)?)),
            // If the log cannot be read at all, there is still the other file.
            Ok(_) | Err(ReadError::Decode(_)) => Ok((hp, self.read(hp)?)),
            Err(error) => Err(error.into()),
        }
    }

    /// Reads inputs one after the other. Those that cannot be read are reported, and are missing
    /// from the result.
    pub fn read_all<'a>(
        &self,
        inputs: impl IntoIterator<Item = &'a Input>,
    ) -> Vec<(&'a Input, Reading)> {
        let read = |input: &'a Input| match self.read(input) {
            Ok(reading) => Some((input, reading)),
            Err(failure) => {
                failure.message().about(input).say();
                None
            }
        };
        inputs.into_iter().filter_map(read).collect()
    }

    /// Adds to a profile the data that only a report of the same run contains, and returns a message about
    /// it. A report that cannot be read, or belongs to another run, is not used.
    pub fn add_report(&self, reading: &mut Reading, report: &Input) -> Message {
        let reader = Reader { needs: Needs::Nothing, ..self.clone() };
        let profile = match reader.profile_in(report) {
            Ok(profile) => profile,
            Err(error) => {
                return Message::warning(format_args!("not used: {error}")).about(report);
            }
        };
        let losses = profile.loss_summary();
        match reading.profile.join_report(profile) {
            Ok(joined) => match losses {
                None => Message::note(used(joined)).about(report),
                Some(losses) => {
                    Message::warning(format_args!("{}; {losses}", used(joined))).about(report)
                }
            },
            Err(error) => Message::warning(format_args!("not used: {error}"))
                .about(report)
                .hint("give the report of the same run, or draw the two files separately"),
        }
    }

    fn profile_in(&self, input: &Input) -> Result<Profile, ReadError> {
        match input {
            Input::Stdin => self.profile(io::stdin(), None),
            Input::File(path) => {
                let file = open(path)?;
                let about = file.metadata().ok().filter(|about| about.is_file());
                self.profile(file, about.map(|about| Bytes::new(about.len())))
            }
        }
    }

    fn reading(&self, profile: Profile) -> Result<Reading, Failure> {
        let (losses, advice) = (profile.loss_summary(), advice(&profile));
        if let (Some(losses), LossPolicy::Refuse) = (&losses, self.losses) {
            return Err(Failure::new(format!("damaged or incomplete: {losses}"))
                .hint("leave out --strict to draw what can be read"));
        }
        Ok(Reading { profile, slice: self.slice.clone(), losses, advice })
    }

    /// Reads a profile that has samples, and shows on a terminal how far it is.
    fn profile(
        &self,
        source: impl io::Read + Send,
        size: Option<Bytes>,
    ) -> Result<Profile, ReadError> {
        let mut line = match self.voice {
            Voice::Normal => ProgressLine::on_terminal(size),
            Voice::Quiet => None,
        };
        let profile = read_watched(source, &self.input, |progress| {
            if let Some(line) = &mut line {
                line.update(progress);
            }
        })?;
        if self.needs.are_met_by(&profile) {
            return Ok(profile);
        }
        drawable(profile).map_err(|error| match self.slice.privacy {
            Privacy::Show => error,
            Privacy::Redact => error.redacted(),
        })
    }
}

impl Reading {
    /// All of the profile.
    pub fn profile(&self) -> &Profile {
        &self.profile
    }

    /// The requested part of the profile.
    ///
    /// # Errors A window that is not in the profile.
    pub fn slice(&self) -> Result<Slice<'_>, Failure> {
        self.slice_of(&self.slice)
    }

    /// The same with the bands of the file, unless a grouping was given: for formats that other
    /// tools read in place of the file.
    ///
    /// # Errors The same as for [`Reading::slice`].
    pub fn slice_as_written(&self) -> Result<Slice<'_>, Failure> {
        match self.slice.grouping {
            Grouping::Auto => self.slice_of(&self.slice.clone().with_grouping(Grouping::None)),
            _ => self.slice(),
        }
    }

    fn slice_of(&self, options: &SliceOptions) -> Result<Slice<'_>, Failure> {
        let slice = Slice::of(&self.profile, options);
        Ok(slice.map_err(|error| ReadError::Decode(error.into()))?)
    }

    /// Messages on what was odd about the input, what was lost, and what would show more. `slice`
    /// must be this reading's.
    pub fn messages(&self, slice: &Slice<'_>, input: &Input) -> Vec<Message> {
        let losses = self.losses.iter().map(Message::warning);
        let oddities = slice.incidents().warnings_beside_summary().into_iter().map(|warning| {
            let message = Message::warning(warning.message);
            match warning.limit {
                Some(limit) => message.hint(limits::hint(limit)),
                None => message,
            }
        });
        let RunPlace { number, of, .. } = self.profile.run;
        let run = (of > 1).then(|| {
            Message::warning(format_args!("it contains {of} runs; this is run {number}"))
                .hint("--run N reads another")
        });
        let notes = self.advice.iter().map(Message::note).chain(self.nothing_grouped(slice));
        let all = run.into_iter().chain(losses).chain(oddities).chain(notes);
        all.map(|message| message.about(input)).collect()
    }
}

impl Reading {
    /// A message if the given grouping fits no band.
    fn nothing_grouped(&self, slice: &Slice<'_>) -> Option<Message> {
        let is_group = |row| slice.key(row).is_none();
        if slice.rows().len() == 0 || slice.rows().any(is_group) {
            return None;
        }
        let bands = slice.breakdown().words();
        Some(match &self.slice.grouping {
            Grouping::Auto | Grouping::None => return None,
            Grouping::By(part) => {
                Message::note(format_args!("--group {part}: no band {bands} has one"))
            }
            _ => Message::note("--group: no rule matches a band"),
        })
    }
}

/// The wanted part of each profile, after printing what was odd about its input. A profile without such a
/// part is reported, and is not in the result.
pub fn slices<'s>(
    readings: &'s [(&'s Input, Reading)],
    voice: Voice,
) -> Vec<(&'s Input, &'s Reading, Slice<'s>)> {
    let slice = |(input, reading): &'s (&'s Input, Reading)| match reading.slice() {
        Ok(slice) => {
            reading.messages(&slice, input).iter().for_each(|message| voice.say(message));
            Some((*input, reading, slice))
        }
        Err(failure) => {
            failure.message().about(input).say();
            None
        }
    };
    readings.iter().filter_map(slice).collect()
}

/// What the times of a clock count, in words.
pub fn counted(clock: Clock) -> &'static str {
    match clock {
        Clock::Elapsed => "elapsed time",
        Clock::Mutator => "CPU time",
        Clock::Sample => "samples",
        _ => "another time",
    }
}

/// What a report added to a profile.
fn used(joined: Joined) -> String {
    let mut parts = Vec::new();
    if joined.sets > 0 {
        parts.push(format!("completes {} of the last census", count(joined.sets, "retainer set")));
    }
    if joined.stacks > 0 {
        parts.push(format!("completes {}", count(joined.stacks, "stack")));
    }
    if joined.calls {
        parts.push("--view flame --weight time, alloc or entries draws its other data".to_owned());
    }
    match parts.is_empty() {
        true => "it belongs to this run, but contains nothing that the profile lacks".to_owned(),
        false => parts.join("; "),
    }
}

/// A message if there is an unused report next to a profile that it could explain.
pub fn report_beside(reading: &Reading, input: &Input) -> Option<Message> {
    let Input::File(path) = input else { return None };
    let profile = &reading.profile;
    let helps = match profile.breakdown {
        Breakdown::Retainer => profile.retainers.sets.is_empty(),
        Breakdown::CostCentre => profile.source == Source::Hp && profile.cost_centres.is_empty(),
        _ => false,
    };
    let report = path.with_extension("prof");
    let is_there = || std::fs::metadata(&report).is_ok_and(|about| about.len() > 0);
    (helps && is_there()).then(|| {
        let what = match profile.breakdown {
            Breakdown::Retainer => "retainer sets",
            _ => "stacks",
        };
        let (profile, report) = (input.name(), report.display());
        let way = format!("`heapviz {profile} {report}` uses it");
        // In one line: with a separate hint, a run with nothing odd would get three.
        Message::note(format_args!("{report} may have its {what} in full; {way}")).about(input)
    })
}

fn open(path: &Path) -> Result<File, ReadError> {
    if path.is_dir() {
        return Err(io::Error::new(io::ErrorKind::IsADirectory, "it is a folder").into());
    }
    Ok(File::open(path)?)
}
