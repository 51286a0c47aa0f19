//! The panel of how fast the program allocates.

use super::panel::{Curve, Look, Panel, PanelInput};
use super::value_axis;
use crate::analysis::runtime::AllocationFigures;
use crate::picture::Tone;

/// The most stretches in which the rate is shown.
const STRETCHES: usize = 160;

/// The panel of allocation.
pub fn panels(source: &PanelInput<'_>) -> (Vec<Panel>, Vec<String>) {
    let activity = &source.chart.activity;
    let units = source.options.units;
    let steps = activity.allocation_rate(STRETCHES);
    let Some(figures) = AllocationFigures::of(activity).filter(|_| !steps.is_empty()) else {
        return (Vec::new(), Vec::new());
    };
    let highest = steps.iter().map(|step| step.value).max().unwrap_or(0);
    let panel = Panel {
        id: "allocation",
        title: "allocation a second in the program",
        axis: value_axis::rate(value_axis::with_air(highest), units),
        curves: vec![Curve {
            name: "allocated".to_owned(),
            figure: format!(
                "{}, {}/s",
                units.text(figures.bytes.into()),
                units.text(figures.bytes_per_second)
            ),
            look: Look::Stairs(Tone(35).into()),
            pieces: source.stairs(&steps, |value| value),
        }],
    };
    (vec![panel], Vec::new())
}
