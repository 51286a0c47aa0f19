//! Who holds what grows, and who keeps it: retainers, the variables of functions, fields that nobody evaluates, and the cells
//! of containers.

use std::collections::HashMap;
use std::ops::RangeInclusive;

use super::chain::{
    CAF, Chain, Keeper, LEAST_PERCENT, LinkPart, MOST_PERCENT, SYSTEM, Within, add, band, gains,
    growers, in_order, in_percent, is_system, names_of, own_frame, rising,
};
use crate::analysis::{ClosureKind, Remark, is_record, record_for_each};
use crate::base::text::file_and_line;
use crate::cli::Sources;
use crate::profile::{Profile, without_module};
use crate::profile_view::ProfileView;
use crate::slice::{RowId, start_of};

/// Who holds it, by the retainer sets of a run with `-hr`. What only `SYSTEM`, the run-time
/// system, holds comes last: what the program's own functions hold explains more. If it was made for a
/// top-level value, then that is what `SYSTEM` or `CAF` holds.
pub fn holders(
    run: &ProfileView<'_>,
    places: &Places,
    value: Option<&(String, String)>,
    sources: &Sources,
) -> Vec<LinkPart> {
    let mut parts = Vec::new();
    for (row, share) in growers(run, true) {
        let mut names = retainers(run, row);
        // Stacks and tables of the run-time system hold many things besides.
        if names.iter().any(|name| !is_system(name)) {
            names.retain(|name| !is_system(name));
        }
        match value.filter(|_| names.iter().all(|name| is_system(name) || name == CAF)) {
            Some((name, place)) => add(&mut parts, name.clone(), Some(place.clone()), share),
            None => {
                let place = names.first().and_then(|name| places.get(name).cloned().flatten());
                add(&mut parts, names.join(", "), place.as_deref().and_then(start_of), share);
            }
        }
    }
    let mut parts = in_order(parts);
    parts.sort_by_key(|part| part.label.split(", ").all(is_system));
    for part in &mut parts {
        part.centres = names_of(part);
        let function = if part.label == SYSTEM { "main" } else { &*part.label };
        let place = places.get(function).and_then(Option::as_deref);
        if let Some((variable, line)) = place.and_then(|place| variable(place, sources)) {
            (part.variable, part.place) = (Some(variable), Some(line));
        }
    }
    parts.dedup_by(|part, other| part.variable.is_some() && part.variable == other.variable);
    parts
}

/// The innermost functions of a set of retainers, as the report names them in full.
fn retainers(run: &ProfileView<'_>, row: RowId) -> Vec<String> {
    let slice = run.slice();
    let sets = slice.retainer_sets(row);
    let mut names: Vec<String> = match sets.first() {
        Some(set) => set
            .retainers
            .iter()
            .map(|stack| stack.first().map_or("MAIN", |name| name.as_str()))
            .map(str::to_owned)
            .collect(),
        None => band(run, row).frames().map(|frame| frame.name.clone()).collect(),
    };
    names.iter_mut().for_each(|name| *name = without_module(name).to_owned());
    names.dedup();
    if names.is_empty() { vec![slice.label(row).to_owned()] } else { names }
}

/// Where the functions of a program are, by their names; `None` where two functions have the name.
pub type Places = HashMap<String, Option<String>>;

/// The places that the stacks of a profile name.
pub fn places(profile: &Profile) -> Places {
    let mut places = Places::new();
    for id in profile.bands.ids() {
        for frame in profile.band(id).frames() {
            if start_of(&frame.place).is_some() {
                let place = Some(frame.place.to_string());
                let known = places.entry(frame.name.clone()).or_insert(place.clone());
                if *known != place {
                    *known = None;
                }
            }
        }
    }
    places
}

