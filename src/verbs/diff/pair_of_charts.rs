//! A comparison as a picture: one run of each side, and next to them the change of each band over all
//! runs.

use super::Compared;
use super::compared::{amounts, short, signed, words};
use crate::analysis::{Leak, Metric};
use crate::base::units::UnitSystem;
use crate::chart::LayerRole;
use crate::chart::pair::{ChangeWords, Pair, PairSide, charts};
use crate::cli::read::counted;
use crate::cli::{Input, Message, Style};
use crate::compare::{BandRow, Change as Difference, FigureRow, MEAN_NOISE};
use crate::draw::{DrawOptions, LEAST_PAIR, XAxis};
use crate::profile::Clock;
use crate::slice::Slice;

/// The height of a picture of two runs in pixels, if none is given.
pub const USUAL_HEIGHT: f64 = 760.0;

/// Refuses sizes that are too small for two runs.
pub fn fitting_size(size: &DrawOptions) -> Result<(), String> {
    let (width, height) = LEAST_PAIR;
    match size.width < width || size.height < height {
        true => Err(format!(
            "a picture of two runs needs at least {width} x {height} pixels, not {:.0} x {:.0}",
            size.width, size.height
        )),
        false => Ok(()),
    }
}

/// What the picture of a comparison shows, and its horizontal axis.
///
/// # Errors
/// Runs whose clocks differ.
pub fn pair(compared: &Compared<'_>, style: &Style) -> Result<(Pair, XAxis), Message> {
    let units = style.draw.units;
    let chosen = [0, 1].map(|side| (compared.sides[side], compared.comparison.shown[side]));
    let slices = chosen.map(|(runs, i)| runs[i].1.slice());
    refuse_two_clocks(slices, chosen.map(|(runs, i)| runs[i].0))?;
    let rows = stacked(&compared.comparison.bands.rows, compared.bands);
    let bands: Vec<String> = rows.iter().map(|row| row.identity.clone()).collect();
    let [mut before, mut after] = charts(slices, &bands);
    for (chart, (runs, i)) in [&mut before, &mut after].into_iter().zip(chosen) {
        chart.mark_as(runs[i].1.picture());
    }
    let has_other = before.layers.first().is_some_and(|layer| layer.role == LayerRole::Other);
    let shown = |row: &&BandRow| change([row.before, row.after], row.change, units);
    let sums = compared.comparison.bands.sums;
    let other = has_other.then(|| {
        let sum = |side: fn(&BandRow) -> f64| rows.iter().map(|row| side(row)).sum::<f64>();
        let rest = [sums[0] - sum(|row| row.before), sums[1] - sum(|row| row.after)];
        let [before, after] = rest.map(|bytes| bytes.max(0.0));
        change([before, after], Difference::of_figure(before, after, MEAN_NOISE, None), units)
    });
    let changes = other.into_iter().chain(rows.iter().map(shown)).collect();
    let mut notes =
        vec!["change of the mean; ~ if two runs of the same program can differ by as much".into()];
    let matched = compared.comparison.bands.matched_percent;
    if matched < 95.0 {
        notes.push(format!("{matched:.0} % of the bytes are in bands of both runs"));
    }
    let [was_words, is_words] = chosen.map(|(runs, i)| words(runs, i));
    let [was, is] = compared.names().map(|name| short(&name));
    let leak = compared.comparison.leak[1].max(Leak::Possible);
    let is_marked = compared.comparison.is_worse() || leak == compared.comparison.leak[1];
    let pair = Pair {
        title: format!("{was} → {is}"),
        headline: compared.comparison.headline().with_arrows(),
        mark: is_marked.then_some(leak),
        facts: facts(&compared.comparison.figures, slices[0].clock(), units),
        notes,
        sides: [
            PairSide { words: was_words, chart: before },
            PairSide { words: is_words, chart: after },
        ],
        changes,
    };
    let x = match slices[0].clock() {
        Clock::Sample => XAxis::Sample,
        Clock::Elapsed | Clock::Mutator => XAxis::Time,
    };
    Ok((pair, x))
}

fn refuse_two_clocks(slices: [&Slice<'_>; 2], inputs: [&Input; 2]) -> Result<(), Message> {
    let clocks = slices.map(Slice::clock);
    if clocks[0] == clocks[1] {
        return Ok(());
    }
    let counts = |i: usize| format!("{} counts {}", inputs[i].name(), counted(clocks[i]));
    Err(Message::error(format!("one picture cannot show two clocks: {}, {}", counts(0), counts(1)))
        .hint("compare their figures with -f txt, or give both event logs or both .hp files"))
}

/// The bands with the greatest changes in the order of the stack, the biggest on top.
fn stacked(rows: &[BandRow], most: usize) -> Vec<&BandRow> {
    let most = if most == 0 { rows.len() } else { most };
    let mut rows: Vec<&BandRow> = rows.iter().take(most).collect();
    rows.sort_by(|a, b| (a.before + a.after).total_cmp(&(b.before + b.after)));
    rows
}

fn change([before, after]: [f64; 2], change: Difference, units: UnitSystem) -> ChangeWords {
    let [was, is] = amounts([before, after]).map(|amount| amount.text(units));
    let signed = || with_minus_sign(&signed(after - before).text(units));
    let change = if change == Difference::Same { "~".to_owned() } else { signed() };
    ChangeWords { before: was, after: is, change }
}

/// A figure as a picture writes it: no terminal or script reads its signs.
fn with_minus_sign(figure: &str) -> String {
    figure.replace('-', "−")
}

/// The changes of the figures, in words.
fn facts(figures: &[FigureRow], clock: Clock, units: UnitSystem) -> Vec<String> {
    figures
        .iter()
        .filter(|row| matches!(row.figure, Metric::Peak | Metric::Mean | Metric::Growth))
        .map(|row| {
            let name = row.figure.name();
            let value = |value| row.figure.unit().words(value, clock).text(units);
            let fact = match row.change == Difference::Same {
                true => format!("{name} ≈ {}", value(row.after)),
                false => {
                    let (was, is, change) = (value(row.before), value(row.after), row.change());
                    format!("{name} {was} → {is} ({change})")
                }
            };
            with_minus_sign(&fact)
        })
        .collect()
}
