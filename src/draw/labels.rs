//! The words of the picture: names, hover texts, the accessible description.

use std::collections::HashMap;

use super::colour::hash;
use super::options::{DrawOptions, Heading, View};
use super::sampling::share;
use crate::analysis::Leak;
use crate::base::text::visible;
use crate::base::units::{Bytes, Nanos, UnitSystem, count, percent, percent_text};
use crate::chart::{Breakdown, Chart, Clock, Layer, LayerRole};

/// A layer's full name, fit to be shown.
pub fn name(layer: &Layer) -> String {
    match (layer.role, layer.full_name.is_empty()) {
        (LayerRole::Band, true) => "(no name)".to_owned(),
        (LayerRole::Band, false) | (LayerRole::Other, _) => visible_text(&layer.full_name),
    }
}

/// The most bytes of a name or text that a picture contains. Names of 66 000 bytes exist; they
/// would occur four times in an SVG, and are too long for a hover text.
const MOST_OF_NAME: usize = 1000;

/// A text fit to be shown: invisible characters are made visible, and the middle of a very long
/// text is left out.
pub fn visible_text(text: &str) -> String {
    if text.len() <= MOST_OF_NAME {
        return visible(text);
    }
    let (start, end) = (MOST_OF_NAME / 2, text.len() - MOST_OF_NAME / 2);
    let (head, tail) = (text.floor_char_boundary(start), text.ceil_char_boundary(end));
    format!("{}…{}", visible(&text[..head]), visible(&text[tail..]))
}

/// The highest residency of a layer and the first sample that has it.
pub fn peak(layer: &Layer) -> (Bytes, usize) {
    let highest = layer.residency.iter().copied().max().unwrap_or_default();
    (highest, layer.residency.iter().position(|&size| size == highest).unwrap_or(0))
}

/// The highest share that a layer has of a sample.
pub fn peak_share(chart: &Chart, layer: &Layer) -> String {
    let (part, total) = highest_share(chart, layer);
    percent(part, total)
}

/// The share of a layer at the end, or before the exit.
pub fn end_share(chart: &Chart, layer: &Layer) -> String {
    let total = chart.end_sample().map_or(0, |sample| chart.total[sample]);
    percent(at_end(chart, layer).get().into(), total)
}

/// The residency of a layer at the end, or before the exit.
pub fn at_end(chart: &Chart, layer: &Layer) -> Bytes {
    at(layer, chart.end_sample())
}

/// The share of a layer in the mean of all bands that take part.
fn share_of_mean(chart: &Chart, layer: &Layer) -> String {
    percent_text(if chart.mean > 0.0 { 100.0 * layer.mean / chart.mean } else { 0.0 })
}

/// The residency of a layer in a sample; 0 without samples.
fn at(layer: &Layer, sample: Option<usize>) -> Bytes {
    sample.map_or(Bytes::ZERO, |sample| layer.residency[sample])
}

/// The highest share a layer has of a sample, as part and total.
fn highest_share(chart: &Chart, layer: &Layer) -> (u128, u128) {
    let parts = layer.residency.iter().map(|size| u128::from(size.get()));
    let shares = parts.zip(chart.total.iter().copied());
    shares.max_by_key(|&(part, total)| share(part, total)).unwrap_or((0, 0))
}

/// The hover text of a layer.
pub fn layer_title(chart: &Chart, layer: &Layer, units: UnitSystem) -> String {
    let head = match layer.role {
        LayerRole::Band => name(layer),
        LayerRole::Other => format!("{}: {} bands", name(layer), layer.members),
    };
    let (highest, sample) = peak(layer);
    let growing = match layer.suspect {
        Some(Leak::Likely) => "\nstill growing at the end",
        Some(Leak::Possible) => "\nperhaps still growing at the end",
        Some(Leak::Unknown) => "\nclimbs at the end",
        Some(Leak::None) => "\ngrew until the program ended",
        None => "",
    };
    let about: String =
        layer.about.iter().map(|line| format!("\n{}", visible_text(line))).collect();
    format!(
        "{head}\npeak {} {}\nmean {}, last {}\n{} of the total{growing}{about}",
        units.bytes(highest),
        when(chart, sample),
        units.text(layer.mean.round() as u128),
        units.bytes(at(layer, chart.last_full())),
        share_of_mean(chart, layer),
    )
}

/// The hover text of the line of all bands.
pub fn total_title(chart: &Chart, units: UnitSystem) -> String {
    match chart.peak() {
        Some(peak) => format!(
            "all bands, drawn or not\npeak {} {}",
            units.text(peak.total),
            when(chart, peak.sample)
        ),
        None => "all bands".to_owned(),
    }
}

/// The hover text of what lies between the drawn bands and the line of all bands.
pub fn undrawn_title(chart: &Chart) -> String {
    let (small, excluded) = (chart.trace.bands, chart.excluded.bands);
    let words = [(small, "too small to be drawn"), (excluded, "excluded")];
    let words = words.into_iter().filter(|(bands, _)| *bands > 0);
    let words = words.map(|(bands, what)| format!("{} {what}", count(bands, "band")));
    words.collect::<Vec<_>>().join(", ")
}

