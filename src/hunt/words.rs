//! What a hunt found, in words and as data.

use std::fmt::Write as _;
use std::path::Path;

use serde::Serialize;

use super::card::{self, Card};
use super::chain::{self, Chain, ChainLine, Part, is_system, line_only};
use super::execute::{Ended, Made, Step};
use crate::analysis;
use crate::analysis::budget::{Budget, Outcome};
use crate::analysis::{Ends, Headline, Leak, THUNKS_PILE_UP, VerdictData};
use crate::base::text::visible;
use crate::base::units::{UnitSystem, count};
use crate::draw::Heading;
use crate::export::json::BudgetJson;
use crate::kit::formats::Kind;
use crate::kit::look::Look;
use crate::kit::source::SourceLine;
use crate::kit::table::{WIDTH, code, cut, shortened, wrapped};
use crate::kit::target::{Output, Target};
use crate::kit::write::{Document, Made as Written};
use crate::picture::Scene;
use crate::profile::{Breakdown, Clock};
use crate::program::ghc_program::GhcProgram;
use crate::report::{self, LeadLine};
use crate::run::Run;

/// A run that was made, and what it shows, or why it shows nothing.
pub struct Found<'a> {
    pub made: &'a Made,
    pub run: Result<Run<'a>, String>,
}

/// What a hunt found.
pub struct Report<'a> {
    pub program: &'a GhcProgram,
    /// The runs; the first has a profile.
    pub runs: &'a [Found<'a>],
    pub chain: &'a Chain,
    /// What became of those that the last hunt found, if it is repeated.
    pub again: Vec<String>,
    pub budgets: &'a [(&'a Budget, Outcome)],
    /// Where the files of the runs are, if they are kept.
    pub kept: Option<&'a Path>,
    /// The pages that are written.
    pub pages: Vec<&'a Target>,
}

/// How wide the words of a line are, so that places stand below each other.
const WORDS: usize = 22;

