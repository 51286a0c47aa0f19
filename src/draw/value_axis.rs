//! The vertical axes of the plot and of panels: bytes, bytes a second, time, or shares, from 0.

use super::options::View;
use super::sampling::{Sampling, WHOLE};
use super::time_axis::Tick;
use crate::base::units::{Nanos, UnitSystem};

#[derive(Clone, Debug)]
pub struct ValueAxis {
    /// The value at the top edge, at least 1.
    pub top: u128,
    /// The ticks, ascending from 0, with distinct labels.
    pub ticks: Vec<Tick<u128>>,
    pub title: String,
}

/// The unit of an axis. The axis shows it once, so amounts next to it are written without it.
#[derive(Clone, Copy)]
pub struct AxisUnit {
    size: u128,
    pub name: &'static str,
}

impl AxisUnit {
    /// The unit of an axis up to `top` bytes.
    pub fn of(top: u128, units: UnitSystem) -> Self {
        let (base, names) = (u128::from(units.base()), units.names());
        let power = top.max(1).ilog(base).min(names.len() as u32 - 1);
        AxisUnit { size: base.pow(power), name: names[power as usize] }
    }

    /// An amount in this unit, without its name: three digits, at most two of them after the point. A smaller amount is
    /// written as 0.
    pub fn number(self, bytes: u128) -> String {
        let value = bytes as f64 / self.size as f64;
        let decimals = if value >= 99.95 { 0 } else { usize::from(value < 9.995) + 1 };
        let text = format!("{value:.decimals$}");
        match text.contains('.') {
            true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
            false => text,
        }
    }
}

/// How many ticks a panel has above 0.
const TICKS_OF_PANEL: u128 = 3;

impl ValueAxis {
    /// The axis of a plot that is `pixels` high.
    pub fn of_plot(sampling: &Sampling<'_>, pixels: f64) -> Self {
        let most = (pixels / 80.0).clamp(2.0, 5.0) as u128;
        let options = sampling.options;
        match options.view {
            View::Percent => Self::shares(most),
            View::Stacked | View::Lines => {
                Self::bytes(sampling.shown_top(), most, options.units).with_unit_above()
            }
        }
    }

    /// The axis of a panel of bytes.
    pub fn bytes_of_panel(top: u128, units: UnitSystem) -> Self {
        Self::bytes(top.max(1), TICKS_OF_PANEL, units)
    }

    /// The axis of a panel of bytes a second.
    pub fn rate_of_panel(top: u128, units: UnitSystem) -> Self {
        let mut axis = Self::bytes_of_panel(top, units);
        let with_unit = axis.ticks.iter_mut().filter(|tick| tick.at > 0);
        with_unit.for_each(|tick| tick.label.push_str("/s"));
        axis
    }

    /// The axis of a panel of shares.
    pub fn shares_of_panel() -> Self {
        ValueAxis { title: String::new(), ..Self::shares(2) }
    }

    /// The axis of a panel of lengths of time, in nanoseconds.
    pub fn time_of_panel(top: u128) -> Self {
        let top = top.max(1);
        let step = round_numbers().find(|step| top / step <= TICKS_OF_PANEL).unwrap_or(top);
        Self::with_step(top, step, "", |at| match at {
            0 => "0".to_owned(),
            _ => Nanos::from_nanos(i64::try_from(at).unwrap_or(i64::MAX)).to_string(),
        })
    }

    /// An axis up to `top` bytes, with at most `most` ticks above 0.
    pub fn bytes(top: u128, most: u128, units: UnitSystem) -> Self {
        let AxisUnit { size: unit, name } = AxisUnit::of(top, units);
        let whole = round_numbers().map(|number| unit.saturating_mul(number));
        let parts = [unit / 4, unit / 2].into_iter().filter(|&part| part > 0);
        let step = parts.chain(whole).find(|step| top / step <= most).unwrap_or(u128::MAX);
        Self::with_step(top, step, "", |at| match at {
            0 => "0".to_owned(),
            _ => format!("{} {name}", quarters(at, unit)),
        })
    }

    /// The axis with its unit once, as its title.
    fn with_unit_above(mut self) -> Self {
        for tick in &mut self.ticks {
            if let Some((number, unit)) = tick.label.split_once(' ') {
                self.title = unit.to_owned();
                tick.label = number.to_owned();
            }
        }
        self
    }

    /// An axis of shares, up to 100 %.
    pub fn shares(most: u128) -> Self {
        let step = [20, 25, 50].into_iter().find(|step| 100 / step <= most).unwrap_or(100);
        let percent = WHOLE / 100;
        Self::with_step(WHOLE, percent * step, "share", |at| format!("{} %", at / percent))
    }

    fn with_step(
        top: u128,
        step: u128,
        title: &'static str,
        label: impl Fn(u128) -> String,
    ) -> Self {
        let places = (0..=top / step).map(|i| i * step);
        let ticks = places.map(|at| Tick { at, label: label(at) }).collect();
        ValueAxis { top, ticks, title: title.to_owned() }
    }
}

/// The numbers that steps between ticks are made of, ascending: 1, 2, 5, 10, 20 and so on.
fn round_numbers() -> impl Iterator<Item = u128> {
    (0..37).map(|k| 10_u128.pow(k)).flat_map(|ten| [1, 2, 5].map(|digit| digit * ten))
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

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(axis: &ValueAxis) -> String {
        axis.ticks.iter().map(|tick| tick.label.as_str()).collect::<Vec<_>>().join(",")
    }

    fn heap(top: u128) -> ValueAxis {
        ValueAxis::bytes(top.max(1), 7, UnitSystem::Binary)
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
        let si = ValueAxis::bytes(5_100_000, 7, UnitSystem::Si);
        assert_eq!(labels(&si), "0,1 MB,2 MB,3 MB,4 MB,5 MB");
        assert_eq!(labels(&ValueAxis::shares(7)), "0 %,20 %,40 %,60 %,80 %,100 %");
        assert_eq!(labels(&ValueAxis::shares(2)), "0 %,50 %,100 %");
    }

    #[test]
    fn amounts_beside_an_axis_have_its_unit() {
        let mib = |bytes: u128| AxisUnit::of(20 << 20, UnitSystem::Binary).number(bytes);
        for (bytes, text) in [
            (0, "0"),
            (5242, "0"),
            (5243, "0.01"),
            (1 << 20, "1"),
            (1_300_000, "1.24"),
            (15_728_640, "15"),
            (16_000_000, "15.3"),
            (104_805_171, "99.9"),
            (104_805_172, "100"),
        ] {
            assert_eq!(mib(bytes), text, "{bytes}");
        }
        assert_eq!(AxisUnit::of(0, UnitSystem::Binary).number(3), "3");
        assert_eq!(AxisUnit::of(999_999, UnitSystem::Si).name, "kB");
        assert_eq!(AxisUnit::of(u128::MAX, UnitSystem::Binary).name, "YiB");
    }

    #[test]
    fn ticks_ascend_within_the_range_at_any_size() {
        let mut random = crate::testing::Random::new(1, "heaps");
        for round in 0..4000 {
            let units = [UnitSystem::Binary, UnitSystem::Si][round % 2];
            let top = ((u128::from(random.below(u64::MAX)) << 32) >> random.below(96)).max(1);
            let axis = ValueAxis::bytes(top, 7, units);
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
