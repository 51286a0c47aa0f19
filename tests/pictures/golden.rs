//! The pictures of the samples, compared byte for byte.
//!
//! `HEAPVIZ_BLESS=1 cargo test --test pictures golden` writes them again; look at each before committing
//! it. A missing picture fails the test.

use std::fs;
use std::path::Path;

use heapviz::draw::{self, DrawOptions};
use heapviz::input::{InputOptions, read_drawable};
use heapviz::profile_view::{ProfileView, ViewOptions};
use heapviz::render::{SvgOptions, svg};

fn picture(sample: &Path) -> String {
    let file = fs::File::open(sample).expect("a sample");
    let profile = read_drawable(file, &InputOptions::default()).expect("a profile");
    let options = ViewOptions::default();
    let run = ProfileView::new(&profile, &options).expect("all of it");
    svg(&draw::chart(run.picture(), &DrawOptions::default()), &SvgOptions::default())
}

/// The first difference between two texts, with a little context.
fn first_difference(expected: &str, actual: &str) -> String {
    let at = expected.bytes().zip(actual.bytes()).take_while(|(a, b)| a == b).count();
    let around = |text: &str| {
        let bytes = &text.as_bytes()[at.saturating_sub(60)..text.len().min(at + 60)];
        String::from_utf8_lossy(bytes).into_owned()
    };
    format!("byte {at}:\n  expected {}\n  actual   {}", around(expected), around(actual))
}

#[test]
fn the_samples_look_as_they_did() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let bless = std::env::var_os("HEAPVIZ_BLESS").is_some();
    let mut drawn = 0;
    let mut wrong = Vec::new();
    for entry in fs::read_dir(root.join("samples")).expect("the samples") {
        let sample = entry.expect("an entry").path();
        if sample.is_dir() || sample.extension().is_some_and(|ending| ending == "md") {
            continue;
        }
        let name = sample.file_name().expect("a name").to_string_lossy().into_owned();
        let golden = root.join("tests/golden").join(format!("{name}.svg"));
        let actual = picture(&sample);
        assert_eq!(actual, picture(&sample), "{name} is drawn differently each time");
        drawn += 1;
        if bless {
            fs::create_dir_all(golden.parent().expect("a folder")).expect("a folder");
            fs::write(&golden, actual).expect("a golden picture");
            continue;
        }
        match fs::read_to_string(&golden) {
            Ok(expected) if expected == actual => {}
            Ok(expected) => {
                wrong.push(format!("{name} differs at {}", first_difference(&expected, &actual)));
            }
            Err(error) => wrong.push(format!("{}: {error}", golden.display())),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(drawn >= 12, "only {drawn} samples were found");
}
