//! One curve to judge: a band, or the heap, over the samples, condensed when there are many.

use super::robust::{median_of, quantile};

/// A curve of at most [`Curve::MOST`] points in order of time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Curve {
    /// Where each point stands, in seconds or samples.
    pub times: Vec<f64>,
    /// How high it is there, in bytes.
    pub values: Vec<f64>,
    /// How many samples it was made of.
    pub samples: usize,
    /// The lowest of the samples in each of up to 48 stretches... 
    all: Vec<f64>,
    all_times: Vec<f64>,
}

impl Curve {
    /// How many points a curve has at most. More samples are condensed, so that judging a band of a
    /// day's run costs no more than one of a minute's, and noise is averaged away first.
    pub const MOST: usize = 240;

    /// The curve of some samples. Where there are too many, each point is the median of as many
    /// neighbours.
    pub fn new(times: &[f64], values: &[f64]) -> Self {
        let n = times.len();
        if n <= Self::MOST {
            return Curve { times: times.to_vec(), samples: n, values: values.to_vec(), all: values.to_vec(), all_times: times.to_vec() };
        }
        let mut curve = Curve { samples: n, all: values.to_vec(), all_times: times.to_vec(), ..Curve::default() };
        for cell in 0..Self::MOST {
            let (from, to) = (cell * n / Self::MOST, (cell + 1) * n / Self::MOST);
            let (times, values) = (&times[from..to], &values[from..to]);
            curve.times.push(times.iter().sum::<f64>() / times.len() as f64);
            curve.values.push(median_of(values.iter().copied()));
        }
        curve
    }

    /// The low of each of `count` runs of neighbouring samples: the least but for one in ten.
    pub fn lows(&self, count: usize) -> (Vec<f64>, Vec<f64>) {
        let n = self.all.len();
        (0..count)
            .map(|cell| {
                let (from, to) = (cell * n / count, (cell + 1) * n / count);
                let times = &self.all_times[from..to];
                let low = quantile(&self.all[from..to], 0.1 * f64::from(u8::from(to - from >= 20)));
                (times.iter().sum::<f64>() / times.len() as f64, low)
            })
            .unzip()
    }

    /// The first of the samples that a point stands for.
    pub fn first_sample(&self, point: usize) -> usize {
        if self.samples <= Self::MOST { point } else { point * self.samples / Self::MOST }
    }

    /// The first point at or after a time.
    pub fn at(&self, time: f64) -> usize {
        self.times.partition_point(|&t| t < time).min(self.len().saturating_sub(1))
    }

    /// How many points there are.
    pub fn len(&self) -> usize {
        self.times.len()
    }

    /// The time between the first point and the last.
    pub fn span(&self) -> f64 {
        match (self.times.first(), self.times.last()) {
            (Some(first), Some(last)) => last - first,
            _ => 0.0,
        }
    }
}

/// One of several equal stretches of time: the middle of its samples and their median.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Block {
    /// The mean time.
    pub time: f64,
    /// The median value.
    pub value: f64,
}

/// Cuts samples into stretches of equal time; stretches without samples are left out.
pub fn blocks(times: &[f64], values: &[f64], count: usize) -> Vec<Block> {
    let (Some(&first), Some(&last)) = (times.first(), times.last()) else { return Vec::new() };
    if last <= first {
        return Vec::new();
    }
    let place = |time: f64| (((time - first) / (last - first) * count as f64) as usize).min(count - 1);
    let mut out = Vec::with_capacity(count);
    let mut from = 0;
    while from < times.len() {
        let block = place(times[from]);
        let length = times[from..].iter().take_while(|&&time| place(time) == block).count();
        let to = from + length.max(1);
        let time = times[from..to].iter().sum::<f64>() / (to - from) as f64;
        out.push(Block { time, value: median_of(values[from..to].iter().copied()) });
        from = to;
    }
    out
}
