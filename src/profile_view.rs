//! A profile as one call shows it: the owner of everything that is derived from it.
//!
//! Slice, analysis, ranking, chart, names and figures of the run-time system are each computed once, when
//! they are first asked for, by the same rules for every output. So two outputs of one run cannot
//! contradict each other, and an output does not depend on what else is written.

use std::collections::HashMap;
use std::num::NonZeroUsize;
use std::sync::OnceLock;

use crate::analysis::runtime::{Activity, RunTimeFigures};
use crate::analysis::{Account, Analysis, BandChange, Leak, Move, MoveKind, Rise, RiseEnd, Who};
use crate::base::parallel::join;
use crate::base::pattern::Pattern;
use crate::base::sentence::{Sentence, name, say};
use crate::base::units::Bytes;
use crate::chart::short_names::{end_of, start_of};
use crate::chart::{
    Additions, Chart, Growing, GrowingFigure, KeyFigure, Known, Marked, NextSteps, figure_of,
    names_of,
};
use crate::incident::Limit;
use crate::incident::WarningCode;
use crate::incident::error::WindowError;
use crate::profile::{Advice, BandNames, Profile, RunPlace, advice};
use crate::slice::rank::{RankOptions, Ranking, SortKey, deviations, rank, rank_by};
use crate::slice::{Grouping, RowId, Slice, SliceOptions};

