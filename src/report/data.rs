//! The data of a page: what was found, the figures of every band, and curves of the drawn bands, of the next few hundred,
//! and of each package and module.
//!
//! How much of a run is in a page is a matter of fixed numbers; the pages of several runs share them. The page states what
//! is left out, and where a curve is missing.

use std::borrow::Cow;
use std::cmp::Reverse;

use flate2::Compression;
use foldhash::HashMap;
use foldhash::fast::RandomState;
use indexmap::{IndexMap, IndexSet};
use serde::Serialize;

use super::ReportRun;
use super::band_table::{PageBands, shown};
use super::call_data::{self, CallTreeData};
use super::facts::{self, ComparedSide, PageFacts};
use super::island::packed;
use super::numbers::{Deltas, saturated, three_digits};
use super::page::Island;
use super::run_data::{self, RunData};
use super::stack_data::{self, InfoTableData, StackData};
use crate::chart::{Chart, Layer, LayerRole, full_names};
use crate::profile::{Band, BandNames, Frame, glossary};
use crate::profile_view::ProfileView;
use crate::slice::{Merger, RowId, Slice};

/// The most bands of a page in addition to the drawn ones and those that the findings name.
const MOST_BANDS: usize = 5_000;
/// The most bands with a curve, unless more are drawn.
const MOST_CURVES: usize = 400;
/// The most values of the curves of bands, unless more are drawn, and of all groups of one kind.
const MOST_VALUES: usize = 250_000;
/// The most values of drawn bands.
const MOST_DRAWN_VALUES: usize = 2_000_000;
/// What names are cut to, in characters: no page is filled by one of them.
const LONGEST_NAME: usize = 4_000;
/// The most characters of a name where all names have more than [`MOST_NAMES`] characters.
const CUT_NAME: usize = 120;
/// The most characters of all names together before they are cut.
const MOST_NAMES: usize = 1_000_000;
/// How many characters of a name fit into the key of the page.
const KEY_NAME: usize = 21;

#[derive(Serialize)]
struct PageData<'a> {
    facts: PageFacts,
    run: RunData,
    bands: BandColumns<'a>,
    curves: Vec<CurveData>,
    other: Option<Deltas>,
    groups: GroupLists,
    parts: StackData<'a>,
    info_tables: InfoTableData,
    calls: Option<CallTreeData>,
}

/// A value for each band of the page, in its order. Columns of equal values deflate better than rows of them.
#[derive(Serialize)]
struct BandColumns<'a> {
    names: Vec<Cow<'a, str>>,
    /// The length that names are cut to, and how many of them are.
    cut: [usize; 2],
    totals: Vec<u64>,
    peaks: Vec<u64>,
    peak_at: Vec<usize>,
    /// At the peak of the heap, if the bands are stacks.
    at_peak: Option<Vec<u64>>,
    lasts: Vec<u64>,
    means: Vec<u64>,
    /// What the account says that each gained when it rose, and from which sample to which; zeros if it did not.
    grew: Vec<u64>,
    rose_from: Vec<usize>,
    rose_to: Vec<usize>,
    /// How suspect each is: the order of the table.
    suspicion: Vec<f64>,
    /// The special names in this run and what they mean, and for each band the place of its name there, from 1; 0 if its
    /// name is the program's own.
    glossary: Vec<(&'static str, &'static str)>,
    meanings: Vec<usize>,
    /// 1 for bands in OTHER, 0 for the others.
    in_other: Vec<u8>,
    /// The drawn bands, bottom first, and their names in the key, each shorter than the one before.
    kept: Vec<u32>,
    key_names: Vec<Vec<&'a str>>,
    /// The totals and the means of all bands together, also of those that are not in the page.
    grand: [u64; 2],
}

#[derive(Serialize)]
struct CurveData {
    band: u32,
    values: Deltas,
}

#[derive(Serialize)]
struct GroupLists {
    package: Vec<GroupData>,
    module: Vec<GroupData>,
}

/// A package or module of bands without a curve, also of those that are not in the page.
#[derive(Serialize)]
struct GroupData {
    name: String,
    /// These bands together; `None` if there is no room.
    others: Option<Deltas>,
}

