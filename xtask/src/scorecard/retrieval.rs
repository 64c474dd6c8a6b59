//! Retrieval: runs `eval` on each set, the engine and plain BM25 side by side.

use super::page::{ScorecardPage, not_run, verdict};
use super::sets::{EvalSets, RETRIEVAL};
use crate::TaskResult;
use crate::fit::set_bars::lacking;
use serde_json::{Map, Value};

const FIGURES: [&str; 6] = ["any@1", "any@5", "any@10", "share@5", "share@10", "mrr"];
const HEADS: [&str; 9] = ["set", "category", "n", "any@1", "any@5", "any@10", "share@5", "share@10", "MRR"];
/// Smaller categories are too small to report; they count in the whole.
const FEWEST: u64 = 5;

/// The report of `eval` on a set; `None` where the set is absent.
pub(crate) type SetReport = (&'static str, Option<Value>);

/// Measures every set, and returns the reports of `eval`.
pub(crate) fn measure(sets: &EvalSets, page: &mut ScorecardPage) -> TaskResult<Vec<SetReport>> {
    page.section(
        "Retrieval",
        "A cell is the engine's figure, then that of BM25 alone over the same index. `any@k`: a right document is among the first k; `share@k`: the share of the right \
         ones that is; MRR: one over the rank of the first, in percent. Categories of fewer than five questions count in the whole only.",
    );
    let reports =
        RETRIEVAL.iter().map(|set| Ok((*set, report(sets, set, page)?))).collect::<TaskResult<Vec<_>>>()?;
    let rows: Vec<_> = reports.iter().flat_map(|(set, report)| rows(set, report.as_ref())).collect();
    page.table(&HEADS, &rows);
    page.section(
        "Reliability",
        "The score of a first hit is a probability. A cell is the mean score in percent, how many of a hundred such hits are right, and of how many queries.",
    );
    let heads = ["set", "below 5", "10", "20", "30", "45", "60", "80", "100"];
    let rows: Vec<_> = reports.iter().map(|(set, report)| reliability_row(set, report.as_ref())).collect();
    page.table(&heads, &rows);
    page.section(
        "Bars of retrieval",
        "No figure below that of BM25; the first hit right five times more in a hundred on LoCoMo, LongMemEval and BEAM, and nine times in ten in small stores.",
    );
    let rows: Vec<_> = reports.iter().map(|(set, report)| verdict_row(set, report.as_ref())).collect();
    page.table(&["set", "holds", "lacks"], &rows);
    Ok(reports)
}

fn report(sets: &EvalSets, set: &str, page: &ScorecardPage) -> TaskResult<Option<Value>> {
    let Some(converted) = sets.converted(set)? else { return Ok(None) };
    let world = sets.world();
    let path = world.scratch("set.json");
    converted.write(&path)?;
    let path = path.to_string_lossy().into_owned();
    let lines =
        page.per_query_file(&format!("retrieval-{set}"))?.map(|file| file.to_string_lossy().into_owned());
    let mut arguments = vec!["eval", &path, "--json"];
    arguments.extend(lines.iter().flat_map(|lines| ["--per-query", lines]));
    world.json(&arguments).map(Some)
}

fn rows(set: &str, report: Option<&Value>) -> Vec<Vec<String>> {
    let Some(report) = report else { return vec![not_run(set, HEADS.len())] };
    let baseline = report.get("baseline").unwrap_or(&Value::Null);
    let empty = Map::new();
    let categories = report.get("categories").and_then(Value::as_object).unwrap_or(&empty);
    let large = categories.iter().filter(|(_, figures)| count(figures) >= FEWEST && categories.len() > 1);
    let whole = row(set, "all", report.get("overall"), baseline.get("overall"));
    let parts = large.map(|(name, figures)| {
        row(set, name, Some(figures), baseline.pointer(&format!("/categories/{name}")))
    });
    std::iter::once(whole).chain(parts).collect()
}

fn reliability_row(set: &str, report: Option<&Value>) -> Vec<String> {
    const ENDS: [f64; 8] = [0.05, 0.1, 0.2, 0.3, 0.45, 0.6, 0.8, 1.0];
    let Some(bins) = report.and_then(|report| report.get("reliability")?.as_array()) else {
        return not_run(set, ENDS.len() + 1);
    };
    let figure = |bin: &Value, name: &str| bin.get(name).and_then(Value::as_f64).unwrap_or_default();
    let cells = ENDS.map(|end| {
        let bin = bins.iter().find(|bin| (figure(bin, "to") - end).abs() < 1e-9);
        bin.map_or_else(
            || "–".to_owned(),
            |bin| {
                let (said, right) = (100.0 * figure(bin, "said"), 100.0 * figure(bin, "right"));
                format!("{said:.0} {right:.0} of {}", figure(bin, "queries"))
            },
        )
    });
    std::iter::once(set.to_owned()).chain(cells).collect()
}

fn verdict_row(set: &str, report: Option<&Value>) -> Vec<String> {
    let figures = |at: &str| report.and_then(|report| means(report.pointer(at)?));
    let Some((engine, bm25)) = figures("/overall").zip(figures("/baseline/overall")) else {
        return not_run(set, 3);
    };
    let lacking = lacking(set, engine, bm25);
    vec![set.to_owned(), verdict(lacking.is_empty()), lacking.join("; ")]
}

/// Returns the figures of a report in percent, in the order of the bars.
fn means(figures: &Value) -> Option<[f64; 6]> {
    let mut means = [0.0; 6];
    for (mean, name) in means.iter_mut().zip(FIGURES) {
        *mean = 100.0 * figures.get(name)?.as_f64()?;
    }
    Some(means)
}

fn count(figures: &Value) -> u64 {
    figures.get("queries").and_then(Value::as_u64).unwrap_or_default()
}

fn row(set: &str, category: &str, engine: Option<&Value>, baseline: Option<&Value>) -> Vec<String> {
    let n = engine.map(count).unwrap_or_default().to_string();
    let figures = FIGURES.map(|figure| format!("{} ({})", cell(engine, figure), cell(baseline, figure)));
    [set.to_owned(), category.to_owned(), n].into_iter().chain(figures).collect()
}

fn cell(figures: Option<&Value>, name: &str) -> String {
    let figure = figures.and_then(|figures| figures.get(name)).and_then(Value::as_f64);
    figure.map_or_else(|| "–".to_owned(), |figure| format!("{:.1}", 100.0 * figure))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn figures(queries: u64, any1: f64) -> Value {
        json!({"queries": queries, "any@1": any1, "any@5": 1.0, "any@10": 1.0, "share@5": 1.0, "share@10": 1.0, "mrr": 1.0})
    }

    #[test]
    fn small_categories_count_in_the_whole_only() {
        let report = json!({
            "overall": figures(9, 0.5),
            "categories": {"large": figures(6, 0.75), "small": figures(3, 0.0)},
            "baseline": {"overall": figures(9, 0.25), "categories": {"large": figures(6, 0.5)}},
        });
        let rows = rows("a set", Some(&report));
        let begun: Vec<_> = rows.iter().map(|row| row[1..4].join(" ")).collect();
        assert_eq!(begun, ["all 9 50.0 (25.0)", "large 6 75.0 (50.0)"]);
    }

    #[test]
    fn what_is_not_here_is_not_run() {
        assert_eq!(rows("a set", None)[0][1], "*not run*");
    }
}
