//! What the islands hold, and what there is room for.
//!
//! Exact and whole, always: the drawn layers, OTHER, the total (and so what is not drawn), and every
//! figure of every band. Then, biggest first, the curves of further bands, as long as the
//! page stays small; the rest have thinned curves, as fine as a page below a megabyte allows. Two
//! things yield where even that is not enough: the names of small bands lose their middles, and of
//! more drawn layers than anybody asked for yet (two million values) the small ones are thinned.

use super::bands::{PageBands, shown};
use super::columns::{self, Sections};
use super::facts::{Facts, MOST_MARKERS, wanted_markers};
use super::figures::{self, AllFigures};
use super::island::{Islands, deflated, text_len, to_text};
use super::thinned::{self, Fineness};
use super::{ReportOptions, page, provenance};
use crate::chart::{Chart, Marker, MarkerKind, Role, Series};
use crate::profile::Breakdown;
use crate::rank::Ranking;
use crate::slice::{Merger, RowId, Slice};

/// Up to this many bytes a page gives bands that are not drawn their exact curves.
const COMFORTABLE: usize = 235_000;
/// A page is smaller than this, if its drawn layers allow.
const MOST: usize = 975_000;
/// Thinned curves do not take more than this.
const MOST_THINNED: usize = 220_000;
/// This much is kept free for them, where names compete with them for room.
const LEAST_THINNED: usize = 85_000;
/// The most values of drawn layers.
const MOST_VALUES: usize = 2_000_000;
/// The most points of one heap series.
const MOST_HEAP_POINTS: usize = 6000;
/// To how many characters names are cut, in this order, until there is room for them.
const NAME_LENGTHS: [usize; 5] = [4000, 200, 120, 80, 48];
/// How much of a series deflating leaves, by experience, and 85 characters make of that.
const SERIES_RATIO: f64 = 0.97 * 1.25;

/// The data of a report.
pub fn islands(
    slice: &Slice<'_>,
    chart: &Chart,
    facts: &Facts,
    options: &ReportOptions,
) -> Islands {
    let ranking = &chart.ranking;
    let bands = PageBands::new(slice, ranking);
    let figures = figures::figures(slice, thinned::stretches(slice.rows().len()));
    let biggest = bands.by_total(ranking);
    let drawn = drawn(chart);
    let shell = page::shell_len();

    let needed = |name_length| {
        let mut sections = Sections::default();
        let json = serde_json::to_vec(facts).expect("plain data");
        sections.add("facts", &json);
        run(&mut sections, chart, options);
        names_and_figures(&mut sections, slice, ranking, &bands, &figures, name_length);
        provenance::stacks(&mut sections, slice, &bands);
        provenance::info_tables(&mut sections, slice, &bands, &biggest);
        layers(&mut sections, chart, &bands);
        sections
    };
    let curves_len: usize = drawn.iter().map(|(_, curve)| curve.len()).sum();
    let curves_text = (curves_len as f64 * SERIES_RATIO) as usize;
    let room = MOST.saturating_sub(shell + curves_text + LEAST_THINNED);
    let mut sections = needed(NAME_LENGTHS[0]);
    let mut text = text_len(deflated(sections.bytes()).len());
    for length in NAME_LENGTHS.into_iter().skip(1) {
        if text <= room {
            break;
        }
        sections = needed(length);
        text = text_len(deflated(sections.bytes()).len());
    }

    let used = shell + text + curves_text;
    let more = further(slice, &biggest, &drawn, COMFORTABLE.saturating_sub(used));
    let mut exact = drawn;
    exact.extend(more);
    exact.sort_by_key(|(row, _)| bands.place[row.index()]);
    let places = exact.iter().filter_map(|(row, _)| bands.place[row.index()]);
    sections.numbers("curve.band", places.map(u64::from));
    let curves: Vec<u8> = exact.iter().flat_map(|(_, curve)| curve.iter().copied()).collect();
    sections.add("curve", &curves);

    let has_curve = |row: &RowId| {
        exact
            .binary_search_by_key(&bands.place[row.index()], |(row, _)| bands.place[row.index()])
            .is_ok()
    };
    let rest: Vec<RowId> = bands.order.iter().copied().filter(|row| !has_curve(row)).collect();
    let exact = to_text(&deflated(sections.bytes()));
    let room = MOST.saturating_sub(shell + exact.len()).min(MOST_THINNED);
    Islands { exact, thinned: thin(&figures, &rest, room) }
}

