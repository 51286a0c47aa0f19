//! The headline of an account: ten forms, one for each finding. Each says what happened in one verb, with heights that
//! stand on the axis, at most two names, and one time, and fits 120 characters: names have 40 of them together.

use super::constants::{FIFTH, LATE, TOLD};
use super::finding::{Finding, Unjudged};
use super::words::{place_of, rate};
use super::{Account, ClosureKind, Leak, Manner, Rise, Who};
use crate::base::sentence::{Sentence, name, rounded, say, size};
use crate::profile::glossary::LIST_CELL;
use crate::profile::{BandNames, Breakdown};

/// The most characters that the names in a headline have together.
const NAMES: usize = 40;

impl Account {
    /// The account in a few words. While the program is running, it describes what was seen so far: only
    /// the end of the run can show whether that is a leak.
    pub fn grade(&self) -> &'static str {
        match (&self.finding, self.leak) {
            (Finding::GrewToExit { .. }, _) => "grew until the program ended",
            (Finding::Climbs { .. }, _) if self.is_running => "climbs so far",
            (Finding::Climbs { .. }, _) => "climbs at the end",
            (Finding::Peak { .. }, _) if self.is_running => "peak so far",
            (Finding::Peak { .. }, _) => "peak",
            (_, Leak::None) if self.is_running => "no leak so far",
            (_, Leak::Possible) if self.is_running => "possible leak so far",
            (_, Leak::Unknown) if self.is_running => "too early to tell",
            (_, leak) => leak.words(),
        }
    }

    /// The headline: the grade, and the fact behind it.
    pub fn headline(&self) -> Sentence {
        let between = if matches!(self.finding, Finding::Peak { .. }) { " of " } else { ": " };
        say![self.grade(), between, self.facts()]
    }

    /// The fact behind the grade.
    pub fn facts(&self) -> Sentence {
        if let Some(excused) = self.leading_excused() {
            let since = format!(" since {}", excused.since_text());
            let why = match excused.kind {
                Some(ClosureKind::CompactRegion) => " (a compact region)",
                Some(_) | None => " (accepted)",
            };
            let label = short_name(&excused.label, self.breakdown);
            return say![name(label), " grew by ", size(excused.grew()), since, why];
        }
        let jump =
            self.jumps_to.map_or_else(Sentence::default, |to| say![", then up to ", rounded(to)]);
        let is_open = self.leak == Leak::Unknown && !self.is_running;
        let is_asked = matches!(
            self.finding,
            Finding::Climbs { .. } | Finding::Fills { .. } | Finding::LowsRise { .. }
        );
        say![self.fact(), jump, if is_open && is_asked { "; run it longer" } else { "" }]
    }

    fn fact(&self) -> Sentence {
        let until = |rise: &Rise| place_of(rise.until, rise.until_sample);
        let who = |rise: &Rise| self.in_brackets(rise.gain);
        match &self.finding {
            Finding::Grows => self.grows(),
            Finding::LowsRise { rise, from, to, bursts } => {
                let under = format!(" under {bursts} bursts");
                say!["lows rise from ", rounded(*from), " to ", rounded(*to), under, who(rise)]
            }
            // A band may rise in a heap that falls, or is level.
            Finding::GrewToExit { rise, to } | Finding::Climbs { rise, to }
                if rise.row().is_some() =>
            {
                say![name(short_name(&rise.label, self.breakdown)), " to ", rounded(*to)]
            }
            Finding::GrewToExit { rise, to } | Finding::Climbs { rise, to } => {
                say!["to ", rounded(*to), who(rise)]
            }
            Finding::Peak { rise, high, end } => {
                let last = match self.is_freed {
                    true => " before its exit",
                    false if self.is_running => " now",
                    false => " at the end",
                };
                let climbs = if self.leak == Leak::Unknown { "climbs to " } else { "" };
                say![
                    rounded(*high),
                    " at ",
                    until(rise),
                    who(rise),
                    ", ",
                    climbs,
                    rounded(*end),
                    last
                ]
            }
            Finding::Bursts { rise, high, low } => {
                let back = say![", back under ", rounded(*low), " between them"];
                say!["bursts to ", rounded(*high), who(rise), back]
            }
            Finding::Fills { rise, low, high } => {
                say!["fills by ", until(rise), who(rise), ", then ", level(*low, *high)]
            }
            Finding::Falls { from, to } => {
                say!["falls from ", rounded(*from), " to ", rounded(*to)]
            }
            Finding::Level { low, high } => level(*low, *high),
            Finding::CannotTell(Unjudged::TwoProcesses) => {
                "two processes wrote their samples into this file in turn, as after a fork".into()
            }
            Finding::CannotTell(Unjudged::FewSamples) => match self.samples {
                1 => "1 sample".into(),
                n => format!("{n} samples").into(),
            },
        }
    }

    /// What may grow, if it grows by much in a heap that is level otherwise.
    fn leading_excused(&self) -> Option<&Rise> {
        let first = self.excused.first().filter(|_| self.finding.is_quiet())?;
        (first.end.reaches_the_end() && first.gain >= TOLD * self.high).then_some(first)
    }

    /// What is accused: who, by how much, since when, how fast.
    fn grows(&self) -> Sentence {
        let Some(first) = self.suspects.first() else { return Sentence::default() };
        let names = match first.who {
            Who::Heap => vec![first.label.clone()],
            Who::Live => vec!["live bytes".to_owned()],
            Who::Memory if first.kind == Some(ClosureKind::OffHeap) => {
                vec!["memory off the heap".to_owned()]
            }
            Who::Memory => vec!["memory held".to_owned()],
            Who::Band(_) => {
                let is_much = |rise: &&Rise| rise.gain >= FIFTH * self.grew as f64;
                self.short(self.suspects.iter().filter(is_much).map(|rise| &*rise.label))
            }
        };
        let all = self.counted().count();
        let (between, more) = match all.saturating_sub(names.len()) {
            _ if names.is_empty() => ("", format!("{all} bands")),
            0 => (" and ", String::new()),
            more => (", ", format!(" and {more} more")),
        };
        let mut who = Sentence::default();
        for (at, one) in names.iter().enumerate() {
            who = say![who, if at == 0 { "" } else { between }, name(one)];
        }
        if first.who == Who::Heap {
            who = say![who, self.in_brackets(first.gain)];
        }
        let since = self.begun().unwrap_or(first).since_text();
        let pace = match self.slows_down() {
            true => ", slowing down".into(),
            false if self.rate() > 0.0 => say![" (", rate(self.rate(), self.clock), ")"],
            false => Sentence::default(),
        };
        say![who, more, " grew by ", size(self.grew), " since ", since, pace]
    }

    /// Whether what is accused gains much less in the second half of its time.
    pub(crate) fn slows_down(&self) -> bool {
        let sum = |of: fn(&Rise) -> f64| self.suspects.iter().map(of).sum::<f64>();
        let is_steady = |rise: &Rise| rise.manner == Manner::Steady;
        self.suspects.first().is_some_and(is_steady)
            && sum(|rise| rise.second_half * rise.gain) < LATE * sum(|rise| rise.gain)
    }

    /// Who made a fair part of what was gained: ` (THUNK, Map)`.
    fn in_brackets(&self, gain: f64) -> Sentence {
        let is_fair = |change: i64| change as f64 >= FIFTH * gain;
        let fair = self.named.iter().filter(|band| is_fair(band.change));
        let names = self.short(fair.map(|band| &*band.label));
        match &names[..] {
            [] => Sentence::default(),
            [one] => say![" (", name(one), ")"],
            [one, two, ..] => say![" (", name(one), ", ", name(two), ")"],
        }
    }

    /// The first of some labels as short names; two, if both fit and differ.
    fn short<'a>(&self, labels: impl Iterator<Item = &'a str>) -> Vec<String> {
        let mut names: Vec<String> =
            labels.take(2).map(|label| short_name(label, self.breakdown)).collect();
        let length: usize = names.iter().map(|name| name.chars().count()).sum();
        if names.len() == 2 && (length > NAMES || names[0] == names[1]) {
            names.pop();
        }
        names
    }
}

