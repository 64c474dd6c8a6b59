//! Who may come in through loopback. A page of a stranger, open in the user's browser, can send requests there too, and make its own
//! name lead there (DNS rebinding): the headers a page cannot choose tell it apart.

use crate::ApiError;
use hyper::HeaderMap;
use hyper::Uri;
use hyper::header::{CONTENT_TYPE, HOST, ORIGIN};

/// The names of this machine that loopback answers to.
const NAMES: [&str; 3] = ["127.0.0.1", "localhost", "[::1]"];

/// Refuses a request that is not for us.
pub(crate) fn check_host(headers: &HeaderMap, uri: &Uri, port: u16) -> Result<(), ApiError> {
    let mut hosts = headers.get_all(HOST).iter();
    let host = hosts.next().and_then(|host| host.to_str().ok());
    let is_ours = host.is_some_and(|host| is_our_name(host, port)) && hosts.next().is_none();
    let is_for_another_server = uri.authority().is_some_and(|to| !is_our_name(to.as_str(), port));
    if !is_ours || is_for_another_server {
        return Err(ApiError::new(421, "wrong_host", "this request was meant for another server")
            .hint(format!("ask http://127.0.0.1:{port}")));
    }
    Ok(())
}

/// Refuses a request of another page.
pub(crate) fn check_page(headers: &HeaderMap, port: u16) -> Result<(), ApiError> {
    let origins = headers.get_all(ORIGIN).iter();
    let is_foreign = |origin: &hyper::header::HeaderValue| {
        let site = origin.to_str().ok().and_then(|origin| origin.strip_prefix("http://"));
        !site.is_some_and(|site| is_our_name(site, port))
    };
    // `same-site` is another port of this machine: another program.
    let fetched = headers.get_all("sec-fetch-site").iter().map(hyper::header::HeaderValue::as_bytes);
    let is_from_elsewhere = |site: &[u8]| !matches!(site, b"same-origin" | b"none");
    if origins.into_iter().any(is_foreign) || fetched.into_iter().any(is_from_elsewhere) {
        return Err(ApiError::new(403, "foreign_origin", "pages of other sites are not answered"));
    }
    Ok(())
}

/// Whether a browser opens an address as a page of its own, wherever it was led there from: no other page sees the answer.
pub(crate) fn is_page_load(headers: &HeaderMap) -> bool {
    let is = |name: &str, expected: &str| headers.get(name).is_some_and(|value| value == expected);
    is("sec-fetch-mode", "navigate") && is("sec-fetch-dest", "document") && !headers.contains_key(ORIGIN)
}

fn is_our_name(host: &str, port: u16) -> bool {
    let Some((name, number)) = host.rsplit_once(':') else { return false };
    NAMES.iter().any(|known| known.eq_ignore_ascii_case(name)) && number == port.to_string()
}

/// Refuses a write that is not JSON: what a form of another page can send is not.
pub(crate) fn check_content_type(headers: &HeaderMap) -> Result<(), ApiError> {
    let said = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let kind = said.split(';').next().unwrap_or_default().trim();
    if kind.eq_ignore_ascii_case("application/json") {
        return Ok(());
    }
    Err(ApiError::new(415, "not_json", "a request that changes something must be JSON")
        .hint("send `Content-Type: application/json`"))
}
