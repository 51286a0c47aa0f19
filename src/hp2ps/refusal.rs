//! What hp2ps refuses, in its words (`docs/format/hp.md#messages`).

use std::fmt;

/// Why hp2ps does not read a file. It is displayed as hp2ps's message, which follows the file's
/// name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// Something is not a statement.
    Statement {
        /// hp2ps's count of lines, which forgets those in strings.
        line: u64,
        /// What is wrong.
        fault: Fault,
    },
    /// A header line is missing.
    Missing(&'static str),
    /// No sample is complete.
    NoSamples,
}

/// What is wrong with a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// A header's keyword without its string.
    NoString(&'static str),
    /// A sample's or mark's keyword without its time.
    NoTime(&'static str),
    /// A mark between BEGIN_SAMPLE and END_SAMPLE.
    MarkInSample,
    /// A sample earlier than the one before.
    OutOfSequence,
    /// A name without its value.
    NoValue,
    /// A string in first position.
    StrayString,
    /// A string that the file's end leaves open.
    OpenString,
}

impl fmt::Display for Refusal {
    /// With hp2ps's mixture of colons and commas.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (line, fault) = match self {
            Refusal::Missing(word) => return write!(f, ": {word} missing"),
            Refusal::NoSamples => return f.write_str(": contains no samples"),
            Refusal::Statement { line, fault } => (line, fault),
        };
        write!(f, ", line {line}")?;
        match fault {
            Fault::NoString(word) => write!(f, ": string must follow {word}"),
            Fault::NoTime(word @ "END_SAMPLE") => {
                write!(f, ": floating point number must follow {word}")
            }
            Fault::NoTime(word) => write!(f, ", floating point number must follow {word}"),
            Fault::MarkInSample => f.write_str(", MARK occurs within sample"),
            Fault::OutOfSequence => f.write_str(", samples out of sequence"),
            Fault::NoValue => f.write_str(": integer must follow identifier"),
            Fault::StrayString => f.write_str(": string unexpected"),
            Fault::OpenString => f.write_str(": EOF when expecting \""),
        }
    }
}
