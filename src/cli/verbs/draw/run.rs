//! One job after the other: read, rank, draw, write.

use std::io::{self, IsTerminal};
use std::process::ExitCode;

use heapviz::analysis::{Analysis, Verdict};
use heapviz::chart::{Chart, Clock};
use heapviz::draw::{DrawOptions, SameScale, XAxis, common_scale};
use heapviz::rank::{RankOptions, rank};
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
use crate::cli::target::{Format, Input, Job, Output};

/// Does every job; a failed one does not keep the others from being done.
pub fn run(command: &Command) -> ExitCode {
    let fonts = match fonts(command.font.as_deref()) {
        Ok(fonts) => fonts,
        Err(failure) => {
            failure.message().say();
            return ExitCode::from(1);
        }
    };
    let look =
        Look { scene: command.scene.clone(), theme: command.theme, scale: command.scale, fonts };
    let mut session = Session { command, look, failed: false };
    if let Some(which) = command.same_scale {
        // All charts are needed before the first is drawn.
        let inputs: Vec<_> = command.jobs.iter().filter_map(|job| session.read(job)).collect();
        let drawings: Vec<_> = inputs.iter().filter_map(|input| session.chart(input)).collect();
        let charts = drawings.iter().map(|drawing| &drawing.chart);
        if let Some(message) = mixed_clocks(&drawings, which, &session.look.scene) {
            command.reader.voice.say(&message);
        }
        session.look.scene.scale = common_scale(charts, which, &session.look.scene);
        let _ = drawings.iter().try_for_each(|drawing| session.draw(drawing));
    } else {
        let _ = command.jobs.iter().try_for_each(|job| {
            session.read(job).map_or(Ok(()), |input| session.draw_alone(&input))
        });
    }
    if command.unused_scale {
        let note = Message::note("--scale is for PNG, and this call writes none");
        command.reader.voice.say(&note);
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
    /// What it says about growth, unless nobody is to hear it.
    verdict: Option<Verdict>,
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
            // It has all bands, whatever is drawn: what a chart is needed for here is its facts.
            _ if job.format == Format::Hp => rank(&slice, &RankOptions::default()),
            (Some(measure), Some(analysis)) => {
                ranked(&slice, analysis, measure, &self.command.rank)
            }
            _ => rank(&slice, &self.command.rank),
        };
        let mut chart = Chart::of(&slice, ranking);
        let verdict = analysis.map(|analysis| analysis.verdict).filter(|_| is_shown);
        let caption = verdict.as_ref().and_then(|verdict| verdict.caption(self.look.scene.units));
        if let Some(caption) = caption {
            chart.facts.insert(0, caption);
        }
        Some(Drawing { job, reading, slice, chart, verdict })
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
        let Drawing { slice, chart, reading, .. } = drawing;
        let drawn = Drawn { slice, chart, advice: &reading.advice };
        let (delivery, missing) = self.look.write(drawn, job)?;
        let voice = self.command.reader.voice;
        for message in drawing.reading.messages(&drawing.slice, &job.input) {
            voice.say(&message);
        }
        match job.format {
            // It has all bands.
            Format::Hp => {
                if let Some(message) = summary::cut_names(&job.input, &drawing.slice) {
                    voice.say(&message);
                }
            }
            _ => {
                if drawing.chart.layers.is_empty() && drawing.chart.bands > 0 {
                    voice.say(&summary::bare(&job.input, &drawing.chart));
                }
                if let Some(message) = summary::crowded(&job.input, &drawing.chart) {
                    voice.say(&message);
                }
            }
        }
        if !missing.is_empty() {
            voice.say(&summary::missing(&job.input, &missing));
        }
        voice.summarise(&summary::line(job, &drawing.chart, self.look.scene.units));
        let verdict = drawing.verdict.as_ref();
        if let Some(line) = verdict.and_then(|verdict| verdict.line(self.look.scene.units)) {
            voice.say(&Message::note(line).about(&job.input));
        }
        Ok(delivery)
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
