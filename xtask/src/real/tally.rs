//! Reads filled sheets back and prints what the judges say.

use super::figures::put;
use super::judge_sheets::SheetItem;
use super::matching::is_work;
use super::mixed_sheets::read_key;
use crate::{TaskResult, say};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

const CONTENTS: [&str; 5] = ["useful", "neutral", "junk", "wrong", "unreadable"];
/// What a line of a prompt's or a tool's block did.
const EFFECTS: [&str; 3] = ["helped", "on topic", "noise"];
const MOMENTS: [&str; 2] = ["prompt", "tool"];
/// Verdicts of lines that are worth their tokens.
const WORTHY: [&str; 2] = ["useful", "helped"];
const TITLES: [&str; 3] = ["good", "ok", "bad"];
const GROUPS: [&str; 7] = ["work", "knowledge", "summary", "handoff", "discovery", "note", "all"];

/// Prints the tables over every sheet in a folder; of mixed sheets, for each run.
pub(crate) fn print(folder: &Path) -> TaskResult {
    let mut items: Vec<SheetItem> = Vec::new();
    for entry in fs::read_dir(folder).map_err(|error| format!("reading {}: {error}", folder.display()))? {
        let path = entry?.path();
        if path.extension().is_some_and(|it| it == "jsonl") {
            for line in fs::read_to_string(&path)?.lines().filter(|line| !line.trim().is_empty()) {
                let item = serde_json::from_str(line)
                    .map_err(|error| format!("{}: {error}: {line}", path.display()))?;
                items.push(item);
            }
        }
    }
    let Some(key) = read_key(folder)? else {
        say(&tables(&items)?);
        return Ok(());
    };
    let runs: BTreeSet<&String> = key.values().flatten().collect();
    for run in runs {
        let is_of_run = |item: &&SheetItem| key.get(&item.item).is_some_and(|names| names.contains(run));
        let own: Vec<SheetItem> = items.iter().filter(is_of_run).cloned().collect();
        say(&format!("{run}\n\n{}\n", tables(&own)?));
    }
    Ok(())
}

/// Returns both tables.
fn tables(items: &[SheetItem]) -> TaskResult<String> {
    check(items)?;
    let mut text = "| kind | n | useful | neutral | junk | wrong | title good / ok / bad |\n|---|---|---|---|---|---|---|\n".to_owned();
    let judged: Vec<&SheetItem> = items.iter().filter(|it| !is_block(it) && it.content.is_some()).collect();
    for group in GROUPS {
        let own: Vec<_> = judged.iter().filter(|it| group == "all" || group_of(&it.kind) == group).collect();
        let contents: Vec<&str> = own.iter().filter_map(|it| it.content.as_deref()).collect();
        let titles: Vec<&str> = own.iter().filter_map(|it| it.title_quality.as_deref()).collect();
        let [useful, neutral, junk, wrong] =
            ["useful", "neutral", "junk", "wrong"].map(|it| percent(&contents, it));
        let titles = TITLES.map(|it| percent(&titles, it)).join(" / ");
        put(
            &mut text,
            format_args!(
                "| {group} | {} | {useful} | {neutral} | {junk} | {wrong} | {titles} |\n",
                own.len()
            ),
        );
    }
    put(&mut text, format_args!("\n{}\n", injectable_share(&judged)));
    let starts: Vec<&SheetItem> = items.iter().filter(|it| it.sheet == "start").collect();
    let lines: Vec<&str> =
        starts.iter().flat_map(|it| &it.lines).filter_map(|it| it.content.as_deref()).collect();
    let shares = CONTENTS.map(|it| format!("{it} {} %", percent(&lines, it))).join(", ");
    let worth: Vec<&str> = starts.iter().filter_map(|it| it.worth_its_tokens.as_deref()).collect();
    let is_worth = worth.iter().filter(|it| **it == "yes").count();
    put(
        &mut text,
        format_args!(
            "\nsession-start lines: n {}, {shares}; worth its tokens: {is_worth} of {} blocks\n",
            lines.len(),
            worth.len()
        ),
    );
    for moment in MOMENTS {
        put(&mut text, format_args!("{}\n", effects_at(moment, items)));
    }
    put(&mut text, format_args!("{}\n", worthy_tokens(items)));
    let open = items.iter().filter(|it| !is_block(it) && it.content.is_none()).count();
    let blocks = items.iter().filter(|it| is_block(it));
    let open_lines = blocks.flat_map(|it| &it.lines).filter(|it| it.content.is_none()).count();
    put(&mut text, format_args!("not judged: {open} memories, {open_lines} lines"));
    Ok(text)
}

/// Says how many of the useful memories may be injected: the others wait for the user.
fn injectable_share(judged: &[&SheetItem]) -> String {
    let useful = judged.iter().filter(|it| it.content.as_deref() == Some("useful"));
    let standings: Vec<&str> = useful.map(|it| it.standing.as_str()).filter(|it| !it.is_empty()).collect();
    let confirmed = standings.iter().filter(|it| **it == "confirmed").count();
    format!(
        "useful memories that may be injected: {confirmed} of {} ({} %)",
        standings.len(),
        percent(&standings, "confirmed")
    )
}

fn is_block(item: &SheetItem) -> bool {
    item.sheet == "start" || MOMENTS.contains(&item.sheet.as_str())
}

