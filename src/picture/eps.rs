//! EPS and PostScript: vectors and text in Helvetica by name, for `dvips` and for journals that
//! accept nothing newer. Level 2; no font is embedded, because every PostScript interpreter has this
//! one or one with the same metrics.
//!
//! The picture is laid out on the bundled font, which runs wider than Helvetica. If a text is still
//! wider, the file itself narrows it to the width that was measured for it, because only the
//! interpreter knows its font.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::shape::Step;
use super::svg::number;
use super::{MissingCharacters, is_joiner};
use super::{Rendered, SOFTWARE};
use crate::picture::text::{is_zero_width, width};
use crate::picture::{
    Anchor, Area, Hatch, Item, Line, Paint, Point, Rectangle, Rgb, Scene, Stroke, Text, Theme,
    Weight,
};

/// How an EPS or PostScript file is written.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct EpsOptions {
    /// The colours. Default [`Theme::Light`].
    pub theme: Theme,
}

setters!(EpsOptions { with_theme(theme: Theme) });

/// The size of a pixel in points: 96 to the inch, of 72 points.
const POINTS: f64 = 0.75;

/// The most characters on a line of the file. The format's conventions allow 255.
const LINE: usize = 200;

/// The operators of the picture, in a separate dictionary, so that the names of the surrounding
/// document do not change. `T` shows a text: string, room, share of it left of the place, place; it
/// narrows a text that is wider than its room. `R` fills with upright lines of this width, 2 apart.
const PROLOG: &str = "\
/heapviz 99 dict def heapviz begin
/M {moveto} bind def
/L {lineto} bind def
/V {curveto} bind def
/Z {closepath} bind def
/C {setrgbcolor} bind def
/W {setlinewidth} bind def
/F {fill} bind def
/S {stroke} bind def
/B {gsave fill grestore} bind def
/R {gsave clip pathbbox /up exch def /right exch def /down exch def /left exch def newpath
setlinewidth left 2 right {dup down M up L} for stroke grestore newpath} bind def
/T {gsave translate 1 -1 scale /share exch def /room exch def dup stringwidth pop
dup room gt {room 1 index div 1 scale} if share mul neg 0 moveto show grestore} bind def
/Encoded {findfont dup length dict begin {1 index /FID eq {pop pop} {def} ifelse} forall
/Encoding Latin def currentdict end definefont pop} bind def
/Latin ISOLatin1Encoding 256 array copy def
Latin 39 /quotesingle put Latin 45 /hyphen put Latin 96 /grave put
";

/// Glyphs beyond ISO Latin-1 that every Helvetica has, and the free codes that they get.
const BEYOND: [(char, u8, &str); 25] = [
    ('…', 128, "ellipsis"),
    ('–', 129, "endash"),
    ('—', 130, "emdash"),
    ('‘', 131, "quoteleft"),
    ('’', 132, "quoteright"),
    ('“', 133, "quotedblleft"),
    ('”', 134, "quotedblright"),
    ('•', 135, "bullet"),
    ('−', 136, "minus"),
    ('†', 137, "dagger"),
    ('‡', 138, "daggerdbl"),
    ('™', 139, "trademark"),
    ('€', 140, "Euro"),
    ('Œ', 141, "OE"),
    ('œ', 142, "oe"),
    ('Š', 143, "Scaron"),
    ('š', 144, "scaron"),
    ('Ž', 145, "Zcaron"),
    ('ž', 146, "zcaron"),
    ('Ÿ', 147, "Ydieresis"),
    ('ƒ', 148, "florin"),
    ('‹', 149, "guilsinglleft"),
    ('›', 150, "guilsinglright"),
    ('Ł', 151, "Lslash"),
    ('ł', 152, "lslash"),
];

/// The scene as an EPS file.
///
/// A character that Helvetica lacks is shown as a question mark.
pub fn eps(scene: &Scene, options: &EpsOptions) -> Rendered {
    let mut writer = Writer {
        theme: options.theme,
        out: String::new(),
        column: 0,
        missing: MissingCharacters::in_postscript(),
    };
    writer.header(scene);
    writer.items(&scene.items);
    writer.line("restore end\nshowpage\n%%EOF");
    Rendered { bytes: writer.out.into_bytes(), missing: writer.missing }
}

struct Writer {
    theme: Theme,
    out: String,
    /// The length of the last line.
    column: usize,
    missing: MissingCharacters,
}

