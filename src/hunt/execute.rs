//! The runs of the program: what each is to find, its flags, its length, its files.

use std::cell::Cell;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use super::pace::{Glimpse, Pace};
use crate::kit::verb::Failure;
use crate::profile::Profile;
use crate::program::child::{Started, exit_code, signal_of};
use crate::program::ghc_program::{GhcProgram, HpPlace, cannot_start, flag_with};
use crate::program::memory::Residency;
use crate::run::RunOptions;

/// How often to look at a run.
pub const LOOK: Duration = Duration::from_millis(25);
/// After this time, or a fifth of a short run, it is seen whether a run is sampled as it should be.
const LONGEST_FIRST_MOMENTS: Duration = Duration::from_secs(3);
/// The flag for the usual collector.
const COPYING: &str = "--copying-gc";
/// `SIGINT`: what Ctrl-C sends.
const INTERRUPT: i32 = 2;

/// A run of the program, and what it is to find.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// `-hc`: who makes what grows.
    Makers,
    /// `-hT`, of a program that was built for profiling: what kinds of closures it is.
    Kinds,
    /// `-hy`: what types it is.
    Types,
    /// `-hr`: who holds it.
    Holders,
    /// `-hT`: what grows, of a program that was not built for profiling.
    ClosureTypes,
    /// `-hi`: where it is made, of such a program, if it has info tables.
    InfoTables,
}

impl Step {
    /// The flag of its break-down.
    pub fn flag(self) -> &'static str {
        match self {
            Step::Makers => "-hc",
            Step::Types => "-hy",
            Step::Holders => "-hr",
            Step::Kinds | Step::ClosureTypes => "-hT",
            Step::InfoTables => "-hi",
        }
    }

    /// Its name in a list of runs.
    pub fn title(self) -> &'static str {
        match self {
            Step::Makers => "by cost centre",
            Step::Types => "by type",
            Step::Holders => "by retainer",
            Step::Kinds | Step::ClosureTypes => "by closure type",
            Step::InfoTables => "by line of source",
        }
    }

    pub fn is_first(self) -> bool {
        matches!(self, Step::Makers | Step::ClosureTypes)
    }
}

/// A run that was made.
pub struct StepRun {
    pub step: Step,
    /// The cost centres to which it was restricted.
    pub of: Vec<String>,
    pub pace: Pace,
    pub executed: Executed,
    /// The profile of this run, or the reason why it has none.
    pub profile: Result<Profile, String>,
    /// Which part of it counts.
    pub options: RunOptions,
}

impl StepRun {
    /// Its name: `by type, of parseEntry`.
    pub fn name(&self) -> String {
        match self.of.is_empty() {
            true => self.step.title().to_owned(),
            false => format!("{}, of {}", self.step.title(), self.of.join(", ")),
        }
    }

    /// For how long the program did its own work, if more than half of what its processors did was for collections and
    /// for samples of its heap.
    pub fn own_work(&self) -> Option<Duration> {
        // The timer of the profiler stands still meanwhile.
        let samples = self.profile.as_ref().ok()?.samples.len();
        let own = Duration::from_secs_f64(self.pace.interval() * samples as f64);
        (samples > 0 && !own.is_zero() && own < self.executed.cpu? / 2).then_some(own)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    Itself,
    /// It was interrupted, because its time was over.
    Time,
    /// The user ended the hunt, with this signal.
    User(i32),
    /// It was interrupted to be started again at another pace.
    Again,
}

/// A run that has ended.
#[derive(Clone, Debug)]
pub struct Executed {
    pub ended: Ended,
    /// As a shell reports it.
    pub exit: u8,
    /// Whether it was ended by a signal that nobody here sent.
    pub signal: Option<i32>,
    pub wall: Duration,
    /// The time that its processors worked, if the system says so.
    pub cpu: Option<Duration>,
    /// When it was asked to end.
    pub interrupted: Option<Duration>,
    /// Whether it left processes behind, which were ended.
    pub left: bool,
    pub residency: Residency,
    pub files: Files,
}

/// The files of a run. Those that it did not write do not exist.
#[derive(Clone, Debug)]
pub struct Files {
    pub log: PathBuf,
    pub hp: PathBuf,
    pub prof: PathBuf,
}

impl Files {
    fn all(&self) -> [&PathBuf; 3] {
        [&self.log, &self.hp, &self.prof]
    }

