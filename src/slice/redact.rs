//! Removes everything that identifies who ran the program, how, and where, so that a picture can be
//! shown to strangers.
//!
//! The contents of the picture (bands, samples, markers) stay, except for folders, hosts and addresses of
//! people, which compilers write into source locations, and programmers into markers.

use std::borrow::Cow;

use crate::incident::Incidents;
use crate::profile::{Bands, CostCentre, Frame, InfoTable, Marker, Metadata, Process, Profile};

/// The parts of a profile that contain text, without the texts that identify who ran it.
#[derive(Clone, Debug)]
pub(super) struct Redacted {
    pub(super) metadata: Metadata,
    pub(super) bands: Bands,
    pub(super) markers: Vec<Marker>,
    pub(super) incidents: Incidents,
}

impl Redacted {
    /// The texts without the command line and the date; and names, labels, markers and incidents as
    /// [`without_folders`] leaves them. The compiler's version, the kinds of filters and every number
    /// stay.
    pub(super) fn of(profile: &Profile) -> Redacted {
        let metadata = Metadata {
            job: None,
            arguments: Vec::new(),
            date: None,
            process: Process::default(),
            // The value of a filter is a part of the command line; the existence of a filter is
            // not.
            filters: profile.metadata.filters.map(|_| "…".to_owned()),
            ..profile.metadata.clone()
        };
        let mut bands = profile.bands.clone();
        bands.rename(|name| match without_folders(&String::from_utf8_lossy(name)) {
            Cow::Owned(short) => short.into_bytes(),
            Cow::Borrowed(_) => name.to_owned(),
        });
        bands.relabel(shorten);
        let mut markers = profile.markers.clone();
        markers.iter_mut().for_each(|marker| shorten(&mut marker.label));
        let mut incidents = profile.incidents.clone();
        incidents.redact(shorten);
        Redacted { metadata, bands, markers, incidents }
    }
}

/// A cost centre without folders.
pub(super) fn cost_centre(centre: &CostCentre) -> CostCentre {
    let mut short = centre.clone();
    let CostCentre { label, module, location, is_caf: _ } = &mut short;
    [label, module, location].into_iter().for_each(shorten);
    short
}

/// An info table without folders.
pub(super) fn info_table(table: &InfoTable) -> InfoTable {
    let mut short = table.clone();
    let InfoTable { name, closure_kind: _, ty, label, module, location } = &mut short;
    [name, ty, label, module, location].into_iter().for_each(shorten);
    short
}

/// A frame without folders.
pub(super) fn frame(mut frame: Frame) -> Frame {
    [&mut frame.name, &mut frame.module, &mut frame.place].into_iter().for_each(shorten);
    frame
}

fn shorten(text: &mut String) {
    if let Cow::Owned(short) = without_folders(text) {
        *text = short;
    }
}

/// `text` with every path that leads out of the project cut to its last part: `go (Main,
/// /home/me/src/a.hs:1:2)` and `go (Main, ../me/a.hs:1:2)` to `go (Main, a.hs:1:2)`. Paths inside the
/// project, `src/a.hs`, stay. Of a home folder, `me@host.example`, and the host and the query of an
/// address, nothing stays but `…`.
///
/// A path may have blanks in it, so it goes on to its last separator before a quote, bracket,
/// comma, semicolon or line end. That can remove words between two paths, but it leaves no folder.
pub fn without_folders(text: &str) -> Cow<'_, str> {
    match without_people(text) {
        Cow::Owned(text) => Cow::Owned(without_paths(&text).into_owned()),
        Cow::Borrowed(text) => without_paths(text),
    }
}