/// Where a heap is that is level: at a height, or between two.
fn level(low: f64, high: f64) -> Sentence {
    match low == high {
        true => say!["level at ", rounded(high)],
        false => say!["between ", rounded(low), " and ", rounded(high)],
    }
}

/// A label without the number that a `.hp` gives it and without its package; of a stack its top.
pub(crate) fn short_name(label: &str, breakdown: Breakdown) -> String {
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let numbered = label.strip_prefix('(').and_then(|rest| rest.split_once(')'));
    let label = match numbered {
        Some((number, rest)) if is_number(number) && !rest.is_empty() => rest,
        Some(_) | None => label,
    };
    let qualified = label.split_once(':').filter(|(package, own)| {
        let is_package = |b: u8| b.is_ascii_alphanumeric() || b"-._".contains(&b);
        !package.is_empty()
            && package.bytes().all(is_package)
            && own.starts_with(|c: char| c.is_ascii_uppercase())
    });
    let label = qualified.map_or(label, |(_, own)| own);
    let label = match (label, breakdown.traits().names) {
        (":" | "GHC.Types.:" | "GHC.Internal.Types.:", _) => LIST_CELL,
        (_, BandNames::Stacks) => top_of(label),
        (_, _) => label,
    };
    let label = label.strip_prefix('<').and_then(|rest| rest.strip_suffix('>')).unwrap_or(label);
    let is_long = |label: &str| label.chars().count() > NAMES;
    if !is_long(label) {
        return label.to_owned();
    }
    // Its place in the source, and the stack below its top, say less.
    let label = label.rsplit_once(" (").map_or(label, |(label, _)| label);
    let label = top_of(label);
    if !is_long(label) {
        return label.to_owned();
    }
    // Whole words are cut off, if that is enough.
    let between = if label.contains(' ') { ' ' } else { '.' };
    let mut words = label.match_indices(between).map(|(at, _)| &label[at + 1..]);
    let fits = |rest: &&str| (NAMES / 4..NAMES).contains(&rest.chars().count());
    let last = || label.char_indices().rev().nth(NAMES - 2).map_or(label, |(at, _)| &label[at..]);
    format!("…{}", words.find(fits).unwrap_or_else(last))
}

