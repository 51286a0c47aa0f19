//! The runs of the program: what each is to find, its flags, its length, its files.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use super::Pace;
use super::drive::Driver;
use super::pace::Glimpse;
use crate::base::units::{Bytes, count};
use crate::cli::{Input, InputReader, Job, Message, ProgressLine, Voice};
use crate::incident::Condition;
use crate::input::{self, InputOptions};
use crate::profile::{Profile, Source};
use crate::profile_view::ViewOptions;
use crate::program::child::{Started, exit_code, signal_of};
use crate::program::ghc_program::{GhcProgram, HpPlace, cannot_start, flag_with};
use crate::program::own_folder::is_full;
use crate::program::residency::{Residency, nanos};
use crate::program::symbols;
use crate::slice::{Bound, Privacy};

/// How often to look at a run.
pub const LOOK: Duration = Duration::from_millis(25);
/// After this time, or a fifth of a short run, it is seen whether a run is sampled as it should be.
const LONGEST_FIRST_MOMENTS: Duration = Duration::from_secs(3);
/// What a program must not choose: the other collector cannot be profiled, and before GHC 9.2 only -xt counts stacks.
const ALWAYS: [&str; 2] = ["--copying-gc", "-xt"];
/// `SIGINT`: what Ctrl-C sends.
const INTERRUPT: i32 = 2;
/// How often the progress of a run is shown. Its samples are read for that.
const PROGRESS: Duration = Duration::from_secs(1);

/// A run of the program, and what it is to find.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HuntStep {
    /// `-hc`: who makes what grows.
    Makers,
    /// `-hT`, of a program that was built for profiling: what kinds of closures it is.
    Kinds,
    /// `-hy`: what types it is.
    Types,
    /// `-hr`: who holds it.
    Holders,
    /// `-hc` of some constructors: who makes the cells that keep it.
    Cells,
    /// `-hT`: what grows, of a program that was not built for profiling.
    ClosureTypes,
    /// `-hi`: where it is made, of such a program, if it has info tables.
    InfoTables,
}

impl HuntStep {
    /// The flag that asks for the break-down of the run, and how the run is called in a list of runs.
    fn words(self) -> (&'static str, &'static str) {
        match self {
            HuntStep::Makers | HuntStep::Cells => ("-hc", "by cost centre"),
            HuntStep::Types => ("-hy", "by type"),
            HuntStep::Holders => ("-hr", "by retainer"),
            HuntStep::Kinds | HuntStep::ClosureTypes => ("-hT", "by closure type"),
            HuntStep::InfoTables => ("-hi", "by line of source"),
        }
    }

    pub fn flag(self) -> &'static str {
        self.words().0
    }

    pub fn title(self) -> &'static str {
        self.words().1
    }

    pub fn is_first(self) -> bool {
        matches!(self, HuntStep::Makers | HuntStep::ClosureTypes)
    }
}

pub struct StepRun {
    pub step: HuntStep,
    /// The cost centres, or constructors, to which it was restricted.
    pub of: Vec<String>,
    pub pace: Pace,
    pub executed: Executed,
    /// The profile of this run, or the reason why it has none.
    pub profile: Result<Profile, String>,
    pub options: ViewOptions,
}

impl StepRun {
    /// How the run is called, with its restriction: `by type, of parseEntry`.
    pub fn name(&self) -> String {
        match self.of.is_empty() {
            true => self.step.title().to_owned(),
            false => format!("{}, of {}", self.step.title(), self.of.join(", ")),
        }
    }

