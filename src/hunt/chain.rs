//! The chain from what grows to the lines that make it and hold it.

use std::mem::take;

use serde::{Deserialize, Serialize};

use super::execute::HuntStep;
use super::keepers::{self, Expression, Places, is_cell};
use crate::analysis::{Account, Cause, ClosureKind, Remark, Rise, RiseEnd, Who};
use crate::base::sentence::{Sentence, name, say};
use crate::base::text::file_and_line;
use crate::cli::Sources;
use crate::profile::{Band, Breakdown, CallNode, Frame, HeapSeriesKind, Profile};
use crate::profile_view::ProfileView;
use crate::slice::{RowId, Slice, start_of};

/// What grew less than this share of all that grew is not part of the chain, in percent.
pub const LEAST_PERCENT: f64 = 5.0;
/// The most parts of a link.
const MOST: usize = 5;
/// What rises by fewer bytes and is freed is the work of a healthy program: an allocation area has so many at least.
const LEAST_ROUND: f64 = (1 << 20) as f64;

/// A part of a link: a function, a type, a set of retainers.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LinkPart {
    pub label: String,
    /// Where it is in the source, `file:line:column`, if that is known.
    pub place: Option<String>,
    /// The function of a library that it calls for this.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub through: Option<String>,
    /// The variable in which it holds it: "the IORef `ref`".
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub variable: Option<String>,
    /// Which share of what grew it is, in percent.
    pub share: f64,
    /// The cost centres, innermost in stacks, by which the profiler can restrict a run to it.
    #[serde(skip)]
    pub centres: Vec<String>,
    /// The top-level value for which it is made, and its place.
    #[serde(skip)]
    pub value: Option<(String, String)>,
}

impl LinkPart {
    pub fn new(label: String, place: Option<String>, share: f64) -> LinkPart {
        LinkPart { label, place, share, ..LinkPart::default() }
    }

    /// Whether a name is that of its function: with `-fprof-auto` each local binding of that has a name of its own.
    pub fn is_function(&self, name: &str) -> bool {
        self.label == name || self.label.split('.').next() == name.split('.').next()
    }
}

/// In what something is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Within {
    /// Cells of a container, or records.
    Cells,
    /// One field of each record, which nobody evaluates, so that it keeps what it would be made of.
    Field,
    /// One action or function in each record, which stays one when it is evaluated.
    Action,
    /// Expressions that nobody evaluates.
    Thunks,
}

/// What keeps what grows, and who makes that.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Keeper {
    pub within: Within,
    /// The name of the record, or words for the cells: `a Map`.
    pub name: String,
    pub part: Option<LinkPart>,
}

impl Keeper {
    /// Who keeps what grows, and in what: the text that is given stands for what grows.
    pub fn words(&self, what: &str) -> Sentence {
        let part = self.part.as_ref().map(|part| name(&part.label));
        let of = match self.within {
            Within::Cells => {
                let by = part.unwrap_or_default();
                return say![by, format!(" keeps {what} in "), name(&self.name)];
            }
            Within::Thunks => {
                return say![part.unwrap_or_default(), format!(" keeps {what} unevaluated")];
            }
            Within::Field => "one unevaluated field for each ",
            Within::Action => "an action in each ",
        };
        match part {
            Some(part) => say![part, format!(" keeps {what}: "), of, name(&self.name)],
            None => say![of, name(&self.name), format!(" keeps {what}")],
        }
    }
}

#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Chain {
    /// In what it is kept: a field that nobody evaluates, a container, or a record.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kept_by: Option<Keeper>,
    /// The functions that make what grows.
    pub made_by: Vec<LinkPart>,
    /// The kinds of closures that grow, if the run was restricted to those who make them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub kinds: Vec<LinkPart>,
    pub is: Vec<LinkPart>,
    /// Whether most of it is the payload of byte strings, and `made_by` are those who make what points to
    /// it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_pinned: bool,
    pub held_by: Vec<LinkPart>,
    /// Whether expressions that nobody evaluates grow: few may keep much.
    #[serde(skip)]
    pub has_thunks: bool,
    /// Whether a top-level value holds it.
    #[serde(skip)]
    pub is_top_level: bool,
    /// Whether others than the function that makes most of it make what grows.
    #[serde(skip)]
    pub has_others: bool,
    /// The cost centres that make most of it, by which further runs are restricted.
    #[serde(skip)]
    pub of: Vec<String>,
    /// Those that hold it, and all others that grow: they may make a record, or an expression, that keeps it.
    #[serde(skip)]
    pub others: Vec<String>,
    /// The constructors of what may keep it.
    #[serde(skip)]
    pub cells: Vec<String>,
    #[serde(skip)]
    pub has_info_tables: bool,
    #[serde(skip)]
    pub places: Places,
    #[serde(skip)]
    pub expressions: Vec<Expression>,
}

/// A kind of closures that has so much of what grows explains it.
pub const MOST_PERCENT: f64 = 50.0;

