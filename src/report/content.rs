//! The data of a page: every figure of every band, and the curves of the drawn bands and of the next few hundred.
//!
//! A page stays below a megabyte: if its data would be longer, long names lose their middles, and then the
//! smallest bands are left out. The page states each of these, and where a curve is missing.

use std::borrow::Cow;

use foldhash::HashMap;

use super::bands::{PageBands, shown};
use super::calls;
use super::columns::{self, Sections};
use super::facts;
use super::facts::Compared;
use super::island::Deflating;
use super::{ReportRun, page, parts, run};
use crate::analysis::{Courses, Rows, Slope};
use crate::base::parallel::{MANY_POINTS, at_once, in_halves};
use crate::chart::{Chart, Layer, LayerRole, full_names};
use crate::profile::BandNames;
use crate::slice::rank::deviations;
use crate::slice::{Merger, RowId, Slice};

/// Bands that are not drawn have curves up to this size of the page, in bytes.
const COMFORTABLE: usize = 235_000;
/// The size that curves of bands that are not drawn may take in any page.
const LEAST_CURVES: usize = 90_000;
/// The size limit of a page, in bytes.
const MOST: usize = 975_000;
/// The most bands of a page in addition to the drawn ones.
const MOST_BANDS: usize = 40_000;
/// So many bands are in every page.
const LEAST_BANDS: usize = 1_000;
/// What names are cut to, in characters: no page is filled by one of them.
const LONGEST_NAME: usize = 4000;
/// The same if otherwise bands would be left out.
const CUT_NAME: usize = 120;
/// The same if even the fewest bands do not fit, as in a page of many runs.
const SHORT_NAME: usize = 48;
/// The characters that a band takes which is not one of the biggest: 35 to 48, depending on the break-down.
const SMALL_BAND: usize = 48;
/// The most characters of all names together that are tried: deflating a few million characters
/// takes a second.
const MOST_NAMES: usize = 4_000_000;
/// The most bands with a mean over time, an interval of their growth, and a deviation.
const MOST_DETAILED: usize = 4000;
/// The most values of drawn layers.
const MOST_VALUES: usize = 2_000_000;
/// How many characters of a name fit into the key of the page.
const KEY_NAME: usize = 21;
/// The expected length of a series as text, relative to its bytes: deflating, then Base 85.
const SERIES_RATIO: f64 = 0.97 * 1.25;

/// With this many bands or more, a second thread is worth its cost, however few samples there are.
const MANY_BANDS: usize = 2000;

/// The number of bands whose texts fill so much memory that it is not filled twice to save time.
const VERY_MANY_BANDS: usize = 30_000;

/// The data of one run in a page with `runs` runs, with its comparison to the other run, as the text of its island.
pub fn island(report: &ReportRun<'_>, runs: usize, compared: Option<&Compared<'_>>) -> String {
    let (slice, chart) = (report.run.slice(), report.run.chart());
    let drawn = drawn(chart);
    let runs = runs.max(1);
    let share = |most: usize| most.saturating_sub(page::shell_len()) / runs;
    let curves_len: usize = drawn.iter().map(|(_, curve)| curve.len()).sum();
    let curves_text = (curves_len as f64 * SERIES_RATIO) as usize;
    let least = LEAST_CURVES / runs;
    let room = share(MOST).saturating_sub(curves_text + least);
    let PageContent { bands, biggest, mut deflating, text } =
        content(report, compared, &drawn, room);
    let room = share(COMFORTABLE).saturating_sub(text + curves_text).max(least);
    let mut curves = further(slice, &biggest, &drawn, room);
    curves.extend(drawn);
    curves.sort_by_key(|(row, _)| bands.place[row.index()]);
    let places = curves.iter().filter_map(|(row, _)| bands.place[row.index()]);
    let mut sections = Sections::default();
    sections.numbers("curve.band", places.map(u64::from));
    let curves: Vec<&[u8]> = curves.iter().map(|(_, curve)| &**curve).collect();
    sections.add_parts("curve", &curves);
    deflating.add(sections.bytes());
    deflating.into_text()
}

fn is_much(slice: &Slice<'_>, bands: &PageBands) -> bool {
    slice.points() >= MANY_POINTS || bands.order.len() >= MANY_BANDS
}

