//! SVG: one file for light and dark pages, without scripts and without references to other files.
//!
//! Colours are classes in one style sheet rather than attributes, so that a media query can swap
//! them; plain values rather than custom properties, which most viewers outside browsers ignore.
//! Positions are whole multiples of a tenth of a pixel in the plot, so relative paths lose
//! nothing.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::io::{self, Write as _};

use svg::Node;
use svg::node::Blob;
use svg::node::element::Element;

use crate::picture::{
    Anchor, FontWeight, Group, Item, Paint, Point, Rectangle, Rgb, Scene, Stroke, Text, Theme,
};

/// How an SVG is written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SvgOptions {
    /// The colours; with `None` the reader's system decides, and prints are light. Default `None`.
    pub theme: Option<Theme>,
}

/// The scene as an SVG document.
pub fn svg(scene: &Scene, options: &SvgOptions) -> String {
    let mut text = Vec::new();
    svg_to(scene, options, &mut text).expect("writing to memory");
    String::from_utf8(text).expect("an SVG is made of text")
}

/// Writes what [`svg()`] gives item by item.
///
/// # Errors
/// Those of `out`.
pub fn svg_to(scene: &Scene, options: &SvgOptions, out: impl io::Write) -> io::Result<()> {
    let mut out = io::BufWriter::new(out);
    let mut classes = Classes::default();
    scene.items.iter().for_each(|item| classes.take(item));
    let (width, height) = (number(scene.width), number(scene.height));
    let mut document = Element::new("svg");
    document.assign("aria-labelledby", "heapviz-title heapviz-desc");
    document.assign("class", "heapviz");
    document.assign("font-family", "DejaVu Sans,Verdana,sans-serif");
    document.assign("role", "img");
    document.assign("viewBox", format!("0 0 {width} {height}"));
    document.assign("width", width);
    document.assign("height", height);
    document.assign("xmlns", "http://www.w3.org/2000/svg");
    for (name, id, content) in [
        ("title", Some("heapviz-title"), &scene.title),
        ("desc", Some("heapviz-desc"), &scene.description),
        ("style", None, &classes.style(options.theme)),
    ] {
        let mut element = with_text(name, content);
        id.into_iter().for_each(|id| element.assign("id", id));
        document.append(element);
    }
    // The items are not appended, so that only one of them at a time is in memory as elements.
    const END: &str = "</svg>";
    let document = document.to_string();
    out.write_all(document.strip_suffix(END).unwrap_or(&document).as_bytes())?;
    scene.items.iter().try_for_each(|item| writeln!(out, "{}", element(item)))?;
    writeln!(out, "{END}")?;
    out.flush()
}

fn element(item: &Item) -> Element {
    match item {
        Item::Group(group) => self::group(group),
        Item::Area(area) => {
            let mut class = class(PaintUse::Fill, area.fill);
            let mut element = path(&area.points, "z");
            if let Some(edge) = area.edge {
                class += &format!(" {}", self::class(PaintUse::Stroke, edge.paint));
                stroke(&mut element, edge);
            }
            element.assign("class", class);
            element
        }
        Item::Line(line) => {
            let mut element = path(&line.points, "");
            element.assign("class", class(PaintUse::Stroke, line.stroke.paint));
            element.assign("fill", "none");
            stroke(&mut element, line.stroke);
            element
        }
        Item::Rectangle(rectangle) => {
            let mut element = Element::new("rect");
            element.assign("class", class(PaintUse::Fill, rectangle.fill));
            element.assign("x", number(rectangle.at.x));
            element.assign("y", number(rectangle.at.y));
            element.assign("width", number(rectangle.width));
            element.assign("height", number(rectangle.height));
            if rectangle.radius > 0.0 {
                element.assign("rx", number(rectangle.radius));
            }
            element
        }
        Item::Text(text) => {
            let mut element = with_text("text", &text.content);
            element.assign("class", class(PaintUse::Fill, text.paint));
            element.assign("x", number(text.at.x));
            element.assign("y", number(text.at.y));
            element.assign("font-size", number(text.size));
            if text.weight == FontWeight::Bold {
                element.assign("font-weight", "bold");
            }
            match text.anchor {
                Anchor::Start => {}
                Anchor::Middle => element.assign("text-anchor", "middle"),
                Anchor::End => element.assign("text-anchor", "end"),
            }
            element
        }
    }
}

