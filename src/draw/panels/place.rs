//! Converts times to places on the axis of a chart.

use super::panel::PanelInput;
use crate::analysis::runtime::Step;
use crate::base::units::Nanos;
use crate::draw::clip::Place;
use crate::draw::shown;

impl PanelInput<'_> {
    /// The place of an instant; `None` on an axis of samples if it is outside the samples.
    pub fn place(&self, time: Nanos) -> Option<i64> {
        self.time.of_time(self.chart, time)
    }

    /// A line that goes up and down in steps.
    pub fn stairs(&self, steps: &[Step], height: impl Fn(u128) -> u128) -> Vec<Vec<Place>> {
        let mut pieces: Vec<Vec<Place>> = Vec::new();
        let mut end = None;
        for step in steps {
            let (Some(from), Some(to)) = (self.place(step.from), self.place(step.to)) else {
                continue;
            };
            if end.replace(to) != Some(from) || pieces.is_empty() {
                pieces.push(Vec::new());
            }
            let height = height(step.value);
            if let Some(piece) = pieces.last_mut() {
                piece.extend([(from, height), (to, height)]);
            }
        }
        pieces
    }

    /// An outline of the greatest value in each column of the axis; it is on the base line in
    /// columns without a value.
    pub fn skyline(&self, values: impl Iterator<Item = (Nanos, Nanos, u128)>) -> Vec<Place> {
        let raster = shown::raster(self.time, self.options);
        let mut highest = vec![0_u128; raster.count];
        let span = (raster.high as f64 - raster.low as f64).max(1.0);
        let column = |place: i64| {
            let share = (place as f64 - raster.low as f64) / span;
            (0.0..=1.0)
                .contains(&share)
                .then(|| ((share * raster.count as f64) as usize).min(raster.count - 1))
        };
        for (from, to, value) in values {
            let (Some(from), Some(to)) = (self.place(from), self.place(to)) else { continue };
            let Some(first) = column(from) else { continue };
            // It extends into the next column only if it fills half of it.
            let last = column(to.saturating_sub((span / raster.count as f64 / 2.0) as i64));
            for height in &mut highest[first..=last.unwrap_or(first).max(first)] {
                *height = (*height).max(value);
            }
        }
        let edge = |i: usize| (raster.low as f64 + span * i as f64 / raster.count as f64) as i64;
        let mut outline: Vec<Place> = Vec::new();
        for (i, &height) in highest.iter().enumerate() {
            if outline.last().map(|place| place.1) != Some(height) {
                outline.extend([(edge(i), outline.last().map_or(0, |p| p.1)), (edge(i), height)]);
            }
            if i + 1 == highest.len() {
                outline.push((edge(i + 1), height));
            }
        }
        outline
    }
}
