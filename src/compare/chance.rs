//! What chance makes of two runs of one program.

use serde::Serialize;

/// How much the means of two runs differ.
pub const MEAN_NOISE: f64 = 0.15;

/// How something differs after a change.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Change {
    /// A leak is repaired.
    Gone,
    /// There is less of it.
    Less,
    /// Two runs of the same program can differ as much.
    #[default]
    Same,
    /// There is more of it.
    More,
    /// There was no leak before.
    New,
    /// The samples do not decide it.
    Open,
}

impl Change {
    /// How a figure differs that noise changes by so much, or chance where it could be tested.
    pub fn of_figure(was: f64, is: f64, noise: f64, p: Option<f64>) -> Change {
        let near = (is - was).abs() <= noise * was.abs().max(is.abs());
        match p.map_or(near, |p| p > 0.05) {
            true => Change::Same,
            false if is > was => Change::More,
            false => Change::Less,
        }
    }
}

/// The probability that chance orders the runs of two sides like this; `None` where there are fewer than four of one.
pub fn tested([before, after]: &[Vec<f64>; 2]) -> Option<f64> {
    (before.len().min(after.len()) >= 4).then(|| mann_whitney(before, after))
}

/// The two-sided probability of the test of Mann and Whitney: exact, by counting all ways to order the runs, where there are few; by the normal
/// approximation otherwise.
pub fn mann_whitney(a: &[f64], b: &[f64]) -> f64 {
    let above = |x: &f64, y: &f64| f64::from(u8::from(x > y)) + 0.5 * f64::from(u8::from(x == y));
    let score: f64 = a.iter().map(|x| b.iter().map(|y| above(x, y)).sum::<f64>()).sum();
    let (n, m) = (a.len(), b.len());
    let all = n * m;
    let far = |score: f64| (score - all as f64 / 2.0).abs();
    if all > 400 {
        let spread = ((all * (n + m + 1)) as f64 / 12.0).sqrt();
        return libm::exp(-0.5 * libm::pow(far(score) / spread, 2.0)).min(1.0);
    }
    // ways[k][s]: in how many orders of k of the first side, and some of the other, the score is s. With one more of the
    // other, it is above none, or some, of the first.
    let mut ways = vec![vec![0.0; all + 1]; n + 1];
    ways.iter_mut().for_each(|ways| ways[0] = 1.0);
    for others in 1..=m {
        for k in 1..=n {
            for s in others..=all {
                ways[k][s] += ways[k - 1][s - others];
            }
        }
    }
    let is_as_far = |&s: &usize| far(s as f64) >= far(score) - 1e-9;
    let as_far: f64 = (0..=all).filter(is_as_far).map(|s| ways[n][s]).sum();
    (as_far / ways[n].iter().sum::<f64>()).min(1.0)
}