/// The data of a run in a page with `runs` runs, with its comparison to the other run.
pub fn island(report: &ReportRun<'_>, runs: usize, compared: Option<&ComparedSide<'_>>) -> Island {
    let data = PageData::new(report, runs.max(1), compared);
    // The best level takes ten times as long as this one, for texts that are a few percent shorter.
    let level = Compression::new(3);
    let text = packed(level, |to| Ok(serde_json::to_writer(to, &data)?));
    Island(text.expect("plain data, written to memory"))
}

impl<'a> PageData<'a> {
    fn new(report: &ReportRun<'a>, runs: usize, compared: Option<&ComparedSide<'_>>) -> Self {
        let ReportRun { run, options, .. } = *report;
        let (slice, chart) = (run.slice(), run.picture());
        let ranking = &chart.ranking;
        let named: Vec<RowId> = facts::named_rows(run.analysis())
            .chain(compared.into_iter().flat_map(ComparedSide::rows))
            .collect();
        let bands = PageBands::new(slice, ranking, MOST_BANDS / runs, named.iter().copied());
        let full = full_names(slice, &bands.order);
        let characters: usize = full.iter().map(|name| name.len().min(LONGEST_NAME)).sum();
        let length = if characters > MOST_NAMES / runs { CUT_NAME } else { LONGEST_NAME };
        let fitting = |values: usize| values / runs / slice.len().max(1);
        let most_curves = (MOST_CURVES / runs).min(fitting(MOST_VALUES));
        let drawn_curves = ranking.kept.len().min(fitting(MOST_DRAWN_VALUES));
        let with_curve = with_curve(slice, chart, &bands, &named, most_curves.max(drawn_curves));
        let group = |part: fn(&Frame) -> &str| {
            groups(run, &with_curve, |frame| shown(part(frame), length).into_owned())
        };
        let groups = [group(|frame| &frame.package.name), group(|frame| &frame.module)];
        let (curves, groups) = curves(slice, &bands, &with_curve, groups, fitting(MOST_VALUES));
        let parts = stack_data::parts(slice, &bands, length);
        PageData {
            facts: facts::facts(report, &bands, parts.depth, compared),
            run: run_data::run(slice, chart, &options.draw),
            curves,
            other: other(chart, &with_curve),
            bands: BandColumns::new(report, &bands, &full, length),
            groups,
            parts,
            info_tables: stack_data::info_tables(slice, &bands, length),
            calls: call_data::calls(slice),
        }
    }
}

