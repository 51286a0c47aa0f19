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
use super::chain::Part;
use super::pace::Pace;
use super::tool::own_folder;
use crate::analysis::constants::{CHANCE, REPAIR};
use crate::analysis::{Account, Leak, rate};
use crate::base::sentence::joined;
use crate::base::sentence::{Sentence, name, say};
use crate::kit::verb::Failure;

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
    /// How fast the heap grew: bytes a second.
    pub rate: f64,
    /// What it kept of all that was allocated, in percent, if the log counts allocation.
    pub kept_percent: Option<f64>,
    /// Who made what grew.
    pub makers: Vec<Part>,
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

    /// Whether what grew is repaired, by what the heap keeps of each byte that it allocates, or else by its rate.
    pub fn compared(&self, now: &Account, makers: &[Part]) -> Sentence {
        if now.leak == Leak::Unknown {
            return say!["cannot tell whether it is repaired: ", now.facts()];
        }
        let rise = now.heap.as_ref();
        let left = rise.map_or(0.0, |rise| rise.rate);
        let kept = rise.map_or(Some(0.0), |rise| rise.kept_percent);
        let factor = match self.kept_percent.zip(kept) {
            Some((before, now)) => now / before.max(f64::MIN_POSITIVE),
            None => left / self.rate.max(f64::MIN_POSITIVE),
        };
        let rates = say![rate(self.rate, now.clock), " -> ", rate(left, now.clock)];
        if factor > 1.0 / CHANCE {
            return say!["not repaired: ", rates];
        }
        let times = match factor > 0.0 {
            true => format!(", {:.0} times less", 1.0 / factor),
            false => ", it no longer grows".to_owned(),
        };
        if factor > 1.0 / REPAIR {
            return say!["not repaired, but it grows less: ", rates, times];
        }
        let rest = joined(makers.iter().map(|part| name(&part.label)), ", ");
        match makers.is_empty() || left <= 0.0 {
            true => say!["repaired: ", rates, times],
            false => say![
                "repaired: ",
                rates,
                times,
                " (what is left: ",
                rest,
                ", which may be by design)"
            ],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::Analysis;
    use crate::analysis::testing::grown;
    use crate::slice::Slice;

    #[test]
    fn a_repair_is_a_tenth_of_the_growth_and_chance_is_none() {
        let last = Last {
            build: BuildArgs::default(),
            late: false,
            arguments: Vec::new(),
            length_ns: 1,
            warmup_ns: None,
            drive: None,
            pace: None,
            rate: 1e6,
            kept_percent: None,
            makers: Vec::new(),
        };
        let compared = |rate: f64, samples: usize| {
            let line: Vec<f64> = (0..samples).map(|i| 1e6 + rate * i as f64).collect();
            let profile = grown(&[("a", &line)], 1.0);
            last.compared(&Analysis::account_of(&Slice::whole(&profile), &[]), &[]).to_string()
        };
        for (rate, samples, says) in [
            (0.0, 60, "repaired: "),
            (0.9e5, 60, "repaired: "),
            (2e5, 60, "not repaired, but it grows less: "),
            (0.8e6, 60, "not repaired: "),
            (2e6, 60, "not repaired: "),
            (1e6, 8, "cannot tell"),
        ] {
            let words = compared(rate, samples);
            assert!(words.starts_with(says), "{rate} {samples}: {words}");
        }
    }
}
