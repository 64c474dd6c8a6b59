//! One connection: a line in, a reply out, and the little state that lasts between two requests.
//!
//! Not here: framing (`json_rpc`), what differs between versions (`protocol_versions`), what the tools do (`tool_calls`).

use crate::client_roots::ClientRoots;
use crate::json_rpc::{
    self, INTERNAL_ERROR, INVALID_PARAMS, INVALID_REQUEST, InputLine, METHOD_NOT_FOUND, RpcError, RpcMessage,
};
use crate::tool_arguments::ToolArguments;
use crate::tool_schemas::{self, Tool};
use crate::{
    McpAccess, McpOptions, protocol_versions, protocol_versions::ProtocolEra, reply_text, tool_calls,
};
use backstory_app::caller::Caller;
use backstory_app::config::McpWrite;
use backstory_app::{App, AppError, vectors};
use backstory_recall::VectorCache;
use serde_json::{Map, Value, json};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// The most messages of one batch: each reply may have several kilobytes.
const MAX_BATCH: usize = 64;

/// The state of one connection.
#[derive(Debug)]
pub(crate) struct McpConnection {
    options: McpOptions,
    version: Option<&'static str>,
    roots: ClientRoots,
    has_written: bool,
}

impl McpConnection {
    pub(crate) fn new(options: McpOptions) -> McpConnection {
        McpConnection { options, version: None, roots: ClientRoots::default(), has_written: false }
    }

    /// Handles one line of input, and returns the message to send back.
    pub(crate) fn handle_line(&mut self, line: &InputLine) -> Option<Value> {
        match json_rpc::parse(line) {
            Ok(None) => None,
            Ok(Some(Value::Array(messages))) => self.handle_batch(messages),
            Ok(Some(message)) => self.handle_message(message),
            Err(error) => Some(json_rpc::reply(&Value::Null, Err(error))),
        }
    }

    /// Embeds what was just written, after the reply: the client does not wait for vectors.
    pub(crate) fn embed_written(&mut self) {
        if std::mem::take(&mut self.has_written)
            && let Ok(app) = self.app()
            && let Ok(mut store) = app.store()
        {
            vectors::follow(&mut store, &app);
        }
    }

    fn handle_batch(&mut self, messages: Vec<Value>) -> Option<Value> {
        let refuse =
            |reason: &str| Some(json_rpc::reply(&Value::Null, Err(RpcError::new(INVALID_REQUEST, reason))));
        if !protocol_versions::has_batches(self.version) {
            return refuse("this version of the protocol has no batches: one message a line");
        }
        if messages.is_empty() || messages.len() > MAX_BATCH {
            return refuse("a batch has 1 to 64 messages");
        }
        let replies: Vec<Value> =
            messages.into_iter().filter_map(|message| self.handle_message(message)).collect();
        (!replies.is_empty()).then_some(Value::Array(replies))
    }

    fn handle_message(&mut self, message: Value) -> Option<Value> {
        match json_rpc::classify(message) {
            RpcMessage::Request { id, method, params } => {
                // A request that panics must not end all the others.
                let outcome = catch_unwind(AssertUnwindSafe(|| self.dispatch(&method, &params)));
                let internal_error = |_| Err(RpcError::new(INTERNAL_ERROR, "internal error"));
                Some(json_rpc::reply(&id, outcome.unwrap_or_else(internal_error)))
            }
            RpcMessage::Notification { method } => match method.as_str() {
                "notifications/initialized" | "notifications/roots/list_changed" => self.roots.request(),
                _ => None,
            },
            RpcMessage::Response { id, result } => {
                self.roots.read_response(&id, &result);
                None
            }
            RpcMessage::Invalid(error) => Some(json_rpc::reply(&Value::Null, Err(error))),
        }
    }

    fn dispatch(&mut self, method: &str, params: &Value) -> Result<Value, RpcError> {
        match (method, ProtocolEra::from_params(params)?) {
            ("initialize", _) => Ok(self.initialize(params)),
            ("server/discover", _) => Ok(protocol_versions::discovery(self.may_write())),
            ("ping", ProtocolEra::Handshake) => Ok(json!({})),
            ("tools/list", era) => Ok(era.cacheable_result(Map::from_iter([(
                "tools".to_owned(),
                tool_schemas::list(self.may_write()),
            )]))),
            ("tools/call", era) => self.call_tool(params).map(|fields| era.result(fields)),
            _ => Err(RpcError::new(METHOD_NOT_FOUND, format!("there is no method `{method}`"))),
        }
    }

