//! The flags that choose a part of the run.

use clap::Args;
use heapviz::slice::{Bound, Window};

/// Which part of the run.
#[derive(Debug, Args)]
pub struct WindowArgs {
    /// Show the run from here on: a time (1.5s, 2min; a bare number is seconds) or the text of a
    /// marker
    #[arg(long, value_name = "WHEN", allow_hyphen_values = true)]
    from: Option<Bound>,

    /// Show the run up to here: a time or the text of a marker
    #[arg(long, value_name = "WHEN", allow_hyphen_values = true)]
    to: Option<Bound>,
}

impl WindowArgs {
    /// The part of the run.
    pub fn window(&self) -> Window {
        Window::default().with_from(self.from.clone()).with_to(self.to.clone())
    }
}
