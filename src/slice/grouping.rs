//! Decides which bands take part, and which are shown as one.

use std::fmt;
use std::str::FromStr;

use crate::base::pattern::Pattern;
use crate::profile::{Band, Breakdown, InfoTable};

/// A function from bands to groups. Bands of one group are one row, added up in every sample.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Grouping {
    /// [`Part::Retainers`] for retainer sets, whose numbers change at every census; every other
    /// band is a separate row.
    #[default]
    Auto,
    /// Every band is a separate row.
    None,
    /// Bands with the same part are one row; a band without such a part is a separate row.
    By(Part),
}

/// What bands can have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Part {
    /// The package of the innermost frame.
    Package,
    /// The module of the innermost frame.
    Module,
    /// The innermost cost centre of a stack.
    CostCentre,
    /// The type: for a band by type, the type itself; for an info table, the type of its binding.
    Type,
    /// The text of a retainer set, without its number. The table of sets is made again at every
    /// census, so a set has many numbers, and a number names several sets.
    Retainers,
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Part::Package => "package",
            Part::Module => "module",
            Part::CostCentre => "cost-centre",
            Part::Type => "type",
            Part::Retainers => "retainers",
        })
    }
}

/// The words with which a grouping is asked for; the default is `auto`.
impl fmt::Display for Grouping {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Grouping::Auto => f.write_str("auto"),
            Grouping::None => f.write_str("none"),
            Grouping::By(part) => write!(f, "{part}"),
        }
    }
}

impl FromStr for Grouping {
    type Err = String;

    fn from_str(word: &str) -> Result<Self, String> {
        Ok(match word {
            "none" => Grouping::None,
            "package" => Grouping::By(Part::Package),
            "module" => Grouping::By(Part::Module),
            "cost-centre" => Grouping::By(Part::CostCentre),
            "type" => Grouping::By(Part::Type),
            "retainers" => Grouping::By(Part::Retainers),
            rule if rule.contains("=>") || rule.starts_with('@') => {
                return Err("groups have no rules any more: --include 'REGEX' shows some bands \
                            alone, and `module` or `type` combines them"
                    .to_owned());
            }
            _ => {
                return Err(format!(
                    "`{word}` is not package, module, cost-centre, type, retainers or none"
                ));
            }
        })
    }
}

impl Grouping {
    /// What bands of a break-down have in common that are one row; `None` if every band is a separate row.
    pub(super) fn part(self, breakdown: Breakdown) -> Option<Part> {
        match self {
            Grouping::By(part) => Some(part),
            Grouping::Auto => breakdown.traits().is_renumbered.then_some(Part::Retainers),
            Grouping::None => None,
        }
    }
}

impl Part {
    /// The part of a band; `None` when it has none. `longest` is how many bytes of a name the run-time
    /// system writes (`-L`), and `table` what is known about the info table that the band stands for.
    pub(super) fn of(
        self,
        band: &Band<'_>,
        longest: usize,
        table: Option<&InfoTable>,
    ) -> Option<String> {
        let first = band.frames().next();
        let known = |text: &str| (!text.is_empty()).then(|| text.to_owned());
        match self {
            Part::Package => known(&first?.package.name),
            Part::Module => known(&first?.module),
            Part::CostCentre if band.kind == Breakdown::CostCentre => Some(match first {
                None => "MAIN".to_owned(),
                Some(frame) if frame.module.is_empty() => frame.name.clone(),
                Some(frame) => format!("{}.{}", frame.module, frame.name),
            }),
            Part::Retainers if band.kind == Breakdown::Retainer => {
                let label = band.label;
                let text = match (band.number, label.split_once(')')) {
                    (Some(_), Some((_, text))) => text,
                    _ => return None,
                };
                // The run-time system cuts it without a mark, and two sets can be equal up to
                // there.
                let mark = if label.len() >= longest { "…" } else { "" };
                Some(format!("{text}{mark}"))
            }
            Part::Type if band.kind == Breakdown::Type => known(&first?.name),
            Part::Type => known(&table?.ty),
            Part::CostCentre | Part::Retainers => None,
        }
    }
}

/// Chooses bands by label. The other bands are *left out*: they are neither in OTHER nor trace
/// elements, and the chosen bands are ranked as if they were all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "cli", derive(clap::Args))]
pub struct Selection {
    /// Show only bands whose name matches; can be given several times.
    #[cfg_attr(feature = "cli", arg(long, value_name = "REGEX"))]
    pub include: Vec<Pattern>,
    /// Leave out bands whose name matches; can be given several times.
    #[cfg_attr(feature = "cli", arg(long, value_name = "REGEX", hide_short_help = true))]
    pub exclude: Vec<Pattern>,
}

impl Selection {
    /// Whether a band with this label is chosen.
    pub(crate) fn takes(&self, label: &str) -> bool {
        let any = |patterns: &[Pattern]| patterns.iter().any(|pattern| pattern.matches(label));
        (self.include.is_empty() || any(&self.include)) && !any(&self.exclude)
    }
}
