//! Decides which bands take part, and which are shown as one.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use crate::base::pattern::{FirstMatch, Pattern, PatternError};
use crate::profile::{Band, Breakdown, InfoTable};

/// A function from bands to groups. Bands of one group are one row, added up in every sample.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub enum Grouping {
    /// [`Part::Retainers`] for retainer sets, whose numbers change at every census; every other
    /// band is a separate row.
    #[default]
    Auto,
    /// Every band is a separate row.
    None,
    /// Bands with the same part are one row; a band without such a part is a separate row.
    By(Part),
    /// The first rule whose pattern matches a band's label says its group; bands that no pattern
    /// matches are grouped as the other grouping says.
    Rules(Vec<GroupRule>, Box<Grouping>),
}

/// What bands can have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Part {
    /// The package of the innermost frame.
    Package,
    /// The module of the innermost frame.
    Module,
    /// The innermost cost centre of a stack.
    CostCentre,
    /// The type: for a band by type, the type itself; for an info table, the type of its binding.
    Type,
    /// The text of a retainer set, without its number. The table of sets is made again at every
    /// census, so a set has many numbers, and a number names several sets.
    Retainers,
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Part::Package => "package",
            Part::Module => "module",
            Part::CostCentre => "cost-centre",
            Part::Type => "type",
            Part::Retainers => "retainers",
        })
    }
}

/// The words with which a grouping is asked for; the default is `auto`.
impl fmt::Display for Grouping {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Grouping::Auto => f.write_str("auto"),
            Grouping::None => f.write_str("none"),
            Grouping::By(part) => write!(f, "{part}"),
            Grouping::Rules(rules, others) => {
                for rule in rules {
                    write!(f, "`{} => {}`, ", rule.pattern.as_str(), rule.name)?;
                }
                write!(f, "{others}")
            }
        }
    }
}

impl Grouping {
    /// Whether every band of a break-down is a separate row.
    pub(super) fn is_none(&self, breakdown: Breakdown) -> bool {
        match self {
            Grouping::None => true,
            Grouping::Auto => !breakdown.traits().is_renumbered,
            Grouping::By(_) | Grouping::Rules(..) => false,
        }
    }

    /// The rules in their order, and what bands that match none have in common, if anything can.
    pub(super) fn groups(&self, breakdown: Breakdown) -> PreparedGrouping<'_> {
        let mut rules: Vec<&GroupRule> = Vec::new();
        let mut rest = self;
        while let Grouping::Rules(more, others) = rest {
            rules.extend(more);
            rest = others;
        }
        let part = match rest {
            Grouping::By(part) => Some(*part),
            Grouping::Auto if !rest.is_none(breakdown) => Some(Part::Retainers),
            Grouping::Auto | Grouping::None | Grouping::Rules(..) => None,
        };
        let first = FirstMatch::new(rules.iter().map(|rule| &rule.pattern));
        PreparedGrouping { first, rules, part }
    }
}

/// A grouping, made ready for many bands.
pub(super) struct PreparedGrouping<'g> {
    first: FirstMatch<'g>,
    rules: Vec<&'g GroupRule>,
    /// What bands that match no rule have in common.
    pub part: Option<Part>,
}

impl PreparedGrouping<'_> {
    /// The group of a band with this label by the first rule that matches.
    pub(super) fn by_rule(&self, label: &str) -> Option<String> {
        self.first.find(label).map(|rule| self.rules[rule].name_for(label))
    }
}

impl Part {
    /// The part of a band; `None` when it has none. `longest` is how many bytes of a name the run-time
    /// system writes (`-L`), and `table` what is known about the info table that the band stands for.
    pub(super) fn of(
        self,
        band: &Band<'_>,
        longest: usize,
        table: Option<&InfoTable>,
    ) -> Option<String> {
        let first = band.frames().next();
        let known = |text: &str| (!text.is_empty()).then(|| text.to_owned());
        match self {
            Part::Package => known(&first?.package.name),
            Part::Module => known(&first?.module),
            Part::CostCentre if band.kind == Breakdown::CostCentre => Some(match first {
                None => "MAIN".to_owned(),
                Some(frame) if frame.module.is_empty() => frame.name.clone(),
                Some(frame) => format!("{}.{}", frame.module, frame.name),
            }),
            Part::Retainers if band.kind == Breakdown::Retainer => {
                let label = band.label;
                let text = match (band.number, label.split_once(')')) {
                    (Some(_), Some((_, text))) => text,
                    _ => return None,
                };
                // The run-time system cuts it without a mark, and two sets can be equal up to
                // there.
                let mark = if label.len() >= longest { "…" } else { "" };
                Some(format!("{text}{mark}"))
            }
            Part::Type if band.kind == Breakdown::Type => known(&first?.name),
            Part::Type => known(&table?.ty),
            Part::CostCentre | Part::Retainers => None,
        }
    }
}

