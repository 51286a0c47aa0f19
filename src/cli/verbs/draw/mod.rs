//! `heapviz draw`, which is also what `heapviz` does without a verb: its inputs and its flags.

mod command;
mod run;
mod stacks;
mod summary;
mod unused;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use heapviz::draw::{Growth, PanelChoice};

use crate::cli::args::bands::BandArgs;
use crate::cli::args::given::Given;
use crate::cli::args::picture::PictureArgs;
use crate::cli::args::reading::ReadingArgs;
use crate::cli::args::slice::SliceArgs;
use crate::cli::args::stacks::StackArgs;
use crate::cli::args::voice::VoiceArgs;
use crate::cli::read::Reader;
use crate::cli::target::{self, Format};
use crate::cli::verb::{UsageError, Verb};
use command::{Command, VerdictPlace};

/// Shown after the flags.
pub const EXAMPLES: &str = "\
Examples:
  heapviz prog.eventlog                     draw prog.svg next to the log
  heapviz prog.hp -o heap.png --scale 2     a sharp PNG for chat
  heapviz prog.hp -o heap.pdf --width 14cm --palette patterns
                                            for a paper in black and white
  heapviz --bands 8 --trace 0 prog.hp       the 7 biggest bands, all the rest as OTHER
  heapviz --from 'phase 2' --to 20s prog.eventlog
                                            from a marker to a time
  heapviz --view lines --include Map prog.hp
                                            the bands that have Map in their name, each from zero
  heapviz --same-scale both before.hp after.hp
                                            two charts on one scale, to compare by eye
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

To make a profile, link the program with -rtsopts (GHC before 9.4: -rtsopts -eventlog) and run it with
+RTS -hT -l-agu. Or build it with -prof, too, and run it with +RTS -hy -l-agu (by type), -hc -l-agu
(by cost centre) or -hd -l-agu (by constructor). It writes PROGRAM.eventlog and PROGRAM.hp.

Exit status of every verb: 0 success, 1 something could not be read or written, 2 wrong usage, 3 a
budget of `check` or an alert of `watch` was exceeded (1 if something could not be read, too).";

/// The name of the argument that holds the inputs.
pub const INPUTS: &str = "inputs";

/// Draws profiles; heapviz without a verb does the same
///
/// Chooses and orders the bands as hp2ps does, and draws them as a stacked chart.
#[derive(Debug, Parser)]
#[command(after_help = EXAMPLES)]
pub struct Draw {
    // First, because clap forgets an argument as soon as a field has it.
    #[command(flatten)]
    given: Given,

    /// Profiles to draw; `-` is standard input. The format is recognised by content, also inside
    /// gzip
    /// and zstd
    #[arg(id = INPUTS, value_name = "INPUT", required = true)]
    inputs: Vec<PathBuf>,

    /// Where to write the chart: a file, `-` for standard output, or a folder. The extension
    /// chooses the format. Can be given several times; the input is read once. Without -o, the
    /// chart is written next to the input: prog.hp to prog.svg
    #[arg(short, long, value_name = "FILE")]
    output: Vec<PathBuf>,

    /// Output format, if the extension of FILE does not determine it [default: svg]
    #[arg(short, long, value_name = "FORMAT")]
    format: Option<Format>,

    /// Do not report what grows, neither on the chart nor after drawing
    #[arg(long)]
    no_verdict: bool,

    #[command(flatten)]
    slice: SliceArgs,

    #[command(flatten)]
    voice: VoiceArgs,

    #[command(flatten)]
    bands: BandArgs,

    #[command(flatten)]
    picture: PictureArgs,

    #[command(flatten)]
    stacks: StackArgs,

    #[command(flatten)]
    reading: ReadingArgs,
}

impl Verb for Draw {
    fn run(self) -> Result<ExitCode, UsageError> {
        Ok(run::run(&self.command()?))
    }
}

impl Draw {
    fn command(self) -> Result<Command, UsageError> {
        let jobs = target::jobs(&self.inputs, &self.output, self.format).map_err(UsageError)?;
        let scene = self.picture.options();
        let mut reader = Reader::new(&self.reading, &self.slice, self.voice.voice()).of_time_too();
        if scene.panels != PanelChoice::None {
            reader = reader.of_runtime_too();
        }
        Ok(Command {
            jobs,
            given: self.given,
            reader,
            rank: self.bands.options(),
            measure: self.bands.measure(),
            scene,
            view: self.picture.view,
            stacks: self.stacks.choice(),
            growth: if self.bands.is_reversed() { Growth::Down } else { Growth::Up },
            same_scale: self.picture.same_scale,
            source_url: self.picture.source_url,
            paper: self.picture.paper,
            verdict: if self.no_verdict { VerdictPlace::Hidden } else { VerdictPlace::Shown },
        })
    }
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroUsize;

    use heapviz::draw::{
        Heading, HeapLines, KeyPlace, MarkerPattern, Messages, Palette, PanelKind, View, XAxis,
    };
    use heapviz::input::InputOptions;
    use heapviz::profile::{RunChoice, Source};
    use heapviz::rank::{Direction, SortKey, TraceElements};
    use heapviz::render::PngOptions;
    use heapviz::slice::{Privacy, Selection, SliceOptions};
    use heapviz::units::{Bytes, Nanos, UnitSystem};

    use heapviz::draw::{DrawOptions, SameScale};
    use heapviz::rank::RankOptions;
    use heapviz::scene::Theme;

    use super::*;
    use crate::cli::args::reading::LossPolicy;
    use crate::cli::args::voice::Voice;

    fn parse_words(words: &[&str]) -> Result<Command, clap::Error> {
        let draw = Draw::try_parse_from([&["draw"], words].concat())?;
        Ok(draw.command().expect("arguments that fit together"))
    }

