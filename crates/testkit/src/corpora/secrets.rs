//! Secrets in the documented formats of their providers, texts that only look like secrets, and private tags. All values are random.

use crate::drawn::{BASE62, HEX, UPPER, drawn};

/// A text with one secret in it.
#[derive(Clone, Debug)]
pub struct SecretSample {
    /// The text around and with the secret.
    pub text: String,
    /// What must be gone.
    pub secret: String,
}

/// A text with a part that must not be stored.
#[derive(Clone, Debug)]
pub struct PrivateTagCase {
    /// What it tries.
    pub name: &'static str,
    /// The text.
    pub text: String,
    /// What must be gone.
    pub forbidden: String,
    /// Whether the text is JSON.
    pub is_json: bool,
}

/// Prefix, alphabet and length of tokens, as their providers document them.
const TOKENS: [(&str, &str, usize); 30] = [
    ("sk-ant-api03-", BASE62, 95),
    ("sk-proj-", BASE62, 90),
    ("ghp_", BASE62, 36),
    ("gho_", BASE62, 36),
    ("ghu_", BASE62, 36),
    ("ghs_", BASE62, 36),
    ("ghr_", BASE62, 36),
    ("github_pat_", BASE62, 82),
    ("glpat-", BASE62, 20),
    ("AKIA", UPPER, 16),
    ("ASIA", UPPER, 16),
    ("AIza", BASE62, 35),
    ("ya29.", BASE62, 80),
    ("npm_", BASE62, 36),
    ("pypi-AgEIcHlwaS5vcmc", BASE62, 90),
    ("hf_", BASE62, 34),
    ("sk_live_", BASE62, 24),
    ("rk_live_", BASE62, 24),
    ("whsec_", BASE62, 32),
    ("dop_v1_", HEX, 64),
    ("hvs.", BASE62, 90),
    ("xoxb-", BASE62, 50),
    ("xoxp-", BASE62, 60),
    ("shpat_", HEX, 32),
    ("dckr_pat_", BASE62, 27),
    ("lin_api_", BASE62, 40),
    ("gsk_", BASE62, 52),
    ("xai-", BASE62, 80),
    ("lsv2_pt_", HEX, 42),
    ("eyJhbGciOi", BASE62, 120),
];

/// Values without a prefix of their own, known by what stands before them.
const NAMED: [(&str, &str, usize, &str); 12] = [
    ("API_KEY=", BASE62, 40, "\n"),
    ("SECRET_TOKEN=", HEX, 32, "\n"),
    ("AWS_SECRET_ACCESS_KEY=", BASE62, 40, "\n"),
    ("client_secret: \"", BASE62, 32, "\""),
    ("\"accessToken\": \"", BASE62, 48, "\","),
    ("curl -H 'X-Api-Key: ", BASE62, 32, "' https://api.example.org"),
    ("curl -H \"Authorization: Bearer ", BASE62, 40, "\" https://api.example.org"),
    ("DB_PASSWORD=", BASE62, 20, "\n"),
    ("password = \"", BASE62, 14, "\""),
    ("postgres://app:", BASE62, 18, "@db.example.org/app"),
    ("https://deploy:", BASE62, 24, "@git.example.org/app.git"),
    ("mysql -u root --password=", BASE62, 16, " -e 'SELECT 1'"),
];

/// Where an agent meets a token.
const PLACES: [(&str, &str); 9] = [
    ("export SERVICE_KEY=", "\n"),
    ("{\"token\": \"", "\"}"),
    ("curl -H 'Authorization: Bearer ", "' https://api.example.org/v1"),
    ("token: ", "\nregion: eu\n"),
    ("the key ", " was rotated yesterday"),
    ("const KEY = \"", "\";"),
    ("2026-05-01T12:00:00Z WARN auth failed key=", " retrying"),
    ("line one\\n", "\\nline three"),
    ("args: [\"--key\", \"", "\"]"),
];

/// Returns texts with secrets as agents meet them: every token in every place, named values, key blocks.
#[must_use]
pub fn secret_samples() -> Vec<SecretSample> {
    let mut samples = Vec::new();
    for (seed, (prefix, alphabet, length)) in (1_u64..).zip(TOKENS) {
        for (place, (before, after)) in (0_u64..).zip(PLACES) {
            let secret = format!("{prefix}{}", drawn(alphabet, length, seed * 100 + place));
            samples.push(SecretSample { text: format!("{before}{secret}{after}"), secret });
        }
    }
    for seed in 1..=5 {
        for (row, (before, alphabet, length, after)) in (0_u64..).zip(NAMED) {
            let secret = drawn(alphabet, length, 10_000 + seed * 100 + row);
            samples.push(SecretSample { text: format!("{before}{secret}{after}"), secret });
        }
        samples.extend(["RSA ", "EC ", "OPENSSH ", ""].map(|sort| key_block(sort, seed)));
    }
    samples
}

