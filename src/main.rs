//! The heapviz command: files in, charts out. Everything that is computed is in the library.

mod cli;

use std::process::ExitCode;

fn main() -> ExitCode {
    let words: Vec<_> = std::env::args_os().collect();
    if let Some(call) = cli::hp2ps::call(&words) {
        return cli::hp2ps::run(&call);
    }
    let command = match cli::args::parse(words) {
        Ok(command) => command,
        Err(usage) => usage.exit(),
    };
    cli::run::run(&command)
}
