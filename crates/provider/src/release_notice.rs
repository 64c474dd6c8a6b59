//! What the newest release is: the one request that has nothing to do with a model. Sent only when the user asks.

use crate::ModelError;
use crate::http::is_loopback;
use serde_json::Value;
use std::time::Duration;
use ureq::Agent;

/// The largest notice that is read.
const MOST_BYTES: u64 = 64 * 1024;

/// How often the answer may point elsewhere: the address of a latest release leads to a versioned one, and that to a server of files.
const MOST_REDIRECTS: u32 = 5;

/// Asks a web server for the notice of a release, and returns the version it names. Nothing about this machine is sent.
pub fn newest_release(url: &str, deadline: Duration) -> Result<String, ModelError> {
    let is_local = is_loopback(url);
    let mut config = Agent::config_builder()
        .timeout_global(Some(deadline))
        .http_status_as_error(false)
        .max_redirects(MOST_REDIRECTS)
        .https_only(!is_local)
        .user_agent("backstory");
    if is_local {
        config = config.proxy(None);
    }
    let agent = Agent::new_with_config(config.build());
    let mut response = agent.get(url).call().map_err(|error| crate::http::reason(&error))?;
    match response.status().as_u16() {
        200 => {}
        status => return Err(ModelError::Refused(status)),
    }
    let bytes = response.body_mut().with_config().limit(MOST_BYTES).read_to_vec();
    let notice: Value = serde_json::from_slice(&bytes.map_err(|error| crate::http::reason(&error))?)
        .map_err(|_| ModelError::Unreadable)?;
    let newest = notice.get("newest").and_then(Value::as_str).filter(|version| is_version(version));
    newest.map(str::to_owned).ok_or(ModelError::Unreadable)
}

/// Whether a text is a version, and nothing that could be shown as something else.
fn is_version(text: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '+');
    text.len() <= 40 && text.starts_with(|c: char| c.is_ascii_digit()) && text.chars().all(is_plain)
}
