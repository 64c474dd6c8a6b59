//! What of a query's words a text holds: in all of it, in its best passage, in its title.
//!
//! Each figure is a share of what a text would get that held every word, so it means the same for a short query and a long one, in a
//! small store and a large one. BM25 of the index finds the candidates; this compares them.

use crate::Synonyms;
use crate::query_intent::overview_word;
use crate::rarity::rarity;
use crate::terms::beginning;
use backstory_memory::{inner_parts, is_stop_word, keywords, stem};
use backstory_store::WordResult;

/// More words than this make no difference, and each has a bit in a mask.
const MOST_WORDS: usize = 64;
/// So many words are a passage.
const PASSAGE: usize = 60;
/// So many words are a sentence.
const SENTENCE: usize = 20;
/// The part of a word that a synonym of it counts, and one that is only spelt like it.
const SYNONYM_SHARE: f64 = 0.4;
const RESPELT_SHARE: f64 = 0.5;
/// The part of its rarity that a word counts which asks for what was decided about the others.
const OVERVIEW_SHARE: f64 = 0.2;
/// A long prompt says the words of many titles without naming one.
const MOST_BESIDE_TITLE: usize = 15;
/// Two words of a title may be the name of the project.
const FEWEST_OF_TITLE: usize = 3;
/// How fast more of the same word stop to count, and how much a long text must say it more often.
const SATURATION: f64 = 1.2;
const LENGTH_SHARE: f64 = 0.5;
const USUAL_LENGTH: f64 = 100.0;
/// Longer runs of letters are data, not words.
const LONGEST_WORD: usize = 40;

/// The words that a query looks for, each with its rarity.
#[derive(Debug, Default)]
pub(crate) struct SoughtWords {
    rarities: Vec<f64>,
    /// Every form that counts as one of the words.
    forms: Vec<WordForm>,
    /// The first bytes of the forms: most words of a text end here.
    first_bytes: Vec<bool>,
    total: f64,
    /// How much of the total is of words that some memory holds, and the BM25 of a memory that held all of these.
    known: f64,
    attainable: f64,
    /// The word that asks for what was decided, not for a text that holds it.
    overview: Option<String>,
}

#[derive(Debug)]
struct WordForm {
    stem: String,
    word: usize,
    share: f64,
    /// Whether longer words that begin so count as well.
    is_beginning: bool,
}

/// What a text holds of the sought words. All but `length` and `held` are 0 to 1.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct WordEvidence {
    /// The share of the words' rarity in all of the text, frequency and length considered.
    pub(crate) whole: f64,
    /// The share in the best passage.
    pub(crate) passage: f64,
    /// The share in the title.
    pub(crate) title: f64,
    /// The share in the best sentence.
    pub(crate) sentence: f64,
    /// Which words it holds.
    pub(crate) held: u64,
    /// How many words it has.
    pub(crate) length: usize,
}

impl SoughtWords {
    /// Takes the words of a query, as rare as the store and the background say.
    pub(crate) fn new(text: &str, found: &WordResult, synonyms: Option<&Synonyms>) -> SoughtWords {
        let text = beginning(text);
        let said = keywords(text);
        let parts = inner_parts(text);
        let parts = parts.split(' ').filter(|part| !part.is_empty() && !is_stop_word(part));
        let mut sought = SoughtWords {
            first_bytes: vec![false; 256],
            overview: overview_word(text),
            attainable: found.attainable,
            ..SoughtWords::default()
        };
        for word in said.iter().map(String::as_str).chain(parts) {
            sought.add(word, found);
        }
        for correction in &found.corrections {
            sought.add_form(&correction.word, &correction.corrected.to_lowercase(), RESPELT_SHARE);
        }
        for added in synonyms.map(|synonyms| synonyms.expand(&said)).unwrap_or_default() {
            sought.add_form(&added.because_of, &added.word, SYNONYM_SHARE);
        }
        if let [.., last] = said.as_slice()
            && said.len() <= 2
            && let Some(form) = sought.forms.iter_mut().find(|form| form.stem == stem(last))
        {
            form.is_beginning = last.chars().count() >= 3;
        }
        sought
    }

