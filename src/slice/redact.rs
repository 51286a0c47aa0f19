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
    pub(super) fn new(profile: &Profile) -> Redacted {
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

pub(super) fn cost_centre(centre: &CostCentre) -> CostCentre {
    let mut short = centre.clone();
    let CostCentre { label, module, location, is_caf: _ } = &mut short;
    [label, module, location].into_iter().for_each(shorten);
    short
}

pub(super) fn info_table(table: &InfoTable) -> InfoTable {
    let mut short = table.clone();
    let InfoTable { name, closure_kind: _, ty, label, module, location } = &mut short;
    [name, ty, label, module, location].into_iter().for_each(shorten);
    short
}

pub(super) fn frame(mut frame: Frame) -> Frame {
    [&mut frame.name, &mut frame.module, &mut frame.place].into_iter().for_each(shorten);
    frame
}

fn shorten(text: &mut (impl AsRef<str> + From<String>)) {
    if let Cow::Owned(short) = without_folders(text.as_ref()) {
        *text = short.into();
    }
}

/// `text` without what says where it comes from: a path that leads out of the project is gone from where it
/// begins to the last separator of its line, and an address is gone whole.
///
/// So of `go (Main, /home/me/src/a.hs:1:2)` and `go (Main, ../me/a.hs:1:2)` stays `go (Main, a.hs:1:2)`; of
/// `https://host/x`, `me@host` and a home folder stays `…`. Paths inside the project, `src/a.hs`, stay.
/// Folders may have any sign in their names, so only the end of the line ends a path. That can remove
/// words between two paths, but it leaves no folder.
pub fn without_folders(text: &str) -> Cow<'_, str> {
    if !text.contains(['/', '\\', '@', '＠', '%', '[', '&']) {
        return Cow::Borrowed(text);
    }
    let mut kept = String::with_capacity(text.len());
    for line in text.split_inclusive(['\n', '\r', '\0']) {
        let plain = unescaped(line);
        let short = without_paths(&without_addresses(&plain)).into_owned();
        kept.push_str(if short == plain { line } else { &short });
    }
    if kept == text { Cow::Borrowed(text) } else { Cow::Owned(kept) }
}

/// The line with plain separators: JSON may write `\/` or `\u002f` for a slash, C `\x2f`, HTML `&#47;`, and addresses
/// `%2F`, or `%252F` if they are in another address.
fn unescaped(line: &str) -> Cow<'_, str> {
    const ESCAPES: [(&str, &[&str]); 6] = [
        ("%", &["%25"]),
        ("/", &["\\/", "\\x2f", "\\x2F", "\\u002f", "\\u002F"]),
        ("/", &["&#47;", "&#x2f;", "&#x2F;", "%2F", "%2f"]),
        ("\\", &["\\x5c", "\\x5C", "\\u005c", "\\u005C", "%5C", "%5c"]),
        (":", &["%3A", "%3a"]),
        ("@", &["%40", "＠"]),
    ];
    let mut plain = Cow::Borrowed(line);
    for (sign, escapes) in ESCAPES {
        for &escape in escapes {
            if plain.contains(escape) {
                plain = Cow::Owned(plain.replace(escape, sign));
            }
        }
    }
    plain
}

/// The line with `…` for every address.
fn without_addresses(line: &str) -> Cow<'_, str> {
    let mut kept = String::new();
    let mut done = 0;
    for (at, _) in line.match_indices(['@', '/', '\\', '[']) {
        let start = (at >= done).then(|| address_start(line, at)).flatten();
        let Some(start) = start.filter(|&start| start >= done) else { continue };
        kept.push_str(&line[done..start]);
        kept.push('…');
        let end = line[at..].find(|c: char| c.is_whitespace() || "\"<>`".contains(c));
        let address = &line[..end.map_or(line.len(), |end| at + end)];
        let bare = address.trim_end_matches([',', ';', '.', ')', ']', '\'']).len().max(at + 1);
        // The bracket that ends a number of IPv6 is a part of it.
        let is_open = address[start..bare].rfind('[') > address[start..bare].rfind(']');
        done = bare + usize::from(is_open && address[bare..].starts_with(']'));
    }
    match done {
        0 => Cow::Borrowed(line),
        _ => Cow::Owned(kept + &line[done..]),
    }
}

