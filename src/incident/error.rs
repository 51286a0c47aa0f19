//! What can go wrong with an input, as data.
//!
//! An [`Error`](enum@Error) says what was seen and where; what to do about it is its separate
//! [`Error::hint`]. What was odd but could still be drawn is in [`incident`](crate::incident).
//! Nothing here prints.

use std::fmt;

use thiserror::Error;

use crate::base::units::count;
use crate::incident::limit::Limit;

/// Why an input could not be read as a profile. The caller adds the name of the input.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum Error {
    /// The input is empty.
    #[error("the file is empty")]
    Empty,
    /// A compressed stream from which nothing can be decompressed.
    #[error("damaged from the first byte: it cannot be decompressed")]
    Compression,
    /// A zstd stream that needs more memory to decompress than readers must support.
    #[error(
        "compressed with zstd's long mode: decompressing needs a window of {} MiB, and at most 128 MiB are allowed",
        window / (1024 * 1024)
    )]
    ZstdWindow {
        /// The window that it asks for, in bytes.
        window: u64,
    },
    /// The input is something other than a profile.
    #[error("not a heap profile: {0}")]
    NotAProfile(Lookalike),
    /// The declarations at the front of an event log are broken.
    #[error("byte {at}: damaged event-log header: {what}")]
    Header {
        /// Offset in the input.
        at: u64,
        /// What was expected, and what was there.
        what: String,
        /// Whether line ends were rewritten, as an upload in text mode does.
        as_text: bool,
    },
    /// The event log stops inside its own declarations.
    #[error("byte {at}: the event log ends inside its header")]
    HeaderCut {
        /// Length of the input.
        at: u64,
    },
    /// A `.hp` statement that cannot be read.
    #[error("line {line}: {what}")]
    Statement {
        /// Line of the input, from 1.
        line: u64,
        /// What was expected, and what was there.
        what: String,
    },
    /// A `.hp` without one of its four header lines, which hp2ps needs.
    #[error("there is no {0} line")]
    MissingHeader(&'static str),
    /// The input was read completely, but there is nothing to draw.
    #[error("{0}")]
    NoSamples(NoSamples),
    /// The input does not contain the run that was asked for.
    #[error("there is no run {asked}: the input holds {}", count(*runs, "run"))]
    NoSuchRun {
        /// The number asked for.
        asked: usize,
        /// How many runs there are.
        runs: usize,
    },
    /// The part of the run that was asked for does not exist.
    #[error(transparent)]
    Window(#[from] WindowError),
    /// A report (`.prof`) that cannot be read.
    #[error("line {line}: {what}")]
    Report {
        /// Line of the input, from 1.
        line: u64,
        /// What was expected, and what was there.
        what: String,
    },
    /// A report in JSON that is broken.
    #[error("line {line}: broken JSON: {what}")]
    ReportJson {
        /// Line of the input, from 1.
        line: u64,
        /// What was expected, and what was there.
        what: String,
    },
    /// The input has more of something than any real program has.
    #[error("more than {most} {things}")]
    OverLimit {
        /// The limit.
        limit: Limit,
        /// Its value.
        most: usize,
        /// What the input has too much of, as a plural.
        things: &'static str,
    },
}

/// Why a profile cannot be narrowed to a part of its run. Texts of markers are fit to be shown.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum WindowError {
    /// A bound is neither a time nor the text of a marker.
    #[error("no marker has the text `{text}`{}", those(" (the markers are: ", markers))]
    NoMarker {
        /// The bound.
        text: String,
        /// The texts of the first dozen markers.
        markers: Vec<String>,
    },
    /// A bound is a part of several markers' texts.
    #[error("`{text}` is in the text of several markers{}", those(" (", markers))]
    Ambiguous {
        /// The bound.
        text: String,
        /// The first dozen of these texts.
        markers: Vec<String>,
    },
    /// The end is before the beginning.
    #[error("the part from {from} to {to} ends before it begins")]
    Backwards {
        /// The beginning.
        from: String,
        /// The end.
        to: String,
    },
    /// It contains no sample.
    #[error("no sample {window}{}", samples.as_ref().map(|run| format!("; the samples run {run}")).unwrap_or_default())]
    Empty {
        /// The part in words: `from 1 s to 2 s`.
        window: String,
        /// The part that has samples, in the same words; `None` if there are no samples at all.
        samples: Option<String>,
    },
    /// A time or marker was given, but the samples have no times.
    #[error("the samples have no times: a bound must be the number of a sample, 1 to {samples}")]
    NoTimes {
        /// How many samples there are.
        samples: usize,
    },
}