    fn add(&mut self, word: &str, found: &WordResult) {
        let word_stem = stem(word);
        if self.rarities.len() >= MOST_WORDS || self.forms.iter().any(|form| form.stem == word_stem) {
            return;
        }
        let holders = found.holders.iter().find(|(held, _)| held == word).map_or(0, |(_, holders)| *holders);
        let is_overview = self.overview.as_deref() == Some(word);
        let rarity = rarity(word, holders, found.memories) * if is_overview { OVERVIEW_SHARE } else { 1.0 };
        self.total += rarity;
        self.known += if holders > 0 { rarity } else { 0.0 };
        self.push(word_stem, self.rarities.len(), 1.0);
        self.rarities.push(rarity);
    }

    /// Adds another form of a word.
    fn add_form(&mut self, of: &str, form: &str, share: f64) {
        let form_stem = stem(form);
        let word = self.forms.iter().find(|known| known.stem == stem(of)).map(|known| known.word);
        if let Some(word) = word.filter(|_| !self.forms.iter().any(|known| known.stem == form_stem)) {
            self.push(form_stem, word, share);
        }
    }

    fn push(&mut self, stem: &str, word: usize, share: f64) {
        if let Some(first) =
            stem.bytes().next().and_then(|first| self.first_bytes.get_mut(usize::from(first)))
        {
            *first = true;
            self.forms.push(WordForm { stem: stem.to_owned(), word, share, is_beginning: false });
        }
    }

    /// Looks for the words in a title and a body.
    pub(crate) fn evidence(&self, title: &str, body: &str) -> WordEvidence {
        let mut reader = TextReader::new(self);
        reader.read(title);
        let in_title = reader.held;
        if body.starts_with(title.trim_end_matches('…')) {
            reader.start_over();
        }
        reader.read(body);
        let norm = 1.0 - LENGTH_SHARE + LENGTH_SHARE * reader.length as f64 / USUAL_LENGTH;
        let levelled = |count: f64| count / (count + SATURATION * norm);
        let whole: f64 =
            self.rarities.iter().zip(&reader.counts).map(|(rarity, count)| rarity * levelled(*count)).sum();
        let total = self.total.max(f64::MIN_POSITIVE);
        WordEvidence {
            whole: whole / total,
            passage: reader.best_passage(PASSAGE) / total,
            sentence: reader.best_passage(SENTENCE) / total,
            title: self.share_of(in_title),
            held: reader.held,
            length: reader.length,
        }
    }

    /// Whether the query names who speaks in a text: `Anna: we sail at noon`.
    pub(crate) fn names_speaker_of(&self, text: &str) -> bool {
        let Some((name, _)) = text.split_once(':').filter(|(name, _)| name.len() <= LONGEST_WORD) else {
            return false;
        };
        let name = name.to_lowercase();
        name.split_whitespace().any(|part| self.is_sought(stem(part)))
    }

    /// Whether the query says so many of the words of a title that it can mean nothing else.
    pub(crate) fn names_title(&self, title: &str) -> bool {
        let mut words: Vec<String> = keywords(title).iter().map(|word| stem(word).to_owned()).collect();
        words.sort_unstable();
        words.dedup();
        let named = words.iter().filter(|word| self.is_sought(word)).count();
        self.rarities.len() <= MOST_BESIDE_TITLE && named >= FEWEST_OF_TITLE && 2 * named >= words.len()
    }

    fn is_sought(&self, stem: &str) -> bool {
        self.forms.iter().any(|form| form.share >= 1.0 && form.stem == stem)
    }

    /// Returns the rarity that a BM25 stands for: its share of what was attainable, of the rarity of all known words. BM25 itself rises
    /// with the size of the store, and this does not.
    pub(crate) fn rarity_found(&self, bm25: f64) -> f64 {
        if self.attainable > 0.0 { bm25 / self.attainable * self.known } else { bm25 }
    }

    /// Returns the share of the rarity that some of the words have.
    pub(crate) fn share_of(&self, held: u64) -> f64 {
        self.rarity_of(held) / self.total.max(f64::MIN_POSITIVE)
    }

    fn rarity_of(&self, held: u64) -> f64 {
        let of = self.rarities.iter().enumerate().filter(|(word, _)| held & (1 << word) != 0);
        of.map(|(_, rarity)| rarity).sum()
    }
}

/// Reads a text once, word by word.
struct TextReader<'s> {
    sought: &'s SoughtWords,
    counts: Vec<f64>,
    /// Where a sought word stands, and which.
    places: Vec<(usize, usize)>,
    held: u64,
    length: usize,
    lower: String,
}