fn group(group: &Group) -> Element {
    let mut element = Element::new(if group.target.is_some() { "a" } else { "g" });
    element.assign("class", group.class);
    if let Some(label) = &group.label {
        element.assign("data-label", &*legal(label));
    }
    if let Some(target) = &group.target {
        element.assign("href", format!("#{target}"));
    }
    if let Some(id) = &group.id {
        element.assign("id", id.as_str());
    }
    if let Some(title) = &group.title {
        element.append(with_text("title", title));
    }
    for item in &group.items {
        match item {
            Item::Group(group) if group.class == FRAME => {
                element.append(Blob::new(frame(group)));
            }
            Item::Group(_) | Item::Area(_) | Item::Line(_) | Item::Rectangle(_) | Item::Text(_) => {
                element.append(self::element(item))
            }
        }
    }
    element
}

/// The class of a bar of a flame graph.
const FRAME: &str = "frame";

/// A bar of a flame graph, which has up to 6 000 of them: as elements they take five times as long.
fn frame(group: &Group) -> String {
    let escaped =
        |text: &str| legal(text).replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    let [label, title] = [&group.label, &group.title].map(|text| text.as_deref().unwrap_or(""));
    let label = escaped(label).replace('"', "&quot;").replace('\'', "&apos;");
    let mut text = format!(
        "<g class=\"{FRAME}\" data-label=\"{label}\">\n<title>{}</title>\n",
        escaped(title)
    );
    for item in &group.items {
        let _ = match item {
            Item::Rectangle(Rectangle { at, width, height, radius, fill }) if *radius > 0.0 => {
                let [height, radius, width, x, y] =
                    [*height, *radius, *width, at.x, at.y].map(number);
                writeln!(
                    text,
                    "<rect class=\"{}\" height=\"{height}\" rx=\"{radius}\" width=\"{width}\" x=\"{x}\" y=\"{y}\"/>",
                    class(PaintUse::Fill, *fill)
                )
            }
            Item::Text(Text {
                at,
                anchor: Anchor::Start,
                size,
                weight: FontWeight::Regular,
                paint,
                content,
            }) => {
                let [size, x, y] = [*size, at.x, at.y].map(number);
                writeln!(
                    text,
                    "<text class=\"{}\" font-size=\"{size}\" x=\"{x}\" y=\"{y}\">{}</text>",
                    class(PaintUse::Fill, *paint),
                    escaped(content)
                )
            }
            Item::Group(_) | Item::Area(_) | Item::Line(_) | Item::Rectangle(_) | Item::Text(_) => {
                writeln!(text, "{}", element(item))
            }
        };
    }
    text + "</g>"
}

/// An element that contains only text.
fn with_text(name: &str, content: &str) -> Element {
    let mut element = Element::new(name);
    element.append(svg::node::Text::new(legal(content)));
    element
}

fn path(points: &[Point], end: &str) -> Element {
    let mut data = String::new();
    push_path(&mut data, points);
    data.push_str(end);
    let mut element = Element::new("path");
    element.assign("d", data);
    element
}

fn stroke(element: &mut Element, stroke: Stroke) {
    if let Some((dash, gap)) = stroke.dash {
        element.assign("stroke-dasharray", format!("{} {}", number(dash), number(gap)));
    }
    element.assign("stroke-width", number(stroke.width));
}