    /// Where the part of it ends that counts: before the interrupt, after which a program frees what it held.
    pub fn end(&self) -> Option<Bound> {
        // Its clock begins a little later than ours.
        const BEFORE: Duration = Duration::from_millis(50);
        let (interrupted, profile) = (self.executed.interrupted?, self.profile.as_ref().ok()?);
        let times = profile.samples.times();
        let last = match profile.source {
            Source::Eventlog => Some(nanos(interrupted.saturating_sub(BEFORE))),
            // Its clock is the time that the program worked.
            Source::Hp | Source::Prof => times.iter().rev().nth(1).copied(),
        };
        last.filter(|_| times.len() > 1).map(Bound::Time)
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum HuntRunEnd {
    #[default]
    Itself,
    /// Interrupted because the time was over.
    Time,
    /// The user ended the hunt, with this signal.
    User(i32),
    /// Interrupted, to be started again at another pace.
    Again,
}

#[derive(Clone, Debug, Default)]
pub struct Executed {
    pub ended: HuntRunEnd,
    /// As a shell reports it.
    pub exit: u8,
    /// Whether it was ended by a signal that nobody here sent.
    pub signal: Option<i32>,
    pub wall: Duration,
    /// The time that its processors worked, if the system says so.
    pub cpu: Option<Duration>,
    /// How long it waited for a processor, on a busy machine.
    pub delayed: Duration,
    /// When it was asked to end.
    pub interrupted: Option<Duration>,
    /// Whether it left processes behind, which were ended.
    pub left: bool,
    /// How the command that was to drive it failed before it ended.
    pub undriven: Option<String>,
    pub residency: Residency,
    pub files: RunFiles,
}

/// The files of a run. Those that it did not write do not exist.
#[derive(Clone, Debug, Default)]
pub struct RunFiles {
    pub log: PathBuf,
    pub hp: PathBuf,
    pub prof: PathBuf,
}

impl RunFiles {
    fn all(&self) -> [&PathBuf; 3] {
        [&self.log, &self.hp, &self.prof]
    }
}

pub struct Runner<'a> {
    pub program: &'a GhcProgram,
    pub folder: PathBuf,
    /// The longest that a run takes.
    pub longest: Duration,
    /// Whether the program's standard output goes to standard error.
    pub diverted: bool,
    /// The signal that came last, or 0.
    pub signal: &'a AtomicUsize,
    /// The `.hp` in the current folder, which is not ours to keep.
    pub place: Option<HpPlace>,
    /// The file from which each run reads its standard input, if that was copied.
    pub input: Option<PathBuf>,
    /// The command that gives the program work.
    pub drive: Option<&'a str>,
    pub voice: Voice,
}

/// What is shown of a run.
pub struct RunDisplay<'a> {
    /// `run 2 of 4, by type`.
    pub title: &'a str,
    /// Whether the program's output is shown.
    pub output: bool,
}

impl RunDisplay<'_> {
    /// `run 2 of 4, by type: 12 of 60 s, 143 samples, 4.2 MiB`.
    fn line(&self, wall: Duration, longest: Duration, heap: &[f64]) -> String {
        let size = Bytes::new(heap.last().map_or(0, |&size| size as u64));
        let (wall, longest) = (wall.as_secs(), longest.as_secs_f64().round());
        format!("{}: {wall} of {longest} s, {}, {size}", self.title, count(heap.len(), "sample"))
    }
}