/// `before`, the texts in backquotes, and a closing bracket; empty without texts.
fn those(before: &str, texts: &[String]) -> String {
    if texts.is_empty() {
        return String::new();
    }
    let quoted: Vec<String> = texts.iter().map(|text| format!("`{text}`")).collect();
    format!("{before}{})", quoted.join(", "))
}

/// What an input that is not a heap profile looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Lookalike {
    /// The pointer text that Git LFS leaves in place of a file.
    GitLfsPointer,
    /// A compressed stream inside a compressed stream.
    CompressedTwice,
    /// A stream that xz compressed.
    Xz,
    /// A stream that bzip2 compressed.
    Bzip2,
    /// Text in UTF-16.
    Utf16,
    /// A web page.
    Html,
    /// GHC's time and allocation report, `.prof`.
    Prof,
    /// A PostScript file, such as hp2ps writes.
    PostScript,
    /// The `.aux` file that hp2ps writes next to its PostScript.
    Aux,
    /// A JSON document.
    Json,
    /// An SVG or other XML document.
    Xml,
    /// An event log, where a `.hp` was asked for.
    Eventlog,
    /// A `.hp`, where an event log was asked for.
    Hp,
    /// An executable or object file.
    Executable,
    /// Bytes of no known format.
    Binary,
    /// Text of no known format.
    Text,
}

impl fmt::Display for Lookalike {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Lookalike::GitLfsPointer => "it is a Git LFS pointer, the real file was not fetched",
            Lookalike::CompressedTwice => "it is compressed twice",
            Lookalike::Xz => "it is compressed with xz, and only gzip and zstd are read",
            Lookalike::Bzip2 => "it is compressed with bzip2, and only gzip and zstd are read",
            Lookalike::Utf16 => "it is text in UTF-16",
            Lookalike::Html => "it is an HTML page",
            Lookalike::Prof => "it is a time and allocation report (.prof)",
            Lookalike::PostScript => "it is a PostScript file",
            Lookalike::Aux => "it is an .aux file of hp2ps",
            Lookalike::Json => "it is a JSON document",
            Lookalike::Xml => "it is an XML document",
            Lookalike::Eventlog => "it is an event log, which cannot be read as a .hp file",
            Lookalike::Hp => "it is a .hp file, which cannot be read as an event log",
            Lookalike::Executable => "it is an executable",
            Lookalike::Binary => "it begins with neither `hdrb` (event log) nor `JOB` (.hp)",
            Lookalike::Text => "it is text, but does not begin with the JOB line of a .hp file",
        })
    }
}

/// Why a readable input has nothing to draw.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NoSamples {
    /// An event log of a program that ran without a heap-profile flag.
    NotAsked {
        /// The command line, when known.
        job: Option<String>,
    },
    /// The same, for a log that has events of the run-time system.
    OnlyRuntime {
        /// The command line, when known.
        job: Option<String>,
    },
    /// An event log that stops before its end mark: the run was killed or still continues, and the
    /// samples were in buffers that were not written.
    BuffersLost,
    /// Heap profiling was on, with the automatic samples switched off.
    AutomaticOff,
    /// Heap profiling was on, but there is no sample.
    AskedButNone,
    /// GHC before 8.10 wrote the begin events of `-hr` and `-hb` samples but not their bands.
    BandsNotWritten,
    /// Every sample is empty: in the `.hp` of a run that died or took no census, there are only the
    /// empty samples that the run-time system writes at the start and the end.
    OnlyEmpty {
        /// How many empty samples there are.
        samples: usize,
    },
    /// A report of retainer sets without a time profile.
    OnlyRetainerSets,
    /// There is a time profile, but no sample of the heap.
    OnlyTimeProfile,
    /// A `.hp` with a header and nothing else.
    HeaderOnly,
    /// There are samples, but none is complete.
    NoneComplete,
    /// A file of which too much is damaged.
    Damaged {
        /// The first damage in words, when known.
        first: Option<String>,
    },
}

