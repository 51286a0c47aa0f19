//! SVG: one file for light and dark pages, without scripts and without references to other files.
//!
//! Colours are classes in one style sheet rather than attributes, so that a media query can swap
//! them; plain values rather than custom properties, which most viewers outside browsers ignore.
//! Positions are whole multiples of a tenth of a pixel in the plot, so relative paths lose
//! nothing.

use std::fmt::Write as _;
use std::io;

use svg::Node as _;
use svg::node::element::Element;

use crate::picture::{
    Anchor, Area, Group, Item, Line, Paint, Point, Rectangle, Scene, Stroke, Text, Theme, Weight,
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

/// The same, written piece by piece.
///
/// # Errors
/// Those of `out`.
pub fn svg_to(scene: &Scene, options: &SvgOptions, out: impl io::Write) -> io::Result<()> {
    let mut classes = Classes::default();
    scene.items.iter().for_each(|item| classes.take(item));
    let mut writer = Writer { out, text: String::with_capacity(2 * PIECE) };
    let mut document = Element::new("svg");
    document.assign("aria-labelledby", "heapviz-title heapviz-desc");
    document.assign("class", "heapviz");
    document.assign("font-family", "DejaVu Sans,Verdana,sans-serif");
    document.assign("height", number(scene.height));
    document.assign("role", "img");
    document.assign("viewBox", format!("0 0 {} {}", number(scene.width), number(scene.height)));
    document.assign("width", number(scene.width));
    document.assign("xmlns", "http://www.w3.org/2000/svg");
    let childless = document.to_string();
    writer.text.push_str(childless.strip_suffix("/>").unwrap_or(&childless));
    writer.text.push_str(">\n");
    for (name, id, content) in [
        ("title", Some("heapviz-title"), &*scene.title),
        ("desc", Some("heapviz-desc"), &*scene.description),
        ("style", None, &*classes.style(options.theme)),
    ] {
        writer.open(name);
        id.into_iter().for_each(|id| writer.put("id", id));
        writer.content(name, content);
        writer.text.push('\n');
    }
    for item in &scene.items {
        writer.item(item)?;
        writer.text.push('\n');
    }
    writer.text.push_str("</svg>\n");
    writer.out.write_all(writer.text.as_bytes())
}

/// How much text is collected before it is written, in bytes.
const PIECE: usize = 1 << 14;

/// Writes the elements of the items, of which a flame graph has 40 000: an element of the crate `svg` takes seven
/// times as long. Their attributes are in alphabetical order, as that crate has them.
struct Writer<W> {
    out: W,
    /// What is not written yet.
    text: String,
}

impl<W: io::Write> Writer<W> {
    fn open(&mut self, name: &str) {
        self.text.push('<');
        self.text.push_str(name);
    }

    fn close(&mut self, name: &str) {
        self.text.push_str("</");
        self.text.push_str(name);
        self.text.push('>');
    }

    /// The content of an element that contains only text, and its end.
    fn content(&mut self, name: &str, content: &str) {
        self.text.push('>');
        push_legal(&mut self.text, content, BARE);
        self.close(name);
    }

    /// An attribute whose value the caller writes, before it pushes the closing quote.
    fn begin(&mut self, attribute: &str) -> &mut String {
        self.text.push(' ');
        self.text.push_str(attribute);
        self.text.push_str("=\"");
        &mut self.text
    }

    /// An attribute whose value needs no escapes.
    fn put(&mut self, attribute: &str, value: &str) {
        self.begin(attribute).push_str(value);
        self.text.push('"');
    }

    fn number(&mut self, attribute: &str, value: f64) {
        push_number(self.begin(attribute), value);
        self.text.push('"');
    }

    fn class(&mut self, how: Use, paint: Paint) {
        push_class(self.begin("class"), how, paint);
        self.text.push('"');
    }

    fn path(&mut self, points: &[Point], end: &str) {
        push_path(self.begin("d"), points);
        self.text.push_str(end);
        self.text.push('"');
    }

    fn stroke(&mut self, stroke: Stroke) {
        if let Some((dash, gap)) = stroke.dash {
            let text = self.begin("stroke-dasharray");
            push_number(text, dash);
            text.push(' ');
            push_number(text, gap);
            text.push('"');
        }
        self.number("stroke-width", stroke.width);
    }

    fn item(&mut self, item: &Item) -> io::Result<()> {
        match item {
            Item::Group(group) => return self.group(group),
            Item::Area(area) => self.area(area),
            Item::Line(line) => self.line(line),
            Item::Rectangle(rectangle) => self.rectangle(rectangle),
            Item::Text(text) => self.text(text),
        }
        if self.text.len() >= PIECE {
            self.out.write_all(self.text.as_bytes())?;
            self.text.clear();
        }
        Ok(())
    }

    fn group(&mut self, group: &Group) -> io::Result<()> {
        let name = if group.target.is_some() { "a" } else { "g" };
        self.open(name);
        self.put("class", group.class);
        if let Some(label) = &group.label {
            push_legal(self.begin("data-label"), label, ESCAPED);
            self.text.push('"');
        }
        if let Some(target) = &group.target {
            self.begin("href").push('#');
            self.text.push_str(target);
            self.text.push('"');
        }
        if let Some(id) = &group.id {
            self.put("id", id);
        }
        if group.title.is_none() && group.items.is_empty() {
            self.text.push_str("/>");
            return Ok(());
        }
        self.text.push_str(">\n");
        if let Some(title) = &group.title {
            self.open("title");
            self.content("title", title);
            self.text.push('\n');
        }
        for item in &group.items {
            self.item(item)?;
            self.text.push('\n');
        }
        self.close(name);
        Ok(())
    }

    fn area(&mut self, area: &Area) {
        self.open("path");
        let text = self.begin("class");
        push_class(text, Use::Fill, area.fill);
        if let Some(edge) = area.edge {
            text.push(' ');
            push_class(text, Use::Stroke, edge.paint);
        }
        text.push('"');
        self.path(&area.points, "z");
        area.edge.into_iter().for_each(|edge| self.stroke(edge));
        self.text.push_str("/>");
    }

    fn line(&mut self, line: &Line) {
        self.open("path");
        self.class(Use::Stroke, line.stroke.paint);
        self.path(&line.points, "");
        self.put("fill", "none");
        self.stroke(line.stroke);
        self.text.push_str("/>");
    }

    fn rectangle(&mut self, rectangle: &Rectangle) {
        self.open("rect");
        self.class(Use::Fill, rectangle.fill);
        self.number("height", rectangle.height);
        if rectangle.radius > 0.0 {
            self.number("rx", rectangle.radius);
        }
        self.number("width", rectangle.width);
        self.number("x", rectangle.at.x);
        self.number("y", rectangle.at.y);
        self.text.push_str("/>");
    }

    fn text(&mut self, text: &Text) {
        self.open("text");
        self.class(Use::Fill, text.paint);
        self.number("font-size", text.size);
        if text.weight == Weight::Bold {
            self.put("font-weight", "bold");
        }
        match text.anchor {
            Anchor::Start => {}
            Anchor::Middle => self.put("text-anchor", "middle"),
            Anchor::End => self.put("text-anchor", "end"),
        }
        self.number("x", text.at.x);
        self.number("y", text.at.y);
        self.content("text", &text.content);
    }
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

/// Double and single quotes in the content of an element.
const BARE: [&str; 2] = ["\"", "'"];

/// Double and single quotes in the value of an attribute.
const ESCAPED: [&str; 2] = ["&quot;", "&apos;"];

/// Writes a text with any characters. Those that XML 1.0 cannot express are made visible.
fn push_legal(legal: &mut String, text: &str, quotes: [&str; 2]) {
    let is_plain = |&byte: &u8| {
        matches!(byte, b'\n' | b' '..=b'~') && !matches!(byte, b'&' | b'<' | b'>' | b'"' | b'\'')
    };
    if text.as_bytes().iter().all(is_plain) {
        return legal.push_str(text);
    }
    let [double, single] = quotes;
    for c in text.chars() {
        match c {
            '\n' => legal.push(c),
            '&' => legal.push_str("&amp;"),
            '<' => legal.push_str("&lt;"),
            '>' => legal.push_str("&gt;"),
            '"' => legal.push_str(double),
            '\'' => legal.push_str(single),
            '\u{fffe}' | '\u{ffff}' => legal.extend(c.escape_unicode()),
            _ if c.is_control() => legal.extend(c.escape_unicode()),
            _ => legal.push(c),
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Use {
    Fill,
    Stroke,
}

/// The class of a use of a paint.
fn class(how: Use, paint: Paint) -> String {
    let mut text = String::new();
    push_class(&mut text, how, paint);
    text
}

/// Writes the [`class`] of a use of a paint after a text.
fn push_class(text: &mut String, how: Use, paint: Paint) {
    text.push(match how {
        Use::Fill => 'f',
        Use::Stroke => 's',
    });
    match paint {
        Paint::Role(role) => text.extend(["-", role.name()]),
        Paint::Band(rgb) => {
            let digits = [rgb.r, rgb.g, rgb.b].map(|byte| [byte >> 4, byte & 15]);
            text.extend(digits.as_flattened().iter().map(|&digit| HEX[usize::from(digit)]));
        }
        Paint::Tone(tone) => text.extend(["-tone", &tone.0.to_string()]),
    }
}

const HEX: [char; 16] =
    ['0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 'a', 'b', 'c', 'd', 'e', 'f'];

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

    fn style(&self, theme: Option<Theme>) -> String {
        let rules = |theme, dark_only: bool| {
            let mut rules = String::new();
            for &(how, paint) in &self.used {
                if dark_only && paint.is_fixed() {
                    continue;
                }
                let property = if how == Use::Fill { "fill" } else { "stroke" };
                let class = class(how, paint);
                let value = paint.rgb(theme);
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
        let mut data = String::new();
        push_path(&mut data, &points);
        assert_eq!(data, "M10.1 20v5.5h20.3l.6-.6l1 1.1");
    }

    #[test]
    fn characters_that_xml_forbids_are_made_visible() {
        let mut text = String::new();
        push_legal(&mut text, "a\u{1b}\u{ffff}\u{0}\nb", BARE);
        assert_eq!(text, "a\\u{1b}\\u{ffff}\\u{0}\nb");
    }

    #[test]
    fn markup_in_texts_is_escaped() {
        let content = r#"&lt;a b="c"&gt; &amp;amp; f'"#;
        let value = "&lt;a b=&quot;c&quot;&gt; &amp;amp; f&apos;";
        for (quotes, expected) in [(BARE, content), (ESCAPED, value)] {
            let mut text = String::new();
            push_legal(&mut text, r#"<a b="c"> &amp; f'"#, quotes);
            assert_eq!(text, expected);
        }
    }

    #[test]
    fn roles_are_swapped_for_dark_readers_and_bands_are_not() {
        let mut classes = Classes::default();
        let band = Paint::Band(crate::picture::Rgb::hex(0x123456));
        let mut class = String::new();
        push_class(&mut class, Use::Fill, band);
        assert_eq!(class, "f123456");
        classes.add(Use::Fill, band);
        classes.add(Use::Stroke, Role::Grid.into());
        let style = classes.style(None);
        let (light, dark) = style.split_once("@media").unwrap();
        assert!(light.contains(".f123456{fill:#123456}") && !dark.contains("f123456"));
        assert!(dark.contains(".s-grid{stroke:#272d37}"));
    }
}
