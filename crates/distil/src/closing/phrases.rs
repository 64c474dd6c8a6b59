//! The phrases of closing messages, as data.
//!
//! Not here: how they are applied (`sayings`).

use crate::prose::Patterns;

/// Headings and labels of what is left to do.
pub(super) static NEXT_HEADINGS: Patterns = Patterns::new(&[
    "next step|steps|up|actions",
    "^ next",
    "todo|todos|to-do|to-dos",
    "^ to do",
    "still ~to do|open|missing|needed|pending",
    "remaining|remains",
    "^ ~what|what's|is left",
    "left to do",
    "follow-up|follow-ups|followup|followups",
    "follow up|ups",
    "outstanding",
    "future work|improvements",
    "action items",
    "not ~yet done|implemented",
    "you may|might|should|will want to",
    "before you merge|deploy|ship|release",
    "^ ~still open $",
    "^ ~still open :",
]);

/// Headings and labels of what no title is made of.
pub(super) static ASIDE_HEADINGS: Patterns = Patterns::new(&[
    "^ ~how|manual|local ~to test|tests|testing|verification|verify|verified|validation|checks|qa ~*",
    "^ test results|run|plan|coverage",
    "^ tests|checks run|passed|added",
    "^ usage|example|examples|commands|command|output|status|note|notes|caveat|caveats|limitations",
    "^ how to run|use|try",
    "^ files ~*",
    "^ changed|modified files",
    "^ options|alternatives|trade-offs|tradeoffs",
    "^ question|questions",
    "^ open|my question|questions",
    "^ commit|branch|pr|ci",
]);

/// Headings and leads of what was done.
pub(super) static WORK_HEADINGS: Patterns = Patterns::new(&[
    "changes|fixes|improvements|refactoring|implementation|completed",
    "what i did|changed|fixed|added|built",
    "what was done|changed|fixed|added",
    "what changed",
]);

/// What no title begins with. A cue may follow.
pub(super) static OPENINGS: Patterns = Patterns::new(&[
    "^ hi|hello|hey|sure|ok|okay|yes|yep|yeah|no|nope|great|perfect|excellent|absolutely|certainly|done|alright|nice|awesome|correct|understood|finally|additionally|also|overall|thanks ~there|news|job|question ,|.|:|;",
    "^ so|and|but|then|finally|additionally|also|overall",
    "^ great|good|excellent news|question|catch|point|idea ,|.|:",
    "^ in short|summary|brief|total ,|:",
    "^ to summarise|summarize|recap|conclude ,|:",
    "^ to sum up ,|:",
    "^ ~quick|short|brief|final|the summary|answer|recap|update|result|conclusion|outcome|tl;dr|tldr|status :",
    "^ as requested|asked|discussed|agreed|planned|you|we|per ~* ,",
    "^ you are ~absolutely|completely right ,|.|:",
    "^ that|this|it ~should|now|also fixes|fixed|solves|did|does|works|worked ~it|this|the|trick|now|problem|issue|bug :|,",
    "^ i|we have ~now|also|just|already|gone|successfully ~ahead|now|also ~and",
    "^ i|we ~now|also|just|then|successfully|went ~ahead ~and",
    "^ have ~now|also|just ~successfully",
    "^ fixed|resolved|solved|implemented|updated :",
    "^ heads up ,|:",
    "^ note|important|fyi|caution|warning ,|:",
    "^ successfully",
    "^ gone|went ahead and",
]);

/// What only announces an answer.
pub(super) static ANNOUNCEMENTS: Patterns = Patterns::new(&[
    "^ ~quick|short|brief|final|the summary|answer|recap|update|result|conclusion|outcome|tl;dr|tldr ~is :",
    "^ in short|summary|brief ,|:",
    "^ to summarise|summarize|recap|conclude ,|:",
]);

/// Openings of a report on looking; what was found follows.
pub(super) static LOOKED: Patterns = Patterns::new(&[
    "^ checked|reviewed|investigated|inspected|examined|analysed|analyzed|explored|searched|traced|looked|read|compared|confirmed|verified|dug ~* and|:|that",
    "^ ~and found|confirmed|verified|see|discovered|noticed|determined|concluded ~out that|:",
    "^ after|from|based|looking|having * ,",
    "^ it looks like|as if",
]);

