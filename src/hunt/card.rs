//! A hunt as one picture: what grows against all the rest, and beside it the chain to the lines, for chats and issues.

use super::chain::ChainLine;
use crate::base::text::visible;
use crate::base::units::whole_percent;
use crate::cli::Style;
use crate::draw::{Tick, ValueAxis};
use crate::picture::text_width::{self, FontWeight};
use crate::picture::{
    Anchor, Area, Item, Line, Paint, Point, Rectangle, Role, Scene, Stroke, Text, Tone,
};

const WIDTH: f64 = 960.0;
const LEAST_HEIGHT: f64 = 376.0;
/// The left and right end of the chart, its top, and what is below it.
const CHART: [f64; 4] = [80.0, 470.0, 136.0, 40.0];
/// Where the chain is, and how wide.
const CHAIN: (f64, f64) = (520.0, 410.0);
const MARGIN: f64 = 24.0;

pub struct Card {
    /// The colour of the headline: alarm, good news, or neither.
    pub tone: Role,
    /// The heap of the run before an edit: places on the axis, and bytes.
    pub before: Option<Vec<(f64, f64)>>,
    pub title: String,
    pub fact: String,
    pub basis: String,
    /// What the card shows, for those who cannot see it.
    pub description: String,
    /// Whether what grows is memory of the process, and not of the heap.
    pub is_memory: bool,
    /// Places on the axis, the bytes of what grows, and of all.
    pub curve: Vec<(f64, f64, f64)>,
    pub unit: &'static str,
    pub lines: Vec<ChainLine>,
    pub cure: Option<String>,
}

/// The picture of what was found.
pub fn scene(card: &Card, style: &Style) -> Scene {
    let mut items: Vec<Item> = Vec::new();
    headline(card, &mut items);
    let height = LEAST_HEIGHT.max(chain(card, style, &mut items));
    chart(card, style, height, &mut items);
    let colour = if card.tone == Role::Text { Role::Axis } else { card.tone };
    let all = |width: f64, role: Role| rectangle(0.0, 0.0, width, height, 0.0, role.into());
    items.splice(..0, [all(WIDTH, Role::Background), all(6.0, colour)]);
    let (title, description) = (visible(&card.title), visible(&card.description));
    Scene { width: WIDTH, height, title, description, source: None, items }
}

fn headline(card: &Card, items: &mut Vec<Item>) {
    let room = WIDTH - 2.0 * MARGIN;
    // A long line of source gets smaller letters before it is cut.
    let title = visible(&card.title);
    let fits = |size: &f64| text_width::width(&title, *size, FontWeight::Bold) <= room;
    let size = [20.0, 18.0].into_iter().find(fits).unwrap_or(16.0);
    let title = text_width::elide(&title, size, FontWeight::Bold, room);
    items.push(Text::new(MARGIN, 36.0, size, card.tone, title).bold().into());
    let mut y = 58.0;
    for line in text_width::wrap(&visible(&card.fact), 12.0, room, 2) {
        items.push(Text::new(MARGIN, y, 12.0, Role::Text, line).into());
        y += 17.0;
    }
    let words = text_width::elide(&visible(&card.basis), 11.0, FontWeight::Regular, room);
    items.push(Text::new(MARGIN, y, 11.0, Role::Muted, words).into());
}

