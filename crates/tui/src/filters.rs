//! The four filters of a search: kind, project, time, standing. Each is a list of choices, and one of them is chosen.

use crate::requests::ProjectChoice;
use backstory_app::ProjectSelector;
use backstory_memory::{Kind, Timestamp};
use backstory_store::StandingFilter;

const DAY_MS: i64 = 24 * 60 * 60 * 1000;
const TIMES: [(&str, i64); 5] =
    [("any time", 0), ("today", 1), ("last 7 days", 7), ("last 30 days", 30), ("last year", 365)];
const STANDINGS: [(&str, StandingFilter); 4] = [
    ("in force or waiting", StandingFilter::Live),
    ("in force", StandingFilter::Confirmed),
    ("waiting", StandingFilter::Proposed),
    ("retired too", StandingFilter::Any),
];

/// One of the filters, in the order in which Tab visits them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FilterName {
    Kind,
    Project,
    Time,
    Standing,
}

impl FilterName {
    pub(crate) const ALL: [FilterName; 4] =
        [FilterName::Kind, FilterName::Project, FilterName::Time, FilterName::Standing];

    /// Returns the filter that Tab visits next, or back; none after the last one.
    pub(crate) fn neighbour(self, step: isize) -> Option<FilterName> {
        let at = FilterName::ALL.iter().position(|name| *name == self)?;
        FilterName::ALL.get(at.checked_add_signed(step)?).copied()
    }
}

/// What is chosen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Filters {
    kind: usize,
    project: usize,
    time: usize,
    standing: usize,
    projects: Vec<ProjectChoice>,
}

impl Filters {
    /// Begins with these kinds; several are not a choice of the list, so only a single one is taken.
    pub(crate) fn new(kind: Option<Kind>) -> Filters {
        let at = kind.and_then(|kind| Kind::ALL.iter().position(|one| *one == kind));
        Filters { kind: at.map_or(0, |at| at + 1), ..Filters::default() }
    }

    /// Takes the projects there are, and chooses the first, or the one that is wanted.
    pub(crate) fn take_projects(&mut self, projects: Vec<ProjectChoice>, wanted: &ProjectSelector) {
        let of = |choice: &ProjectChoice| match (wanted, &choice.selector) {
            (ProjectSelector::Named(name), ProjectSelector::Named(number)) => {
                name.trim_start_matches('#') == number.trim_start_matches('#')
            }
            (wanted, selector) => wanted == selector,
        };
        self.project = projects.iter().position(of).unwrap_or(0);
        self.projects = projects;
    }

    /// Returns what the filter is set to, in words.
    pub(crate) fn words(&self, name: FilterName) -> String {
        match name {
            FilterName::Kind => self.kind().map_or("any kind", Kind::as_str).to_owned(),
            FilterName::Project => self
                .projects
                .get(self.project)
                .map_or("this project", |choice| choice.name.as_str())
                .to_owned(),
            FilterName::Time => TIMES.get(self.time).map_or("", |(words, _)| *words).to_owned(),
            FilterName::Standing => STANDINGS.get(self.standing).map_or("", |(words, _)| *words).to_owned(),
        }
    }

    /// Whether the filter leaves something out that an open one lets through.
    pub(crate) fn is_set(&self, name: FilterName) -> bool {
        match name {
            FilterName::Kind => self.kind > 0,
            FilterName::Project => false,
            FilterName::Time => self.time > 0,
            FilterName::Standing => self.standing > 0,
        }
    }

    /// Chooses the next, or the one before; after the last comes the first.
    pub(crate) fn turn(&mut self, name: FilterName, step: isize) {
        let count = self.choices(name).len().max(1);
        let at = self.place(name);
        *at = at.checked_add_signed(step).unwrap_or(count - 1) % count;
    }

    /// Chooses the next one that begins with a letter. Returns whether there is one.
    pub(crate) fn jump(&mut self, name: FilterName, letter: char) -> bool {
        let choices = self.choices(name);
        let start = *self.place(name);
        let begins = |at: &usize| {
            choices
                .get(*at)
                .is_some_and(|words| words.to_lowercase().starts_with(letter.to_ascii_lowercase()))
        };
        let next = (1..=choices.len()).map(|step| (start + step) % choices.len()).find(begins);
        if let Some(next) = next {
            *self.place(name) = next;
        }
        next.is_some()
    }

