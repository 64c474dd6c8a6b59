//! Installing into any configuration file, finding it and uninstalling it again (law 10).

use crate::installing::{CODEX, GEMINI, Machine, PROGRAM};
use backstory_hosts::Host;
use jsonc_parser::tokens::Token;
use jsonc_parser::{CollectOptions, CommentCollectionStrategy, ParseOptions, parse_to_ast};
use proptest::prelude::*;
use serde_json::Value;

/// Writes JSON as a person might: `choices` decide on white space, comments and commas.
struct ConfigWriter<'a> {
    choices: &'a [u8],
    at: usize,
    newline: &'static str,
}

impl ConfigWriter<'_> {
    fn choice(&mut self, of: u8) -> u8 {
        let choice = self.choices.get(self.at % self.choices.len()).copied().unwrap_or(0);
        self.at += 1;
        choice % of
    }

    fn gap(&mut self) -> String {
        let newline = self.newline;
        match self.choice(12) {
            0 => format!(" // n{} \" }} ,{newline}", self.at),
            1 => format!("/* n{} \", {{ */", self.at),
            2 | 3 => format!("{newline}  "),
            4 => format!("{newline}\t"),
            5 => newline.to_owned(),
            6 | 7 => " ".to_owned(),
            _ => String::new(),
        }
    }

    fn write(&mut self, value: &Value) -> String {
        let (open, close, items): (char, char, Vec<String>) = match value {
            Value::Object(object) => {
                let mut item = |(key, value): (&String, &Value)| {
                    format!("{}{}:{}{}", Value::from(key.as_str()), self.gap(), self.gap(), self.write(value))
                };
                ('{', '}', object.iter().map(&mut item).collect())
            }
            Value::Array(list) => ('[', ']', list.iter().map(|value| self.write(value)).collect()),
            value => return value.to_string(),
        };
        let mut text = open.to_string();
        let last = items.len();
        for (at, item) in items.into_iter().enumerate() {
            text += &format!("{}{item}{}", self.gap(), self.gap());
            if at + 1 < last || self.choice(3) == 0 {
                text.push(',');
            }
        }
        text + &self.gap() + &close.to_string()
    }
}

fn json_text() -> impl Strategy<Value = String> {
    let word =
        || prop::sample::select(vec!["hooks", "Stop", "AfterTool", "mcpServers", "command", "a", "é\"//"]);
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        word().prop_map(Value::from),
    ];
    let value = leaf.prop_recursive(4, 24, 4, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map(word().prop_map(str::to_owned), inner, 0..4)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    });
    // Half of the objects hold hooks of other programs, as a host would write them.
    let hook = prop::collection::vec(value.clone(), 0..3).prop_map(Value::from);
    let event = prop::sample::select(vec!["SessionStart", "AfterTool", "Theirs"]).prop_map(str::to_owned);
    let hooks = prop::collection::btree_map(event, hook, 0..3);
    let root = prop::collection::btree_map(word().prop_map(str::to_owned), value, 0..5);
    let newline = prop::sample::select(vec!["\n", "\r\n"]);
    let choices = prop::collection::vec(any::<u8>(), 1..60);
    (root, prop::option::of(hooks), newline, choices, any::<bool>()).prop_map(
        |(root, hooks, newline, choices, mark)| {
            let mut root: serde_json::Map<String, Value> = root.into_iter().collect();
            if let Some(hooks) = hooks {
                root.insert("hooks".to_owned(), Value::Object(hooks.into_iter().collect()));
            }
            let mut writer = ConfigWriter { choices: &choices, at: 0, newline };
            let text = writer.gap() + &writer.write(&Value::Object(root)) + &writer.gap();
            if mark { format!("\u{feff}{text}") } else { text }
        },
    )
}

