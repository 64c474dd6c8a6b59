//! What is said and answered on one connection, and the little that is remembered of it between requests.

use super::arguments::Arguments;
use super::roots::Roots;
use super::tools::{self, Tool};
use super::wire::{
    self, INTERNAL_ERROR, INVALID_PARAMS, INVALID_REQUEST, Line, METHOD_NOT_FOUND, Message, Refusal,
};
use super::{McpOptions, answers, calls, eras, eras::Era};
use backstory_app::{App, AppError, vectors};
use backstory_recall::VectorCache;
use serde_json::{Map, Value, json};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// The most messages that may come at once: each may be answered with several kilobytes.
const MOST_IN_A_BATCH: usize = 64;

/// One connection.
#[derive(Debug)]
pub(crate) struct Session {
    options: McpOptions,
    agreed: Option<&'static str>,
    roots: Roots,
    has_written: bool,
}

impl Session {
    pub(crate) fn new(options: McpOptions) -> Session {
        Session { options, agreed: None, roots: Roots::default(), has_written: false }
    }

    /// Hears a line, and returns what is to be said.
    pub(crate) fn hear(&mut self, line: &Line) -> Option<Value> {
        match wire::parse(line) {
            Ok(None) => None,
            Ok(Some(Value::Array(messages))) => self.hear_batch(messages),
            Ok(Some(message)) => self.hear_message(message),
            Err(refusal) => Some(wire::reply(&Value::Null, Err(refusal))),
        }
    }

    /// Does what nobody has to wait for: a memory that was just written gets its vectors.
    pub(crate) fn follow_up(&mut self) {
        if std::mem::take(&mut self.has_written)
            && let Ok(app) = self.app()
            && let Ok(mut store) = app.store()
        {
            vectors::follow(&mut store, &app);
        }
    }

    fn hear_batch(&mut self, messages: Vec<Value>) -> Option<Value> {
        let refuse = |why: &str| Some(wire::reply(&Value::Null, Err(Refusal::new(INVALID_REQUEST, why))));
        if !eras::takes_batches(self.agreed) {
            return refuse("this version of the protocol has no batches: one message a line");
        }
        if messages.is_empty() || messages.len() > MOST_IN_A_BATCH {
            return refuse("a batch has 1 to 64 messages");
        }
        let replies: Vec<Value> =
            messages.into_iter().filter_map(|message| self.hear_message(message)).collect();
        (!replies.is_empty()).then_some(Value::Array(replies))
    }

    fn hear_message(&mut self, message: Value) -> Option<Value> {
        match wire::understand(message) {
            Message::Request { id, method, params } => {
                // A request that panics must not end all the others.
                let answer = catch_unwind(AssertUnwindSafe(|| self.answer(&method, &params)));
                let internal_error = |_| Err(Refusal::new(INTERNAL_ERROR, "internal error"));
                Some(wire::reply(&id, answer.unwrap_or_else(internal_error)))
            }
            Message::Notification { method } => match method.as_str() {
                "notifications/initialized" | "notifications/roots/list_changed" => self.roots.question(),
                _ => None,
            },
            Message::Response { id, result } => {
                self.roots.hear(&id, &result);
                None
            }
            Message::Nonsense(refusal) => Some(wire::reply(&Value::Null, Err(refusal))),
        }
    }

    fn answer(&mut self, method: &str, params: &Value) -> Result<Value, Refusal> {
        let may_write = self.options.may_write;
        match (method, Era::of(params)?) {
            ("initialize", _) => Ok(self.shake_hands(params)),
            ("server/discover", _) => Ok(eras::discovery(may_write)),
            ("ping", Era::Handshake) => Ok(json!({})),
            ("tools/list", era) => {
                Ok(era.lasting_result(Map::from_iter([("tools".to_owned(), tools::list(may_write))])))
            }
            ("tools/call", era) => self.call(params).map(|fields| era.result(fields)),
            _ => Err(Refusal::new(METHOD_NOT_FOUND, format!("there is no method `{method}`"))),
        }
    }

    fn shake_hands(&mut self, params: &Value) -> Value {
        let version = eras::agree(params.get("protocolVersion").and_then(Value::as_str));
        self.agreed = Some(version);
        let offers_roots = params.get("capabilities").is_some_and(|offered| offered.get("roots").is_some());
        self.roots.can_be_asked = offers_roots && self.options.environment.project_dir().is_none();
        eras::handshake(version, self.options.may_write)
    }

    /// Calls a tool. What goes wrong in it is told to the agent, who can act on it; the protocol's errors are for the client.
    fn call(&mut self, params: &Value) -> Result<Map<String, Value>, Refusal> {
        let name = params.get("name").and_then(Value::as_str).unwrap_or_default();
        let tool = Tool::named(name)
            .ok_or_else(|| Refusal::new(INVALID_PARAMS, format!("there is no tool `{name}`")))?;
        let arguments = Arguments::from_params(params)
            .ok_or_else(|| Refusal::new(INVALID_PARAMS, "`arguments` is a JSON object"))?;
        let done = self.app().and_then(|app| match tool {
            Tool::Remember | Tool::Forget if !self.options.may_write => Err(AppError::user(
                "this server only reads",
            )
            .hint("the user can start `backstory mcp` without `--read-only`, or write it by `backstory`")),
            Tool::Search => calls::search(&arguments, &app),
            Tool::Timeline => calls::timeline(&arguments, &app),
            Tool::Get => calls::get(&arguments, &app),
            Tool::Remember => calls::remember(&arguments, &app),
            Tool::Forget => calls::forget(&arguments, &app),
        });
        self.has_written |= tool == Tool::Remember && done.is_ok();
        let is_error = done.is_err();
        let text = done.unwrap_or_else(|failure| answers::failed(&failure));
        let content = json!([{"type": "text", "text": text}]);
        Ok(Map::from_iter([("content".to_owned(), content), ("isError".to_owned(), json!(is_error))]))
    }

    /// Finds out for each request how things are: time goes on, and configuration and folder may change.
    fn app(&self) -> Result<App, AppError> {
        let McpOptions { environment, flags, .. } = &self.options;
        let app = App::in_folder(self.roots.first.clone(), environment.clone(), flags)?;
        Ok(App { vectors: VectorCache::for_server(), ..app })
    }
}
