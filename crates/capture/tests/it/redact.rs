//! What is taken out of text and JSON, rule by rule, and what stays.

use backstory_capture::{Redactor, RedactorOptions};
use backstory_testkit::{BASE62, HEX, UPPER, drawn};
use serde_json::{Value, json};

/// Checks that the secret is gone, everything around it stays, and the rule is named.
fn check(before: &str, secret: &str, after: &str, rule: &str) {
    let text = format!("{before}{secret}{after}");
    let redaction = redactor().redact(&text);
    let redacted = redaction.text.as_str();
    assert!(!redacted.contains(secret), "{text} -> {redacted}");
    assert!(redacted.starts_with(before) && redacted.ends_with(after), "{text} -> {redacted}");
    assert!(redacted.contains(&format!("[REDACTED:{rule}")), "{text} -> {redacted}");
}

fn check_untouched(text: &str) {
    assert_eq!(redactor().redact(text).text.as_str(), text);
}

#[test]
fn tokens_are_known_by_their_prefix() {
    for (prefix, alphabet, length, rule) in [
        ("sk-ant-api03-", BASE62, 95, "anthropic-key"),
        ("sk-proj-", BASE62, 90, "openai-key"),
        ("ghp_", BASE62, 36, "github-token"),
        ("github_pat_", BASE62, 82, "github-token"),
        ("glpat-", BASE62, 20, "gitlab-token"),
        ("AKIA", UPPER, 16, "aws-access-key"),
        ("AIza", BASE62, 35, "google-api-key"),
        ("npm_", BASE62, 36, "npm-token"),
        ("hf_", BASE62, 34, "hugging-face-token"),
        ("sk_live_", BASE62, 24, "stripe-key"),
        ("dop_v1_", HEX, 64, "digitalocean-token"),
        ("hvs.", BASE62, 90, "vault-token"),
        ("eyJhbGciOi", BASE62, 60, "json-web-token"),
    ] {
        let secret = format!("{prefix}{}", drawn(alphabet, length, 1));
        check("use ", &secret, " here", rule);
        check("'", &secret, "'", rule);
        check("line\\n", &secret, "\\n", rule);
        check("?q%3D", &secret, "&x=1", rule);
    }
}

#[test]
fn a_prefix_inside_a_word_or_with_the_wrong_length_is_no_token() {
    check_untouched(&format!("my{}{}", "ghp_", drawn(BASE62, 36, 1)));
    check_untouched(&format!("{}{}", "ghp_", drawn(BASE62, 8, 1)));
    check_untouched(&format!("{}{}", "AKIA", drawn(UPPER, 30, 1)));
    check_untouched(&format!("{}{}", "ghp_", "x".repeat(36)));
}

#[test]
fn values_are_known_by_the_name_before_them() {
    let hex = drawn(HEX, 32, 2);
    let base62 = drawn(BASE62, 40, 3);
    for before in
        ["api_key = \"", "SECRET_TOKEN=", "\"accessToken\": \"", "-H 'X-Api-Key: ", "token: ", "acme-token-"]
    {
        check(before, &hex, "", "named-secret");
        check(before, &base62, "", "named-secret");
    }
    check("curl -H \"Authorization: Bearer ", &hex, "\"", "authorization");
}

#[test]
fn digests_revisions_and_names_in_code_stay() {
    let sha = drawn(HEX, 40, 4);
    check_untouched(&format!("commit {sha}"));
    check_untouched(&format!("checksum = \"{sha}{sha}\""));
    check_untouched(&format!("the key change is commit {sha}"));
    check_untouched(&format!("public_key = \"{sha}\""));
    check_untouched("let token: TokenStream2 = parse_macro_input!(input as Utf8ToUtf16Converter);");
    check_untouched("password: Option<String>, token: &str, key = self.keys.get(&index)?;");
    check_untouched("target = x86_64-unknown-linux-gnu; key path: ~/.ssh/authorized_keys");
}

#[test]
fn chosen_passwords_are_found_where_they_are_assigned() {
    check("password = \"", "hunter2!", "\"", "credential");
    check("DB_PASSWORD=", "correcthorse", "\n", "credential");
    check("{\\\"password\\\": \\\"", "geheim123", "\\\"}", "credential");
    check("curl -u ", "admin:geheim", " https://example.org", "credential");
    check("postgres://", "app:s3cr3t@x", "@db.example.org/app", "url-credential");
    for text in [
        "password = \"<password>\"",
        "password: \"${DB_PASSWORD}\"",
        "the password is wrong",
        "--password-file x",
    ] {
        check_untouched(text);
    }
}