impl fmt::Display for NoSamples {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NoSamples::NotAsked { job: Some(job) } | NoSamples::OnlyRuntime { job: Some(job) } => {
                write!(f, "no heap profile in this event log: `{}` had no -h flag", visible(job))
            }
            NoSamples::NotAsked { job: None } | NoSamples::OnlyRuntime { job: None } => {
                write!(f, "no heap profile in this event log, and no sign that one was asked for")
            }
            NoSamples::BuffersLost => write!(
                f,
                "the event log stops before its end mark and contains no sample: the program was \
                 killed or is still running, or the file is cut off"
            ),
            NoSamples::AutomaticOff => write!(
                f,
                "heap profiling was on, but the program ran with --no-automatic-heap-samples and \
                 asked for no sample"
            ),
            NoSamples::AskedButNone => {
                write!(f, "heap profiling was on, but no sample was taken")
            }
            NoSamples::BandsNotWritten => write!(
                f,
                "the samples have no bands: GHC before 8.10 did not write those of -hr and -hb \
                 to the event log"
            ),
            NoSamples::OnlyEmpty { samples } => {
                write!(f, "nothing to draw: {} in the file, all empty", count(*samples, "sample"))
            }
            NoSamples::Damaged { first } => {
                write!(f, "the file is damaged, and no sample in it can be read")?;
                first.as_ref().map_or(Ok(()), |first| write!(f, ": {first}"))
            }
            NoSamples::NoneComplete => {
                write!(f, "no sample is complete: the file ends inside the first one")
            }
            NoSamples::OnlyRetainerSets => {
                write!(f, "the report contains retainer sets but no time profile")
            }
            NoSamples::OnlyTimeProfile => {
                write!(f, "there is a time profile, but no sample of the heap")
            }
            NoSamples::HeaderOnly => write!(f, "a .hp header without a single complete sample"),
        }
    }
}

