//! A profile as one call shows it: the owner of everything that is derived from it.
//!
//! Slice, analysis, ranking, chart, names and figures of the run-time system are each computed once, when
//! they are first asked for, by the same rules for every output. So two outputs of one run cannot
//! contradict each other, and an output does not depend on what else is written.

use std::collections::HashMap;
use std::num::NonZeroUsize;
use std::sync::OnceLock;

use crate::analysis::runtime::{Activity, RunTimeFigures};
use crate::analysis::{Account, Analysis, BandChange, Finding, Rise, Who};
use crate::base::pattern::Pattern;
use crate::base::sentence::Sentence;
use crate::base::units::Bytes;
use crate::chart::{
    Additions, Chart, Growing, GrowingFigure, Known, NextSteps, figure_of, names_of,
};
use crate::incident::WarningCode;
use crate::incident::error::WindowError;
use crate::profile::{Profile, RunPlace, advice};
use crate::slice::rank::{RankOptions, Ranking, SortKey, rank, rank_by};
use crate::slice::{Grouping, RowId, Slice, SliceOptions};

/// What a run shows of its profile.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ViewOptions {
    /// Which part of the run, which bands, and what is left out. Default: everything.
    pub slice: SliceOptions,
    /// Which bands are drawn. Default: hp2ps's rules.
    pub rank: RankOptions,
    /// What bands are chosen and ordered by; its order replaces that of `rank`. Default: suspects.
    pub measure: Measure,
    /// Bands that grow by design: they are not suspects. Default: none.
    pub accepted: Vec<Pattern>,
    /// Whether the chart names what grows. Default: it does, if the verdict is sure.
    pub verdict: VerdictChoice,
    /// Whether the chart contains what the run-time system did. Default: it does not.
    pub activity: ActivityChoice,
}

/// Whether the verdict is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum VerdictChoice {
    /// The verdict is shown on charts, at the top of pages, and in summaries.
    #[default]
    Show,
    /// The verdict is not shown.
    Hide,
}

/// Whether a chart contains what the run-time system did, for panels and for the axis of time in the
/// program. Copying the events of a million collections takes time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ActivityChoice {
    /// The chart does not contain it.
    #[default]
    LeaveOut,
    /// The chart contains it.
    Include,
}

/// What bands are chosen and ordered by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
pub enum Measure {
    /// In a picture, what is accused at the bottom, in colour, and all else over it, pale and by size; as `growth` in a
    /// table, and as `total` where nothing is accused
    #[default]
    Suspects,
    /// By size, biggest on top: chosen by the sum over all samples, ordered by the mean over time; eras by age, newest
    /// on top
    Total,
    /// Fastest growing on top; also chooses which bands are shown
    Growth,
    /// Highest peak on top; also chooses which bands are shown
    Peak,
    /// Highest mean over time on top; also chooses which bands are shown
    Mean,
    /// Biggest at the end on top; also chooses which bands are shown
    Last,
    /// Largest standard deviation on top (hp2ps -d)
    Deviation,
    /// By name: tables from A to Z, stacks with Z on top (hp2ps -i+)
    Name,
    /// By name, in the opposite order (hp2ps -i-)
    NameDesc,
}

impl Measure {
    /// Whether it chooses the bands, and not only their order.
    pub fn chooses(self) -> bool {
        match self {
            Measure::Growth | Measure::Peak | Measure::Mean | Measure::Last => true,
            Measure::Suspects
            | Measure::Total
            | Measure::Deviation
            | Measure::Name
            | Measure::NameDesc => false,
        }
    }

    /// The order of a stack, and of those ranked by weights.
    fn sort_key(self) -> SortKey {
        match self {
            Measure::Deviation => SortKey::Deviation,
            Measure::Name => SortKey::Name,
            Measure::NameDesc => SortKey::NameDescending,
            Measure::Suspects
            | Measure::Total
            | Measure::Growth
            | Measure::Peak
            | Measure::Mean
            | Measure::Last => SortKey::Total,
        }
    }
}

