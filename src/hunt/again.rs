//! `hunt --again`: whether what the last hunt in a folder found still grows after an edit.
//!
//! A hunt in a program that it built leaves its question and how fast each maker's memory grew beside the build.
//! `--again` asks the same question again by its first run alone, and compares maker by maker.

use std::ffi::OsString;
use std::fs;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::build::BuildArgs;
use super::cabal;
use super::chain::Rate;
use super::pace::Pace;
use super::tool::own_folder;
use crate::analysis::rate;
use crate::base::sentence::{Sentence, name, say};
use crate::kit::verb::Failure;
use crate::profile::Clock;

/// Its file among our builds.
const FILE: &str = "last-hunt.json";

/// What the last hunt asked, and what it found.
#[derive(Debug, Serialize, Deserialize)]
pub struct Last {
    pub build: BuildArgs,
    pub late: bool,
    pub arguments: Vec<String>,
    pub length_ns: i64,
    pub warmup_ns: Option<i64>,
    /// The command that gave the program work.
    #[serde(default)]
    pub drive: Option<String>,
    /// How often its runs were sampled; `None` if an earlier heapviz wrote this.
    #[serde(default)]
    pub pace: Option<Pace>,
    /// Of those who made what grew.
    pub rates: Vec<Rate>,
}

impl Last {
    /// Reads it where the current folder's builds are.
    ///
    /// # Errors
    /// A folder without a hunt.
    pub fn read() -> Result<Last, Failure> {
        let none = |path: PathBuf| {
            Failure::new(format!("there is no hunt to repeat: no {}", path.display()))
                .hint("hunt with --cabal, --stack or --ghc first, in this folder")
        };
        let path = own_folder(&cabal::project(), "".as_ref())?.join(FILE);
        let text = fs::read(&path).map_err(|_| none(path.clone()))?;
        serde_json::from_slice(&text).map_err(|_| none(path))
    }

    /// Leaves it for the next hunt.
    pub fn write(&self) -> Result<(), Failure> {
        let path = own_folder(&cabal::project(), "".as_ref())?.join(FILE);
        let text = serde_json::to_string(self).expect("plain data");
        fs::write(&path, text)
            .map_err(|error| Failure::new(format!("cannot write {}: {error}", path.display())))
    }

    /// Its arguments of the program.
    pub fn words(&self) -> Vec<OsString> {
        self.arguments.iter().map(OsString::from).collect()
    }

    /// What became of each maker.
    pub fn compared(&self, now: &[Rate], clock: Clock) -> Vec<Sentence> {
        let words = |before: &Rate| {
            let left = now.iter().find(|now| now.is_same(before)).map_or(0.0, |now| now.per_second);
            // What is left of a tenth is noise.
            let stopped = left < before.per_second / 10.0;
            let words = match stopped {
                true => " no longer grows: ",
                false if left < before.per_second / 2.0 => " still grows, but less: ",
                false => " still grows: ",
            };
            let left = if left < before.per_second / 1000.0 { 0.0 } else { left };
            let what = match &before.place {
                Some(place) => say![name(place), ": what ", name(&before.label), " makes"],
                None => name(&before.label),
            };
            say![what, words, rate(before.per_second, clock), " -> ", rate(left, clock)]
        };
        self.rates.iter().map(words).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rate(label: &str, place: &str, per_second: f64) -> Rate {
        Rate { label: label.into(), place: Some(place.into()), per_second }
    }

    #[test]
    fn a_maker_is_compared_with_itself_wherever_its_line_is_now() {
        let rates = vec![
            rate("parseEntry", "Log.hs:11", 822_000.0),
            rate("other", "Log.hs:30", 4e6),
            rate("third", "Log.hs:40", 4e6),
        ];
        let last = Last {
            build: BuildArgs::default(),
            late: false,
            arguments: Vec::new(),
            length_ns: 1,
            warmup_ns: None,
            drive: None,
            pace: None,
            rates,
        };
        let now = [rate("other", "Log.hs:33", 3.9e6), rate("third", "Log.hs:43", 1e6)];
        let compared = last.compared(&now, Clock::Elapsed);
        assert_eq!(
            compared.iter().map(ToString::to_string).collect::<Vec<_>>(),
            [
                "Log.hs:11: what parseEntry makes no longer grows: 803 KiB/s -> 0 B/s",
                "Log.hs:30: what other makes still grows: 3.81 MiB/s -> 3.72 MiB/s",
                "Log.hs:40: what third makes still grows, but less: 3.81 MiB/s -> 977 KiB/s",
            ]
        );
    }
}
