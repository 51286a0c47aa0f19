//! Where each chart goes, settled before anything is read.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use clap::ValueEnum;

/// What is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// A picture for browsers and READMEs
    Svg,
    /// A picture for chat and issues
    Png,
    /// A picture for papers
    Pdf,
    /// A picture for LaTeX with dvips, and for journals
    Eps,
    /// The same as a page of its own
    Ps,
    /// An interactive page in one file, to explore a profile in
    Html,
    /// The numbers behind the chart
    Json,
    /// The numbers as a table: a row a sample, a column a band
    Csv,
    /// The whole profile as a text profile, for older tools
    Hp,
    /// Stacks for speedscope
    Speedscope,
    /// Stacks for pprof
    Pprof,
    /// Stacks, a line each, for flamegraph.pl and inferno
    Folded,
}

impl Format {
    fn ending(self) -> &'static str {
        match self {
            Format::Svg => "svg",
            Format::Png => "png",
            Format::Pdf => "pdf",
            Format::Eps => "eps",
            Format::Ps => "ps",
            Format::Html => "html",
            Format::Json => "json",
            Format::Csv => "csv",
            Format::Hp => "hp",
            Format::Speedscope => "speedscope.json",
            Format::Pprof => "pb.gz",
            Format::Folded => "folded",
        }
    }

    fn of_ending(path: &Path) -> Option<Format> {
        // An ending can be read of a name that is not UTF-8.
        let name = path.file_name()?.to_string_lossy().to_ascii_lowercase();
        let all = Self::value_variants().iter().copied();
        // Of `.speedscope.json` and `.json` the longer one is meant.
        all.filter(|format| name.strip_suffix(format.ending()).is_some_and(|f| f.ends_with('.')))
            .max_by_key(|format| format.ending().len())
    }

    /// Whether it holds stacks, of one instant or of a time profile.
    pub fn is_of_stacks(self) -> bool {
        matches!(self, Format::Speedscope | Format::Pprof | Format::Folded)
    }
}

/// Where bytes come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Input {
    /// `-`.
    Stdin,
    /// A path.
    File(PathBuf),
}

impl Input {
    /// The input that a word means: `-` is standard input.
    pub fn of(path: &Path) -> Self {
        if path == Path::new("-") { Input::Stdin } else { Input::File(path.to_owned()) }
    }

    /// What messages call it.
    pub fn name(&self) -> String {
        match self {
            Input::Stdin => "standard input".to_owned(),
            Input::File(path) => path.display().to_string(),
        }
    }
}

/// Where bytes go.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Output {
    /// `-`.
    Stdout,
    /// A path.
    File(PathBuf),
}

impl Output {
    /// The output that a word means: `-` is standard output.
    pub fn of(path: &Path) -> Self {
        if path == Path::new("-") { Output::Stdout } else { Output::File(path.to_owned()) }
    }
}

/// One input and its output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Job {
    /// Where the profile comes from.
    pub input: Input,
    /// Where the chart goes.
    pub output: Output,
    /// What is written.
    pub format: Format,
}

/// The jobs of a command line; a message when they cannot be told, or would hurt each other.
pub fn jobs(
    inputs: &[PathBuf],
    output: Option<&Path>,
    format: Option<Format>,
) -> Result<Vec<Job>, String> {
    let jobs = inputs
        .iter()
        .map(|input| job(input, output, format, inputs.len()))
        .collect::<Result<Vec<_>, _>>()?;
    if is_one_page(&jobs) {
        return Ok(jobs);
    }
    let mut writers: HashMap<PathBuf, usize> = HashMap::new();
    for (i, job) in jobs.iter().enumerate() {
        if let Output::File(path) = &job.output
            && let Some(earlier) = writers.insert(place(path), i)
        {
            return Err(format!(
                "{} and {} would both be written to {}; draw one of them with -o FILE",
                inputs[earlier].display(),
                inputs[i].display(),
                path.display()
            ));
        }
    }
    Ok(jobs)
}

/// Whether the jobs are the runs of one page, which is written at once.
pub fn is_one_page(jobs: &[Job]) -> bool {
    let [first, rest @ ..] = jobs else { return false };
    !rest.is_empty()
        && rest.iter().all(|job| job.format == Format::Html && job.output == first.output)
        && first.format == Format::Html
}

