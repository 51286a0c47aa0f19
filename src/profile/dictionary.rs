//! Names from another log of the same program: what its info tables and cost centres are called.
//!
//! A log that begins late, or a `.hp`, may have only addresses and numbers where an earlier log of the same
//! build has the definitions. They are added before the profile is made, so that labels, break-down and
//! places follow from them by the rules that apply to a log's own definitions. Nothing is taken from a log
//! that contradicts what both say.

use std::collections::HashSet;

use thiserror::Error;

use super::bands::BandKey;
use super::breakdown::Breakdown;
use super::builder::ProfileBuilder;
use super::cost_centre::{CostCentre, CostCentres};
use super::info_table::{InfoTable, InfoTableStore, parse_address};
use super::metadata::{Metadata, Named};
use crate::incident::error::visible;

/// The definitions in a log of a program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Dictionary {
    metadata: Metadata,
    centres: CostCentres,
    tables: InfoTableStore,
}

/// Why a dictionary does not belong to the program.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum OtherProgram {
    /// It defines nothing.
    #[error("it defines neither info tables nor cost centres")]
    NoNames,
    /// The programs have different names.
    #[error("its program is `{theirs}`, and that of the profile `{ours}`")]
    Program {
        /// That of the profile.
        ours: String,
        /// That of the dictionary.
        theirs: String,
    },
    /// The programs have different run-time systems.
    #[error("its run-time system is `{theirs}`, and that of the profile `{ours}`")]
    RunTime {
        /// That of the profile.
        ours: String,
        /// That of the dictionary.
        theirs: String,
    },
    /// Definitions that both have differ: it is another build.
    #[error(
        "{wrong} of {of} {things} that both define differ: {first} is `{theirs}`, and in the profile `{ours}`"
    )]
    Differs {
        /// What is compared, as a plural.
        things: &'static str,
        /// How many differ.
        wrong: usize,
        /// Of how many.
        of: usize,
        /// The first that differs.
        first: String,
        /// What it is in the profile.
        ours: String,
        /// What it is in the dictionary.
        theirs: String,
    },
    /// Too many addresses of the profile are between two info tables of one module, where the dictionary has none:
    /// it is another build.
    #[error(
        "of the addresses without a name, {right} are its info tables, and {wrong} are in its \
         modules where it has no info table"
    )]
    Misplaced {
        /// How many are none of its info tables.
        wrong: usize,
        /// How many are.
        right: usize,
    },
    /// It has none of what the profile lacks.
    #[error("it names none of the {of} bands without a name")]
    Unrelated {
        /// How many bands have no name.
        of: usize,
    },
}

impl OtherProgram {
    /// The same without texts of the inputs.
    #[must_use]
    pub(crate) fn redacted(self) -> Self {
        let hidden = || "…".to_owned();
        match self {
            OtherProgram::Program { .. } => {
                OtherProgram::Program { ours: hidden(), theirs: hidden() }
            }
            OtherProgram::Differs { things, wrong, of, first, .. } => {
                OtherProgram::Differs { things, wrong, of, first, ours: hidden(), theirs: hidden() }
            }
            other @ (OtherProgram::NoNames
            | OtherProgram::RunTime { .. }
            | OtherProgram::Misplaced { .. }
            | OtherProgram::Unrelated { .. }) => other,
        }
    }
}

impl Dictionary {
    /// How many of some addresses are between two info tables of one module. A build with `-finfo-table-map`
    /// lists every table of a module, so these are of another build. It is all that a `.hp` can be
    /// recognised by: in three pairs of one build there was none, in six of two builds there were 2 to
    /// 20, and at most two tables in common.
    fn misplaced(&self, addresses: &HashSet<u64>) -> usize {
        let mut tables: Vec<(u64, &[u8])> = self
            .tables
            .iter()
            .map(|(address, [_, _, _, _, module, _])| (address, module))
            .collect();
        tables.sort_unstable();
        let is_misplaced = |&&address: &&u64| {
            let after = tables.partition_point(|&(table, _)| table < address);
            let (Some(before), Some(at)) = (after.checked_sub(1), tables.get(after)) else {
                return false;
            };
            at.0 != address && !at.1.is_empty() && tables[before].1 == at.1
        };
        addresses.iter().filter(is_misplaced).count()
    }
}

