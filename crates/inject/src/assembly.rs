//! Packs sections into one block: greedy by priority, each within its share, all within the allowance.
//!
//! Sections are built one by one; one that fails is noted and affects no other. An item that does not fit is skipped and the next one
//! tried; only an item that is alone in its section is cut. Lines never cost less apart than together, so each is priced once and the
//! sum of the prices is an upper bound for the whole.

use crate::encode::shorten;
use crate::{Block, GatherError, PlacedMemory, SkipReason, SkippedSection};
use backstory_memory::{
    Memory, MemoryId, NEAR_DUPLICATE, OwnAddresses, Tokens, WordSketch, estimate, may_be_injected,
    says_the_same,
};
use std::collections::HashSet;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// One part of a block.
pub(crate) struct Section<'a> {
    /// Its name in the record.
    pub(crate) name: &'static str,
    /// The heading above its items.
    pub(crate) heading: String,
    /// Its share: what is left is divided by the weights of this section and those after it.
    pub(crate) weight: u32,
    /// How many of its items are rendered in full at once; the others start with their shortest form.
    pub(crate) in_full: usize,
    /// How to get at the items that do not fit, where that must be said.
    pub(crate) rest: Option<&'static str>,
    /// Makes its items, best first.
    pub(crate) build: SectionBuilder<'a>,
}

pub(crate) type SectionBuilder<'a> = Box<dyn FnOnce() -> Result<Vec<SectionItem<'a>>, GatherError> + 'a>;

/// One entry of a section.
#[derive(Clone, Debug)]
pub(crate) struct SectionItem<'a> {
    pub(crate) subject: Subject,
    /// Its forms: in full first, then shorter ones.
    pub(crate) forms: Vec<ItemForm>,
    /// Whose words they are, where they are recorded ones that are not judged yet: only what is placed is judged.
    pub(crate) words_of: Option<(&'a Memory, &'a OwnAddresses)>,
}

/// One form of an item.
#[derive(Clone, Debug)]
pub(crate) struct ItemForm {
    /// The line.
    pub(crate) line: String,
    /// The recorded text in it: a request is recognised by the word it begins with.
    pub(crate) said: String,
}

impl SectionItem<'_> {
    /// Whether a form may be given unasked (law 6).
    fn may_be_placed(&self, form: &ItemForm) -> bool {
        self.words_of.is_none_or(|(memory, own)| may_be_injected(memory, &form.said, own))
    }
}

/// What an item is about.
#[derive(Clone, Debug)]
pub(crate) enum Subject {
    /// A memory.
    Memory { id: MemoryId, score: f64, reasons: Vec<String> },
    /// Changed code.
    Code,
    /// The work tree now; not worth a block of its own, because the agent can look.
    WorkTreeStatus,
}

/// What may still be used.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Allowance {
    pub(crate) tokens: u32,
    pub(crate) bytes: usize,
}

/// A line cut shorter than this cannot be understood.
const FEWEST_CHARS: usize = 24;

/// What was chosen so far, in order.
#[derive(Default)]
pub(crate) struct Assembly {
    pub(crate) text: String,
    pub(crate) items: Vec<PlacedMemory>,
    pub(crate) sections: Vec<&'static str>,
    pub(crate) section_tokens: Vec<Tokens>,
    pub(crate) skipped: Vec<SkippedSection>,
    is_worth_injecting: bool,
    placed: HashSet<MemoryId>,
    titles: Vec<PlacedTitle>,
}

/// The title of a memory that was placed: what says the same in other words is not placed again.
#[derive(Clone)]
struct PlacedTitle {
    title: String,
    sketch: WordSketch,
}

impl PlacedTitle {
    fn of_memory(memory: &Memory) -> PlacedTitle {
        let title = memory.content.title.clone();
        PlacedTitle { sketch: WordSketch::from_text(&title), title }
    }

    fn is_repeated_by(&self, other: &PlacedTitle) -> bool {
        self.sketch.may_be_alike(&other.sketch, NEAR_DUPLICATE) && says_the_same(&self.title, &other.title)
    }
}

impl Assembly {
    /// Makes the block; empty if nothing in it is worth injecting.
    pub(crate) fn finish(self, wrap: impl FnOnce(&str) -> String) -> Block {
        if !self.is_worth_injecting {
            return Block { sections_skipped: self.skipped, ..Block::default() };
        }
        let text = wrap(&self.text);
        Block {
            tokens: estimate(&text),
            bytes: text.len(),
            text,
            items: self.items,
            sections: self.sections,
            section_tokens: self.section_tokens,
            sections_skipped: self.skipped,
        }
    }
}

