//! Any bytes as an event log: no panic, and the same profile in any chunks.
#![no_main]

use heapviz::profile::Source;
use heapviz_fuzz::decode_both_ways;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    decode_both_ways(data, Source::Eventlog);
});
