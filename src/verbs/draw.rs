//! `heapviz draw`, which `heapviz` without a verb also does: its inputs and its flags.

use std::io::{self, IsTerminal};
use std::mem::ManuallyDrop;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;

use crate::base::text::visible;
use crate::base::units::{UnitSystem, count, percent};
use crate::chart::{Chart, LayerRole};
use crate::cli::args;
use crate::cli::args::{
    BandArgs, LabelArgs, OpenArgs, PageSourceArgs, PictureArgs, ReadingArgs, SliceArgs, StackArgs,
    ViewArgs, activity,
};
use crate::cli::charts::{check, write_all};
use crate::cli::read::{messages, unused_report};
use crate::cli::target::{is_shared, short_names};
use crate::cli::write::{places, write};
use crate::cli::{
    Choice, DocumentKind, FlagUses, Format, GivenFlags, Input, InputReader, Instead, Job, Message,
    OF_A_RUN, Output, Reading, Runs, Stop, Style, Target, Verb, Voice, WrittenOutputs, output,
    target,
};
use crate::draw::{DrawOptions, Messages};
use crate::export;
use crate::input::{InputOptions, ReadError};
use crate::profile::{Clock, KeptMessages};
use crate::profile_view::{ActivityChoice, Measure, ProfileView, VerdictChoice, ViewOptions};
use crate::slice::rank::RankOptions;
use crate::slice::{Grouping, Window};

/// A few examples for the short help.
pub const FEW_EXAMPLES: &str = "\
Examples:
  heapviz prog.eventlog                     draw prog.svg next to the log
  heapviz prog.eventlog -o heap.html        a page to explore the profile in
  heapviz stats prog.eventlog               what grows, in the terminal
";

pub const EXAMPLES: &str = "\
Examples:
  heapviz prog.eventlog                     draw prog.svg next to the log
  heapviz prog.hp -o heap.png --scale 2     a sharp PNG for chat
  heapviz prog.hp -o heap.pdf --width 14cm --palette grey
                                            for a paper in black and white
  heapviz --bands 8 --trace 0 prog.hp       the 7 biggest bands, all the rest as OTHER
  heapviz --from 'phase 2' --to 20s prog.eventlog
                                            from a marker to a time
  heapviz --view lines --include Map prog.hp
                                            the bands that have Map in their name, each from zero
  heapviz prog.prof                         where time went, as a flame graph
  heapviz --view flame --at last prog.eventlog
                                            who holds the live bytes at the end (-hc)
  heapviz prog.eventlog -o heap.html        a page to explore the profile in
  heapviz hy.hp hc.hp hb.hp -o heap.html    one page for several runs, with a tab for each
  heapviz prog.eventlog -o heap.svg -o heap.json
                                            a picture and the numbers behind it, from one reading
  heapviz prog.eventlog -o prog.hp          all bands, for tools that read only .hp
  heapviz --redact prog.eventlog -o heap.svg
                                            without command line, date and folders
  ssh host cat prog.hp | heapviz - -o -     as a filter
  heapviz hp2ps -c prog.hp                  as hp2ps: its flags, its PostScript, byte for byte
";

/// Shown after the flags.
pub const ENDING: &str = "\
To make a profile, link the program with -rtsopts (GHC before 9.4: -rtsopts -eventlog) and run it
with +RTS -hT -l-agu. Or build it with -prof, too, and run it with +RTS -hy -l-agu (by type),
-hc -l-agu (by cost centre) or -hd -l-agu (by constructor). It writes PROGRAM.eventlog and
PROGRAM.hp.

Exit status of every verb: 0 success, 1 something could not be read or written, 2 wrong usage, 3 a
budget of `check` or an alert of `watch` was exceeded (1 if something could not be read, too).";

/// Draws profiles; heapviz without a verb does the same
///
/// Chooses and orders the bands as hp2ps does, and draws them as a stacked chart.
#[derive(Debug, Parser)]
#[command(before_help = FEW_EXAMPLES, before_long_help = EXAMPLES, after_long_help = ENDING)]
pub struct Draw {
    /// Profiles to draw; `-` is standard input. The format is recognised by content, also inside gzip
    /// and zstd
    #[arg(value_name = "INPUT", required = true)]
    inputs: Vec<PathBuf>,

    /// Where to write the chart; the extension chooses the format [default: prog.svg beside prog.hp]
    ///
    /// A file, a folder, or `-` for standard output. Can be given several times; the input is read once.
    #[arg(short, long, value_name = "FILE")]
    output: Vec<PathBuf>,