/// Work that is said to be done without saying which.
pub(super) static HOLLOW_WORK: Patterns = Patterns::new(&[
    "^ ~all ~is|are done|finished|complete|completed|fixed|implemented|pushed|committed|merged|updated|resolved|deployed|applied|shipped ~and ~committed|pushed|tested|deployed $",
    "^ ~all|the|your|this ~of ~the|your|requested task|tasks|work|changes|change|feature|fix|implementation|request|refactor|refactoring|migration|update|updates|todos ~is|are|has|have ~now|all|been done|complete|completed|finished|ready|implemented|applied|committed|pushed|successfully|live ~*",
    "^ completed|finished|done ~with ~all|the|your|this ~requested task|tasks|work|request|implementation|changes|feature|refactoring|everything|all",
    "^ made|implemented|applied|completed|did|added|finished ~all|the ~of|the|following|requested|necessary|required|some|several|two|three|four|a ~few|following|requested changes|updates|fixes|improvements|edits|things ~*",
    "^ addressed|handled|resolved|incorporated|fixed ~all|both|each|every ~of ~the|your|these ~review|pr|two|three|four|remaining comments|feedback|points|requests|issues|findings|suggestions ~*",
    "^ committed|pushed|merged ~everything|it|this|that|the|them|all|changes|both ~changes|commit|branch as|to|on|in|with|and|.",
    "^ all|both ~of ~the|them|these|it|two|three|four|five|six ~* is|are done|finished|complete|committed ~*",
    "^ everything ~* works|passes|done|complete|builds|green|ready|implemented|set",
    "^ it|that|this is|works|should|has ~now|be|been|all done|fixed|complete|working|work|ready|resolved|implemented ~now $",
    "^ implemented|fixed|updated everything|it|this|that ~as|for|. ~*",
]);

/// What says nothing about the work.
pub(super) static HOLLOW: Patterns = Patterns::new(&[
    // Tests and builds.
    "^ ~all|the|both|every|each ~of|existing|unit|the|new|* tests|test|checks|specs|suite|clippy|lint|linter|build|typecheck|ci ~suite|and|* pass|passes|passed|passing|green|succeeds|succeeded|clean",
    "^ all|both ~* pass|passes|passed|green",
    "^ no ~type|lint|new|other|linter|compile errors|warnings|regressions|changes|files|failures",
    "^ nothing else",
    "^ tests|test|build|lint|clippy|ci :|,",
    "^ checked|reviewed|investigated|inspected|examined|analysed|analyzed|explored|searched|looked|compared|verified|tested|ran|read|confirmed|run|running|checking",
    "^ § pass|passes|passed|. ~*",
    "^ it|this|that|all|everything ~* looks|seems|sounds good|solid|fine|great|correct|right|ok|clean|reasonable",
    // What is announced, not said.
    "^ here is|are",
    "^ below|above is|are",
    "^ the ~main|key|following|most|biggest ~important changes|change|things|points|highlights|files|steps|details|summary",
    "^ key|main|notable|important|other changes|points|features|files|highlights|details|improvements|notes",
    "^ what i|has|changed|was|is",
    "^ what's new|changed",
    "^ summary|overview|changes|details|highlights|results|report|background|context ~*",
    "the following ~*",
    "^ let me",
    "^ i will|am|would|need|want|can|could|think|believe|hope|do|was",
    "^ will",
    "^ we will|can|could|need",
    // Politeness and talk about the talk.
    "^ you asked|wanted|requested|said|mentioned|can|could|are",
    "^ your request|task|question|prompt|message|goal|instructions",
    "^ the task|request|prompt|goal|question ~* was|is|:|you",
    "^ thanks|thank|sorry|apologies|welcome|hello|hi|good|great|sounds|glad|understood|no",
    "let me know",
    "feel free",
    "^ if you",
    "^ hope",
    "^ happy to",
    "^ please",
    // What could not be done.
    "^ could|was|were|am|did|have|has not",
    "^ unable to",
    "^ failed to",
]);

/// Verbs a report of work opens with.
pub(super) static WORK_OPENINGS: Patterns = Patterns::new(&[
    "^ added|fixed|updated|removed|implemented|created|changed|moved|renamed|replaced|refactored|rewrote|rewritten|wrote|written|introduced|extracted|split|merged|deleted|dropped|switched|migrated|upgraded|bumped|downgraded|pinned|set|configured|enabled|disabled|wired|hooked|connected|integrated|converted|ported|simplified|cleaned|tightened|hardened|improved|optimised|optimized|reduced|increased|raised|lowered|limited|capped|cached|memoised|memoized|debounced|throttled|batched|parallelised|parallelized|inlined|deduplicated|consolidated|unified|restored|reverted|rolled|reworked|restructured|reorganised|reorganized|documented|annotated|typed|tested|covered|mocked|stubbed|generated|regenerated|installed|published|released|deployed|built|made|turned|wrapped|guarded|validated|sanitised|sanitized|escaped|encoded|normalised|normalized|adjusted|adapted|aligned|corrected|resolved|patched|addressed|handled|prevented|stopped|avoided|ensured|allowed|exposed|hid|marked|registered|defined|declared|initialised|initialized|bootstrapped|scaffolded|sketched|drafted|prepared|finished|completed|kept|used|put|passed|returned|logged|printed|rendered|styled|translated|localised|localized|sorted|filtered|swapped|shortened|extended|expanded|broke|collapsed|untangled|decoupled|deprecated|archived|ignored|excluded|included|skipped|bundled|packaged|shipped|landed|committed|squashed|rebased|cherry-picked|tagged|synced|imported|exported|seeded|backfilled|indexed|partitioned|sharded|locked|unlocked|freed|closed|opened|started|triggered|scheduled|queued|retried|tuned|profiled|benchmarked|instrumented|traced|monitored|secured|encrypted|hashed|signed|rotated|redacted|stripped|trimmed|padded|rounded|clamped|formatted|linted|reformatted|applied|gave|taught|threaded|propagated|modified|modernised|modernized|rebuilt|redesigned|reset|repaired|reordered|bound|cut|tweaked|tidied|factored|pulled|pushed|hoisted|lifted|flattened|nested|attached|detached|mapped|merges|supported",
]);