/// What inputs are called beside each other: the names of their files, with as many folders as it
/// takes to tell them apart.
pub fn short_names<'a>(inputs: impl Iterator<Item = &'a Input>) -> Vec<String> {
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

fn job(
    input: &Path,
    output: Option<&Path>,
    format: Option<Format>,
    inputs: usize,
) -> Result<Job, String> {
    let is_dash = |path: &Path| path == Path::new("-");
    let source = if is_dash(input) { Input::Stdin } else { Input::File(input.to_owned()) };
    let (output, format) = match output {
        None if is_dash(input) => (Output::Stdout, format.unwrap_or(Format::Svg)),
        None => {
            let format = format.unwrap_or(Format::Svg);
            (Output::File(uncompressed(input).with_extension(format.ending())), format)
        }
        Some(path) if path.is_dir() || ends_with_separator(path) => {
            let format = format.unwrap_or(Format::Svg);
            let mut name = match is_dash(input) {
                true => OsStr::new("heap").to_owned(),
                false => uncompressed(input).file_stem().unwrap_or(OsStr::new("heap")).to_owned(),
            };
            // `with_extension` would take the `.1` of prog.1 for an ending.
            name.push(".");
            name.push(format.ending());
            (Output::File(path.join(name)), format)
        }
        Some(path)
            if inputs > 1
                && (is_dash(path)
                    || format.or_else(|| Format::of_ending(path)) != Some(Format::Html)) =>
        {
            return Err(
                "several inputs give several outputs: leave -o out to write each beside its \
                 input, or name a folder that exists; or name one page, such as heap.html"
                    .to_owned(),
            );
        }
        Some(path) if is_dash(path) => (Output::Stdout, format.unwrap_or(Format::Svg)),
        Some(path) => {
            let Some(format) = format.or_else(|| Format::of_ending(path)) else {
                return Err(format!(
                    "cannot tell the format of {} from its ending: use .svg, .png, .pdf, .eps, .ps, \
                     .html, .json, .csv, .hp, .speedscope.json, .pb.gz or .folded, or say it with -f",
                    path.display()
                ));
            };
            (Output::File(path.to_owned()), format)
        }
    };
    Ok(Job { input: source, output, format })
}

/// The name without the ending of a compressed file: `prog.hp.gz` is drawn as `prog.svg`.
fn uncompressed(path: &Path) -> PathBuf {
    match path.extension().and_then(OsStr::to_str) {
        Some("gz" | "zst") => path.with_extension(""),
        _ => path.to_owned(),
    }
}

fn ends_with_separator(path: &Path) -> bool {
    path.as_os_str().as_encoded_bytes().last().is_some_and(|&byte| byte == b'/')
}

/// The file that a path names: through links to the one that they lead to, whether it is there yet
/// or not. Two spellings of one file have one answer.
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

/// The folder that a path stands in.
fn folder(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if parent != Path::new("") => parent,
        _ => Path::new("."),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(input: &str, output: Option<&str>, format: Option<Format>) -> Result<Job, String> {
        let output = output.map(Path::new);
        jobs(&[PathBuf::from(input)], output, format).map(|mut jobs| jobs.remove(0))
    }

    fn file(path: &str) -> Output {
        Output::File(PathBuf::from(path))
    }

    #[test]
    fn the_chart_goes_beside_its_input() {
        assert_eq!(one("a/prog.hp", None, None).unwrap().output, file("a/prog.svg"));
        assert_eq!(one("prog.1.eventlog", None, None).unwrap().output, file("prog.1.svg"));
        assert_eq!(one("prog.hp.gz", None, None).unwrap().output, file("prog.svg"));
        assert_eq!(one("prog", None, Some(Format::Csv)).unwrap().output, file("prog.csv"));
        assert_eq!(one("-", None, None).unwrap().output, Output::Stdout);
    }

    #[test]
    fn the_ending_tells_the_format_unless_a_flag_does() {
        let format = |output, format| one("x.hp", Some(output), format).map(|job| job.format);
        assert_eq!(format("heap.JSON", None), Ok(Format::Json));
        assert_eq!(format("heap.txt", Some(Format::Csv)), Ok(Format::Csv));
        assert_eq!(format("-", None), Ok(Format::Svg));
        assert!(format("heap.gif", None).unwrap_err().contains(".svg"));
        assert!(format("heap", None).is_err());
    }

    #[test]
    fn a_folder_takes_the_charts_of_several_inputs() {
        let inputs = ["a/x.hp", "b/y.eventlog"].map(PathBuf::from);
        let both = jobs(&inputs, Some(Path::new("out/")), None).unwrap();
        assert_eq!(both[0].output, file("out/x.svg"));
        assert_eq!(both[1].output, file("out/y.svg"));
        assert!(jobs(&inputs, Some(Path::new("one.svg")), None).is_err());
        let numbered = ["prog.1.hp", "prog.2.hp.gz"].map(PathBuf::from);
        let both = jobs(&numbered, Some(Path::new("out/")), None).unwrap();
        assert_eq!(both[0].output, file("out/prog.1.svg"));
        assert_eq!(both[1].output, file("out/prog.2.svg"));
    }

    #[test]
    fn several_inputs_can_be_one_page() {
        let inputs = ["a/x.hp", "b/x.hp", "y.eventlog"].map(PathBuf::from);
        let page = jobs(&inputs, Some(Path::new("out.html")), None).unwrap();
        assert!(is_one_page(&page));
        let names = short_names(page.iter().map(|job| &job.input));
        assert_eq!(names, ["a/x.hp", "b/x.hp", "y.eventlog"]);
        assert!(!is_one_page(&jobs(&inputs[..1], Some(Path::new("out.html")), None).unwrap()));
        assert!(!is_one_page(&jobs(&inputs[1..], None, Some(Format::Html)).unwrap()));
    }

    #[test]
    fn two_charts_never_go_to_one_file() {
        for inputs in [["x.hp", "x.eventlog"], ["x.hp", "./x.eventlog"]] {
            let inputs = inputs.map(PathBuf::from);
            assert!(jobs(&inputs, None, None).unwrap_err().contains("x.svg"));
        }
    }
}