/// The only variable that a function makes empty, and its place.
fn variable(function: &str, sources: &Sources) -> Option<(String, String)> {
    let (file, lines) = lines_of(function)?;
    let made = |line: usize| {
        let place = format!("{file}:{line}:1");
        let text = sources.line(&place)?.text;
        let (name, made) = text.split_once("<-")?;
        let (made, value) = made.trim().strip_prefix("new")?.split_once(' ')?;
        let kind = ["IORef", "MVar", "TVar"].into_iter().find(|kind| made.starts_with(kind))?;
        let name = name.trim().rsplit([' ', '{', ';']).next()?;
        let is_empty = value.contains("empty") || value.contains("[]");
        is_empty.then(|| (format!("the {kind} `{name}`"), place))
    };
    let mut found = lines.filter_map(made);
    found.next().filter(|_| found.next().is_none())
}

/// The field that nobody evaluates, by a run by closure type of those who make what grows and those who hold it: there is
/// one unevaluated expression for each record. An expression is a retainer, so what it keeps is held by who made it; what
/// only the run-time system holds, by a variable, no expression keeps.
fn field(run: &ProfileView<'_>, holder: Option<&LinkPart>) -> Option<Keeper> {
    /// Of the growth: with less, what the expressions keep is not what fills the heap.
    const KEPT_PERCENT: f64 = 50.0;
    let (thunk, record) = run.account().remarks.iter().find_map(|remark| {
        if let Remark::OneForEach { label, holder } = remark {
            return Some((label, holder));
        }
        // Both grow with the payload of which nobody knows the owner.
        let Remark::WithoutOwner { in_step, .. } = remark else { return None };
        let thunk = in_step.iter().find(|one| one.label.starts_with("THUNK"))?;
        Some((&thunk.label, &record_for_each(thunk, in_step)?.label))
    })?;
    let (rows, share) = (run.slice(), share_of_growth(run));
    let kept = 100.0 - share(&|label| label == thunk || label == record);
    // One without pointers keeps nothing. A finaliser is an expression that its weak pointer keeps on purpose.
    let keeps = !thunk.starts_with("THUNK_0") && kept >= KEPT_PERCENT;
    if !keeps || share(&|label| rows.kind(label).is_some_and(ClosureKind::is_weak)) >= LEAST_PERCENT
    {
        return None;
    }
    let (_, record) = record.rsplit_once(':').filter(|(_, record)| !record.is_empty())?;
    let part = holder.filter(|holder| !names_of(holder).is_empty())?.clone();
    let name = without_module(record).to_owned();
    Some(Keeper { within: Within::Field, name, part: Some(part) })
}

/// What part of what grows in a run has a label of some, in percent.
fn share_of_growth<'r>(
    run: &'r ProfileView<'_>,
) -> impl Fn(&dyn Fn(&str) -> bool) -> f64 + use<'r> {
    let growers: Vec<_> = growers(run, true)
        .into_iter()
        .map(|(row, share)| (run.slice().label(row), share))
        .collect();
    move |is| growers.iter().filter(|(label, _)| is(label)).map(|(_, share)| share).sum()
}

/// The modules of containers, and what these are.
const CONTAINERS: [(&str, &str); 9] = [
    ("Data.Map.", "a Map"),
    ("Data.IntMap.", "an IntMap"),
    ("Data.Set.", "a Set"),
    ("Data.IntSet.", "an IntSet"),
    ("Data.Sequence.", "a Seq"),
    ("Data.HashMap.", "a HashMap"),
    ("Data.HashPSQ.", "a queue"),
    ("Data.OrdPSQ.", "a queue"),
    ("Control.Concurrent.Chan.", "a Chan"),
];

/// The module of a constructor with a point at its end, and its name.
fn constructor(label: &str) -> Option<(String, String)> {
    let (_, name) = label.split_once(':')?;
    let (module, name) = name.rsplit_once('.').filter(|(_, name)| !name.contains(','))?;
    Some((format!("{module}."), name.to_owned()))
}

/// The name of a constructor of a container, and what that is.
fn container(label: &str) -> Option<(String, &'static str)> {
    let (module, name) = constructor(label)?;
    let (_, words) = CONTAINERS.iter().find(|(start, _)| module.starts_with(start))?;
    Some((name, *words))
}

/// Whether a kind of closures is the cells of a list or of a container.
pub fn is_cell(label: &str) -> bool {
    label.ends_with(LIST_CELLS) || container(label).is_some()
}