/// Says what the lines of a moment did, and how many of its blocks helped, or were at least on topic.
fn effects_at(moment: &str, items: &[SheetItem]) -> String {
    let blocks: Vec<Vec<&str>> = items
        .iter()
        .filter(|it| it.sheet == moment)
        .map(|it| it.lines.iter().filter_map(|line| line.content.as_deref()).collect::<Vec<_>>())
        .filter(|verdicts| !verdicts.is_empty())
        .collect();
    let lines: Vec<&str> = blocks.iter().flatten().copied().collect();
    let shares = EFFECTS.map(|it| format!("{it} {} %", percent(&lines, it))).join(", ");
    let with = |wanted: &[&str]| {
        blocks.iter().filter(|verdicts| verdicts.iter().any(|it| wanted.contains(it))).count()
    };
    let (helped, on_topic) = (with(&["helped"]), with(&["helped", "on topic"]));
    let blocks = blocks.len();
    format!(
        "{moment} lines: n {}, {shares}; blocks: {helped} of {blocks} helped, {on_topic} helped or were on topic",
        lines.len()
    )
}

/// Says how many of the tokens of judged lines were worth it.
fn worthy_tokens(items: &[SheetItem]) -> String {
    let lines = items.iter().filter(|it| is_block(it)).flat_map(|it| &it.lines);
    let judged: Vec<_> = lines.filter_map(|line| Some((line.content.as_deref()?, line.tokens))).collect();
    let sum =
        |all: &mut dyn Iterator<Item = &(&str, u32)>| all.map(|(_, tokens)| u64::from(*tokens)).sum::<u64>();
    let (worthy, all) =
        (sum(&mut judged.iter().filter(|(verdict, _)| WORTHY.contains(verdict))), sum(&mut judged.iter()));
    format!(
        "useful / injected tokens: {worthy} of {all} ({} %)",
        (100 * worthy).checked_div(all).unwrap_or(0)
    )
}

/// Refuses words that are not in the rubric: a typing mistake must not vanish from a table.
fn check(items: &[SheetItem]) -> TaskResult {
    for item in items {
        let lines = item.lines.iter().filter_map(|it| it.content.as_ref());
        let words: &[&str] = if MOMENTS.contains(&item.sheet.as_str()) { &EFFECTS } else { &CONTENTS };
        let unknown = lines.chain(&item.content).find(|it| !words.contains(&it.as_str()));
        let unknown =
            unknown.or_else(|| item.title_quality.as_ref().filter(|it| !TITLES.contains(&it.as_str())));
        if let Some(word) = unknown {
            return Err(format!("item {} is judged `{word}`, which is not in the rubric", item.item).into());
        }
    }
    Ok(())
}

fn group_of(kind: &str) -> &str {
    match kind {
        kind if is_work(kind) => "work",
        "summary" | "handoff" | "discovery" | "note" => kind,
        _ => "knowledge",
    }
}

/// Returns the share of a word, in whole percent.
fn percent(words: &[&str], word: &str) -> String {
    let count = words.iter().filter(|it| **it == word).count();
    if words.is_empty() {
        "·".to_owned()
    } else {
        format!("{}", (100 * count + words.len() / 2) / words.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::real::judge_sheets::SheetLine;

    fn judged(kind: &str, content: &str, title: &str) -> SheetItem {
        let (content, title_quality) = (Some(content.to_owned()), Some(title.to_owned()));
        SheetItem {
            sheet: "memory".to_owned(),
            kind: kind.to_owned(),
            content,
            title_quality,
            ..SheetItem::default()
        }
    }

    #[test]
    fn a_tally_counts_by_group_and_names_what_is_open() {
        let line = |content: Option<&str>| SheetLine {
            text: String::new(),
            content: content.map(str::to_owned),
            tokens: 10,
        };
        let start = SheetItem {
            sheet: "start".to_owned(),
            lines: vec![line(Some("useful")), line(Some("unreadable")), line(None)],
            worth_its_tokens: Some("yes".to_owned()),
            ..SheetItem::default()
        };
        let prompt = SheetItem {
            sheet: "prompt".to_owned(),
            lines: vec![
                line(Some("noise")),
                line(Some("helped")),
                line(Some("on topic")),
                line(Some("noise")),
            ],
            ..SheetItem::default()
        };
        let standing = |item: SheetItem, standing: &str| SheetItem { standing: standing.to_owned(), ..item };
        let items = [
            prompt,
            standing(judged("feature", "useful", "good"), "confirmed"),
            standing(judged("bugfix", "junk", "bad"), "confirmed"),
            standing(judged("rule", "useful", "ok"), "proposed"),
            SheetItem { sheet: "memory".to_owned(), ..SheetItem::default() },
            start,
        ];
        let text = tables(&items).unwrap();
        for row in [
            "| work | 2 | 50 | 0 | 50 | 0 | 50 / 0 / 50 |",
            "| knowledge | 1 | 100 | 0 | 0 | 0 | 0 / 100 / 0 |",
            "| all | 3 | 67 | 0 | 33 | 0 | 33 / 33 / 33 |",
            "useful memories that may be injected: 1 of 2 (50 %)",
            "session-start lines: n 2, useful 50 %, neutral 0 %, junk 0 %, wrong 0 %, unreadable 50 %; worth its tokens: 1 of 1 blocks",
            "prompt lines: n 4, helped 25 %, on topic 25 %, noise 50 %; blocks: 1 of 1 helped, 1 helped or were on topic",
            "tool lines: n 0,",
            "useful / injected tokens: 20 of 60 (33 %)",
            "not judged: 1 memories, 1 lines",
        ] {
            assert!(text.contains(row), "{row}\n{text}");
        }
        assert!(tables(&[judged("rule", "usefull", "ok")]).is_err());
        assert!(tables(&[judged("rule", "helped", "ok")]).is_err(), "a memory alone helps nobody yet");
    }
}
