//! Finds passwords and keys that SQL statements hold: `IDENTIFIED BY '…'`, and rows below a list of columns.
//!
//! Not here: `PASSWORD '…'`, which is a name and its value (`passwords`), and tables that a client prints (`tables`).

use super::SecretMatch;
use super::assignment::count;
use super::names::{NameClass, name_class};
use super::passwords::{CREDENTIAL, is_chosen, is_made_up, is_password, value};
use super::random::{Announcement, is_random};

/// Returns the password behind `IDENTIFIED BY`, which ends at `at`.
pub(super) fn after_identified_by(text: &[u8], at: usize) -> Option<SecretMatch> {
    let start = at + count(text, at, b" \t", 4);
    let quote = text.get(start).copied().filter(|byte| b"\"'".contains(byte));
    let start = start + usize::from(quote.is_some());
    let password = value(text.get(start..)?, quote)?;
    let is_sql = quote == Some(b'\'') || text.get(at - 1) == Some(&b'Y');
    let is_secret = match quote {
        Some(_) if is_sql => is_chosen(password),
        _ => (quote.is_some() || is_sql) && is_made_up(password),
    };
    is_secret.then_some(SecretMatch { rule: CREDENTIAL, start, end: start + password.len() })
}

/// Adds the secrets of the rows behind `VALUES`, which stands from `start` to `end`, by the columns listed before it.
pub(super) fn find_in_rows(text: &[u8], (start, end): (usize, usize), found: &mut Vec<SecretMatch>) {
    let Some(columns) = columns_before(text, start) else { return };
    let is_space = |byte: &&u8| byte.is_ascii_whitespace() || **byte == b',';
    let mut at = end;
    loop {
        at += text.get(at..).unwrap_or_default().iter().take_while(is_space).count();
        if text.get(at) != Some(&b'(') {
            return;
        }
        let Some(behind) = read_row(text, at + 1, &columns, found) else { return };
        at = behind;
    }
}

/// Returns what the columns before `VALUES` announce, if one of them announces a secret.
fn columns_before(text: &[u8], at: usize) -> Option<Vec<Option<NameClass>>> {
    const LONGEST_LIST: usize = 600;
    let before = text.get(at.saturating_sub(LONGEST_LIST)..at)?.trim_ascii_end().strip_suffix(b")")?;
    let opened = before.iter().rposition(|byte| *byte == b'(')?;
    let class = |column: &[u8]| {
        let name = column.trim_ascii();
        let (class, end) = name_class(name)?;
        let is_whole = name.get(end..).is_some_and(|rest| rest.iter().all(|byte| b"\"`]".contains(byte)));
        (is_whole && matches!(class, NameClass::Password | NameClass::Key)).then_some(class)
    };
    let columns: Vec<_> = before.get(opened + 1..)?.split(|byte| *byte == b',').map(class).collect();
    columns.iter().any(Option::is_some).then_some(columns)
}

/// Reads one row that begins at `at`, and returns where it ends.
fn read_row(
    text: &[u8],
    mut at: usize,
    columns: &[Option<NameClass>],
    found: &mut Vec<SecretMatch>,
) -> Option<usize> {
    for class in columns {
        at += count(text, at, b" \t\n\r", 80);
        let prefix = usize::from(text.get(at) == Some(&b'N') && text.get(at + 1) == Some(&b'\''));
        let quote = text.get(at + prefix).copied().filter(|byte| *byte == b'\'');
        let start = at + prefix + usize::from(quote.is_some());
        let value = value(text.get(start..)?, quote)?;
        let is_secret = match class {
            Some(NameClass::Password) => is_password(value),
            Some(_) => is_random(value, Announcement::Quoted),
            None => false,
        };
        let end = start + value.len();
        if is_secret && quote.is_some() {
            found.push(SecretMatch { rule: CREDENTIAL, start, end });
        }
        at = end + usize::from(quote.is_some());
        at += count(text, at, b" \t\n\r", 80);
        match text.get(at)? {
            b',' => at += 1,
            b')' => return Some(at + 1),
            _ => return None,
        }
    }
    None
}