/// How many shorter names of a band a headline tries, then how many characters at their ends, and with how many of them each
/// of its shorter forms is tried.
const NAME_STEPS: usize = 6;
const NAME_ENDS: [usize; 3] = [40, LEAST_OF_NAME, 12];
const LEAST_OF_NAME: usize = 24;
/// The most characters that are read at a glance: a longer headline is shortened.
const GLANCE: usize = 120;

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

    /// The figure in a key that explains this order.
    fn figure(self) -> KeyFigure {
        match self {
            Measure::Peak => KeyFigure::Peak,
            Measure::Last => KeyFigure::Last,
            Measure::Growth => KeyFigure::Growth,
            Measure::Deviation => KeyFigure::Deviation,
            Measure::Suspects
            | Measure::Total
            | Measure::Mean
            | Measure::Name
            | Measure::NameDesc => KeyFigure::Mean,
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
    has_given_order: bool,
    chart: OnceLock<Chart>,
    /// The chart of pictures, if it differs.
    picture: OnceLock<Option<Chart>>,
    runtime: OnceLock<RunTimeFigures>,
    names: OnceLock<HashMap<RowId, Vec<String>>>,
    advice: OnceLock<Vec<Advice>>,
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
            has_given_order: false,
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

    /// What the fact of the verdict is a part of: clauses without a full stop.
    pub fn details(&self) -> Vec<Sentence> {
        self.account().details()
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

    /// Replaces the ranking, before anything is made from it.
    pub(crate) fn rank_as(&mut self, ranking: Ranking) {
        self.ranking = OnceLock::from(ranking);
        self.has_given_order = true;
        (self.chart, self.picture) = (OnceLock::new(), OnceLock::new());
        self.names = OnceLock::new();
    }

    /// The dense rows that are drawn, with the words around them.
    pub fn chart(&self) -> &Chart {
        self.chart.get_or_init(|| {
            if self.options.measure.chooses() {
                self.ranking();
            }
            // The chart and the verdict are computed side by side where there are two processors.
            let judges = self.options.verdict == VerdictChoice::Show
                && self.analysis.get().is_none()
                && self.account.get().is_none();
            let (slice, ranking) = (&self.slice, self.ranking.get());
            let options = self.rank_options();
            let draw = || {
                let ranking = ranking.map_or_else(|| rank(slice, &options), Ranking::clone);
                Chart::new(slice, ranking)
            };
            let chart = match judges {
                true => {
                    let worth = slice.has_many_points();
                    let (chart, account) =
                        join(worth, draw, || Analysis::account_of(slice, &self.options.accepted));
                    let _ = self.account.set(account);
                    chart
                }
                false => draw(),
            };
            self.completed(chart)
        })
    }

    /// The chart as a picture shows it: what is accused, and what the words over it name, has its own layer however
    /// small it is. With [`Measure::Suspects`], what is accused is at the bottom.
    pub fn picture(&self) -> &Chart {
        let chart = self.chart();
        self.picture.get_or_init(|| self.chart_of_picture(chart)).as_ref().unwrap_or(chart)
    }

    /// `None` if it is the usual chart.
    fn chart_of_picture(&self, chart: &Chart) -> Option<Chart> {
        let named = match self.options.verdict {
            VerdictChoice::Show => self.rows_named(),
            VerdictChoice::Hide => Vec::new(),
        };
        let is_missing = |row: &RowId| !chart.ranking.kept.contains(row);
        let complete = named.iter().any(is_missing).then(|| {
            let ranking = self.ranked(&RankOptions { named, ..self.rank_options() });
            self.completed(Chart::new(&self.slice, ranking))
        });
        let leads = self.options.measure == Measure::Suspects
            && complete.as_ref().unwrap_or(chart).suspects().is_some();
        match leads {
            true => Some(complete.unwrap_or_else(|| chart.clone()).with_suspects_leading()),
            false => complete,
        }
    }

    /// The rows that are accused, or that made most of what all bands together gained, if those are accused or grew until
    /// the program ended, with the number of bytes that each grew by.
    pub(crate) fn rows_growing(&self) -> Vec<(RowId, Bytes)> {
        /// A band that made less of what all together gained is not marked.
        const WORTH: f64 = 0.1;
        let account = self.account();
        let accused = account.suspects.iter().filter_map(|rise| Some((rise.row()?, rise.grew())));
        // What climbs at the end is one climb of several if the heap was higher before.
        let is_highest = account.heights.top >= account.heights.high;
        let grew = |told: &&Rise| match told.end {
            RiseEnd::Exit => true,
            RiseEnd::Open | RiseEnd::Climbs => is_highest,
            RiseEnd::Level | RiseEnd::Freed => false,
        };
        let told = account.told.as_ref().filter(|_| account.is_judged()).filter(grew);
        let all = match account.suspects.first() {
            Some(first) => Some(first).filter(|first| first.who == Who::Heap),
            None => told,
        };
        let under = account.grew_under_rounds().and_then(|rise| Some((rise.row()?, rise.grew())));
        let made = all.filter(|_| under.is_none()).into_iter().flat_map(|told| {
            let is_much = |band: &&BandChange| band.change as f64 >= WORTH * told.gain;
            let made = account.named.iter().filter(is_much);
            made.map(|band| (band.row, band.change.unsigned_abs()))
        });
        accused.chain(under).chain(made).map(|(row, grew)| (row, Bytes::new(grew))).collect()
    }

    /// The rows that the words over a picture name, the most important first.
    fn rows_named(&self) -> Vec<RowId> {
        const IN_WORDS: usize = 3;
        let account = self.account();
        let suspects = account.suspects.iter().filter_map(Rise::row);
        let is_told = account.told.is_some() && account.is_judged();
        let named = account.named.iter().filter(|_| is_told).take(IN_WORDS).map(|band| band.row);
        let is_rise = |one: &&Move| one.kind == MoveKind::Rise && account.is_judged();
        let rises = account.movements.iter().filter(is_rise);
        let mut rises: Vec<&Move> = rises.collect();
        rises.sort_by_key(|one| std::cmp::Reverse(one.size()));
        let rose = rises.iter().take(IN_WORDS).filter_map(|one| Some(one.bands.first()?.row));
        let mut rows: Vec<RowId> = Vec::new();
        for row in suspects.chain(named).chain(rose) {
            if !rows.contains(&row) {
                rows.push(row);
            }
        }
        rows
    }

    /// Computes what a page or a JSON document shows, on two threads if there are two processors.
    /// If it is called before the chart is asked for, the verdict is found only once.
    pub fn prepare_figures(&self) {
        let is_begun = self.chart.get().is_some() || self.analysis.get().is_some();
        if is_begun || self.options.measure.chooses() {
            self.analysis();
            return;
        }
        let (slice, ranking, options) = (&self.slice, self.ranking.get(), self.rank_options());
        let draw = || {
            let ranking = ranking.map_or_else(|| rank(slice, &options), Ranking::clone);
            Chart::new(slice, ranking)
        };
        let worth = slice.has_many_points();
        let (chart, analysis) = join(worth, draw, || Analysis::new(slice, &self.options.accepted));
        let _ = self.analysis.set(analysis);
        let _ = self.chart.set(self.completed(chart));
    }

    /// A chart with what the options add to its rows.
    fn completed(&self, chart: Chart) -> Chart {
        let options = self.options;
        let kept = &chart.ranking.kept;
        let mut figure = options.measure.figure();
        // A mean with empty samples is not what the one sample had.
        if figure == KeyFigure::Mean && chart.has_one_full() {
            figure = KeyFigure::Peak;
        }
        let figures = match figure {
            KeyFigure::Growth => self.growth(kept),
            KeyFigure::Deviation => {
                let all = deviations(&self.slice);
                kept.iter().map(|row| all[row.index()]).collect()
            }
            KeyFigure::Mean | KeyFigure::Peak | KeyFigure::Last => Vec::new(),
        };
        let activity = match options.activity {
            ActivityChoice::Include => Activity::new(&self.slice),
            ActivityChoice::LeaveOut => Activity::default(),
        };
        let growing = match options.verdict {
            VerdictChoice::Show => self.growing(&chart),
            VerdictChoice::Hide => None,
        };
        let is_by_size =
            matches!(options.measure, Measure::Suspects | Measure::Total) && !self.has_given_order;
        let by_mean = is_by_size.then_some(options.rank.direction);
        chart.with(Additions { figure, by_mean, figures, activity, growing })
    }

    /// The rows of a chart that the verdict says grow to the end.
    fn growing(&self, chart: &Chart) -> Option<Growing> {
        let account = self.account();
        if account.samples == 0 {
            return None;
        }
        let captions = self.readable(chart, &account.headline(), GLANCE);
        let named = |who, row, amount| self.bracket_words(chart, who, row, &amount);
        let marked = Marked::new(account, &|who, kind| chart.curve(who, kind), &named);
        let (leak, floor_is_accused) = (account.leak, self.floor_is_accused());
        let outside = account.suspects.first().and_then(|first| {
            let figure = figure_of(first.who, first.kind)?;
            Some(GrowingFigure { figure, grew: Bytes::new(first.grew()) })
        });
        let rows = self.rows_growing();
        let is_ended = |told: &&Rise| told.end == RiseEnd::Exit && !rows.is_empty();
        let told = account.grew_under_rounds().or(account.told.as_ref()).filter(is_ended);
        let told = told.filter(|_| account.suspects.is_empty());
        let to = told.map(|told| told.until_sample.saturating_sub(self.slice.number(0)));
        let to = to.filter(|to| *to < chart.times.len());
        let next = NextSteps::new(&self.slice, account, Known::Nothing).command();
        Some(Growing { captions, next, leak, floor_is_accused, rows, to, outside, marked })
    }

    /// The headline for a document without bands, with names that do not depend on those that are drawn.
    pub(crate) fn captions_alone(&self) -> Vec<Sentence> {
        let names = |row| names_of(&self.slice, &[RowId::at(row)]).swap_remove(0).into_iter();
        let name = |row| Some(start_of(&names(row).next()?, LEAST_OF_NAME));
        from_readable(self.account().headline().with_names(&name).forms(), GLANCE)
    }

    /// What a bracket says of what somebody gained, with the band that rose, the longest form first.
    fn bracket_words(
        &self,
        chart: &Chart,
        who: Who,
        row: Option<RowId>,
        amount: &Sentence,
    ) -> Vec<Sentence> {
        let outside = self.account().suspects.first().filter(|_| row.is_none());
        let outside = outside.filter(|first| figure_of(first.who, first.kind).is_some());
        let names = row.map(|row| self.names_in(chart, row));
        let names = names.or_else(|| Some(vec![outside?.label.clone()])).unwrap_or_default();
        let shorter = match (who, names.last()) {
            (Who::Heap, Some(last)) => {
                say![amount.clone(), " (", name(end_of(last, LEAST_OF_NAME)), ")"]
            }
            (Who::Heap | Who::Band(_) | Who::Live | Who::Memory, _) => amount.clone(),
        };
        let with = |text: String| match who {
            // What all bands together gained is not what one of them did.
            Who::Heap => say![amount.clone(), ", most in ", name(text)],
            Who::Band(_) | Who::Live | Who::Memory => say![name(text), " ", amount.clone()],
        };
        let mut words: Vec<Sentence> =
            names.into_iter().map(with).chain([shorter, amount.clone()]).collect();
        words.dedup();
        words
    }

    /// A sentence with the names of rows as they are in a key, then with shorter ones, without its details, and with less and
    /// less of the ends of names; and then its shorter forms: the first has at most so many characters.
    fn readable(&self, chart: &Chart, sentence: &Sentence, most: usize) -> Vec<Sentence> {
        let cuts: [fn(&str, usize) -> String; 2] = match self.slice.breakdown().traits().names {
            BandNames::Stacks | BandNames::Addresses => [start_of, end_of],
            BandNames::Texts | BandNames::RetainerSets | BandNames::Numbers => [end_of, start_of],
        };
        // Where that is also what another band is called, the other end says which it is.
        let shortened = |row: RowId, name: &str, most: usize| {
            let cut = cuts[0](name, most);
            let kept = cut.trim_matches('…');
            let own = chart.layer_of(row);
            let others = chart.layers.iter().enumerate().filter(|(layer, _)| own != Some(*layer));
            let mut others = others.filter_map(|(_, one)| one.names.last());
            let has_it = |other: &String| other.starts_with(kept) || other.ends_with(kept);
            if cut != name && others.any(has_it) { cuts[1](name, most) } else { cut }
        };
        let shorter = |sentence: &Sentence, steps: usize, most: usize| {
            let name = |row| {
                let name = self.shorter_name_in(chart, RowId::at(row), steps)?;
                Some(shortened(RowId::at(row), &name, most))
            };
            sentence.clone().with_names(&name)
        };
        let details = sentence.without_details();
        let bare = details.last().unwrap_or(sentence);
        let key_name = |row| self.name_in(chart, RowId::at(row));
        let longest = |form: &Sentence| form.clone().with_names(&key_name);
        let cut = |form: &Sentence| NAME_ENDS.map(|most| shorter(form, NAME_STEPS, most));
        let mut forms = vec![longest(sentence)];
        forms.extend((1..=NAME_STEPS).map(|steps| shorter(sentence, steps, usize::MAX)));
        forms.extend(details.iter().map(|form| shorter(form, NAME_STEPS, NAME_ENDS[0])));
        forms.extend(
            bare.forms().iter().flat_map(|form| [longest(form)].into_iter().chain(cut(form))),
        );
        forms.dedup();
        from_readable(forms, most)
    }

    /// What the verdict says, so short that it can be read at a glance.
    pub fn headline(&self) -> Sentence {
        self.glance(self.account().headline(), GLANCE)
    }

    /// The fact of the verdict, as in its headline.
    pub fn facts(&self) -> Sentence {
        let grade = self.account().grade().chars().count() + ": ".len();
        self.glance(self.account().facts(), GLANCE - grade)
    }

    fn glance(&self, sentence: Sentence, most: usize) -> Sentence {
        self.readable(self.chart(), &sentence, most).swap_remove(0)
    }

    /// Whether what is accused grows in a heap that is a sawtooth: its picture shows the floor.
    pub(crate) fn floor_is_accused(&self) -> bool {
        let account = self.account();
        let is_floor = account.movements.last().is_some_and(|last| last.floor);
        account.leak >= Leak::Possible && is_floor
    }

    /// The headline of the verdict, if it says more than that nothing happened.
    pub fn news(&self) -> Option<Sentence> {
        self.account().is_news().then(|| self.headline())
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

    /// The name that is so many steps shorter than the best one.
    fn shorter_name_in(&self, chart: &Chart, row: RowId, steps: usize) -> Option<String> {
        let mut names = self.names_in(chart, row);
        names.truncate(steps + 1);
        names.pop()
    }

    /// The names of a row, each shorter than the one before.
    fn names_in(&self, chart: &Chart, row: RowId) -> Vec<String> {
        let own = chart.layer_of(row).map(|layer| chart.layers[layer].names.clone());
        let mut names = own.unwrap_or_else(|| names_of(&self.slice, &[row]).swap_remove(0));
        let mut least = usize::MAX;
        names.retain(|name| {
            let length = name.chars().count();
            let is_shorter = length < least;
            least = least.min(length);
            is_shorter
        });
        names
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
    pub fn advice(&self) -> &[Advice] {
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
        let floor = account.floor.iter().filter(|floor| floor.kind == MoveKind::Rise);
        let under_lows = floor.flat_map(|floor| floor.bands.first()).next().map(|band| band.row);
        for rise in &account.rises {
            let Some(row) = rise.row() else { continue };
            let goes_on = rise.score > 0.0 || Some(row) == under_lows;
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
            let is_impossible = oddity.code == WarningCode::ImpossibleSample;
            let way_out = if is_impossible { WayOut::AllSamples } else { WayOut::None };
            warning(oddity.message, oddity.limit.map_or(way_out, WayOut::Limit))
        }));
        let note = |text| Notice { severity: Severity::Note, text, way_out: WayOut::None };
        notices.extend(self.advice().iter().map(|advice| note(advice.to_string())));
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
    /// Raise this limit.
    Limit(Limit),
    /// Read another run of the same file.
    OtherRun,
    /// Keep samples that look impossible.
    AllSamples,
}

/// The forms of a sentence from the first with at most so many characters on, or else the last.
fn from_readable(mut forms: Vec<Sentence>, most: usize) -> Vec<Sentence> {
    let is_readable = |one: &Sentence| one.to_string().chars().count() <= most;
    let first = forms.iter().position(is_readable).unwrap_or(forms.len() - 1);
    forms.split_off(first)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::testing::curves;

    #[test]
    fn who_makes_the_lows_rise_is_more_suspect_than_who_makes_the_teeth() {
        let (teeth, under) = (|at| 1e6 * (at % 25.0), |at: f64| 1e6 * (at / 25.0).floor());
        let profile = curves(100, &[("teeth", &teeth), ("under", &under)]).finish();
        let options = ViewOptions::default();
        let run = ProfileView::new(&profile, &options).expect("a run");
        let [teeth, under] = run.suspicion()[..] else { panic!("two rows") };
        assert!(under > teeth, "{under} {teeth}");
    }

    #[test]
    fn under_a_sawtooth_what_grew_leads_and_a_climb_of_many_teeth_has_a_line_through_its_lows() {
        let options = ViewOptions::default();
        let exit = |at: f64, bytes: f64| if at < 99.0 { bytes } else { 1e4 };
        let teeth = |at| exit(at, 5e5 * (at % 10.0) + 1e6 * f64::from(at % 20.0 < 10.0));
        let under = |at| exit(at, 3e4 * at);
        let profile = curves(100, &[("teeth", &teeth), ("under", &under)]).finish();
        let run = ProfileView::new(&profile, &options).expect("a run");
        let picture = run.picture();
        let lowest = &picture.layers[0];
        assert_eq!((&*lowest.label, lowest.suspect), ("under", Some(Leak::None)));
        assert!(picture.suspects_lead && picture.end_sample() < picture.last_full());
        let brackets = &picture.marked.brackets;
        assert_eq!(brackets[0].words[0].to_string(), "under +2.8 MiB");
        let jagged = |at: f64| 1e5 * at.min(100.0 - at) + 2e6 * f64::from(at as u32 % 3);
        let profile = curves(100, &[("jagged", &jagged)]).finish();
        let run = ProfileView::new(&profile, &options).expect("a run");
        let marked = &run.picture().marked;
        assert!(
            marked.floor.is_some() && marked.brackets.is_empty(),
            "{marked:?} {}",
            run.headline()
        );
    }

    #[test]
    fn a_name_is_cut_at_the_end_that_others_do_not_have() {
        let says = |others: &str| {
            let tail = "worker.loop.of.many.words/main.that.runs.for.a.long.time";
            let name = |head: &str| format!("The{}Module{head}.function/{tail}", "Long".repeat(20));
            let names = [name("A"), format!("{}{others}", name("B"))];
            let grows = |at: f64| 1e6 + 1e5 * at;
            let bands: [(&str, crate::analysis::testing::Curve<'_>); 2] =
                [(&names[0], &grows), (&names[1], &|_| 1e6)];
            let profile = curves(100, &bands).finish();
            let options = ViewOptions::default();
            let run = ProfileView::new(&profile, &options).expect("a run");
            run.headline().to_string()
        };
        assert!(says("").contains("leak: TheLong"), "{}", says(""));
        assert!(says(".other").contains("leak: …"), "{}", says(".other"));
    }
}
