//! Any bytes as the stream of a program that is watched. Over one connection, any pieces give the
//! same profile as reading all bytes at once. Cut into several connections, nothing panics, and
//! what is shown is the profile of the moment.
#![no_main]

use heapviz::base::units::Bytes;
use heapviz::input::{InputOptions, read};
use heapviz::live::{Engine, LiveOptions, LogProgress};
use heapviz_fuzz::Choices;
use libfuzzer_sys::fuzz_target;

/// Feeds the bytes in pieces; `between` is done after each.
fn feed(
    engine: &mut Engine,
    mut rest: &[u8],
    choices: &mut Choices,
    mut between: impl FnMut(&mut Engine, &mut Choices),
) {
    while !rest.is_empty() {
        let (piece, left) = rest.split_at(choices.chunk().min(rest.len()));
        let _ = engine.feed(piece);
        rest = left;
        between(engine, choices);
    }
}

fuzz_target!(|data: &[u8]| {
    let mut choices = Choices::of(data);
    let mut options = LiveOptions::default();
    if choices.below(4) == 0 {
        (options.samples, options.memory) = (8, Bytes::new(4096));
    }
    let is_thinned = options.samples == 8;
    let mut engine = Engine::new(options.clone());
    engine.connect();
    feed(&mut engine, data, &mut choices, |engine, choices| {
        if choices.below(8) == 0 {
            engine.profile();
        }
    });
    let _ = engine.disconnect();
    if let (Some(live), Ok(read), false) =
        (engine.profile(), read(data, &InputOptions::default()), is_thinned)
        && live.run().of == 1
        && read.run().of == 1
        // A connection that ends early says nothing about the bytes at its end; a file does.
        && engine.progress() == LogProgress::Ended
    {
        assert_eq!(live.samples().times().len(), read.samples().times().len());
    }
    let mut engine = Engine::new(options);
    engine.connect();
    feed(&mut engine, data, &mut choices, |engine, choices| match choices.below(16) {
        0 => engine.connect(),
        1 => drop(engine.disconnect()),
        2 => drop(engine.profile()),
        _ => {}
    });
    let _ = engine.disconnect();
    engine.profile();
});
