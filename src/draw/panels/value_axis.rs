//! The vertical axes of panels: few ticks, in units of time, memory, memory a second, or shares.

use crate::base::units::{Nanos, UnitSystem};
use crate::draw::axis::Tick;
use crate::draw::heap_axis::HeapAxis;

/// How many ticks a panel has above 0.
const TICKS: u128 = 3;

/// An axis of lengths of time in nanoseconds.
pub fn time(top: u128) -> HeapAxis {
    let top = top.max(1);
    let decades = (0..20).map(|k| 10_u128.pow(k));
    let steps = decades.flat_map(|ten| [1, 2, 5].map(|digit| digit * ten));
    let step = steps.into_iter().find(|step| top / step <= TICKS).unwrap_or(top);
    let label = |at: u128| match at {
        0 => "0".to_owned(),
        _ => Nanos::from_nanos(i64::try_from(at).unwrap_or(i64::MAX)).to_string(),
    };
    let ticks = (0..=top / step).map(|i| Tick { at: i * step, label: label(i * step) });
    HeapAxis { top, ticks: ticks.collect(), title: "" }
}

/// An axis of bytes.
pub fn bytes(top: u128, units: UnitSystem) -> HeapAxis {
    HeapAxis::bytes(top.max(1), TICKS, units, "")
}

/// An axis of bytes a second.
pub fn rate(top: u128, units: UnitSystem) -> HeapAxis {
    let mut axis = bytes(top, units);
    let with_unit = axis.ticks.iter_mut().filter(|tick| tick.at > 0);
    with_unit.for_each(|tick| tick.label.push_str("/s"));
    axis
}

/// An axis of shares, up to 100 %.
pub fn shares() -> HeapAxis {
    HeapAxis { title: "", ..HeapAxis::shares(2) }
}

/// Adds a little to the highest value, so that it does not touch the frame.
pub fn with_air(highest: u128) -> u128 {
    highest.saturating_add(highest / 12).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panel_has_few_round_ticks() {
        let labels = |axis: HeapAxis| -> Vec<String> {
            axis.ticks.into_iter().map(|tick| tick.label).collect()
        };
        assert_eq!(labels(time(42_000_000)), ["0", "20 ms", "40 ms"]);
        assert_eq!(labels(time(65_000_000)), ["0", "20 ms", "40 ms", "60 ms"]);
        assert_eq!(labels(time(0)), ["0", "1 ns"]);
        assert_eq!(
            labels(rate(3 << 20, UnitSystem::Binary)),
            ["0", "1 MiB/s", "2 MiB/s", "3 MiB/s"]
        );
        assert_eq!(labels(shares()), ["0 %", "50 %", "100 %"]);
        assert!(labels(time(u128::MAX)).len() <= 5);
    }
}
