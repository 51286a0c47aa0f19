//! The flag for charts shown to strangers.

use clap::Args;
use heapviz::slice::Privacy;

/// What is shown of who ran the program, how and where.
#[derive(Debug, Args)]
pub struct PrivacyArgs {
    /// Leave out the command line, the date, folders outside the project, hosts and e-mail addresses,
    /// for charts shown to strangers
    #[arg(long)]
    redact: bool,
}

impl PrivacyArgs {
    /// What is shown.
    pub fn privacy(&self) -> Privacy {
        if self.redact { Privacy::Redact } else { Privacy::Show }
    }
}
