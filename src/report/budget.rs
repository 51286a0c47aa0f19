//! The content of the islands, and what is left out when a page gets too big.
//!
//! Some data is always exact and complete: the drawn layers, OTHER, the total (and so everything not
//! drawn), and every figure of every band. The curves of further bands follow, biggest first, as long as
//! the page stays small. The other bands have thinned curves, as precise as fits into a page below a
//! megabyte. If that is not enough, three more steps follow: names of small bands lose their middles; the
//! smallest bands are left out; and if the drawn layers have more than two million values, which nobody
//! has needed yet, the small ones are thinned. The page states each of these.

use std::borrow::Cow;
use std::io::{self, ErrorKind, Write};

use flate2::Compression;
use flate2::write::DeflateEncoder;
use foldhash::HashMap;

use super::bands::{PageBands, shown};
use super::calls;
use super::columns::{self, Sections};
use super::facts;
use super::facts::Compared;
use super::island::{Islands, deflated, text_len, to_text};
use super::thinned::{self, Fineness, Means, sizes_in};
use super::{ReportRun, page, parts, run};
use crate::analysis::{Analysis, Courses, Rows, Slope};
use crate::base::parallel::{MANY_POINTS, at_once, in_halves};
use crate::chart::{Chart, LayerRole, full_names};
use crate::profile::BandNames;
use crate::slice::rank::deviations;
use crate::slice::{Merger, RowId, Slice};

/// Bands that are not drawn have exact curves up to this size of the page, in bytes.
const COMFORTABLE: usize = 235_000;
/// The size limit of a page, in bytes.
const MOST: usize = 975_000;
/// The most bands of a page in addition to the drawn ones, tried in this order.
const MOST_BANDS: [usize; 5] = [40_000, 20_000, 10_000, 5_000, 1_000];
/// The most bands with a mean over time, an interval of their growth, and a deviation.
const MOST_DETAILED: usize = 4000;
/// The most characters of all names together that are tried: deflating a few million characters
/// takes a second.
const MOST_NAMES: usize = 4_000_000;
/// The most that thinned curves may take.
const MOST_THINNED: usize = 220_000;
/// The size reserved for thinned curves when names take up the rest.
const LEAST_THINNED: usize = 85_000;
/// The most values of drawn layers.
const MOST_VALUES: usize = 2_000_000;
/// The lengths that names are cut to, in characters, tried in this order until they fit.
const NAME_LENGTHS: [usize; 5] = [4000, 200, 120, 80, 48];
/// How many characters of a name fit into the key of the page.
const KEY_NAME: usize = 21;
/// The expected length of a series as text, relative to its bytes: deflating, then Base 85.
const SERIES_RATIO: f64 = 0.97 * 1.25;

/// With this many bands or more, a second thread is worth its cost, however few samples there are.
const MANY_BANDS: usize = 2000;

/// The number of bands whose texts fill so much memory that it is not filled twice to save time.
const VERY_MANY_BANDS: usize = 30_000;