    /// Output format, if the extension of FILE does not determine it [default: svg]
    #[arg(short, long, value_name = "FORMAT", value_parser = Format::parser(OF_A_RUN))]
    format: Option<Format>,

    #[command(flatten)]
    view: ViewArgs,

    #[command(flatten)]
    bands: BandArgs,

    #[command(flatten)]
    slice: SliceArgs,

    #[command(flatten)]
    picture: PictureArgs,

    #[command(flatten)]
    stacks: StackArgs,

    #[command(flatten)]
    source: PageSourceArgs,

    #[command(flatten)]
    open: OpenArgs,

    #[command(flatten)]
    labels: LabelArgs,

    #[command(flatten)]
    reading: ReadingArgs,

    #[command(flatten)]
    voice: Voice,
}

impl Verb for Draw {
    fn run(self, given: &GivenFlags) -> Result<ExitCode, Stop> {
        let jobs = target::jobs(&self.inputs, &self.output, self.format)?;
        let sources = self.source.sources(self.slice.privacy())?;
        let mut style = self.style()?;
        style.sources = sources;
        if jobs.iter().flat_map(|job| &job.targets).any(|target| target.format.is_page()) {
            style.page.flags = given.of_a_view(&args::of_a_view(), self.slice.privacy());
        }
        let choice = self.choice();
        let uses = FlagUses::new(given, choice.stacks.weight, self.format);
        let session =
            Session { verb: &self, given, jobs: &jobs, choice, style, uses, failed: false };
        Ok(session.run())
    }
}

impl Draw {
    fn style(&self) -> Result<Style, Message> {
        let mut style = Style::default();
        self.picture.on(&mut style)?;
        self.view.on(&mut style);
        style.opens = self.open.open;
        style.labels = self.labels.labels(self.slice.privacy());
        style.page.weight = self.stacks.weight;
        style.root = self.stacks.root;
        Ok(style)
    }

    fn choice(&self) -> Choice {
        Choice { view: self.view.view, stacks: self.stacks.clone() }
    }

    fn reader(&self, given: &GivenFlags, job: &Job, draw: &DrawOptions) -> InputReader {
        InputReader {
            input: self.input_options(given, job, draw),
            strict: self.reading.strict,
            privacy: self.slice.privacy(),
            voice: self.voice,
            instead: match job.targets.iter().any(|target| target.format.lists_samples()) {
                true => &[Instead::Calls],
                false => &[Instead::Calls, Instead::Runtime],
            },
        }
    }

    /// How the input of a job is read: messages are only kept where they can be seen, or can be named as an
    /// end of a window.
    fn input_options(&self, given: &GivenFlags, job: &Job, draw: &DrawOptions) -> InputOptions {
        let mut options = self.reading.options();
        let has_all = |target: &Target| target.format.has_figures();
        let are_needed = draw.markers.messages == Messages::Show
            || self.slice.options().window != Window::default()
            || given.has("at")
            || job.targets.iter().any(has_all);
        if !are_needed {
            options.limits.messages = KeptMessages::Latest;
        }
        options
    }

    /// What a run shows of its profile.
    fn run_options(&self, job: &Job, draw: &DrawOptions) -> ViewOptions {
        let mut options = ViewOptions::default();
        options.slice = self.slice.options();
        options.activity = activity(draw);
        // Lists have no place for the verdict, and the user may want no messages.
        options.verdict = match self.voice.quiet
            && job.targets.iter().all(|target| target.format.lists_samples())
        {
            true => VerdictChoice::Hide,
            false => self.picture.verdict(),
        };
        // A .hp has all bands, whatever is drawn; then the chart is needed only for its facts.
        if job.targets.iter().any(|target| !target.format.has_all_bands()) {
            options.rank = self.bands.options();
            options.measure = self.bands.sort;
        } else {
            (options.rank, options.measure) = (RankOptions::default(), Measure::Total);
            if options.slice.grouping == Grouping::Auto {
                options.slice.grouping = Grouping::None;
            }
        }
        options
    }
}

struct Session<'a> {
    verb: &'a Draw,
    given: &'a GivenFlags,
    jobs: &'a [Job],
    choice: Choice,
    style: Style,
    uses: FlagUses<'a>,
    failed: bool,
}

