//! What the agent set out to do and how far it came: its list of tasks, and the plan the user approved.

use crate::titles::title_of;
use crate::transcript::Turn;
use backstory_memory::{Activity, TaskState};
use std::collections::BTreeMap;

/// The tasks of a session as they stand at its end.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct SessionTasks {
    /// Begun and not done.
    pub(super) started: Vec<String>,
    /// Not begun.
    pub(super) open: Vec<String>,
    /// Done, in order.
    pub(super) done: Vec<String>,
    /// The plan the user approved last.
    pub(super) approved_plan: Option<String>,
}

impl SessionTasks {
    /// Follows the tasks of a session to the end. A list that is written anew takes the place of the one before.
    pub(super) fn follow(turns: &[Turn<'_>]) -> SessionTasks {
        let mut listed: BTreeMap<String, (String, TaskState)> = BTreeMap::new();
        let mut order: Vec<String> = Vec::new();
        let mut approved_plan = None;
        let entries =
            turns.iter().flat_map(|turn| turn.entries).filter(|entry| entry.body.subagent.is_none());
        for entry in entries {
            match entry.activity() {
                Activity::Planned { steps } => {
                    listed.clear();
                    order.clear();
                    for (at, step) in steps.iter().enumerate() {
                        let state = if step.is_done { TaskState::Done } else { TaskState::Open };
                        listed.insert(at.to_string(), (step.text.clone(), state));
                        order.push(at.to_string());
                    }
                }
                Activity::TaskChanged { id, text, state } => {
                    if !listed.contains_key(id) {
                        order.push(id.clone());
                    }
                    let task = listed.entry(id.clone()).or_insert_with(|| (text.clone(), *state));
                    if !text.is_empty() {
                        task.0.clone_from(text);
                    }
                    task.1 = *state;
                }
                Activity::PlanDecided { plan, is_approved, .. } => {
                    approved_plan = is_approved.then(|| plan.clone());
                }
                _ => {}
            }
        }
        let in_state = |wanted: TaskState| -> Vec<String> {
            let tasks = order
                .iter()
                .filter_map(|id| listed.get(id))
                .filter(|(text, state)| *state == wanted && !text.is_empty());
            tasks.map(|(text, _)| title_of(text)).collect()
        };
        SessionTasks {
            started: in_state(TaskState::Started),
            open: in_state(TaskState::Open),
            done: in_state(TaskState::Done),
            approved_plan,
        }
    }
}
