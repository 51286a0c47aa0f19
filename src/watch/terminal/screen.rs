//! Lays out and draws the screen.

use crate::analysis::Leak;
use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::Paragraph;

use super::chart::{self, Columns, OTHER, letter};
use super::view::{Charset, Marked, Sort, TableLine, View};
use crate::watch::status::Status;

/// Narrower screens have no chart.
const NARROW: u16 = 40;
/// Narrower tables leave out columns that follow from the others.
const WIDE: u16 = 60;
/// The width of the labels of the vertical axis.
const AXIS: u16 = 10;
const KEYS: &str = "space pause  m mark  g sort  / filter  + - zoom  c census  s S samples  p P ticks  w write  q quit";
const FEW_KEYS: &str = "space m g / + - c s S p P w q";

pub fn draw(frame: &mut Frame<'_>, view: &View) {
    let area = frame.area();
    let has_chart = area.width >= NARROW && area.height >= 12 && !view.rows.times().is_empty();
    let table = if has_chart { table_height(view, area.height) } else { 0 };
    let parts = match has_chart {
        true => [
            Constraint::Length(3),
            Constraint::Min(4),
            Constraint::Length(table),
            Constraint::Length(1),
        ],
        false => [
            Constraint::Length(3),
            Constraint::Length(0),
            Constraint::Min(0),
            Constraint::Length(1),
        ],
    };
    let [head, picture, lines, foot] = Layout::vertical(parts).areas(area);
    frame.render_widget(Paragraph::new(heading(view)), head);
    if has_chart {
        draw_chart(frame, view, picture);
    }
    frame.render_widget(Paragraph::new(table_lines(view, lines)), lines);
    frame.render_widget(Paragraph::new(footer(view, area.width)), foot);
    if !view.charset.unicode {
        keep_ascii(frame);
    }
}

/// Names and markers come from the program; characters that this terminal cannot show become
/// question marks.
fn keep_ascii(frame: &mut Frame<'_>) {
    for cell in &mut frame.buffer_mut().content {
        if !cell.symbol().is_ascii() {
            cell.set_symbol("?");
        }
    }
}

fn table_height(view: &View, height: u16) -> u16 {
    let lines = u16::try_from(view.lines.len() + 1).unwrap_or(u16::MAX);
    lines.min(height * 2 / 5).max(3)
}

fn style(charset: Charset, colour: Color) -> Style {
    if charset.colour { Style::default().fg(colour) } else { Style::default() }
}

/// The state of the watch, the verdict, and figures of the run.
fn heading(view: &View) -> Vec<Line<'static>> {
    let charset = view.charset;
    let state = match &view.status {
        Status::Live => style(charset, Color::Green),
        Status::Ended => style(charset, Color::Cyan),
        Status::Lost => style(charset, Color::Red),
        Status::Waiting(_)
        | Status::Silent
        | Status::HeaderOnly
        | Status::NoSample
        | Status::Quiet(_)
        | Status::Still(_) => style(charset, Color::Yellow),
    };
    let bold = Style::default().add_modifier(Modifier::BOLD);
    let mut first = vec![
        Span::styled(view.name.clone(), bold),
        Span::raw("  "),
        Span::styled(view.status.to_string(), state),
    ];
    if let Some(behind) = view.paused {
        let text = format!("  paused, {behind} samples behind");
        first.push(Span::styled(text, style(charset, Color::Magenta)));
    }
    for fact in &view.facts {
        first.push(Span::raw(format!("  {fact}")));
    }
    let mut figures = Vec::new();
    let totals = view.rows.totals();
    if let (Some(&now), Some(&time)) = (totals.last(), view.rows.times().last()) {
        let bytes = |size: u128| view.units.text(size);
        let peak = totals.iter().max().copied().unwrap_or(0);
        figures.push(format!("heap {}", bytes(now)));
        figures.push(format!("peak {}", bytes(peak)));
        figures.extend(growth(view));
        figures.push(format!("{} samples", totals.len()));
        figures.push(format!("at {time}"));
        if view.thinned > 0 {
            figures.push(format!("{} older ones left out", view.thinned));
        }
    } else if let Some(hint) = view.status.hint() {
        figures.push(hint.to_owned());
    }
    let alarm = match view.judged.leak {
        Leak::Likely | Leak::Possible => style(charset, Color::Red),
        Leak::None | Leak::Unknown => Style::default(),
    };
    let headline = Line::styled(view.judged.headline.clone(), alarm);
    vec![Line::from(first), headline, Line::from(figures.join("   "))]
}

