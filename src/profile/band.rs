//! What a band is: its kind and its frames, derived once from its key, the break-down and the
//! definitions of the program.
//!
//! Labels are for people, and ids and addresses are valid for only one run. Code that groups bands,
//! shortens their names or finds them in another run uses this module, so that no other code parses
//! labels.

use std::fmt;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use foldhash::{HashMap, HashSet};

use super::frame::without_unique;
use super::{
    BandId, BandKey, BandNames, Bands, Breakdown, CostCentres, Frame, InfoTables, Package,
    parse_address,
};

#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Band<'a> {
    /// What the band stands for: its own key may say more than the break-down of its profile.
    pub kind: Breakdown,
    /// The label of the band in full, for people.
    pub label: &'a str,
    /// The number in front of a stack or retainer set in a `.hp`: `(123)`. It is valid for one run
    /// only.
    pub number: Option<u64>,
    /// Whether the run-time system cut its name, so that its last frame is not complete.
    pub is_cut: bool,
    frames: &'a [Arc<Frame>],
}

impl<'a> Band<'a> {
    /// The frames of the band, for a stack the innermost first. MAIN has no frames, a retainer set can have
    /// several, and all other kinds have exactly one.
    pub fn frames(
        &self,
    ) -> impl DoubleEndedIterator<Item = &'a Frame> + ExactSizeIterator + use<'a> {
        self.frames.iter().map(|frame| &**frame)
    }

    /// The part that is the same in two runs of a program: names, without numbers, addresses,
    /// uniques, versions, hashes and places. Two bands of a profile can have the same identity, for
    /// example two functions with the same name in a module.
    pub fn identity(&self) -> BandIdentity {
        let mut text = String::new();
        for (i, frame) in self.frames().enumerate() {
            if i > 0 {
                text.push('\u{1e}');
            }
            frame.push_identity(&mut text);
        }
        if self.is_cut {
            text.push('…');
        }
        BandIdentity(text)
    }
}

/// The identity of a band, by which it is found in another run: see [`Band::identity`].
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BandIdentity(String);

impl BandIdentity {
    /// The identity as text; equal for equal identities.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for BandIdentity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let readable = self.0.replace('\u{1e}', "/").replace('\u{1f}', ".");
        f.write_str(&readable)
    }
}

/// The parts of the bands of a profile. Each is computed when it is first needed, because most of
/// the bands of a large profile are never named. Equal frames are stored once.
#[derive(Debug)]
pub(crate) struct Anatomy {
    bands: Box<[OnceLock<Box<ParsedBand>>]>,
    known: Mutex<KnownFrames>,
    /// How a frame is changed before it is shown.
    change: fn(Frame) -> Frame,
}

#[derive(Debug)]
struct ParsedBand {
    kind: Breakdown,
    frames: Frames,
    number: Option<u64>,
    is_cut: bool,
}

/// The frames of a band. Most bands have one, which needs no memory of its own.
#[derive(Debug)]
enum Frames {
    One(Arc<Frame>),
    Several(Box<[Arc<Frame>]>),
}

impl Frames {
    fn as_slice(&self) -> &[Arc<Frame>] {
        match self {
            Frames::One(frame) => std::slice::from_ref(frame),
            Frames::Several(frames) => frames,
        }
    }
}

impl FromIterator<Arc<Frame>> for Frames {
    fn from_iter<I: IntoIterator<Item = Arc<Frame>>>(frames: I) -> Self {
        let mut frames = frames.into_iter();
        let first = frames.next();
        match (first, frames.next()) {
            (Some(only), None) => Frames::One(only),
            (first, second) => {
                Frames::Several(first.into_iter().chain(second).chain(frames).collect())
            }
        }
    }
}

/// The frames that have occurred so far.
#[derive(Debug, Default)]
struct KnownFrames {
    all: HashSet<Arc<Frame>>,
    centres: HashMap<u32, Arc<Frame>>,
}