impl ProfileBuilder {
    /// The definitions of the last log that has any.
    ///
    /// # Errors
    /// [`OtherProgram::NoNames`].
    pub fn into_dictionary(self) -> Result<Dictionary, OtherProgram> {
        let defines =
            |log: &&ProfileBuilder| !log.cost_centres.is_empty() || !log.info_tables.is_empty();
        let earlier = self.runs.previous.iter().chain(&self.runs.kept).map(|run| &*run.log);
        let log = std::iter::once(&self).chain(earlier).find(defines);
        let log = log.ok_or(OtherProgram::NoNames)?;
        Ok(Dictionary {
            metadata: log.metadata.clone(),
            centres: log.cost_centres.clone(),
            tables: log.info_tables.clone(),
        })
    }

    /// Adds the definitions that the profile lacks.
    ///
    /// # Errors
    /// A dictionary of another program; then nothing is taken.
    pub(super) fn adopt(&mut self, names: &Dictionary) -> Result<Named, OtherProgram> {
        let has_same_program = same_program(&self.metadata, &names.metadata)?;
        let compared = self.same_tables(&names.tables)? + self.same_centres(&names.centres)?;
        let tables = self.wanted_tables();
        let nameless: Vec<&BandKey> = self
            .bands
            .ids()
            .map(|band| self.bands.key(band))
            .filter(|key| self.is_nameless(key, &tables))
            .collect();
        let of = nameless.len();
        let is_in_it = |key: &&&BandKey| match key {
            BandKey::Name(name) => {
                parse_address(name).is_some_and(|address| names.tables.knows(address))
            }
            BandKey::Stack(ids) => ids
                .iter()
                .all(|&id| self.cost_centre(id).is_some() || names.centres.get(id).is_some()),
        };
        let bands = nameless.iter().filter(is_in_it).count();
        let wrong = if compared == 0 { names.misplaced(&tables) } else { 0 };
        if wrong * 4 > bands {
            return Err(OtherProgram::Misplaced { wrong, right: bands });
        }
        if bands == 0 && of > 0 && compared == 0 {
            return Err(OtherProgram::Unrelated { of });
        }
        for (address, fields) in names.tables.iter() {
            if tables.contains(&address) && !self.info_tables.knows(address) {
                self.define_info_table(address, fields);
            }
        }
        for (id, centre) in names.centres.clone().into_iter() {
            if self.cost_centre(id).is_none() {
                self.define_cost_centre(id, centre);
            }
        }
        Ok(Named { bands, of, is_known_program: has_same_program || compared > 0 })
    }

    /// The addresses that the profile names: those of its bands, and those of ticky counters.
    fn wanted_tables(&self) -> HashSet<u64> {
        let names = || {
            self.bands.ids().filter_map(|band| match self.bands.key(band) {
                BandKey::Name(name) => Some(&**name),
                BandKey::Stack(_) => None,
            })
        };
        // A `.hp`, and a log that begins late, do not state the break-down.
        let is_by_table = match self.breakdown {
            Some(breakdown) => breakdown == Breakdown::InfoTable,
            None => names().all(|name| name.starts_with(b"0x") && parse_address(name).is_some()),
        };
        let of_bands = names().filter_map(parse_address).filter(|_| is_by_table);
        of_bands.chain(self.runtime.ticky.tables()).collect()
    }

    fn is_nameless(&self, key: &BandKey, tables: &HashSet<u64>) -> bool {
        match key {
            BandKey::Name(name) => parse_address(name).is_some_and(|address| {
                tables.contains(&address) && !self.info_tables.knows(address)
            }),
            BandKey::Stack(ids) => ids.iter().any(|&id| self.cost_centre(id).is_none()),
        }
    }

    /// Compares the info tables that both define; returns how many these are.
    fn same_tables(&self, theirs: &InfoTableStore) -> Result<usize, OtherProgram> {
        let both = self.info_tables.iter().filter_map(|(address, ours)| {
            let theirs = theirs.knows(address).then(|| theirs.fields(address))?;
            Some((address, ours, theirs))
        });
        same("info tables", both, |address| format!("{address:#x}"), text_of_table)
    }

    /// Compares the cost centres that both define; returns how many these are.
    fn same_centres(&self, theirs: &CostCentres) -> Result<usize, OtherProgram> {
        let both =
            self.cost_centres.iter().filter_map(|(id, ours)| Some((id, ours, theirs.get(id)?)));
        same("cost centres", both, |id| format!("number {id}"), text_of_centre)
    }
}