/// Packs sections, the most important first. What one does not use is left to those after it.
pub(crate) fn assemble(sections: Vec<Section<'_>>, allowance: Allowance) -> Assembly {
    let mut assembly = Assembly::default();
    let mut left = allowance;
    let mut weights: u64 = sections.iter().map(|section| u64::from(section.weight)).sum();
    for section in sections {
        let share = u64::from(left.tokens) * u64::from(section.weight) / weights.max(1);
        weights -= u64::from(section.weight);
        let share = Allowance { tokens: u32::try_from(share).unwrap_or(u32::MAX), bytes: left.bytes };
        match build(section.build) {
            Ok(items) => {
                let heading = SectionHeading {
                    name: section.name,
                    heading: &section.heading,
                    in_full: section.in_full,
                    rest: section.rest,
                };
                left = left.less(add_section(&mut assembly, &heading, items, share));
            }
            Err(error) => {
                let why = SkipReason::Failed(error.to_string());
                assembly.skipped.push(SkippedSection { section: section.name, why });
            }
        }
    }
    assembly
}

/// Builds the items of a section. A panic is an error of this section only; the panic hook prints it.
fn build<'a>(build: SectionBuilder<'a>) -> Result<Vec<SectionItem<'a>>, GatherError> {
    catch_unwind(AssertUnwindSafe(build)).unwrap_or(Err(GatherError::Panicked))
}

/// Adds what fits of a section, and returns what it used.
fn add_section(
    assembly: &mut Assembly,
    section: &SectionHeading<'_>,
    items: Vec<SectionItem<'_>>,
    share: Allowance,
) -> Allowance {
    let items = assembly.without_placed(items);
    let mut used = Allowance { tokens: estimate(section.heading).0, bytes: section.heading.len() };
    let mut chosen = Vec::new();
    let count = items.len();
    let mut left_out = 0;
    for (place, item) in items.into_iter().enumerate() {
        // Room for the line that counts the others, unless this is the last one.
        let rest = section.rest_line(count - place).filter(|_| place + 1 < count || left_out > 0);
        let left = share.less(used).less(rest.map(|line| line.allowance()).unwrap_or_default());
        let fullest = if place < section.in_full { 0 } else { item.forms.len().saturating_sub(1) };
        let Some(form) = choose(&item, fullest, left, count == 1) else {
            left_out += usize::from(item.forms.iter().any(|form| item.may_be_placed(form)));
            continue;
        };
        used = used.and(form.allowance());
        chosen.push((item, form));
    }
    if chosen.is_empty() {
        if left_out > 0 {
            assembly.skipped.push(SkippedSection { section: section.name, why: SkipReason::DidNotFit });
        }
        return Allowance::default();
    }
    let rest = section.rest_line(left_out);
    used = used.and(rest.as_ref().map(RenderedForm::allowance).unwrap_or_default());
    used = fill_up(&mut chosen, used, share);
    assembly.sections.push(section.name);
    assembly.section_tokens.push(Tokens(used.tokens));
    assembly.text.push_str(section.heading);
    for (item, form) in chosen {
        assembly.place(section.name, item, &form);
    }
    assembly.text.push_str(rest.as_ref().map(|line| line.text.as_str()).unwrap_or_default());
    used
}

/// Replaces short forms by fuller ones, from the first item on, as far as the share goes: breadth first, then depth.
fn fill_up(
    chosen: &mut [(SectionItem<'_>, RenderedForm)],
    mut used: Allowance,
    share: Allowance,
) -> Allowance {
    for (item, form) in chosen.iter_mut() {
        let others = used.less(form.allowance());
        let fuller = item.forms.get(..form.index).unwrap_or_default().iter();
        let fits = |(index, form): (usize, &ItemForm)| {
            RenderedForm::fitting(index, &form.line, share.less(others)).filter(|_| item.may_be_placed(form))
        };
        if let Some(better) = fuller.enumerate().find_map(fits) {
            used = others.and(better.allowance());
            *form = better;
        }
    }
    used
}

/// What is known of a section before its items are.
struct SectionHeading<'a> {
    name: &'static str,
    heading: &'a str,
    in_full: usize,
    rest: Option<&'static str>,
}

impl SectionHeading<'_> {
    /// The line that says how many items did not fit, and how to get at them.
    fn rest_line(&self, left_out: usize) -> Option<RenderedForm> {
        let hint = self.rest.filter(|_| left_out > 0)?;
        let everything = Allowance { tokens: u32::MAX, bytes: usize::MAX };
        RenderedForm::fitting(0, &format!("- and {left_out} more: {hint}"), everything)
    }
}

