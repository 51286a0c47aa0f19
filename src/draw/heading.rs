//! The heading above the plot: the title, and a few lines of facts.

use super::labels;
use super::options::{DrawOptions, Heading};
use crate::analysis::Leak;
use crate::base::sentence::Sentence;
use crate::base::units::UnitSystem;
use crate::chart::Chart;
use crate::picture::text_width::{FontWeight, elide, width, wrap};
use crate::picture::{Group, Item, Line, Point, Role, Stroke, Text};

/// Room at the edges of the picture, in pixels.
pub const MARGIN: f64 = 16.0;
/// The font size of the title, in pixels.
pub const TITLE_SIZE: f64 = 16.0;
/// The font size of facts, and of words in an empty plot, in pixels.
pub const FACTS_SIZE: f64 = 12.0;
const FACTS_LINE: f64 = 16.0;
/// The distance from the top of the picture to the first base line, and from the title's base line
/// to that of the facts.
const TITLE_BASELINE: f64 = 30.0;
const FACTS_BELOW: f64 = 20.0;
const FACTS_ALONE: f64 = 27.0;
/// The distance from the last base line to the end of the heading.
const UNDER: f64 = 12.0;

/// What a heading says, before it is known how much of it has room.
#[derive(Clone)]
pub struct HeadingWords {
    pub title: Option<String>,
    /// The headline, and its shorter forms.
    pub headlines: Vec<String>,
    pub facts: FactWords,
    /// The mark of growing bands, if the headline explains it.
    pub mark: Option<Leak>,
}

#[derive(Clone)]
pub enum FactWords {
    /// Facts, none of which is broken.
    List(Vec<String>),
    /// A text, which is broken into lines.
    Text(String),
}

impl HeadingWords {
    /// The words above a chart that has these facts.
    pub fn new(chart: &Chart, facts: &[String], options: &DrawOptions) -> Self {
        let heading = &options.heading;
        let headlines = match &heading.subtitle {
            Heading::Auto => written(&chart.captions, options.units),
            Heading::Text(_) | Heading::None => Vec::new(),
        };
        HeadingWords {
            title: match &heading.title {
                Heading::Auto => Some(labels::visible_text(&chart.title)),
                Heading::Text(text) => Some(labels::visible_text(text)),
                Heading::None => None,
            },
            facts: match &heading.subtitle {
                Heading::Auto => FactWords::List(labels::facts(chart, facts, options.units)),
                Heading::Text(text) => FactWords::Text(labels::visible_text(text)),
                Heading::None => FactWords::List(Vec::new()),
            },
            mark: chart.suspects().filter(|_| !headlines.is_empty()),
            headlines,
        }
    }

    /// Leaves out the least important fact of a list.
    pub fn leave_out_last_fact(&mut self) {
        match &mut self.facts {
            FactWords::List(facts) => facts.truncate(facts.len().saturating_sub(1)),
            FactWords::Text(_) => {}
        }
    }
}

/// Lines of text with their base lines.
#[derive(Default)]
pub struct HeadingLines {
    title: Option<String>,
    mark: Option<Leak>,
    headline: Vec<String>,
    facts: Vec<String>,
    /// The height in pixels, including the margin above.
    pub height: f64,
}

impl HeadingLines {
    /// No heading, only the top margin.
    pub fn none() -> Self {
        HeadingLines { height: MARGIN, ..HeadingLines::default() }
    }

    /// The heading of a picture that is `picture_height` high, in lines of at most `line` pixels.
    pub fn new(words: &HeadingWords, line: f64, picture_height: f64) -> Self {
        let most = if picture_height < 300.0 { 1 } else { 2 };
        let title =
            words.title.as_ref().map(|title| elide(title, TITLE_SIZE, FontWeight::Bold, line));
        let room = line + MARGIN - headline_left(words.mark);
        let headline = headline(&words.headlines, room, most);
        let facts = match &words.facts {
            FactWords::List(facts) => lines(facts, line, most),
            FactWords::Text(text) => wrap(text, FACTS_SIZE, line, most),
        };
        let below = headline.len() + facts.len();
        let mut heading = HeadingLines { title, mark: words.mark, headline, facts, height: 0.0 };
        let last = match (below, &heading.title) {
            (0, None) => None,
            (0, Some(_)) => Some(TITLE_BASELINE),
            (n, _) => Some(heading.first_fact() + (n - 1) as f64 * FACTS_LINE),
        };
        heading.height = last.map_or(MARGIN, |last| last + UNDER);
        heading
    }