impl ViewOptions {
    /// The options of a table of the first bands by a measure (0 for all): nothing is left out as a
    /// trace element, and names ascend from the top.
    pub(crate) fn for_table(slice: SliceOptions, measure: Measure, bands: usize) -> Self {
        // OTHER takes one place of the limit.
        let band_limit = NonZeroUsize::new(if bands == 0 { 0 } else { bands + 1 });
        let rank = RankOptions { trace_percent: 0.0, band_limit, ..RankOptions::default() };
        let measure = match measure {
            Measure::Suspects => Measure::Growth,
            Measure::Name => Measure::NameDesc,
            Measure::NameDesc => Measure::Name,
            Measure::Total
            | Measure::Growth
            | Measure::Peak
            | Measure::Mean
            | Measure::Last
            | Measure::Deviation => measure,
        };
        ViewOptions { slice, rank, measure, ..ViewOptions::default() }
    }
}

/// A profile as one call shows it.
pub struct ProfileView<'a> {
    profile: &'a Profile,
    options: &'a ViewOptions,
    file: Option<String>,
    slice: Slice<'a>,
    analysis: OnceLock<Analysis>,
    account: OnceLock<Account>,
    ranking: OnceLock<Ranking>,
    chart: OnceLock<Chart>,
    /// The chart of pictures, if it differs.
    picture: OnceLock<Option<Chart>>,
    runtime: OnceLock<RunTimeFigures>,
    names: OnceLock<HashMap<RowId, Vec<String>>>,
    advice: OnceLock<Vec<String>>,
}

impl<'a> ProfileView<'a> {
    /// A profile seen through options.
    ///
    /// # Errors
    /// A window that is not in the profile.
    pub fn new(profile: &'a Profile, options: &'a ViewOptions) -> Result<Self, WindowError> {
        Ok(ProfileView {
            profile,
            options,
            file: None,
            slice: Slice::new(profile, &options.slice)?,
            analysis: OnceLock::new(),
            account: OnceLock::new(),
            ranking: OnceLock::new(),
            chart: OnceLock::new(),
            picture: OnceLock::new(),
            runtime: OnceLock::new(),
            names: OnceLock::new(),
            advice: OnceLock::new(),
        })
    }

    /// The view with the name of its file, for documents that are kept together with others and for the
    /// commands in a page.
    #[must_use]
    #[doc(hidden)]
    pub fn of_file(self, file: Option<String>) -> Self {
        ProfileView { file, ..self }
    }

    /// The name of its file, if it has one.
    pub(crate) fn file(&self) -> Option<&str> {
        self.file.as_deref()
    }

