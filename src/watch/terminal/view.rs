//! What the terminal shows, without the layout of the screen.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use crate::analysis::Leak;
use crate::base::text::visible;
use crate::base::units::{Bytes, Nanos, UnitSystem};
use crate::chart::{Chart, names_of};
use crate::draw::{Palette, colour};
use crate::incident::error::Error;
use crate::picture::{Theme, Tone};
use crate::profile::glossary::called;
use crate::profile::{MarkerKind, Metadata, Profile};
use crate::profile_view::{ProfileView, ViewOptions};

use super::super::{Raised, Status, WatchState};
use super::colours::Colours;
use crate::slice::{Merger, RowId};
use ratatui::style::Color;

const MESSAGE: Duration = Duration::from_secs(6);
/// Looking at a run takes at most this part of the time: three looks a second at a busy run are enough, and
/// the first after a pause comes at once.
const PART_OF_TIME: u32 = 30;
/// The most bands with layers of their own: so many colours can be told apart.
const LAYERS: usize = 12;
const RANGE: Tone = Tone(24);
/// So many bands without layers get names that are shortened where they differ least.
const NAMED: usize = 200;

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
    /// The index of the band's layer in the chart, from the top; `None` for a band without its own layer.
    pub layer: Option<usize>,
    /// The label of the band, by which its line is found again.
    pub label: String,
    /// The names of the band, best first.
    pub names: Vec<String>,
    /// The residency of the band in the sample that the table shows.
    pub now: Bytes,
    /// What the band gained since [`LastSeen::since`], in bytes: of what is accused, what the verdict says.
    pub gained: i128,
    /// Whether the verdict says that it grows, or that it grew until the program ended.
    pub grows: bool,
}

/// A named instant on the chart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ViewMark {
    pub time: Nanos,
    pub label: String,
    /// Whether it is an alert, not a marker of the program.
    pub is_alert: bool,
}

/// The run as it was when it was looked at last.
#[derive(Default)]
pub struct LastSeen {
    pub chart: Option<Chart>,
    /// The colours of its layers, from the top.
    pub colours: Vec<Color>,
    /// The colour of the range of the heap.
    pub range: Option<Color>,
    /// Whether something grows, in the heap or outside of it.
    pub alarms: bool,
    /// The headline; empty before the first sample.
    pub headline: String,
    /// What GHC means by the name of what is accused first, if it is one of GHC's own.
    pub meaning: Option<String>,
    /// Since when bands gained what the table says, in words: since the mark, or the first sample of what is accused.
    pub since: String,
    /// All bands that have something then or changed, those that grow first, then the biggest.
    pub lines: Vec<TableLine>,
    /// Whether the table shows the peak of each band: at its end a program has freed what it had.
    pub peaks: bool,
    pub bands: usize,
    /// Why there is nothing to show of a run that has ended.
    pub nothing: Option<String>,
    /// Facts about the run in words.
    pub facts: Vec<String>,
    /// Which samples it had, and whether it had ended.
    state: (u64, usize, bool),
}

/// The user's choices, and the data to show.
#[derive(Default)]
pub struct TerminalView {
    pub name: String,
    pub units: UnitSystem,
    pub colours: Colours,
    pub seen: LastSeen,
    /// When the run may be looked at again.
    due: Option<Instant>,
    pub status: Status,
    /// The alerts that were raised in this watch.
    pub alerts: Vec<Raised>,
    pub thinned: usize,
    /// What was lost of the log so far.
    pub damage: Option<String>,
    /// `Some` while the picture stands still: how many samples have come since.
    pub paused: Option<usize>,
    pub sort: Sort,
    /// Whether the keys are explained instead of the bands.
    pub help: bool,
    /// The instant that the user marked: what bands gained is counted from it.
    pub mark: Option<Nanos>,
    /// How much of the run is shown, from its end; `None` for all.
    pub window: Option<Nanos>,
    message: Option<(String, Instant)>,
    /// Whether the user has ended the view.
    pub over: bool,
}

impl TerminalView {
    pub fn new(name: &str, units: UnitSystem, colours: Colours) -> Self {
        TerminalView {
            name: visible(name),
            units,
            colours,
            status: Status::Waiting("starting".to_owned()),
            ..TerminalView::default()
        }
    }

    pub fn update(&mut self, state: &mut WatchState, now: Instant) {
        self.status = Status::new(state, now);
        for message in std::mem::take(&mut state.news) {
            // What the status says stays.
            if state.refused.as_ref() != Some(&message) {
                self.say(&message.to_string());
            }
        }
        self.damage = state.damage();
        if self.message.as_ref().is_some_and(|(_, said)| now.duration_since(*said) > MESSAGE) {
            self.message = None;
        }
        if let Some(behind) = &mut self.paused {
            *behind = state.engine.samples().0.saturating_sub(self.seen.state.1);
            return;
        }
        self.thinned = state.engine.samples().1;
        self.look(state, now);
    }

