//! What a hunt found, in words and as data.

use serde::Serialize;

use super::again::RepairCheck;
use super::card::{self, Card};
use super::chain::{self, ChainLine, LinkPart, UNTYPED, is_system, is_thunk};
use super::{Chain, HuntRunEnd, HuntStep, Repair, StepRun};
use crate::analysis::{Account, Cause, Leak, RiseEnd};
use crate::base::sentence::{Sentence, joined, name, say};
use crate::base::text::{json, visible};
use crate::base::units::{UnitSystem, count, whole_percent};
use crate::cli::table::shortened;
use crate::cli::{Blocks, Content, Document, DocumentKind, Style};
use crate::draw::Heading;
use crate::picture::{Role, Scene};
use crate::profile::{Breakdown, Clock};
use crate::profile_view::ProfileView;
use crate::program::ghc_program::GhcProgram;
use crate::report::{self, LeadLine};
use crate::slice::RowId;

/// A run that was made, and what it shows, or why it shows nothing.
pub struct StepResult<'a> {
    pub step_run: &'a StepRun,
    pub run: Result<ProfileView<'a>, String>,
}

pub struct Report<'a> {
    pub program: &'a GhcProgram,
    /// The runs; the first has a profile.
    pub runs: &'a [StepResult<'a>],
    pub chain: &'a Chain,
    /// Whether what the last hunt found is repaired, if it is repeated.
    pub again: Option<RepairCheck>,
    /// Whether the files of the runs are kept.
    pub kept: bool,
}

/// The most makers, and the most holders, that are shown.
const MOST_SHOWN: usize = 3;
/// The most columns of a name; a longer one loses its middle.
const MOST_OF_NAME: usize = 40;

/// What is said of a program.
#[derive(Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
enum Judgement {
    /// Nothing that it holds at the end grows up to it.
    NoLeak,
    /// It grew until it had done its work: nothing says that it would have gone on.
    GrewToItsEnd,
    /// It grew as long as it was seen, and a cache that is filling looks the same.
    LeakOrCache,
    /// It grows, and the cause is known, or its start was left out.
    Leak,
}

/// The first lines of an answer.
struct Headline {
    /// The beginning of the line, for a badge.
    short: Sentence,
    line: Sentence,
    facts: Sentence,
}

