//! Regular expressions that people give to choose things by name: bands, markers.

use std::fmt;
use std::str::FromStr;

use regex_lite::Regex;
use thiserror::Error;

/// A regular expression. It matches anywhere in a text unless anchored, and looks at case unless
/// it begins with `(?i)`.
#[derive(Clone)]
pub struct Pattern(Regex);

/// A text that is no regular expression.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("`{text}` is not a regular expression: {reason}")]
pub struct PatternError {
    text: String,
    reason: String,
}

impl Pattern {
    /// Whether `text` matches.
    pub fn matches(&self, text: &str) -> bool {
        self.0.is_match(text)
    }

    /// The expression as it was given.
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }
}

impl FromStr for Pattern {
    type Err = PatternError;

    fn from_str(text: &str) -> Result<Self, PatternError> {
        Regex::new(text)
            .map(Pattern)
            .map_err(|error| PatternError { text: text.to_owned(), reason: error.to_string() })
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
    fn patterns_match_anywhere_and_broken_ones_are_told() {
        let pattern: Pattern = "Map|^Set$".parse().unwrap();
        assert!(pattern.matches("Data.Map.Bin") && !pattern.matches("Data.Set"));
        let error = "a(b".parse::<Pattern>().unwrap_err().to_string();
        assert!(error.starts_with("`a(b` is not a regular expression: "), "{error}");
    }
}