/// Where the address begins that has its sign here: the `@` of a person, the first separator after a scheme
/// or before a host, the bracket of a number of IPv6.
fn address_start(line: &str, at: usize) -> Option<usize> {
    let (before, after) = (&line[..at], &line[at + 1..]);
    let is_part = |c: char| c.is_alphanumeric() || "_-.+".contains(c);
    match line.as_bytes()[at] {
        b'@' => {
            let name = match before.strip_suffix('"') {
                Some(quoted) => &quoted[..quoted.rfind('"').unwrap_or(quoted.len())],
                None => before.trim_end_matches(is_part),
            };
            // `user:password@host`.
            let user = name.strip_suffix(':').filter(|_| name.len() < at);
            let user = user.filter(|user| !user.ends_with("mailto"));
            let start = user.map(|user| user.trim_end_matches(is_part).len());
            let start = start.filter(|&start| start + 1 < name.len()).unwrap_or(name.len());
            // `me@[10.0.0.1]`.
            let number = after.strip_prefix('[').and_then(|number| number.split(']').next());
            if number.is_some_and(|number| number.contains(['.', ':'])) && name.len() < at {
                return Some(start);
            }
            let host = &after[..after.find(|c| !is_part(c)).unwrap_or(after.len())];
            let goes_on = after[host.len()..].starts_with([':', '/', '\\']);
            // `x@Just` is a pattern, and `f @Data.Map` a type.
            let mut signs = host.chars();
            let is_constructor = signs.next().is_some_and(char::is_uppercase)
                && signs.next().is_none_or(char::is_lowercase);
            let is_host = host.trim_matches('.').contains('.') || goes_on || !is_constructor;
            let is_named = name.len() < at || before.ends_with(':');
            (is_host && is_named && !host.is_empty()).then_some(start)
        }
        b'[' => {
            let is_digit = |c: char| c.is_ascii_hexdigit() || c == ':' || c == '.';
            let number = &after[..after.find(|c| !is_digit(c))?];
            // A zone may follow the number: `[fe80::1%eth0]`.
            let rest = &after[number.len()..];
            let zone = rest.strip_prefix('%').map(|zone| zone.trim_start_matches(is_part));
            let is_closed = zone.unwrap_or(rest).starts_with(']');
            (is_closed && number.matches(':').count() > 1).then_some(at)
        }
        mark => {
            let host = after.strip_prefix(char::from(mark))?;
            if !host.starts_with(|c: char| c.is_alphanumeric() || "…[".contains(c)) {
                return None;
            }
            if let Some(scheme) = before.strip_suffix(':') {
                let start =
                    scheme.trim_end_matches(|c: char| c.is_ascii_alphanumeric() || c == '+');
                // A single letter is a drive.
                return (start.len() + 1 < scheme.len() && !scheme.ends_with("file"))
                    .then_some(start.len());
            }
            // `//host`; `//host/share/a.hs` is a path.
            let is_path = host.contains(['/', '\\']);
            (opens(before) && !is_path && mark == b'/').then_some(at)
        }
    }
}

/// The line from the first path that leads out of the project without what is up to the last separator.
fn without_paths(line: &str) -> Cow<'_, str> {
    let Some(last) = line.rfind(['/', '\\']) else { return Cow::Borrowed(line) };
    let starts = line.match_indices(['/', '\\']).find_map(|(at, _)| path_start(line, at));
    let Some(start) = starts.filter(|&start| start < last) else { return Cow::Borrowed(line) };
    let (front, folder, rest) = (&line[..start], &line[start..=last], &line[last + 1..]);
    if HOMES.iter().any(|homes| folder.ends_with(homes)) && !rest.is_empty() {
        // The rest is somebody's name.
        let end = if line.ends_with('\n') { "\n" } else { "" };
        return Cow::Owned(format!("{front}…{end}"));
    }
    Cow::Owned(format!("{front}{rest}"))
}

