//! `heapviz hp2ps`, the command in the place of hp2ps: its files, messages and exit status.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Arg, Command};

use crate::cli::{Delivery, Input, Message, Output, output};
use crate::hp2ps::command_line::{Options, USAGE, parse};
use crate::hp2ps::reading::{FileNames, files, newer_files};
use crate::hp2ps::{self, Drawing, FlagError, draw};
use crate::input::ReadError;

#[derive(Debug)]
struct Call<'a> {
    /// The name it was called by, for `%%Creator`.
    program: Vec<u8>,
    arguments: &'a [OsString],
}

const NAME: &[u8] = b"hp2ps";

/// The verb, for help: the flags are those of hp2ps, which clap could not read.
pub fn describe(command: Command) -> Command {
    let arguments = Arg::new("ARGUMENT").num_args(0..).allow_hyphen_values(true);
    command
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
            Err(FlagError::Help) => {
                // Standard output may be closed.
                let _ = io::stdout().write_all(USAGE.as_bytes());
                return ExitCode::SUCCESS;
            }
            Err(error) => {
                Message::error(&error).hint(error.hint()).say();
                return ExitCode::from(1);
            }
        };
        let done = match &options.input {
            Some(argument) => self.draw_file(argument, &options),
            None => self.filter(&options),
        };
        match done {
            Ok(()) => ExitCode::SUCCESS,
            Err(message) => {
                message.say();
                ExitCode::from(1)
            }
        }
    }

    fn filter(&self, options: &Options) -> Result<(), Message> {
        output::protect(&[Input::Stdin]);
        let drawing = self.draw(io::stdin(), None, options, &[Input::Stdin, Input::Stdin])?;
        deliver(&Output::Stdout, &drawing.postscript)
    }

    fn draw_file(&self, argument: &[u8], options: &Options) -> Result<(), Message> {
        let (input, names) = open(argument)?;
        let files = [&names.input, &names.aux].map(|name| Input::File(path(name)));
        let places = [&names.postscript, &names.aux].map(|name| Output::File(path(name)));
        // The `.aux` of a former run is read and written again.
        output::protect(&files[..1]);
        output::refuse_protected(&places)?;
        let previous = match options.uses_previous {
            true => Some(fs::read(path(&names.aux)).map_err(|error| {
                let hint = "a run without -p writes it";
                Message::from(ReadError::from(error)).about(&files[1]).hint(hint)
            })?),
            false => None,
        };
        let drawing = self.draw(input, previous.as_deref(), options, &files)?;
        deliver(&places[0], &drawing.postscript)?;
        deliver(&places[1], &drawing.aux)
    }

    /// Draws the first of `files`, with the second as the `.aux` of a previous run.
    fn draw(
        &self,
        source: impl Read + Send,
        previous: Option<&[u8]>,
        options: &Options,
        files: &[Input; 2],
    ) -> Result<Drawing, Message> {
        let drawing =
            draw(source, previous, options, &self.program).map_err(|failure| match failure {
                hp2ps::Hp2psError::Input(error) => Message::from(error).about(&files[0]),
                hp2ps::Hp2psError::Aux { .. } => {
                    let hint = "without -p it is not read, but written again";
                    Message::error(&failure).about(&files[1]).hint(hint)
                }
            })?;
        for note in &drawing.notes {
            Message::warning(note).about(&files[0]).say();
        }
        Ok(drawing)
    }
}

/// Opens the input that an argument means.
fn open(argument: &[u8]) -> Result<(File, FileNames), Message> {
    let names = files(argument);
    let opened = File::open(path(&names.input));
    if let (Err(_), Some(newer)) = (&opened, newer_files(argument))
        && let Ok(file) = File::open(path(&newer.input))
    {
        return Ok((file, newer));
    }
    match opened {
        Ok(file) => Ok((file, names)),
        Err(error) => {
            let input = Input::File(path(&names.input));
            Err(Message::from(ReadError::from(error)).about(&input))
        }
    }
}

fn deliver(place: &Output, bytes: &[u8]) -> Result<(), Message> {
    match output::write(place, bytes) {
        Ok(Delivery::Taken | Delivery::ReaderGone) => Ok(()),
        Err(error) => Err(Message::error(format!("{error:#}"))),
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
