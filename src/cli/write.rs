//! Documents, and how each format writes them.

use std::io::{self, Write};
use std::path::Path;

use super::{
    Blocks, DocumentKind, FlagUses, Format, Message, Output, Style, Target, Voice, output, style,
};
use crate::base::text::{visible, without_commands};
use crate::export;
#[cfg(feature = "pdf")]
use crate::picture::PdfOptions;
use crate::picture::{self, MissingCharacters, PngOptions, Rendered, Scene, SvgOptions, svg_to};
use crate::profile_view::ProfileView;
use crate::tree::Paths;

/// What is shown, independently of the format. What a document has no form for is `None`.
pub trait Document {
    fn kind(&self) -> DocumentKind;

    fn scene(&self, _: &Style) -> Option<Scene> {
        None
    }

    /// The document as a page; for some documents a picture.
    fn page(&self, style: &Style) -> Option<String> {
        let options = SvgOptions { theme: style.theme };
        self.scene(style).map(|scene| picture::page(&scene, &options))
    }

    fn json(&self, _: &Style) -> Option<Content<'_>> {
        None
    }

    fn csv(&self) -> Option<Content<'_>> {
        None
    }

    /// The run whose bands over time it shows, for formats of nothing else.
    fn run(&self) -> Option<&ProfileView<'_>> {
        None
    }

    /// What the document says in words.
    fn blocks(&self, _: &Style) -> Option<Blocks> {
        None
    }

    /// The stacks of the document: a name, and the paths of at least one instant with its name.
    fn stacks(&self) -> Option<(String, &Paths)> {
        None
    }
}

/// Writes a document piece by piece.
type Fill<'d> = dyn FnOnce(&mut dyn Write) -> io::Result<()> + 'd;

pub enum Content<'d> {
    /// Complete, because the format cannot be written otherwise.
    Whole(Rendered),
    /// To be written piece by piece.
    Pieces(Box<Fill<'d>>),
}

impl<'d> Content<'d> {
    pub fn text(text: String) -> Self {
        Content::Whole(text.into_bytes().into())
    }

    /// Lines that may stand in the log of a job.
    fn lines(text: &str) -> Self {
        Content::text(without_commands(text).into_owned())
    }

    /// XML in which the second of two `#`, which only texts contain, is an escape: then no text is a command to the service
    /// that runs a job.
    fn with_hashes(self) -> Self {
        Content::pieces(move |out| {
            let mut out = Hashes { out, follows_one: false };
            match self {
                Content::Whole(Rendered { bytes, .. }) => out.write_all(&bytes),
                Content::Pieces(fill) => fill(&mut out),
            }
        })
    }

    pub fn pieces(fill: impl FnOnce(&mut dyn Write) -> io::Result<()> + 'd) -> Self {
        Content::Pieces(Box::new(fill))
    }
}

/// Writes the second of two `#` as an escape.
struct Hashes<'o> {
    out: &'o mut dyn Write,
    follows_one: bool,
}

impl Write for Hashes<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut rest = bytes;
        while let Some(at) = memchr::memchr(b'#', rest) {
            let is_second = at == 0 && self.follows_one;
            self.out.write_all(&rest[..at])?;
            self.out.write_all(if is_second { b"&#35;" } else { b"#" })?;
            self.follows_one = true;
            rest = &rest[at + 1..];
        }
        self.follows_one &= rest.is_empty();
        self.out.write_all(rest)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// Writes a document to its target, and returns which characters it could not show.
///
/// # Errors
/// A format that cannot show it, a picture too big for its format, and the system's errors.
pub fn write(
    document: &dyn Document,
    target: &Target,
    style: &Style,
) -> Result<MissingCharacters, Message> {
    let missing = match make(document, target.format, style)? {
        Some(Content::Whole(Rendered { bytes, missing, .. })) => {
            output::write(&target.output, &bytes)?;
            missing
        }
        Some(Content::Pieces(fill)) => {
            output::write_with(&target.output, fill)?;
            MissingCharacters::default()
        }
        None => {
            let kind = document.kind();
            let others = Format::of(std::slice::from_ref(&kind)).map(|format| format.spec().name);
            let (what, name) = (kind.traits().words, target.format.spec().name);
            return Err(Message::error(format!("{what} cannot be written as {name}"))
                .hint(format!("use {}", others.collect::<Vec<_>>().join(", "))));
        }
    };
    if style.opens && (target.format.is_picture() || target.format.is_page()) {
        match &target.output {
            Output::File(path) => open(&address(path)),
            Output::Stdout => {
                Message::note("--open needs a file: name it with -o").say();
            }
        }
    }
    Ok(missing)
}

