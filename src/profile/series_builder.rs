//! The part of the builder that takes the run-time system's figures of the heap.

use super::{HeapFigure, ProfileBuilder};
use crate::base::units::{Bytes, Nanos};
use crate::incident::limit::Limit;

impl ProfileBuilder {
    /// Adds a value to a heap series. [`ProfileBuilder::allocated`] is the way to
    /// [`HeapFigure::Allocated`], of which a log has only parts.
    pub fn heap_point(&mut self, figure: HeapFigure, time: Nanos, bytes: Bytes) {
        let most = self.limits().heap_points;
        let points = &mut self.heap.of_mut(figure).points;
        if points.len() < most {
            points.push((time, bytes));
        } else {
            self.over_limit(Limit::HeapPoints, most, figure.values());
        }
    }
}
