//! One changed byte anywhere: no panic, bounded time, bounded memory.
//!
//! All in one test, because it measures the memory of the process.

use std::time::{Duration, Instant};

use crate::ALLOCATOR;
use crate::common;
use crate::common::generator::testing::Log;
use heapviz::input::{InputOptions, read};

/// The memory that reading may take independently of the input: one piece of it, and tables of fixed size.
const BASE: usize = 2 << 20;

/// The most bytes of memory per byte of input.
const FACTOR: usize = 64;

/// The most time for a log of a few kilobytes, even on a busy machine.
const PATIENCE: Duration = Duration::from_secs(5);

fn read_within_bounds(name: &str, bytes: &[u8]) {
    read_within(name, bytes, BASE + FACTOR * bytes.len());
}

fn read_within(name: &str, bytes: &[u8], most: usize) {
    let before = ALLOCATOR.current_usage();
    ALLOCATOR.reset_peak_usage();
    let start = Instant::now();
    let result = read(bytes, &InputOptions::default());
    let (time, memory) = (start.elapsed(), ALLOCATOR.peak_usage().saturating_sub(before));
    drop(result);
    assert!(time < PATIENCE, "{name}: {time:?}");
    assert!(memory <= most, "{name}: {memory} bytes of memory, more than {most}");
}

#[test]
fn one_changed_byte_costs_neither_time_nor_memory() {
    let logs = [
        ("stacks", small_log_of_stacks()),
        ("info tables", small_log_of_info_tables()),
        ("00good", std::fs::read(common::data("hostile/00good.eventlog")).expect("a log")),
        ("a header", Log::new().ended()),
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

/// Lengths claimed by the input without any data.
fn claims_of_the_input_allocate_nothing() {
    let mut header = b"hdrbhetbetb\0\0\x01\0\x04".to_vec();
    header.extend(u32::MAX.to_be_bytes());
    read_within_bounds("a description of 4 GiB", &header);
    let mut log = Log::new();
    log.event(164, 5, &[0; 4]);
    let mut log = log.ended();
    let length = log.len() - 8;
    log[length..length + 2].copy_from_slice(&[0xFF, 0xFF]);
    read_within_bounds("a string of 64 KiB", &log);
    // A zstd frame whose header demands a window of 64 MiB: its addresses are reserved, and nothing is written
    // to them.
    let window = [0x28, 0xB5, 0x2F, 0xFD, 0x00, 16 << 3, 1, 0, 0];
    read_within("a window of 64 MiB", &window, BASE + (64 << 20));
    read_within_bounds("an empty gzip stream", &[0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3]);
}

/// A log of 1 to 2 KiB with blocks, cost centres and stacks.
fn small_log_of_stacks() -> Vec<u8> {
    let mut log = Log::new();
    log.open(1, 0xFFFF);
    log.event(29, 1, b"\0\0\0\0GHC-9.10.3 rts_thr_p");
    log.event(30, 1, b"\0\0\0\0prog\0+RTS\0-hc\0");
    log.profile_begins(2, 1, 100_000_000);
    log.cost_centre(2, 1, [b"main", b"Main", b"Main.hs:1:1-4"], 0);
    log.cost_centre(2, 2, [b"CAF", b"Main", b"<entire-module>"], 99);
    log.close(1_000_000_000);
    log.open(3, 0);
    log.event(58, 500_000_000, b"phase one");
    log.heap(50, 600_000_000, 1 << 20);
    log.close(2_000_000_000);
    log.open(1_000_000_000, 0xFFFF);
    for sample in 1..5u64 {
        let time = 1_000_000_000 * sample;
        log.begin(time);
        log.stack(time, &[1], 100 * sample);
        log.stack(time, &[1, 2], 8);
        log.stack(time, &[], 1);
        log.end(time + 1);
    }
    log.close(5_000_000_000);
    log.ended()
}

/// The same with info tables, without blocks.
fn small_log_of_info_tables() -> Vec<u8> {
    let mut log = Log::new();
    log.profile_begins(2, 8, 100_000_000);
    log.info_table(3, 0x40_be00, [b"go_info", b"21", b"", b"go", b"Main", b"a.hs:1:2"]);
    for sample in 1..5u64 {
        log.begin(sample);
        log.string(sample, b"0x40be00", 16 * sample);
        log.string(sample, b"0x7f0000", 8);
        log.end(sample);
    }
    log.info_table(9, 0x7f_0000, [b"x_info", b"1", b"T", b"", b"", b":"]);
    log.ended()
}