impl<'a> BandColumns<'a> {
    fn new(
        report: &ReportRun<'a>,
        bands: &PageBands,
        full: &[Cow<'a, str>],
        length: usize,
    ) -> Self {
        let (slice, chart, analysis) =
            (report.run.slice(), report.run.picture(), report.run.analysis());
        let (figures, ranking) = (&analysis.figures, &chart.ranking);
        let wanted = &bands.order;
        let suspicion = report.run.suspicion();
        let rises = rises(report);
        let rises: Vec<_> = wanted.iter().map(|row| rises[row.index()]).collect();
        let (mut glossary, meanings) = meanings(slice, wanted);
        glossary.extend(glossary::OURS.iter().filter(|(name, _)| match *name {
            "OTHER" => !ranking.other.is_empty(),
            _ => !ranking.trace.is_empty(),
        }));
        let column =
            |value: &dyn Fn(usize) -> u64| wanted.iter().map(|row| value(row.index())).collect();
        let has_stacks = slice.breakdown().traits().names == BandNames::Stacks;
        let at_peak = has_stacks.then(|| sizes_in(slice, figures.heap.peak_sample));
        // In the sample in which the key of a picture has them.
        let ends = sizes_in(slice, chart.end_sample().unwrap_or(usize::MAX));
        let mut in_other = vec![0; bands.order.len()];
        bands.places(&ranking.other).for_each(|place| in_other[place as usize] = 1);
        let mean_of_all: f64 = figures.bands.iter().map(|band| band.mean).sum();
        let (names, cut) = distinct(full, length);
        BandColumns {
            names,
            cut: [length, cut],
            totals: column(&|row| saturated(ranking.totals[row])),
            peaks: column(&|row| figures.bands[row].peak),
            peak_at: wanted.iter().map(|&row| figures.bands[row.index()].peak_sample).collect(),
            at_peak: at_peak.map(|sizes| column(&|row| sizes[row])),
            lasts: column(&|row| ends[row]),
            means: column(&|row| saturated(figures.bands[row].mean.round() as u128)),
            glossary,
            meanings,
            grew: rises.iter().map(|rise| rise.0).collect(),
            rose_from: rises.iter().map(|rise| rise.1).collect(),
            rose_to: rises.iter().map(|rise| rise.2).collect(),
            suspicion: wanted.iter().map(|&row| three_digits(suspicion[row.index()])).collect(),
            in_other,
            kept: bands.places(&ranking.kept).collect(),
            key_names: drawn_bands(chart).map(|(_, layer)| key_names(layer)).collect(),
            grand: [saturated(figures.total.iter().sum()), saturated(mean_of_all as u128)],
        }
    }
}

/// By how much each row rose, and from which to which sample of the page.
fn rises(report: &ReportRun<'_>) -> Vec<(u64, usize, usize)> {
    let (slice, account) = (report.run.slice(), &report.run.analysis().account);
    let mut rises = vec![(0, 0, 0); slice.rows().len()];
    // Where no band gains much by itself, each made its part of what the heap gained.
    for told in account.finding.rise().iter().filter(|_| account.rises.is_empty()) {
        let at = |number| sizes_in(slice, slice.sample(number));
        let ends = at(told.since_sample).into_iter().zip(at(told.until_sample));
        rises = ends.map(|(before, after)| (after.saturating_sub(before), 0, 0)).collect();
    }
    for rise in &account.rises {
        if let Some(row) = rise.row() {
            let since = if rise.is_from_start { 0 } else { slice.sample(rise.since_sample) };
            rises[row.index()] = (rise.grew(), since, slice.sample(rise.until_sample));
        }
    }
    // What the headline tells of a band is what the key says.
    for (row, grew) in report.run.rows_growing() {
        rises[row.index()].0 = grew.get();
    }
    rises
}

/// The special names of some bands and what they mean, and for each band the place of its own, from 1; 0 if it has none.
fn meanings(slice: &Slice<'_>, rows: &[RowId]) -> (Vec<(&'static str, &'static str)>, Vec<usize>) {
    let tables = slice.breakdown().traits().glossary;
    let mut found: IndexSet<(&str, &str), RandomState> = IndexSet::default();
    let place = |&row: &RowId| {
        let first = |band: Band<'_>| band.frames().next().map(|frame| frame.name.to_string());
        let frame = slice.with_band(slice.members(row)[0], first).unwrap_or_default();
        let table = slice.info_table(row);
        let kind = table.and_then(|table| glossary::closure_kind(&table.closure_kind));
        let names = [slice.label(row), &frame, kind.unwrap_or_default()];
        glossary::meaning(tables, &names).map_or(0, |entry| found.insert_full(entry).0 + 1)
    };
    let places = rows.iter().map(place).collect();
    (found.into_iter().collect(), places)
}

/// The drawn bands and their layers.
fn drawn_bands(chart: &Chart) -> impl Iterator<Item = (RowId, &Layer)> {
    let layers = chart.layers.iter().filter(|layer| layer.role == LayerRole::Band);
    chart.ranking.kept.iter().copied().zip(layers)
}

/// The bands that have a curve: the drawn ones, then those that the findings name, then the biggest.
fn with_curve(
    slice: &Slice<'_>,
    chart: &Chart,
    bands: &PageBands,
    named: &[RowId],
    most: usize,
) -> Vec<RowId> {
    let mut rank = vec![2; slice.rows().len()];
    named.iter().for_each(|&row| rank[row.index()] = 1);
    chart.ranking.kept.iter().for_each(|row| rank[row.index()] = 0);
    let mut rows = bands.by_total(&chart.ranking);
    rows.sort_by_key(|row| rank[row.index()]);
    rows.truncate(most);
    rows
}

/// The curve of OTHER, of which drawn bands without a curve are a part.
fn other(chart: &Chart, with_curve: &[RowId]) -> Option<Deltas> {
    let other = chart.layers.iter().filter(|layer| layer.role == LayerRole::Other);
    let without = drawn_bands(chart).filter(|(row, _)| !with_curve.contains(row));
    let layers: Vec<&Layer> = without.map(|(_, layer)| layer).chain(other).collect();
    let sum = |sample: usize| -> u128 {
        layers.iter().map(|layer| u128::from(layer.residency[sample].get())).sum()
    };
    (!layers.is_empty()).then(|| Deltas::new((0..chart.times.len()).map(sum)))
}

/// The bands without a curve whose first frames have the same part: the names of the groups, biggest first, and for each
/// row the place of its own; beyond the last if it is in none.
fn groups(
    run: &ProfileView<'_>,
    with_curve: &[RowId],
    part: impl Fn(&Frame) -> String,
) -> (Vec<String>, Vec<usize>) {
    let (slice, totals) = (run.slice(), &run.picture().ranking.totals);
    let count = slice.rows().len();
    let mut has_curve = vec![false; count];
    with_curve.iter().for_each(|row| has_curve[row.index()] = true);
    let mut found: IndexMap<String, u128, RandomState> = IndexMap::default();
    let mut group_of = vec![usize::MAX; count];
    let lacks = |row: &RowId| !has_curve[row.index()] && slice.is_selected(*row);
    for row in slice.rows().filter(lacks).filter(|&row| slice.key(row).is_some()) {
        let first = |band: Band<'_>| band.frames().next().map(&part);
        let name = slice.with_band(slice.members(row)[0], first).unwrap_or_default();
        if !name.is_empty() {
            let entry = found.entry(name);
            group_of[row.index()] = entry.index();
            *entry.or_default() += totals[row.index()];
        }
    }
    let mut wanted: Vec<usize> = (0..found.len()).collect();
    wanted.sort_by_key(|&at| (Reverse(found[at]), at));
    wanted.truncate(MOST_BANDS);
    let mut place = vec![usize::MAX; found.len()];
    wanted.iter().enumerate().for_each(|(at, &group)| place[group] = at);
    for group in &mut group_of {
        *group = place.get(*group).copied().unwrap_or(usize::MAX);
    }
    let names: Vec<String> = found.into_keys().collect();
    (wanted.iter().map(|&group| names[group].clone()).collect(), group_of)
}

/// The curves of some rows, and up to `most` of the packages and modules of the others: the page adds those to the curves
/// that it has. All are summed in one pass, because there are many points.
fn curves(
    slice: &Slice<'_>,
    bands: &PageBands,
    rows: &[RowId],
    groups: [(Vec<String>, Vec<usize>); 2],
    most: usize,
) -> (Vec<CurveData>, GroupLists) {
    let mut curves_of = vec![[usize::MAX; 2]; slice.rows().len()];
    rows.iter().enumerate().for_each(|(at, row)| curves_of[row.index()][0] = at);
    let mut count = rows.len();
    for (part, (names, group_of)) in groups.iter().enumerate() {
        let with = names.len().min(most);
        let grouped = curves_of.iter_mut().zip(group_of).filter(|(_, group)| **group < with);
        grouped.for_each(|(curves, group)| curves[part] = count + group);
        count += with;
    }
    let mut sums = vec![Vec::with_capacity(slice.len()); count];
    let mut heights = vec![0_u64; count];
    for sample in 0..slice.len() {
        slice.each_point(sample, |row, size| {
            for curve in curves_of[row.index()] {
                if let Some(height) = heights.get_mut(curve) {
                    *height = height.saturating_add(size.get());
                }
            }
        });
        let heights = heights.iter_mut().map(std::mem::take);
        sums.iter_mut().zip(heights).for_each(|(curve, height)| curve.push(height));
    }
    let mut sums = sums.into_iter().map(Deltas::new);
    let of_rows = bands.places(rows).zip(sums.by_ref());
    let of_rows = of_rows.map(|(band, values)| CurveData { band, values }).collect();
    let [package, module] = groups.map(|(names, _)| {
        let others = |at: usize| if at < most { sums.next() } else { None };
        let others = (0..names.len()).map(others);
        names.into_iter().zip(others).map(|(name, others)| GroupData { name, others }).collect()
    });
    (of_rows, GroupLists { package, module })
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

/// Names cut to a length but still distinct, and how many were cut. Long names may differ only in the middle, which is
/// cut out: those that are the same as an earlier one get a number.
fn distinct<'a>(full: &[Cow<'a, str>], length: usize) -> (Vec<Cow<'a, str>>, usize) {
    let is_cut = |name: &&Cow<'_, str>| name.len() > length && name.chars().count() > length;
    let cut = full.iter().filter(is_cut).count();
    let mut given: HashMap<String, usize> = HashMap::default();
    let one = |name: &Cow<'a, str>| {
        let name: Cow<'a, str> = match name {
            Cow::Borrowed(name) => shown(name, length),
            Cow::Owned(name) => Cow::Owned(shown(name, length).into_owned()),
        };
        let count = given.entry(name.clone().into_owned()).or_insert(0);
        *count += 1;
        if *count > 1 { Cow::Owned(format!("{name} #{count}")) } else { name }
    };
    (full.iter().map(one).collect(), cut)
}

