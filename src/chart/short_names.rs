//! Names that distinguish the bands of a chart.
//!
//! A complete name is often too long for a key, and the part that distinguishes it is rarely at its
//! ends: for `containers-0.6.7:Data.Map.Internal.Bin` and
//! `containers-0.6.7:Data.IntMap.Internal.Bin`, a reader needs `Map.Internal.Bin` and
//! `IntMap.Internal.Bin`. So each band gets several names, best first, and no two bands share a
//! name: the names that a picture has room for always differ.
//!
//! The least important parts are dropped first: a package with its version, the callers that all
//! stacks share, then the front of a module, then callers in the middle. The innermost cost centre
//! and the constructor stay. If complete names are equal, the place in the source is added, then
//! the number in the file, then a number of our own.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap, HashSet};

use crate::base::text::visible;
use crate::profile::glossary::LIST_CELL;
use crate::profile::{Breakdown, Frame};

/// What a name is made from.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct NameParts<'a> {
    pub kind: Breakdown,
    /// The frames of the band, innermost first.
    pub frames: Vec<&'a Frame>,
    /// The number that the file gives it.
    pub number: Option<u64>,
    /// Whether the run-time system cut its name.
    pub is_cut: bool,
    pub label: &'a str,
}

/// The most frames of a stack that a shortened name shows.
const MOST_FRAMES: usize = 6;

/// The longest name, in characters: a key never has space for more.
const MOST_CHARACTERS: usize = 250;

/// Names for every band, best first, at least one each. No two bands share a name, and none is in `taken`.
pub fn names(bands: &[NameParts<'_>], taken: &[&str]) -> Vec<Vec<String>> {
    let shared = shared_callers(bands);
    // Each is cut before the next is made, because together they would be many times as long as the
    // names in the file.
    let mut ladders: Vec<Vec<String>> =
        bands.iter().map(|band| distinct_names(ladder(band, shared))).collect();
    let mut owners: HashMap<String, usize> = HashMap::new();
    for name in ladders.iter().flatten().cloned().chain(taken.iter().map(|&name| name.to_owned())) {
        *owners.entry(name).or_insert(0) += 1;
    }
    let mut given: HashMap<String, usize> = HashMap::new();
    for ladder in &mut ladders {
        // The last one is as complete as can be.
        let last = ladder.last().cloned().unwrap_or_default();
        ladder.retain(|name| owners.get(name) == Some(&1));
        if ladder.is_empty() {
            let count = given.entry(last.clone()).or_insert(0);
            let numbered = loop {
                *count += 1;
                let name = format!("{last} #{count}");
                if !owners.contains_key(&name) {
                    break name;
                }
            };
            owners.insert(numbered.clone(), 1);
            ladder.push(numbered);
        }
    }
    ladders
}

/// The full name of each band: its label, which is not copied. Bands with the same label also get their
/// places in the source, or a number if these do not distinguish them.
pub fn told_apart<'a>(bands: &[NameParts<'a>]) -> Vec<Cow<'a, str>> {
    told_apart_by(bands.iter().map(|band| band.label).collect(), |i| places(&bands[i]))
}

/// Names as of [`told_apart`], for bands whose places are looked up only if another band has their label:
/// the parts of very many names take more memory than the names.
pub(super) fn told_apart_by<'a>(
    labels: Vec<&'a str>,
    places: impl Fn(usize) -> [Option<String>; 2],
) -> Vec<Cow<'a, str>> {
    let mut first: HashMap<&str, usize> = HashMap::new();
    // By first appearance: a number depends on what was given before.
    let mut alike: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (i, &label) in labels.iter().enumerate() {
        let &mut first = first.entry(label).or_insert(i);
        if first < i {
            alike.entry(first).or_insert_with(|| vec![first]).push(i);
        }
    }
    let mut full: Vec<Cow<'a, str>> = labels.iter().copied().map(Cow::Borrowed).collect();
    let mut given: HashSet<String> = HashSet::new();
    let is_free =
        |name: &str, given: &HashSet<String>| !first.contains_key(name) && !given.contains(name);
    for group in alike.into_values() {
        let mut holders: HashMap<String, usize> = HashMap::new();
        group.iter().flat_map(|&i| places(i)).flatten().for_each(|place| {
            *holders.entry(place).or_insert(0) += 1;
        });
        let mut number = 0;
        for i in group {
            let with = |end: &str| format!("{} {end}", labels[i]);
            let own = places(i).into_iter().flatten().filter(|place| holders[place] == 1);
            let mut placed = own.map(|place| with(&place)).filter(|name| is_free(name, &given));
            let name = placed.next().unwrap_or_else(|| {
                loop {
                    number += 1;
                    let name = with(&format!("#{number}"));
                    if is_free(&name, &given) {
                        break name;
                    }
                }
            });
            given.insert(name.clone());
            full[i] = Cow::Owned(name);
        }
    }
    full
}

