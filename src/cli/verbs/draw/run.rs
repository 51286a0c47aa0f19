//! One job after the other: read, rank, draw, write.

use std::io::{self, IsTerminal};
use std::process::ExitCode;

use heapviz::analysis::{Analysis, Verdict};
use heapviz::chart::{Chart, Clock};
use heapviz::draw::{DrawOptions, SameScale, XAxis, common_scale};
use heapviz::rank::rank;
use heapviz::report::VerdictChoice;
use heapviz::slice::Slice;

use super::command::{Command, VerdictPlace};
use super::stacks::{self, Trees};
use super::summary;
use crate::cli::args::measure::ranked;
use crate::cli::args::voice::Voice;
use crate::cli::failure::Failure;
use crate::cli::look::{Drawn, Look, fonts};
use crate::cli::message::Message;
use crate::cli::output::{self, Delivery};
use crate::cli::read::Reading;
use crate::cli::target::{self, Format, Input, Job, Output};

/// Does every job; a failed one does not keep the others from being done.
pub fn run(command: &Command) -> ExitCode {
    let fonts = match fonts(command.font.as_deref()) {
        Ok(fonts) => fonts,
        Err(failure) => {
            failure.message().say();
            return ExitCode::from(1);
        }
    };
    let look = Look {
        scene: command.scene.clone(),
        theme: command.theme,
        scale: command.scale,
        fonts,
        source_url: command.source_url.clone(),
        verdict: match command.verdict {
            VerdictPlace::Shown => VerdictChoice::Show,
            VerdictPlace::Hidden => VerdictChoice::Hide,
        },
    };
    let mut session = Session { command, look, failed: false };
    let is_one_page = target::is_one_page(&command.jobs);
    if command.same_scale.is_some() || is_one_page {
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
        let _ = match is_one_page {
            true => session.draw_page(&drawings),
            false => drawings.iter().try_for_each(|drawing| session.draw(drawing)),
        };
    } else {
        let _ = command.jobs.iter().try_for_each(|job| {
            session.read(job).map_or(Ok(()), |input| session.draw_alone(&input))
        });
    }
    if command.unused_scale {
        let note = Message::note("--scale is for PNG, and this call writes none");
        command.reader.voice.say(&note);
    }
    if !command.unused_size.is_empty() {
        let flags = command.unused_size.join(", ");
        let note = format!("{flags}: for pictures; a page is as large as its window");
        command.reader.voice.say(&Message::note(note));
    }
    if session.failed { ExitCode::from(1) } else { ExitCode::SUCCESS }
}

/// That axes of time that are to be the same count different things.
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
        format!("{} counts {}", drawing.job.input.name(), counted(drawing.chart.clock))
    };
    let text = format!("--same-scale: {}, {}", counts(first), counts(other));
    Some(Message::warning(text).hint("their horizontal axes cannot be compared; --same-scale y"))
}

/// What the times of a clock are, in words.
fn counted(clock: Clock) -> &'static str {
    match clock {
        Clock::Elapsed => "elapsed time",
        Clock::Mutator => "CPU time",
        Clock::Sample => "samples",
        _ => "another time",
    }
}

/// The input of a job.
struct JobInput<'a> {
    job: &'a Job,
    reading: Reading,
}

/// A chart on its way from its input to its output.
struct Drawing<'a> {
    job: &'a Job,
    reading: &'a Reading,
    slice: Slice<'a>,
    chart: Chart,
    /// What was found, where anybody asked.
    analysis: Option<Analysis>,
    /// Whether anybody is to hear what it says about growth.
    is_heard: bool,
}

impl Drawing<'_> {
    /// What it says about growth, unless nobody is to hear it.
    fn verdict(&self) -> Option<&Verdict> {
        self.analysis.as_ref().map(|analysis| &analysis.verdict).filter(|_| self.is_heard)
    }
}

/// Nobody reads any more; what is left to do is not done.
struct ReaderGone;

/// What all jobs of a run share.
struct Session<'a> {
    command: &'a Command,
    look: Look,
    failed: bool,
}

