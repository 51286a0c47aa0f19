//! The flags that choose bands by name.

use clap::Args;
use heapviz::pattern::Pattern;
use heapviz::slice::Selection;

/// Which bands, by their names.
#[derive(Debug, Args)]
#[command(next_help_heading = "Bands")]
pub struct SelectionArgs {
    /// Show only bands whose name matches; can be given several times
    #[arg(long, value_name = "REGEX")]
    include: Vec<Pattern>,

    /// Leave out bands whose name matches; can be given several times
    #[arg(long, value_name = "REGEX")]
    exclude: Vec<Pattern>,
}

impl SelectionArgs {
    /// The choice of bands.
    pub fn selection(&self) -> Selection {
        Selection::default().with_include(self.include.clone()).with_exclude(self.exclude.clone())
    }
}