impl Runner<'_> {
    /// The files of a run.
    pub fn files(&self, step: HuntStep) -> RunFiles {
        let cells = if step == HuntStep::Cells { "-cells" } else { "" };
        let named = |ending: &str| {
            let mut name = self.program.stem().to_owned();
            name.push(format!("{}{cells}.{ending}", step.flag()));
            self.folder.join(name)
        };
        RunFiles { log: named("eventlog"), hp: named("hp"), prof: named("prof") }
    }

    /// Runs the program with a break-down flag and others. `look` sees the run after its first moments, which it is told,
    /// and sometimes later, and says whether it is to go on.
    pub fn run(
        &self,
        step: HuntStep,
        others: &[String],
        shown: &RunDisplay<'_>,
        mut look: impl FnMut(&Glimpse, bool) -> bool,
    ) -> Result<Executed, Message> {
        let (files, mut command) = self.prepared(step, others, shown.output)?;
        let mut driver = self.drive.map(|words| Driver::new(words, shown.output, self.longest));
        // What the program says would break the line.
        let is_shown = !self.voice.quiet && !shown.output;
        let mut progress = if is_shown { ProgressLine::on_terminal(PROGRESS) } else { None };
        self.place.as_ref().map_or(Ok(()), HpPlace::check)?;
        let began = Instant::now();
        let mut run = Executed { files, ..Executed::default() };
        let mut child = Started::apart(&mut command)
            .map_err(|error| cannot_start(&self.program.name, &error))?;
        let first = (self.longest / 5).min(LONGEST_FIRST_MOMENTS);
        let mut looks = [first, self.longest / 3, self.longest / 2].into_iter().peekable();
        let hp = self.place.as_ref().map_or(run.files.hp.clone(), |place| place.path().to_owned());
        let status = loop {
            if let Some(status) = child.ended() {
                if signal_of(status) == Some(INTERRUPT) {
                    run.ended = HuntRunEnd::User(INTERRUPT);
                }
                break status;
            }
            run.residency.look(child.id());
            run.cpu = cpu_of(child.id()).or(run.cpu);
            run.delayed = delay_of(child.id()).max(run.delayed);
            run.wall = began.elapsed();
            if let Some(driver) = &mut driver {
                driver.look(run.wall)?;
            }
            if let Some(progress) = &mut progress {
                progress.update(|_| shown.line(run.wall, self.longest, &heap_in(&hp).0));
            }
            let is_due = |time: &Duration| run.wall >= *time;
            let end = self.end_now(run.wall).or_else(|| {
                let glimpse = |time| (glimpse(&run, &hp), time == first);
                let (glimpse, is_first) = looks.next_if(is_due).map(glimpse)?;
                (!look(&glimpse, is_first)).then_some(HuntRunEnd::Again)
            });
            if let Some(end) = end {
                (run.ended, run.interrupted) = (end, Some(run.wall));
                break child.end().map_err(Message::error)?;
            }
            thread::sleep(LOOK);
        };
        drop(progress);
        run.wall = began.elapsed();
        run.left = child.clean_up();
        run.undriven = driver.and_then(Driver::end);
        if let Some(place) = &self.place {
            place.move_to(&run.files.hp);
        }
        run.signal = signal_of(status).filter(|_| run.ended == HuntRunEnd::Itself);
        run.exit = exit_code(status);
        Ok(run)
    }

    /// The files of a run, of which none is there, and the program with the flags, which hears and says what it should.
    fn prepared(
        &self,
        step: HuntStep,
        others: &[String],
        is_shown: bool,
    ) -> Result<(RunFiles, Command), Message> {
        let files = self.files(step);
        files.all().into_iter().for_each(|path| drop(fs::remove_file(path)));
        let flags = self.flags(step.flag(), others, &files);
        self.program.check(&flags)?;
        let mut command = self.program.command(&flags);
        if !is_shown {
            command.stdout(Stdio::null()).stderr(Stdio::null());
        } else if self.diverted {
            command.stdout(io::stderr());
        }
        command.stdin(self.standard_input());
        Ok((files, command))
    }

    /// Why a run of this length is ended, if it is: a signal came, or its time is over.
    fn end_now(&self, wall: Duration) -> Option<HuntRunEnd> {
        match i32::try_from(self.signal.load(Ordering::Relaxed)).unwrap_or(INTERRUPT) {
            0 => (wall >= self.longest).then_some(HuntRunEnd::Time),
            signal => Some(HuntRunEnd::User(signal)),
        }
    }

    /// Makes one run. If its first moments, or all of a short run, show that the interval between
    /// samples does not suit the program, it is started again with another one.
    pub fn run_one(
        &self,
        step: HuntStep,
        of: Vec<String>,
        pace: &mut Pace,
        may_change: bool,
        mut shown: RunDisplay<'_>,
    ) -> Result<StepRun, Message> {
        if shown.output || !io::stderr().is_terminal() {
            self.voice.summarise(&format!("{}: up to {}", shown.title, nanos(self.longest)));
        }
        // A run that is repeated after an edit may end so soon, or wait so long, that its heap is not seen.
        let mut tries = match step.is_first() {
            _ if may_change => 3,
            true => 1,
            false => 0,
        };
        let mut ends_soon = false;
        loop {
            let flags = self.flags_at(*pace, step, &of);
            let mut better = None;
            let executed = self.run(step, &flags, &shown, |glimpse, is_first_look| {
                let seen = match is_first_look {
                    true => pace.better(glimpse, self.longest),
                    false => pace.slower(glimpse, self.longest),
                };
                better = seen.filter(|_| may_change && tries > 0 && !ends_soon);
                better.is_none()
            })?;
            if let (HuntRunEnd::Again, Some(better)) = (executed.ended, better) {
                (*pace, tries) = (better, tries - 1);
                continue;
            }
            let profile = self.profile(step, &executed);
            let samples = profile.as_ref().map_or(0, |profile| profile.samples.len());
            let better = self.better_after(*pace, &executed, samples, may_change);
            if let Some(better) = better.filter(|_| tries > 0) {
                // What a longer run would need does not suit it.
                (*pace, tries, ends_soon) = (better, tries - 1, true);
                // All of it was seen.
                shown.output = false;
                continue;
            }
            let options = ViewOptions::default();
            return Ok(StepRun { step, of, pace: *pace, executed, profile, options });
        }
    }

    /// The pace that suits the program better, as all of a run with so many samples shows.
    fn better_after(
        &self,
        pace: Pace,
        executed: &Executed,
        samples: usize,
        may_change: bool,
    ) -> Option<Pace> {
        match executed.ended {
            HuntRunEnd::Itself if executed.wall < self.longest / 2 => {
                pace.for_short_run(executed.wall, samples, self.longest)
            }
            HuntRunEnd::Time => pace.for_few(samples, may_change),
            HuntRunEnd::Itself | HuntRunEnd::User(_) | HuntRunEnd::Again => None,
        }
    }

    /// The flags of a run at this pace, restricted to some cost centres.
    fn flags_at(&self, pace: Pace, step: HuntStep, of: &[String]) -> Vec<String> {
        let mut flags = pace.flags();
        if !of.is_empty() {
            let by = if step == HuntStep::Cells { "-hd" } else { "-hc" };
            flags.push(format!("{by}{}", of.join(",")));
        }
        // The number of calls; the stacks and retainer sets in full.
        let is_asked = matches!(step, HuntStep::Makers | HuntStep::Holders);
        if is_asked || (self.program.profiled && !self.program.logs) {
            flags.push("-p".to_owned());
        }
        flags
    }

    /// The profile of a run; of one by info tables, with what the symbols of the program name.
    fn profile(&self, step: HuntStep, executed: &Executed) -> Result<Profile, String> {
        let mut profile = read(executed)?;
        if step == HuntStep::InfoTables {
            let bare = profile.bare_addresses().collect();
            profile.name_addresses(symbols::info_tables(&self.program.file(), &bare));
        }
        Ok(profile)
    }

    /// Standard input from its start, if it is a file or was copied: every run reads all of it.
    fn standard_input(&self) -> Stdio {
        let is_file = fs::metadata("/dev/stdin").is_ok_and(|about| about.is_file());
        let file = self.input.as_deref().or(is_file.then_some(Path::new("/dev/stdin")));
        file.and_then(|file| File::open(file).ok()).map_or_else(Stdio::inherit, Stdio::from)
    }

    /// The flags of a run, with those that name its files.
    fn flags(&self, flag: &str, others: &[String], files: &RunFiles) -> Vec<OsString> {
        let mut words = vec![OsString::from(flag)];
        words.extend(others.iter().map(OsString::from));
        words
            .extend(ALWAYS.into_iter().filter(|flag| self.program.takes(flag)).map(OsString::from));
        if self.program.logs {
            words.extend(["-l-agu".into(), flag_with("-ol", &files.log)]);
        }
        if self.program.profiled {
            words.extend(["-L500".into(), flag_with("-po", &files.prof.with_extension(""))]);
        }
        words
    }
}

