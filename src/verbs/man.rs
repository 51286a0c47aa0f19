//! `heapviz man`: the manual pages.

use clap::{Command, Parser};
use clap_mangen::Man;

use crate::cli::verb::{Describe, UsageError};

/// Prints the manual page of heapviz, or of one of its verbs
///
/// For example: heapviz man > ~/.local/share/man/man1/heapviz.1
#[derive(Debug, Parser)]
pub struct ManPage {
    /// The verb [default: a page about heapviz as a whole]
    verb: Option<String>,
}

impl Describe for ManPage {
    fn text(&self, all: Command) -> Result<Vec<u8>, UsageError> {
        let page = match &self.verb {
            None => &all,
            Some(name) => all
                .find_subcommand(name)
                .ok_or_else(|| UsageError(format!("there is no verb `{name}`")))?,
        };
        // The page of `heapviz draw` is heapviz-draw.1.
        let title = page.get_display_name().unwrap_or(page.get_name()).to_owned();
        // clap_mangen takes the help that is too long for `-h` only where it has a long form.
        let page =
            page.clone().mut_args(|arg| match (arg.get_long_help(), arg.get_help().cloned()) {
                (None, Some(help)) => arg.long_help(help),
                (Some(_), _) | (None, None) => arg,
            });
        let mut text = Vec::new();
        Man::new(page)
            .title(title)
            .source(concat!("heapviz ", env!("CARGO_PKG_VERSION")))
            .render(&mut text)
            .expect("writing to memory cannot fail");
        Ok(text)
    }
}
