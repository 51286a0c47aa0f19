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

/// The two-sided probability of the test of Mann and Whitney, by the normal approximation, which for four runs on each side
/// differs from the exact one by less than a hundredth.
fn mann_whitney(a: &[f64], b: &[f64]) -> f64 {
    let above = |x: &f64, y: &f64| f64::from(u8::from(x > y)) + 0.5 * f64::from(u8::from(x == y));
    let score: f64 = a.iter().map(|x| b.iter().map(|y| above(x, y)).sum::<f64>()).sum();
    let (n, m) = (a.len() as f64, b.len() as f64);
    let spread = (n * m * (n + m + 1.0) / 12.0).sqrt();
    // A score is a whole number, and stands for what is nearest to it.
    let far = ((score - n * m / 2.0).abs() - 0.5).max(0.0) / spread;
    libm::erfc(far / std::f64::consts::SQRT_2)
}