    fn initialize(&mut self, params: &Value) -> Value {
        let version = protocol_versions::negotiate(params.get("protocolVersion").and_then(Value::as_str));
        self.version = Some(version);
        let offers_roots = params.get("capabilities").is_some_and(|offered| offered.get("roots").is_some());
        self.roots.is_supported = offers_roots && self.options.environment.project_dir().is_none();
        protocol_versions::handshake(version, self.may_write())
    }

    /// Calls a tool. An error of the tool is a result with `isError`, which the agent reads and can act on; errors of the protocol
    /// reach only the client.
    fn call_tool(&mut self, params: &Value) -> Result<Map<String, Value>, RpcError> {
        let name = params.get("name").and_then(Value::as_str).unwrap_or_default();
        let tool = Tool::from_name(name)
            .ok_or_else(|| RpcError::new(INVALID_PARAMS, format!("there is no tool `{name}`")))?;
        let arguments = ToolArguments::from_params(params)
            .ok_or_else(|| RpcError::new(INVALID_PARAMS, "`arguments` is a JSON object"))?;
        let known = tool_schemas::argument_names(tool);
        let run = || {
            arguments.refuse_unknown(name, &known)?;
            let app = self.app()?;
            self.refuse_write(tool, &app)?;
            run_tool(tool, &arguments, &app)
        };
        let outcome = run();
        self.has_written |= tool.writes_memories() && outcome.is_ok();
        let is_error = outcome.is_err();
        let text = outcome.unwrap_or_else(|error| reply_text::error_text(&error));
        let content = json!([{"type": "text", "text": text}]);
        Ok(Map::from_iter([("content".to_owned(), content), ("isError".to_owned(), json!(is_error))]))
    }

    /// Refuses a tool that writes more than agents may. It was not offered, but a client may call it all the same.
    fn refuse_write(&self, tool: Tool, app: &App) -> Result<(), AppError> {
        let forgets = tool == Tool::Forget;
        let may_write = app.config.mcp.write;
        if (tool.writes_memories() || forgets) && self.options.access == McpAccess::ReadOnly {
            let hint = "the user can start `backstory mcp` without `--read-only`, or write it by `backstory`";
            Err(AppError::user("this server is read-only").hint(hint))
        } else if tool.writes_memories() && may_write < McpWrite::Remember {
            Err(AppError::user("the user lets no agent write memories"))
        } else if forgets && may_write < McpWrite::All {
            let hint = "the user forgets with `backstory forget ID`";
            Err(AppError::user("the user lets no agent forget").hint(hint))
        } else {
            Ok(())
        }
    }

    /// Returns what agents may write: the tools beyond that are not offered. Broken settings are reported by the call of a tool.
    fn may_write(&self) -> McpWrite {
        match self.options.access {
            McpAccess::ReadOnly => McpWrite::None,
            McpAccess::Configured => self.app().map_or(McpWrite::Remember, |app| app.config.mcp.write),
        }
    }

    /// Reads settings and folder anew for each request: both may change while the host runs.
    fn app(&self) -> Result<App, AppError> {
        let McpOptions { environment, flags, .. } = &self.options;
        let app = App::in_folder(self.roots.first.clone(), environment.clone(), flags)?;
        Ok(App { vectors: VectorCache::for_server(), caller: Caller::Agent, ..app })
    }
}

fn run_tool(tool: Tool, arguments: &ToolArguments, app: &App) -> Result<String, AppError> {
    match tool {
        Tool::Search => tool_calls::search(arguments, app),
        Tool::About => tool_calls::about(arguments, app),
        Tool::Timeline => tool_calls::timeline(arguments, app),
        Tool::Get => tool_calls::get(arguments, app),
        Tool::Remember => tool_calls::remember(arguments, app),
        Tool::Revise => tool_calls::revise(arguments, app),
        Tool::Handoff => tool_calls::handoff(arguments, app),
        Tool::Forget => tool_calls::forget(arguments, app),
    }
}
