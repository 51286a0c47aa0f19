//! What the special names of GHC's profiles mean, one sentence each.

/// How the constructor of lists is called: a colon alone is read as a mark.
pub(crate) const LIST_CELL: &str = "(:)";

/// What a band is called where its meaning is told: its label, but for the constructor of lists.
pub(crate) fn called(label: &str) -> &str {
    if label == ":" || label.ends_with("GHC.Types.:") { LIST_CELL } else { label }
}

pub(crate) type Glossary = &'static [(&'static str, &'static str)];

/// Kinds of closures in numerical order, as in GHC 9.0 to 9.10.
const KINDS: &str = "INVALID_OBJECT CONSTR CONSTR_1_0 CONSTR_0_1 CONSTR_2_0 CONSTR_1_1 CONSTR_0_2 \
                     CONSTR_NOCAF FUN FUN_1_0 FUN_0_1 FUN_2_0 FUN_1_1 FUN_0_2 FUN_STATIC THUNK THUNK_1_0 \
                     THUNK_0_1 THUNK_2_0 THUNK_1_1 THUNK_0_2 THUNK_STATIC THUNK_SELECTOR BCO AP PAP \
                     AP_STACK IND IND_STATIC";

/// The name of a kind of closures by its number in an info table.
pub(crate) fn closure_kind(number: &str) -> Option<&'static str> {
    KINDS.split(' ').nth(number.parse().ok()?)
}

/// The entry of the first of some names of a band that one of the tables has.
///
/// Constructors of a program may be called like closures; GHC's names have no package.
pub(crate) fn meaning(tables: &[Glossary], names: &[&str]) -> Option<(&'static str, &'static str)> {
    let entry =
        |name: &str| tables.iter().copied().flatten().find(|entry| entry.0 == name).copied();
    names
        .iter()
        .map(|&name| called(name))
        .find_map(|name| entry(name).or_else(|| entry(plain(name))))
}

/// A kind of closures without its sizes, and without whether it was changed since the last collection.
fn plain(name: &str) -> &str {
    let name = name.strip_suffix("_CLEAN").or_else(|| name.strip_suffix("_DIRTY")).unwrap_or(name);
    name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '_')
}

/// Kinds of closures, by -hT and by the names of info tables.
pub(crate) const CLOSURES: Glossary = &[
    (
        "THUNK",
        "An expression that was postponed: it is not evaluated yet, and keeps alive all that it refers to.",
    ),
    (
        "THUNK_SELECTOR",
        "A postponed choice of one field, such as fst x; a collection removes it once x is evaluated.",
    ),
    (
        "BLACKHOLE",
        "A thunk that is being evaluated, or one that was and still points to its value.",
    ),
    (
        "AP",
        "A postponed call of a function whose code the interpreter or an unknown call left for later.",
    ),
    ("AP_STACK", "A computation that an exception interrupted, kept so that it can go on later."),
    ("PAP", "A function that has some of its arguments and waits for the others."),
    ("FUN", "A function as a value, with the variables that it captured."),
    ("CONSTR", "Data: a constructor with its fields."),
    ("BCO", "Code of the interpreter (GHCi)."),
    ("IND", "A pointer to the value of an expression that was evaluated; a collection removes it."),
    ("IND_STATIC", "A top-level constant (CAF) that was evaluated, and points to its value."),
    (
        "ARR_WORDS",
        "Bytes without pointers: the contents of ByteString, Text, unboxed arrays and big Integers.",
    ),
    ("MUT_ARR_PTRS", "An array of pointers, boxed: Array, IOArray, Vector."),
    ("MUT_ARR_PTRS_FROZEN", "An array of pointers that is no longer written: Array, Vector."),
    ("SMALL_MUT_ARR_PTRS", "A small array of pointers, such as the nodes of HashMap."),
    (
        "SMALL_MUT_ARR_PTRS_FROZEN",
        "A small array of pointers that is no longer written, such as the nodes of HashMap.",
    ),
    ("MUT_VAR", "A mutable variable: IORef or STRef. Modifying it lazily builds up thunks."),
    ("MVAR", "An MVar, with its contents and the threads that wait for it."),
    ("TVAR", "A transactional variable of STM."),
    ("TREC_CHUNK", "The log of an STM transaction that is running."),
    ("TSO", "A thread of the program, without its stack."),
    ("STACK", "The stack of a thread; deep recursion makes it grow."),
    ("WEAK", "A weak pointer, perhaps with a finalizer."),
    (
        "PRIM",
        "An object of the run-time system, such as the queue of threads that wait for an MVar.",
    ),
    ("MUT_PRIM", "An object of the run-time system that changes."),
    ("BLOCKING_QUEUE", "Threads that wait for another thread to evaluate something."),
    ("COMPACT_NFDATA", "A compact region: data that is collected as a whole."),
    ("CONTINUATION", "A captured part of a stack."),
];

