//! Info tables: where in the source a closure's code comes from (`-finfo-table-map`).
//!
//! A big program defines hundreds of thousands of them before its first sample and mentions a few
//! thousand. So they are kept as raw bytes in one buffer while a log is read, and only those that a
//! band names become values.

use foldhash::HashMap;
use foldhash::fast::RandomState;
use indexmap::IndexMap;
use indexmap::map::Entry;

use super::frame::{Frame, Package};
use super::limits::cut_text;

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
    /// Its six texts in the order of the event: name, closure kind, type, label, module, location.
    pub fn fields(&self) -> [&str; 6] {
        let InfoTable { name, closure_kind, ty, label, module, location } = self;
        [name, closure_kind, ty, label, module, location]
    }

    /// The same as a frame. If the binding's name is not known, the name of the table is used.
    pub(super) fn frame(&self) -> Frame {
        let name = if self.label.is_empty() { &self.name } else { &self.label };
        let place = if self.location == ":" { "" } else { &self.location };
        Frame {
            name: name.clone(),
            unique: String::new(),
            module: self.module.clone(),
            package: Package::default(),
            place: place.to_owned(),
        }
    }

    /// The text to show for a band: `label (module, location)` as far as known; `None` if the table
    /// has nothing but its address. At most `enough` bytes of each part are used.
    pub fn text(&self, enough: usize) -> Option<String> {
        let label = if self.label.is_empty() { &self.name } else { &self.label };
        let label = cut_text(label, enough);
        // GHC 9.6 and newer join file and span by a colon, also when both are unknown.
        let location = if self.location == ":" { "" } else { cut_text(&self.location, enough) };
        let place = match (cut_text(&self.module, enough), location) {
            ("", "") => String::new(),
            (one, "") | ("", one) => one.to_owned(),
            (module, location) => format!("{module}, {location}"),
        };
        match (label, place.as_str()) {
            ("", "") => None,
            (label, "") => Some(label.to_owned()),
            ("", place) => Some(format!("({place})")),
            (label, place) => Some(format!("{label} ({place})")),
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
    by_address: IndexMap<u64, InfoTable, RandomState>,
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

    /// Every table with its address, in order of their first band.
    #[cfg(any(test, feature = "internals"))]
    pub fn iter(&self) -> impl Iterator<Item = (u64, &InfoTable)> {
        self.by_address.iter().map(|(&address, table)| (address, table))
    }

    #[cfg(any(test, feature = "internals"))]
    pub fn len(&self) -> usize {
        self.by_address.len()
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

    #[test]
    fn text_shows_what_is_known() {
        let table = |label: &str, module: &str, location: &str| InfoTable {
            name: "sat_info".into(),
            label: label.into(),
            module: module.into(),
            location: location.into(),
            ..InfoTable::default()
        };
        assert_eq!(table("go", "Main", "a.hs:1:2").text(99).unwrap(), "go (Main, a.hs:1:2)");
        assert_eq!(table("", "Main", ":").text(99).unwrap(), "sat_info (Main)");
        assert_eq!(table("go", "", "").text(99).unwrap(), "go");
        assert_eq!(table("going", "Main", "a.hs:1:2").text(2).unwrap(), "go (Ma, a.)");
        assert_eq!(InfoTable::default().text(99), None);
    }

    #[test]
    fn the_store_returns_what_was_stored() {
        let mut store = InfoTableStore::default();
        store.define(1, [b"n", b"21", b"T", b"", b"M", b"f:1"]);
        store.define(2, [b"", b"", b"", b"", b"", b""]);
        store.define(1, [b"n2", b"21", b"T", b"l", b"M", b"f:2"]);
        let table = store.get(1).unwrap();
        assert_eq!((table.name.as_str(), table.location.as_str()), ("n2", "f:2"));
        assert_eq!(store.get(2), Some(InfoTable::default()));
        assert_eq!(store.get(3), None);
    }
}
