//! What every other module may use: amounts and times, dates, names
//! that differ, sentences, text whose every character is visible, regular expressions, two computations at the
//! same time.

pub mod date;
pub mod names;
pub mod parallel;
pub mod pattern;
pub mod sentence;
pub mod text;
pub mod units;
