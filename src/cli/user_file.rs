//! Files that people give besides profiles: fonts, baselines. Such a file is read completely,
//! so one without an end, such as a device, must be refused.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use super::{Input, output};

/// The most text in MiB: baselines have some kilobytes.
const MOST_TEXT_MIB: u64 = 16;

/// Reads a complete file.
///
/// # Errors The system's errors, and a file of more than `most_mib` MiB.
pub fn bytes(path: &Path, most_mib: u64) -> io::Result<Vec<u8>> {
    output::protect([&Input::File(path.to_owned())]);
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

/// Reads a whole text file.
///
/// # Errors The same as for [`bytes`], and a file that is not UTF-8.
pub fn text(path: &Path) -> io::Result<String> {
    String::from_utf8(bytes(path, MOST_TEXT_MIB)?)
        .map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "it is not UTF-8 text"))
}
