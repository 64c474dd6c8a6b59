//! Finds passwords behind their name in languages whose words are no ASCII words, or several.
//!
//! Not here: `Passwort`, `senha` and other names of one ASCII word (`names`).

use super::SecretMatch;
use super::assignment::{ValueSpot, count};
use super::passwords;

const NAMES: [&str; 12] = [
    "mot de passe",
    "Mot de passe",
    "contraseña",
    "Contraseña",
    "пароль",
    "Пароль",
    "密码",
    "密碼",
    "パスワード",
    "비밀번호",
    "şifre",
    "hasło",
];
/// What leads from a name to its value.
const SAYING: [&str; 6] = [" est ", " es ", " to ", " jest ", "是", "は"];

/// Adds a finding for every password behind such a name.
pub(super) fn find(text: &str, found: &mut Vec<SecretMatch>) {
    let is_ascii = text.is_ascii();
    for name in NAMES.iter().filter(|name| !is_ascii || name.is_ascii()) {
        for (at, _) in text.match_indices(name) {
            let end = at + name.len();
            let spot = ValueSpot::after(text.as_bytes(), end, false).map(|spot| spot.start);
            let Some(start) = spot.or_else(|| said(text, end)) else { continue };
            let start = start + count(text.as_bytes(), start, b" `\"'", 2);
            found.extend(passwords::in_a_sentence(text.as_bytes(), start));
            found.extend(passwords::made_up_at(text.as_bytes(), start));
        }
    }
}

/// Returns where the value begins that a sentence leads to: "la contraseña del servidor es …".
fn said(text: &str, name_end: usize) -> Option<usize> {
    const REACH: usize = 80;
    let rest = text.get(name_end..text.floor_char_boundary(name_end + REACH))?;
    let sentence = rest.split(['\n', '.', ',', ';', ':', '=', '(']).next()?;
    let behind = |saying: &&str| Some(sentence.find(*saying)? + saying.len());
    SAYING.iter().filter_map(behind).min().map(|length| name_end + length)
}
