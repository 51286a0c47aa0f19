//! A laid-out picture: outlines, lines, rectangles and texts in groups. Everything is decided in it,
//! the place, size and colour of each item, so that every format shows the same picture.

#![allow(missing_docs, reason = "the names and types of parts say what they are")]

use super::shape::{self, PathStep, Point};
use super::text_width::{self, FontWeight};
use super::theme::Paint;
use super::theme::Role;

/// A laid-out picture. Lengths are in pixels, the origin is the upper left corner; items are in
/// painting order.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Scene {
    pub width: f64,
    pub height: f64,
    /// The title of the picture, in one line.
    pub title: String,
    /// A description of the picture for those who cannot see it.
    pub description: String,
    /// The profiled command line, if the file contains it.
    pub source: Option<String>,
    /// What is painted, the background first.
    pub items: Vec<Item>,
}

/// Something that a picture contains.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Item {
    Group(Group),
    Area(Area),
    Line(Line),
    Rectangle(Rectangle),
    Text(Text),
}

/// Items that belong together, and what they are.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Group {
    /// The kind of thing: `band`, `key-entry`, `marker`, `axis` and so on.
    pub class: &'static str,
    /// A name that depends only on what it shows, unique in the scene: ASCII letters, digits and
    /// `-`.
    pub id: Option<String>,
    /// The full name of the band that it shows.
    pub label: Option<String>,
    /// The hover text, in several lines.
    pub title: Option<String>,
    /// The id of the group that it links to.
    pub target: Option<String>,
    /// The items of the group, in painting order.
    pub items: Vec<Item>,
}

impl Group {
    pub(crate) fn new(class: &'static str) -> Self {
        Group { class, id: None, label: None, title: None, target: None, items: Vec::new() }
    }
}

#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Area {
    /// The corners of the outline; the last is joined to the first.
    pub points: Vec<Point>,
    pub fill: Paint,
    /// A line along it, centred on the outline.
    pub edge: Option<Stroke>,
}

#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Line {
    /// The ends and corners of the line: at least two points.
    pub points: Vec<Point>,
    pub stroke: Stroke,
}

/// How a line is drawn; joins are round.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Stroke {
    pub paint: Paint,
    /// The width of the line in pixels.
    pub width: f64,
    /// The lengths of dashes and of the gaps between them, in pixels; `None` for a whole line.
    pub dash: Option<(f64, f64)>,
}

impl Stroke {
    pub(crate) fn new(paint: impl Into<Paint>, width: f64) -> Self {
        Stroke { paint: paint.into(), width, dash: None }
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Rectangle {
    /// The upper left corner.
    pub at: Point,
    pub width: f64,
    pub height: f64,
    /// The radius of its corners.
    pub radius: f64,
    pub fill: Paint,
}

impl Rectangle {
    pub(super) fn outline(&self) -> Vec<PathStep> {
        shape::rectangle(self.at, self.width, self.height, self.radius)
    }
}

/// A line of text without control characters.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Text {
    /// The place on the base line; `anchor` says which part of the text is there.
    pub at: Point,
    /// Which part of the text is at `at`.
    pub anchor: Anchor,
    /// The font size in pixels.
    pub size: f64,
    pub weight: FontWeight,
    pub paint: Paint,
    pub content: String,
}

/// Which part of a text is at its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Anchor {
    Start,
    Middle,
    End,
}

impl Text {
    pub(crate) fn new(x: f64, y: f64, size: f64, role: Role, content: impl Into<String>) -> Self {
        Text {
            at: Point { x, y },
            anchor: Anchor::Start,
            size,
            weight: FontWeight::Regular,
            paint: role.into(),
            content: content.into(),
        }
    }

    pub(crate) fn anchored(mut self, anchor: Anchor) -> Self {
        self.anchor = anchor;
        self
    }

    pub(crate) fn bold(mut self) -> Self {
        self.weight = FontWeight::Bold;
        self
    }

    /// The left and right end in pixels, as measured on the bundled font.
    pub fn extent(&self) -> (f64, f64) {
        let width = text_width::width(&self.content, self.size, self.weight);
        let left = match self.anchor {
            Anchor::Start => self.at.x,
            Anchor::Middle => self.at.x - width / 2.0,
            Anchor::End => self.at.x - width,
        };
        (left, left + width)
    }
}

/// What a format can paint; the rest is one walk over the scene.
pub(super) trait Canvas {
    /// An outline in the form that the format draws.
    type Path;

    /// The path of some steps, closed or not; `None` if there is nothing to draw.
    fn path(&self, steps: impl Iterator<Item = PathStep>, is_closed: bool) -> Option<Self::Path>;

    fn fill(&mut self, path: &Self::Path, paint: Paint);

    fn stroke(&mut self, path: &Self::Path, stroke: Stroke);

    fn text(&mut self, text: &Text);

    /// A format of whole pixels may move a line to them.
    fn line(&mut self, line: &Line) {
        if let Some(path) = self.path(shape::polyline(&line.points), false) {
            self.stroke(&path, line.stroke);
        }
    }

    /// A format that has rectangles writes them as such.
    fn rectangle(&mut self, rectangle: &Rectangle) {
        if let Some(path) = self.path(rectangle.outline().into_iter(), true) {
            self.fill(&path, rectangle.fill);
        }
    }

    /// Paints items, the first at the back.
    fn items(&mut self, items: &[Item]) {
        for item in items {
            match item {
                Item::Group(group) => self.items(&group.items),
                Item::Area(area) => {
                    if let Some(path) = self.path(shape::polyline(&area.points), true) {
                        self.fill(&path, area.fill);
                        area.edge.into_iter().for_each(|edge| self.stroke(&path, edge));
                    }
                }
                Item::Line(line) => self.line(line),
                Item::Rectangle(rectangle) => self.rectangle(rectangle),
                Item::Text(text) => self.text(text),
            }
        }
    }
}

macro_rules! into_item {
    ($($kind:ident),*) => {
        $(impl From<$kind> for Item {
            fn from(item: $kind) -> Self {
                Item::$kind(item)
            }
        })*
    };
}
into_item!(Group, Area, Line, Rectangle, Text);
