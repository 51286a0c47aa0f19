//! What can go wrong with an input, as data.
//!
//! An [`Error`](enum@Error) says what was seen and where; what to do about it is its separate
//! [`Error::hint`]. What was odd but could still be drawn is in [`incident`](crate::incident).
//! Nothing here prints.

use std::borrow::Cow;
use std::fmt;

use crate::base::text::visible;
use crate::base::units::{Nanos, count};

/// Why an input could not be read as a profile. The caller adds the name of the input.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
#[allow(missing_docs, reason = "each variant tells what its fields are")]
pub enum Error {
    /// The input has no bytes.
    Empty,
    /// A compressed stream from which nothing can be decompressed.
    Compression,
    /// A zstd stream that needs more memory to decompress than readers must support: a window of so many bytes.
    ZstdWindow { window: u64 },
    /// The input is something other than a profile.
    NotAProfile(Lookalike),
    /// The declarations at the front of an event log are broken at this offset in the input: what was expected and what was
    /// there, and whether line ends were rewritten, as an upload in text mode does.
    Header { at: u64, what: String, as_text: bool },
    /// The event log stops inside its own declarations, at this length of the input.
    HeaderCut { at: u64 },
    /// A `.hp` statement that cannot be read, in this line, from 1: what was expected, and what was there.
    Statement { line: u64, what: String },
    /// A `.hp` without one of its four header lines, which hp2ps needs.
    MissingHeader(&'static str),
    /// The input was read completely, but there is nothing to draw.
    NoSamples(NoSamples),
    /// The input does not contain the run that was asked for, but so many.
    NoSuchRun { asked: usize, runs: usize },
    /// The part of the run that was asked for does not exist.
    Window(WindowError),
    /// A report (`.prof`) that cannot be read, in this line, from 1: what was expected, and what was there.
    Report { line: u64, what: String },
    /// A report as JSON (`-pj`) that begins in this line, from 1.
    ReportJson { line: u64 },
    /// The input has more of something, as a plural, than any real program has: so many may be kept.
    OverLimit { most: usize, things: &'static str },
}

/// Why a profile cannot be narrowed to a part of its run. Bounds are as they were given, texts of markers fit to be shown.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
#[allow(missing_docs, reason = "each variant tells what its fields are")]
pub enum WindowError {
    /// A bound is neither a time nor the text of a marker; the first dozen of those.
    NoMarker { text: String, markers: Vec<String> },
    /// A bound is a part of several markers' texts; the first dozen of those.
    Ambiguous { text: String, markers: Vec<String> },
    /// The end is before the beginning.
    Backwards { from: String, to: String },
    /// The part contains no sample: its words, `from 1 s to 2 s`, and those of the part that has some, if one has.
    Empty { window: String, samples: Option<String> },
    /// A time on the wall clock was given, but the input does not say when its run began.
    NoClock { text: String },
    /// A time or marker was given, but the samples, of which there are so many, have no times.
    NoTimes { samples: usize },
}

/// What an input that is not a heap profile looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the text of each is below")]
pub enum Lookalike {
    GitLfsPointer,
    CompressedTwice,
    /// By this program.
    Compressed(&'static str),
    Zip,
    Utf16,
    Html,
    /// What hp2ps writes, in words.
    OfHp2ps(&'static str),
    /// Something else that is recognised, in words.
    Foreign(&'static str),
    /// Another format than the user gave, in words.
    OtherFormat(&'static str),
    OneLine,
    Binary,
    Text,
}

/// Why a readable input has nothing to draw.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
#[allow(missing_docs, reason = "each variant tells what its fields are")]
pub enum NoSamples {
    /// An event log of a program that ran without a heap-profile flag, with this command line, when known.
    NotAsked { job: Option<String> },
    /// There are no samples, in a log that has events of the run-time system, with this command line, when known.
    OnlyRuntime { job: Option<String> },
    /// An event log that stops before its end mark: the run was killed or still continues, and the
    /// samples were in buffers that were not written.
    BuffersLost,
    /// Heap profiling was on, with the automatic samples switched off.
    AutomaticOff,
    /// Heap profiling was on, but there is no sample: what to ask for.
    AskedButNone { interval: Interval },
    /// GHC before 8.10 wrote the begin events of `-hr` and `-hb` samples but not their bands.
    BandsNotWritten,
    /// Every sample is empty: in the `.hp` of a run that died or took no census, there are only the
    /// empty samples that the run-time system writes at the start and the end. Their number, and what to ask for.
    OnlyEmpty { samples: usize, interval: Interval },
    /// Every sample is empty, because the filter of the run lets nothing through: their number, the filters in words, and
    /// names in the log that are like those of the filter.
    FilteredOut { samples: usize, filters: String, names: Vec<String> },
    /// A report of retainer sets without a time profile.
    OnlyRetainerSets,
    /// There is a time profile, but no sample of the heap.
    OnlyTimeProfile,
    /// A `.hp` with a header and nothing else.
    HeaderOnly,
    /// There are samples, but none is complete.
    NoneComplete,
    /// A file of which too much is damaged; the first damage in words, when known.
    Damaged { first: Option<String> },
}

/// The interval of samples to ask for, where a run had too few. Its `Display` is the advice.
///
/// GHC's timer of heap samples counts only while the program runs, so a program that waits takes few samples,
/// however long it lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Interval {
    /// `-i` with so many seconds.
    Every(Nanos),
    /// `-i0`: a sample at every major collection.
    EveryCollection,
    /// Whatever it was; the run has to be longer.
    Same,
    /// Any that is shorter: it is not known how long the program ran.
    Shorter,
}

impl Interval {
    /// The number of samples to aim at.
    pub(crate) const WANTED: f64 = 60.0;
    /// More samples than are wanted do no harm, and times of a damaged file may be years.
    pub(crate) const LONGEST: f64 = 1.0;
    /// GHC's timer does not tick more often.
    pub(crate) const SHORTEST: f64 = 0.001;

    /// What gives a run enough samples that had so many, one every `period` seconds, while the program ran for
    /// `ran` seconds. It is always shorter than the period, which gave too few.
    pub(crate) fn after(samples: usize, period: Option<f64>, ran: Option<f64>) -> Interval {
        if period == Some(0.0) {
            return Interval::Same;
        }
        let ticked = period.map(|period| period * samples.max(1) as f64);
        let shortest =
            [ran, ticked].into_iter().flatten().filter(|&ran| ran > 0.0).reduce(f64::min);
        match shortest.map(|ran| ran / Self::WANTED) {
            Some(wanted) if wanted >= Self::SHORTEST => {
                Interval::seconds(wanted.min(Self::LONGEST))
            }
            Some(_) => Interval::EveryCollection,
            None => Interval::Shorter,
        }
    }

    pub(crate) fn seconds(seconds: f64) -> Interval {
        Interval::Every(Nanos::from_nanos((seconds.max(Self::SHORTEST) * 1e9) as i64))
    }

    /// A number of seconds with one digit that is not 0: `0.005`, `0.02`, `3`.
    pub(crate) fn one_digit(interval: Nanos) -> String {
        let seconds = interval.as_seconds();
        let decimals = (0..3).find(|&decimals| seconds * 10f64.powi(decimals) >= 1.0).unwrap_or(3);
        format!("{seconds:.0$}", decimals as usize)
    }
}

impl fmt::Display for Interval {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Interval::Every(interval) => {
                write!(f, "try +RTS -i{}, or let it run longer", Self::one_digit(*interval))
            }
            Interval::EveryCollection => f.write_str(
                "try +RTS -i0, which takes a sample at every major collection, and let it run longer",
            ),
            Interval::Same => f.write_str("let it run longer"),
            Interval::Shorter => {
                f.write_str("take them more often, with +RTS -i, or let it run longer")
            }
        }
    }
}

/// What an error says: what was seen, and the way out if there is one.
struct ErrorText {
    seen: String,
    hint: Option<Cow<'static, str>>,
}

fn text(seen: impl Into<String>, hint: impl Into<Option<&'static str>>) -> ErrorText {
    ErrorText { seen: seen.into(), hint: hint.into().map(Cow::Borrowed) }
}

impl Error {
    fn text(&self) -> ErrorText {
        match self {
            Error::Empty => text(
                "the file is empty",
                "a program that is killed at once leaves an empty file, and a .prof is empty until \
                 the program ends; run it again and let it end",
            ),
            Error::Compression => text(
                "damaged from the first byte: it cannot be decompressed",
                "copy the file again",
            ),
            Error::ZstdWindow { window } => text(
                format!(
                    "compressed with zstd's long mode: decompressing needs a window of {} MiB, and at \
                     most 128 MiB are allowed",
                    window / (1024 * 1024)
                ),
                "decompress it first: zstd -dc --long=31 FILE | heapviz - -o heap.svg",
            ),
            Error::NotAProfile(lookalike) => {
                let ErrorText { seen, hint } = lookalike.text();
                ErrorText { seen: format!("not a heap profile: {seen}"), hint }
            }
            Error::Header { at, what, as_text } => text(
                format!("byte {at}: damaged event-log header: {what}"),
                match as_text {
                    true => {
                        "the file was damaged as text: line ends or characters were rewritten; copy it \
                         again in binary mode"
                    }
                    false => "nothing after it can be read; copy the file again",
                },
            ),
            Error::HeaderCut { at } => text(
                format!("byte {at}: the event log ends inside its header"),
                "nothing can be drawn from it; the .hp file of the same run, if there is one, is \
                 complete up to the end",
            ),
            Error::Statement { line, what } => text(
                format!("line {line}: {what}"),
                "hp2ps does not read such a file; a modern chart does: heapviz FILE -o heap.svg",
            ),
            Error::MissingHeader(line) => text(
                format!("there is no {line} line"),
                "hp2ps does not read such a file; a modern chart does: heapviz FILE -o heap.svg",
            ),
            Error::NoSamples(reason) => reason.text(),
            Error::NoSuchRun { asked, runs } => text(
                format!("there is no run {asked}: the input holds {}", count(*runs, "run")),
                None,
            ),
            Error::Window(reason) => reason.text(),
            Error::Report { line, what } => text(
                format!("line {line}: {what}"),
                "a report is written when the program ends: run it again and let it end",
            ),
            Error::ReportJson { line } => text(
                format!("line {line}: a report as JSON (-pj), of which only the text form is read"),
                "run with -P instead of -pj: the text has the same counts",
            ),
            // The caller knows how to raise the limit.
            Error::OverLimit { most, things, .. } => {
                text(format!("more than {most} {things}"), None)
            }
        }
    }

    /// What to do about it, if something can be done.
    pub fn hint(&self) -> Option<Cow<'static, str>> {
        self.text().hint
    }

    /// Whether a limit was exceeded; the code that sets limits knows how to raise it.
    pub fn is_over_limit(&self) -> bool {
        matches!(self, Error::OverLimit { .. })
    }
}

impl WindowError {
    fn text(&self) -> ErrorText {
        match self {
            WindowError::NoMarker { text: bound, markers } => text(
                format!(
                    "no marker has the text `{bound}`{}",
                    in_brackets("the markers are: ", markers)
                ),
                "a bound is a time (1.5s, 200ms, 2min; plain numbers are seconds), a time on the \
                 wall clock (03:10, 2026-11-22T03:10Z), the text of a marker, or a part of it that \
                 no other marker has",
            ),
            WindowError::Ambiguous { text: bound, markers } => text(
                format!("`{bound}` is in the text of several markers{}", in_brackets("", markers)),
                "give more of the text",
            ),
            WindowError::Backwards { from, to } => {
                text(format!("the part from {from} to {to} ends before it begins"), None)
            }
            WindowError::Empty { window, samples: Some(run) } => {
                text(format!("no sample {window}; the samples run {run}"), None)
            }
            WindowError::Empty { window, samples: None } => {
                text(format!("no sample {window}"), None)
            }
            WindowError::NoClock { text: bound } => text(
                format!(
                    "`{bound}` is a time on the wall clock, and the input does not say when its run began"
                ),
                "an event log says it; for other inputs, give a time since the start: 1.5s, 2min",
            ),
            WindowError::NoTimes { samples } => text(
                format!(
                    "the samples have no times: a bound must be the number of a sample, 1 to {samples}"
                ),
                None,
            ),
        }
    }
}

/// ` (`, some words, the texts in backquotes, and `)`; empty without texts.
fn in_brackets(words: &str, texts: &[String]) -> String {
    if texts.is_empty() {
        return String::new();
    }
    let quoted: Vec<String> = texts.iter().map(|text| format!("`{text}`")).collect();
    format!(" ({words}{})", quoted.join(", "))
}

impl Lookalike {
    fn text(self) -> ErrorText {
        let make_one = "run the program with +RTS -hy -l (profiled) or +RTS -hT -l (plain) and give \
                        the .eventlog or .hp that it writes";
        match self {
            Lookalike::GitLfsPointer => text(
                "it is a Git LFS pointer, the real file was not fetched",
                "run `git lfs pull` and try again",
            ),
            Lookalike::CompressedTwice => text(
                "it is compressed twice",
                "decompress it once: gunzip -c FILE | heapviz - -o heap.svg",
            ),
            Lookalike::Compressed(with) => {
                let hint = format!("decompress it first: {with} -dc FILE | heapviz - -o heap.svg");
                let seen = format!("it is compressed with {with}, and only gzip and zstd are read");
                ErrorText { seen, hint: Some(hint.into()) }
            }
            Lookalike::Zip => text(
                "it is a zip archive",
                "give the profile in it: unzip -p FILE.zip | heapviz - -o heap.svg",
            ),
            Lookalike::Utf16 => text(
                "it is text in UTF-16",
                "PowerShell's > rewrites what a program prints: let the program write the file \
                 itself; a .hp file can be converted: iconv -f UTF-16 -t UTF-8",
            ),
            Lookalike::Html => text(
                "it is an HTML page",
                "it may be the error page of a download; fetch the profile itself",
            ),
            Lookalike::OfHp2ps(what) => {
                text(format!("it is {what}"), "give the .hp file that hp2ps read to make it")
            }
            Lookalike::Foreign(what) => text(format!("it is {what}"), make_one),
            Lookalike::OtherFormat(what) => text(
                format!("it is {what}, and cannot be read as the flag says"),
                "leave the flag out: the format is recognised by content",
            ),
            Lookalike::OneLine => text(
                "it is a .hp file without its line ends, and names with blanks cannot be told apart \
                 without them",
                "give the file as the program wrote it, not a copy of its text",
            ),
            Lookalike::Binary => {
                text("it begins with neither `hdrb` (event log) nor `JOB` (.hp)", make_one)
            }
            Lookalike::Text => {
                text("it is text, but does not begin with the JOB line of a .hp file", make_one)
            }
        }
    }
}

impl NoSamples {
    /// Removes the command line of the program, and texts of the input.
    pub(crate) fn redact(&mut self) {
        match self {
            NoSamples::NotAsked { job } | NoSamples::OnlyRuntime { job } => *job = None,
            NoSamples::Damaged { first } => *first = None,
            NoSamples::BuffersLost
            | NoSamples::AutomaticOff
            | NoSamples::AskedButNone { .. }
            | NoSamples::BandsNotWritten
            | NoSamples::OnlyEmpty { .. }
            | NoSamples::FilteredOut { .. }
            | NoSamples::OnlyRetainerSets
            | NoSamples::OnlyTimeProfile
            | NoSamples::HeaderOnly
            | NoSamples::NoneComplete => {}
        }
    }

    fn text(&self) -> ErrorText {
        match self {
            NoSamples::NotAsked { job } => text(
                not_asked(job),
                "run it with a break-down flag together with -l: +RTS -hy -l, -hc -l (profiled) or \
                 -hT -l (any program)",
            ),
            NoSamples::OnlyRuntime { job } => text(
                not_asked(job),
                "a picture (-o gc.svg) shows its collections, and heapviz stats lists them; for bands \
                 run it with +RTS -hy -l, -hc -l (profiled) or -hT -l (any program)",
            ),
            NoSamples::BuffersLost => text(
                "the event log stops before its end mark and contains no sample: the program was \
                 killed or is still running, or the file is cut off",
                "a killed program loses what was in its buffers (2 MiB each); the .hp file \
                 next to the log is complete up to the kill, and from GHC 9.2 on \
                 +RTS --eventlog-flush-interval=1 keeps the log complete",
            ),
            NoSamples::AutomaticOff => text(
                "heap profiling was on, but the program ran with --no-automatic-heap-samples and \
                 asked for no sample",
                "leave the flag out, or call requestHeapCensus from GHC.Profiling",
            ),
            NoSamples::AskedButNone { interval } => {
                too_few("heap profiling was on, but no sample was taken", interval)
            }
            NoSamples::BandsNotWritten => text(
                "the samples have no bands: GHC before 8.10 did not write those of -hr and -hb \
                 to the event log",
                "use the .hp file of the same run",
            ),
            NoSamples::OnlyEmpty { samples, interval } => too_few(
                &format!("nothing to draw: {} in the file, all empty", count(*samples, "sample")),
                interval,
            ),
            NoSamples::FilteredOut { samples, filters, names } => {
                filtered_out(*samples, filters, names)
            }
            NoSamples::OnlyRetainerSets => text(
                "the report contains retainer sets but no time profile",
                "draw the .hp or .eventlog of the same run; +RTS -P adds a time profile to the \
                 report",
            ),
            NoSamples::OnlyTimeProfile => text(
                "there is a time profile, but no sample of the heap",
                "`heapviz FILE --view flame -o x.svg` draws it as a flame graph; heap samples come from +RTS -h... -l",
            ),
            NoSamples::HeaderOnly => text(
                "a .hp header without a single complete sample",
                "the run ended before its first sample; let it run longer, or sample more often, +RTS -i",
            ),
            NoSamples::NoneComplete => text(
                "no sample is complete: the file ends inside the first one",
                "if a copy was cut off, copy it again; if not, let the program run longer, or \
                 sample more often, +RTS -i",
            ),
            NoSamples::Damaged { first } => {
                let first = first.as_ref().map_or(String::new(), |first| format!(": {first}"));
                text(
                    format!("the file is damaged, and no sample in it can be read{first}"),
                    "copy the file again, or use the other profile of the run, .hp or .eventlog",
                )
            }
        }
    }
}

fn not_asked(job: &Option<String>) -> String {
    match job {
        Some(job) => {
            format!("no heap profile in this event log: `{}` had no -h flag", visible(job))
        }
        None => "no heap profile in this event log, and no sign that one was asked for".to_owned(),
    }
}

fn too_few(seen: &str, interval: &Interval) -> ErrorText {
    let hint = format!("{interval}; GHC's timer counts only while the program runs");
    ErrorText { seen: seen.to_owned(), hint: Some(hint.into()) }
}

fn filtered_out(samples: usize, filters: &str, names: &[String]) -> ErrorText {
    let seen = format!(
        "nothing to draw: {} in the file, all empty: the filter by {} lets nothing through",
        count(samples, "sample"),
        visible(filters)
    );
    let near = match names.is_empty() {
        true => String::new(),
        false => format!("; the log has {}", visible(&names.join(", "))),
    };
    let hint = format!("filter by a name that the program has, or leave the filter out{near}");
    ErrorText { seen, hint: Some(hint.into()) }
}

macro_rules! displayed {
    ($($error:ty),*) => {$(
        impl fmt::Display for $error {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.text().seen)
            }
        }
    )*};
}

displayed!(Error, WindowError, Lookalike, NoSamples);

impl std::error::Error for Error {}

impl std::error::Error for WindowError {}

impl From<WindowError> for Error {
    fn from(error: WindowError) -> Self {
        Error::Window(error)
    }
}

/// How many characters of the input at an incident's place are kept.
const KEPT_OF_TEXT: usize = 60;

/// The beginning of a text, fit for a message.
pub(crate) fn beginning(text: &[u8]) -> Box<str> {
    let text = String::from_utf8_lossy(&text[..text.len().min(4 * KEPT_OF_TEXT)]);
    let mut shown = visible(&text.chars().take(KEPT_OF_TEXT).collect::<String>());
    if text.chars().nth(KEPT_OF_TEXT).is_some() {
        shown.push_str("...");
    }
    shown.into()
}
