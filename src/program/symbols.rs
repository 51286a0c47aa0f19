//! The symbols of a program, which say what an address in its profile is.
//!
//! A profile by info tables (`-hi`) names closures by addresses, and its log describes only tables of modules that
//! were compiled with `-finfo-table-map`: not those of the run-time system and of most libraries. The names of
//! these are in the symbol table of the program's own file. Only ELF files of 64 bits are read, as they are on
//! Linux and the BSDs; a file of another form, or without symbols, explains nothing.

use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

use crate::profile::InfoTable;

/// The most bytes of a table in the file.
const MOST_BYTES: u64 = 1 << 28;

/// The info tables at some addresses, as far as the file of a program names them.
pub fn info_tables(program: &Path, addresses: &HashSet<u64>) -> HashMap<u64, InfoTable> {
    read(program, addresses).unwrap_or_default()
}

/// Source: `man 5 elf`.
fn read(program: &Path, addresses: &HashSet<u64>) -> Option<HashMap<u64, InfoTable>> {
    // The header of a section, and of a symbol.
    const SECTION: usize = 64;
    const SYMBOL: usize = 24;
    const SYMBOLS: u64 = 2;
    let mut file = File::open(program).ok()?;
    let header = bytes(&mut file, 0, 64)?;
    // A position-independent program is loaded anywhere.
    let is_fixed = number(&header, 16, 2)? == 2;
    if !header.starts_with(b"\x7fELF\x02\x01") || !is_fixed {
        return None;
    }
    let sections = number(&header, 60, 2)?;
    let sections = bytes(&mut file, number(&header, 40, 8)?, sections * SECTION as u64)?;
    let section = |index: usize| sections.chunks_exact(SECTION).nth(index);
    let symbols = sections.chunks_exact(SECTION).find(|one| number(one, 4, 4) == Some(SYMBOLS))?;
    let names = section(usize::try_from(number(symbols, 40, 4)?).ok()?)?;
    let mut contents = |section: &[u8]| {
        let (start, length) = (number(section, 24, 8)?, number(section, 32, 8)?);
        bytes(&mut file, start, length)
    };
    let (symbols, names) = (contents(symbols)?, contents(names)?);
    let mut found = HashMap::new();
    for symbol in symbols.chunks_exact(SYMBOL) {
        // The symbol of a table is the address of the code after it; a census counts tables by their start.
        const TABLE: u64 = 16;
        let (Some(name), Some(value)) = (number(symbol, 0, 4), number(symbol, 8, 8)) else {
            continue;
        };
        let mut places = [Some(value), value.checked_sub(TABLE)].into_iter().flatten();
        let Some(address) = places.rfind(|place| addresses.contains(place)) else {
            continue;
        };
        let name = names.get(usize::try_from(name).unwrap_or(usize::MAX)..).unwrap_or_default();
        let name = name.split(|&byte| byte == 0).next().unwrap_or_default();
        if let Some(table) = std::str::from_utf8(name).ok().and_then(table_of) {
            found.entry(address).or_insert(table);
        }
    }
    Some(found)
}

fn bytes(file: &mut File, start: u64, length: u64) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    file.seek(SeekFrom::Start(start)).ok()?;
    file.take(length.min(MOST_BYTES)).read_to_end(&mut bytes).ok()?;
    (bytes.len() as u64 == length).then_some(bytes)
}

fn number(bytes: &[u8], at: usize, length: usize) -> Option<u64> {
    let bytes = bytes.get(at..at + length)?;
    Some(bytes.iter().rev().fold(0, |number, &byte| number << 8 | u64::from(byte)))
}

/// The info table that a symbol names: `containers_DataziMap_Bin_con_info`, `stg_ARR_WORDS_info`.
fn table_of(symbol: &str) -> Option<InfoTable> {
    let name = symbol.strip_suffix("_info")?;
    let mut table = InfoTable::default();
    if let Some(name) = name.strip_prefix("stg_") {
        table.name = name.to_owned();
        return Some(table);
    }
    let parts: Vec<String> = name.split('_').map(decoded).collect();
    // The main package has no name.
    let module = parts.iter().take(2).position(|part| part.starts_with(char::is_uppercase))?;
    table.module = parts[module].clone();
    table.name = parts.get(module + 1..)?.join("_") + "_info";
    Some(table)
}