impl Chain {
    /// Takes in what a run shows. Returns whether there is anything to look for in others.
    pub fn learn(&mut self, step: HuntStep, run: &ProfileView<'_>, sources: &Sources) -> bool {
        self.has_info_tables |= run.profile().has_info_tables;
        match step {
            HuntStep::Makers => {
                (self.made_by, self.is_pinned) = makers(run, sources);
                self.of = restriction(&self.made_by);
                if self.of.is_empty() && !growers(run, false).is_empty() {
                    self.of = NOBODY.map(str::to_owned).to_vec();
                }
                self.others = risers(run);
                let is_other = |name: &String| !self.made_by.is_empty() && !self.is_maker(name);
                self.has_others = self.others.iter().any(is_other);
                // GHC charges threads to it.
                let has_threads = gains(rising(run)).any(|(row, _)| is_charged_to_system(run, row));
                self.others.extend(has_threads.then(|| SYSTEM.to_owned()));
                self.places = keepers::places(run.profile());
                return !self.of.is_empty();
            }
            HuntStep::Holders => {
                let value = self.made_by.first().and_then(|maker| maker.value.as_ref());
                self.held_by = keepers::holders(run, &self.places, value, sources);
                self.is_top_level = value
                    .is_some_and(|(name, _)| self.held_by.iter().any(|part| part.label == *name));
                self.others.splice(..0, restriction(&self.held_by));
            }
            HuntStep::Kinds => {
                self.kinds = kinds(run, true);
                self.has_thunks = rising(run).any(|rise| rise.label.starts_with("THUNK"));
                let kept = keepers::kept_in(run, self.held_by.first());
                // What nobody evaluates is not to be kept, whoever keeps it.
                let is_lazy = self.thunks_pile_up();
                let kept = kept.filter(|(keeper, _)| !is_lazy || keeper.within == Within::Field);
                let (kept_by, cells) = kept.unzip();
                (self.kept_by, self.cells) = (kept_by, cells.unwrap_or_default());
            }
            HuntStep::Types => {
                self.is = kinds(run, true);
                self.learn_action(run);
            }
            HuntStep::InfoTables if !self.of.is_empty() => {
                self.is = tables(run).1;
                self.learn_action(run);
                self.expressions = keepers::expressions(run, sources);
            }
            HuntStep::InfoTables => (self.made_by, self.kinds, self.is_pinned) = tables(run),
            HuntStep::Cells => {
                let keeper = keepers::keeper(run, self, sources);
                if let Some(kept) = self.kept_by.as_mut() {
                    kept.part = keeper.or(kept.part.take());
                }
            }
            HuntStep::ClosureTypes => {
                self.is = kinds(run, false);
                // Without info tables, a run by them shows addresses.
                return !self.is.is_empty() && self.has_info_tables;
            }
        }
        true
    }

    /// Puts in order what all runs show.
    pub fn finish(&mut self) {
        self.put_holders_first();
        let (expressions, places) = (take(&mut self.expressions), take(&mut self.places));
        keepers::name_expressions(self, &expressions, &places);
    }

    /// The cost centres, or constructors, to which a run is restricted.
    pub fn restriction(&self, step: HuntStep) -> Vec<String> {
        match step {
            HuntStep::Makers | HuntStep::ClosureTypes => Vec::new(),
            HuntStep::Holders => self.of.clone(),
            HuntStep::Kinds | HuntStep::Types | HuntStep::InfoTables => {
                let mut names = self.of.clone();
                add_names(&mut names, &self.others);
                names
            }
            HuntStep::Cells => self.cells.clone(),
        }
    }

    /// The kinds of expressions that nobody evaluates, among what grows; the type of such an expression is that of its
    /// value.
    pub fn unevaluated(&self) -> impl Iterator<Item = &LinkPart> {
        // Info tables say more of them than the types of closures do.
        let kinds = if self.kinds.iter().any(is_thunk) { &[][..] } else { &self.is };
        self.kinds.iter().chain(kinds).filter(|part| is_thunk(part))
    }

    pub fn unevaluated_percent(&self) -> f64 {
        self.unevaluated().map(|part| part.share).sum::<f64>().min(100.0)
    }

    /// The share of some kinds of closures, in percent.
    pub fn share(&self, is: impl Fn(&str) -> bool) -> f64 {
        let kinds = if self.kinds.is_empty() { &self.is } else { &self.kinds };
        kinds.iter().filter(|part| is(&part.label)).map(|part| part.share).sum()
    }

