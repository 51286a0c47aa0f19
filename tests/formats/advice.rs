//! Advice on complete files: good files get none.

use std::path::Path;

use crate::common;
use heapviz::input::{InputOptions, read};
use heapviz::profile::advice;

fn of(path: &Path) -> Vec<String> {
    let file = std::fs::File::open(path).expect("a file");
    advice(&read(file, &InputOptions::default()).expect("a profile"))
}

#[test]
fn the_samples_need_no_advice() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples");
    for entry in std::fs::read_dir(folder).expect("the samples") {
        let path = entry.expect("an entry").path();
        if path.extension().is_some_and(|ending| ending != "md") {
            assert!(of(&path).is_empty(), "{}", path.display());
        }
    }
}

#[test]
fn real_profiles_give_the_advice_that_fits_their_flags() {
    let data = common::real_data();
    for folder in ["ghc-9.0", "ghc-9.6", "ghc-9.10"] {
        for ending in ["hp", "eventlog"] {
            for path in common::files_with_ending(&data.join(folder), ending) {
                let advice = of(&path);
                let has = |words| advice.iter().any(|advice: &String| advice.contains(words));
                let name = path.display();
                let crashed = name.to_string().contains("crashed") && ending == "eventlog";
                assert_eq!(has("a killed program loses"), crashed, "{name}");
                let by_biography = name.to_string().contains("bdrag") && ending == "eventlog";
                assert_eq!(has("draw the .hp file"), by_biography, "{name}");
            }
        }
    }
}
