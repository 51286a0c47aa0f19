//! Lays out and draws the screen.

use crate::analysis::of_cpu;
use crate::base::units::{Nanos, count, percent};
use crate::chart::Chart;
use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::Paragraph;

use super::super::Status;
use super::chart::{self, CellColumns, CellPart};
use super::view::{Sort, TableLine};
use super::{Colours, TerminalView};
use crate::cli::table::{cut, fitting, length, lines, shortened};

/// Narrower screens have no chart.
const NARROW: u16 = 40;
/// The least height of a chart with the lines above and below it.
const LOW: u16 = 6;
/// Narrower tables leave out columns that follow from the others.
const WIDE: u16 = 60;
/// The width of the labels of the vertical axis.
const AXIS: u16 = 10;
const KEYS: [&str; 3] = [
    "space pause  m mark  g sort  q quit  ? all keys",
    "space pause  q quit  ? all keys",
    "q quit  ? keys",
];
/// What each key does, and what signs mean.
const ALL_KEYS: [(&str, &str); 8] = [
    ("space", "let the picture stand still, or go on"),
    ("m", "set a mark: the table shows what each band gained since then"),
    ("g", "sort by what bands gained, or by their size; * is at the column"),
    ("+ -", "show half as much of the run, or twice as much"),
    ("w", "write a picture and a page of the present state"),
    ("q", "quit; the headline is printed once more"),
    ("? Esc", "close this"),
    ("grey", "over the bands: samples of a column that are higher"),
];
/// The width of the keys in the help.
const KEY: usize = 9;
/// On screens this high, what the name of what is accused means stands below the headline.
const HIGH: u16 = 30;
/// No lower screen has room for a chart.
const LEAST: u16 = 13;
/// Screens that are not this high have a headline of one line, and no words about time: they have little room for a chart.
const TALL: u16 = 16;

pub fn draw(frame: &mut Frame<'_>, view: &TerminalView) {
    let area = frame.area();
    let (head, foot) = (heading(view, area), footer(view, area));
    let table = table_height(view, area);
    let others = head.len() + usize::from(table) + foot.len();
    let has_room = usize::from(area.height) >= others + usize::from(LOW);
    let has_chart = area.width >= NARROW && has_room && !view.times().is_empty();
    let (chart, table) = match has_chart {
        true => (Constraint::Fill(1), Constraint::Length(table)),
        false => (Constraint::Length(0), Constraint::Min(0)),
    };
    let height = |lines: &[Line<'_>]| Constraint::Length(lines.len() as u16);
    let parts = [height(&head), chart, table, height(&foot)];
    let [top, picture, lines, bottom] = Layout::vertical(parts).areas(area);
    frame.render_widget(Paragraph::new(head), top);
    if let Some(chart) = view.seen.chart.as_ref().filter(|_| has_chart) {
        draw_chart(frame, view, chart, picture);
    }
    let shown = if view.help { help(area.width) } else { table_lines(view, lines) };
    frame.render_widget(Paragraph::new(shown), lines);
    frame.render_widget(Paragraph::new(foot), bottom);
    if view.colours == Colours::Few {
        for cell in &mut frame.buffer_mut().content {
            cell.set_fg(Color::Reset).set_bg(Color::Reset);
        }
    }
}

fn help(width: u16) -> Vec<Line<'static>> {
    let room = usize::from(width).saturating_sub(KEY);
    let lines = ALL_KEYS.into_iter().flat_map(|(key, does)| {
        let does = lines(does, room, room).into_iter().enumerate();
        does.map(move |(at, part)| format!("{:>7}  {part}", if at == 0 { key } else { "" }))
    });
    lines.map(Line::from).collect()
}

fn table_height(view: &TerminalView, area: Rect) -> u16 {
    if view.help {
        return help(area.width).len() as u16;
    }
    let lines = u16::try_from(view.seen.lines.len() + 1).unwrap_or(u16::MAX);
    // Half of a screen is the chart's.
    lines.min(area.height / 4).max(3)
}

fn style(colour: Color) -> Style {
    Style::new().fg(colour)
}

