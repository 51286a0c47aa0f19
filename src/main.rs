//! The heapviz command: files in, charts out. Everything that is computed is in the library.

mod cli;

use std::process::ExitCode;

fn main() -> ExitCode {
    let command = match cli::args::parse(std::env::args_os()) {
        Ok(command) => command,
        Err(usage) => usage.exit(),
    };
    cli::run::run(&command)
}