/// Names of types (-hy) and constructors (-hd, -hT).
pub(crate) const TYPES: Glossary = &[
    ("*", "Types that are not known at run time: most thunks, and data of polymorphic code."),
    ("->", "Functions."),
    (LIST_CELL, "A cell of a list: one element, and the rest of the list."),
    ("[]", "Lists; as a constructor, the empty list."),
    ("I#", "A boxed Int. Strict fields with -funbox-strict-fields do not need it."),
    ("W#", "A boxed Word."),
    ("C#", "A boxed Char."),
    ("D#", "A boxed Double."),
    ("(,)", "A pair."),
    ("(,,)", "A tuple of three."),
];

/// Cost centres that are not in the source.
pub(crate) const CENTRES: Glossary = &[
    ("MAIN", "The root of all cost centres: what is counted for no other one."),
    (
        "CAF",
        "Top-level constants of a module (constant applicative forms): evaluated once, and kept while code refers to them.",
    ),
    (
        "SYSTEM",
        "The run-time system itself; by module (-hm) also pinned memory, mostly ByteStrings.",
    ),
    ("GC", "The garbage collector."),
    ("OVERHEAD_of", "The cost of profiling itself."),
    ("DONT_CARE", "Code without a cost of its own."),
    (
        "PINNED",
        "Memory that may not move, mostly the contents of ByteStrings; whose it is, is not known.",
    ),
    ("IDLE", "Time in which nothing ran."),
    ("MANY", "Closures with more retainers than the limit (+RTS -R)."),
];

pub(crate) const PHASES: Glossary = &[
    ("VOID", "Created and never used."),
    ("LAG", "Created, and not used yet."),
    ("USE", "Between its first and last use."),
    ("INHERENT_USE", "Always counted as in use, such as big arrays."),
    ("DRAG", "Used for the last time, and still alive."),
];

pub(crate) const OURS: Glossary = &[
    ("OTHER", "The bands over the limit, added up. Split OTHER draws some of them."),
    ("trace elements", "The smallest bands, which together hold less than 1 % and are not drawn."),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_mean_the_same_whatever_sizes_they_state() {
        let known =
            |name| meaning(&[CLOSURES, TYPES], &["no such name", name]).map(|entry| entry.0);
        for (name, expected) in [
            ("THUNK_1_0", Some("THUNK")),
            ("MUT_ARR_PTRS_FROZEN_CLEAN", Some("MUT_ARR_PTRS_FROZEN")),
            ("MUT_VAR_DIRTY", Some("MUT_VAR")),
            ("I#", Some("I#")),
            ("*", Some("*")),
            (":", Some("(:)")),
            ("main:Main.THUNK", None),
            ("_1", None),
        ] {
            assert_eq!(known(name), expected, "{name}");
        }
        assert_eq!(closure_kind("16"), Some("THUNK_1_0"));
        assert_eq!(closure_kind("999").or(closure_kind("")), None);
    }
}