/// The name and the state of the watch; the verdict, as over a picture; what the heap did, if there is room; and figures
/// of the run.
fn heading(view: &TerminalView, area: Rect) -> Vec<Line<'static>> {
    let width = usize::from(area.width);
    let alarm = if view.seen.alarms { style(Color::Red) } else { Style::default() };
    let mut lines = state(view, width);
    let is_tall = !(LEAST..TALL).contains(&area.height);
    let headline = at_most(&view.seen.headline, width, if is_tall { 3 } else { 1 });
    lines.extend(headline.into_iter().map(|line| Line::styled(line, alarm)));
    let next = view.seen.chart.iter().filter(|_| is_tall).filter_map(|chart| chart.next.as_ref());
    lines.extend(next.map(|command| Line::raw(cut(&format!("  next: {command}"), width))));
    let meaning = view.seen.meaning.iter().filter(|_| area.height >= HIGH);
    lines.extend(meaning.flat_map(|words| indented(words, width)).map(Line::raw));
    lines.extend(figures(view, width).into_iter().map(Line::from));
    lines
}

/// A text in at most so many lines, the last of them cut.
fn at_most(text: &str, width: usize, most: usize) -> Vec<String> {
    let mut lines = lines(text, width, width);
    let rest = lines.split_off(lines.len().min(most - 1)).join(" ");
    lines.extend((!rest.is_empty()).then_some(rest));
    lines.iter().map(|line| cut(line, width)).collect()
}

/// A text in lines that are indented by two blanks.
fn indented(text: &str, width: usize) -> Vec<String> {
    let room = width.saturating_sub(2);
    lines(text, room, room).iter().map(|line| cut(&format!("  {line}"), width)).collect()
}

/// The name, the state of the watch, and facts about the run, in one line if the state has room in it.
fn state(view: &TerminalView, width: usize) -> Vec<Line<'static>> {
    let bold = Style::default().add_modifier(Modifier::BOLD);
    let colour = match &view.status {
        Status::Live => Color::Green,
        Status::Ended => Color::Cyan,
        Status::Lost | Status::Refused(..) => Color::Red,
        Status::Waiting(_)
        | Status::Silent
        | Status::HeaderOnly
        | Status::NoSample
        | Status::Quiet(_)
        | Status::Still(_) => Color::Yellow,
    };
    let status = view.status.to_string();
    let paused = view
        .paused
        .map_or_else(String::new, |behind| format!("  paused, {} behind", count(behind, "sample")));
    let damage =
        view.damage.as_ref().map_or_else(String::new, |damage| format!("  damaged: {damage}"));
    let facts: String = view.seen.facts.iter().map(|fact| format!("  {fact}")).collect();
    let room = width.saturating_sub(length(&status) + length(&damage) + length(&paused) + 2);
    let coloured = |text: String, colour| Span::styled(text, style(colour));
    let is_short = length(&view.name) <= room;
    if !is_short {
        let name = Line::styled(shortened(&view.name, width.max(3)), bold);
        let status = lines(&format!("{status}{damage}{paused}"), width, width).into_iter();
        let status = status.map(|line| Line::from(coloured(cut(&line, width), colour)));
        return std::iter::once(name).chain(status).collect();
    }
    let facts = cut(&facts, room - length(&view.name));
    vec![Line::from(vec![
        Span::styled(format!("{}  ", view.name), bold),
        coloured(status, colour),
        coloured(damage, Color::Red),
        coloured(paused, Color::Magenta),
        Span::raw(facts),
    ])]
}

