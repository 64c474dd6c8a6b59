//! Refuses what a hub sends before it is held in memory: one message that is too long, or an answer that does not end.
//!
//! PostgreSQL's library takes a message of any length and all rows of an answer. A hub may be somebody else's, or somebody else's by now, so
//! its stream is watched: the head of a message says how long it is. A socket on this machine is not watched: for those the library calls
//! no connector.

use super::hub_error::TOO_LONG;
use postgres::Socket;
use postgres::tls::{ChannelBinding, MakeTlsConnect, TlsConnect, TlsStream};
use std::future::Future;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// The longest message: a memory with every field at its cap is a quarter of it.
pub(crate) const MOST_MESSAGE_BYTES: u32 = 4 << 20;
/// The longest answer to one request. The largest part of a pull is 100 rows.
pub(crate) const MOST_ANSWER_BYTES: u64 = 128 << 20;
/// Ends an answer: the server waits for the next request.
const READY: u8 = b'Z';
const HEAD_BYTES: usize = 5;

/// Counts the messages in a stream of bytes.
#[derive(Debug, Default)]
struct MessageCounter {
    head: [u8; HEAD_BYTES],
    head_bytes: usize,
    /// How many bytes of the message are still to come.
    left: usize,
    answer: u64,
}

impl MessageCounter {
    /// Counts the next bytes. Fails as soon as they begin a message that is too long.
    fn take(&mut self, mut bytes: &[u8]) -> io::Result<()> {
        while let Some(first) = bytes.first() {
            if self.left > 0 {
                let (_, rest) = bytes.split_at(self.left.min(bytes.len()));
                self.left -= bytes.len() - rest.len();
                bytes = rest;
                continue;
            }
            if let Some(place) = self.head.get_mut(self.head_bytes) {
                *place = *first;
                self.head_bytes += 1;
                bytes = bytes.get(1..).unwrap_or_default();
            }
            if self.head_bytes == HEAD_BYTES {
                self.begin()?;
            }
        }
        Ok(())
    }

    fn begin(&mut self) -> io::Result<()> {
        let [kind, length @ ..] = self.head;
        let length = u32::from_be_bytes(length);
        self.answer += u64::from(length);
        if length > MOST_MESSAGE_BYTES || self.answer > MOST_ANSWER_BYTES {
            return Err(io::Error::other(TOO_LONG));
        }
        if kind == READY {
            self.answer = 0;
        }
        // The length counts itself.
        (self.left, self.head_bytes) = ((length as usize).saturating_sub(HEAD_BYTES - 1), 0);
        Ok(())
    }
}

/// A stream whose messages are counted.
#[derive(Debug)]
pub(crate) struct LimitedStream<S> {
    stream: S,
    counter: MessageCounter,
}

impl<S: AsyncRead + Unpin> AsyncRead for LimitedStream<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        into: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = into.filled().len();
        let this = &mut *self;
        match Pin::new(&mut this.stream).poll_read(context, into) {
            Poll::Ready(Ok(())) => {
                Poll::Ready(this.counter.take(into.filled().get(before..).unwrap_or_default()))
            }
            other => other,
        }
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for LimitedStream<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

/// A TLS connector whose streams are limited.
#[derive(Clone, Debug)]
pub(crate) struct LimitedTls<T>(pub(crate) T);

impl<T: MakeTlsConnect<Socket>> MakeTlsConnect<Socket> for LimitedTls<T>
where
    T::TlsConnect: Send + 'static,
    <T::TlsConnect as TlsConnect<Socket>>::Future: Send,
{
    type Stream = LimitedStream<T::Stream>;
    type TlsConnect = LimitedTls<T::TlsConnect>;
    type Error = T::Error;

    fn make_tls_connect(&mut self, domain: &str) -> Result<Self::TlsConnect, Self::Error> {
        self.0.make_tls_connect(domain).map(LimitedTls)
    }
}

impl<C: TlsConnect<Socket> + Send + 'static> TlsConnect<Socket> for LimitedTls<C>
where
    C::Future: Send,
{
    type Stream = LimitedStream<C::Stream>;
    type Error = C::Error;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Stream, C::Error>> + Send>>;

    fn connect(self, socket: Socket) -> Self::Future {
        Box::pin(async move {
            let stream = self.0.connect(socket).await?;
            Ok(LimitedStream { stream, counter: MessageCounter::default() })
        })
    }
}

impl<S: TlsStream + Unpin> TlsStream for LimitedStream<S> {
    fn channel_binding(&self) -> ChannelBinding {
        self.stream.channel_binding()
    }
}

/// A connector without TLS whose streams are limited. The library calls it where the address says that TLS begins at once.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LimitedPlain;

impl MakeTlsConnect<Socket> for LimitedPlain {
    type Stream = LimitedStream<PlainStream>;
    type TlsConnect = LimitedPlain;
    type Error = io::Error;

    fn make_tls_connect(&mut self, _: &str) -> Result<LimitedPlain, io::Error> {
        Ok(LimitedPlain)
    }
}

impl TlsConnect<Socket> for LimitedPlain {
    type Stream = LimitedStream<PlainStream>;
    type Error = io::Error;
    type Future = std::future::Ready<Result<Self::Stream, io::Error>>;

    fn connect(self, socket: Socket) -> Self::Future {
        let stream = PlainStream(socket);
        std::future::ready(Ok(LimitedStream { stream, counter: MessageCounter::default() }))
    }
}

/// A socket without TLS.
pub(crate) struct PlainStream(Socket);

impl TlsStream for PlainStream {
    fn channel_binding(&self) -> ChannelBinding {
        ChannelBinding::none()
    }
}

impl AsyncRead for PlainStream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        into: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_read(context, into)
    }
}

impl AsyncWrite for PlainStream {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.0).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn message(kind: u8, length: u32) -> Vec<u8> {
        let body = (length as usize).saturating_sub(4);
        [&[kind][..], &length.to_be_bytes(), &vec![0; body]].concat()
    }

    proptest! {
        #[test]
        fn messages_of_an_answer_pass_however_they_are_cut(lengths in prop::collection::vec(4u32..400, 1..20), cut in 1usize..37) {
            let stream: Vec<u8> = lengths.iter().flat_map(|length| message(b'D', *length)).collect();
            let mut counter = MessageCounter::default();
            for part in stream.chunks(cut) {
                counter.take(part).unwrap();
            }
            prop_assert_eq!((counter.left, counter.head_bytes), (0, 0));
            prop_assert_eq!(counter.answer, lengths.iter().map(|length| u64::from(*length)).sum::<u64>());
        }
    }

    #[test]
    fn a_long_message_and_an_endless_answer_are_refused_and_a_new_answer_counts_anew() {
        let mut counter = MessageCounter::default();
        let head = [&[b'D'][..], &(2u32 << 30).to_be_bytes()].concat();
        assert!(counter.take(&head).unwrap_err().to_string().contains(TOO_LONG));
        let row = message(b'D', MOST_MESSAGE_BYTES);
        let rows = MOST_ANSWER_BYTES / u64::from(MOST_MESSAGE_BYTES);
        let mut counter = MessageCounter::default();
        for _ in 0..3 {
            (0..rows - 1).for_each(|_| counter.take(&row).unwrap());
            counter.take(&message(READY, 5)).unwrap();
        }
        (0..rows).for_each(|_| counter.take(&row).unwrap());
        counter.take(&row).unwrap_err();
    }
}
