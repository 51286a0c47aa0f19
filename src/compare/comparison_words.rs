//! A comparison in words.

use super::{BandRow, Change, Clocks, Comparison, FigureRow};
use crate::analysis::constants::TOLD;
use crate::analysis::metric::Unit;
use crate::analysis::{Leak, Metric, rate};
use crate::base::sentence::{Sentence, name, rounded, say};
use crate::base::units::count;

/// A change that two runs of the same program can also have.
const SAME: &str = "≈ same";

impl FigureRow {
    /// How it changed: `÷ 11`, `+12 %`, `gone`, `≈ same`; empty if this cannot be decided, and it is no memory.
    pub fn change(&self) -> String {
        let p = self.p.map_or(String::new(), |p| format!(" (p {p:.3})"));
        match (self.change, self.figure.unit()) {
            (Change::Same, _) => format!("{SAME}{p}"),
            (Change::Open, unit) if unit != Unit::Bytes => String::new(),
            (Change::Open, _) => ratio(self.before, self.after),
            (Change::Gone | Change::Less | Change::More | Change::New, _) => {
                format!("{}{p}", ratio(self.before, self.after))
            }
        }
    }
}

impl BandRow {
    /// What happened to it, in a few words: `new, grows`; empty if the amounts say everything.
    pub fn became(&self) -> String {
        let presence = match self.change {
            Change::Same => SAME,
            Change::Gone | Change::Less | Change::Open if self.after <= 0.0 => "gone",
            Change::New | Change::More | Change::Open if self.before <= 0.0 => "new",
            Change::Gone | Change::Less | Change::More | Change::New | Change::Open => "",
        };
        let growth = match self.grows {
            [_, true] => "grows",
            [true, false] if self.after > 0.0 => "no longer grows",
            [_, false] => "",
        };
        let words = [presence, growth].into_iter().filter(|text| !text.is_empty());
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
    /// How the leak changed: `repaired: THUNK grew by 18 MiB before`. Without one, the figure that changed.
    pub fn headline(&self) -> Sentence {
        let [leaks_before, leaks] = self.leak.map(|leak| leak >= Leak::Possible);
        if let Some(row) = self.told.and_then(|told| self.row(told)) {
            let leak = if leaks_before && leaks { "still leaks as before; " } else { "" };
            return say![leak, self.of_figure(row)];
        }
        match self.change {
            Change::Open => self.cannot_tell(),
            Change::Gone if leaks => {
                say![self.factor("repaired: grows "), "; what is left still grows"]
            }
            Change::Gone => say![self.leaked("repaired: ", 0), " before"],
            Change::New => self.leaked("new leak: ", 1),
            Change::Less | Change::More => self.factor("still leaks, "),
            Change::Same if leaks_before != leaks => {
                let [before, after] = self.leak.map(Leak::words);
                format!("grows as before ({before} before, {after} after)").into()
            }
            Change::Same if leaks => "still leaks as before".into(),
            Change::Same if self.leak == [Leak::None; 2] => "no leak before and after".into(),
            Change::Same => "about the same".into(),
        }
    }

    fn row(&self, figure: Metric) -> Option<&FigureRow> {
        self.figures.iter().find(|row| row.figure == figure)
    }

    fn values(&self, row: &FigureRow) -> Sentence {
        let value = |value| row.figure.unit().words(value, self.clock);
        say![value(row.before), " -> ", value(row.after)]
    }

    /// `peak 1.25 times as high: 7.3 MiB -> 9.1 MiB, Ledger.TxOut +1.74 MiB`.
    fn of_figure(&self, row: &FigureRow) -> Sentence {
        let how = if row.after > row.before { "times as high" } else { "times lower" };
        let (figure, times) = (self.name_of(row.figure), times(row.before, row.after));
        let head = say![format!("{figure} {times} {how}: "), self.values(row)];
        if matches!(row.figure, Metric::Peak | Metric::Mean) {
            return say![head, self.most_changed(row.change)];
        } else if row.figure != Metric::HeapSize {
            return head;
        }
        let areas = self.areas[usize::from(row.after > row.before)].clone();
        let areas = areas.map(|areas| say!["; of it ", areas]).unwrap_or_default();
        let is_live_same = self.row(Metric::Live).is_some_and(|live| live.change == Change::Same);
        say![head, areas, if is_live_same { "; live data the same" } else { "" }]
    }

    /// Who made most of a change of the heap, if it is a fair part of that.
    fn most_changed(&self, change: Change) -> Sentence {
        let all = self.bands.sums[1] - self.bands.sums[0];
        let band = self.bands.rows.iter().find(|band| band.change == change);
        let own = band.map_or(0.0, |band| band.after - band.before);
        match band.filter(|_| own / all >= TOLD) {
            Some(band) => {
                let sign = if own < 0.0 { " -" } else { " +" };
                say![", ", name(band.shown_names().swap_remove(0)), sign, rounded(own.abs())]
            }
            None => say![],
        }
    }

    /// Which side has too few samples, and how the peaks differ.
    fn cannot_tell(&self) -> Sentence {
        let which = match self.is_judged {
            [false, false] => "before and after",
            [false, true] => "before",
            [true, _] => "after",
        };
        let peaks = self.row(Metric::Peak).map(|peak| say!["; peak ", self.values(peak)]);
        say!["cannot tell: too few samples ", which, peaks.unwrap_or_default()]
    }

    /// `still leaks, 4.7 times less: 580 KiB/s -> 124 KiB/s`; without amounts if only one side is accused.
    fn factor(&self, begins: &'static str) -> Sentence {
        let [was, is] = if self.clocks == Clocks::Same { self.rate } else { self.grew };
        let amount = |amount| match self.clocks {
            Clocks::Same => rate(amount, self.clock),
            Clocks::Different => rounded(amount),
        };
        let word = if self.change == Change::More { "more" } else { "less" };
        match was.min(is) > 0.0 {
            true => {
                let times = times(was, is);
                say![begins, format!("{times} times {word}: "), amount(was), " -> ", amount(is)]
            }
            false => say![begins, word],
        }
    }

    /// Who is accused on a side: `new leak: THUNK and 2 more grew by 18 MiB`.
    fn leaked(&self, begins: &'static str, side: usize) -> Sentence {
        let who = match &self.accused[side][..] {
            [] => "the heap".into(),
            [one] => name(one),
            [first, others @ ..] => say![name(first), format!(" and {} more", others.len())],
        };
        say![begins, who, " grew by ", rounded(self.grew[side])]
    }

    /// The verdict on a side: `likely leak: grew by 18 MiB`.
    pub fn side(&self, side: usize) -> Sentence {
        match self.leak[side] {
            Leak::Unknown if !self.is_judged[side] => "too few samples".into(),
            Leak::Unknown | Leak::None => self.leak[side].words().into(),
            leak @ (Leak::Possible | Leak::Likely) => {
                say![leak.words(), ": grew by ", rounded(self.grew[side])]
            }
        }
    }

    /// What a figure is called here: without a common clock, a mean is over samples.
    pub(crate) fn name_of(&self, figure: Metric) -> &'static str {
        match (figure, self.clocks) {
            (Metric::Mean, Clocks::Different) => "mean over samples",
            (Metric::HeapSize, _) => "held memory",
            (Metric::Live, _) => "live data",
            (Metric::LongestPause, _) => "longest pause",
            (other, _) => other.name(),
        }
    }