    /// Why it grows, by what the runs show, the most certain first.
    pub fn cause(&self, account: &Account) -> Option<Cause> {
        if account.suspects.first().is_some_and(|first| first.kind == Some(ClosureKind::OffHeap)) {
            return Some(Cause::OffHeap);
        }
        let share = |is: &dyn Fn(&str) -> bool| self.share(is);
        let has = |is: &dyn Fn(&str) -> bool| share(is) >= LEAST_PERCENT;
        let kind_of = Breakdown::ClosureType.traits().kind_of;
        let is_of = |kind: ClosureKind| move |label: &str| kind_of(label) == Some(kind);
        let stacks = share(&|label| label == "STACK");
        if self.threads_pile_up() {
            return Some(Cause::Threads);
        }
        if let Some(Keeper { within, name, .. }) = &self.kept_by {
            match within {
                Within::Field => return Some(Cause::Field(name.clone())),
                Within::Action => return Some(Cause::Action(name.clone())),
                Within::Thunks => return Some(Cause::Thunks),
                Within::Cells => {}
            }
        }
        let is_function = Breakdown::ClosureType.traits().is_function;
        let found = [
            (self.thunks_pile_up(), Cause::Thunks),
            (stacks >= MOST_PERCENT && has(&|label| label == "BLACKHOLE"), Cause::Chain),
            (stacks >= MOST_PERCENT, Cause::Stack),
            (has(&is_of(ClosureKind::DeadWeak)), Cause::DeadWeak),
            (has(&is_of(ClosureKind::Weak)), Cause::Weak),
            (share(&|label| label.ends_with("Concurrent.Chan.ChItem")) > 0.0, Cause::Channel),
            (share(&is_function) >= MOST_PERCENT, Cause::Functions),
            (self.is_top_level, Cause::TopLevel),
        ];
        found.into_iter().find_map(|(is_it, cause)| is_it.then_some(cause))
    }

    /// Whether it grows because nobody evaluates it. The elements of a list, or of another container, that grows may as well
    /// be evaluated: it grows all the same.
    pub fn thunks_pile_up(&self) -> bool {
        let (thunks, cells) = (self.unevaluated_percent(), self.share(is_cell));
        thunks >= MOST_PERCENT && cells < thunks / 2.0
    }

    /// Whether it is threads, with a stack each: what they wait with is not to be forced, and who starts them makes them live.
    fn threads_pile_up(&self) -> bool {
        self.share(|label| label == "TSO") >= LEAST_PERCENT
    }

    /// Whether a name is that of the function that makes most of it.
    pub fn is_maker(&self, name: &str) -> bool {
        self.made_by.first().is_some_and(|maker| maker.is_function(name))
    }

    /// What comes before who makes it: a field that keeps it, or who keeps it and does not make most of it; but threads live
    /// without it.
    pub fn leading_keeper(&self) -> Option<&Keeper> {
        let is_other = |keeper: &&Keeper| match &keeper.part {
            Some(part) => keeper.within != Within::Cells || !self.is_maker(&part.label),
            None => keeper.within != Within::Cells,
        };
        self.kept_by.as_ref().filter(is_other).filter(|_| !self.threads_pile_up())
    }

    /// Whether a function that makes it also holds it.
    pub fn holds(&self, maker: &LinkPart) -> bool {
        self.held_by.iter().any(|holder| holder.label == maker.label && holder.variable.is_none())
    }

    /// Whether who makes most of it keeps it, too, as far as that is known: nobody else makes anything that grows.
    pub fn maker_keeps(&self) -> bool {
        let holds = |part: &LinkPart| names_of(part).iter().any(|name| self.is_maker(name));
        let keeper = self.kept_by.as_ref().and_then(|keeper| keeper.part.as_ref());
        let keeps = keeper.is_some_and(|part| self.is_maker(&part.label));
        let is_alone = !self.has_others || self.unevaluated_percent() >= MOST_PERCENT;
        keeps || is_alone || self.held_by.is_empty() || self.held_by.iter().any(holds)
    }

    /// Whether the field that nobody evaluates is an action or a function, by a run by type, or by info tables, of those who
    /// make and hold it: there is one for each record, and no function grows that is evaluated.
    fn learn_action(&mut self, run: &ProfileView<'_>) {
        let is_field = |keeper: &&mut Keeper| keeper.within == Within::Field;
        let Some(keeper) = self.kept_by.as_mut().filter(is_field) else { return };
        let rows = run.slice();
        let is_function = |what: &str| {
            let what = what.strip_prefix("THUNK of ").unwrap_or(what);
            what.contains("->") || what == "IO" || what.starts_with("IO ")
        };
        let what = |row: RowId| match rows.info_table(row) {
            Some(table) => table.what(),
            None => rows.label(row).to_owned(),
        };
        // A record may be too small a part of what grows to be a rise.
        let gained = |is: &dyn Fn(&str) -> bool| {
            let bytes = bytes_of(run, |row| is(&what(row)));
            let end = |bytes: Option<&u128>| bytes.map_or(0.0, |&bytes| bytes as f64);
            end(bytes.last()) - end(bytes.first())
        };
        let records = gained(&|what| what == keeper.name);
        let is_evaluated = |part: &LinkPart| part.label.starts_with("FUN") || part.label == "PAP";
        let is_one_each = gained(&is_function) >= records / 2.0 && records > 0.0;
        if is_one_each && !self.kinds.iter().any(is_evaluated) {
            keeper.within = Within::Action;
        }
    }