/// The data of one run in a page with `runs` runs, with its comparison to the other run.
pub fn islands(report: &ReportRun<'_>, runs: usize, compared: Option<&Compared<'_>>) -> Islands {
    let ReportRun { slice, chart, analysis, .. } = *report;
    let drawn = drawn(chart);
    let most = (MOST - page::shell_len()) / runs.max(1);
    let comfortable = (COMFORTABLE - page::shell_len().min(COMFORTABLE)) / runs.max(1);
    let curves_len: usize = drawn.iter().map(|(_, curve)| curve.len()).sum();
    let curves_text = (curves_len as f64 * SERIES_RATIO) as usize;
    let room = most.saturating_sub(curves_text + LEAST_THINNED / runs.max(1));
    let PageContent { bands, biggest, mut sections, mut text } = content(report, compared, room);

    // Only a small page can hold more curves, and whether it can depends on its exact length.
    if text <= QUICK_IS_LONGER * comfortable {
        text = text_len(deflated(sections.bytes()).len());
    }
    let used = text + curves_text;
    let more = further(slice, &biggest, &drawn, comfortable.saturating_sub(used));
    let mut exact = drawn;
    exact.extend(more);
    exact.sort_by_key(|(row, _)| bands.place[row.index()]);
    let places: Vec<Option<u32>> = exact.iter().map(|(row, _)| bands.place[row.index()]).collect();
    sections.numbers("curve.band", places.iter().flatten().copied().map(u64::from));
    let curves: Vec<&[u8]> = exact.iter().map(|(_, curve)| &**curve).collect();
    sections.add_parts("curve", &curves);
    drop(exact);

    let has_curve = |row: &RowId| places.binary_search(&bands.place[row.index()]).is_ok();
    let rest: Vec<RowId> = bands.order.iter().copied().filter(|row| !has_curve(row)).collect();
    // Thinned curves nearly always find all the space they may use.
    let most_thinned = MOST_THINNED / runs.max(1);
    let (exact, (means, thinned)) = at_once(
        is_much(slice, &bands),
        || to_text(&deflated(sections.bytes())),
        || {
            // Not earlier, because means and parts of very many bands take much memory.
            let means = Means::of(slice, thinned::stretches(bands.order.len()), &bands.place);
            let thinned = thin(&means, analysis, &rest, most_thinned);
            (means, thinned)
        },
    );
    let room = most.saturating_sub(exact.len()).min(most_thinned);
    let fits = thinned.len() <= room;
    let thinned = if fits { thinned } else { thin(&means, analysis, &rest, room) };
    Islands { exact, thinned }
}

fn is_much(slice: &Slice<'_>, bands: &PageBands) -> bool {
    slice.points() >= MANY_POINTS || bands.order.len() >= MANY_BANDS
}

/// The bands that fit into a page, and all its sections except the curves.
struct PageContent {
    bands: PageBands,
    biggest: Vec<RowId>,
    sections: Sections,
    /// The approximate length of the sections as text.
    text: usize,
}

/// Finds by trial how many bands, and how much of their names, fit.
fn content(report: &ReportRun<'_>, compared: Option<&Compared<'_>>, room: usize) -> PageContent {
    let ReportRun { slice, chart, analysis, .. } = *report;
    let ranking = &chart.ranking;
    let found = || facts::named_rows(analysis).chain(compared.into_iter().flat_map(Compared::rows));
    // Bands that cannot be in the page need not be measured.
    let bands = PageBands::new(slice, ranking, MOST_BANDS[0], found());
    let measured = Measured::of(report, &bands);
    let content_of = |estimate: &mut Estimate, bands: PageBands, lengths: &[(usize, usize)]| {
        let filled = Filled::of(report, compared, &bands, &measured);
        let (mut sections, mut text, mut before) = (Sections::default(), usize::MAX, 0);
        for &(length, characters) in lengths {
            let saved = before - characters.min(before);
            if text > room && (text == usize::MAX || estimate.may_fit(text, saved, room)) {
                sections = filled.sections(length);
                text = estimate.text_len(sections.bytes(), room);
                before = characters;
            }
        }
        let biggest = filled.biggest;
        PageContent { bands, biggest, sections, text }
    };
    let mut estimate = Estimate::default();
    let lengths = name_lengths(slice, &bands);
    let mut content = content_of(&mut estimate, bands, &lengths);
    let fewest = MOST_BANDS[MOST_BANDS.len() - 1];
    for &most in &MOST_BANDS[1..] {
        let share = most as f64 / content.bands.order.len() as f64;
        let is_hopeless = || most > fewest && estimate.is_hopeless(content.text, share, room);
        if content.text > room && share < 1.0 && !is_hopeless() {
            content.sections = Sections::default();
            let bands = PageBands::new(slice, ranking, most, found());
            content =
                content_of(&mut estimate, bands, &[(NAME_LENGTHS[NAME_LENGTHS.len() - 1], 0)]);
        }
    }
    content
}