    /// What a reader must know when the first `most` bands are listed.
    pub fn remarks(&self, most: usize) -> Vec<String> {
        let unlisted = self.bands.rows.len().saturating_sub(most);
        let unlisted = (unlisted > 0)
            .then(|| format!("{} not listed (-m 0 lists all)", count(unlisted, "smaller change")));
        let small = (self.bands.small > 0)
            .then(|| format!("{} below 1 % of the heap", count(self.bands.small, "more band")));
        let matched = self.bands.matched_percent;
        let are_renamed = matched < 50.0 && self.breakdown.traits().names_functions;
        let renamed = if are_renamed {
            ": names changed? -hy does not depend on names of functions"
        } else {
            ""
        };
        let matched = (matched < 99.5)
            .then(|| format!("{matched:.0} % of the bytes are in bands of both runs{renamed}"));
        let clocks = (self.clocks == Clocks::Different).then(|| {
            "no common clock: means are over samples, and rates and durations are left out"
                .to_owned()
        });
        [unlisted, small, matched, clocks].into_iter().flatten().collect()
    }
}

fn ratio(before: f64, after: f64) -> String {
    match (before > 0.0, after > 0.0, after / before) {
        (false, false, _) => SAME.to_owned(),
        (false, true, _) => "new".to_owned(),
        (true, false, _) => "gone".to_owned(),
        (true, true, ratio) if ratio >= 2.0 => format!("× {}", times(before, after)),
        (true, true, ratio) if ratio <= 0.5 => format!("÷ {}", times(before, after)),
        (true, true, ratio) => format!("{:+.0} %", 100.0 * (ratio - 1.0)),
    }
}

/// How many times as much one of two amounts is as the other.
pub fn times(before: f64, after: f64) -> String {
    match before.max(after) / before.min(after) {
        factor if factor < 2.0 => format!("{factor:.2}"),
        factor if factor < 10.0 => format!("{factor:.1}"),
        factor => format!("{factor:.0}"),
    }
}
