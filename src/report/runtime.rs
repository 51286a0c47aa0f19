//! The activity of the run-time system for the panels under the chart: single collections as far as they
//! fit, and rates over stretches of the run.

use super::columns::{self, Sections};
use crate::analysis::runtime::{Activity, Collection, Step};
use crate::base::units::Nanos;
use crate::draw::XAxis;
use crate::slice::Slice;

/// The most collections in a page; if there are more, the longest of each stretch is kept.
const MOST_PAUSES: usize = 3000;
/// The most stretches in a rate.
const MOST_STEPS: usize = 400;

/// Appends the columns of the panels, and their axis if it differs from the samples' times.
pub fn panels(sections: &mut Sections, slice: &Slice<'_>, x: XAxis) {
    let activity = Activity::of(slice);
    if x == XAxis::Mutator && !activity.clock.is_elapsed() {
        let places = slice.times().iter().map(|&time| activity.clock.at(time).as_nanos());
        sections.times("axis", places);
    }
    if activity.is_empty() {
        return;
    }
    let pauses = longest(activity.runtime.collections.all());
    sections.times("gc.start", pauses.iter().map(|gc| gc.start.as_nanos()));
    sections.numbers("gc.length", pauses.iter().map(|gc| length(gc.pause())));
    sections.numbers("gc.generation", pauses.iter().map(|gc| u64::from(gc.generation)));
    steps(sections, "productivity", &activity.productivity(MOST_STEPS));
    steps(sections, "allocation", &activity.allocation_rate(MOST_STEPS));
}

fn length(pause: Nanos) -> u64 {
    u64::try_from(pause.as_nanos()).unwrap_or(0).min(columns::MOST)
}

/// All collections, or the longest of each stretch if there are very many.
fn longest(all: &[Collection]) -> Vec<&Collection> {
    let stretch = all.len().div_ceil(MOST_PAUSES).max(1);
    all.chunks(stretch).filter_map(|some| some.iter().max_by_key(|gc| gc.pause())).collect()
}

fn steps(sections: &mut Sections, name: &str, steps: &[Step]) {
    sections.times(&format!("{name}.from"), steps.iter().map(|step| step.from.as_nanos()));
    sections.times(&format!("{name}.to"), steps.iter().map(|step| step.to.as_nanos()));
    let held = |value: u128| u64::try_from(value).unwrap_or(u64::MAX).min(columns::MOST);
    let values: Vec<u64> = steps.iter().map(|step| held(step.value)).collect();
    sections.series(name, &values);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::runtime::testing::gc;

    #[test]
    fn the_longest_collection_of_each_stretch_is_kept() {
        let length = |i: i64| if i % 7 == 0 { 50 } else { 3 };
        let gc = |i: i64| gc(0, 100 * i, 100 * i + length(i));
        let all: Vec<Collection> = (0..70_000).map(gc).collect();
        let kept = longest(&all);
        assert!(kept.len() <= MOST_PAUSES);
        assert!(kept.iter().all(|gc| gc.pause().as_nanos() == 50));
        assert_eq!(longest(&all[..5]).len(), 5);
    }
}
