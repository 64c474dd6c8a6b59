//! Team sync: who shares what, what is still to be pushed, and what was pulled.

pub(crate) mod held;
pub(crate) mod history;
pub(crate) mod inbox;
pub(crate) mod outbox;
pub(crate) mod requeue;
pub(crate) mod sync_state;
pub(crate) mod teams;
pub(crate) mod vector_outbox;