/// Returns the values of a text without empty lists, and its comments in order.
fn values_and_comments(text: &str) -> (Value, Vec<String>) {
    let text = text.trim_start_matches('\u{feff}');
    let collect = CollectOptions { comments: CommentCollectionStrategy::AsTokens, tokens: true };
    let parsed = parse_to_ast(text, &collect, &ParseOptions::default()).unwrap();
    let mut value: Value = parsed.value.map(Value::from).unwrap_or_default();
    prune(&mut value);
    let comments = parsed.tokens.unwrap().into_iter().filter_map(|token| match token.token {
        Token::CommentLine(words) | Token::CommentBlock(words) => Some(words.to_owned()),
        _ => None,
    });
    (value, comments.collect())
}

fn prune(value: &mut Value) {
    let is_empty = |value: &Value| {
        value.as_object().is_some_and(serde_json::Map::is_empty)
            || value.as_array().is_some_and(Vec::is_empty)
    };
    if let Some(hooks) = value.get_mut("hooks").and_then(Value::as_object_mut) {
        hooks.retain(|_, items| !is_empty(items));
    }
    if let Some(root) = value.as_object_mut() {
        root.retain(|key, value| !(["hooks", "mcpServers"].contains(&key.as_str()) && is_empty(value)));
    }
}

const AMP: &str = ".config/amp/AGENTS.md";

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn law_10_any_json_is_left_alone_or_comes_back(text in json_text()) {
        let machine = Machine::new();
        machine.write(GEMINI, &text);
        match machine.plan(Host::Gemini) {
            Err(error) => prop_assert!(error.to_string().contains("should be"), "{error}"),
            Ok(plan) => {
                plan.apply(&machine.installs).unwrap();
                prop_assert!(machine.is_idle(Host::Gemini));
                machine.uninstall(Host::Gemini);
                prop_assert_eq!(machine.read(GEMINI), text.clone());

                // Without the install records, values and comments of the user are still as they were.
                let left = machine.uninstall_without_records(Host::Gemini, GEMINI);
                prop_assert!(!left.contains("backstory"));
                prop_assert_eq!(values_and_comments(&left), values_and_comments(&text), "{}", left);
            }
        }
    }

    #[test]
    fn law_10_any_toml_comes_back(
        lines in prop::collection::vec(
            prop::sample::select(vec![
                "# [mcp_servers.backstory]", "", "x = 1", "[a]", "[a.\"b]\"]", "[[list]]", "[mcp_servers.other]",
                "t = '''\n[mcp_servers.backstory]\n'''", "l = [\n  [1], # two\n]", "[mcp_servers.other.env]", "  y = 2 # z",
            ]),
            0..8,
        ),
        newline in prop::sample::select(vec!["\n", "\r\n"]),
        ends in any::<bool>(),
    ) {
        let text = lines.join("\n").replace('\n', newline) + if ends { newline } else { "" };
        prop_assume!(text.parse::<toml::Table>().is_ok());
        let machine = Machine::new();
        machine.write(CODEX, &text);
        machine.install(Host::Codex);
        let table: toml::Table = machine.read(CODEX).parse().unwrap();
        prop_assert_eq!(table["mcp_servers"]["backstory"]["command"].as_str(), Some(PROGRAM));
        machine.uninstall(Host::Codex);
        prop_assert_eq!(machine.read(CODEX), text.clone());

        let left = machine.uninstall_without_records(Host::Codex, CODEX);
        prop_assert_eq!(left.trim_end(), text.trim_end());
    }

    #[test]
    fn law_10_any_text_comes_back(text in "[a#\r\n <!\\-\u{feff}]{0,40}") {
        let machine = Machine::new();
        machine.write(AMP, &text);
        machine.install(Host::Amp);
        prop_assert!(machine.read(AMP).contains("<!-- backstory:begin -->"));
        machine.uninstall(Host::Amp);
        prop_assert_eq!(machine.read(AMP), text.clone());

        let left = machine.uninstall_without_records(Host::Amp, AMP);
        prop_assert_eq!(left.trim_end(), text.trim_end());
    }
}
