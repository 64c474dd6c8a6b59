//! Adds up what the attack suite tried and what held, as a table. Pure.

use super::bars::attack::ATTACKS;
use super::verdict::{BarResult, BarVerdict};

/// Returns a table with a row for each group that ran, and one for all of them; nothing if none did.
pub(crate) fn table(verdicts: &[BarVerdict]) -> Vec<String> {
    let mut rows = Vec::new();
    let mut sum = (0, 0);
    for group in ATTACKS {
        let Some(verdict) = verdicts.iter().find(|verdict| verdict.id == group.bar.id) else { continue };
        let (tried, held) = count(&verdict.figures);
        sum = (sum.0 + tried, sum.1 + held);
        let mark = if verdict.result == BarResult::Passed { "" } else { verdict.result.word() };
        rows.push(format!("{:<12}{tried:>7}{held:>7}  {mark}", group.name).trim_end().to_owned());
    }
    if rows.is_empty() {
        return rows;
    }
    rows.insert(0, format!("\n{:<12}{:>7}{:>7}", "attacks", "tried", "held"));
    rows.push(format!("{:<12}{:>7}{:>7}", "all", sum.0, sum.1));
    rows
}

/// Adds up figures like `17 of 17 ways run nothing`: how many were tried, how many held.
fn count(figures: &str) -> (usize, usize) {
    figures.split("; ").filter_map(read).fold((0, 0), |sum, (tried, held)| (sum.0 + tried, sum.1 + held))
}

fn read(figure: &str) -> Option<(usize, usize)> {
    let mut words = figure.split(' ');
    let held = words.next()?.parse().ok()?;
    let tried = (words.next()? == "of").then(|| words.next()?.parse().ok())??;
    Some((tried, held))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_tried_is_added_up_and_a_failure_is_marked() {
        let verdict = |id, result, figures: &str| BarVerdict { id, result, figures: figures.to_owned() };
        let verdicts = [
            verdict("A02", BarResult::Passed, "17 of 17 ways run nothing; 2 of 3 hooks"),
            verdict("S01", BarResult::Passed, "9 of 9 of another suite"),
            verdict("A03", BarResult::Failed, "a.rs:1:2 left is not right"),
        ];
        let rows = table(&verdicts);
        assert_eq!(
            rows,
            [
                "\nattacks       tried   held",
                "git              20     19",
                "identity          0      0  FAILED",
                "all              20     19",
            ]
        );
        assert_eq!(table(&verdicts[1..2]), [""; 0]);
    }
}
