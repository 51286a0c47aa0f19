//! One scale for several charts, so that they can be compared by eye.

use super::axis::{self, TimeAxis};
use super::options::{DrawOptions, SameScale, Scale, View};
use super::overlay::Overlays;
use super::{heap_axis, shown};
use crate::base::units::Bytes;
use crate::chart::Chart;

/// The scale that shows several charts completely when they are drawn with `options`. Ends that the
/// options set are kept.
///
/// Charts whose axes count different things (elapsed time, CPU time, samples) get one scale for
/// each kind, by the numbers.
pub fn common_scale<'a>(
    charts: impl IntoIterator<Item = &'a Chart>,
    which: SameScale,
    options: &DrawOptions,
) -> Scale {
    let mut common = Scale::default();
    for chart in charts {
        if which != SameScale::Y {
            common = common.joined(axis::scale(chart, options));
        }
        if which != SameScale::X && options.view != View::Percent {
            let axis = TimeAxis::new(chart, options);
            let columns = shown::columns(chart, &axis, options);
            let overlays = Overlays::new(chart, &columns, &axis, options);
            let top = heap_axis::top(chart, (&columns, &overlays), options.view);
            let top = Bytes::new(u64::try_from(top).unwrap_or(u64::MAX));
            common.heap_max = common.heap_max.max(Some(top));
        }
    }
    let asked = options.scale;
    Scale {
        time_min: asked.time_min.or(common.time_min),
        time_max: asked.time_max.or(common.time_max),
        sample_max: asked.sample_max.or(common.sample_max),
        heap_max: asked.heap_max.or(common.heap_max),
    }
}

impl Scale {
    /// The scale that shows what either of the two shows.
    pub(super) fn joined(self, other: Scale) -> Scale {
        Scale {
            time_min: least(self.time_min, other.time_min),
            time_max: self.time_max.max(other.time_max),
            sample_max: self.sample_max.max(other.sample_max),
            heap_max: self.heap_max.max(other.heap_max),
        }
    }
}

fn least<T: Ord>(a: Option<T>, b: Option<T>) -> Option<T> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.min(b)),
        (a, b) => a.or(b),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::units::Nanos;
    use crate::chart::testing::{Recipe, names, times};

    #[test]
    fn a_common_scale_fits_every_chart_unless_ends_were_given() {
        let names = names(1);
        let chart = |count: usize, size: u64| {
            let times = times(count);
            Recipe { names: &names, times: &times, ..Recipe::default() }.chart(|_, _| size)
        };
        let charts = [chart(50, 2400), chart(10, 4800)];
        let mut options = DrawOptions::default();
        let both = common_scale(&charts, SameScale::Both, &options);
        assert_eq!(both.heap_max, Some(Bytes::new(5000)));
        let second = Nanos::from_nanos(1_000_000_000);
        assert_eq!((both.time_min, both.time_max), (Some(Nanos::ZERO), Some(second)));
        assert_eq!(common_scale(&charts, SameScale::X, &options).heap_max, None);
        assert_eq!(common_scale(&charts, SameScale::Y, &options).time_max, None);
        options.scale.heap_max = Some(Bytes::new(7));
        let asked = common_scale(&charts, SameScale::Both, &options);
        assert_eq!((asked.heap_max, asked.time_max), (Some(Bytes::new(7)), Some(second)));
    }
}
