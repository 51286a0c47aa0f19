//! What is known about the run that was profiled.

use super::{Breakdown, Process};

/// Facts about the profiled run. A `.hp` file has only the job line and the date, an event log has
/// the rest.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Metadata {
    /// The command line in one string: the JOB line of a `.hp`; for an event log, the program's
    /// base name and its arguments joined by blanks.
    pub job: Option<String>,
    /// The arguments in the log, program first, including run-time flags. Empty for `.hp`.
    pub arguments: Vec<String>,
    /// When the run began: the DATE line of a `.hp` (local time); for an event log the wall clock
    /// in UTC, `2026-11-20 23:53 UTC`.
    pub date: Option<String>,
    /// The process, as far as an event log identifies it.
    pub process: Process,
    /// The run-time system's name for itself, `GHC-9.10.3 rts_thr_p`.
    pub rts: Option<String>,
    /// The requested time between samples in nanoseconds (`-i`); 0 requests one at every
    /// collection.
    pub period_ns: Option<u64>,
    /// The unit of a `.hp`'s time axis, from its SAMPLE_UNIT line.
    pub sample_unit: Option<String>,
    /// The unit of a `.hp`'s values, from its VALUE_UNIT line.
    pub value_unit: Option<String>,
    /// Whether the samples of a `.hp` are those of two processes in turn, as after a fork.
    pub(crate) interleaved: bool,
    /// The filters that the profiler itself applied; with any filter, the bands are not the whole
    /// heap.
    pub filters: Filters,
}

impl Metadata {
    /// Takes unknown facts from a later log of the same run.
    pub(super) fn fill_from(&mut self, later: Metadata) {
        self.job = self.job.take().or(later.job);
        if self.arguments.is_empty() {
            self.arguments = later.arguments;
        }
        self.date = self.date.take().or(later.date);
        let (ours, theirs) = (self.process, later.process);
        self.process = Process {
            id: ours.id.or(theirs.id),
            epoch_ns: ours.epoch_ns.or(theirs.epoch_ns),
            dated: ours.dated.or(theirs.dated),
        };
        self.rts = self.rts.take().or(later.rts);
        self.period_ns = self.period_ns.or(later.period_ns);
        self.sample_unit = self.sample_unit.take().or(later.sample_unit);
        self.value_unit = self.value_unit.take().or(later.value_unit);
        if self.filters.is_empty() {
            self.filters = later.filters;
        }
    }

    /// When the run began on the wall clock, in nanoseconds since 1970: the time zero of an event log. `None`
    /// where the input does not say it exactly. The date of a `.hp` is local time without a zone, to the
    /// minute.
    pub fn started_unix_ns(&self) -> Option<i64> {
        self.process.epoch_ns.and_then(|start| i64::try_from(start).ok())
    }

    /// The GHC version of [`Metadata::rts`]: `9.10.3`.
    pub fn ghc_version(&self) -> Option<&str> {
        let version = self.rts.as_deref()?.strip_prefix("GHC-")?.split(' ').next()?;
        (!version.is_empty()).then_some(version)
    }

    /// Whether the program was built for profiling, as the way in [`Metadata::rts`] says
    /// (`rts_thr_p`). A plain program's job line has no arguments, so one that shows run-time flags
    /// came from a profiled program too.
    pub fn is_profiled(&self) -> bool {
        match &self.rts {
            Some(rts) => rts.split(' ').nth(1).is_some_and(|way| way.split('_').any(|w| w == "p")),
            None => self.job.as_deref().is_some_and(|job| job.contains("+RTS")),
        }
    }

    /// The command line in one string, as the run-time system writes it into a `.hp`: the
    /// program's base name, its own arguments, then `+RTS` and the run-time flags.
    pub fn job_of(arguments: &[String]) -> String {
        let Some((program, rest)) = arguments.split_first() else { return String::new() };
        let base = program.rsplit('/').next().unwrap_or(program);
        let (own, flags) = sorted(rest.iter().map(String::as_str));
        let marker = if flags.is_empty() { None } else { Some("+RTS") };
        let words = std::iter::once(base).chain(own).chain(marker).chain(flags);
        words.collect::<Vec<_>>().join(" ")
    }

    /// The seconds between samples that were asked for, in the log or among the flags; 0 asks for one at every collection.
    pub(crate) fn seconds_between_samples(&self) -> Option<f64> {
        let flags = self.rts_flags();
        let flag = || flags.iter().rev().find_map(|flag| flag.strip_prefix("-i")?.parse().ok());
        let seconds = self.period_ns.map(|period| period as f64 / 1e9).or_else(flag);
        seconds.filter(|seconds| *seconds >= 0.0)
    }

