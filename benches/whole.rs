//! Complete runs of heapviz compared with plain tools and its peers, as a Markdown table:
//! `cargo bench --bench whole -- --help`.
//!
//! Times on a shared machine mean little; the ratios within one run mean more. So the programs take turns,
//! and the best run of each counts.

#[path = "whole/child.rs"]
mod child;
#[path = "../examples/generate/generator/mod.rs"]
mod generator;
#[path = "whole/growth.rs"]
mod growth;
#[path = "whole/work.rs"]
mod work;

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use clap::Parser;
use heapviz::chart::Chart;
use heapviz::draw::{self, DrawOptions};
use heapviz::input::{InputOptions, read};
use heapviz::render::{SvgOptions, svg};
use heapviz::slice::Slice;
use heapviz::slice::rank::{RankOptions, rank};

use child::{Program, Run, installed};
use generator::Breakdown;
use work::{Input, Size, Work, rows};

/// Prints the time and memory that heapviz, plain tools and its peers need for generated profiles.
#[derive(Parser)]
#[command(name = "whole")]
struct Args {
    /// The size of the inputs.
    #[arg(long, value_enum, default_value_t = Size::Small)]
    size: Size,
    /// The time limit for a peer, in seconds.
    #[arg(long, default_value_t = 15)]
    patience: u64,
    /// The folder for the inputs, which are written one at a time; the system's folder for temporary files by
    /// default.
    #[arg(long)]
    folder: Option<PathBuf>,
    /// Print only how the time grows with samples, bands, markers, messages, collections and files.
    #[arg(long)]
    growth: bool,
    /// Run only the rows whose name contains this text.
    row: Option<String>,
    /// Given by cargo.
    #[arg(long, hide = true)]
    bench: bool,
}

const HEAPVIZ: &str = env!("CARGO_BIN_EXE_heapviz");

/// A peer slower than this is run only once: its ratio is too large for noise to matter.
const SLOW: Duration = Duration::from_secs(2);

fn main() -> io::Result<()> {
    let args = Args::parse();
    if cfg!(debug_assertions) {
        eprintln!("warning: not optimised; run it by `cargo bench --bench whole`");
    }
    let folder = match &args.folder {
        Some(folder) => tempfile::tempdir_in(folder)?,
        None => tempfile::tempdir()?,
    };
    if args.growth {
        return growth::print(Path::new(HEAPVIZ), folder.path(), &mut io::stdout().lock());
    }
    let patience = Duration::from_secs(args.patience);
    let peers: Peers = PEERS.iter().map(|&name| (name, installed(name))).collect();
    let present: Vec<&str> = peers.iter().filter(|peer| peer.1.is_some()).map(|p| p.0).collect();
    let missing: Vec<&str> = peers.iter().filter(|peer| peer.1.is_none()).map(|p| p.0).collect();
    let mut out = io::stdout().lock();
    writeln!(out, "{}", machine())?;
    if !missing.is_empty() {
        writeln!(out, "Not installed: {}.", missing.join(", "))?;
    }
    let names = ["work", "input", "heapviz", "peak memory", "`cat`", "`wc -l`"];
    let names = [&names[..], &present, &["goal"]].concat();
    writeln!(out, "\n| {} |\n|{}", names.join(" | "), "---|".repeat(names.len()))?;
    for work in rows(args.size) {
        if args.row.as_ref().is_none_or(|text| work.name.contains(text)) {
            let cells = measure(&work, folder.path(), &peers, patience)?;
            writeln!(out, "| {} |", cells.join(" | "))?;
            out.flush()?;
        }
    }
    let size = fs::metadata(HEAPVIZ)?.len();
    let rest = " |".repeat(names.len() - 3);
    writeln!(out, "| size of the binary | {} |{rest} 12 MB |", megabytes(size))
}