impl Report<'_> {
    fn first(&self) -> &ProfileView<'_> {
        self.runs[0].run.as_ref().expect("the first run has a profile")
    }

    fn is_repaired(&self) -> bool {
        self.again.as_ref().is_some_and(|again| again.outcome == Repair::Repaired)
    }

    fn lines(&self) -> Vec<ChainLine> {
        let mut lines = Vec::new();
        // Nobody is accused of what does not leak, after an edit.
        if self.again.is_some() && (self.is_repaired() || self.has_no_leak()) {
            return lines;
        }
        let chain = self.chain;
        let keeper = chain.leading_keeper();
        let keeper_part = keeper.and_then(|keeper| keeper.part.as_ref());
        let leads = |part: &LinkPart| keeper_part.is_some_and(|keeper| keeper.label == part.label);
        if let Some(keeper) = keeper {
            let place = keeper_part.and_then(|part| part.place.clone());
            let share = chain.made_by.iter().find(|part| leads(part)).map(|part| part.share);
            lines.push(ChainLine { words: keeper.words("it"), place, share });
        }
        let makers = chain.made_by.iter().take(MOST_SHOWN);
        for (at, part) in makers.filter(|part| !leads(part)).enumerate() {
            let too = if at == 0 { "" } else { ", too" };
            let through = part.through.as_ref().map(|by| say![", by ", name(by)]);
            let kept = chain.kept_by.as_ref().filter(|_| keeper.is_none());
            let own =
                kept.filter(|kept| kept.part.as_ref().is_some_and(|by| by.label == part.label));
            let keeps = own.map(|kept| say![", and keeps it in ", name(&kept.name)]);
            let keeps = keeps.or(chain.holds(part).then(|| ", and holds it".into()));
            let also = say![through.unwrap_or_default(), keeps.unwrap_or_default(), too];
            let words = say![name(&part.label), " makes it", also];
            lines.push(ChainLine { words, place: part.place.clone(), share: Some(part.share) });
        }
        let mut is = |words: Sentence, share: Option<f64>| {
            lines.push(ChainLine { words: say!["it is ", words], place: None, share });
        };
        let names = |parts: &mut dyn Iterator<Item = &LinkPart>| {
            joined(parts.map(|part| name(shortened(&part.label, MOST_OF_NAME))), ", ")
        };
        let unevaluated = names(&mut self.chain.unevaluated());
        if !unevaluated.is_empty() {
            let words = say!["unevaluated (", unevaluated.clone(), ")"];
            is(words, Some(self.chain.unevaluated_percent()));
        }
        if self.chain.is_pinned {
            is("pinned memory, as of ByteString; they make what points to it".into(), None);
        }
        // The closure types of a program without profiling. Once it is known to be unevaluated, no type says no more.
        let is_known = |part: &LinkPart| !unevaluated.is_empty() && part.label.ends_with(UNTYPED);
        let is_told = |part: &&LinkPart| !is_thunk(part) && !is_known(part);
        let types = names(&mut self.chain.is.iter().filter(is_told));
        if !types.is_empty() {
            is(types, None);
        }
        let is_told = |part: &&LinkPart| {
            let makers = chain.made_by.iter().take(MOST_SHOWN);
            part.variable.is_none() && makers.chain(keeper_part).any(|one| one.label == part.label)
        };
        let holders = chain.held_by.iter().filter(|part| !is_told(part)).take(MOST_SHOWN);
        for (at, part) in holders.enumerate() {
            // The same line is not shown twice.
            let is_new = lines.iter().all(|line| line.place != part.place);
            let place = part.place.clone().filter(|_| is_new);
            lines.push(ChainLine { words: holder_words(part, at > 0), place, share: None });
        }
        lines
    }

    /// Why it grows.
    fn cause(&self) -> Option<Cause> {
        self.chain.cause(self.first().account())
    }

    /// What is said of the program.
    fn judgement(&self) -> Judgement {
        let StepRun { executed, options, .. } = self.runs[0].step_run;
        let cause = self.cause().filter(|cause| *cause != Cause::TopLevel);
        match () {
            () if self.first().account().leak < Leak::Possible => Judgement::NoLeak,
            () if chain::is_of_the_system(self.first()) => Judgement::NoLeak,
            () if executed.ended == HuntRunEnd::Itself && executed.exit == 0 => {
                Judgement::GrewToItsEnd
            }
            () if cause.is_some() || options.slice.window.from.is_some() => Judgement::Leak,
            () => Judgement::LeakOrCache,
        }
    }

    fn has_no_leak(&self) -> bool {
        self.judgement() == Judgement::NoLeak
    }

    /// The first line: the judgement, at the line of source to look at if that is known.
    fn headline(&self, style: &Style) -> Headline {
        let first = self.first();
        let account = first.account();
        let program = name(self.program.title());
        let named =
            |sentence: Sentence| sentence.with_names(&|row| short_name(first, RowId::at(row)));
        let facts = account.facts();
        let judgement = self.judgement();
        let grade = match judgement {
            Judgement::NoLeak | Judgement::Leak => account.grade(),
            Judgement::GrewToItsEnd => "grew until the program ended",
            Judgement::LeakOrCache => "a leak, or a cache that is filling",
        };
        let verdict = match judgement {
            Judgement::NoLeak | Judgement::Leak => account.headline(),
            Judgement::GrewToItsEnd | Judgement::LeakOrCache => say![grade, ": ", facts.clone()],
        };
        let verdict = named(say![program.clone(), ": ", verdict]);
        if let Some(again) = &self.again {
            let is_left = self.is_repaired() && !self.has_no_leak();
            let left = || named(say![program.clone(), ": what is left: ", facts.clone()]);
            let facts = if is_left { left() } else { verdict };
            let (short, line) = (again.outcome.words().into(), again.line.clone());
            return Headline { short, line, facts };
        }
        let Some((place, keeps, words)) = self.leader() else {
            let line = say![program, ": ", grade];
            return Headline { short: grade.into(), line, facts: named(facts) };
        };
        let place = say![name(style.sources.place_here(&place)), self.verb(judgement, keeps)];
        if judgement == Judgement::NoLeak {
            let line = say![program, ": ", grade, "; ", place, ": ", words];
            return Headline { short: grade.into(), line, facts: named(facts) };
        }
        Headline { line: say![place.clone(), ": ", words], short: place, facts: verdict }
    }

    /// The place to look at first, whether what grows is kept there, and who does what there.
    fn leader(&self) -> Option<(String, bool, Sentence)> {
        let what = if self.has_no_leak() { "it" } else { "what grows" };
        let keeper = self.chain.leading_keeper();
        let keeper = keeper.and_then(|keeper| {
            Some((keeper.part.as_ref()?.place.clone()?, true, keeper.words(what)))
        });
        keeper.or_else(|| {
            let (maker, keeps) = (self.chain.made_by.first()?, self.chain.maker_keeps());
            let words = if keeps { format!(" makes {what}") } else { String::new() };
            Some((maker.place.clone()?, keeps, say![name(&maker.label), words]))
        })
    }

    /// What the place to look at did.
    fn verb(&self, judgement: Judgement, keeps: bool) -> String {
        let account = self.first().account();
        let verb = match (judgement, account.leak) {
            (Judgement::NoLeak, _) => match account.finding.rise().map(|rise| rise.end) {
                Some(RiseEnd::Freed | RiseEnd::Exit) => " filled the peak",
                Some(RiseEnd::Open | RiseEnd::Climbs | RiseEnd::Level) | None => " rose most",
            },
            (Judgement::GrewToItsEnd, _) => " grew until the program ended",
            (Judgement::LeakOrCache, _) => {
                let seconds = self.runs[0].step_run.executed.wall.as_secs_f64();
                return format!(" was still growing after {seconds:.1} s");
            }
            (Judgement::Leak, _) if !keeps => " makes what grows",
            (Judgement::Leak, Leak::Likely) => " leaks",
            (Judgement::Leak, Leak::Possible | Leak::Unknown | Leak::None) => " may leak",
        };
        verb.to_owned()
    }

    /// The run on which the verdict rests.
    fn basis(&self) -> String {
        let first = &self.runs[0].step_run;
        let seconds = first.executed.wall.as_secs_f64();
        let samples = count(self.first().slice().with_data(), "sample");
        format!("by run 1, {}: {samples} in {seconds:.0} s", first.name())
    }

    /// What was not found, and what would find it.
    fn say_what_is_missing(&self, blocks: &mut Blocks) {
        if self.is_repaired() {
            return;
        }
        let cause = self.cause();
        cause.iter().for_each(|cause| blocks.paragraph(cause.words()));
        if cause == Some(Cause::OffHeap) {
            return;
        }
        // A repair needs no other input.
        let judgement = Some(self.judgement()).filter(|_| self.again.is_none());
        if judgement == Some(Judgement::LeakOrCache) {
            let seconds = self.runs[0].step_run.executed.wall.as_secs_f64();
            let longer = 6.0 * seconds;
            blocks.paragraph(format!(
                "To tell which, let it run longer (--for {longer:.0}s), or leave its start out (--warmup {seconds:.0}s)."
            ));
        }
        if judgement == Some(Judgement::NoLeak) {
            blocks.paragraph(self.what_may_show_one());
        }
        if self.has_no_leak() && self.lines().is_empty() {
            return;
        }
        if let Some(libraries) = &self.program.lacks {
            blocks.paragraph(format!(
                "To see who holds it, install {libraries}; then hunt builds for profiling."
            ));
            return;
        }
        if !self.program.profiled {
            let why = "To see who makes it and who holds it, build it for profiling and hunt again. In the folder of \
                       its source, this does both:";
            blocks.paragraph(why);
            blocks.command(self.program.profiling_build());
            return;
        }
        self.say_what_runs_lack(blocks);
    }

    /// What would show a leak where none was found.
    fn what_may_show_one(&self) -> String {
        let executed = &self.runs[0].step_run.executed;
        let (exit, seconds) = (executed.exit, executed.wall.as_secs_f64());
        if executed.ended != HuntRunEnd::Itself {
            return "Let it run longer (--for 2min), or give it other input.".to_owned();
        }
        match exit {
            0 => "Give it more to do, or other input.".to_owned(),
            _ => format!(
                "It ended with exit status {exit} after {seconds:.1} s: see what it says, and give it what it needs."
            ),
        }
    }

    /// Which questions the runs did not answer.
    fn say_what_runs_lack(&self, blocks: &mut Blocks) {
        if self.chain.made_by.is_empty() {
            blocks.paragraph(match chain::growers(self.first(), false).is_empty() {
                true => "No function is named: no single band grows, only all of them together.",
                false => "No function is named: libraries without cost centres make it (MAIN), or the run-time system \
                          (SYSTEM). Give the packages that may make it cost centres (with cabal: profiling-detail: \
                          all-functions for them in cabal.project.local).",
            });
        }
        let is_asked = self.runs.iter().any(|result| result.step_run.step == HuntStep::Holders);
        if is_asked && self.chain.held_by.is_empty() {
            blocks.paragraph(
                "No function holds it: threads that wait do, or the run-time system for them.",
            );
        }
    }
}

