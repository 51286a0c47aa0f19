//! A comparison in words.

use super::{BandRow, Change, Clocks, Comparison, FigureRow, Growth, Judgement, Presence, Side};
use crate::analysis::figure::Unit;
use crate::analysis::{Figure, Shape};
use crate::base::sentence::{Sentence, name, rounded, say};

/// What changes by this share of what the first band does is counted with it.
const FAIR: f64 = 0.1;
/// A change that two runs of the same program can also have.
const SAME: &str = "≈ same";

impl FigureRow {
    /// How it changed: `÷ 11.4`, `+12 %`, `gone`, `≈ same`; empty if this cannot be decided.
    pub fn change(&self) -> String {
        let p = self.p.map_or(String::new(), |p| format!(" (p {p:.3})"));
        match self.judgement {
            Judgement::Same => format!("{SAME}{p}"),
            Judgement::Open => String::new(),
            Judgement::Differs => format!("{}{p}", ratio(self.before, self.after)),
        }
    }

    /// The same, and of amounts of memory also how they differ where nothing can be decided.
    pub(crate) fn any_change(&self) -> String {
        match (self.judgement, self.figure.unit()) {
            (Judgement::Open, Unit::Bytes) => ratio(self.before, self.after),
            _ => self.change(),
        }
    }
}

impl Side {
    /// What it did: `built up 177 MiB, freed`.
    pub fn words(&self) -> Sentence {
        let grew = rounded(self.grew);
        match self.shape {
            None => "too few samples".into(),
            Some(Shape::Level) => "level".into(),
            Some(Shape::BuiltUp) => say!["built up ", grew, ", freed"],
            Some(Shape::GrewToExit) => say!["grew by ", grew, " until the program ended"],
            Some(Shape::Grows) => say!["grew by ", grew],
        }
    }

    /// How one says that it did so: what is freed in the run does not grow.
    fn verb(&self) -> &'static str {
        match self.shape {
            Some(Shape::BuiltUp) => "builds up",
            Some(Shape::Level | Shape::GrewToExit | Shape::Grows) | None => "grows",
        }
    }
}

impl BandRow {
    /// What happened to it, in a few words: `new, grows`; empty if the amounts say everything.
    pub fn became(&self) -> String {
        let presence = match (self.presence, self.judgement) {
            (Presence::New, _) => "new",
            (Presence::Gone, _) => "gone",
            (Presence::Both, Judgement::Same) => SAME,
            (Presence::Both, _) => "",
        };
        let growth = match self.growth {
            Growth::Stopped if self.grew.1 > 0.0 => "grows less",
            Growth::Stopped if self.presence == Presence::Both => "stopped growing",
            Growth::Never | Growth::Stopped => "",
            Growth::Stayed => "still grows",
            Growth::Began => "grows",
        };
        let factor = match self.growth {
            Growth::Stayed | Growth::Stopped if self.grew.1 > 0.0 => {
                ratio(self.grew.0, self.grew.1)
            }
            Growth::Never | Growth::Stayed | Growth::Stopped | Growth::Began => String::new(),
        };
        let growth = format!("{growth} {factor}");
        let words = [presence, growth.trim()].into_iter().filter(|text| !text.is_empty());
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
    /// How the growth changed: `THUNK no longer grows: grew by 18 MiB -> level`.
    pub fn headline(&self) -> Sentence {
        let (before, after) = self.sides;
        let sides = say![": ", before.words(), " -> ", after.words()];
        let peak = self.figures.iter().find(|row| row.figure == Figure::Peak);
        let peaks =
            peak.map(|row| say![": peak ", rounded(row.before), " -> ", rounded(row.after)]);
        let peaks = peaks.unwrap_or_default();
        let verb = before.verb();
        let factor = |was: f64, is: f64, how: &str| match was / is {
            factor if factor < 10.0 => format!("{verb} {factor:.1} times {how}"),
            factor => format!("{verb} {factor:.0} times {how}"),
        };
        let grows = before.grew > 0.0 && after.grew > 0.0;
        match self.change {
            Change::Gone if after.shape.is_none() => {
                let is_lower = peak.is_some_and(|row| row.after < row.before);
                let start = if is_lower { "the peak is lower" } else { "cannot tell" };
                say![start, peaks, "; too few samples after to see whether it grows"]
            }
            // Little is left of the growth; but what is left grows.
            Change::Gone if grows => say![factor(before.grew, after.grew, "less"), sides],
            Change::Gone => match self.named(Growth::Stopped) {
                Some(who) => say![who, sides],
                None => say!["the growth is gone", sides],
            },
            Change::Less if grows && before.grew > after.grew => {
                say![factor(before.grew, after.grew, "less"), sides]
            }
            Change::Less if grows => say![factor(before.rate, after.rate, "slower"), sides],
            Change::Less => say!["the peak is lower", peaks],
            Change::More if grows && after.grew > before.grew => {
                say![factor(after.grew, before.grew, "more"), sides]
            }
            Change::More => say!["the peak is higher", peaks],
            Change::New => match self.named(Growth::Began) {
                Some(who) => say![who, sides],
                None => say!["growth is new", sides],
            },
            Change::Same if grows => say![format!("{verb} as before"), sides],
            Change::Same if before.grew <= 0.0 && after.grew <= 0.0 => {
                "no growth before and after".into()
            }
            Change::Same => say!["about the same", sides],
            Change::Open => say!["cannot tell", sides],
        }
    }

    /// Who began to grow or no longer does: the band that changed most, and how many others make a fair part of that.
    fn named(&self, growth: Growth) -> Option<Sentence> {
        let change = |row: &BandRow| (row.grew.1 - row.grew.0).abs();
        let all = self.bands.iter().filter(|row| row.growth == growth && change(row) > 0.0);
        let largest = all.clone().max_by(|a, b| change(a).total_cmp(&change(b)))?;
        let fair = |row: &&BandRow| change(row) >= FAIR * change(largest);
        let (one, many) = match growth {
            Growth::Began => (" grows", "grow"),
            Growth::Stopped | Growth::Stayed | Growth::Never => {
                (" no longer grows", "no longer grow")
            }
        };
        Some(match all.filter(fair).count() {
            1 => say![name(&largest.label), one],
            n => say![name(&largest.label), format!(" and {} more {many}", n - 1)],
        })
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
        let mut line = match self.matched_percent {
            matched if matched > 99.5 => "all bytes are in bands that both runs have".to_owned(),
            matched => format!("{matched:.0} % of the bytes are in bands that both runs have"),
        };
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
        return if after > 0.0 { "new".to_owned() } else { SAME.to_owned() };
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