/// `PATTERN => NAME`: bands whose label matches are the group of that name. `$1` to `$9` in the name are what the
/// groups of the pattern match, and `$0` is all that it matches.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct GroupRule {
    /// The pattern of the labels.
    pub pattern: Pattern,
    /// The name of the group.
    pub name: String,
}

/// Why a text is not a rule.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the messages say it")]
pub enum GroupRuleError {
    #[error("`{0}` is not a rule: a rule is `PATTERN => NAME`")]
    NoArrow(String),
    #[error("`{0}` has no name after the arrow")]
    NoName(String),
    #[error("`{rule}` uses ${group}, but its pattern has {}", how_many(*.groups))]
    NoGroup { rule: String, group: usize, groups: usize },
    /// What comes before the arrow is not a regular expression.
    #[error(transparent)]
    Pattern(#[from] PatternError),
}

impl FromStr for GroupRule {
    type Err = GroupRuleError;

    fn from_str(text: &str) -> Result<Self, GroupRuleError> {
        // A pattern may contain an arrow; a name hardly ever does.
        let (pattern, name) =
            text.rsplit_once("=>").ok_or_else(|| GroupRuleError::NoArrow(text.to_owned()))?;
        let name = name.trim();
        if name.is_empty() {
            return Err(GroupRuleError::NoName(text.to_owned()));
        }
        let rule = GroupRule { pattern: pattern.trim().parse()?, name: name.to_owned() };
        let groups = rule.pattern.group_count() - 1;
        let missing = rule.pieces().find_map(|(group, _)| group.filter(|&group| group > groups));
        match missing {
            Some(group) => Err(GroupRuleError::NoGroup { rule: text.to_owned(), group, groups }),
            None => Ok(rule),
        }
    }
}

fn how_many(count: usize) -> String {
    match count {
        0 => "no groups: put parentheses around the part that it stands for".to_owned(),
        1 => "only one group".to_owned(),
        count => format!("only {count} groups"),
    }
}

impl GroupRule {
    /// The name in pieces: a group of the pattern, except before the first, and the text after it. A `$` that
    /// no digit follows is text, as in `$wgo`.
    fn pieces(&self) -> impl Iterator<Item = (Option<usize>, &str)> {
        let digit = |text: &str| text.chars().next()?.to_digit(10);
        let mut rest = Some(self.name.as_str());
        let mut group = None;
        std::iter::from_fn(move || {
            let text = rest?;
            let next =
                text.match_indices('$').find_map(|(at, _)| Some((at, digit(&text[at + 1..])?)));
            let end = next.map_or(text.len(), |(at, _)| at);
            rest = next.map(|(at, _)| &text[at + 2..]);
            let piece = (group, &text[..end]);
            group = next.map(|(_, digit)| digit as usize);
            Some(piece)
        })
    }

    /// The name of the group of a band that matches.
    fn name_for(&self, label: &str) -> String {
        if !self.name.contains('$') {
            return self.name.clone();
        }
        let found = self.pattern.groups(label).unwrap_or_default();
        let mut name = String::new();
        for (group, text) in self.pieces() {
            name.push_str(group.and_then(|group| found.get(group).copied()).unwrap_or_default());
            name.push_str(text);
        }
        // A group without a name could not be told from nothing in a key.
        if name.trim().is_empty() { self.name.clone() } else { name }
    }
}

/// Chooses bands by label. The other bands are *left out*: they are neither in OTHER nor trace
/// elements, and the chosen bands are ranked as if they were all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "cli", derive(clap::Args))]
pub struct Selection {
    /// Show only bands whose name matches; can be given several times.
    #[cfg_attr(feature = "cli", arg(long, value_name = "REGEX"))]
    pub include: Vec<Pattern>,
    /// Leave out bands whose name matches; can be given several times.
    #[cfg_attr(feature = "cli", arg(long, value_name = "REGEX", hide_short_help = true))]
    pub exclude: Vec<Pattern>,
}

impl Selection {
    /// Whether a band with this label is chosen.
    pub(crate) fn takes(&self, label: &str) -> bool {
        let any = |patterns: &[Pattern]| patterns.iter().any(|pattern| pattern.matches(label));
        (self.include.is_empty() || any(&self.include)) && !any(&self.exclude)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn excluding_wins_over_including() {
        let list = |texts: &[&str]| texts.iter().map(|text| text.parse().unwrap()).collect();
        let takes = |include: &[&str], exclude: &[&str]| {
            let selection = Selection { include: list(include), exclude: list(exclude) };
            ["Map", "Map.Bin", "Set"].map(|label| selection.takes(label))
        };
        assert_eq!(takes(&[], &[]), [true, true, true]);
        assert_eq!(takes(&["^Map"], &[]), [true, true, false]);
        assert_eq!(takes(&["^Map", "S"], &["Bin$"]), [true, false, true]);
        assert_eq!(takes(&[], &["."]), [false, false, false]);
    }
}