    /// The heading without facts, and with one line of the headline.
    pub fn without_facts(words: &HeadingWords, line: f64) -> Self {
        let words = HeadingWords { facts: FactWords::List(Vec::new()), ..words.clone() };
        HeadingLines::new(&words, line, 0.0)
    }

    /// The heading without a title.
    pub fn headline_alone(words: &HeadingWords, line: f64) -> Self {
        HeadingLines::without_facts(&HeadingWords { title: None, ..words.clone() }, line)
    }

    fn first_fact(&self) -> f64 {
        match self.title {
            Some(_) => TITLE_BASELINE + FACTS_BELOW,
            None => FACTS_ALONE,
        }
    }

    /// The texts of the heading, and the mark of growing bands.
    pub fn group(&self) -> Group {
        let mut group = Group::new("heading");
        if let Some(title) = &self.title {
            let text = Text::new(MARGIN, TITLE_BASELINE, TITLE_SIZE, Role::Text, &**title);
            group.items.push(text.bold().into());
        }
        let role = match self.mark {
            Some(Leak::Likely) => Role::Alarm,
            Some(Leak::Possible | Leak::None | Leak::Unknown) | None => Role::Text,
        };
        let left = headline_left(self.mark);
        let headline = self.headline.iter().map(|line| (line, left, role));
        let facts = self.facts.iter().map(|line| (line, MARGIN, Role::Muted));
        for (i, (line, x, role)) in headline.chain(facts).enumerate() {
            let y = self.first_fact() + i as f64 * FACTS_LINE;
            if let Some(leak) = self.mark.filter(|_| i == 0) {
                group.items.push(rising(Point { x: MARGIN, y }, leak).into());
            }
            group.items.push(Text::new(x, y, FACTS_SIZE, role, &**line).into());
        }
        group
    }
}

/// Where the headline begins: after the mark of growing bands, if there is one.
fn headline_left(mark: Option<Leak>) -> f64 {
    if mark.is_some() { MARGIN + RISING_ROOM } else { MARGIN }
}

/// The first of these headlines in lines that fits; else the last of them, cut between words.
fn headline(headlines: &[String], room: f64, most: usize) -> Vec<String> {
    let mut fitting = headlines.iter().filter_map(|headline| {
        let lines = wrap(headline, FACTS_SIZE, room, usize::MAX);
        (lines.len() <= most && lines.join(" ") == *headline).then_some(lines)
    });
    let shortest = || headlines.last().map(|text| wrap(text, FACTS_SIZE, room, most));
    fitting.next().or_else(shortest).unwrap_or_default()
}

/// The forms of a headline as they are written, in the order in which they are tried.
pub fn written(headlines: &[Sentence], units: UnitSystem) -> Vec<String> {
    let headlines = headlines.iter().filter(|headline| !headline.is_empty());
    headlines.map(|form| labels::visible_text(&form.text(units))).collect()
}

/// Facts in at most this many lines, none of them broken. A fact that does not fit is left out
/// completely: half a number is worse than none.
fn lines(facts: &[String], limit: f64, most: usize) -> Vec<String> {
    let fits = |line: &str| width(line, FACTS_SIZE, FontWeight::Regular) <= limit;
    let mut lines: Vec<String> = Vec::new();
    for fact in facts {
        let longer = lines.last().map(|line| format!("{line} · {fact}"));
        if let Some(longer) = longer.filter(|line| fits(line)) {
            lines.pop();
            lines.push(longer);
        } else if lines.len() < most {
            lines.extend(wrap(fact, FACTS_SIZE, limit, 1));
        }
    }
    lines
}

/// The room that the mark of growing bands takes in a line of text, in pixels.
pub const RISING_ROOM: f64 = 12.0;

/// The shaft and the head of an arrow, from the left end of its shaft, in pixels to the right and up.
const SHAFT: [(f64, f64); 2] = [(0.0, 0.0), (7.0, 7.0)];
const HEAD: [(f64, f64); 3] = [(2.8, 7.0), (7.0, 7.0), (7.0, 2.8)];
/// The outline of an arrow, in the same way.
const HOLLOW: [(f64, f64); 8] = [
    (0.0, 1.6),
    (4.1, 5.7),
    (2.8, 7.0),
    (7.0, 7.0),
    (7.0, 2.8),
    (5.7, 4.1),
    (1.6, 0.0),
    (0.0, 1.6),
];

/// The end of the run, which stops an arrow, in the same way.
const STOP: [(f64, f64); 2] = [(8.4, 0.0), (8.4, 8.0)];