const LIST_CELLS: &str = "GHC.Types.:";
const A_LIST: &str = "a list";
const EACH: &str = "each ";

/// What keeps what grows, and the constructors of that, by which the profiler can restrict a run: the record with the field
/// that nobody evaluates, the cells of a container, the records of the program if these are not most of it, or lists.
pub fn kept_in(run: &ProfileView<'_>, holder: Option<&LinkPart>) -> Option<(Keeper, Vec<String>)> {
    if let Some(field) = field(run, holder) {
        let record = field.name.clone();
        return Some((field, vec![record]));
    }
    let of =
        |name: String, cells| Some((Keeper { within: Within::Cells, name, part: None }, cells));
    let labels = || rising(run).filter(|rise| rise.row().is_some()).map(|rise| &*rise.label);
    let mut cells: Vec<(String, &str)> = labels().filter_map(container).collect();
    cells.dedup();
    if let Some(&(_, words)) = cells.first() {
        return of(words.to_owned(), cells.into_iter().map(|(name, _)| name).collect());
    }
    let share = share_of_growth(run);
    let is_few = |label: &&str| share(&|one| one == *label) < MOST_PERCENT;
    let record = labels().filter(is_few).find(|label| is_record(label)).and_then(constructor);
    match record {
        Some((_, name)) => of(format!("{EACH}{name}"), vec![name]),
        None if labels().any(|label| label.ends_with(LIST_CELLS)) => {
            of(A_LIST.to_owned(), vec![":".to_owned()])
        }
        None => None,
    }
}

/// Who makes most of the cells to which a run was restricted. Of lists in a list, the maker of what grows makes most, and
/// who keeps them makes fewest; a list that its maker holds is no such list.
pub fn keeper(run: &ProfileView<'_>, chain: &Chain, sources: &Sources) -> Option<LinkPart> {
    let (mut parts, rows) = (Vec::new(), gains(rising(run)));
    for (row, share) in in_percent(rows.collect()) {
        let band = band(run, row);
        if let Some((own, _)) = own_frame(&band, sources) {
            add(&mut parts, own.name.clone(), start_of(&own.place), share);
        }
    }
    parts.sort_by(|one, other| other.share.total_cmp(&one.share));
    let is_list = chain.kept_by.as_ref().is_some_and(|kept| kept.name == A_LIST);
    let is_held = |holder: &LinkPart| names_of(holder).iter().any(|name| chain.is_maker(name));
    let has_lists = is_list && !chain.held_by.iter().any(is_held);
    match parts.first()? {
        most if has_lists && chain.is_maker(&most.label) => parts.pop(),
        most => (most.share >= MOST_PERCENT).then(|| most.clone()),
    }
}

/// An expression of the program that makes what grows.
#[derive(Clone, Debug, PartialEq)]
pub struct Expression {
    /// What it makes: a constructor, or `THUNK of Int`.
    pub what: String,
    /// The function in which it is, and its place.
    pub function: String,
    pub span: String,
    pub gain: f64,
}

/// The expressions of a line that make what grows, by a run by info tables. Longer ones are bodies of functions; one that does
/// not contain the constructor that it makes calls what makes it.
pub fn expressions(run: &ProfileView<'_>, sources: &Sources) -> Vec<Expression> {
    let rows = run.slice();
    let one = |(row, gain): (RowId, f64)| {
        let table = rows.info_table(row)?;
        let (what, function, span) = (table.what(), table.label.clone(), table.place()?.to_owned());
        let is_short = what != "function" && !span.contains(")-(");
        let is_constructor = what.starts_with(char::is_uppercase) && !what.contains(' ');
        let has_it = sources.line(&span).is_none_or(|line| line.text.contains(&what));
        (is_short && (has_it || !is_constructor)).then_some(Expression {
            what,
            function,
            span,
            gain,
        })
    };
    gains(rising(run)).filter_map(one).collect()
}

