//! Blocks that programs write into memory files between marks: they are rewritten by their program and hold nobody's knowledge.

use crate::imported::ImportItem;

/// Returns a text without marked blocks and comments; each block is emitted as skipped.
pub(super) fn without(text: &str, emit: &mut dyn FnMut(ImportItem)) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let mut kept: Vec<&str> = Vec::new();
    let mut at = 0;
    let mut in_fence = false;
    while let Some(line) = lines.get(at) {
        in_fence ^= is_fence(line);
        let rest = lines.get(at + 1..).unwrap_or_default();
        if in_fence {
            kept.push(line);
        } else if let Some(length) = block(line, rest) {
            emit(ImportItem::Skipped("written by a program"));
            at += length;
        } else if let Some(length) = comment(line, rest) {
            at += length;
        } else {
            kept.push(line);
        }
        at += 1;
    }
    kept.join("\n")
}

/// Whether a line opens or closes a code block.
pub(super) fn is_fence(line: &str) -> bool {
    let line = line.trim_start();
    line.starts_with("```") || line.starts_with("~~~")
}

/// How many lines follow the one that opens a marked block, up to the one that closes it. A mark without an end opens nothing.
fn block(line: &str, rest: &[&str]) -> Option<usize> {
    let line = line.trim();
    let closes: Box<dyn Fn(&str) -> bool> = if let Some(mark) = mark(line) {
        let name = mark.name?;
        if !mark.opens {
            return None;
        }
        Box::new(move |line: &str| {
            self::mark(line.trim()).is_some_and(|mark| mark.closes && mark.name.as_ref() == Some(&name))
        })
    } else {
        let tag = line.strip_prefix('<').and_then(|line| line.strip_suffix('>'))?;
        let is_name =
            tag.contains("context") && tag.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-');
        let closing = is_name.then(|| format!("</{tag}>"))?;
        Box::new(move |line: &str| line.trim() == closing)
    };
    rest.iter().position(|line| closes(line)).map(|at| at + 1)
}

/// A comment on a line of its own that marks where a block begins or ends.
struct BlockMark {
    /// What it says beside that it begins or ends.
    name: Option<String>,
    opens: bool,
    closes: bool,
}

fn mark(line: &str) -> Option<BlockMark> {
    let inside = line.strip_prefix("<!--")?.strip_suffix("-->")?.trim().to_lowercase();
    let closes_by_slash = inside.starts_with('/');
    let said: Vec<&str> =
        inside.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let says = |words: &[&str]| said.iter().any(|word| words.contains(word));
    let closes = closes_by_slash || says(&["end", "stop", "finish"]);
    let around = ["begin", "start", "end", "stop", "finish"];
    let name = said.iter().find(|word| !around.contains(word)).map(|word| (*word).to_owned());
    Some(BlockMark { name, opens: !closes, closes })
}

/// How many lines follow the one on which a comment begins, up to the one it ends on.
fn comment(line: &str, rest: &[&str]) -> Option<usize> {
    let inside = line.trim_start().strip_prefix("<!--")?;
    if inside.contains("-->") {
        return inside.trim_end().ends_with("-->").then_some(0);
    }
    rest.iter().position(|line| line.contains("-->")).map(|at| at + 1)
}
