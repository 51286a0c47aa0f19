//! The command as hp2ps: its files, in the order in which hp2ps opens them, and its exit status.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use crate::hp2ps::files::{Files, files, newer_files};
use crate::hp2ps::options::{Options, Previous, parse};
use crate::hp2ps::{Drawing, Failure, Names, draw};
use clap::{Arg, Command};

use crate::cli::output::{self, Delivery};
use crate::cli::target::{self, Input, Output};
use crate::cli::whole_file::WholeFile;

/// A call of hp2ps.
#[derive(Debug)]
struct Call<'a> {
    /// The name it was called by, for messages and `%%Creator`.
    program: Vec<u8>,
    /// The words after it.
    arguments: &'a [OsString],
}

const NAME: &[u8] = b"hp2ps";

/// The verb, for help: the flags are those of hp2ps, which clap could not read.
pub fn command() -> Command {
    let arguments = Arg::new("ARGUMENT").num_args(0..).allow_hyphen_values(true);
    Command::default()
        .about("Does what hp2ps does: its flags, its PostScript, byte for byte")
        .after_help("A link to heapviz whose name begins with hp2ps also behaves like hp2ps.")
        .disable_help_flag(true)
        .arg(arguments.help("The arguments of hp2ps; -? lists them"))
}

/// Does what hp2ps would do with the words after the verb.
pub fn run(arguments: &[OsString]) -> ExitCode {
    Call { program: NAME.to_vec(), arguments }.run()
}

/// Does what hp2ps would do, if the program was called through a link whose name begins with
/// `hp2ps`, as GHC's `hp2ps-9.10.3` does.
pub fn run_as_called(words: &[OsString]) -> Option<ExitCode> {
    let (first, arguments) = words.split_first()?;
    let name = Path::new(first).file_name().unwrap_or_default().as_encoded_bytes();
    let call = Call { program: name.to_vec(), arguments };
    name.starts_with(NAME).then(|| call.run())
}

impl Call<'_> {
    fn run(&self) -> ExitCode {
        let options = match parse(self.arguments.iter().map(|word| word.as_encoded_bytes())) {
            Ok(options) => options,
            Err(usage) => {
                // Standard error may be closed.
                let _ = io::stdout().write_all(&usage.text());
                return ExitCode::SUCCESS;
            }
        };
        let done = match &options.input {
            Some(argument) => self.draw_file(argument, &options),
            None => self.filter(&options),
        };
        match done {
            Ok(()) => ExitCode::SUCCESS,
            Err(failure) => {
                self.say(&failure.message());
                ExitCode::from(1)
            }
        }
    }

    fn filter(&self, options: &Options) -> Result<(), Failure> {
        let name = b"stdin";
        let drawing = self.draw(io::stdin(), None, options, name, b"")?;
        deliver(&Output::Stdout, b"standard output", &drawing.postscript)
    }

    fn draw_file(&self, argument: &[u8], options: &Options) -> Result<(), Failure> {
        let (input, names) = open(argument)?;
        let places = [&names.postscript, &names.aux].map(|name| Output::File(path(name)));
        let [postscript, aux] = &places;
        check_writable(&path(&names.postscript), &names.postscript)?;
        let source = Input::File(path(&names.input));
        for place in &places {
            output::refuse_inputs(place, [&source])
                .map_err(|error| Failure::of(&error.to_string()))?;
        }
        let previous = match options.previous {
            Previous::Used => {
                Some(fs::read(path(&names.aux)).map_err(|_| Failure::cannot_open(&names.aux))?)
            }
            Previous::Ignored => None,
        };
        let drawing = self.draw(input, previous.as_deref(), options, &names.input, &names.aux)?;
        deliver(postscript, &names.postscript, &drawing.postscript)?;
        check_writable(&path(&names.aux), &names.aux)?;
        deliver(aux, &names.aux, &drawing.aux)
    }

    fn draw(
        &self,
        source: impl Read + Send,
        previous: Option<&[u8]>,
        options: &Options,
        input: &[u8],
        aux: &[u8],
    ) -> Result<Drawing, Failure> {
        let names = Names { program: &self.program, input, aux };
        let drawing = draw(source, previous, options, &names)?;
        for note in &drawing.notes {
            self.say(&[input, b": ", note.as_bytes()].concat());
        }
        Ok(drawing)
    }

    fn say(&self, message: &[u8]) {
        let line = [&*self.program, b": ", message, b"\n"].concat();
        let _ = io::stderr().write_all(&line);
    }
}

/// Opens the input that an argument means.
fn open(argument: &[u8]) -> Result<(File, Files), Failure> {
    let names = files(argument);
    let opened = File::open(path(&names.input));
    if let (Err(_), Some(newer)) = (&opened, newer_files(argument))
        && let Ok(file) = File::open(path(&newer.input))
    {
        return Ok((file, newer));
    }
    match opened {
        Ok(file) => Ok((file, names)),
        Err(_) => Err(Failure::cannot_open(&names.input)),
    }
}

/// Whether a file could be written, before anything is read; leaves it as it is.
fn check_writable(path: &Path, name: &[u8]) -> Result<(), Failure> {
    let opened = match fs::metadata(path) {
        Ok(found) if found.is_file() => fs::OpenOptions::new().write(true).open(path).map(drop),
        Ok(found) if found.is_dir() => Err(io::ErrorKind::IsADirectory.into()),
        // Opening a pipe would wait for its other end.
        Ok(_) => Ok(()),
        Err(_) => WholeFile::for_place(&target::place(path)).map(drop),
    };
    opened.map_err(|_| Failure::cannot_open(name))
}

fn deliver(place: &Output, name: &[u8], bytes: &[u8]) -> Result<(), Failure> {
    match output::write(place, bytes) {
        Ok(Delivery::Taken | Delivery::ReaderGone) => Ok(()),
        Err(error) => {
            let name = String::from_utf8_lossy(name);
            Err(Failure::of(&format!("cannot write {name}: {}", error.root_cause())))
        }
    }
}

#[cfg(unix)]
fn path(name: &[u8]) -> PathBuf {
    use std::os::unix::ffi::OsStrExt;
    PathBuf::from(std::ffi::OsStr::from_bytes(name))
}

#[cfg(not(unix))]
fn path(name: &[u8]) -> PathBuf {
    PathBuf::from(String::from_utf8_lossy(name).into_owned())
}
