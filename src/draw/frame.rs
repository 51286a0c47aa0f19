//! Where a plot is in its picture.

/// A rectangle between two corners, in pixels.
#[derive(Clone, Copy, Debug)]
pub struct Frame {
    /// Left edge.
    pub left: f64,
    /// Upper edge.
    pub top: f64,
    /// Right edge.
    pub right: f64,
    /// Lower edge.
    pub bottom: f64,
}

impl Frame {
    /// The distance from the upper to the lower edge.
    pub fn height(&self) -> f64 {
        self.bottom - self.top
    }
}