fn key_block(sort: &str, seed: u64) -> SecretSample {
    let lines: Vec<String> = (0..8).map(|line| drawn(BASE62, 64, 20_000 + seed * 10 + line)).collect();
    let secret = lines.join("\n");
    let edge = |word: &str| format!("-----{word} {sort}{} KEY-----", "PRIVATE");
    SecretSample { text: format!("cat key.pem\n{}\n{secret}\n{}\n", edge("BEGIN"), edge("END")), secret }
}

/// Returns texts that only look like secrets: digests, ids, placeholders, code.
#[must_use]
pub fn lookalikes() -> Vec<String> {
    let mut texts: Vec<String> = [
        "password: <password>",
        "token: ${SERVICE_TOKEN}",
        "api_key = os.environ[\"API_KEY\"]",
        "Authorization: Bearer <token>",
        "let token: TokenStream = input.into();",
        "password: Option<String>, secret: &str,",
        "the password is wrong, ask for a new one",
        "key = self.keys.get(&index)?;",
        "git config --global credential.helper store",
        "ssh-keygen -t ed25519 -f ~/.ssh/id_ed25519",
        "see the `token` field of the reply",
        "--password-file /run/secrets/db",
    ]
    .map(str::to_owned)
    .to_vec();
    for seed in 1..=6_u64 {
        let hex = |length: usize, salt: u64| drawn(HEX, length, 30_000 + seed * 10 + salt);
        let id = format!("{}-{}-{}-{}-{}", hex(8, 1), hex(4, 2), hex(4, 3), hex(4, 4), hex(12, 5));
        texts.extend([
            format!("commit {}", hex(40, 6)),
            format!("checksum = \"{}\"", hex(64, 7)),
            format!("image: registry.example.org/app@sha256:{}", hex(64, 8)),
            format!("etag: W/\"{}\"", hex(32, 9)),
            format!("request id {id}"),
            format!("index {}..{} 100644", hex(7, 1), hex(7, 2)),
            format!("color: #{};", hex(6, 3)),
            format!("panicked at 0x{}", hex(16, 4)),
            format!("tree {}\nparent {}", hex(40, 5), hex(40, 6)),
            format!("session {id} resumed"),
        ]);
    }
    texts
}

/// Returns private parts in the spellings people and programs use.
#[must_use]
pub fn private_tag_cases() -> Vec<PrivateTagCase> {
    // `@` becomes a random word that must not be stored.
    let plain = [
        ("plain", "before <private>@</private> after"),
        ("upper case", "before <PRIVATE>@</PRIVATE> after"),
        ("mixed case", "before <PrIvAtE>@</pRiVaTe> after"),
        ("attributes", "<private why=\"x > y\">@</private>"),
        ("nested", "a <private>b <private>c</private> @</private> e"),
        ("nested twice", "<private><private><private>x</private></private> @</private>"),
        ("unclosed", "before <private>@"),
        ("several lines", "a\n<private>\nline\n@\n</private>\nb"),
        ("two parts", "<private>x</private> kept <private>@</private>"),
        ("inside Markdown", "```\n<private>@</private>\n```"),
        ("inside a list", "- one\n- <private>@</private>\n"),
        ("inside HTML", "<div><private>@</private></div>"),
        ("HTML entities", "a &lt;private&gt;@&lt;/private&gt; c"),
        ("numeric entities", "&#60;private&#62;@&#x3c;/private&#x3e;"),
        ("JSON escapes", "a \\u003cprivate\\u003e@\\u003c/private\\u003e c"),
        ("letters around it", "é<private>@日本</private>🦀"),
        ("closing first", "</private> a <private>@</private>"),
        ("much text", "<private>long text before the word, long text before the word @ and after</private>"),
    ];
    let json = [
        ("JSON value", r#"{"note": "<private>@</private>"}"#),
        ("JSON list", r#"{"notes": ["a", "<private>@</private>"]}"#),
        ("JSON key", r#"{"<private>@</private>": 1}"#),
        ("deep JSON", r#"{"a": {"b": [{"c": "x <private>@</private> y"}]}}"#),
        ("JSON in JSON", r#"{"a": "{\"b\": \"<private>@</private>\"}"}"#),
    ];
    let all = plain.iter().map(|it| (it, false)).chain(json.iter().map(|it| (it, true)));
    let case = |(seed, ((name, template), is_json)): (u64, (&(&'static str, &str), bool))| {
        let forbidden = drawn(BASE62, 12, 40_000 + seed);
        PrivateTagCase { name, text: template.replace('@', &forbidden), forbidden, is_json }
    };
    (0..).zip(all).map(case).collect()
}