/// How a finished thing is described.
pub(super) static DONE: Patterns = Patterns::new(&[
    "now",
    "no longer",
    "is|are in place",
    "is|are|was|were|has|have been|now|already|all ~been|now fixed|added|updated|removed|implemented|created|changed|moved|renamed|replaced|refactored|resolved|corrected|migrated|documented|supported|done|extended",
    ": ~now added|fixed|updated|removed|implemented|created|changed|moved|renamed|replaced|refactored|introduced|installed|switched|split|extracted",
    "is|are fixed|resolved|corrected|implemented|gone",
    "i|we ~have ~also|now|just added|fixed|updated|removed|implemented|created|changed|moved|renamed|replaced|refactored|lowered|raised|set|made|wrote|reverted|dropped|switched",
]);

/// Sentences that lean on the one before them.
pub(super) static LEANING: Patterns = Patterns::new(&[
    "^ it|this|that|they|these|those|which|both|he|she ~also|now|* is|was|are|were|has|have|now|does|also|means|will",
]);

/// What a report of work that leans on the sentence before it acts on.
pub(super) static LEANED_ON: Patterns =
    Patterns::new(&["^ it|them", "^ this|that|these|those|both ~in|to|by|with|from|and|. $"]);

/// A label that says work follows, whatever verb it has.
pub(super) static WORK_LABELS: Patterns = Patterns::new(&[
    "^ ~the|my fix|solution|change|changes|implementation|resolution",
    "^ fixed|resolved|solved|implemented|updated",
]);

/// Sentences that name what is left to do.
pub(super) static NEXT_SENTENCES: Patterns = Patterns::new(&[
    "you|we may|might|will|could|should|would ~also ~still|probably|then want|need|wish|like to",
    "^ next ,|:|up|you|we|i",
    "^ ~the|a|one|logical|natural|obvious|only|last|my|suggested next|remaining step|steps|thing|task is|are|would|will|:|to",
    "remains|remain to be",
    "^ what remains|is is|left",
    "is|are|was|were still ~to open|missing|pending|todo|outstanding|needed|do|unfinished",
    "still need|needs|have|has to",
    "still needs|need *",
    "left to do",
    "^ ~also todo",
    "^ before you merge|merging|deploy|deploying|ship|release|releasing|run ~* , ~* check|run|make|set|add|verify|update|create",
    "^ before merging|deploying|releasing|shipping ~* , ~* check|run|make|set|add|verify|update|create",
    "^ ~please do not forget to",
    "^ ~please do not merge|deploy|ship|release|push",
    "^ ~please|and remember|make sure to|you|that",
    "^ you will need|have to",
    "^ you ~still|also|then|now should|need|must|have ~to",
    "^ as a follow-up|followup|next ~step ,",
    "^ ~but|however|though ~, i|we have|did not ~* yet",
    "^ ~but|however|though ~, i|we am|are ~still|now|currently blocked",
    "^ blocked :|on",
    "^ ~but|however|though ~, ~the|these|one|two|three|four|five|some|several|both|§ ~of|other|new|unit|integration|§ ~the|these|of ~the|these test|tests|check|checks|build|ci|§ ~* still fail|fails",
    "^ ~but|however|though ~, ~the|these|one|two|three|four|five|some|several|both|§ ~of|other|new|unit|integration|§ ~the|these|of ~the|these test|tests|check|checks|build|ci|§ ~* is|are still failing|broken|red",
]);

/// Sentences that say nothing is left to do.
pub(super) static NO_STEPS: Patterns = Patterns::new(&[
    "^ none $",
    "^ none ,|.|;|:|needed|required|remaining|remain|left|outstanding",
    "^ ~there|that|which ~is|are|was nothing|none ~more|else ~is|are|remains left|remains|to|outstanding|open|pending|still",
    "^ there is|are|was|were no ~more|other|further|open|outstanding next|remaining|open|outstanding|further|more step|steps|task|tasks|work|todo|todos|item|items|thing|things|question|questions",
    "^ no ~more|other|further|open|outstanding next|remaining|open|outstanding|further|more|follow-up step|steps|task|tasks|work|todo|todos|item|items|thing|things",
]);