/// What a row is called in a headline: its innermost function. The complete path is in the tables.
fn short_name(run: &ProfileView<'_>, row: RowId) -> Option<String> {
    if run.slice().breakdown() != Breakdown::CostCentre {
        return run.name_of(row);
    }
    Some(chain::band(run, row).frames().next()?.name.clone())
}

fn holder_words(part: &LinkPart, too: bool) -> Sentence {
    let names: Vec<&str> = part.label.split(", ").collect();
    let too = if too { ", too" } else { "" };
    let label = joined(names.iter().copied().map(name), ", ");
    let is_system = names.iter().all(|name| is_system(name));
    match &part.variable {
        Some(variable) if is_system => {
            say![name(variable), ", made in main, may hold it (", label, ")", too]
        }
        Some(variable) => say![name(variable), ", made in ", label, ", holds it", too],
        None if is_system => {
            say!["a top-level value or the run-time system (", label, ") holds it", too]
        }
        None if names.len() == 1 => say![label, " holds it", too],
        None => say![label, " hold it", too],
    }
}

#[derive(Serialize)]
struct HuntDocument<'a> {
    format: &'static str,
    version: u32,
    program: String,
    judgement: Judgement,
    verdict: &'a Account,
    chain: &'a Chain,
    #[serde(skip_serializing_if = "Option::is_none")]
    again: Option<AgainJson>,
    runs: Vec<RunJson>,
}