#[test]
fn a_value_is_redacted_to_its_end() {
    for (before, parts) in [
        ("password: ", ["Tr0ub4dor", "&3xY"]),
        ("password: ", ["Tr0ub", "&4dor9"]),
        ("DB_PASSWORD=", ["w1nter", ";morgen"]),
        ("PGPASSWORD=", ["correct", ",horse"]),
    ] {
        check(before, &parts.concat(), "", "credential");
        check(before, &parts.concat(), " psql", "credential");
    }
    check("SECRET_KEY=", &["django-insecure-8$w", "!3k2^z0q@x"].concat(), " psql", "named-secret");
    check("api_key=", &format!("{}$x9", drawn(HEX, 32, 2)), "", "named-secret");
    check("?password=", "geheim123", "&x=1", "credential");
}

#[test]
fn short_values_are_redacted_where_the_name_is_clear() {
    for (before, secret, after, rule) in [
        ("API_KEY=", "abc123def", "\n", "named-secret"),
        ("deploy --token ", "abc123def456", " --now", "named-secret"),
        ("X-Api-Key: ", "abc123", "", "named-secret"),
        ("keytool -storepass ", "winter99", " -list", "credential"),
        ("<password>", "Winter2026", "</password>", "credential"),
        ("pw: ", "Winter2026", "", "credential"),
    ] {
        check(before, secret, after, rule);
    }
    check("machine example.org login me password ", "Winter2026", "", "named-secret");
    for text in [
        "CACHE_KEY=users_v2",
        "{ secret: 'value1' }",
        "API_TOKEN=$CI_TOKEN_2",
        "--token next",
        "--key src/key1.pem",
        "token_v2 = abc123",
        "<password>{value}</password>",
        "the password Argon2Hasher checks",
    ] {
        check_untouched(text);
    }
}

#[test]
fn a_password_may_be_several_words() {
    check("DB_PASSWORD='", "correct horse battery", "'", "credential");
    check("{\"password\": \"", "winter is coming", "\"}", "credential");
    for text in [
        "\"password\": \"Enter your password\"",
        "password = \"must be long enough\"",
        "errors.password = 'is required'",
        "{\"pass\": \"all tests are green\"}",
        "{ password: \"is too short\" }",
        "\"password\": \"Minimum eight characters\"",
    ] {
        check_untouched(text);
    }
}

#[test]
fn passwords_on_command_lines_are_redacted() {
    for (before, secret) in [
        ("mysql -u root -p", "S3cret99x"),
        ("mysqldump -uroot -p'", "gute nacht"),
        ("/usr/bin/mysql -uroot -p", "S3c!ret&99"),
        ("sshpass -p ", "Winter2026!"),
        ("docker login -u me -p ", "Winter2026xyz"),
        ("redis-cli -h db -a ", "S3cretPass9"),
        ("mongosh -u me \\\n  -p ", "wintermorgen"),
        ("ldapsearch -x -w ", "geheim"),
    ] {
        check(before, secret, if before.ends_with('\'') { "' db" } else { " ssh me@host" }, "credential");
    }
    for text in [
        "mkdir -p src/x9",
        "ssh -p 2222 me@host",
        "cp -p a1 b2",
        "docker run -p 8080:80 web",
        "docker login && docker run -p 8080:80a web",
        "docker login -p $TOKEN",
        "mysql -u root -p books",
        "redis-cli -p 6379",
        "mongosh -u me -p --quiet",
        "mysql -u root; mkdir -pv src/x9",
        "cargo test login -p backstory-cli9",
        "pytest tests/login -p no:cacheprovider2",
        "docker run -d --name mongo -p 27017:27017 mongo:7",
        "docker run --name mysql -p3306:3306 mysql",
        "docker run -e API=http://api -u 1000:1000 img",
    ] {
        check_untouched(text);
    }
}

