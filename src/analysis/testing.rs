//! Small profiles for the tests of this folder.

mod simulated;

use super::{Account, Analysis};
use crate::base::units::{Bytes, Nanos};
use crate::profile::{BandKeyRef, MarkerKind, Profile, ProfileBuilder, Source};
use crate::slice::Slice;

fn nanos(seconds: f64) -> Nanos {
    Nanos::from_nanos((seconds * 1e9).round() as i64)
}

/// A profile of samples at the given seconds, with points of bands.
pub fn profile(samples: &[(f64, &[(&str, u64)])]) -> Profile {
    marked(samples, &[])
}

pub fn marked(samples: &[(f64, &[(&str, u64)])], markers: &[(f64, &str)]) -> Profile {
    let mut builder = ProfileBuilder::new(Source::Eventlog);
    for (time, points) in samples {
        for (name, size) in *points {
            let band = builder.band(BandKeyRef::Name(name.as_bytes())).expect("few bands");
            builder.point(band, Bytes::new(*size));
        }
        builder.seal_sample(nanos(*time));
    }
    for (time, label) in markers {
        builder.marker(nanos(*time), (*label).to_owned(), MarkerKind::Marker);
    }
    builder.finish()
}

/// The size of a band in the sample of each number.
pub type Curve<'a> = &'a dyn Fn(f64) -> f64;

/// The builder of a profile of bands with these curves, whose samples are a second apart.
pub fn curves(samples: usize, bands: &[(&str, Curve<'_>)]) -> ProfileBuilder {
    let sizes: Vec<Vec<f64>> =
        bands.iter().map(|(_, of)| (0..samples).map(|i| of(i as f64)).collect()).collect();
    let bands: Vec<_> = bands.iter().zip(&sizes).map(|((name, _), of)| (*name, &of[..])).collect();
    growing(&bands, 1.0)
}

/// The builder of a profile of bands with these bytes in each sample. The samples are `apart` seconds apart.
pub fn growing(bands: &[(&str, &[f64])], apart: f64) -> ProfileBuilder {
    let mut builder = ProfileBuilder::new(Source::Eventlog);
    for sample in 0..bands[0].1.len() {
        for (name, sizes) in bands {
            let band = builder.band(BandKeyRef::Name(name.as_bytes())).expect("few bands");
            builder.point(band, Bytes::new(sizes[sample].max(0.0) as u64));
        }
        builder.seal_sample(nanos(apart * sample as f64));
    }
    builder
}

/// The account of bands of a hundred samples, a second apart.
pub fn verdict(bands: &[(&str, Curve<'_>)]) -> Account {
    Analysis::account_of(&Slice::whole(&curves(100, bands).finish()), &[])
}