/// The lengths that the names of some bands are cut to, in the order in which they are tried, each
/// with the number of characters of all the names.
fn name_lengths(slice: &Slice<'_>, bands: &PageBands) -> Vec<(usize, usize)> {
    let shortest = NAME_LENGTHS[NAME_LENGTHS.len() - 1];
    let mut before = usize::MAX;
    let mut lengths = Vec::new();
    for length in NAME_LENGTHS {
        let characters = names_len(slice, bands, length);
        // A length that cuts nothing more need not be tried.
        if characters < before && (characters <= MOST_NAMES || length == shortest) {
            lengths.push((length, characters));
        }
        before = characters;
    }
    lengths
}

/// Figures of bands that take long to compute, by row index.
struct Measured {
    growth: Vec<Slope>,
    deviations: Vec<f64>,
}

impl Measured {
    fn of(report: &ReportRun<'_>, bands: &PageBands) -> Self {
        let ReportRun { slice, analysis, .. } = *report;
        let wanted: Vec<usize> = bands.order.iter().map(|row| row.index()).collect();
        let worth = is_much(slice, bands);
        let (courses, deviations) = at_once(
            worth,
            || Courses::of(&Rows::of(slice), analysis, &wanted),
            || deviations(slice),
        );
        let mut has_interval = vec![false; slice.rows().len()];
        let detailed = detailed(report, &bands.by_total(&report.chart.ranking), bands);
        detailed.iter().for_each(|row| has_interval[row.index()] = true);
        let slope = |at: usize| match has_interval[wanted[at]] {
            true => courses.slope(at),
            false => Slope::middle_only(courses.middle(at)),
        };
        let slopes = in_halves(worth, wanted.len(), |half| half.map(slope).collect::<Vec<_>>());
        let mut growth = vec![Slope::default(); slice.rows().len()];
        wanted.iter().zip(slopes.concat()).for_each(|(&row, slope)| growth[row] = slope);
        Measured { growth, deviations }
    }
}

/// The sections about some bands except their names, which can be cut to several lengths.
struct Filled<'a> {
    biggest: Vec<RowId>,
    /// Uncut, in the order of the page.
    names: Vec<Cow<'a, str>>,
    before_names: Sections,
    after_names: Sections,
}

impl<'a> Filled<'a> {
    fn of(
        report: &ReportRun<'a>,
        compared: Option<&Compared<'_>>,
        bands: &PageBands,
        measured: &Measured,
    ) -> Self {
        let ReportRun { slice, chart, options, .. } = *report;
        let biggest = bands.by_total(&chart.ranking);
        let before_names = || {
            let mut sections = Sections::default();
            let left_out = parts::frames(&mut sections, slice, bands, &biggest);
            parts::info_tables(&mut sections, slice, bands, &biggest);
            let calls = calls::calls(&mut sections, slice);
            let facts = facts::facts(report, bands, left_out, compared, calls);
            sections.add("facts", &serde_json::to_vec(&facts).expect("plain data"));
            run::run(&mut sections, chart, options);
            run::panels(&mut sections, slice, options.x);
            sections
        };
        let names_and_after = || {
            let mut sections = Sections::default();
            figures(&mut sections, report, (bands, &biggest), measured);
            layers(&mut sections, chart, bands);
            (full_names(slice, &bands.order), sections)
        };
        // Not at the same time for very many bands: what both need meanwhile takes much memory.
        let worth = is_much(slice, bands) && bands.order.len() < VERY_MANY_BANDS;
        let (before_names, (names, after_names)) = at_once(worth, before_names, names_and_after);
        Filled { biggest, names, before_names, after_names }
    }

