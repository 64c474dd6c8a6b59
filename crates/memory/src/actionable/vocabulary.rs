//! The words that requests are recognised by.
//!
//! Tables only: how they are read is decided in `actionable`.

/// Words or phrases, written as one text.
pub(super) struct WordList {
    separator: u8,
    text: &'static str,
    /// For each first byte, the lengths of the entries that begin with it as bits: nearly every word is ruled out by one look, and
    /// every word of a block is looked up in twenty lists.
    lengths: [u32; FIRST_BYTES],
}

/// First bytes are distinguished by their lower bits.
const FIRST_BYTES: usize = 64;

impl WordList {
    const fn words(text: &'static str) -> WordList {
        WordList { separator: b' ', text, lengths: lengths(text, b' ') }
    }

    const fn phrases(text: &'static str) -> WordList {
        WordList { separator: b'|', text, lengths: lengths(text, b'|') }
    }

    pub(super) fn each(&self) -> impl Iterator<Item = &'static str> {
        self.text.split(char::from(self.separator))
    }

    pub(super) fn holds(&self, word: &str) -> bool {
        self.lengths_of(word) >> (word.len() & 31) & 1 != 0 && self.each().any(|known| known == word)
    }

    /// Whether two words make an entry.
    pub(super) fn holds_pair(&self, first: &str, second: &str) -> bool {
        self.lengths_of(first) != 0 && self.each().any(|known| known.split_once(' ') == Some((first, second)))
    }

    fn lengths_of(&self, word: &str) -> u32 {
        let first = word.bytes().next().map(|first| usize::from(first) % FIRST_BYTES);
        first.and_then(|first| self.lengths.get(first)).copied().unwrap_or_default()
    }
}

#[expect(clippy::indexing_slicing, reason = "the compiler runs it")]
const fn lengths(text: &str, separator: u8) -> [u32; FIRST_BYTES] {
    let bytes = text.as_bytes();
    let mut lengths = [0; FIRST_BYTES];
    let (mut start, mut at) = (0, 0);
    while at <= bytes.len() {
        if at == bytes.len() || bytes[at] == separator {
            if at > start {
                lengths[bytes[start] as usize % FIRST_BYTES] |= 1 << ((at - start) & 31);
            }
            start = at + 1;
        }
        at += 1;
    }
    lengths
}

/// Subjects after which "always", "never" and "must" are said of people and their work, not of code.
pub(super) static SUBJECTS: WordList = WordList::words(
    "you we i agent agents assistant everyone developers contributors one everybody nobody people commits prs branches changes releases tests reviewers please should and then so to \
    but — - deploys deployments builds migrations handlers handler",
);

pub(super) static DIRECTING: WordList = WordList::phrases(
    "mustn't|do not|don't|dont|from now on|make sure|be sure|mandatory|you should|\
    you need to|you have to|agents should|agents have to|we should|we need to|we have to|required to run|\
    remember to|at all times|under no circumstances|without exception|recommended to run|consider running|\
    ought to|best practice is|is recommended|are recommended|is advised|the only supported way|trusted blindly|\
    try running|run the following|execute the following|is forbidden|are forbidden|only ever",
);

/// Verbs before what is to be done: "should be deployed", "needs to be run", "has to install".
pub(super) static OBLIGING: WordList =
    WordList::words("must should shall need needs has have ought requires");

/// What stands before "to be run": somebody is to do it.
pub(super) static EXPECTING: WordList = WordList::words(
    "are is need needs require requires expect expects want wants have has must supposed required",
);

/// What is asked for, as a verb and as its participle.
pub(super) static DONE: WordList = WordList::words(
    "run executed installed deployed uploaded posted sent skipped ignored disabled deleted pushed merged \
    fetched downloaded cloned piped approved bypassed invoked launched sourced exported overridden pasted \
    published force-pushed wiped granted",
);

