//! The heapviz command: files in, charts out. All computation is in the library.

mod cli;

use std::process::ExitCode;

fn main() -> ExitCode {
    cli::verbs::run(std::env::args_os().collect())
}
