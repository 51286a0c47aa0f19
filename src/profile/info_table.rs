//! Info tables: where in the source a closure's code comes from (`-finfo-table-map`).
//!
//! A big program defines hundreds of thousands of them before its first sample and mentions a few
//! thousand. So they are kept as raw bytes in one buffer while a log is read, and only those that a
//! band names become values.

use foldhash::HashMap;
use foldhash::fast::RandomState;
use indexmap::IndexMap;
use indexmap::map::Entry;

use super::limits::cut_text;
use super::{Frame, Package};

/// What the compiler recorded about one info table (`docs/format/eventlog.md#info-tables`). Any
/// text may be empty.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct InfoTable {
    pub name: String,
    /// Closure kind, a decimal number in text.
    pub closure_kind: String,
    pub ty: String,
    pub label: String,
    pub module: String,
    /// Place in the source, `file:span`.
    pub location: String,
}

impl InfoTable {
    /// The six texts of the table in the order of the event: name, closure kind, type, label, module, location.
    pub fn fields(&self) -> [&str; 6] {
        let InfoTable { name, closure_kind, ty, label, module, location } = self;
        [name, closure_kind, ty, label, module, location]
    }

    /// What the closures of this table are: `THUNK of Int`, `function`, a constructor such as `(:)`. If neither its kind nor
    /// its name says so, it is the name of the table, unless the binding is known; perhaps empty.
    ///
    /// Source: the numbers of kinds are those of GHC's `ClosureTypes.h`.
    pub fn what(&self) -> String {
        // A variable of a type says nothing, and has another name in every build.
        let is_variable = |ty: &str| ty.starts_with(char::is_lowercase) && !ty.contains(' ');
        let of_type = |what: &str| match self.ty.as_str() {
            ty if ty.is_empty() || is_variable(ty) => what.to_owned(),
            ty => format!("{what} of {ty}"),
        };
        match self.closure_kind.parse() {
            Ok(8..=14) => "function".to_owned(),
            Ok(15..=21) => of_type("THUNK"),
            Ok(22) => of_type("THUNK_SELECTOR"),
            Ok(0..=7 | 23_u32..) | Err(_) => match self.constructor() {
                Some(constructor) => constructor,
                None if self.label.is_empty() => self.name.trim_end_matches("_info").to_owned(),
                None => String::new(),
            },
        }
    }

    /// How many words a closure of this table has without those of the profiler, at least: a kind says so for up to two
    /// fields.
    ///
    /// Source: the numbers of kinds are those of GHC's `ClosureTypes.h`.
    pub fn words(&self) -> u64 {
        match self.closure_kind.parse() {
            // A constructor, a function.
            Ok(2 | 3 | 9 | 10) => 2,
            Ok(4..=6 | 11..=13) => 3,
            // A thunk has room for its value.
            Ok(16 | 17 | 22) => 3,
            Ok(18..=20) => 4,
            Ok(15) => 5,
            Ok(0 | 1 | 7 | 8 | 14 | 21 | 23_u32..) | Err(_) => 4,
        }
    }

    /// `Bin` of `Bin_con_info`, and of `Bin_Main_2_con_info`, the third place in `Main` that makes one
    /// (`-fdistinct-constructor-tables`).
    fn constructor(&self) -> Option<String> {
        let name = self.name.strip_suffix("_con_info")?;
        let (front, number) = name.rsplit_once('_').unwrap_or((name, ""));
        let module = format!("_{}", self.module);
        let is_number = !number.is_empty() && number.bytes().all(|digit| digit.is_ascii_digit());
        let front = front.strip_suffix(&module).filter(|_| is_number).unwrap_or(name);
        let is_operator = front.starts_with(|first: char| first.is_ascii_punctuation());
        let is_operator = is_operator && !front.starts_with(['(', '[', '_']);
        Some(if is_operator { format!("({front})") } else { front.to_owned() })
    }

    /// The place in the source, if it is known.
    pub fn place(&self) -> Option<&str> {
        // GHC 9.6 and newer join file and span by a colon, also when both are unknown.
        (!matches!(self.location.as_str(), "" | ":")).then_some(&self.location)
    }

    /// The table as a frame: what it is and which binding makes it, `(:) made by wordOf`; if that is not known,
    /// in which module, `THUNK of Int, in Main`.
    pub(super) fn frame(&self) -> Frame {
        let what = self.what();
        let name = match (what.as_str(), self.label.as_str(), self.module.as_str()) {
            ("", label, _) if !label.is_empty() => label.to_owned(),
            (what, "", "") => what.to_owned(),
            ("", "", module) => format!("in {module}"),
            (what, "", module) => format!("{what}, in {module}"),
            (what, label, _) => format!("{what} made by {label}"),
        };
        Frame {
            name,
            unique: String::new(),
            module: self.module.clone(),
            package: Package::default(),
            place: self.place().unwrap_or_default().to_owned(),
        }
    }

    /// The text to show for a band: `what made by label (module, location)` as far as known; `None` if the table
    /// has nothing but its address. At most `enough` bytes of each part are used.
    pub fn text(&self, enough: usize) -> Option<String> {
        let what = self.what();
        let what = cut_text(&what, enough);
        let name = match (what, cut_text(&self.label, enough)) {
            (one, "") | ("", one) => one.to_owned(),
            (what, label) => format!("{what} made by {label}"),
        };
        let location = cut_text(self.place().unwrap_or_default(), enough);
        let place = match (cut_text(&self.module, enough), location) {
            ("", "") => String::new(),
            (one, "") | ("", one) => one.to_owned(),
            (module, location) => format!("{module}, {location}"),
        };
        match (name.as_str(), place.as_str()) {
            ("", "") => None,
            (name, "") => Some(name.to_owned()),
            ("", place) => Some(format!("({place})")),
            (name, place) => Some(format!("{name} ({place})")),
        }
    }
}

