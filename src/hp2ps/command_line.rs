//! hp2ps's command line, including its oddities (`docs/format/hp.md#options`).

use std::num::NonZeroUsize;

use thiserror::Error;

use super::c_numbers;
use crate::base::text::visible;
use crate::slice::rank::SortKey;

pub const POINTS_PER_MM: f64 = 2.834646;

/// The options that hp2ps's flags select.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// The input as it was named; `None` is a filter.
    pub input: Option<Vec<u8>>,
    /// The title's box (`-b`, `-s`). Default: as the length of the job line asks for.
    pub title: TitleBox,
    /// Whether bands are painted with 27 colours instead of greys (`-c`). Default: no.
    pub in_colour: bool,
    /// What the stack is sorted by (`-d`, `-i`). Default: total.
    pub sort: SortKey,
    /// Whether the sheet is not turned, for a viewer (`-g`). Default: it is turned.
    pub is_portrait: bool,
    /// The width in points of an encapsulated picture for another document (`-e`). Default: not
    /// encapsulated. Of several pages only the first is encapsulated; the others lie as
    /// `is_portrait` says.
    pub width: Option<f64>,
    /// The most bands (`-m`, `-l`). Default 20.
    pub limit: BandLimit,
    /// Whether the key has pages of its own (`-M`). Default: it is beside the graph.
    pub many_pages: bool,
    /// Whether a previous run's `.aux` determines scale, order and shades (`-p`). Default: no.
    pub uses_previous: bool,
    /// The trace threshold in percent (`-t`). Default 1.
    pub trace_percent: f64,
    /// Whether marks, triangles below the axis, are not drawn (`-y`). Default: they are.
    pub hides_marks: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TitleBox {
    /// Big for a long job line.
    Auto,
    Big,
    Small,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BandLimit {
    /// At most so many, OTHER among them.
    Bands(NonZeroUsize),
    None,
    /// A negative limit, with which hp2ps loses every band.
    Nothing,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            input: None,
            title: TitleBox::Auto,
            in_colour: false,
            sort: SortKey::Total,
            is_portrait: false,
            width: None,
            limit: BandLimit::Bands(NonZeroUsize::new(20).unwrap_or(NonZeroUsize::MIN)),
            many_pages: false,
            uses_previous: false,
            trace_percent: 1.0,
            hides_marks: false,
        }
    }
}

/// The list of flags, exactly as hp2ps prints it, because some scripts look for a line of it.
pub const USAGE: &str = "\
usage: hp2ps -b -d -ef -g -i -p -mn -p -s -tf -y [file[.hp]]
where -b  use large title box
      -d  sort by standard deviation
      -ef[in|mm|pt] produce Encapsulated PostScript f units wide (f > 2 inches)
      -g  produce output suitable for GHOSTSCRIPT previever
      -i[+|-] sort by identifier string (-i+ gives greatest on top) 
      -M  multi-page output (key separate from graph)
      -mn print maximum of n bands (default & max 20)
          -m0 removes the band limit altogether
      -p  use previous scaling, shading and ordering
      -s  use small title box
      -tf ignore trace bands which sum below f% (default 1%, max 5%)
      -y  traditional
      -c  colour output
";

/// Reads the arguments after the program's name. Everything after the first that is not a flag is
/// ignored.
///
/// # Errors
/// [`FlagError`], which is also the answer to `-?`.
pub fn parse<'a>(arguments: impl IntoIterator<Item = &'a [u8]>) -> Result<Options, FlagError> {
    let mut options = Options::default();
    for argument in arguments {
        match argument {
            [b'-', letters @ ..] => options.flags(argument, letters)?,
            input => {
                options.input = Some(input.to_vec());
                break;
            }
        }
    }
    Ok(options)
}

impl Options {
    /// Reads one argument. Another flag can follow only a `p`; any other letter takes the rest of
    /// the argument.
    fn flags(&mut self, argument: &[u8], letters: &[u8]) -> Result<(), FlagError> {
        let first = letters.iter().position(|&letter| letter != b'p').unwrap_or(letters.len());
        if first > 0 {
            self.uses_previous = true;
        }
        let Some((&letter, rest)) = letters[first..].split_first() else { return Ok(()) };
        let flag = || visible(&String::from_utf8_lossy(argument));
        match letter {
            b'b' => self.title = TitleBox::Big,
            b's' if self.title == TitleBox::Big => {}
            b's' => self.title = TitleBox::Small,
            b'c' => self.in_colour = true,
            // Sorting by name wins, whatever the order of the flags.
            b'd' if self.sort != SortKey::Total => {}
            b'd' => self.sort = SortKey::Deviation,
            b'g' => self.is_portrait = true,
            b'y' => self.hides_marks = true,
            b'M' => self.many_pages = true,
            b'i' if rest.first() == Some(&b'-') => self.sort = SortKey::NameDescending,
            b'i' => self.sort = SortKey::Name,
            // Documented for decades but never implemented: as many bands as necessary.
            b'l' => self.limit = BandLimit::None,
            b'm' => self.limit(c_numbers::integer(rest)),
            b't' => match c_numbers::float(rest) {
                percent if (0.0..=5.0).contains(&percent) || percent.is_nan() => {
                    self.trace_percent = percent;
                }
                _ => return Err(FlagError::Trace { flag: flag() }),
            },
            b'e' => match width(rest) {
                width if width <= 144.0 => return Err(FlagError::Width { flag: flag() }),
                width => self.width = Some(width),
            },
            b'?' => return Err(FlagError::Help),
            _ => return Err(FlagError::Unknown { flag: flag() }),
        }
        Ok(())
    }

    fn limit(&mut self, number: i32) {
        self.limit = match usize::try_from(number).map(NonZeroUsize::new) {
            Ok(Some(bands)) => {
                if bands.get() > 20 {
                    self.many_pages = true;
                }
                BandLimit::Bands(bands)
            }
            Ok(None) => BandLimit::None,
            Err(_) => BandLimit::Nothing,
        };
    }
}

/// A width in points. Any unit except `in` and `mm` counts as points.
fn width(text: &[u8]) -> f64 {
    let number = c_numbers::float(text);
    match text {
        [.., b'i', b'n'] => number * 72.0,
        [.., b'm', b'm'] => number * POINTS_PER_MM,
        _ => number,
    }
}

/// Why the words after the program's name do not call for a picture. Flags are fit to be shown.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum FlagError {
    /// `-?`: the list of flags was asked for.
    #[error("-? asks for the list of flags")]
    Help,
    #[error("`{flag}` is not a flag of hp2ps")]
    Unknown { flag: String },
    #[error("`{flag}`: the trace threshold is from 0 to 5 per cent")]
    Trace { flag: String },
    #[error("`{flag}`: the width must be more than 144pt, 2in or 50.8mm")]
    Width { flag: String },
}

impl FlagError {
    pub fn hint(&self) -> &'static str {
        match self {
            FlagError::Help | FlagError::Unknown { .. } => "-? lists the flags",
            FlagError::Trace { .. } => {
                "a modern chart takes up to 100: heapviz --trace 10 FILE -o heap.svg"
            }
            FlagError::Width { .. } => "the number follows the e without a blank: -e300, -e8in",
        }
    }
}