    /// How many bytes of a name the run-time system writes: `-L`, by default 25.
    pub fn longest_name(&self) -> usize {
        let given = self.rts_flags().into_iter().rev().find_map(|flag| flag.strip_prefix("-L"));
        given.and_then(|number| number.parse().ok()).unwrap_or(25)
    }

    /// The run-time flags of the command line: what is between `+RTS` and `-RTS`.
    pub fn rts_flags(&self) -> Vec<&str> {
        self.words().1
    }

    /// The program and its own arguments. A `.hp` has them in one string, in which words that contain blanks are
    /// no longer told apart.
    pub(crate) fn own_words(&self) -> Vec<&str> {
        self.words().0
    }

    fn words(&self) -> (Vec<&str>, Vec<&str>) {
        match (&self.arguments[..], &self.job) {
            ([], None) => (Vec::new(), Vec::new()),
            ([], Some(job)) => sorted(job.split(' ')),
            (words, _) => sorted(words.iter().map(String::as_str)),
        }
    }
}

/// The words of a command line that are for the program, and those for the run-time system.
fn sorted<'a>(words: impl Iterator<Item = &'a str>) -> (Vec<&'a str>, Vec<&'a str>) {
    let (mut own, mut flags) = (Vec::new(), Vec::new());
    let (mut is_flag, mut is_own_for_good) = (false, false);
    for word in words {
        match word {
            _ if is_own_for_good => own.push(word),
            "--RTS" => is_own_for_good = true,
            "+RTS" => is_flag = true,
            "-RTS" if is_flag => is_flag = false,
            _ if is_flag => flags.push(word),
            _ => own.push(word),
        }
    }
    (own, flags)
}

/// The seven filters of `HEAP_PROF_BEGIN` (`docs/format/eventlog.md#filters`), each with the text
/// given to the run-time system, which is empty if it was not given.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filters {
    texts: [String; 7],
}

impl Filters {
    /// The filter's name and flag, in the order of the event.
    pub const KINDS: [(&'static str, &'static str); 7] = [
        ("module", "-hm"),
        ("closure description", "-hd"),
        ("type description", "-hy"),
        ("cost centre", "-hc"),
        ("cost-centre stack", "-hC"),
        ("retainer", "-hr"),
        ("biography", "-hb"),
    ];

    /// The filters with other texts; a filter that is not set stays unset.
    #[must_use]
    pub(crate) fn map(&self, change: impl Fn(&str) -> String) -> Filters {
        let changed = |text: &String| if text.is_empty() { String::new() } else { change(text) };
        Filters { texts: self.texts.each_ref().map(changed) }
    }

    /// Filters from their seven texts.
    pub fn new(texts: [String; 7]) -> Self {
        Filters { texts }
    }

    /// The filters that a command line's run-time flags set: `-h` with a letter and a text.
    pub fn from_flags<'a>(flags: impl IntoIterator<Item = &'a str>) -> Self {
        let mut filters = Filters::default();
        for flag in flags {
            for (i, (_, prefix)) in Self::KINDS.iter().enumerate() {
                if let Some(text) = flag.strip_prefix(prefix).filter(|text| !text.is_empty()) {
                    filters.texts[i] = text.to_owned();
                }
            }
        }
        filters
    }

    /// The filters that are set: (name, text).
    pub fn set(&self) -> impl Iterator<Item = (&'static str, &str)> {
        Self::KINDS
            .iter()
            .zip(&self.texts)
            .filter(|(_, text)| !text.is_empty())
            .map(|((name, _), text)| (*name, text.as_str()))
    }

    /// Whether a filter by biography was set, with which the samples of a log have no times, unless the bands
    /// are phases of life, too: they are written at exit with ordinary begin events.
    /// Source: `docs/format/eventlog.md#biography`.
    pub(super) fn loses_times(&self, breakdown: Breakdown) -> bool {
        !self.texts[6].is_empty() && breakdown != Breakdown::Biography
    }

    /// Whether no filter is set.
    pub fn is_empty(&self) -> bool {
        self.texts.iter().all(String::is_empty)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_stand_between_the_rts_marks() {
        let args = ["./prog", "-hy", "+RTS", "-hc", "-RTS", "x", "+RTS", "-l", "--RTS", "+RTS"];
        let metadata =
            Metadata { arguments: args.map(String::from).to_vec(), ..Metadata::default() };
        assert_eq!(metadata.rts_flags(), ["-hc", "-l"]);
        let job = Metadata { job: Some("prog 1 +RTS -hm -L60".into()), ..Metadata::default() };
        assert_eq!(job.rts_flags(), ["-hm", "-L60"]);
        assert!(job.is_profiled());
    }
}