/// Passwords that do not look random, in every place where only what stands around them says what they are.
#[test]
fn chosen_passwords_are_known_by_what_stands_around_them() {
    for (before, after) in [
        // Plans and variables of Terraform.
        ("~ password = \"(sensitive value)\" -> \"", "\""),
        ("variable \"admin_password\" {\n  type = string\n  default = \"", "\"\n}"),
        ("\"db_password\": { \"sensitive\": true, \"value\": \"", "\" }"),
        ("+ secret_string = \"", "\""),
        // Files of passwords.
        ("machine example.org\n  login ci\n  password ", "\n"),
        ("db.example.org:5432:app:app_rw:", "\n"),
        ("requirepass ", "\n"),
        // SQL.
        ("CREATE USER app WITH PASSWORD '", "';"),
        ("CREATE USER 'app'@'%' IDENTIFIED BY '", "';"),
        ("ALTER USER root IDENTIFIED WITH mysql_native_password BY '", "';"),
        ("INSERT INTO users (name, password) VALUES ('ann', '", "');"),
        // Code.
        ("define(\"DB_PASSWORD\", \"", "\");"),
        ("let password: &str = \"", "\";"),
        ("let password = String::from(\"", "\");"),
        ("props.setProperty(\"password\", \"", "\");"),
        ("cy.get('#password').type('", "')"),
        ("HTTPBasicAuth(\"ann\", \"", "\")"),
        ("- name: DB_PASSWORD\n  value: \"", "\"\n"),
        // Tables.
        ("| user | password |\n|---|---|\n| ann | ", " |\n"),
        (" id | password\n----+----------\n  1 | ", "\n(1 row)"),
        ("│ login │ password │\n├───────┼──────────┤\n│ ann   │ ", " │\n"),
        ("| `DB_PASSWORD` | `", "` |"),
        ("user,password\nann,", "\n"),
        // Commands that read or print a password.
        ("echo ", " | docker login -u me --password-stdin"),
        ("docker login --password-stdin <<< \"", "\""),
        ("echo 'me:", "' | chpasswd"),
        ("$ pass show work/db\n", "\n"),
        ("Enter the password:\n\n", "\n"),
        // Sentences.
        ("i set the password to ", " on staging"),
        ("the root password has been reset to ", "."),
        ("das Passwort ist ", ""),
        ("le mot de passe est ", ", merci"),
        ("пароль: ", ""),
        ("credentials: demo / ", ""),
    ] {
        check(before, "Kelvin81xQ", after, "");
    }
    let backwards = redactor().redact("use Kelvin81xQ as the password").text.into_inner();
    assert!(
        backwards.starts_with("use [REDACTED:") && backwards.ends_with("] as the password"),
        "{backwards}"
    );
    for text in [
        "~ password = (sensitive value) -> (known after apply)",
        "| password | text | hash of it |",
        "cat token.txt | docker login --password-stdin",
        "echo \"$TOKEN\" | docker login --password-stdin",
        "CREATE USER app WITH PASSWORD :'app_password';",
        "rows identified by colUsed1 and others",
        "i set the password to expire after 90 days",
        "src/lib.rs:1234:5:error:e0308x",
        "('ssh2_auth_password',\n 'ssh2_exec',\n 'ssh2_poll2',)",
    ] {
        check_untouched(text);
    }
}

#[test]
fn the_key_of_another_value_ends_the_search_for_the_first() {
    let id = ["29f63271", "dc2f", "4734", "8221", "5b31b5169bac"].join("-");
    check_untouched(&format!("{{\"file\": \"src/useAuth.ts\", \"uuid\": \"{id}\"}}"));
    check_untouched(&format!("Email OTP login: userId={id}"));
    check_untouched(&format!("{{\"hooks/token.ts\": {{\"backupFileName\": \"{}@v1\"}}}}", drawn(HEX, 16, 3)));
    check_untouched(&format!("data:application/json;base64,eyJ{}", drawn(BASE62, 60, 4)));
    check_untouched(&format!("using RSA key {}", drawn(HEX, 40, 5).to_uppercase()));
}

#[test]
fn signed_addresses_lose_their_signature() {
    let signature = drawn(HEX, 64, 6);
    for before in
        ["https://b.s3.amazonaws.com/x?X-Amz-Signature=", "https://a.blob.core.windows.net/x?sp=r&sig="]
    {
        check(before, &signature, "&x=1", "url-signature");
    }
    check("https://", &drawn(BASE62, 40, 7), "@github.com/octo/app.git", "url-credential");
    check_untouched("https://example.org/?sig=none&code=DE");
}

#[test]
fn credentials_in_headers_are_redacted_however_short() {
    let pair = ["dXNlcjpw", "YXNz"].concat();
    for (before, secret, after) in [
        ("Authorization: Basic ", pair.as_str(), ""),
        ("Authorization: Bearer ", "abc123", ""),
        ("curl -H 'Authorization: Bearer ", "abcdef", "'"),
        ("\"Authorization\": \"Token ", "abc123", "\""),
        ("Proxy-Authorization: Basic ", pair.as_str(), "\n"),
    ] {
        check(before, secret, after, "authorization");
    }
    let mut value = json!({"headers": {"Authorization": "Bearer abc123"}});
    redactor().scrub_json(&mut value);
    assert!(!value.to_string().contains("abc123"), "{value}");
    for text in [
        "Authorization: Bearer <token>",
        "Authorization: Bearer token",
        "Authorization: Bearer ${TOKEN}",
        "'Authorization: Bearer ' + accessToken",
        "Authorization: Basic auth is off",
        "(\"Authorization: Basic %s\\r\\n\" % pair)",
    ] {
        check_untouched(text);
    }
}

