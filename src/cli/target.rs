//! Decides where each chart goes, before anything is read.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use super::{DocumentKind, Format};
use crate::slice::Privacy;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Input {
    Stdin,
    File(PathBuf),
}

impl Input {
    /// The input that a word means: `-` is standard input.
    pub fn new(path: &Path) -> Self {
        if path == Path::new("-") { Input::Stdin } else { Input::File(path.to_owned()) }
    }

    pub fn name(&self) -> String {
        match self {
            Input::Stdin => "standard input".to_owned(),
            Input::File(path) => path.display().to_string(),
        }
    }

    pub fn title(&self, privacy: Privacy) -> String {
        match (self, privacy) {
            (Input::File(path), Privacy::Redact) => {
                path.file_name().unwrap_or_default().to_string_lossy().into_owned()
            }
            (Input::File(_), Privacy::Show) | (Input::Stdin, Privacy::Redact | Privacy::Show) => {
                self.name()
            }
        }
    }

    /// What documents call its file; `None` for standard input.
    pub fn file(&self, privacy: Privacy) -> Option<String> {
        match self {
            Input::Stdin => None,
            Input::File(_) => Some(self.title(privacy)),
        }
    }
}

/// Where the bytes of an output go.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Output {
    Stdout,
    File(PathBuf),
}

impl Output {
    /// The output that a word means: `-` is standard output.
    pub fn new(path: &Path) -> Self {
        if path == Path::new("-") { Output::Stdout } else { Output::File(path.to_owned()) }
    }
}

/// A place, and the format that is written there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    pub output: Output,
    pub format: Format,
}

/// What `draw` and `watch` make of a run.
pub const OF_A_RUN: &[DocumentKind] = &[DocumentKind::Chart, DocumentKind::Stacks];

/// One input with the files of the same run, and everything that is made from it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Job {
    pub input: Input,
    /// The `.hp` of the same run, if both were named. It is read if the event log has no samples.
    pub twin: Option<Input>,
    /// The report (`.prof`) of the same run, if both were named.
    pub report: Option<Input>,
    /// The outputs, all from one reading.
    pub targets: Vec<Target>,
}

impl Job {
    /// A profile on its own, from which nothing is made yet.
    pub fn new(path: &Path) -> Self {
        Job { input: Input::new(path), twin: None, report: None, targets: Vec::new() }
    }

    /// Every file that the job reads.
    pub fn inputs(&self) -> impl Iterator<Item = &Input> {
        [Some(&self.input), self.twin.as_ref(), self.report.as_ref()].into_iter().flatten()
    }
}

/// The profiles of a command line, each with the report of the same run if both were named.
pub fn with_reports(inputs: &[PathBuf]) -> Vec<Job> {
    paired(inputs, &[])
}

/// The profiles of a command line without those that are second in a pair: a twin, or a report.
fn paired(inputs: &[PathBuf], twins: &[(usize, usize)]) -> Vec<Job> {
    let reports = reports(inputs);
    let is_second = |i: usize| twins.iter().chain(&reports).any(|&(_, second)| second == i);
    let second = |pairs: &[(usize, usize)], i: usize| {
        let pair = pairs.iter().find(|&&(first, _)| first == i);
        pair.map(|&(_, second)| Input::new(&inputs[second]))
    };
    let job = |i: usize| Job {
        twin: second(twins, i),
        report: second(&reports, i),
        ..Job::new(&inputs[i])
    };
    (0..inputs.len()).filter(|&i| !is_second(i)).map(job).collect()
}

/// The jobs of a command line, or a message if an output is unclear or two jobs would write one
/// file.
pub fn jobs(
    inputs: &[PathBuf],
    outputs: &[PathBuf],
    format: Option<Format>,
) -> Result<Vec<Job>, String> {
    let mut jobs = paired(inputs, &twins(inputs));
    let counts = (jobs.len(), outputs.len());
    for Job { input, targets, .. } in &mut jobs {
        let target = |output| target(input, output, format, counts);
        *targets = match outputs {
            [] => vec![target(None)?],
            outputs => {
                outputs.iter().map(|output| target(Some(output))).collect::<Result<_, _>>()?
            }
        };
    }
    // A page can show several inputs; no other format can.
    let own = |target: &&Target| !is_shared(target, &jobs);
    let targets =
        jobs.iter().flat_map(|job| job.targets.iter().filter(own).map(move |t| (job, &t.output)));
    refuse_same_place(targets.map(|(job, output)| (Some(&job.input), output)))?;
    Ok(jobs)
}

