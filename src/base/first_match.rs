//! Finds the first of many patterns that a text matches, without trying each of them.
//!
//! Trying 1 000 patterns on each of 60 000 names takes half a minute. Most patterns contain text as it is:
//! `^Data\.Map\.|IntMap` matches only names with `data.map.` or `intmap` in any case. Such texts are found for
//! every pattern once; a name is tried only with the patterns whose texts it contains, and with those that have
//! none, such as `^[0-9]+$`. An automaton for all patterns together (the `regex` crate) would find the last kind
//! as quickly, but costs a megabyte of program.

use std::iter::Peekable;
use std::ops::Range;
use std::str::Chars;

use super::pattern::{LONGEST_REACH, Pattern};

/// Finds the first of many patterns that a text matches.
#[derive(Debug)]
pub struct FirstMatch<'p> {
    patterns: Vec<&'p Pattern>,
    /// The patterns that may match any text, in order.
    anywhere: Vec<usize>,
    /// In order of their texts.
    parts: Vec<Part>,
    /// The parts that begin with each byte.
    by_first: Vec<Range<usize>>,
}

/// A text that some patterns need, in lower case.
#[derive(Debug)]
struct Part {
    text: Vec<u8>,
    /// The longest other part with which this one begins.
    shorter: Option<usize>,
    /// The patterns that need it, or another one in its place.
    patterns: Vec<usize>,
}

impl<'p> FirstMatch<'p> {
    /// For these patterns, in this order.
    pub fn of(patterns: impl IntoIterator<Item = &'p Pattern>) -> Self {
        let patterns: Vec<&Pattern> = patterns.into_iter().collect();
        let mut anywhere = Vec::new();
        let mut texts = Vec::new();
        for (number, pattern) in patterns.iter().enumerate() {
            match needed(pattern.as_str()) {
                None => anywhere.push(number),
                Some(needed) => texts.extend(needed.into_iter().map(|text| (text, number))),
            }
        }
        texts.sort_unstable();
        texts.dedup();
        let mut parts: Vec<Part> = Vec::new();
        for (text, number) in texts {
            match parts.last_mut() {
                Some(last) if last.text == text => last.patterns.push(number),
                _ => {
                    let mut shorter = parts.len().checked_sub(1);
                    while let Some(at) = shorter.filter(|&at| !text.starts_with(&parts[at].text)) {
                        shorter = parts[at].shorter;
                    }
                    parts.push(Part { text, shorter, patterns: vec![number] });
                }
            }
        }
        let starting = |byte: u8| {
            let below = |end: usize| parts.partition_point(|part| usize::from(part.text[0]) < end);
            below(usize::from(byte))..below(usize::from(byte) + 1)
        };
        let by_first = (0..=u8::MAX).map(starting).collect();
        FirstMatch { patterns, anywhere, parts, by_first }
    }

    /// The number of the first pattern that matches, from 0.
    pub fn find(&self, text: &str) -> Option<usize> {
        let mut likely = self.anywhere.clone();
        let searched = &text.as_bytes()[..text.len().min(LONGEST_REACH)];
        self.each_part(&searched.to_ascii_lowercase(), |part| likely.extend(&part.patterns));
        likely.sort_unstable();
        likely.dedup();
        likely.into_iter().find(|&number| self.patterns[number].matches(text))
    }

    /// The parts that a text in lower case contains; one that it contains several times is visited as
    /// often.
    fn each_part<'s>(&'s self, text: &[u8], mut visit: impl FnMut(&'s Part)) {
        for start in 0..text.len() {
            let Range { start: first, end } = self.by_first[usize::from(text[start])].clone();
            if first == end {
                continue;
            }
            let rest = &text[start..];
            // All parts with which `rest` begins are the last one that is not greater, and those with which
            // that one begins.
            let after = self.parts[first..end].partition_point(|part| part.text.as_slice() <= rest);
            let mut at = after.checked_sub(1).map(|before| first + before);
            let mut fits = false;
            while let Some(part) = at.map(|at| &self.parts[at]) {
                fits |= rest.starts_with(&part.text);
                if fits {
                    visit(part);
                }
                at = part.shorter;
            }
        }
    }
}

/// A text for each alternative of an expression, in lower case: every match of the expression contains at
/// least one of them. `None` if an alternative has no such text, or if the expression has syntax that this
/// reader does not know.
fn needed(expression: &str) -> Option<Vec<Vec<u8>>> {
    let mut reader = Reader { rest: expression.chars().peekable(), is_rare: false };
    let needed = reader.alternatives();
    // Anything left would be a closing bracket too many, which no valid expression has.
    needed.filter(|_| !reader.is_rare && reader.rest.next().is_none())
}

/// Reads a valid expression of `regex_lite`. What it does not know it takes for something that can match
/// any text, which is safe: the pattern itself decides in the end.
struct Reader<'e> {
    rest: Peekable<Chars<'e>>,
    is_rare: bool,
}

/// How often something must occur.
#[derive(PartialEq)]
enum Times {
    Once,
    /// At least once.
    Several,
    /// Perhaps never.
    Perhaps,
}

