//! The area under the drawn bands: the figure that hp2ps prints for a run.

use super::{Chart, Clock};

impl Chart {
    /// Byte-seconds under the drawn stack, including OTHER but not trace elements, by the trapezoid
    /// rule (`docs/format/hp.md#ranges-and-area`), cut to a whole number as hp2ps prints it. `None`
    /// where samples have no times.
    ///
    /// Exact up to 2^128 doubled byte-nanoseconds (500 years of 10 EiB); larger areas are cut to
    /// that.
    pub fn area(&self) -> Option<u128> {
        if self.clock == Clock::Sample {
            return None;
        }
        let mut doubled: u128 = 0;
        let mut before = None;
        for (sample, time) in self.times.iter().enumerate() {
            let height = self.drawn(sample);
            if let Some((earlier, lower)) = before.replace((time.as_nanos(), height)) {
                let width = u128::from(time.as_nanos().abs_diff(earlier));
                doubled = doubled.saturating_add(width.saturating_mul(lower + height));
            }
        }
        Some(doubled / 2_000_000_000)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::units::Bytes;
    use crate::chart::testing::{Recipe, names};

    #[test]
    fn the_area_is_a_sum_of_trapezoids_in_whole_byte_seconds() {
        let names = names(1);
        let times = [0, 1_000_000_000, 2_500_000_000];
        let recipe = Recipe { names: &names, times: &times, ..Recipe::default() };
        // 1 s of 10 to 20, 1.5 s of 20 to 35: 15 + 41.25.
        let mut chart = recipe.chart(|_, sample| [10, 20, 35][sample]);
        assert_eq!(chart.area(), Some(56));
        chart.clock = Clock::Sample;
        assert_eq!(chart.area(), None);
    }

    #[test]
    fn no_chart_is_too_big_for_an_area() {
        let names = names(3);
        let chart = |times: &[i64]| {
            let recipe = Recipe { names: &names, times, ..Recipe::default() };
            let mut chart = recipe.chart(|_, _| 1);
            // The decoders do not accept numbers this large.
            let sizes = chart.layers.iter_mut().flat_map(|layer| &mut layer.residency);
            sizes.for_each(|size| *size = Bytes::new(u64::MAX));
            chart.area()
        };
        assert_eq!(chart(&[]), Some(0));
        assert_eq!(chart(&[7]), Some(0));
        assert!(chart(&[i64::MIN, 0, i64::MAX]).is_some_and(|area| area > 1 << 90));
    }
}