/// The bands that fit into a page, and all its sections except the curves.
struct PageContent {
    bands: PageBands,
    /// The bands that the findings name, then the others by size.
    biggest: Vec<RowId>,
    /// The sections.
    deflating: Deflating,
    /// Their length as text.
    text: usize,
}

/// The bands that fit into `room`, with their names.
fn content(
    report: &ReportRun<'_>,
    compared: Option<&Compared<'_>>,
    drawn: &[Curve],
    room: usize,
) -> PageContent {
    let (slice, chart, analysis) = (report.run.slice(), report.run.chart(), report.run.analysis());
    let found = || facts::named_rows(analysis).chain(compared.into_iter().flat_map(Compared::rows));
    let bands_of = |most| PageBands::new(slice, &chart.ranking, most, found());
    let mut bands = bands_of(MOST_BANDS);
    let mut measured = Measured::of(report, &bands);
    // The biggest of very many bands say how many fit.
    let is_probe = bands.order.len() > 3 * MOST_DETAILED;
    let mut fit = Fit::new(room, if is_probe { MOST_DETAILED } else { MOST_BANDS });
    if is_probe {
        bands = bands_of(fit.most);
    }
    measured.measure(report, &bands);
    let mut filled = None;
    let mut length = LONGEST_NAME;
    loop {
        let names = names_len(slice, &bands, length);
        let cut = if fit.most <= LEAST_BANDS { SHORT_NAME } else { CUT_NAME };
        // Cutting a few of them would hardly help.
        let are_long = names_len(slice, &bands, cut) < names / 10 * 9;
        if names > MOST_NAMES {
            length = CUT_NAME;
        }
        let content =
            filled.get_or_insert_with(|| Filled::of(report, compared, &bands, &measured, drawn));
        let mut deflating = Deflating::of(content.sections(length).bytes());
        let text = deflating.text_len();
        if text > room && are_long && length > cut {
            length = cut;
            continue;
        }
        if fit.takes(bands.order.len(), text, bands.left_out.0) {
            let mut is_found = vec![false; slice.rows().len()];
            found().for_each(|row| is_found[row] = true);
            let mut biggest = std::mem::take(&mut content.biggest);
            biggest.sort_by_key(|row| !is_found[row.index()]);
            return PageContent { bands, biggest, deflating, text };
        }
        bands = bands_of(fit.most);
        measured.measure(report, &bands);
        filled = None;
    }
}

/// How many bands fit into some room, found by trying.
struct Fit {
    room: usize,
    /// The most bands to try next, in addition to those that are in every page.
    most: usize,
    /// How many bands fitted with room left, and their text.
    fitted: Option<(usize, usize)>,
    /// Whether more were tried, and did not fit.
    has_shrunk: bool,
}

impl Fit {
    fn new(room: usize, most: usize) -> Self {
        Fit { room, most, fitted: None, has_shrunk: false }
    }

    /// Whether some bands, which take a text, are those of the page; `others` are left out. If not, sets the
    /// number to try next.
    fn takes(&mut self, count: usize, text: usize, others: usize) -> bool {
        if text > self.room {
            if self.most <= LEAST_BANDS {
                return true;
            }
            self.has_shrunk = true;
            // The smallest take about two thirds of what the average takes.
            let fitting = count.saturating_sub(count * (text - self.room) / text * 3 / 2);
            let least = self.fitted.map_or(LEAST_BANDS, |(fewer, _)| fewer);
            self.most = fitting.clamp(least, (self.most - 1).max(least));
            return false;
        }
        let small = match self.fitted {
            Some((fewer, less)) => text.saturating_sub(less) / count.saturating_sub(fewer).max(1),
            None => SMALL_BAND,
        };
        let left = self.room - text;
        let more = left / small.max(1);
        if others == 0
            || self.most == MOST_BANDS
            || self.has_shrunk
            || (more < others && left < self.room / 8)
        {
            return true;
        }
        self.fitted = Some((count, text));
        self.most = (count + more.max(1)).min(MOST_BANDS);
        false
    }
}

