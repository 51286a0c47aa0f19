//! What the terminal shows, without the layout of the screen.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use crate::analysis::{Leak, Suspect, Verdict};
use crate::base::units::{Bytes, Nanos, UnitSystem};
use crate::chart::Chart;
use crate::draw::{Palette, colour};
use crate::incident::error::visible;
use crate::live::{Engine, Figures, LiveRows, Row};
use crate::picture::{Rgb, Theme};
use crate::profile::{BandId, BandKeyRef, MarkerKind, ProfileBuilder, Source};
use crate::slice::Slice;
use crate::slice::rank::{RankOptions, rank};

use super::super::alerts::Raised;
use super::super::shared::State;
use super::super::status::Status;

/// How long a message stays.
const MESSAGE: Duration = Duration::from_secs(6);
/// The least time from one verdict to the next.
const JUDGED_EVERY: Duration = Duration::from_secs(1);
/// If no sample arrives in this time, the program has not answered.
const ANSWER: Duration = Duration::from_secs(3);

/// The characters and colours that the terminal can show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Charset {
    /// Whether it shows more than ASCII.
    pub unicode: bool,
    pub colour: bool,
}

impl Charset {
    /// The abilities that the environment states.
    pub fn of_terminal() -> Self {
        let set = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().find_map(set).unwrap_or_default();
        let locale = locale.to_ascii_lowercase().replace('-', "");
        let dumb = set("TERM").is_some_and(|term| term == "dumb");
        Charset {
            unicode: cfg!(windows) || locale.contains("utf8"),
            colour: set("NO_COLOR").is_none() && !dumb,
        }
    }
}

/// What the table is sorted by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sort {
    /// The band that is biggest now first.
    #[default]
    Size,
    /// The band that has grown most first.
    Growth,
}

#[derive(Clone, Debug, PartialEq)]
pub struct TableLine {
    /// The index of its layer in the chart, from the top; `None` for a band without its own layer.
    pub layer: Option<usize>,
    /// The band's label.
    pub label: String,
    pub figures: Figures,
    /// Its residency over the shown time, coarsely.
    pub spark: Vec<u64>,
}

/// A named instant on the chart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mark {
    pub time: Nanos,
    pub label: String,
    pub what: Marked,
}

/// What a named instant is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Marked {
    /// A marker of the program.
    Marker,
    Alert,
}

/// What the verdict says of the run so far.
#[derive(Clone, Debug, PartialEq)]
pub struct Judged {
    pub leak: Leak,
    /// The sentence, empty before the first sample.
    pub headline: String,
    /// The labels of the bands that grow.
    pub suspects: Vec<String>,
}

/// The user's choices, and the data to show.
pub struct View {
    pub name: String,
    pub units: UnitSystem,
    pub charset: Charset,
    pub rows: LiveRows,
    pub judged: Judged,
    /// When the run is judged again, how many samples it had, and whether it had ended.
    judge_again: Option<(Instant, (usize, bool))>,
    pub status: Status,
    /// Facts about the run in words.
    pub facts: Vec<String>,
    pub lines: Vec<TableLine>,
    pub bands: usize,
    pub markers: Vec<Mark>,
    /// The alerts that were raised in this watch.
    pub alerts: Vec<Raised>,
    pub colours: Vec<Rgb>,
    /// The labels of the bands that have these colours.
    painted: Vec<String>,
    pub thinned: usize,
    /// `Some` while the picture stands still: how many samples have come since.
    pub paused: Option<usize>,
    pub sort: Sort,
    pub filter: String,
    pub typing: bool,
    /// How much of the run is shown, from its end; `None` for all.
    pub window: Option<Nanos>,
    message: Option<(String, Instant)>,
    asked: Option<(Instant, Option<Instant>)>,
    labels: HashMap<BandId, String>,
    generation: u64,
    over: bool,
}

