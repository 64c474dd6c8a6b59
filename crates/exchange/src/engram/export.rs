//! What `engram export` writes: one JSON object, read entry by entry, whatever its length.

use super::{Fields, Known, OBSERVATION, SESSION};
use crate::values::{reason, told};
use crate::{Found, Unreadable};
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::Value;
use std::fmt;
use std::fs::File;
use std::io::BufReader;
use std::path::Path;

pub(super) fn read(path: &Path, tell: &mut dyn FnMut(Found)) -> Result<(), Unreadable> {
    let file = File::open(path).map_err(|error| Unreadable(error.to_string()))?;
    let mut json = serde_json::Deserializer::from_reader(BufReader::new(file));
    let mut export = Export { known: Known::default(), has_begun: false, tell };
    let read = json.deserialize_map(&mut export);
    match read {
        Err(error) if !export.has_begun => Err(Unreadable(error.to_string())),
        Err(_) => {
            (export.tell)(Found::Skipped(CUT_OFF));
            Ok(())
        }
        Ok(()) if export.has_begun => Ok(()),
        Ok(()) => Err(Unreadable("not an export of engram".to_owned())),
    }
}

const CUT_OFF: &str = "cut off";

struct Export<'a> {
    known: Known,
    /// Whether something was seen that only an export of engram has.
    has_begun: bool,
    tell: &'a mut dyn FnMut(Found),
}

impl Export<'_> {
    fn take(&mut self, list: List, entry: &Value) {
        let taken = match list {
            List::Sessions => self.known.session(&fields(entry, SESSION)),
            List::Observations => Some(self.known.observation(&fields(entry, OBSERVATION))),
            List::Prompts => Some(Err(reason::PROMPT)),
        };
        if let Some(taken) = taken {
            (self.tell)(told(taken));
        }
    }
}

/// The lists of an export.
#[derive(Clone, Copy)]
enum List {
    Sessions,
    Observations,
    Prompts,
}

impl<'de> Visitor<'de> for &mut Export<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an export of engram")
    }

    fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<(), M::Error> {
        while let Some(key) = map.next_key::<String>()? {
            let list = match key.as_str() {
                "sessions" => List::Sessions,
                "observations" => List::Observations,
                "prompts" => List::Prompts,
                _ => {
                    map.next_value::<IgnoredAny>()?;
                    continue;
                }
            };
            self.has_begun = true;
            map.next_value_seed(Entries { export: self, list })?;
        }
        Ok(())
    }
}

/// Reads one list, entry by entry.
struct Entries<'a, 'b> {
    export: &'a mut Export<'b>,
    list: List,
}

impl<'de> DeserializeSeed<'de> for Entries<'_, '_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Entries<'_, '_> {
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

    /// A list nobody filled is written as nothing.
    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }
}

fn fields(entry: &Value, names: &[&'static str]) -> Fields {
    let text = |name: &&'static str| match entry.get(name)? {
        Value::String(text) => Some((*name, text.clone())),
        Value::Number(number) => Some((*name, number.to_string())),
        _ => None,
    };
    names.iter().filter_map(text).collect()
}
