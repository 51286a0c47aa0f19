//! SVG: one file for light and dark pages, without scripts and without references to other files.
//!
//! Colours are classes in one style sheet rather than attributes, so that a media query can swap
//! them; plain values rather than custom properties, which most viewers outside browsers ignore.
//! Positions are whole multiples of a tenth of a pixel in the plot, so relative paths lose
//! nothing.

use std::fmt::Write as _;
use std::io;

use svg::Node;
use svg::node::Text as Characters;
use svg::node::element::Element;

use crate::picture::{
    Anchor, Group, Hatch, Item, Paint, Point, Scene, Stroke, Text, Theme, Weight,
};

/// How an SVG is written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct SvgOptions {
    /// The colours; with `None` the reader's system decides, and prints are light. Default `None`.
    pub theme: Option<Theme>,
}

setters!(SvgOptions { with_theme(theme: Option<Theme>) });

/// The scene as an SVG document.
pub fn svg(scene: &Scene, options: &SvgOptions) -> String {
    let mut text = Vec::new();
    svg_to(scene, options, &mut text).expect("writing to memory");
    String::from_utf8(text).expect("an SVG is made of text")
}

/// The same, written piece by piece: at most one of its elements is in memory.
///
/// # Errors
/// Those of `out`.
pub fn svg_to(scene: &Scene, options: &SvgOptions, mut out: impl io::Write) -> io::Result<()> {
    let mut classes = Classes::default();
    scene.items.iter().for_each(|item| classes.take(item));
    let defs = classes.patterns();
    let mut document = Element::new("svg");
    document.assign("xmlns", "http://www.w3.org/2000/svg");
    document.assign("viewBox", format!("0 0 {} {}", number(scene.width), number(scene.height)));
    document.assign("width", number(scene.width));
    document.assign("height", number(scene.height));
    document.assign("role", "img");
    document.assign("aria-labelledby", "heapviz-title heapviz-desc");
    document.assign("class", "heapviz");
    document.assign("font-family", "DejaVu Sans,Verdana,sans-serif");
    let named = |name: &str, id: &str, content: &str| with_text(name, content, &[("id", id)]);
    let mut head = vec![
        named("title", "heapviz-title", &scene.title),
        named("desc", "heapviz-desc", &scene.description),
        with_text("style", &classes.style(options.theme), &[]),
    ];
    head.extend(defs);
    write_parent(&mut out, &document, head, &scene.items)?;
    writeln!(out)
}

/// Writes an element with children: `first`, and then the items.
fn write_parent(
    out: &mut impl io::Write,
    element: &Element,
    first: impl IntoIterator<Item = Element>,
    items: &[Item],
) -> io::Result<()> {
    let childless = element.to_string();
    let opening = childless.strip_suffix("/>").unwrap_or(&childless);
    write!(out, "{opening}>")?;
    for child in first {
        write!(out, "\n{child}")?;
    }
    for item in items {
        writeln!(out)?;
        write_item(out, item)?;
    }
    write!(out, "\n</{}>", element.get_name())
}

fn write_item(out: &mut impl io::Write, item: &Item) -> io::Result<()> {
    match item {
        Item::Group(group) => {
            let title = group.title.as_ref().map(|title| with_text("title", title, &[]));
            let element = group_element(group);
            match title.is_none() && group.items.is_empty() {
                true => write!(out, "{element}"),
                false => write_parent(out, &element, title, &group.items),
            }
        }
        Item::Area(area) => {
            let mut path = Element::new("path");
            path.assign("d", format!("{}z", path_data(&area.points)));
            let mut class = class(Use::Fill, area.fill);
            if let Some(edge) = area.edge {
                class.push(' ');
                class += &stroke(&mut path, edge);
            }
            path.assign("class", class);
            write!(out, "{path}")
        }
        Item::Line(line) => {
            let mut path = Element::new("path");
            path.assign("d", path_data(&line.points));
            path.assign("fill", "none");
            let class = stroke(&mut path, line.stroke);
            path.assign("class", class);
            write!(out, "{path}")
        }
        Item::Rectangle(rectangle) => {
            let mut rect = Element::new("rect");
            rect.assign("x", number(rectangle.at.x));
            rect.assign("y", number(rectangle.at.y));
            rect.assign("width", number(rectangle.width));
            rect.assign("height", number(rectangle.height));
            if rectangle.radius > 0.0 {
                rect.assign("rx", number(rectangle.radius));
            }
            rect.assign("class", class(Use::Fill, rectangle.fill));
            write!(out, "{rect}")
        }
        Item::Text(text) => write!(out, "{}", text_element(text)),
    }
}