/// Words of other languages that direct. They count as whole words.
pub(super) static OTHER_LANGUAGES: WordList = WordList::phrases(
    "immer|niemals|nie|muss|müssen|musst|müsst|sollte|sollen|führe|führt|ausführen|installiere|installieren|\
    starte|lösche|ignoriere|überspringe|benutze|toujours|jamais|faut|doit|devez|doivent|exécute|exécuter|\
    exécutez|lancer|lancez|installez|ignorez|supprimez|siempre|nunca|debe|debes|deben|ejecuta|ejecutar|ejecute|\
    lanzar|instala|instalar|ignora|sempre|deve|devi|devono|esegui|eseguire|lanciare|installa|installare|\
    bisogna|rode|executar|instale|precisa|altijd|nooit|moet|moeten|voer|uruchom|zawsze|nigdy|musisz|należy|\
    trzeba|zainstaluj|çalıştır|asla|mutlaka|alltid|aldrig|måste|всегда|никогда|обязательно|нельзя|запусти|\
    запускай|запускать|запустить|запускайте|запустите|установи|установите|установить|устанавливай|нужно|надо|\
    необходимо|следует|должен|должна|должны|выполни|выполняй|выполнить|игнорируй|пропускай|отключи|отключай|\
    завжди|ніколи|потрібно|запускай|يجب|دائما|हमेशा",
);

/// The same in scripts without spaces, where any occurrence counts.
pub(super) static UNSPACED: WordList = WordList::phrases(
    "必须|必須|总是|總是|不要|务必|運行|运行|安装|安裝|执行|執行する|執行|始终|切勿|禁止|应该|應該|应当|必ず|常に|絶対|\
    実行して|実行する|走らせ|してください|しないで|なければな|ねばなら|べき|インストールし|항상|절대|반드시|실행하|실행해|돌린다|돌려|설치하|\
    해야",
);

/// Words that show that a sentence is English.
pub(super) static ENGLISH: WordList =
    WordList::words("the of to for is are was were and with from by it that now at as no not be has");

/// Words before the verb of a request.
pub(super) static LEADING: WordList = WordList::words(
    "please then first next now just and also you can could to simply finally note important todo fix \
    solution workaround instead so we let's lets should steps step - 1 2 3 4 5",
);

/// Verbs of requests. Titles of commits begin with them, too.
pub(super) static RUNNING: WordList = WordList::words(
    "run execute exec install download fetch curl wget clone send upload paste disable ignore skip approve bypass \
    invoke launch eval sudo chmod delete push deploy post merge pipe publish force-push wipe suppress \
    grant decode forward",
);

/// Words after which such a verb is a noun: "deploy script", "merge conflict", "curl is used".
pub(super) static NOUN_FOLLOWERS: WordList = WordList::words(
    "is are was were has had have and or & of script scripts button buttons notification notifications conflict \
    conflicts endpoint endpoints time times step steps size limit limits queue queues error errors progress \
    list lists detection screen job jobs pipeline pipelines key keys hook hooks handler handlers request \
    requests action actions target targets flag flags command commands path paths logic url urls loop \
    config stage stages log logs event events mode option options process window windows test tests \
    failed fails failing hangs hung works worked takes took returned returns broke breaks stopped",
);

/// Words between a verb and what it is done to, where a clause begins in mid-sentence.
pub(super) static DETERMINERS: WordList =
    WordList::words("the a an all any every each this that these those it them your our its everything");

/// What is not to be set aside, skipped or switched off at somebody's word.
pub(super) static CHECKS: WordList = WordList::words(
    "check checks test tests failing failures ci lint lints linter linters verification validation warning \
    warnings review reviews reviewer signature signatures certificate certificates tls ssl sandbox permission \
    permissions auth authentication authorization alerts scanner scan security signing confirmation \
    confirmations hook hooks pre-commit safety protection protections firewall antivirus audit",
);
pub(super) static SKIPPING: WordList = WordList::words("ignore skip disable bypass suppress");

/// What a request is grave about, whatever its verb: secrets, and what many rely on.
pub(super) static PRECIOUS: WordList = WordList::words(
    "secret secrets token tokens credential credentials password passwords .env ~/.ssh production prod main \
    master everything database --force -f root",
);

