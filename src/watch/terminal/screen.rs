//! Lays out and draws the screen.

use std::ops::RangeInclusive;

use crate::analysis::of_cpu;
use crate::base::units::{Nanos, count, percent};
use crate::chart::Chart;
use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::Paragraph;

use super::chart::{self, CellColumns, OTHER, letter, place_in};
use super::view::{Charset, Sort, TableLine, View};
use crate::kit::table::{cut, shortened};
use crate::watch::status::Status;

/// Narrower screens have no chart.
const NARROW: u16 = 40;
/// Narrower tables leave out columns that follow from the others.
const WIDE: u16 = 60;
/// The width of the labels of the vertical axis.
const AXIS: u16 = 10;
const KEYS: &str = "space pause  m mark  g sort  / filter  q quit  ? all keys";
/// What each key does.
const ALL_KEYS: [(&str, &str); 10] = [
    ("space", "let the picture stand still, or go on"),
    ("m", "set a mark: the table shows what each band gained since then"),
    ("g", "sort by what bands gained, or by their size"),
    ("/", "show only bands with some text in their names"),
    ("+ -", "show half as much of the run, or twice as much"),
    ("w", "write a picture and a page of the present state"),
    ("c", "ask the program for a sample (with eventlog-socket's control)"),
    ("s S", "let it take samples from now on, or no more"),
    ("q Esc", "quit; the headline is printed once more"),
    ("?", "close this"),
];
/// On screens this high, the movements of the heap stand below the headline.
const HIGH: u16 = 22;
const MOST_MOVEMENTS: usize = 3;

pub fn draw(frame: &mut Frame<'_>, view: &View) {
    let area = frame.area();
    let has_chart = area.width >= NARROW && area.height >= 12 && !view.times().is_empty();
    let head = heading(view, area);
    let (chart, table) = match has_chart {
        true => (Constraint::Fill(1), Constraint::Length(table_height(view, area.height))),
        false => (Constraint::Length(0), Constraint::Min(0)),
    };
    let parts = [Constraint::Length(head.len() as u16), chart, table, Constraint::Length(1)];
    let [top, picture, lines, foot] = Layout::vertical(parts).areas(area);
    frame.render_widget(Paragraph::new(head), top);
    if let Some(chart) = view.seen.chart.as_ref().filter(|_| has_chart) {
        draw_chart(frame, view, chart, picture);
    }
    let shown = if view.help { help() } else { table_lines(view, lines) };
    frame.render_widget(Paragraph::new(shown), lines);
    frame.render_widget(Paragraph::new(footer(view)), foot);
    if !view.charset.unicode {
        keep_ascii(frame);
    }
}

fn help() -> Vec<Line<'static>> {
    ALL_KEYS.iter().map(|(key, does)| Line::from(format!("{key:>7}  {does}"))).collect()
}

/// Names and markers come from the program; characters that this terminal cannot show become
/// question marks.
fn keep_ascii(frame: &mut Frame<'_>) {
    for cell in &mut frame.buffer_mut().content {
        if !cell.symbol().is_ascii() {
            cell.set_symbol(if cell.symbol() == "…" { "." } else { "?" });
        }
    }
}

fn table_height(view: &View, height: u16) -> u16 {
    if view.help {
        return ALL_KEYS.len() as u16;
    }
    let lines = u16::try_from(view.seen.lines.len() + 1).unwrap_or(u16::MAX);
    lines.min(height * 2 / 5).max(3)
}

fn style(charset: Charset, colour: Color) -> Style {
    if charset.colour { Style::default().fg(colour) } else { Style::default() }
}

