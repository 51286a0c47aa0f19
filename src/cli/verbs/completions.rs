//! `heapviz completions`: what a shell needs to complete heapviz's words.

use std::process::ExitCode;

use clap::Parser;
use clap_complete::{Shell, generate};

use super::{UsageError, Verb, command, print};

/// Prints the completions of a shell, to be put where it looks for them
///
/// For example: heapviz completions bash > ~/.local/share/bash-completion/completions/heapviz
#[derive(Debug, Parser)]
#[command(name = "completions")]
pub struct Completions {
    /// Which shell
    shell: Shell,
}

impl Verb for Completions {
    fn run(self) -> Result<ExitCode, UsageError> {
        let mut script = Vec::new();
        generate(self.shell, &mut command(), "heapviz", &mut script);
        Ok(print(&script))
    }
}