/// Whether a target is a single page of several inputs.
pub fn is_shared(target: &Target, jobs: &[Job]) -> bool {
    target.format.is_page() && jobs.len() > 1 && jobs.iter().all(|job| job.targets.contains(target))
}

/// Short names of several inputs: the names of their files, with as many folders as are needed to
/// distinguish them. Redacted names have no folders, and those that are equal get numbers.
pub fn short_names<'a>(
    inputs: impl Iterator<Item = &'a Input> + Clone,
    privacy: Privacy,
) -> Vec<String> {
    if privacy == Privacy::Redact {
        let names: Vec<String> = inputs.map(|input| input.title(privacy)).collect();
        let number = |at: usize| names[..at].iter().filter(|name| **name == names[at]).count() + 1;
        return (0..names.len())
            .map(|at| match number(at) {
                1 => names[at].clone(),
                number => format!("{} ({number})", names[at]),
            })
            .collect();
    }
    let paths: Vec<Vec<String>> = inputs
        .map(|input| match input {
            Input::Stdin => vec!["-".to_owned()],
            Input::File(path) => {
                path.iter().rev().map(|part| part.to_string_lossy().into_owned()).collect()
            }
        })
        .collect();
    let short = |path: &[String], parts: usize| {
        let mut parts: Vec<&str> = path.iter().take(parts).map(String::as_str).collect();
        parts.reverse();
        parts.join("/")
    };
    let is_alone = |path: &[String], parts: usize| {
        paths.iter().filter(|other| short(other, parts) == short(path, parts)).count() == 1
    };
    let name = |path: &Vec<String>| {
        let parts = (1..path.len()).find(|&parts| is_alone(path, parts)).unwrap_or(path.len());
        short(path, parts)
    };
    paths.iter().map(name).collect()
}

/// The pairs of an event log and a `.hp` that GHC wrote for one run under one name, by their
/// indices among the inputs.
fn twins(inputs: &[PathBuf]) -> Vec<(usize, usize)> {
    let of = |wanted: &'static str| {
        inputs.iter().enumerate().filter_map(move |(i, input)| {
            let (stem, ending) = stem_and_ending(input);
            (ending.as_deref() == Some(wanted)).then_some((i, stem))
        })
    };
    let pair = |(log, stem): (usize, PathBuf)| {
        let mut same = of("hp").filter(|(_, other)| *other == stem);
        let hp = same.next()?.0;
        (same.next().is_none() && of("eventlog").filter(|(_, other)| *other == stem).count() == 1)
            .then_some((log, hp))
    };
    of("eventlog").filter_map(pair).collect()
}

/// The pairs of a profile and a report (`.prof`), by their indices among the inputs: files with the
/// same name, or any two inputs if there are only two. Whether they belong to one run is checked when
/// they are read.
fn reports(inputs: &[PathBuf]) -> Vec<(usize, usize)> {
    let stem = |i: usize| stem_and_ending(&inputs[i]).0;
    let is_report = |i: &usize| stem_and_ending(&inputs[*i]).1.as_deref() == Some("prof");
    let seconds: Vec<usize> = twins(inputs).into_iter().map(|(_, hp)| hp).collect();
    let (reports, profiles): (Vec<usize>, Vec<usize>) =
        (0..inputs.len()).filter(|i| !seconds.contains(i)).partition(is_report);
    if let ([report], [profile]) = (&reports[..], &profiles[..]) {
        return vec![(*profile, *report)];
    }
    let only = |stem_of: usize, among: &[usize]| {
        let mut same = among.iter().copied().filter(|&i| stem(i) == stem(stem_of));
        same.next().filter(|_| same.next().is_none())
    };
    profiles
        .iter()
        .filter_map(|&profile| {
            let report = only(profile, &reports)?;
            (only(report, &profiles) == Some(profile)).then_some((profile, report))
        })
        .collect()
}

