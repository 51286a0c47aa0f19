//! A small event log, built event by event.

use super::event::{self, VARIABLE};

/// A log that is being written. Events go into the open block, if there is one.
pub struct Log {
    pub bytes: Vec<u8>,
    block: Option<usize>,
    /// The events that state their own size.
    variable: Vec<u16>,
}

impl Log {
    /// The event types that the headers of GHC 8.10 and newer declare, as far as the tests use them:
    /// number, bytes of the payload.
    pub const TYPES: &[(u16, u16)] = &[
        (1, 4),
        (9, 0),
        (10, 0),
        (18, 14),
        (19, VARIABLE),
        (29, VARIABLE),
        (30, VARIABLE),
        (31, VARIABLE),
        (32, 8),
        (43, 16),
        (50, 12),
        (51, 12),
        (53, 58),
        (58, VARIABLE),
        (91, 12),
        (160, VARIABLE),
        (161, VARIABLE),
        (162, 8),
        (163, VARIABLE),
        (164, VARIABLE),
        (165, 8),
        (166, 16),
        (167, VARIABLE),
        (169, VARIABLE),
        (210, VARIABLE),
        (211, 32),
        (212, 0),
    ];

    /// A log with a header of [`Log::TYPES`].
    pub fn new() -> Self {
        Self::declaring(Self::TYPES)
    }

    /// A log with a header of other event types.
    pub fn declaring(types: &[(u16, u16)]) -> Self {
        let mut log = Log { bytes: Vec::new(), block: None, variable: Vec::new() };
        log.header(types);
        log
    }

    /// Writes a header, which may be that of a further log.
    pub fn header(&mut self, types: &[(u16, u16)]) -> &mut Self {
        event::header(&mut self.bytes, types.iter().map(|&(tag, size)| (tag, size, "event")));
        self.variable = types.iter().filter(|kind| kind.1 == VARIABLE).map(|kind| kind.0).collect();
        self
    }

    /// One event; the length of a variable one is written modulo 2^16, as the run-time system does.
    pub fn event(&mut self, tag: u16, time: u64, payload: &[u8]) -> &mut Self {
        match self.variable.contains(&tag) {
            true => event::variable(&mut self.bytes, tag, time, 0, |out| out.extend(payload)),
            false => event::fixed(&mut self.bytes, tag, time, payload),
        }
        self
    }

    /// Opens a block of one buffer.
    pub fn open(&mut self, time: u64, capability: u16) -> &mut Self {
        self.block = Some(self.bytes.len());
        event::open_block(&mut self.bytes, time, capability);
        self
    }

    pub fn close(&mut self, time: u64) -> &mut Self {
        let start = self.block.take().expect("an open block");
        event::close_block(&mut self.bytes[start..], time);
        self
    }

    /// HEAP_PROF_BEGIN without filters.
    pub fn profile_begins(&mut self, time: u64, breakdown: u32, period_ns: u64) -> &mut Self {
        event::profile_begins(&mut self.bytes, time, breakdown, period_ns);
        self
    }

    /// HEAP_PROF_COST_CENTRE: label, module, source span.
    pub fn cost_centre(&mut self, time: u64, id: u32, texts: [&[u8]; 3], flags: u8) -> &mut Self {
        event::cost_centre(&mut self.bytes, time, id, texts, flags);
        self
    }

    /// IPE with the right length: name, closure kind, type, label, module, location.
    pub fn info_table(&mut self, time: u64, address: u64, texts: [&[u8]; 6]) -> &mut Self {
        event::info_table(&mut self.bytes, time, 0, address, texts);
        self
    }

    pub fn begin(&mut self, time: u64) -> &mut Self {
        event::sample_begins(&mut self.bytes, time);
        self
    }

    /// A band of the sample by its name.
    pub fn string(&mut self, time: u64, name: impl AsRef<[u8]>, size: u64) -> &mut Self {
        event::string(&mut self.bytes, time, name.as_ref(), size);
        self
    }

    /// A band of the sample by its stack.
    pub fn stack(&mut self, time: u64, ids: &[u32], size: u64) -> &mut Self {
        event::stack(&mut self.bytes, time, ids, size);
        self
    }

    pub fn end(&mut self, time: u64) -> &mut Self {
        event::sample_ends(&mut self.bytes, time);
        self
    }

    pub fn sample(&mut self, time: u64, name: impl AsRef<[u8]>, size: u64) -> &mut Self {
        self.begin(time).string(time, name, size).end(time)
    }

    /// A heap figure: 50 size, 51 live, 91 blocks.
    pub fn heap(&mut self, tag: u16, time: u64, bytes: u64) -> &mut Self {
        event::heap(&mut self.bytes, tag, time, bytes);
        self
    }

    /// The end mark of a log.
    pub fn mark_end(&mut self) -> &mut Self {
        self.bytes.extend([0xFF, 0xFF]);
        self
    }

    /// The log, with its end mark.
    pub fn ended(mut self) -> Vec<u8> {
        self.mark_end();
        self.bytes
    }
}