    /// Whether none of them is there yet.
    pub fn refuse_existing(&self) -> Result<(), Failure> {
        match self.all().into_iter().find(|path| path.exists()) {
            Some(path) => Err(Failure::new(format!("{} already exists", path.display()))
                .hint("hunt never overwrites a log: name another folder with --keep")),
            None => Ok(()),
        }
    }
}

/// How the program is run.
pub struct Runner<'a> {
    pub program: &'a GhcProgram,
    /// Where its files go.
    pub folder: PathBuf,
    /// The longest that a run takes.
    pub longest: Duration,
    /// Whether the program's standard output goes to standard error.
    pub diverted: bool,
    /// The signal that came last, or 0.
    pub signal: &'a AtomicUsize,
    /// The `.hp` in the current folder, which is not ours to keep.
    pub place: Option<HpPlace>,
    /// Whether the program is kept from its own choice of a collector, with which it crashed.
    pub copies: Cell<bool>,
}

impl Runner<'_> {
    /// The files of a run with a break-down flag.
    pub fn files(&self, flag: &str) -> Files {
        let named = |ending: &str| {
            let mut name = self.program.stem().to_owned();
            name.push(format!("{flag}.{ending}"));
            self.folder.join(name)
        };
        Files { log: named("eventlog"), hp: named("hp"), prof: named("prof") }
    }

    /// Whether a run crashed before it had done anything, as with the non-moving collector, which GHC cannot profile; the
    /// next ones have the usual collector then.
    pub fn copies_after(&self, executed: &Executed) -> bool {
        const AT_ONCE: Duration = Duration::from_secs(2);
        // SIGABRT and SIGSEGV.
        let crashed = matches!(executed.signal, Some(6 | 11)) && executed.wall < AT_ONCE;
        crashed && !self.copies.get() && self.program.takes(COPYING) && {
            self.copies.set(true);
            true
        }
    }

    /// Runs the program with a break-down flag and others. `look` sees the run after its first moments, which it is told,
    /// and sometimes later, and says whether it is to go on.
    pub fn run(
        &self,
        step: Step,
        others: &[String],
        mut look: impl FnMut(&Glimpse, bool) -> bool,
    ) -> Result<Executed, Failure> {
        let (flag, is_first) = (step.flag(), step.is_first());
        let files = self.files(flag);
        let first = (self.longest / 5).min(LONGEST_FIRST_MOMENTS);
        let mut looks = [first, self.longest / 3, self.longest / 2].into_iter().peekable();
        files.all().into_iter().for_each(|path| drop(fs::remove_file(path)));
        let flags = self.flags(flag, others, &files);
        self.program.check(&flags)?;
        let mut command = self.program.command(&flags);
        // What it says is the same in each run.
        if !is_first {
            command.stdout(Stdio::null()).stderr(Stdio::null());
        }
        command.stdin(standard_input());
        if self.diverted && is_first {
            command.stdout(io::stderr());
        }
        self.place.as_ref().map_or(Ok(()), HpPlace::check)?;
        let began = Instant::now();
        let mut residency = Residency::begin();
        let mut child = Started::apart(&mut command)
            .map_err(|error| cannot_start(&self.program.name, &error))?;
        let mut interrupted = None;
        let mut cpu = None;
        let (status, ended) = loop {
            if let Some(status) = child.ended() {
                let ended = match signal_of(status) {
                    Some(INTERRUPT) => Ended::User(INTERRUPT),
                    _ => Ended::Itself,
                };
                break (status, ended);
            }
            residency.look(child.id());
            cpu = cpu_of(child.id()).or(cpu);
            let wall = began.elapsed();
            let signal = i32::try_from(self.signal.load(Ordering::Relaxed)).unwrap_or(INTERRUPT);
            let why = if signal != 0 {
                Some(Ended::User(signal))
            } else if wall >= self.longest {
                Some(Ended::Time)
            } else if let Some(time) = looks.next_if(|time| wall >= *time) {
                let hp = self.place.as_ref().map_or(files.hp.as_path(), HpPlace::path);
                let (heap, id) = (heap_in(hp), child.id());
                let glimpse = Glimpse { wall, cpu: cpu_of(id), delayed: delay_of(id), heap };
                (!look(&glimpse, time == first)).then_some(Ended::Again)
            } else {
                None
            };
            if let Some(why) = why {
                interrupted = Some(wall);
                let status = child.end().map_err(|error| Failure::new(error.to_string()))?;
                break (status, why);
            }
            thread::sleep(LOOK);
        };
        let wall = began.elapsed();
        let left = child.clean_up();
        if let Some(place) = &self.place {
            place.move_to(&files.hp);
        }
        let signal = signal_of(status).filter(|_| ended == Ended::Itself);
        Ok(Executed {
            ended,
            exit: exit_code(status),
            signal,
            wall,
            cpu,
            interrupted,
            left,
            residency,
            files,
        })
    }

    /// The flags of a run, with those that name its files.
    fn flags(&self, flag: &str, others: &[String], files: &Files) -> Vec<OsString> {
        let mut words = vec![OsString::from(flag)];
        words.extend(others.iter().map(OsString::from));
        words.extend(self.copies.get().then(|| COPYING.into()));
        if self.program.logs {
            words.extend(["-l-agu".into(), flag_with("-ol", &files.log)]);
        }
        if self.program.profiled {
            words.extend(["-L500".into(), flag_with("-po", &files.prof.with_extension(""))]);
        }
        words
    }
}

