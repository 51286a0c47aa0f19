//! Outlines thinned to what a picture can show.
//!
//! A column of pixels shows of a line only where it enters and leaves and how far it reaches
//! between: at most four points, however many samples fall into it. Peaks therefore survive.

use plotters_backend::BackendCoord;

/// The points of a line that runs from left to right, reduced to the first, lowest, highest and
/// last of every column of `column` units, without points that lie straight between others.
pub fn thin(points: impl Iterator<Item = BackendCoord>, column: i32) -> Vec<BackendCoord> {
    let mut line = Straight::default();
    let mut open: Option<Column> = None;
    for (place, point) in points.enumerate() {
        match &mut open {
            Some(known) if known.index == point.0.div_euclid(column) => known.take(place, point),
            _ => {
                if let Some(done) = open.replace(Column::new(place, point, column)) {
                    done.flush(&mut line);
                }
            }
        }
    }
    if let Some(done) = open {
        done.flush(&mut line);
    }
    line.points
}

/// What is kept of the points in one column, each with its place in the line.
struct Column {
    index: i32,
    kept: [(usize, BackendCoord); 4],
}

impl Column {
    fn new(place: usize, point: BackendCoord, column: i32) -> Self {
        Column { index: point.0.div_euclid(column), kept: [(place, point); 4] }
    }

    fn take(&mut self, place: usize, point: BackendCoord) {
        let [_, low, high, last] = &mut self.kept;
        if point.1 < low.1.1 {
            *low = (place, point);
        }
        if point.1 > high.1.1 {
            *high = (place, point);
        }
        *last = (place, point);
    }

    fn flush(mut self, line: &mut Straight) {
        self.kept.sort_unstable_by_key(|&(place, _)| place);
        self.kept.iter().for_each(|&(_, point)| line.push(point));
    }
}

/// A line that leaves out points repeated or passed straight through.
#[derive(Default)]
struct Straight {
    points: Vec<BackendCoord>,
}

impl Straight {
    fn push(&mut self, point: BackendCoord) {
        if self.points.last() == Some(&point) {
            return;
        }
        if let [.., before, last] = self.points[..]
            && is_between(before, last, point)
        {
            self.points.pop();
        }
        self.points.push(point);
    }
}

/// Whether `b` is passed on the straight way from `a` to `c`.
fn is_between(a: BackendCoord, b: BackendCoord, c: BackendCoord) -> bool {
    let step = |from: BackendCoord, to: BackendCoord| {
        (i64::from(to.0) - i64::from(from.0), i64::from(to.1) - i64::from(from.1))
    };
    let ((x1, y1), (x2, y2)) = (step(a, b), step(b, c));
    x1 * y2 == x2 * y1 && x1 * x2 + y1 * y2 > 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_column_keeps_its_ends_and_extremes_in_order() {
        let points = [(0, 5), (1, 9), (2, 1), (3, 6), (4, 4), (12, 4)];
        let thinned = thin(points.into_iter(), 10);
        assert_eq!(thinned, [(0, 5), (1, 9), (2, 1), (4, 4), (12, 4)]);
    }

    #[test]
    fn points_on_a_straight_way_are_left_out() {
        let points = [(0, 0), (10, 10), (20, 20), (20, 20), (30, 20), (40, 20)];
        assert_eq!(thin(points.into_iter(), 1), [(0, 0), (20, 20), (40, 20)]);
    }

    #[test]
    fn a_spike_there_and_back_stays() {
        let points = [(0, 0), (0, 50), (0, 0), (90, 0)];
        assert_eq!(thin(points.into_iter(), 10), [(0, 0), (0, 50), (0, 0), (90, 0)]);
    }

    #[test]
    fn many_samples_become_a_few_points_per_column() {
        let points = (0..100_000).map(|i| (i / 100, (i * 7919) % 4001));
        let thinned = thin(points, 10);
        assert!(thinned.len() <= 400);
        assert_eq!(thinned.iter().map(|point| point.1).max(), Some(4000));
    }
}
