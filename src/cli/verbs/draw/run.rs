//! One job after the other: read, rank, draw, write.

use std::io::{self, IsTerminal};
use std::process::ExitCode;

use heapviz::analysis::{Analysis, Rows, Verdict};
use heapviz::at_once::{MANY_POINTS, at_once};
use heapviz::chart::{Chart, Clock};
use heapviz::draw::{DrawOptions, Messages, PanelChoice, SameScale, XAxis, common_scale};
use heapviz::input::InputOptions;
use heapviz::profile::KeptMessages;
use heapviz::rank::{RankOptions, rank};
use heapviz::report::VerdictChoice;
use heapviz::slice::{Slice, Window};

use super::command::{Command, VerdictPlace};
use super::stacks::{self, Trees};
use super::summary;
use super::unused::Unused;
use crate::cli::args::measure::{Measure, growth, ranked};
use crate::cli::args::voice::Voice;
use crate::cli::failure::Failure;
use crate::cli::look::{Drawn, Look};
use crate::cli::message::Message;
use crate::cli::output;
use crate::cli::read::{Reading, counted, report_beside};
use crate::cli::stacks::something_to_show;
use crate::cli::target::{Format, Input, Job, Output, Target, is_shared, short_names};

/// Does every job; a failed one does not prevent the others.
pub fn run(command: &Command) -> ExitCode {
    let look = match Look::new(command.scene.clone(), &command.paper) {
        Ok(look) => Look {
            source_url: command.source_url.clone(),
            verdict: match command.verdict {
                VerdictPlace::Shown => VerdictChoice::Show,
                VerdictPlace::Hidden => VerdictChoice::Hide,
            },
            tree: command.stacks.page_start(),
            ..look
        },
        Err(failure) => {
            failure.message().say();
            return ExitCode::from(1);
        }
    };
    let mut session = Session { command, look, failed: false };
    let mut unused = Unused::new(&command.given, command.stacks.weight);
    let shared = command.jobs.first().map_or(Vec::new(), |job| {
        job.targets.iter().filter(|target| is_shared(target, &command.jobs)).collect()
    });
    if command.same_scale.is_some() || !shared.is_empty() {
        // All charts are needed before the first is drawn.
        let inputs: Vec<_> = command.jobs.iter().filter_map(|job| session.read(job)).collect();
        let drawings: Vec<_> = inputs.iter().filter_map(|input| session.chart(input)).collect();
        if let Some(which) = command.same_scale {
            let charts = drawings.iter().map(|drawing| &drawing.chart);
            if let Some(message) = mixed_clocks(&drawings, which, &session.look.scene) {
                command.reader.voice.say(&message);
            }
            session.look.scene.scale = common_scale(charts, which, &session.look.scene);
        }
        shared.iter().for_each(|target| session.page(&drawings, target, &mut unused));
        for drawing in &drawings {
            session.draw(drawing, &mut unused);
        }
        inputs.iter().for_each(|input| session.stacks(input, &mut unused));
    } else {
        for job in &command.jobs {
            let Some(input) = session.read(job) else { continue };
            if let Some(drawing) = session.chart(&input) {
                session.draw(&drawing, &mut unused);
            }
            session.stacks(&input, &mut unused);
        }
    }
    unused.notes().iter().for_each(|note| command.reader.voice.say(note));
    if session.failed { ExitCode::from(1) } else { ExitCode::SUCCESS }
}

/// A warning that axes of time that should be the same count different things.
fn mixed_clocks(
    drawings: &[Drawing<'_>],
    which: SameScale,
    options: &DrawOptions,
) -> Option<Message> {
    if which == SameScale::Y || options.x == XAxis::Sample {
        return None;
    }
    let (first, rest) = drawings.split_first()?;
    let other = rest.iter().find(|drawing| drawing.chart.clock != first.chart.clock)?;
    let counts = |drawing: &Drawing<'_>| {
        format!("{} counts {}", drawing.read.input.name(), counted(drawing.chart.clock))
    };
    let text = format!("--same-scale: {}, {}", counts(first), counts(other));
    Some(
        Message::warning(text).hint("their horizontal axes cannot be compared; use --same-scale y"),
    )
}

/// A message on why there is no axis of time in the program. The axis of a `.hp` already is one.
fn no_mutator_time(chart: &Chart, options: &DrawOptions) -> Option<Failure> {
    let asked = options.x == XAxis::Mutator && chart.clock == Clock::Elapsed;
    (asked && chart.activity.clock.is_elapsed()).then(|| {
        Failure::new("--x mutator: the log has no collections to leave out")
            .hint("run with +RTS -l-agu, which logs them, or draw the .hp of the run")
    })
}

