//! An event log as GHC 9.10 writes it: one buffer for each capability and one for everything else, written
//! when they are full (`docs/format/eventlog.md#buffers`).

use std::io::{self, Write};

use super::census::Census;
use super::header::header;
use super::names::{Stacks, address, labels, name};
use super::shape::{Breakdown, LogShape, Shape};
use super::testing::Random;
use super::testing::event;

/// The buffer for events that belong to no capability; capability n has buffer n + 1.
const GLOBAL: usize = 0;

/// The excess in the length that GHC 9.10 declares for an IPE event
/// (`docs/format/eventlog.md#wrong-lengths`).
const IPE_EXCESS: u16 = 1;

/// How much earlier a collection ends than the event before its end, in nanoseconds.
const END_EARLIER: u64 = 700;

/// The time of the first event, in nanoseconds.
const START: u64 = 100_000;

/// Writes an event log.
///
/// # Errors
/// Those of `out`.
pub fn write_eventlog(shape: &Shape, log: &LogShape, out: impl Write) -> io::Result<()> {
    let mut writer = Writer::new(out, log)?;
    writer.start_of_run(shape, log)?;
    let bands = Bands::define(shape, log, &mut writer)?;
    writer.put(GLOBAL, START, |out, time| {
        event::profile_begins(out, time, shape.breakdown.number(), shape.interval);
    })?;
    let mut mutator = Mutator::new(shape, log);
    let mut census = Census::new(shape);
    let mut now = START;
    loop {
        mutator.run(&mut writer, now, now + shape.interval)?;
        now += shape.interval;
        let Some(sample) = census.next() else { break };
        writer.put(GLOBAL, now, event::sample_begins)?;
        for (i, &(band, size)) in sample.iter().enumerate() {
            writer.put(GLOBAL, now + i as u64 * 10, |out, time| {
                match bands {
                    Bands::Names(ref names) => {
                        event::string(out, time, &names[band as usize], size)
                    }
                    Bands::Stacks(ref ids) => event::stack(out, time, &ids[band as usize], size),
                };
            })?;
        }
        writer.put(GLOBAL, now + sample.len() as u64 * 10, event::sample_ends)?;
        mutator.live = sample.iter().map(|point| point.1).sum();
    }
    writer.finish(now + shape.interval)
}

/// The content of the events of a sample.
enum Bands {
    Names(Vec<Vec<u8>>),
    Stacks(Vec<Vec<u32>>),
}

impl Bands {
    /// Creates the bands, and defines what they refer to.
    fn define<W: Write>(shape: &Shape, log: &LogShape, writer: &mut Writer<W>) -> io::Result<Self> {
        let mut random = Random::new(shape.seed, "definitions");
        match shape.breakdown {
            Breakdown::ClosureType | Breakdown::Type => Ok(Bands::Names(labels(shape))),
            Breakdown::InfoTable => {
                for table in 0..log.definitions.unwrap_or(shape.bands) {
                    let name = name(&mut random, shape, table);
                    let module = format!("Data.Module{}", table / 50);
                    let location = format!("src/Data/Module{}.hs:{}:3-40", table / 50, table % 900);
                    let texts = [
                        &name[..],
                        b"16",
                        b"Map k v",
                        &name,
                        module.as_bytes(),
                        location.as_bytes(),
                    ];
                    writer.put(GLOBAL, START, |out, time| {
                        event::info_table(out, time, IPE_EXCESS, address(table), texts);
                    })?;
                }
                Ok(Bands::Names(labels(shape)))
            }
            Breakdown::CostCentre => {
                let mut stacks = Stacks::new(shape, log);
                for id in (1..=stacks.centres()).rev() {
                    let label = name(&mut random, shape, id);
                    let module = format!("Data.Module{}", id / 20);
                    let location = format!("src/Data/Module{}.hs:{}:1-40", id / 20, id % 900);
                    let texts = [&label[..], module.as_bytes(), location.as_bytes()];
                    writer.put(GLOBAL, START, |out, time| {
                        event::cost_centre(out, time, id, texts, 0);
                    })?;
                }
                Ok(Bands::Stacks((0..shape.bands).map(|band| stacks.next(band)).collect()))
            }
        }
    }
}

/// The activity of a program between samples, spread evenly over the run.
struct Mutator {
    random: Random,
    /// Scheduler events, collections, markers, messages.
    totals: [u64; 4],
    spans: u64,
    span: u64,
    done: [u64; 4],
    capabilities: usize,
    running: Vec<Option<u32>>,
    live: u64,
    allocated: u64,
}

