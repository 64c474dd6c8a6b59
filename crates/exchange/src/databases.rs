//! Opens other programs' databases for `hosts`, which must not know SQL.

use backstory_hosts::{DatabaseOpener, TableReader};
use backstory_store::{ForeignDatabase, ForeignLimits, RowQuery};
use std::path::Path;

/// Opens databases by the store's own reader.
#[derive(Clone, Copy, Debug)]
pub struct ForeignDatabases;

impl DatabaseOpener for ForeignDatabases {
    fn open(&self, path: &Path) -> Result<Box<dyn TableReader>, String> {
        let foreign =
            ForeignDatabase::open(path, ForeignLimits::PROGRAM).map_err(|error| error.to_string())?;
        Ok(Box::new(ForeignTables(foreign)))
    }
}

struct ForeignTables(ForeignDatabase);

impl TableReader for ForeignTables {
    fn rows(
        &self,
        table: &str,
        columns: &[&str],
        only: Option<(&str, &str)>,
        order: &[&str],
    ) -> Result<Vec<Vec<String>>, String> {
        let only: Vec<(&str, &str)> = only.into_iter().collect();
        let rows = self.0.rows(RowQuery { table, columns, only: &only, order });
        let rows = rows.map_err(|error| error.to_string())?;
        let values = |row: &backstory_store::ForeignRow| {
            columns.iter().map(|column| row.text(column).unwrap_or_default().to_owned()).collect()
        };
        Ok(rows.iter().map(values).collect())
    }
}
