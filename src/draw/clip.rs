//! Lines cut at the edges of the plot, before they become pixels.

/// A place on the two axes.
pub type Place = (i64, u128);

/// The range of values that the plot shows on both axes.
#[derive(Clone, Copy, Debug)]
pub struct PlotRange {
    /// The left end.
    pub low: i64,
    /// The right end.
    pub high: i64,
    /// The upper end.
    pub top: u128,
}

impl PlotRange {
    /// Clips the upper edge of an area: above the plot, it runs along the top.
    pub fn edge(&self, places: Vec<Place>) -> Vec<Place> {
        let places = self.between_ends(places);
        if places.iter().all(|place| place.1 <= self.top) {
            return places;
        }
        let mut edge: Vec<Place> = Vec::with_capacity(places.len());
        for (i, &place) in places.iter().enumerate() {
            if let Some(before) = i.checked_sub(1).map(|i| places[i]) {
                edge.extend(self.crossing(before, place));
            }
            edge.push((place.0, place.1.min(self.top)));
        }
        edge
    }

    /// The parts of a line that are in the plot.
    pub fn pieces(&self, places: Vec<Place>) -> Vec<Vec<Place>> {
        let places = self.between_ends(places);
        let mut pieces: Vec<Vec<Place>> = vec![Vec::new()];
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
    fn crossing(&self, a: Place, b: Place) -> Option<Place> {
        if (a.1 <= self.top) == (b.1 <= self.top) {
            return None;
        }
        let share = (self.top as f64 - a.1 as f64) / (b.1 as f64 - a.1 as f64);
        let step = (b.0 as f64 - a.0 as f64) * share.clamp(0.0, 1.0);
        Some((a.0.saturating_add(step.round() as i64).clamp(a.0, b.0), self.top))
    }

    /// The part of a line, which runs from left to right, between the ends of the axis.
    fn between_ends(&self, places: Vec<Place>) -> Vec<Place> {
        let inside = |place: &Place| (self.low..=self.high).contains(&place.0);
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
        assert_eq!(PLOT.pieces(vec![(101, 7)]), Vec::<Vec<Place>>::new());
    }
}
