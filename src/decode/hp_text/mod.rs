//! The words of `.hp` text, for everything that reads, recognises or writes it.
//!
//! The format is a stream of tokens (`docs/format/hp.md#tokens`); the run-time system writes it in
//! lines. This folder reads single tokens and single lines. Two grammars decide what they mean
//! together: the tolerant one of [`decode::hp`](crate::decode::hp), and the literal one of
//! [`hp2ps`](mod@crate::hp2ps).
//!
//! Everything here reads at the front of an [`Unread`] text whose end may not have arrived. A
//! reading is `None` while bytes still to come could change it, and once given it never changes:
//! that makes a decoder independent of how its input is cut.

pub mod keyword;
pub mod line;
pub mod number;
pub mod pieces;
pub mod quoted;
pub mod unread;

pub use keyword::{Header, Keyword};
pub use number::{Number, Rounding};
pub use pieces::Pieces;
pub use quoted::{Close, QuoteLimit, Quoted};
pub use unread::{MAX_WORD, Tail, Unread, is_white, until_nul};
