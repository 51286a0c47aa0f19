//! The flag that says how much is printed besides the result.

use clap::Args;

/// Whether the command reports what it did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Voice {
    /// Notes, warnings and summaries.
    Normal,
    /// Errors only.
    Quiet,
}

/// Whether the command reports what it did.
#[derive(Debug, Args)]
#[command(next_help_heading = "Messages")]
pub struct VoiceArgs {
    /// Print errors only
    #[arg(short, long)]
    quiet: bool,
}

impl VoiceArgs {
    /// Whether the command reports what it did.
    pub fn voice(&self) -> Voice {
        if self.quiet { Voice::Quiet } else { Voice::Normal }
    }
}