    /// Looks at the run if it has new samples or has ended, and if it was not looked at just now.
    fn look(&mut self, watched: &WatchState, now: Instant) {
        let ended = self.has_ended();
        let state = (watched.engine.generation(), watched.engine.samples().0, ended);
        if state == self.seen.state || !ended && self.due.is_some_and(|due| now < due) {
            return;
        }
        let Some(profile) = watched.profile() else { return };
        if !profile.samples.is_empty() {
            self.seen = LastSeen { state, ..self.seen_in(&profile, ended) };
            self.due = Some(Instant::now() + PART_OF_TIME * now.elapsed());
        }
        if let Some(reason) = profile.no_samples().filter(|_| ended) {
            let error = Error::NoSamples(reason);
            let hint = error.hint().map_or_else(String::new, |hint| format!("; {hint}"));
            self.seen =
                LastSeen { nothing: Some(format!("{error}{hint}")), state, ..LastSeen::default() };
        }
    }

    fn seen_in(&self, profile: &Profile, ended: bool) -> LastSeen {
        let mut options = ViewOptions::default();
        options.rank.trace_percent = 0.0;
        options.rank.band_limit = std::num::NonZeroUsize::new(LAYERS);
        let Ok(run) = ProfileView::new(profile, &options) else { return LastSeen::default() };
        let (chart, account) = (run.picture(), run.account());
        let paints = colour::layer_paints(chart, Palette::default());
        let paints = paints.iter().rev().map(|paint| paint.rgb(Theme::Dark));
        let wanted: Vec<_> = paints.chain([RANGE.rgb(Theme::Dark)]).collect();
        let mut colours = self.colours.terminal_colours(&wanted);
        let total = |sample: &usize| chart.total[*sample];
        let samples = 0..chart.times.len();
        let peaks = ended && self.mark.is_none();
        let last = samples.rev().find(|sample| total(sample) > 0).unwrap_or(0);
        let first = (0..last).find(|sample| total(sample) > 0).unwrap_or(0);
        let since = match (self.mark, account.suspects.first()) {
            (Some(mark), _) => chart.times.partition_point(|&time| time < mark),
            (None, Some(rise)) if !rise.is_from_start => run.slice().sample(rise.since_sample),
            (None, _) => first,
        };
        let since = since.min(chart.times.len() - 1);
        let since_words = match (self.mark, account.suspects.first()) {
            (Some(_), _) => "mark".to_owned(),
            (None, Some(rise)) => rise.since_text(),
            (None, None) if since <= first => "the start".to_owned(),
            (None, None) => chart.times[since].to_string(),
        };
        let headline = chart.headline.as_ref().map(|words| words.text(self.units));
        LastSeen {
            range: colours.pop(),
            colours,
            alarms: account.leak >= Leak::Possible || !account.outside.is_empty(),
            headline: headline.unwrap_or_default(),
            meaning: account.suspects.first().and_then(|first| {
                let words = account.breakdown.traits().sentence_of(&first.label)?;
                Some(format!("{}: {words}", visible(called(&first.label))))
            }),
            since: format!("since {since_words}"),
            lines: lines(&run, (since, self.mark), (!peaks).then_some(last)),
            peaks,
            bands: chart.bands,
            nothing: None,
            facts: facts(&chart.title, &profile.metadata),
            chart: Some(chart.clone()),
            state: (0, 0, false),
        }
    }

    /// The lines of the table in the order that the user chose.
    pub fn lines(&self) -> Vec<&TableLine> {
        let mut lines: Vec<&TableLine> = self.seen.lines.iter().collect();
        match self.sort {
            Sort::Size => {}
            Sort::Growth => lines.sort_by_key(|line| std::cmp::Reverse(line.gained)),
        }
        lines
    }

    pub fn has_ended(&self) -> bool {
        match self.status {
            Status::Ended | Status::Lost => true,
            Status::Waiting(_)
            | Status::Silent
            | Status::HeaderOnly
            | Status::NoSample
            | Status::Live
            | Status::Quiet(_)
            | Status::Still(_)
            | Status::Refused(..) => false,
        }
    }

    pub fn times(&self) -> &[Nanos] {
        self.seen.chart.as_ref().map_or(&[], |chart| &chart.times)
    }

