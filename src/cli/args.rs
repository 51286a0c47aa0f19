//! The command line: what there is to draw, and how. With `bands.rs` and `picture.rs` this is the
//! one place where the flags are documented.

use std::ffi::OsString;
use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::error::ErrorKind;
use clap::{CommandFactory, Parser};
use heapviz::draw::{DrawOptions, SameScale};
use heapviz::input::InputOptions;
use heapviz::profile::{Bound, RunChoice, Source, Window};
use heapviz::rank::RankOptions;
use heapviz::scene::Theme;

use super::bands::BandArgs;
use super::limits::LimitArgs;
use super::picture::PictureArgs;
use super::target::{self, Format, Job};

/// What the command line asks for.
#[derive(Debug)]
pub struct Command {
    /// One input each, and where its chart goes.
    pub jobs: Vec<Job>,
    /// How to read.
    pub input: InputOptions,
    /// Which part of the run.
    pub window: Window,
    /// Which bands.
    pub rank: RankOptions,
    /// What a picture looks like.
    pub scene: DrawOptions,
    /// Which axes all pictures have in common.
    pub same_scale: Option<SameScale>,
    /// Its colours; `None` leaves them to the reader where the format can.
    pub theme: Option<Theme>,
    /// Image pixels for each pixel of a picture.
    pub scale: f64,
    /// The font to draw with.
    pub font: Option<PathBuf>,
    /// What becomes of an input of which something is lost.
    pub losses: LossPolicy,
    /// What is shown of who ran the program, how and where.
    pub privacy: Privacy,
    /// Whether to tell what was done.
    pub voice: Voice,
}

/// What becomes of an input of which something is lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LossPolicy {
    /// The rest is drawn.
    Draw,
    /// It fails.
    Refuse,
}

/// What is shown of who ran the program, how and where.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Privacy {
    /// What the profile says.
    Show,
    /// Nothing.
    Redact,
}

/// Whether to tell what was done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Voice {
    /// A summary line and warnings.
    Normal,
    /// Errors only.
    Quiet,
}

const EXAMPLES: &str = "\
Examples:
  heapviz prog.eventlog                     draw prog.svg beside the log
  heapviz prog.hp -o heap.png --scale 2     a PNG for chat, with fine pixels
  heapviz prog.hp -o heap.pdf --width 14cm --palette patterns
                                            for a paper in black and white
  heapviz --bands 8 --trace 0 prog.hp       the 7 biggest bands, all others as OTHER
  heapviz --from 'phase 2' --to 20s prog.eventlog
                                            between a marker and a time
  heapviz --view lines --include Map prog.hp
                                            the bands that have Map in their name, each from zero
  heapviz --same-scale both before.hp after.hp
                                            two charts to compare by eye
  heapviz prog.eventlog -o heap.html        a page to explore the profile in
  heapviz prog.eventlog -o heap.json        the numbers behind the chart
  heapviz prog.eventlog -o prog.hp          all bands, for tools that read only .hp
  heapviz --redact prog.eventlog -o heap.svg
                                            without command line, date and folders
  ssh host cat prog.hp | heapviz - -o -     as a filter
  heapviz hp2ps -c prog.hp                  as hp2ps: its flags, its PostScript, byte for byte

To make a profile, run a program with +RTS -hT -l, or build it with -prof and run it with
+RTS -hy -l (by type), -hc -l (by cost centre), -hd -l (by constructor). GHC before 9.4 also
needs -eventlog when linking. A .hp file is written in any case.

Exit status: 0 all drawn, 1 something could not be drawn, 2 wrong usage.";

/// Draws GHC heap profiles.
///
/// Reads an event log (.eventlog) or a text profile (.hp), chooses and orders the bands as hp2ps
/// does, and draws them as a stacked chart.
#[derive(Debug, Parser)]
#[command(name = "heapviz", version, after_help = EXAMPLES, max_term_width = 100)]
struct Args {
    /// Profiles to draw; `-` is standard input. The format is found by content, also inside gzip
    /// and zstd
    #[arg(value_name = "INPUT", required = true)]
    inputs: Vec<PathBuf>,

    /// Where the chart goes: a file, `-` for standard output, or a folder. Its ending chooses the
    /// format. Without it the chart goes beside the input: prog.hp to prog.svg
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,

    /// Output format, when the ending of FILE does not say it [default: svg]
    #[arg(short, long, value_name = "FORMAT")]
    format: Option<Format>,

    /// Read the inputs as .hp, whatever they look like
    #[arg(long, conflicts_with = "eventlog")]
    hp: bool,

    /// Read the inputs as event logs, whatever they look like
    #[arg(long)]
    eventlog: bool,

    /// Which run to draw of an input that holds several, as appended files do: 1 is the first
    /// [default: the last]
    #[arg(long, value_name = "N")]
    run: Option<NonZeroUsize>,

    /// Show the run from here on: a time (1.5s, 2min; plain numbers are seconds) or a marker's text
    #[arg(long, value_name = "WHEN", allow_hyphen_values = true)]
    from: Option<Bound>,

    /// Show the run up to here
    #[arg(long, value_name = "WHEN", allow_hyphen_values = true)]
    to: Option<Bound>,

    /// Draw nothing of an input that is not whole, and exit with 1
    #[arg(long)]
    strict: bool,

