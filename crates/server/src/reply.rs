//! What is sent back: a whole body or a stream of live events, always with the headers that keep a browser from acting on it.

use crate::{ApiError, ApiReply};
use http_body_util::Full;
use hyper::body::{Body, Bytes, Frame, SizeHint};
use hyper::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HeaderName, HeaderValue, REFERRER_POLICY,
    X_CONTENT_TYPE_OPTIONS,
};
use hyper::{Response, StatusCode};
use serde_json::Value;
use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};
use tokio::sync::mpsc::Receiver;

/// What a page of ours may do: its own files, its own server, nothing else; and no script may write HTML.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; \
                      frame-ancestors 'none'; base-uri 'none'; form-action 'self'; \
                      require-trusted-types-for 'script'; trusted-types 'none'";

const JSON: &str = "application/json";
const TEXT: &str = "text/plain; charset=utf-8";

/// A body.
pub(crate) enum Reply {
    Whole(Full<Bytes>),
    Live(Receiver<Bytes>),
}

impl Body for Reply {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        match self.get_mut() {
            Reply::Whole(body) => Pin::new(body).poll_frame(context),
            Reply::Live(events) => {
                events.poll_recv(context).map(|event| event.map(|bytes| Ok(Frame::data(bytes))))
            }
        }
    }

    fn is_end_stream(&self) -> bool {
        matches!(self, Reply::Whole(body) if body.is_end_stream())
    }

    fn size_hint(&self) -> SizeHint {
        match self {
            Reply::Whole(body) => body.size_hint(),
            Reply::Live(_) => SizeHint::default(),
        }
    }
}

/// Makes a response of JSON.
pub(crate) fn json(value: &Value) -> Response<Reply> {
    whole(200, JSON, value.to_string())
}

/// Makes a response that says nothing but that it was done.
pub(crate) fn done() -> Response<Reply> {
    whole(204, JSON, "")
}

fn whole(status: u16, content_type: &'static str, body: impl Into<Bytes>) -> Response<Reply> {
    response(status, content_type, "no-store", Reply::Whole(Full::new(body.into())))
}

/// Makes a response of a file of the viewer.
pub(crate) fn file(content_type: &'static str, body: &'static [u8]) -> Response<Reply> {
    response(200, content_type, "no-cache", Reply::Whole(Full::new(Bytes::from_static(body))))
}

/// Makes a response that goes on for as long as somebody listens.
pub(crate) fn live(events: Receiver<Bytes>) -> Response<Reply> {
    response(200, "text/event-stream", "no-store", Reply::Live(events))
}

/// Makes a response of an answer.
pub(crate) fn answer(answer: ApiReply) -> Response<Reply> {
    match answer {
        ApiReply::Json(body) => whole(200, JSON, body),
        ApiReply::Text(text) => whole(200, TEXT, text),
    }
}

/// Makes a response of a refusal.
pub(crate) fn refusal(refusal: &ApiError) -> Response<Reply> {
    whole(refusal.status, JSON, refusal.json().to_string())
}

fn response(status: u16, content_type: &'static str, cache: &'static str, body: Reply) -> Response<Reply> {
    let mut response = Response::new(body);
    *response.status_mut() = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let headers: [(HeaderName, &'static str); 5] = [
        (CONTENT_TYPE, content_type),
        (CACHE_CONTROL, cache),
        (CONTENT_SECURITY_POLICY, POLICY),
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (REFERRER_POLICY, "no-referrer"),
    ];
    for (name, value) in headers {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    response
}