impl KnownFrames {
    fn intern(&mut self, frame: Frame) -> Arc<Frame> {
        if let Some(known) = self.all.get(&frame) {
            return Arc::clone(known);
        }
        let frame = Arc::new(frame);
        self.all.insert(Arc::clone(&frame));
        frame
    }
}

/// The definitions that say what the bands of a profile are.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Definitions<'a> {
    pub(super) bands: &'a Bands,
    pub(super) breakdown: Breakdown,
    pub(super) centres: &'a CostCentres,
    pub(super) tables: &'a InfoTables,
}

impl<'a> Definitions<'a> {
    /// With other names of the same bands.
    pub(crate) fn with_names(self, bands: &'a Bands) -> Self {
        Definitions { bands, ..self }
    }
}

impl Anatomy {
    /// The parts of this many bands, with every frame changed before it is shown.
    pub(crate) fn new(bands: usize, change: fn(Frame) -> Frame) -> Anatomy {
        let bands = (0..bands).map(|_| OnceLock::new()).collect();
        Anatomy { bands, known: Mutex::default(), change }
    }

    /// A band of this profile, with the label to show.
    pub(crate) fn band<'a>(
        &'a self,
        definitions: Definitions<'_>,
        id: BandId,
        label: &'a str,
    ) -> Band<'a> {
        let found = || Box::new(self.parts(definitions, id, true));
        self.bands[id.index()].get_or_init(found).labelled(label)
    }

    /// Shows a band to a function, and drops its parts after that: the parts of all bands can take more memory
    /// than the profile.
    pub(crate) fn with_band<T>(
        &self,
        definitions: Definitions<'_>,
        id: BandId,
        label: &str,
        look: impl FnOnce(Band<'_>) -> T,
    ) -> T {
        match self.bands[id.index()].get() {
            Some(parts) => look(parts.labelled(label)),
            None => look(self.parts(definitions, id, false).labelled(label)),
        }
    }

    /// The parts of a band. `keeps` says whether its frames are kept; those of stacks are in any case, because cost
    /// centres are few, and many stacks have them.
    fn parts(&self, definitions: Definitions<'_>, id: BandId, keeps: bool) -> ParsedBand {
        // After a panic in another thread, the frames are still complete.
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        match definitions.bands.key(id) {
            BandKey::Stack(stack) => {
                let frames = stack.iter().map(|&id| {
                    if let Some(frame) = known.centres.get(&id) {
                        return Arc::clone(frame);
                    }
                    let frame = (self.change)(centre_frame(definitions.centres, id));
                    let frame = known.intern(frame);
                    known.centres.insert(id, Arc::clone(&frame));
                    frame
                });
                let frames = frames.collect();
                ParsedBand { kind: Breakdown::CostCentre, frames, number: None, is_cut: false }
            }
            BandKey::Name(name) => {
                let is_table = definitions.breakdown.traits().names == BandNames::Addresses;
                let address = is_table.then(|| parse_address(name)).flatten();
                let table = address.and_then(|address| definitions.tables.get(address));
                let mut keep = |frame: Frame| {
                    let frame = (self.change)(frame);
                    if keeps { known.intern(frame) } else { Arc::new(frame) }
                };
                match table {
                    Some(table) => ParsedBand::single(Breakdown::InfoTable, keep(table.frame())),
                    None => {
                        let name = String::from_utf8_lossy(name);
                        ParsedBand::parse(&name, definitions.breakdown, &mut keep)
                    }
                }
            }
        }
    }
}

fn centre_frame(centres: &CostCentres, id: u32) -> Frame {
    let Some(centre) = centres.get(id) else { return Frame::named(&format!("?{id}")) };
    let (name, unique) = match centre.label.starts_with("CAF:") {
        true => without_unique(&centre.label),
        false => (&*centre.label, ""),
    };
    Frame {
        name: name.to_owned(),
        unique: unique.to_owned(),
        module: centre.module.to_string(),
        package: Package::default(),
        place: centre.location.to_string(),
    }
}

