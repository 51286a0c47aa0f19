//! The heading above the plot: the finding as its title, and one line of facts below it, small and grey.

use super::key::tells_peak;
use super::labels;
use super::options::{DrawOptions, Heading, TitleOptions};
use crate::analysis::Leak;
use crate::base::sentence::Sentence;
use crate::base::units::UnitSystem;
use crate::chart::Chart;
use crate::picture::text_width::{FontWeight, width, wrap, wrap_in};
use crate::picture::{Group, Role, Text};

/// Room at the edges of the picture, in pixels.
pub const MARGIN: f64 = 16.0;
/// The font size of the title, and the distance between two lines of it, in pixels.
const TITLE_SIZE: f64 = 16.0;
const TITLE_LINE: f64 = 20.0;
/// The font size of words in an empty plot, in pixels.
pub const WORDS_SIZE: f64 = 12.0;
/// The font size of facts, and the distance between two lines of them, in pixels.
const FACTS_SIZE: f64 = 11.0;
const FACTS_LINE: f64 = 15.0;
/// The distance from the top of the picture to the first base line, and from the last of the title to that of the facts.
const TITLE_BASELINE: f64 = 28.0;
const FACTS_BELOW: f64 = 19.0;
const FACTS_ALONE: f64 = 24.0;
/// The distance from the last base line to the end of the heading.
const UNDER: f64 = 8.0;

/// A part of the line of facts, and how soon it is left out where the line is too long: the greatest first.
#[derive(Clone)]
pub struct Fact {
    pub words: String,
    pub rank: u8,
}

impl Fact {
    /// A fact, fit to be shown.
    pub fn new(rank: u8, words: &str) -> Self {
        Fact { words: labels::visible_text(words), rank }
    }
}

/// What a heading says, before it is known how much of it has room.
#[derive(Clone)]
pub struct HeadingWords {
    pub title: Option<String>,
    /// The colour of the title.
    pub role: Role,
    pub facts: FactWords,
}

#[derive(Clone)]
pub enum FactWords {
    /// Facts, none of which is broken.
    List(Vec<Fact>),
    /// A text, which is broken into lines.
    Text(String),
}

impl HeadingWords {
    /// The words above a chart that has these facts.
    pub fn new(chart: &Chart, facts: &[String], options: &DrawOptions) -> Self {
        let finding = (chart.headline.as_ref(), chart.suspects());
        let facts = self::facts(chart, facts, options);
        HeadingWords::of(finding, &chart.title, facts, options)
    }

    /// A heading with a finding, what was run, and facts about it. A title of the user's own takes the place of the
    /// finding, which then leads the facts.
    pub fn of(
        (finding, leak): (Option<&Sentence>, Option<Leak>),
        run: &str,
        mut facts: Vec<Fact>,
        options: &DrawOptions,
    ) -> Self {
        let TitleOptions { title, subtitle } = &options.heading;
        let finding = finding.map(|finding| written(finding, options.units));
        let run = || labels::visible_text(run);
        let (title, is_finding) = match (title, finding) {
            (Heading::Auto, Some(finding)) => {
                facts.insert(0, Fact { words: run(), rank: 0 });
                (Some(finding), true)
            }
            (Heading::Auto, None) => (Some(run()), false),
            (other, finding) => {
                facts.splice(0..0, finding.map(|words| Fact { words, rank: 0 }));
                let own = match other {
                    Heading::Text(text) => Some(labels::visible_text(text)),
                    Heading::Auto | Heading::None => None,
                };
                (own, false)
            }
        };
        let facts = match subtitle {
            Heading::Auto => FactWords::List(facts),
            Heading::Text(text) => FactWords::Text(labels::visible_text(text)),
            Heading::None => FactWords::List(Vec::new()),
        };
        let alarms = is_finding && leak >= Some(Leak::Possible);
        HeadingWords { title, role: if alarms { Role::Alarm } else { Role::Text }, facts }
    }
}

/// The facts below the title: the break-down and the rest about the run, the peak unless title or key have it, and what
/// to do next.
fn facts(chart: &Chart, about_run: &[String], options: &DrawOptions) -> Vec<Fact> {
    let last = about_run.len().saturating_sub(1);
    let rank = |i: usize| match i {
        0 => 3,
        i if i == last => 4,
        _ => 5,
    };
    let mut facts: Vec<Fact> =
        about_run.iter().enumerate().map(|(i, fact)| Fact::new(rank(i), fact)).collect();
    let units = options.units;
    let title = chart.headline.as_ref().map(|headline| headline.text(units)).unwrap_or_default();
    if let Some(peak) = chart.peak().filter(|peak| !tells_peak(chart, options, peak.total)) {
        let amount = units.text(peak.total);
        let words = format!("peak {amount} {}", labels::when(chart, peak.sample));
        facts.extend((!title.contains(&amount)).then(|| Fact::new(2, &words)));
    }
    let next = chart.next.iter().map(|command| format!("next: {command}"));
    facts.extend(next.map(|words| Fact::new(1, &words)));
    facts
}

