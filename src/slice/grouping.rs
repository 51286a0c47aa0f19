//! Which bands are shown as one.

use std::str::FromStr;

use thiserror::Error;

use crate::pattern::{Pattern, PatternError};
use crate::profile::Band;

/// A function from bands to groups. Bands of one group are one row, added up in every sample.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub enum Grouping {
    /// Every band is a row of its own.
    #[default]
    None,
    /// The first rule whose pattern matches a band's label says its group; a band that none matches is
    /// a row of its own.
    Rules(Vec<GroupRule>),
}

impl Grouping {
    /// The group of a band; `None` when it is a row of its own.
    pub fn group(&self, band: &Band<'_>) -> Option<String> {
        match self {
            Grouping::None => None,
            Grouping::Rules(rules) => {
                let rule = rules.iter().find(|rule| rule.pattern.matches(band.label()))?;
                Some(rule.name.clone())
            }
        }
    }
}

/// `PATTERN => NAME`: bands whose label matches are the group of that name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GroupRule {
    /// What matches.
    pub pattern: Pattern,
    /// What the group is called.
    pub name: String,
}

/// Why a text is no rule.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum GroupRuleError {
    /// There is no arrow.
    #[error("`{0}` is no rule: a rule is `PATTERN => NAME`")]
    NoArrow(String),
    /// There is no name after the arrow.
    #[error("`{0}` has no name after the arrow")]
    NoName(String),
    /// The pattern is none.
    #[error(transparent)]
    Pattern(#[from] PatternError),
}

impl FromStr for GroupRule {
    type Err = GroupRuleError;

    fn from_str(text: &str) -> Result<Self, GroupRuleError> {
        // A pattern may have an arrow in it, a name hardly.
        let (pattern, name) =
            text.rsplit_once("=>").ok_or_else(|| GroupRuleError::NoArrow(text.to_owned()))?;
        let name = name.trim();
        if name.is_empty() {
            return Err(GroupRuleError::NoName(text.to_owned()));
        }
        Ok(GroupRule { pattern: pattern.trim().parse()?, name: name.to_owned() })
    }
}
