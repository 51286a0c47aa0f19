//! The heapviz command, which is a module of the library.

fn main() -> std::process::ExitCode {
    heapviz::main()
}