    /// Puts those first who hold it by what nobody evaluates: they are to evaluate it.
    fn put_holders_first(&mut self) {
        let Some(holder) = self.held_by.first() else { return };
        let names = names_of(holder);
        let holds = |part: &LinkPart| names.iter().any(|name| part.is_function(name));
        if self.thunks_pile_up() && self.made_by.iter().any(holds) {
            self.made_by.sort_by_key(|part| !holds(part));
            return;
        }
        // A function holds it by a variable that it makes, or by expressions.
        let is_other = holder.variable.is_none() && !names.iter().any(|name| self.is_maker(name));
        let has_thunks = self.has_thunks && !self.threads_pile_up();
        let is_known = self.leading_keeper().is_some() || self.is_top_level || names.is_empty();
        if is_other && has_thunks && !is_known {
            let (within, part) = (Within::Thunks, Some(holder.clone()));
            self.kept_by = Some(Keeper { within, name: String::new(), part });
        }
    }
}

/// Whether a kind of closure is an expression that is not evaluated.
pub fn is_thunk(part: &LinkPart) -> bool {
    let kind_of = Breakdown::ClosureType.traits().kind_of;
    kind_of(&part.label) == Some(ClosureKind::Unevaluated)
}

/// A line of the chain: who does it, or what it is, where, its share of the growth.
pub struct ChainLine {
    pub words: Sentence,
    pub place: Option<String>,
    pub share: Option<f64>,
}

/// The rows of a run that grew, with their shares in percent, by its account: if it accuses bands, what rises to the end,
/// however much others rise and fall meanwhile; or else who made what it tells. With `always`, what rose most, whatever
/// became of it. What is outside of the heap nobody here makes.
pub fn growers(run: &ProfileView<'_>, always: bool) -> Vec<(RowId, f64)> {
    let account = run.account();
    if !always && is_outside_heap(account) {
        return Vec::new();
    }
    let steady = account.rises.iter().filter(|rise| rise.end.reaches_the_end() && rise.score > 0.0);
    if account.suspects.first().is_some_and(|first| first.row().is_some()) && !always {
        return in_percent(gains(steady).collect());
    }
    let is_told = |told: &Rise| told.end != RiseEnd::Freed || told.gain >= LEAST_ROUND;
    if !always && !account.finding.rise().is_some_and(is_told) && account.suspects.is_empty() {
        return Vec::new();
    }
    in_percent(account.named.iter().map(|band| (band.row, band.change as f64)).collect())
}

/// Whether what leads is outside of the heap; or live bytes that no band has, and too little grows in bands to be part of
/// them: a blip of some other function.
fn is_outside_heap(account: &Account) -> bool {
    let Some(first) = account.suspects.first() else { return false };
    let grows = |one: &Rise| {
        let is_fair = 100.0 * one.gain >= LEAST_PERCENT * first.gain;
        one.end == RiseEnd::Open && one.score > 0.0 && is_fair
    };
    match first.who {
        Who::Memory => true,
        Who::Live => !account.rises.iter().any(grows),
        Who::Heap | Who::Band(_) => false,
    }
}

/// Adds a share to the part with the same name and place.
pub fn add(parts: &mut Vec<LinkPart>, label: String, place: Option<String>, share: f64) {
    match parts.iter_mut().find(|part| part.label == label && part.place == place) {
        Some(part) => part.share += share,
        None => parts.push(LinkPart::new(label, place, share)),
    }
}

/// Puts the greatest first, and drops what is no part of the chain. Together they are at most all of it.
pub fn in_order(mut parts: Vec<LinkPart>) -> Vec<LinkPart> {
    let all: f64 = parts.iter().map(|part| part.share).sum();
    parts.iter_mut().for_each(|part| part.share *= 100.0 / all.max(100.0));
    parts.sort_by(|one, other| other.share.total_cmp(&one.share));
    let kept = parts.iter().filter(|part| part.share >= LEAST_PERCENT).count();
    parts.truncate(kept.clamp(1, MOST));
    parts
}

/// The rows of rises, and how much each gained.
pub fn gains<'r>(rises: impl IntoIterator<Item = &'r Rise>) -> impl Iterator<Item = (RowId, f64)> {
    rises.into_iter().filter_map(|rise| Some((rise.row()?, rise.gain)))
}

pub fn in_percent(mut rows: Vec<(RowId, f64)>) -> Vec<(RowId, f64)> {
    let all: f64 = rows.iter().map(|(_, amount)| amount).sum();
    rows.iter_mut().for_each(|(_, share)| *share *= 100.0 / all.max(f64::MIN_POSITIVE));
    rows
}