/// Lines of text with their base lines.
#[derive(Default)]
pub struct HeadingLines {
    title: Vec<String>,
    role: Option<Role>,
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
        let wrapped = |title: &String| wrap_in(FontWeight::Bold, title, TITLE_SIZE, line, most);
        let title = words.title.as_ref().map(wrapped).unwrap_or_default();
        let facts = match &words.facts {
            FactWords::List(facts) => fitting(facts, line).into_iter().collect(),
            FactWords::Text(text) => wrap(text, FACTS_SIZE, line, most),
        };
        let mut heading = HeadingLines { title, role: Some(words.role), facts, height: 0.0 };
        let last = heading.lines().last().map(|text| text.at.y);
        heading.height = last.map_or(MARGIN, |last| last + UNDER);
        heading
    }

    /// The heading without facts, and with a title of one line.
    pub fn without_facts(words: &HeadingWords, line: f64) -> Self {
        let words = HeadingWords { facts: FactWords::List(Vec::new()), ..words.clone() };
        HeadingLines::new(&words, line, 0.0)
    }

    fn lines(&self) -> impl Iterator<Item = Text> {
        let line = |i: usize, first: f64, height: f64| first + i as f64 * height;
        let role = self.role.unwrap_or(Role::Text);
        let title = self.title.iter().enumerate().map(move |(i, words)| {
            let y = line(i, TITLE_BASELINE, TITLE_LINE);
            Text::new(MARGIN, y, TITLE_SIZE, role, &**words).bold()
        });
        let first = match self.title.len() {
            0 => FACTS_ALONE,
            lines => line(lines - 1, TITLE_BASELINE, TITLE_LINE) + FACTS_BELOW,
        };
        let facts = self.facts.iter().enumerate().map(move |(i, words)| {
            Text::new(MARGIN, line(i, first, FACTS_LINE), FACTS_SIZE, Role::Muted, &**words)
        });
        title.chain(facts)
    }

    /// The texts of the heading.
    pub fn group(&self) -> Group {
        let mut group = Group::new("heading");
        group.items.extend(self.lines().map(Into::into));
        group
    }
}

/// A headline as it is written.
pub fn written(headline: &Sentence, units: UnitSystem) -> String {
    labels::visible_text(&headline.text(units))
}

/// Facts in one line, without those that find no room: half a number is worse than none. The last of them is cut.
fn fitting(facts: &[Fact], limit: f64) -> Option<String> {
    let mut facts: Vec<&Fact> = facts.iter().collect();
    loop {
        let words: Vec<&str> = facts.iter().map(|fact| &*fact.words).collect();
        let line = words.join(" · ");
        if width(&line, FACTS_SIZE, FontWeight::Regular) <= limit {
            return (!line.is_empty()).then_some(line);
        }
        let worst = (0..facts.len()).rev().max_by_key(|&i| facts[i].rank)?;
        if facts.len() == 1 {
            return wrap(&line, FACTS_SIZE, limit, 1).pop();
        }
        facts.remove(worst);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chart::testing;

    #[test]
    fn facts_that_do_not_fit_are_left_out_completely() {
        let facts = [("prog", 0), ("by type (-hy)", 3), ("GHC 9.10.3", 5), ("next: hunt", 1)];
        let facts = facts.map(|(words, rank)| Fact::new(rank, words));
        let line = |limit: f64| fitting(&facts, limit).expect("a line");
        assert_eq!(line(900.0), "prog · by type (-hy) · GHC 9.10.3 · next: hunt");
        assert_eq!(line(200.0), "prog · by type (-hy) · next: hunt");
        assert_eq!(line(120.0), "prog · next: hunt");
        assert_eq!(line(60.0), "prog");
        assert_eq!(fitting(&[], 900.0), None);
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
        assert_eq!(height(Heading::Auto, Heading::Auto), 55.0);
        assert_eq!(height(text(), text()), 55.0);
        assert_eq!(height(Heading::Auto, Heading::None), 36.0);
        assert_eq!(height(Heading::None, Heading::Auto), 32.0);
        assert_eq!(height(Heading::None, Heading::None), 16.0);
    }

    #[test]
    fn the_finding_is_the_title_unless_the_user_has_one() {
        let mut chart = testing::wavy(3, 20);
        chart.headline = Some("no leak: level".into());
        let said = |title: Heading| {
            let heading = TitleOptions { title, subtitle: Heading::Auto };
            let options = DrawOptions { heading, ..DrawOptions::default() };
            let lines = HeadingLines::new(&HeadingWords::new(&chart, &[], &options), 900.0, 540.0);
            (lines.title.join(" "), lines.facts[0].split(" · ").next().unwrap().to_owned())
        };
        let text = |text: &str| Heading::Text(text.to_owned());
        assert_eq!(said(Heading::Auto), ("no leak: level".to_owned(), chart.title.clone()));
        assert_eq!(said(text("Own")), ("Own".to_owned(), "no leak: level".to_owned()));
        assert_eq!(said(Heading::None), (String::new(), "no leak: level".to_owned()));
    }
}
