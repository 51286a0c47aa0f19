//! The `.aux` file: scale, order and shades of a run, for the next one with `-p`
//! (`docs/format/hp.md#the-aux-file`).

use std::borrow::Cow;

use super::Failure;
use super::c;
use super::graph::Graph;
use super::shade::Shades;

/// What a previous run's file says, as far as it counts.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Aux {
    /// The least x range, 0 without one.
    pub x_range: f64,
    /// The least y range, 0 without one.
    pub y_range: f64,
    /// Names and their places, in the order of the file; of a name the first counts.
    pub order: Vec<(Vec<u8>, i32)>,
    /// Names and their shades, in the same way.
    pub shades: Vec<(Vec<u8>, f64)>,
}

/// The longest word and number; what follows begins another token.
const MAX_WORD: usize = 4999;
const MAX_NUMBER: usize = 32;

/// How many entries a table has room for: twice the bands, or the limit on them.
pub fn room(bands: usize, limit: usize) -> usize {
    bands.max(limit).saturating_mul(2)
}

enum Token<'a> {
    End,
    Float(f64),
    Integer(i32),
    /// A word of its own.
    Keyword(&'static str),
    Name(&'a [u8]),
}

struct Tokens<'a> {
    text: &'a [u8],
    line: u64,
}

impl<'a> Tokens<'a> {
    fn next(&mut self) -> Token<'a> {
        while let Some((byte, rest)) = self.text.split_first().filter(|(byte, _)| is_white(byte)) {
            self.line += u64::from(*byte == b'\n');
            self.text = rest;
        }
        let ends =
            |text: &[u8], inside: fn(&u8) -> bool| text.iter().position(|byte| !inside(byte));
        match self.text.first() {
            None => Token::End,
            Some(b'0'..=b'9') => {
                let window = &self.text[..self.text.len().min(MAX_NUMBER)];
                let in_number = |byte: &u8| byte.is_ascii_digit() || *byte == b'.';
                let number = self.take(ends(window, in_number).unwrap_or(window.len()));
                match number.contains(&b'.') {
                    true => Token::Float(c::float(number)),
                    false => Token::Integer(c::integer(number)),
                }
            }
            Some(_) => {
                let window = &self.text[..self.text.len().min(MAX_WORD)];
                let in_word = |byte: &u8| !is_white(byte);
                let touches_end = ends(self.text, in_word).is_none();
                let word = self.take(ends(window, in_word).unwrap_or(window.len()));
                let word = &word[..memchr::memchr(0, word).unwrap_or(word.len())];
                let keyword = ["X_RANGE", "Y_RANGE", "ORDER", "SHADE"]
                    .into_iter()
                    .find(|keyword| keyword.as_bytes() == word && !touches_end);
                keyword.map_or(Token::Name(word), Token::Keyword)
            }
        }
    }

    fn take(&mut self, len: usize) -> &'a [u8] {
        let (token, rest) = self.text.split_at(len);
        self.text = rest;
        token
    }
}

/// Reads a file named `name`. `room` is how many entries each table has room for.
///
/// # Errors
/// hp2ps's own, in its words.
pub fn read(text: &[u8], name: &[u8], room: usize) -> Result<Aux, Failure> {
    let mut tokens = Tokens { text, line: 1 };
    let mut aux = Aux::default();
    let fail = |line: u64, what: &str| {
        Failure::new([name, format!(", line {line}{what}").as_bytes()].concat())
    };
    loop {
        let keyword = match tokens.next() {
            Token::End => return Ok(aux),
            Token::Keyword(keyword) => keyword,
            Token::Name(_) => return Err(fail(tokens.line, ": identifier unexpected")),
            Token::Integer(_) => return Err(fail(tokens.line, ": integer unexpected")),
            Token::Float(_) => {
                return Err(fail(tokens.line, ": floating point number unexpected"));
            }
        };
        if let "X_RANGE" | "Y_RANGE" = keyword {
            let Token::Float(range) = tokens.next() else {
                let what = format!(", floating point number must follow {keyword}");
                return Err(fail(tokens.line, &what));
            };
            match keyword {
                "X_RANGE" => aux.x_range = range,
                _ => aux.y_range = range,
            }
            continue;
        }
        let Token::Name(name) = tokens.next() else {
            return Err(fail(tokens.line, &format!(": identifier must follow {keyword}")));
        };
        match (keyword, tokens.next()) {
            ("ORDER", Token::Integer(place)) => {
                if aux.order.len() >= room {
                    return Err(Failure::disaster("order map overflow"));
                }
                aux.order.push((name.to_vec(), place));
            }
            ("SHADE", Token::Float(shade)) => {
                if aux.shades.len() >= room {
                    return Err(Failure::disaster("shade map overflow"));
                }
                aux.shades.push((name.to_vec(), shade));
            }
            _ => {
                let kind = if keyword == "ORDER" { "integer" } else { "floating point number" };
                let what = format!(": identifier and {kind} must follow {keyword}");
                return Err(fail(tokens.line, &what));
            }
        }
    }
}

