//! Finds the tokens of the table (`shapes`) and the literals the user or the environment gave us.
//!
//! One walk over the text: two bytes choose the few patterns worth comparing, so that nothing is compiled
//! and the cost hardly grows with the table. Not here: values known only by their name (`named`).

use super::SecretMatch;
use super::random::{Announcement, is_crossed_out, is_random};
use super::shapes::{SHAPES, TokenAlphabet, TokenShape};
use std::borrow::Cow;
use std::ops::Range;

/// Everything that is known by how it begins.
pub(super) struct TokenRules {
    /// Sorted by the pair of bytes they begin with.
    patterns: Vec<TokenPattern>,
    pairs: BytePairs,
    /// With which literals begin, which also stand inside of words.
    literal_pairs: BytePairs,
}

struct TokenPattern {
    pair: [u8; 2],
    text: Cow<'static, [u8]>,
    /// What follows this prefix; a literal has none and is a secret by itself.
    shape: Option<&'static TokenShape>,
}

impl TokenRules {
    pub(super) fn new(literals: impl Iterator<Item = String>) -> TokenRules {
        let prefixes =
            SHAPES.iter().flat_map(|shape| shape.prefixes.iter().map(move |prefix| (prefix, shape)));
        let mut patterns: Vec<TokenPattern> = prefixes
            .map(|(prefix, shape)| (Cow::Borrowed(prefix.as_bytes()), Some(shape)))
            .chain(literals.map(|literal| (Cow::Owned(literal.into_bytes()), None)))
            .filter_map(|(text, shape)| Some(TokenPattern { pair: *text.first_chunk()?, text, shape }))
            .collect();
        patterns.sort_by_key(|pattern| pattern.pair);
        let pairs = BytePairs::new(patterns.iter().map(|pattern| pattern.pair));
        let literals = patterns.iter().filter(|pattern| pattern.shape.is_none());
        let literal_pairs = BytePairs::new(literals.map(|pattern| pattern.pair));
        TokenRules { patterns, pairs, literal_pairs }
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
        if !bounded && !self.literal_pairs.contains(*pair) {
            return None;
        }
        let first = self.patterns.partition_point(|pattern| pattern.pair < *pair);
        let patterns = self.patterns.get(first..)?.iter().take_while(|pattern| pattern.pair == *pair);
        let findings = patterns.filter(|pattern| rest.starts_with(&pattern.text)).filter_map(|pattern| {
            let body = at + pattern.text.len();
            let Some(shape) = pattern.shape else {
                return Some(SecretMatch { rule: "literal", start: at, end: body });
            };
            let end = if bounded { runs.end(text, body, shape.body) } else { return None };
            is_body(shape, text.get(body..end)?).then_some(SecretMatch { rule: shape.rule, start: at, end })
        });
        findings.max_by_key(|finding| finding.end)
    }
}

/// A set of pairs of bytes, one bit for each: nearly every place in a text is ruled out by one look.
struct BytePairs(Box<[u64; 1024]>);

impl BytePairs {
    fn new(pairs: impl Iterator<Item = [u8; 2]>) -> BytePairs {
        let mut bits = Box::new([0; 1024]);
        for pair in pairs {
            let (word, bit) = BytePairs::place(pair);
            if let Some(bits) = bits.get_mut(word) {
                *bits |= bit;
            }
        }
        BytePairs(bits)
    }

    /// Returns where the first pair of the set stands in `text`.
    fn position(&self, text: &[u8]) -> Option<usize> {
        text.windows(2).position(|window| window.first_chunk().is_some_and(|pair| self.contains(*pair)))
    }

    fn contains(&self, pair: [u8; 2]) -> bool {
        let (word, bit) = BytePairs::place(pair);
        self.0.get(word).is_some_and(|bits| bits & bit != 0)
    }

    fn place([first, second]: [u8; 2]) -> (usize, u64) {
        (usize::from(first) << 2 | usize::from(second) >> 6, 1 << (second & 63))
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
