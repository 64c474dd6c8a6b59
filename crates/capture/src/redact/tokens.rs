//! Finds the tokens of the table (`shapes`) and the literals the user or the environment gave us.
//!
//! One walk over the text: two bytes choose the few patterns worth comparing, so that nothing is compiled
//! and the cost hardly grows with the table. Not here: values known only by their name (`named`).

use super::SecretMatch;
use super::random::{Announcement, is_crossed_out, is_random};
use super::shapes::{SHAPES, TokenAlphabet, TokenShape};
use std::ops::Range;

/// Everything that is known by how it begins.
pub(super) struct TokenRules {
    literals: Vec<Vec<u8>>,
    /// With which literals begin, which also stand inside of words.
    literal_pairs: BytePairs,
    /// With which prefixes and literals begin.
    pairs: BytePairs,
}

/// A prefix of the table, and what follows it.
#[derive(Clone, Copy)]
struct TokenPrefix {
    pair: [u8; 2],
    text: &'static [u8],
    shape: &'static TokenShape,
}

#[expect(clippy::indexing_slicing, reason = "the compiler checks each index while it runs this")]
const PREFIX_COUNT: usize = {
    let (mut count, mut at) = (0, 0);
    while at < SHAPES.len() {
        count += SHAPES[at].prefixes.len();
        at += 1;
    }
    count
};

/// All prefixes, sorted by the pair of bytes they begin with. The compiler sorts them: a hook lives for milliseconds.
static PREFIXES: [TokenPrefix; PREFIX_COUNT] = sorted_prefixes();
#[expect(clippy::indexing_slicing, reason = "the compiler checks each index while it runs this")]
static PREFIX_PAIRS: BytePairs = {
    let mut pairs = BytePairs::EMPTY;
    let mut at = 0;
    while at < PREFIX_COUNT {
        pairs.insert(PREFIXES[at].pair);
        at += 1;
    }
    pairs
};

#[expect(clippy::indexing_slicing, reason = "the compiler checks each index while it runs this")]
const fn sorted_prefixes() -> [TokenPrefix; PREFIX_COUNT] {
    let mut sorted = [TokenPrefix { pair: [0, 0], text: b"", shape: &SHAPES[0] }; PREFIX_COUNT];
    let (mut filled, mut of_shape) = (0, 0);
    while of_shape < SHAPES.len() {
        let shape = &SHAPES[of_shape];
        let mut of_prefix = 0;
        while of_prefix < shape.prefixes.len() {
            let text = shape.prefixes[of_prefix].as_bytes();
            let prefix = TokenPrefix { pair: [text[0], text[1]], text, shape };
            let mut at = filled;
            while at > 0 && is_behind(sorted[at - 1].pair, prefix.pair) {
                sorted[at] = sorted[at - 1];
                at -= 1;
            }
            sorted[at] = prefix;
            filled += 1;
            of_prefix += 1;
        }
        of_shape += 1;
    }
    sorted
}

const fn is_behind(left: [u8; 2], right: [u8; 2]) -> bool {
    left[0] > right[0] || (left[0] == right[0] && left[1] > right[1])
}

impl TokenRules {
    pub(super) fn new(literals: impl Iterator<Item = String>) -> TokenRules {
        let literals: Vec<Vec<u8>> =
            literals.map(String::into_bytes).filter(|literal| literal.len() >= 2).collect();
        let (mut literal_pairs, mut pairs) = (BytePairs::EMPTY, PREFIX_PAIRS.clone());
        for pair in literals.iter().filter_map(|literal| literal.first_chunk()) {
            literal_pairs.insert(*pair);
            pairs.insert(*pair);
        }
        TokenRules { literals, literal_pairs, pairs }
    }

    /// Adds a finding for every token and literal in `text`.
    pub(super) fn find(&self, text: &[u8], found: &mut Vec<SecretMatch>) {
        let mut runs = Runs::default();
        let mut at = 0;
        while let Some(skipped) = text.get(at..).and_then(|rest| self.pairs.position(rest)) {
            at += skipped;
            let finding = self.token_at(text, at, &mut runs);
            at = finding.as_ref().map_or(at + 1, |finding| finding.end);
            found.extend(finding);
        }
    }

