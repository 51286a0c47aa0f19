//! What the engine bounds, and what it says; `tests/formats/live.rs` compares it with a plain reading.

use super::*;

#[test]
fn memory_is_bounded_and_what_was_thinned_is_reported() {
    let options = LiveOptions { samples: 100, ..LiveOptions::default() };
    let mut engine = Engine::new(options);
    engine.connect();
    let mut text = "JOB \"j\"\nDATE \"d\"\nSAMPLE_UNIT \"s\"\nVALUE_UNIT \"b\"\n".to_owned();
    for i in 0..1000 {
        text.push_str(&format!("BEGIN_SAMPLE {i}.0\na\t{}\nEND_SAMPLE {i}.0\n", i % 7));
    }
    for piece in text.as_bytes().chunks(300) {
        engine.feed(piece).unwrap();
        assert!(engine.samples().0 <= 100);
    }
    let (left, thinned) = engine.samples();
    assert_eq!(left + thinned, 1000);
    let profile = engine.profile().unwrap();
    assert!(profile.warnings()[0].message.starts_with(&format!("{thinned} samples of the older")));
    assert_eq!(profile.samples.times()[left - 1].as_nanos(), 999_000_000_000);
}