    /// Leave out the command line, the date, and the folders of absolute paths, for charts that
    /// strangers see
    #[arg(long)]
    redact: bool,

    /// Print nothing but errors
    #[arg(short, long)]
    quiet: bool,

    #[command(flatten)]
    bands: BandArgs,

    #[command(flatten)]
    picture: PictureArgs,

    #[command(flatten)]
    limits: LimitArgs,
}

/// Reads the command line.
///
/// # Errors
/// Usage errors, and the answers to `--help` and `--version`, as clap prints them.
pub fn parse(words: impl IntoIterator<Item = OsString>) -> Result<Command, clap::Error> {
    let args = Args::try_parse_from(words)?;
    let jobs = target::jobs(&args.inputs, args.output.as_deref(), args.format)
        .map_err(|usage| Args::command().error(ErrorKind::ValueValidation, usage))?;
    Ok(Command {
        jobs,
        input: args.input_options(),
        window: Window { from: args.from, to: args.to },
        rank: args.bands.options(),
        scene: args.picture.options(),
        same_scale: args.picture.same_scale,
        theme: args.picture.theme(),
        scale: args.picture.scale,
        font: args.picture.font,
        losses: if args.strict { LossPolicy::Refuse } else { LossPolicy::Draw },
        privacy: if args.redact { Privacy::Redact } else { Privacy::Show },
        voice: if args.quiet { Voice::Quiet } else { Voice::Normal },
    })
}

impl Args {
    fn input_options(&self) -> InputOptions {
        let format = match (self.hp, self.eventlog) {
            (true, _) => Some(Source::Hp),
            (_, true) => Some(Source::Eventlog),
            _ => None,
        };
        let run = self.run.map_or(RunChoice::Last, RunChoice::Number);
        InputOptions { format, run, limits: self.limits.limits() }
    }
}

#[cfg(test)]
mod tests {
    use heapviz::draw::{
        Heading, HeapLine, HeapLines, KeyPlace, MarkerPattern, Messages, Palette, View, XAxis,
    };
    use heapviz::rank::{Direction, Selection, SortKey, TraceElements};
    use heapviz::render::PngOptions;
    use heapviz::units::{Bytes, Nanos, UnitSystem};

    use super::*;

    fn parse_words(words: &[&str]) -> Result<Command, clap::Error> {
        parse(["heapviz"].iter().chain(words).map(OsString::from))
    }

    #[test]
    fn no_flags_mean_the_defaults_of_the_library() {
        let command = parse_words(&["x.hp"]).unwrap();
        assert_eq!(command.rank, RankOptions::default());
        assert_eq!(command.input, InputOptions::default());
        assert_eq!(command.window, Window::default());
        assert_eq!(command.scene, DrawOptions::default());
        assert_eq!(command.scale, PngOptions::default().scale);
        assert_eq!((command.theme, command.same_scale, command.font), (None, None, None));
        assert_eq!((command.losses, command.voice), (LossPolicy::Draw, Voice::Normal));
        assert_eq!(command.privacy, Privacy::Show);
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
        let limits = &command.input.limits;
        assert_eq!((limits.bands, limits.cost_centres, limits.info_tables), (1, 2, 3));
        assert_eq!((limits.markers, limits.heap_points), (4, 5));
        assert_eq!((limits.text, limits.all_texts), (6 << 10, 7 << 20));
        assert_eq!(command.privacy, Privacy::Redact);
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
        let rank = RankOptions {
            trace_percent: 5.0,
            band_limit: None,
            sort: SortKey::NameDescending,
            direction: Direction::Reversed,
            trace_elements: TraceElements::Fold,
            selection: Selection {
                include: vec!["a".parse().unwrap()],
                exclude: vec!["b".parse().unwrap()],
            },
        };
        assert_eq!(command.rank, rank);
        assert_eq!(command.input.format, Some(Source::Hp));
        assert_eq!(command.input.run, RunChoice::Number(NonZeroUsize::new(2).unwrap()));
        assert_eq!((command.losses, command.voice), (LossPolicy::Refuse, Voice::Quiet));
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
        assert_eq!(scene.heap_lines, HeapLines::List(vec![HeapLine::Size]));
        assert_eq!(scene.markers.pattern, MarkerPattern::Matching("phase".parse().unwrap()));
        assert_eq!((scene.markers.messages, scene.units), (Messages::Show, UnitSystem::Si));
        assert_eq!(scene.scale.time_max, Some(Nanos::from_nanos(120_000_000_000)));
        assert_eq!(scene.scale.heap_max, Some(Bytes::new(80 << 20)));
        assert_eq!(scene.heading.title, Heading::Text("T".to_owned()));
        assert_eq!(scene.heading.subtitle, Heading::Text("S".to_owned()));
        assert_eq!((command.theme, command.same_scale), (Some(Theme::Dark), Some(SameScale::Y)));
        assert_eq!((command.scale, command.font), (2.0, Some(PathBuf::from("f.ttf"))));
        let bare = parse_words(&["--no-title", "x"]).unwrap().scene.heading;
        assert_eq!((bare.title, bare.subtitle), (Heading::None, Heading::None));
    }

    #[test]
    fn values_outside_their_bounds_are_refused() {
        for bad in [
            "-t101",
            "-t=-1",
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

    #[test]
    fn the_definition_of_the_flags_is_sound() {
        Args::command().debug_assert();
    }
}
