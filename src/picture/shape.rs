//! Positions, and outlines as lines and curves; rectangles with round corners, too, for formats without
//! such a shape.

/// A position in pixels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    /// The distance from the left in pixels.
    pub x: f64,
    /// The distance from the top in pixels.
    pub y: f64,
}

/// A step of an outline, to a place given as `[x, y]`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PathStep {
    Move([f32; 2]),
    Line([f32; 2]),
    /// A cubic curve with two control points.
    Curve([f32; 2], [f32; 2], [f32; 2]),
}

pub fn polyline(points: &[Point]) -> impl Iterator<Item = PathStep> + '_ {
    points.iter().enumerate().map(|(i, point)| {
        let place = [point.x as f32, point.y as f32];
        if i == 0 { PathStep::Move(place) } else { PathStep::Line(place) }
    })
}

/// The outline of a rectangle, not closed. Its round corners differ from a circle by less than 0.03
/// %.
pub fn rectangle(at: Point, width: f64, height: f64, radius: f64) -> Vec<PathStep> {
    /// From the end of a side to the control point, as a share of the radius left over.
    const TO_CONTROL: f64 = 0.447_715_25;
    let r = radius.min(width / 2.0).min(height / 2.0);
    let c = r * TO_CONTROL;
    let (left, top, right, bottom) = (at.x, at.y, at.x + width, at.y + height);
    let place = |x: f64, y: f64| [x as f32, y as f32];
    if r <= 0.0 {
        let corners = [place(right, top), place(right, bottom), place(left, bottom)];
        let mut steps = vec![PathStep::Move(place(left, top))];
        steps.extend(corners.map(PathStep::Line));
        return steps;
    }
    let curve = |a: [f64; 2], b: [f64; 2], to: [f64; 2]| {
        PathStep::Curve(place(a[0], a[1]), place(b[0], b[1]), place(to[0], to[1]))
    };
    vec![
        PathStep::Move(place(left + r, top)),
        PathStep::Line(place(right - r, top)),
        curve([right - c, top], [right, top + c], [right, top + r]),
        PathStep::Line(place(right, bottom - r)),
        curve([right, bottom - c], [right - c, bottom], [right - r, bottom]),
        PathStep::Line(place(left + r, bottom)),
        curve([left + c, bottom], [left, bottom - c], [left, bottom - r]),
        PathStep::Line(place(left, top + r)),
        curve([left, top + c], [left + c, top], [left + r, top]),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_a_radius_there_are_four_corners() {
        let at = Point { x: 1.0, y: 2.0 };
        let steps = rectangle(at, 3.0, 4.0, 0.0);
        assert_eq!(steps.last(), Some(&PathStep::Line([1.0, 6.0])));
        assert_eq!(steps.len(), 4);
    }
}
