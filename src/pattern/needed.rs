//! Texts that a regular expression needs, found without running it.
//!
//! `^base:.*Map` matches only names with `base:` in them. To look for such a text is a hundred times
//! faster than to run the expression, and few of many rules match one name.

use memchr::memmem;

/// Of which every text that an expression matches contains at least one. Empty if nothing is known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Needed(Vec<Literal>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Literal {
    text: String,
    pairs: Pairs,
}

/// Which pairs of neighbouring bytes a text has, as the bits of a hash. A text without one of the pairs of
/// another does not contain it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Pairs([u64; 4]);

impl Pairs {
    pub(super) fn of(text: &str) -> Self {
        let mut bits = [0; 4];
        for pair in text.as_bytes().windows(2) {
            let hash = u16::from_le_bytes([pair[0], pair[1]]).wrapping_mul(40_503) >> 8;
            bits[usize::from(hash >> 6)] |= 1 << (hash & 63);
        }
        Pairs(bits)
    }

    fn have(&self, others: &Pairs) -> bool {
        let missing = |at: usize| others.0[at] & !self.0[at] != 0;
        !(missing(0) || missing(1) || missing(2) || missing(3))
    }
}

impl Needed {
    /// By an expression, which is known to be valid.
    pub(super) fn by(expression: &str) -> Self {
        // Flags can change what each letter means, and codes stand for letters.
        if ["(?", "\\x", "\\u", "\\U"].iter().any(|special| expression.contains(special)) {
            return Needed::default();
        }
        let of = |text: String| Literal { pairs: Pairs::of(&text), text };
        Needed(
            Branches::of(expression)
                .map_or(Vec::new(), |texts| texts.into_iter().map(of).collect()),
        )
    }

    /// Whether the expression can match a text that has these pairs.
    pub(super) fn may_be_in(&self, text: &str, pairs: &Pairs) -> bool {
        let is_in = |literal: &Literal| {
            pairs.have(&literal.pairs)
                && memmem::find(text.as_bytes(), literal.text.as_bytes()).is_some()
        };
        self.0.is_empty() || self.0.iter().any(is_in)
    }
}

/// Reads an expression from left to right. Groups are passed over.
#[derive(Default)]
struct Branches {
    /// The longest literal of each branch so far.
    longest: Vec<String>,
    /// The longest of this branch, and the one that is being read.
    best: String,
    open: String,
}

impl Branches {
    /// A text that is needed by each branch; `None` if some branch needs none.
    fn of(expression: &str) -> Option<Vec<String>> {
        let mut branches = Branches::default();
        let mut rest = expression.chars();
        while let Some(c) = rest.next() {
            match c {
                '\\' => match rest.next()? {
                    letter if letter.is_ascii_alphanumeric() => branches.close(),
                    sign => branches.open.push(sign),
                },
                '|' => branches.end_branch()?,
                // What is repeated may be missing, also with `+`, which `{0}` may follow.
                '*' | '+' | '?' => {
                    branches.open.pop();
                    branches.close();
                }
                '{' => {
                    branches.open.pop();
                    branches.close();
                    rest.find(|&c| c == '}')?;
                }
                '[' => match class(&mut rest)? {
                    Some(only) => branches.open.push(only),
                    None => branches.close(),
                },
                '(' => {
                    branches.close();
                    group(&mut rest)?;
                }
                '.' | '^' | '$' => branches.close(),
                _ => branches.open.push(c),
            }
        }
        branches.end_branch()?;
        Some(branches.longest)
    }

    fn close(&mut self) {
        let text = std::mem::take(&mut self.open);
        if text.len() > self.best.len() {
            self.best = text;
        }
    }

    fn end_branch(&mut self) -> Option<()> {
        self.close();
        let best = std::mem::take(&mut self.best);
        self.longest.push(best);
        self.longest.last().is_some_and(|text| !text.is_empty()).then_some(())
    }
}

/// Passes over a class. Its character, if it has only one; `None` if it contains another class.
fn class(rest: &mut std::str::Chars<'_>) -> Option<Option<char>> {
    let (mut members, mut negated) = (Vec::new(), false);
    loop {
        match rest.next()? {
            '[' => return None,
            '^' if members.is_empty() && !negated => negated = true,
            ']' if !members.is_empty() => break,
            '\\' => members.extend(['\\', rest.next()?]),
            c => members.push(c),
        }
    }
    Some(match members[..] {
        [only] if !negated => Some(only),
        _ => None,
    })
}

/// Passes over the rest of a group.
fn group(rest: &mut std::str::Chars<'_>) -> Option<()> {
    let mut depth = 1;
    while depth > 0 {
        match rest.next()? {
            '(' => depth += 1,
            ')' => depth -= 1,
            '\\' => drop(rest.next()?),
            '[' => drop(class(rest)?),
            _ => {}
        }
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use regex_lite::Regex;

    use super::*;

    fn needed(expression: &str) -> Vec<String> {
        Needed::by(expression).0.into_iter().map(|literal| literal.text).collect()
    }

    #[test]
    fn each_branch_needs_its_longest_literal() {
        assert_eq!(needed("^base:.*Map"), ["base:"]);
        assert_eq!(needed(r"Data\.Map|Data[.]Set$"), ["Data.Map", "Data.Set"]);
        assert_eq!(needed("abcs?d"), ["abc"]);
        assert_eq!(needed("x(ab|c[)])*yz+"), ["x"]);
        assert_eq!(needed("(ab|c[)])*yzx+"), ["yz"]);
        assert_eq!(needed("ab{0}cd{2,3}"), ["a"]);
        for open in ["a|.*", "(a)", "[ab]", "x*", "(?i)a", r"\d+", "", "a|", r"\x41bc"] {
            assert_eq!(needed(open), [""; 0], "{open}");
        }
    }

    #[test]
    fn a_class_can_begin_with_its_end() {
        assert_eq!(needed("[]]b"), ["]b"]);
        assert_eq!(needed("[^]]b"), ["b"]);
        assert_eq!(needed("[[:alpha:]]bcd"), [""; 0]);
    }

    #[test]
    fn few_of_many_expressions_are_run() {
        let rules = (0..500).map(|i| Needed::by(&format!("Module{i}[.]f.*|^base{i}:|g{i}$")));
        let text = "Some.Module123.f4567";
        assert_eq!(rules.filter(|needed| needed.may_be_in(text, &Pairs::of(text))).count(), 1);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]
        /// Random expressions, with texts that it often matches.
        #[test]
        fn no_match_is_lost(
            expression in prop::collection::vec(
                prop::sample::select(vec![
                    "a", "b", "ab", ".", "*", "+", "?", "|", "(", ")", "[ab]", "[^a]", "[", "]", "{1}",
                    "{0,2}", "^", "$", r"\.", r"\w", r"\b", r"\\", "[.]", "[]b]", "ä", "(?:", "(?i)",
                ]),
                1..10,
            ),
            texts in prop::collection::vec("[abä.\\]\\\\A]{0,8}", 20),
        ) {
            let expression = expression.concat();
            let Ok(regex) = Regex::new(&expression) else { return Ok(()) };
            let needed = Needed::by(&expression);
            for text in texts {
                let may = needed.may_be_in(&text, &Pairs::of(&text));
                prop_assert!(may || !regex.is_match(&text), "{expression} in {text}");
            }
        }
    }
}
