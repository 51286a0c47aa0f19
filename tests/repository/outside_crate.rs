//! Another crate that uses heapviz: it sets every option, and names every type that it is given.

use std::error::Error;
use std::num::NonZeroUsize;

use heapviz::figures::{
    BandRow, Change, FigureRow, Interval, ClosureKind, Manner, ProcessMemory, Remark, SamplingAdvice,
};
use heapviz::input::{InputOptions, Progress, ReadError, read_watched};
use heapviz::items::{Anchor, Area, Group, Line, Rectangle, Role, Stroke, Text, Tone, FontWeight};
use heapviz::oddities::{End, NoSamples, WarningCode};
use heapviz::render::{AreaOptions, PdfOptions, PngOptions, SvgOptions, pdf, png, svg};
use heapviz::report::{LeadLine, ReportOptions, ReportRun, TreeStart};
use heapviz::stacks::{NodeIdentity, Pseudo, Roots, StackTree, TreeError, TreeOptions};
use heapviz::{
    Account, ActivityChoice, Analysis, BandChange, Bound, Bytes, Chart, ColumnKind, Comparison, DrawOptions, Filters, Fonts,
    GroupRule, Grouping, Heading, HeapLines, Item, KeptMessages, KeptSamples, KeyPlace, Leak,
    Limits, MarkerChoice, MarkerPattern, Measure, Messages, Metadata, Move, MoveKind, Nanos, Palette,
    PanelChoice, Pattern, Privacy, Process, Profile, RankOptions, ProfileView, RunChoice, ViewOptions, Scale, Scene, Selection,
    SliceOptions, SortKey, Source, Rise, Theme, TitleOptions, TraceElements, UnitSystem,
    VerdictChoice, View, Who, Window, XAxis, draw_chart,
};

fn limits() -> Limits {
    let mut limits = Limits::default();
    limits.header_records = 1;
    limits.bands = 1;
    limits.cost_centres = 1;
    limits.info_tables = 1;
    limits.markers = 1;
    limits.messages = KeptMessages::Latest;
    limits.samples = KeptSamples::All;
    limits.heap_points = 1;
    limits.call_nodes = 1;
    limits.ticks = 1;
    limits.runtime_events = 1;
    limits.text = 1;
    limits.all_texts = 1;
    limits
}

fn input() -> InputOptions {
    let mut options = InputOptions::default();
    options.format = Some(Source::Eventlog);
    options.run = RunChoice::default();
    options.limits = limits();
    options
}

fn slice() -> Result<SliceOptions, Box<dyn Error>> {
    let mut window = Window::default();
    window.from = Some(Bound::Time(Nanos::from_nanos(1)));
    window.to = Some("phase 2".parse()?);
    let rule: GroupRule = "^a->b".parse()?;
    let mut selection = Selection::default();
    selection.include = vec!["a".parse()?];
    selection.exclude = vec!["b".parse::<Pattern>()?];
    let mut options = SliceOptions::default();
    options.window = window;
    options.selection = selection;
    options.grouping = Grouping::Rules(vec![rule], Box::new(Grouping::None));
    options.privacy = Privacy::Redact;
    Ok(options)
}

fn rank() -> RankOptions {
    let mut options = RankOptions::default();
    options.trace_percent = 0.5;
    options.band_limit = NonZeroUsize::new(7);
    options.sort = SortKey::Deviation;
    options.direction = heapviz::StackOrder::Reversed;
    options.trace_elements = TraceElements::Fold;
    options.named = Vec::new();
    options
}

fn run() -> Result<ViewOptions, Box<dyn Error>> {
    let mut options = ViewOptions::default();
    options.slice = slice()?;
    options.rank = rank();
    options.measure = Measure::Growth;
    options.accepted = Vec::new();
    options.memory = None;
    options.verdict = VerdictChoice::Show;
    options.activity = ActivityChoice::Include;
    Ok(options)
}

fn scale() -> Scale {
    let mut scale = Scale::default();
    scale.time_min = None;
    scale.time_max = Some(Nanos::from_nanos(9));
    scale.heap_max = Some(Bytes::new(9));
    scale.sample_max = None;
    scale.zero_unix_ns = None;
    scale
}

fn markers() -> MarkerChoice {
    let mut markers = MarkerChoice::default();
    markers.pattern = MarkerPattern::All;
    markers.messages = Messages::Show;
    markers
}

fn heading() -> TitleOptions {
    let mut heading = TitleOptions::default();
    heading.title = Heading::Text("a run".to_owned());
    heading.subtitle = Heading::None;
    heading
}

