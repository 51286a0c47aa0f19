//! What the headline accuses can be seen in the picture under it.

use heapviz::draw::{self, DrawOptions};
use heapviz::input::{InputOptions, read_drawable};
use heapviz::profile::Profile;
use heapviz::render::{SvgOptions, svg};
use heapviz::run::{Run, RunOptions};

/// A `.hp` in which each band has these sizes.
fn profile(bands: &[(&str, fn(u64) -> u64)], samples: u64) -> Profile {
    let mut text = String::from(
        "JOB \"prog +RTS -hT\"\nDATE \"now\"\nSAMPLE_UNIT \"seconds\"\nVALUE_UNIT \"bytes\"\n",
    );
    for sample in 0..samples {
        text += &format!("BEGIN_SAMPLE {sample}.0\n");
        bands.iter().for_each(|(name, size)| text += &format!("{name}\t{}\n", size(sample)));
        text += &format!("END_SAMPLE {sample}.0\n");
    }
    read_drawable(text.as_bytes(), &InputOptions::default()).expect("a profile")
}

fn picture(run: &Run<'_>) -> String {
    svg(&draw::chart(run.picture(), &DrawOptions::default()), &SvgOptions::default())
}

#[test]
fn what_is_accused_is_drawn_whatever_trace_and_bands_say() {
    let profile = profile(
        &[
            ("Main.Session", |sample| 10_000 + 20_000 * sample),
            ("ARR_WORDS", |_| 100 << 20),
            ("Data.Map.Bin", |_| 400 << 20),
        ],
        199,
    );
    for bands in [1, 2, 3, 20] {
        let mut options = RunOptions::default();
        options.rank.band_limit = std::num::NonZeroUsize::new(bands);
        let run = Run::of(&profile, &options).expect("all of it");
        assert_eq!(run.verdict().suspects[0].label, "Main.Session");
        assert!(picture(&run).contains("id=\"band-main-session"), "{bands}");
    }
    let mut options = RunOptions::default();
    options.verdict = heapviz::run::VerdictChoice::Hide;
    let run = Run::of(&profile, &options).expect("all of it");
    assert!(!picture(&run).contains("id=\"band-main-session"), "nothing is accused");
}