/// Whether both say which program it is, and mean the same.
fn same_program(ours: &Metadata, theirs: &Metadata) -> Result<bool, OtherProgram> {
    let program = |metadata: &Metadata| {
        let name = metadata.job.as_deref().and_then(|job| job.split(' ').next());
        name.filter(|name| !name.is_empty()).map(visible)
    };
    let (own, other) = (program(ours), program(theirs));
    if let (Some(ours), Some(theirs)) = (&own, &other)
        && ours != theirs
    {
        return Err(OtherProgram::Program { ours: ours.clone(), theirs: theirs.clone() });
    }
    if let (Some(ours), Some(theirs)) = (ours.rts.as_deref(), theirs.rts.as_deref())
        && ours != theirs
    {
        let (ours, theirs) = (visible(ours), visible(theirs));
        return Err(OtherProgram::RunTime { ours, theirs });
    }
    Ok(own.is_some() && other.is_some())
}

/// How much of each part of a definition an error shows.
const SHOWN: usize = 60;

/// How many definitions are compared, each by its key: ours with theirs.
///
/// # Errors
/// [`OtherProgram::Differs`] with the first that differs, in words.
fn same<K, T: PartialEq>(
    things: &'static str,
    both: impl Iterator<Item = (K, T, T)>,
    name: impl Fn(K) -> String,
    text: impl Fn(T) -> String,
) -> Result<usize, OtherProgram> {
    let (mut of, mut wrong, mut example) = (0, 0, None);
    for (key, ours, theirs) in both {
        of += 1;
        if ours != theirs {
            wrong += 1;
            example.get_or_insert_with(|| (name(key), text(ours), text(theirs)));
        }
    }
    match example {
        None => Ok(of),
        Some((first, ours, theirs)) => {
            Err(OtherProgram::Differs { things, wrong, of, first, ours, theirs })
        }
    }
}

fn text_of_table(fields: [&[u8]; 6]) -> String {
    let [name, closure_kind, ty, label, module, location] =
        fields.map(|text| String::from_utf8_lossy(text).into_owned());
    let table = InfoTable { name, closure_kind, ty, label, module, location };
    visible(&table.text(SHOWN).unwrap_or_default())
}

