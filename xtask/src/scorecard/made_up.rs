//! What the sets do not hold, made up by us: prompts that ask for nothing, and things said and later put right.

/// Prompts of an ordinary day that bear on no memory.
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

/// One thing a user said, put right some days later, and what is asked then.
pub(crate) struct Amendment {
    pub(crate) said: &'static str,
    pub(crate) put_right: &'static str,
    pub(crate) question: &'static str,
}

/// Things said and put right, in the ways people do.
pub(crate) const AMENDMENTS: [Amendment; 12] = [
    Amendment {
        said: "We use npm for the frontend.",
        put_right: "No, we use pnpm for the frontend, not npm.",
        question: "Which package manager does the frontend use?",
    },
    Amendment {
        said: "We deploy to Heroku.",
        put_right: "We switched from Heroku to Fly for deployments.",
        question: "Where do we deploy to?",
    },
    Amendment {
        said: "Always write tests with unittest.",
        put_right: "Stop using unittest, use pytest.",
        question: "What are tests written with?",
    },
    Amendment {
        said: "The API listens on port 8080.",
        put_right: "The API listens on port 9090 now, not 8080.",
        question: "Which port does the API listen on?",
    },
    Amendment {
        said: "We decided to use MongoDB for the event log.",
        put_right: "We replaced MongoDB with Postgres for the event log.",
        question: "Which database holds the event log?",
    },
    Amendment {
        said: "Always use tabs for indentation.",
        put_right: "No, use spaces for indentation, not tabs.",
        question: "tabs or spaces for indentation?",
    },
    Amendment {
        said: "We run the linter with flake8.",
        put_right: "We no longer use flake8, we run the linter with ruff.",
        question: "How do we run the linter?",
    },
    Amendment {
        said: "Session tokens expire after 30 minutes.",
        put_right: "Session tokens expire after 15 minutes now, not 30.",
        question: "When do session tokens expire?",
    },
    Amendment {
        said: "The nightly backup goes to the S3 bucket.",
        put_right: "The nightly backup goes to Backblaze, not S3.",
        question: "Where does the nightly backup go?",
    },
    Amendment {
        said: "We decided to use REST for the mobile client.",
        put_right: "We decided to use GraphQL instead of REST for the mobile client.",
        question: "What does the mobile client talk to the server with?",
    },
    Amendment {
        said: "Never squash commits when merging.",
        put_right: "Always squash commits when merging from now on.",
        question: "Do we squash commits when merging?",
    },
    Amendment {
        said: "We target Python 3.10.",
        put_right: "We target Python 3.12, not 3.10.",
        question: "Which Python do we target?",
    },
];
