//! Lines cut at the edges of a plot, without points that nobody can see.

use plotters_backend::BackendCoord;

/// A place on the two axes.
pub type PlotPoint = (i64, u128);

/// The range of values that the plot shows on both axes.
#[derive(Clone, Copy, Debug)]
pub struct PlotRange {
    /// The left end of the axis.
    pub low: i64,
    /// The right end of the axis.
    pub high: i64,
    /// The upper end of the value axis.
    pub top: u128,
}

impl PlotRange {
    /// Clips the upper edge of an area: above the plot, it runs along the top.
    pub fn edge(&self, places: Vec<PlotPoint>) -> Vec<PlotPoint> {
        let places = self.between_ends(places);
        if places.iter().all(|place| place.1 <= self.top) {
            return places;
        }
        let mut edge: Vec<PlotPoint> = Vec::with_capacity(places.len());
        for (i, &place) in places.iter().enumerate() {
            if let Some(before) = i.checked_sub(1).map(|i| places[i]) {
                edge.extend(self.crossing(before, place));
            }
            edge.push((place.0, place.1.min(self.top)));
        }
        edge
    }

    /// The parts of a line that are in the plot.
    pub fn pieces(&self, places: Vec<PlotPoint>) -> Vec<Vec<PlotPoint>> {
        let places = self.between_ends(places);
        let mut pieces: Vec<Vec<PlotPoint>> = vec![Vec::new()];
        for (i, &place) in places.iter().enumerate() {
            let crossing = i.checked_sub(1).and_then(|i| self.crossing(places[i], place));
            if let Some(piece) = pieces.last_mut() {
                piece.extend(crossing);
                if place.1 <= self.top {
                    piece.push(place);
                } else if !piece.is_empty() {
                    pieces.push(Vec::new());
                }
            }
        }
        pieces.retain(|piece| !piece.is_empty());
        pieces
    }

    /// Where the line between two places crosses the top.
    fn crossing(&self, a: PlotPoint, b: PlotPoint) -> Option<PlotPoint> {
        if (a.1 <= self.top) == (b.1 <= self.top) {
            return None;
        }
        let share = (self.top as f64 - a.1 as f64) / (b.1 as f64 - a.1 as f64);
        let step = (b.0 as f64 - a.0 as f64) * share.clamp(0.0, 1.0);
        Some((a.0.saturating_add(step.round() as i64).clamp(a.0, b.0), self.top))
    }

    /// The part of a line, which runs from left to right, between the ends of the axis.
    fn between_ends(&self, places: Vec<PlotPoint>) -> Vec<PlotPoint> {
        let inside = |place: &PlotPoint| (self.low..=self.high).contains(&place.0);
        if places.iter().all(inside) {
            return places;
        }
        let start = places.partition_point(|place| place.0 < self.low);
        let end = places.partition_point(|place| place.0 <= self.high);
        let at = |right: usize, end: i64| {
            let (a, b) = (*places.get(right.checked_sub(1)?)?, *places.get(right)?);
            (a.0 < end && end < b.0).then(|| {
                let share = (end as f64 - a.0 as f64) / (b.0 as f64 - a.0 as f64);
                let height = a.1 as f64 + (b.1 as f64 - a.1 as f64) * share;
                (end, height.round() as u128)
            })
        };
        let (before, after) = (at(start, self.low), at(end, self.high));
        before.into_iter().chain(places[start..end].iter().copied()).chain(after).collect()
    }
}

/// A line without repeated points and without points on the straight way between their neighbours: most bytes of an SVG
/// are digits.
pub fn straight(points: impl IntoIterator<Item = BackendCoord>) -> Vec<BackendCoord> {
    let mut line: Vec<BackendCoord> = Vec::new();
    for point in points {
        if line.last() == Some(&point) {
            continue;
        }
        if let [.., before, last] = line[..]
            && is_between(before, last, point)
        {
            line.pop();
        }
        line.push(point);
    }
    line
}

/// Whether `b` is on the straight way from `a` to `c`.
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

    const PLOT: PlotRange = PlotRange { low: 0, high: 100, top: 50 };

    #[test]
    fn shapes_inside_are_unchanged() {
        let line = vec![(0, 0), (50, 50), (100, 3)];
        assert_eq!(PLOT.edge(line.clone()), line);
        assert_eq!(PLOT.pieces(line.clone()), [line]);
    }

    #[test]
    fn clipped_edges_follow_the_top_and_clipped_lines_are_split() {
        let line = vec![(0, 0), (20, 100), (40, 100), (60, 0), (80, 50), (90, 60)];
        let edge =
            [(0, 0), (10, 50), (20, 50), (40, 50), (50, 50), (60, 0), (80, 50), (80, 50), (90, 50)];
        assert_eq!(PLOT.edge(line.clone()), edge);
        let pieces = [vec![(0, 0), (10, 50)], vec![(50, 50), (60, 0), (80, 50), (80, 50)]];
        assert_eq!(PLOT.pieces(line), pieces);
    }

    #[test]
    fn ends_are_cut_between_samples() {
        assert_eq!(
            PLOT.edge(vec![(-10, 0), (10, 20), (90, 20), (110, 40)]),
            [(0, 10), (10, 20), (90, 20), (100, 30)]
        );
        assert_eq!(PLOT.edge(vec![(-50, 0), (150, 40)]), [(0, 10), (100, 30)]);
        assert_eq!(PLOT.edge(vec![(-50, 0), (-1, 40)]), []);
        assert_eq!(PLOT.pieces(vec![(101, 7)]), Vec::<Vec<PlotPoint>>::new());
    }

    #[test]
    fn points_on_a_straight_way_are_left_out_and_spikes_are_not() {
        let ramp = [(0, 0), (10, 10), (20, 20), (20, 20), (30, 20), (40, 20)];
        assert_eq!(straight(ramp), [(0, 0), (20, 20), (40, 20)]);
        let spike = [(0, 0), (0, 50), (0, 0), (90, 0)];
        assert_eq!(straight(spike), spike);
    }
}