/// What was read for a job.
struct ReadJob<'a> {
    job: &'a Job,
    reading: Reading<'a>,
    options: ViewOptions,
    /// A message if a report next to the input is not used.
    beside: Option<Message>,
}

impl Session<'_> {
    /// Does every job; a failed one does not prevent the others.
    fn run(mut self) -> ExitCode {
        output::protect(self.jobs.iter().flat_map(Job::inputs));
        let shared = self.jobs.first().map_or(Vec::new(), |job| {
            job.targets.iter().filter(|target| is_shared(target, self.jobs)).collect()
        });
        if !shared.is_empty() {
            let read: Vec<_> = self.jobs.iter().filter_map(|job| self.read(job)).collect();
            let runs: Vec<_> =
                read.iter().filter_map(|read| self.run_of(read).map(|run| (read, run))).collect();
            shared.iter().for_each(|target| self.page(&runs, target));
            runs.iter().for_each(|(read, run)| self.write(read, run));
        } else {
            for (i, job) in self.jobs.iter().enumerate() {
                let Some(read) = self.read(job) else { continue };
                let read = ManuallyDrop::new(read);
                let run = self.run_of(&read).map(ManuallyDrop::new);
                if let Some(run) = &run {
                    self.write(&read, run);
                }
                // Freeing all parts of a profile can take a tenth of a run; the memory of the last one is the
                // system's as soon as the process ends.
                if i + 1 < self.jobs.len() {
                    drop(run.map(ManuallyDrop::into_inner));
                    drop(ManuallyDrop::into_inner(read));
                }
            }
        }
        self.uses.notes().iter().for_each(|note| self.voice().say(note));
        if self.failed { ExitCode::from(1) } else { ExitCode::SUCCESS }
    }

    fn voice(&self) -> Voice {
        self.verb.voice
    }

    fn fail(&mut self, input: &Input, failure: Message) {
        self.failed = true;
        failure.about(input).say();
    }

    /// Reads the input of a job; `None` when it could not be read, which is reported.
    fn read<'j>(&mut self, job: &'j Job) -> Option<ReadJob<'j>> {
        self.read_job(job).map_err(|failure| self.fail(&job.input, failure)).ok()
    }

    fn read_job<'j>(&self, job: &'j Job) -> Result<ReadJob<'j>, Message> {
        for target in &job.targets {
            output::refuse_protected([&target.output])?;
            let is_filter = target.output == Output::Stdout && job.input == Input::Stdin;
            if is_filter && io::stdout().is_terminal() {
                return Err(Message::error("the chart would be printed on the terminal")
                    .hint("name a file: heapviz - -o heap.svg"));
            }
        }
        let reader = self.verb.reader(self.given, job, &self.style.draw);
        let reading = reader.read(job)?;
        if reading.profile.calls.is_empty() {
            reader.why_no_samples(&reading).iter().for_each(|message| self.voice().say(message));
        }
        let beside = job.report.is_none().then(|| unused_report(&reading)).flatten();
        let mut options = self.verb.run_options(job, &self.style.draw);
        if reading.profile.no_samples().is_some() {
            // Then panels are all that a picture can show.
            options.activity = ActivityChoice::Include;
        }
        Ok(ReadJob { job, reading, options, beside })
    }

    /// The run of what was read; `None` if it does not have the wanted part, which is reported.
    fn run_of<'r>(&mut self, read: &'r ReadJob<'_>) -> Option<ProfileView<'r>> {
        let file = read.reading.input.file(read.options.slice.privacy);
        ProfileView::new(&read.reading.profile, &read.options)
            .map(|run| run.of_file(file))
            .map_err(|error| {
                self.fail(read.reading.input, ReadError::Decode(error.into()).into());
            })
            .ok()
    }

    /// Writes one page of several runs, and reports.
    fn page(&mut self, runs: &[(&ReadJob<'_>, ProfileView<'_>)], target: &Target) {
        let mut fit = Vec::new();
        for (read, run) in runs {
            match check(run, &self.style) {
                Ok(()) => fit.push((read, run)),
                // It is reported with the other outputs of the run, if there are any.
                Err(failure) if read.job.targets.len() == 1 => {
                    self.fail(read.reading.input, failure);
                }
                Err(_) => {}
            }
        }
        let Some((first, run)) = fit.first() else { return };
        let inputs = fit.iter().map(|(read, _)| read.reading.input);
        let names = short_names(inputs, run.slice().privacy());
        for (_, run) in &fit {
            self.uses.chart(DocumentKind::Runs, target.format, run, &self.style.draw);
        }
        let named = Runs(names.into_iter().zip(fit.iter().map(|(_, run)| *run)).collect());
        match write(&named, target, &self.style) {
            Ok(_) => fit.iter().for_each(|(read, run)| {
                let outcome = WrittenOutputs { charts: vec![target], ..WrittenOutputs::default() };
                self.report(read, run, &outcome);
            }),
            Err(failure) => self.fail(first.reading.input, failure),
        }
    }

    /// Writes everything that is made from a single run, and reports.
    fn write(&mut self, read: &ReadJob<'_>, run: &ProfileView<'_>) {
        let own: Vec<&Target> =
            read.job.targets.iter().filter(|target| !is_shared(target, self.jobs)).collect();
        if own.is_empty() {
            return;
        }
        let input = read.reading.input;
        let mut outcome = write_all(run, input, own, (&self.choice, &self.style), &mut self.uses);
        for failure in std::mem::take(&mut outcome.failures) {
            self.fail(input, failure);
        }
        for message in &outcome.missing {
            self.voice().say(&message.clone().about(input));
        }
        self.report(read, run, &outcome);
    }

    /// Prints messages about a run, and where it was written.
    fn report(&self, read: &ReadJob<'_>, run: &ProfileView<'_>, outcome: &WrittenOutputs<'_>) {
        let (voice, units) = (self.voice(), self.style.draw.units);
        let input = read.reading.input;
        let verdict = match run.options().verdict {
            VerdictChoice::Show if !outcome.charts.is_empty() => {
                run.news().map(|news| news.text(units))
            }
            VerdictChoice::Show | VerdictChoice::Hide => None,
        };
        report_oddities(read, run, voice, verdict.is_some());
        if !outcome.charts.is_empty() {
            report_chart(input, run, &outcome.charts, (voice, units));
        }
        if let Some(line) = verdict {
            voice.say(&Message::note(line).about(input));
        }
        if run.options().verdict == VerdictChoice::Show
            && !outcome.charts.is_empty()
            && let Some(line) = run.sampling_line()
        {
            voice.say(&Message::note(line).about(input));
        }
        if let Some(line) = outcome.summary.as_ref().filter(|_| !outcome.stacks.is_empty()) {
            voice.summarise(&(line.clone() + &places(&outcome.stacks)));
        }
    }
}