/// One form of an item, with its line break and its price.
struct RenderedForm {
    index: usize,
    text: String,
    tokens: Tokens,
}

impl RenderedForm {
    fn fitting(index: usize, text: &str, left: Allowance) -> Option<RenderedForm> {
        let text = format!("{text}\n");
        let tokens = estimate(&text);
        (tokens.0 <= left.tokens && text.len() <= left.bytes).then_some(RenderedForm { index, text, tokens })
    }

    fn allowance(&self) -> Allowance {
        Allowance { tokens: self.tokens.0, bytes: self.text.len() }
    }
}

impl Allowance {
    fn less(self, used: Allowance) -> Allowance {
        Allowance {
            tokens: self.tokens.saturating_sub(used.tokens),
            bytes: self.bytes.saturating_sub(used.bytes),
        }
    }

    fn and(self, more: Allowance) -> Allowance {
        Allowance {
            tokens: self.tokens.saturating_add(more.tokens),
            bytes: self.bytes.saturating_add(more.bytes),
        }
    }
}

impl Assembly {
    /// Leaves out memories of the sections above, the second of two that say the same, and what has nothing that may be said.
    fn without_placed<'a>(&self, items: Vec<SectionItem<'a>>) -> Vec<SectionItem<'a>> {
        let (mut seen, mut titles) = (self.placed.clone(), self.titles.clone());
        let mut is_new = |item: &SectionItem<'_>| {
            let Subject::Memory { id, .. } = item.subject else { return true };
            let title = item.words_of.map(|(memory, _)| PlacedTitle::of_memory(memory));
            let is_said =
                title.as_ref().is_some_and(|title| titles.iter().any(|placed| placed.is_repeated_by(title)));
            titles.extend(title.filter(|_| !is_said));
            seen.insert(id) && !is_said
        };
        items.into_iter().filter(|item| !item.forms.is_empty() && is_new(item)).collect()
    }

    fn place(&mut self, section: &'static str, item: SectionItem<'_>, form: &RenderedForm) {
        self.text.push_str(&form.text);
        self.is_worth_injecting |= !matches!(item.subject, Subject::WorkTreeStatus);
        let Subject::Memory { id, score, reasons } = item.subject else { return };
        self.placed.insert(id);
        self.titles.extend(item.words_of.map(|(memory, _)| PlacedTitle::of_memory(memory)));
        let rank = u32::try_from(self.items.len() + 1).unwrap_or(u32::MAX);
        self.items.push(PlacedMemory { memory: id, section, rank, tokens: form.tokens, score, reasons });
    }
}

