//! The flag that makes several bands one.

use std::path::Path;
use std::{fs, str::FromStr};

use clap::Args;
use heapviz::slice::{GroupRule, Grouping, Part};

/// Which bands are one.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Bands")]
pub struct GroupingArgs {
    /// Add bands up: package, module, cost-centre, type, retainers, none, a rule 'PATTERN => NAME', or
    /// @FILE with a rule a line. Rules can be given several times; the first that matches counts
    /// [default: retainers for -hr, else none]
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
                        "`{rule}` is none of package, module, cost-centre, type, retainers, none, and \
                         no rule `PATTERN => NAME`"
                    ));
                }
                None => GroupWord::Rules(vec![rule.parse().map_err(|e| format!("{e}"))?]),
            },
        })
    }
}

/// The rules of a file, one a line; empty lines and those that begin with `#` are passed over.
fn rules_in(path: &Path) -> Result<Vec<GroupRule>, String> {
    let name = path.display();
    let text = fs::read_to_string(path).map_err(|error| format!("{name}: {error}"))?;
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
    /// The grouping: a word that is no rule, the last of them, or all rules in their order.
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
        if rules.is_empty() { grouping } else { Grouping::Rules(rules) }
    }
}