/// The thinned curves of some bands, as fine as there is room for.
fn thin(figures: &AllFigures, rows: &[RowId], room: usize) -> String {
    if rows.is_empty() {
        return String::new();
    }
    let choices = thinned::choices(figures.stretches);
    for (i, &fineness) in choices.iter().enumerate() {
        let Fineness { points, levels } = fineness;
        let mut sections = Sections::default();
        let head = [figures.stretches, points, usize::from(levels)];
        sections.numbers("thin.head", head.map(|number| number as u64));
        sections.add("thin", &thinned::curves(figures, rows, fineness));
        let deflated = deflated(sections.bytes());
        if i + 1 == choices.len() || text_len(deflated.len()) <= room {
            return to_text(&deflated);
        }
    }
    String::new()
}

/// A row and its curve as [`columns::series`] writes it.
type Curve = (RowId, Vec<u8>);

/// The curves of the drawn bands, biggest first, up to [`MOST_VALUES`].
fn drawn(chart: &Chart) -> Vec<Curve> {
    let layers = chart.layers.iter().filter(|layer| layer.role == Role::Band);
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
    // A value takes at least a byte, before it is deflated: zeros can come out much smaller.
    let samples = slice.len();
    let most = (8 * room / samples.max(1)).min(biggest.len());
    let mut row_of = vec![NONE; slice.rows().len()];
    let is_drawn: std::collections::HashSet<RowId> = drawn.iter().map(|(row, _)| *row).collect();
    let asked: Vec<RowId> =
        biggest.iter().copied().filter(|row| !is_drawn.contains(row)).take(most).collect();
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
            // What never changes deflates to almost nothing.
            let changes = curve.iter().filter(|&&byte| byte != 0).count();
            text += 24.0 + changes as f64 * SERIES_RATIO;
            text <= room as f64
        })
        .collect()
}

/// The samples, the heap series, the markers.
fn run(sections: &mut Sections, chart: &Chart, options: &ReportOptions) {
    let held = |sum: u128| u64::try_from(sum).unwrap_or(u64::MAX).min(columns::MOST);
    sections.times("times", chart.times.iter().map(|time| time.as_nanos()));
    sections.series("total", &chart.total.iter().map(|&total| held(total)).collect::<Vec<_>>());
    let heap = &chart.heap;
    for (name, series) in [("size", &heap.size), ("live", &heap.live), ("blocks", &heap.blocks)] {
        let points = thinned_heap(series);
        sections.times(&format!("heap.{name}.time"), points.iter().map(|point| point.0));
        let values: Vec<u64> = points.iter().map(|point| point.1).collect();
        sections.series(&format!("heap.{name}"), &values);
    }
    let markers = chosen_markers(wanted_markers(chart, options));
    sections.times("marker.time", markers.iter().map(|marker| marker.time.as_nanos()));
    let kinds = markers.iter().map(|marker| u64::from(marker.kind == MarkerKind::Message));
    sections.numbers("marker.kind", kinds);
    let texts: Vec<String> = markers
        .iter()
        .map(|marker| crate::error::visible(&marker.label).chars().take(400).collect())
        .collect();
    sections.texts("marker.text", texts.iter().map(String::as_str));
}

/// The markers, and as many messages as there is room for, in order of time.
fn chosen_markers<'a>(markers: impl Iterator<Item = &'a Marker>) -> Vec<&'a Marker> {
    let mut chosen: Vec<(usize, &Marker)> = markers.enumerate().collect();
    chosen.sort_by_key(|(i, marker)| (marker.kind == MarkerKind::Message, *i));
    chosen.truncate(MOST_MARKERS);
    chosen.sort_by_key(|(i, _)| *i);
    chosen.into_iter().map(|(_, marker)| marker).collect()
}

/// The points of a heap series; of a long one the lowest and highest of each stretch.
fn thinned_heap(series: &Series) -> Vec<(i64, u64)> {
    let points: Vec<(i64, u64)> =
        series.points().iter().map(|(time, value)| (time.as_nanos(), value.get())).collect();
    if points.len() <= MOST_HEAP_POINTS {
        return points;
    }
    let stretch = points.len().div_ceil(MOST_HEAP_POINTS / 2);
    let extremes = points.chunks(stretch).flat_map(|stretch| {
        let low = (0..stretch.len()).min_by_key(|&i| stretch[i].1).unwrap_or(0);
        let high = (0..stretch.len()).max_by_key(|&i| stretch[i].1).unwrap_or(0);
        let mut two = vec![stretch[low.min(high)], stretch[low.max(high)]];
        two.dedup();
        two
    });
    extremes.collect()
}