impl Report<'_> {
    fn first(&self) -> &Run<'_> {
        self.runs[0].run.as_ref().expect("the first run has a profile")
    }

    fn lines(&self) -> Vec<ChainLine> {
        let mut lines = Vec::new();
        for (at, part) in self.chain.made_by.iter().enumerate() {
            let too = if at == 0 { "" } else { ", too" };
            let through = part.through.as_ref().map_or(String::new(), |by| format!(", by {by}"));
            lines.push(ChainLine {
                words: format!("{} makes it{through}{too}", part.label),
                what: None,
                place: part.place.clone(),
                share: Some(part.share),
            });
        }
        let mut is = |what: String, share: Option<f64>| {
            let words = "it is".to_owned();
            lines.push(ChainLine { words, what: Some(what), place: None, share });
        };
        let names = |parts: &mut dyn Iterator<Item = &Part>| {
            let names = parts.map(|part| shortened(&part.label, WIDTH / 2)).collect::<Vec<_>>();
            (!names.is_empty()).then(|| names.join(", "))
        };
        if let Some(names) = names(&mut self.unevaluated()) {
            is(format!("unevaluated: {names}"), Some(self.unevaluated_percent()));
        }
        if self.chain.is_pinned {
            let what = "pinned memory, the payload of ByteString and the like; GHC does not know who makes \
                        that, so the makers are those of what points to it";
            is(what.to_owned(), None);
        }
        // The closure types of a program without profiling.
        let is_said = |part: &&Part| !is_thunk(part);
        if let Some(names) = names(&mut self.chain.is.iter().filter(is_said)) {
            is(names, None);
        }
        for (at, part) in self.chain.held_by.iter().enumerate() {
            // The same line is not shown twice.
            let is_new = self.chain.held_by[..at].iter().all(|other| other.place != part.place);
            let place = part.place.clone().filter(|_| is_new);
            lines.push(ChainLine { words: held(part, at > 0), what: None, place, share: None });
        }
        lines
    }

    /// The kinds of thunks that grow; the type of a thunk is that of its value.
    fn unevaluated(&self) -> impl Iterator<Item = &Part> {
        // Info tables say more of the same thunks than the types of closures do.
        let kinds = if self.chain.kinds.iter().any(is_thunk) { &[][..] } else { &self.chain.is };
        self.chain.kinds.iter().chain(kinds).filter(|part| is_thunk(part))
    }

    fn unevaluated_percent(&self) -> f64 {
        self.unevaluated().map(|part| part.share).sum::<f64>().min(100.0)
    }

    /// What is known of memory outside of GHC's heap.
    fn off_heap_words(&self, units: UnitSystem) -> Option<String> {
        let heap = match self.has_no_leak() {
            true => "GHC's heap is level",
            false => "GHC's heap grows, too",
        };
        let outside = self.first().verdict().outside_text(units);
        (!outside.is_empty()).then(|| format!("{}; {heap}", outside.join("; ")))
    }

    /// The verdict, and the fact on which it rests.
    fn verdict(&self, units: UnitSystem, quote: &dyn Fn(&str) -> String) -> (&'static str, String) {
        let (run, verdict) = (self.first(), self.first().verdict());
        let name = |row| run.name_of(row).map(|name| quote(&name));
        (verdict.grade(), verdict.fact(units, &name))
    }

    /// The same in one line, with what is known of memory outside of the heap.
    fn headline(&self, units: UnitSystem) -> String {
        let (grade, fact) = self.verdict(units, &str::to_owned);
        let off_heap =
            self.off_heap_words(units).map_or(String::new(), |words| format!("{words}; "));
        format!("{off_heap}{grade}: {fact}")
    }

    /// The run on which the verdict rests.
    fn basis(&self) -> String {
        let first = &self.runs[0].made;
        let seconds = first.executed.wall.as_secs_f64();
        let samples = count(self.first().verdict().samples, "sample");
        let own = first.own_work().map_or(String::new(), |own| {
            format!(", {:.2} s of them its own work", own.as_secs_f64())
        });
        format!("by run 1, {}: {samples} in {seconds:.0} s{own}", first.name())
    }

    fn has_no_leak(&self) -> bool {
        self.first().verdict().leak < Leak::Possible
    }

    /// What a chain is about where there is no leak.
    fn heading_without_leak(&self) -> Option<&'static str> {
        let says = self.has_no_leak() && !self.lines().is_empty();
        let built_up = match &self.first().verdict().headline {
            Headline::Rose { ends, .. } => matches!(ends, Ends::Freed | Ends::UntilTheProgramEnded),
            _ => false,
        };
        says.then_some(match built_up {
            true => "Who filled the peak:",
            false => "What rose most, which may be a cache that is filling:",
        })
    }

    /// What was not found, and what would find it.
    fn missing(&self) -> Vec<String> {
        let mut missing = Vec::new();
        if self.unevaluated_percent() >= 50.0 {
            missing.push(THUNKS_PILE_UP.to_owned());
        }
        let first = &self.runs[0].made.executed;
        if first.ended == Ended::Time && !self.has_no_leak() {
            let seconds = first.wall.as_secs_f64();
            missing.push(format!(
                "This is of its first {seconds:.0} s: what was still starting up or filling then looks \
                 like a leak, too. Let it run longer (--for), or leave its start out (--warmup)."
            ));
        }
        if self.has_no_leak() {
            let seconds = first.wall.as_secs_f64();
            missing.push(match (first.ended, self.runs[0].made.own_work()) {
                (Ended::Itself, _) => "give it more to do, or other input".to_owned(),
                (Ended::Time | Ended::User(_) | Ended::Again, None) => {
                    "let it run longer (--for 2min), or give it other input".to_owned()
                }
                (Ended::Time | Ended::User(_) | Ended::Again, Some(own)) => {
                    let minutes = (seconds * seconds / own.as_secs_f64().max(0.01) / 60.0).ceil();
                    format!(
                        "most of the time was for collections and samples of a large heap: for {seconds:.0} s \
                         of the program's own work, give it --for {minutes:.0}min"
                    )
                }
            });
        }
        if self.has_no_leak() && self.lines().is_empty() {
            return missing;
        }
        if !self.program.profiled && self.program.lacks_libraries {
            missing.push(
                "who holds it can be seen if GHC's profiling libraries are installed (of Debian's GHC: \
                 apt install ghc-prof); then hunt builds for profiling"
                    .to_owned(),
            );
            return missing;
        }
        if !self.program.profiled {
            let why = "who makes it and who holds it can be seen if it is built for profiling; in the \
                       folder of its source, this does both:";
            missing.push(why.to_owned());
            missing.push(format!("  {}", self.program.profiling_build()));
            return missing;
        }
        if self.chain.made_by.is_empty() {
            missing.push(match self.chain.nobody {
                Some("MAIN") => "no function makes it: it is charged to MAIN, which stands for code without cost \
                                 centres, such as libraries. Give the packages that may make it some (of cabal: \
                                 profiling-detail: all-functions for them in cabal.project.local)"
                    .to_owned(),
                Some(_) => "no function makes it: it is charged to SYSTEM, the run-time system itself, which makes \
                            threads, their stacks and its own tables"
                    .to_owned(),
                None => "the first run names no function: no single band grows, only all together".to_owned(),
            });
        }
        for found in &self.runs[1..] {
            let is_missing = match found.made.step {
                Step::Types => self.chain.is.is_empty(),
                Step::Holders => self.chain.held_by.is_empty(),
                Step::Kinds => self.chain.kinds.is_empty(),
                Step::Makers | Step::ClosureTypes | Step::InfoTables => false,
            };
            if is_missing {
                let name = found.made.name();
                missing.push(format!("the run {name} found nothing: let it run longer (--for)"));
            }
        }
        missing
    }
}