/// What distinguishes a band from others with its label: its innermost place, or all of its places.
pub(super) fn places(band: &NameParts<'_>) -> [Option<String>; 2] {
    [innermost_place(band), all_places(band)]
}

/// The first place that is known of a band, in full.
fn innermost_place(band: &NameParts<'_>) -> Option<String> {
    let mut places = band.frames.iter().map(|frame| &frame.place);
    places.find(|place| !place.is_empty()).cloned()
}

/// Names as they are shown, each once.
fn distinct_names(ladder: Vec<String>) -> Vec<String> {
    let mut seen: Vec<String> = Vec::new();
    for name in ladder {
        let name = match name.is_empty() {
            true => "(no name)".to_owned(),
            false => cut(&visible(&two_ends(&name))),
        };
        if !seen.contains(&name) {
            seen.push(name);
        }
    }
    seen
}

/// How many outermost frames all stacks have in common; 0 with fewer than two stacks.
fn shared_callers(bands: &[NameParts<'_>]) -> usize {
    let mut stacks =
        bands.iter().filter(|band| band.kind == Breakdown::CostCentre && band.frames.len() > 1);
    let Some(first) = stacks.next() else { return 0 };
    let outermost = |band: &NameParts<'_>| {
        let pairs = first.frames.iter().rev().zip(band.frames.iter().rev());
        pairs.take_while(|(a, b)| a.name == b.name && a.module == b.module).count()
    };
    let least = stacks.map(outermost).min();
    // The innermost is what a stack is about.
    least.map_or(0, |least| least.min(first.frames.len() - 1))
}

/// All names of a band, best first, the most complete last.
fn ladder(band: &NameParts<'_>, shared: usize) -> Vec<String> {
    let mut names: Vec<String> = match (band.kind, &band.frames[..]) {
        (_, []) => Vec::new(),
        (_, [frame]) if frame.name.is_empty() => Vec::new(),
        (Breakdown::CostCentre | Breakdown::Retainer, frames) => {
            let separator = if band.kind == Breakdown::CostCentre { "/" } else { "," };
            joined(frames, shared, separator)
        }
        // Its name is that of its module.
        (Breakdown::Module, &[frame, ..]) => {
            let ends = frame.name.match_indices('.').map(|(at, _)| frame.name[at + 1..].to_owned());
            [frame.name.clone()].into_iter().chain(ends).collect()
        }
        // Its name says what it is and who makes it, or else in which module.
        (Breakdown::InfoTable, &[frame, ..]) => vec![frame.name.clone()],
        (Breakdown::Era, &[frame, ..]) if is_number(&frame.name) => {
            vec![format!("era {}", frame.name)]
        }
        (_, &[frame, ..]) => qualified(frame),
    };
    for name in names.iter_mut().filter(|name| band.is_cut && !name.ends_with('…')) {
        name.push('…');
    }
    let place = band.frames.iter().find(|frame| !frame.place.is_empty());
    let base = names.first().cloned().unwrap_or_else(|| band.label.to_owned());
    let number = band.number.map(|number| format!("({number})"));
    if let Some(frame) = place {
        names.push(format!("{base} {}", line_of(&frame.place)));
        names.extend(all_places(band).map(|places| format!("{base} {places}")));
    }
    if let Some(number) = number {
        names.push(format!("{number}{base}"));
    }
    // Neither a colon nor a number alone is read as a name.
    if names.is_empty()
        || band.label != ":" && !(band.kind == Breakdown::Era && is_number(band.label))
    {
        names.push(band.label.to_owned());
    }
    names
}