impl ParsedBand {
    fn labelled<'a>(&'a self, label: &'a str) -> Band<'a> {
        let &ParsedBand { kind, number, is_cut, ref frames } = self;
        Band { kind, label, number, is_cut, frames: frames.as_slice() }
    }

    /// The parts of a name from the file; `keep` stores a frame.
    fn parse(
        text: &str,
        breakdown: Breakdown,
        keep: &mut dyn FnMut(Frame) -> Arc<Frame>,
    ) -> ParsedBand {
        let frame = match breakdown {
            Breakdown::CostCentre | Breakdown::Retainer => {
                return ParsedBand::list(breakdown, text, keep);
            }
            Breakdown::ClosureType => Frame::qualified(text),
            Breakdown::ClosureDescription => {
                let inner = text.strip_prefix('<').and_then(|text| text.strip_suffix('>'));
                Frame::qualified(inner.unwrap_or(text))
            }
            Breakdown::Module => Frame { module: text.to_owned(), ..Frame::named(text) },
            Breakdown::Type
            | Breakdown::InfoTable
            | Breakdown::Biography
            | Breakdown::Era
            | Breakdown::Unknown => Frame::named(text),
        };
        ParsedBand::single(breakdown, keep(frame))
    }

    fn single(kind: Breakdown, frame: Arc<Frame>) -> ParsedBand {
        ParsedBand { kind, number: None, is_cut: false, frames: Frames::One(frame) }
    }

    /// `(123)f/g/Main.CAF`, or `(123)f,g` for a retainer set.
    fn list(kind: Breakdown, text: &str, keep: &mut dyn FnMut(Frame) -> Arc<Frame>) -> ParsedBand {
        let (number, names) =
            numbered(text).map_or((None, text), |(number, names)| (Some(number), names));
        let (names, is_cut) = match names.strip_suffix("...") {
            Some(front) if number.is_some() => (front, true),
            _ => (names, false),
        };
        let frames: Vec<Frame> = match kind == Breakdown::CostCentre {
            true if number.is_none() && names == "MAIN" => Vec::new(),
            true => stack_names(names).into_iter().map(stack_frame).collect(),
            false => split_names(names, ',').into_iter().map(Frame::named).collect(),
        };
        let frames = frames.into_iter().map(keep).collect();
        ParsedBand { kind, number, is_cut, frames }
    }
}

/// The cost centres in the text of a stack. They are separated by a slash, except after a CAF.
fn stack_names(text: &str) -> Vec<&str> {
    let mut names = Vec::new();
    for name in split_names(text, '/') {
        let mut rest = name;
        // `Data.Map.CAFf` is two names, because no module's name has the part `CAF`.
        while let Some(at) = rest.find(".CAF").filter(|at| {
            let end = at + ".CAF".len();
            end < rest.len()
                && rest.starts_with(char::is_uppercase)
                && !rest[end..].starts_with(':')
        }) {
            let end = at + ".CAF".len();
            names.push(&rest[..end]);
            rest = &rest[end..];
        }
        names.push(rest);
    }
    names
}

fn stack_frame(name: &str) -> Frame {
    match name.strip_suffix(".CAF") {
        Some(module) => Frame { module: module.to_owned(), ..Frame::named("CAF") },
        None => {
            let is_caf = name.starts_with("CAF:");
            let (name, unique) = if is_caf { without_unique(name) } else { (name, "") };
            Frame { unique: unique.to_owned(), ..Frame::named(name) }
        }
    }
}