/// Figures of bands that take long to compute, by row index.
struct Measured {
    /// The rows of the courses.
    wanted: Vec<usize>,
    courses: Courses,
    deviations: Vec<f64>,
    /// `None` until it is measured.
    growth: Vec<Option<Slope>>,
}

impl Measured {
    /// For bands that can be in the page.
    fn of(report: &ReportRun<'_>, bands: &PageBands) -> Self {
        let (slice, analysis) = (report.run.slice(), report.run.analysis());
        let wanted: Vec<usize> = bands.order.iter().map(|row| row.index()).collect();
        let (courses, deviations) = at_once(
            is_much(slice, bands),
            || Courses::of(&Rows::of(slice), analysis, &wanted),
            || deviations(slice),
        );
        Measured { wanted, courses, deviations, growth: vec![None; slice.rows().len()] }
    }

    /// Measures the growth of the bands that are in the page.
    fn measure(&mut self, report: &ReportRun<'_>, bands: &PageBands) {
        let mut has_interval = vec![false; self.growth.len()];
        let detailed = detailed(report, &bands.by_total(&report.run.chart().ranking), bands);
        detailed.iter().for_each(|row| has_interval[row.index()] = true);
        let is_missing = |row: usize| {
            let is_inside = bands.place[row].is_some();
            is_inside && self.growth[row].is_none()
        };
        let missing: Vec<(usize, usize)> =
            self.wanted.iter().copied().enumerate().filter(|&(_, row)| is_missing(row)).collect();
        let slope = |&(at, row): &(usize, usize)| match has_interval[row] {
            true => self.courses.slope(at),
            false => Slope::middle_only(self.courses.middle(at)),
        };
        let is_much = is_much(report.run.slice(), bands);
        let slopes = in_halves(is_much, missing.len(), |half| {
            missing[half].iter().map(slope).collect::<Vec<_>>()
        });
        for (&(_, row), slope) in missing.iter().zip(slopes.concat()) {
            self.growth[row] = Some(slope);
        }
    }

