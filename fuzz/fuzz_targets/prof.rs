//! Any bytes as a time profile: no panic, the same profile in any pieces, and trees that add up in
//! every format that has them.
#![no_main]

use std::io::Read;

use heapviz::chart::flame::FlameChart;
use heapviz::decode::Decoder;
use heapviz::draw::{DrawOptions, RootPlace, flame};
use heapviz::export;
use heapviz::incident::error::Error;
use heapviz::profile::{Profile, ProfileBuilder, Source};
use heapviz::render::{SvgOptions, svg};
use heapviz::slice::{Slice, SliceOptions};
use heapviz::tree::{
    Paths, Roots, StackTree, TreeSize, Weight, of_calls,
};
use heapviz_fuzz::{Choices, Pieces};
use libfuzzer_sys::fuzz_target;

fn read(mut source: impl Read) -> Result<Profile, Error> {
    let mut profile = ProfileBuilder::new(Source::Prof);
    let mut decoder = Decoder::new(Source::Prof);
    let mut piece = [0; 4096];
    loop {
        match source.read(&mut piece).expect("memory") {
            0 => break,
            read => decoder.feed(&piece[..read], &mut profile)?,
        }
    }
    decoder.finish(&mut profile)?;
    Ok(profile.finish())
}

/// The stacks of a profile, if it has some.
fn paths(slice: &Slice<'_>, mut choices: Choices) -> Option<Paths> {
    let weight = [Weight::Time, Weight::Alloc, Weight::Entries][choices.below(3)];
    let stacks = of_calls(slice, weight).ok()?;
    let roots = [Roots::Grouped, Roots::AsWritten][choices.below(2)];
    Paths::new(&stacks, roots).ok()
}

fuzz_target!(|data: &[u8]| {
    let (profile, pieces) = match (read(data), read(Pieces::of(data))) {
        (Ok(whole), Ok(pieces)) => (whole, pieces),
        (Err(whole), Err(pieces)) => {
            assert_eq!(whole.to_string(), pieces.to_string());
            return;
        }
        (whole, pieces) => panic!("whole {whole:?}\npieces {pieces:?}"),
    };
    let slice = Slice::new(&profile, &SliceOptions::default()).unwrap();
    let of_pieces = paths(&Slice::whole(&pieces), Choices::of(data));
    let Some(paths) = paths(&slice, Choices::of(data)) else {
        assert!(of_pieces.is_none());
        return;
    };
    let tree = StackTree::of_paths(&paths, TreeSize::default());
    let of_pieces = of_pieces.map(|paths| StackTree::of_paths(&paths, TreeSize::default()));
    assert_eq!(Some(&tree), of_pieces.as_ref());
    for node in &tree.nodes {
        let below: u128 = node.children.iter().map(|&child| tree.node(child).total).sum();
        assert_eq!(node.own + below + node.left_out, node.total);
    }
    export::folded::write(&paths);
    export::pprof::write(&paths, None);
    let speedscope = export::speedscope::write("fuzz", &paths);
    serde_json::from_str::<serde_json::Value>(&speedscope).unwrap();
    let picture = svg(
        &flame(&FlameChart::new(&slice, tree), &DrawOptions::default(), RootPlace::Bottom),
        &SvgOptions::default(),
    );
    if let Err(error) = roxmltree::Document::parse(&picture) {
        panic!("{error}");
    }
});