fn draw() -> DrawOptions {
    let mut options = DrawOptions::default();
    options.width = 800.0;
    options.height = 400.0;
    options.max_height = 900.0;
    options.view = View::Lines;
    options.x = XAxis::Sample;
    options.columns = Some(ColumnKind::Floor);
    options.scale = scale();
    options.units = UnitSystem::Si;
    options.key = KeyPlace::Below;
    options.heap_lines = HeapLines::All;
    options.panels = PanelChoice::Auto;
    options.markers = markers();
    options.heading = heading();
    options.palette = Palette::Safe;
    options
}

fn tree() -> TreeOptions {
    let mut options = TreeOptions::default();
    options.direction = heapviz::stacks::Direction::Callers;
    options.focus = None;
    options.identity = NodeIdentity::ByText;
    options.roots = Roots::AsWritten;
    options
}

fn report() -> ReportOptions {
    let mut lead = LeadLine::default();
    lead.words = "f makes it".into();
    lead.place = None;
    lead.share_percent = Some(97.0);
    lead.source = None;
    let mut tree = TreeStart::default();
    tree.weight = Some(heapviz::stacks::Weight::Live);
    tree.direction = heapviz::stacks::Direction::Callers;
    tree.search = None;
    let mut options = ReportOptions::default();
    options.draw = DrawOptions { columns: Some(ColumnKind::Floor), ..DrawOptions::default() };
    options.theme = Some(Theme::Dark);
    options.source_url = None;
    options.tree = tree;
    options.lead = vec![lead];
    options.badge = None;
    options.source_lines = Default::default();
    options.flags = Default::default();
    options
}

/// What an emitter of one's own has to know of an item.
fn words(item: &Item) -> &'static str {
    fn of_group(_: &Group) {}
    fn of_area(_: &Area, _: Role) {}
    fn of_line(_: &Line, _: Stroke) {}
    fn of_rectangle(_: &Rectangle, _: Tone) {}
    fn of_text(_: &Text, _: Anchor, _: FontWeight) {}
    match item {
        Item::Text(_) => "text",
        _ => "other",
    }
}

fn pictures(scene: &Scene) -> Result<(), Box<dyn Error>> {
    let mut options = SvgOptions::default();
    options.theme = Some(Theme::Light);
    svg(scene, &options);
    let mut options = PngOptions::default();
    options.scale = 2.0;
    options.theme = Theme::Dark;
    options.fonts = Fonts::default();
    png(scene, &options)?;
    let mut options = PdfOptions::default();
    options.theme = Theme::Dark;
    options.fonts = Fonts::default();
    pdf(scene, &options)?;
    let mut options = AreaOptions::default();
    options.theme = Theme::Dark;
    options.font = "serif".to_owned();
    Ok(())
}

/// Answers, each with the name of its type.
fn answers(profile: &Profile, run: &ProfileView<'_>) {
    let _: &Metadata = profile.metadata();
    let _: (&Process, &Filters) = (&profile.metadata().process, &profile.metadata().filters);
    let _: (&Chart, &Analysis) = (run.chart(), run.analysis());
    let account: &Account = run.account();
    let _: (Leak, &[Rise], &[Remark], &[Move]) =
        (account.leak, &account.suspects, &account.remarks, &account.movements);
    let _: (Option<&Rise>, Option<&ProcessMemory>) =
        (account.rise(Who::Heap), account.memory.as_ref());
    let _: (Manner, heapviz::RiseEnd, MoveKind, &[BandChange]) =
        (Manner::Steady, heapviz::RiseEnd::Open, MoveKind::Rise, &account.named);
}

fn of_comparison(_: &Comparison, _: &FigureRow, _: &BandRow, _: Change) {}
fn of_advice(_: &SamplingAdvice, _: Interval, _: ClosureKind) {}
fn of_oddities(_: &NoSamples, _: End, _: WarningCode) {}
fn of_stacks(_: &StackTree, _: &TreeError, _: Pseudo) {}

fn main() -> Result<(), Box<dyn Error>> {
    let watch = |_: Progress| {};
    let read: Result<Profile, ReadError> = read_watched(std::io::stdin(), &input(), &watch);
    let profile = read?;
    let options = run()?;
    let run = ProfileView::new(&profile, &options)?;
    answers(&profile, &run);
    let scene = draw_chart(run.picture(), &draw());
    pictures(&scene)?;
    let report = report();
    ReportRun::new("a run", &run, &report);
    println!("{:?} {:?}", scene.items.iter().map(words).collect::<Vec<_>>(), tree());
    Ok(())
}