/// Prints what was odd about the input, and what would show more. If nothing was odd, one note is
/// enough, and none if a verdict follows, because stats and the page show them all.
fn report_oddities(read: &ReadJob<'_>, run: &ProfileView<'_>, voice: Voice, has_verdict: bool) {
    let messages = read.beside.iter().cloned().chain(messages(run, read.reading.input));
    let (notes, odd): (Vec<_>, Vec<_>) = messages.partition(Message::is_note);
    let most = match (odd.is_empty(), has_verdict) {
        (false, _) => notes.len(),
        (true, true) => 0,
        (true, false) => 1,
    };
    odd.iter().chain(notes.iter().take(most)).for_each(|message| voice.say(message));
}

/// Prints what a chart shows and where it was written.
fn report_chart(
    input: &Input,
    run: &ProfileView<'_>,
    written: &[&Target],
    (voice, units): (Voice, UnitSystem),
) {
    // This format has all bands, whatever is drawn.
    let all_bands = |target: &&Target| target.format.has_all_bands();
    let is_whole = written.iter().all(all_bands);
    let has_picture = written.iter().any(|target| target.format.is_picture());
    let chart = if has_picture { run.picture() } else { run.chart() };
    if !is_whole {
        crowded(input, chart).iter().for_each(|message| voice.say(message));
    }
    if has_picture {
        mostly_other(input, run).iter().for_each(|message| voice.say(message));
    }
    if written.iter().any(all_bands) {
        cut_names(input, run).iter().for_each(|message| voice.say(message));
    }
    let line = match chart.times.is_empty() && !run.profile().calls.is_empty() {
        true => {
            let stacks = count(run.profile().calls.nodes.len(), "cost-centre stack");
            format!("{}: no heap samples, {stacks}", visible(&input.name()))
        }
        false => summary(input, chart, is_whole, units),
    };
    voice.summarise(&(line + &places(written)));
}

