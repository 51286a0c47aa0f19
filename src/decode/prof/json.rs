//! The report as JSON (`-pj`).
//!
//! Source: `docs/format/prof.md#json`. GHC 9.0 escapes neither quotes nor control characters in names.
//! Control characters are accepted as they are; if a bare quote ends a name too early, nothing is certain any
//! more, and the report is refused. The tree can be as deep as a program has cost centres, so it is read
//! without recursion.

use crate::incident::error::Error;
use crate::profile::{CallCounts, CallId, CostCentre, Exactness, ProfileBuilder, PseudoStacks};

/// Reads the report whose `{` is at byte `at` of the text, in line `line`.
///
/// # Errors
/// [`Error::ReportJson`] where it is not JSON, or not that of a report; [`Error::OverLimit`].
pub fn read(text: &str, at: usize, line: usize, profile: &mut ProfileBuilder) -> Result<(), Error> {
    let mut json = Json { text, at, begun: (at, line) };
    let mut run = Run::default();
    json.expect('{')?;
    let mut has_tree = false;
    while let Some(key) = json.next_key()? {
        match key.as_str() {
            "program" => run.program = json.string()?,
            "arguments" => run.arguments = json.strings()?,
            "rts_arguments" => run.flags = json.strings()?,
            "end_time" => run.date = Some(json.string()?),
            "initial_capabilities" => run.capabilities = json.number()?,
            "total_ticks" => run.ticks = json.number()?,
            "tick_interval" => run.tick_us = json.number()?,
            "total_alloc" => run.alloc = json.number()?,
            "cost_centres" => cost_centres(&mut json, profile)?,
            "profile" => {
                tree(&mut json, profile)?;
                has_tree = true;
            }
            _ => json.skip()?,
        }
    }
    if !has_tree {
        return Err(json.error("expected the key `profile`"));
    }
    run.record(profile);
    let calls = &mut profile.calls;
    let exact = Exactness::Exact;
    (calls.entries, calls.time, calls.alloc) = (exact, exact, exact);
    calls.pseudo = PseudoStacks::Counted;
    Ok(())
}

/// The part above the tables.
#[derive(Default)]
struct Run {
    program: String,
    /// The first is the program as it was typed.
    arguments: Vec<String>,
    flags: Vec<String>,
    date: Option<String>,
    capabilities: u64,
    ticks: u64,
    tick_us: u64,
    alloc: u64,
}

impl Run {
    fn record(self, profile: &mut ProfileBuilder) {
        let mut words = vec![self.program, "+RTS".to_owned()];
        words.extend(self.flags);
        words.push("-RTS".to_owned());
        words.extend(self.arguments.into_iter().skip(1));
        profile.report_run(&words, self.date);
        // The non-threaded run-time system reports 0 capabilities.
        let capabilities = u32::try_from(self.capabilities).unwrap_or(u32::MAX).max(1);
        profile.report_totals(self.ticks, self.tick_us, capabilities, self.alloc);
    }
}

fn cost_centres(json: &mut Json<'_>, profile: &mut ProfileBuilder) -> Result<(), Error> {
    json.expect('[')?;
    while json.next_item()? {
        json.expect('{')?;
        let mut id = None;
        let mut centre = CostCentre::default();
        while let Some(key) = json.next_key()? {
            match key.as_str() {
                "id" => id = Some(json.id()?),
                "label" => centre.label = json.string()?.into(),
                "module" => centre.module = json.string()?.into(),
                "src_loc" => centre.location = json.string()?.into(),
                "is_caf" => centre.is_caf = json.flag()?,
                _ => json.skip()?,
            }
        }
        let id = id.ok_or_else(|| json.error("a cost centre without `id`"))?;
        profile.define_cost_centre(id, centre);
    }
    Ok(())
}

/// A node is `{"id", "entries", "alloc", "ticks", "children": [node …]}`, its children last.
fn tree(json: &mut Json<'_>, profile: &mut ProfileBuilder) -> Result<(), Error> {
    let mut open: Vec<CallId> = Vec::new();
    loop {
        json.expect('{')?;
        let mut centre = None;
        let mut counts = CallCounts::default();
        loop {
            let Some(key) = json.next_key()? else {
                return Err(json.error("a node without `children`"));
            };
            match key.as_str() {
                "id" => centre = Some(json.id()?),
                "entries" => counts.entries = json.number()?,
                "alloc" => counts.alloc = json.number()?,
                "ticks" => counts.ticks = json.number()?,
                "children" => break,
                _ => json.skip()?,
            }
        }
        let centre = centre.ok_or_else(|| json.error("a node without `id`"))?;
        open.push(profile.call(open.last().copied(), centre, counts)?);
        json.expect('[')?;
        // Go to the next node, and leave every node without further children.
        while !json.next_item()? {
            while json.next_key()?.is_some() {
                json.skip()?;
            }
            open.pop();
            if open.is_empty() {
                return Ok(());
            }
        }
    }
}

/// A reader of JSON that moves on value by value.
struct Json<'a> {
    text: &'a str,
    at: usize,
    /// Byte and line in which the JSON begins.
    begun: (usize, usize),
}

