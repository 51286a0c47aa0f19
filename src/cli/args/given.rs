//! Which flags were given on the command line: only those deserve a note when they have no effect.

use clap::parser::ValueSource;
use clap::{ArgMatches, Args, Command, Error, FromArgMatches};

/// The names of the arguments that were given.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Given(Vec<String>);

impl Given {
    /// Whether an argument was given, by its name in clap.
    pub fn has(&self, id: &str) -> bool {
        self.0.iter().any(|given| given == id)
    }
}

impl FromArgMatches for Given {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        let given =
            |id: &&clap::Id| matches.value_source(id.as_str()) == Some(ValueSource::CommandLine);
        Ok(Given(matches.ids().filter(given).map(ToString::to_string).collect()))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        *self = Given::from_arg_matches(matches)?;
        Ok(())
    }
}

impl Args for Given {
    fn augment_args(command: Command) -> Command {
        command
    }

    fn augment_args_for_update(command: Command) -> Command {
        command
    }
}