/// What was drawn, or written with all its bands (`is_whole`), without the place; memory in
/// `units`.
fn summary(input: &Input, chart: &Chart, is_whole: bool, units: UnitSystem) -> String {
    let (shown, verb) = match is_whole {
        true => (chart.bands - chart.excluded.bands, "written"),
        false => {
            (chart.layers.iter().filter(|layer| layer.role == LayerRole::Band).count(), "shown")
        }
    };
    let mut line = format!("{}: ", visible(&input.name()));
    line.push_str(&match chart.times.len() {
        0 => {
            let collections = chart.activity.runtime.collections.all.len();
            format!("no heap samples, {}", count(collections, "collection"))
        }
        _ => {
            let (samples, bands) = (count(chart.with_data(), "sample"), count(chart.bands, "band"));
            match &chart.layers[..] {
                [layer] if layer.role == LayerRole::Other => {
                    format!("{samples}, {} of {bands} {verb}, all as OTHER", layer.members)
                }
                _ => format!("{samples}, {shown} of {bands} {verb}"),
            }
        }
    });
    if let Some(peak) = chart.peak() {
        let height = units.text(peak.total);
        let when = match chart.clock {
            Clock::Sample => format!("in sample {}", chart.number(peak.sample)),
            Clock::Elapsed | Clock::Mutator => format!("at {}", peak.time),
        };
        line.push_str(&format!(", peak {height} {when}"));
    }
    if chart.trace.bands > 0 && !is_whole {
        let share = percent(chart.trace.total, chart.trace.grand_total);
        line.push_str(&format!(
            ", {} ({share}) left out",
            count(chart.trace.bands, "trace element")
        ));
    }
    line
}

/// A message that bands have no separate row because all together would take too much memory.
fn crowded(input: &Input, chart: &Chart) -> Option<Message> {
    let message = chart.crowded()?.message;
    let hint = "choose some with --include, or write all of them with -f hp";
    Some(Message::warning(message).about(input).hint(hint))
}

/// A message that a picture has most of the heap in OTHER, although there are groups of bands to be shown.
fn mostly_other(input: &Input, run: &ProfileView<'_>) -> Option<Message> {
    let (slice, chart) = (run.slice(), run.picture());
    let other = chart.layers.iter().find(|layer| layer.role == LayerRole::Other)?;
    let all = chart.trace.grand_total;
    if 2 * other.total <= all || slice.module(*chart.ranking.other.last()?).is_empty() {
        return None;
    }
    let text = format!("most of the heap is in OTHER ({})", percent(other.total, all));
    Some(Message::note(text).about(input).hint("--group module shows a band for each module"))
}

/// A message that names are longer than a `.hp` allows.
fn cut_names(input: &Input, run: &ProfileView<'_>) -> Option<Message> {
    let cut = run.as_written(export::hp::cut_names);
    let names = count(cut, "name");
    let text = format!("{names} cut to 4999 bytes, the most that readers of .hp take");
    (cut > 0).then(|| Message::note(text).about(input))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(words: &[&str]) -> Result<Draw, clap::Error> {
        Draw::try_parse_from([&["draw"], words].concat())
    }

    #[test]
    fn without_flags_the_defaults_of_the_library_apply() {
        let draw = parse(&["x.hp"]).unwrap();
        let jobs = target::jobs(&draw.inputs, &[], None).unwrap();
        let style = draw.style().unwrap();
        assert_eq!(draw.run_options(&jobs[0], &style.draw), ViewOptions::default());
        assert_eq!(draw.reading.options(), InputOptions::default());
        assert_eq!(style.draw, DrawOptions::default());
    }

    #[test]
    fn a_picture_that_shows_nearly_only_other_proposes_groups() {
        use crate::profile::{Breakdown, ProfileBuilder, Source};
        use crate::slice::Part;
        for (bands, grouping, proposes) in [
            (100, Grouping::Auto, true),
            (30, Grouping::Auto, false),
            (100, Grouping::By(Part::Module), false),
        ] {
            let mut builder = ProfileBuilder::new(Source::Hp);
            builder.declare_breakdown(Breakdown::ClosureType);
            let names: Vec<String> =
                (0..bands).map(|i| format!("App.Part{}.T{i}", i % 9)).collect();
            builder.sample(0, names.iter().map(|name| (name, 800)));
            let profile = builder.finish();
            let mut options = ViewOptions::default();
            options.slice.grouping = grouping;
            let run = ProfileView::new(&profile, &options).unwrap();
            let message = mostly_other(&Input::Stdin, &run);
            assert_eq!(message.is_some(), proposes, "{bands} bands");
        }
    }
}