/// Returns the first form that fits, from `fullest` on; if the item is alone, the last form cut to fit.
fn choose(item: &SectionItem<'_>, fullest: usize, left: Allowance, is_alone: bool) -> Option<RenderedForm> {
    let forms = item.forms.iter().enumerate();
    let fits = |(index, form): (usize, &ItemForm)| {
        RenderedForm::fitting(index, &form.line, left).filter(|_| item.may_be_placed(form))
    };
    let whole = forms.skip(fullest).find_map(fits);
    if whole.is_some() || !is_alone {
        return whole;
    }
    let line = item.forms.last().filter(|form| item.may_be_placed(form))?.line.lines().next()?;
    let mut most_chars = line.chars().count();
    while most_chars > FEWEST_CHARS {
        most_chars = (most_chars * 4 / 5).max(FEWEST_CHARS);
        // Index 0: a cut form has no fuller form that fits.
        if let Some(cut) = RenderedForm::fitting(0, &shorten(line, most_chars), left) {
            return Some(cut);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn item(id: i64, forms: &[&str]) -> SectionItem<'static> {
        let subject = Subject::Memory { id: MemoryId(id), score: 0.0, reasons: Vec::new() };
        let form = |line: &&str| ItemForm { line: (*line).to_owned(), said: String::new() };
        SectionItem { subject, forms: forms.iter().map(form).collect(), words_of: None }
    }

    fn section<'a>(name: &'static str, weight: u32, items: Vec<SectionItem<'a>>) -> Section<'a> {
        Section {
            name,
            heading: format!("## {name}\n"),
            weight,
            in_full: 1,
            rest: None,
            build: Box::new(move || Ok(items)),
        }
    }

    const ROOM: Allowance = Allowance { tokens: 100, bytes: 10_000 };

    #[test]
    fn an_item_that_does_not_fit_is_skipped_and_the_next_one_tried() {
        let long = "long ".repeat(100);
        let assembly = assemble(vec![section("work", 1, vec![item(1, &[&long]), item(2, &["short"])])], ROOM);
        assert_eq!(assembly.text, "## work\nshort\n");
        assert_eq!(assembly.items.iter().map(|it| it.memory).collect::<Vec<_>>(), [MemoryId(2)]);
    }

    #[test]
    fn only_an_item_alone_is_cut_and_after_a_sentence() {
        let long = "- This is said. ".to_owned() + &"And this is more of it ".repeat(40);
        let alone =
            assemble(vec![section("work", 1, vec![item(1, &[&long])])], Allowance { tokens: 16, ..ROOM });
        assert!(alone.text.starts_with("## work\n- This is said."), "{}", alone.text);
        let two = assemble(
            vec![section("work", 1, vec![item(1, &[&long]), item(2, &[&long])])],
            Allowance { tokens: 16, ..ROOM },
        );
        assert_eq!((two.text.as_str(), two.skipped.len()), ("", 1));
    }

    #[test]
    fn the_fullest_form_that_fits_is_taken() {
        let long = "long ".repeat(100);
        let assembly =
            assemble(vec![section("work", 1, vec![item(1, &[&long, "a form that fits", "x"])])], ROOM);
        assert_eq!(assembly.text, "## work\na form that fits\n");
    }

    #[test]
    fn many_items_come_before_fuller_items() {
        let long = "one two three four ".repeat(8);
        let items = || (1..=3).map(|id| item(id, &[&long, "- short"])).collect();
        let assembly = assemble(vec![section("work", 1, items())], Allowance { tokens: 90, ..ROOM });
        assert_eq!(assembly.text, format!("## work\n{long}\n{long}\n- short\n"));
        let assembly = assemble(vec![section("work", 1, items())], Allowance { tokens: 60, ..ROOM });
        assert_eq!(assembly.text, format!("## work\n{long}\n- short\n- short\n"));
    }

    #[test]
    fn a_section_keeps_to_its_share_and_leaves_the_rest_to_others() {
        let lines: Vec<SectionItem<'_>> = (0..60).map(|id| item(id, &["- one two three four"])).collect();
        let more: Vec<SectionItem<'_>> = (100..160).map(|id| item(id, &["- one two three four"])).collect();
        let full = assemble(vec![section("a", 1, lines), section("b", 3, more.clone())], ROOM);
        let tokens = |assembly: &Assembly, name| {
            assembly.items.iter().filter(|it| it.section == name).map(|it| it.tokens.0).sum::<u32>()
        };
        assert!(tokens(&full, "a") <= 25 && tokens(&full, "b") > 50);
        let freed = assemble(vec![section("a", 1, Vec::new()), section("b", 3, more)], ROOM);
        assert!(tokens(&freed, "b") > tokens(&full, "b"));
    }

    #[test]
    fn a_section_that_panics_or_fails_removes_no_other() {
        let failing = |name, build: SectionBuilder<'static>| Section {
            name,
            heading: String::new(),
            weight: 1,
            in_full: 1,
            rest: None,
            build,
        };
        let sections = vec![
            section("a", 1, vec![item(1, &["- first"])]),
            failing("b", Box::new(|| Err(GatherError::Unreadable("no such table".to_owned())))),
            failing("c", Box::new(|| panic!("a bug in its builder"))),
            section("d", 1, vec![item(2, &["- last"])]),
        ];
        let assembly = assemble(sections, ROOM);
        assert_eq!(assembly.text, "## a\n- first\n## d\n- last\n");
        let noted: Vec<String> = assembly.skipped.iter().map(ToString::to_string).collect();
        assert_eq!(noted, ["b: failed: no such table", "c: failed: it panicked"]);
    }

    #[test]
    fn a_memory_is_placed_once() {
        let sections =
            vec![section("a", 1, vec![item(1, &["- once"])]), section("b", 1, vec![item(1, &["- twice"])])];
        assert_eq!(assemble(sections, ROOM).text, "## a\n- once\n");
    }
}