/// Refuses two outputs to one place.
fn refuse_same_place<'a>(
    outputs: impl Iterator<Item = (Option<&'a Input>, &'a Output)>,
) -> Result<(), String> {
    let mut writers: HashMap<Option<PathBuf>, Option<&Input>> = HashMap::new();
    for (input, output) in outputs {
        let (key, name) = match output {
            Output::Stdout => (None, "standard output".to_owned()),
            Output::File(path) => (Some(place(path)), path.display().to_string()),
        };
        match (writers.insert(key, input), input) {
            (Some(Some(earlier)), Some(input)) if earlier != input => {
                return Err(format!(
                    "{} and {} would both be written to {name}; draw one of them with -o FILE",
                    earlier.name(),
                    input.name(),
                ));
            }
            (Some(_), _) => return Err(format!("two outputs would go to {name}")),
            (None, _) => {}
        }
    }
    Ok(())
}

/// The outputs of a verb that writes one document of all its inputs; standard output if none is given.
/// `format` is for outputs whose ending does not determine it.
pub fn targets(
    outputs: &[PathBuf],
    format: Option<Format>,
    usual: Format,
    kinds: &'static [DocumentKind],
) -> Result<Vec<Target>, String> {
    if outputs.is_empty() {
        return Ok(vec![Target { output: Output::Stdout, format: format.unwrap_or(usual) }]);
    }
    let one = |path: &PathBuf| {
        let output = Output::new(path);
        let format = match output {
            Output::Stdout => format.unwrap_or(usual),
            Output::File(_) => format_of(path, format, outputs.len(), kinds)?,
        };
        Ok(Target { output, format })
    };
    let targets: Vec<Target> = outputs.iter().map(one).collect::<Result<_, String>>()?;
    refuse_same_place(targets.iter().map(|target| (None, &target.output)))?;
    Ok(targets)
}

/// The format of a file: `-f` overrides the ending, unless it stands for several outputs.
fn format_of(
    path: &Path,
    format: Option<Format>,
    outputs: usize,
    kinds: &'static [DocumentKind],
) -> Result<Format, String> {
    let by_ending = || Format::of_ending(path, kinds);
    let found = match outputs {
        1 => format.or_else(by_ending),
        _ => by_ending().or(format),
    };
    found.ok_or_else(|| {
        let endings = Format::of(kinds).map(|format| format!(".{}", format.spec().ending));
        let (path, known) = (path.display(), endings.collect::<Vec<_>>().join(", "));
        format!("cannot tell the format of {path} from its extension: use {known}")
    })
}

/// Where a chart of an input goes, given the number of inputs and outputs.
fn target(
    input: &Input,
    output: Option<&PathBuf>,
    format: Option<Format>,
    (inputs, outputs): (usize, usize),
) -> Result<Target, String> {
    let is_dash = |path: &Path| path == Path::new("-");
    let usual = format.unwrap_or(Format::Svg);
    let file = |path: PathBuf, format| Target { output: Output::File(path), format };
    let plain = match input {
        Input::Stdin => None,
        Input::File(path) => Some(uncompressed(path)),
    };
    Ok(match output {
        None => match plain {
            None => Target { output: Output::Stdout, format: usual },
            Some(plain) => file(plain.with_extension(usual.spec().ending), usual),
        },
        Some(path) if path.is_dir() || ends_with_separator(path) => {
            let stem = plain.as_deref().and_then(Path::file_stem);
            let mut name = stem.unwrap_or(OsStr::new("heap")).to_owned();
            // `with_extension` would take the `.1` of `prog.1` for an ending.
            name.push(".");
            name.push(usual.spec().ending);
            file(path.join(name), usual)
        }
        Some(path) if inputs > 1 => {
            let by_ending = || Format::of_ending(path, OF_A_RUN);
            let format = if outputs == 1 { format.or_else(by_ending) } else { by_ending() };
            let Some(format) = format.filter(|format| format.is_page() && !is_dash(path)) else {
                return Err(
                    "several inputs give several outputs: leave out -o to write each next to its \
                     input, or name a folder that exists; a page, such as heap.html, can show \
                     all of them"
                        .to_owned(),
                );
            };
            file(path.clone(), format)
        }
        Some(path) if is_dash(path) => Target { output: Output::Stdout, format: usual },
        Some(path) => file(path.clone(), format_of(path, format, outputs, OF_A_RUN)?),
    })
}

