//! Mutation testing: which small faults in the code do the tests not notice?
//!
//! A copy of the package is built once with many faults in it, each of which an environment variable
//! switches on: `a < b` becomes `(if crate::mutants::on(7) { a <= b } else { a < b })`. So a mutant costs a run
//! of the tests, and no build. Tools that build every mutant take a minute for each.
//!
//! `mutants PACKAGE COPY [COUNT [SEED]]` prints the mutants that survive. Those in `survivors.txt` beside this
//! package have a reason to; it fails if more than one in twenty of the others do.

mod find;

use std::collections::HashSet;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use find::Mutant;

/// The folders of `src` with the code that decides what is shown.
const FOLDERS: [&str; 5] = ["analysis", "decode", "export", "profile", "slice"];

/// How many times as long as without a fault the tests may take: a fault can make a loop endless.
const PATIENCE: u32 = 6;

/// At most one in this many mutants may survive without a reason.
const MOST_SURVIVORS: usize = 20;

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [package, copy, rest @ ..] = &words[..] else {
        eprintln!("mutants PACKAGE COPY [COUNT [SEED]]");
        return ExitCode::from(2);
    };
    let number = |at: usize, default| rest.get(at).map_or(Ok(default), |word| word.parse::<u64>());
    let (Ok(count), Ok(seed)) = (number(0, 200), number(1, 1)) else {
        eprintln!("COUNT and SEED are numbers");
        return ExitCode::from(2);
    };
    let (package, copy) = (Path::new(package), Path::new(copy));
    let mutants = sample(package, count as usize, seed);
    let (mutants, tests) = built(package, copy, mutants);
    let reasons = fs::read_to_string(package.join(".ci/mutants/survivors.txt")).unwrap_or_default();
    let (mut explained, mut survivors) = (0, Vec::new());
    for (number, mutant) in mutants.iter().enumerate() {
        let began = Instant::now();
        let killer = tests.killer(number, mutant);
        let seconds = began.elapsed().as_secs();
        println!("{seconds:4} s  {:13}  {mutant}", killer.unwrap_or("SURVIVES"));
        if killer.is_none() {
            match reasons.lines().any(|line| line.starts_with(&mutant.key())) {
                true => explained += 1,
                false => survivors.push(mutant),
            }
        }
    }
    println!("\n{} mutants, {explained} survive with a reason, and", mutants.len());
    println!("{} without:", survivors.len());
    survivors.iter().for_each(|mutant| println!("{}", mutant.key()));
    if survivors.len() * MOST_SURVIVORS > mutants.len() {
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}

/// Some mutants, as many of each folder.
fn sample(package: &Path, count: usize, seed: u64) -> Vec<Mutant> {
    let mut random = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    let mut chosen = Vec::new();
    for folder in FOLDERS {
        let mut mutants = find::in_folder(&package.join("src"), folder);
        for _ in 0..count.div_ceil(FOLDERS.len()).min(mutants.len()) {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            chosen.push(mutants.swap_remove((random % mutants.len() as u64) as usize));
        }
    }
    chosen
}

/// The binaries of the tests, in the order in which they are asked.
struct Tests {
    package: PathBuf,
    binaries: [Binary; 3],
}

struct Binary {
    what: &'static str,
    path: PathBuf,
    /// How long its tests may take.
    patience: Duration,
}

/// Builds the copy with its mutants, without those that are no valid code: their types have only one of the
/// operators.
fn built(package: &Path, copy: &Path, mut mutants: Vec<Mutant>) -> (Vec<Mutant>, Tests) {
    loop {
        write(package, copy, &mutants);
        let check = cargo(copy, &["check", "--lib", "--message-format", "short"]);
        let text = String::from_utf8_lossy(&check.stderr).into_owned();
        if check.status.success() {
            break;
        }
        let wrong: HashSet<(String, usize)> = text.lines().filter_map(error_place).collect();
        let before = mutants.len();
        mutants.retain(|mutant| !wrong.contains(&(format!("src/{}", mutant.file), mutant.line)));
        assert!(mutants.len() < before, "{text}");
    }
    let build = cargo(
        copy,
        &[
            &["test", "--no-run", "--lib", "--test", "formats", "--test", "command"][..],
            &["--message-format", "short"],
            // Every mutant runs the tests, which are three times as fast then.
            &["--config", "profile.dev.package.heapviz.opt-level=1"],
        ]
        .concat(),
    );
    let text = String::from_utf8_lossy(&build.stderr).into_owned();
    assert!(build.status.success(), "{text}");
    let binary = |what: &'static str| {
        let line = text.lines().find(|line| line.contains("Executable") && line.contains(what));
        let path = line.and_then(|line| line.rsplit_once('(')).map(|(_, path)| path);
        let path = path.unwrap_or_else(|| panic!("{what} in {text}")).trim_end_matches(')');
        Binary { what, path: copy.join(path), patience: Duration::from_secs(3600) }
    };
    let binaries = ["src/lib.rs", "tests/formats", "tests/command"].map(binary);
    let mut tests = Tests { package: copy.to_owned(), binaries };
    for at in 0..tests.binaries.len() {
        let began = Instant::now();
        let fails = tests.fail(&tests.binaries[at], usize::MAX, &[]);
        let binary = &mut tests.binaries[at];
        assert!(!fails, "{} fails without a fault", binary.what);
        println!("without a fault {} takes {:?}", binary.what, began.elapsed());
        binary.patience = began.elapsed() * PATIENCE;
    }
    println!("{} mutants", mutants.len());
    (mutants, tests)
}