/// The name and the verdict, as on a page; what the heap did, if there is room; the state of the watch, and figures
/// of the run.
fn heading(view: &View, area: Rect) -> Vec<Line<'static>> {
    let charset = view.charset;
    let bold = Style::default().add_modifier(Modifier::BOLD);
    let alarm = if view.seen.alarms { style(charset, Color::Red) } else { Style::default() };
    let title = format!("{}  ", view.name);
    let room = usize::from(area.width).saturating_sub(unicode_width(&title));
    let headline = wrapped(&view.seen.headline, room.max(20));
    let mut lines = Vec::new();
    for (at, part) in headline.iter().take(2).enumerate() {
        let start = if at == 0 { title.clone() } else { " ".repeat(unicode_width(&title)) };
        lines.push(Line::from(vec![Span::styled(start, bold), Span::styled(part.clone(), alarm)]));
    }
    let deadline = view.seen.deadline.iter();
    lines.extend(
        deadline.map(|words| Line::styled(cut(&format!("  {words}"), area.width.into()), alarm)),
    );
    if area.height >= HIGH && view.seen.movements.len() > 1 {
        let left_out = view.seen.movements.len().saturating_sub(MOST_MOVEMENTS);
        for movement in &view.seen.movements[left_out..] {
            lines.push(Line::raw(cut(&format!("  {movement}"), area.width.into())));
        }
    }
    lines.push(state(view));
    lines.push(Line::from(figures(view).join("   ")));
    lines
}

/// A text in lines of at most this many columns, broken between words.
fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let last = lines.last_mut().expect("there is always a line");
        match last.is_empty() || unicode_width(last) + 1 + unicode_width(word) <= width {
            true if last.is_empty() => last.push_str(word),
            true => *last += &format!(" {word}"),
            false => lines.push(word.to_owned()),
        }
    }
    lines
}

/// The state of the watch, and facts about the run.
fn state(view: &View) -> Line<'static> {
    let charset = view.charset;
    let colour = match &view.status {
        Status::Live => Color::Green,
        Status::Ended => Color::Cyan,
        Status::Lost => Color::Red,
        Status::Waiting(_)
        | Status::Silent
        | Status::HeaderOnly
        | Status::NoSample
        | Status::Quiet(_)
        | Status::Still(_) => Color::Yellow,
    };
    let mut spans = vec![Span::styled(view.status.to_string(), style(charset, colour))];
    if let Some(behind) = view.paused {
        let text = format!("  paused, {behind} samples behind");
        spans.push(Span::styled(text, style(charset, Color::Magenta)));
    }
    spans.extend(view.seen.facts.iter().map(|fact| Span::raw(format!("  {fact}"))));
    Line::from(spans)
}

fn figures(view: &View) -> Vec<String> {
    let Some(chart) = &view.seen.chart else {
        return view.status.hint().map(str::to_owned).into_iter().collect();
    };
    let bytes = |size: u128| view.units.text(size);
    let now = chart.total.iter().rev().find(|&&total| total > 0).copied().unwrap_or(0);
    let mut figures = vec![
        format!("heap {}", bytes(now)),
        format!("peak {}", bytes(chart.total.iter().max().copied().unwrap_or(0))),
        count(chart.with_data(), "sample"),
    ];
    let of_cpu = of_cpu(chart.clock);
    figures.extend(chart.times.last().map(|time| format!("at {time}{of_cpu}")));
    if view.thinned > 0 {
        figures.push(format!("{} older ones left out", view.thinned));
    }
    figures
}

fn signed(view: &View, bytes: i128) -> String {
    let sign = if bytes < 0 { '-' } else { '+' };
    format!("{sign}{}", view.units.text(bytes.unsigned_abs()))
}

fn draw_chart(frame: &mut Frame<'_>, view: &View, chart: &Chart, area: Rect) {
    let [labels, plot] =
        Layout::horizontal([Constraint::Length(AXIS), Constraint::Min(1)]).areas(area);
    let inner = Rect { y: plot.y + 1, height: plot.height.saturating_sub(2), ..plot };
    let columns = CellColumns::new(chart, view.first_shown(), usize::from(inner.width));
    chart::draw(&columns, view, inner, frame.buffer_mut());
    axis(frame, view, &columns, Rect { y: inner.y, height: inner.height, ..labels });
    let Some(span) = columns.span else { return };
    marks(frame, view, &span, Rect { height: 1, ..plot });
    let bottom = Rect { y: inner.y + inner.height, height: 1, ..inner };
    frame.render_widget(Paragraph::new(span.start().to_string()), bottom);
    frame.render_widget(Paragraph::new(span.end().to_string()).right_aligned(), bottom);
}

