//! The flag that combines bands.

use std::path::Path;
use std::str::FromStr;

use clap::Args;
use heapviz::slice::{GroupRule, Grouping, Part};

use crate::cli::given;

/// Which bands are combined.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Bands")]
pub struct GroupingArgs {
    /// Combine bands: by package, module, cost-centre, type or retainers, by a rule 'PATTERN => NAME',
    /// or by the rules in @FILE, one a line. Can be given several times: the first rule that matches
    /// applies, and bands that no rule matches are combined by the last other word. none keeps the bands of the file [default: retainers for -hr, else none]
    #[arg(long, value_name = "HOW")]
    group: Vec<GroupWord>,
}

/// One `--group`.
#[derive(Clone, Debug)]
enum GroupWord {
    None,
    By(Part),
    Rules(Vec<GroupRule>),
}

impl FromStr for GroupWord {
    type Err = String;

    fn from_str(word: &str) -> Result<Self, String> {
        Ok(match word {
            "none" => GroupWord::None,
            "package" => GroupWord::By(Part::Package),
            "module" => GroupWord::By(Part::Module),
            "cost-centre" => GroupWord::By(Part::CostCentre),
            "type" => GroupWord::By(Part::Type),
            "retainers" => GroupWord::By(Part::Retainers),
            rule => match rule.strip_prefix('@') {
                Some(path) => GroupWord::Rules(rules_in(Path::new(path))?),
                None if !rule.contains("=>") => {
                    return Err(format!(
                        "`{rule}` is not package, module, cost-centre, type, retainers or none, and not \
                         a rule `PATTERN => NAME`"
                    ));
                }
                None => GroupWord::Rules(vec![rule.parse().map_err(|e| format!("{e}"))?]),
            },
        })
    }
}

/// The rules of a file, one on each line; empty lines and lines that begin with `#` are skipped.
fn rules_in(path: &Path) -> Result<Vec<GroupRule>, String> {
    let name = path.display();
    let text = given::text(path).map_err(|error| format!("{name}: {error}"))?;
    let lines = text.lines().enumerate().filter(|(_, line)| {
        let line = line.trim();
        !line.is_empty() && !line.starts_with('#')
    });
    let rule = |(at, line): (usize, &str)| {
        line.parse().map_err(|error| format!("{name}, line {}: {error}", at + 1))
    };
    lines.map(rule).collect()
}

impl GroupingArgs {
    /// The grouping: all rules in their order, then the last word that is not a rule.
    pub fn grouping(&self) -> Grouping {
        let mut rules = Vec::new();
        let mut grouping = Grouping::default();
        for word in &self.group {
            match word {
                GroupWord::None => grouping = Grouping::None,
                GroupWord::By(part) => grouping = Grouping::By(*part),
                GroupWord::Rules(more) => rules.extend(more.iter().cloned()),
            }
        }
        match rules.is_empty() {
            true => grouping,
            false => Grouping::Rules(rules, Box::new(grouping)),
        }
    }
}
