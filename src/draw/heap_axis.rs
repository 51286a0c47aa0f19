//! The vertical axis: bytes, or shares, from 0.

use std::ops::Range;

use plotters::coord::ranged1d::{KeyPointHint, NoDefaultFormatting, Ranged};

use super::axis::{Tick, between};
use super::heights::{self, WHOLE};
use super::options::{DrawOptions, View};
use super::overlay::Overlays;
use crate::base::units::UnitSystem;
use crate::chart::Chart;
use crate::chart::columns::Columns;

/// The vertical axis.
#[derive(Clone, Debug)]
pub struct HeapAxis {
    /// The value at the top edge, at least 1.
    pub top: u128,
    /// The ticks, ascending from 0, with distinct labels.
    pub ticks: Vec<Tick<u128>>,
    /// What it counts.
    pub title: &'static str,
}

/// The highest value that is drawn.
pub fn highest(chart: &Chart, shown: Numbers<'_>, view: View) -> u128 {
    heights::highest(chart, shown.0, view).max(shown.1.highest())
}

/// What is drawn of the bands, and the lines over them.
pub type Numbers<'a> = (&'a Columns<'a>, &'a Overlays);

/// The value at the top of an axis that shows all of a chart.
pub fn top(chart: &Chart, shown: Numbers<'_>, view: View) -> u128 {
    match view {
        View::Percent => WHOLE,
        View::Stacked | View::Lines => with_air(highest(chart, shown, view)),
    }
}

/// The value at the top of the axis of a picture: the one that was asked for, else the chart's own.
pub fn shown_top(chart: &Chart, shown: Numbers<'_>, options: &DrawOptions) -> u128 {
    let asked = options.scale.heap_max.map(|max| u128::from(max.get()).max(1));
    let own = || heights::own_highest(chart, shown.0, options.view).max(shown.1.highest());
    match options.view {
        View::Percent => WHOLE,
        View::Stacked | View::Lines => asked.unwrap_or_else(|| with_air(own())),
    }
}

/// Adds a little, so that the peak does not touch the frame.
pub fn with_air(highest: u128) -> u128 {
    highest.saturating_add(highest / 24).max(1)
}

impl HeapAxis {
    /// The axis of a chart that is `pixels` high.
    pub fn new(chart: &Chart, shown: Numbers<'_>, options: &DrawOptions, pixels: f64) -> Self {
        let most = (pixels / 48.0).clamp(2.0, 10.0) as u128;
        match options.view {
            View::Percent => Self::shares(most),
            View::Stacked | View::Lines => {
                let title = if shown.1.lines.is_empty() { "live heap" } else { "memory" };
                Self::bytes(shown_top(chart, shown, options), most, options.units, title)
            }
        }
    }

    /// An axis up to `top` bytes, with at most `most` ticks above 0.
    pub fn bytes(top: u128, most: u128, units: UnitSystem, title: &'static str) -> Self {
        let base = u128::from(units.base());
        let names = units.names();
        let power = top.ilog(base).min(names.len() as u32 - 1);
        let unit = base.pow(power);
        let name = names[power as usize];
        let decades = (0..37).map(|k| 10_u128.pow(k));
        let whole = decades.flat_map(|ten| [1, 2, 5].map(|digit| unit.saturating_mul(digit * ten)));
        let parts = [unit / 4, unit / 2].into_iter().filter(|&part| part > 0);
        let step = parts.chain(whole).find(|step| top / step <= most).unwrap_or(u128::MAX);
        let ticks = (0..=top / step)
            .map(|i| {
                let at = i * step;
                let label = match at {
                    0 => "0".to_owned(),
                    _ => format!("{} {name}", quarters(at, unit)),
                };
                Tick { at, label }
            })
            .collect();
        HeapAxis { top, ticks, title }
    }

    /// An axis of shares, up to 100 %.
    pub fn shares(most: u128) -> Self {
        let step = [20, 25, 50].into_iter().find(|step| 100 / step <= most).unwrap_or(100);
        let ticks = (0..=100 / step)
            .map(|i| Tick { at: WHOLE / 100 * i * step, label: format!("{} %", i * step) })
            .collect();
        HeapAxis { top: WHOLE, ticks, title: "share" }
    }
}

/// `value / unit` for multiples of a quarter.
fn quarters(value: u128, unit: u128) -> String {
    let part = match 4 * (value % unit) / unit {
        0 => "",
        1 => ".25",
        2 => ".5",
        _ => ".75",
    };
    format!("{}{part}", value / unit)
}

impl Ranged for HeapAxis {
    type FormatOption = NoDefaultFormatting;
    type ValueType = u128;

    fn map(&self, value: &u128, limit: (i32, i32)) -> i32 {
        between(limit, *value as f64 / self.top as f64)
    }

    fn key_points<Hint: KeyPointHint>(&self, _hint: Hint) -> Vec<u128> {
        self.ticks.iter().map(|tick| tick.at).collect()
    }

    fn range(&self) -> Range<u128> {
        0..self.top
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(axis: &HeapAxis) -> String {
        axis.ticks.iter().map(|tick| tick.label.as_str()).collect::<Vec<_>>().join(",")
    }

    fn heap(top: u128) -> HeapAxis {
        HeapAxis::bytes(top.max(1), 7, UnitSystem::Binary, "")
    }

    #[test]
    fn ticks_are_round_in_their_units() {
        let mib = 1 << 20;
        for (top, expected) in [
            (14 * mib, "0,2 MiB,4 MiB,6 MiB,8 MiB,10 MiB,12 MiB,14 MiB"),
            (5 * mib, "0,1 MiB,2 MiB,3 MiB,4 MiB,5 MiB"),
            (mib, "0,0.25 MiB,0.5 MiB,0.75 MiB,1 MiB"),
            (300 * 1024, "0,50 KiB,100 KiB,150 KiB,200 KiB,250 KiB,300 KiB"),
            (3, "0,1 B,2 B,3 B"),
            (0, "0,1 B"),
        ] {
            assert_eq!(labels(&heap(top)), expected);
        }
        let si = HeapAxis::bytes(5_100_000, 7, UnitSystem::Si, "");
        assert_eq!(labels(&si), "0,1 MB,2 MB,3 MB,4 MB,5 MB");
        assert_eq!(labels(&HeapAxis::shares(7)), "0 %,20 %,40 %,60 %,80 %,100 %");
        assert_eq!(labels(&HeapAxis::shares(2)), "0 %,50 %,100 %");
    }

    #[test]
    fn ticks_ascend_within_the_range_at_any_size() {
        let mut random = crate::testing::Random::new(1, "heaps");
        for round in 0..4000 {
            let units = [UnitSystem::Binary, UnitSystem::Si][round % 2];
            let top = ((u128::from(random.below(u64::MAX)) << 32) >> random.below(96)).max(1);
            let axis = HeapAxis::bytes(top, 7, units, "");
            assert!(axis.ticks.windows(2).all(|pair| pair[0].at < pair[1].at), "{round}");
            let mut all: Vec<&str> = axis.ticks.iter().map(|tick| tick.label.as_str()).collect();
            all.sort_unstable();
            all.dedup();
            assert_eq!(all.len(), axis.ticks.len(), "{round}");
            assert!(all.len() <= 8 && all.len() >= 2, "{top}");
            assert!(all.len() >= 4 || top < 5 || units == UnitSystem::Si, "{top} {all:?}");
            assert!(axis.ticks.last().unwrap().at <= top);
        }
        assert!(heap(u128::MAX).ticks.len() <= 8);
    }
}
