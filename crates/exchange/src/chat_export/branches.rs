//! ChatGPT's conversations: a tree of messages, because an edited prompt begins a branch. What counts is the branch that was shown last.

use super::{ChatMessage, at, text_of};
use serde_json::Value;

/// No conversation is deeper. A deeper one may be a ring, whose messages are each other's parents.
const DEEPEST: usize = 100_000;

/// Returns the messages of the branch that was shown last, in their order.
pub(super) fn messages(conversation: &Value) -> Vec<ChatMessage> {
    let Some(nodes) = conversation.get("mapping").and_then(Value::as_object) else { return Vec::new() };
    let newest_leaf = || {
        let leaves = nodes.iter().filter(|(_, node)| !has_children(node));
        let time = |node: &Value| node.get("message").and_then(|message| at(message, "create_time"));
        leaves.max_by_key(|(_, node)| time(node)).map(|(id, _)| id.as_str())
    };
    let mut next = text_of(conversation, "current_node").or_else(newest_leaf);
    let mut branch = Vec::new();
    while let Some(id) = next.filter(|_| branch.len() < DEEPEST) {
        let Some(node) = nodes.get(id) else { break };
        branch.push(node);
        next = text_of(node, "parent");
    }
    branch.into_iter().rev().filter_map(|node| message(node.get("message")?)).collect()
}

fn has_children(node: &Value) -> bool {
    node.get("children").and_then(Value::as_array).is_some_and(|children| !children.is_empty())
}

/// Reads what was typed or answered. Leaves out tools, the system's words and pictures.
fn message(message: &Value) -> Option<ChatMessage> {
    let role = text_of(message.get("author")?, "role")?;
    let content = message.get("content")?;
    if !matches!(role, "user" | "assistant")
        || !matches!(text_of(content, "content_type"), Some("text" | "multimodal_text"))
    {
        return None;
    }
    let parts = content.get("parts").and_then(Value::as_array)?;
    let texts: Vec<&str> = parts.iter().filter_map(Value::as_str).collect();
    Some(ChatMessage {
        id: text_of(message, "id")?.to_owned(),
        is_typed: role == "user",
        text: texts.join("\n\n"),
        at: at(message, "create_time"),
    })
}