/// What grows, and all the rest, over the samples of the first run.
fn chart(card: &Card, style: &Style, height: f64, items: &mut Vec<Item>) {
    let [left, beside, top, below] = CHART;
    let is_alone = card.lines.is_empty() && card.cure.is_none();
    let right = if is_alone { WIDTH - MARGIN } else { beside };
    let bottom = height - below;
    let Card { curve, unit, tone, .. } = card;
    let before = card.before.as_deref().unwrap_or_default();
    let Some(&(first, ..)) = curve.first() else { return };
    let first = before.first().map_or(first, |one| first.min(one.0));
    let ends = curve.last().map(|&(at, ..)| at).into_iter().chain(before.iter().map(|one| one.0));
    let last = ends.fold(first, f64::max);
    let heights = curve.iter().map(|one| one.2).chain(before.iter().map(|one| one.1));
    let most = heights.fold(1.0, f64::max);
    let x = |at: f64| left + (right - left) * (at - first) / (last - first).max(1e-9);
    let y = |bytes: f64| bottom - (bottom - top) * bytes / most;
    let label = |x: f64, y: f64, anchor: Anchor, words: String| {
        Text::new(x, y, 10.5, Role::Muted, words).anchored(anchor).into()
    };
    for Tick { at: bytes, label: words } in
        ValueAxis::bytes(most as u128, 4, style.draw.units).ticks
    {
        let bytes = bytes as f64;
        let points = [left, right].map(|x| Point { x, y: y(bytes) }).to_vec();
        items.push(Line { points, stroke: Stroke::new(Role::Grid, 1.0) }.into());
        items.push(label(left - 8.0, y(bytes) + 4.0, Anchor::End, words));
    }
    for (at, anchor) in [(first, Anchor::Start), (last, Anchor::End)] {
        items.push(label(x(at), bottom + 16.0, anchor, format!("{at:.1}{unit}")));
    }
    let mut layer = |fill: Paint, heights: &[(f64, f64)]| {
        let ends = heights.last().into_iter().chain(heights.first());
        let ends = ends.map(|one| Point { x: x(one.0), y: bottom });
        let points = heights.iter().map(|one| Point { x: x(one.0), y: y(one.1) }).chain(ends);
        items.push(Area { points: points.collect(), fill, edge: None }.into());
    };
    let all: Vec<_> = curve.iter().map(|one| (one.0, one.2)).collect();
    let own: Vec<_> = curve.iter().map(|one| (one.0, one.1)).collect();
    let dark = if *tone == Role::Text { Role::Other } else { *tone };
    match &card.before {
        Some(before) => {
            layer(dark.into(), &all);
            let points = before.iter().map(|one| Point { x: x(one.0), y: y(one.1) }).collect();
            items.push(Line { points, stroke: Stroke::new(Role::Total, 1.5) }.into());
        }
        None => {
            layer(Paint::Tone(Tone(20)), &all);
            layer(dark.into(), &own);
        }
    }
    let words = match card.is_memory {
        _ if card.before.is_some() => "live heap after the edit; line: before it",
        true => "memory of the process: beside the heap, dark, and all",
        false => "live heap: what grows, dark, and all the rest",
    };
    items.push(Text::new(MARGIN, top - 18.0, 12.0, Role::Muted, words).into());
}

/// The lines of the chain, numbered, and the cure under them; returns the height of a card that they fill.
fn chain(card: &Card, style: &Style, items: &mut Vec<Item>) -> f64 {
    const STEP: f64 = 22.0;
    let (left, room) = CHAIN;
    let mut y = CHART[2] - 18.0;
    for (number, ChainLine { words, place, share }) in card.lines.iter().enumerate() {
        items.push(rectangle(left - 28.0, y - 15.0, 22.0, 22.0, 11.0, Role::Muted.into()));
        let mut digit = Text::new(left - 17.0, y, 11.0, Role::Background, (number + 1).to_string());
        digit = digit.bold().anchored(Anchor::Middle);
        items.push(digit.into());
        for line in
            text_width::wrap_in(FontWeight::Bold, &words.text(style.draw.units), 13.0, room, 4)
        {
            items.push(Text::new(left, y, 13.0, Role::Text, line).bold().into());
            y += 18.0;
        }
        if let Some(line) = place.as_ref().and_then(|place| style.sources.line(place)) {
            items.push(rectangle(left, y - 14.0, room, STEP, 4.0, Paint::Tone(Tone(6))));
            items.push(
                Text::new(left + 8.0, y + 1.0, 11.0, Role::Muted, line.number.to_string()).into(),
            );
            let source =
                text_width::elide(&visible(&line.text), 11.0, FontWeight::Regular, room - 56.0);
            if let Some(marked) = line.marked {
                let width = |letters: usize| {
                    let text: String = line.text.chars().take(letters).collect();
                    text_width::width(&text, 11.0, FontWeight::Regular).min(room - 56.0)
                };
                let (from, to) = (width(marked.start), width(marked.end));
                let under = (left + 44.0 + from, y + 4.0, to - from);
                items.push(rectangle(under.0, under.1, under.2, 1.5, 0.0, card.tone.into()));
            }
            items.push(Text::new(left + 44.0, y + 1.0, 11.0, Role::Text, source).into());
            y += STEP;
        }
        let place = place.as_ref().map(|place| visible(&style.sources.place_here(place)));
        let share = share.map(|share| format!("{} of the growth", whole_percent(share)));
        let facts: Vec<String> = place.into_iter().chain(share).collect();
        if !facts.is_empty() {
            items.push(Text::new(left, y + 2.0, 11.0, Role::Muted, facts.join(" · ")).into());
            y += STEP;
        }
        y += 10.0;
    }
    for line in text_width::wrap(card.cure.as_deref().unwrap_or_default(), 12.0, room, 4) {
        items.push(Text::new(left, y, 12.0, Role::Text, line).into());
        y += 17.0;
    }
    y + MARGIN / 2.0
}

fn rectangle(x: f64, y: f64, width: f64, height: f64, radius: f64, fill: Paint) -> Item {
    Rectangle { at: Point { x, y }, width, height, radius, fill }.into()
}