/// The names between separators. An operator can contain the separator. The best known, `</>`, is
/// kept together. Since no name is empty, an empty part belongs to its neighbour.
fn split_names(text: &str, separator: char) -> Vec<&str> {
    let mut names = Vec::new();
    let mut start = 0;
    for (at, _) in text.match_indices(separator) {
        let in_operator = &text[start..at] == "<" && text[at + 1..].starts_with('>');
        if at > start && at + 1 < text.len() && !in_operator {
            names.push(&text[start..at]);
            start = at + 1;
        }
    }
    names.push(&text[start..]);
    names
}

/// `12` and `f/main` of `(12)f/main`, the text of a stack or retainer set in a `.hp`.
pub(super) fn numbered(label: &str) -> Option<(u64, &str)> {
    let (number, text) = label.strip_prefix('(')?.split_once(')')?;
    Some((number.parse().ok()?, text))
}

#[cfg(test)]
mod tests {
    use super::super::{BandKeyRef, Profile, ProfileBuilder, Source};
    use super::*;

    fn named(breakdown: Breakdown, names: &[&str]) -> Profile {
        let mut builder = ProfileBuilder::new(Source::Hp);
        builder.declare_breakdown(breakdown);
        for name in names {
            builder.band(BandKeyRef::Name(name.as_bytes())).unwrap();
        }
        builder.finish()
    }

    fn frames(band: &Band<'_>) -> Vec<(String, String)> {
        band.frames().map(|frame| (frame.module.clone(), frame.name.clone())).collect()
    }

    fn only(breakdown: Breakdown, name: &str) -> (Breakdown, Vec<String>, Option<u64>, bool) {
        let profile = named(breakdown, &[name]);
        let band = profile.band(profile.bands.ids().next().unwrap());
        let names = band.frames().map(|frame| frame.name.clone()).collect();
        (band.kind, names, band.number, band.is_cut)
    }

    #[test]
    fn retainer_sets_have_their_retainers() {
        let (kind, names, number, _) = only(Breakdown::Retainer, "(103)main,f");
        assert_eq!((kind, number), (Breakdown::Retainer, Some(103)));
        assert_eq!(names, ["main", "f"]);
        assert_eq!(only(Breakdown::Retainer, "MANY").1, ["MANY"]);
    }

    #[test]
    fn a_band_that_is_read_in_place_equals_the_stored_one() {
        let profile = named(Breakdown::CostCentre, &["(1)f/g", "(2)f/...", "MAIN"]);
        let look = |band: Band<'_>| (frames(&band), band.number, band.is_cut, band.identity());
        for id in profile.bands.ids() {
            let before = profile.with_band(id, look);
            assert_eq!(before, look(profile.band(id)));
            assert_eq!(before, profile.with_band(id, look));
        }
    }

    #[test]
    fn a_band_is_the_same_in_two_runs() {
        let identity = |breakdown, name| {
            let profile = named(breakdown, &[name]);
            profile.band(profile.bands.ids().next().unwrap()).identity()
        };
        for (breakdown, one, two) in [
            (Breakdown::CostCentre, "(12)f/g/main", "(777)f/g/main"),
            (Breakdown::ClosureDescription, "<Main.sat_s5tq>", "<Main.sat_s6Ab>"),
            (
                Breakdown::ClosureType,
                "containers-0.6.4.1:Data.Map.Internal.Bin",
                "containers-0.7-HASH1:Data.Map.Internal.Bin",
            ),
        ] {
            assert_eq!(identity(breakdown, one), identity(breakdown, two));
        }
        for (breakdown, one, two) in [
            (Breakdown::CostCentre, "(12)f/g/main", "(12)f/main"),
            (Breakdown::CostCentre, "(12)f/ma...", "(12)f/ma"),
            (Breakdown::ClosureType, "a:Data.Map.Internal.Bin", "a:Data.IntMap.Internal.Bin"),
        ] {
            assert_ne!(identity(breakdown, one), identity(breakdown, two));
        }
        let text = identity(Breakdown::ClosureType, "base-4.1:GHC.Maybe.Just").to_string();
        assert_eq!(text, "base.GHC.Maybe.Just");
    }
}
