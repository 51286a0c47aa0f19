//! Messages on standard error, the same from every verb: `note:`, `warning:` or `error:`, one fact
//! each in plain words, followed by a hint, if there is one. They have the colours of clap's
//! messages.

use std::fmt::{self, Display, Formatter};
use std::io::Write;

use crate::base::text::{visible, without_commands};
use crate::profile_view::Severity;
use anstyle::{AnsiColor, Style};
use clap::ColorChoice;
use clap::builder::Styles;

use super::Input;

/// How much the command reports of what it did.
#[derive(Clone, Copy, Debug, Default, clap::Args)]
#[command(next_help_heading = "Messages")]
pub struct Voice {
    /// Print errors only
    #[arg(short, long)]
    pub quiet: bool,
}

/// The colours of the word that a message begins with.
fn style(kind: Severity) -> Style {
    match kind {
        Severity::Note => AnsiColor::Cyan.on_default().bold(),
        Severity::Warning => AnsiColor::Yellow.on_default().bold(),
        Severity::Error => *Styles::styled().get_error(),
    }
}

/// One fact for the person at the terminal.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use = "a message is for somebody: say it"]
pub struct Message {
    kind: Severity,
    subject: Option<String>,
    text: String,
    hint: Option<String>,
}

impl Message {
    pub fn new(kind: Severity, text: impl Display) -> Self {
        Message { kind, subject: None, text: text.to_string(), hint: None }
    }

    pub fn note(text: impl Display) -> Self {
        Self::new(Severity::Note, text)
    }

    /// Something odd that did not prevent a result.
    pub fn warning(text: impl Display) -> Self {
        Self::new(Severity::Warning, text)
    }

    pub fn error(text: impl Display) -> Self {
        Self::new(Severity::Error, text)
    }

    /// Whether it is only good to know.
    pub fn is_note(&self) -> bool {
        self.kind == Severity::Note
    }

    /// Names the input that the fact is about.
    pub fn about(mut self, input: &Input) -> Self {
        self.subject = Some(input.name());
        self
    }

    /// Adds what the user can do about it.
    pub fn hint(self, hint: impl Display) -> Self {
        self.hint_if(Some(hint))
    }

    /// Adds what the user can do about it, if there is anything; otherwise the hint that is known stays.
    pub fn hint_if(mut self, hint: Option<impl Display>) -> Self {
        self.hint = hint.map(|hint| hint.to_string()).or(self.hint);
        self
    }

    /// What a message says, and what the user can do about it.
    pub fn parts(&self) -> (&str, Option<&str>) {
        (&self.text, self.hint.as_deref())
    }

    /// Prints it to standard error. If standard error is closed, nothing happens.
    pub fn say(&self) {
        print(self);
    }
}

impl Display for Message {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let style = style(self.kind);
        write!(f, "{style}{}:{style:#} ", self.kind.word())?;
        if let Some(subject) = &self.subject {
            write!(f, "{}: ", visible(subject))?;
        }
        write!(f, "{}", visible(&self.text))?;
        if let Some(hint) = &self.hint {
            let style = *Styles::styled().get_valid();
            write!(f, "\n  {style}hint:{style:#} {}", visible(hint))?;
        }
        Ok(())
    }
}

impl Voice {
    /// Prints a message, or only errors when nothing else is wanted.
    pub fn say(self, message: &Message) {
        if !self.quiet || message.kind == Severity::Error {
            message.say();
        }
    }

    /// Prints a line that says what was done, unless only errors are wanted.
    pub fn summarise(self, line: &str) {
        if !self.quiet {
            print(visible(line));
        }
    }
}

pub fn colour(choice: ColorChoice) {
    let choice = match choice {
        ColorChoice::Auto => anstream::ColorChoice::Auto,
        ColorChoice::Always => anstream::ColorChoice::Always,
        ColorChoice::Never => anstream::ColorChoice::Never,
    };
    choice.write_global();
}

/// Prints to standard error: there is no other way to it for a text that may contain names.
pub fn print(line: impl Display) {
    let _ = writeln!(anstream::stderr(), "{}", without_commands(&line.to_string()));
}
