//! One curve to judge: a band, or the heap, over the samples, condensed when there are many.

use std::ops::Range;

use super::robust::{mean, median_of, quantile};

/// A curve of at most [`Curve::MOST`] points in order of time, and the samples it was made of.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve<'a> {
    /// The place of each point, in seconds or samples.
    pub times: Vec<f64>,
    /// The height at each point, in bytes.
    pub values: Vec<f64>,
    samples: (&'a [f64], &'a [f64]),
}

impl<'a> Curve<'a> {
    /// How many points a curve has at most. More samples are condensed, so that judging a band
    /// takes no longer for a run of a day than for one of a minute, and noise is averaged out
    /// first.
    pub const MOST: usize = 240;

    /// The curve of some samples. If there are too many, each point is the median of several
    /// neighbours.
    pub fn new(times: &'a [f64], values: &'a [f64]) -> Self {
        let samples = (times, values);
        if times.len() <= Self::MOST {
            return Curve { times: times.to_vec(), values: values.to_vec(), samples };
        }
        let (times, values) = cells(times, values, Self::MOST)
            .map(|(times, values)| (mean(times), median_of(values.iter().copied())))
            .unzip();
        Curve { times, values, samples }
    }

    /// How many samples it was made of.
    pub fn samples(&self) -> usize {
        self.samples.0.len()
    }

    /// The lows of `count` runs of neighbouring samples, with their mean times. A low is the
    /// smallest value of a run of neighbours, or for a long run the value that a tenth of them are
    /// below.
    pub fn lows(&self, count: usize) -> (Vec<f64>, Vec<f64>) {
        let (times, values) = self.samples;
        let share = |samples: usize| if samples < 20 { 0.0 } else { 0.1 };
        cells(times, values, count)
            .map(|(times, values)| (mean(times), quantile(values, share(values.len()))))
            .unzip()
    }

    /// The first of the samples that a point stands for.
    pub fn first_sample(&self, point: usize) -> usize {
        let samples = self.samples();
        if samples <= Self::MOST { point } else { point * samples / Self::MOST }
    }

    /// The first point at or after a time.
    pub fn at(&self, time: f64) -> usize {
        self.times.partition_point(|&t| t < time).min(self.times.len().saturating_sub(1))
    }
}

/// Divides samples into this many runs of neighbours of nearly equal length.
fn cells<'a>(
    times: &'a [f64],
    values: &'a [f64],
    count: usize,
) -> impl Iterator<Item = (&'a [f64], &'a [f64])> {
    let edge = move |cell: usize| cell * times.len() / count;
    (0..count).map(move |cell| {
        let range = edge(cell)..edge(cell + 1);
        (&times[range.clone()], &values[range])
    })
}

/// One of several equal stretches of time: the middle of its samples and their median.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Block {
    /// The mean time.
    pub time: f64,
    /// The median value.
    pub value: f64,
}

/// One of several equal stretches of time, and the samples in it.
#[derive(Clone, Debug, PartialEq)]
pub struct Stretch {
    time: f64,
    samples: Range<usize>,
}

impl Stretch {
    /// The block of a curve's values in this stretch.
    pub fn block(&self, values: &[f64]) -> Block {
        let inside = values[self.samples.clone()].iter().copied();
        Block { time: self.time, value: median_of(inside) }
    }
}

/// Cuts samples into stretches of equal time; stretches without samples are left out.
pub fn stretches(times: &[f64], count: usize) -> Vec<Stretch> {
    let (Some(&first), Some(&last)) = (times.first(), times.last()) else { return Vec::new() };
    if last <= first {
        return Vec::new();
    }
    let place =
        |time: f64| (((time - first) / (last - first) * count as f64) as usize).min(count - 1);
    let mut out = Vec::with_capacity(count);
    let mut from = 0;
    while from < times.len() {
        let stretch = place(times[from]);
        let length = times[from..].iter().take_while(|&&time| place(time) == stretch).count();
        let samples = from..from + length.max(1);
        from = samples.end;
        out.push(Stretch { time: mean(&times[samples.clone()]), samples });
    }
    out
}

/// The blocks of a curve over stretches of equal time.
pub fn blocks(times: &[f64], values: &[f64], count: usize) -> Vec<Block> {
    stretches(times, count).iter().map(|stretch| stretch.block(values)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_samples_become_few_points_and_keep_their_middle() {
        let times: Vec<f64> = (0..1000).map(f64::from).collect();
        let values: Vec<f64> =
            times.iter().map(|t| if *t as u32 % 7 == 3 { 1e9 } else { *t }).collect();
        let curve = Curve::new(&times, &values);
        assert_eq!((curve.times.len(), curve.samples()), (Curve::MOST, 1000));
        assert!(curve.values.iter().zip(&curve.times).all(|(v, t)| (v - t).abs() < 4.0));
        assert_eq!(curve.first_sample(120), 500);
        assert_eq!(curve.lows(10).1[9], 911.0);
    }

    #[test]
    fn blocks_are_equal_stretches_of_time() {
        let middle = |block: &Block| (block.time, block.value);
        let found = blocks(&[0.0, 1.0, 2.0, 9.0, 10.0], &[5.0, 7.0, 6.0, 1.0, 3.0], 5);
        let found: Vec<_> = found.iter().map(middle).collect();
        assert_eq!(found, [(0.5, 6.0), (2.0, 6.0), (9.5, 2.0)]);
        assert!(blocks(&[1.0, 1.0], &[5.0, 7.0], 5).is_empty());
    }
}