/// The growth of the whole heap since the mark. Over a time of its own, a sawtooth would be judged by its teeth.
fn growth(view: &View) -> Option<String> {
    let (from, _) = view.rows.growth_from().zip(view.rows.mark())?;
    Some(format!("{} since the mark at {from}", signed(view, view.rows.growth())))
}

fn signed(view: &View, bytes: i128) -> String {
    let sign = if bytes < 0 { '-' } else { '+' };
    format!("{sign}{}", view.units.text(bytes.unsigned_abs()))
}

fn draw_chart(frame: &mut Frame<'_>, view: &View, area: Rect) {
    let [labels, plot] =
        Layout::horizontal([Constraint::Length(AXIS), Constraint::Min(1)]).areas(area);
    let inner = Rect { y: plot.y + 1, height: plot.height.saturating_sub(2), ..plot };
    let columns = Columns::of(view, usize::from(inner.width));
    chart::draw(&columns, view, inner, frame.buffer_mut());
    axis(frame, view, &columns, Rect { y: inner.y, height: inner.height, ..labels });
    let Some(span) = columns.span else { return };
    marks(frame, view, span, Rect { height: 1, ..plot });
    let from = span.from.to_string();
    let to = span.to.to_string();
    let bottom = Rect { y: inner.y + inner.height, height: 1, ..inner };
    frame.render_widget(Paragraph::new(from), bottom);
    frame.render_widget(Paragraph::new(to).right_aligned(), bottom);
}

/// The labels of the vertical axis: at its top, and at a half and a quarter if there is space.
fn axis(frame: &mut Frame<'_>, view: &View, columns: &Columns, area: Rect) {
    let parts: &[u16] = if area.height >= 8 { &[0, 1, 2, 3] } else { &[0, 2] };
    for &quarter in parts {
        let y = area.y + area.height * quarter / 4;
        let size = columns.top * u128::from(4 - quarter) / 4;
        let line = Rect { y, height: 1, width: area.width - 1, ..area };
        let text = Paragraph::new(view.units.text(size)).right_aligned();
        frame.render_widget(text.style(style(view.charset, Color::DarkGray)), line);
    }
}

/// Markers above the chart, with their text if there is space for it.
fn marks(frame: &mut Frame<'_>, view: &View, span: chart::Span, area: Rect) {
    let whole = span.to.since(span.from).as_seconds();
    let mut free = area.x;
    for mark in view.markers.iter().filter(|m| span.from <= m.time && m.time <= span.to) {
        let share = mark.time.since(span.from).as_seconds() / whole;
        let x = area.x + (share * f64::from(area.width.saturating_sub(1))).round() as u16;
        // An alert is drawn last, over everything else.
        if x < free && mark.what == Marked::Marker {
            continue;
        }
        let (sign, colour) = match mark.what {
            Marked::Alert => ('!', Color::Red),
            Marked::Marker if view.charset.unicode => ('▾', Color::Gray),
            Marked::Marker => ('v', Color::Gray),
        };
        let text = format!("{sign}{}", mark.label);
        let room = usize::from(area.x + area.width - x);
        let wide = unicode_width(&text);
        let text = if wide <= room { text } else { sign.to_string() };
        free = x + u16::try_from(unicode_width(&text) + 1).unwrap_or(u16::MAX);
        let place = Rect { x, width: area.x + area.width - x, ..area };
        frame.render_widget(Paragraph::new(text).style(style(view.charset, colour)), place);
    }
    if let Some(mark) = view.rows.mark().filter(|&mark| span.from <= mark && mark <= span.to) {
        let share = mark.since(span.from).as_seconds() / whole;
        let x = area.x + (share * f64::from(area.width.saturating_sub(1))).round() as u16;
        let place = Rect { x, width: 1, ..area };
        let sign = if view.charset.unicode { "◆" } else { "M" };
        frame.render_widget(Paragraph::new(sign).style(style(view.charset, Color::Magenta)), place);
    }
}

fn unicode_width(text: &str) -> usize {
    Span::raw(text).width()
}

