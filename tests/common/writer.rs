//! Writes event logs: only what the tests need, and nothing that the decoder uses.

use super::generator::event;

/// Event types that the headers of GHC 8.10 and newer declare, as far as anything reads them.
const TYPES: &[(u16, u16)] = &[
    (1, 4),
    (9, 0),
    (10, 0),
    (18, 14),
    (19, 0xFFFF),
    (29, 0xFFFF),
    (30, 0xFFFF),
    (31, 0xFFFF),
    (43, 16),
    (50, 12),
    (51, 12),
    (58, 0xFFFF),
    (91, 12),
    (160, 0xFFFF),
    (161, 0xFFFF),
    (162, 8),
    (163, 0xFFFF),
    (164, 0xFFFF),
    (165, 8),
    (166, 16),
    (169, 0xFFFF),
    (210, 0xFFFF),
    (211, 32),
    (212, 0),
];

/// A log that is being written. Events go into the open block, if there is one.
pub struct Writer {
    bytes: Vec<u8>,
    block: Option<usize>,
}

impl Writer {
    /// The header.
    pub fn new() -> Self {
        let mut bytes = b"hdrbhetb".to_vec();
        for (tag, size) in TYPES {
            bytes.extend(b"etb\0");
            bytes.extend(tag.to_be_bytes());
            bytes.extend(size.to_be_bytes());
            bytes.extend(4u32.to_be_bytes());
            bytes.extend(b"type");
            bytes.extend(0u32.to_be_bytes());
            bytes.extend(b"ete\0");
        }
        bytes.extend(b"hetehdredatb");
        Writer { bytes, block: None }
    }

    /// One event; the length of a variable one is written modulo 2^16, as the run-time system does.
    pub fn event(&mut self, tag: u16, time: u64, payload: &[u8]) {
        match TYPES.contains(&(tag, 0xFFFF)) {
            true => event::variable(&mut self.bytes, tag, time, 0, |out| out.extend(payload)),
            false => event::fixed(&mut self.bytes, tag, time, payload),
        }
    }

    /// Opens a block of one buffer.
    pub fn open_block(&mut self, time: u64, capability: u16) {
        self.block = Some(self.bytes.len());
        event::open_block(&mut self.bytes, time, capability);
    }

    /// Closes it at a time.
    pub fn close_block(&mut self, time: u64) {
        let start = self.block.take().expect("an open block");
        event::close_block(&mut self.bytes[start..], time);
    }

    /// HEAP_PROF_BEGIN without filters.
    pub fn profile_begins(&mut self, time: u64, breakdown: u32, period_ns: u64) {
        event::profile_begins(&mut self.bytes, time, breakdown, period_ns);
    }

    /// HEAP_PROF_COST_CENTRE.
    pub fn cost_centre(&mut self, time: u64, id: u32, texts: [&[u8]; 3], flags: u8) {
        event::cost_centre(&mut self.bytes, time, id, texts, flags);
    }

    /// IPE, with the right length.
    pub fn info_table(&mut self, time: u64, address: u64, texts: [&[u8]; 6]) {
        event::info_table(&mut self.bytes, time, 0, address, texts);
    }

    /// A band by its name.
    pub fn string(&mut self, time: u64, name: &[u8], size: u64) {
        event::string(&mut self.bytes, time, name, size);
    }

    /// A band by its stack.
    pub fn stack(&mut self, time: u64, ids: &[u32], size: u64) {
        event::stack(&mut self.bytes, time, ids, size);
    }

    /// The beginning of a sample.
    pub fn sample_begins(&mut self, time: u64) {
        event::sample_begins(&mut self.bytes, time);
    }

    /// Its end.
    pub fn sample_ends(&mut self, time: u64) {
        event::sample_ends(&mut self.bytes, time);
    }

    /// A heap figure: 50 size, 51 live, 91 blocks.
    pub fn heap(&mut self, tag: u16, time: u64, bytes: u64) {
        event::heap(&mut self.bytes, tag, time, bytes);
    }

    /// The log, with its end mark.
    pub fn ended(mut self) -> Vec<u8> {
        self.bytes.extend([0xFF, 0xFF]);
        self.bytes
    }
}

/// A log of 1 to 2 KiB with blocks, cost centres and stacks.
pub fn small_log_of_stacks() -> Vec<u8> {
    let mut log = Writer::new();
    log.open_block(1, 0xFFFF);
    log.event(29, 1, b"\0\0\0\0GHC-9.10.3 rts_thr_p");
    log.event(30, 1, b"\0\0\0\0prog\0+RTS\0-hc\0");
    log.profile_begins(2, 1, 100_000_000);
    log.cost_centre(2, 1, [b"main", b"Main", b"Main.hs:1:1-4"], 0);
    log.cost_centre(2, 2, [b"CAF", b"Main", b"<entire-module>"], 99);
    log.close_block(1_000_000_000);
    log.open_block(3, 0);
    log.event(58, 500_000_000, b"phase one");
    log.heap(50, 600_000_000, 1 << 20);
    log.close_block(2_000_000_000);
    log.open_block(1_000_000_000, 0xFFFF);
    for sample in 1..5u64 {
        let time = 1_000_000_000 * sample;
        log.sample_begins(time);
        log.stack(time, &[1], 100 * sample);
        log.stack(time, &[1, 2], 8);
        log.stack(time, &[], 1);
        log.sample_ends(time + 1);
    }
    log.close_block(5_000_000_000);
    log.ended()
}

/// The same of info tables, without blocks.
pub fn small_log_of_info_tables() -> Vec<u8> {
    let mut log = Writer::new();
    log.profile_begins(2, 8, 100_000_000);
    log.info_table(3, 0x40_be00, [b"go_info", b"21", b"", b"go", b"Main", b"a.hs:1:2"]);
    for sample in 1..5u64 {
        log.sample_begins(sample);
        log.string(sample, b"0x40be00", 16 * sample);
        log.string(sample, b"0x7f0000", 8);
        log.sample_ends(sample);
    }
    log.info_table(9, 0x7f_0000, [b"x_info", b"1", b"T", b"", b"", b":"]);
    log.ended()
}