/// A name without GHC's encoding for assemblers.
///
/// Source: GHC's `GHC.Utils.Encoding`.
fn decoded(text: &str) -> String {
    /// Each code with what it stands for: those of tuples have three letters, all others two.
    const CODES: &str = "ZL( ZR) ZM[ ZN] ZC: ZZZ zzz za& zb| zc^ zd$ ze= zg> zh# zi. zl< zm- zn! zp+ \
                         zq' zr\\ zs/ zt* zu_ zv% Z0T() Z2T(,) Z3T(,,) Z4T(,,,)";
    let parts = |word: &'static str| word.split_at(2 + usize::from(word[2..].starts_with('T')));
    let (mut out, mut rest) = (String::new(), text);
    while let Some(first) = rest.chars().next() {
        let mut codes = CODES.split(' ').map(parts);
        let code = codes.find(|(code, _)| rest.starts_with(code));
        let (code, meaning) = code.unwrap_or_else(|| {
            let letter = &rest[..first.len_utf8()];
            (letter, letter)
        });
        out.push_str(meaning);
        rest = &rest[code.len()..];
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_symbol_names_the_module_and_the_constructor() {
        let text = |symbol| table_of(symbol).and_then(|table| table.text(99));
        let text = |symbol| text(symbol).unwrap_or_default();
        assert_eq!(text("stg_ARR_WORDS_info"), "ARR_WORDS");
        assert_eq!(
            text("containerszm0zi6_DataziMapziInternal_Bin_con_info"),
            "Bin (Data.Map.Internal)"
        );
        assert_eq!(text("ghczmprim_GHCziTypes_ZC_con_info"), "(:) (GHC.Types)");
        assert_eq!(text("Main_zdwgo_info"), "$wgo (Main)");
        assert_eq!(text("base_GHCziBase_zpzp_info"), "++ (GHC.Base)");
        assert_eq!((text("main"), text("sat_s1_info"), text("Main_closure")), Default::default());
    }

    /// An ELF file with two symbols.
    fn elf(kind: u8) -> Vec<u8> {
        let names = b"\0stg_ARR_WORDS_info\0Main_Box_con_info\0";
        let mut file = vec![0; 64];
        file[..6].copy_from_slice(b"\x7fELF\x02\x01");
        file[16] = kind;
        file[40] = 64;
        file[60] = 2;
        let places = [64 + 128, 64 + 128 + 48];
        // The section of symbols names that of their names.
        for (kind, start, length, link) in [(2, places[0], 48, 1), (3, places[1], names.len(), 0)] {
            let mut section = vec![0; 64];
            (section[4], section[24], section[32], section[40]) = (kind, start, length as u8, link);
            file.extend(section);
        }
        for (name, value) in [(1_u8, 0x50_u8), (20, 0x70)] {
            let mut symbol = vec![0; 24];
            (symbol[0], symbol[8]) = (name, value);
            file.extend(symbol);
        }
        file.extend(names);
        file
    }

    #[test]
    fn addresses_of_tables_are_found_in_a_file_and_no_file_is_trusted() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("prog");
        let found = |file: &[u8]| {
            std::fs::write(&path, file).unwrap();
            let found = info_tables(&path, &HashSet::from([0x40, 0x70, 0x90]));
            let text = |address| found.get(&address).and_then(|table: &InfoTable| table.text(99));
            (text(0x40), text(0x70), text(0x90))
        };
        let both = (Some("ARR_WORDS".to_owned()), Some("Box (Main)".to_owned()), None);
        assert_eq!(found(&elf(2)), both);
        assert_eq!(found(&elf(3)), (None, None, None), "position-independent");
        let file = elf(2);
        for end in 0..file.len() - 1 {
            assert_eq!(found(&file[..end]), (None, None, None), "cut at {end}");
        }
        for at in 0..file.len() {
            let mut odd = file.clone();
            odd[at] = 0xff;
            found(&odd);
        }
    }
}