/// The input of a job, and what is to be made from it.
struct JobInput<'a> {
    /// The input that was read: the job's own, or the other profile of the same run.
    input: &'a Input,
    reading: Reading,
    /// A message if a report next to the input is not used.
    beside: Option<Message>,
    charts: Vec<&'a Target>,
    stacks: Vec<&'a Target>,
}

impl JobInput<'_> {
    /// Prints what was odd about the input, and what would show more. If nothing was odd, one note is
    /// enough, and none if a verdict follows, because stats and the page show them all.
    fn say_what_was_odd(&self, slice: &Slice<'_>, voice: Voice, has_verdict: bool) {
        let messages = self.beside.iter().cloned().chain(self.reading.messages(slice, self.input));
        let (notes, odd): (Vec<_>, Vec<_>) = messages.partition(Message::is_note);
        let most = match (odd.is_empty(), has_verdict) {
            (false, _) => notes.len(),
            (true, true) => 0,
            (true, false) => 1,
        };
        odd.iter().chain(notes.iter().take(most)).for_each(|message| voice.say(message));
    }
}

/// A chart on its way from its input to its outputs.
struct Drawing<'a> {
    read: &'a JobInput<'a>,
    slice: Slice<'a>,
    /// For formats that other tools read in place of the file, if these need another slice.
    as_written: Option<Slice<'a>>,
    chart: Chart,
    /// The interpretation of the run, if its figures are shown.
    analysis: Option<Analysis>,
    /// The statement about growth, unless the user switched it off.
    verdict: Option<Verdict>,
}

impl Drawing<'_> {
    fn drawn(&self) -> Drawn<'_> {
        let Drawing { read, slice, chart, analysis, .. } = self;
        Drawn { slice, chart, advice: &read.reading.advice, analysis: analysis.as_ref() }
    }
}

/// What all jobs of a run share.
struct Session<'a> {
    command: &'a Command,
    look: Look,
    failed: bool,
}

