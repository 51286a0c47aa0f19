//! Functions that append one part of an event log to a vector of bytes (`docs/format/eventlog.md`).

/// The size that a header declares for an event that states its own size.
pub const VARIABLE: u16 = 0xFFFF;

/// A header with these event types (number, bytes of the payload, description), up to and with the
/// magic word before the first event.
pub fn header<'a>(out: &mut Vec<u8>, types: impl IntoIterator<Item = (u16, u16, &'a str)>) {
    out.extend_from_slice(b"hdrbhetb");
    for (tag, size, description) in types {
        out.extend_from_slice(b"etb\0");
        out.extend_from_slice(&tag.to_be_bytes());
        out.extend_from_slice(&size.to_be_bytes());
        out.extend_from_slice(&(description.len() as u32).to_be_bytes());
        out.extend_from_slice(description.as_bytes());
        out.extend_from_slice(&0_u32.to_be_bytes());
        out.extend_from_slice(b"ete\0");
    }
    out.extend_from_slice(b"hetehdredatb");
}

/// An event whose size is in the header.
pub fn fixed(out: &mut Vec<u8>, tag: u16, time: u64, payload: &[u8]) {
    out.extend_from_slice(&tag.to_be_bytes());
    out.extend_from_slice(&time.to_be_bytes());
    out.extend_from_slice(payload);
}

/// An event that states its own size, modulo 2^16 and too large by `excess`, as in some versions of
/// GHC.
pub fn variable(
    out: &mut Vec<u8>,
    tag: u16,
    time: u64,
    excess: u16,
    payload: impl FnOnce(&mut Vec<u8>),
) {
    fixed(out, tag, time, &[0; 2]);
    let start = out.len();
    payload(out);
    let length = ((out.len() - start) as u16).wrapping_add(excess);
    out[start - 2..start].copy_from_slice(&length.to_be_bytes());
}

/// A BLOCK_MARKER whose size and end are not known yet; see [`close_block`].
pub fn open_block(out: &mut Vec<u8>, time: u64, capability: u16) {
    let mut payload = [0; 14];
    payload[12..].copy_from_slice(&capability.to_be_bytes());
    fixed(out, 18, time, &payload);
}

/// Sets what the marker at the front of `block` left open: the size of all of `block`, and its end.
pub fn close_block(block: &mut [u8], end: u64) {
    let size = block.len() as u32;
    block[10..14].copy_from_slice(&size.to_be_bytes());
    block[14..22].copy_from_slice(&end.to_be_bytes());
}

fn c_strings(out: &mut Vec<u8>, texts: &[&[u8]]) {
    for text in texts {
        out.extend_from_slice(text);
        out.push(0);
    }
}

/// HEAP_PROF_BEGIN without filters.
pub fn profile_begins(out: &mut Vec<u8>, time: u64, breakdown: u32, period_ns: u64) {
    variable(out, 160, time, 0, |out| {
        out.push(0);
        out.extend_from_slice(&period_ns.to_be_bytes());
        out.extend_from_slice(&breakdown.to_be_bytes());
        out.extend_from_slice(&[0; 7]);
    });
}

/// HEAP_PROF_COST_CENTRE: label, module, source span.
pub fn cost_centre(out: &mut Vec<u8>, time: u64, id: u32, texts: [&[u8]; 3], flags: u8) {
    variable(out, 161, time, 0, |out| {
        out.extend_from_slice(&id.to_be_bytes());
        c_strings(out, &texts);
        out.push(flags);
    });
}

/// IPE: name, closure kind, type, label, module, location.
pub fn info_table(out: &mut Vec<u8>, time: u64, excess: u16, address: u64, texts: [&[u8]; 6]) {
    variable(out, 169, time, excess, |out| {
        out.extend_from_slice(&address.to_be_bytes());
        c_strings(out, &texts);
    });
}

pub fn sample_begins(out: &mut Vec<u8>, time: u64) {
    fixed(out, 162, time, &[0; 8]);
}

pub fn sample_ends(out: &mut Vec<u8>, time: u64) {
    fixed(out, 165, time, &[0; 8]);
}

pub fn string(out: &mut Vec<u8>, time: u64, name: &[u8], size: u64) {
    variable(out, 164, time, 0, |out| {
        out.push(0);
        out.extend_from_slice(&size.to_be_bytes());
        c_strings(out, &[name]);
    });
}

/// A band by its stack, innermost first.
pub fn stack(out: &mut Vec<u8>, time: u64, ids: &[u32], size: u64) {
    variable(out, 163, time, 0, |out| {
        out.push(0);
        out.extend_from_slice(&size.to_be_bytes());
        out.push(ids.len() as u8);
        ids.iter().for_each(|id| out.extend_from_slice(&id.to_be_bytes()));
    });
}

/// A heap figure: 49 allocated, 50 size, 51 live, 91 blocks.
pub fn heap(out: &mut Vec<u8>, tag: u16, time: u64, bytes: u64) {
    let mut payload = [0; 12];
    payload[4..].copy_from_slice(&bytes.to_be_bytes());
    fixed(out, tag, time, &payload);
}
