//! Reads the lines of source that are shown next to their places.
//!
//! A place comes from a profile, which anybody may have written, so a file is read only if it is inside
//! a folder that the user named or works in. A path that leads out of the folder (`..`, an absolute
//! path, a link) names no source, so a profile cannot make heapviz show other files.

use std::fs::{self, File};
use std::io::Read;
use std::ops::Range;
use std::path::{Component, Path, PathBuf};

use super::{Input, output};
use crate::base::text::{file_and_line, visible};

const MOST_BYTES: u64 = 1 << 20;

/// The folders in which sources are looked for.
#[derive(Clone, Debug, Default)]
pub struct Sources(Vec<PathBuf>);

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceLine {
    /// The number of the line, from 1.
    pub number: usize,
    /// The text of the line without indentation and control characters.
    pub text: String,
    /// The characters of the text at which the place is, if it is a part of the line.
    pub marked: Option<Range<usize>>,
}

impl SourceLine {
    /// `      13 | parseEntry line = …`.
    pub fn quoted(&self) -> String {
        format!("{:>8} | {}", self.number, self.text)
    }

    /// Marks for the line below that: `           ^^^^`.
    pub fn marks(&self) -> Option<String> {
        let marked = self.marked.clone()?;
        Some(" ".repeat(11 + marked.start) + &"^".repeat(marked.len()))
    }
}

impl Sources {
    /// The folder that was named, or else these.
    pub fn new<'a>(named: Option<&Path>, usual: impl IntoIterator<Item = &'a Path>) -> Self {
        let folders: Vec<&Path> = match named {
            Some(folder) => vec![folder],
            None => usual.into_iter().collect(),
        };
        let mut known: Vec<PathBuf> = Vec::new();
        for folder in folders {
            let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
            known.extend(fs::canonicalize(folder).ok().filter(|one| !known.contains(one)));
        }
        Sources(known)
    }

    /// Whether no source is looked for anywhere.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The line at a place such as `src/Foo.hs:12:3`. `None` for a place without a line, and for a file
    /// that is not there, is outside of the folders, or is too large.
    pub fn line(&self, place: &str) -> Option<SourceLine> {
        let (file, number) = file_and_line(place)?;
        let path = Path::new(file);
        if !path.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir)) {
            return None;
        }
        let text = self.0.iter().find_map(|folder| read(folder, path))?;
        let line = text.split(|&byte| byte == b'\n').nth(number.checked_sub(1)?)?;
        let whole = String::from_utf8_lossy(line).replace('\t', "    ");
        let text = visible(whole.trim());
        let indent = whole.chars().take_while(|letter| letter.is_whitespace()).count();
        let columns = place.rsplit(':').next()?.split_once('-');
        let column = |text: &str| text.parse::<usize>().ok()?.checked_sub(1 + indent);
        let marked = columns.and_then(|(from, to)| Some(column(from)?..column(to)? + 1));
        let length = text.chars().count();
        let is_part = |marked: &Range<usize>| {
            !marked.is_empty() && marked.end <= length && marked.len() < length
        };
        let marked = marked.filter(is_part);
        (!text.is_empty()).then_some(SourceLine { number, text, marked })
    }
}

impl Sources {
    /// The file of a place from the current folder, if it is below it: the form in which services find
    /// it in a repository.
    pub fn path(&self, place: &str) -> Option<String> {
        let (here, there) = self.here_and_there(place)?;
        let path = there.strip_prefix(here).ok()?;
        Some(path.to_string_lossy().replace('\\', "/"))
    }

    /// A place as an editor in the current folder opens it: `../core/src/Store.hs:7` of `src/Store.hs:7:3-12`, if its
    /// source is near.
    pub fn place_here(&self, place: &str) -> String {
        let Some((file, number)) = file_and_line(place) else { return place.to_owned() };
        let found = self.here_and_there(place).and_then(|(here, there)| relative(&here, &there));
        let found = found.map(|path| path.to_string_lossy().replace('\\', "/"));
        format!("{}:{number}", found.as_deref().unwrap_or(file))
    }

    /// The current folder, and the file of a place.
    fn here_and_there(&self, place: &str) -> Option<(PathBuf, PathBuf)> {
        self.line(place)?;
        let (file, _) = file_and_line(place)?;
        let here = std::env::current_dir().and_then(fs::canonicalize).ok()?;
        let there = self.0.iter().find_map(|folder| fs::canonicalize(folder.join(file)).ok())?;
        Some((here, there))
    }
}