#[derive(Serialize)]
struct AgainJson {
    outcome: Repair,
    line: String,
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
    fn kind(&self) -> DocumentKind {
        DocumentKind::Hunt
    }

    fn blocks(&self, style: &Style) -> Option<Blocks> {
        let mut blocks = Blocks::default();
        let Headline { line, facts, .. } = self.headline(style);
        blocks.heading(line);
        blocks.paragraph(facts);
        blocks.list([self.basis().into()]);
        let mut last = None;
        for ChainLine { words, place, share } in self.lines() {
            let share = share.map(|share| format!("{} of the growth", whole_percent(share)).into());
            let at = place.as_ref().map(|place| name(style.sources.place_here(place)));
            blocks.beside(words, joined(at.into_iter().chain(share), ", "));
            let source = place.as_ref().and_then(|place| style.sources.line(place));
            if let Some((place, line)) = place.as_ref().zip(source.clone())
                && source != last
            {
                blocks.source(&style.sources.place_here(place), line);
            }
            last = source;
        }
        self.say_what_is_missing(&mut blocks);
        Some(blocks)
    }

    fn scene(&self, style: &Style) -> Option<Scene> {
        let units = style.draw.units;
        let tone = match self.judgement() {
            _ if self.is_repaired() => Role::Good,
            Judgement::NoLeak => Role::Text,
            Judgement::GrewToItsEnd | Judgement::LeakOrCache if self.again.is_none() => Role::Text,
            Judgement::GrewToItsEnd | Judgement::LeakOrCache | Judgement::Leak => Role::Alarm,
        };
        let account = self.first().account();
        let Headline { line, facts, .. } = self.headline(style);
        let runs = count(self.runs.len(), "run");
        let card = Card {
            tone,
            before: self.again.as_ref().map(|again| again.before.clone()),
            title: self.again.as_ref().map_or(line, |again| again.title.clone()).text(units),
            fact: facts.text(units),
            basis: format!("{} · {runs} · {}", self.program.command_line(), self.basis()),
            description: self.first().headline().text(units),
            is_memory: chain::is_memory(account),
            curve: chain::curve(self.first()),
            unit: if account.clock == Clock::Sample { "" } else { " s" },
            lines: self.lines(),
            cure: self.cause().map(|cause| cause.words().text(units)),
        };
        Some(card::scene(&card, style))
    }

