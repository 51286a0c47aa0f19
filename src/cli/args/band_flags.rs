//! The flags that choose and order bands.

use std::num::NonZeroUsize;

use clap::Args;

use crate::profile_view::Measure;
use crate::slice::rank::RankOptions;

#[derive(Debug, Args)]
#[command(next_help_heading = "Bands")]
pub struct BandArgs {
    /// Leave out the smallest bands that together hold less than this share of the total, in
    /// percent (0 to 100); a picture has what is accused and what its words name all the same
    #[arg(short, long, value_name = "PERCENT", value_parser = percent, hide_short_help = true,
          allow_negative_numbers = true, default_value_t = RankOptions::default().trace_percent)]
    trace: f64,

    /// Draw at most this many layers and add up the rest as OTHER
    ///
    /// 0 draws all, 1 draws only OTHER. In a picture, a band that the verdict accuses is always drawn, in the
    /// place of the smallest.
    #[arg(short = 'm', long, value_name = "N", value_parser = band_limit,
          allow_negative_numbers = true, default_value_t = default_bands())]
    bands: usize,

    /// How to order the stack
    #[arg(long, value_name = "KEY", default_value = "suspects")]
    pub sort: Measure,
}

fn default_bands() -> usize {
    RankOptions::default().band_limit.map_or(0, NonZeroUsize::get)
}

fn band_limit(text: &str) -> Result<usize, String> {
    text.parse().map_err(|_| "expected a whole number from 1 up, or 0 for no limit".to_owned())
}

fn percent(text: &str) -> Result<f64, String> {
    match text.trim_end_matches('%').trim_end().parse::<f64>() {
        Ok(value) if (0.0..=100.0).contains(&value) => Ok(value),
        _ => Err("expected a number from 0 to 100".to_owned()),
    }
}

impl BandArgs {
    pub fn options(&self) -> RankOptions {
        let band_limit = NonZeroUsize::new(self.bands);
        RankOptions { trace_percent: self.trace, band_limit, ..RankOptions::default() }
    }
}
