//! gzip and zstd, recognised by content.
//!
//! A compressed profile can be cut or damaged like any other file, and what was decompressed before
//! the damage is still a profile. So damage ends the stream and is remembered, but is not an error.
//! Only errors of the source itself are passed on, and frames that ask for more memory than is
//! allowed.

use std::io::{self, BufRead, BufReader, Chain, Cursor, Read};
use std::sync::{Arc, Mutex, PoisonError};

use flate2::read::MultiGzDecoder;
use structured_zstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};
use structured_zstd::decoding::{BlockDecodingStrategy, FrameDecoder};

use super::fill;
use crate::incident::End;
use crate::incident::error::Error;

/// First bytes of a gzip stream.
pub const GZIP: &[u8] = &[0x1F, 0x8B];
/// First bytes of a zstd stream.
pub const ZSTD: &[u8] = &[0x28, 0xB5, 0x2F, 0xFD];

/// How much is decompressed at once with gzip. If the stream is broken, what was decompressed in
/// the same call is lost: with a size as small as this, hardly anything.
const GZIP_PIECE: usize = 4096;

/// A source, decompressed if it was compressed. Several members or frames in a row are one stream.
pub struct Decompressed<R: Read> {
    stream: Stream<Watched<R>>,
    source: SharedStanding,
    /// What was wrong with the compressed stream, as far as it has been read.
    pub damage: Option<End>,
}

enum Stream<R: Read> {
    Plain(R),
    Gzip(Box<MultiGzDecoder<Filled<R>>>),
    Zstd(Box<ZstdFrames<R>>),
}

impl<R: Read> Decompressed<R> {
    /// Looks at the first bytes of a source.
    ///
    /// # Errors
    /// Those of the source.
    pub fn new(mut source: R) -> io::Result<Self> {
        let mut front = vec![0; ZSTD.len()];
        let read = fill(&mut source, &mut front)?;
        front.truncate(read);
        let (is_gzip, is_zstd) = (front.starts_with(GZIP), front.starts_with(ZSTD));
        let state = SharedStanding::default();
        let watched =
            Watched { source: Cursor::new(front).chain(source), state: Arc::clone(&state) };
        let stream = if is_gzip {
            Stream::Gzip(Box::new(MultiGzDecoder::new(Filled(watched))))
        } else if is_zstd {
            Stream::Zstd(Box::new(ZstdFrames {
                source: BufReader::new(watched),
                frame: None,
                failure: None,
                refused_window: None,
            }))
        } else {
            Stream::Plain(watched)
        };
        Ok(Decompressed { stream, source: state, damage: None })
    }
}

impl<R: Read> Read for Decompressed<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.damage.is_some() {
            return Ok(0);
        }
        let read = match &mut self.stream {
            Stream::Plain(source) => return source.read(buffer),
            Stream::Gzip(decoder) => {
                let most = buffer.len().min(GZIP_PIECE);
                decoder.read(&mut buffer[..most])
            }
            Stream::Zstd(frames) => frames.read(buffer),
        };
        if let Stream::Zstd(frames) = &self.stream
            && let Some(window) = frames.refused_window
        {
            return Err(io::Error::other(Error::ZstdWindow { window }));
        }
        // gzip's source is read ahead, so its end says nothing about the damage.
        let ended_early = |error: &io::Error| match self.stream {
            Stream::Gzip(_) => error.kind() == io::ErrorKind::UnexpectedEof,
            Stream::Plain(_) | Stream::Zstd(_) => error.kind() != io::ErrorKind::InvalidData,
        };
        read.or_else(|error| match change(&self.source, Standing::Open) {
            Standing::Failed(error) => Err(error),
            Standing::Ended if ended_early(&error) => {
                self.damage = Some(End::CompressedCut);
                Ok(0)
            }
            Standing::Ended | Standing::Open => {
                self.damage = Some(End::CompressedDamaged);
                Ok(0)
            }
        })
    }
}

/// The state of a source. A decompressor wraps errors of its source beyond recognition, and reports a source
/// that ends too early under many names.
#[derive(Debug, Default)]
enum Standing {
    #[default]
    Open,
    Ended,
    Failed(io::Error),
}