/// A path through points, in relative coordinates. Every step is taken from the rounded place
/// before it, so that rounding does not add up.
fn push_path(data: &mut String, points: &[Point]) {
    let hundredths = |length: f64| (length * 100.0).round() / 100.0;
    // Most of an SVG is written here, so no number gets its own string.
    let (mut x, mut y) = (String::new(), String::new());
    let mut before = Point { x: 0.0, y: 0.0 };
    for (i, point) in points.iter().enumerate() {
        let here = Point { x: hundredths(point.x), y: hundredths(point.y) };
        x.clear();
        y.clear();
        push_number(&mut x, here.x - before.x);
        push_number(&mut y, here.y - before.y);
        // Two numbers are separated by a space only if the second does not begin with a minus sign.
        let between = if y.starts_with('-') { "" } else { " " };
        let parts = match (i, &*x, &*y) {
            (0, ..) => ["M", &x, between, &y],
            (_, "0", _) => ["v", "", "", &y],
            (_, _, "0") => ["h", &x, "", ""],
            _ => ["l", &x, between, &y],
        };
        parts.into_iter().for_each(|part| data.push_str(part));
        before = here;
    }
}

/// Writes a number: at most two decimals, no trailing zeros, never `-0`.
pub fn number(value: f64) -> String {
    let mut text = String::new();
    push_number(&mut text, value);
    text
}

/// Writes a [`number`] after a text.
fn push_number(text: &mut String, value: f64) {
    let hundredths = value * 100.0;
    let nearest = hundredths.round();
    // Exact decimals of a double take a thousand instructions. They are needed only near a tie,
    // where multiplying may have rounded to the other side.
    let is_clear = (hundredths - nearest).abs() < 0.499 && nearest.abs() < 1e12;
    if !is_clear {
        return text.push_str(&exact_number(value));
    }
    if nearest < 0.0 {
        text.push('-');
    }
    let magnitude = nearest.abs() as u64;
    let (whole, decimals) = (magnitude / 100, magnitude % 100);
    if whole > 0 || decimals == 0 {
        push_whole(text, whole);
    }
    if decimals > 0 {
        text.extend(['.', digit(decimals / 10)]);
        if !decimals.is_multiple_of(10) {
            text.push(digit(decimals % 10));
        }
    }
}

fn push_whole(text: &mut String, number: u64) {
    if number > 9 {
        push_whole(text, number / 10);
    }
    text.push(digit(number % 10));
}

fn digit(value: u64) -> char {
    char::from(b'0' + value as u8)
}

/// The text of [`number`], computed from all decimals.
fn exact_number(value: f64) -> String {
    let text = format!("{value:.2}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    match text {
        "-0" | "" => "0".to_owned(),
        _ => match text.strip_prefix("-0.") {
            Some(decimals) => format!("-.{decimals}"),
            None => match text.strip_prefix("0.") {
                Some(decimals) => format!(".{decimals}"),
                None => text.to_owned(),
            },
        },
    }
}

/// A text in which characters that XML 1.0 cannot express are visible.
fn legal(text: &str) -> Cow<'_, str> {
    let is_illegal = |c: char| c != '\n' && c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}');
    if !text.contains(is_illegal) {
        return Cow::Borrowed(text);
    }
    let mut legal = String::new();
    for c in text.chars() {
        if is_illegal(c) { legal.extend(c.escape_unicode()) } else { legal.push(c) }
    }
    Cow::Owned(legal)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum PaintUse {
    Fill,
    Stroke,
}

/// The class of a use of a paint.
fn class(how: PaintUse, paint: Paint) -> String {
    let how = match how {
        PaintUse::Fill => 'f',
        PaintUse::Stroke => 's',
    };
    match paint {
        Paint::Role(role) => format!("{how}-{}", role.name()),
        Paint::Band(Rgb { r, g, b }) => format!("{how}{r:02x}{g:02x}{b:02x}"),
        Paint::Pale(Rgb { r, g, b }) => format!("{how}-pale{r:02x}{g:02x}{b:02x}"),
        Paint::Tone(tone) => format!("{how}-tone{}", tone.0),
    }
}

/// The classes in use, in order of first use.
#[derive(Default)]
struct Classes {
    used: Vec<(PaintUse, Paint)>,
}

impl Classes {
    fn add(&mut self, how: PaintUse, paint: Paint) {
        if !self.used.contains(&(how, paint)) {
            self.used.push((how, paint));
        }
    }

