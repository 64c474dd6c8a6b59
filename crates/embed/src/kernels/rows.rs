//! A run of stored vectors to be multiplied with a query, in memory that another process may be writing to.
//!
//! Such memory must not be lent out as a Rust slice, which promises that nobody writes. A kernel therefore
//! gets a pointer, copies each row once and computes with the copy. A row that changes meanwhile gives a
//! wrong number, never anything worse.

#![expect(unsafe_code, reason = "reads through a pointer, because a slice would promise that nobody writes")]

use crate::DIMENSION;
use std::marker::PhantomData;

/// Vectors that lie end to end and stay readable for `'a`.
#[derive(Clone, Copy)]
pub(crate) struct Rows<'a> {
    first: *const i8,
    count: usize,
    memory: PhantomData<&'a [u8]>,
}

impl<'a> Rows<'a> {
    /// Returns the `count` rows that begin at `first`.
    ///
    /// # Safety
    ///
    /// `count * DIMENSION` bytes from `first` must be readable for `'a`. Another process may write to them.
    pub(crate) unsafe fn at(first: *const i8, count: usize) -> Rows<'a> {
        Rows { first, count, memory: PhantomData }
    }

    /// Returns the address of each row; [`DIMENSION`] bytes are readable from it.
    #[inline(always)]
    pub(super) fn addresses(self) -> impl Iterator<Item = *const i8> {
        // SAFETY: a row's offset is within the memory that `at` was promised.
        (0..self.count).map(move |row| unsafe { self.first.add(row * DIMENSION) })
    }
}

impl<'a> From<&'a [[i8; DIMENSION]]> for Rows<'a> {
    fn from(rows: &'a [[i8; DIMENSION]]) -> Rows<'a> {
        Rows { first: rows.as_ptr().cast(), count: rows.len(), memory: PhantomData }
    }
}
