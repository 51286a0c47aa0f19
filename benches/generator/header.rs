//! The header that GHC 9.10 writes: every event type, in order
//! (`docs/format/eventlog.md#the-header`).
//!
//! The descriptions are this project's own: no reader may depend on them.

const VARIABLE: u16 = 0xFFFF;

/// Number, bytes of the payload, description.
const TYPES: &[(u16, u16, &str)] = &[
    (0, 4, "thread created"),
    (1, 4, "thread runs"),
    (2, 10, "thread stops"),
    (3, 4, "thread can run"),
    (4, 6, "thread moves to another capability"),
    (8, 6, "thread is woken"),
    (9, 0, "collection starts"),
    (10, 0, "collection ends"),
    (11, 0, "sequential collection wanted"),
    (12, 0, "parallel collection wanted"),
    (15, 4, "spark thread created"),
    (16, VARIABLE, "log message"),
    (18, 14, "block"),
    (19, VARIABLE, "user message"),
    (20, 0, "collector idle"),
    (21, 0, "collector works"),
    (22, 0, "collector done"),
    (25, 6, "capability set created"),
    (26, 4, "capability set deleted"),
    (27, 6, "capability put into a set"),
    (28, 6, "capability taken from a set"),
    (29, VARIABLE, "run-time system"),
    (30, VARIABLE, "arguments"),
    (31, VARIABLE, "environment"),
    (32, 8, "process number"),
    (33, 8, "parent's process number"),
    (34, 56, "spark counters"),
    (35, 0, "spark created"),
    (36, 0, "dud spark"),
    (37, 0, "spark overflow"),
    (38, 0, "spark runs"),
    (39, 2, "spark stolen"),
    (40, 0, "spark fizzled"),
    (41, 0, "spark collected"),
    (42, VARIABLE, "string"),
    (43, 16, "wall clock"),
    (44, VARIABLE, "thread label"),
    (45, 2, "capability created"),
    (46, 2, "capability deleted"),
    (47, 2, "capability disabled"),
    (48, 2, "capability enabled"),
    (49, 12, "bytes allocated so far"),
    (50, 12, "heap size"),
    (51, 12, "live bytes"),
    (52, 38, "heap parameters"),
    (53, 58, "figures of a collection"),
    (54, 0, "all capabilities stopped"),
    (55, 18, "task created"),
    (56, 12, "task moves"),
    (57, 8, "task deleted"),
    (58, VARIABLE, "marker"),
    (59, 0, "nothing"),
    (90, 16, "memory given back"),
    (91, 12, "bytes in blocks"),
    (160, VARIABLE, "heap profile begins"),
    (161, VARIABLE, "cost centre"),
    (162, 8, "sample begins"),
    (163, VARIABLE, "residency of a cost-centre stack"),
    (164, VARIABLE, "residency of a named band"),
    (165, 8, "sample ends"),
    (166, 16, "biographical sample begins"),
    (167, VARIABLE, "time sample"),
    (168, 8, "time profile begins"),
    (169, VARIABLE, "info table"),
    (181, VARIABLE, "binary message"),
    (200, 0, "concurrent mark begins"),
    (201, 4, "concurrent mark ends"),
    (202, 0, "concurrent synchronisation begins"),
    (203, 0, "concurrent synchronisation ends"),
    (204, 0, "concurrent sweep begins"),
    (205, 0, "concurrent sweep ends"),
    (206, 2, "remembered set flushed"),
    (207, 14, "census of the non-moving heap"),
    (208, 8, "segments pruned"),
    (210, VARIABLE, "ticky counter"),
    (211, 32, "ticky figures"),
    (212, 0, "ticky sample begins"),
];

/// The header, up to and with the magic word before the first event.
pub fn header() -> Vec<u8> {
    let mut bytes = b"hdrbhetb".to_vec();
    for (tag, size, description) in TYPES {
        bytes.extend(b"etb\0");
        bytes.extend(tag.to_be_bytes());
        bytes.extend(size.to_be_bytes());
        bytes.extend((description.len() as u32).to_be_bytes());
        bytes.extend(description.as_bytes());
        bytes.extend(0u32.to_be_bytes());
        bytes.extend(b"ete\0");
    }
    bytes.extend(b"hetehdredatb");
    bytes
}