impl Error {
    /// What to do about it, if something can be done.
    pub fn hint(&self) -> Option<&'static str> {
        Some(match self {
            Error::Empty => {
                "a program that is killed at once leaves an empty file, and a .prof is empty until \
                 the program ends; run it again and let it end"
            }
            Error::NotAProfile(lookalike) => match lookalike {
                Lookalike::GitLfsPointer => "run `git lfs pull` and try again",
                Lookalike::CompressedTwice => {
                    "decompress it once: gunzip -c FILE | heapviz - -o heap.svg"
                }
                Lookalike::Xz => "decompress it first: xz -dc FILE | heapviz - -o heap.svg",
                Lookalike::Bzip2 => "decompress it first: bzip2 -dc FILE | heapviz - -o heap.svg",
                Lookalike::Utf16 => {
                    "PowerShell's > rewrites what a program prints: let the program write the file \
                     itself; a .hp can be converted, iconv -f UTF-16 -t UTF-8"
                }
                Lookalike::Html => {
                    "it may be the error page of a download; fetch the profile itself"
                }
                Lookalike::Prof => "leave the flag out: a report is recognised by its content",
                Lookalike::PostScript | Lookalike::Aux => {
                    "give the .hp file that hp2ps read to make it"
                }
                Lookalike::Eventlog | Lookalike::Hp => {
                    "leave the flag out: the format is recognised by content"
                }
                _ => {
                    "run the program with +RTS -hy -l (profiled) or +RTS -hT -l (plain) and give \
                     the .eventlog or .hp that it writes"
                }
            },
            Error::Compression => "copy the file again",
            Error::ZstdWindow { .. } => {
                "decompress it first: zstd -dc --long=31 FILE | heapviz - -o heap.svg"
            }
            Error::Header { as_text: true, .. } => {
                "the file was damaged as text: line ends or characters were rewritten; copy it \
                 again in binary mode"
            }
            Error::Header { .. } => "nothing after it can be read; copy the file again",
            Error::HeaderCut { .. } => {
                "nothing can be drawn from it; the .hp file of the same run, if there is one, is \
                 complete up to the end"
            }
            Error::Report { .. } => {
                "a report is written when the program ends: run it again and let it end"
            }
            Error::ReportJson { .. } => {
                "GHC 9.0 does not escape the names in it: run with -p or -P instead of -pj, or \
                 build with GHC 9.6 or newer"
            }
            Error::Statement { .. } | Error::MissingHeader(_) => {
                "hp2ps does not read such a file; a modern chart does: heapviz FILE -o heap.svg"
            }
            Error::NoSamples(reason) => match reason {
                NoSamples::NotAsked { .. } => {
                    "run it with a break-down flag together with -l: +RTS -hy -l, -hc -l (profiled) or \
                     -hT -l (any program)"
                }
                NoSamples::OnlyRuntime { .. } => {
                    "--panels auto draws its collections, and heapviz stats lists them; for bands \
                     run it with +RTS -hy -l, -hc -l (profiled) or -hT -l (any program)"
                }
                NoSamples::BuffersLost => {
                    "a killed program loses what was in its buffers (2 MiB each); the .hp file \
                     next to the log is complete up to the kill, and from GHC 9.2 on \
                     +RTS --eventlog-flush-interval=1 keeps the log complete"
                }
                NoSamples::AutomaticOff => {
                    "leave the flag out, or call requestHeapCensus from GHC.Profiling"
                }
                NoSamples::AskedButNone | NoSamples::OnlyEmpty { .. } => {
                    "the run may have been too short for its sample interval: try a smaller one, \
                     +RTS -i0.01"
                }
                NoSamples::Damaged { .. } => {
                    "copy the file again, or use the other profile of the run, .hp or .eventlog"
                }
                NoSamples::BandsNotWritten => "use the .hp file of the same run",
                NoSamples::NoneComplete => {
                    "if a copy was cut off, copy it again; if not, let the program run longer, or \
                     sample more often, +RTS -i0.01"
                }
                NoSamples::OnlyRetainerSets => {
                    "draw the .hp or .eventlog of the same run; +RTS -P adds a time profile to the \
                     report"
                }
                NoSamples::OnlyTimeProfile => {
                    "draw it as a flame graph, --view flame; heap samples come from +RTS -h... -l"
                }
                NoSamples::HeaderOnly => {
                    "the run ended before its first sample; let it run longer or sample more \
                     often, +RTS -i0.01"
                }
            },
            Error::Window(reason) => match reason {
                WindowError::NoMarker { .. } => {
                    "a bound is a time (1.5s, 200ms, 2min; plain numbers are seconds), the text of \
                     a marker, or a part of it that no other marker has"
                }
                WindowError::Ambiguous { .. } => "give more of the text",
                WindowError::NoTimes { .. }
                | WindowError::Backwards { .. }
                | WindowError::Empty { .. } => return None,
            },
            Error::OverLimit { .. } | Error::NoSuchRun { .. } => return None,
        })
    }

    /// The limit that was exceeded; the code that sets limits knows how to raise it.
    pub fn limit(&self) -> Option<Limit> {
        match self {
            Error::OverLimit { limit, .. } => Some(*limit),
            _ => None,
        }
    }
}

/// `text` with control and bidirectional-override characters made visible, for messages: a label
/// may carry terminal escape sequences.
pub fn visible(text: &str) -> String {
    // Nearly all texts, and a page shows ten thousands of them.
    if text.bytes().all(|byte| (b' '..=b'~').contains(&byte)) {
        return text.to_owned();
    }
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        let overrides = matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
        if c.is_control() || overrides {
            shown.extend(c.escape_unicode());
        } else {
            shown.push(c);
        }
    }
    shown
}

/// How many characters of the input at an incident's place are kept.
const KEPT_OF_TEXT: usize = 60;

/// The beginning of a text, fit for a message.
pub(super) fn beginning(text: &[u8]) -> Box<str> {
    let text = String::from_utf8_lossy(&text[..text.len().min(4 * KEPT_OF_TEXT)]);
    let mut shown = visible(&text.chars().take(KEPT_OF_TEXT).collect::<String>());
    if text.chars().nth(KEPT_OF_TEXT).is_some() {
        shown.push_str("...");
    }
    shown.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terminal_escapes_are_made_visible() {
        assert_eq!(visible("a\u{1b}[31mb\u{202e}λ"), "a\\u{1b}[31mb\\u{202e}λ");
    }
}
