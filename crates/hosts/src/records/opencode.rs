//! The records of OpenCode: its database, and the files older versions keep instead.

use super::{Databases, Entries, Record, nothing};
use crate::Places;
use std::io;

/// Finds the records.
pub(crate) fn find(_places: &Places, _databases: &dyn Databases) -> Vec<Record> {
    Vec::new()
}

/// Reads a record.
pub(crate) fn read<'a>(
    _record: &'a Record,
    _databases: &'a dyn Databases,
) -> io::Result<Box<dyn Entries + 'a>> {
    nothing()
}