/// `text` with `…` for every `me@host.example`, and for `me@host` before a colon.
fn without_people(text: &str) -> Cow<'_, str> {
    let is_part = |c: char| c.is_alphanumeric() || "_-.+".contains(c);
    let mut kept = String::new();
    let mut done = 0;
    for (sign, _) in text.match_indices('@') {
        let name = text[done.min(sign)..sign].trim_end_matches(is_part).len() + done.min(sign);
        let after = &text[sign + 1..];
        let host = &after[..after.find(|c| !is_part(c)).unwrap_or(after.len())];
        let has_domain = host.trim_matches('.').contains('.');
        let is_remote = after[host.len()..].starts_with(':') && !host.is_empty();
        if sign >= done && name < sign && (has_domain || is_remote) {
            kept.push_str(&text[done..name]);
            kept.push('…');
            done = sign + 1 + host.len();
        }
    }
    match done {
        0 => Cow::Borrowed(text),
        _ => Cow::Owned(kept + &text[done..]),
    }
}

fn without_paths(text: &str) -> Cow<'_, str> {
    let mut kept = String::new();
    let (mut done, mut at) = (0, 0);
    let mut stretch = Stretch::of(text, 0);
    while let Some(step) = text[at..].find(['/', '\\']) {
        let separator = at + step;
        at = separator + 1;
        if at > stretch.end {
            stretch = Stretch::of(text, at);
        }
        let rest = &text[at..stretch.end];
        let last = stretch.last.filter(|&last| last >= at);
        if separator >= done && begins_host(&text[..separator], &text[at..]) {
            let host = rest.find(['/', '\\', ' ']).unwrap_or(rest.len());
            kept.push_str(&text[done..at]);
            kept.push('…');
            if let Some(end) = text[at..].starts_with('[').then(|| text[at..].find(']')).flatten() {
                at += end + 1;
                done = at;
                continue;
            }
            at = last.unwrap_or(at + host);
            done = at;
            if let Some((query, end)) = query(&text[at..]) {
                kept.push_str(&text[at..at + query]);
                kept.push_str("?…");
                at += end;
                done = at;
            }
            continue;
        }
        let Some(start) = path_start(text, separator) else { continue };
        // What comes before the first separator can be a folder: `~me/`.
        let last = last.or((start < separator).then_some(separator));
        let (true, Some(last)) = (start >= done, last) else { continue };
        kept.push_str(&text[done..start]);
        let folder = &text[start..=last];
        if HOMES.iter().any(|homes| folder.ends_with(homes)) {
            kept.push('…');
            at = stretch.end;
        } else {
            at = last + 1;
        }
        done = at;
    }
    match done {
        0 => Cow::Borrowed(text),
        _ => Cow::Owned(kept + &text[done..]),
    }
}

/// The text up to where a path must end. It is looked for once: names have up to half a million slashes.
struct Stretch {
    end: usize,
    last: Option<usize>,
}

impl Stretch {
    fn of(text: &str, at: usize) -> Stretch {
        let end = text[at..].find(ENDS).map_or(text.len(), |end| at + end);
        Stretch { end, last: text[at..end].rfind(['/', '\\']).map(|last| at + last) }
    }
}

/// What may come before a path, apart from blanks.
const BEGINS: &str = "\"'`([,;=:@<>|{‘“«‹„";

/// What a path ends before.
const ENDS: [char; 16] =
    ['"', '\'', '`', '(', ')', '[', ']', ',', ';', '\n', '\r', '\0', '’', '”', '»', '›'];

/// Folders in which everybody has a folder with his own name.
const HOMES: [&str; 4] = ["/home/", "/Users/", "\\Users\\", "\\\\Users\\\\"];

/// Whether after the second slash of an address, `https://`, its host follows.
fn begins_host(before: &str, after: &str) -> bool {
    let scheme = before.strip_suffix(":/").filter(|front| !front.ends_with("file"));
    scheme.is_some_and(|front| front.ends_with(|c: char| c.is_ascii_alphanumeric()))
        && after.starts_with(|c: char| c.is_alphanumeric() || "…[".contains(c))
}

/// Where the query of an address begins and ends, of whose last part this is the beginning.
fn query(rest: &str) -> Option<(usize, usize)> {
    let is_end = |c: char| c.is_whitespace() || "\"'`<>()[]".contains(c);
    let end = rest.find(is_end).unwrap_or(rest.len());
    rest[..end].find(['?', '#']).map(|query| (query, end))
}