/// The mark of bands that grow to the end of the run: a rising arrow, whose left end is at `at`, on
/// the base line of the text after it; a hollow one if that is only possible, a thin one if nobody can tell, and one that
/// stops at a line if they grew until the program ended. It is made of lines, because not every font has such a character.
pub fn rising(at: Point, leak: Leak) -> Group {
    let (lines, width): (&[&[(f64, f64)]], f64) = match leak {
        Leak::Likely => (&[&SHAFT, &HEAD], 1.4),
        Leak::Possible => (&[&HOLLOW], 0.9),
        Leak::Unknown => (&[&SHAFT, &HEAD], 0.9),
        Leak::None => (&[&SHAFT, &HEAD, &STOP], 1.0),
    };
    let place = |&(x, y): &(f64, f64)| Point { x: at.x + x, y: at.y - 0.5 - y };
    let stroke = Stroke::new(Role::Text, width);
    let line = |points: &&[(f64, f64)]| Line { points: points.iter().map(place).collect(), stroke };
    let mut group = Group::new("suspect");
    group.items.extend(lines.iter().map(|points| Item::Line(line(points))));
    group
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::sentence::{name, say, size};
    use crate::chart::testing;
    use crate::draw::options::TitleOptions;

    #[test]
    fn facts_that_do_not_fit_are_left_out_completely() {
        let facts: Vec<String> =
            ["by type (-hy)", "GHC 9.10.3", "51 samples"].map(String::from).into();
        assert_eq!(lines(&facts, 2000.0, 2).len(), 1);
        assert_eq!(lines(&facts, 120.0, 3), facts);
        assert_eq!(lines(&facts, 120.0, 2), facts[..2], "what finds no room is left out");
    }

    #[test]
    fn a_headline_is_cut_between_clauses_and_words_only() {
        let headlines = [
            say![
                "built up, then freed: ",
                size(136u64 << 20),
                " until 5.1 s (",
                name("THUNK_2_0"),
                " +",
                size(39u64 << 20),
                ", ",
                name("GHC.Types.(:)"),
                " +",
                size(19u64 << 20),
                "), ",
                size(58u64 << 20),
                " of it left at the end"
            ],
            say![
                "likely leak: ",
                name("A.Long.Name.Of.(:) (no; name)"),
                " grew by ",
                size(245u64 << 10),
                " since 6.13 ms and was still growing at the end; 4 bands together by ",
                size(638u64 << 10),
                " (",
                size(544u64 << 10),
                "/s of CPU)"
            ],
            say![name("THUNK"), " no longer grows: grew by ", size(18u64 << 20), " -> level"],
        ];
        let all = |headline: &Sentence| written(&headline.forms(), UnitSystem::Binary);
        for forms in headlines.iter().map(all) {
            let words: Vec<&str> = forms[0].split(' ').collect();
            for (room, most) in
                (60..1200).flat_map(|room| [(f64::from(room), 1), (f64::from(room), 2)])
            {
                let lines = headline(&forms, room, most);
                assert!(lines.len() <= most);
                let shown = lines.join(" ");
                let shown: Vec<&str> = shown.split(' ').filter(|word| *word != "…").collect();
                if shown.iter().any(|word| word.contains('…')) {
                    assert!(room < 120.0, "{room} {lines:?}");
                    continue;
                }
                let is_complete = |word: &&str| {
                    words.iter().any(|other| {
                        other.trim_end_matches([',', ';', ':'])
                            == word.trim_end_matches([',', ';', ':'])
                    })
                };
                assert!(shown.iter().all(is_complete), "{room} {lines:?}");
                let last = shown.last().unwrap();
                assert!(last.parse::<f64>().is_err(), "a number has its unit: {room} {lines:?}");
            }
        }
        let shortest = all(&headlines[1]).pop().unwrap();
        assert_eq!(shortest, "likely leak: A.Long.Name.Of.(:) (no; name) grew by 245 KiB");
    }

    #[test]
    fn hidden_heading_lines_free_their_space() {
        let chart = testing::wavy(3, 20);
        let height = |title, subtitle| {
            let heading = TitleOptions { title, subtitle };
            let options = DrawOptions { heading, ..DrawOptions::default() };
            let words = HeadingWords::new(&chart, &chart.facts, &options);
            HeadingLines::new(&words, 900.0, 540.0).height
        };
        let text = || Heading::Text("Words".to_owned());
        assert_eq!(height(Heading::Auto, Heading::Auto), 62.0);
        assert_eq!(height(text(), text()), 62.0);
        assert_eq!(height(Heading::Auto, Heading::None), 42.0);
        assert_eq!(height(Heading::None, Heading::Auto), 39.0);
        assert_eq!(height(Heading::None, Heading::None), 16.0);
    }
}
