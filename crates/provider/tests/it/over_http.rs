//! What is sent, what is taken, and what becomes of everything else.

use backstory_memory::Tokens;
use backstory_provider::{
    Anthropic, Model, ModelAnswer, ModelError, ModelRequest, OpenAiCompatible, TokenUse, is_our_prompt,
};
use backstory_testkit::{StubReply, StubRequest, StubServer};
use serde_json::{Value, json};
use std::time::Duration;

const LONG: Duration = Duration::from_secs(60);

fn request() -> ModelRequest {
    ModelRequest {
        instructions: "Reword.".to_owned(),
        text: "a note about retries".to_owned(),
        session: "unused".to_owned(),
        most_answer_tokens: Tokens(99),
    }
}

fn used(read: u32, written: u32) -> Option<TokenUse> {
    Some(TokenUse { read: Tokens(read), written: Tokens(written) })
}

fn anthropic(server: &StubServer, deadline: Duration) -> Anthropic {
    Anthropic::new(&server.url(), "the key", "small", deadline)
}

fn always(status: u16, body: &str) -> StubServer {
    let body = body.to_owned();
    StubServer::start(move |_| StubReply::Response(status, body.clone()))
}

fn sent(request: &StubRequest) -> Value {
    serde_json::from_str(&request.body).unwrap()
}

#[test]
fn anthropic_answers_a_request() {
    let answer = json!({"content": [{"type": "text", "text": "fine"}],
        "usage": {"input_tokens": 40, "output_tokens": 2, "cache_read_input_tokens": 8}});
    let server = always(200, &answer.to_string());
    let answer = anthropic(&server, LONG).answer(&request());
    assert_eq!(answer, Ok(ModelAnswer { text: "fine".to_owned(), tokens: used(48, 2), session: None }));
    let request = &server.requests()[0];
    assert!(request.head.starts_with("POST /v1/messages HTTP/1.1\r\n"), "{}", request.head);
    assert!(request.head.contains("x-api-key: the key") && request.head.contains("anthropic-version: "));
    let prompt = sent(request)["messages"][0]["content"].clone();
    assert!(
        is_our_prompt(prompt.as_str().unwrap()) && prompt.as_str().unwrap().ends_with("a note about retries")
    );
    assert_eq!(
        sent(request),
        json!({"model": "small", "max_tokens": 99, "system": "Reword.",
            "messages": [{"role": "user", "content": prompt}]})
    );
}

#[test]
fn a_server_that_speaks_chat_completions_needs_no_key() {
    let answer = json!({"choices": [{"message": {"role": "assistant", "content": "fine"}}],
        "usage": {"prompt_tokens": 9, "completion_tokens": 1, "total_tokens": 10}});
    let server = always(200, &answer.to_string());
    let ask =
        |key| OpenAiCompatible::new(&format!("{}/v1/", server.url()), key, "local", LONG).answer(&request());
    let fine = Ok(ModelAnswer { text: "fine".to_owned(), tokens: used(9, 1), session: None });
    assert_eq!((ask(None), ask(Some("k"))), (fine.clone(), fine));
    let [without, with] = &server.requests()[..] else { panic!() };
    assert!(without.head.starts_with("POST /v1/chat/completions "));
    assert!(!without.head.to_lowercase().contains("authorization") && with.head.contains("Bearer k"));
    assert!(is_our_prompt(sent(with)["messages"][1]["content"].as_str().unwrap()));
}

/// Models that reason refuse `max_tokens` with 400 and want another name for it. Everybody else is asked once.
#[test]
fn a_model_that_refuses_the_limit_gets_one_more_call_with_the_other_name() {
    let answer = json!({"choices": [{"message": {"content": "<think>{}</think>fine"}}],
        "usage": {"prompt_tokens": 9, "completion_tokens": 700}});
    let reasoning = StubServer::start(move |request| match sent(request)["max_tokens"] {
        Value::Null => StubReply::Response(200, answer.to_string()),
        _ => StubReply::Response(400, "{}".to_owned()),
    });
    let ask = |server: &StubServer| {
        OpenAiCompatible::new(&format!("{}/v1", server.url()), None, "thinker", LONG).answer(&request())
    };
    let fine = ModelAnswer { text: "fine".to_owned(), tokens: used(9, 700), session: None };
    assert_eq!(ask(&reasoning), Ok(fine));
    let [first, second] = &reasoning.requests()[..] else { panic!() };
    assert_eq!(sent(first)["max_tokens"], sent(second)["max_completion_tokens"]);
    assert!(sent(second)["max_completion_tokens"].as_u64() > Some(1_000), "room to think");
    for (status, tries) in [(400, 2), (401, 1), (429, 1), (500, 1)] {
        let server = always(status, "{}");
        assert_eq!(ask(&server), Err(ModelError::Refused(status)));
        assert_eq!(server.requests().len(), tries, "{status}");
    }
}

/// A model that used up its room for thoughts answers nothing, and what it wrote is counted.
#[test]
fn an_answer_without_words_is_empty_and_counted() {
    let answer = json!({"choices": [{"message": {"content": null}, "finish_reason": "length"}],
        "usage": {"prompt_tokens": 9, "completion_tokens": 4000}});
    let server = always(200, &answer.to_string());
    let model = OpenAiCompatible::new(&server.url(), None, "thinker", LONG);
    let empty = ModelAnswer { text: String::new(), tokens: used(9, 4000), session: None };
    assert_eq!(model.answer(&request()), Ok(empty));
}

#[test]
fn any_other_answer_is_an_error_without_our_prompt() {
    let large = "x".repeat(300 * 1024);
    let cases = [
        (429, "{}", ModelError::Refused(429)),
        (500, "the key: a note about retries", ModelError::Refused(500)),
        (302, "", ModelError::Refused(302)),
        (200, "", ModelError::Unreadable),
        (200, "not JSON", ModelError::Unreadable),
        (200, "{\"content\": 3}", ModelError::Unreadable),
        (200, &large, ModelError::TooLarge),
    ];
    for (status, body, expected) in cases {
        let server = always(status, body);
        let error = anthropic(&server, LONG).answer(&request()).unwrap_err();
        assert_eq!(error, expected, "{status}");
        let said = format!("{error} {error:?}");
        assert!(!said.contains("key") && !said.contains("retries"), "{said}");
        assert_eq!(server.requests().len(), 1, "nobody tries again by themselves");
    }
}

#[test]
fn a_server_that_never_answers_times_out() {
    let server = StubServer::start(|_| StubReply::Silence);
    let error = anthropic(&server, Duration::from_millis(50)).answer(&request());
    assert_eq!(error, Err(ModelError::TimedOut));
}

#[test]
fn a_refused_connection_is_an_error() {
    let url = always(200, "").url();
    let error = Anthropic::new(&url, "the key", "small", LONG).answer(&request()).unwrap_err();
    assert!(matches!(error, ModelError::Unreachable(_)), "{error:?}");
    let error = Anthropic::new("no address", "the key", "small", LONG).answer(&request()).unwrap_err();
    assert!(matches!(error, ModelError::Unreachable(_) | ModelError::UnencryptedKey), "{error:?}");
}

#[test]
fn a_key_is_never_sent_unencrypted() {
    let model = Anthropic::new("http://192.0.2.1", "the key", "small", Duration::from_millis(50));
    assert_eq!(model.answer(&request()), Err(ModelError::UnencryptedKey));
    assert!(!format!("{model:?}").contains("the key"));
}