    fn json(&self, _: &Style) -> Option<Content<'_>> {
        let run = |StepResult { step_run, run }: &StepResult<'_>| RunJson {
            breakdown: step_run.step.flag(),
            of: step_run.of.clone(),
            seconds: (step_run.executed.wall.as_secs_f64() * 1000.0).round() / 1000.0,
            interval_s: (step_run.pace.interval() * 1e4).round() / 1e4,
            samples: run.as_ref().map_or(0, |run| run.slice().with_data()),
            ended: match step_run.executed.ended {
                HuntRunEnd::Itself => "itself",
                HuntRunEnd::Time | HuntRunEnd::Again => "time",
                HuntRunEnd::User(_) => "user",
            },
            exit_status: step_run.executed.exit,
            file: self.kept.then(|| step_run.executed.files.log.display().to_string()),
            error: run.as_ref().err().cloned(),
        };
        let document = HuntDocument {
            format: "heapviz-hunt",
            version: 1,
            program: self.program.name.to_string_lossy().into_owned(),
            judgement: self.judgement(),
            verdict: self.first().account(),
            chain: self.chain,
            again: self.again.as_ref().map(|again| AgainJson {
                outcome: again.outcome,
                line: again.line.text(UnitSystem::Binary),
            }),
            runs: self.runs.iter().map(run).collect(),
        };
        Some(Content::text(json(&document)))
    }

    fn page(&self, style: &Style) -> Option<String> {
        let named = |result: &'_ StepResult<'_>| result.step_run.name();
        let runs: Vec<(String, &ProfileView<'_>)> = self
            .runs
            .iter()
            .filter_map(|result| Some((named(result), result.run.as_ref().ok()?)))
            .collect();
        let lead = self.lines().into_iter().map(|ChainLine { words, place, share }| {
            let line = place.as_ref().and_then(|place| style.sources.line(place));
            let place = place.map(|place| visible(&style.sources.place_here(&place)));
            LeadLine { words, source: line.map(|line| line.quoted()), place, share_percent: share }
        });
        let mut style = style.clone();
        style.page.badge = Some(self.headline(&style).short.text(style.draw.units));
        style.page.lead = lead.collect();
        // The command line of a run has the names of our own files.
        style.draw.heading.title = Heading::Text(self.program.command_line());
        Some(style.with_runs(&runs, report::write_runs))
    }
}