/// The rows of a run that grew. If they are mostly the payload of byte strings and arrays, of which GHC does not know who
/// makes it, that is true, and the rows are those that grew with it: each byte string has a constructor that points to
/// it.
fn growers_but(payload: &str, run: &ProfileView<'_>, always: bool) -> (Vec<(RowId, f64)>, bool) {
    let (rows, account) = (run.slice(), run.account());
    let is_payload = |row: RowId| rows.label(row) == payload;
    let growers = growers(run, always);
    if growers.iter().filter(|one| is_payload(one.0)).map(|one| one.1).sum::<f64>() < 50.0 {
        return (growers, false);
    }
    // What is in step with it is known, if it leaks: the garbage of an instant may be more.
    let in_step = account.remarks.iter().find_map(|remark| {
        let Remark::WithoutOwner { label, in_step, .. } = remark else { return None };
        (label == payload).then_some(in_step)
    });
    let grew = |row: RowId| {
        let band = in_step?.iter().find(|band| band.label == rows.label(row))?;
        Some((row, band.grew as f64))
    };
    let mut others: Vec<_> = rows.rows().filter_map(grew).collect();
    if others.is_empty() {
        others = account.named.iter().map(|band| (band.row, band.change as f64)).collect();
        others.retain(|(row, _)| !is_payload(*row));
    }
    // What points to it may be a thousand times smaller.
    if others.is_empty() {
        others.extend(gains(&account.rises).filter(|(row, _)| !is_payload(*row)));
    }
    (in_percent(others), true)
}

/// The first band of a row.
pub fn band<'a>(run: &'a ProfileView<'_>, row: RowId) -> Band<'a> {
    run.slice().band(run.slice().members(row)[0])
}

/// Who makes what grows, by the stacks of a run with `-hc`: the innermost function of the program's own
/// source. And whether what grows is pinned memory, and they make what grows with it.
fn makers(run: &ProfileView<'_>, sources: &Sources) -> (Vec<LinkPart>, bool) {
    let mut makers: Vec<LinkPart> = Vec::new();
    let (mut growers, is_pinned) = growers_but("PINNED", run, false);
    let has_function = |(row, _): &(RowId, f64)| own_frame(&band(run, *row), sources).is_some();
    // A stack deepens while it evaluates what others made, which is freed meanwhile.
    let is_system = |(row, _): &(RowId, f64)| is_charged_to_system(run, *row);
    if growers.iter().any(is_system) && !growers.iter().any(has_function) {
        growers = in_percent(gains(&run.account().rises).collect());
    }
    for (row, share) in growers {
        let band = band(run, row);
        let Some((own, first)) = own_frame(&band, sources) else { continue };
        // The outermost function in the code of a top-level value is the value itself.
        let is_caf = band.frames().last().is_some_and(|frame| frame.name == CAF);
        let outermost = band.frames().rfind(|frame| is_caf && !is_no_function(&frame.name));
        let value = outermost.and_then(|frame| Some((frame.name.clone(), start_of(&frame.place)?)));
        let part = LinkPart {
            through: (own != first).then(|| first.name.clone()),
            centres: vec![first.name.clone()],
            value,
            ..LinkPart::new(own.name.clone(), start_of(&own.place), share)
        };
        // Several functions in a line are one place to look at.
        let line = |part: &LinkPart| {
            part.place
                .as_deref()
                .and_then(file_and_line)
                .map(|(file, line)| (file.to_owned(), line))
        };
        let same = |maker: &&mut LinkPart| match (line(maker), line(&part)) {
            (Some(one), Some(other)) => one == other,
            (None, None) => maker.label == part.label,
            (Some(_), None) | (None, Some(_)) => false,
        };
        match makers.iter_mut().find(same) {
            Some(maker) => {
                maker.share += share;
                maker.centres.extend(part.centres);
            }
            None => makers.push(part),
        }
    }
    (in_order(makers), is_pinned)
}

/// The function of the program's own source that makes a band, and the innermost one; `None` if no function does.
pub fn own_frame<'a>(band: &'a Band<'_>, sources: &Sources) -> Option<(&'a Frame, &'a Frame)> {
    let first = band.frames().next().filter(|first| !is_no_function(&first.name))?;
    // Those of a library have no source here, or no place at all.
    let place = |frame: &Frame| start_of(&frame.place);
    let is_here = |frame: &&Frame| place(frame).is_some_and(|at| sources.line(&at).is_some());
    let placed = || band.frames().find(|frame| place(frame).is_some());
    Some((band.frames().find(is_here).or_else(placed).unwrap_or(first), first))
}

/// How large what grows is, and all bands, at each place of the axis. What grows outside of the heap is what the process has
/// besides; all is its memory.
pub fn curve(run: &ProfileView<'_>) -> Vec<(f64, f64, f64)> {
    let (rows, account) = (run.slice(), run.account());
    let axis = rows.axis();
    if is_memory(account) {
        let (heap, resident) = (HeapSeriesKind::Size, HeapSeriesKind::Resident);
        let memory = if rows.heap()[resident].points.is_empty() { heap } else { resident };
        let is_held = account.suspects[0].kind == Some(ClosureKind::Held);
        let one = |(sample, place): (usize, f64)| {
            let bands = rows.total(sample) as f64;
            let own = if is_held { bands } else { figure_at(rows, heap, sample) };
            let all = figure_at(rows, memory, sample).max(own);
            (place, all - own, all)
        };
        return axis.into_iter().enumerate().map(one).collect();
    }
    let suspects: Vec<RowId> = account.suspects.iter().filter_map(Rise::row).collect();
    let growers: Vec<RowId> = growers(run, true).into_iter().map(|(row, _)| row).collect();
    let own = if suspects.is_empty() { growers } else { suspects };
    let bytes = bytes_of(run, |row| own.contains(&row)).into_iter().enumerate();
    let one = |((sample, bytes), at)| (at, bytes as f64, rows.total(sample) as f64);
    bytes.zip(axis).map(one).collect()
}

