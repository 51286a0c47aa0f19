//! Panels of pauses by generation, and of how much of the time the program ran.

use super::panel::{Curve, Look, Panel, PanelInput};
use super::value_axis;
use crate::analysis::runtime::{Collection, GcFigures, Generation, WHOLE, sum_of_times};
use crate::base::units::{count, percent};
use crate::draw::heights;
use crate::draw::options::XAxis;
use crate::picture::Tone;

/// The most stretches in which the share of time is shown.
const STRETCHES: usize = 160;

/// The two panels of collections, and the notes about them.
pub fn panels(source: &PanelInput<'_>) -> (Vec<Panel>, Vec<String>) {
    let collections = &source.chart.activity.runtime.collections;
    if collections.all().is_empty() {
        return (Vec::new(), Vec::new());
    }
    let note = GcFigures::of(&source.chart.activity).and_then(|gc| gc.census_note());
    (vec![pauses(source), running(source)], note.into_iter().collect())
}

fn pauses(source: &PanelInput<'_>) -> Panel {
    let collections = &source.chart.activity.runtime.collections;
    let pause = |gc: &Collection| gc.pause().as_nanos().max(0) as u128;
    let longest = collections.all().iter().map(pause).max().unwrap_or(0);
    let generations = collections.generations();
    let oldest = generations.len().saturating_sub(1);
    let curves = generations.iter().enumerate().map(|(i, generation)| {
        let own = collections.all().iter().filter(|gc| gc.generation == generation.number);
        // The youngest is the palest, the oldest black; both show at the same place.
        let tone = 35 + 65 * i / oldest.max(1);
        Curve {
            name: format!("generation {}", generation.number),
            figure: figure(generation),
            look: Look::Stairs(Tone(tone as u8).into()),
            pieces: vec![source.skyline(own.map(|gc| (gc.start, gc.end, pause(gc))))],
        }
    });
    Panel {
        id: "pauses",
        title: "longest pauses",
        axis: value_axis::time(value_axis::with_air(longest)),
        curves: curves.collect(),
    }
}

fn figure(generation: &Generation) -> String {
    let all = sum_of_times(generation.pause_ns);
    let longest = generation.longest;
    format!("{}, {all}, longest {longest}", count(generation.collections, "collection"))
}

fn running(source: &PanelInput<'_>) -> Panel {
    let activity = &source.chart.activity;
    let steps = activity.productivity(STRETCHES);
    let height = |value: u128| value * heights::WHOLE / WHOLE;
    let elapsed = activity.elapsed().as_nanos().max(1) as u128;
    let ran = activity.clock.between(activity.from, activity.to) as u128;
    // On the mutator's axis, the width of a stretch is the time that the program ran in it.
    let title = match source.time.kind() {
        XAxis::Mutator => "share of elapsed time in the program",
        _ => "share of time in the program",
    };
    Panel {
        id: "running",
        title,
        axis: value_axis::shares(),
        curves: vec![Curve {
            name: "productivity".to_owned(),
            figure: format!("{} of {}", percent(ran, elapsed), activity.elapsed()),
            look: Look::Stairs(Tone(35).into()),
            pieces: source.stairs(&steps, height),
        }],
    }
}