fn read(executed: &Executed) -> Result<Profile, String> {
    let files = &executed.files;
    let there = |path: &PathBuf| {
        std::fs::metadata(path).is_ok_and(|about| about.len() > 0).then(|| Input::new(path))
    };
    let (input, twin) = match (there(&files.log), there(&files.hp)) {
        (Some(log), hp) => (log, hp),
        (None, Some(hp)) => (hp, None),
        (None, None) => return Err("the program wrote no profile".to_owned()),
    };
    let report = there(&files.prof);
    let job = Job { input, twin, report, targets: Vec::new() };
    let reader = InputReader {
        input: InputOptions::default(),
        strict: false,
        privacy: Privacy::Show,
        voice: Voice { quiet: true },
        instead: &[],
    };
    let reading = reader.read(&job).map_err(|failure| failure.parts().0.to_owned())?;
    let mut profile = reading.profile;
    // The clock of a .hp is another one.
    if profile.source == Source::Eventlog {
        profile.set_resident(executed.residency.points.clone());
    }
    Ok(profile)
}

/// Reports what was odd about a run.
pub fn remarks(step_run: &StepRun, program: &GhcProgram, voice: Voice) {
    let executed = &step_run.executed;
    let name = program.name.to_string_lossy();
    let warning = |what: &str| Message::warning(format_args!("{name} {what}"));
    if let Some(signal) = executed.signal {
        let hint = match step_run.step == HuntStep::Holders {
            true => "GHC's retainer profiler can crash; the other runs do not depend on it",
            false => "what it had written by then is used",
        };
        voice.say(&warning(&format!("was ended by signal {signal}")).hint(hint));
    } else if executed.ended == HuntRunEnd::Itself && executed.exit != 0 {
        voice.say(&warning(&format!("ended with exit status {}", executed.exit)));
    } else if executed.ended == HuntRunEnd::Time && executed.exit == 137 {
        let text = "did not end when it was interrupted, so it was killed";
        voice.say(&warning(text).hint("the end of its log may be missing"));
    }
    if let Some(why) = &executed.undriven {
        let warning = Message::warning(format_args!("the command of --drive {why}"));
        voice.say(&warning.hint("the program may have had nothing to do: try the command by hand"));
    }
    if let Some(full) = full_folder(step_run) {
        let text = format!("{} is full: what {name} wrote is cut", full.display());
        voice.say(&Message::warning(text).hint(MORE_ROOM));
    }
    if executed.left {
        voice.say(
            &warning("left processes running; they were ended")
                .hint("only the program itself is profiled: keep it in the foreground"),
        );
    }
}

