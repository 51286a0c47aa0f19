//! The command, run as its users run it.

mod analysis;
#[path = "../common/mod.rs"]
mod common;
mod action;
mod draw;
mod faults;
mod privacy;
mod stacks;
mod terminal;
mod verbs;
#[cfg(unix)]
mod watch;