/// The bytes that some rows have in each sample.
fn bytes_of(run: &ProfileView<'_>, is: impl Fn(RowId) -> bool) -> Vec<u128> {
    let rows = run.slice();
    let is: Vec<bool> = rows.rows().map(is).collect();
    (0..rows.len()).map(|sample| rows.bytes(sample, |row| is[row.index()]) as u128).collect()
}

/// What a series of the heap says last before a sample, or with it.
pub fn figure_at(slice: &Slice<'_>, series: HeapSeriesKind, sample: usize) -> f64 {
    let points = &slice.heap()[series].points;
    let until = slice.when(sample).map_or(0, |when| points.partition_point(|at| at.0 <= when));
    points[..until].last().map_or(0.0, |(_, bytes)| bytes.get() as f64)
}

/// Whether the account accuses the memory of the process.
pub fn is_memory(account: &Account) -> bool {
    account.suspects.first().is_some_and(|first| first.who == Who::Memory)
}

/// The bytes that some functions, or their local ones, make in each sample.
pub fn made_by(run: &ProfileView<'_>, makers: &[LinkPart], sources: &Sources) -> Vec<u128> {
    let rows = run.slice();
    let is_made = |row: RowId| {
        let band = band(run, row);
        let own = own_frame(&band, sources).map_or(rows.label(row), |(own, _)| own.name.as_str());
        makers.iter().any(|maker| maker.is_function(own))
    };
    bytes_of(run, is_made)
}

/// How often a function was called, if a run counts that.
pub fn calls(profile: &Profile, function: &str) -> u64 {
    let is_it = |node: &&CallNode| {
        let centre = node.centre.and_then(|id| profile.cost_centres.get(id));
        centre.is_some_and(|centre| &*centre.label == function)
    };
    profile.calls.nodes.iter().filter(is_it).map(|node| node.entries).sum()
}

/// The rises of stacks and tables of the run-time system, which get their memory in chunks, if these are few.
pub fn few_chunks<'r>(run: &ProfileView<'_>, rises: &'r [Rise]) -> Vec<&'r Rise> {
    /// The size of a chunk of a stack, `-kc` of GHC, and the most chunks that are no leak.
    const CHUNK: u64 = 32 << 10;
    const MOST_CHUNKS: u64 = 8;
    let is_of = |rise: &&Rise| rise.row().is_some_and(|row| is_charged_to_system(run, row));
    let mut own: Vec<&Rise> = rises.iter().filter(is_of).collect();
    if own.iter().map(|rise| rise.grew()).fold(0, u64::saturating_add) > CHUNK * MOST_CHUNKS {
        own.clear();
    }
    own
}

/// Whether these are all that is accused.
pub fn is_of_the_system(run: &ProfileView<'_>) -> bool {
    let suspects = &run.account().suspects;
    !suspects.is_empty() && few_chunks(run, suspects).len() == suspects.len()
}

/// The cost centres to which the later runs are restricted: as few as have most of the growth.
fn restriction(parts: &[LinkPart]) -> Vec<String> {
    const ENOUGH_PERCENT: f64 = 66.0;
    let (mut names, mut share) = (Vec::new(), 0.0);
    for part in parts {
        if share >= ENOUGH_PERCENT {
            break;
        }
        share += part.share;
        add_names(&mut names, &part.centres);
    }
    names
}

/// Adds the cost centres that are not among some. A comma would end a name.
pub fn add_names(names: &mut Vec<String>, others: &[String]) {
    for name in others {
        if !name.contains(',') && !names.contains(name) {
            names.push(name.clone());
        }
    }
}

/// What a value may be for which GHC has no type.
pub const UNTYPED: &str = "(unevaluated, or a function)";

/// What grows: types, closure types, or the lines of info tables.
fn kinds(run: &ProfileView<'_>, always: bool) -> Vec<LinkPart> {
    let (rows, mut parts) = (run.slice(), Vec::new());
    for (row, share) in growers(run, always) {
        let label = match rows.label(row) {
            label if rows.kind(label) == Some(ClosureKind::ThunksOrFunctions) => {
                format!("{label} {UNTYPED}")
            }
            label => label.to_owned(),
        };
        add(&mut parts, label, rows.place(row), share);
    }
    in_order(parts)
}