    /// All sections, with names of this length.
    fn sections(&self, length: usize) -> Sections {
        let mut sections = self.before_names.clone();
        names(&mut sections, &self.names, length);
        sections.append(&self.after_names);
        sections
    }
}

/// The thinned curves of some bands, as precise as fits.
fn thin(means: &Means<'_>, analysis: &Analysis, rows: &[RowId], room: usize) -> String {
    if rows.is_empty() {
        return String::new();
    }
    let encoded = |fineness: Fineness| {
        let Fineness { points, levels } = fineness;
        let mut sections = Sections::default();
        let head = [means.stretches, points, usize::from(levels)];
        sections.numbers("thin.head", head.map(|number| number as u64));
        let curves = in_halves(rows.len() >= MANY_BANDS, rows.len(), |half| {
            thinned::curves(means, &analysis.figures.bands, &rows[half], fineness)
        });
        sections.add_parts("thin", &curves.each_ref().map(Vec::as_slice));
        sections
    };
    let choices = thinned::choices(means.stretches);
    let fitting = choices.iter().find_map(|&fineness| text_within(encoded(fineness).bytes(), room));
    // The least precise ones are used even if they do not fit.
    let coarsest = || choices.last().map(|&fineness| to_text(&deflated(encoded(fineness).bytes())));
    fitting.or_else(coarsest).unwrap_or_default()
}

/// A row and its curve as [`columns::series`] writes it.
type Curve = (RowId, Vec<u8>);

/// The curves of the drawn bands, biggest first, up to [`MOST_VALUES`].
fn drawn(chart: &Chart) -> Vec<Curve> {
    let layers = chart.layers.iter().filter(|layer| layer.role == LayerRole::Band);
    let mut drawn: Vec<_> = chart.ranking.kept.iter().copied().zip(layers).collect();
    drawn.sort_by_key(|(row, layer)| (std::cmp::Reverse(layer.total), *row));
    drawn.truncate(MOST_VALUES / chart.times.len().max(1));
    let curve = |layer: &crate::chart::Layer| {
        let values: Vec<u64> = layer.residency.iter().map(|size| size.get()).collect();
        columns::series(&values)
    };
    drawn.into_iter().map(|(row, layer)| (row, curve(layer))).collect()
}

/// The curves of further bands, biggest first, while they fit into `room` characters.
fn further(slice: &Slice<'_>, biggest: &[RowId], drawn: &[Curve], room: usize) -> Vec<Curve> {
    const NONE: usize = usize::MAX;
    // Each value takes at least a byte before deflating; afterwards zeros can be much smaller.
    let samples = slice.len();
    let most = (8 * room / samples.max(1)).min(biggest.len());
    let mut row_of = vec![NONE; slice.rows().len()];
    let mut is_drawn = vec![false; slice.rows().len()];
    drawn.iter().for_each(|(row, _)| is_drawn[row.index()] = true);
    let asked: Vec<RowId> =
        biggest.iter().copied().filter(|row| !is_drawn[row.index()]).take(most).collect();
    if asked.is_empty() {
        return Vec::new();
    }
    asked.iter().enumerate().for_each(|(at, row)| row_of[row.index()] = at);
    let mut rows = vec![vec![0u64; samples]; asked.len()];
    let mut merger = Merger::new(slice);
    for sample in 0..samples {
        for &(row, size) in merger.sample(sample) {
            if let Some(curve) = rows.get_mut(row_of[row.index()]) {
                curve[sample] = size.get();
            }
        }
    }
    let mut text = 0.0;
    let curves = asked.into_iter().zip(rows).map(|(row, curve)| (row, columns::series(&curve)));
    curves
        .take_while(|(_, curve)| {
            // A constant curve deflates to almost nothing.
            let changes = curve.iter().filter(|&&byte| byte != 0).count();
            text += 24.0 + changes as f64 * SERIES_RATIO;
            text <= room as f64
        })
        .collect()
}

