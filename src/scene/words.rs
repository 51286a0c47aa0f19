//! What the picture says in words: names of things, hover texts, the accessible description.

use std::collections::HashMap;

use super::colour::hash;
use crate::chart::{Breakdown, Chart, Clock, Layer, Role};
use crate::error::visible;
use crate::units::{Bytes, Nanos, percent};

/// A residency for people; sums beyond 64 bits are held there.
pub fn bytes(amount: u128) -> String {
    Bytes::new(u64::try_from(amount).unwrap_or(u64::MAX)).to_string()
}

/// A layer's name, fit to be shown.
pub fn name(layer: &Layer) -> String {
    match (layer.role, layer.label.is_empty()) {
        (Role::Band, true) => "(no name)".to_owned(),
        _ => visible(&layer.label),
    }
}

/// The highest residency of a layer and the first sample that has it.
pub fn peak(layer: &Layer) -> (Bytes, usize) {
    let highest = layer.residency.iter().copied().max().unwrap_or_default();
    (highest, layer.residency.iter().position(|&size| size == highest).unwrap_or(0))
}

/// What hovering over a layer says.
pub fn layer_title(chart: &Chart, layer: &Layer) -> String {
    let head = match layer.role {
        Role::Band => name(layer),
        Role::Other => format!("{}: {} bands", name(layer), layer.members),
    };
    let (highest, sample) = peak(layer);
    let samples = layer.residency.len().max(1) as u128;
    let last = layer.residency.last().copied().unwrap_or_default();
    format!(
        "{head}\npeak {highest} {}\nmean {}, last {last}\n{} of the total",
        when(chart, sample),
        bytes(layer.total / samples),
        percent(layer.total, chart.trace.grand_total),
    )
}

/// What hovering over the line of all bands says.
pub fn total_title(chart: &Chart) -> String {
    match chart.peak() {
        Some(peak) => format!(
            "all bands, trace elements included\npeak {} {}",
            bytes(peak.total),
            when(chart, peak.sample)
        ),
        None => "all bands".to_owned(),
    }
}

/// What hovering over a marker says.
pub fn marker_title(label: &str, time: Nanos) -> String {
    match label.is_empty() {
        true => format!("mark at {time}"),
        false => format!("{}\nat {time}", visible(label)),
    }
}

fn when(chart: &Chart, sample: usize) -> String {
    match (chart.clock, chart.times.get(sample)) {
        (Clock::Sample, _) | (_, None) => format!("in sample {}", sample + 1),
        (_, Some(time)) => format!("at {time}"),
    }
}

/// What the picture is called.
pub fn title(chart: &Chart) -> String {
    format!("Heap profile of {}", visible(&chart.title))
}

/// What it shows, for those who do not see it.
pub fn description(chart: &Chart) -> String {
    let mut text = format!(
        "Live heap over time as stacked areas, {}.",
        match chart.breakdown {
            Breakdown::Unknown => "one per band",
            other => other.words(),
        }
    );
    if let Some(peak) = chart.peak() {
        text += &format!(" The peak is {} {}.", bytes(peak.total), when(chart, peak.sample));
    }
    let mut biggest: Vec<&Layer> =
        chart.layers.iter().rev().filter(|layer| layer.role == Role::Band).collect();
    biggest.sort_by_key(|layer| std::cmp::Reverse(layer.total));
    if !biggest.is_empty() {
        let shares: Vec<String> = biggest
            .iter()
            .take(3)
            .map(|layer| {
                let share = percent(layer.total, chart.trace.grand_total);
                format!("{} ({share})", short(&name(layer)))
            })
            .collect();
        text += &format!(" The biggest bands are {}.", shares.join(", "));
    }
    for note in &chart.notes {
        text += &format!(" Note: {}.", visible(note));
    }
    text
}

/// At most some eighty characters of a name, for running text.
fn short(name: &str) -> String {
    match name.char_indices().nth(80) {
        Some((end, _)) => format!("{}…", &name[..end]),
        None => name.to_owned(),
    }
}

/// An id for every layer that depends on its name only, so that links to it outlive a run. Names
/// that come out equal are numbered from the bottom of the stack.
pub fn ids(layers: &[Layer]) -> Vec<String> {
    let mut seen: HashMap<String, usize> = HashMap::new();
    layers
        .iter()
        .map(|layer| {
            // OTHER and a band that is called so are two things.
            let id = match layer.role {
                Role::Other => "other".to_owned(),
                Role::Band => format!("{}{:08x}", slug(&layer.label), hash(&layer.label) as u32),
            };
            let count = seen.entry(id.clone()).or_insert(0);
            *count += 1;
            if *count == 1 { id } else { format!("{id}-{count}") }
        })
        .collect()
}

/// The ASCII letters and digits at the front of a name, for eyes; empty or ending in `-`.
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
    use crate::scene::testing;

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
    fn a_hover_text_gives_the_numbers() {
        let chart = testing::chart_of_names(&["A\u{1b}[31m"]);
        let title = layer_title(&chart, &chart.layers[0]);
        assert_eq!(
            title,
            "A\\u{1b}[31m\npeak 1 MiB at 60 ms\nmean 1 MiB, last 1 MiB\n100 % of the total"
        );
    }
}