impl Writer {
    fn header(&mut self, scene: &Scene) {
        let [width, height] = [scene.width, scene.height].map(|length| length * POINTS);
        self.line("%!PS-Adobe-3.0 EPSF-3.0");
        self.line(&format!("%%BoundingBox: 0 0 {:.0} {:.0}", width.ceil(), height.ceil()));
        self.line(&format!("%%HiResBoundingBox: 0 0 {} {}", number(width), number(height)));
        let title: String = scene.title.chars().filter(|c| matches!(c, ' '..='~')).collect();
        self.line(&format!("%%Title: {}", &title[..title.len().min(LINE)]));
        self.line(&format!("%%Creator: {SOFTWARE}"));
        self.line("%%LanguageLevel: 2\n%%Pages: 1");
        self.line("%%DocumentNeededResources: font Helvetica Helvetica-Bold");
        self.line("%%EndComments\n%%BeginProlog");
        self.out += PROLOG;
        for (_, code, glyph) in BEYOND {
            self.word(&format!("Latin {code} /{glyph} put"));
        }
        self.line("");
        self.line("%%EndProlog\n%%BeginSetup");
        self.line("/Regular /Helvetica Encoded\n/Bold /Helvetica-Bold Encoded");
        self.line("%%EndSetup\n%%Page: 1 1\nsave");
        // From here on, coordinates are pixels from the upper left corner, as in the scene.
        self.line(&format!("0 {} translate {POINTS} dup neg scale 1 setlinejoin", number(height)));
        let mut hatches = BTreeMap::new();
        gather(&scene.items, &mut hatches);
        hatches.into_values().for_each(|hatch| self.pattern(hatch));
    }

    /// Defines a hatch. Its ground is painted below it.
    fn pattern(&mut self, hatch: Hatch) {
        let tile = hatch.tile();
        let side = number(tile.side);
        self.line(&format!("/{} << /PatternType 1 /PaintType 1 /TilingType 2", hatch.id()));
        self.line(&format!(
            "/BBox [0 0 {side} {side}] /XStep {side} /YStep {side} /PaintProc {{pop"
        ));
        self.colour(hatch.ink.rgb(self.theme));
        self.word(&format!("{} W", number(tile.width)));
        for [from, to] in &tile.lines {
            self.point(*from, "M");
            self.point(*to, "L");
            self.word("S");
        }
        for dot in &tile.dots {
            let middle = [dot.x, dot.y, tile.width / 2.0].map(number).join(" ");
            self.word(&format!("{middle} 0 360 arc F"));
        }
        self.line("} >> matrix makepattern def");
    }

    fn items(&mut self, items: &[Item]) {
        for item in items {
            match item {
                Item::Group(group) => self.items(&group.items),
                Item::Area(area) => self.area(area),
                Item::Line(line) => self.stroked(line),
                Item::Rectangle(rectangle) => self.rectangle(rectangle),
                Item::Text(text) => self.text(text),
            }
        }
    }

    fn area(&mut self, area: &Area) {
        self.path(&area.points);
        self.word("Z");
        match area.edge {
            Some(edge) => {
                self.fill(area.fill, "B");
                self.pen(edge);
                self.word("S");
            }
            None => self.fill(area.fill, "F"),
        }
    }

    fn stroked(&mut self, line: &Line) {
        self.pen(line.stroke);
        self.path(&line.points);
        self.word("S");
        if line.stroke.dash.is_some() {
            self.word("[] 0 setdash");
        }
    }

    fn rectangle(&mut self, rectangle: &Rectangle) {
        for step in rectangle.outline() {
            let (places, operator) = match step {
                Step::Move(to) => (vec![to], "M"),
                Step::Line(to) => (vec![to], "L"),
                Step::Curve(a, b, to) => (vec![a, b, to], "V"),
            };
            let places: Vec<String> =
                places.iter().flatten().map(|&part| number(f64::from(part))).collect();
            self.word(&format!("{} {operator}", places.join(" ")));
        }
        self.word("Z");
        self.fill(rectangle.fill, "F");
    }

