//! What the verbs of the command share: arguments, files, formats, messages, how a verb ends.
//!
//! A verb reads its inputs ([`read`]), makes runs of them ([`ProfileView`](crate::profile_view::ProfileView)), and writes documents
//! about the runs ([`formats`]) to their targets ([`target`]). Flags decide what the documents look
//! like ([`style`]), and [`flags`] finds those that had no effect.

pub mod args;
pub mod blocks;
pub mod charts;
pub mod flags;
pub mod formats;
pub mod message;
pub mod output;
pub mod progress;
pub mod read;
pub mod source_line;
pub mod style;
pub mod table;
pub mod target;
pub mod trees;
pub mod user_file;
pub mod verb;
pub mod write;

pub use blocks::Blocks;
pub use charts::{Choice, Runs, WrittenOutputs};
pub use flags::{FlagUses, GivenFlags};
pub use formats::{DocumentKind, Format};
pub use message::{Message, Voice};
pub use output::Delivery;
pub use progress::ProgressLine;
pub use read::{InputReader, Instead, Reading};
pub use source_line::{SourceLine, Sources};
pub use style::Style;
pub use table::Table;
pub use target::{Input, Job, OF_A_RUN, Output, Target, targets};
pub use trees::Trees;
pub use verb::{Stop, Verb};
pub use write::{Content, Document};