/// The address in a `-hi` label: hexadecimal, with or without `0x` (C libraries differ).
pub fn parse_address(label: &[u8]) -> Option<u64> {
    let text = std::str::from_utf8(label).ok()?;
    let digits = text.strip_prefix("0x").or(text.strip_prefix("0X")).unwrap_or(text);
    // `from_str_radix` would take a sign.
    let hex = digits.bytes().all(|b| b.is_ascii_hexdigit());
    hex.then(|| u64::from_str_radix(digits, 16).ok()).flatten()
}

/// The info tables that are bands, by address, in order of their first band.
#[derive(Clone, Debug, Default)]
pub struct InfoTables {
    pub(super) by_address: IndexMap<u64, InfoTable, RandomState>,
}

impl InfoTables {
    pub fn get(&self, address: u64) -> Option<&InfoTable> {
        self.by_address.get(&address)
    }

    /// The table of an address, taken from the store at its first use.
    pub(super) fn join(&mut self, address: u64, store: &InfoTableStore) -> Option<&InfoTable> {
        Some(match self.by_address.entry(address) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(vacant) => vacant.insert(store.get(address)?),
        })
    }

    /// Adds a table that the log does not describe.
    pub(super) fn add(&mut self, address: u64, table: InfoTable) {
        self.by_address.entry(address).or_insert(table);
    }

    pub fn is_empty(&self) -> bool {
        self.by_address.is_empty()
    }
}

/// The info tables of a log while it is read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct InfoTableStore {
    /// The six texts of each table, each ended by NUL, one table after the other.
    texts: Vec<u8>,
    starts: HashMap<u64, usize>,
}

impl InfoTableStore {
    /// Stores a table, which replaces any earlier one with the same address.
    pub(super) fn define(&mut self, address: u64, fields: [&[u8]; 6]) {
        self.starts.insert(address, self.texts.len());
        for field in fields {
            self.texts.extend_from_slice(field);
            self.texts.push(0);
        }
    }

    /// Whether a table is stored with exactly these texts.
    pub(super) fn says(&self, address: u64, fields: [&[u8]; 6]) -> bool {
        let stored = self.starts.get(&address).map(|_| self.fields(address));
        stored == Some(fields)
    }

    /// The texts of a table, empty when it is not stored.
    pub(super) fn fields(&self, address: u64) -> [&[u8]; 6] {
        let start = self.starts.get(&address).copied().unwrap_or(self.texts.len());
        let mut texts = self.texts[start..].split(|&byte| byte == 0);
        std::array::from_fn(|_| texts.next().unwrap_or_default())
    }

    /// Every table with its texts, in the order in which they were defined.
    pub(super) fn iter(&self) -> impl Iterator<Item = (u64, [&[u8]; 6])> {
        let mut tables: Vec<(u64, usize)> = self.starts.iter().map(|(&a, &at)| (a, at)).collect();
        tables.sort_unstable_by_key(|&(_, at)| at);
        tables.into_iter().map(|(address, _)| (address, self.fields(address)))
    }

    pub(super) fn len(&self) -> usize {
        self.starts.len()
    }

    /// Whether an address has been defined.
    pub(super) fn knows(&self, address: u64) -> bool {
        self.starts.contains_key(&address)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.starts.is_empty()
    }

    pub(super) fn get(&self, address: u64) -> Option<InfoTable> {
        self.starts.get(&address)?;
        let texts = self.fields(address).map(|text| String::from_utf8_lossy(text).into_owned());
        let [name, closure_kind, ty, label, module, location] = texts;
        Some(InfoTable { name, closure_kind, ty, label, module, location })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_several_c_libraries() {
        assert_eq!(parse_address(b"0x40bea0"), Some(0x40bea0));
        assert_eq!(parse_address(b"000000000040BEA0"), Some(0x40bea0));
        assert_eq!(parse_address(b"+1"), None);
        assert_eq!(parse_address(b"(nil)"), None);
        assert_eq!(parse_address(b""), None);
    }

    fn table(name: &str, kind: &str, ty: &str, label: &str, location: &str) -> InfoTable {
        let [name, closure_kind, ty, label, module, location] =
            [name, kind, ty, label, "Main", location].map(str::to_owned);
        InfoTable { name, closure_kind, ty, label, module, location }
    }

    #[test]
    fn a_table_is_named_by_its_kind_and_type() {
        let what = |name, kind, ty| table(name, kind, ty, "", "").what();
        assert_eq!(what("sat_s3ge_info", "15", "[Int]"), "THUNK of [Int]");
        assert_eq!(
            (what("sat_s3ge_info", "21", ""), what("x_info", "15", "a1_a2of")),
            ("THUNK".into(), "THUNK".into())
        );
        assert_eq!(
            (what("f_info", "8", "a -> a"), what("f_info", "14", "")),
            ("function".into(), "function".into())
        );
        assert_eq!(what(":_Main_4_con_info", "4", "[]"), "(:)");
        assert_eq!(what("Bin_Main_0_con_info", "1", "Map"), "Bin");
        assert_eq!(what("A_Main_con_info", "1", "T"), "A_Main");
        assert_eq!(what("stg_ARR_WORDS_info", "", ""), "stg_ARR_WORDS");
        let name = |label| table("Bin_con_info", "1", "Map", label, "").frame().name;
        assert_eq!((name("bump"), name("")), ("Bin made by bump".into(), "Bin, in Main".into()));
    }
}