/// The element of a group, without its items.
fn group_element(group: &Group) -> Element {
    let mut element = match &group.target {
        Some(target) => {
            let mut link = Element::new("a");
            link.assign("href", format!("#{target}"));
            link
        }
        None => Element::new("g"),
    };
    element.assign("class", group.class);
    if let Some(id) = &group.id {
        element.assign("id", id.as_str());
    }
    if let Some(label) = &group.label {
        element.assign("data-label", legal(label));
    }
    element
}

fn text_element(text: &Text) -> Element {
    let (x, y, size) = (number(text.at.x), number(text.at.y), number(text.size));
    let class = class(Use::Fill, text.paint);
    let attributes = [("x", &*x), ("y", &*y), ("font-size", &*size), ("class", &*class)];
    let mut element = with_text("text", &text.content, &attributes);
    match text.anchor {
        Anchor::Start => {}
        Anchor::Middle => element.assign("text-anchor", "middle"),
        Anchor::End => element.assign("text-anchor", "end"),
    }
    if text.weight == Weight::Bold {
        element.assign("font-weight", "bold");
    }
    element
}

fn with_text(name: &str, content: &str, attributes: &[(&str, &str)]) -> Element {
    let mut element = Element::new(name);
    for (name, value) in attributes {
        element.assign(*name, *value);
    }
    element.append(Characters::new(legal(content)));
    element
}

/// Sets the width of a stroke, and returns the class that colours it.
fn stroke(element: &mut Element, stroke: Stroke) -> String {
    element.assign("stroke-width", number(stroke.width));
    if let Some((dash, gap)) = stroke.dash {
        element.assign("stroke-dasharray", format!("{} {}", number(dash), number(gap)));
    }
    class(Use::Stroke, stroke.paint)
}

/// A path through points, in relative coordinates. Every step is taken from the rounded place
/// before it, so that rounding does not add up.
fn path_data(points: &[Point]) -> String {
    let hundredths = |length: f64| (length * 100.0).round() / 100.0;
    let mut data = String::with_capacity(8 * points.len());
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
    data
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

/// The same as [`number`], computed from all decimals.
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

/// `text`, in which characters that XML 1.0 cannot express are made visible.
fn legal(text: &str) -> String {
    let mut legal = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' => legal.push(c),
            '\u{fffe}' | '\u{ffff}' => legal.extend(c.escape_unicode()),
            _ if c.is_control() => legal.extend(c.escape_unicode()),
            _ => legal.push(c),
        }
    }
    legal
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Use {
    Fill,
    Stroke,
}

/// The class of a use of a paint.
fn class(how: Use, paint: Paint) -> String {
    let how = match how {
        Use::Fill => "f",
        Use::Stroke => "s",
    };
    match paint {
        Paint::Role(role) => format!("{how}-{}", role.name()),
        Paint::Band(rgb) => format!("{how}{}", rgb.to_string().trim_start_matches('#')),
        Paint::Tone(tone) => format!("{how}-tone{}", tone.0),
        Paint::Hatch(hatch) => format!("{how}-{}", hatch.id()),
    }
}

/// The classes in use, in order of first use.
#[derive(Default)]
struct Classes {
    used: Vec<(Use, Paint)>,
}

impl Classes {
    fn add(&mut self, how: Use, paint: Paint) {
        if !self.used.contains(&(how, paint)) {
            self.used.push((how, paint));
        }
    }

    /// Adds the classes of an item and of everything in it.
    fn take(&mut self, item: &Item) {
        match item {
            Item::Group(group) => group.items.iter().for_each(|item| self.take(item)),
            Item::Area(area) => {
                self.add(Use::Fill, area.fill);
                if let Some(edge) = area.edge {
                    self.add(Use::Stroke, edge.paint);
                }
            }
            Item::Line(line) => self.add(Use::Stroke, line.stroke.paint),
            Item::Rectangle(rectangle) => self.add(Use::Fill, rectangle.fill),
            Item::Text(text) => self.add(Use::Fill, text.paint),
        }
    }

    /// The tiles of the hatches in use.
    fn patterns(&mut self) -> Option<Element> {
        let used = self.used.iter().filter_map(|&(how, paint)| match (how, paint) {
            (Use::Fill, Paint::Hatch(hatch)) => Some(hatch),
            _ => None,
        });
        let hatches: Vec<Hatch> = used.collect();
        let mut defs = Element::new("defs");
        for hatch in &hatches {
            defs.append(self.pattern(hatch));
        }
        (!hatches.is_empty()).then_some(defs)
    }