/// Whether a kind of closure is an expression that is not evaluated.
fn is_thunk(part: &Part) -> bool {
    let kind_of = Breakdown::ClosureType.traits().kind_of;
    kind_of(&part.label) == Some(analysis::Kind::Unevaluated)
}

/// Words, and beside them a text, of as many lines as it needs.
fn beside(words: &str, text: &str) -> String {
    let (mut out, mut room) = (format!("{words:<WORDS$}"), WIDTH - WORDS);
    for word in text.split(' ') {
        let length = word.chars().count() + 1;
        if length > room && room < WIDTH - WORDS {
            let _ = write!(out, "\n{:WORDS$}", "");
            room = WIDTH - WORDS;
        }
        let _ = write!(out, " {word}");
        room = room.saturating_sub(length);
    }
    out.push('\n');
    out
}

fn held(part: &Part, too: bool) -> String {
    let names: Vec<&str> = part.label.split(", ").collect();
    let too = if too { ", too" } else { "" };
    match &names[..] {
        names if names.iter().all(|name| is_system(name)) => {
            format!("a top-level value or the run-time system ({}) holds it{too}", part.label)
        }
        [_] => format!("{} holds it{too}", part.label),
        _ => format!("{} hold it{too}", part.label),
    }
}

#[derive(Serialize)]
struct Json<'a> {
    format: &'static str,
    version: u32,
    program: String,
    verdict: VerdictData<'a>,
    chain: &'a Chain,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    again: &'a [String],
    runs: Vec<RunJson>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    budgets: Vec<BudgetJson>,
}

#[derive(Serialize)]
struct RunJson {
    breakdown: &'static str,
    of: Vec<String>,
    seconds: f64,
    interval_s: f64,
    samples: usize,
    ended: &'static str,
    exit_status: u8,
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

impl Document for Report<'_> {
    fn kind(&self) -> Kind {
        Kind::Hunt
    }

    fn plain(&self, look: &Look) -> Option<String> {
        let (units, sources) = (look.draw.units, &look.sources);
        let mut out = String::new();
        if let Some(words) = self.off_heap_words(units) {
            out.push_str(&wrapped("", &words));
        }
        self.again.iter().for_each(|line| out.push_str(&wrapped("", line)));
        let (grade, fact) = self.verdict(units, &str::to_owned);
        out.push_str(&beside(grade, &visible(&fact)));
        out.push_str(&beside("", &self.basis()));
        if let Some(words) = self.heading_without_leak() {
            let _ = writeln!(out, "\n{words}");
        }
        let (lines, mut last) = (self.lines(), None);
        for ChainLine { words, what, place, share } in &lines {
            if let Some(what) = what {
                let share =
                    share.map_or(String::new(), |share| format!("   {share:.0} % of the growth"));
                out.push_str(&beside(words, &format!("{}{share}", visible(what))));
                continue;
            }
            let mut line = format!("{:<WORDS$}", shortened(&visible(words), WIDTH));
            if let Some(place) = place {
                let _ = write!(line, " {}", visible(&line_only(place)));
            }
            if let Some(share) = share {
                let _ = write!(line, "   {share:.0} % of the growth");
            }
            let _ = writeln!(out, "{}", shortened(line.trim_end(), WIDTH));
            let source = place.as_ref().and_then(|place| sources.line(place));
            if source.is_some() && source != last {
                let shown = source.as_ref().map(SourceLine::shown).unwrap_or_default();
                let _ = writeln!(out, "{}", cut(&shown, WIDTH));
            }
            last = source;
        }
        let missing = self.missing();
        if !lines.is_empty() && !missing.is_empty() {
            out.push('\n');
        }
        for line in missing {
            // A command stays in one line.
            match line.starts_with(' ') {
                true => out.push_str(&format!("{}\n", visible(&line))),
                false => out.push_str(&wrapped("", &visible(&line))),
            }
        }
        if let Some(folder) = self.kept {
            let _ = writeln!(out, "\n{} has the files of all runs", folder.display());
        }
        for Target { output, .. } in &self.pages {
            if let Output::File(path) = output {
                let _ = writeln!(out, "\n{} has all runs", path.display());
            }
        }
        Some(out)
    }

