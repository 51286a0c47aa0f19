//! The command, run as its users run it.

#[path = "../common/mod.rs"]
mod common;
mod draw;
mod faults;
mod privacy;
mod terminal;
mod verbs;
#[cfg(unix)]
mod watch;