/// The path from a folder to a file, if that is near: two folders that have only the root in common are not.
fn relative(here: &Path, there: &Path) -> Option<PathBuf> {
    const MOST_UP: usize = 2;
    let is_common = |(one, other): &(Component<'_>, Component<'_>)| one == other;
    let common = here.components().zip(there.components()).take_while(is_common).count();
    let up = here.components().skip(common).map(|_| Component::ParentDir);
    let is_near = up.clone().count() <= MOST_UP
        && here.components().take(common).any(|part| matches!(part, Component::Normal(_)));
    is_near.then(|| up.chain(there.components().skip(common)).collect())
}

/// The bytes of a file in a folder.
fn read(folder: &Path, path: &Path) -> Option<Vec<u8>> {
    let path = fs::canonicalize(folder.join(path)).ok()?;
    if !path.starts_with(folder) || !fs::metadata(&path).ok()?.is_file() {
        return None;
    }
    output::protect([&Input::File(path.clone())]);
    let mut bytes = Vec::new();
    File::open(&path).ok()?.take(MOST_BYTES + 1).read_to_end(&mut bytes).ok()?;
    (bytes.len() as u64 <= MOST_BYTES).then_some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_shown_as_the_current_folder_sees_it() {
        // Tests run in the folder of the package.
        let sources = Sources::new(Some(Path::new("tests/data/hunt")), []);
        assert_eq!(sources.place_here("healthy.hs:1:1-9"), "tests/data/hunt/healthy.hs:1");
        assert_eq!(sources.place_here("Gone.hs:7:3"), "Gone.hs:7");
        assert_eq!(sources.place_here("<no location info>"), "<no location info>");
        let path = |here: &str, there: &str| relative(Path::new(here), Path::new(there));
        assert_eq!(path("/p/app", "/p/core/src/S.hs"), Some("../core/src/S.hs".into()));
        assert_eq!((path("/p/a/b/c", "/p/S.hs"), path("/tmp/a", "/p/S.hs")), (None, None));
    }

    #[test]
    fn only_files_in_the_folder_are_read() {
        let all = tempfile::tempdir().unwrap();
        let inside = all.path().join("in");
        fs::create_dir_all(inside.join("src")).unwrap();
        fs::write(inside.join("src/A.hs"), b"one\n\ttwo \xff\x1b[2J\n\nfour").unwrap();
        fs::write(all.path().join("secret.hs"), "secret").unwrap();
        fs::write(inside.join("large.hs"), vec![b'x'; (1 << 20) + 1]).unwrap();
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink("../secret.hs", inside.join("link.hs")).unwrap();
            std::os::unix::fs::symlink("src/A.hs", inside.join("good.hs")).unwrap();
        }
        let sources = Sources::new(Some(&inside), []);
        let line = |place: &str| sources.line(place).map(|line| line.text);
        assert_eq!(line("src/A.hs:1:1").as_deref(), Some("one"));
        let two = line("src/A.hs:2").unwrap();
        assert!(two.starts_with("two \u{fffd}") && !two.contains('\u{1b}'), "{two}");
        assert_eq!(sources.line("./src/A.hs:4:9").unwrap().quoted(), "       4 | four");
        let marks = |place| sources.line(place).and_then(|line| line.marks());
        assert_eq!(marks("src/A.hs:4:2-3").as_deref(), Some("            ^^"));
        assert_eq!((marks("src/A.hs:4:2-9"), marks("src/A.hs:4:2")), (None, None));
        let absolute = format!("{}:1", all.path().join("secret.hs").display());
        let places = "src/A.hs:3:1|src/A.hs:5:1|src/A.hs:0:1|src:1:1|../secret.hs:1:1|\
            src/../../secret.hs:1:1|link.hs:1:1|large.hs:1:1|missing.hs:1:1|<no location info>|\
            src/A.hs|:1";
        for nothing in places.split('|').chain([&*absolute]) {
            assert_eq!(line(nothing), None, "{nothing}");
        }
        #[cfg(unix)]
        assert_eq!(line("good.hs:1:1").as_deref(), Some("one"));
    }
}
