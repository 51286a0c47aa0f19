//! Inputs with several runs: appended files, and recorded connections to one program.

use std::fs;
use std::num::NonZeroUsize;

use crate::common;
use heapviz::input::{InputOptions, ReadError, read};
use heapviz::profile::{Profile, RunChoice};

fn profile(bytes: &[u8], run: RunChoice) -> Result<Profile, ReadError> {
    read(bytes, &InputOptions { run, ..InputOptions::default() })
}

fn number(run: usize) -> RunChoice {
    RunChoice::Number(NonZeroUsize::new(run).expect("a number from 1"))
}

/// Times and points by label.
fn samples(profile: &Profile) -> Vec<(i64, Vec<(String, u64)>)> {
    let points = |i| {
        let points = profile.samples().points(i);
        points.map(|(band, size)| (profile.bands().label(band).to_owned(), size.get())).collect()
    };
    let times = profile.samples().times().iter();
    times.enumerate().map(|(i, time)| (time.as_nanos(), points(i))).collect()
}

#[test]
fn the_last_of_several_appended_runs_is_read_and_others_can_be_chosen() {
    for (first, last) in [("leak-hy.eventlog", "leak-hc.eventlog"), ("leak-hd.hp", "leak-hy.hp")] {
        let [first, last] = [first, last].map(|name| fs::read(format!("samples/{name}")).unwrap());
        let alone = [&first, &last].map(|bytes| profile(bytes, RunChoice::Last).unwrap());
        // The same file twice is two runs as well.
        for (parts, expected) in
            [([&first, &last], [&alone[0], &alone[1]]), ([&last, &last], [&alone[1], &alone[1]])]
        {
            let both = [parts[0].as_slice(), parts[1]].concat();
            for run in [1, 2] {
                let chosen = profile(&both, number(run)).unwrap();
                assert_eq!(samples(&chosen), samples(expected[run - 1]));
                assert_eq!((chosen.run().number, chosen.run().of), (run, 2));
                assert_eq!(chosen.markers(), expected[run - 1].markers());
            }
            let chosen = profile(&both, RunChoice::Last).unwrap();
            assert_eq!(samples(&chosen), samples(expected[1]));
            let error = profile(&both, number(3)).unwrap_err();
            assert_eq!(error.to_string(), "there is no run 3: the input holds 2 runs");
        }
    }
}

#[test]
fn connections_to_one_process_are_one_run_and_a_restarted_program_is_another() {
    let data = common::real_data();
    let stream = |name: &str| fs::read(data.join(format!("live/{name}.stream"))).unwrap();
    for names in [
        &["c-reconnect-1", "c-reconnect-2", "c-reconnect-3"][..],
        &["c-cmain-1", "c-cmain-2"],
        &["h-first", "h-second"],
    ] {
        let streams: Vec<_> = names.iter().map(|name| stream(name)).collect();
        let one = profile(&streams.concat(), RunChoice::Last).unwrap();
        let alone = streams.iter().map(|bytes| profile(bytes, RunChoice::Last).unwrap());
        let all: Vec<_> = alone.flat_map(|alone| samples(&alone)).collect();
        assert_eq!(samples(&one), all, "{names:?}");
        assert_eq!(one.run().of, 1, "{names:?}");
        assert!(one.losses().is_empty(), "{names:?}: {:?}", one.losses());
    }
    let [killed, next] = ["f-kill9", "c-reconnect-1"].map(stream);
    let last = profile(&[killed, next.clone()].concat(), RunChoice::Last).unwrap();
    assert_eq!(samples(&last), samples(&profile(&next, RunChoice::Last).unwrap()));
    assert_eq!(last.run().of, 2);
}