fn text_of_centre(centre: &CostCentre) -> String {
    let CostCentre { label, module, location, .. } = centre;
    visible(&format!("{module}.{label} ({location})").chars().take(2 * SHOWN).collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::units::{Bytes, Nanos};
    use crate::profile::{BandKeyRef, Profile, Source};

    const FIELDS: [&[u8]; 6] = [b"n", b"1", b"T", b"go", b"Main", b"a.hs:1"];

    fn dictionary(job: &str, tables: &[(u64, [&[u8]; 6])], centres: &[(u32, &str)]) -> Dictionary {
        let mut builder = ProfileBuilder::new(Source::Eventlog);
        builder.metadata.job = Some(job.to_owned());
        tables.iter().for_each(|&(address, fields)| builder.define_info_table(address, fields));
        for &(id, label) in centres {
            builder.define_cost_centre(id, CostCentre::new(label, "Main", "a.hs"));
        }
        builder.into_dictionary().unwrap()
    }

    fn log(keys: &[BandKeyRef<'_>]) -> ProfileBuilder {
        let mut builder = ProfileBuilder::new(Source::Eventlog);
        builder.metadata.job = Some("prog 2".to_owned());
        for &key in keys {
            let band = builder.band(key).unwrap();
            builder.point(band, Bytes::new(1));
        }
        builder.seal_sample(Nanos::ZERO);
        builder
    }

    fn labels(profile: &Profile) -> Vec<&str> {
        profile.bands.labels().collect()
    }

    #[test]
    fn a_log_without_definitions_gets_those_of_another() {
        let names = dictionary("prog 1 +RTS -l", &[(0x40, FIELDS), (0x50, FIELDS)], &[]);
        let addresses = [&b"0x40"[..], b"0x99"].map(BandKeyRef::Name);
        let profile = log(&addresses).finish_with(Some(&names)).unwrap();
        assert_eq!(labels(&profile), ["go (Main, a.hs:1)", "0x99"]);
        assert_eq!((profile.breakdown, profile.info_tables.len()), (Breakdown::InfoTable, 1));
        let named = Named { bands: 1, of: 2, is_known_program: true };
        assert_eq!(profile.named, Some(named));
        let names = dictionary("prog", &[], &[(1, "f"), (2, "main")]);
        let stacks = [&[1, 2][..], &[2]].map(BandKeyRef::Stack);
        let profile = log(&stacks).finish_with(Some(&names)).unwrap();
        assert_eq!(labels(&profile), ["f/main", "main"]);
        assert_eq!(profile.warnings().len(), 1, "only the break-down was inferred");
    }

    #[test]
    fn a_contradiction_is_refused_with_what_differs() {
        let refused = |builder: ProfileBuilder, names: &Dictionary| {
            builder.finish_with(Some(names)).unwrap_err().to_string()
        };
        let addresses = [&b"0x40"[..], b"0x41"].map(BandKeyRef::Name);
        let other = dictionary("prog2 2", &[(0x40, FIELDS)], &[]);
        let error = refused(log(&addresses), &other);
        assert!(error.contains("`prog2`") && error.contains("`prog`"), "{error}");
        let mut partial = log(&addresses);
        partial.define_info_table(0x40, [b"n", b"1", b"T", b"stop", b"Main", b"a.hs:1"]);
        let names = dictionary("prog", &[(0x40, FIELDS), (0x41, FIELDS)], &[]);
        let error = refused(partial, &names);
        assert!(error.starts_with("1 of 1 info tables that both define differ: 0x40"), "{error}");
        assert!(error.contains("`go (Main, a.hs:1)`") && error.contains("`stop"), "{error}");
        let mut partial = log(&[BandKeyRef::Stack(&[7])]);
        partial.define_cost_centre(1, CostCentre::new("g", "Main", "a.hs"));
        let error = refused(partial, &dictionary("prog", &[], &[(1, "f"), (7, "h")]));
        assert!(error.contains("cost centres") && error.contains("`Main.f (a.hs)`"), "{error}");
        let around = dictionary("prog", &[(0x38, FIELDS), (0x40, FIELDS), (0x48, FIELDS)], &[]);
        let error = refused(log(&addresses), &around);
        assert!(error.contains("1 are its info tables, and 1 are in its modules"), "{error}");
        let addresses_too = [&b"0x40"[..], b"0x41", b"0x42"].map(BandKeyRef::Name);
        let error = refused(log(&addresses_too), &around);
        assert!(error.contains("1 are its info tables, and 2 are in its modules"), "{error}");
        let error = refused(log(&addresses), &dictionary("prog", &[(0x99, FIELDS)], &[]));
        assert_eq!(error, "it names none of the 2 bands without a name");
        let mut rebuilt = log(&addresses);
        rebuilt.metadata.rts = Some("GHC-9.6.6 rts".into());
        let mut names = dictionary("prog", &[(0x40, FIELDS)], &[]);
        names.metadata.rts = Some("GHC-9.10.3 rts".into());
        assert!(refused(rebuilt, &names).contains("GHC-9.10.3"));
        let nothing = ProfileBuilder::new(Source::Hp).into_dictionary();
        assert_eq!(nothing, Err(OtherProgram::NoNames));
    }

    #[test]
    fn names_that_look_like_addresses_are_no_info_tables() {
        let names = dictionary("prog", &[(0xadd, FIELDS)], &[]);
        let profile = log(&[BandKeyRef::Name(b"add")]).finish_with(Some(&names)).unwrap();
        assert_eq!(labels(&profile), ["add"]);
        assert_eq!(profile.named.map(|named| named.of), Some(0));
        // Nor are those that do, beside names that do not.
        let both = [&b"0xadd"[..], b"go"].map(BandKeyRef::Name);
        let of = |breakdown: Option<Breakdown>| {
            let mut builder = log(&both);
            builder.breakdown = breakdown;
            builder.finish_with(Some(&names)).unwrap().named.map(|named| named.of)
        };
        assert_eq!((of(None), of(Some(Breakdown::Type))), (Some(0), Some(0)));
        assert_eq!(of(Some(Breakdown::InfoTable)), Some(1));
    }

    #[test]
    fn a_program_is_known_by_its_name_or_by_what_both_define() {
        let known = |job: Option<&str>, defines: bool| {
            let mut builder = log(&[BandKeyRef::Stack(&[1, 2])]);
            builder.metadata.job = job.map(str::to_owned);
            if defines {
                builder.define_cost_centre(1, CostCentre::new("f", "Main", "a.hs"));
                builder.define_info_table(0x40, FIELDS);
            }
            let names = dictionary("prog", &[(0x40, FIELDS)], &[(1, "f"), (2, "main")]);
            let named = builder.finish_with(Some(&names)).unwrap().named.unwrap();
            assert_eq!((named.bands, named.of), (1, 1));
            named.is_known_program
        };
        assert!(known(Some("prog 7"), false) && known(None, true) && !known(None, false));
    }
}
