//! One changed byte anywhere: no panic, bounded time, bounded memory.
//!
//! All in one test, because the memory of the process is measured.

use std::time::{Duration, Instant};

use crate::ALLOCATOR;
use crate::common::{self, writer};
use heapviz::input::{InputOptions, read};

/// What reading may take beyond what the input asks for: one piece of it, and tables of fixed size.
const BASE: usize = 2 << 20;

/// How many bytes of memory a byte of input may cost.
const FACTOR: usize = 64;

/// No log of a few kilobytes may take longer, on however busy a machine.
const PATIENCE: Duration = Duration::from_secs(5);

fn read_within_bounds(name: &str, bytes: &[u8]) {
    let before = ALLOCATOR.current_usage();
    ALLOCATOR.reset_peak_usage();
    let start = Instant::now();
    let result = read(bytes, &InputOptions::default());
    let (time, memory) = (start.elapsed(), ALLOCATOR.peak_usage().saturating_sub(before));
    drop(result);
    assert!(time < PATIENCE, "{name}: {time:?}");
    let most = BASE + FACTOR * bytes.len();
    assert!(memory <= most, "{name}: {memory} bytes of memory, more than {most}");
}

#[test]
fn one_changed_byte_costs_neither_time_nor_memory() {
    let logs = [
        ("stacks", writer::small_log_of_stacks()),
        ("info tables", writer::small_log_of_info_tables()),
        ("00good", std::fs::read(common::data("hostile/00good.eventlog")).expect("a log")),
        ("a header", writer::Writer::new().ended()),
    ];
    for (name, log) in logs {
        read_within_bounds(name, &log);
        let mut changed = log.clone();
        for at in 0..log.len() {
            let flips = (0..8).map(|bit| log[at] ^ (1 << bit));
            for byte in flips.chain([0, 0xFF, log[at].wrapping_add(1), log[at].wrapping_sub(1)]) {
                changed[at] = byte;
                read_within_bounds(&format!("{name}, byte {at} = {byte:#x}"), &changed);
            }
            changed[at] = log[at];
        }
    }
    claims_of_the_input_allocate_nothing();
}

/// Lengths that only the input's word stands for.
fn claims_of_the_input_allocate_nothing() {
    let mut header = b"hdrbhetbetb\0\0\x01\0\x04".to_vec();
    header.extend(u32::MAX.to_be_bytes());
    read_within_bounds("a description of 4 GiB", &header);
    let mut log = writer::Writer::new();
    log.event(164, 5, &[0; 4]);
    let mut log = log.ended();
    let length = log.len() - 8;
    log[length..length + 2].copy_from_slice(&[0xFF, 0xFF]);
    read_within_bounds("a string of 64 KiB", &log);
    // A zstd frame whose header asks for a window of 64 MiB.
    let window = [0x28, 0xB5, 0x2F, 0xFD, 0x00, 16 << 3, 1, 0, 0];
    read_within_bounds("a window of 64 MiB", &window);
    read_within_bounds("an empty gzip stream", &[0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3]);
}
