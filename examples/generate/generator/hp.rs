//! A `.hp` file as GHC writes it (`docs/format/hp.md#what-ghc-writes`).

use std::io::{self, Write};

use super::census::Census;
use super::names::labels;
use super::shape::{Breakdown, Shape};

/// Writes a `.hp` file.
///
/// # Errors
/// Those of `out`.
pub fn write_hp(shape: &Shape, mut out: impl Write) -> io::Result<()> {
    let labels = lines(shape);
    let mut census = Census::new(shape);
    let flag = shape.breakdown.flag();
    let period = shape.interval as f64 / 1e9;
    write!(out, "JOB \"generated +RTS {flag} -i{period} -RTS\"\nDATE \"Mon Jan  5 09:07 2026\"\n")?;
    write!(out, "SAMPLE_UNIT \"seconds\"\nVALUE_UNIT \"bytes\"\n")?;
    empty_sample(&mut out, 0)?;
    let mut time = 0;
    let mut text = Vec::new();
    while let Some(sample) = census.next() {
        time += shape.interval;
        text.clear();
        writeln!(text, "BEGIN_SAMPLE {}", Seconds(time))?;
        for &(band, size) in sample {
            text.extend_from_slice(&labels[band as usize]);
            push_number(&mut text, size);
            text.push(b'\n');
        }
        writeln!(text, "END_SAMPLE {}", Seconds(time))?;
        out.write_all(&text)?;
    }
    empty_sample(&mut out, time + shape.interval)?;
    out.flush()
}

/// The beginning of each band's lines: its label and a tab. A stack starts with its number.
fn lines(shape: &Shape) -> Vec<Vec<u8>> {
    let mut lines = labels(shape);
    for (number, line) in lines.iter_mut().enumerate() {
        if shape.breakdown == Breakdown::CostCentre {
            let stack = format!("({})", number + 100);
            line.splice(0..0, stack.into_bytes());
        }
        line.push(b'\t');
    }
    lines
}

fn empty_sample(out: &mut impl Write, time: u64) -> io::Result<()> {
    let time = Seconds(time);
    write!(out, "BEGIN_SAMPLE {time}\nEND_SAMPLE {time}\n")
}

/// Nanoseconds as seconds with six decimals, without rounding.
struct Seconds(u64);

impl std::fmt::Display for Seconds {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}.{:06}", self.0 / 1_000_000_000, self.0 % 1_000_000_000 / 1_000)
    }
}

/// Half of a file consists of numbers; formatting them with the standard library would take most of
/// the time.
fn push_number(text: &mut Vec<u8>, mut number: u64) {
    let mut digits = [0; 20];
    let mut first = digits.len();
    loop {
        first -= 1;
        digits[first] = b'0' + (number % 10) as u8;
        number /= 10;
        if number == 0 {
            break;
        }
    }
    text.extend_from_slice(&digits[first..]);
}