/// The hover text of a marker.
pub fn marker_title(label: &str, time: Nanos) -> String {
    match label.is_empty() {
        true => format!("mark at {time}"),
        false => format!("{}\nat {time}", visible_text(label)),
    }
}

pub fn when(chart: &Chart, sample: usize) -> String {
    match (chart.clock, chart.times.get(sample)) {
        (Clock::Sample, _) | (_, None) => format!("in sample {}", chart.number(sample)),
        (_, Some(time)) => format!("at {time}"),
    }
}

pub fn title(chart: &Chart, options: &DrawOptions) -> String {
    match &options.heading.title {
        Heading::Text(text) => visible_text(text),
        Heading::Auto | Heading::None => format!("Heap profile of {}", visible_text(&chart.title)),
    }
}

/// A description of the picture for those who cannot see it.
pub fn description(chart: &Chart, options: &DrawOptions) -> String {
    let how = match options.view {
        View::Stacked => "as stacked areas",
        View::Lines => "as lines",
        View::Percent => "as shares of the total",
    };
    let is_known = chart.breakdown != Breakdown::Unknown;
    let what = if is_known { chart.breakdown.words() } else { "one per band" };
    let mut text = format!("Live heap over time {how}, {what}.");
    if let Some(peak) = chart.peak() {
        let total = options.units.text(peak.total);
        text += &format!(" The peak is {total} {}.", when(chart, peak.sample));
    }
    let mut biggest: Vec<&Layer> =
        chart.layers.iter().rev().filter(|layer| layer.role == LayerRole::Band).collect();
    biggest.sort_by(|a, b| b.mean.total_cmp(&a.mean));
    if !biggest.is_empty() {
        let share = |layer: &&Layer| {
            let name = visible_text(layer.names.first()?);
            Some(format!("{name} ({})", share_of_mean(chart, layer)))
        };
        let shares: Vec<String> = biggest.iter().take(3).filter_map(share).collect();
        text += &format!(" The biggest bands are {}.", shares.join(", "));
    }
    for note in &chart.notes {
        text += &format!(" Note: {}.", visible_text(note));
    }
    text
}

/// An id for every layer that depends only on its name, so that links to it are still valid for a
/// later run. Equal ids are numbered from the bottom of the stack.
pub fn ids(layers: &[Layer]) -> Vec<String> {
    let mut seen: HashMap<String, usize> = HashMap::new();
    layers
        .iter()
        .map(|layer| {
            // OTHER and a band named OTHER are two things.
            let id = match layer.role {
                LayerRole::Other => "other".to_owned(),
                LayerRole::Band => {
                    format!("{}{:08x}", slug(&layer.label), hash(&layer.label) as u32)
                }
            };
            let count = seen.entry(id.clone()).or_insert(0);
            *count += 1;
            if *count == 1 { id } else { format!("{id}-{count}") }
        })
        .collect()
}

/// The ASCII letters and digits at the start of a name, for human readers; empty, or ends in `-`.
fn slug(name: &str) -> String {
    let mut slug = String::new();
    for c in name.chars().take(24) {
        if c.is_ascii_alphanumeric() {
            slug.push(c.to_ascii_lowercase());
        } else if !slug.is_empty() && !slug.ends_with('-') {
            slug.push('-');
        }
    }
    if !slug.is_empty() && !slug.ends_with('-') {
        slug.push('-');
    }
    slug
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chart::testing;

    #[test]
    fn ids_are_names_and_a_hash_and_never_equal() {
        let mut chart = testing::chart_of_names(&["Data.Map.Map", "λ", "a", "b"]);
        chart.layers[3].label = chart.layers[2].label.clone();
        let ids = ids(&chart.layers);
        assert!(ids.iter().any(|id| id.starts_with("data-map-map-") && id.len() == 21), "{ids:?}");
        assert!(ids.iter().all(|id| {
            id.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-')
        }));
        assert!(ids.iter().any(|id| id.ends_with("-2")));
        let distinct: std::collections::HashSet<_> = ids.iter().collect();
        assert_eq!(distinct.len(), 4);
    }

    #[test]
    fn a_very_long_name_shows_both_ends() {
        let name = format!("{}{}{}", "λ".repeat(400), "m".repeat(1 << 20), "z".repeat(600));
        let text = visible_text(&name);
        assert_eq!(text, format!("{}…{}", "λ".repeat(250), "z".repeat(500)));
        assert_eq!(visible_text(&"a".repeat(1000)), "a".repeat(1000));
    }

    #[test]
    fn a_hover_text_gives_the_numbers() {
        let chart = testing::chart_of_names(&["A\u{1b}[31m"]);
        let title = layer_title(&chart, &chart.layers[0], UnitSystem::Binary);
        assert_eq!(
            title,
            "A\\u{1b}[31m\npeak 1 MiB at 60 ms\nmean 1 MiB, last 1 MiB\n100 % of the total"
        );
    }
}