type SharedStanding = Arc<Mutex<Standing>>;

/// Sets the state of a source, and returns the previous one.
fn change(standing: &SharedStanding, to: Standing) -> Standing {
    std::mem::replace(&mut *standing.lock().unwrap_or_else(PoisonError::into_inner), to)
}

/// A source that records its state.
struct Watched<R> {
    source: Chain<Cursor<Vec<u8>>, R>,
    state: SharedStanding,
}

impl<R: Read> Read for Watched<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.source.read(buffer);
        match &read {
            Ok(0) if !buffer.is_empty() => drop(change(&self.state, Standing::Ended)),
            Err(error) if error.kind() != io::ErrorKind::Interrupted => {
                let copy = io::Error::new(error.kind(), error.to_string());
                change(&self.state, Standing::Failed(copy));
            }
            _ => {}
        }
        read
    }
}

/// A source that returns full pieces. How much is lost before damage depends on the pieces, but
/// must not depend on how a pipe was written.
struct Filled<R>(R);

impl<R: Read> Read for Filled<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        fill(&mut self.0, buffer)
    }
}

/// The frames of a zstd stream, one after the other.
struct ZstdFrames<R> {
    source: BufReader<R>,
    /// The decoder of the frame that is open; `None` between frames.
    frame: Option<Box<FrameDecoder>>,
    /// Why the open frame cannot be decoded further. It is reported after the bytes before it.
    failure: Option<FrameEnd>,
    /// The window of a frame that asks for more memory than is allowed.
    refused_window: Option<u64>,
}

struct FrameEnd {
    error: io::Error,
    /// How many bytes before it have yet to be read.
    before: usize,
}

impl<R: Read> Read for ZstdFrames<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if buffer.is_empty() {
            return Ok(0);
        }
        loop {
            let Some(frame) = &mut self.frame else {
                if let Some(failure) = self.failure.take() {
                    return Err(failure.error);
                }
                if self.source.fill_buf()?.is_empty() {
                    return Ok(0);
                }
                self.begin_frame()?;
                continue;
            };
            while self.failure.is_none() && frame.can_collect() == 0 && !frame.is_finished() {
                let one = BlockDecodingStrategy::UptoBlocks(1);
                if let Err(error) = frame.decode_blocks(&mut self.source, one) {
                    // A block that is damaged may be decoded in part. If the checksum is cut off, its last
                    // block is whole.
                    let is_whole = matches!(error, FrameDecoderError::FailedToReadChecksum(_));
                    let before = if is_whole { frame.can_collect() } else { 0 };
                    self.failure = Some(FrameEnd { error: io::Error::other(error), before });
                }
            }
            let most = self.failure.as_ref().map_or(buffer.len(), |f| f.before.min(buffer.len()));
            match frame.read(&mut buffer[..most])? {
                0 => {
                    if self.failure.is_none() && !has_its_checksum(frame) {
                        let error = io::Error::new(io::ErrorKind::InvalidData, "another checksum");
                        self.failure = Some(FrameEnd { error, before: 0 });
                    }
                    self.frame = None;
                }
                read => {
                    if let Some(failure) = &mut self.failure {
                        failure.before -= read;
                    }
                    return Ok(read);
                }
            }
        }
    }
}

/// Whether a frame that was read completely has the checksum that was written after it, if any.
fn has_its_checksum(frame: &FrameDecoder) -> bool {
    let written = frame.get_checksum_from_data();
    written.is_none() || written == frame.get_calculated_checksum()
}

impl<R: Read> ZstdFrames<R> {
    /// Reads a frame's header, or skips a skippable frame.
    fn begin_frame(&mut self) -> io::Result<()> {
        let mut frame = Box::new(FrameDecoder::new());
        match frame.init(&mut self.source) {
            Ok(()) => {
                self.frame = Some(frame);
                Ok(())
            }
            Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame {
                length,
                ..
            })) => {
                let skipped = self.source.by_ref().take(u64::from(length));
                io::copy(&mut { skipped }, &mut io::sink()).map(drop)
            }
            Err(error) => {
                if let FrameDecoderError::WindowSizeTooBig { requested, .. } = error {
                    self.refused_window = Some(requested);
                }
                Err(io::Error::other(error))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::Compression;
    use flate2::write::GzEncoder;

    use super::*;

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(bytes).expect("memory");
        encoder.finish().expect("memory")
    }

