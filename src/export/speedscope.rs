//! speedscope's file format: one profile for each instant, which its viewer switches between.
//!
//! Its "time order" means nothing here: samples are in the order of their amounts, the greatest first.

use indexmap::IndexSet;
use serde::Serialize;

use crate::base::text::{file_and_line, json};
use crate::tree::{Paths, TreeFrame, Weight};

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct File<'a> {
    #[serde(rename = "$schema")]
    schema: &'static str,
    shared: SharedFrames<'a>,
    profiles: [SampledProfile<'a>; 1],
    active_profile_index: usize,
    exporter: String,
    name: &'a str,
}

#[derive(Serialize)]
struct SharedFrames<'a> {
    frames: Vec<FrameEntry<'a>>,
}

#[derive(Serialize)]
struct FrameEntry<'a> {
    name: String,
    #[serde(skip_serializing_if = "str::is_empty")]
    file: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<usize>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct SampledProfile<'a> {
    #[serde(rename = "type")]
    kind: &'static str,
    name: &'a str,
    unit: &'static str,
    start_value: u64,
    end_value: u64,
    samples: Vec<Vec<usize>>,
    weights: Vec<u64>,
}

/// The stacks in a file called `name`. Frames are the same if name, module, place and id are.
pub fn write(name: &str, paths: &Paths) -> String {
    let mut frames: IndexSet<&TreeFrame> = IndexSet::new();
    let (mut samples, mut weights) = (Vec::new(), Vec::new());
    let mut numbers: Vec<Option<usize>> = vec![None; paths.frames().len()];
    for path in paths.by_amount() {
        let number = |step: usize| {
            *numbers[step].get_or_insert_with(|| frames.insert_full(&*paths.frames()[step]).0)
        };
        samples.push(path.steps().map(number).collect());
        weights.push(u64::try_from(path.amount).unwrap_or(u64::MAX));
    }
    let profile = SampledProfile {
        kind: "sampled",
        name: &paths.subject.words,
        unit: unit(paths.subject.weight),
        start_value: 0,
        end_value: weights.iter().copied().fold(0, u64::saturating_add),
        samples,
        weights,
    };
    let frames = frames.iter().map(|frame| {
        let place = file_and_line(&frame.place);
        let (file, line) = place.map_or((&*frame.place, None), |(file, line)| (file, Some(line)));
        FrameEntry { name: frame.qualified(), file, line }
    });
    let file = File {
        schema: "https://www.speedscope.app/file-format-schema.json",
        shared: SharedFrames { frames: frames.collect() },
        profiles: [profile],
        active_profile_index: 0,
        exporter: format!("heapviz {}", env!("CARGO_PKG_VERSION")),
        name,
    };
    json(&file)
}

/// A tick is not a millisecond, so time has no unit.
fn unit(weight: Weight) -> &'static str {
    if weight.is_bytes() { "bytes" } else { "none" }
}