/// Narrows the places of functions to the expressions in them that make most. The optimiser moves what a small function makes
/// to those that call it, and the profiler charges these: a record, and what nobody evaluates, is where its expression is.
pub fn name_expressions(chain: &mut Chain, expressions: &[Expression], places: &Places) {
    let most = |is: &dyn Fn(&Expression) -> bool| {
        let found = expressions.iter().filter(|one| is(one));
        found.max_by(|one, other| one.gain.total_cmp(&other.gain))
    };
    let within = |part: &mut LinkPart| {
        let function = places.get(&part.label).and_then(Option::as_deref).and_then(lines_of);
        let found = function.and_then(|(file, lines)| {
            most(&|one| {
                lines_of(&one.span)
                    .is_some_and(|(at, inner)| at == file && lines.contains(inner.start()))
            })
        });
        part.place = found.map(|one| one.span.clone()).or(part.place.take());
        found.is_some()
    };
    let moved = |part: &mut LinkPart, one: &Expression| {
        part.place = Some(one.span.clone());
        if !one.function.is_empty() && !part.is_function(&one.function) {
            part.label.clone_from(&one.function);
        }
    };
    // What other makers are charged with is theirs.
    let is_other =
        |one: &Expression| !chain.made_by.iter().any(|part| part.is_function(&one.function));
    let thunk = most(&|one| one.what.starts_with("THUNK") && is_other(one));
    let thunk = thunk.filter(|_| chain.thunks_pile_up());
    for (at, part) in chain.made_by.iter_mut().enumerate() {
        if let (false, 0, Some(thunk)) = (within(part), at, thunk) {
            moved(part, thunk);
        }
    }
    if let Some(Keeper { name, part: Some(part), .. }) = &mut chain.kept_by {
        let record = name.strip_prefix(EACH).unwrap_or(name);
        // One with strict fields is made by a function of its declaration.
        let of = |function: &str| LinkPart::new(function.to_owned(), None, 0.0);
        let is_charged = |function: &str| places.keys().any(|name| of(function).is_function(name));
        match most(&|one| one.what == record && is_charged(&one.function)) {
            Some(record) => moved(part, record),
            None => drop(within(part)),
        }
    }
}