/// Writes a document to each of its targets, and says which characters a picture lacks, and which flags had no effect.
///
/// # Errors
/// Those of [`write`].
pub fn write_each(
    document: &dyn Document,
    targets: &[Target],
    style: &Style,
    mut uses: FlagUses<'_>,
    voice: Voice,
) -> Result<(), Message> {
    for target in targets {
        uses.document(document.kind(), target.format);
        let lacks = write(document, target, style)?;
        style::missing(&lacks).iter().for_each(|lack| voice.say(lack));
    }
    uses.notes().iter().for_each(|note| voice.say(note));
    Ok(())
}

/// Where the output is: ` -> heap.svg, heap.json`; nothing for standard output.
pub fn places(targets: &[&Target]) -> String {
    let files: Vec<String> = targets
        .iter()
        .filter_map(|target| match &target.output {
            Output::File(path) => Some(visible(&path.display().to_string())),
            Output::Stdout => None,
        })
        .collect();
    if files.is_empty() { String::new() } else { format!(" -> {}", files.join(", ")) }
}

/// Opens a file or address in the default program of the system. It is no error if there is no such
/// program, because the address is printed in any case.
fn open(address: &str) {
    let message = match open::that_detached(address) {
        Ok(()) => Message::note(format_args!("opened {address}")),
        Err(_) => Message::warning(format_args!("no program opens {address}"))
            .hint("open it in a browser by hand"),
    };
    message.say();
}

/// The address of a file for a browser.
fn address(path: &Path) -> String {
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let path = path.to_string_lossy().replace('\\', "/");
    let mut address = String::from(if path.starts_with('/') { "file://" } else { "file:///" });
    for byte in path.bytes() {
        match byte {
            b'/' | b':' | b'-' | b'.' | b'_' | b'~' => address.push(char::from(byte)),
            _ if byte.is_ascii_alphanumeric() => address.push(char::from(byte)),
            _ => address.push_str(&format!("%{byte:02X}")),
        }
    }
    address
}

fn make<'d>(
    document: &'d dyn Document,
    format: Format,
    style: &Style,
) -> Result<Option<Content<'d>>, Message> {
    let scene = || document.scene(style);
    Ok(match format {
        Format::Svg => scene().map(|scene| {
            let options = SvgOptions { theme: style.theme };
            Content::pieces(move |out| svg_to(&scene, &options, out)).with_hashes()
        }),
        Format::Png => scene().map(|scene| png(&scene, style)).transpose()?,
        Format::Pdf => scene().map(|scene| pdf(&scene, style)).transpose()?,
        Format::Html => document.page(style).map(|page| Content::text(page).with_hashes()),
        Format::Json => document.json(style),
        Format::Csv => document.csv(),
        Format::Tidy => document.run().map(|run| {
            let identity = style.identity(run);
            Content::pieces(move |out| export::tidy::write_to(run.chart(), &identity, out))
        }),
        Format::Hp => document.run().map(|run| {
            Content::pieces(|mut out| run.as_written(|slice| export::hp::write(slice, &mut out)))
        }),
        Format::Speedscope => document
            .stacks()
            .map(|(name, paths)| Content::text(export::speedscope::write(&name, paths))),
        Format::Pprof => document
            .stacks()
            .map(|(_, paths)| Content::Whole(export::pprof::write(paths, None).into())),
        Format::Folded => {
            document.stacks().map(|(_, paths)| Content::lines(&export::folded::write(paths)))
        }
        Format::Txt => {
            document.blocks(style).map(|blocks| Content::lines(&blocks.text(style.draw.units)))
        }
        Format::Md => {
            document.blocks(style).map(|blocks| Content::lines(&blocks.markdown(style.draw.units)))
        }
    })
}

fn png<'d>(scene: &Scene, style: &Style) -> Result<Content<'d>, Message> {
    let options = PngOptions { theme: style.theme.unwrap_or_default(), ..style.png.clone() };
    Ok(Content::Whole(picture::png(scene, &options)?))
}

#[cfg(feature = "pdf")]
fn pdf<'d>(scene: &Scene, style: &Style) -> Result<Content<'d>, Message> {
    let (theme, fonts) = (style.theme.unwrap_or_default(), style.png.fonts.clone());
    let options = PdfOptions { theme, fonts };
    Ok(Content::Whole(picture::pdf(scene, &options)?))
}

#[cfg(not(feature = "pdf"))]
fn pdf<'d>(_: &Scene, _: &Style) -> Result<Content<'d>, Message> {
    Err(Message::error("this heapviz was built without its feature `pdf`")
        .hint("write an SVG, or build heapviz with `--features pdf`"))
}