fn is_number(name: &str) -> bool {
    name.bytes().all(|byte| byte.is_ascii_digit())
}

/// The places of all frames, if there are several frames.
fn all_places(band: &NameParts<'_>) -> Option<String> {
    let places: Vec<&str> = band.frames.iter().map(|frame| frame.place.as_str()).collect();
    let known = places.iter().filter(|place| !place.is_empty()).count();
    (known > 1).then(|| places.join(" "))
}

/// The file and the line of `src/Server.hs:19:1-20` or `src/Server.hs:(19,1)-(21,30)`.
fn line_of(place: &str) -> String {
    let file_at = place.rfind('/').map_or(0, |slash| slash + 1);
    let Some((file, rest)) = place[file_at..].split_once(':') else {
        return place[file_at..].to_owned();
    };
    let line: String =
        rest.trim_start_matches('(').chars().take_while(char::is_ascii_digit).collect();
    format!("{file}:{line}")
}

/// `Data.Map.Internal.Bin` with less and less of its module, then with the other known parts.
fn qualified(frame: &Frame) -> Vec<String> {
    let Frame { name, unique, module, package, .. } = frame;
    let full = in_module(name, module);
    let mut names = vec![full.clone()];
    names.extend(in_less_of_module(frame));
    names.push(name.clone());
    if name == ":" {
        names.splice(..0, [LIST_CELL.to_owned()]);
        names.retain(|name| name != ":" && name != "Types.:");
    }
    if !package.name.is_empty() {
        names.push(format!("{}:{full}", package.name));
        let parts = [&package.name, &package.version, &package.hash];
        let parts: Vec<&str> =
            parts.into_iter().map(String::as_str).filter(|part| !part.is_empty()).collect();
        names.push(format!("{}:{full}", parts.join("-")));
    }
    if !unique.is_empty() {
        names.push(format!("{full}_{unique}"));
    }
    names
}

fn in_module(name: &str, module: &str) -> String {
    match module.is_empty() {
        true => name.to_owned(),
        false => format!("{module}.{name}"),
    }
}

/// A name with less and less of its module.
fn in_less_of_module(frame: &Frame) -> impl Iterator<Item = String> {
    let starts = frame.module.match_indices('.').map(|(at, _)| &frame.module[at + 1..]);
    starts.map(|module| in_module(&frame.name, module))
}

/// Frames with fewer and fewer of those in the middle, without the outermost ones that all share,
/// and then with everything.
fn joined(frames: &[&Frame], shared: usize, separator: &str) -> Vec<String> {
    let all: Vec<&str> = frames.iter().map(|frame| frame.name.as_str()).collect();
    let own = &all[..(all.len() - shared.min(all.len())).max(1)];
    let mut names = vec![own.join(separator)];
    for kept in (1..own.len().min(MOST_FRAMES + 1)).rev() {
        let front = own[..kept].join(separator);
        // The outermost frame that is not shared shows who called, and the next inner ones show
        // why.
        if kept > 1 && kept + 1 < own.len() {
            let front = own[..kept - 1].join(separator);
            names.push(format!("{front}{separator}…{separator}{}", own[own.len() - 1]));
        }
        names.push(format!("{front}{separator}…"));
    }
    names.push(all.join(separator));
    let modules: Vec<String> =
        frames.iter().map(|frame| in_module(&frame.name, &frame.module)).collect();
    names.push(modules[..own.len()].join(separator));
    names.push(modules.join(separator));
    if let [frame] = frames {
        names.extend(in_less_of_module(frame));
    }
    names
}

/// The two ends of a very long name, each as long as a complete name may be: nobody sees the middle, and
/// making a megabyte of it visible takes long.
fn two_ends(name: &str) -> Cow<'_, str> {
    if name.len() <= 8 * MOST_CHARACTERS {
        return Cow::Borrowed(name);
    }
    let head = name.char_indices().nth(MOST_CHARACTERS).map_or(name.len(), |(at, _)| at);
    let tail = name.char_indices().rev().nth(MOST_CHARACTERS).map_or(0, |(at, _)| at);
    Cow::Owned([&name[..head], &name[tail..]].concat())
}