impl Tests {
    /// Which tests fail with a mutant. Those of its own folder come first, without the simulated heaps, which
    /// take longer than all others: they find most.
    fn killer(&self, number: usize, mutant: &Mutant) -> Option<&'static str> {
        let (folder, _) = mutant.file.split_once('/').expect("a file in a folder");
        let room = format!("{folder}::");
        if self.fail(&self.binaries[0], number, &[&room, "--skip", "simulated"]) {
            return Some("its room");
        }
        self.binaries.iter().find(|binary| self.fail(binary, number, &[])).map(|binary| binary.what)
    }

    /// Whether a test fails. The tests are ended at the first that does, and when their time is over.
    fn fail(&self, binary: &Binary, number: usize, words: &[&str]) -> bool {
        let mut command = Command::new(&binary.path);
        // What measures time fails on a busy machine.
        command
            .args(words)
            .args(["--skip", "linear_time"])
            .current_dir(&self.package)
            .env("HEAPVIZ_MUTANT", number.to_string())
            .env("CARGO_MANIFEST_DIR", &self.package)
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        let mut child = command.spawn().expect("tests");
        let (send, lines) = mpsc::channel();
        let output = BufReader::new(child.stdout.take().expect("a pipe"));
        thread::spawn(move || {
            output.split(b'\n').map_while(Result::ok).try_for_each(|line| send.send(line))
        });
        let end = Instant::now() + binary.patience;
        loop {
            match lines.recv_timeout(end.saturating_duration_since(Instant::now())) {
                Ok(line) if !line.ends_with(b"... FAILED") => {}
                Err(RecvTimeoutError::Disconnected) => {
                    return !child.wait().expect("tests").success();
                }
                Ok(_) | Err(RecvTimeoutError::Timeout) => {
                    child.kill().and_then(|()| child.wait()).expect("tests");
                    return true;
                }
            }
        }
    }
}

/// `src/a/b.rs:12:5: error[E0369]: ...`.
fn error_place(line: &str) -> Option<(String, usize)> {
    let (place, _) = line.split_once(": error")?;
    let mut parts = place.split(':');
    Some((parts.next()?.to_owned(), parts.next()?.parse().ok()?))
}

fn cargo(copy: &Path, words: &[&str]) -> std::process::Output {
    Command::new("cargo").args(words).arg("--locked").current_dir(copy).output().expect("cargo")
}

/// Writes the package with the mutants into a folder of its own. Files that are as they were keep their time,
/// so that little is built again.
fn write(package: &Path, copy: &Path, mutants: &[Mutant]) {
    for name in names(package) {
        if !["target", ".git", "src"].contains(&&*name) {
            link(&package.join(&name), &copy.join(&name));
        }
    }
    write_folder(package, copy, "src", mutants);
}

fn write_folder(package: &Path, copy: &Path, folder: &str, mutants: &[Mutant]) {
    fs::create_dir_all(copy.join(folder)).expect("a folder");
    for name in names(&package.join(folder)) {
        let name = format!("{folder}/{name}");
        let (from, to) = (package.join(&name), copy.join(&name));
        if from.is_dir() {
            write_folder(package, copy, &name, mutants);
            continue;
        }
        let mut text = fs::read(&from).expect("a source");
        if name == "src/lib.rs" {
            text.extend(SWITCH.bytes());
        }
        let here =
            mutants.iter().enumerate().filter(|(_, mutant)| format!("src/{}", mutant.file) == name);
        let mut edits: Vec<(usize, usize, String)> = Vec::new();
        for (number, mutant) in here {
            let before = format!("(if crate::mutants::on({number}) {{ {} }} else {{ ", mutant.with);
            edits.push((mutant.range.start, mutant.range.len(), before));
            edits.push((mutant.range.end, 0, " })".to_owned()));
        }
        // From the end; of two that begin at one place the longer is around the other.
        edits.sort_by_key(|&(at, length, _)| (std::cmp::Reverse(at), length));
        edits.iter().for_each(|(at, _, edit)| drop(text.splice(*at..*at, edit.bytes())));
        if fs::read(&to).ok().as_ref() != Some(&text) {
            fs::write(&to, text).expect("a source");
        }
    }
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("a file"));
    entries.map(|entry| entry.file_name().into_string().expect("a name")).collect()
}

const SWITCH: &str = r#"
mod mutants {
    /// Whether a fault is switched on.
    pub fn on(number: usize) -> bool {
        static ON: std::sync::LazyLock<Option<usize>> = std::sync::LazyLock::new(|| {
            std::env::var("HEAPVIZ_MUTANT").ok().and_then(|number| number.parse().ok())
        });
        *ON == Some(number)
    }
}
"#;

fn link(from: &Path, to: &Path) {
    if !to.exists() {
        fs::create_dir_all(to.parent().expect("a folder")).expect("a folder");
        let from = from.canonicalize().expect("a path");
        std::os::unix::fs::symlink(from, to).expect("a link");
    }
}