    fn markdown(&self, look: &Look) -> Option<String> {
        let (units, sources) = (look.draw.units, &look.sources);
        let (grade, fact) = self.verdict(units, &|name| code(&visible(name)));
        let name = code(&visible(&self.program.title()));
        let mut out = format!("### {name}: {grade}\n\n{}; {fact}.\n", self.basis());
        for line in &self.again {
            let _ = write!(out, "\n{line}.\n");
        }
        if let Some(words) = self.off_heap_words(units) {
            let _ = writeln!(out, "\n{words}.");
        }
        if let Some(words) = self.heading_without_leak() {
            let _ = writeln!(out, "\n{words}");
        }
        for ChainLine { words, what, place, share } in self.lines() {
            let what = what.map_or(String::new(), |what| format!(" {}", code(&visible(&what))));
            let words = if what.is_empty() { code(&visible(&words)) } else { words };
            let _ = write!(out, "\n- {words}{what}");
            if let Some(place) = &place {
                let _ = write!(out, ", {}", code(&visible(&line_only(place))));
            }
            if let Some(share) = share {
                let _ = write!(out, ", {share:.0} % of the growth");
            }
            if let Some(line) = place.and_then(|place| sources.line(&place)) {
                let _ = write!(out, ": {}", code(&line.text));
            }
        }
        out.push('\n');
        for line in self.missing() {
            let line = visible(&line);
            let line = line.strip_prefix("  ").map_or(line.clone(), code);
            let _ = writeln!(out, "\n{line}");
        }
        Some(out)
    }

    fn scene(&self, look: &Look) -> Option<Scene> {
        let units = look.draw.units;
        let (grade, fact) = self.verdict(units, &str::to_owned);
        let is_leak = !self.has_no_leak();
        let place = self.chain.made_by.first().and_then(|maker| maker.place.as_deref());
        let (name, curve) = chain::curve(self.first(), self.chain, &look.sources);
        let runs = count(self.runs.len(), "run");
        let card = Card {
            is_leak,
            title: match place.filter(|_| is_leak) {
                Some(place) => format!("{} leaks", line_only(place)),
                None => grade.to_owned(),
            },
            fact,
            basis: format!("{} · {runs} · {}", self.program.shown(), self.basis()),
            description: self.headline(units),
            name,
            curve,
            unit: if self.first().verdict().clock == Clock::Sample { "" } else { " s" },
            lines: self.lines(),
        };
        Some(card::scene(&card, look))
    }

    fn json(&self, _: &Look) -> Option<Written<'_>> {
        let run = |Found { made, run }: &Found<'_>| RunJson {
            breakdown: made.step.flag(),
            of: made.of.clone(),
            seconds: (made.executed.wall.as_secs_f64() * 1000.0).round() / 1000.0,
            interval_s: (made.pace.interval() * 1e4).round() / 1e4,
            samples: run.as_ref().map_or(0, |run| run.slice().len()),
            ended: match made.executed.ended {
                Ended::Itself => "itself",
                Ended::Time | Ended::Again => "time",
                Ended::User(_) => "user",
            },
            exit_status: made.executed.exit,
            file: self.kept.map(|_| made.executed.files.log.display().to_string()),
            error: run.as_ref().err().cloned(),
        };
        let slice = self.first().slice();
        let budget =
            |(budget, outcome): &(&Budget, Outcome)| BudgetJson::new(budget, outcome, slice);
        let document = Json {
            format: "heapviz-hunt",
            version: 1,
            program: self.program.name.to_string_lossy().into_owned(),
            verdict: self.first().verdict().data(),
            chain: self.chain,
            again: &self.again,
            runs: self.runs.iter().map(run).collect(),
            budgets: self.budgets.iter().map(budget).collect(),
        };
        let mut text = serde_json::to_string(&document).expect("plain data");
        text.push('\n');
        Some(Written::text(text))
    }

    fn page(&self, look: &Look) -> Option<String> {
        let named = |found: &'_ Found<'_>| found.made.name();
        let runs: Vec<(String, &Run<'_>)> = self
            .runs
            .iter()
            .filter_map(|found| Some((named(found), found.run.as_ref().ok()?)))
            .collect();
        let lead =
            self.lines().into_iter().map(|ChainLine { words, what, place, share }| LeadLine {
                words: visible(&what.map_or(words.clone(), |what| format!("{words} {what}"))),
                source: place
                    .as_ref()
                    .and_then(|place| look.sources.line(place))
                    .map(|line| line.shown()),
                place: place.map(|place| visible(&place)),
                share_percent: share,
            });
        let mut look = look.clone();
        let words = self
            .off_heap_words(look.draw.units)
            .into_iter()
            .chain(self.heading_without_leak().map(str::to_owned))
            .map(|words| LeadLine { words, source: None, place: None, share_percent: None });
        look.page.lead = words.chain(lead).collect();
        // The command line of a run has the names of our own files.
        look.draw.heading.title = Heading::Text(self.program.shown());
        Some(look.with_runs(&runs, report::write_runs))
    }
}
