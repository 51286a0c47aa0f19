//! Text that arrives in pieces, which are joined only as far as its reader needs.

use super::unread::{Tail, Unread};
use crate::incident::error::Error;

/// The undecided rest of the pieces so far. Statements are read directly from a piece; only one that a
/// piece leaves unfinished is carried over, and it is read again only when its text has doubled, so that
/// neither tiny pieces nor endless lines cost quadratic time.
#[derive(Clone, Debug, Default)]
pub struct Pieces {
    /// The beginning of a statement, and perhaps more.
    carry: Vec<u8>,
    /// How long the carry was when it was last found to be undecided.
    undecided: usize,
}

impl Pieces {
    /// Reads the next piece. `run` reads what begins before its second argument, and returns how
    /// far it came: beyond that, or to something that only more bytes can decide. Its third
    /// argument is where in the piece the text begins, if it is a part of the piece.
    pub fn feed(
        &mut self,
        bytes: &[u8],
        mut run: impl FnMut(Unread<'_>, usize, Option<usize>) -> Result<usize, Error>,
    ) -> Result<(), Error> {
        let carried = &mut |text: Unread<'_>, stop: usize| run(text, stop, None);
        let Some(rest) = self.read_carry(bytes, carried)? else { return Ok(()) };
        let text = Unread { bytes: rest, tail: Tail::Open };
        let used = run(text, rest.len(), Some(bytes.len() - rest.len()))?;
        self.carry.extend_from_slice(&rest[used..]);
        self.undecided = self.carry.len();
        Ok(())
    }

    /// Reads the carry with the help of the following bytes. Returns the remaining bytes once
    /// nothing is carried any more.
    fn read_carry<'a>(
        &mut self,
        mut bytes: &'a [u8],
        run: &mut impl FnMut(Unread<'_>, usize) -> Result<usize, Error>,
    ) -> Result<Option<&'a [u8]>, Error> {
        while !self.carry.is_empty() {
            let carried = self.carry.len();
            let wanted = (2 * self.undecided).max(64);
            let taken = bytes.len().min(wanted - carried);
            self.carry.extend_from_slice(&bytes[..taken]);
            if self.carry.len() < wanted {
                return Ok(None);
            }
            let text = Unread { bytes: &self.carry, tail: Tail::Open };
            let used = run(text, carried)?;
            match used.checked_sub(carried) {
                Some(beyond) => {
                    self.carry.clear();
                    bytes = &bytes[beyond..];
                }
                None => {
                    self.carry.drain(..used);
                    self.undecided = self.carry.len();
                    bytes = &bytes[taken..];
                }
            }
        }
        Ok(Some(bytes))
    }

    /// Reads the carry as far as that can be decided now, for a text that may pause here for a long
    /// time. Long carries are left to [`Pieces::feed`].
    pub fn catch_up(
        &mut self,
        mut run: impl FnMut(Unread<'_>, usize) -> Result<usize, Error>,
    ) -> Result<(), Error> {
        const MOST: usize = 4096;
        if !self.carry.is_empty() && self.carry.len() <= MOST {
            let text = Unread { bytes: &self.carry, tail: Tail::Open };
            let used = run(text, self.carry.len())?;
            self.carry.drain(..used.min(self.carry.len()));
            self.undecided = self.carry.len();
        }
        Ok(())
    }

    /// What is still undecided now that the input has ended.
    pub fn rest(&self) -> Unread<'_> {
        Unread { bytes: &self.carry, tail: Tail::Final }
    }
}
