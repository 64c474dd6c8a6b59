//! Samples written by us, for what the sets do not cover: prompts that ask for nothing, ephemeral and lasting statements, corrections.

/// Everyday prompts that no memory is relevant to.
pub(crate) const SMALL_TALK: [&str; 20] = [
    "ok",
    "yes please",
    "continue",
    "thanks, that looks good",
    "go on",
    "no, undo that",
    "looks good to me, commit it",
    "try again",
    "what do you think?",
    "can you explain that again, a bit slower?",
    "hm, not quite",
    "do the second one",
    "wait",
    "why?",
    "good morning, let us get going",
    "that is not what I meant",
    "perfect, next one",
    "show me the diff",
    "run it again please",
    "you can stop here for today",
];

/// Ephemeral remarks: small talk, wishes for the task at hand, facts of the moment.
pub(crate) const EPHEMERAL: [&str; 24] = [
    "Good morning, did you sleep well?",
    "Dialogs need softer edges.",
    "The ticket is OPS-77.",
    "We checked it on Linux, not Windows.",
    "The sidebar needs a Close button.",
    "I love the new colours.",
    "I don't like this spacing.",
    "We keep getting the same result.",
    "Only three files are left.",
    "All of these have the same name.",
    "Whenever you are ready, go on.",
    "The pull request is #52.",
    "The build is green again.",
    "We are on page 3.",
    "No need for an apology.",
    "Let's leave it for today.",
    "This is just a sketch.",
    "The reviewer is Paul.",
    "The heading should be bold, not italic.",
    "I want the list to be wider.",
    "The call is tomorrow, not today.",
    "We met in Berlin, not in Hamburg.",
    "My laptop is slow today.",
    "That must have been the proxy.",
];

/// Lasting statements, worded as people do.
pub(crate) const LASTING: [&str; 24] = [
    "We use uv, never pip.",
    "Always run the linter before pushing.",
    "Never edit generated code by hand.",
    "We decided to keep one database for all tenants.",
    "I prefer explicit imports.",
    "I hate long functions.",
    "Releases need the signing key from Vault.",
    "The indexer needs Elasticsearch 8.",
    "The default locale is `de-CH`.",
    "We paginate by cursor, not by offset.",
    "Amounts should be integers, not floats.",
    "Every endpoint must be documented.",
    "Only admins can delete projects.",
    "Whenever you add a flag, update the manual.",
    "We never force-push to main.",
    "We are on Java 21.",
    "We keep migrations in `db/migrate`.",
    "We do not support Internet Explorer.",
    "The search service is written in Go.",
    "Let's use OpenTelemetry for all tracing.",
    "From now on all dates are UTC.",
    "Watch out: the importer drops rows without an id.",
    "We chose Kafka over RabbitMQ because we replay events.",
    "The billing tables belong to the payments team.",
];

/// The agent's reply to a bare statement.
pub(crate) const ACKNOWLEDGEMENT: &str = "Understood, I will keep that in mind for the rest of this work and play_session you when something contradicts it.";

/// A statement, its correction some days later, and a question about it.
pub(crate) struct Correction {
    pub(crate) statement: &'static str,
    pub(crate) correction: &'static str,
    pub(crate) question: &'static str,
}

/// Corrections in common wordings.
pub(crate) const CORRECTIONS: [Correction; 12] = [
    Correction {
        statement: "We use npm for the frontend.",
        correction: "No, we use pnpm for the frontend, not npm.",
        question: "Which package manager does the frontend use?",
    },
    Correction {
        statement: "We deploy to Heroku.",
        correction: "We switched from Heroku to Fly for deployments.",
        question: "Where do we deploy to?",
    },
    Correction {
        statement: "Always write tests with unittest.",
        correction: "Stop using unittest, use pytest.",
        question: "What are tests written with?",
    },
    Correction {
        statement: "The API listens on port 8080.",
        correction: "The API listens on port 9090 now, not 8080.",
        question: "Which port does the API listen on?",
    },
    Correction {
        statement: "We decided to use MongoDB for the event log.",
        correction: "We replaced MongoDB with Postgres for the event log.",
        question: "Which database holds the event log?",
    },
    Correction {
        statement: "Always use tabs for indentation.",
        correction: "No, use spaces for indentation, not tabs.",
        question: "tabs or spaces for indentation?",
    },
    Correction {
        statement: "We run the linter with flake8.",
        correction: "We no longer use flake8, we run the linter with ruff.",
        question: "How do we run the linter?",
    },
    Correction {
        statement: "PlayedSession tokens expire after 30 minutes.",
        correction: "PlayedSession tokens expire after 15 minutes now, not 30.",
        question: "When do session tokens expire?",
    },
    Correction {
        statement: "The nightly backup goes to the S3 bucket.",
        correction: "The nightly backup goes to Backblaze, not S3.",
        question: "Where does the nightly backup go?",
    },
    Correction {
        statement: "We decided to use REST for the mobile client.",
        correction: "We decided to use GraphQL instead of REST for the mobile client.",
        question: "What does the mobile client talk to the server with?",
    },
    Correction {
        statement: "Never squash commits when merging.",
        correction: "Always squash commits when merging from now on.",
        question: "Do we squash commits when merging?",
    },
    Correction {
        statement: "We target Python 3.10.",
        correction: "We target Python 3.12, not 3.10.",
        question: "Which Python do we target?",
    },
];
