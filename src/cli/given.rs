//! Files that people give beside profiles: fonts, rules, baselines. Such a file is read whole, so one
//! without end, such as a device, must not be.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// The most text in MiB: rules and baselines have some kilobytes.
const MOST_TEXT_MIB: u64 = 16;

/// All of a file.
///
/// # Errors
/// What the system says, and that the file has more than `most_mib` MiB.
pub fn bytes(path: &Path, most_mib: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let most = most_mib << 20;
    File::open(path)?.take(most + 1).read_to_end(&mut bytes)?;
    match bytes.len() as u64 <= most {
        true => Ok(bytes),
        false => {
            let message = format!("it has more than {most_mib} MiB");
            Err(io::Error::new(io::ErrorKind::FileTooLarge, message))
        }
    }
}

/// All of a file of text.
///
/// # Errors
/// As [`bytes`], and that it is no UTF-8.
pub fn text(path: &Path) -> io::Result<String> {
    String::from_utf8(bytes(path, MOST_TEXT_MIB)?)
        .map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "it is not UTF-8 text"))
}
