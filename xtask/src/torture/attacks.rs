//! Adds up what the attack suite tried and what held, as a table. Pure.

use super::bars::attack::ATTACKS;
use super::verdict::{BarResult, BarVerdict};

/// Returns a table with a row for each row of attacks whose group ran, and one for all of them; nothing if none did.
pub(crate) fn table(verdicts: &[BarVerdict]) -> Vec<String> {
    let mut rows: Vec<(u8, String)> = Vec::new();
    let mut sum = (0, 0);
    for group in ATTACKS {
        let Some(verdict) = verdicts.iter().find(|verdict| verdict.id == group.bar.id) else { continue };
        for (row, name) in group.rows {
            let (held, tried) = count(&verdict.figures, *row);
            sum = (sum.0 + held, sum.1 + tried);
            // A test that failed before it counted says nothing of how much it tried.
            let counts = if tried > 0 {
                [tried, held].map(|it| it.to_string())
            } else {
                ["?", "?"].map(str::to_owned)
            };
            let is_well = verdict.result == BarResult::Passed && tried > 0;
            let mark = if is_well { "" } else { unproven(verdict.result) };
            let line = format!("{row:>2} {name:<28}{:>7}{:>7}  {mark}", counts[0], counts[1]);
            rows.push((*row, line.trim_end().to_owned()));
        }
    }
    if rows.is_empty() {
        return Vec::new();
    }
    rows.sort_unstable();
    let head = format!("\n{:<31}{:>7}{:>7}", "attacks", "tried", "held");
    let all = format!("{:<31}{:>7}{:>7}", "all", sum.1, sum.0);
    std::iter::once(head).chain(rows.into_iter().map(|(_, line)| line)).chain([all]).collect()
}

/// The mark of a row that nothing proves: a group that passed without a figure for it has not tried it.
fn unproven(result: BarResult) -> &'static str {
    if result == BarResult::Passed { "not tried" } else { result.word() }
}

/// Adds up figures of a row like `row 2: 17 of 17 ways run nothing`: how many held, how many were tried.
fn count(figures: &str, row: u8) -> (usize, usize) {
    let start = format!("row {row}: ");
    let of_row = figures.split("; ").filter_map(|figure| read(figure.strip_prefix(&start)?));
    of_row.fold((0, 0), |sum, (held, tried)| (sum.0 + held, sum.1 + tried))
}

fn read(figure: &str) -> Option<(usize, usize)> {
    let mut words = figure.split(' ');
    let held = words.next()?.parse().ok()?;
    let tried = (words.next()? == "of").then(|| words.next()?.parse().ok())??;
    Some((held, tried))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_tried_is_added_up_by_row_and_a_failure_is_marked() {
        let verdict = |id, result, figures: &str| BarVerdict { id, result, figures: figures.to_owned() };
        let verdicts = [
            verdict("A02", BarResult::Passed, "row 2: 17 of 17 ways run nothing; row 2: 3 of 3 hooks"),
            verdict("S01", BarResult::Passed, "9 of 9 of another suite"),
            verdict("A03", BarResult::Failed, "a.rs:1:2 left is not right"),
            verdict("A04", BarResult::Failed, "row 4: 300 of 302 routes; a.rs:1:2 two are broken"),
        ];
        assert_eq!(
            table(&verdicts),
            [
                "\nattacks                          tried   held",
                " 2 programs that git runs           20     20",
                " 3 identity of a project             ?      ?  FAILED",
                " 4 laundered words                 302    300  FAILED",
                "all                                322    320",
            ]
        );
        assert_eq!(table(&verdicts[1..2]), [""; 0]);
    }
}
