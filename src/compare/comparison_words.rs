//! A comparison in words.

use super::{BandRow, Change, Clocks, Comparison, FigureRow, Presence};
use crate::analysis::constants::WORTH;
use crate::analysis::metric::Unit;
use crate::analysis::{Leak, Metric, Shape};
use crate::base::sentence::{Sentence, name, rounded, say};

/// A change that two runs of the same program can also have.
const SAME: &str = "≈ same";

impl FigureRow {
    /// How it changed: `÷ 11.4`, `+12 %`, `gone`, `≈ same`; empty if this cannot be decided.
    pub fn change(&self) -> String {
        let p = self.p.map_or(String::new(), |p| format!(" (p {p:.3})"));
        match self.change {
            Change::Same => format!("{SAME}{p}"),
            Change::Open => String::new(),
            Change::Gone | Change::Less | Change::More | Change::New => {
                format!("{}{p}", ratio(self.before, self.after))
            }
        }
    }

    /// The change in words, and of amounts of memory also how they differ where nothing can be decided.
    pub(crate) fn any_change(&self) -> String {
        match (self.change, self.figure.unit()) {
            (Change::Open, Unit::Bytes) => ratio(self.before, self.after),
            _ => self.change(),
        }
    }
}

impl BandRow {
    /// What happened to it, in a few words: `new, grows`; empty if the amounts say everything.
    pub fn became(&self) -> String {
        let presence = match (self.presence, self.change) {
            (Presence::New, _) => "new",
            (Presence::Gone, _) => "gone",
            (Presence::Both, Change::Same) => SAME,
            (Presence::Both, _) => "",
        };
        let factor = || ratio(self.grew[0], self.grew[1]);
        let growth = match self.growth {
            Change::Gone if self.presence == Presence::Gone => String::new(),
            Change::Gone if self.grew[1] > 0.0 => format!("grows less {}", factor()),
            Change::Gone => "no longer grows".to_owned(),
            Change::Less => format!("grows less {}", factor()),
            Change::Same | Change::Open => String::new(),
            Change::More => format!("grows more {}", factor()),
            Change::New => "grows".to_owned(),
        };
        let words = [presence, &growth].into_iter().filter(|text| !text.is_empty());
        words.collect::<Vec<_>>().join(", ")
    }

    /// What tables call it, best first: with the name that it may have now, only that.
    pub fn shown_names(&self) -> Vec<String> {
        match (&self.perhaps, self.names.first()) {
            (Some(perhaps), Some(name)) => vec![format!("{name} -> {perhaps} ?")],
            (Some(_) | None, _) => self.names.clone(),
        }
    }
}

impl Comparison {
    /// What the change did to the growth, before what it was: `repaired: THUNK no longer grows, 18 MiB -> 0 B`.
    pub fn headline(&self) -> Sentence {
        let [was, is] = self.grew;
        let leaks = self.leak.map(|leak| leak >= Leak::Possible);
        let amounts = say![": ", rounded(was), " -> ", rounded(is)];
        let peak = self.figures.iter().find(|row| row.figure == Metric::Peak);
        let peaks =
            peak.map(|row| say![": peak ", rounded(row.before), " -> ", rounded(row.after)]);
        let peaks = peaks.unwrap_or_default();
        let verb = match self.shape[0].max(self.shape[1]) {
            Some(Shape::BuiltUp | Shape::Level) => "builds up",
            Some(Shape::GrewToExit | Shape::Grows) | None => "grows",
        };
        let times = |a: f64, b: f64| match a / b {
            factor if factor < 10.0 => format!("{factor:.1} times"),
            factor => format!("{factor:.0} times"),
        };
        let is_by_growth = was.max(is) > 0.0 && Change::of_growth(was, is) == self.change;
        match self.change {
            Change::Open => "cannot tell: too few samples before and after".into(),
            Change::Gone | Change::Less if self.shape[1].is_none() => {
                say!["cannot tell: too few samples after to see whether it grows", peaks]
            }
            Change::Gone if leaks[1] => {
                say![
                    "repaired: grows ",
                    times(was, is),
                    " less",
                    amounts,
                    "; what is left still grows"
                ]
            }
            Change::Gone if leaks[0] => {
                say!["repaired: ", self.who(Change::Gone, "no longer grow"), amounts]
            }
            Change::Gone => say![self.who(Change::Gone, "no longer grow"), amounts],
            Change::Less if leaks[1] && is_by_growth => {
                say!["still leaks, ", times(was, is), " less", amounts]
            }
            Change::Less if is_by_growth => {
                say![format!("{verb} "), times(was, is), " less", amounts]
            }
            Change::Less => say!["the peak is lower", peaks],
            Change::Same if leaks[0] && leaks[1] => say!["still leaks as before", amounts],
            Change::Same if leaks == [false, false] && was.max(is) <= 0.0 => {
                "no leak before and after".into()
            }
            Change::Same if was.max(is) > 0.0 => say![format!("{verb} as before"), amounts],
            Change::Same => "about the same".into(),
            Change::More if is_by_growth => {
                say![format!("{verb} "), times(is, was), " more", amounts]
            }
            Change::More => say!["the peak is higher", peaks],
            Change::New => say!["new: ", self.who(Change::New, "grow"), amounts],
        }
    }

    /// Whose growth changed in this way: the band that changed most, and how many others make a fair part of that.
    fn who(&self, growth: Change, verb: &str) -> Sentence {
        let change = |row: &BandRow| (row.grew[1] - row.grew[0]).abs();
        // Of several that changed as much, the first of the table.
        let is_one = |row: &&BandRow| row.growth == growth && change(row) > 0.0;
        let all = self.bands.iter().rev().filter(is_one);
        let Some(largest) = all.clone().max_by(|a, b| change(a).total_cmp(&change(b))) else {
            return format!("all bands together {verb}").into();
        };
        let called = name(largest.names.first().unwrap_or(&largest.label));
        match all.filter(|row| change(row) >= WORTH * change(largest)).count() {
            1 => say![called, format!(" {verb}s")],
            n => say![called, format!(" and {} more {verb}", n - 1)],
        }
    }

    /// What a side did: `built up 177 MiB, freed`.
    pub fn side(&self, side: usize) -> Sentence {
        let grew = rounded(self.grew[side]);
        match self.shape[side] {
            None => "too few samples".into(),
            Some(Shape::Level) => "level".into(),
            Some(Shape::BuiltUp) if self.grew[side] <= 0.0 => Shape::BuiltUp.words().into(),
            Some(Shape::BuiltUp) => say!["built up ", grew, ", freed"],
            Some(Shape::GrewToExit) => say!["grew by ", grew, " until the program ended"],
            Some(Shape::Grows) => say!["grew by ", grew],
        }
    }

    /// The figures that can be compared: rates and durations of different clocks are different things.
    pub fn comparable(&self) -> impl Iterator<Item = &FigureRow> {
        let is_common = |row: &&FigureRow| self.clocks == Clocks::Same || !row.figure.is_by_clock();
        self.figures.iter().filter(is_common)
    }

    /// What a figure is called here: without a common clock, a mean is over samples.
    pub(crate) fn name_of(&self, figure: Metric) -> &'static str {
        match (figure, self.clocks) {
            (Metric::Mean, Clocks::Different) => "mean over samples",
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
