//! What to do next: commands to copy, in order, each with what it tells and what it costs. They are made for the
//! break-down, the compiler and the build of this run, and for what is known already.

use serde::Serialize;

use crate::analysis::{Account, ClosureKind, Leak, Shape};
use crate::profile::{Metadata, Tells};
use crate::slice::{Privacy, Slice};

/// What to do next. An alarming page has the first command in its head, and a picture at its end.
#[derive(Debug, Default, PartialEq, Eq, Serialize)]
pub struct NextSteps {
    first: Option<NextStep>,
    others: Vec<NextStep>,
}

/// What the reader of a page knows besides the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Known {
    /// Nothing: this is the page of one run, or of several that are not compared.
    Nothing,
    /// Who makes what grows: this is the page of a hunt.
    Hunted,
    /// The run before, which leaked, and this one after, which does not.
    Cured,
}

#[derive(Debug, PartialEq, Eq, Serialize)]
struct NextStep {
    command: String,
    tells: String,
    costs: &'static str,
}

impl NextStep {
    fn new(command: String, tells: &str, costs: &'static str) -> Self {
        NextStep { command, tells: tells.to_owned(), costs }
    }
}

const ANOTHER_RUN: &str = "one more run, a few per cent slower";

impl NextSteps {
    /// The next steps after a run with this account.
    pub fn new(slice: &Slice<'_>, account: &Account, known: Known) -> NextSteps {
        if known != Known::Nothing {
            let tells = "after a change: whether what the last hunt found still grows";
            let costs = "in the folder of its package: a build for profiling, one short run";
            let again = NextStep::new("heapviz hunt --again".to_owned(), tells, costs);
            return NextSteps { first: Some(again), others: Vec::new() };
        }
        let accused = account.suspects.first().and_then(|rise| rise.kind);
        let is_off_heap = accused == Some(ClosureKind::OffHeap);
        let is_alarming =
            account.leak >= Leak::Possible || account.shape() >= Some(Shape::GrewToExit);
        let mut others = steps(slice, is_off_heap).into_iter();
        let first = is_alarming.then(|| others.next()).flatten();
        NextSteps { first, others: others.collect() }
    }

    /// The command to type first, if something alarms.
    pub fn command(self) -> Option<String> {
        self.first.map(|step| step.command)
    }
}

/// The next steps after this run: `heapviz hunt` first, which does the others by itself. No profile of the heap tells
/// more of what grows only off the heap.
fn steps(slice: &Slice<'_>, is_off_heap: bool) -> Vec<NextStep> {
    let (metadata, tells) = (slice.metadata(), slice.breakdown().traits().tells);
    // A program without its arguments cannot be run again.
    let program = match slice.privacy() {
        Privacy::Redact => "PROG ARGS".to_owned(),
        Privacy::Show => program(metadata).unwrap_or_else(|| "PROG ARGS".to_owned()),
    };
    if is_off_heap {
        let tells = "who allocates what grows off the heap, of which a heap profile has nothing";
        let costs = "heaptrack is a program of its own, for Linux; one run, several times slower";
        return vec![NextStep::new(format!("heaptrack {program}"), tells, costs)];
    }
    let (is_profiled, ghc) = (metadata.is_profiled(), ghc(metadata));
    // One command that leads to the line comes first.
    let line = "the line that makes what grows, whether it is unevaluated, and who holds it";
    let mut steps = vec![match is_profiled {
        true => NextStep::new(format!("heapviz hunt -- {program}"), line, "up to four short runs"),
        false => {
            let arguments =
                program.split_once(' ').map_or(String::new(), |(_, rest)| format!(" -- {rest}"));
            NextStep::new(
                format!("heapviz hunt --cabal{arguments}"),
                line,
                "in the folder of its package (--stack, --ghc Main.hs): a build for profiling, four short runs",
            )
        }
    }];
    if !is_profiled {
        steps.push(NextStep::new(
            format!("heapviz hunt -- {program}"),
            "the kinds of closures that grow",
            "two short runs of the program as it is",
        ));
        // The run-time system names places without profiling from 9.2 on.
        if tells != Tells::Place && ghc.is_none_or(|ghc| ghc >= (9, 2)) {
            steps.push(NextStep::new(
                format!("cabal build --ghc-options=\"-finfo-table-map -rtsopts\" && {program} +RTS -hi -l-agu"),
                "places in the source without profiling",
                "a new build, a bigger program",
            ));
        }
    }
    let mut run = |flag: &str, tells: &str, costs| {
        let command = format!("{program} +RTS {flag} -l-agu");
        steps.push(NextStep::new(command, tells, costs));
    };
    if is_profiled && tells != Tells::Maker {
        run("-hc", "who makes it: functions with their callers", ANOTHER_RUN);
    }
    if tells != Tells::Content {
        run("-hT", "what it is: constructors, functions, unevaluated THUNKs", ANOTHER_RUN);
    }
    if is_profiled && tells != Tells::Holder {
        run(
            "-hr",
            "who holds it, so that it cannot be freed",
            "one more run, several times slower",
        );
    }
    steps
}