    /// Adds the classes of an item and of everything in it.
    fn take(&mut self, item: &Item) {
        match item {
            Item::Group(group) => group.items.iter().for_each(|item| self.take(item)),
            Item::Area(area) => {
                self.add(PaintUse::Fill, area.fill);
                if let Some(edge) = area.edge {
                    self.add(PaintUse::Stroke, edge.paint);
                }
            }
            Item::Line(line) => self.add(PaintUse::Stroke, line.stroke.paint),
            Item::Rectangle(rectangle) => self.add(PaintUse::Fill, rectangle.fill),
            Item::Text(text) => self.add(PaintUse::Fill, text.paint),
        }
    }

    fn style(&self, theme: Option<Theme>) -> String {
        let rules = |theme, dark_only: bool| {
            let mut rules = String::new();
            for &(how, paint) in &self.used {
                if dark_only && paint.is_fixed() {
                    continue;
                }
                let property = if how == PaintUse::Fill { "fill" } else { "stroke" };
                let class = class(how, paint);
                let value = paint.rgb(theme);
                let _ = write!(rules, "\n.heapviz .{class}{{{property}:{value}}}");
            }
            rules
        };
        let mut style = String::from(
            "\n.heapviz path{stroke-linejoin:round}\n.heapviz text{white-space:pre}\n\
             .heapviz .band:hover path,.heapviz .band:target path{filter:brightness(1.12)}\n\
             .heapviz a{text-decoration:none}",
        );
        style += &rules(theme.unwrap_or(Theme::Light), false);
        if theme.is_none() {
            let dark = rules(Theme::Dark, true);
            let _ = write!(style, "\n@media screen and (prefers-color-scheme:dark){{{dark}\n}}");
        }
        style.push('\n');
        style
    }
}

/// The picture in an HTML page without any script, for places that accept HTML but not SVG. It is as
/// wide as the window if it fits.
pub fn page(scene: &Scene, options: &SvgOptions) -> String {
    let title = scene.title.replace('&', "&amp;").replace('<', "&lt;");
    let picture = svg(scene, options);
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; \
         style-src 'unsafe-inline'\">\n\
         <meta name=\"viewport\" content=\"width=device-width\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n<title>{title}</title>\n\
         <style>body{{margin:0;font:13px/1.5 \"DejaVu Sans\",Verdana,sans-serif}}\
         svg{{display:block;margin:0 auto;max-width:100%;height:auto}}</style>\n\
         </head>\n<body>\n{picture}\n</body>\n</html>\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::picture::Role;

    #[test]
    fn numbers_are_those_of_their_exact_decimals() {
        let mut random = crate::testing::Random::new(1, "numbers");
        for _ in 0..100_000 {
            let value = (random.below(4_000_001) as f64 - 2e6)
                / [1.0, 8.0, 100.0, 1000.0, 7.0][random.below(5) as usize];
            assert_eq!(number(value), exact_number(value), "{value}");
        }
        for value in [0.125, 0.375, -0.005, 1e12, -3e17, 0.0, -0.0, f64::NAN, f64::INFINITY] {
            assert_eq!(number(value), exact_number(value), "{value}");
        }
    }

    #[test]
    fn characters_that_xml_forbids_are_made_visible() {
        assert_eq!(legal("a\u{1b}\u{ffff}\u{0}\nb"), "a\\u{1b}\\u{ffff}\\u{0}\nb");
    }

    #[test]
    fn roles_are_swapped_for_dark_readers_and_bands_are_not() {
        let mut classes = Classes::default();
        let band = Paint::Band(crate::picture::Rgb::hex(0x123456));
        assert_eq!(class(PaintUse::Fill, band), "f123456");
        classes.add(PaintUse::Fill, band);
        classes.add(PaintUse::Stroke, Role::Grid.into());
        let style = classes.style(None);
        let (light, dark) = style.split_once("@media").unwrap();
        assert!(light.contains(".f123456{fill:#123456}") && !dark.contains("f123456"));
        assert!(dark.contains(".s-grid{stroke:#272d37}"));
    }
}