impl Session<'_> {
    /// The input of a job; `None` when it could not be read, which is reported.
    fn read<'a>(&mut self, job: &'a Job) -> Option<JobInput<'a>> {
        read(job, self.command).map_err(|failure| self.fail(job, failure)).ok()
    }

    /// The chart of an input; `None` when it has none, which is reported.
    fn chart<'a>(&mut self, input: &'a JobInput<'a>) -> Option<Drawing<'a>> {
        let JobInput { job, reading } = input;
        let slice = match job.format {
            Format::Hp => reading.slice_as_written(),
            _ => reading.slice(),
        };
        let slice = slice.map_err(|failure| self.fail(job, failure)).ok()?;
        // These formats have no place for it, and nobody is to hear it.
        let unseen = matches!(job.format, Format::Csv | Format::Hp)
            && self.command.reader.voice == Voice::Quiet;
        let is_shown = self.command.verdict == VerdictPlace::Shown && !unseen;
        let needed = is_shown || self.command.measure.is_some();
        let analysis = needed.then(|| Analysis::of(&slice));
        let ranking = match (self.command.measure, &analysis) {
            (Some(measure), Some(analysis)) => {
                ranked(&slice, analysis, measure, &self.command.rank)
            }
            _ => rank(&slice, &self.command.rank),
        };
        let mut chart = Chart::of(&slice, ranking);
        let verdict = analysis.as_ref().map(|analysis| &analysis.verdict).filter(|_| is_shown);
        let caption = verdict.and_then(|verdict| verdict.caption(self.look.scene.units));
        // A page has the verdict on top.
        if let Some(caption) = caption.filter(|_| job.format != Format::Html) {
            chart.facts.insert(0, caption);
        }
        Some(Drawing { job, reading, slice, chart, analysis, is_heard: is_shown })
    }

    fn draw(&mut self, drawing: &Drawing<'_>) -> Result<(), ReaderGone> {
        match self.write(drawing) {
            Ok(Delivery::Taken) => Ok(()),
            Ok(Delivery::ReaderGone) => Err(ReaderGone),
            Err(failure) => {
                self.fail(drawing.job, failure);
                Ok(())
            }
        }
    }

    fn fail(&mut self, job: &Job, failure: Failure) {
        self.failed = true;
        failure.message().about(&job.input).say();
    }

    fn write(&self, drawing: &Drawing<'_>) -> Result<Delivery, Failure> {
        let job = drawing.job;
        let Drawing { slice, chart, reading, analysis, .. } = drawing;
        let analysis = analysis.as_ref();
        let drawn = Drawn { slice, chart, analysis, advice: &reading.advice };
        let rendered = self.look.render(drawn, job.format)?;
        let delivery = output::write(&job.output, &rendered.bytes)?;
        if !rendered.missing.is_empty() {
            self.command.reader.voice.say(&summary::missing(&job.input, &rendered.missing));
        }
        self.say_about(drawing);
        Ok(delivery)
    }

    /// Writes one page of several runs.
    fn draw_page(&mut self, drawings: &[Drawing<'_>]) -> Result<(), ReaderGone> {
        let Some(first) = drawings.first() else { return Ok(()) };
        match self.write_page(drawings) {
            Ok(Delivery::Taken) => Ok(()),
            Ok(Delivery::ReaderGone) => Err(ReaderGone),
            Err(failure) => {
                self.fail(first.job, failure);
                Ok(())
            }
        }
    }

    fn write_page(&self, drawings: &[Drawing<'_>]) -> Result<Delivery, Failure> {
        let runs: Vec<Drawn<'_>> = drawings
            .iter()
            .map(|Drawing { slice, chart, reading, analysis, .. }| {
                let analysis = analysis.as_ref();
                Drawn { slice, chart, analysis, advice: &reading.advice }
            })
            .collect();
        let names = target::short_names(drawings.iter().map(|drawing| &drawing.job.input));
        let page = self.look.report_of_runs(&runs, &names);
        let delivery = output::write(&drawings[0].job.output, page.as_bytes())?;
        drawings.iter().for_each(|drawing| self.say_about(drawing));
        Ok(delivery)
    }

    /// Says what is to be known about a chart that was written.
    fn say_about(&self, drawing: &Drawing<'_>) {
        let job = drawing.job;
        let voice = self.command.reader.voice;
        for message in drawing.reading.messages(&drawing.slice, &job.input) {
            voice.say(&message);
        }
        // This format has all bands, whatever is drawn.
        if job.format != Format::Hp && drawing.chart.layers.is_empty() && drawing.chart.bands > 0 {
            voice.say(&summary::bare(&job.input, &drawing.chart));
        }
        if job.format == Format::Hp
            && let Some(message) = summary::cut_names(&job.input, &drawing.slice)
        {
            voice.say(&message);
        }
        voice.summarise(&summary::line(
            &job.input,
            &job.output,
            &drawing.chart,
            self.look.scene.units,
        ));
        if let Some(line) = drawing.verdict().and_then(|verdict| verdict.line(self.look.scene.units)) {
            voice.say(&Message::note(line).about(&job.input));
        }
    }

    /// Draws or exports the stacks of an input.
    fn stacks(&self, input: &JobInput<'_>) -> Result<Delivery, Failure> {
        let JobInput { job, reading } = input;
        let slice = reading.slice()?;
        let trees = Trees::of(self.command, &slice, job)?;
        let rendered = trees.render(job, &self.look.picture())?;
        let delivery = output::write(&job.output, &rendered.bytes)?;
        let voice = self.command.reader.voice;
        for message in reading.messages(&slice, &job.input) {
            voice.say(&message);
        }
        if !rendered.missing.is_empty() {
            voice.say(&summary::missing(&job.input, &rendered.missing));
        }
        voice.summarise(&trees.summary(&job.input, &job.output, self.look.scene.units));
        Ok(delivery)
    }

    /// Draws the job of an input, as a chart or as a flame graph.
    fn draw_alone(&mut self, input: &JobInput<'_>) -> Result<(), ReaderGone> {
        if !stacks::are_wanted(self.command, input.job, input.reading.profile()) {
            return self.chart(input).map_or(Ok(()), |drawing| self.draw(&drawing));
        }
        match self.stacks(input) {
            Ok(Delivery::Taken) => Ok(()),
            Ok(Delivery::ReaderGone) => Err(ReaderGone),
            Err(failure) => {
                self.fail(input.job, failure);
                Ok(())
            }
        }
    }
}

fn read<'a>(job: &'a Job, command: &Command) -> Result<JobInput<'a>, Failure> {
    output::refuse_inputs(&job.output, command.jobs.iter().map(|job| &job.input))?;
    if job.output == Output::Stdout && job.input == Input::Stdin && io::stdout().is_terminal() {
        return Err(Failure::new("the chart would go to the terminal")
            .hint("name a file: heapviz - -o heap.svg"));
    }
    let reading = command.reader.read(&job.input)?;
    Ok(JobInput { job, reading })
}
