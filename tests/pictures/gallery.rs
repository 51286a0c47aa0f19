//! The gallery in the documents, and the picture of each sample, are up to date with the command's pictures, byte for byte.
//!
//! `HEAPVIZ_BLESS=1 cargo test --test pictures gallery` draws them again; look at each picture before
//! committing it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Headings with their pictures: the file, the caption, and the flags, of which the last word is the sample.
const GALLERY: &str = "\
# A leak, and its cure
lazy|A count of words that piles up thunks|words-lazy.eventlog.gz
strict|The same, with a strict fold|words-strict.eventlog.gz
# Programs that people know
pandoc|pandoc, two megabytes of Markdown to HTML: built up, then partly freed|pandoc-hT.hp.gz
hlint|hlint on two packages: each is read, checked and freed|hlint-hT.hp.gz
ghc|GHC compiles a module: parsed, typed, optimised, written|ghc-hT.hp.gz
# Nine break-downs
hy|Types|leak-hy.eventlog
hc|Cost-centre stacks|leak-hc.eventlog
hd|Closure descriptions|leak-hd.hp
hm|Modules|leak-hm.hp
hr|Retainer sets|leak-hr.hp
hb|Biography: void and drag are waste|leak-hb.eventlog
hT|Closure types, with what the heap weighs|leak-hT.eventlog
hi|Info tables|leak-hi.eventlog
he|Eras, oldest darkest|leak-he.eventlog
# Views
lines|Lines: each band from zero|--view lines pandoc-hT.hp.gz
percent|Percent: each band's share|--view percent hlint-hT.hp.gz
window|The first second|--to 1s ghc-hT.hp.gz
below|Key below, for narrow pages|--key below --width 420 leak-hy.eventlog
# Long runs
dense|6 000 samples of a server, whose floor rises|server-hT.hp.gz
# Stacks and the run-time system
flame|Who holds it|--view flame leak-hc.eventlog
panels|What the run-time system did|--panels gc,memory,alloc leak-hT.eventlog
# Palettes and themes
safe|Colour-blind-safe|--palette safe pandoc-hT.hp.gz
grey|Grey|--palette grey hlint-hT.hp.gz
dark|Dark|--theme dark ghc-hT.hp.gz";

/// A picture: its file, its caption, its flags.
fn picture(line: &'static str) -> Option<[&'static str; 3]> {
    line.split('|').collect::<Vec<_>>().try_into().ok()
}

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// Where a picture is, from the root: with the golden files, if it is one of them.
fn place(file: &str, flags: &str) -> String {
    let golden = format!("tests/golden/{flags}.svg");
    if root().join(&golden).is_file() { golden } else { format!("docs/gallery/{file}.svg") }
}

fn draw(flags: &str) -> String {
    let mut words: Vec<String> = flags.split(' ').map(str::to_owned).collect();
    let sample = words.pop().expect("a sample");
    let output = Command::new(env!("CARGO_BIN_EXE_heapviz"))
        .args(["-q", "-f", "svg", "-o", "-"])
        .args(words)
        .arg(Path::new("samples").join(sample))
        .current_dir(root())
        .output()
        .expect("the command");
    assert!(output.status.success(), "{flags}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("an SVG")
}

fn page() -> String {
    let mut page = String::from(
        "# Gallery\n\nEvery picture is drawn from the [samples](../samples/README.md) by the command \
         above it.\n",
    );
    for line in GALLERY.lines() {
        let Some([file, caption, flags]) = picture(line) else {
            page += &format!("\n#{line}\n");
            continue;
        };
        let at = flags.rfind(' ').map_or(0, |at| at + 1);
        let (rest, sample) = flags.split_at(at);
        let picture = format!("../{}", place(file, flags)).replace("../docs/", "");
        page += &format!(
            "\n### {caption}\n\n`heapviz {rest}samples/{sample} -o {file}.svg`\n\n\
             ![{caption}]({picture})\n"
        );
    }
    page
}

#[test]
fn the_gallery_is_what_the_command_draws() {
    let bless = std::env::var_os("HEAPVIZ_BLESS").is_some();
    let folder = root().join("docs/gallery");
    let mut files = vec![(root().join("docs/gallery.md"), page())];
    let drawn = |[file, _, flags]: [&str; 3]| (root().join(place(file, flags)), draw(flags));
    files.extend(GALLERY.lines().filter_map(picture).map(drawn));
    for sample in fs::read_dir(root().join("samples")).expect("the samples") {
        let name = sample.expect("a sample").file_name().into_string().expect("a name");
        let golden = root().join(format!("tests/golden/{name}.svg"));
        let is_profile = name.contains(".hp") || name.contains(".eventlog");
        if is_profile && files.iter().all(|(path, _)| *path != golden) {
            files.push((golden, draw(&name)));
        }
    }
    if bless {
        fs::create_dir_all(&folder).expect("a folder");
    }
    let mut stale = Vec::new();
    for (path, content) in &files {
        if bless {
            fs::write(path, content).expect("a file of the gallery");
        } else if fs::read_to_string(path).ok().as_ref() != Some(content) {
            stale.push(path.display().to_string());
        }
    }
    assert!(stale.is_empty(), "not what the command draws: {}", stale.join(", "));
    let expected = files.iter().filter(|(path, _)| path.starts_with(&folder)).count();
    let there = fs::read_dir(&folder).expect("the gallery").count();
    assert_eq!(there, expected, "pictures in the gallery that nothing draws");
}
