//! The bands that are drawn, with their points: hp2ps's stack, chosen by the same ranking as for
//! every other chart.

use super::command_line::BandLimit;
use super::{Aux, Options, auxiliary, c_numbers};
use crate::base::units::Bytes;
use crate::decode::hp::StrictReading;
use crate::profile::{BandId, Profile};
use crate::slice::Slice;
use crate::slice::rank::{RankFigures, RankOptions, Ranking, rank_given};

#[derive(Clone, Debug, PartialEq)]
pub struct StackLayer {
    /// The name of the band, `OTHER` for the bands over the limit.
    pub name: Vec<u8>,
    /// The points of the band: the sample and the value, in the order of the file. A sample may have no point,
    /// or several, which are drawn on top of each other.
    pub points: Vec<(usize, f64)>,
}

#[derive(Clone, Debug)]
pub struct LayerStack {
    pub layers: Vec<StackLayer>,
    /// Whether rows after the last END_SAMPLE belong to bands that are drawn, so that they had to be left out;
    /// hp2ps gives up on them.
    pub lacks_strays: bool,
}

/// Ranks the bands and gathers the points of those that are drawn.
pub fn stack(
    profile: &Profile,
    reading: &StrictReading,
    aux: &Aux,
    options: &Options,
) -> LayerStack {
    let rank_options = RankOptions {
        trace_percent: options.trace_percent,
        band_limit: match options.limit {
            BandLimit::Bands(bands) => Some(bands),
            BandLimit::None | BandLimit::Nothing => None,
        },
        sort: options.sort,
        ..RankOptions::default()
    };
    let places = places(profile, aux);
    let ranked = |strays: &[(BandId, f64)]| {
        let totals = totals(profile, reading, strays);
        let slice = Slice::selecting(profile, |band| totals[band.index()].is_some());
        let totals = totals.iter().map(|total| total.unwrap_or(0.0)).collect();
        rank_given(&slice, &rank_options, &RankFigures { totals, places: places.clone() })
    };
    // hp2ps counts stray rows in the totals, and gives up only if a band that is drawn has one. It
    // never draws a file that is plainly cut, so there they do not count.
    let (mut ranking, mut lacks_strays) = (None, false);
    if reading.cut.is_none() {
        let with_strays = ranked(&reading.strays);
        let mut drawn = vec![false; profile.bands.len()];
        // Here every band is its own row, with the same index.
        let rows = with_strays.kept.iter().chain(&with_strays.other);
        rows.for_each(|row| drawn[row.index()] = true);
        if reading.strays.iter().any(|(band, _)| drawn[band.index()]) {
            lacks_strays = true;
        } else {
            ranking = Some(with_strays);
        }
    }
    let ranking = ranking.unwrap_or_else(|| ranked(&[]));
    let layers = match options.limit {
        BandLimit::Nothing => Vec::new(),
        BandLimit::Bands(_) | BandLimit::None => layers(profile, reading, &ranking),
    };
    LayerStack { layers, lacks_strays }
}

/// hp2ps's totals (`docs/format/hp.md#trace-elements`): 64-bit numbers to which doubles are added, with the
/// errors that this causes beyond 2^53 and 2^63. `None` for bands without points. Each total is exactly a
/// double.
fn totals(
    profile: &Profile,
    reading: &StrictReading,
    strays: &[(BandId, f64)],
) -> Vec<Option<f64>> {
    let mut totals = vec![None; profile.bands.len()];
    let points = profile.samples.all_points().map(exact(reading)).chain(strays.iter().copied());
    for (band, value) in points {
        let total: &mut Option<f64> = &mut totals[band.index()];
        *total = Some(c_numbers::to_i64(total.unwrap_or(0.0) + value) as f64);
    }
    totals
}

/// The place that a previous run gave each band, 0 for others.
fn places(profile: &Profile, aux: &Aux) -> Vec<i32> {
    let mut known = foldhash::HashMap::default();
    for (name, place) in &aux.order {
        known.entry(name.as_slice()).or_insert(*place);
    }
    let place = |band| known.get(&*auxiliary::word(profile.bands.name(band))).copied().unwrap_or(0);
    profile.bands.ids().map(place).collect()
}

fn layers(profile: &Profile, reading: &StrictReading, ranking: &Ranking) -> Vec<StackLayer> {
    const NONE: usize = usize::MAX;
    const OTHER: usize = usize::MAX - 1;
    const EXACT: f64 = 9_007_199_254_740_992.0;
    let slice = Slice::whole(profile);
    let mut layer_of = vec![NONE; profile.bands.len()];
    ranking.other.iter().for_each(|row| layer_of[row.index()] = OTHER);
    let mut layers = Vec::with_capacity(ranking.kept.len());
    for &row in &ranking.kept {
        layer_of[row.index()] = layers.len();
        layers.push(StackLayer { name: slice.name(row).to_vec(), points: Vec::new() });
    }
    // OTHER has a point in every sample. Beyond 2^53 the order in which doubles are added matters,
    // and hp2ps adds band by band.
    let mut place_of = vec![0; profile.bands.len()];
    ranking.other.iter().enumerate().for_each(|(place, row)| place_of[row.index()] = place);
    let mut members: Vec<(usize, f64)> = Vec::new();
    let mut other: Vec<(usize, f64)> = (0..profile.samples.len()).map(|i| (i, 0.0)).collect();
    let mut exact = exact(reading);
    for (sample, sum) in &mut other {
        let sample = *sample;
        members.clear();
        for (band, value) in profile.samples.points(sample).map(&mut exact) {
            match layer_of[band.index()] {
                OTHER => {
                    *sum += value;
                    members.push((place_of[band.index()], value));
                }
                layer => {
                    if let Some(layer) = layers.get_mut(layer) {
                        layer.points.push((sample, value));
                    }
                }
            }
        }
        if *sum > EXACT {
            members.sort_by_key(|(place, _)| *place);
            *sum = members.iter().map(|(_, value)| value).sum();
        }
    }
    if !ranking.other.is_empty() {
        layers.insert(0, StackLayer { name: b"OTHER".to_vec(), points: other });
    }
    layers
}

/// Makes the values of points doubles, which are given in their order: those beyond 64 bits stand apart.
fn exact(reading: &StrictReading) -> impl FnMut((BandId, Bytes)) -> (BandId, f64) {
    let (mut huge, mut next) = (&reading.huge[..], 0);
    move |(band, size)| {
        let mut value = size.get() as f64;
        if let Some((&(point, exact), rest)) = huge.split_first()
            && point == next
        {
            (value, huge) = (exact, rest);
        }
        next += 1;
        (band, value)
    }
}