impl<'a> Json<'a> {
    fn error(&self, what: &str) -> Error {
        let (byte, line) = self.begun;
        let before = &self.text.as_bytes()[byte..self.at.min(self.text.len())];
        let line = line + before.iter().filter(|&&byte| byte == b'\n').count();
        Error::ReportJson { line: line as u64 + 1, what: what.to_owned() }
    }

    /// The next character that is not a blank, not yet taken.
    fn peek(&mut self) -> Option<char> {
        let rest = &self.text[self.at..];
        self.at = self.text.len() - rest.trim_start_matches([' ', '\n', '\r', '\t']).len();
        self.text[self.at..].chars().next()
    }

    fn expect(&mut self, wanted: char) -> Result<(), Error> {
        match self.peek() {
            Some(found) if found == wanted => {
                self.at += wanted.len_utf8();
                Ok(())
            }
            Some(found) => Err(self.error(&format!("expected `{wanted}`, found `{found}`"))),
            None => Err(self.error(&format!("expected `{wanted}`, and the file ends"))),
        }
    }

    /// Whether another item of the list follows; takes the comma before it or the bracket after it.
    fn next_item(&mut self) -> Result<bool, Error> {
        match self.peek() {
            Some(']') => {
                self.at += 1;
                Ok(false)
            }
            Some(',') => {
                self.at += 1;
                Ok(true)
            }
            // The first item.
            Some(_) => Ok(true),
            None => Err(self.error("the file ends inside a list")),
        }
    }

    /// The next key of the object; `None` at its end, which is taken.
    fn next_key(&mut self) -> Result<Option<String>, Error> {
        if self.peek() == Some('}') {
            self.at += 1;
            return Ok(None);
        }
        if self.peek() == Some(',') {
            self.at += 1;
        }
        let key = self.string()?;
        self.expect(':')?;
        Ok(Some(key))
    }

    fn string(&mut self) -> Result<String, Error> {
        self.expect('"')?;
        let rest = &self.text[self.at..];
        let mut escaped = false;
        let end = rest.bytes().position(|byte| match (escaped, byte) {
            (true, _) => {
                escaped = false;
                false
            }
            (false, b'\\') => {
                escaped = true;
                false
            }
            (false, byte) => byte == b'"',
        });
        let Some(end) = end else { return Err(self.error("the file ends inside a name")) };
        let inner = &rest[..end];
        self.at += end + 1;
        // A name must be followed by a separator; otherwise a quote inside it was not escaped.
        match self.peek() {
            Some(',' | ':' | '}' | ']') => {}
            _ => return Err(self.error("a name contains a quote that is not escaped")),
        }
        if !inner.contains('\\') {
            return Ok(inner.to_owned());
        }
        // Control characters are escaped as JSON requires, so that serde_json can read the name.
        let mut proper = String::with_capacity(inner.len() + 2);
        proper.push('"');
        for c in inner.chars() {
            match c {
                '\0'..='\u{1f}' => proper.push_str(&format!("\\u{:04x}", u32::from(c))),
                c => proper.push(c),
            }
        }
        proper.push('"');
        serde_json::from_str(&proper).map_err(|_| self.error("a name with an unknown escape"))
    }

    fn strings(&mut self) -> Result<Vec<String>, Error> {
        let mut all = Vec::new();
        self.expect('[')?;
        while self.next_item()? {
            all.push(self.string()?);
        }
        Ok(all)
    }

    /// A number, `true`, `false` or `null`, as it is.
    fn word(&mut self) -> &'a str {
        self.peek();
        let rest = &self.text[self.at..];
        let end = rest.find([',', '}', ']', ' ', '\n', '\r', '\t']).unwrap_or(rest.len());
        self.at += end;
        &rest[..end]
    }

    fn number(&mut self) -> Result<u64, Error> {
        let word = self.word();
        match word.parse() {
            Ok(number) => Ok(number),
            Err(_) => {
                let what = format!("expected a whole number, found `{word}`");
                Err(self.error(&what))
            }
        }
    }

    fn id(&mut self) -> Result<u32, Error> {
        let number = self.number()?;
        u32::try_from(number).map_err(|_| self.error("the id of a cost centre is too large"))
    }

    fn flag(&mut self) -> Result<bool, Error> {
        match self.word() {
            "true" => Ok(true),
            "false" => Ok(false),
            _ => Err(self.error("expected true or false")),
        }
    }

    /// Skips a value of any kind.
    fn skip(&mut self) -> Result<(), Error> {
        let mut depth = 0_usize;
        loop {
            match self.peek() {
                Some('"') => {
                    self.string()?;
                }
                Some('{' | '[') => {
                    self.at += 1;
                    depth += 1;
                    continue;
                }
                Some('}' | ']') => {
                    self.at += 1;
                    depth = depth.saturating_sub(1);
                }
                Some(',' | ':') if depth > 0 => {
                    self.at += 1;
                    continue;
                }
                Some(_) => {
                    if self.word().is_empty() {
                        return Err(self.error("expected a value"));
                    }
                }
                None => return Err(self.error("the file ends inside a value")),
            }
            if depth == 0 {
                return Ok(());
            }
        }
    }
}