    /// How fast a row of the page grows.
    fn growth(&self, row: RowId) -> Slope {
        self.growth[row.index()].unwrap_or_default()
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
        drawn: &[Curve],
    ) -> Self {
        let (slice, chart, options) = (report.run.slice(), report.run.chart(), report.options);
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
            layers(&mut sections, chart, bands, drawn);
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

/// A row and its curve as [`columns::series`] writes it.
type Curve = (RowId, Vec<u8>);

/// The drawn bands and their layers.
fn drawn_bands(chart: &Chart) -> impl Iterator<Item = (RowId, &Layer)> {
    let layers = chart.layers.iter().filter(|layer| layer.role == LayerRole::Band);
    chart.ranking.kept.iter().copied().zip(layers)
}

/// The curves of the drawn bands, biggest first, up to [`MOST_VALUES`].
fn drawn(chart: &Chart) -> Vec<Curve> {
    let mut drawn: Vec<_> = drawn_bands(chart).collect();
    drawn.sort_by_key(|(row, layer)| (std::cmp::Reverse(layer.total), *row));
    drawn.truncate(MOST_VALUES / chart.times.len().max(1));
    let curve = |layer: &Layer| {
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
    measured: &Measured,
) {
    let (slice, chart, analysis) = (report.run.slice(), report.run.chart(), report.run.analysis());
    let figures = &analysis.figures;
    let held = columns::held;
    let column = |value: &dyn Fn(usize) -> u64| -> Vec<u64> {
        bands.order.iter().map(|row| value(row.index())).collect()
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
    decimals(sections, "slope", bands.order.iter().map(|&row| measured.growth(row).middle));
    let detailed = detailed(report, biggest, bands);
    let means = detailed.iter().map(|row| held(of(row.index()).mean.round() as u128));
    in_units(sections, "mean", &means.collect::<Vec<u64>>());
    decimals(sections, "slope.low", detailed.iter().map(|&row| measured.growth(row).low));
    decimals(sections, "slope.high", detailed.iter().map(|&row| measured.growth(row).high));
    decimals(sections, "deviation", detailed.iter().map(|row| measured.deviations[row.index()]));
    let places = detailed.iter().filter_map(|row| bands.place[row.index()]);
    sections.numbers("detailed", places.map(u64::from));
}

/// The size of every row in one sample, by row index.
fn sizes_in(slice: &Slice<'_>, sample: usize) -> Vec<u64> {
    let mut sizes = vec![0; slice.rows().len()];
    if sample < slice.len() {
        for &(row, size) in Merger::new(slice).sample(sample) {
            sizes[row.index()] = size.get();
        }
    }
    sizes
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
    let found: Vec<usize> = facts::named_rows(report.run.analysis()).collect();
    let (first, rest) = biggest.split_at(MOST_DETAILED.min(biggest.len()));
    let named = rest.iter().filter(|row| found.contains(&row.index()));
    let mut detailed: Vec<RowId> = first.iter().chain(named).copied().collect();
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
fn layers(sections: &mut Sections, chart: &Chart, bands: &PageBands, with_curve: &[Curve]) {
    let ranking = &chart.ranking;
    let places = |list: &[RowId]| {
        let places = list.iter().filter_map(|row| bands.place[row.index()]);
        places.map(u64::from).collect::<Vec<_>>()
    };
    sections.numbers("kept", places(&ranking.kept));
    sections.texts("kept.name", drawn_bands(chart).map(|(_, layer)| key_name(layer)));
    // All other bands are trace elements. One byte per band deflates to less than a list of them.
    let mut in_other = vec![0u8; bands.order.len()];
    places(&ranking.other).into_iter().for_each(|place| in_other[place as usize] = 1);
    sections.add("in.other", &in_other);
    // Layers without a curve are a part of OTHER.
    let mut in_sum = drawn_bands(chart)
        .filter(|(row, _)| !with_curve.iter().any(|(other, _)| other == row))
        .map(|(_, layer)| layer)
        .chain(chart.layers.iter().find(|layer| layer.role == LayerRole::Other))
        .peekable();
    if in_sum.peek().is_some() {
        let mut values = vec![0u64; chart.times.len()];
        for layer in in_sum {
            let sizes = layer.residency.iter().map(|size| size.get());
            values.iter_mut().zip(sizes).for_each(|(sum, size)| *sum = sum.saturating_add(size));
        }
        sections.series("other.curve", &values);
    }
}

/// The first name of a layer that fits into the key, or its shortest. No two layers share a name.
fn key_name(layer: &Layer) -> &str {
    let characters = |name: &&String| name.chars().count();
    let fitting = layer.names.iter().find(|name| characters(name) <= KEY_NAME);
    fitting.or_else(|| layer.names.iter().min_by_key(characters)).map_or("", String::as_str)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How many bands are taken if each takes so many characters, and how often that is tried.
    fn fitted(
        room: usize,
        all: usize,
        first: usize,
        of_one: impl Fn(usize) -> usize,
    ) -> (usize, usize) {
        let mut fit = Fit::new(room, first);
        for tried in 1..20 {
            let count = fit.most.min(all);
            let text = (0..count).map(&of_one).sum();
            if fit.takes(count, text, all - count) {
                return (count, tried);
            }
        }
        panic!("it never ends");
    }

    #[test]
    fn a_page_is_filled_in_a_few_steps() {
        let shrinking = |i: usize| 30 + 100_000 / (i + 1000);
        assert_eq!(fitted(800_000, 9_000, MOST_BANDS, |_| 80), (9_000, 1));
        assert_eq!(fitted(800_000, 25_000, 4_000, |_| 22), (25_000, 3));
        for (first, of_one) in [(4_000, &shrinking as &dyn Fn(usize) -> usize), (4_000, &|_| 60)] {
            let (count, tried) = fitted(800_000, 40_000, first, of_one);
            let text: usize = (0..count).map(of_one).sum();
            assert!((600_000..=800_000).contains(&text) && tried <= 4, "{text} after {tried}");
        }
        // What never fits has the fewest bands.
        assert_eq!(fitted(800_000, 40_000, MOST_BANDS, |_| 5_000).0, LEAST_BANDS);
        assert_eq!(fitted(0, 40_000, 4_000, |_| 1).0, LEAST_BANDS);
        // A hundred thousand tiny ones are too many, whatever they take.
        assert_eq!(fitted(800_000, 100_000, 4_000, |_| 1).0, MOST_BANDS);
    }

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