    pub(crate) fn kind(&self) -> Option<Kind> {
        self.kind.checked_sub(1).and_then(|at| Kind::ALL.get(at).copied())
    }

    /// Returns the project that is chosen; before they are known, that of this folder.
    pub(crate) fn projects(&self) -> ProjectSelector {
        self.projects.get(self.project).map(|choice| choice.selector.clone()).unwrap_or_default()
    }

    /// Whether memories of several projects may be listed, so that each has to say its own.
    pub(crate) fn is_everywhere(&self) -> bool {
        self.projects() == ProjectSelector::All
    }

    /// Returns the beginning of the time that is chosen; a day begins by the user's clock.
    pub(crate) fn since(&self, now: Timestamp, offset_minutes: i32) -> Option<Timestamp> {
        let (_, days) = TIMES.get(self.time).filter(|(_, days)| *days > 0)?;
        let offset = i64::from(offset_minutes) * 60_000;
        let midnight = (now.0 + offset).div_euclid(DAY_MS) * DAY_MS - offset;
        Some(Timestamp(midnight - (days - 1) * DAY_MS))
    }

    pub(crate) fn standing(&self) -> StandingFilter {
        STANDINGS.get(self.standing).map_or(StandingFilter::Live, |(_, standing)| *standing)
    }

    fn choices(&self, name: FilterName) -> Vec<String> {
        match name {
            FilterName::Kind => {
                let kinds = Kind::ALL.iter().map(|kind| kind.as_str().to_owned());
                std::iter::once("any kind".to_owned()).chain(kinds).collect()
            }
            FilterName::Project => self.projects.iter().map(|choice| choice.name.clone()).collect(),
            FilterName::Time => TIMES.iter().map(|(words, _)| (*words).to_owned()).collect(),
            FilterName::Standing => STANDINGS.iter().map(|(words, _)| (*words).to_owned()).collect(),
        }
    }

    fn place(&mut self, name: FilterName) -> &mut usize {
        match name {
            FilterName::Kind => &mut self.kind,
            FilterName::Project => &mut self.project,
            FilterName::Time => &mut self.time,
            FilterName::Standing => &mut self.standing,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_filter_goes_round_and_jumps_to_a_letter() {
        let mut filters = Filters::default();
        filters.turn(FilterName::Kind, -1);
        assert_eq!(filters.kind(), Some(Kind::Handoff));
        filters.turn(FilterName::Kind, 1);
        assert_eq!(filters.kind(), None);
        assert!(filters.jump(FilterName::Kind, 'f'));
        assert_eq!(filters.kind(), Some(Kind::Fact));
        assert!(filters.jump(FilterName::Kind, 'F'));
        assert_eq!(filters.kind(), Some(Kind::Failure));
        assert!(!filters.jump(FilterName::Kind, 'z'));
    }

    #[test]
    fn a_day_begins_at_midnight_of_the_users_clock() {
        let mut filters = Filters::default();
        // 2026-05-01 23:30 UTC is the second of May two hours further east.
        let now = Timestamp(1_777_636_800_000 + 11 * 3_600_000 + 1_800_000);
        assert_eq!(filters.since(now, 120), None);
        filters.turn(FilterName::Time, 1);
        assert_eq!(filters.since(now, 120), Some(Timestamp(1_777_672_800_000)));
        assert_eq!(filters.since(now, 0), Some(Timestamp(1_777_593_600_000)));
    }

    #[test]
    fn law_8_the_project_of_the_folder_is_chosen_unless_another_is_wanted() {
        let choices = || {
            let named = |name: &str, selector| ProjectChoice { name: name.to_owned(), selector };
            vec![
                named("shop", ProjectSelector::Here),
                named("all projects", ProjectSelector::All),
                named("site", ProjectSelector::Named("2".to_owned())),
            ]
        };
        let chosen = |wanted| {
            let mut filters = Filters::default();
            filters.take_projects(choices(), &wanted);
            filters.projects()
        };
        assert_eq!(chosen(ProjectSelector::Here), ProjectSelector::Here);
        assert_eq!(chosen(ProjectSelector::All), ProjectSelector::All);
        let site = ProjectSelector::Named("2".to_owned());
        assert_eq!(chosen(ProjectSelector::Named("#2".to_owned())), site);
    }
}
