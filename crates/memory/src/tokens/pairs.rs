//! How much two adjacent letters tell about the tokens of their word.
//!
//! Vocabularies are full of whole English words and of pieces that many words share. A pair that is common in them costs next to
//! nothing; a rare one usually ends a piece. So English, code, German, random strings and base64 are distinguished without a word
//! list. The table was fitted once to the words of some megabytes of prose in thirty languages and of code in ten, counted with the
//! o200k and cl100k vocabularies.

/// What each level of the table costs, in hundredths of a token.
const LEVELS: [u8; 8] = [0, 4, 9, 15, 24, 35, 48, 62];

/// The level of each pair: the first letter chooses the row, the second the column.
#[rustfmt::skip]
const PAIRS: [&[u8; 26]; 26] = [
    b"70253607476023437140664005", // a
    b"47774750707047477430077707", // b
    b"17570674170057075170076707", // c
    b"47700747367577447636577657", // d
    b"26006357777554410314753057", // e
    b"07772227277305376371477707", // f
    b"77472760577543477466677777", // g
    b"30772777377702075370577677", // h
    b"51023417777450046540747270", // i
    b"77776776777775775757775677", // j
    b"76711637777775760777773777", // k
    b"56752077377377437424510707", // l
    b"40750757577617107737677767", // m
    b"57035507776535437700742667", // n
    b"35066047474540337065150307", // o
    b"47750770677047247020477637", // p
    b"77677666666077557075267667", // q
    b"47350607575700270414655707", // r
    b"77462771576777557602573737", // s
    b"57453670277537607146670707", // t
    b"23070657477003726032777077", // u
    b"67770737477767776777777777", // v
    b"47721770174770077037773777", // w
    b"46277775363757706773777525", // x
    b"77777777777772566147775767", // y
    b"77775777777777777777777677", // z
];

/// The table with its levels filled in, for letters of either case: their last five bits count from `a` as 1.
static COSTS: [[u8; 32]; 32] = costs();

#[expect(clippy::indexing_slicing, reason = "runs when this is compiled, where a wrong index is an error")]
const fn costs() -> [[u8; 32]; 32] {
    let mut costs = [[0; 32]; 32];
    let mut first = 0;
    while first < PAIRS.len() {
        let mut second = 0;
        while second < PAIRS[first].len() {
            costs[first + 1][second + 1] = LEVELS[(PAIRS[first][second] - b'0') as usize];
            second += 1;
        }
        first += 1;
    }
    costs
}

/// Returns what a pair of ASCII letters adds to its word, whatever their case, in hundredths of a token.
pub(super) fn pair_cost(first: char, second: char) -> u32 {
    let at = |letter: char| (u32::from(letter) & 31) as usize;
    COSTS.get(at(first)).and_then(|row| row.get(at(second))).map_or(0, |cost| u32::from(*cost))
}
