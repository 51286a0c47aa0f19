//! Which files hp2ps reads and writes (`docs/format/hp.md#files`).

/// The names of a run's files, as bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Files {
    /// The file that is read.
    pub input: Vec<u8>,
    /// The file that is written, in the current folder.
    pub postscript: Vec<u8>,
    /// The file in the current folder that is read with `-p` and written at the end.
    pub aux: Vec<u8>,
}

/// hp2ps's names for an input argument, which may lack the ending `.hp`.
pub fn files(argument: &[u8]) -> Files {
    let stem = without_ending(argument, b"hp");
    Files { input: [stem, b".hp"].concat(), ..outputs(stem) }
}

/// The names for an event log or a compressed file, which hp2ps cannot read: the argument itself is
/// the input. `None` for any other ending.
pub fn newer_files(argument: &[u8]) -> Option<Files> {
    let plain = without_ending(without_ending(argument, b"gz"), b"zst");
    let stem = without_ending(without_ending(plain, b"eventlog"), b"hp");
    let newer = plain.len() < argument.len() || plain.ends_with(b".eventlog");
    newer.then(|| Files { input: argument.to_vec(), ..outputs(stem) })
}

fn outputs(stem: &[u8]) -> Files {
    let base = &stem[stem.iter().rposition(|&byte| byte == b'/').map_or(0, |slash| slash + 1)..];
    Files { input: Vec::new(), postscript: [base, b".ps"].concat(), aux: [base, b".aux"].concat() }
}

fn without_ending<'a>(path: &'a [u8], ending: &[u8]) -> &'a [u8] {
    path.strip_suffix(ending).and_then(|stem| stem.strip_suffix(b".")).unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(files: Files) -> [String; 3] {
        [files.input, files.postscript, files.aux].map(|name| String::from_utf8(name).unwrap())
    }

    #[test]
    fn a_last_hp_is_cut_once() {
        for (argument, expected) in [
            ("x", ["x.hp", "x.ps", "x.aux"]),
            ("x.hp", ["x.hp", "x.ps", "x.aux"]),
            ("x.txt", ["x.txt.hp", "x.txt.ps", "x.txt.aux"]),
            ("x.hp.hp", ["x.hp.hp", "x.hp.ps", "x.hp.aux"]),
            (".hp", [".hp", ".ps", ".aux"]),
            ("", [".hp", ".ps", ".aux"]),
            ("a.hp/b", ["a.hp/b.hp", "b.ps", "b.aux"]),
        ] {
            assert_eq!(names(files(argument.as_bytes())), expected);
        }
    }

    #[test]
    fn event_logs_and_compressed_files_are_read_as_named() {
        for (argument, base) in
            [("a/x.eventlog", "x"), ("x.eventlog.gz", "x"), ("x.hp.zst", "x"), ("x.gz", "x")]
        {
            let found = newer_files(argument.as_bytes()).map(names).unwrap();
            assert_eq!(found, [argument.to_owned(), format!("{base}.ps"), format!("{base}.aux")]);
        }
        assert_eq!(newer_files(b"x.hp"), None);
        assert_eq!(newer_files(b"eventlog"), None);
    }
}