/// What to do if the files of a run have no room.
const MORE_ROOM: &str = "make room there, or set TMPDIR to a folder with more";

/// The folder of the files of a run whose log is cut, if it has no room left.
fn full_folder(step_run: &StepRun) -> Option<&Path> {
    let is_sound = |profile: &Profile| profile.condition() <= Condition::Running;
    let is_cut = !step_run.profile.as_ref().is_ok_and(is_sound);
    let folder = step_run.executed.files.log.parent().filter(|_| is_cut)?;
    is_full(folder).then_some(folder)
}

/// Why a run has no profile, and what would give it one.
pub fn failed_run(why: &str, program: &GhcProgram, step_run: &StepRun) -> Message {
    if full_folder(step_run).is_some() {
        return Message::error(why).hint(MORE_ROOM);
    }
    let Executed { ended, exit, wall, .. } = &step_run.executed;
    let (name, flag) = (program.name.to_string_lossy(), step_run.step.flag());
    Message::error(why).hint(match (*ended == HuntRunEnd::Itself, exit) {
        (true, 0) => format!(
            "it ran for {:.2} s: give it more to do, so that it runs for some seconds",
            wall.as_secs_f64()
        ),
        (true, _) => {
            format!("it ended with exit status {exit}: run `{name} +RTS {flag}` to see why")
        }
        (false, _) => "a program that waits takes no samples: give it something to do".to_owned(),
    })
}

/// What is seen of a run that goes on.
fn glimpse(run: &Executed, hp: &Path) -> Glimpse {
    let (heap, own) = heap_in(hp);
    Glimpse { wall: run.wall, cpu: run.cpu, delayed: run.delayed, heap, own }
}

/// The size of the heap in each sample of a `.hp`, and the time of the last one.
fn heap_in(hp: &Path) -> (Vec<f64>, f64) {
    let file = File::open(hp).ok();
    let read = file.and_then(|file| input::read(file, &InputOptions::default()).ok());
    let Some(profile) = read else { return (Vec::new(), 0.0) };
    let samples = &profile.samples;
    // The first one is empty.
    let heap = (1..samples.len()).map(|sample| samples.total(sample) as f64).collect();
    (heap, samples.times().last().map_or(0.0, |time| time.as_seconds()))
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

/// How long the thread of a process that waited most for a processor did so.
fn delay_of(id: u32) -> Duration {
    let threads = fs::read_dir(format!("/proc/{id}/task")).into_iter().flatten().flatten();
    let delay = |path: PathBuf| {
        let text = fs::read_to_string(path.join("schedstat")).ok()?;
        text.split(' ').nth(1)?.parse::<u64>().ok()
    };
    let most = threads.filter_map(|thread| delay(thread.path())).max();
    Duration::from_nanos(most.unwrap_or_default())
}

#[cfg(not(target_os = "linux"))]
fn cpu_of(_: u32) -> Option<Duration> {
    None
}
