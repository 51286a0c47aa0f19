//! The results of budgets as text: for a terminal and for the summary of a CI run.

use std::fmt::Write;

use heapviz::analysis::Leak;
use heapviz::analysis::budget::{Budget, BudgetState, Outcome};
use heapviz::error::visible;
use heapviz::units::UnitSystem;

use super::checked::Checked;
use crate::cli::table::{Side, Table, code};

/// For a terminal.
pub fn plain(checked: &[Checked<'_>], budgets: &[Budget], units: UnitSystem) -> String {
    let mut out = String::new();
    for one in checked {
        let verdict = &one.analysis.verdict;
        let _ =
            writeln!(out, "{}: {}", visible(&one.input.shown(one.slice.privacy())), heading(one));
        out.push_str(&table(one, budgets, units).text());
        let _ = writeln!(out, "  {}: {}", verdict.leak.words(), verdict.fact(units));
        if let Some(line) = verdict.line(units) {
            let _ = writeln!(out, "  {}", visible(&line));
        }
    }
    out
}

fn heading(one: &Checked<'_>) -> String {
    let exceeded = one.outcomes.iter().filter(|o| o.state == BudgetState::Exceeded).count();
    match one.outcomes.len() {
        1 if exceeded == 1 => "the budget is exceeded".to_owned(),
        1 => "within the budget".to_owned(),
        all if exceeded == 0 => format!("within all {all} budgets"),
        all => format!("{exceeded} of {all} budgets exceeded"),
    }
}

fn table(one: &Checked<'_>, budgets: &[Budget], units: UnitSystem) -> Table {
    let mut table = Table::new(&[
        ("fail if", Side::Left),
        ("limit", Side::Right),
        ("measured", Side::Right),
        ("", Side::Left),
    ]);
    let clock = one.analysis.verdict.clock;
    for (budget, outcome) in budgets.iter().zip(&one.outcomes) {
        let unit = budget.subject().metric.unit();
        let text =
            |value: Option<f64>| value.map_or("?".to_owned(), |v| unit.text(v, clock, units));
        table.row(vec![
            budget.text().to_owned(),
            text(outcome.limit),
            text(outcome.measured),
            state(outcome, budget),
        ]);
    }
    table
}

fn state(outcome: &Outcome, budget: &Budget) -> String {
    let word = match outcome.state {
        BudgetState::Ok => "ok",
        BudgetState::Exceeded => "exceeded",
        BudgetState::Unknown => "cannot tell",
    };
    let (Some(measured), Some(limit), Some(factor)) =
        (outcome.measured, outcome.limit, budget.over_baseline())
    else {
        return word.to_owned();
    };
    let was = limit / factor;
    match was > 0.0 && factor > 0.0 {
        true => format!("{word} ({:+.0} % over baseline)", 100.0 * (measured / was - 1.0)),
        false => word.to_owned(),
    }
}

/// For the summary of a CI run: no HTML, the answer first.
pub fn markdown(checked: &[Checked<'_>], budgets: &[Budget], units: UnitSystem) -> String {
    let mut out = String::new();
    for (i, one) in checked.iter().enumerate() {
        let verdict = &one.analysis.verdict;
        out.push_str(if i > 0 { "\n" } else { "" });
        let _ = writeln!(
            out,
            "### {}: {}\n",
            code(&visible(&one.input.shown(one.slice.privacy()))),
            heading(one)
        );
        out.push_str(&table(one, budgets, units).markdown());
        let _ = writeln!(out, "\n{}: {}.", verdict.leak.words(), verdict.fact(units));
        const MOST: usize = 10;
        for suspect in verdict.suspects.iter().take(MOST) {
            let _ = writeln!(
                out,
                "- {} grew by {} since {}, {:.0} % of the growth",
                code(&visible(&suspect.label)),
                units.text(u128::from(suspect.grew)),
                suspect.since_text(),
                suspect.share_percent
            );
        }
        if verdict.leak >= Leak::Possible {
            out.push_str("\nIntended growth looks the same.\n");
        }
        let _ = write!(out, "\n{}", curve(one));
    }
    out
}

/// The heap over the run as a Mermaid chart, which code hosts draw: the highest sample of each
/// stretch, so that the peak is kept.
fn curve(one: &Checked<'_>) -> String {
    const MOST: usize = 40;
    let total = &one.analysis.figures.total;
    let n = total.len();
    let points = MOST.min(n);
    let highest = |i: usize| {
        let stretch = &total[i * n / points..((i + 1) * n / points).max(i * n / points + 1)];
        stretch.iter().copied().max().unwrap_or(0)
    };
    let values = (0..points).map(|i| format!("{:.3}", highest(i) as f64 / f64::from(1 << 20)));
    format!(
        "```mermaid\nxychart-beta\n  title \"heap in MiB\"\n  x-axis \"run\" 0 --> 100\n  y-axis \
         \"MiB\"\n  line [{}]\n```\n",
        values.collect::<Vec<_>>().join(", ")
    )
}