#[test]
fn secrets_in_sentences_are_redacted() {
    let token = drawn(BASE62, 24, 3);
    check("the api key for the test backend is ", &token, "", "named-secret");
    check("The token for the login page of staging is `", &token, "`", "named-secret");
    check("the secret we use on the old cluster: ", &token, "", "named-secret");
    check("the password for staging is ", &["Xk29vLm", "Q81Tg"].concat(), "", "named-secret");
    check("the password is ", "P@ssw0rd2026", " by the way", "named-secret");
    for text in [
        "the password is required",
        "password: string",
        "token = next_token()",
        "the password for the admin page is stored as sha256",
        "the token for the parser is Utf8ToUtf16Converter",
        "the key to this is src/redact/random_numbers_2.rs",
        "the password field is UserForm2026",
    ] {
        check_untouched(text);
    }
}

#[test]
fn the_user_name_beside_a_password_is_redacted_too() {
    let text = "Server=db;User Id=bookkeeper;Password=geheim;Database=books;";
    let redacted = redactor().redact(text).text.into_inner();
    assert!(!redacted.contains("bookkeeper") && !redacted.contains("geheim"), "{redacted}");
    assert!(
        redacted.starts_with("Server=db;User Id=[") && redacted.ends_with(";Database=books;"),
        "{redacted}"
    );
}

#[test]
fn private_keys_are_redacted_whole_even_when_cut_off() {
    let line = drawn(BASE62, 64, 5);
    let begin = format!("-----{} PRIVATE {}-----", "BEGIN RSA", "KEY");
    let end = format!("-----{} PRIVATE {}-----", "END RSA", "KEY");
    check("a\n", &format!("{begin}\n{line}\n{line}\n{end}"), "\nb", "private-key");
    check("a\n", &format!("{begin}\n{line}\n{line}"), "", "private-key");
    check("\"", &format!("{begin}\\n{line}\\n{end}"), "\\n\"", "private-key");
    check("", &format!("{line}\n{line}\n"), &end, "private-key");
    check_untouched(&format!("expects `{begin}` and `{end}`"));
}

#[test]
fn data_of_kubernetes_secrets_is_redacted() {
    let text =
        "kind: Secret\nmetadata:\n  name: db\ndata:\n  user: YWRtaW4=\n  pin: \"MTIzNA==\"\ntype: Opaque\n";
    let redacted = redactor().redact(text).text.into_inner();
    assert!(!redacted.contains("YWRtaW4") && !redacted.contains("MTIzNA"), "{redacted}");
    assert!(redacted.contains("name: db") && redacted.contains("type: Opaque"), "{redacted}");
    check_untouched("kind: ConfigMap\ndata:\n  user: YWRtaW4=\n");
}

#[test]
fn equal_secrets_have_equal_markers_under_one_key_only() {
    let secret = format!("ghp_{}", drawn(BASE62, 36, 6));
    let other = Redactor::new(RedactorOptions { key: [1; 32], ..RedactorOptions::default() });
    let marker = redactor().redact(&secret).text;
    assert_eq!(redactor().redact(&format!("{secret} {secret}")).text.as_str(), format!("{marker} {marker}"));
    assert_ne!(other.redact(&secret).text, marker);
}

#[test]
fn findings_name_their_rule_and_position() {
    let secret = format!("ghp_{}", drawn(BASE62, 36, 7));
    let text = format!("ä {secret} ö");
    let found = redactor().redact(&text).found;
    assert_eq!(found.len(), 1);
    assert_eq!((found[0].rule, &text[found[0].start..found[0].end]), ("github-token", secret.as_str()));
}

#[test]
fn configured_literals_and_secret_environment_values_are_redacted_everywhere() {
    let redactor = Redactor::new(RedactorOptions {
        literals: vec!["Projekt Nordlicht".into(), "abc".into()],
        environment: vec![
            ("SERVICE_TOKEN".into(), "open sesame, friend".into()),
            ("EDITOR".into(), "/usr/bin/vim -u none".into()),
            ("SSH_KEY_PATH".into(), "/home/me/.ssh/id".into()),
        ],
        ..RedactorOptions::default()
    });
    let text = "abc xProjekt Nordlichtx, open sesame, friend! /usr/bin/vim -u none /home/me/.ssh/id";
    let redacted = redactor.redact(text).text.into_inner();
    assert!(!redacted.contains("Nordlicht") && !redacted.contains("sesame"), "{redacted}");
    assert!(
        redacted.starts_with("abc x[REDACTED:literal:") && redacted.ends_with("/home/me/.ssh/id"),
        "{redacted}"
    );
}

