//! What a verb says, as blocks: built once, and written for a terminal or as Markdown.

use std::fmt::Write as _;

use super::table::{WIDTH, cut, wrapped};
use super::{SourceLine, Table};
use crate::base::sentence::{Sentence, joined, name, say};
use crate::base::text::code;
use crate::base::units::UnitSystem;

/// What a verb says, from top to bottom.
#[derive(Debug, Default)]
pub struct Blocks(Vec<TextBlock>);

#[derive(Debug)]
enum TextBlock {
    /// What the blocks up to the next heading are about.
    Heading(Sentence),
    Paragraph(Sentence),
    /// Sentences about what is before them.
    List(Vec<Sentence>),
    /// A few words at the left, and a text beside them.
    SideBySide(Sentence, Sentence),
    Table(Table),
    /// A line of source at a place.
    Source(String, SourceLine),
    /// A command, which stays in one line.
    Command(String),
}

/// How wide the words of a terminal are that have something beside them.
const BESIDE: usize = 22;

impl Blocks {
    pub fn heading(&mut self, words: Sentence) {
        self.0.push(TextBlock::Heading(words));
    }

    pub fn paragraph(&mut self, words: impl Into<Sentence>) {
        self.0.push(TextBlock::Paragraph(words.into()));
    }

    /// Sentences about the block before; without any, nothing.
    pub fn list(&mut self, sentences: impl IntoIterator<Item = Sentence>) {
        let sentences: Vec<Sentence> = sentences.into_iter().collect();
        match self.0.last_mut() {
            _ if sentences.is_empty() => {}
            Some(TextBlock::List(before)) => before.extend(sentences),
            _ => self.0.push(TextBlock::List(sentences)),
        }
    }

    pub fn beside(&mut self, words: impl Into<Sentence>, text: Sentence) {
        self.0.push(TextBlock::SideBySide(words.into(), text));
    }

    pub fn table(&mut self, table: Table) {
        self.0.push(TextBlock::Table(table));
    }

    pub fn source(&mut self, place: &str, line: SourceLine) {
        self.0.push(TextBlock::Source(place.to_owned(), line));
    }

    pub fn command(&mut self, command: String) {
        self.0.push(TextBlock::Command(command));
    }

    /// For a terminal of 80 columns.
    pub fn text(&self, units: UnitSystem) -> String {
        let mut out = String::new();
        let mut before: Option<&TextBlock> = None;
        for block in &self.0 {
            let is_about = match block {
                TextBlock::List(_) | TextBlock::Source(..) | TextBlock::Command(_) => true,
                TextBlock::Heading(_)
                | TextBlock::Paragraph(_)
                | TextBlock::SideBySide(..)
                | TextBlock::Table(_) => false,
            };
            let goes_on = matches!(
                (before, block),
                (
                    Some(TextBlock::SideBySide(..) | TextBlock::Source(..)),
                    TextBlock::SideBySide(..)
                ) | (None | Some(TextBlock::Heading(_)), _)
            );
            out.push_str(if is_about || goes_on { "" } else { "\n" });
            match block {
                TextBlock::Heading(words) | TextBlock::Paragraph(words) => {
                    out.push_str(&wrapped("", 0, &words.text(units)));
                }
                TextBlock::List(sentences) => {
                    let item = |one: &Sentence| wrapped("  ", 4, &one.text(units));
                    out.extend(sentences.iter().map(item));
                }
                TextBlock::SideBySide(words, text) => {
                    let (words, text) = (words.text(units), text.text(units));
                    out.push_str(&match words.chars().count() <= BESIDE {
                        true => wrapped(&format!("{words:<BESIDE$} "), BESIDE + 1, &text),
                        false if text.is_empty() => wrapped("", BESIDE + 1, &words),
                        false => wrapped("", BESIDE + 1, &format!("{words}: {text}")),
                    });
                }
                TextBlock::Table(table) => out.push_str(&table.text(units)),
                TextBlock::Source(_, line) => {
                    for line in [Some(line.quoted()), line.marks()].into_iter().flatten() {
                        let _ = writeln!(out, "{}", cut(&line, WIDTH));
                    }
                }
                TextBlock::Command(command) => {
                    let _ = writeln!(out, "  {}", say![name(command)].text(units));
                }
            }
            before = Some(block);
        }
        out
    }

    /// For pull requests and the summaries of CI runs.
    pub fn markdown(&self, units: UnitSystem) -> String {
        let mut out = String::new();
        let mut was_item = false;
        for block in &self.0 {
            let is_item = match block {
                TextBlock::List(_) | TextBlock::Source(..) | TextBlock::SideBySide(..) => true,
                TextBlock::Heading(_)
                | TextBlock::Paragraph(_)
                | TextBlock::Table(_)
                | TextBlock::Command(_) => false,
            };
            let gap = if out.is_empty() || is_item && was_item { "" } else { "\n" };
            was_item = is_item;
            out.push_str(gap);
            let _ = match block {
                TextBlock::Heading(words) => writeln!(out, "### {}", words.markdown(units)),
                TextBlock::Paragraph(words) => writeln!(out, "{}", words.markdown(units)),
                TextBlock::List(sentences) => {
                    sentences.iter().try_for_each(|one| writeln!(out, "- {}", one.markdown(units)))
                }
                TextBlock::SideBySide(words, text) => {
                    let both = [words, text].into_iter().filter(|part| !part.is_empty());
                    writeln!(out, "- {}", joined(both.cloned(), ": ").markdown(units))
                }
                TextBlock::Table(table) => write!(out, "{}", table.markdown(units)),
                TextBlock::Source(place, line) => {
                    writeln!(out, "- {}: {}", name(place).markdown(units), code(&line.text))
                }
                TextBlock::Command(command) => writeln!(out, "{}", name(command).markdown(units)),
            };
        }
        out
    }
}
