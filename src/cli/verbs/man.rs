//! `heapviz man`: the manual pages.

use std::process::ExitCode;

use clap::Parser;
use clap_mangen::Man;

use super::{UsageError, Verb, command, print};

/// Prints a manual page: that of heapviz, or of one of its verbs
///
/// For example: heapviz man > ~/.local/share/man/man1/heapviz.1
#[derive(Debug, Parser)]
#[command(name = "man")]
pub struct ManPage {
    /// The verb; without it the page is about heapviz as a whole
    verb: Option<String>,
}

impl Verb for ManPage {
    fn run(self) -> Result<ExitCode, UsageError> {
        let mut all = command();
        all.build();
        let page = match &self.verb {
            None => &all,
            Some(name) => all
                .find_subcommand(name)
                .ok_or_else(|| UsageError(format!("there is no verb `{name}`")))?,
        };
        // The page of `heapviz draw` is heapviz-draw.1.
        let title = page.get_display_name().unwrap_or(page.get_name()).to_owned();
        let mut text = Vec::new();
        Man::new(page.clone())
            .title(title)
            .source(concat!("heapviz ", env!("CARGO_PKG_VERSION")))
            .render(&mut text)
            .expect("writing to memory cannot fail");
        Ok(print(&text))
    }
}
