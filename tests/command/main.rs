//! The command, run as users run it.

mod action;
mod alerts;
mod analysis;
mod archive;
#[path = "../common/mod.rs"]
mod common;
mod details;
mod draw;
mod faults;
#[cfg(unix)]
mod hunt;
mod matrix;
mod months;
mod net;
mod one_figure;
mod privacy;
mod runners;
mod schema;
#[cfg(unix)]
mod serve;
mod stacks;
#[cfg(unix)]
mod stories;
mod terminal;
mod told;
mod verbs;
#[cfg(unix)]
mod watch;
#[cfg(unix)]
mod web;