/// The top of a stack. A name that begins with a slash is an operator or a path, and stays whole.
fn top_of(label: &str) -> &str {
    label.split('/').next().filter(|top| !top.is_empty()).unwrap_or(label)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::Analysis;
    use crate::analysis::testing::{Curve, curves};
    use crate::incident::End;
    use crate::slice::Slice;

    /// The headline of a run of so many samples, a second apart, and that of the same run while it goes on.
    fn headlines(samples: usize, bands: &[(&str, Curve<'_>)]) -> [String; 2] {
        [false, true].map(|is_running| {
            let mut builder = curves(samples, bands);
            if is_running {
                builder.incidents.end(End::Running);
            }
            let profile = builder.finish();
            Analysis::account_of(&Slice::whole(&profile), &[]).headline().to_string()
        })
    }

    #[test]
    fn each_finding_has_a_headline() {
        let teeth = |floor: f64| {
            move |i: f64| {
                let low = 1e5 + floor * (i / 20.0).floor();
                low + (2e6 - low) * (i % 20.0) / 19.0
            }
        };
        let (floor, rising) = (teeth(0.0), teeth(8e4));
        let bursts = |i: f64| if i % 5.0 < 4.0 { 1e5 } else { 1e5 + 1e4 * i };
        let forms: [(usize, Curve<'_>, &str); 20] = [
            (120, &rising, "possible leak: lows rise from 176 KiB to 488 KiB under 5 bursts (a)"),
            (
                76,
                &rising,
                "cannot tell: lows rise from 176 KiB to 332 KiB under 3 bursts (a); run it longer",
            ),
            (
                100,
                &|i| 1e6 + 2e5 * (i - 90.0).max(0.0),
                "climbs at the end: to 2.67 MiB (a); run it longer",
            ),
            (
                100,
                &|i| 1e6 + 1e5 * (30.0 - (i - 40.0).abs()).max(0.0),
                "peak of 3.81 MiB at 40 s (a), 977 KiB at the end",
            ),
            (
                100,
                &|i| 2e5 + 1e5 * (30.0 - (i - 40.0).abs()).max(0.7 * (i - 70.0)).max(0.0),
                "peak of 3.05 MiB at 40 s (a), climbs to 2.13 MiB at the end",
            ),
            (100, &floor, "no leak: bursts to 1.91 MiB (a), back under 97.7 KiB between them"),
            (100, &bursts, "climbs at the end: to 1.04 MiB (a); run it longer"),
            (
                100,
                &|i| if i < 40.0 { 1e5 * i } else { 2.5e5 * (i - 85.0).max(0.4) },
                "peak of 3.72 MiB at 39 s (a), climbs to 3.34 MiB at the end",
            ),
            (
                100,
                &|i| libm::exp2(libm::log2(i.max(1.0)).floor()) * 1e5,
                "cannot tell: fills by 64 s (a), then level at 6.1 MiB; run it longer",
            ),
            (100, &|i| 1e5 * i.min(30.0), "no leak: fills by 30 s (a), then level at 2.86 MiB"),
            (
                100,
                &|i| 1e5 * i.min(30.0) + if i < 30.0 { 0.0 } else { 4e5 * (i % 4.0) },
                "no leak: fills by 30 s (a), then between 2.86 MiB and 4.01 MiB",
            ),
            (100, &|i| 1e7 - 9e4 * i, "no leak: falls from 9.54 MiB to 1.04 MiB"),
            // It was low before it was high.
            (
                100,
                &|i| if i < 1.0 { 1e6 } else { 1e7 - 9e4 * i },
                "peak of 9.45 MiB at 1 s (a), 1.04 MiB at the end",
            ),
            (100, &|i| 1e6 + 1e4 * (i % 3.0), "no leak: level at 986 KiB"),
            (100, &|i| if i < 60.0 { 1e6 } else { 1.2e6 }, "no leak: between 977 KiB and 1.14 MiB"),
            (
                100,
                &|i| if i < 97.0 { 1e6 } else { 1.15e6 },
                "no leak: level at 977 KiB, then up to 1.1 MiB",
            ),
            (100, &|i| if i == 50.0 { 1.15e6 } else { 1e6 }, "no leak: level at 977 KiB"),
            (
                68,
                &|i| 1e5 + 2e6 * (i % 24.0) / 24.0,
                "no leak: bursts to 1.92 MiB (a), back under 97.7 KiB between them",
            ),
            (13, &|i| 1e6 * (1.0 + i % 5.0), "cannot tell: 13 samples"),
            (1, &|_| 1e6, "cannot tell: 1 sample"),
        ];
        let so_far = [
            ("no leak", "no leak so far"),
            ("possible leak", "possible leak so far"),
            ("cannot tell", "too early to tell"),
            ("climbs at the end", "climbs so far"),
            ("peak", "peak so far"),
            (" at the end", " now"),
            ("; run it longer", ""),
        ];
        for (samples, curve, says) in forms {
            let running =
                so_far.iter().fold(says.to_owned(), |says, (of, to)| says.replace(of, to));
            assert_eq!(headlines(samples, &[("a", curve)]), [says.to_owned(), running]);
        }
        // Two bands that change places are no growth, and these samples are too few to say more.
        let swap = headlines(11, &[("a", &|i| 1e5 + 4e4 * i), ("b", &|i| 9e5 - 4e4 * i)]);
        assert_eq!(swap, ["cannot tell: 11 samples", "too early to tell: 11 samples"]);
        // Only the end of a run shows these.
        let grows = headlines(100, &[("a", &|i| 1e6 + 2e5 * i)]);
        let rate = "a grew by 18.9 MiB since the start (195 KiB/s)";
        assert_eq!(
            grows,
            ["likely leak: ", "possible leak so far: "].map(|is| format!("{is}{rate}"))
        );
        // The exit frees it at once, most of it, or not.
        for (left, says) in [
            ([9.8e6, 6e6], "grew until the program ended: to 9.35 MiB (a)"),
            ([6e6, 3e6], "grew until the program ended: to 9.25 MiB (a)"),
            ([8.5e6, 6e6], "peak of 9.25 MiB at 97 s (a), 5.72 MiB at the end"),
        ] {
            let curve = |i: f64| if i < 98.0 { 1e5 * i } else { left[i as usize - 98] };
            assert_eq!(headlines(100, &[("a", &curve)])[0], says);
        }
    }

    #[test]
    fn who_made_a_fair_part_is_named_and_all_fits() {
        let says = |bands: &[(&str, Curve<'_>)]| headlines(100, bands).into_iter().next().unwrap();
        let [one, half, fifth]: [Curve<'_>; 3] =
            [&|i| 1e6 + 1e5 * i, &|i| 1e6 + 5e4 * i, &|i| 1e6 + 2e4 * i];
        let grew = |who: &str, by: &str| format!("likely leak: {who} grew by {by}");
        let (long, longer) = ("m".repeat(30), "n".repeat(50));
        for (bands, begins) in [
            (&[("fast", one), ("slow", half)][..], grew("fast and slow", "14.2 MiB")),
            (
                &[("fast", one), ("slow", half), ("c", half)],
                grew("fast, slow and 1 more", "18.9 MiB"),
            ),
            (&[("fast", one), ("slow", fifth)], grew("fast and 1 more", "11.3 MiB")),
            (&[("b/c", one), (&long, half)], grew("b/c and mmm", "")),
            (
                &[(&long, one), ("a long name", half)],
                grew(&format!("{long} and 1 more"), "14.2 MiB"),
            ),
            (&[(&longer, one)], grew(&format!("…{}", &longer[..39]), "9.44 MiB")),
        ] {
            let says = says(bands);
            let begins = begins.strip_suffix(" grew by ").unwrap_or(&begins);
            assert!(says.starts_with(begins) && says.chars().count() <= 120, "{says}");
        }
        // What begins later grows faster than both since then.
        let late: Curve<'_> = &|i| 1e6 + 2e5 * (i - 49.0).max(0.0);
        let both = "likely leak: late and fast grew by 19 MiB since the start (196 KiB/s)";
        assert_eq!(says(&[("fast", one), ("late", late)]), both);
        // What is large only at the peak counts half.
        let [spike, ramp, more]: [Curve<'_>; 3] = [
            &|i| if i == 50.0 { 9e6 } else { 0.0 },
            &|i| if i < 60.0 { 1e5 * i } else { 1e5 },
            &|i| if i == 50.0 { 6e6 } else { 0.0 },
        ];
        let peak = "peak of 19.1 MiB at 50 s (ramp, spike), 97.7 KiB at the end";
        assert_eq!(says(&[("ramp", ramp), ("spike", spike), ("more", more)]), peak);
        // The exit frees an array that doubled.
        let doubles = |i: f64| libm::exp2(libm::log2(i.max(1.0)).floor()) * 1e5;
        let freed: Curve<'_> = &|i| if i < 98.0 { doubles(i) } else { 1e5 };
        let open = "cannot tell: fills by 64 s (array), then level at 6.1 MiB; run it longer";
        assert_eq!(says(&[("array", freed)]), open);
        let names: Vec<String> = (0..51).map(|band| format!("b{band}")).collect();
        let many: Vec<(&str, Curve<'_>)> = names.iter().map(|name| (&**name, half)).collect();
        assert!(says(&many).starts_with(&grew("51 bands", "241 MiB")), "{}", says(&many));
    }

    #[test]
    fn a_name_has_neither_number_nor_package_and_of_a_stack_its_top() {
        for (label, breakdown, name) in [
            ("ghc-prim:GHC.Types.:", Breakdown::ClosureType, "(:)"),
            (
                "containers-0.6.7:Data.Map.Internal.Bin",
                Breakdown::ClosureType,
                "Data.Map.Internal.Bin",
            ),
            ("(12)go.f/go/main", Breakdown::CostCentre, "go.f"),
            ("(12)", Breakdown::CostCentre, "(12)"),
            ("a/b", Breakdown::ClosureType, "a/b"),
            ("main:x", Breakdown::ClosureDescription, "main:x"),
            (":", Breakdown::Type, "(:)"),
            ("/=", Breakdown::CostCentre, "/="),
            (
                "THUNK of String made by main (Main, src/A/Long.hs:1)",
                Breakdown::InfoTable,
                "THUNK of String made by main",
            ),
            (
                "A.Module.Of.A.Very.Very.Long.Name.Of.A.Leaf/and/below",
                Breakdown::Retainer,
                "…Of.A.Very.Very.Long.Name.Of.A.Leaf",
            ),
            (
                "/a/very/long/path/of/a/folder/and/of/its/leaf.hs",
                Breakdown::ClosureDescription,
                "…ong/path/of/a/folder/and/of/its/leaf.hs",
            ),
        ] {
            assert_eq!(short_name(label, breakdown), name);
        }
    }
}