    /// All of the profile.
    pub fn profile(&self) -> &'a Profile {
        self.profile
    }

    pub(crate) fn options(&self) -> &'a ViewOptions {
        self.options
    }

    /// The part of the profile that is shown.
    pub fn slice(&self) -> &Slice<'a> {
        &self.slice
    }

    /// Shows the slice with the bands of the file, unless a grouping was asked for, to `look`: for formats
    /// that other tools read in place of the file.
    pub(crate) fn as_written<T>(&self, look: impl FnOnce(&Slice<'a>) -> T) -> T {
        // Only retainer sets are grouped unasked.
        let is_grouped = self.options.slice.grouping == Grouping::Auto
            && self.profile.breakdown.traits().is_renumbered;
        let ungrouped = SliceOptions { grouping: Grouping::None, ..self.options.slice.clone() };
        match is_grouped.then(|| Slice::new(self.profile, &ungrouped)) {
            Some(Ok(slice)) => look(&slice),
            Some(Err(_)) | None => look(&self.slice),
        }
    }

    /// Whether it has samples, or a call tree: otherwise its page is only a picture.
    pub(crate) fn has_report(&self) -> bool {
        !self.slice.is_empty() || !self.profile.calls.is_empty()
    }

    /// The figures, phases and verdict of the slice.
    pub fn analysis(&self) -> &Analysis {
        self.analysis.get_or_init(|| Analysis::new(&self.slice, &self.options.accepted))
    }

    /// Only the verdict of its analysis, which takes less time than all of it.
    pub fn account(&self) -> &Account {
        match self.analysis.get() {
            Some(analysis) => &analysis.account,
            None => self
                .account
                .get_or_init(|| Analysis::account_of(&self.slice, &self.options.accepted)),
        }
    }

    /// Which bands are drawn, and in what order.
    pub fn ranking(&self) -> &Ranking {
        self.ranking.get_or_init(|| self.ranked(&self.rank_options()))
    }

    fn ranked(&self, options: &RankOptions) -> Ranking {
        match self.weights() {
            None => rank(&self.slice, options),
            Some(keys) => rank_by(&self.slice, options, &keys),
        }
    }

    /// The dense rows that are drawn, with the words around them.
    pub fn chart(&self) -> &Chart {
        self.chart.get_or_init(|| self.chart_as(self.ranking().clone()))
    }

    fn chart_as(&self, ranking: Ranking) -> Chart {
        self.completed(Chart::new(&self.slice, ranking))
    }

    /// The chart as a picture shows it: what is accused, and what the words over it name, has its own layer however
    /// small it is. With [`Measure::Suspects`], what is accused is at the bottom.
    pub fn picture(&self) -> &Chart {
        self.picture
            .get_or_init(|| self.chart_of_picture())
            .as_ref()
            .unwrap_or_else(|| self.chart())
    }

    /// `None` if it is the usual chart, which is there already.
    fn chart_of_picture(&self) -> Option<Chart> {
        let named = match self.options.verdict {
            VerdictChoice::Show => self.rows_named(),
            VerdictChoice::Hide => Vec::new(),
        };
        let is_missing = |row: &RowId| !self.ranking().kept.contains(row);
        let is_complete = !named.iter().any(is_missing);
        let leads =
            |chart: &Chart| self.options.measure == Measure::Suspects && chart.suspects().is_some();
        let chart = match self.chart.get() {
            Some(chart) if is_complete && !leads(chart) => return None,
            Some(chart) if is_complete => chart.clone(),
            None if is_complete => self.chart_as(self.ranking().clone()),
            Some(_) | None => {
                self.chart_as(self.ranked(&RankOptions { named, ..self.rank_options() }))
            }
        };
        Some(if leads(&chart) { chart.with_suspects_leading() } else { chart })
    }

    /// The rows that grow: those that are accused, what else gained half as much as the first of them up to the end, or
    /// who made most of what grew until the program ended or climbs at the end; with what each gained, the straightest
    /// first.
    pub(crate) fn rows_growing(&self) -> Vec<(RowId, Bytes)> {
        /// A band that made less of what all together gained is not marked.
        const WORTH: f64 = 0.1;
        const HALF: f64 = 0.5;
        let account = self.account();
        let grew = |rise: &Rise| Some((rise.row()?, Bytes::new(rise.grew())));
        let whole = match (account.suspects.first(), &account.finding) {
            (Some(first), _) => Some(first).filter(|first| first.who == Who::Heap),
            (None, Finding::GrewToExit { rise, .. } | Finding::Climbs { rise, .. }) => Some(rise),
            (None, _) => None,
        };
        if let Some(whole) = whole {
            let is_much = |band: &&BandChange| band.change as f64 >= WORTH * whole.gain;
            let made = account.named.iter().filter(is_much);
            return made.map(|band| (band.row, Bytes::new(band.change.unsigned_abs()))).collect();
        }
        let Some(first) = account.suspects.first() else { return Vec::new() };
        let is_accused = |rise: &&Rise| account.suspects.iter().any(|one| one.who == rise.who);
        let grows = |rise: &&Rise| {
            rise.end.reaches_the_end() && rise.gain >= HALF * first.gain && !is_accused(rise)
        };
        let beside = account.rises.iter().filter(|_| first.row().is_some()).filter(grows);
        let mut rising: Vec<&Rise> = account.suspects.iter().chain(beside).collect();
        rising.sort_by(|a, b| b.score.total_cmp(&a.score));
        rising.into_iter().filter_map(grew).collect()
    }

    /// The rows that the headline names, the most important first.
    fn rows_named(&self) -> Vec<RowId> {
        const IN_WORDS: usize = 2;
        let account = self.account();
        let is_told = account.finding.rise().is_some();
        let named = account.named.iter().filter(|_| is_told).take(IN_WORDS).map(|band| band.row);
        let growing = self.rows_growing().into_iter().map(|one| one.0);
        let mut rows: Vec<RowId> = Vec::new();
        for row in growing.chain(named) {
            if !rows.contains(&row) {
                rows.push(row);
            }
        }
        rows
    }

    /// A chart with what the options add to its rows.
    fn completed(&self, chart: Chart) -> Chart {
        let options = self.options;
        let activity = match options.activity {
            ActivityChoice::Include => Activity::new(&self.slice),
            ActivityChoice::LeaveOut => Activity::default(),
        };
        let growing = match options.verdict {
            VerdictChoice::Show => self.growing(&chart),
            VerdictChoice::Hide => None,
        };
        let by_mean = matches!(options.measure, Measure::Suspects | Measure::Total);
        chart.with(Additions { by_mean, activity, growing })
    }

    /// The rows of a chart that the verdict says grow to the end.
    fn growing(&self, chart: &Chart) -> Option<Growing> {
        let account = self.account();
        if account.samples == 0 {
            return None;
        }
        let outside = account.suspects.first().and_then(|first| {
            let figure = figure_of(first.who, first.kind)?;
            Some(GrowingFigure { figure, grew: Bytes::new(first.grew()) })
        });
        let since = account.suspects.iter().filter_map(|rise| rise.since).min();
        let next = NextSteps::new(&self.slice, account, Known::Nothing).command();
        Some(Growing {
            headline: account.headline(),
            next,
            leak: account.leak,
            rows: self.rows_growing(),
            to: account.before_exit().filter(|to| *to < chart.times.len()),
            since,
            outside,
        })
    }

    /// What the verdict says, so short that it can be read at a glance.
    pub fn headline(&self) -> Sentence {
        self.account().headline()
    }

    /// The headline of the verdict, if it says more than that nothing happened.
    pub fn news(&self) -> Option<Sentence> {
        let account = self.account();
        let is_news = account.is_judged() && !account.finding.is_quiet();
        is_news.then(|| self.headline())
    }

    /// A sentence with the names that the chart has.
    pub fn named(&self, sentence: Sentence) -> Sentence {
        sentence.with_names(&|row| self.name_of(RowId::at(row)))
    }

    /// How the next run could be sampled better, in one line; `None` if this one has no samples or enough.
    pub fn sampling_line(&self) -> Option<String> {
        let account = self.account();
        let advice = account.sampling().filter(|_| account.samples > 0)?;
        Some(advice.to_string().trim_end_matches('.').to_owned())
    }

    /// What the chart calls a row, by its number, or would call it.
    pub(crate) fn name_of(&self, row: RowId) -> Option<String> {
        self.name_in(self.chart(), row)
    }

    fn name_in(&self, chart: &Chart, row: RowId) -> Option<String> {
        let other = || names_of(&self.slice, &[row]).swap_remove(0).into_iter().next();
        chart.name_of(row).or_else(other)
    }

    pub(crate) fn runtime(&self) -> &RunTimeFigures {
        self.runtime.get_or_init(|| RunTimeFigures::new(&self.slice))
    }

    /// The names that a row of a table can have, best first. No two of the drawn rows and the suspects
    /// share a name; other rows have none.
    pub(crate) fn names(&self, row: RowId) -> &[String] {
        let names = self.names.get_or_init(|| {
            let suspects = self.account().suspects.iter().filter_map(Rise::row);
            let kept = self.chart().ranking.kept.iter().copied();
            let mut rows: Vec<RowId> = kept.chain(suspects).collect();
            rows.sort_unstable();
            rows.dedup();
            let names = names_of(&self.slice, &rows);
            rows.into_iter().zip(names).collect()
        });
        names.get(&row).map_or(&[], Vec::as_slice)
    }

    /// What would show more.
    pub fn advice(&self) -> &[String] {
        self.advice.get_or_init(|| advice(self.profile))
    }

    /// How fast rows grow to the end: bytes a second, or a sample where samples have no times; 0 of those that do not.
    pub(crate) fn growth(&self, rows: &[RowId]) -> Vec<f64> {
        let rises = self.analysis().account.rises.iter().filter(|rise| rise.end.reaches_the_end());
        let rates: HashMap<Who, f64> = rises.map(|rise| (rise.who, rise.rate)).collect();
        rows.iter().map(|&row| rates.get(&Who::Band(row)).copied().unwrap_or(0.0)).collect()
    }

    /// How suspect each row is: what is accused, by its gain, then what rises to the end or makes the lows of the heap rise,
    /// then all other rises.
    pub(crate) fn suspicion(&self) -> Vec<f64> {
        let account = &self.analysis().account;
        let mut weights = vec![0.0; self.slice.rows().len()];
        let most = account.rises.iter().map(|rise| rise.gain).fold(1.0, f64::max);
        for rise in &account.rises {
            let Some(row) = rise.row() else { continue };
            let goes_on = rise.score > 0.0;
            weights[row.index()] = rise.gain + if goes_on { most } else { 0.0 };
        }
        for (row, grew) in self.rows_growing() {
            weights[row.index()] = grew.get() as f64 + 2.0 * most;
        }
        weights
    }

    fn rank_options(&self) -> RankOptions {
        RankOptions { sort: self.options.measure.sort_key(), ..self.options.rank.clone() }
    }

    /// The weights of rows by the measure; `None` if the ranking computes them itself.
    fn weights(&self) -> Option<Vec<f64>> {
        let bands = || self.analysis().figures.bands.iter();
        Some(match self.options.measure {
            Measure::Suspects
            | Measure::Total
            | Measure::Deviation
            | Measure::Name
            | Measure::NameDesc => return None,
            Measure::Peak => bands().map(|band| band.peak as f64).collect(),
            Measure::Mean => bands().map(|band| band.mean).collect(),
            Measure::Last => bands().map(|band| band.last as f64).collect(),
            Measure::Growth => self.suspicion(),
        })
    }

    /// What a user should know about the input, in the order of importance: what was odd, what was
    /// lost, what would show more.
    pub fn notices(&self) -> Vec<Notice> {
        let warning = |text: String, way_out| Notice { severity: Severity::Warning, text, way_out };
        let mut notices = Vec::new();
        let RunPlace { number, of, .. } = self.profile.run;
        if of > 1 {
            let text = format!("it contains {of} runs; this is run {number}");
            notices.push(warning(text, WayOut::OtherRun));
        }
        notices.extend(self.profile.loss_summary().map(|text| warning(text, WayOut::None)));
        let oddities = self.slice.incidents().warnings_not_in_summary().into_iter();
        notices.extend(oddities.map(|oddity| {
            let is = |code| oddity.code == code;
            let is_impossible = is(WarningCode::ImpossibleSample);
            let way_out = if is_impossible { WayOut::AllSamples } else { WayOut::None };
            let way_out = if is(WarningCode::OverLimit) { WayOut::Limit } else { way_out };
            warning(oddity.message, way_out)
        }));
        let note = |text| Notice { severity: Severity::Note, text, way_out: WayOut::None };
        notices.extend(self.advice().iter().cloned().map(note));
        notices.extend(self.nothing_grouped().map(|text| warning(text, WayOut::None)));
        notices
    }

    /// A sentence if the given grouping fits no band.
    fn nothing_grouped(&self) -> Option<String> {
        let slice = &self.slice;
        if slice.rows().len() == 0 || slice.rows().any(|row| slice.key(row).is_none()) {
            return None;
        }
        Some(match &self.options.slice.grouping {
            Grouping::Auto | Grouping::None => return None,
            Grouping::By(part) => {
                format!("grouped by {part}, but no band {} has one", slice.breakdown().words())
            }
        })
    }
}

/// How bad a notice is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Severity {
    /// Good to know.
    Note,
    /// Something was odd, but the profile can be shown.
    Warning,
    /// The reason why something was not done.
    Error,
}

impl Severity {
    /// The word before a message.
    pub fn word(self) -> &'static str {
        match self {
            Severity::Note => "note",
            Severity::Warning => "warning",
            Severity::Error => "error",
        }
    }
}

/// One fact about an input for its user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice {
    /// How bad it is.
    pub severity: Severity,
    /// The fact, in one sentence.
    pub text: String,
    /// What the user can do about it.
    pub way_out: WayOut,
}

/// What a user can do. The library names no flags.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WayOut {
    /// Nothing, or the text already says it.
    None,
    /// Keep more of the input.
    Limit,
    /// Read another run of the same file.
    OtherRun,
    /// Keep samples that look impossible.
    AllSamples,
}