/// How many points of the heap series a page has no room for.
pub fn heap_points_left_out(chart: &Chart) -> usize {
    let heap = &chart.heap;
    let left_out =
        |series: &Series| series.points().len().saturating_sub(thinned_heap(series).len());
    [&heap.size, &heap.live, &heap.blocks].into_iter().map(left_out).sum()
}

/// The columns with a value for each band of the page.
fn names_and_figures(
    sections: &mut Sections,
    slice: &Slice<'_>,
    ranking: &Ranking,
    bands: &PageBands,
    figures: &AllFigures,
    name_length: usize,
) {
    let names: Vec<String> =
        bands.order.iter().map(|&row| shown(slice.label(row), name_length)).collect();
    sections.texts("name", names.iter().map(String::as_str));
    let cut = bands.order.iter().filter(|&&row| {
        let label = slice.label(row);
        label.len() > name_length && label.chars().count() > name_length
    });
    sections.numbers("name.cut", [name_length as u64, cut.count() as u64]);
    let of = |row: RowId| &figures.of_row[row.index()];
    let order = || bands.order.iter().copied();
    let held = |value: u64| value.min(columns::MOST);
    let total = |row: RowId| u64::try_from(ranking.totals[row.index()]).unwrap_or(u64::MAX);
    let column = |value: &dyn Fn(RowId) -> u64| -> Vec<u64> {
        order().map(|row| held(value(row))).collect()
    };
    let grand = figures.total.iter().sum::<u128>();
    sections.numbers("grand", [u64::try_from(grand).unwrap_or(u64::MAX).min(columns::MOST)]);
    in_units(sections, "total.of", &column(&total));
    in_units(sections, "peak", &column(&|row| of(row).peak));
    sections.numbers("peak.at", order().map(|row| of(row).peak_sample as u64));
    in_units(sections, "last", &column(&|row| of(row).last));
    if slice.breakdown() == Breakdown::CostCentre {
        in_units(sections, "at.peak", &column(&|row| of(row).at_peak));
    }
    let slopes: Vec<(i64, u8)> = order().map(|row| decimal(of(row).growth.slope)).collect();
    let mut mantissas = Vec::new();
    slopes.iter().for_each(|slope| columns::signed(&mut mantissas, slope.0));
    sections.add("slope", &mantissas);
    sections.add("slope.exponent", &slopes.iter().map(|slope| slope.1).collect::<Vec<u8>>());
    let percent = |row| (of(row).growth.r_squared * 100.0).round() as u8;
    sections.add("r.squared", &order().map(percent).collect::<Vec<u8>>());
}

/// A column of amounts, as multiples of what divides them all.
fn in_units(sections: &mut Sections, name: &str, values: &[u64]) {
    let unit = values.iter().fold(0, |unit, &value| columns::divisor(unit, value)).max(1);
    let mut bytes = Vec::new();
    columns::unsigned(&mut bytes, unit);
    values.iter().for_each(|value| columns::unsigned(&mut bytes, value / unit));
    sections.add(name, &bytes);
}

/// A number as three digits and a power of ten, which is counted from -64.
fn decimal(value: f64) -> (i64, u8) {
    if value == 0.0 || !value.is_finite() {
        return (0, 64);
    }
    let exponent = (libm::log10(value.abs()).floor() - 2.0).clamp(-64.0, 60.0);
    let mantissa = (value / libm::pow(10.0, exponent)).round();
    (mantissa as i64, (exponent + 64.0) as u8)
}

/// Which band is drawn where.
fn layers(sections: &mut Sections, chart: &Chart, bands: &PageBands) {
    let ranking = &chart.ranking;
    let places = |list: &[RowId]| {
        let places = list.iter().filter_map(|row| bands.place[row.index()]);
        places.map(u64::from).collect::<Vec<_>>()
    };
    sections.numbers("kept", places(&ranking.kept));
    // What is neither in OTHER nor kept is a trace element. A byte for each band deflates to less
    // than a list of them.
    let mut in_other = vec![0u8; bands.order.len()];
    places(&ranking.other).into_iter().for_each(|place| in_other[place as usize] = 1);
    sections.add("in.other", &in_other);
    let other = chart.layers.iter().find(|layer| layer.role == Role::Other);
    if let Some(layer) = other {
        let values: Vec<u64> = layer.residency.iter().map(|size| size.get()).collect();
        sections.series("other.curve", &values);
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