impl Mutator {
    fn new(shape: &Shape, log: &LogShape) -> Self {
        Mutator {
            random: Random::new(shape.seed, "mutator"),
            totals: [log.scheduler, log.collections, log.markers, log.messages],
            spans: shape.samples + 1,
            span: 0,
            done: [0; 4],
            capabilities: usize::from(log.capabilities),
            running: vec![None; usize::from(log.capabilities)],
            live: 1 << 20,
            allocated: 0,
        }
    }

    fn run<W: Write>(&mut self, writer: &mut Writer<W>, from: u64, to: u64) -> io::Result<()> {
        self.span += 1;
        let due = self.totals.map(|total| share(total, self.span, self.spans));
        let before = self.done;
        let counts: [u64; 4] = std::array::from_fn(|kind| due[kind] - before[kind]);
        let steps = counts.into_iter().max().unwrap_or(0);
        for step in 1..=steps {
            let time = from + share(to - from, step - 1, steps);
            for kind in 0..counts.len() {
                if self.done[kind] - before[kind] < share(counts[kind], step, steps) {
                    self.done[kind] += 1;
                    self.act(writer, kind, time)?;
                }
            }
        }
        Ok(())
    }

    fn act<W: Write>(&mut self, writer: &mut Writer<W>, kind: usize, time: u64) -> io::Result<()> {
        let number = self.done[kind];
        let capability = self.random.index(self.capabilities);
        match kind {
            0 => self.schedule(writer, capability, time),
            1 => self.collect(writer, time),
            2 => writer.put(capability + 1, time, |out, time| {
                event::variable(out, 58, time, 0, |out| {
                    out.extend(format!("phase {number}").bytes())
                });
            }),
            _ => writer.put(capability + 1, time, |out, time| {
                event::variable(out, 19, time, 0, |out| {
                    out.extend(format!("item {number}").bytes())
                });
            }),
        }
    }

    /// One event about threads, with frequencies as in a parallel program.
    fn schedule<W: Write>(
        &mut self,
        writer: &mut Writer<W>,
        capability: usize,
        time: u64,
    ) -> io::Result<()> {
        let thread = self.random.below(200) as u32 + 1;
        let other = self.random.below(20);
        let running = &mut self.running[capability];
        writer.put(capability + 1, time, |out, time| {
            let id = thread.to_be_bytes();
            match (other, *running) {
                (0, _) => event::fixed(out, 0, time, &id),
                (1, _) => event::fixed(out, 3, time, &id),
                (2, _) => event::fixed(out, 35, time, &[]),
                (3..=7, _) => event::fixed(out, 8, time, &[id[0], id[1], id[2], id[3], 0, 0]),
                (_, Some(thread)) => {
                    let mut payload = [0; 10];
                    payload[..4].copy_from_slice(&thread.to_be_bytes());
                    payload[5] = 3;
                    event::fixed(out, 2, time, &payload);
                    *running = None;
                }
                (_, None) => {
                    event::fixed(out, 1, time, &id);
                    *running = Some(thread);
                }
            }
        })
    }

    /// A collection on capability 0. The time of its end is earlier than that of the event before it.
    fn collect<W: Write>(&mut self, writer: &mut Writer<W>, time: u64) -> io::Result<()> {
        self.allocated += self.live / 2 + self.random.below(1 << 20);
        let (live, allocated) = (self.live, self.allocated);
        for (i, tag) in [11, 9, 21, 22].into_iter().enumerate() {
            writer.put(1, time + i as u64 * 300, |out, time| event::fixed(out, tag, time, &[]))?;
        }
        let time = time + 2_000;
        writer.put(1, time, |out, time| event::heap(out, 49, time, allocated))?;
        writer.put(1, time, |out, time| event::fixed(out, 54, time, &[]))?;
        writer.put(1, time, |out, time| {
            let mut payload = [0; 58];
            payload[5] = 1;
            payload[6..14].copy_from_slice(&live.to_be_bytes());
            event::fixed(out, 53, time, &payload);
        })?;
        writer.put(1, time, |out, time| event::fixed(out, 10, time - END_EARLIER, &[]))?;
        let mebibytes = (live * 2).next_multiple_of(1 << 20);
        writer.put(1, time, |out, time| event::heap(out, 51, time, live))?;
        writer.put(1, time, |out, time| event::heap(out, 50, time, mebibytes))?;
        writer.put(1, time, |out, time| event::heap(out, 91, time, live.next_multiple_of(4096)))
    }
}