/// The name of an input without its ending, and that in small letters.
fn stem_and_ending(input: &Path) -> (PathBuf, Option<String>) {
    let name = uncompressed(input);
    let ending = name.extension().and_then(OsStr::to_str).map(str::to_ascii_lowercase);
    (name.with_extension(""), ending)
}

/// The name without the ending of a compressed file: `prog.hp.gz` is drawn as `prog.svg`.
fn uncompressed(path: &Path) -> PathBuf {
    match path.extension().and_then(OsStr::to_str) {
        Some("gz" | "zst") => path.with_extension(""),
        _ => path.to_owned(),
    }
}

fn ends_with_separator(path: &Path) -> bool {
    let last = path.as_os_str().as_encoded_bytes().last();
    last.is_some_and(|&byte| std::path::is_separator(char::from(byte)))
}

/// The file that a path names, after following links, whether it exists yet or not. All spellings
/// of a path give the same result.
pub fn place(path: &Path) -> PathBuf {
    // As many links in a row as Linux follows.
    const MOST_LINKS: usize = 40;
    if let Ok(place) = fs::canonicalize(path) {
        return place;
    }
    let mut path = path.to_owned();
    for _ in 0..MOST_LINKS {
        let Ok(target) = fs::read_link(&path) else { break };
        path = folder(&path).join(target);
    }
    match (fs::canonicalize(folder(&path)), path.file_name()) {
        (Ok(folder), Some(name)) => folder.join(name),
        _ => path,
    }
}

/// The folder that contains a path.
pub fn folder(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if parent != Path::new("") => parent,
        _ => Path::new("."),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn several_inputs_can_be_one_page() {
        let inputs = ["a/x.hp", "b/x.hp", "y.eventlog"].map(PathBuf::from);
        let page = [PathBuf::from("out.html")];
        let jobs_of = |inputs: &[PathBuf]| jobs(inputs, &page, None).unwrap();
        let three = jobs_of(&inputs);
        assert!(three.iter().all(|job| is_shared(&job.targets[0], &three)));
        let names = short_names(three.iter().map(|job| &job.input), Privacy::Show);
        assert_eq!(names, ["a/x.hp", "b/x.hp", "y.eventlog"]);
        let names = short_names(three.iter().map(|job| &job.input), Privacy::Redact);
        assert_eq!(names, ["x.hp", "x.hp (2)", "y.eventlog"]);
        let one = jobs_of(&inputs[..1]);
        assert!(!is_shared(&one[0].targets[0], &one));
        let apart = jobs(&inputs[1..], &[], Some(Format::Html)).unwrap();
        assert!(!is_shared(&apart[0].targets[0], &apart));
        assert!(jobs(&inputs, &[PathBuf::from("out.svg")], None).is_err());
    }

    #[test]
    fn a_report_is_paired_with_its_namesake_or_the_only_profile() {
        let pairs = |inputs: &[&str]| {
            let inputs: Vec<PathBuf> = inputs.iter().map(PathBuf::from).collect();
            reports(&inputs)
        };
        assert_eq!(pairs(&["x.eventlog", "x.prof"]), [(0, 1)]);
        assert_eq!(pairs(&["other.prof", "x.hp.gz"]), [(1, 0)]);
        assert_eq!(pairs(&["x.eventlog", "x.hp", "x.prof"]), [(0, 2)]);
        assert_eq!(pairs(&["a.hp", "b.hp", "b.prof"]), [(1, 2)]);
        assert_eq!(pairs(&["a.hp", "b.hp", "c.prof"]), []);
        assert_eq!(pairs(&["a.prof", "b.prof"]), []);
        let inputs = ["x.hp", "x.prof"].map(PathBuf::from);
        let jobs = jobs(&inputs, &[PathBuf::from("out.svg")], None).unwrap();
        assert_eq!((jobs.len(), jobs[0].report.clone()), (1, Some(Input::new(&inputs[1]))));
    }
}
