//! A comparison as a picture: one run of each side, and beside them the change of each band over all
//! runs.

use clap::ValueEnum;
use heapviz::analysis::compare::{
    BandRow, Figure, FigureRow, Judgement, MEAN_NOISE, Presence, Run,
};
use heapviz::chart::pair::{Change, Pair, Side, Stretch, charts};
use heapviz::chart::{Clock, LayerRole, Marker, MarkerKind};
use heapviz::draw::{self, DrawOptions, LEAST_PAIR, XAxis};
use heapviz::render::Rendered;
use heapviz::scene::Scene;
use heapviz::slice::Slice;
use heapviz::units::{Nanos, UnitSystem, count};

use super::compared::Compared;
use super::format::Format;
use super::text;
use crate::cli::args::paper::PaperArgs;
use crate::cli::failure::Failure;
use crate::cli::look::Look;
use crate::cli::picture;
use crate::cli::read::counted;
use crate::cli::target::{self, Input};

/// What a picture of two runs aligns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Align {
    /// Their starts
    Start,
    /// Their starts and their ends
    End,
    /// Markers of the same text, too
    Markers,
}

/// The options of a picture.
#[derive(Clone, Copy)]
pub struct Asked<'a> {
    /// Units of memory.
    pub units: UnitSystem,
    /// The most bands; 0 for all.
    pub bands: usize,
    /// What is aligned.
    pub align: Align,
    /// The size, and what it is painted with.
    pub paper: &'a PaperArgs,
}

/// The height of a picture of two runs in pixels, if none is given.
const USUAL_HEIGHT: f64 = 760.0;

/// A comparison as a picture.
pub struct Picture {
    scene: Scene,
    look: Look,
}

/// Refuses sizes that are too small for two runs.
pub fn fitting_size(paper: &PaperArgs) -> Result<(), String> {
    let size = paper.of(DrawOptions::default().with_height(USUAL_HEIGHT));
    let (width, height) = LEAST_PAIR;
    match size.width < width || size.height < height {
        true => Err(format!(
            "a picture of two runs needs at least {width} x {height} pixels, not {:.0} x {:.0}",
            size.width, size.height
        )),
        false => Ok(()),
    }
}

impl Picture {
    /// The picture of a comparison.
    ///
    /// # Errors
    /// Runs whose clocks differ, markers that the runs do not share, and a font that cannot be read.
    pub fn of(compared: &Compared<'_>, asked: &Asked<'_>) -> Result<Self, Failure> {
        let units = asked.units;
        let chosen = compared.sides.map(|(inputs, runs)| (inputs, runs, median_run(runs)));
        let slices = chosen.map(|(_, runs, i)| runs[i].slice);
        one_clock(slices, chosen.map(|(inputs, _, i)| &inputs[i]))?;
        // Before the charts are made, because finding the knots of very many markers takes some memory.
        let (stretch, note) = stretch(asked.align, slices)?;
        let rows = stacked(&compared.comparison.bands, asked.bands);
        let bands: Vec<String> = rows.iter().map(|row| row.identity.clone()).collect();
        let [before, after] = charts(slices, &bands);
        let has_other = before.layers.first().is_some_and(|layer| layer.role == LayerRole::Other);
        let mut changes = Vec::new();
        if has_other {
            changes.push(other(&rows, compared.comparison.sums, units));
        }
        changes.extend(rows.iter().map(|row| change(row, units)));
        let mut notes: Vec<String> = note.into_iter().collect();
        notes.push(
            "change of the mean; ~ if two runs of the same program can differ by as much".into(),
        );
        let matched = compared.comparison.matched_percent;
        if matched < 95.0 {
            notes.push(format!("{matched:.0} % of the bytes are in bands of both runs"));
        }
        let words = chosen.map(|(inputs, runs, i)| words(inputs, runs, i));
        let [was, is] = compared.names().map(|name| short(&name));
        let [was_words, is_words] = words;
        let sides = [Side::new(was_words, before), Side::new(is_words, after)];
        let mut pair = Pair::new(sides, changes);
        pair.title = format!("{was} -> {is}");
        pair.facts = facts(&compared.comparison.figures, slices[0].clock(), units);
        (pair.notes, pair.stretch) = (notes, stretch);
        let x = match slices[0].clock() {
            Clock::Sample => XAxis::Sample,
            _ => XAxis::Time,
        };
        let options = DrawOptions::default().with_height(USUAL_HEIGHT).with_units(units);
        let look = Look::new(asked.paper.of(options.with_x(x)), asked.paper)?;
        Ok(Picture { scene: draw::pair(&pair, &look.scene), look })
    }

    /// The picture in a format.
    ///
    /// # Errors
    /// A picture too large for its format.
    pub fn render(&self, format: Format) -> Result<Rendered, Failure> {
        let format = match format {
            Format::Png => target::Format::Png,
            Format::Pdf => target::Format::Pdf,
            Format::Eps => target::Format::Eps,
            _ => target::Format::Svg,
        };
        picture::render(&self.scene, format, &self.look.picture())
    }
}