#[test]
fn values_of_the_environment_are_redacted_by_what_their_names_and_forms_say() {
    let (random, word) = (drawn(BASE62, 32, 5), "Kelvin81xQ");
    let holds = |name: &str, value: &str, text: &str| {
        let environment = vec![(name.to_owned(), value.to_owned())];
        let redactor = Redactor::new(RedactorOptions { environment, ..RedactorOptions::default() });
        redactor.redact(text).found.iter().any(|finding| finding.rule == "literal")
    };
    let address = format!("postgres://app:{word}@db.internal/app");
    let hook = format!("https://hooks.example.org/services/T01/B02/{random}");
    for (name, value, secret) in [
        ("DATABASE_URL", address.as_str(), word),
        ("CACHE", address.as_str(), word),
        ("PGPASS", word, word),
        ("STRIPE_SK", &random, &random),
        ("SLACK_HOOK", &hook, &hook),
        ("AWS_SESSION", &random, &random),
        ("OPENAI", &random, &random),
        ("ADMIN_TOKEN", word, word),
    ] {
        assert!(holds(name, value, &format!("it printed {secret} twice")), "{name}={value}");
    }
    for (name, value) in [
        ("PWD", "/home/me/projects"),
        ("OLDPWD", "C:\\work\\projects"),
        ("RUSTC_VERSION", "1.95.0-nightly"),
        ("GIT_COMMIT", &random),
        ("XDG_SESSION_TYPE", "wayland-session"),
        ("SSH_ASKPASS", "ksshaskpass"),
        ("OPENAI_BASE_URL", "https://api.openai.com/v1"),
        ("TOKEN_URL", "https://id.example.org/oauth/authorize"),
        ("MAX_OUTPUT_TOKENS", "100000000"),
        ("OPENAI_MODEL", "gpt-5-codex-mini"),
    ] {
        assert!(!holds(name, value, &format!("it printed {value} twice")), "{name}={value}");
    }
}

#[test]
fn the_private_members_of_a_web_key_go_and_the_public_stay() {
    let member = |seed| drawn(BASE62, 43, seed);
    let (public, private) = (member(1), member(2));
    let key = format!(r#"{{"kty":"OKP","x":"{public}","d":"{private}"}}"#);
    let text = redactor().redact(&key).text;
    assert!(text.as_str().contains(&public) && !text.as_str().contains(&private), "{text}");
    let mut value: Value = serde_json::from_str(&key).unwrap();
    redactor().scrub_json(&mut value);
    let text = value.to_string();
    assert!(text.contains(&public) && !text.contains(&private), "{text}");
}

#[test]
fn json_is_scrubbed_in_values_keys_and_by_the_name_of_the_field() {
    let token = format!("ghp_{}", drawn(BASE62, 36, 8));
    let plain = drawn(BASE62, 24, 9);
    let mut value = json!({
        "text": ["see", {"deep": token.clone()}],
        token.clone(): 1,
        "password": "geheim",
        "apiKey": plain.clone(),
        "id": plain.clone(),
        "note": "a <private>b</private> c",
    });
    redactor().scrub_json(&mut value);
    let text = value.to_string();
    assert!(!text.contains(&token) && !text.contains("geheim"), "{text}");
    assert_eq!(value["id"], json!(plain));
    assert_eq!(value["note"], json!("a [private] c"));
    assert!(
        value["apiKey"].as_str().is_some_and(|text| text.starts_with("[REDACTED:named-secret:")),
        "{text}"
    );
    let once = value.clone();
    redactor().scrub_json(&mut value);
    assert_eq!(value, once);
}

#[test]
fn a_private_part_may_span_the_strings_of_a_value() {
    let mut value = json!([{"t": "a <private>b"}, {"t": "hidden"}, {"t": "c</private> d"}, {"t": "seen"}]);
    redactor().scrub_json(&mut value);
    assert_eq!(value, json!([{"t": "a [private]"}, {"t": "[private]"}, {"t": "[private] d"}, {"t": "seen"}]));
    let mut unclosed = json!(["a <private>b", "seen"]);
    redactor().scrub_json(&mut unclosed);
    assert_eq!(unclosed, json!(["a [private]", "seen"]));
}

pub(crate) fn redactor() -> Redactor {
    Redactor::new(RedactorOptions::default())
}