    /// The named instants on the chart; alerts come last, and are drawn over everything else.
    pub fn marks(&self) -> Vec<ViewMark> {
        let mark = |time, label: &str, is_alert| ViewMark { time, label: visible(label), is_alert };
        let markers = self.seen.chart.iter().flat_map(|chart| &chart.markers);
        let markers = markers.filter(|marker| marker.kind == MarkerKind::Marker);
        let markers = markers.map(|marker| mark(marker.time, &marker.label, false));
        let alerts = self.alerts.iter().filter_map(|raised| Some((raised.time?, &raised.text)));
        markers.chain(alerts.map(|(time, text)| mark(time, text, true))).collect()
    }

    /// Counts what bands gain from the last sample on; called again, it stops that.
    pub fn toggle_mark(&mut self) {
        self.mark = match self.mark {
            Some(_) => None,
            None => self.times().last().copied(),
        };
        (self.due, self.seen.state) = (None, (0, 0, false));
    }

    /// The first sample that is shown.
    pub fn first_shown(&self) -> usize {
        let times = self.times();
        match (self.window, times.last()) {
            (Some(window), Some(last)) => times.partition_point(|&time| last.since(time) > window),
            _ => 0,
        }
    }

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

    /// Shows half as much of the run, or twice as much.
    pub fn zoom(&mut self, closer: bool) {
        let times = self.times();
        let (Some(first), Some(last)) = (times.first(), times.last()) else { return };
        let whole = last.since(*first).as_nanos();
        let shown = self.window.map_or(whole, Nanos::as_nanos);
        let shown = if closer { (shown / 2).max(1_000_000_000) } else { shown.saturating_mul(2) };
        self.window = (shown < whole).then(|| Nanos::from_nanos(shown));
    }
}

/// Facts about a run, the most important first.
fn facts(title: &str, metadata: &Metadata) -> Vec<String> {
    let mut facts: Vec<String> = metadata.job.iter().map(|_| title.to_owned()).collect();
    facts.extend(metadata.process.id.map(|id| format!("pid {id}")));
    facts.extend(metadata.ghc_version().map(|version| format!("GHC {}", visible(version))));
    facts
}

/// The bands of a run that have something at a sample, or had something at an earlier one, those that grow first, then the
/// biggest; without such a sample their peaks, first of those that the chart shows.
fn lines(
    run: &ProfileView<'_>,
    (since, mark): (usize, Option<Nanos>),
    at: Option<usize>,
) -> Vec<TableLine> {
    let (rows, chart) = (run.slice(), run.picture());
    let (mut now, mut then) = (vec![0u64; rows.rows().len()], vec![0u64; rows.rows().len()]);
    let mut merger = Merger::new(rows);
    for (sample, sizes) in [(at.unwrap_or(since), &mut now), (since, &mut then)] {
        for (row, size) in merger.sample(sample) {
            sizes[row.index()] = size.get();
        }
    }
    if at.is_none() {
        now = run.analysis().figures.bands.iter().map(|band| band.peak).collect();
    }
    let growing: HashMap<RowId, Bytes> = run.rows_growing().into_iter().collect();
    let (now, then) = (|row: RowId| now[row.index()], |row: RowId| then[row.index()]);
    let mut wanted: Vec<RowId> = rows.rows().filter(|&row| now(row).max(then(row)) > 0).collect();
    let is_later = |row| at.is_none() && chart.layer_of(row).is_none();
    let grows = |row| growing.contains_key(&row);
    wanted.sort_by_key(|&row| (!grows(row), is_later(row), std::cmp::Reverse(now(row)), row));
    let without_layer = wanted.iter().copied().filter(|&row| chart.layer_of(row).is_none());
    let without_layer: Vec<RowId> = without_layer.take(NAMED).collect();
    let mut names: HashMap<RowId, Vec<String>> =
        without_layer.iter().copied().zip(names_of(rows, &without_layer)).collect();
    let line = |row: RowId| {
        let label = visible(rows.label(row));
        let layer = chart.layer_of(row);
        let own = layer.map(|layer| chart.layers[layer].names.clone());
        let own = own.or_else(|| names.remove(&row)).unwrap_or_else(|| vec![label.clone()]);
        TableLine {
            layer: layer.map(|layer| chart.layers.len() - 1 - layer),
            names: own.iter().map(|name| visible(name)).collect(),
            label,
            now: Bytes::new(now(row)),
            gained: match growing.get(&row) {
                Some(grew) if mark.is_none() => i128::from(grew.get()),
                Some(_) | None => i128::from(now(row)) - i128::from(then(row)),
            },
            grows: grows(row),
        }
    };
    wanted.into_iter().map(line).collect()
}