/// The major and minor version of the compiler.
fn ghc(metadata: &Metadata) -> Option<(u32, u32)> {
    let mut numbers = metadata.ghc_version()?.split('.').map(str::parse);
    Some((numbers.next()?.ok()?, numbers.next()?.ok()?))
}

/// The command line without the flags of the run-time system, as a shell reads it.
fn program(metadata: &Metadata) -> Option<String> {
    let own = metadata.own_words();
    let mut text: Vec<String> = own.into_iter().map(shell_word).collect();
    let first = text.first_mut().filter(|first| !first.is_empty())?;
    // The shell looks for a name without a folder elsewhere.
    if !first.contains('/') {
        first.insert_str(0, "./");
    }
    Some(text.join(" "))
}

fn shell_word(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_.,:=@%+/-".contains(c);
    match !word.is_empty() && word.chars().all(is_plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', r"'\''")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::{Breakdown, ProfileBuilder, Source};

    fn commands(breakdown: Breakdown, rts: &str, words: &[&str]) -> Vec<String> {
        let mut builder = ProfileBuilder::new(Source::Eventlog);
        builder.declare_breakdown(breakdown);
        builder.metadata.rts = Some(rts.to_owned());
        builder.metadata.arguments = words.iter().map(|word| word.to_string()).collect();
        builder.sample(1, [("a", 8)]);
        let profile = builder.finish();
        let slice = Slice::whole(&profile);
        let commands = |steps: Vec<NextStep>| -> Vec<String> {
            steps.into_iter().map(|step| step.command).collect()
        };
        let off_heap = commands(steps(&slice, true));
        assert!(off_heap[0].starts_with("heaptrack ") && off_heap.len() == 1);
        commands(steps(&slice, false))
    }

    /// A leak, and what grew until the program ended, have a command in the head of the page; after a hunt and after a
    /// cure it is the one that asks the same question again.
    #[test]
    fn an_alarming_page_has_one_command_in_its_head() {
        let profile = ProfileBuilder::new(Source::Hp).finish();
        let slice = Slice::whole(&profile);
        let mut account = Account::default();
        let first = |account: &Account, known| {
            let NextSteps { first, others } = NextSteps::new(&slice, account, known);
            (first.map(|step| step.command), others.len())
        };
        let (none, all) = first(&account, Known::Nothing);
        assert_eq!(none, None);
        account.leak = Leak::Possible;
        let (hunt, others) = first(&account, Known::Nothing);
        assert_eq!((hunt.as_deref(), others), (Some("heapviz hunt --cabal -- ARGS"), all - 1));
        for known in [Known::Hunted, Known::Cured] {
            let again = Some("heapviz hunt --again".to_owned());
            assert_eq!(first(&account, known), (again, 0));
        }
    }

    #[test]
    fn steps_fit_the_build_and_the_break_down() {
        let plain = commands(
            Breakdown::ClosureType,
            "GHC-9.0.2 rts_thr",
            &["bin/prog", "it's", "+RTS", "-hT", "-RTS", "2"],
        );
        assert_eq!(
            plain,
            [r"heapviz hunt --cabal -- 'it'\''s' 2", r"heapviz hunt -- bin/prog 'it'\''s' 2"]
        );
        let newer = commands(Breakdown::ClosureType, "GHC-9.10.1 rts_thr", &["prog"]);
        assert_eq!(newer[0], "heapviz hunt --cabal");
        assert!(newer[2].ends_with("./prog +RTS -hi -l-agu"), "{newer:?}");
        let profiled = commands(Breakdown::CostCentre, "GHC-9.10.1 rts_thr_p", &["prog"]);
        assert_eq!(
            profiled[1..],
            ["./prog +RTS -hT -l-agu", "./prog +RTS -hr -l-agu"],
            "neither a build nor what the run says already"
        );
    }
}
