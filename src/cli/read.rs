//! Reads inputs, so that every verb gets the same profiles, warnings and errors.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use super::args::LIMIT_HINT;
use super::{Input, Job, Message, ProgressLine, Voice, output, progress};
use crate::base::names::nearest;
use crate::base::units::{Bytes, count};
use crate::incident::error::Error;
use crate::input::{InputOptions, ReadError, drawable, read_watched};
use crate::profile::{BandNames, Clock, Joined, Profile, Source};
use crate::profile_view::{ProfileView, ViewOptions, WayOut};
use crate::slice::Privacy;

#[derive(Clone, Debug)]
pub struct InputReader {
    /// The format, and how much is kept.
    pub input: InputOptions,
    /// Whether an input that is damaged or incomplete is refused.
    pub strict: bool,
    /// How much of their origin errors show.
    pub privacy: Privacy,
    /// Whether to show the progress of a long reading, and what was odd.
    pub voice: Voice,
    /// What an input may have instead of samples of the heap.
    pub instead: &'static [Instead],
}

/// What an input without samples of the heap can have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Instead {
    Calls,
    Runtime,
}

pub struct Reading<'a> {
    /// The input: the one that was named, or the other profile of the same run.
    pub input: &'a Input,
    pub profile: Profile,
}

impl InputReader {
    /// Reads the profile of a job: its own input, or the `.hp` of the same run if the event log has no
    /// samples, together with what its report adds.
    ///
    /// # Errors
    /// The library's errors, a file that cannot be opened, and a damaged or incomplete input under
    /// `--strict`.
    pub fn read<'a>(&self, job: &'a Job) -> Result<Reading<'a>, Message> {
        let mut reading = match &job.twin {
            None => self.reading(&job.input, self.profile_of(&job.input)?)?,
            Some(twin) => self.read_either(&job.input, twin)?,
        };
        if let Some(report) = &job.report {
            self.voice.say(&self.add_report(&mut reading.profile, report));
        }
        Ok(reading)
    }

    /// Reads jobs one after the other. Those that cannot be read are reported, and are missing from
    /// the result.
    pub fn read_all<'a>(&self, jobs: impl IntoIterator<Item = &'a Job>) -> Vec<Reading<'a>> {
        let read = |job: &'a Job| match self.read(job) {
            Ok(reading) => Some(reading),
            Err(failure) => {
                failure.about(&job.input).say();
                None
            }
        };
        jobs.into_iter().filter_map(read).collect()
    }

    fn read_either<'a>(&self, log: &'a Input, hp: &'a Input) -> Result<Reading<'a>, Message> {
        let reading = match self.profile_in(log) {
            Ok(profile) if profile.no_samples().is_none() => self.reading(log, profile)?,
            // If the log cannot be read at all, there is still the other file.
            Ok(_) | Err(ReadError::Decode(_)) => self.reading(hp, self.profile_of(hp)?)?,
            Err(error) => return Err(failure(error, log)),
        };
        self.voice.say(&match reading.input == log {
            true => Message::note(format_args!("drawing {} of the same run instead", log.name()))
                .about(hp),
            false => Message::note(format_args!(
                "no samples to draw; drawing {} of the same run instead",
                hp.name()
            ))
            .about(log),
        });
        Ok(reading)
    }

    /// Adds to a profile the data that only a report of the same run contains, and returns a message about
    /// it. A report that cannot be read, or belongs to another run, is not used.
    fn add_report(&self, profile: &mut Profile, report: &Input) -> Message {
        let read = match self.profile_even_if_empty(report) {
            Ok(read) => read,
            Err(error) => {
                return Message::warning(format_args!("not used: {error}")).about(report);
            }
        };
        let losses = read.loss_summary();
        match profile.join_report(read) {
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

    fn reading<'a>(&self, input: &'a Input, profile: Profile) -> Result<Reading<'a>, Message> {
        match profile.loss_summary().filter(|_| self.strict) {
            Some(losses) => Err(Message::error(format!("damaged or incomplete: {losses}"))
                .hint("leave out --strict to draw what can be read")),
            None => Ok(Reading { input, profile }),
        }
    }

    fn profile_of(&self, input: &Input) -> Result<Profile, Message> {
        self.profile_in(input).map_err(|error| failure(error, input))
    }

    /// The profile in an input that has samples, or something else that the verb can show.
    fn profile_in(&self, input: &Input) -> Result<Profile, ReadError> {
        let profile =
            self.profile_even_if_empty(input).map_err(|error| self.fit_to_be_shown(error))?;
        let has = |instead: &Instead| match instead {
            Instead::Calls => !profile.calls.is_empty(),
            Instead::Runtime => !profile.runtime.is_empty(),
        };
        if self.instead.iter().any(has) {
            return Ok(profile);
        }
        drawable(profile).map_err(|error| self.fit_to_be_shown(error))
    }

    fn fit_to_be_shown(&self, error: ReadError) -> ReadError {
        match self.privacy {
            Privacy::Show => error,
            Privacy::Redact => error.redacted(),
        }
    }

    /// If a profile has no samples of the heap, a note that says why, and how to get them.
    pub fn why_no_samples(&self, Reading { input, profile }: &Reading<'_>) -> Option<Message> {
        let error = self.fit_to_be_shown(Error::NoSamples(profile.no_samples()?).into());
        Some(Message::note(&error).about(input).hint_if(error.hint()))
    }

    fn profile_even_if_empty(&self, input: &Input) -> Result<Profile, ReadError> {
        match input {
            Input::Stdin => self.watched(io::stdin(), None),
            Input::File(path) => {
                let file = open(path)?;
                let about = file.metadata().ok().filter(|about| about.is_file());
                self.watched(file, about.map(|about| Bytes::new(about.len())))
            }
        }
    }

    /// Reads a profile, and shows on a terminal how far it is.
    fn watched(
        &self,
        source: impl io::Read + Send,
        size: Option<Bytes>,
    ) -> Result<Profile, ReadError> {
        let mut line =
            if self.voice.quiet { None } else { ProgressLine::on_terminal(progress::EVERY) };
        read_watched(source, &self.input, |progress| {
            if let Some(line) = &mut line {
                line.update(|elapsed| progress::reading(progress, size, elapsed));
            }
        })
    }
}