/// A band's name as one word, which a name with blanks is not.
pub fn word(name: &[u8]) -> Cow<'_, [u8]> {
    match name.iter().any(is_white) {
        true => name.iter().map(|byte| if is_white(byte) { b'_' } else { *byte }).collect(),
        false => Cow::Borrowed(name),
    }
}

fn is_white(byte: &u8) -> bool {
    matches!(byte, b' ' | b'\t'..=b'\r')
}

/// The file of a run: `names` are the bands, bottom first.
pub fn write(graph: &Graph, names: &[&[u8]], shades: &Shades) -> Vec<u8> {
    let mut out = Vec::new();
    for (keyword, range) in [("X_RANGE ", graph.x_range), ("Y_RANGE ", graph.y_range)] {
        out.extend_from_slice(keyword.as_bytes());
        c::print_fixed(range, 2, &mut out);
        out.push(b'\n');
    }
    for (i, name) in names.iter().enumerate() {
        out.extend_from_slice(b"ORDER ");
        out.extend_from_slice(&word(name));
        out.extend_from_slice(format!(" {}\n", i + 1).as_bytes());
    }
    for name in names {
        out.extend_from_slice(b"SHADE ");
        out.extend_from_slice(&word(name));
        out.push(b' ');
        c::print_fixed(shades.of(name), 2, &mut out);
        out.push(b'\n');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Result<Aux, String> {
        let failure = |failure: Failure| String::from_utf8_lossy(&failure.message()).into_owned();
        read(text.as_bytes(), b"t.aux", 2).map_err(failure)
    }

    #[test]
    fn lines_mean_nothing_and_the_last_range_counts() {
        let aux = of("X_RANGE\n4.0 X_RANGE 2.5 ORDER v1\t9 SHADE v1 2.5").unwrap();
        assert_eq!((aux.x_range, aux.y_range), (2.5, 0.0));
        assert_eq!(aux.order, [(b"v1".to_vec(), 9)]);
        assert_eq!(aux.shades, [(b"v1".to_vec(), 2.5)]);
    }

    #[test]
    fn faults_are_told_in_hp2ps_words() {
        for (text, message) in [
            ("X_RANGE 4\n", "t.aux, line 1, floating point number must follow X_RANGE"),
            ("\nORDER v1\n", "t.aux, line 3: identifier and integer must follow ORDER"),
            ("SHADE 5 0.1\n", "t.aux, line 1: identifier must follow SHADE"),
            ("SHADE a 1", "t.aux, line 1: identifier and floating point number must follow SHADE"),
            ("1.5", "t.aux, line 1: floating point number unexpected"),
            ("ORDER", "t.aux, line 1: identifier unexpected"),
            ("ORDER a 1 ORDER b 2 ORDER a 3", " Disaster! (order map overflow)"),
            ("SHADE a 1. SHADE b 2. SHADE a 3.", " Disaster! (shade map overflow)"),
        ] {
            assert_eq!(of(text), Err(message.to_owned()), "{text}");
        }
    }
}