/// Who makes what grows, and what that is, by the info tables of a run with `-hi`. What a library allocates has no table
/// or that of the library, and is larger than the cell of the program that keeps it: who makes it is counted in closures.
/// Of the payload of byte strings and arrays, which the run-time system makes, it is who makes what else grows with it.
fn tables(run: &ProfileView<'_>) -> (Vec<LinkPart>, Vec<LinkPart>, bool) {
    let rows = run.slice();
    let (growers, is_pinned) = growers_but("ARR_WORDS", run, true);
    let (mut makers, mut kinds) = (Vec::new(), Vec::new());
    let rises = run.account().rises.iter().filter(|rise| rise.end.reaches_the_end());
    let mut counted: Vec<(RowId, f64)> = gains(rises).collect();
    if counted.is_empty() {
        counted.clone_from(&growers);
    }
    for (row, bytes) in counted {
        let Some((table, place)) = rows.info_table(row).zip(rows.place(row)) else { continue };
        let maker = if table.label.is_empty() { table.what() } else { table.label.clone() };
        add(&mut makers, maker, Some(place), bytes / table.words() as f64);
    }
    let all: f64 = makers.iter().map(|part| part.share).sum();
    makers.iter_mut().for_each(|part| part.share *= 100.0 / all.max(f64::MIN_POSITIVE));
    for (row, share) in growers {
        let Some(table) = rows.info_table(row) else { continue };
        let what = table.what();
        match (what.is_empty(), table.label.is_empty() && !table.module.is_empty()) {
            (true, _) => {}
            (false, true) => add(&mut kinds, format!("{what}, in {}", table.module), None, share),
            (false, false) => add(&mut kinds, what, None, share),
        }
    }
    (in_order(makers), in_order(kinds), is_pinned)
}

/// The functions in a set of retainers.
pub fn names_of(part: &LinkPart) -> Vec<String> {
    let names = part.label.split(", ").filter(|name| !is_no_function(name));
    names.map(str::to_owned).collect()
}

fn is_charged_to_system(run: &ProfileView<'_>, row: RowId) -> bool {
    band(run, row).frames().next().is_some_and(|frame| frame.name == SYSTEM)
}

/// What rises until the end of a run.
pub fn rising<'r>(run: &'r ProfileView<'_>) -> impl Iterator<Item = &'r Rise> {
    let account = run.account();
    let rises = account.rises.iter().chain(&account.suspects);
    rises.filter(|rise| rise.end.reaches_the_end())
}

/// The innermost cost centres of all that rises to the end of a run, the greatest first, by which the profiler can restrict
/// others: a record may be a thousandth of what it keeps.
fn risers(run: &ProfileView<'_>) -> Vec<String> {
    const MOST_RISERS: usize = 16;
    let mut names: Vec<String> = Vec::new();
    for rise in rising(run).filter(|rise| rise.score > 0.0) {
        let band = rise.row().map(|row| band(run, row));
        let first = band.as_ref().and_then(|band| band.frames().next());
        if let Some(first) = first.filter(|first| !is_no_function(&first.name)) {
            add_names(&mut names, std::slice::from_ref(&first.name));
        }
    }
    names.truncate(MOST_RISERS);
    names
}

/// Whether a cost centre is one of the run-time system, which no code makes anything in.
fn is_no_function(name: &str) -> bool {
    is_system(name)
        || name == CAF
        || matches!(name, "PINNED" | "IDLE" | "DONT_CARE" | "GC" | "OVERHEAD_of")
}

/// The cost centre of all top-level values of a module, or of one of which it has no name.
pub const CAF: &str = "CAF";

/// Whether a retainer is the run-time system itself, which holds CAFs and stable pointers.
pub fn is_system(name: &str) -> bool {
    NOBODY.contains(&name)
}

