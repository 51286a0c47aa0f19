//! Data as text that an HTML file can hold: deflated, then in Base 64, none of whose characters mean anything to an
//! HTML or JavaScript parser. So an island needs no escaping and cannot end an element.

use std::io::{self, BufWriter, Write};

use base64::engine::general_purpose::{GeneralPurpose, STANDARD};
use base64::write::EncoderStringWriter;
use flate2::Compression;
use flate2::write::DeflateEncoder;

pub type Packing = BufWriter<DeflateEncoder<EncoderStringWriter<'static, GeneralPurpose, String>>>;

/// What `write` writes, in raw deflate as the browser's `deflate-raw` reads it, as text.
pub fn packed(
    level: Compression,
    write: impl FnOnce(&mut Packing) -> io::Result<()>,
) -> io::Result<String> {
    let text = EncoderStringWriter::new(&STANDARD);
    // The parts of a document are a few bytes each, and deflating takes a while to begin.
    let mut packing = BufWriter::new(DeflateEncoder::new(text, level));
    write(&mut packing)?;
    packing.flush()?;
    let deflating = packing.into_inner().map_err(io::IntoInnerError::into_error)?;
    Ok(deflating.finish()?.into_inner())
}

/// What such a text was made of.
#[cfg(test)]
pub fn unpacked(text: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    let deflated = base64::Engine::decode(&STANDARD, text).expect("Base 64");
    let mut inflating = flate2::read::DeflateDecoder::new(&deflated[..]);
    io::Read::read_to_end(&mut inflating, &mut bytes).expect("deflated");
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn islands_read_back_whatever_their_length() {
        for length in (0..40).chain([99_999]) {
            let bytes: Vec<u8> = (0_usize..length).map(|i| (i % 199 * (i % 97)) as u8).collect();
            let text = packed(Compression::best(), |to| to.write_all(&bytes)).expect("memory");
            assert_eq!(unpacked(&text), bytes);
            assert!(!text.contains(['<', '>', '&', '"', '\'', '\\', '`', '!', ' ', '\n']));
        }
    }
}