    fn pattern(&mut self, hatch: &Hatch) -> Element {
        let tile = hatch.tile();
        let side = number(tile.side);
        let mut pattern = Element::new("pattern");
        pattern.assign("id", hatch.id());
        pattern.assign("patternUnits", "userSpaceOnUse");
        let mut ground = Element::new("rect");
        self.add(Use::Fill, hatch.ground.into());
        ground.assign("class", class(Use::Fill, hatch.ground.into()));
        for sized in [&mut pattern, &mut ground] {
            sized.assign("width", &*side);
            sized.assign("height", &*side);
        }
        pattern.append(ground);
        if !tile.lines.is_empty() {
            let mut lines = Element::new("path");
            let data: String = tile.lines.iter().map(|line| path_data(line)).collect();
            lines.assign("d", data);
            lines.assign("fill", "none");
            let stroke = Stroke::new(hatch.ink, tile.width);
            self.add(Use::Stroke, stroke.paint);
            let class = self::stroke(&mut lines, stroke);
            lines.assign("class", class);
            pattern.append(lines);
        }
        for dot in &tile.dots {
            let mut circle = Element::new("circle");
            circle.assign("cx", number(dot.x));
            circle.assign("cy", number(dot.y));
            circle.assign("r", number(tile.width / 2.0));
            self.add(Use::Fill, hatch.ink.into());
            circle.assign("class", class(Use::Fill, hatch.ink.into()));
            pattern.append(circle);
        }
        pattern
    }

    fn style(&self, theme: Option<Theme>) -> String {
        let rules = |theme, dark_only: bool| {
            let mut rules = String::new();
            for &(how, paint) in &self.used {
                let tiled = matches!((how, paint), (Use::Fill, Paint::Hatch(_)));
                if dark_only && (paint.is_fixed() || tiled) {
                    continue;
                }
                let property = if how == Use::Fill { "fill" } else { "stroke" };
                let class = class(how, paint);
                let value = match paint {
                    Paint::Hatch(hatch) if tiled => format!("url(#{})", hatch.id()),
                    paint => paint.rgb(theme).to_string(),
                };
                let opacity = match (how, paint.opacity()) {
                    (Use::Fill, opacity) if opacity < 1.0 => format!(";fill-opacity:{opacity}"),
                    _ => String::new(),
                };
                let _ = write!(rules, "\n.heapviz .{class}{{{property}:{value}{opacity}}}");
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
    fn numbers_are_short() {
        for (value, text) in [
            (1.0, "1"),
            (-0.001, "0"),
            (0.5, ".5"),
            (-0.25, "-.25"),
            (12.345_6, "12.35"),
            (100.0, "100"),
            (0.1 + 0.2, ".3"),
        ] {
            assert_eq!(number(value), text);
        }
    }

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
    fn paths_are_relative_and_end_where_they_should() {
        let points = [(10.1, 20.0), (10.1, 25.5), (30.4, 25.5), (31.0, 24.9), (32.0, 26.0)]
            .map(|(x, y)| Point { x, y });
        assert_eq!(path_data(&points), "M10.1 20v5.5h20.3l.6-.6l1 1.1");
    }

    #[test]
    fn characters_that_xml_forbids_are_made_visible() {
        assert_eq!(legal("a\u{1b}\u{ffff}\u{0}\nb"), "a\\u{1b}\\u{ffff}\\u{0}\nb");
    }

    #[test]
    fn hatches_are_tiles_in_both_themes() {
        let mut classes = Classes::default();
        let (ground, ink) = (crate::picture::Tone::PAPER, crate::picture::Tone::INK);
        let kind = crate::picture::HatchKind::Rising;
        let hatch = Hatch { kind, ground, ink, spacing: 8, width: 10 };
        classes.add(Use::Fill, hatch.into());
        let class = class(Use::Fill, hatch.into());
        let defs = classes.patterns().unwrap().to_string();
        assert!(defs.contains(&format!("id=\"{}\"", hatch.id())), "{defs}");
        let style = classes.style(None);
        let (light, dark) = style.split_once("@media screen and").unwrap();
        assert!(light.contains(&format!(".{class}{{fill:url(#{})}}", hatch.id())));
        assert!(!dark.contains(&class) && dark.contains(".s-tone100{stroke:#e6edf3}"), "{dark}");
    }

    #[test]
    fn roles_are_swapped_for_dark_readers_and_bands_are_not() {
        let mut classes = Classes::default();
        let band = Paint::Band(crate::picture::Rgb::hex(0x123456));
        assert_eq!(class(Use::Fill, band), "f123456");
        classes.add(Use::Fill, band);
        classes.add(Use::Stroke, Role::Grid.into());
        let style = classes.style(None);
        let (light, dark) = style.split_once("@media").unwrap();
        assert!(light.contains(".f123456{fill:#123456}") && !dark.contains("f123456"));
        assert!(dark.contains(".s-grid{stroke:#272d37}"));
    }
}
