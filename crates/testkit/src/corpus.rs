//! Generated memories, deterministic by seed, with the word frequencies of real text.

/// A generator of memories.
#[derive(Debug)]
pub struct Corpus {
    state: u64,
    made: u32,
}

const SUBJECTS: &[&str] = &[
    "parser",
    "scheduler",
    "cache",
    "migration",
    "login",
    "session",
    "index",
    "queue",
    "webhook",
    "renderer",
    "importer",
    "exporter",
    "billing",
    "search",
    "upload",
    "worker",
    "router",
    "tokenizer",
    "config",
    "pipeline",
    "deploy",
    "backup",
    "cursor",
    "layout",
];
const VERBS: &[&str] = &[
    "rejects",
    "loses",
    "repeats",
    "caches",
    "splits",
    "merges",
    "retries",
    "locks",
    "skips",
    "validates",
    "rounds",
    "sorts",
    "truncates",
    "escapes",
    "streams",
    "batches",
    "defers",
    "ignores",
];
const OBJECTS: &[&str] = &[
    "empty requests",
    "stale rows",
    "unicode names",
    "long paths",
    "duplicate keys",
    "late events",
    "binary files",
    "nested lists",
    "time zones",
    "large uploads",
    "partial writes",
    "expired tokens",
    "hidden files",
    "slow clients",
    "old schemas",
    "open handles",
];
const KINDS: &[&str] =
    &["decision", "rule", "failure", "fact", "feature", "bugfix", "refactor", "change", "discovery", "note"];

impl Corpus {
    /// Starts a generator.
    #[must_use]
    pub fn new(seed: u64) -> Corpus {
        Corpus { state: seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1, made: 0 }
    }

    /// Returns the next number below `limit`.
    pub fn below(&mut self, limit: usize) -> usize {
        // xorshift64*: small, and the same everywhere.
        self.state ^= self.state >> 12;
        self.state ^= self.state << 25;
        self.state ^= self.state >> 27;
        (self.state.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) as usize % limit.max(1)
    }

    /// Returns a random vector.
    #[must_use]
    pub fn vector<const N: usize>(&mut self) -> [f32; N] {
        const STEPS: usize = 1 << 24;
        std::array::from_fn(|_| self.below(STEPS) as f32 / STEPS as f32 - 0.5)
    }

    fn pick<'a>(&mut self, words: &[&'a str]) -> &'a str {
        let at = self.below(words.len());
        words.get(at).copied().unwrap_or_default()
    }

    /// Returns a rare word: most occur once or twice, as in real text.
    fn rare(&mut self) -> String {
        let range = 1 << (4 + self.below(13));
        format!("{}{}", self.pick(&["alpha", "beta", "delta", "omega", "sigma", "kappa"]), self.below(range))
    }

    /// Returns a sentence.
    pub fn sentence(&mut self) -> String {
        let (subject, verb, object) = (self.pick(SUBJECTS), self.pick(VERBS), self.pick(OBJECTS));
        let (one, other) = (self.rare(), self.rare());
        format!("The {subject} {verb} {object} when `{one}_{other}` is set.")
    }

    /// Returns a question that some memories answer.
    pub fn question(&mut self) -> String {
        let (subject, object) = (self.pick(SUBJECTS), self.pick(OBJECTS));
        format!("why does the {subject} have trouble with {object} and {}", self.rare())
    }

    /// Returns the next memory.
    pub fn memory(&mut self) -> GeneratedMemory {
        let number = self.made;
        self.made += 1;
        let (kind, title) = (self.pick(KINDS), self.sentence());
        let mut body = String::new();
        for _ in 0..2 + self.below(5) {
            body += &self.sentence();
            body.push(' ');
        }
        let file = format!("src/{}/{}.rs", self.pick(SUBJECTS), self.rare());
        let created_at_ms = 1_700_000_000_000 + i64::from(number) * 60_000;
        GeneratedMemory { uid: format!("made-up-{number}"), kind, title, body, file, created_at_ms }
    }
}

/// A generated memory.
#[derive(Clone, Debug)]
pub struct GeneratedMemory {
    /// Its uid.
    pub uid: String,
    /// The name of its kind.
    pub kind: &'static str,
    /// Its title.
    pub title: String,
    /// Its text.
    pub body: String,
    /// A file it names.
    pub file: String,
    /// When it was written.
    pub created_at_ms: i64,
}

impl GeneratedMemory {
    /// Returns it as a line of JSON for `import`.
    #[must_use]
    pub fn line(&self, project: &str) -> String {
        let GeneratedMemory { uid, kind, title, body, file, created_at_ms } = self;
        format!(
            r#"{{"uid":"{uid}","kind":"{kind}","title":"{title}","body":"{body}","project":"{project}","created_at":{created_at_ms},"files":["{file}"]}}"#
        )
    }
}
