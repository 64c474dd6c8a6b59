//! Finds passwords behind their name in languages whose words are no ASCII words, or several.
//!
//! Not here: `Passwort`, `senha` and other names of one ASCII word (`names`).

use super::SecretMatch;
use super::assignment::{ValueSpot, count};
use super::passwords;
use super::random::{Announcement, is_random};

#[rustfmt::skip]
const NAMES: [&str; 39] = [
    "mot de passe", "Mot de passe", "code secret", "contraseña", "Contraseña", "пароль", "Пароль", "паролем", "ключ доступа", "密码", "密碼", "パスワード",
    "비밀번호", "şifre", "Şifre", "hasło", "Hasło", "hasła", "lösenord", "Lösenord", "jelszó", "parolă", "κωδικός", "Schlüssel", "schlüssel", "salasana",
    "mdp", "chiave", "passowrd", "şifresi", "كلمة المرور", "كلمة السر", "mật khẩu", "Mật khẩu", "סיסמ", "पासवर्ड", "лозинка", "zaporka", "wachtwoord",
];
/// What leads from a name to its value.
#[rustfmt::skip]
const SAYING: [&str; 23] = [
    " est ", " c'est ", " c’est ", " es ", " to ", " jest ", " ist ", " är ", " on ", " это ", " теперь ", " — ", " – ", "是", "は", "는 ", "은 ", " là ", " هي ", " היא ", " e ", " è ", " je ",
];

/// Whether a text is the word for a password, as labels of forms are.
pub(super) fn names_a_password(text: &[u8]) -> bool {
    NAMES.iter().any(|name| {
        let is_longer = text.len() <= name.len() + 2;
        is_longer && text.windows(name.len()).any(|part| part == name.as_bytes())
    })
}

/// Adds a finding for every password behind such a name.
pub(super) fn find(text: &str, found: &mut Vec<SecretMatch>) {
    let is_ascii = text.is_ascii();
    for name in NAMES.iter().filter(|name| !is_ascii || name.is_ascii()) {
        for (at, _) in text.match_indices(name) {
            let end = at + name.len();
            let spot = ValueSpot::after(text.as_bytes(), end, false).map(|spot| spot.start);
            let spot = spot.or_else(|| said(text, end)).or_else(|| behind_a_colon(text, end));
            // "le mot de passe hunter26"
            let Some(start) = spot.or_else(|| text.get(end..)?.starts_with(' ').then_some(end + 1)) else {
                continue;
            };
            let start = start + count(text.as_bytes(), start, b" `\"'", 2);
            found.extend(passwords::in_a_sentence(text.as_bytes(), start));
            found.extend(passwords::made_up_at(text.as_bytes(), start));
            found.extend(in_any_script(text, start));
        }
    }
}

/// "пароль от стейджинга: …": what follows the first colon of the line.
fn behind_a_colon(text: &str, name_end: usize) -> Option<usize> {
    const REACH: usize = 80;
    let rest = text.get(name_end..text.floor_char_boundary(name_end + REACH))?;
    let line = rest.split(['\n', '.', ',', ';', '=']).next()?;
    let colon = line.find(": ")?;
    Some(name_end + colon + 2)
}

/// Returns the word at `start` if it joins words or mixes letters of any script with digits or signs.
fn in_any_script(text: &str, start: usize) -> Option<SecretMatch> {
    const SHORTEST: usize = 6;
    const LONGEST: usize = 64;
    let rest = text.get(start..)?;
    let word = rest.split([' ', '\n', '\r', ',', ';', '"', '\'', '`', ')']).next()?;
    let word = word.strip_suffix('.').unwrap_or(word);
    let has = |expected: fn(char) -> bool| word.chars().any(expected);
    let is_mixed = has(char::is_alphabetic) && has(|c| c.is_ascii_digit() || "!@#%&*_".contains(c));
    // Where no spaces part words, what follows the name is a sentence.
    let is_foreign = !word.is_ascii() && is_mixed && !word.chars().any(|c| c > '\u{2e80}');
    let is_secret = is_foreign
        || passwords::is_joined(word.as_bytes())
        || is_random(word.as_bytes(), Announcement::Assigned);
    (is_secret && (SHORTEST..=LONGEST).contains(&word.len())).then(|| SecretMatch {
        rule: passwords::CREDENTIAL,
        start,
        end: start + word.len(),
    })
}

/// Returns where the value begins that a sentence leads to: "la contraseña del servidor es …".
fn said(text: &str, name_end: usize) -> Option<usize> {
    const REACH: usize = 80;
    let rest = text.get(name_end..text.floor_char_boundary(name_end + REACH))?;
    let sentence = rest.split(['\n', '.', ',', ';', ':', '=', '(']).next()?;
    let behind = |saying: &&str| Some(sentence.find(*saying)? + saying.len());
    SAYING.iter().filter_map(behind).min().map(|length| name_end + length)
}