impl Session<'_> {
    /// The input of a job; `None` when it could not be read, which is reported.
    fn read<'a>(&mut self, job: &'a Job) -> Option<JobInput<'a>> {
        read(job, self.command).map_err(|failure| self.fail(&job.input, &failure)).ok()
    }

    /// The chart of an input; `None` when none is wanted, or it has none, which is reported.
    fn chart<'a>(&mut self, read: &'a JobInput<'a>) -> Option<Drawing<'a>> {
        if read.charts.is_empty() {
            return None;
        }
        self.drawing(read).map_err(|failure| self.fail(read.input, &failure)).ok()
    }

    fn drawing<'a>(&self, read: &'a JobInput<'a>) -> Result<Drawing<'a>, Failure> {
        let formats = || read.charts.iter().map(|target| target.format);
        let is_as_written = |format| format == Format::Hp;
        let slice = match formats().all(is_as_written) {
            true => read.reading.slice_as_written()?,
            false => read.reading.slice()?,
        };
        let as_written = match formats().all(is_as_written) || !formats().any(is_as_written) {
            true => None,
            false => Some(read.reading.slice_as_written()?),
        };
        something_to_show(&slice)?;
        // Some formats have no place for the verdict, and the user may want no messages.
        let voice = self.command.reader.voice;
        let is_seen = voice == Voice::Normal
            || formats().any(|format| !matches!(format, Format::Csv | Format::Hp));
        let is_shown = self.command.verdict == VerdictPlace::Shown && is_seen;
        let needed = self.command.measure.is_some()
            || formats().any(|format| matches!(format, Format::Json | Format::Html));
        let judge = || {
            let analysis = needed.then(|| Analysis::of(&slice));
            let verdict = is_shown.then(|| match &analysis {
                Some(analysis) => analysis.verdict.clone(),
                None => Verdict::of(&slice),
            });
            (analysis, verdict)
        };
        let options = match formats().all(is_as_written) {
            // These formats have all bands, whatever is drawn; the chart is needed only for its
            // facts.
            true => &RankOptions::default(),
            false => &self.command.rank,
        };
        let (mut chart, (analysis, verdict)) = match self.command.measure {
            Some(measure) if !formats().all(is_as_written) => {
                let judged = judge();
                let analysis = judged.0.as_ref().expect("a measure needs the analysis");
                let ranking = ranked(&slice, analysis, measure, options);
                (Chart::of(&slice, ranking), judged)
            }
            _ => {
                let worth = slice.points() >= MANY_POINTS;
                at_once(worth, || Chart::of(&slice, rank(&slice, options)), judge)
            }
        };
        chart.figure = self.command.measure.map_or_else(Default::default, Measure::figure);
        if let (Some(Measure::Growth), Some(analysis)) = (self.command.measure, &analysis) {
            chart.set_rates(&growth(&slice, analysis, &chart.ranking.kept));
        }
        let scene = &self.look.scene;
        if scene.panels != PanelChoice::None || scene.x == XAxis::Mutator {
            chart = chart.with_activity(&slice);
        }
        if let Some(failure) = no_mutator_time(&chart, scene) {
            return Err(failure);
        }
        // A page shows the verdict at the top.
        let is_captioned = formats().any(|format| format != Format::Html);
        if let Some(verdict) = verdict.as_ref().filter(|_| is_captioned)
            && let Some(caption) = verdict
                .caption(self.look.scene.units, |row| chart.name_of(Rows::of(&slice).id(row)))
        {
            let rows = Rows::of(&slice);
            let suspects = verdict.suspects.iter().filter_map(|suspect| suspect.row);
            chart.mark_suspects(caption, &suspects.map(|row| rows.id(row)).collect::<Vec<_>>());
        }
        Ok(Drawing { read, slice, as_written, chart, analysis, verdict })
    }

    fn fail(&mut self, input: &Input, failure: &Failure) {
        self.failed = true;
        failure.message().about(input).say();
    }

    /// Writes one page of several runs, and reports.
    fn page(&mut self, drawings: &[Drawing<'_>], target: &Target, unused: &mut Unused<'_>) {
        let Some(first) = drawings.first() else { return };
        let inputs = drawings.iter().map(|drawing| drawing.read.input);
        let names = short_names(inputs, first.slice.privacy());
        let runs: Vec<Drawn<'_>> = drawings.iter().map(Drawing::drawn).collect();
        drawings.iter().for_each(|one| {
            unused.chart(target.format, &one.slice, &one.chart, &self.look.scene);
        });
        let page = self.look.report_of_runs(&runs, &names);
        match output::write(&target.output, page.as_bytes()) {
            Ok(_) => drawings.iter().for_each(|drawing| self.report(drawing, &[target])),
            Err(failure) => self.fail(first.read.input, &failure.into()),
        }
    }

    /// Writes everything that is made from a single chart, and reports.
    fn draw(&mut self, drawing: &Drawing<'_>, unused: &mut Unused<'_>) {
        let Drawing { read, slice, chart, .. } = drawing;
        let mut missing = Vec::new();
        let own = |target: &&&Target| !is_shared(target, &self.command.jobs);
        let targets: Vec<&Target> = read.charts.iter().filter(own).copied().collect();
        if targets.is_empty() {
            return;
        }
        let written = self.write_all(read.input, &targets, |look, target| {
            let slice = match (&drawing.as_written, target.format) {
                (Some(as_written), Format::Hp) => as_written,
                _ => slice,
            };
            // Without samples, the page contains a picture of the panels.
            let format = match target.format {
                Format::Html if !Look::has_report(slice) => Format::Svg,
                format => format,
            };
            unused.chart(format, slice, chart, &look.scene);
            let (_, lacks) = look.write(Drawn { slice, ..drawing.drawn() }, target)?;
            missing.extend(summary::missing(read.input, &lacks));
            Ok(())
        });
        missing.dedup();
        missing.iter().for_each(|message| self.command.reader.voice.say(message));
        self.report(drawing, &written);
    }

    /// Prints messages about a chart, and where it was written.
    fn report(&self, drawing: &Drawing<'_>, written: &[&Target]) {
        let Drawing { read, slice, chart, .. } = drawing;
        let voice = self.command.reader.voice;
        let units = self.look.scene.units;
        let verdict = drawing.verdict.as_ref().and_then(|verdict| verdict.line(units));
        let verdict = verdict.filter(|_| !written.is_empty());
        read.say_what_was_odd(slice, voice, verdict.is_some());
        if written.is_empty() {
            return;
        }
        // This format has all bands, whatever is drawn.
        let all_bands = |target: &&Target| target.format == Format::Hp;
        let is_whole = written.iter().all(all_bands);
        if !is_whole {
            summary::bare(read.input, chart).iter().for_each(|message| voice.say(message));
            summary::crowded(read.input, chart).iter().for_each(|message| voice.say(message));
        }
        let as_written = drawing.as_written.as_ref().unwrap_or(slice);
        if written.iter().any(all_bands)
            && let Some(message) = summary::cut_names(read.input, as_written)
        {
            voice.say(&message);
        }
        let line = match chart.times.is_empty() && !slice.profile().calls.is_empty() {
            true => summary::calls(read.input, slice),
            false => summary::line(read.input, chart, is_whole, units),
        };
        voice.summarise(&(line + &summary::places(written)));
        if let Some(line) = verdict {
            voice.say(&Message::note(line).about(read.input));
        }
    }

    /// Draws or exports the stacks of an input, where they are wanted, and reports.
    fn stacks(&mut self, read: &JobInput<'_>, unused: &mut Unused<'_>) {
        if read.stacks.is_empty() {
            return;
        }
        let slice = match read.reading.slice() {
            Ok(slice) => slice,
            Err(failure) => return self.fail(read.input, &failure),
        };
        let command = self.command;
        let units = self.look.scene.units;
        let mut said = None;
        let mut missing = Vec::new();
        let written = self.write_all(read.input, &read.stacks, |look, target| {
            unused.stacks(target.format);
            let trees = Trees::of(command, &slice, target.format)?;
            let rendered = trees.render(target.format, &look.picture())?;
            missing.extend(summary::missing(read.input, &rendered.missing));
            said = Some(trees.summary(read.input, units));
            output::write(&target.output, &rendered.bytes)?;
            Ok(())
        });
        let voice = command.reader.voice;
        // If there is also a chart, what was odd has been reported with it.
        if read.charts.is_empty() {
            read.say_what_was_odd(&slice, voice, false);
        }
        missing.dedup();
        missing.iter().for_each(|message| voice.say(message));
        if let Some(line) = said.filter(|_| !written.is_empty()) {
            voice.summarise(&(line + &summary::places(&written)));
        }
    }

    /// Writes targets one after the other, and returns those that were written. A failed one is
    /// reported and does not prevent the others.
    fn write_all<'t>(
        &mut self,
        input: &Input,
        targets: &[&'t Target],
        mut write: impl FnMut(&Look, &Target) -> Result<(), Failure>,
    ) -> Vec<&'t Target> {
        let mut written = Vec::new();
        for &target in targets {
            match write(&self.look, target) {
                Ok(()) => written.push(target),
                Err(failure) => self.fail(input, &failure),
            }
        }
        written
    }
}