fn opens(before: &str) -> bool {
    let foreign = |c: char| !c.is_ascii() && !c.is_alphanumeric();
    let may = |c: char| c.is_whitespace() || BEGINS.contains(c) || foreign(c);
    before.chars().next_back().is_none_or(may)
}

/// Where the absolute path begins whose first separator is here; `None` when none does.
///
/// Haskell has operators with slashes, and cost-centre stacks are joined by them: so what is before
/// and after the slash must look like a path.
fn path_start(text: &str, separator: usize) -> Option<usize> {
    let (before, after) = (&text[..separator], &text[separator + 1..]);
    let mut next = after.chars();
    let named = match next.next() {
        Some('.') => next.next().is_some_and(char::is_alphanumeric),
        Some(c) => c.is_alphanumeric() || c == '_',
        None => false,
    };
    if !named {
        return None;
    }
    // `~/`, `~me/`.
    let user = before.trim_end_matches(|c: char| c.is_alphanumeric() || "_-.".contains(c));
    if let Some(home) = user.strip_suffix('~')
        && opens(home)
    {
        return Some(home.len());
    }
    // `../me/a.hs`: what is above the project's folder is not the project's.
    if let Some(mut front) = before.strip_suffix("..") {
        while let Some(less) =
            front.strip_suffix(['/', '\\']).map(|less| less.trim_end_matches('.'))
        {
            front = less;
        }
        if opens(front) {
            return Some(front.len());
        }
    }
    // `-I/usr/include`.
    if let Some(flag) = before.strip_suffix(|c: char| c.is_ascii_alphabetic())
        && flag.strip_suffix('-').is_some_and(opens)
    {
        return Some(separator);
    }
    // `C:\Users`, `C:/Users`; also as a name in a stack, `f/C:\Users`.
    if let Some(drive) = before.strip_suffix(':')
        && drive.ends_with(|c: char| c.is_ascii_alphabetic())
        && let front = &drive[..drive.len() - 1]
        && (opens(front) || front.ends_with('/'))
    {
        return Some(front.len());
    }
    if before.ends_with("file://") {
        return Some(separator);
    }
    // `\\server\share`, `//server/share`: the second of two equal separators is here.
    let mark = text.as_bytes()[separator] as char;
    if let Some(front) = before.strip_suffix(mark)
        && opens(front)
        && after.contains(mark)
    {
        return Some(front.len());
    }
    // `\\?\C:\Users`, `\\?\UNC\server\share`: how Windows is given a path that it is not to change.
    let verbatim = before.strip_suffix(r"\\?").or(before.strip_suffix(r"\\."));
    if let Some(front) = verbatim
        && mark == '\\'
        && opens(front)
    {
        return Some(front.len());
    }
    // A path as a name in a stack: `f//home/me/x`. An operator would have a slash on both sides.
    let in_stack = before.strip_suffix('/').is_some_and(|front| front.ends_with(is_part_of_name));
    // A home folder after any sign that is no part of a name or of another path.
    let folder = after.strip_prefix("home").or(after.strip_prefix("Users"));
    let is_home = folder.is_some_and(|rest| rest.starts_with(['/', '\\']))
        && !before.ends_with(|c: char| is_part_of_name(c) || "./-".contains(c));
    let is_start = mark == '/' && (opens(before) || (in_stack && after.contains('/')));
    (is_start || is_home).then_some(separator)
}