/// The two ends of a name that is longer than any key.
fn cut(name: &str) -> String {
    let count = name.chars().count();
    if count <= MOST_CHARACTERS {
        return name.to_owned();
    }
    let half = MOST_CHARACTERS / 2;
    let head: String = name.chars().take(half).collect();
    let tail: String = name.chars().skip(count - half).collect();
    format!("{head}…{tail}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(name: &str, module: &str, package: &str, place: &str) -> Frame {
        let mut frame = Frame::default();
        frame.name = name.to_owned();
        frame.module = module.to_owned();
        frame.package.name = package.to_owned();
        frame.place = place.to_owned();
        frame
    }

    #[test]
    fn a_very_long_name_keeps_both_ends() {
        for middle in [0, 10, 999, 1000, 1001, 7_990, 8_000, 20_000] {
            let long = format!("λ\u{7}a{}é\u{7}z", "xé".repeat(middle));
            assert_eq!(cut(&visible(&two_ends(&long))), cut(&visible(&long)), "{middle}");
        }
    }

    fn parts<'a>(kind: Breakdown, frames: &'a [Frame], label: &'a str) -> NameParts<'a> {
        NameParts { kind, frames: frames.iter().collect(), number: None, is_cut: false, label }
    }

    /// The best and the shortest name of each.
    fn ends(ladders: &[Vec<String>]) -> Vec<(&str, &str)> {
        let shortest = |ladder: &'_ [String]| -> usize {
            (0..ladder.len()).min_by_key(|&i| ladder[i].chars().count()).unwrap()
        };
        ladders.iter().map(|l| (l[0].as_str(), l[shortest(l)].as_str())).collect()
    }

    #[test]
    fn constructors_keep_only_the_module_parts_they_need() {
        let frames = [
            [frame("Bin", "Data.Map.Internal", "containers", "")],
            [frame("Bin", "Data.IntMap.Internal", "containers", "")],
            [frame("I#", "GHC.Types", "ghc-prim", "")],
            [frame("STACK", "", "", "")],
        ];
        let bands: Vec<NameParts<'_>> =
            frames.iter().map(|f| parts(Breakdown::ClosureType, f, "full")).collect();
        assert_eq!(
            ends(&names(&bands, &[])),
            [
                ("Data.Map.Internal.Bin", "Map.Internal.Bin"),
                ("Data.IntMap.Internal.Bin", "IntMap.Internal.Bin"),
                ("GHC.Types.I#", "I#"),
                ("STACK", "STACK"),
            ]
        );
    }

    #[test]
    fn no_name_is_a_colon_or_a_number_alone() {
        let frames = ["CAF", ":", "20", "20"].map(|name| [frame(name, "", "", "")]);
        let caf = [frame("CAF", "GHC.IO.Encoding", "", "")];
        let bands = [
            parts(Breakdown::CostCentre, &frames[0], "CAF"),
            NameParts {
                number: Some(7),
                ..parts(Breakdown::CostCentre, &caf, "(7)GHC.IO.Encoding.CAF")
            },
            parts(Breakdown::ClosureDescription, &frames[1], ":"),
            parts(Breakdown::Era, &frames[2], "20"),
            parts(Breakdown::Module, &frames[3], "20"),
        ];
        let ladders = names(&bands, &[]);
        assert_eq!(ladders[1][1], "IO.Encoding.CAF", "less of the module before the number");
        let stack = ["go", "run", "main"].map(|name| frame(name, "", "", ""));
        let cut = parts(Breakdown::CostCentre, &stack, "go/run/main...");
        let cut = &names(&[NameParts { is_cut: true, ..cut }], &[])[0];
        assert_eq!(cut[..3], ["go/run/main…", "go/run/…", "go/…"], "one ellipsis at the end");
        assert_eq!(ladders[2..], [vec!["(:)"], vec!["era 20"], vec!["20"]]);
        let module = [frame("GHC.IO.FD", "GHC.IO.FD", "", "")];
        let module = names(&[parts(Breakdown::Module, &module, "GHC.IO.FD")], &[]);
        assert_eq!(module[0][..3], ["GHC.IO.FD", "IO.FD", "FD"]);
    }

    #[test]
    fn shared_parts_of_module_names_are_cut_first() {
        let frames = [frame("Bin", "Data.Map.Strict.Internal", "", "")];
        let ladder = &names(&[parts(Breakdown::ClosureType, &frames, "full")], &[])[0];
        let expected = [
            "Data.Map.Strict.Internal.Bin",
            "Map.Strict.Internal.Bin",
            "Strict.Internal.Bin",
            "Internal.Bin",
            "Bin",
        ];
        assert_eq!(ladder[..5], expected);
    }

    #[test]
    fn stack_names_omit_shared_callers_and_add_places_to_equal_names() {
        let stack = |names: &[(&str, &str)]| -> Vec<Frame> {
            names.iter().map(|(name, place)| frame(name, "Main", "", place)).collect()
        };
        let frames = [
            stack(&[("\\", "src/Server.hs:19:3-20"), ("handle", ""), ("main", "")]),
            stack(&[("\\", "src/Server.hs:21:3-20"), ("handle", ""), ("main", "")]),
            stack(&[("rnd", ""), ("make", ""), ("paced", ""), ("fold", ""), ("main", "")]),
            stack(&[("main", "")]),
        ];
        let bands: Vec<NameParts<'_>> =
            frames.iter().map(|f| parts(Breakdown::CostCentre, f, "\\/handle/main")).collect();
        assert_eq!(
            ends(&names(&bands, &[])),
            [
                ("\\/handle Server.hs:19", "\\/handle Server.hs:19"),
                ("\\/handle Server.hs:21", "\\/handle Server.hs:21"),
                ("rnd/make/paced/fold", "rnd/…"),
                ("main", "main"),
            ]
        );
    }

    #[test]
    fn no_name_is_used_twice() {
        let same = [frame("a", "M", "", "")];
        let bands = vec![
            parts(Breakdown::Type, &same, "a"),
            parts(Breakdown::Type, &same, "a"),
            parts(Breakdown::Unknown, &[], "OTHER"),
            parts(Breakdown::Unknown, &[], ""),
            NameParts { number: Some(7), ..parts(Breakdown::Retainer, &same, "(7)a") },
        ];
        let ladders = names(&bands, &["OTHER"]);
        assert_eq!(ladders[0], ["a #1"]);
        assert_eq!(ladders[1], ["a #2"]);
        assert_eq!(ladders[2], ["OTHER #1"]);
        assert_eq!(ladders[3], ["(no name)"]);
        assert_eq!(ladders[4], ["(7)a"]);
    }

    #[test]
    fn only_equal_full_names_are_made_distinct() {
        let at = |place: &str| [frame("\\", "Main", "", place), frame("main", "Main", "", "")];
        let (first, second) = (at("Server.hs:19:3-20"), at("Server.hs:21:3-20"));
        let bands = [
            parts(Breakdown::CostCentre, &first, "\\/main"),
            parts(Breakdown::Unknown, &[], "containers-0.6.7:Data.Map.Internal.Bin"),
            parts(Breakdown::CostCentre, &second, "\\/main"),
            parts(Breakdown::Unknown, &[], "twice"),
            parts(Breakdown::Unknown, &[], "twice"),
        ];
        assert_eq!(
            told_apart(&bands),
            [
                "\\/main Server.hs:19:3-20",
                "containers-0.6.7:Data.Map.Internal.Bin",
                "\\/main Server.hs:21:3-20",
                "twice #1",
                "twice #2",
            ]
        );
    }

    #[test]
    fn places_are_a_file_and_a_line() {
        assert_eq!(line_of("src/Server.hs:19:3-20"), "Server.hs:19");
        assert_eq!(line_of("Server.hs:(19,1)-(21,30)"), "Server.hs:19");
        assert_eq!(line_of("<no location info>"), "<no location info>");
    }

    #[test]
    fn names_longer_than_the_key_keep_both_ends() {
        let long = format!("{}{}", "λ".repeat(400), "z".repeat(400));
        let ladder = &names(&[parts(Breakdown::Unknown, &[], &long)], &[])[0];
        assert_eq!(ladder[0].chars().count(), MOST_CHARACTERS + 1);
        assert!(ladder[0].starts_with('λ') && ladder[0].ends_with('z'));
    }
}
