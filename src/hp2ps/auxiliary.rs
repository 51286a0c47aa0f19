//! The `.aux` file: scale, order and shades of a run, for the next one with `-p`
//! (`docs/format/hp.md#the-aux-file`).

use std::borrow::Cow;

use memchr::memchr_iter;

use super::{Hp2psError, c_numbers};
use crate::decode::hp::{Number, Unread, is_white, until_nul};

/// The contents of a run's file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Aux {
    /// The least x range, 0 without one.
    pub x_range: f64,
    /// The least y range, 0 without one.
    pub y_range: f64,
    /// Names and their places, in the order of the file. If a name occurs twice, the first entry
    /// counts.
    pub order: Vec<(Vec<u8>, i32)>,
    /// Names and their shades, in the same way.
    pub shades: Vec<(Vec<u8>, f64)>,
}

impl Aux {
    /// Writes the file, with `order` and `shades` in the order of the vectors.
    pub fn write(&self) -> Vec<u8> {
        let mut out = Vec::new();
        for (keyword, range) in [("X_RANGE ", self.x_range), ("Y_RANGE ", self.y_range)] {
            out.extend_from_slice(keyword.as_bytes());
            c_numbers::print_fixed(range, 2, &mut out);
            out.push(b'\n');
        }
        for (name, place) in &self.order {
            out.extend_from_slice(b"ORDER ");
            out.extend_from_slice(&word(name));
            out.extend_from_slice(format!(" {place}\n").as_bytes());
        }
        for (name, shade) in &self.shades {
            out.extend_from_slice(b"SHADE ");
            out.extend_from_slice(&word(name));
            out.push(b' ');
            c_numbers::print_fixed(*shade, 2, &mut out);
            out.push(b'\n');
        }
        out
    }
}

/// The words that mean something in an `.aux` file.
const KEYWORDS: [&str; 4] = ["X_RANGE", "Y_RANGE", "ORDER", "SHADE"];

enum Token<'a> {
    End,
    Float(f64),
    Integer(i32),
    Keyword(&'static str),
    Name(&'a [u8]),
}

/// The tokens of a `.hp`, except that a digit always begins a number, and a quote begins a word.
struct Tokens<'a> {
    text: Unread<'a>,
    line: u64,
}

impl<'a> Tokens<'a> {
    fn new(bytes: &'a [u8]) -> Self {
        Tokens { text: Unread { bytes, is_final: true }, line: 1 }
    }

    fn next(&mut self) -> Token<'a> {
        let bytes = self.text.bytes;
        let white = bytes.iter().position(|&byte| !is_white(byte)).unwrap_or(bytes.len());
        self.line += memchr_iter(b'\n', &bytes[..white]).count() as u64;
        self.text = self.text.from(white);
        match self.text.bytes.first() {
            None => Token::End,
            Some(b'0'..=b'9') => self.number(),
            Some(_) => self.word(),
        }
    }

    fn number(&mut self) -> Token<'a> {
        let Some(Some((number, len))) = Number::read(self.text, false) else { return Token::End };
        self.text = self.text.from(len);
        match number.has_point() {
            true => Token::Float(number.as_double()),
            false => Token::Integer(c_numbers::integer(number.digits)),
        }
    }

    fn word(&mut self) -> Token<'a> {
        let Some(len) = self.text.word_end() else { return Token::End };
        let word = until_nul(&self.text.bytes[..len]);
        let touches_end = self.text.ends_at(len);
        self.text = self.text.from(len);
        let keyword = KEYWORDS.into_iter().find(|keyword| keyword.as_bytes() == word);
        keyword.filter(|_| !touches_end).map_or(Token::Name(word), Token::Keyword)
    }
}

/// Reads a file. It may have more entries than hp2ps has room for.
///
/// # Errors
/// [`Hp2psError::Aux`].
pub fn read(text: &[u8]) -> Result<Aux, Hp2psError> {
    let mut tokens = Tokens::new(text);
    let mut aux = Aux::default();
    loop {
        let keyword = match tokens.next() {
            Token::End => return Ok(aux),
            Token::Keyword(keyword) => keyword,
            Token::Name(_) | Token::Integer(_) | Token::Float(_) => {
                let what = format!("a line begins with one of {}", KEYWORDS.join(", "));
                return Err(Hp2psError::Aux { line: tokens.line, what });
            }
        };
        let line = tokens.line;
        let missing = |what: &str| {
            Err(Hp2psError::Aux { line, what: format!("`{keyword}` is not followed by {what}") })
        };
        if let "X_RANGE" | "Y_RANGE" = keyword {
            let Token::Float(range) = tokens.next() else {
                return missing("a number with a decimal point");
            };
            match keyword {
                "X_RANGE" => aux.x_range = range,
                _ => aux.y_range = range,
            }
            continue;
        }
        let Token::Name(name) = tokens.next() else {
            return missing("a name that does not begin with a digit");
        };
        match (keyword, tokens.next()) {
            ("ORDER", Token::Integer(place)) => aux.order.push((name.to_vec(), place)),
            ("ORDER", _) => return missing("a name and a whole number"),
            (_, Token::Float(shade)) => aux.shades.push((name.to_vec(), shade)),
            _ => return missing("a name and a number with a decimal point"),
        }
    }
}

/// A band's name as one word, which a name with blanks is not.
pub fn word(name: &[u8]) -> Cow<'_, [u8]> {
    match name.iter().any(|&byte| is_white(byte)) {
        true => name.iter().map(|&byte| if is_white(byte) { b'_' } else { byte }).collect(),
        false => Cow::Borrowed(name),
    }
}