    fn zstd(bytes: &[u8]) -> Vec<u8> {
        use structured_zstd::encoding::{CompressionLevel, StreamingEncoder};
        let mut encoder = StreamingEncoder::new(Vec::new(), CompressionLevel::Fastest);
        encoder.set_content_checksum(true).expect("nothing is written yet");
        encoder.write_all(bytes).expect("memory");
        encoder.finish().expect("memory")
    }

    fn read(bytes: &[u8]) -> (Vec<u8>, Option<End>) {
        let mut source = Decompressed::new(bytes).expect("memory");
        let mut out = Vec::new();
        source.read_to_end(&mut out).expect("memory");
        (out, source.damage)
    }

    fn text() -> Vec<u8> {
        (0..60_000u32).flat_map(|i| (i * i).to_string().into_bytes()).collect()
    }

    #[test]
    fn consecutive_members_and_frames_are_one_stream() {
        let (a, b) = (text(), b"more".to_vec());
        let both = [a.clone(), b.clone()].concat();
        assert_eq!(read(&[gzip(&a), gzip(&b)].concat()), (both.clone(), None));
        let skippable = [&[0x50, 0x2A, 0x4D, 0x18, 3, 0, 0, 0][..], b"abc"].concat();
        assert_eq!(read(&[zstd(&a), skippable, zstd(&b)].concat()), (both, None));
    }

    /// A frame of stored blocks, with a window of 8 MiB and without a checksum.
    fn stored(blocks: &[&[u8]]) -> Vec<u8> {
        let mut frame = [ZSTD, &[0x00, 13 << 3]].concat();
        for (at, block) in blocks.iter().enumerate() {
            let is_last = u32::from(at + 1 == blocks.len());
            frame.extend(&((block.len() as u32) << 3 | is_last).to_le_bytes()[..3]);
            frame.extend(*block);
        }
        frame
    }

    #[test]
    fn bytes_that_do_not_have_their_checksum_are_damaged() {
        for whole in [gzip(&text()), zstd(&text())] {
            let sum = whole.len() - if whole.starts_with(GZIP) { 8 } else { 4 };
            let mut other = whole.clone();
            other[sum] ^= 1;
            assert_eq!(read(&other), (text(), Some(End::CompressedDamaged)));
            assert_eq!(read(&whole[..sum + 1]), (text(), Some(End::CompressedCut)));
        }
    }

    #[test]
    fn what_a_frame_has_before_a_cut_is_given_also_within_its_window() {
        let blocks = [&[1; 70_000][..], &[2; 90_000], &[3; 9]];
        let frame = stored(&blocks);
        assert_eq!(read(&frame), (blocks.concat(), None));
        assert_eq!(
            read(&frame[..frame.len() - 4]),
            (blocks[..2].concat(), Some(End::CompressedCut))
        );
        // A block of a reserved kind.
        let mut broken = frame.clone();
        let at = frame.len() - 9 - 3;
        broken[at] |= 6;
        assert_eq!(read(&broken), (blocks[..2].concat(), Some(End::CompressedDamaged)));
    }

    #[test]
    fn the_loss_to_damage_does_not_depend_on_the_pieces() {
        struct Bytes<'a>(&'a [u8]);
        impl Read for Bytes<'_> {
            fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
                let most = buffer.len().min(1);
                self.0.read(&mut buffer[..most])
            }
        }
        for mut bytes in [gzip(&text()), zstd(&text())] {
            let middle = bytes.len() / 2;
            bytes[middle..middle + 64].fill(0xFF);
            let mut source = Decompressed::new(Bytes(&bytes)).expect("memory");
            let mut out = Vec::new();
            source.read_to_end(&mut out).expect("memory");
            assert_eq!((out, source.damage), read(&bytes));
        }
    }
}