/// The file, the first and the last line of a span of source.
fn lines_of(span: &str) -> Option<(String, RangeInclusive<usize>)> {
    let start = start_of(span)?;
    let (file, first) = file_and_line(&start)?;
    let last = span.rsplit_once(")-(").and_then(|(_, end)| end.split(',').next()?.parse().ok());
    Some((file.to_owned(), first..=last.unwrap_or(first)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::{Breakdown, ProfileBuilder, Source};
    use crate::profile_view::ViewOptions;

    /// A run by closure type, in which each kind grows by so many words a sample.
    fn kinds_of(samples: u64, kinds: &[(&str, u64)]) -> Profile {
        let mut builder = ProfileBuilder::new(Source::Eventlog);
        builder.declare_breakdown(Breakdown::ClosureType);
        for sample in 0..samples {
            let points = kinds.iter().map(|(label, words)| (label, 8 * words * (1 + 10 * sample)));
            builder.sample(10_000_000 * sample as i64, points);
        }
        builder.finish()
    }

    fn record_of(profile: &Profile, holder: &str) -> Option<String> {
        let (options, holder) =
            (ViewOptions::default(), LinkPart::new(holder.to_owned(), None, 99.0));
        let run = ProfileView::new(profile, &options).unwrap();
        field(&run, Some(&holder)).map(|field| field.name)
    }

    #[test]
    fn a_field_is_blamed_for_what_it_keeps_and_for_nothing_else() {
        let posting = ("main:Main.Posting", 3);
        for (others, is_blamed) in [
            (&[("ghc-prim:GHC.Types.:", 300), ("THUNK_1_0", 3), posting][..], true),
            // Nothing else grows; it has no pointer; it is what a weak pointer finalises.
            (&[("ghc-prim:GHC.Types.:", 3), ("THUNK_1_0", 3), posting], false),
            (&[("ghc-prim:GHC.Types.:", 300), ("THUNK_0_1", 3), posting], false),
            (&[("ghc-prim:GHC.Types.:", 30), ("WEAK", 6), ("THUNK_1_0", 3), posting], false),
        ] {
            let record = record_of(&kinds_of(60, others), "post");
            assert_eq!(record.is_some(), is_blamed, "{others:?}");
            // A variable holds the records, and no expression what they are made of.
            assert_eq!(record_of(&kinds_of(60, others), SYSTEM), None, "{others:?}");
        }
    }

    #[test]
    fn a_place_is_narrowed_to_the_expression_in_its_function_that_makes_most() {
        let part = |label: &str, place: &str| {
            LinkPart::new(label.to_owned(), Some(place.to_owned()), 50.0)
        };
        let made_by = vec![part("handle", "A.hs:10:1"), part("other", "A.hs:20:1")];
        let mut chain = Chain { made_by, ..Chain::default() };
        let place = |name: &str, span: &str| (name.to_owned(), Some(span.to_owned()));
        let places = [
            place("handle", "A.hs:(10,1)-(13,41)"),
            place("other", "A.hs:20:1-30"),
            place("write", "A.hs:29:1-9"),
        ]
        .into();
        let spans = [
            ("A.hs:12:3-9", 5.0),
            ("A.hs:13:19-42", 9.0),
            ("B.hs:20:1-9", 90.0),
            ("A.hs:14:1-9", 90.0),
        ];
        let (what, function) = ("(:)".to_owned(), String::new());
        let one = |(span, gain): (&str, f64)| Expression {
            what: what.clone(),
            function: function.clone(),
            span: span.to_owned(),
            gain,
        };
        let mut spans: Vec<_> = spans.into_iter().map(one).collect();
        name_expressions(&mut chain, &spans, &places);
        let found: Vec<_> =
            chain.made_by.iter().map(|part| part.place.as_deref().unwrap()).collect();
        assert_eq!(found, ["A.hs:13:19-42", "A.hs:20:1"]);
        // The profiler charges another function with a record, and with what nobody evaluates.
        let record = |what: &str, function: &str, span: &str| Expression {
            what: what.to_owned(),
            function: function.to_owned(),
            span: span.to_owned(),
            gain: 1.0,
        };
        spans.push(record("Line", "write", "A.hs:30:5-9"));
        // A declaration.
        spans.push(Expression { gain: 9.0, ..record("Line", "text", "A.hs:3:1-9") });
        spans.push(record("THUNK of Int", "note", "A.hs:31:5-9"));
        chain.made_by.swap(0, 1);
        chain.kinds = vec![part("THUNK_1_1", "")];
        let keeper = Some(part("main", "A.hs:40:1"));
        let (within, name) = (Within::Cells, "each Line".to_owned());
        chain.kept_by = Some(Keeper { within, name, part: keeper });
        name_expressions(&mut chain, &spans, &places);
        let named = |part: &LinkPart| (part.label.clone(), part.place.clone().unwrap());
        let keeper = chain.kept_by.as_ref().and_then(|keeper| keeper.part.as_ref()).map(named);
        assert_eq!(keeper, Some(("write".to_owned(), "A.hs:30:5-9".to_owned())));
        assert_eq!(named(&chain.made_by[0]), ("note".to_owned(), "A.hs:31:5-9".to_owned()));
    }

    #[test]
    fn the_variable_that_a_function_makes_empty_holds_what_grows() {
        let folder = tempfile::tempdir().expect("a folder");
        let text = "main = do\n  count <- newIORef 0\n  env <- newIORef M.empty\n  done <- newMVar False\n  all <- newTVar []\n";
        std::fs::write(folder.path().join("A.hs"), text).expect("a source");
        let sources = Sources::new(Some(folder.path()), []);
        let found = |span: &str| variable(span, &sources).map(|(name, _)| name);
        assert_eq!(found("A.hs:(1,1)-(4,9)").as_deref(), Some("the IORef `env`"));
        assert_eq!((found("A.hs:4:3-9"), found("A.hs:(1,1)-(5,9)")), (None, None));
    }
}