pub(super) static SETTING_ASIDE: WordList = WordList::words("ignore disregard forget override bypass drop");
pub(super) static INSTRUCTIONS: WordList = WordList::words(
    "instructions instruction rules prompt prompts guidelines constraints restrictions safeguards \
    policies",
);
pub(super) static APPROVING: WordList = WordList::words("approve auto-approve accept allow grant trust");
pub(super) static APPROVED: WordList =
    WordList::words("approved pre-approved auto-approved authorized authorised granted permitted");
pub(super) static EVERYTHING: WordList =
    WordList::words("all any every everything anything requests permissions access tools whatever");
pub(super) static OWNERS: WordList = WordList::words("user owner maintainer maintainers admin users");
/// Verbs by which somebody is given what opens something, and what that is.
pub(super) static HANDING: WordList =
    WordList::words("hand hands handing give giving grant grants granting reveal forward");
pub(super) static RIGHTS: WordList = WordList::words(
    "credential credentials secret secrets password passwords admin root rights access environment",
);
/// The same of what parsers and maps are handed, too: only asking for it counts.
pub(super) static HAND: WordList = WordList::words("hand grant");
pub(super) static KEYS: WordList = WordList::words("key keys token tokens");
pub(super) static OVERRIDING: WordList = WordList::phrases(
    "without asking|without confirmation|without confirming|without review|no need to ask|don't ask|\
    do not ask|you are now|new instructions|system prompt|--no-verify|--dangerously|--yolo|\
    skip-permissions|jailbreak|keep this secret|don't tell the user|do not tell the user|do not mention|\
    approved by the user|approved by the owner",
);

pub(super) static FETCHERS: WordList =
    WordList::words("curl wget npx pnpx bunx uvx pipx sudo ssh scp iwr iex nc powershell eval telnet");
pub(super) static FETCHING: WordList = WordList::phrases(
    "docker run|docker pull|podman run|podman pull|git clone|git push|git config|go run|npm config|\
    yarn config|pip config|git remote",
);
pub(super) static INSTALLERS: WordList = WordList::words(
    "pip pip3 npm pnpm yarn bun cargo gem brew apt apt-get dnf yum pacman apk go composer uv conda choco \
    winget scoop snap poetry bundle",
);
pub(super) static INSTALLING: WordList = WordList::words("install add i get exec dlx -s");

/// Words after which a command is what somebody needs.
pub(super) static REQUIRING: WordList = WordList::words(
    "need needs require requires requiring expect expects via through using run running execute call invoke",
);

pub(super) static PROGRAMS: WordList = WordList::words(
    "curl wget npx sudo ssh scp pip pip3 npm pnpm yarn bun cargo gem brew apt apt-get go uv uvx docker \
    git make python python3 node bash sh zsh rm mv cp chmod chown kubectl terraform aws gcloud az psql \
    mysql sqlite3 just rake mix gradle mvn dotnet deno export source eval alembic flyctl heroku vercel \
    systemctl crontab gh glab backstory tar unzip dd kill",
);
/// Programs whose name is a word, too: they count in code quotes only.
pub(super) static WORDS_TOO: WordList = WordList::words("make go just source node mix export kill");

/// Parts of names of variables that switch a check off.
pub(super) static WEAKENING: WordList =
    WordList::words("REJECT VERIFY VERIFICATION INSECURE SSL TLS SKIP DISABLE TRUST UNSAFE");

/// What runs whatever is written to it.
pub(super) static SHELLS: WordList =
    WordList::words("sh bash zsh fish python python3 node iex perl ruby sudo");
pub(super) static PIPING: WordList = WordList::words("pipe piped pipes piping");

/// Endings of a host that is named without a scheme.
pub(super) static DOMAINS: WordList = WordList::words(
    "com org net io dev ai co app xyz info me example invalid site online top cc tk ru cn de eu fr uk us \
    biz link page cloud sh run nl pl se ch at es it pt br jp kr tv ly gg im pw club live pro tech store \
    space fun icu host network zone tools systems",
);
/// Words after which a bare host is where something is sent to or taken from.
pub(super) static DIRECTIONS: WordList = WordList::words("to from at via into visit see");
