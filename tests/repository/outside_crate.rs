//! Another crate that uses heapviz: it imports every public type, sets options of each step, and draws.

#![allow(unused_imports, reason = "that a name is there is what is checked")]

use std::error::Error;

use heapviz::figures::{
    BandRow, Change, FigureRow, Interval, ClosureKind, Manner, Remark, SamplingAdvice,
};
use heapviz::input::{InputOptions, Progress, ReadError, read_watched};
use heapviz::items::{Anchor, Area, Group, Line, Rectangle, Role, Stroke, Text, Tone, FontWeight};
use heapviz::oddities::{End, NoSamples, WarningCode};
use heapviz::render::{AreaOptions, PdfOptions, PngOptions, SvgOptions, pdf, png, svg};
use heapviz::report::{LeadLine, ReportOptions, ReportRun};
use heapviz::stacks::{Pseudo, Roots, StackTree, TreeError};
use heapviz::{
    Account, ActivityChoice, Analysis, BandChange, Bound, Bytes, Chart, Comparison, DrawOptions, Filters, Fonts,
    Grouping, Heading, HeapLines, Item, KeptMessages, KeptSamples, KeyPlace, Leak,
    Limits, MarkerChoice, MarkerPattern, Measure, Messages, Metadata, Move, MoveKind, Nanos, Palette,
    PanelKind, Pattern, Privacy, Process, Profile, RankOptions, ProfileView, RunChoice, ViewOptions, Scale, Scene, Selection,
    SliceOptions, SortKey, Source, Rise, Theme, TitleOptions, UnitSystem,
    VerdictChoice, View, Window, XAxis, draw_chart,
};

fn main() -> Result<(), Box<dyn Error>> {
    let watch = |_: Progress| {};
    let mut options = InputOptions::default();
    options.limits.messages = KeptMessages::Latest;
    let read: Result<Profile, ReadError> = read_watched(std::io::stdin(), &options, &watch);
    let profile = read?;
    let mut options = ViewOptions::default();
    options.slice.window.to = Some("phase 2".parse()?);
    options.slice.selection.exclude = vec!["b".parse::<Pattern>()?];
    let view = ProfileView::new(&profile, &options)?;
    let _: (Leak, &[Rise]) = (view.account().leak, &view.account().suspects);
    let drawing = DrawOptions { view: View::Lines, palette: Palette::Safe, ..DrawOptions::default() };
    let scene: Scene = draw_chart(view.picture(), &drawing);
    // An emitter of one's own matches the items.
    let is_text = |item: &&Item| matches!(item, Item::Text(_));
    println!("{}", scene.items.iter().filter(is_text).count());
    svg(&scene, &SvgOptions { theme: Some(Theme::Light) });
    png(&scene, &PngOptions { theme: Theme::Dark, ..PngOptions::default() })?;
    pdf(&scene, &PdfOptions { fonts: Fonts::default(), ..PdfOptions::default() })?;
    let mut report = ReportOptions::default();
    report.lead = vec![LeadLine { words: "f makes it".into(), ..LeadLine::default() }];
    ReportRun::new("a run", &view, &report);
    Ok(())
}
