//! What `engram export` writes: one JSON object, read entry by entry, whatever its length.

use super::{EngramFields, EngramIndex, OBSERVATION, SESSION};
use crate::imported::ImportItem;
use crate::sources::UnreadableSource;
use crate::sources::rows::{item_from, reason};
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::Value;
use std::fmt;
use std::fs::File;
use std::io::BufReader;
use std::path::Path;

pub(super) fn read(path: &Path, emit: &mut dyn FnMut(ImportItem)) -> Result<(), UnreadableSource> {
    let file = File::open(path).map_err(|error| UnreadableSource(error.to_string()))?;
    let mut json = serde_json::Deserializer::from_reader(BufReader::new(file));
    let mut export = EngramExport { known: EngramIndex::default(), has_begun: false, emit };
    let read = json.deserialize_map(&mut export);
    match read {
        Err(error) if !export.has_begun => Err(UnreadableSource(error.to_string())),
        // The entries before the break were taken already.
        Err(_) => {
            (export.emit)(ImportItem::Skipped(CUT_OFF));
            Ok(())
        }
        Ok(()) if export.has_begun => Ok(()),
        Ok(()) => Err(UnreadableSource("not an export of engram".to_owned())),
    }
}

const CUT_OFF: &str = "cut off";

struct EngramExport<'a> {
    known: EngramIndex,
    /// Whether something was seen that only an export of engram has.
    has_begun: bool,
    emit: &'a mut dyn FnMut(ImportItem),
}

impl EngramExport<'_> {
    fn take(&mut self, list: EngramList, entry: &Value) {
        let taken = match list {
            EngramList::Sessions => self.known.session(&fields(entry, SESSION)),
            EngramList::Observations => Some(self.known.observation(&fields(entry, OBSERVATION))),
            EngramList::Prompts => Some(Err(reason::PROMPT)),
        };
        if let Some(taken) = taken {
            (self.emit)(item_from(taken));
        }
    }
}

/// The lists of an export.
#[derive(Clone, Copy)]
enum EngramList {
    Sessions,
    Observations,
    Prompts,
}

impl<'de> Visitor<'de> for &mut EngramExport<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an export of engram")
    }

    fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<(), M::Error> {
        while let Some(key) = map.next_key::<String>()? {
            let list = match key.as_str() {
                "sessions" => EngramList::Sessions,
                "observations" => EngramList::Observations,
                "prompts" => EngramList::Prompts,
                _ => {
                    map.next_value::<IgnoredAny>()?;
                    continue;
                }
            };
            self.has_begun = true;
            map.next_value_seed(EngramEntries { export: self, list })?;
        }
        Ok(())
    }
}

/// Reads one list, entry by entry.
struct EngramEntries<'a, 'b> {
    export: &'a mut EngramExport<'b>,
    list: EngramList,
}

impl<'de> DeserializeSeed<'de> for EngramEntries<'_, '_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for EngramEntries<'_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list")
    }

    fn visit_seq<S: SeqAccess<'de>>(self, mut entries: S) -> Result<(), S::Error> {
        while let Some(entry) = entries.next_element::<Value>()? {
            self.export.take(self.list, &entry);
        }
        Ok(())
    }

    /// An empty list is written as `null`.
    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }
}

fn fields(entry: &Value, names: &[&'static str]) -> EngramFields {
    let text = |name: &&'static str| match entry.get(name)? {
        Value::String(text) => Some((*name, text.clone())),
        Value::Number(number) => Some((*name, number.to_string())),
        _ => None,
    };
    names.iter().filter_map(text).collect()
}
