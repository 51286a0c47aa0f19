//! What is above the plot: the title, and a few lines of facts.

use super::figure::{RISING_ROOM, rising};
use super::options::{DrawOptions, Heading};
use super::recorder::Recorder;
use super::words;
use crate::chart::Chart;
use crate::picture::text::{Weight, elide, width, wrap};
use crate::picture::{Group, Point, Role, Text};

/// Room at the edges of the picture, in pixels.
pub const MARGIN: f64 = 16.0;
const TITLE_SIZE: f64 = 16.0;
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

/// Lines of text with their base lines.
pub struct HeadingLines {
    title: Option<String>,
    /// Where the facts begin: after the mark of growing bands, if the first fact explains it.
    left: f64,
    facts: Vec<String>,
    /// Its height in pixels, including the margin above.
    pub height: f64,
}

impl HeadingLines {
    /// A margin.
    pub fn none() -> Self {
        HeadingLines { title: None, left: MARGIN, facts: Vec::new(), height: MARGIN }
    }

    /// The heading of a picture that is `picture_height` high, in lines of at most `line` pixels.
    pub fn new(
        chart: &Chart,
        options: &DrawOptions,
        line: f64,
        picture_height: f64,
        no_facts: bool,
    ) -> Self {
        let title = match &options.heading.title {
            Heading::Auto => Some(words::shown(&chart.title)),
            Heading::Text(text) => Some(words::shown(text)),
            Heading::None => None,
        };
        let most = if picture_height < 300.0 { 1 } else { 2 };
        let explains = options.heading.subtitle == Heading::Auto && chart.has_suspects();
        let left = if explains { MARGIN + RISING_ROOM } else { MARGIN };
        let room = line + MARGIN - left;
        let facts = match &options.heading.subtitle {
            _ if no_facts => Vec::new(),
            Heading::Auto => lines(&words::facts(chart, options.units), room, most),
            Heading::Text(text) => wrap(&words::shown(text), FACTS_SIZE, room, most),
            Heading::None => Vec::new(),
        };
        HeadingLines { left, ..HeadingLines::of(title, facts, line) }
    }

    /// The heading of a picture of two runs.
    pub fn of_pair(title: Option<&str>, facts: &[String], line: f64) -> Self {
        let facts: Vec<String> = facts.iter().map(|fact| words::shown(fact)).collect();
        HeadingLines::of(title.map(words::shown), lines(&facts, line, 2), line)
    }

    fn of(title: Option<String>, facts: Vec<String>, line: f64) -> Self {
        let title = title.map(|title| elide(&title, TITLE_SIZE, Weight::Bold, line));
        let mut heading = HeadingLines { title, left: MARGIN, facts, height: 0.0 };
        let last = match (heading.facts.len(), &heading.title) {
            (0, None) => None,
            (0, Some(_)) => Some(TITLE_BASELINE),
            (n, _) => Some(heading.first_fact() + (n - 1) as f64 * FACTS_LINE),
        };
        heading.height = last.map_or(MARGIN, |last| last + UNDER);
        heading
    }

    fn first_fact(&self) -> f64 {
        match self.title {
            Some(_) => TITLE_BASELINE + FACTS_BELOW,
            None => FACTS_ALONE,
        }
    }

    /// Records it.
    pub fn record(&self, recorder: &mut Recorder) {
        recorder.group(Group::new("heading"), |recorder| {
            if let Some(title) = &self.title {
                let text = Text::new(MARGIN, TITLE_BASELINE, TITLE_SIZE, Role::Text, &**title);
                recorder.push(text.bold());
            }
            for (i, line) in self.facts.iter().enumerate() {
                let y = self.first_fact() + i as f64 * FACTS_LINE;
                let x = if i == 0 { self.left } else { MARGIN };
                if x > MARGIN {
                    recorder.push(rising(Point { x: MARGIN, y }));
                }
                recorder.push(Text::new(x, y, FACTS_SIZE, Role::Muted, &**line));
            }
        });
    }
}

/// Facts in at most this many lines, none of them broken. A fact that does not fit is left out
/// completely: half a number is worse than none.
fn lines(facts: &[String], limit: f64, most: usize) -> Vec<String> {
    let fits = |line: &str| width(line, FACTS_SIZE, Weight::Regular) <= limit;
    let mut lines: Vec<String> = Vec::new();
    for fact in facts {
        let longer = lines.last().map(|line| format!("{line} · {fact}"));
        if let Some(longer) = longer.filter(|line| fits(line)) {
            lines.pop();
            lines.push(longer);
        } else if lines.len() < most {
            lines.push(elide(fact, FACTS_SIZE, Weight::Regular, limit));
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
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
    fn hidden_heading_lines_free_their_space() {
        let chart = testing::wavy(3, 20);
        let height = |title, subtitle| {
            let heading = TitleOptions { title, subtitle };
            let options = DrawOptions { heading, ..DrawOptions::default() };
            HeadingLines::new(&chart, &options, 900.0, 540.0, false).height
        };
        let text = || Heading::Text("Words".to_owned());
        assert_eq!(height(Heading::Auto, Heading::Auto), 62.0);
        assert_eq!(height(text(), text()), 62.0);
        assert_eq!(height(Heading::Auto, Heading::None), 42.0);
        assert_eq!(height(Heading::None, Heading::Auto), 39.0);
        assert_eq!(height(Heading::None, Heading::None), 16.0);
    }
}
