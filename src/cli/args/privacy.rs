//! The flag for charts that strangers see.

use clap::Args;
use heapviz::slice::Privacy;

/// What is shown of who ran the program, how and where.
#[derive(Debug, Args)]
pub struct PrivacyArgs {
    /// Leave out the command line, the date, and the folders of absolute paths, for charts that
    /// strangers see
    #[arg(long)]
    redact: bool,
}

impl PrivacyArgs {
    /// What is shown.
    pub fn privacy(&self) -> Privacy {
        if self.redact { Privacy::Redact } else { Privacy::Show }
    }
}