/// The names of a layer that fit into a key, each shorter than the one before; at least its shortest. No two layers share
/// a name.
fn key_names(layer: &Layer) -> Vec<&str> {
    let mut names: Vec<&str> = Vec::new();
    let characters = |name: &str| name.chars().count();
    for name in &layer.names {
        let last = names.last().map_or(usize::MAX, |last| characters(last));
        if characters(name) < last {
            names.retain(|name| characters(name) <= KEY_NAME);
            names.push(name);
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::super::island::unpacked;
    use super::*;
    use crate::base::units::{Bytes, Nanos};
    use crate::profile::{BandKeyRef, Breakdown, Profile, ProfileBuilder, Source};
    use crate::profile_view::ViewOptions;
    use crate::report::ReportOptions;
    use serde_json::Value;

    /// Bands of three modules, all of which change from sample to sample.
    fn profile(bands: u64, samples: u64) -> Profile {
        let mut builder = ProfileBuilder::new(Source::Hp);
        builder.declare_breakdown(Breakdown::ClosureType);
        for sample in 0..samples {
            for band in 0..bands {
                let name = format!("app-1.0:App.Module{}.Type{band}", band % 3);
                let id = builder.band(BandKeyRef::Name(name.as_bytes())).expect("a band");
                builder.point(id, Bytes::new(8 * (1 + (band * 7919 + sample * 104_729) % 1003)));
            }
            builder.seal_sample(Nanos::from_nanos(1_000_000 * sample as i64));
        }
        builder.finish()
    }

    fn data(profile: &Profile, runs: usize) -> Value {
        let run_options = ViewOptions::default();
        let run = ProfileView::new(profile, &run_options).expect("all of it");
        let options = ReportOptions::default();
        let report = ReportRun::new("run", &run, &options);
        serde_json::from_slice(&unpacked(&island(&report, runs, None).0)).expect("JSON")
    }

    fn len(list: &Value) -> usize {
        list.as_array().expect("a list").len()
    }

    #[test]
    fn a_page_has_fixed_numbers_of_bands_curves_and_values() {
        let drawn = 19;
        for (bands, samples, runs, expected) in [
            (30, 4, 1, [30, 30]),
            (9_000, 4, 1, [MOST_BANDS + drawn, MOST_CURVES]),
            (9_000, 4, 2, [MOST_BANDS / 2 + drawn, MOST_CURVES / 2]),
            (60, 5_000, 1, [60, MOST_VALUES / 5_000]),
        ] {
            let data = data(&profile(bands, samples), runs);
            let is_near =
                |count: usize, expected: usize| (expected..=expected + 8).contains(&count);
            let [names, curves] = expected;
            assert!(is_near(len(&data["bands"]["names"]), names), "{bands} x {samples}, {runs}");
            assert_eq!(len(&data["curves"]), curves, "{bands} x {samples}, {runs}");
        }
    }

    #[test]
    fn of_many_bands_that_gain_little_each_made_its_part_of_what_is_told() {
        let mut builder = ProfileBuilder::new(Source::Hp);
        for sample in 0..20_u64 {
            let names: Vec<String> = (0..3_000).map(|band| format!("Band{band}")).collect();
            let size = |band: u64| 1_000 + band + 100 * sample;
            let bands = names.iter().zip(0..).map(|(name, band)| (name, size(band)));
            builder.sample(sample as i64 * 100_000_000, bands);
        }
        let data = data(&builder.finish(), 1);
        let grew: Vec<u64> = serde_json::from_value(data["bands"]["grew"].clone()).expect("bytes");
        assert!(grew.len() == 3_000 && grew.iter().all(|&bytes| bytes == 1_900), "{}", grew[0]);
    }

    #[test]
    fn cut_names_differ() {
        let names =
            ["a".repeat(30) + "1" + &"b".repeat(30), "a".repeat(30) + "2" + &"b".repeat(30)];
        let full: Vec<Cow<'_, str>> = names.iter().map(|name| Cow::Borrowed(&**name)).collect();
        let (shown, cut) = distinct(&full, 20);
        assert_eq!((cut, &*shown[1]), (2, &*format!("{} #2", shown[0])));
        assert_eq!(distinct(&full, 61), (full, 0));
    }
}
