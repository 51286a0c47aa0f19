//! The flags that choose what of a profile is looked at: a part of the run, some of its bands, and
//! what of its origin.

use clap::Args;
use heapviz::slice::SliceOptions;

use super::grouping::GroupingArgs;
use super::privacy::PrivacyArgs;
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

    #[command(flatten)]
    grouping: GroupingArgs,
}

impl SliceArgs {
    /// How a profile is looked at.
    pub fn options(&self) -> SliceOptions {
        SliceOptions::default()
            .with_window(self.window.window())
            .with_selection(self.selection.selection())
            .with_privacy(self.privacy.privacy())
            .with_grouping(self.grouping.grouping())
    }
}