/// What may come before a path, apart from blanks.
const BEGINS: &str = "\"'`([,;=:@<>|{‘“«‹„";

/// Folders in which everybody has a folder with his own name.
const HOMES: [&str; 4] = ["/home/", "/Users/", "\\Users\\", "\\\\Users\\\\"];

/// The longest path of all systems that are known, in bytes.
const LONGEST_PATH: usize = 4096;

fn opens(before: &str) -> bool {
    let foreign = |c: char| !c.is_ascii() && !c.is_alphanumeric();
    let may = |c: char| c.is_whitespace() || BEGINS.contains(c) || foreign(c);
    // The prime of a name such as `randoms'` is no quote.
    let is_prime = before.strip_suffix('\'').is_some_and(|name| name.ends_with(is_part_of_name));
    !is_prime && before.chars().next_back().is_none_or(may)
}

/// Where the path begins that leads out of the project and has a separator here; `None` without one.
///
/// Haskell has operators with slashes, and cost-centre stacks are joined by them: so what is before
/// and after the slash must look like a path.
fn path_start(text: &str, separator: usize) -> Option<usize> {
    let (before, after) = (&text[..separator], &text[separator + 1..]);
    let dots = after.len() - after.trim_start_matches('.').len();
    let is_named = after[dots..].starts_with(|c: char| c.is_alphanumeric() || c == '_')
        || (matches!(dots, 1 | 2) && after[dots..].starts_with(['/', '\\']));
    if !is_named {
        return None;
    }
    if let Some(start) = home_start(before) {
        return Some(start);
    }
    // `../me/a.hs`, `src/../../me/a.hs`: what is above the project's folder is not the project's.
    if before.ends_with("..")
        && let Some(start) = above(before)
    {
        return Some(start);
    }
    // `-I/usr/include`.
    if let Some(flag) = before.strip_suffix(|c: char| c.is_ascii_alphabetic())
        && flag.strip_suffix('-').is_some_and(opens)
    {
        return Some(separator);
    }
    if before.trim_end_matches(['/', '\\']).ends_with("file:") {
        return Some(separator);
    }
    let mark = char::from(text.as_bytes()[separator]);
    if let Some(start) = windows_start(before, after, mark) {
        return Some(start);
    }
    // A path as a name in a stack: `f//home/me/x`. An operator would have a slash on both sides.
    let in_stack = before.strip_suffix('/').is_some_and(|front| front.ends_with(is_part_of_name));
    // A home folder after any sign that is no part of a name or of another path.
    let folder = after.strip_prefix("home").or(after.strip_prefix("Users"));
    let is_home = folder.is_some_and(|rest| rest.starts_with(['/', '\\']))
        && !before.ends_with(|c: char| c.is_alphanumeric() || "_./-".contains(c));
    let is_start = mark == '/' && (opens(before) || (in_stack && after.contains('/')));
    (is_start || is_home).then_some(separator)
}

/// Where a home folder begins that ends here: `~/`, `~me/`, `$HOME/`.
fn home_start(before: &str) -> Option<usize> {
    let user = before.trim_end_matches(|c: char| c.is_alphanumeric() || "_-.".contains(c));
    let home = user.strip_suffix('~').filter(|home| opens(home));
    let variable = || before.strip_suffix("$HOME").or_else(|| before.strip_suffix("${HOME}"));
    home.or_else(variable).map(str::len)
}

