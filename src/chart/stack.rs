//! Makes a chart from a ranked slice: its dense layers with their names, and the rank of each band by
//! size among all bands of the run. Colours depend on that rank, so that a band keeps its colour in
//! every window and among any other bands.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::sync::Arc;

use super::short_names::{self, NameParts};
use super::{Chart, Layer, LayerRole, LeftOut, captions};
use crate::analysis::runtime::{Activity, end};
use crate::analysis::{mean_over_time, time_weights};
use crate::base::units::{Bytes, count};
use crate::profile::{BandId, Breakdown, Clock, Profile};
use crate::slice::rank::{RankOptions, Ranking, rank};
use crate::slice::{RowId, Slice};

impl Chart {
    /// The chart of a whole profile.
    pub fn of_profile(profile: &Profile, options: &RankOptions) -> Self {
        let slice = Slice::whole(profile);
        Chart::new(&slice, rank(&slice, options))
    }

    /// The chart of a ranked slice.
    pub fn new(slice: &Slice<'_>, ranking: Ranking) -> Self {
        let ranks = SizeRanks::new(slice, &ranking);
        let (mut layers, total) = layers(slice, &ranking, &ranks);
        let weights = time_weights(&slice.axis(), slice.clock());
        for layer in &mut layers {
            let sizes = layer.residency.iter().map(|size| size.get() as f64);
            layer.mean = mean_over_time(sizes, &weights);
            // Not that of the ranking: a sum of several bands beyond 64 bits is cut in its sample.
            layer.total = layer.residency.iter().map(|size| u128::from(size.get())).sum();
        }
        let profile = slice.profile();
        let left_out = |rows: &[RowId]| LeftOut {
            bands: rows.len(),
            total: ranking.total_of(rows),
            grand_total: ranking.grand_total(),
        };
        let timed = slice.clock() != Clock::Sample;
        let censuses = slice.censuses(&total);
        let metadata = slice.metadata();
        let mut chart = Chart {
            title: captions::title(metadata),
            headline: None,
            next: None,
            since: None,
            rising: Vec::new(),
            facts: captions::facts(slice),
            notes: Vec::new(),
            job: metadata.job.clone(),
            started_unix_ns: metadata.started_unix_ns(),
            source: profile.source,
            condition: profile.condition(),
            breakdown: slice.breakdown(),
            clock: slice.clock(),
            extent: slice.extent(),
            end: end(slice, slice.times()[..censuses.end].last().copied()),
            times: slice.times().to_vec(),
            censuses,
            layers,
            biggest: ranks.biggest,
            mean: mean_over_time(total.iter().map(|&bytes| bytes as f64), &weights),
            total,
            bands: slice.rows().len(),
            trace: left_out(&ranking.trace),
            excluded: left_out(&ranking.excluded),
            markers: if timed { slice.markers().to_vec() } else { Vec::new() },
            heap: if timed { slice.heap() } else { Arc::default() },
            activity: Activity::default(),
            warnings: slice.incidents().warnings(),
            ranking,
            outside: None,
            suspects_lead: false,
            before_exit: None,
        };
        chart.notes = captions::notes(&chart);
        chart.warnings.extend(chart.huge_other());
        chart.warnings.extend(chart.crowded());
        chart
    }
}

impl Layer {
    /// A layer of no bands, which has no other names than its label.
    pub(super) fn empty(label: Arc<str>, role: LayerRole, samples: usize) -> Self {
        Layer {
            full_name: Arc::clone(&label),
            label,
            names: Vec::new(),
            standing: None,
            role,
            members: 0,
            suspect: None,
            grew: None,
            about: Vec::new(),
            total: 0,
            mean: 0.0,
            residency: vec![Bytes::ZERO; samples],
        }
    }
}

/// The dense rows of the kept rows and OTHER, and the residency of all bands together, from the sparse
/// points in one pass.
fn layers(slice: &Slice<'_>, ranking: &Ranking, ranks: &SizeRanks) -> (Vec<Layer>, Vec<u128>) {
    let samples = slice.len();
    let empty = |label: Arc<str>, role, rows: &[RowId]| Layer {
        members: rows.len(),
        ..Layer::empty(label, role, samples)
    };
    let mut layers = Vec::new();
    if !ranking.other.is_empty() {
        let mut other = empty("OTHER".into(), LayerRole::Other, &ranking.other);
        other.names = names_of_other(other.members);
        layers.push(other);
    }
    let first = layers.len();
    let kept = ranking.kept.iter().zip(&ranks.of_kept);
    layers.extend(kept.map(|(&row, &rank)| Layer {
        about: captions::about_row(slice, row),
        standing: Some(rank),
        ..empty(Arc::clone(&ranks.biggest[rank]), LayerRole::Band, &[row])
    }));

    let parts = name_parts(slice, &ranking.kept);
    let names =
        short_names::names(&parts, &NOT_BANDS).into_iter().zip(short_names::told_apart(&parts));
    for (layer, (names, full_name)) in layers[first..].iter_mut().zip(names) {
        layer.names = names;
        if let Cow::Owned(name) = full_name {
            layer.full_name = name.into();
        }
    }

    // Bands without a layer are added up in a slot after the last layer: every point has a slot, and
    // the loop has no branch.
    let mut layer_of = vec![layers.len(); slice.rows().len()];
    ranking.other.iter().for_each(|row| layer_of[row.index()] = 0);
    ranking.kept.iter().enumerate().for_each(|(i, row)| layer_of[row.index()] = first + i);
    let mut heights = vec![Bytes::ZERO; layers.len() + 1];
    let mut totals = Vec::with_capacity(samples);
    for sample in 0..samples {
        let mut total = 0u128;
        slice.each_point(sample, |row, size| {
            let height = &mut heights[layer_of[row.index()]];
            *height = height.plus(size);
            total += u128::from(size.get());
        });
        totals.push(total);
        for (layer, height) in layers.iter_mut().zip(&mut heights) {
            layer.residency[sample] = std::mem::take(height);
        }
    }
    (layers, totals)
}

