//! Finds the first of many patterns that a text matches, without trying each of them.

use regex::{RegexSet, RegexSetBuilder};

use super::pattern::{Pattern, SHORTEST_REACH};

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
    pub fn of(patterns: impl IntoIterator<Item = &'p Pattern>) -> Self {
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
            let first = FirstMatch::of(&patterns);
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
