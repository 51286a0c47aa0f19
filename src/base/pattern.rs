//! Regular expressions with which users choose bands and markers by name.

use std::fmt;
use std::str::FromStr;

use regex::{Regex, RegexBuilder};
use thiserror::Error;

/// A regular expression. It matches anywhere in a text unless it is anchored, and is case-sensitive
/// unless it begins with `(?i)`.
///
/// At worst it takes time in proportion to the length of the text and to its own size. The texts may
/// come from an attacker, so only the beginning of a long one is searched: 64 KiB by a pattern of up
/// to 64 KiB when it is compiled, as nearly all are that users write by hand, and 4 KiB by a larger
/// one.
#[derive(Clone)]
pub struct Pattern {
    regex: Regex,
    /// How much of a text is looked at, in bytes.
    reach: usize,
}

/// The size of a compiled pattern, and how much of a text it looks at, in bytes.
const REACHES: [(usize, usize); 2] = [(64 << 10, 64 << 10), (1 << 20, 4 << 10)];

/// A text that is not a regular expression.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("`{text}` is not a regular expression: {reason}")]
pub struct PatternError {
    text: String,
    reason: String,
}

impl Pattern {
    /// Whether the pattern matches a part of `text`.
    pub fn matches(&self, text: &str) -> bool {
        let end = text.floor_char_boundary(self.reach);
        self.regex.is_match(&text[..end])
    }

    /// The expression as it was given.
    pub fn as_str(&self) -> &str {
        self.regex.as_str()
    }
}

impl FromStr for Pattern {
    type Err = PatternError;

    fn from_str(text: &str) -> Result<Self, PatternError> {
        let of = |(size, reach): (usize, usize)| {
            let regex = RegexBuilder::new(text).size_limit(size).build()?;
            Ok(Pattern { regex, reach })
        };
        let [usual, large] = REACHES;
        of(usual).or_else(|_| of(large)).map_err(|error: regex::Error| {
            // The lines before the last show where in the text.
            let words = error.to_string();
            let reason = words.lines().last().unwrap_or_default();
            let reason = reason.strip_prefix("error: ").unwrap_or(reason).to_owned();
            PatternError { text: text.to_owned(), reason }
        })
    }
}

impl fmt::Debug for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Pattern({:?})", self.as_str())
    }
}

impl PartialEq for Pattern {
    fn eq(&self, other: &Self) -> bool {
        self.as_str() == other.as_str()
    }
}

impl Eq for Pattern {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_match_anywhere_and_invalid_ones_are_refused() {
        let pattern: Pattern = "Map|^Set$".parse().unwrap();
        assert!(pattern.matches("Data.Map.Bin") && !pattern.matches("Data.Set"));
        let error = "a(b".parse::<Pattern>().unwrap_err().to_string();
        assert_eq!(error, "`a(b` is not a regular expression: unclosed group");
    }

    #[test]
    fn only_the_beginning_of_a_long_text_is_searched() {
        let pattern: Pattern = "y".parse().unwrap();
        let text = |before: usize| format!("{}y", "x".repeat(before));
        assert!(pattern.matches(&text((64 << 10) - 1)) && !pattern.matches(&text(64 << 10)));
        let large: Pattern = format!("{}|y", "a".repeat(4000)).parse().unwrap();
        assert!(large.matches(&text(4095)) && !large.matches(&text(4096)));
        assert!("(x{1000}){1000}".parse::<Pattern>().is_err());
    }

    #[test]
    fn a_hard_pattern_and_a_long_text_are_bounded() {
        // Minutes for all of the text, with a hundred repetitions in place of twenty.
        let pattern: Pattern = "(x?){20}y".parse().unwrap();
        let started = crate::testing::Stopwatch::start();
        assert!(!pattern.matches(&"x".repeat(900_000)));
        assert!(started.elapsed() < std::time::Duration::from_secs(20));
    }
}
