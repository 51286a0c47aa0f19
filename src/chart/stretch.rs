//! The time of one run on the axis of another: a comparison draws the run after between the ends and markers of the
//! run before. It is apart from `pair.rs`, because each chart has one, and pairs are made of charts.

use crate::base::units::Nanos;

/// The places of the instants of one run on the axis of another: straight lines between knots, and the
/// same scale of time before the first and after the last knot.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stretch {
    knots: Vec<(Nanos, Nanos)>,
}

impl Stretch {
    /// The stretch through these knots, each an instant of the run and its place. Knots that do not
    /// ascend in both are left out.
    pub fn through(knots: impl IntoIterator<Item = (Nanos, Nanos)>) -> Self {
        let mut kept: Vec<(Nanos, Nanos)> = Vec::new();
        for knot in knots {
            if kept.last().is_none_or(|last| last.0 < knot.0 && last.1 < knot.1) {
                kept.push(knot);
            }
        }
        Stretch { knots: kept }
    }

    /// The place of an instant, in nanoseconds.
    pub fn place(&self, time: Nanos) -> i64 {
        let time = time.as_nanos();
        let after = self.knots.partition_point(|knot| knot.0.as_nanos() <= time);
        let near = |i: usize| {
            let knot = self.knots.get(i)?;
            Some((knot.0.as_nanos(), knot.1.as_nanos()))
        };
        match (after.checked_sub(1).and_then(near), near(after)) {
            (None, None) => time,
            (Some((from, to)), None) | (None, Some((from, to))) => {
                to.saturating_add(time.saturating_sub(from))
            }
            (Some((from, to)), Some((from_end, to_end))) => {
                let share = (time - from) as f64 / (from_end - from) as f64;
                to.saturating_add((share * (to_end - to) as f64).round() as i64)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn alignment_is_linear_between_knots_and_keeps_the_scale_outside() {
        let at = Nanos::from_nanos;
        let stretch = Stretch::through([(at(10), at(100)), (at(20), at(300)), (at(15), at(400))]);
        let places = [5, 10, 15, 20, 25].map(|time| stretch.place(at(time)));
        assert_eq!(places, [95, 100, 200, 300, 305]);
        assert_eq!(Stretch::default().place(at(7)), 7);
    }
}
