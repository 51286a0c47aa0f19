//! A comparison in words.

use super::{BandRow, Clocks, Comparison, Figure, FigureRow, Growth, Judgement, Presence};
use crate::analysis::{Leak, rate_text};
use crate::base::units::{Nanos, UnitSystem, percent_text};
use crate::profile::Clock;

impl Figure {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Figure::Peak => "peak",
            Figure::P99 => "p99",
            Figure::Mean => "mean",
            Figure::Final => "final",
            Figure::Growth => "growth",
            Figure::Kept => "kept of allocation",
            Figure::Duration => "duration",
            Figure::Samples => "samples",
        }
    }

    /// A value of it, with its unit.
    pub fn text(self, value: f64, clock: Clock, units: UnitSystem) -> String {
        match self {
            Figure::Growth if value == 0.0 => "0".to_owned(),
            Figure::Growth => rate_text(value, clock, units),
            Figure::Kept => percent_text(value),
            Figure::Duration => Nanos::from_nanos((value * 1e9).round() as i64).to_string(),
            Figure::Samples => format!("{value:.0}"),
            Figure::Peak | Figure::P99 | Figure::Mean | Figure::Final => {
                units.text(value.round() as u128)
            }
        }
    }
}

impl FigureRow {
    /// How it changed: `÷ 11.4`, `+12 %`, `gone`, `~`; empty if this cannot be decided.
    pub fn change(&self) -> String {
        let p = self.p.map_or(String::new(), |p| format!(" (p {p:.3})"));
        match self.judgement {
            Judgement::Same => format!("~{p}"),
            Judgement::Open => String::new(),
            Judgement::Differs => format!("{}{p}", ratio(self.before, self.after)),
        }
    }
}

impl BandRow {
    /// What happened to it, in a few words: `new, grows`; empty if the amounts say everything.
    pub fn became(&self) -> String {
        let presence = match (self.presence, self.judgement) {
            (Presence::New, _) => "new",
            (Presence::Gone, _) => "gone",
            (Presence::Both, Judgement::Same) => "~",
            (Presence::Both, _) => "",
        };
        let growth = match self.growth {
            Growth::Stopped if self.presence == Presence::Both => "stopped growing",
            Growth::Never | Growth::Stopped => "",
            Growth::Stayed => "still grows",
            Growth::Began => "grows",
        };
        let words = [presence, growth].into_iter().filter(|text| !text.is_empty());
        words.collect::<Vec<_>>().join(", ")
    }

    /// Its label, with the name that it may have now.
    pub fn name(&self) -> String {
        match &self.perhaps {
            Some(perhaps) => format!("{} -> {perhaps} ?", self.label),
            None => self.label.clone(),
        }
    }
}

impl Comparison {
    /// How the verdict changed: `a likely leak is new`.
    pub fn headline(&self) -> String {
        let (before, after) = self.verdicts;
        match (before >= Leak::Possible, after >= Leak::Possible) {
            (true, false) if after == Leak::None => format!("the {} is gone", before.words()),
            (false, true) if before == Leak::None => format!("a {} is new", after.words()),
            _ if before == after => format!("{} before and after", after.words()),
            _ => format!("{} before, {} after", before.words(), after.words()),
        }
    }

    /// The figures that can be compared: rates and durations of different clocks are different things.
    pub fn comparable(&self) -> impl Iterator<Item = &FigureRow> {
        let by_clock = |row: &FigureRow| matches!(row.figure, Figure::Growth | Figure::Duration);
        self.figures.iter().filter(move |row| self.clocks == Clocks::Same || !by_clock(row))
    }

    /// What a figure is called here: without a common clock, a mean is over samples.
    pub(crate) fn name_of(&self, figure: Figure) -> &'static str {
        match (figure, self.clocks) {
            (Figure::Mean, Clocks::Different) => "mean over samples",
            (other, _) => other.name(),
        }
    }

    /// What a reader must know when the first `most` bands are listed.
    pub fn remarks(&self, most: usize) -> Vec<String> {
        let mut lines = Vec::new();
        let unlisted = self.bands.len().saturating_sub(most);
        if unlisted > 0 {
            let changes = if unlisted == 1 { "change is" } else { "changes are" };
            lines.push(format!("{unlisted} smaller {changes} not listed (-m 0 lists all)"));
        }
        if self.small > 0 {
            let bands = if self.small == 1 { "band" } else { "bands" };
            lines.push(format!("{} more {bands}, below 1 % of the heap", self.small));
        }
        let matched = self.matched_percent;
        let matched = if matched > 99.5 { "100".to_owned() } else { format!("{matched:.0}") };
        let mut line = format!("matched {matched} % of the bytes");
        if self.matched_percent < 50.0 && self.breakdown.traits().names_functions {
            line.push_str(": names changed? -hy does not depend on names of functions");
        }
        lines.push(line);
        if self.clocks == Clocks::Different {
            lines.push(
                "the clocks differ: means are over samples, and rates and durations are left out"
                    .to_owned(),
            );
        }
        lines
    }
}

fn ratio(before: f64, after: f64) -> String {
    if before <= 0.0 {
        return if after > 0.0 { "new".to_owned() } else { "~".to_owned() };
    }
    if after <= 0.0 {
        return "gone".to_owned();
    }
    let ratio = after / before;
    if ratio >= 2.0 {
        format!("× {ratio:.1}")
    } else if ratio <= 0.5 {
        format!("÷ {:.1}", 1.0 / ratio)
    } else {
        format!("{:+.0} %", 100.0 * (ratio - 1.0))
    }
}