impl<'s> TextReader<'s> {
    fn new(sought: &'s SoughtWords) -> TextReader<'s> {
        let counts = vec![0.0; sought.rarities.len()];
        TextReader { sought, counts, places: Vec::new(), held: 0, length: 0, lower: String::new() }
    }

    fn start_over(&mut self) {
        self.counts.fill(0.0);
        self.places.clear();
        (self.held, self.length) = (0, 0);
    }

    fn read(&mut self, text: &str) {
        for word in text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()) {
            self.length += 1;
            if word.len() > LONGEST_WORD {
                continue;
            }
            self.see(word);
            // `runMigration` holds "run" and "migration".
            if hump(word).is_some() {
                self.see_parts(word);
            }
        }
    }

    fn see_parts(&mut self, word: &str) {
        let mut rest = word;
        while let Some(at) = hump(rest) {
            let (part, after) = rest.split_at(at);
            self.see(part);
            rest = after;
        }
        self.see(rest);
    }

    fn see(&mut self, word: &str) {
        let first = word.bytes().next().map_or(0, |first| first.to_ascii_lowercase());
        // A capital of another script may begin a form in its small letter.
        if first < 0x80 && !self.sought.first_bytes.get(usize::from(first)).is_some_and(|is| *is) {
            return;
        }
        self.lower.clear();
        self.lower.extend(word.chars().flat_map(char::to_lowercase));
        let stem = stem(&self.lower);
        for form in &self.sought.forms {
            if form.stem == stem || form.is_beginning && self.lower.starts_with(&form.stem) {
                if let Some(count) = self.counts.get_mut(form.word) {
                    *count += form.share;
                }
                if form.share >= 1.0 {
                    self.held |= 1 << form.word;
                    self.places.push((self.length, form.word));
                }
            }
        }
    }

    /// Returns the most rarity that a passage of so many words holds.
    fn best_passage(&self, longest: usize) -> f64 {
        let mut within = vec![0_u32; self.sought.rarities.len()];
        let (mut first, mut held, mut best) = (0, 0.0, 0.0_f64);
        let rarity = |word: usize| self.sought.rarities.get(word).copied().unwrap_or_default();
        for (at, word) in &self.places {
            if let Some(count) = within.get_mut(*word) {
                held += if *count == 0 { rarity(*word) } else { 0.0 };
                *count += 1;
            }
            while let Some((begin, gone)) = self.places.get(first).filter(|(begin, _)| begin + longest <= *at)
            {
                debug_assert!(begin < at, "a place leaves its own passage");
                if let Some(count) = within.get_mut(*gone) {
                    *count -= 1;
                    held -= if *count == 0 { rarity(*gone) } else { 0.0 };
                }
                first += 1;
            }
            best = best.max(held);
        }
        best
    }
}

/// Returns where the second part of an identifier begins, if it has one.
fn hump(word: &str) -> Option<usize> {
    let mut pairs = word.bytes().zip(word.bytes().skip(1));
    pairs.position(|(one, next)| one.is_ascii_lowercase() && next.is_ascii_uppercase()).map(|at| at + 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use backstory_store::WordStrategy;

    fn sought(query: &str) -> SoughtWords {
        let found = WordResult {
            hits: Vec::new(),
            strategy: WordStrategy::Index,
            corrections: Vec::new(),
            unknown_words: Vec::new(),
            holders: Vec::new(),
            memories: 20,
            attainable: 0.0,
        };
        SoughtWords::new(query, &found, None)
    }

    #[test]
    fn a_text_with_every_word_in_one_passage_holds_all_of_them() {
        let found = sought("deploy the harbour service")
            .evidence("Notes", "The harbour service is deployed on Tuesdays");
        assert!((found.passage - 1.0).abs() < 1e-9, "{found:?}");
        assert!(found.title <= 0.0);
    }

    #[test]
    fn words_far_apart_are_no_passage() {
        let filler = "and so on ".repeat(40);
        let far = format!("the harbour {filler} the service");
        let found = sought("harbour service").evidence("", &far);
        assert!(found.passage < 0.9 && sought("harbour service").share_of(found.held) > 0.99);
    }

    #[test]
    fn parts_of_identifiers_are_words_and_a_repeated_title_counts_once() {
        let sought = sought("run migration");
        assert!((sought.evidence("", "call runMigration first").passage - 1.0).abs() < 1e-9);
        let once = sought.evidence("run it", "run it twice");
        assert_eq!(once.length, 3);
    }
}
