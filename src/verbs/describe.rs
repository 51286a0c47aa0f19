//! `heapviz completions` and `heapviz man`: what the command says of itself, for a shell and for `man`.

use std::process::ExitCode;

use clap::Parser;
use clap_complete::{Shell, generate};
use clap_mangen::Man;

use super::{command, print};
use crate::cli::{GivenFlags, Stop, Verb};

/// Prints the completions for a shell
///
/// For example: heapviz completions bash > ~/.local/share/bash-completion/completions/heapviz
#[derive(Debug, Parser)]
pub struct Completions {
    /// Which shell
    shell: Shell,
}

impl Verb for Completions {
    fn run(self, _: &GivenFlags) -> Result<ExitCode, Stop> {
        let mut script = Vec::new();
        generate(self.shell, &mut command(), "heapviz", &mut script);
        Ok(print(&script))
    }
}

/// Prints the manual page of heapviz, or of one of its verbs
///
/// For example: heapviz man > ~/.local/share/man/man1/heapviz.1
#[derive(Debug, Parser)]
pub struct ManPage {
    /// The verb [default: a page about heapviz as a whole]
    verb: Option<String>,
}

impl Verb for ManPage {
    fn run(self, _: &GivenFlags) -> Result<ExitCode, Stop> {
        let mut all = command();
        all.build();
        let page = match &self.verb {
            None => &all,
            Some(name) => {
                all.find_subcommand(name).ok_or_else(|| format!("there is no verb `{name}`"))?
            }
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
        Ok(print(&text))
    }
}
