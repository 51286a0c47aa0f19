//! Reading event logs and `.hp` files, and the reports about damaged ones.

mod advice;
#[path = "../common/mod.rs"]
mod common;
mod damage;
mod hostile;
mod hp_files;
mod lengths;
mod limits;
mod live;
mod oracle;
mod pairs;
mod properties;
mod regressions;
mod reports;
mod runs;
mod runtime;
mod trees;
mod truth;
mod two_files;
mod two_runs;
mod verdicts;