impl View {
    /// A view with nothing to show yet.
    pub fn new(name: &str, units: UnitSystem, charset: Charset) -> Self {
        View {
            name: visible(name),
            units,
            charset,
            rows: LiveRows::default(),
            judged: Judged { leak: Leak::Unknown, headline: String::new(), suspects: Vec::new() },
            judge_again: None,
            status: Status::Waiting("starting".to_owned()),
            facts: Vec::new(),
            lines: Vec::new(),
            bands: 0,
            markers: Vec::new(),
            alerts: Vec::new(),
            colours: Vec::new(),
            painted: Vec::new(),
            thinned: 0,
            paused: None,
            sort: Sort::default(),
            filter: String::new(),
            typing: false,
            window: None,
            message: None,
            asked: None,
            labels: HashMap::new(),
            generation: 0,
            over: false,
        }
    }

    /// Takes in what has changed.
    pub fn update(&mut self, state: &mut State, now: Instant) {
        self.status = Status::of(state, now);
        for message in std::mem::take(&mut state.news) {
            self.say(&message.to_string());
        }
        self.check_answer(state, now);
        if self.message.as_ref().is_some_and(|(_, said)| now.duration_since(*said) > MESSAGE) {
            self.message = None;
        }
        if let Some(behind) = &mut self.paused {
            *behind = state.engine.samples().0.saturating_sub(self.rows.times().len());
            return;
        }
        self.thinned = state.engine.samples().1;
        self.rows.update(&state.engine);
        self.judge(&state.engine, now);
        let Some(run) = state.engine.run() else { return };
        if state.engine.generation() != self.generation {
            self.labels.clear();
            self.generation = state.engine.generation();
        }
        self.facts = facts(run);
        self.bands = run.bands().len();
        let markers = run.markers().iter().filter(|marker| marker.kind == MarkerKind::Marker);
        let mark = |time, label: &str, what| Mark { time, label: visible(label), what };
        self.markers = markers.map(|m| mark(m.time, &m.label, Marked::Marker)).collect();
        for raised in &self.alerts {
            self.markers.extend(raised.time.map(|time| mark(time, &raised.text, Marked::Alert)));
        }
        self.update_lines(run);
        let bands: Vec<BandId> = self.rows.rows().iter().map(|row| row.band).collect();
        let shown: Vec<String> = bands.into_iter().map(|band| self.label(run, band)).collect();
        if shown != self.painted {
            self.colours = colours(&shown);
            self.painted = shown;
        }
    }

    /// Judges the run if there are new samples or it has ended, and if it was not judged just now: a verdict may
    /// take a twentieth of the time.
    fn judge(&mut self, engine: &Engine, now: Instant) {
        let seen = (engine.samples().0, self.status == Status::Ended);
        let is_due = match self.judge_again {
            None => true,
            Some((due, known)) => seen != known && (now >= due || seen.1),
        };
        if !is_due {
            return;
        }
        let Some(profile) = engine.profile().filter(|profile| !profile.samples.is_empty()) else {
            return;
        };
        let verdict = Verdict::of(&Slice::whole(&profile));
        let of = |suspect: &Suspect| visible(&suspect.label);
        self.judged = Judged {
            leak: verdict.leak,
            headline: visible(&verdict.headline(self.units, &|_| None)),
            suspects: verdict.suspects.iter().map(of).collect(),
        };
        self.judge_again = Some((now + JUDGED_EVERY.max(20 * now.elapsed()), seen));
    }

    fn label(&mut self, run: &ProfileBuilder, band: BandId) -> String {
        self.labels.entry(band).or_insert_with(|| visible(&run.label(band))).clone()
    }

    fn update_lines(&mut self, run: &ProfileBuilder) {
        let filter = self.filter.to_lowercase();
        let mut bands: Vec<(BandId, Figures)> =
            run.bands().ids().map(|band| (band, self.rows.figures(band))).collect();
        bands.retain(|(_, figures)| figures.now > Bytes::ZERO || figures.growth != 0);
        match self.sort {
            Sort::Size => bands.sort_by_key(|(band, f)| (std::cmp::Reverse(f.now), *band)),
            Sort::Growth => {
                bands.sort_by_key(|(band, f)| (std::cmp::Reverse((f.growth, f.now)), *band));
            }
        }
        // More than any screen can show.
        const MOST: usize = 200;
        let mut lines = Vec::new();
        for (band, figures) in bands {
            let label = self.label(run, band);
            if lines.len() == MOST || !(filter.is_empty() || label.to_lowercase().contains(&filter))
            {
                continue;
            }
            let layer = self.rows.rows().iter().position(|row| row.band == band);
            let spark = layer.map_or(Vec::new(), |at| self.spark(&self.rows.rows()[at]));
            lines.push(TableLine { layer, label, figures, spark });
        }
        self.lines = lines;
    }

