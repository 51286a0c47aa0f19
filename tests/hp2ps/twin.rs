//! The drop-in compared with the real hp2ps, byte for byte: `.ps`, `.aux` and exit status. What
//! hp2ps refuses, the drop-in refuses with its own message.
//!
//! Runs if `HEAPVIZ_HP2PS` is set to a number of random inputs, and needs the real program (Debian package
//! `ghc`; `HEAPVIZ_HP2PS_PROGRAM` is its path if it is not `/usr/bin/hp2ps`). `HEAPVIZ_HP2PS_SEED` selects
//! other inputs. A case that differs is printed and kept on disk.

#![cfg(unix)]

mod case;
mod run;

use std::fs;
use std::path::PathBuf;

use crate::common;
use crate::common::generator::Random;
use case::Case;
use heapviz::hp2ps::{command_line, draw};
use run::{Tally, Twins};

/// The two programs, and how many random inputs to try.
fn asked() -> Option<(Twins, u64)> {
    let Some(count) = std::env::var_os("HEAPVIZ_HP2PS") else {
        common::skipped("HEAPVIZ_HP2PS=N compares with the real hp2ps on N random inputs");
        return None;
    };
    let count = count.to_str().and_then(|count| count.parse().ok());
    let count = count.expect("HEAPVIZ_HP2PS is a number of inputs");
    let program = std::env::var_os("HEAPVIZ_HP2PS_PROGRAM");
    let program = program.map_or_else(|| PathBuf::from("/usr/bin/hp2ps"), PathBuf::from);
    assert!(program.is_file(), "no {} (set HEAPVIZ_HP2PS_PROGRAM)", program.display());
    Some((Twins::new(&program), count))
}

#[test]
fn random_inputs_give_complete_files_or_an_error() {
    let (mut drawn, mut refused, mut usages) = (0, 0, 0);
    for number in 0..4000 {
        let case = Case::random(&mut Random::new(2, &format!("case {number}")));
        let Ok(options) = command_line::parse(case.flags.iter().map(String::as_bytes)) else {
            usages += 1;
            continue;
        };
        match draw(&*case.hp, case.aux.as_deref(), &options, b"hp2ps") {
            Ok(drawing) => {
                drawn += 1;
                assert!(drawing.postscript.starts_with(b"%!PS-Adobe-2.0\n"));
                assert!(drawing.postscript.ends_with(b"showpage\n"));
                assert!(drawing.aux.starts_with(b"X_RANGE "));
                assert!(drawing.notes.len() <= 4);
            }
            Err(failure) => {
                refused += 1;
                assert!(!failure.to_string().is_empty());
            }
        }
    }
    assert!(drawn > 1000 && refused > 500 && usages > 50, "{drawn} {refused} {usages}");
}

/// Flags for every real profile, those of one call between bars.
const FLAGS: &str = "|-d|-c|-b|-s|-g|-e8in|-i|-i-|-m5|-m0|-M|-m25 -c|-t0|-t5 -d|-y -e100mm|-p|-pd -m40|-e300 -M -g|\
                     -p -c -i+ -m3";

#[test]
fn real_profiles_give_the_output_of_hp2ps() {
    let (Some((twins, _)), Some(data)) = (asked(), common::shared_data()) else { return };
    let mut tally = Tally::default();
    let files = common::files_with_ending(&data, "hp");
    for path in &files {
        let hp = fs::read(path).expect("a profile");
        // From a run with other bands, so that -p makes a difference.
        let aux = twins.aux_of(&hp, "-m9");
        for flags in FLAGS.split('|') {
            let flags = flags.split_whitespace().map(str::to_owned).collect();
            let name = path.display().to_string();
            let case = Case { hp: hp.clone(), aux: aux.clone(), flags, ..Case::named(&name) };
            tally.add(twins.compare(&case));
        }
    }
    tally.print("real profiles");
    assert!(files.len() >= 30);
    assert_eq!((tally.all(), tally.different), (files.len() * FLAGS.split('|').count(), 0));
}

#[test]
fn random_inputs_give_the_output_of_hp2ps() {
    let Some((twins, count)) = asked() else { return };
    let seed = std::env::var("HEAPVIZ_HP2PS_SEED").ok().and_then(|seed| seed.parse().ok());
    let seed = seed.unwrap_or(1);
    let mut tally = Tally::default();
    for number in 0..count {
        let case = Case::random(&mut Random::new(seed, &format!("case {number}")));
        tally.add(twins.compare(&Case { name: format!("{seed}-{number}"), ..case }));
    }
    tally.print("random inputs");
    assert_eq!(tally.different, 0);
}