/// Where a path of Windows, or a path to a server, begins whose separator `mark` is here.
fn windows_start(before: &str, after: &str, mark: char) -> Option<usize> {
    // `C:\Users`, `C:/Users`; also as a name in a stack, `f/C:\Users`.
    let drive = || {
        let drive = before.strip_suffix(':')?;
        let front = drive.strip_suffix(|c: char| c.is_ascii_alphabetic())?;
        (opens(front) || front.ends_with(['/', '\\'])).then_some(front)
    };
    // `\\server\share`, `//server/share`: the second of two equal separators is here.
    let server = || before.strip_suffix(mark).filter(|front| opens(front) && after.contains(mark));
    // `\\?\C:\Users`, `\\?\UNC\server\share`: how Windows is given a path that it is not to change.
    let verbatim = || {
        let front = before.strip_suffix(r"\\?").or(before.strip_suffix(r"\\."))?;
        (mark == '\\' && opens(front)).then_some(front)
    };
    drive().or_else(server).or_else(verbatim).map(str::len)
}

/// Where a relative path begins that ends in `..` and with it is above the folder where it began.
fn above(before: &str) -> Option<usize> {
    let is_part = |c: char| c.is_alphanumeric() || "_-./\\".contains(c);
    let mut near = before.len().saturating_sub(LONGEST_PATH);
    while !before.is_char_boundary(near) {
        near += 1;
    }
    let start = near + before[near..].trim_end_matches(is_part).len();
    let mut depth = 0;
    for part in before[start..].split(['/', '\\']) {
        depth += match part {
            "" | "." => 0,
            ".." => -1,
            _ => 1,
        };
    }
    (depth < 0).then_some(start)
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
            ("read \"/srv/in.txt\" and /srv/out.txt", "read \"out.txt"),
            ("C:\\Users\\me\\a.hs, C:/Users/me/b.hs", "b.hs"),
            ("~/src/a.hs", "a.hs"),
            ("file:///home/me/a.hs", "file://a.hs"),
            ("https://me@ci.example/builds/me/a.hs", "…"),
            ("get https://ci/a/b?key=1,2&x#y (ok)", "get … (ok)"),
            ("http://ci/a#me then /srv/me/x", "… then x"),
            ("from git@ci.example:me/a.git", "from …"),
            ("rsync me@nas:/srv/me/x", "rsync …"),
            ("by me.too+x@host.example, you", "by …, you"),
            ("http://[fe80::1]:80/x", "…"),
            ("[12:30] read [::1]", "[12:30] read …"),
            ("[from http://[fe80::1]].", "[from …]."),
            (r"\Users\me\x", "x"),
            (r#"{"home":"\/home\/me\/x"}"#, r#"{"home":"x"}"#),
            ("../a.hs", "a.hs"),
            ("./../../me/a.hs", "a.hs"),
            ("go (Main, ../../me/lib/a.hs:1:2)", "go (Main, a.hs:1:2)"),
            (r"..\me\a.hs", "a.hs"),
            ("&/home/me/x （/home/me/y", "&y"),
            ("（/srv/me/y）", "（y）"),
            ("see http://host:80, http://host", "see …, …"),
            ("~me/src/a.hs ~me/b.hs", "b.hs"),
            ("~me/b.hs", "b.hs"),
            ("in /home/me", "in …"),
            ("open '/srv/me/x'", "open 'x'"),
            ("f'/home/me/x", "f'x"),
            ("HOME=/Users/me smith", "HOME=…"),
            (r"C:\Users\me", "…"),
            (r#""C:\\Users\\me""#, "\"C:…"),
            ("/home/me/", ""),
            ("cc -I/home/me/include", "cc -Iinclude"),
            ("‘/home/me/a.hs’ “/home/me/b.hs”", "‘b.hs”"),
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
            ("/var/x/with (paren)/me/a.hs", "a.hs"),
            ("/home/O'Neil/a.hs:1:2", "a.hs:1:2"),
            (r"C:\Program Files (x86)\me\a.hs", "a.hs"),
            ("%2Fhome%2Fme%2Fa.hs", "a.hs"),
            ("file%3A%2F%2F%2Fhome%2Fme%2Fa.hs", "file://a.hs"),
            ("..%2Fme%2fa.hs", "a.hs"),
            ("%252Fhome%252Fme%252Fa.hs", "a.hs"),
            (r"C:\x5CUsers\x5Cme\x5Ca.hs", "a.hs"),
            (r"\x2fhome\x2fme\x2fa.hs", "a.hs"),
            (r"\u002fhome\u002fme\u002fa.hs", "a.hs"),
            ("&#47;home&#47;me&#x2F;a.hs", "a.hs"),
            ("read $HOME/me/a.hs", "read a.hs"),
            ("${HOME}/me/a.hs", "a.hs"),
            ("[fe80::1%25eth0]:80", "…"),
            ("/./home/me/a.hs", "a.hs"),
            ("a/../../me/a.hs", "a.hs"),
            ("ask //host", "ask …"),
            ("me@host", "…"),
            ("ssh me@host ls", "ssh … ls"),
            ("(me@host)", "(…)"),
            ("<me@host>", "<…>"),
            ("ME@HOST", "…"),
            ("me.too@host", "…"),
            ("mailto:me@host", "mailto:…"),
            ("\"a b\"@host.de", "…"),
            ("me@Host1.example", "…"),
            ("me@localhost", "…"),
            ("bob:pw@host", "…"),
            ("by bob:pass.word@host.example, you", "by …, you"),
            ("bob@[10.0.0.1]", "…"),
            ("(bob@[fe80::1])", "(…)"),
            ("user＠host", "…"),
            ("me@host/x", "…"),
            ("jdbc:oracle:thin:@host:1521", "jdbc:oracle:thin:…"),
            (r"https:\/\/host\/x", "…"),
            (r"file:\\\C:\me\a.hs", r"file:\\a.hs"),
            ("[fe80::1]/x", "…"),
            ("first /home/me/a\nthen src/b.hs", "first a\nthen src/b.hs"),
            ("50% of src/a.hs", "50% of src/a.hs"),
        ] {
            assert_eq!(without_folders(text), short, "{text}");
        }
    }

    /// Only its end is looked at, which can begin in the middle of a character.
    #[test]
    fn a_very_long_relative_path_leaves_no_folder() {
        for begin in ["", "x", "ab", "abc"] {
            let text = format!("{begin}{}/../../me/a.hs", "é".repeat(LONGEST_PATH));
            let short = without_folders(&text).into_owned();
            assert!(
                short.ends_with("éa.hs") && text.starts_with(&short[..short.len() - 4]),
                "{short}"
            );
        }
    }

    #[test]
    fn a_name_of_very_many_slashes_takes_no_longer_than_another() {
        let names =
            ["[", "[a:", "f/", "a@b/", "../", "//", "/=", "http://", "@", "C:\\", "(/a", "\\\\.."];
        let start = crate::testing::Stopwatch::start();
        for name in names {
            without_folders(&name.repeat(200_000 / name.len()));
        }
        assert!(start.elapsed().as_secs() < 20, "{:?}", start.elapsed());
    }

    #[test]
    fn what_is_no_absolute_path_stays() {
        for text in "|/|src/Lib/a.hs:3:1|src/../lib/a.hs|x@Just|f @Data.Map|main/home/page|[1..]/x|\
            xs@Cons|f @a|all @ once|f/g/main|///main|</>/main|(/)/f/main|/=/f|(/.)|\
            a////g/main|\\x -> x|1 / 2 / 3|Data.Map.CAFf/g|/tmp|a ://b|x-y/z|\
            randoms'/main.m/main|go''/f/g|home/me/a.hs"
            .split('|')
        {
            assert_eq!(without_folders(text), text, "{text}");
            assert!(matches!(without_folders(text), Cow::Borrowed(_)), "{text}");
        }
    }
}
