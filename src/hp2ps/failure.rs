//! Why there is no picture.

use super::refusal::Refusal;
use crate::incident::error::visible;

/// Why there is no picture: hp2ps's message without the program's name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    message: Vec<u8>,
}

impl Failure {
    /// A message as it is.
    pub(super) fn new(message: Vec<u8>) -> Self {
        Failure { message }
    }

    /// A failure that hp2ps cannot have, in the caller's words.
    pub fn of(message: &str) -> Self {
        Failure::new(visible(message).into_bytes())
    }

    /// Why hp2ps does not read a file.
    pub(super) fn refusal(name: &[u8], refusal: &Refusal) -> Self {
        Failure::new([name, refusal.to_string().as_bytes()].concat())
    }

    /// hp2ps's message for what it does not expect.
    pub(super) fn disaster(what: &str) -> Self {
        Failure::new(format!(" Disaster! ({what})").into_bytes())
    }

    /// A file that cannot be opened.
    pub fn cannot_open(name: &[u8]) -> Self {
        Failure::new([b"cannot open ", name].concat())
    }

    /// The message, to be printed after the program's name, a colon and a blank.
    pub fn message(&self) -> Vec<u8> {
        self.message.clone()
    }
}
