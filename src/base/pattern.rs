//! Regular expressions with which users choose bands and markers by name.

use std::fmt;
use std::str::FromStr;

use regex::{Regex, RegexBuilder, RegexSet, RegexSetBuilder};
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

/// How much of a text every pattern looks at, in bytes.
const SHORTEST_REACH: usize = REACHES[1].1;

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

    /// What the groups of the expression match in `text`, by number; group 0 is the match, and one that takes
    /// no part in it is empty. `None` when the text does not match.
    pub(crate) fn groups<'t>(&self, text: &'t str) -> Option<Vec<&'t str>> {
        let end = text.floor_char_boundary(self.reach);
        let found = self.regex.captures(&text[..end])?;
        Some(found.iter().map(|group| group.map_or("", |group| group.as_str())).collect())
    }

    /// How many groups the expression has, with group 0.
    pub(crate) fn group_count(&self) -> usize {
        self.regex.captures_len()
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

/// How many patterns are one automaton. The states of an automaton for all of 1 000 patterns are so many that it
/// takes thirty times as long.
const AT_ONCE: usize = 32;

/// Finds the first of many patterns that a text matches.
#[derive(Debug)]
pub struct FirstMatch<'p> {
    patterns: Vec<&'p Pattern>,
    /// Each for [`AT_ONCE`] of the patterns, in their order.
    sets: Vec<RegexSet>,
}

impl<'p> FirstMatch<'p> {
    /// For these patterns, in this order.
    pub fn new(patterns: impl IntoIterator<Item = &'p Pattern>) -> Self {
        let patterns: Vec<&Pattern> = patterns.into_iter().collect();
        let set = |some: &[&Pattern]| {
            RegexSetBuilder::new(some.iter().map(|pattern| pattern.as_str()))
                .size_limit(usize::MAX)
                .build()
                .expect("each of them is valid, and its size is limited")
        };
        let sets = patterns.chunks(AT_ONCE).map(set).collect();
        FirstMatch { patterns, sets }
    }

    /// The number of the first pattern that matches, from 0.
    pub fn find(&self, text: &str) -> Option<usize> {
        // Of a longer one each pattern looks at another part.
        if text.len() > SHORTEST_REACH {
            return self.patterns.iter().position(|pattern| pattern.matches(text));
        }
        self.sets
            .iter()
            .enumerate()
            .find_map(|(i, set)| Some(i * AT_ONCE + set.matches(text).iter().next()?))
    }
}

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

    #[test]
    fn the_first_match_is_that_of_trying_all_patterns() {
        let pieces = [
            "a", "ab", "abc", "B", "(", ")", "|", "*", "+", "?", ".", "[ab]", "^", "$", "(?i)",
            "{2}", r"\.", "é", r"\b", "(?:", "[^b]",
        ];
        // A linear congruential generator.
        let mut state = 1_u64;
        let mut below = move |end: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 33) as usize % end
        };
        let mut found = [0; 2];
        for _ in 0..40 {
            let mut patterns: Vec<Pattern> = Vec::new();
            while patterns.len() < 100 {
                let text: String = (0..1 + below(6)).map(|_| pieces[below(pieces.len())]).collect();
                // Those that match much would hide the others.
                let pattern = text.parse().ok();
                patterns.extend(pattern.filter(|pattern: &Pattern| {
                    !["", "é.", "aB.", "bA"].iter().any(|text| pattern.matches(text))
                }));
            }
            let first = FirstMatch::new(&patterns);
            for i in 0..60 {
                let mut text: String =
                    (0..below(7)).map(|_| ["a", "b", "c", "A", "B", ".", "é"][below(7)]).collect();
                if i == 0 {
                    text.extend(std::iter::repeat_n('.', SHORTEST_REACH));
                }
                let expected = patterns.iter().position(|pattern| pattern.matches(&text));
                assert_eq!(first.find(&text), expected, "{patterns:?} on {text}");
                if let Some(number) = expected {
                    found[usize::from(number >= AT_ONCE)] += 1;
                }
            }
        }
        assert!(found.iter().all(|&found| found > 50), "{found:?}");
    }
}