/// Programs by name, with their paths if they are installed.
type Peers = Vec<(&'static str, Option<PathBuf>)>;

const PEERS: [&str; 3] = ["hp2ps", "hp2pretty", "eventlog2html"];

/// The cells of one row.
fn measure(
    work: &Work,
    folder: &Path,
    peers: &Peers,
    patience: Duration,
) -> io::Result<Vec<String>> {
    let path = folder.join(work.file());
    let bytes = work.generate(&path)?;
    let file = work.file();
    let heapviz = [&[file, "-q", "-o", "output.svg"], work.flags].concat();
    let plain = |name: &str, arguments: &[&str]| {
        Some(Contender::new(Program::new(&installed(name)?, folder, arguments)))
    };
    let mut own = Contender::new(Program::new(Path::new(HEAPVIZ), folder, &heapviz));
    let mut plain = [plain("cat", &[file]), plain("wc", &["-l", file])];
    let mut rivals: Vec<Option<Contender>> = Vec::new();
    for (name, path) in peers.iter().filter_map(|(name, path)| Some((name, path.as_ref()?))) {
        let program = peer(name, path, work, folder);
        rivals.push(program.map(Contender::new));
    }
    let rounds = match bytes {
        0..1_000_000 => 40,
        1_000_000..1_000_000_000 => 5,
        _ => 2,
    };
    for _ in 0..rounds {
        own.run();
        plain.iter_mut().flatten().for_each(Contender::run);
        rivals.iter_mut().flatten().for_each(|rival| rival.run_if_worth_it(patience));
    }
    let Run::Took(time) = own.best else {
        return Err(io::Error::other(format!("heapviz failed on {}", work.name)));
    };
    let mut times = seconds(time);
    if bytes > 1_000_000 {
        times += &format!(", {:.0} MB/s", bytes as f64 / 1e6 / time.as_secs_f64());
    }
    if work.shape.breakdown == Breakdown::InfoTable {
        times += &format!("; ranking and drawing {}", seconds(ranking_and_drawing(&path)?));
    }
    let peak = own.program.watch(Duration::MAX, Duration::from_micros(100)).1;
    let mut memory = peak.map_or(String::new(), megabytes);
    if let (Some(_), Some(goal)) = (peak, work.memory_goal()) {
        memory += &format!(" of {}", megabytes(goal));
    }
    let mut cells = vec![work.name.to_owned(), megabytes(bytes), times, memory];
    cells.extend(plain.iter().map(|plain| times_of(time, plain.as_ref())));
    cells.extend(rivals.iter().map(|rival| slower(rival.as_ref(), time, patience)));
    cells.push(work.goal.to_owned());
    fs::remove_file(&path)?;
    Ok(cells)
}

/// A program that takes its turns.
struct Contender {
    program: Program,
    best: Run,
    peak: Option<u64>,
}

impl Contender {
    fn new(program: Program) -> Self {
        Contender { program, best: Run::None, peak: None }
    }

    fn run(&mut self) {
        self.best = self.best.better(self.program.time());
    }

    /// A turn of a peer, unless it is known to be slow.
    fn run_if_worth_it(&mut self, patience: Duration) {
        if self.best == Run::None || matches!(self.best, Run::Took(time) if time < SLOW) {
            let (run, peak) = self.program.watch(patience, Duration::from_millis(1));
            self.best = self.best.better(run);
            self.peak = self.peak.max(peak);
        }
    }
}

/// The command line with which a peer reads this input.
fn peer(name: &str, path: &Path, work: &Work, folder: &Path) -> Option<Program> {
    let file = work.file();
    let arguments: &[&str] = match (name, &work.input) {
        ("eventlog2html", Input::Log(_)) => &[file, "-o", "peer.html"],
        ("eventlog2html", Input::Hp) => &["-p", file, "-o", "peer.html"],
        (_, Input::Hp) => &[file],
        (_, Input::Log(_) | Input::Report(_)) => return None,
    };
    Some(Program::new(path, folder, arguments))
}

/// The time of the middle of a process, without reading, best of three.
fn ranking_and_drawing(path: &Path) -> io::Result<Duration> {
    let profile =
        read(fs::File::open(path)?, &InputOptions::default()).map_err(io::Error::other)?;
    let times = (0..3).map(|_| {
        let start = Instant::now();
        let slice = Slice::whole(&profile);
        let chart = Chart::new(&slice, rank(&slice, &RankOptions::default()));
        let picture = svg(&draw::chart(&chart, &DrawOptions::default()), &SvgOptions::default());
        std::hint::black_box(picture);
        start.elapsed()
    });
    Ok(times.min().unwrap_or_default())
}

/// The conditions of the measurement: this program, and the machine.
fn machine() -> String {
    let version = env!("CARGO_PKG_VERSION");
    let cores = std::thread::available_parallelism().map_or(0, usize::from);
    let field = |file, key: &str| {
        let text = fs::read_to_string(file).unwrap_or_default();
        let line = text.lines().find(|line| line.starts_with(key)).map(str::to_owned);
        line.and_then(|line| line.split_once(':').map(|(_, value)| value.trim().to_owned()))
    };
    let kind = field("/proc/cpuinfo", "model name").unwrap_or("unknown processor".to_owned());
    let memory = field("/proc/meminfo", "MemTotal")
        .and_then(|text| text.split(' ').next().and_then(|kilobytes| kilobytes.parse::<u64>().ok()))
        .map_or(String::new(), |kilobytes| format!(", {} GB of memory", kilobytes / 1_000_000));
    format!("heapviz {version}, {cores} cores ({kind}){memory}.")
}

/// The ratio to a plain tool, and the time of that tool.
fn times_of(own: Duration, plain: Option<&Contender>) -> String {
    match plain.map(|plain| plain.best) {
        Some(Run::Took(time)) => {
            format!("{:.1}x: {}", own.as_secs_f64() / time.as_secs_f64(), seconds(time))
        }
        _ => String::new(),
    }
}

/// The ratio of a peer's time to ours, with the peer's time and memory.
fn slower(peer: Option<&Contender>, own: Duration, patience: Duration) -> String {
    let Some(peer) = peer else { return String::new() };
    let times = |time: Duration| format!("{:.0}x", time.as_secs_f64() / own.as_secs_f64());
    match peer.best {
        Run::Took(time) => {
            let memory = peer.peak.map_or(String::new(), megabytes);
            format!("{}: {}, {memory}", times(time), seconds(time))
        }
        Run::Killed => format!("over {}: stopped at {}", times(patience), seconds(patience)),
        Run::Refused(_) | Run::Failed | Run::None => "failed".to_owned(),
    }
}

fn seconds(time: Duration) -> String {
    match time.as_secs_f64() {
        time if time < 0.1 => format!("{:.1} ms", time * 1e3),
        time if time < 10.0 => format!("{time:.2} s"),
        time => format!("{time:.0} s"),
    }
}

fn megabytes(bytes: u64) -> String {
    match bytes {
        0..1_000_000 => format!("{} kB", bytes / 1_000),
        1_000_000..10_000_000 => format!("{:.1} MB", bytes as f64 / 1e6),
        _ => format!("{} MB", bytes / 1_000_000),
    }
}