/// What a step is better without.
pub(super) static NEXT_OPENINGS: Patterns = Patterns::new(&[
    "^ ~* you|we may|might|will|could|should|would ~also ~still|probably|then want|need|wish|like to",
    "^ you|we ~still|also|then|now should|must ~now|then|also|still",
    "^ you|we|i ~still|also|then|now will|need|have ~still|need|have to",
    "^ ~the|a|one|logical|natural|obvious|only|last|my|suggested next|remaining step|steps|thing|task ~here is|are|would|will ~be ~to|:",
    "^ next ~up ,|:",
    "^ next",
    "^ todo|todos|follow-up|followup ~:|,",
    "^ as a follow-up|followup|next ~step ,",
    "^ what remains|is ~left is ~to",
    "^ before you merge|merging|deploy|deploying|ship|release|releasing|run ~* ,",
    "^ before merging|deploying|releasing|shipping ~* ,",
    "^ ~please do not forget to",
    "^ ~please remember|sure to",
    "^ please|then|finally|and|also ~,",
    "^ make sure to",
]);

/// What offers help, and asks nobody to decide.
pub(super) static OFFERS: Patterns = Patterns::new(&[
    "let me know",
    "would you like",
    "do you want me",
    "want me to",
    "like me to",
    "^ shall|should|can|may|could i",
    "i can ~also|then|now|help|go * if",
    "^ if you want|like|prefer|need|wish|would|have|are",
    "if you|you'd ~would want|like|prefer|wish ~, i",
    "i am happy|glad to",
    "happy|glad to help|do|add|make|adjust|walk|explain|continue",
    "feel free",
    "anything else",
    "^ what would you like",
    "^ what should i|we ~do|work|tackle next",
    "^ what is|are next",
    "does|do that|this|these make|look|sound|work",
    "^ sound|sounds|look|looks good|ok|right",
    "^ ready to|for",
    "^ any questions|thoughts|feedback|objections",
    "reach out",
    "just say|ask",
    "say the word",
]);

/// What makes even an offer a choice to make.
pub(super) static CHOICES: Patterns = Patterns::new(&["* or *"]);

/// How a question opens that follows a colon.
pub(super) static QUESTION_OPENINGS: Patterns = Patterns::new(&[
    "^ should|shall|do|does|did|is|are|was|were|may|might|can|could|will|would|which|what|how|who|where|when|why|has|have|must",
]);

/// Questions an agent asks itself, when it goes on to answer them.
pub(super) static RHETORICAL: Patterns = Patterns::new(&["^ why|what|how|where|when|so ~*"]);

/// How causes and facts are told.
pub(super) static LEARNED: Patterns = Patterns::new(&[
    "root cause",
    "turns|turned out",
    "^ ~please|also|one|important|do note ~: that|:",
    "^ ~one thing to note|know|remember|watch ~is :|that",
    "^ ~also|important|please keep in mind",
    "be aware",
    "^ heads up ,|:",
    "^ important|caution|warning|caveat|gotcha|caveats|note|heads-up|fyi|beware|lesson|learned|learning|til ~learned|up :|,",
    "caused by",
    "^ the ~actual|real|underlying|original|main|core problem|issue|bug|culprit|cause|reason|failure|error|crash|leak|trouble was|is|came|comes ~that|because|from|:",
    "the reason * is|was",
    "culprit",
    "traced|tracked * back|down to",
    "came|comes|stemmed|stems down|from *",
    "failed|fails|failing|breaks|broke|ignores|ignored|hangs|hung|crashes|crashed|slow|empty|blank|wrong|missing|lost|flaky|broken|stale ~* because",
    "^ i|we ~have ~also|just learned|discovered|noticed|found ~out that",
    "surprisingly",
]);

/// What a thing learned is better without.
pub(super) static LEARNED_OPENINGS: Patterns = Patterns::new(&[
    "^ ~so|and it turns|turned out ~, ~that",
    "^ turns|turned out ~, ~that",
    "^ ~please|also|one|important|do note ~: that|:",
    "^ ~one thing to note|know|remember|watch ~is :|that",
    "^ ~also|important|please keep in mind ~that|:|,",
    "^ ~please|also be aware ~that|:",
    "^ heads up ,|: ~that",
    "^ important|caution|warning|caveat|gotcha|caveats|note|heads-up|fyi|beware|lesson|learned|learning|til ~learned|up :|,",
    "^ i|we ~have ~also|just learned|discovered|noticed|found ~out that",
]);
