//! Two runs of one program are the same: a run and itself with other samples taken.

use std::fs::File;
use std::path::PathBuf;

use heapviz::compare::{Change, compare};
use heapviz::export;
use heapviz::input::{InputOptions, read};
use heapviz::profile::Profile;
use heapviz::profile_view::{ProfileView, ViewOptions};
use heapviz::slice::Slice;

use crate::common::{data, shared_data};

fn profiles() -> Vec<PathBuf> {
    let mut folders = vec![data("leaks"), data("real-runs")];
    if let Some(shared) = shared_data() {
        let more = ["leaks/dev", "leaks-loaded", "real-runs", "real", "turn6/review", "turn7/bugs"];
        folders.extend(more.map(|name| shared.join(name)));
    }
    let files = folders.iter().flat_map(|folder| folder.read_dir().expect("a folder"));
    let mut files: Vec<PathBuf> = files.map(|file| file.expect("a file").path()).collect();
    // A log has the samples of the `.hp` beside it.
    files.retain(|path| path.to_string_lossy().trim_end_matches(".gz").ends_with(".hp"));
    files.sort();
    files
}

/// A profile as a `.hp` without some of its samples: those at these places, of so many.
fn without(profile: &Profile, is_left_out: impl Fn(usize, usize) -> bool) -> Profile {
    let mut text = Vec::new();
    export::hp::write(&Slice::whole(profile), &mut text).expect("writing to memory");
    let text = String::from_utf8_lossy(&text);
    let mut parts = text.split("BEGIN_SAMPLE");
    let mut kept = parts.next().expect("a head").to_owned();
    let samples: Vec<&str> = parts.collect();
    for (at, sample) in samples.iter().enumerate() {
        if !is_left_out(at, samples.len()) {
            kept += "BEGIN_SAMPLE";
            kept += sample;
        }
    }
    read(kept.as_bytes(), &InputOptions::default()).expect("a profile")
}

#[test]
fn a_run_and_itself_with_other_samples_are_the_same() {
    let (mut compared, mut wrong) = (0, Vec::new());
    for path in profiles() {
        let profile = read(File::open(&path).expect("a file"), &InputOptions::default());
        let all = without(&profile.expect("a profile"), |_, _| false);
        let others = [
            without(&all, |at, _| at % 3 == 1),
            without(&all, |at, _| (1..4).contains(&at)),
            without(&all, |at, of| at % 2 == 0 && 0 < at && at + 2 < of),
        ];
        let options = ViewOptions::default();
        let view = |profile| ProfileView::new(profile, &options).expect("all of it");
        let run = view(&all);
        for (how, other) in others.iter().enumerate() {
            let other = view(other);
            for [before, after] in [[&run, &other], [&other, &run]] {
                // A `.hp` does not say what its bands are, and some of its samples may not show it.
                let Ok(found) = compare(&[before], &[after]) else { continue };
                compared += 1;
                match found.change {
                    Change::Same | Change::Open => {}
                    Change::Gone | Change::Less | Change::More | Change::New => {
                        wrong.push(format!("{} {how}: {}", path.display(), found.headline()));
                    }
                }
            }
        }
    }
    println!("{} of {compared} are told as a change:\n{}", wrong.len(), wrong.join("\n"));
    assert!(compared >= 300, "{compared}");
    assert!(270 * wrong.len() <= compared, "{} of {compared}:\n{}", wrong.len(), wrong.join("\n"));
}
