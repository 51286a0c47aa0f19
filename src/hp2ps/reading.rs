//! What hp2ps reads from a file besides bands and samples.

use super::refusal::Refusal;
use crate::profile::BandId;

/// What hp2ps reads from a file besides bands and samples.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Reading {
    /// The JOB string: its bytes up to a NUL.
    pub job: Vec<u8>,
    /// The DATE string.
    pub date: Vec<u8>,
    /// The SAMPLE_UNIT string.
    pub sample_unit: Vec<u8>,
    /// The VALUE_UNIT string.
    pub value_unit: Vec<u8>,
    /// The times of the samples, ascending.
    pub times: Vec<f64>,
    /// The times of the marks, in the order of the file.
    pub marks: Vec<f64>,
    /// Values beyond 64 bits, which the profile has as its greatest value: the index of the point
    /// in the file, and the value.
    pub huge: Vec<(usize, f64)>,
    /// How many points were read, including those of an unfinished sample.
    pub points: usize,
    /// The points after the last END_SAMPLE.
    pub strays: Vec<(BandId, f64)>,
    /// The line where the file ends inside a statement, if it does; hp2ps refuses such a file.
    pub cut: Option<u64>,
    /// Rows whose name has blanks; hp2ps refuses a file with any.
    pub blank_names: u64,
    /// hp2ps's message for the first thing that it refuses but that is read here.
    pub tolerated: Option<Refusal>,
    /// Samples that END_SAMPLE ends without a BEGIN_SAMPLE; hp2ps crashes or guesses.
    pub undated: u64,
}