/// The cost centre of the run-time system.
pub const SYSTEM: &str = "SYSTEM";
/// That, and the one of code without cost centres.
pub const NOBODY: [&str; 2] = [SYSTEM, "MAIN"];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::{Breakdown, CostCentre, ProfileBuilder, Source};
    use crate::profile_view::ViewOptions;

    /// A profile of stacks that grow as fast as these numbers.
    fn growing(stacks: &[(&[u32], u64)]) -> Profile {
        let mut builder = ProfileBuilder::new(Source::Eventlog);
        builder.declare_breakdown(Breakdown::CostCentre);
        for (id, name, place) in [
            (1, "go", "A.hs:7:1-9"),
            (2, "main.\\", "A.hs:7:20-30"),
            (3, "main", "A.hs:5:1-4"),
            (4, "insert", ""),
        ] {
            builder.define_cost_centre(id, CostCentre::new(name, "Main", place));
        }
        for sample in 0..60 {
            builder.stack_sample(
                100_000_000 * sample as i64,
                stacks.iter().map(|(stack, rate)| (stack, 1000 + sample * 100_000 * rate)),
            );
        }
        builder.finish()
    }

    #[test]
    fn makers_in_one_line_are_one_and_all_are_at_most_everything() {
        let profile = growing(&[(&[1, 3], 3), (&[4, 2, 3], 2), (&[3], 1)]);
        let options = ViewOptions::default();
        let run = ProfileView::new(&profile, &options).unwrap();
        let (makers, _) = makers(&run, &Sources::default());
        let lines: Vec<_> = makers.iter().map(|one| one.place.as_deref().unwrap()).collect();
        assert_eq!(lines, ["A.hs:7:1", "A.hs:5:1"]);
        assert_eq!(restriction(&makers), ["go", "insert"]);
        let all: f64 = makers.iter().map(|one| one.share).sum();
        assert!((95.0..=100.01).contains(&all), "{all}");
    }

    /// The makers in a run of 60 samples, in which each cost centre has so many bytes in a sample.
    fn makers_of(centres: &[(&str, &dyn Fn(u64) -> u64)]) -> (Vec<String>, bool) {
        let mut builder = ProfileBuilder::new(Source::Eventlog);
        builder.declare_breakdown(Breakdown::CostCentre);
        for (id, (name, _)) in (1..).zip(centres) {
            builder
                .define_cost_centre(id, CostCentre::new(*name, "Main", &*format!("A.hs:{id}:1")));
        }
        for sample in 0..60_u64 {
            let points = (1..).zip(centres).map(|(id, (_, size))| ([id], size(sample)));
            builder.stack_sample(100_000_000 * sample as i64, points);
        }
        let (profile, options) = (builder.finish(), ViewOptions::default());
        let (makers, is_pinned) =
            makers(&ProfileView::new(&profile, &options).unwrap(), &Sources::default());
        (makers.into_iter().map(|maker| maker.label).collect(), is_pinned)
    }

    #[test]
    fn who_makes_byte_strings_that_are_freed_again_is_named_too() {
        let freed = |size: u64| move |sample: u64| 1_000 + size * sample.min(59 - sample);
        let made = makers_of(&[("PINNED", &freed(4_000_000)), ("fetch", &freed(8_000))]);
        assert_eq!(made, (vec!["fetch".to_owned()], true));
    }

    #[test]
    fn who_makes_rounds_is_named_if_these_are_larger_than_an_allocation_area() {
        let rounds = |size: u64| move |sample: u64| 1_000 + size * (sample % 12);
        for (size, made) in [(90_000, &[][..]), (100_000, &["work"])] {
            assert_eq!(makers_of(&[("work", &rounds(size))]).0, made, "{size}");
        }
    }

    #[test]
    fn info_tables_name_the_cell_that_keeps_and_not_the_bytes_that_it_keeps() {
        let mut builder = ProfileBuilder::new(Source::Eventlog);
        builder.declare_breakdown(Breakdown::InfoTable);
        for (address, kind, label, place) in [
            (2, b"4", &b"remember"[..], &b"Main.hs:3:1-9"[..]),
            (3, b"2", b"number", b"Json.hs:5:1-9"),
        ] {
            builder.define_info_table(address, [b"n", kind, b"T", label, b"Main", place]);
        }
        for sample in 0..60 {
            // Arrays of a library without tables; 10 cells of three words, and 14 numbers of two.
            let tables = [("0x1", 4000), ("0x2", 30), ("0x3", 28)];
            let points = tables.map(|(address, words)| (address, 8_000 + 800 * words * sample));
            builder.sample(100_000_000 * sample as i64, points);
        }
        let (profile, options) = (builder.finish(), ViewOptions::default());
        let (makers, ..) = tables(&ProfileView::new(&profile, &options).unwrap());
        let makers: Vec<_> = makers.iter().map(|one| (&*one.label, one.share.round())).collect();
        assert_eq!(makers, [("number", 58.0), ("remember", 42.0)]);
    }

    #[test]
    fn who_holds_what_nobody_evaluates_comes_before_who_makes_it() {
        let part = |label: &str, share: f64| LinkPart::new(label.to_owned(), None, share);
        let first = |kinds: Vec<LinkPart>| {
            let made_by = vec![part("main.\\", 50.0), part("remember.l", 50.0)];
            let held_by = vec![part("remember", 100.0)];
            let mut chain = Chain { made_by, kinds, held_by, ..Chain::default() };
            chain.put_holders_first();
            (chain.made_by[0].label.clone(), chain.thunks_pile_up())
        };
        let cells = |share: f64| part("ghc-prim:GHC.Types.:", share);
        let piles = vec![part("THUNK_1_1", 60.0), part("THUNK_2_0", 20.0), cells(20.0)];
        assert_eq!(first(piles), ("remember.l".to_owned(), true));
        // The elements of a list that grows, and what is evaluated.
        let elements = vec![part("THUNK_2_0", 57.0), cells(43.0)];
        assert_eq!(first(elements), ("main.\\".to_owned(), false));
        assert_eq!(first(vec![cells(100.0)]), ("main.\\".to_owned(), false));
    }

    #[test]
    fn a_few_chunks_of_the_run_time_system_are_no_leak_and_many_may_be() {
        for (rate, is_few) in [(3_000, true), (300_000, false)] {
            let mut builder = ProfileBuilder::new(Source::Eventlog);
            builder.declare_breakdown(Breakdown::CostCentre);
            builder.define_cost_centre(1, CostCentre::new("SYSTEM", "SYSTEM", ""));
            for sample in 0..60 {
                builder.stack_sample(100_000_000 * sample as i64, [([1], 10_000 + sample * rate)]);
            }
            let (profile, options) = (builder.finish(), ViewOptions::default());
            assert_eq!(is_of_the_system(&ProfileView::new(&profile, &options).unwrap()), is_few);
        }
    }
}