/// The part of `total` that is due after `part` of `parts`.
fn share(total: u64, part: u64, parts: u64) -> u64 {
    (u128::from(total) * u128::from(part) / u128::from(parts.max(1))) as u64
}

/// The buffers, and the output.
struct Writer<W> {
    out: W,
    buffers: Vec<Buffer>,
    limit: usize,
}

struct Buffer {
    bytes: Vec<u8>,
    capability: u16,
    /// The time of its last event; times in a buffer do not decrease.
    last: u64,
}

/// The size of a block's own marker in bytes.
const MARKER: usize = 24;

impl<W: Write> Writer<W> {
    fn new(mut out: W, log: &LogShape) -> io::Result<Self> {
        out.write_all(&header())?;
        let capabilities = std::iter::once(0xFFFF).chain(0..log.capabilities);
        let buffers = capabilities.map(|capability| {
            let mut bytes = Vec::new();
            event::open_block(&mut bytes, START, capability);
            Buffer { bytes, capability, last: START }
        });
        Ok(Writer { out, buffers: buffers.collect(), limit: log.block as usize })
    }

    /// Writes one event into a buffer, at this time or, if that is later, at the time of the previous event.
    fn put(
        &mut self,
        buffer: usize,
        time: u64,
        event: impl FnOnce(&mut Vec<u8>, u64),
    ) -> io::Result<()> {
        let buffer = &mut self.buffers[buffer];
        buffer.last = time.max(buffer.last);
        let start = buffer.bytes.len();
        event(&mut buffer.bytes, buffer.last);
        if buffer.bytes.len() <= self.limit || start == MARKER {
            return Ok(());
        }
        let event = buffer.bytes.split_off(start);
        self.out.write_all(buffer.closed(buffer.last))?;
        buffer.open();
        buffer.bytes.extend(event);
        Ok(())
    }

    /// The metadata that the run-time system writes.
    fn start_of_run(&mut self, shape: &Shape, log: &LogShape) -> io::Result<()> {
        let mut fixed = |tag, payload: &[u8]| {
            self.put(GLOBAL, START, |out, time| event::fixed(out, tag, time, payload))
        };
        fixed(25, &[0, 0, 0, 0, 0, 2])?;
        fixed(25, &[0, 0, 0, 1, 0, 3])?;
        for capability in 0..log.capabilities {
            let [high, low] = capability.to_be_bytes();
            fixed(45, &[high, low])?;
            fixed(27, &[0, 0, 0, 0, high, low])?;
            fixed(27, &[0, 0, 0, 1, high, low])?;
        }
        let seconds = 1_767_604_020u64.to_be_bytes();
        fixed(43, &[&[0, 0, 0, 1][..], &seconds, &[0; 4]].concat())?;
        fixed(32, &[0, 0, 0, 0, 0, 0, 0x10, 0])?;
        fixed(33, &[0, 0, 0, 0, 0, 0, 0x0F, 0])?;
        let way = if shape.breakdown == Breakdown::InfoTable { "rts_thr" } else { "rts_thr_p" };
        let period = shape.interval as f64 / 1e9;
        let flag = shape.breakdown.flag();
        let words = format!(
            "\0\0\0\0generated\0+RTS\0{flag}\0-l\0-i{period}\0-N{}\0-RTS\0",
            log.capabilities
        );
        let identifier = format!("\0\0\0\0GHC-9.10.3 {way}");
        for (tag, text) in [(29, identifier), (30, words)] {
            self.put(GLOBAL, START, |out, time| {
                event::variable(out, tag, time, 0, |out| out.extend(text.bytes()));
            })?;
        }
        Ok(())
    }

    /// Writes the remaining buffers: those of the capabilities first, and the end mark inside the last
    /// block.
    fn finish(mut self, time: u64) -> io::Result<()> {
        self.buffers[GLOBAL].bytes.extend([0xFF, 0xFF]);
        self.buffers.rotate_left(1);
        for buffer in &mut self.buffers {
            let end = time.max(buffer.last);
            self.out.write_all(buffer.closed(end))?;
        }
        self.out.flush()
    }
}

impl Buffer {
    fn open(&mut self) {
        self.bytes.clear();
        event::open_block(&mut self.bytes, self.last, self.capability);
    }

    fn closed(&mut self, end: u64) -> &[u8] {
        event::close_block(&mut self.bytes, end);
        &self.bytes
    }
}
