//! A long table as CSV (RFC 4180): one row for each drawn band in each sample, for engines that keep many
//! runs in one table.

use std::borrow::Cow;
use std::io;

use super::csv::field;
use super::json::RunLabels;
use crate::chart::{Chart, Clock, LayerRole};

/// Writes the chart as a long table, piece by piece. The fields are `run`, `time_ns` or, where samples have no
/// times, `sample`, then `band_id`, `band` and `bytes`: the same numbers as [`csv`](super::csv), in the order
/// of the samples, and in each from the top of the stack. `run` is the label `run`, or else the name of
/// the file. `band_id` is the `id` of the band in the JSON of the same run; that of OTHER is empty. A name of
/// more than 1 000 bytes loses its middle, because it is in every sample.
///
/// # Errors
/// Those of `out`.
pub fn write_to(chart: &Chart, identity: &RunLabels, mut out: impl io::Write) -> io::Result<()> {
    let timed = chart.clock != Clock::Sample;
    let run = identity.labels.get("run").or(identity.file.as_ref()).map_or("", String::as_str);
    let run = field(run);
    let mut kept = chart.ranking.kept.iter();
    let band = |layer: &crate::chart::Layer| match layer.role {
        LayerRole::Band => {
            let row = kept.next().map_or(String::new(), |row| row.index().to_string());
            format!(",{row},{},", field(&short(&layer.full_name)))
        }
        LayerRole::Other => format!(",,{},", field(&short(&layer.full_name))),
    };
    let bands: Vec<String> = chart.layers.iter().map(band).collect();
    write!(out, "run,{},band_id,band,bytes\r\n", if timed { "time_ns" } else { "sample" })?;
    for (sample, time) in chart.times.iter().enumerate() {
        let when = match timed {
            true => time.as_nanos().to_string(),
            false => chart.number(sample).to_string(),
        };
        for (layer, band) in chart.layers.iter().zip(&bands).rev() {
            write!(out, "{run},{when}{band}{}\r\n", layer.residency[sample].get())?;
        }
    }
    Ok(())
}

/// The most bytes of a name. There are names of 900 KB, and each would be written once a sample.
const MOST_OF_NAME: usize = 1000;

fn short(name: &str) -> Cow<'_, str> {
    if name.len() <= MOST_OF_NAME {
        return name.into();
    }
    let (start, end) = (MOST_OF_NAME / 2, name.len() - MOST_OF_NAME / 2);
    let (head, tail) = (name.floor_char_boundary(start), name.ceil_char_boundary(end));
    format!("{}…{}", &name[..head], &name[tail..]).into()
}
