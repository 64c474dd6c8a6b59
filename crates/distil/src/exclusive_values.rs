//! Names of which a project has one at a time: who moves to one of them leaves another.
//!
//! Only where a change is announced: two of them may well stand side by side. Names that are everyday words (fetch, rest, render) are
//! left out: where they are no names, a rule of another matter would be lost. Not here: what is made of it (`contradiction`).

use backstory_memory::words;

#[rustfmt::skip]
const GROUPS: &[&[&str]] = &[
    &["npm", "yarn", "pnpm", "bun"],
    &["pip", "poetry", "uv", "pipenv", "conda"],
    &["maven", "gradle", "bazel"],
    &["tabs", "spaces"],
    &["jest", "vitest", "mocha", "jasmine", "ava"],
    &["pytest", "unittest", "nose"],
    &["cypress", "playwright", "selenium"],
    &["webpack", "vite", "rollup", "esbuild", "turbopack"],
    &["eslint", "biome", "oxlint", "tslint"],
    &["flake8", "ruff", "pylint"],
    &["github actions", "gitlab ci", "jenkins", "buildkite", "circleci", "travis", "teamcity", "azure pipelines"],
    &["heroku", "vercel", "netlify"],
    &["terraform", "pulumi", "opentofu", "cloudformation"],
    &["react", "vue", "svelte", "angular"],
    &["fastify", "koa", "hono"],
    &["django", "flask", "fastapi"],
    &["redux", "zustand", "mobx", "jotai"],
    &["prisma", "drizzle", "typeorm", "sequelize", "knex"],
    &["jira", "asana", "trello"],
    &["sentry", "bugsnag", "rollbar"],
    &["graphql", "grpc", "trpc"],
];

/// Returns the one choice a text names, as the number of its group and its name; nothing where it names two of a group, which compares.
pub(super) fn exclusive_group_of(text: &str) -> Option<(usize, &'static str)> {
    let all = words(text).collect::<Vec<_>>().join(" ");
    let all = format!(" {all} ");
    let named = |name: &&&str| all.contains(&format!(" {name} "));
    GROUPS.iter().enumerate().find_map(|(group, names)| {
        let mut found = names.iter().filter(named);
        let first = found.next()?;
        found.next().is_none().then_some((group, *first))
    })
}

/// Returns all names of a group.
pub(super) fn exclusive_values(group: usize) -> &'static [&'static str] {
    GROUPS.get(group).copied().unwrap_or_default()
}