    fn text(&mut self, text: &Text) {
        let string = self.string(&text.content);
        if string.is_empty() {
            return;
        }
        self.colour(text.paint.rgb(self.theme));
        let font = match text.weight {
            Weight::Regular => "Regular",
            Weight::Bold => "Bold",
        };
        self.word(&format!("/{font} {} selectfont", number(text.size)));
        let share = match text.anchor {
            Anchor::Start => "0",
            Anchor::Middle => ".5",
            Anchor::End => "1",
        };
        let room = number(width(&text.content, text.size, text.weight));
        // A string of its own: line ends in it must be masked.
        self.line("");
        self.out.push('(');
        for (i, piece) in string.iter().enumerate() {
            self.out += piece;
            if i % (LINE / 4) == LINE / 4 - 1 {
                self.out += "\\\n";
            }
        }
        self.line(")");
        self.word(&format!("{room} {share}"));
        self.point(text.at, "T");
    }

    /// The characters as they are in a string of the file.
    fn string(&mut self, text: &str) -> Vec<String> {
        let mut string = Vec::new();
        for c in text.chars() {
            let code = match c {
                ' '..='~' => c as u8,
                '\u{a0}'..='\u{ff}' => c as u8,
                _ => match BEYOND.iter().find(|(beyond, ..)| *beyond == c) {
                    Some((_, code, _)) => *code,
                    None if is_joiner(c) => continue,
                    None => {
                        self.missing.insert(c);
                        // A mark on another character takes no space.
                        if is_zero_width(c) {
                            continue;
                        }
                        b'?'
                    }
                },
            };
            string.push(match code {
                b'(' | b')' | b'\\' => format!("\\{}", char::from(code)),
                b' '..=b'~' => char::from(code).to_string(),
                _ => format!("\\{code:03o}"),
            });
        }
        string
    }

    /// Fills the path with a paint; `operator` is `F`, or `B` to keep the path.
    fn fill(&mut self, paint: Paint, operator: &str) {
        if let Paint::Hatch(hatch) = paint {
            self.colour(hatch.ground.rgb(self.theme));
            self.word(&format!("B {} setpattern {operator}", hatch.id()));
        } else if paint.opacity() < 1.0 {
            // PostScript has no transparency, so upright hairlines are drawn, between which the
            // ground remains visible.
            self.colour(paint.rgb(self.theme));
            self.word(&format!("{} R", number(2.0 * paint.opacity())));
        } else {
            self.colour(paint.rgb(self.theme));
            self.word(operator);
        }
    }

    fn pen(&mut self, stroke: Stroke) {
        self.colour(stroke.paint.rgb(self.theme));
        self.word(&format!("{} W", number(stroke.width)));
        if let Some((on, off)) = stroke.dash {
            self.word(&format!("[{} {}] 0 setdash", number(on), number(off)));
        }
    }

    fn colour(&mut self, rgb: Rgb) {
        let mut words = String::new();
        for part in [rgb.r, rgb.g, rgb.b] {
            // Two decimals could not distinguish all 256 values.
            let share = format!("{:.3}", f64::from(part) / 255.0);
            let _ = write!(words, "{} ", share.trim_end_matches('0').trim_end_matches('.'));
        }
        self.word(&(words + "C"));
    }

    fn path(&mut self, points: &[Point]) {
        for (i, &point) in points.iter().enumerate() {
            self.point(point, if i == 0 { "M" } else { "L" });
        }
    }

    fn point(&mut self, point: Point, operator: &str) {
        self.word(&format!("{} {} {operator}", number(point.x), number(point.y)));
    }

    /// Writes words that belong together, on a line with others.
    fn word(&mut self, words: &str) {
        if self.column > 0 && self.column + words.len() >= LINE {
            self.out.push('\n');
            self.column = 0;
        }
        if self.column > 0 {
            self.out.push(' ');
        }
        self.out += words;
        self.column += words.len() + 1;
    }

    /// Ends the line of words, and writes a separate line.
    fn line(&mut self, line: &str) {
        if self.column > 0 {
            self.out.push('\n');
            self.column = 0;
        }
        self.out += line;
        if !line.is_empty() {
            self.out.push('\n');
        }
    }
}

/// The hatches that areas are filled with, by name.
fn gather(items: &[Item], hatches: &mut BTreeMap<String, Hatch>) {
    for item in items {
        let fill = match item {
            Item::Group(group) => {
                gather(&group.items, hatches);
                continue;
            }
            Item::Area(area) => area.fill,
            Item::Rectangle(rectangle) => rectangle.fill,
            Item::Line(_) | Item::Text(_) => continue,
        };
        if let Paint::Hatch(hatch) = fill {
            hatches.insert(hatch.id(), hatch);
        }
    }
}