/// The names in a key that are not bands.
pub(super) const NOT_BANDS: [&str; 7] = [
    "OTHER",
    "all bands",
    "highest of all bands",
    "range of all",
    "heap size",
    "blocks size",
    "live bytes",
];

/// The names that OTHER can have, best first.
pub(super) fn names_of_other(members: usize) -> Vec<String> {
    let words = count(members, "band");
    vec![format!("OTHER ({words})"), format!("OTHER ({members})"), "OTHER".to_owned()]
}

/// The names that each row can have, best first. No two rows share a name.
pub fn names_of(slice: &Slice<'_>, rows: &[RowId]) -> Vec<Vec<String>> {
    short_names::names(&name_parts(slice, rows), &NOT_BANDS)
}

/// The full name of each row. No two rows share one.
pub fn full_names<'s>(slice: &'s Slice<'_>, rows: &[RowId]) -> Vec<Cow<'s, str>> {
    let labels = rows.iter().map(|&row| slice.label(row)).collect();
    short_names::told_apart_by(labels, |i| short_names::places(&name_parts_of(slice, rows[i])))
}

/// The parts from which the names of rows are made.
pub(super) fn name_parts<'s>(slice: &'s Slice<'_>, rows: &[RowId]) -> Vec<NameParts<'s>> {
    rows.iter().map(|&row| name_parts_of(slice, row)).collect()
}

/// The parts from which the name of a row is made. A group has only its name.
fn name_parts_of<'s>(slice: &'s Slice<'_>, row: RowId) -> NameParts<'s> {
    let label = slice.label(row);
    let Some(band) = slice.key(row).map(|_| slice.band(slice.members(row)[0])) else {
        let kind = Breakdown::Unknown;
        return NameParts { kind, frames: Vec::new(), number: None, is_cut: false, label };
    };
    NameParts {
        kind: band.kind,
        frames: band.frames().collect(),
        number: band.number,
        is_cut: band.is_cut,
        label,
    }
}

/// The order of bands by size in the whole run, up to the smallest that has a layer.
struct SizeRanks {
    /// The labels of the bands, the biggest first.
    biggest: Vec<Arc<str>>,
    /// The rank of each kept row, from 0.
    of_kept: Vec<usize>,
}

impl SizeRanks {
    /// The ranks of the kept rows of a ranking. If the slice groups bands and shows a part of the
    /// run, the order is that of the part.
    fn new(slice: &Slice<'_>, ranking: &Ranking) -> Self {
        let (profile, kept) = (slice.profile(), &ranking.kept);
        let is_whole = slice.len() == profile.samples.len();
        let is_grouped = kept.iter().any(|&row| slice.key(row).is_none());
        if is_whole || is_grouped {
            let sized = |row: RowId| BySize {
                total: Reverse(ranking.total_of(&[row])),
                label: slice.label(row),
                index: row.index(),
            };
            let kept = kept.iter().map(|&row| sized(row)).collect();
            return SizeRanks::among(slice.rows().map(sized), kept);
        }
        let mut totals = vec![0_u128; profile.bands.len()];
        profile.samples.all_points().for_each(|(band, size)| {
            totals[band.index()] += u128::from(size.get());
        });
        let sized = |band: BandId| BySize {
            total: Reverse(totals[band.index()]),
            label: profile.bands.label(band),
            index: band.index(),
        };
        let kept = kept.iter().map(|&row| sized(slice.members(row)[0])).collect();
        SizeRanks::among(profile.bands.ids().map(sized), kept)
    }

    /// Only the bands up to the last kept one are sorted: usually a few of very many.
    fn among<'a>(all: impl Iterator<Item = BySize<'a>>, kept: Vec<BySize<'a>>) -> Self {
        let Some(last) = kept.iter().max() else {
            return SizeRanks { biggest: Vec::new(), of_kept: Vec::new() };
        };
        let mut biggest: Vec<BySize<'_>> = all.filter(|band| band <= last).collect();
        biggest.sort_unstable();
        let rank = |band: &BySize<'_>| biggest.partition_point(|other| other < band);
        SizeRanks {
            of_kept: kept.iter().map(rank).collect(),
            biggest: biggest.iter().map(|band| Arc::from(band.label)).collect(),
        }
    }
}

/// The key by which bands are ordered: the biggest first, bands of equal size by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct BySize<'a> {
    total: Reverse<u128>,
    label: &'a str,
    index: usize,
}
