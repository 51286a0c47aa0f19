//! The flag that says in which units amounts of memory are shown.

use clap::{Args, ValueEnum};
use heapviz::units::UnitSystem;

/// Which units.
#[derive(Debug, Args)]
pub struct UnitArgs {
    /// Units of memory: binary (KiB, MiB) or si (kB, MB)
    #[arg(long, value_name = "UNITS", default_value = "binary")]
    units: Units,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Units {
    /// Powers of 1024
    Binary,
    /// Powers of 1000
    Si,
}

impl UnitArgs {
    /// The units.
    pub fn units(&self) -> UnitSystem {
        match self.units {
            Units::Binary => UnitSystem::Binary,
            Units::Si => UnitSystem::Si,
        }
    }
}
