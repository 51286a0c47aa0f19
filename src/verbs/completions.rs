//! `heapviz completions`: the completions for a shell.

use clap::{Command, Parser};
use clap_complete::{Shell, generate};

use crate::cli::verb::{Describe, UsageError};

/// Prints the completions for a shell
///
/// For example: heapviz completions bash > ~/.local/share/bash-completion/completions/heapviz
#[derive(Debug, Parser)]
pub struct Completions {
    /// Which shell
    shell: Shell,
}

impl Describe for Completions {
    fn text(&self, mut all: Command) -> Result<Vec<u8>, UsageError> {
        let mut script = Vec::new();
        generate(self.shell, &mut all, "heapviz", &mut script);
        Ok(script)
    }
}
