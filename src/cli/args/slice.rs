//! The flags that choose what of a profile is looked at: a part of the run, some of its bands, and
//! what of its origin.

use clap::Args;
use heapviz::profile::Window;
use heapviz::rank::Selection;

use super::privacy::{Privacy, PrivacyArgs};
use super::selection::SelectionArgs;
use super::window::WindowArgs;

/// What of a profile is looked at.
#[derive(Debug, Args)]
pub struct SliceArgs {
    #[command(flatten)]
    window: WindowArgs,

    #[command(flatten)]
    privacy: PrivacyArgs,

    #[command(flatten)]
    selection: SelectionArgs,
}

impl SliceArgs {
    /// The part of the run.
    pub fn window(&self) -> Window {
        self.window.window()
    }

    /// The choice of bands.
    pub fn selection(&self) -> Selection {
        self.selection.selection()
    }

    /// What is shown of the origin.
    pub fn privacy(&self) -> Privacy {
        self.privacy.privacy()
    }
}