/// The table: the size of each band now, its share and its growth.
fn table_lines(view: &View, area: Rect) -> Vec<Line<'static>> {
    let since = match (view.rows.mark(), view.rows.growth_from(), view.rows.times().last()) {
        (Some(_), ..) => "since mark".to_owned(),
        (None, Some(from), Some(to)) => format!("in {}", to.since(from)),
        _ => "growth".to_owned(),
    };
    let arrow = |sort: Sort| if view.sort == sort { "*" } else { " " };
    let wide = area.width >= WIDE;
    let mut head = format!("  {:>9}{}", "now", arrow(Sort::Size));
    if wide {
        head.push_str("  share");
    }
    head.push_str(&format!(" {since:>12}{}", arrow(Sort::Growth)));
    if wide {
        head.push_str(&format!(" {:<12}", ""));
    }
    let shown = match view.filter.is_empty() && !view.typing {
        true => format!(" {} bands", view.bands),
        false => format!(" bands with `{}`", view.filter),
    };
    head.push_str(&shown);
    let bold = Style::default().add_modifier(Modifier::BOLD);
    let mut lines = vec![Line::styled(head, bold)];
    let total = view.rows.totals().last().copied().unwrap_or(0);
    for line in view.lines.iter().take(usize::from(area.height).saturating_sub(1)) {
        lines.push(table_line(view, line, total, area.width));
    }
    lines
}

fn table_line(view: &View, line: &TableLine, total: u128, width: u16) -> Line<'static> {
    let figures = line.figures;
    let wide = width >= WIDE;
    let (sign, colour) = match (view.charset.colour && view.charset.unicode, line.layer) {
        (true, layer) => ("█".to_owned(), Some(chart::colour(view, layer))),
        (false, Some(layer)) => (letter(layer).to_string(), None),
        (false, None) => (OTHER.to_string(), None),
    };
    let sign = match colour {
        Some(colour) => Span::styled(sign, Style::default().fg(colour)),
        None => Span::raw(sign),
    };
    let mut text = format!(" {:>9} ", view.units.bytes(figures.now));
    if wide {
        let share = crate::base::units::percent(u128::from(figures.now.get()), total);
        text.push_str(&format!("{share:>7}"));
    }
    text.push_str(&format!(" {:>12} ", signed(view, figures.growth)));
    if wide {
        text.push_str(&format!("{} ", spark(&line.spark, view.charset)));
    }
    let growing = match view.judged.suspects.contains(&line.label) {
        true => "  grows",
        false => "",
    };
    let room = usize::from(width).saturating_sub(1 + unicode_width(&text) + growing.len());
    let name = match wide {
        true => shortened(&line.label, room, view.charset) + growing,
        false => line.label.clone(),
    };
    Line::from(vec![sign, Span::raw(text), Span::raw(name)])
}

/// A name in this many columns, without its end if it is longer.
fn shortened(name: &str, room: usize, charset: Charset) -> String {
    if unicode_width(name) <= room {
        return name.to_owned();
    }
    let end = if charset.unicode { "…" } else { ".." };
    let mut kept = String::new();
    for letter in name.chars() {
        if unicode_width(&kept) + unicode_width(&letter.to_string()) + unicode_width(end) > room {
            break;
        }
        kept.push(letter);
    }
    kept + end
}

/// A few figures as a line of blocks, twelve characters wide.
fn spark(values: &[u64], charset: Charset) -> String {
    const WIDTH: usize = 12;
    let highest = values.iter().max().copied().unwrap_or(0).max(1);
    let steps: Vec<char> = match charset.unicode {
        true => "▁▂▃▄▅▆▇█".chars().collect(),
        false => "_.-=*#".chars().collect(),
    };
    let of = |&value: &u64| {
        let step = u128::from(value) * (steps.len() as u128 - 1) / u128::from(highest);
        steps[step as usize]
    };
    let line: String = values.iter().map(of).collect();
    format!("{line:<WIDTH$}")
}

/// A message, the filter that is being typed, or the keys.
fn footer(view: &View, width: u16) -> Line<'static> {
    if view.typing {
        return Line::from(format!("filter: {}_  (enter keeps it, escape clears it)", view.filter));
    }
    if let Some(message) = view.message() {
        return Line::styled(message.to_owned(), style(view.charset, Color::Yellow));
    }
    let keys = if usize::from(width) >= KEYS.len() { KEYS } else { FEW_KEYS };
    Line::styled(keys, style(view.charset, Color::DarkGray))
}