    /// A row in a few steps over the shown time.
    fn spark(&self, row: &Row) -> Vec<u64> {
        const STEPS: usize = 12;
        let shown = &row.sizes[self.first_shown()..];
        let steps = STEPS.min(shown.len());
        let step = |i: usize| &shown[i * shown.len() / steps..(i + 1) * shown.len() / steps];
        let highest = |sizes: &[Bytes]| sizes.iter().map(|size| size.get()).max().unwrap_or(0);
        (0..steps).map(|i| highest(step(i))).collect()
    }

    /// The first sample that is shown.
    pub fn first_shown(&self) -> usize {
        let times = self.rows.times();
        match (self.window, times.last()) {
            (Some(window), Some(last)) => times.partition_point(|&time| last.since(time) > window),
            _ => 0,
        }
    }

    /// The message to show now.
    pub fn message(&self) -> Option<&str> {
        self.message.as_ref().map(|(text, _)| &**text)
    }

    /// Shows a message for some seconds.
    pub fn say(&mut self, text: &str) {
        let plain = anstream::adapter::strip_str(text).to_string().replace("\n  hint:", "; hint:");
        self.message = Some((visible(&plain), Instant::now()));
    }

    pub fn alert(&mut self, raised: Raised) {
        self.say(&raised.message.to_string());
        self.alerts.push(raised);
    }

    /// Records that a sample was asked for.
    pub fn asked(&mut self, state: &State) {
        self.asked = Some((Instant::now(), state.sampled));
        self.say("asked for a sample");
    }

    fn check_answer(&mut self, state: &State, now: Instant) {
        let Some((asked, before)) = self.asked else { return };
        if state.sampled != before {
            self.asked = None;
        } else if now.duration_since(asked) > ANSWER {
            self.asked = None;
            self.say(
                "no answer: is the library built with control? does the program run with an -h flag? \
                 is it asleep?",
            );
        }
    }

    pub fn quit(&mut self) {
        self.over = true;
    }

    /// Whether the user has ended the view.
    pub fn is_over(&self) -> bool {
        self.over
    }

    /// Shows half as much of the run, or twice as much.
    pub fn zoom(&mut self, closer: bool) {
        let times = self.rows.times();
        let (Some(first), Some(last)) = (times.first(), times.last()) else { return };
        let whole = last.since(*first).as_nanos();
        let shown = self.window.map_or(whole, Nanos::as_nanos);
        let shown = if closer { (shown / 2).max(1_000_000_000) } else { shown.saturating_mul(2) };
        self.window = (shown < whole).then(|| Nanos::from_nanos(shown));
    }
}

/// Facts about a run, the most important first.
fn facts(run: &ProfileBuilder) -> Vec<String> {
    let mut facts = Vec::new();
    if let Some(job) = &run.metadata.job {
        facts.push(visible(job));
    }
    facts.extend(run.metadata.process.id.map(|id| format!("pid {id}")));
    facts.extend(run.metadata.ghc_version().map(|version| format!("GHC {}", visible(version))));
    facts
}

/// The colours that charts give these bands, the biggest first.
fn colours(labels: &[String]) -> Vec<Rgb> {
    let mut builder = ProfileBuilder::new(Source::Hp);
    for (i, label) in labels.iter().enumerate() {
        if let Ok(band) = builder.band(BandKeyRef::Name(label.as_bytes())) {
            builder.point(band, Bytes::new((labels.len() - i) as u64));
        }
    }
    builder.seal_sample(Nanos::ZERO);
    let profile = builder.finish();
    let slice = Slice::whole(&profile);
    let all = RankOptions::default().with_trace_percent(0.0).with_band_limit(None);
    let chart = Chart::of(&slice, rank(&slice, &all));
    let paints = colour::layer_paints(&chart, Palette::Vivid);
    let of = |label: &String| {
        let at = chart.layers.iter().position(|layer| *layer.label == **label);
        at.map_or(Rgb { r: 128, g: 128, b: 128 }, |at| paints[at].rgb(Theme::Dark))
    };
    labels.iter().map(of).collect()
}