/// The run whose mean heap is the middle one of its side.
pub fn median_run(runs: &[Run<'_>]) -> usize {
    let mut order: Vec<usize> = (0..runs.len()).collect();
    order.sort_by_key(|&i| (runs[i].analysis.figures.heap.mean, i));
    order[(runs.len() - 1) / 2]
}

fn one_clock(slices: [&Slice<'_>; 2], inputs: [&Input; 2]) -> Result<(), Failure> {
    let clocks = slices.map(Slice::clock);
    if clocks[0] == clocks[1] {
        return Ok(());
    }
    let counts = |i: usize| format!("{} counts {}", inputs[i].name(), counted(clocks[i]));
    Err(Failure::new(format!("no picture of two clocks: {}, {}", counts(0), counts(1)))
        .hint("compare their figures, -f txt; or take both event logs, or both .hp files"))
}

/// The bands with the greatest changes in the order of the stack, the biggest on top.
fn stacked(rows: &[BandRow], most: usize) -> Vec<&BandRow> {
    let most = if most == 0 { rows.len() } else { most };
    let mut rows: Vec<&BandRow> = rows.iter().take(most).collect();
    rows.sort_by(|a, b| (a.before + a.after).total_cmp(&(b.before + b.after)));
    rows
}

fn change(row: &BandRow, units: UnitSystem) -> Change {
    let mut change = Change::default();
    change.before = text::cell(row.before, row.presence != Presence::New, units);
    change.after = text::cell(row.after, row.presence != Presence::Gone, units);
    change.change = match row.judgement {
        Judgement::Same => "~".to_owned(),
        _ => text::signed(row.after - row.before, units),
    };
    change
}

/// The change of all bands that are not shown.
fn other(rows: &[&BandRow], sums: (f64, f64), units: UnitSystem) -> Change {
    let before = sums.0 - rows.iter().map(|row| row.before).sum::<f64>();
    let after = sums.1 - rows.iter().map(|row| row.after).sum::<f64>();
    let mut change = Change::default();
    change.before = text::cell(before.max(0.0), true, units);
    change.after = text::cell(after.max(0.0), true, units);
    change.change = match (after - before).abs() <= MEAN_NOISE * before.max(after) {
        true => "~".to_owned(),
        false => text::signed(after.max(0.0) - before.max(0.0), units),
    };
    change
}

/// Where the instants of the run after are placed, and a note about it.
fn stretch(align: Align, slices: [&Slice<'_>; 2]) -> Result<(Stretch, Option<String>), Failure> {
    let ends = slices.map(|slice| {
        let times = slice.times();
        (times.first().copied().unwrap_or(Nanos::ZERO), times.last().copied())
    });
    let start = (ends[1].0, ends[0].0);
    let end = ends[1].1.zip(ends[0].1);
    let between = match align {
        Align::Start => return Ok((Stretch::default(), None)),
        Align::End => Vec::new(),
        Align::Markers => {
            let shared = shared_markers(slices);
            if shared.is_empty() {
                return Err(Failure::new("the two runs have no marker with the same text")
                    .hint("--align end stretches the run after to the length of the one before"));
            }
            shared
        }
    };
    let note = match between.len() {
        0 => "the run after is stretched to the length of the one before".to_owned(),
        n => format!("the run after is stretched between {} of the same text", count(n, "marker")),
    };
    let knots = std::iter::once(start).chain(between).chain(end);
    Ok((Stretch::through(knots), Some(note)))
}

/// The times of markers with the same text, after and before, in the order of those after. If several
/// have the same text, the first is paired with the first, and so on.
fn shared_markers(slices: [&Slice<'_>; 2]) -> Vec<(Nanos, Nanos)> {
    // By text, and those with the same text in order of time.
    let [before, after] = slices.map(|slice| {
        let markers = slice.markers().iter().filter(|m| m.kind == MarkerKind::Marker);
        let mut markers: Vec<&Marker> = markers.collect();
        markers.sort_unstable_by(|a, b| (&a.label, a.time).cmp(&(&b.label, b.time)));
        markers
    });
    let mut shared = Vec::with_capacity(before.len().min(after.len()));
    let mut before = before.into_iter().peekable();
    for after in after {
        while before.next_if(|before| before.label < after.label).is_some() {}
        if let Some(before) = before.next_if(|before| before.label == after.label) {
            shared.push((after.time, before.time));
        }
    }
    shared.sort_unstable_by_key(|&(after, _)| after);
    // More than there are pixels would only take memory.
    let step = shared.len().div_ceil(MOST_KNOTS).max(1);
    shared.into_iter().step_by(step).collect()
}

/// The most markers that are used to align the instants of two runs.
const MOST_KNOTS: usize = 20_000;

/// A description of a side: `a.hp`, `60 samples in 5.9 s of CPU`.
pub fn words(inputs: &[Input], runs: &[Run<'_>], chosen: usize) -> Vec<String> {
    let run = &runs[chosen];
    let of = match inputs.len() {
        1 => String::new(),
        n => format!(" ({} of {n} runs, the one with the median mean)", chosen + 1),
    };
    let heap = &run.analysis.figures.heap;
    let duration = match run.slice.clock() {
        Clock::Sample => String::new(),
        clock => {
            let time = Nanos::from_nanos((heap.duration * 1e9).round() as i64);
            let cpu = if clock == Clock::Mutator { " of CPU" } else { "" };
            format!(" in {time}{cpu}")
        }
    };
    let samples = count(run.slice.len(), "sample");
    vec![format!("{}{of}", short(&inputs[chosen].name())), format!("{samples}{duration}")]
}

/// The last part of a path.
pub fn short(name: &str) -> String {
    name.rsplit('/').next().unwrap_or(name).to_owned()
}

/// The changes of the figures, in words.
fn facts(figures: &[FigureRow], clock: Clock, units: UnitSystem) -> Vec<String> {
    figures
        .iter()
        .filter(|row| matches!(row.figure, Figure::Peak | Figure::Mean | Figure::Growth))
        .map(|row| {
            let name = row.figure.name();
            let value = |value| row.figure.text(value, clock, units);
            match row.judgement {
                Judgement::Same => format!("{name} ~ {}", value(row.after)),
                _ => {
                    let change = row.change();
                    format!("{name} {} -> {} ({change})", value(row.before), value(row.after))
                }
            }
        })
        .collect()
}