fn read<'a>(job: &'a Job, command: &Command) -> Result<JobInput<'a>, Failure> {
    let inputs = || {
        command
            .jobs
            .iter()
            .flat_map(|job| [Some(&job.input), job.twin.as_ref(), job.report.as_ref()])
    };
    for target in &job.targets {
        output::refuse_inputs(&target.output, inputs().flatten())?;
        let is_filter = target.output == Output::Stdout && job.input == Input::Stdin;
        if is_filter && io::stdout().is_terminal() {
            return Err(Failure::new("the chart would be printed on the terminal")
                .hint("name a file: heapviz - -o heap.svg"));
        }
    }
    let mut reader = command.reader.clone();
    reader.input = input_options(job, command);
    let (input, mut reading) = match &job.twin {
        None => (&job.input, reader.read(&job.input)?),
        Some(twin) => {
            let (input, reading) = reader.read_either(&job.input, twin)?;
            command.reader.voice.say(&summary::twin(&job.input, twin, input));
            (input, reading)
        }
    };
    let voice = command.reader.voice;
    if let Some(report) = &job.report {
        voice.say(&command.reader.add_report(&mut reading, report));
    }
    let beside = job.report.is_none().then(|| report_beside(&reading, input)).flatten();
    let wanted =
        |target: &&Target| stacks::are_wanted(command.view, target.format, reading.profile());
    let (stacks, charts) = job.targets.iter().partition(wanted);
    Ok(JobInput { input, reading, beside, charts, stacks })
}

/// How the input of a job is read: messages are only kept where they can be seen, or can be named as an
/// end of a window.
fn input_options(job: &Job, command: &Command) -> InputOptions {
    let mut options = command.reader.input.clone();
    let has_all = |target: &Target| matches!(target.format, Format::Html | Format::Json);
    let are_needed = command.scene.markers.messages == Messages::Show
        || command.reader.slice.window != Window::default()
        || command.given.has("at")
        || job.targets.iter().any(has_all);
    if !are_needed {
        options.limits.messages = KeptMessages::Latest;
    }
    options
}