/// The runs of what was read, after printing what was odd about the inputs. A profile without the wanted
/// part is reported, and is not in the result.
pub fn runs<'a>(
    readings: &'a [Reading<'a>],
    options: &'a ViewOptions,
    voice: Voice,
) -> Vec<(&'a Input, ProfileView<'a>)> {
    let run = |Reading { input, profile }: &'a Reading<'a>| match ProfileView::new(profile, options)
    {
        Ok(run) => {
            let run = run.of_file(input.file(options.slice.privacy));
            messages(&run, input).iter().for_each(|message| voice.say(message));
            Some((*input, run))
        }
        Err(error) => {
            Message::from(ReadError::Decode(error.into())).about(input).say();
            None
        }
    };
    readings.iter().filter_map(run).collect()
}

/// Messages on what was odd about an input, what was lost, and what would show more.
pub fn messages(run: &ProfileView<'_>, input: &Input) -> Vec<Message> {
    let message = |notice: crate::profile_view::Notice| {
        let message = Message::new(notice.severity, notice.text);
        let message = match notice.way_out {
            WayOut::None => message,
            WayOut::Limit => message.hint(LIMIT_HINT),
            WayOut::OtherRun => message.hint("--run N reads another run"),
            WayOut::AllSamples => message.hint("--all-samples draws it"),
        };
        message.about(input)
    };
    run.notices().into_iter().map(message).collect()
}

/// What the times of a clock count, in words.
pub fn counted(clock: Clock) -> &'static str {
    match clock {
        Clock::Elapsed => "elapsed time",
        Clock::Mutator => "CPU time",
        Clock::Sample => "samples",
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
        parts.push(
            "has a time profile: --view flame --weight time, alloc or entries draws \
                    it"
            .to_owned(),
        );
    }
    match parts.is_empty() {
        true => "belongs to this run, but adds nothing to the profile".to_owned(),
        false => parts.join("; "),
    }
}

/// A message if there is an unused report next to a profile that it could explain.
pub fn unused_report(Reading { input, profile }: &Reading<'_>) -> Option<Message> {
    let Input::File(path) = input else { return None };
    let (what, helps) = match profile.breakdown.traits().names {
        BandNames::RetainerSets => ("retainer sets", profile.retainers.sets.is_empty()),
        BandNames::Stacks => {
            ("stacks", profile.source == Source::Hp && profile.cost_centres.is_empty())
        }
        BandNames::Addresses | BandNames::Numbers | BandNames::Texts => return None,
    };
    let report = path.with_extension("prof");
    let is_there = || std::fs::metadata(&report).is_ok_and(|about| about.len() > 0);
    (helps && is_there()).then(|| {
        let (profile, report) = (input.name(), report.display());
        let way = format!("`heapviz {profile} {report}` uses it");
        // In one line: with a separate hint, a run with nothing odd would get three.
        Message::note(format_args!("{report} may contain its complete {what}; {way}")).about(input)
    })
}

/// The error of an input, with the way out that its name or place suggests.
fn failure(error: ReadError, input: &Input) -> Message {
    let hint = match (&error, input) {
        (ReadError::Io(error), Input::File(path)) if error.kind() == io::ErrorKind::NotFound => {
            similar(path).map(|path| format!("did you mean {}?", path.display()))
        }
        (ReadError::Decode(Error::Empty), Input::Stdin) => {
            Some("the command before the pipe printed nothing: run it alone to see why".to_owned())
        }
        _ => None,
    };
    Message::from(error).hint_if(hint)
}

/// The most files of a folder that are looked at.
const MOST_FILES: usize = 10_000;

/// The file in the folder of a missing one whose name is most like its name.
pub fn similar(path: &Path) -> Option<PathBuf> {
    // As similar as clap asks for in its own suggestions, and a bit more: folders have many files.
    const SIMILAR: f64 = 0.85;
    let wanted = path.file_name()?.to_str()?;
    let folder = path.parent().filter(|folder| *folder != Path::new(""));
    let files = std::fs::read_dir(folder.unwrap_or(Path::new("."))).ok()?.take(MOST_FILES);
    let name = |entry: io::Result<std::fs::DirEntry>| entry.ok()?.file_name().into_string().ok();
    nearest(wanted, files.filter_map(name), SIMILAR).map(|name| path.with_file_name(name))
}

fn open(path: &Path) -> Result<File, ReadError> {
    if path.is_dir() {
        return Err(io::Error::new(io::ErrorKind::IsADirectory, "it is a folder").into());
    }
    output::protect([&Input::File(path.to_owned())]);
    Ok(File::open(path)?)
}