/// The number of characters of the names of some bands, cut to a length.
fn names_len(slice: &Slice<'_>, bands: &PageBands, length: usize) -> usize {
    bands.order.iter().map(|&row| slice.label(row).len().min(length)).sum()
}

/// Names, cut to a length but still distinct.
fn names(sections: &mut Sections, full: &[Cow<'_, str>], length: usize) {
    let is_cut = |name: &&Cow<'_, str>| name.len() > length && name.chars().count() > length;
    let cut = full.iter().filter(is_cut).count();
    let mut names: Vec<Cow<'_, str>> = full.iter().map(|name| shown(name, length)).collect();
    for (i, name) in repeated(&names) {
        names[i] = Cow::Owned(name);
    }
    sections.texts("name", names.iter().map(|name| &**name));
    sections.numbers("name.cut", [length as u64, cut as u64]);
}

/// New names for those that are the same as an earlier one, with their places: long names may differ only
/// in the middle, which is cut out.
fn repeated(names: &[Cow<'_, str>]) -> Vec<(usize, String)> {
    let mut given: HashMap<&str, usize> = HashMap::default();
    let mut repeated = Vec::new();
    for (i, name) in names.iter().enumerate() {
        let count = given.entry(name).or_insert(0);
        *count += 1;
        if *count > 1 {
            repeated.push((i, format!("{name} #{count}")));
        }
    }
    repeated
}

/// The figures of the bands: a column each, with a value for each band of the page.
fn figures(
    sections: &mut Sections,
    report: &ReportRun<'_>,
    (bands, biggest): (&PageBands, &[RowId]),
    Measured { growth, deviations }: &Measured,
) {
    let ReportRun { slice, chart, analysis, .. } = *report;
    let figures = &analysis.figures;
    let held = columns::held;
    let column = |value: &dyn Fn(usize) -> u64| -> Vec<u64> {
        bands.order.iter().map(|row| held(u128::from(value(row.index())))).collect()
    };
    let of = |row: usize| &figures.bands[row];
    sections.numbers("grand", [held(figures.total.iter().sum())]);
    let means_of_all: f64 = figures.bands.iter().map(|band| band.mean).sum();
    sections.numbers("grand.mean", [held(means_of_all as u128)]);
    in_units(sections, "total.of", &column(&|row| held(chart.ranking.totals[row])));
    in_units(sections, "peak", &column(&|row| of(row).peak));
    sections.numbers("peak.at", column(&|row| of(row).peak_sample as u64));
    in_units(sections, "last", &column(&|row| of(row).last));
    if slice.breakdown().traits().names == BandNames::Stacks {
        let at_peak = sizes_in(slice, figures.heap.peak_sample);
        in_units(sections, "at.peak", &column(&|row| at_peak[row]));
    }
    decimals(sections, "slope", bands.order.iter().map(|row| growth[row.index()].middle));
    let detailed = detailed(report, biggest, bands);
    let means = detailed.iter().map(|row| held(of(row.index()).mean.round() as u128));
    in_units(sections, "mean", &means.collect::<Vec<u64>>());
    decimals(sections, "slope.low", detailed.iter().map(|row| growth[row.index()].low));
    decimals(sections, "slope.high", detailed.iter().map(|row| growth[row.index()].high));
    decimals(sections, "deviation", detailed.iter().map(|row| deviations[row.index()]));
    let places = detailed.iter().filter_map(|row| bands.place[row.index()]);
    sections.numbers("detailed", places.map(u64::from));
}

/// Appends a column of numbers with three digits, and one of their powers of ten.
fn decimals(sections: &mut Sections, name: &str, values: impl Iterator<Item = f64>) {
    let values: Vec<(i64, u8)> = values.map(decimal).collect();
    let mut digits = Vec::new();
    values.iter().for_each(|value| columns::signed(&mut digits, value.0));
    sections.add(name, &digits);
    let powers = values.iter().map(|value| value.1).collect::<Vec<u8>>();
    sections.add(&format!("{name}.exponent"), &powers);
}

/// The bands that have all figures, in the order of the page: if there are very many, the biggest
/// and those that the findings name.
fn detailed(report: &ReportRun<'_>, biggest: &[RowId], bands: &PageBands) -> Vec<RowId> {
    let found: Vec<usize> = facts::named_rows(report.analysis).collect();
    let mut detailed = biggest.to_vec();
    let (most, mut at) = (MOST_DETAILED, 0);
    detailed.retain(|row| {
        at += 1;
        at <= most || found.contains(&row.index())
    });
    detailed.sort_by_key(|row| bands.place[row.index()]);
    detailed
}

/// A column of amounts, as multiples of their greatest common divisor.
fn in_units(sections: &mut Sections, name: &str, values: &[u64]) {
    let unit = values.iter().fold(0, |unit, &value| columns::divisor(unit, value)).max(1);
    let mut bytes = Vec::new();
    columns::unsigned(&mut bytes, unit);
    values.iter().for_each(|value| columns::unsigned(&mut bytes, value / unit));
    sections.add(name, &bytes);
}

/// A number as three digits and a power of ten, with an offset of 64.
fn decimal(value: f64) -> (i64, u8) {
    if value == 0.0 || !value.is_finite() {
        return (0, 64);
    }
    let exponent = (libm::log10(value.abs()).floor() - 2.0).clamp(-64.0, 60.0);
    let mantissa = (value / libm::pow(10.0, exponent)).round();
    (mantissa as i64, (exponent + 64.0) as u8)
}

/// The layer of each drawn band.
fn layers(sections: &mut Sections, chart: &Chart, bands: &PageBands) {
    let ranking = &chart.ranking;
    let places = |list: &[RowId]| {
        let places = list.iter().filter_map(|row| bands.place[row.index()]);
        places.map(u64::from).collect::<Vec<_>>()
    };
    sections.numbers("kept", places(&ranking.kept));
    let drawn = chart.layers.iter().filter(|layer| layer.role == LayerRole::Band);
    sections.texts("kept.name", drawn.map(key_name));
    // All other bands are trace elements. One byte per band deflates to less than a list of them.
    let mut in_other = vec![0u8; bands.order.len()];
    places(&ranking.other).into_iter().for_each(|place| in_other[place as usize] = 1);
    sections.add("in.other", &in_other);
    let other = chart.layers.iter().find(|layer| layer.role == LayerRole::Other);
    if let Some(layer) = other {
        let values: Vec<u64> = layer.residency.iter().map(|size| size.get()).collect();
        sections.series("other.curve", &values);
    }
}

/// The first name of a layer that fits into the key, or its shortest. No two layers share a name.
fn key_name(layer: &crate::chart::Layer) -> &str {
    let characters = |name: &&String| name.chars().count();
    let fitting = layer.names.iter().find(|name| characters(name) <= KEY_NAME);
    fitting.or_else(|| layer.names.iter().min_by_key(characters)).map_or("", String::as_str)
}

/// The most that the quick compression's text can exceed the final one's, as a factor with a margin.
const QUICK_IS_LONGER: usize = 2;

/// The length of bytes as text after quick compression, which takes half of the time of the final one, or
/// less. `None` if it is longer than `most`, which is found before all bytes are compressed.
fn quick_len(bytes: &[u8], most: usize) -> Option<usize> {
    len_of_halves(bytes, |half| {
        let mut encoder = DeflateEncoder::new(Count { len: 0, most }, Compression::fast());
        let quick = encoder.write_all(half).and_then(|()| encoder.finish());
        quick.ok().map(|count| count.len)
    })
    .filter(|&text| text <= most)
}

/// The length of bytes as text, where the two halves of many bytes are deflated at the same time. Together
/// they are a few hundred bytes longer than the whole.
fn len_of_halves(bytes: &[u8], len: impl Fn(&[u8]) -> Option<usize> + Sync) -> Option<usize> {
    const MANY: usize = 1 << 18;
    if bytes.len() < MANY {
        return len(bytes).map(text_len);
    }
    let [first, second] = in_halves(true, bytes.len(), |half| len(&bytes[half]));
    Some(text_len(first? + second?))
}

/// Bytes as text, unless the text would be longer than `most`.
fn text_within(bytes: &[u8], most: usize) -> Option<String> {
    quick_len(bytes, most.saturating_mul(QUICK_IS_LONGER))?;
    let deflated = deflated(bytes);
    (text_len(deflated.len()) <= most).then(|| to_text(&deflated))
}

/// Estimates the lengths of similar texts, so that few of them are deflated as they are in a page.
#[derive(Debug, Default)]
struct Estimate {
    /// The final text's length relative to the quick one's, once it is known.
    ratio: Option<f64>,
}

impl Estimate {
    /// By how much this ratio may differ for similar bytes.
    const MARGIN: f64 = 0.06;

    /// The approximate length of bytes as the text of an island. The answer to whether it exceeds `most` is
    /// reliable.
    ///
    /// If the quick compression already fits, so does the final one; if it is far too long, so is the final
    /// one. In between, the ratio found for other bytes of the page gives an estimate, and only if that is
    /// close to `most` the final compression is tried.
    fn text_len(&mut self, bytes: &[u8], most: usize) -> usize {
        let quick = quick_len(bytes, usize::MAX).expect("no limit");
        if quick <= most {
            return quick;
        }
        let guess = quick as f64 * self.ratio.unwrap_or(1.0);
        let is_clear = match self.ratio {
            Some(_) => (guess / most as f64 - 1.0).abs() > Self::MARGIN,
            None => quick > most.saturating_mul(QUICK_IS_LONGER),
        };
        if is_clear {
            return guess as usize;
        }
        let exact = len_of_halves(bytes, |half| Some(deflated(half).len())).expect("no limit");
        self.ratio = Some(exact as f64 / quick as f64);
        exact
    }

    /// Whether a text of `text` characters may fit into `most` after `saved` characters of names are cut.
    /// A character takes at most as much as a byte that cannot be deflated.
    fn may_fit(&self, text: usize, saved: usize, most: usize) -> bool {
        self.least(text) - text_len(saved) as f64 <= most as f64
    }

    /// Whether a `share` of the bands certainly makes a text longer than `most`, if all of them make one of
    /// `text` characters: the share contains the biggest bands, which take at least as much as the others.
    fn is_hopeless(&self, text: usize, share: f64, most: usize) -> bool {
        self.least(text) * share > most as f64
    }

    /// The least length that a text with this estimate can have.
    fn least(&self, text: usize) -> f64 {
        match self.ratio {
            Some(_) => text as f64 * (1.0 - 2.0 * Self::MARGIN),
            None => text as f64 / QUICK_IS_LONGER as f64,
        }
    }
}

/// Counts bytes, and fails beyond `most`.
struct Count {
    len: usize,
    most: usize,
}

impl Write for Count {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.len += bytes.len();
        if self.len > self.most { Err(ErrorKind::FileTooLarge.into()) } else { Ok(bytes.len()) }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_digits_and_a_power_of_ten() {
        assert_eq!(decimal(0.0), (0, 64));
        assert_eq!(decimal(1234.0), (123, 65));
        assert_eq!(decimal(-0.001), (-100, 59));
        assert_eq!(decimal(f64::NAN), (0, 64));
        assert_eq!(decimal(9996.0), (1000, 65));
        let back = |(mantissa, exponent): (i64, u8)| {
            mantissa as f64 * 10f64.powi(i32::from(exponent) - 64)
        };
        for value in [1e-30, 7.77e18, -3.25e9, 1e60] {
            assert!((back(decimal(value)) / value - 1.0).abs() < 0.005, "{value}");
        }
    }
}
