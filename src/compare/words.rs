//! A comparison in words.

use super::{BandRow, Change, Clocks, Comparison, FigureRow, Growth, Judgement, Presence, Side};
use crate::analysis::figure::Unit;
use crate::analysis::{Figure, Shape};
use crate::base::sentence::{Sentence, name, rounded, say};

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
            Some(Shape::GrewToExit) => say!["grew by ", grew, " until the end"],
            Some(Shape::Grows) => say!["grew by ", grew],
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
            Growth::Stopped if self.presence == Presence::Both => "stopped growing",
            Growth::Never | Growth::Stopped => "",
            Growth::Stayed => "still grows",
            Growth::Began => "grows",
        };
        let factor = match self.growth {
            Growth::Stayed => ratio(self.grew.0, self.grew.1),
            Growth::Never | Growth::Stopped | Growth::Began => String::new(),
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
        let factor = |was: f64, is: f64, how: &str| match was / is {
            factor if factor < 10.0 => format!("grows {factor:.1} times {how}"),
            factor => format!("grows {factor:.0} times {how}"),
        };
        let grows = before.grew > 0.0 && after.grew > 0.0;
        match self.change {
            Change::Gone => match self.named(Growth::Stopped) {
                Some(label) => say![name(label), " no longer grows", sides],
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
                Some(label) => say![name(label), " grows", sides],
                None => say!["growth is new", sides],
            },
            Change::Same if grows => say!["grows as before", sides],
            Change::Same if before.grew <= 0.0 && after.grew <= 0.0 => {
                "no growth before and after".into()
            }
            Change::Same => say!["about the same", sides],
            Change::Open => say!["cannot tell", sides],
        }
    }

    /// The band that changed its growth most in some way.
    fn named(&self, growth: Growth) -> Option<&str> {
        let change = |row: &&BandRow| (row.grew.1 - row.grew.0).abs();
        let bands = self.bands.iter().filter(|row| row.growth == growth);
        bands.max_by(|a, b| change(a).total_cmp(&change(b))).map(|row| &*row.label)
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
