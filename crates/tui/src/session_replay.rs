//! A session for the screen: its turns, what was done in each, what was learnt and injected.

use crate::answers::AnswerContext;
use crate::requests::{ReplayStep, ReplayTurn, SessionReplay};
use backstory_app::AppError;
use backstory_app::session_turns::Turn;
use backstory_app::transcript::{StepKind, StepShape};
use backstory_app::words::{counted, memories, one_line};
use backstory_memory::{Kind, SessionId, clean};

impl AnswerContext<'_> {
    /// Reads a session step by step.
    pub(crate) fn replay(&self, id: SessionId) -> Result<SessionReplay, AppError> {
        let read = self.app.session_turns(self.store, id)?;
        let line = self.session_line(&read.session)?;
        Ok(SessionReplay { line, turns: read.turns.into_iter().map(turn).collect() })
    }
}

fn turn(turn: Turn) -> ReplayTurn {
    let learnt = turn.memories.iter().map(|memory| {
        let kind = memory.kind.parse::<Kind>().map_or("note", Kind::as_str);
        (memory.id, kind, one_line(&memory.title))
    });
    let injected = turn.injections.iter().map(|it| {
        let moment = it.moment.replace('_', " ");
        format!("{moment}: {} in {}", memories(it.injected), counted(it.tokens.into(), "token"))
    });
    ReplayTurn {
        learnt: learnt.collect(),
        injected: injected.collect(),
        prompt: turn.prompt.map(|text| clean(&text).into_owned()),
        at: turn.at,
        steps: turn.steps.into_iter().map(replay_step).collect(),
        closing: turn.closing.map(|text| clean(&text).into_owned()),
    }
}

fn replay_step(step: StepShape) -> ReplayStep {
    let by = step.subagent.map(|agent| format!(" (by {})", one_line(&agent))).unwrap_or_default();
    ReplayStep {
        what: step.what.to_string(),
        failed: matches!(step.what, StepKind::Failed | StepKind::BrokeOff | StepKind::Rejected),
        is_edit: matches!(step.what, StepKind::Edited | StepKind::Made),
        text: one_line(&step.text) + &by,
        detail: step.detail.map(|detail| clean(&detail).into_owned()),
    }
}