/// The figures of the run in one line; the last ones are left out if they do not fit. Or the reason why there are none.
fn figures(view: &TerminalView, width: usize) -> Vec<String> {
    let Some(chart) = &view.seen.chart else {
        let why = view.seen.nothing.as_deref().or(view.status.hint());
        return why.map_or_else(Vec::new, |text| lines(text, width, width));
    };
    let bytes = |size: u128| view.units.text(size);
    let now = chart.total.iter().rev().find(|&&total| total > 0).copied().unwrap_or(0);
    // No band contains what is accused outside of them.
    let outside = chart.outside.and_then(|accused| {
        let (_, peak) = chart.heap[accused.figure].peak()?;
        Some(format!("{} up to {}", accused.figure.name(), view.units.bytes(peak)))
    });
    let mut figures: Vec<String> = outside.into_iter().collect();
    figures.extend([
        format!("heap {}", bytes(now)),
        format!("peak {}", bytes(chart.total.iter().max().copied().unwrap_or(0))),
        count(chart.with_data(), "sample"),
    ]);
    let of_cpu = of_cpu(chart.clock);
    figures.extend(chart.times.last().map(|time| format!("at {time}{of_cpu}")));
    if view.thinned > 0 {
        figures.push(format!("{} older ones left out", view.thinned));
    }
    while figures.len() > 1 && length(&figures.join("   ")) > width {
        figures.pop();
    }
    let figures = figures.join("   ");
    // Why the log is not complete belongs to what it shows.
    let why = if view.status == Status::Lost { view.status.hint() } else { None };
    let why = why.map_or_else(Vec::new, |text| lines(text, width, width));
    std::iter::once(figures).chain(why).collect()
}

fn signed(view: &TerminalView, bytes: i128) -> String {
    let sign = if bytes < 0 { '-' } else { '+' };
    format!("{sign}{}", view.units.text(bytes.unsigned_abs()))
}

fn draw_chart(frame: &mut Frame<'_>, view: &TerminalView, chart: &Chart, area: Rect) {
    let [labels, plot] =
        Layout::horizontal([Constraint::Length(AXIS), Constraint::Min(1)]).areas(area);
    let inner = Rect { y: plot.y + 1, height: plot.height.saturating_sub(2), ..plot };
    let columns =
        CellColumns::new(chart, view.first_shown(), usize::from(inner.width), view.has_ended());
    chart::draw(&columns, view, inner, frame.buffer_mut());
    axis(frame, view, &columns, Rect { y: inner.y, height: inner.height, ..labels });
    marks(frame, view, &columns, Rect { height: 1, ..plot });
    let bottom = Rect { y: inner.y + inner.height, height: 1, ..inner };
    let [left, right] = columns.ends();
    frame.render_widget(Paragraph::new(left), bottom);
    frame.render_widget(Paragraph::new(right).right_aligned(), bottom);
}

/// The labels of the vertical axis: at its top, and at a half and a quarter if there is space.
fn axis(frame: &mut Frame<'_>, view: &TerminalView, columns: &CellColumns<'_>, area: Rect) {
    let parts: &[u16] = if area.height >= 8 { &[0, 1, 2, 3] } else { &[0, 2] };
    for &quarter in parts {
        let y = area.y + area.height * quarter / 4;
        let size = columns.top * u128::from(4 - quarter) / 4;
        let line = Rect { y, height: 1, width: area.width - 1, ..area };
        let text = Paragraph::new(view.units.text(size)).right_aligned();
        frame.render_widget(text.style(style(Color::DarkGray)), line);
    }
}

/// Markers above the chart, with their text if there is space for it.
fn marks(frame: &mut Frame<'_>, view: &TerminalView, columns: &CellColumns<'_>, area: Rect) {
    let place = |time: Nanos| Some(area.x + columns.place_of(time)?);
    let mut free = area.x;
    for mark in view.marks() {
        let Some(x) = place(mark.time) else { continue };
        // An alert is drawn last, over everything else.
        if x < free && !mark.is_alert {
            continue;
        }
        let (sign, colour) = match mark.is_alert {
            true => ('!', Color::Red),
            false => ('▾', Color::Gray),
        };
        let text = format!("{sign}{}", mark.label);
        let room = usize::from(area.x + area.width - x);
        let wide = length(&text);
        let text = if wide <= room { text } else { sign.to_string() };
        free = x + u16::try_from(length(&text) + 1).unwrap_or(u16::MAX);
        let rest = Rect { x, width: area.x + area.width - x, ..area };
        frame.render_widget(Paragraph::new(text).style(style(colour)), rest);
    }
    if let Some(x) = view.mark.and_then(place) {
        let place = Rect { x, width: 1, ..area };
        frame.render_widget(Paragraph::new("◆").style(style(Color::Magenta)), place);
    }
}

