//! Runs both programs on one input, and compares their answers.

use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::case::{Call, Case};

/// The content of the output file before a run: what is no picture is not replaced by ours.
const OLD: &[u8] = b"%!PS-Adobe-2.0 old\n";

/// The two programs, both called `hp2ps`.
pub struct Twins {
    real: PathBuf,
    ours: PathBuf,
    folder: PathBuf,
    /// Removes the folder, unless a case must be kept.
    _guard: tempfile::TempDir,
}

/// The result of one program.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Answer {
    status: i32,
    stdout: Vec<u8>,
    stderr: Vec<u8>,
    ps: Option<Vec<u8>>,
    aux: Option<Vec<u8>>,
}

/// The result of a comparison.
pub enum Verdict {
    /// Nothing differs.
    Same,
    /// Both refuse the input, and ours says why and keeps the old files.
    Refused,
    /// hp2ps failed although the input is valid, and ours drew the right picture.
    Better(&'static str),
    /// hp2ps did something that depends on how it was built.
    Undefined(&'static str),
    /// Any other difference.
    Different,
}

/// Verdicts, counted.
#[derive(Default)]
pub struct Tally {
    pub same: usize,
    pub refused: usize,
    pub different: usize,
    others: std::collections::BTreeMap<&'static str, usize>,
}

impl Tally {
    pub fn add(&mut self, verdict: Verdict) {
        match verdict {
            Verdict::Same => self.same += 1,
            Verdict::Refused => self.refused += 1,
            Verdict::Different => self.different += 1,
            Verdict::Better(what) | Verdict::Undefined(what) => {
                *self.others.entry(what).or_default() += 1;
            }
        }
    }

    pub fn all(&self) -> usize {
        self.same + self.refused + self.different + self.others.values().sum::<usize>()
    }

    /// Writes directly to stderr, because the harness hides what a passing test prints.
    pub fn print(&self, what: &str) {
        let mut line = format!(
            "{what}: {} compared, {} the same, {} refused by both",
            self.all(),
            self.same,
            self.refused
        );
        for (other, count) in &self.others {
            let _ = write!(line, ", {count} {other}");
        }
        let _ = writeln!(std::io::stderr(), "{line}, {} different", self.different);
    }
}

impl Twins {
    pub fn new(program: &Path) -> Self {
        let guard = tempfile::tempdir().expect("a folder");
        let folder = guard.path().to_owned();
        let link = |name: &str, target: &Path| {
            let bin = folder.join(name);
            fs::create_dir(&bin).expect("a folder");
            std::os::unix::fs::symlink(target, bin.join("hp2ps")).expect("a link");
            bin.join("hp2ps")
        };
        let real = link("real", program);
        let ours = link("ours", Path::new(env!("CARGO_BIN_EXE_heapviz")));
        Twins { real, ours, folder, _guard: guard }
    }

    /// Runs a program in a fresh folder with these files.
    fn run(&self, program: &Path, files: &[(&str, &[u8])], words: &[&str], input: &[u8]) -> Answer {
        let place = self.folder.join("case");
        let _ = fs::remove_dir_all(&place);
        fs::create_dir(&place).expect("a folder");
        for (name, bytes) in files {
            fs::write(place.join(name), bytes).expect("a file");
        }
        let mut child = Command::new("timeout")
            .arg("5")
            .arg(program)
            .args(words)
            .current_dir(&place)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("a program");
        let mut stdin = child.stdin.take().expect("a pipe");
        let input = input.to_vec();
        let feeder = std::thread::spawn(move || {
            // It is not an error if the input is not read.
            let _ = stdin.write_all(&input);
        });
        let output = child.wait_with_output().expect("an end");
        feeder.join().expect("a feeder");
        Answer {
            status: output.status.code().unwrap_or(-1),
            stdout: output.stdout,
            stderr: output.stderr,
            ps: fs::read(place.join("t.ps")).ok(),
            aux: fs::read(place.join("t.aux")).ok(),
        }
    }

    fn answer(&self, program: &Path, case: &Case) -> Answer {
        let mut files: Vec<(&str, &[u8])> = vec![("t.ps", OLD)];
        if case.call != Call::Absent {
            files.push(("t.hp", &case.hp));
        }
        if let Some(aux) = &case.aux {
            files.push(("t.aux", aux));
        }
        let mut words: Vec<&str> = case.flags.iter().map(String::as_str).collect();
        match case.call {
            Call::Filter => {}
            Call::File => words.push("t.hp"),
            Call::Stem | Call::Absent => words.push("t"),
        }
        let input = if case.call == Call::Filter { &*case.hp } else { b"" };
        self.run(program, &files, &words, input)
    }

    /// The `.aux` file that the real program writes.
    pub fn aux_of(&self, hp: &[u8], flag: &str) -> Option<Vec<u8>> {
        self.run(&self.real, &[("t.hp", hp)], &[flag, "t"], b"").aux
    }

    /// Compares the two on a case.
    pub fn compare(&self, case: &Case) -> Verdict {
        let real = self.answer(&self.real, case);
        let ours = self.answer(&self.ours, case);
        let verdict = self.judge(case, &real, &ours);
        if let Verdict::Different = verdict {
            self.explain(case, &real, &ours);
        }
        verdict
    }

    fn judge(&self, case: &Case, real: &Answer, ours: &Answer) -> Verdict {
        let said = String::from_utf8_lossy(&ours.stderr);
        if said.contains("END_SAMPLE without BEGIN_SAMPLE") {
            return Verdict::Undefined("of uninitialised memory");
        }
        if ours == real {
            return Verdict::Same;
        }
        let real_said = String::from_utf8_lossy(&real.stderr);
        let is_usage = |answer: &Answer| answer.stdout.starts_with(b"error: ");
        if ours.status != 0 {
            // For a bad input hp2ps leaves an empty or unfinished picture; ours keeps the old one.
            let is_kept = ours.ps.as_deref() == Some(OLD)
                && ours.aux == case.aux
                && ours.stdout.is_empty()
                && said.starts_with("error: ");
            return match real.status {
                _ if !is_kept => Verdict::Different,
                // Killed, by itself or because of its endless output.
                124.. => Verdict::Better("clear errors for crashes"),
                1 => Verdict::Refused,
                0 if is_usage(real) => Verdict::Refused,
                _ => Verdict::Different,
            };
        }
        if is_usage(real) && ours.stdout.starts_with(b"usage: ") {
            return Verdict::Same;
        }
        if real.status >= 124 {
            return Verdict::Better("drawn where hp2ps crashes");
        }
        if real.status == 1 && real_said.contains("map overflow") {
            return Verdict::Better("drawn with a large .aux");
        }
        if real.status == 1 && real_said.contains("out of memory") {
            return Verdict::Better("drawn for a limit without end");
        }
        if real.status == 1 && said.contains("names with blanks") {
            let refused = ["integer must follow", "number must follow", "out of sequence"];
            return match refused.iter().any(|message| real_said.contains(message)) {
                true => Verdict::Better("drawn with blanks in names"),
                false => Verdict::Different,
            };
        }
        let left_out = said.contains("is cut off") || said.contains("it is left out");
        if real.status == 1 && left_out && said.lines().count() == 1 && self.is_repaired(case, ours)
        {
            return Verdict::Better("drawn without a cut last sample");
        }
        Verdict::Different
    }

    /// Whether ours equals hp2ps's picture of the file up to its last complete sample.
    fn is_repaired(&self, case: &Case, ours: &Answer) -> bool {
        let ends = memchr::memmem::find_iter(&case.hp, b"END_SAMPLE").map(|at| {
            let rest = &case.hp[at + 10..];
            let number = rest.iter().position(|byte| byte.is_ascii_digit()).unwrap_or(0);
            let end = rest[number..].iter().position(|byte| !matches!(byte, b'0'..=b'9' | b'.'));
            at + 10 + end.map_or(rest.len(), |end| number + end)
        });
        let ends: Vec<usize> = ends.collect();
        ends.into_iter().rev().any(|end| {
            // Marks are outside samples, so those after the last one count.
            let hp = [&case.hp[..end], b"\n", &marks(&case.hp[end..])].concat();
            let whole = Case { hp, ..case.clone() };
            let real = self.answer(&self.real, &whole);
            real == Answer { stderr: Vec::new(), ..ours.clone() }
        })
    }

    /// Keeps the case, and says in what the two differ.
    fn explain(&self, case: &Case, real: &Answer, ours: &Answer) {
        let name: String = case.name.chars().filter(char::is_ascii_alphanumeric).collect();
        let kept = std::env::temp_dir().join(format!("hp2ps-twin-{name}"));
        let files = [("real.ps", &real.ps), ("real.aux", &real.aux), ("ours.ps", &ours.ps)];
        let files = files.into_iter().chain([("ours.aux", &ours.aux), ("t.aux", &case.aux)]);
        fs::create_dir_all(&kept).expect("a folder");
        fs::write(kept.join("t.hp"), &case.hp).expect("a file");
        for (name, bytes) in files {
            fs::write(kept.join(name), bytes.as_deref().unwrap_or_default()).expect("a file");
        }
        let said = |it: &Answer| format!("{} {}", it.status, String::from_utf8_lossy(&it.stderr));
        let _ = writeln!(
            std::io::stderr(),
            "{} differs: {:?} {:?}, kept in {}\n  hp2ps: {}\n  ours: {}",
            case.name,
            case.flags,
            case.call,
            kept.display(),
            said(real),
            said(ours)
        );
    }
}

/// The complete marks in a piece of text.
fn marks(text: &[u8]) -> Vec<u8> {
    let text = String::from_utf8_lossy(text).into_owned();
    let ends_inside = text.ends_with(|c: char| c.is_ascii_digit());
    let is_white = |c: char| matches!(c, ' ' | '\t'..='\r');
    let words: Vec<&str> = text.split(is_white).filter(|word| !word.is_empty()).collect();
    let whole = |i: usize| words[i].contains('.') && (i + 1 < words.len() || !ends_inside);
    let marks = (1..words.len()).filter(|&i| words[i - 1] == "MARK" && whole(i));
    marks.map(|i| format!("MARK {}\n", words[i])).collect::<String>().into_bytes()
}