    #[test]
    fn without_flags_the_defaults_of_the_library_apply() {
        let command = parse_words(&["x.hp"]).unwrap();
        assert_eq!(command.rank, RankOptions::default());
        assert_eq!(command.reader.input, InputOptions::default());
        assert_eq!(command.reader.slice, SliceOptions::default());
        assert_eq!(command.scene, DrawOptions::default());
        assert_eq!(command.paper.scale(), PngOptions::default().scale);
        assert_eq!((command.paper.theme(), command.same_scale), (None, None));
        assert_eq!(command.paper.font, None);
        assert_eq!((command.reader.losses, command.reader.voice), (LossPolicy::Use, Voice::Normal));
    }

    #[test]
    fn every_limit_reaches_its_option() {
        let command = parse_words(&[
            "--limit-bands=1",
            "--limit-cost-centres=2",
            "--limit-info-tables=3",
            "--limit-markers=4",
            "--limit-heap-points=5",
            "--limit-text=6k",
            "--limit-texts=7M",
            "--redact",
            "x",
        ])
        .unwrap();
        let limits = &command.reader.input.limits;
        assert_eq!((limits.bands, limits.cost_centres, limits.info_tables), (1, 2, 3));
        assert_eq!((limits.markers, limits.heap_points), (4, 5));
        assert_eq!((limits.text, limits.all_texts), (6 << 10, 7 << 20));
        assert_eq!(command.reader.slice.privacy, Privacy::Redact);
    }

    #[test]
    fn every_flag_about_bands_reaches_its_option() {
        let command = parse_words(&[
            "-t5%",
            "-m0",
            "--sort",
            "name-desc",
            "--reverse",
            "--trace-elements",
            "other",
            "--include",
            "a",
            "--exclude",
            "b",
            "--hp",
            "-q",
            "--strict",
            "--run=2",
            "x",
        ])
        .unwrap();
        let rank = RankOptions::default()
            .with_trace_percent(5.0)
            .with_band_limit(None)
            .with_sort(SortKey::NameDescending)
            .with_direction(Direction::Reversed)
            .with_trace_elements(TraceElements::Fold);
        assert_eq!(command.rank, rank);
        let pattern = |text: &str| vec![text.parse().unwrap()];
        let selection = Selection::default().with_include(pattern("a")).with_exclude(pattern("b"));
        assert_eq!(command.reader.slice.selection, selection);
        assert_eq!(command.reader.input.format, Some(Source::Hp));
        assert_eq!(command.reader.input.run, RunChoice::Number(NonZeroUsize::new(2).unwrap()));
        assert_eq!(
            (command.reader.losses, command.reader.voice),
            (LossPolicy::Refuse, Voice::Quiet)
        );
        let limited = parse_words(&["-m7", "x"]).unwrap();
        assert_eq!(limited.rank.band_limit, NonZeroUsize::new(7));
    }

    #[test]
    fn every_flag_about_the_picture_reaches_its_option() {
        let command = parse_words(&[
            "--view=lines",
            "--x=sample",
            "--width=6in",
            "--height=300",
            "--theme=dark",
            "--palette=grey",
            "--key=below",
            "--heap-lines=size",
            "--panels=gc,memory",
            "--markers=phase",
            "--messages",
            "--units=si",
            "--x-max=2min",
            "--y-max=80M",
            "--same-scale=y",
            "--title=T",
            "--subtitle=S",
            "--scale=2",
            "--font=f.ttf",
            "x",
        ])
        .unwrap();
        let scene = &command.scene;
        assert_eq!((scene.view, scene.x), (View::Lines, XAxis::Sample));
        assert_eq!((scene.width, scene.height), (576.0, 300.0));
        assert_eq!((scene.palette, scene.key), (Palette::Grey, KeyPlace::Below));
        assert_eq!(scene.heap_lines, HeapLines::List(vec![heapviz::profile::HeapFigure::Size]));
        let panels = PanelChoice::List(vec![PanelKind::Gc, PanelKind::Memory]);
        assert_eq!(scene.panels, panels);
        assert_eq!(scene.markers.pattern, MarkerPattern::Matching("phase".parse().unwrap()));
        assert_eq!((scene.markers.messages, scene.units), (Messages::Show, UnitSystem::Si));
        assert_eq!(scene.scale.time_max, Some(Nanos::from_nanos(120_000_000_000)));
        assert_eq!(scene.scale.heap_max, Some(Bytes::new(80 << 20)));
        assert_eq!(scene.heading.title, Heading::Text("T".to_owned()));
        assert_eq!(scene.heading.subtitle, Heading::Text("S".to_owned()));
        assert_eq!(
            (command.paper.theme(), command.same_scale),
            (Some(Theme::Dark), Some(SameScale::Y))
        );
        assert_eq!(
            (command.paper.scale(), command.paper.font),
            (2.0, Some(PathBuf::from("f.ttf")))
        );
        let bare = parse_words(&["--no-title", "x"]).unwrap().scene.heading;
        assert_eq!((bare.title, bare.subtitle), (Heading::None, Heading::None));
    }

    #[test]
    fn values_outside_their_bounds_are_refused() {
        for bad in [
            "-t101",
            "-t=-1",
            "-m=-1",
            "--y-max=0",
            "--y-max=0k",
            "--x-max=0s",
            "-tnan",
            "-tx",
            "-tinf",
            "--width=10",
            "--width=1e9",
            "--height=0",
            "--scale=9",
            "--scale=0",
            "--include=a(b",
            "--markers=a(b",
            "--view=pie",
            "--y-max=much",
        ] {
            assert!(parse_words(&[bad, "x.hp"]).is_err(), "{bad}");
        }
    }
}