/// The table: the size of each band now, its share, and what it gained. When the run has ended, the peak of
/// each: what is big in the chart may be freed.
fn table_lines(view: &TerminalView, area: Rect) -> Vec<Line<'static>> {
    let since = &view.seen.since;
    let arrow = |sort: Sort| if view.sort == sort { "*" } else { " " };
    let share = if area.width >= WIDE { "   share" } else { "" };
    let shown = count(view.seen.bands, "band");
    let when = if view.seen.peaks { "peak" } else { "now" };
    let (by_size, by_growth) = (arrow(Sort::Size), arrow(Sort::Growth));
    let head = format!("  {when:>9}{by_size}{share} {since:>15}{by_growth} {shown}");
    let bold = Style::default().add_modifier(Modifier::BOLD);
    let Some(heap) = view.seen.chart.as_ref().map(|chart| &chart.total) else { return Vec::new() };
    let total = match view.seen.peaks {
        true => heap.iter().max().copied().unwrap_or(0),
        false => heap.iter().rev().find(|total| **total > 0).copied().unwrap_or(0),
    };
    // What is less than a hundredth of the heap is left out.
    let is_shown = |line: &&TableLine| 100 * u128::from(line.now.get()) >= total || line.grows;
    let most = usize::from(area.height).saturating_sub(1);
    let lines = view.lines().into_iter().filter(is_shown).take(most);
    let rows: Vec<ScreenRow> =
        lines.map(|line| ScreenRow::new(view, line, total, area.width)).collect();
    let names = fitting(rows.iter().map(|row| (row.line.names.clone(), row.room)));
    let lines = rows.into_iter().zip(names).map(|(row, name)| row.with(view, name));
    std::iter::once(Line::styled(cut(&head, area.width.into()), bold)).chain(lines).collect()
}

/// A line of the table before its name is chosen.
struct ScreenRow<'a> {
    line: &'a TableLine,
    sign: Span<'static>,
    figures: String,
    growing: &'static str,
    /// How many columns its name may have.
    room: usize,
}

impl<'a> ScreenRow<'a> {
    fn new(view: &TerminalView, line: &'a TableLine, total: u128, width: u16) -> Self {
        let layer = line.layer.map_or(CellPart::Other, CellPart::Layer);
        let sign = Span::styled("█", style(chart::colour(view, layer)));
        let mut figures = format!(" {:>9} ", view.units.bytes(line.now));
        if width >= WIDE {
            let share = percent(u128::from(line.now.get()), total);
            figures.push_str(&format!("{share:>8}"));
        }
        figures.push_str(&format!(" {:>15}  ", signed(view, line.gained)));
        let growing = match (line.grows, width >= WIDE) {
            (false, _) => "",
            (true, true) if view.seen.alarms => "  grows",
            (true, true) => "  grew",
            (true, false) => " ↗",
        };
        let room = usize::from(width).saturating_sub(1 + length(&figures) + length(growing));
        ScreenRow { line, sign, figures, growing, room }
    }

    fn with(self, view: &TerminalView, name: String) -> Line<'static> {
        let colour = if view.seen.alarms { Color::Red } else { Color::Reset };
        let mark = Span::styled(self.growing, style(colour));
        Line::from(vec![self.sign, Span::raw(self.figures), Span::raw(name), mark])
    }
}

/// A message, the filter that is being typed, or the keys.
fn footer(view: &TerminalView, area: Rect) -> Vec<Line<'static>> {
    let width = usize::from(area.width);
    let keys = || KEYS.into_iter().find(|keys| length(keys) <= width).unwrap_or_default();
    let (text, colour) = match view.message() {
        Some(message) => (message, Color::Yellow),
        None => (keys(), Color::DarkGray),
    };
    let mut lines = lines(text, width, width);
    lines.truncate(usize::from(area.height / 3).max(1));
    let lines = lines.iter().map(|line| cut(line, width));
    lines.map(|line| Line::styled(line, style(colour))).collect()
}