/// The labels of the vertical axis: at its top, and at a half and a quarter if there is space.
fn axis(frame: &mut Frame<'_>, view: &View, columns: &CellColumns, area: Rect) {
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
fn marks(frame: &mut Frame<'_>, view: &View, span: &RangeInclusive<Nanos>, area: Rect) {
    let place = |time: Nanos| area.x + place_in(span, time, area.width.into()) as u16;
    let mut free = area.x;
    for mark in view.marks().into_iter().filter(|mark| span.contains(&mark.time)) {
        let x = place(mark.time);
        // An alert is drawn last, over everything else.
        if x < free && !mark.is_alert {
            continue;
        }
        let (sign, colour) = match mark.is_alert {
            true => ('!', Color::Red),
            false => (if view.charset.unicode { '▾' } else { 'v' }, Color::Gray),
        };
        let text = format!("{sign}{}", mark.label);
        let room = usize::from(area.x + area.width - x);
        let wide = unicode_width(&text);
        let text = if wide <= room { text } else { sign.to_string() };
        free = x + u16::try_from(unicode_width(&text) + 1).unwrap_or(u16::MAX);
        let rest = Rect { x, width: area.x + area.width - x, ..area };
        frame.render_widget(Paragraph::new(text).style(style(view.charset, colour)), rest);
    }
    if let Some(mark) = view.mark.filter(|mark| span.contains(mark)) {
        let place = Rect { x: place(mark), width: 1, ..area };
        let sign = if view.charset.unicode { "◆" } else { "M" };
        frame.render_widget(Paragraph::new(sign).style(style(view.charset, Color::Magenta)), place);
    }
}

fn unicode_width(text: &str) -> usize {
    Span::raw(text).width()
}

/// The table: the size of each band now, its share, and what it gained.
fn table_lines(view: &View, area: Rect) -> Vec<Line<'static>> {
    let since = match (view.mark, view.seen.since) {
        (Some(_), _) => "since mark".to_owned(),
        (None, Some(since)) => format!("since {since}"),
        (None, None) => "gained".to_owned(),
    };
    let arrow = |sort: Sort| if view.sort == sort { "*" } else { " " };
    let share = if area.width >= WIDE { "   share" } else { "" };
    let shown = match view.filter.is_empty() && !view.typing {
        true => count(view.seen.bands, "band"),
        false => format!("bands with `{}`", view.filter),
    };
    let (by_size, by_growth) = (arrow(Sort::Size), arrow(Sort::Growth));
    let head = format!("  {:>9}{by_size}{share} {since:>14}{by_growth} {shown}", "now");
    let bold = Style::default().add_modifier(Modifier::BOLD);
    let total: u128 = view.seen.lines.iter().map(|line| u128::from(line.now.get())).sum();
    let lines = view.lines().into_iter().take(usize::from(area.height).saturating_sub(1));
    let lines = lines.map(|line| table_line(view, line, total, area.width));
    std::iter::once(Line::styled(head, bold)).chain(lines).collect()
}

fn table_line(view: &View, line: &TableLine, total: u128, width: u16) -> Line<'static> {
    let sign = match (view.charset.colour && view.charset.unicode, line.layer) {
        (true, layer) => Span::styled("█", Style::default().fg(chart::colour(view, layer))),
        (false, layer) => Span::raw(layer.map_or(OTHER, letter).to_string()),
    };
    let mut text = format!(" {:>9} ", view.units.bytes(line.now));
    if width >= WIDE {
        let share = percent(u128::from(line.now.get()), total);
        text.push_str(&format!("{share:>8}"));
    }
    text.push_str(&format!(" {:>14}  ", signed(view, line.gained)));
    let growing = match (line.grows, width >= WIDE, view.charset.unicode) {
        (false, ..) => "",
        (true, true, _) => "  grows",
        (true, false, true) => " ↗",
        (true, false, false) => " +",
    };
    let room = usize::from(width).saturating_sub(1 + unicode_width(&text) + unicode_width(growing));
    let name = shortened(&line.name, room);
    let mark = Span::styled(growing, style(view.charset, Color::Red));
    Line::from(vec![sign, Span::raw(text), Span::raw(name), mark])
}

/// A message, the filter that is being typed, or the keys.
fn footer(view: &View) -> Line<'static> {
    if view.typing {
        return Line::from(format!("filter: {}_  (enter keeps it, escape clears it)", view.filter));
    }
    if let Some(message) = view.message() {
        return Line::styled(message.to_owned(), style(view.charset, Color::Yellow));
    }
    Line::styled(KEYS, style(view.charset, Color::DarkGray))
}
