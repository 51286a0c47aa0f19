//! The heapviz command.
fn main() {}