impl Reader<'_> {
    /// Up to the end of the group.
    fn alternatives(&mut self) -> Option<Vec<Vec<u8>>> {
        let mut all = self.sequence();
        while self.rest.next_if_eq(&'|').is_some() {
            let next = self.sequence();
            all = all.zip(next).map(|(mut all, next)| {
                all.extend(next);
                all
            });
        }
        all
    }

    /// The best of what a sequence needs: that whose shortest text is the longest.
    fn sequence(&mut self) -> Option<Vec<Vec<u8>>> {
        let shortest = |texts: &Vec<Vec<u8>>| texts.iter().map(Vec::len).min().unwrap_or(0);
        let mut best: Option<Vec<Vec<u8>>> = None;
        let mut offer = |texts: Vec<Vec<u8>>| {
            if shortest(&texts) > best.as_ref().map_or(0, shortest) {
                best = Some(texts);
            }
        };
        let mut run: Vec<u8> = Vec::new();
        while let Some(next) = self.rest.next_if(|&next| next != '|' && next != ')') {
            let char = match next {
                '(' => {
                    let inner = self.group();
                    if self.times() != Times::Perhaps {
                        inner.into_iter().for_each(&mut offer);
                    }
                    None
                }
                '[' => {
                    self.class();
                    None
                }
                '\\' => self.escaped(),
                '.' | '^' | '$' => None,
                char => Some(char),
            };
            // The repetition of a group was read with it.
            let times = self.times();
            if let Some(char) = char.filter(|_| times != Times::Perhaps) {
                run.extend(char.to_ascii_lowercase().encode_utf8(&mut [0; 4]).bytes());
            }
            if char.is_none() || times != Times::Once {
                offer(vec![std::mem::take(&mut run)]);
            }
        }
        offer(vec![run]);
        best
    }

    /// After the opening bracket, to beyond the closing one.
    fn group(&mut self) -> Option<Vec<Vec<u8>>> {
        if self.rest.next_if_eq(&'?').is_some() {
            self.rest.next_if_eq(&'P');
            let ends: &[char] =
                if self.rest.next_if_eq(&'<').is_some() { &['>'] } else { &[':', ')'] };
            while let Some(char) = self.rest.next_if(|char| !ends.contains(char)) {
                // With the flag `x`, spaces do not count.
                self.is_rare |= ends.len() > 1 && char == 'x';
            }
            if self.rest.next() == Some(')') {
                // A repetition would be that of what is before the flags.
                self.is_rare |= self.times() != Times::Once;
                return None;
            }
        }
        let inner = self.alternatives();
        self.rest.next();
        inner
    }

    /// After the opening bracket, to beyond the closing one.
    fn class(&mut self) {
        self.rest.next_if_eq(&'^');
        self.is_rare |= self.rest.peek() == Some(&']');
        while let Some(char) = self.rest.next() {
            match char {
                ']' => return,
                '\\' => drop(self.rest.next()),
                // `[:alpha:]`.
                '[' => self.rest.by_ref().take_while(|&char| char != ']').for_each(drop),
                _ => {}
            }
        }
    }

    /// After the backslash: the character that is meant by its own name.
    fn escaped(&mut self) -> Option<char> {
        let char = self.rest.next()?;
        // Their digits follow.
        self.is_rare |= matches!(char, 'x' | 'u' | 'U');
        // `\<` and `\>` are the ends of a word.
        (!char.is_ascii_alphanumeric() && char != '<' && char != '>').then_some(char)
    }

    /// What repetitions follow.
    fn times(&mut self) -> Times {
        let mut times = Times::Once;
        while let Some(char) = self.rest.next_if(|char| matches!(char, '*' | '?' | '+' | '{')) {
            times = match char {
                '+' if times != Times::Perhaps => Times::Several,
                _ => Times::Perhaps,
            };
            if char == '{' {
                self.rest.by_ref().take_while(|&char| char != '}').for_each(drop);
            }
        }
        times
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_every_match_contains_is_found() {
        let needed = |expression: &str| {
            expression.parse::<Pattern>().unwrap_or_else(|error| panic!("{error}"));
            let texts = needed(expression)?;
            Some(texts.into_iter().map(|text| String::from_utf8(text).unwrap()).collect::<Vec<_>>())
        };
        for (expression, texts) in [
            ("Map", &["map"][..]),
            (r"^Data\.Map\.|IntMap$", &["data.map.", "intmap"]),
            ("(?i)cafés?", &["café"]),
            ("ab+c", &["ab"]),
            ("ab*cde", &["cde"]),
            ("(a|bc)+de(f|g)?", &["de"]),
            ("(?P<p>left|right):", &["left", "right"]),
            ("(?:[^]]x|y)zz", &[]),
            (r"[[:alpha:]\]]+\$wgo", &["$wgo"]),
            (r"\<main\>", &["main"]),
            ("x{3}yz", &["yz"]),
        ] {
            assert_eq!(needed(expression).unwrap_or_default(), texts, "{expression}");
        }
        for expression in ["", ".*", "a|", "a?", "(?x) a b", "ab(?i)*", r"\x41b", "[ab]", "(a*|b)"]
        {
            assert_eq!(needed(expression), None, "{expression}");
        }
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
        let mut found = 0;
        for _ in 0..400 {
            let mut patterns: Vec<Pattern> = Vec::new();
            while patterns.len() < 12 {
                let text: String = (0..1 + below(6)).map(|_| pieces[below(pieces.len())]).collect();
                patterns.extend(text.parse().ok());
            }
            // Those that match everything would hide the others.
            patterns.retain(|pattern| !pattern.matches(""));
            let first = FirstMatch::of(&patterns);
            for _ in 0..60 {
                let text: String =
                    (0..below(7)).map(|_| ["a", "b", "c", "A", "B", ".", "é"][below(7)]).collect();
                let expected = patterns.iter().position(|pattern| pattern.matches(&text));
                assert_eq!(first.find(&text), expected, "{patterns:?} on {text}");
                found += usize::from(expected.is_some());
            }
        }
        assert!(found > 1000, "{found}");
    }
}
