//! The flags that choose what is shown of a profile: a part of the run, some of its bands, and how
//! much of its origin.

use clap::Args;
use heapviz::slice::SliceOptions;

use super::grouping::GroupingArgs;
use super::privacy::PrivacyArgs;
use super::selection::SelectionArgs;
use super::window::WindowArgs;

/// What is shown of a profile.
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
    /// The options of the slice.
    pub fn options(&self) -> SliceOptions {
        SliceOptions::default()
            .with_window(self.window.window())
            .with_selection(self.selection.selection())
            .with_privacy(self.privacy.privacy())
            .with_grouping(self.grouping.grouping())
    }
}