/// Standard input from its start, if it is a file: every run reads all of it.
fn standard_input() -> Stdio {
    #[cfg(unix)]
    {
        let is_file = || fs::metadata("/dev/stdin").is_ok_and(|about| about.is_file());
        if is_file()
            && let Ok(file) = File::open("/dev/stdin")
        {
            return file.into();
        }
    }
    Stdio::inherit()
}

/// The size of the heap in each sample of a `.hp`.
fn heap_in(hp: &Path) -> Vec<f64> {
    let text = fs::read(hp).unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    let (mut heap, mut sum) = (Vec::new(), 0.0);
    for line in text.lines() {
        match line.rsplit_once('\t').map(|(_, size)| size.trim().parse::<f64>()) {
            Some(Ok(size)) => sum += size,
            Some(Err(_)) | None if line.starts_with("END_SAMPLE") => {
                heap.push(std::mem::take(&mut sum));
            }
            Some(Err(_)) | None => {}
        }
    }
    // The first one is empty.
    heap.into_iter().skip(1).collect()
}

/// The time that processors worked for a process.
#[cfg(target_os = "linux")]
fn cpu_of(id: u32) -> Option<Duration> {
    let text = fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
    // The name, in brackets, may contain anything.
    let mut fields = text.rsplit_once(')')?.1.split_whitespace().skip(11);
    let ticks: u64 = fields.next()?.parse::<u64>().ok()? + fields.next()?.parse::<u64>().ok()?;
    let second = rustix::param::clock_ticks_per_second();
    Some(Duration::from_secs_f64(ticks as f64 / second.max(1) as f64))
}

/// How long the threads of a process were ready to run and did not.
fn delay_of(id: u32) -> Duration {
    let threads = fs::read_dir(format!("/proc/{id}/task")).into_iter().flatten().flatten();
    let delay = |path: PathBuf| {
        let text = fs::read_to_string(path.join("schedstat")).ok()?;
        text.split(' ').nth(1)?.parse::<u64>().ok()
    };
    Duration::from_nanos(threads.filter_map(|thread| delay(thread.path())).sum())
}

#[cfg(not(target_os = "linux"))]
fn cpu_of(_: u32) -> Option<Duration> {
    None
}