    fn token_at(&self, text: &[u8], at: usize, runs: &mut Runs) -> Option<SecretMatch> {
        let rest = text.get(at..)?;
        let pair = rest.first_chunk()?;
        // The data of an image or a source map is no token, whatever it begins with.
        let bounded = begins_a_word(text, at) && !text.get(..at)?.ends_with(b";base64,");
        let begins_a_literal = self.literal_pairs.contains(*pair);
        if !bounded && !begins_a_literal {
            return None;
        }
        let literals = self.literals.iter().filter(|literal| begins_a_literal && rest.starts_with(literal));
        let literals =
            literals.map(|literal| SecretMatch { rule: "literal", start: at, end: at + literal.len() });
        let tokens = prefixes_of(*pair).filter(|prefix| bounded && rest.starts_with(prefix.text));
        let tokens = tokens.filter_map(|TokenPrefix { text: prefix, shape, .. }| {
            let body = at + prefix.len();
            let end = runs.end(text, body, shape.body);
            is_body(shape, text.get(body..end)?).then_some(SecretMatch { rule: shape.rule, start: at, end })
        });
        tokens.chain(literals).max_by_key(|finding| finding.end)
    }
}

fn prefixes_of(pair: [u8; 2]) -> impl Iterator<Item = &'static TokenPrefix> {
    let first = PREFIXES.partition_point(|prefix| prefix.pair < pair);
    PREFIXES.iter().skip(first).take_while(move |prefix| prefix.pair == pair)
}

/// A set of pairs of bytes, one bit for each: nearly every place in a text is ruled out by one look.
#[derive(Clone)]
struct BytePairs([u64; 1024]);

impl BytePairs {
    const EMPTY: BytePairs = BytePairs([0; 1024]);

    #[expect(clippy::indexing_slicing, reason = "a place is below 1024")]
    const fn insert(&mut self, pair: [u8; 2]) {
        let (word, bit) = BytePairs::place(pair);
        self.0[word] |= bit;
    }

    /// Returns where the first pair of the set stands in `text`.
    fn position(&self, text: &[u8]) -> Option<usize> {
        text.windows(2).position(|window| window.first_chunk().is_some_and(|pair| self.contains(*pair)))
    }

    fn contains(&self, pair: [u8; 2]) -> bool {
        let (word, bit) = BytePairs::place(pair);
        self.0.get(word).is_some_and(|bits| bits & bit != 0)
    }

    const fn place([first, second]: [u8; 2]) -> (usize, u64) {
        ((first as usize) << 2 | second as usize >> 6, 1 << (second & 63))
    }
}

fn is_body(shape: &TokenShape, body: &[u8]) -> bool {
    // Where a token begins inside the run of another, only a look of bounded length keeps the walk linear.
    const GLANCE: usize = 256;
    let glance = body.get(..GLANCE).unwrap_or(body);
    (shape.min..=shape.max).contains(&body.len())
        && !is_crossed_out(glance)
        && (!shape.random || is_random(glance, Announcement::Near))
}

/// Where the runs of body bytes end, so that each is measured once however many prefixes stand in it.
#[derive(Default)]
struct Runs(Vec<(TokenAlphabet, Range<usize>)>);

impl Runs {
    fn end(&mut self, text: &[u8], start: usize, body: TokenAlphabet) -> usize {
        let known = self.0.iter().position(|(known, _)| *known == body);
        if let Some((_, run)) = known.and_then(|known| self.0.get(known))
            && run.contains(&start)
        {
            return run.end;
        }
        let rest = text.get(start..).unwrap_or_default();
        let end = start + rest.iter().take_while(|byte| body.holds(**byte)).count();
        match known.and_then(|known| self.0.get_mut(known)) {
            Some((_, run)) => *run = start..end,
            None => self.0.push((body, start..end)),
        }
        end
    }
}

/// Whether a token may begin at `at`: nothing, punctuation or an escape (`\n`, `%3D`) stands before it.
fn begins_a_word(text: &[u8], at: usize) -> bool {
    let is = |back: usize, expected: fn(&u8) -> bool| {
        at.checked_sub(back).and_then(|at| text.get(at)).is_some_and(expected)
    };
    if !is(1, u8::is_ascii_alphanumeric) || !is(0, u8::is_ascii_alphanumeric) {
        return true;
    }
    (is(2, |byte| *byte == b'\\') && is(1, |byte| matches!(byte, b'n' | b'r' | b't')))
        || (is(3, |byte| *byte == b'%') && is(2, u8::is_ascii_hexdigit) && is(1, u8::is_ascii_hexdigit))
}
