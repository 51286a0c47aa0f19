//! A screen as an SVG picture, for the guide: cells as rectangles and text, so that it looks the same
//! with every font.

use std::fmt::Write;

use crate::picture::{Role, Theme};
use ratatui::buffer::{Buffer, Cell};
use ratatui::style::{Color, Modifier};

/// The size of a cell in pixels.
const WIDE: f64 = 8.0;
const HIGH: f64 = 17.0;
const MARGIN: f64 = 10.0;

pub fn svg(buffer: &Buffer) -> String {
    let (columns, rows) = (buffer.area.width, buffer.area.height);
    let width = f64::from(columns) * WIDE + 2.0 * MARGIN;
    let height = f64::from(rows) * HIGH + 2.0 * MARGIN;
    let ground = Role::Background.rgb(Theme::Dark);
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\">\n<rect width=\"{width}\" height=\"{height}\" rx=\"6\" \
         fill=\"{ground}\"/>\n<g font-family=\"monospace\" font-size=\"13\">\n"
    );
    for y in 0..rows {
        let mut x = 0;
        while x < columns {
            let first = &buffer[(x, y)];
            let alike = (x..columns).take_while(|&x| is_alike(first, &buffer[(x, y)]));
            let count = alike.count() as u16;
            run(&mut out, buffer, x, y, count);
            x += count;
        }
    }
    out.push_str("</g>\n</svg>\n");
    out
}

/// Whether two cells are drawn in one go.
fn is_alike(a: &Cell, b: &Cell) -> bool {
    let looks = |cell: &Cell| (cell.fg, cell.bg, cell.modifier, eighths(cell));
    looks(a) == looks(b)
}

/// How many eighths of a cell a block character fills from below.
fn eighths(cell: &Cell) -> Option<usize> {
    super::super::chart::EIGHTHS[1..]
        .iter()
        .position(|&block| block == cell.symbol())
        .map(|i| i + 1)
}

fn run(out: &mut String, buffer: &Buffer, x: u16, y: u16, count: u16) {
    let cell = &buffer[(x, y)];
    let (left, top) = (MARGIN + f64::from(x) * WIDE, MARGIN + f64::from(y) * HIGH);
    let width = f64::from(count) * WIDE;
    let mut block = |top: f64, height: f64, colour: String| {
        let _ = writeln!(
            out,
            "<rect x=\"{left}\" y=\"{top}\" width=\"{width}\" height=\"{height}\" fill=\"{colour}\"/>"
        );
    };
    if cell.bg != Color::Reset {
        block(top, HIGH, paint(cell.bg));
    }
    if let Some(eighths) = eighths(cell) {
        let height = HIGH * eighths as f64 / 8.0;
        return block(top + HIGH - height, height, paint(cell.fg));
    }
    let letters: Vec<&str> = (x..x + count).map(|x| buffer[(x, y)].symbol()).collect();
    let weight = if cell.modifier.contains(Modifier::BOLD) { " font-weight=\"bold\"" } else { "" };
    // Argument by word: renderers fold spaces.
    let mut at = 0;
    for word in letters.split(|letter| letter.trim().is_empty()) {
        if !word.is_empty() {
            let escaped = word.concat().replace('&', "&amp;").replace('<', "&lt;");
            let _ = writeln!(
                out,
                "<text x=\"{}\" y=\"{}\" textLength=\"{}\" fill=\"{}\"{weight}>{escaped}</text>",
                left + at as f64 * WIDE,
                top + 13.0,
                word.len() as f64 * WIDE,
                paint(cell.fg)
            );
        }
        at += word.len() + 1;
    }
}

/// The colours of terminals with a dark ground.
fn paint(colour: Color) -> String {
    match colour {
        Color::Rgb(r, g, b) => format!("#{r:02x}{g:02x}{b:02x}"),
        Color::Green => "#6ac46a".to_owned(),
        Color::Cyan => "#5bc8d0".to_owned(),
        Color::Red => "#f07070".to_owned(),
        Color::Yellow => "#e0c050".to_owned(),
        Color::Magenta => "#d08ad8".to_owned(),
        Color::DarkGray => "#8a8f98".to_owned(),
        _ => Role::Text.rgb(Theme::Dark).to_string(),
    }
}