fn is_part_of_name(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '\'')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn absolute_paths_keep_their_last_part() {
        for (text, short) in [
            ("/home/me/src/a.hs:1:2-9", "a.hs:1:2-9"),
            ("go (Main, /home/me/a b/x.hs:1:2)", "go (Main, x.hs:1:2)"),
            ("read \"/srv/in.txt\" and /srv/out.txt", "read \"in.txt\" and out.txt"),
            ("C:\\Users\\me\\a.hs, C:/Users/me/b.hs", "a.hs, b.hs"),
            ("~/src/a.hs", "a.hs"),
            ("file:///home/me/a.hs", "file://a.hs"),
            ("https://me@ci.example/builds/me/a.hs", "https://…/a.hs"),
            ("get https://ci/a/b?key=1,2&x#y (ok)", "get https://…/b?… (ok)"),
            ("http://ci/a#me then /srv/me/x", "http://…/x"),
            ("from git@ci.example:me/a.git", "from …:me/a.git"),
            ("rsync me@nas:/srv/me/x", "rsync …:x"),
            ("by me.too+x@host.example, you", "by …, you"),
            ("http://[fe80::1]:80/x", "http://…:80/x"),
            (r"\Users\me\x", "x"),
            (r#"{"home":"\/home\/me\/x"}"#, r#"{"home":"\x"}"#),
            ("../a.hs", "a.hs"),
            ("./../../me/a.hs", "a.hs"),
            ("go (Main, ../../me/lib/a.hs:1:2)", "go (Main, a.hs:1:2)"),
            (r"..\me\a.hs", "a.hs"),
            ("&/home/me/x （/home/me/y", "&y"),
            ("（/srv/me/y）", "（y）"),
            ("see http://host:80, http://host", "see http://…, http://…"),
            ("~me/src/a.hs ~me/b.hs", "b.hs"),
            ("~me/b.hs", "b.hs"),
            ("in /home/me", "in …"),
            ("HOME=/Users/me smith", "HOME=…"),
            (r"C:\Users\me", "…"),
            (r#""C:\\Users\\me""#, "\"C:…\""),
            ("/home/me/", ""),
            ("cc -I/home/me/include", "cc -Iinclude"),
            ("‘/home/me/a.hs’ “/home/me/b.hs”", "‘a.hs’ “b.hs”"),
            ("--out=/home/me/λ/é.txt", "--out=é.txt"),
            ("/home/.cache/x/", ""),
            (r"\\srv\share\m.hs", "m.hs"),
            (r"go (\\srv\share\m.hs:1:2)", "go (m.hs:1:2)"),
            ("//srv/share/m.hs", "m.hs"),
            (r"\\?\C:\Users\me\m.hs", "m.hs"),
            (r"at \\?\UNC\srv\share\m.hs", "at m.hs"),
            (r"\\.\C:\Users\me\m.hs", "m.hs"),
            ("(12)f//home/me/m.hs", "(12)f/m.hs"),
            (r"f/C:\Users\me\m.hs", "f/m.hs"),
        ] {
            assert_eq!(without_folders(text), short, "{text}");
        }
    }

    #[test]
    fn a_name_of_very_many_slashes_takes_no_longer_than_another() {
        let names = ["f/", "a@b/", "../", "//", "/=", "http://", "@", "C:\\", "(/a", "\\\\.."];
        let start = std::time::Instant::now();
        for name in names {
            without_folders(&name.repeat(200_000 / name.len()));
        }
        assert!(start.elapsed().as_secs() < 20, "{:?}", start.elapsed());
    }

    #[test]
    fn what_is_no_absolute_path_stays() {
        for text in [
            "",
            "/",
            "src/Lib/a.hs:3:1",
            "src/../lib/a.hs",
            "x@Just",
            "f @Data.Map",
            "main/home/page",
            "[1..]/x",
            "a@b",
            "f/g/main",
            "///main",
            "</>/main",
            "(/)/f/main",
            "/=/f",
            "(/.)",
            "a////g/main",
            "\\x -> x",
            "1 / 2 / 3",
            "Data.Map.CAFf/g",
            "/tmp",
            "a ://b",
            "x-y/z",
            "home/me/a.hs",
        ] {
            assert_eq!(without_folders(text), text, "{text}");
            assert!(matches!(without_folders(text), Cow::Borrowed(_)), "{text}");
        }
    }
}
