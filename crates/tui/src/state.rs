//! What is on the screen, as plain values: changed by keys (`keys`) and answers (`arrivals`), drawn by `drawing`.
//!
//! Nothing here knows a terminal or the store, so everything can be tested without them.

use crate::clock_words::LocalClock;
use crate::filters::{FilterName, Filters};
use crate::requests::{
    Act, InjectionPreview, InjectionQuery, MemoryDetail, MemoryLine, MemoryQuery, Request, SessionLine,
    SessionReplay, UndoStep,
};
use crate::text_area::TextArea;
use crate::text_field::TextField;
use backstory_app::ProjectSelector;
use backstory_memory::MemoryId;

/// How long a memory that is to be forgotten can still be kept.
pub(crate) const GRACE_MS: u64 = 6_000;
/// How long a message stays.
const MESSAGE_MS: u64 = 8_000;
/// A budget goes up and down by as many tokens.
pub(crate) const BUDGET_STEP: u32 = 100;

/// One of the four screens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum View {
    Memories,
    Review,
    Sessions,
    Injection,
}

impl View {
    pub(crate) const ALL: [View; 4] = [View::Memories, View::Review, View::Sessions, View::Injection];
}

/// What has the keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Focus {
    /// The line that is typed into.
    Field,
    Filter(FilterName),
    List,
    /// The text beside the list; it may be scrolled.
    Preview,
}

/// What is to be done outside of the state.
#[derive(Clone, Debug)]
pub(crate) enum Effect {
    Ask(Request),
    Copy(String),
    /// Opens the user's own editor on a text.
    OpenEditor {
        target: EditTarget,
        /// What the memory says.
        original: String,
        text: String,
    },
    Suspend,
    /// Draws everything anew.
    Redraw,
    /// Ends, with what was chosen.
    Quit(Option<MemoryId>),
}

/// What the words of an editor become.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EditTarget {
    Revise(MemoryId),
    Supersede(MemoryId),
}

/// What lies over the screen.
#[derive(Clone, Debug)]
pub(crate) enum Overlay {
    /// The keys, from this line on.
    Help(usize),
    Editor(OpenEditor),
    /// Whether to forget what waits for it, before the program ends with this choice.
    ForgetBeforeQuit(Option<MemoryId>),
}

/// The editor on the screen.
#[derive(Clone, Debug)]
pub(crate) struct OpenEditor {
    pub(crate) target: EditTarget,
    pub(crate) area: TextArea,
    /// What it began with.
    pub(crate) original: String,
    /// Whether Escape was pressed once over changed words.
    pub(crate) is_warned: bool,
}

/// A message on the last line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Message {
    pub(crate) words: String,
    pub(crate) is_error: bool,
    until: u64,
}

/// A memory that will be forgotten, unless the user keeps it in time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct DueForget {
    pub(crate) id: MemoryId,
    /// By the clock of the ticks.
    pub(crate) due: u64,
}

/// A list, and which of its rows is selected.
#[derive(Clone, Debug)]
pub(crate) struct RowList<T> {
    pub(crate) rows: Vec<T>,
    pub(crate) selected: usize,
    /// Whether it has been answered.
    pub(crate) is_loaded: bool,
}

impl<T> Default for RowList<T> {
    fn default() -> RowList<T> {
        RowList { rows: Vec::new(), selected: 0, is_loaded: false }
    }
}

impl<T> RowList<T> {
    pub(crate) fn current(&self) -> Option<&T> {
        self.rows.get(self.selected)
    }

    /// Moves the selection. Returns whether it moved.
    pub(crate) fn step(&mut self, by: isize) -> bool {
        let last = self.rows.len().saturating_sub(1);
        let next = self.selected.saturating_add_signed(by).min(last);
        std::mem::replace(&mut self.selected, next) != next
    }

    /// Selects the first row like this, if there is one.
    pub(crate) fn select(&mut self, is_it: impl Fn(&T) -> bool) {
        self.selected = self.rows.iter().position(is_it).unwrap_or(self.selected);
    }

    /// Takes other rows; what was selected stays so, if it is still there.
    pub(crate) fn replace(&mut self, rows: Vec<T>, same: impl Fn(&T, &T) -> bool) {
        let selected = self.current().and_then(|before| rows.iter().position(|row| same(row, before)));
        self.selected = selected.unwrap_or(self.selected.min(rows.len().saturating_sub(1)));
        self.rows = rows;
        self.is_loaded = true;
    }
}

/// The memories that were found.
#[derive(Clone, Debug, Default)]
pub(crate) struct MemorySearch {
    pub(crate) field: TextField,
    pub(crate) list: RowList<MemoryLine>,
    /// The newest question, and the newest that was answered.
    pub(crate) generation: u64,
    pub(crate) answered: u64,
    pub(crate) tenths_ms: u32,
    pub(crate) note: Option<String>,
    /// Whether the next answer keeps the selection: the question is the same.
    pub(crate) is_refresh: bool,
}

/// The sessions, and the one that is replayed.
#[derive(Clone, Debug, Default)]
pub(crate) struct SessionBrowser {
    pub(crate) field: TextField,
    pub(crate) all: Vec<SessionLine>,
    pub(crate) list: RowList<SessionLine>,
    pub(crate) replay: Option<SessionReplay>,
    pub(crate) scroll: usize,
    /// Whether whole outputs are shown.
    pub(crate) is_verbose: bool,
}

/// What would be injected now.
#[derive(Clone, Debug, Default)]
pub(crate) struct InjectionBrowser {
    pub(crate) field: TextField,
    pub(crate) generation: u64,
    pub(crate) preview: Option<InjectionPreview>,
    pub(crate) budget: Option<u32>,
    pub(crate) scroll: usize,
}

/// Everything on the screen.
#[derive(Debug)]
pub(crate) struct State {
    pub(crate) clock: LocalClock,
    /// Milliseconds since the start, by a clock that cannot jump.
    pub(crate) ticks: u64,
    pub(crate) size: (u16, u16),
    pub(crate) view: View,
    pub(crate) focus: Focus,
    pub(crate) filters: Filters,
    /// The project the command line names.
    pub(crate) wanted_project: ProjectSelector,
    pub(crate) search: MemorySearch,
    pub(crate) review: RowList<MemoryLine>,
    pub(crate) sessions: SessionBrowser,
    pub(crate) injection: InjectionBrowser,
    pub(crate) detail: Option<MemoryDetail>,
    pub(crate) detail_scroll: usize,
    /// Whether the preview fills the screen.
    pub(crate) is_zoomed: bool,
    pub(crate) overlay: Option<Overlay>,
    pub(crate) message: Option<Message>,
    /// What was changed last: the keys go on there as soon as the lists hold it again.
    pub(crate) wanted: Option<MemoryId>,
    pub(crate) undo: Vec<UndoStep>,
    pub(crate) forgetting: Vec<DueForget>,
    /// Changes that are not answered yet: nothing ends before them.
    pub(crate) acts_under_way: usize,
    /// The program ends with this choice as soon as they are answered.
    pub(crate) quit_when_done: Option<Option<MemoryId>>,
}

impl State {
    pub(crate) fn new(clock: LocalClock, size: (u16, u16)) -> State {
        State {
            clock,
            ticks: 0,
            size,
            view: View::Memories,
            focus: Focus::Field,
            filters: Filters::default(),
            wanted_project: ProjectSelector::Here,
            search: MemorySearch::default(),
            review: RowList::default(),
            sessions: SessionBrowser::default(),
            injection: InjectionBrowser::default(),
            detail: None,
            detail_scroll: 0,
            is_zoomed: false,
            overlay: None,
            message: None,
            wanted: None,
            undo: Vec::new(),
            forgetting: Vec::new(),
            acts_under_way: 0,
            quit_when_done: None,
        }
    }

    /// Says something on the last line for a while.
    pub(crate) fn say(&mut self, words: impl Into<String>) {
        self.message = Some(Message { words: words.into(), is_error: false, until: self.ticks + MESSAGE_MS });
    }

    pub(crate) fn fail(&mut self, words: impl Into<String>) {
        self.message = Some(Message { words: words.into(), is_error: true, until: self.ticks + MESSAGE_MS });
    }

    /// Moves the clock. What is due is done, and old messages go.
    pub(crate) fn tick(&mut self, ticks: u64) -> Vec<Effect> {
        self.ticks = ticks;
        if self.message.as_ref().is_some_and(|message| message.until <= ticks) {
            self.message = None;
        }
        // While the user answers whether to forget, the clock stands still.
        if matches!(self.overlay, Some(Overlay::ForgetBeforeQuit(_))) {
            return Vec::new();
        }
        let (due, kept): (Vec<DueForget>, Vec<DueForget>) =
            self.forgetting.iter().copied().partition(|it| it.due <= ticks);
        self.forgetting = kept;
        due.into_iter().map(|it| self.act(Act::Forget(it.id))).collect()
    }

    /// Asks for a change, and counts it.
    pub(crate) fn act(&mut self, act: Act) -> Effect {
        self.acts_under_way += 1;
        Effect::Ask(Request::Act(act))
    }

    pub(crate) fn is_forgetting(&self, id: MemoryId) -> bool {
        self.forgetting.iter().any(|it| it.id == id)
    }

    /// Returns the memory that keys act on.
    pub(crate) fn current_memory(&self) -> Option<&MemoryLine> {
        match self.view {
            View::Memories => self.search.list.current(),
            View::Review => self.review.current(),
            View::Sessions | View::Injection => None,
        }
    }

    /// Returns the detail of the memory that keys act on, if it has arrived.
    pub(crate) fn current_detail(&self) -> Option<&MemoryDetail> {
        let id = self.current_memory()?.id;
        self.detail.as_ref().filter(|detail| detail.line.id == id)
    }

    /// Asks the question that stands in the field.
    pub(crate) fn ask_search(&mut self) -> Vec<Effect> {
        self.search.generation += 1;
        self.search.is_refresh = false;
        let offset = (self.clock.offset_minutes)(self.clock.now.0);
        vec![Effect::Ask(Request::Search(MemoryQuery {
            generation: self.search.generation,
            text: self.search.field.text().to_owned(),
            projects: self.filters.projects(),
            kinds: self.filters.kind().into_iter().collect(),
            since: self.filters.since(self.clock.now, offset),
            standing: self.filters.standing(),
        }))]
    }

    pub(crate) fn ask_injection(&mut self) -> Vec<Effect> {
        self.injection.generation += 1;
        vec![Effect::Ask(Request::Injection(InjectionQuery {
            generation: self.injection.generation,
            prompt: self.injection.field.text().to_owned(),
            projects: self.filters.projects(),
            budget: self.injection.budget,
        }))]
    }

    /// Asks for all there is of the selected memory.
    pub(crate) fn ask_detail(&mut self) -> Vec<Effect> {
        let Some(id) = self.current_memory().map(|line| line.id) else {
            self.detail = None;
            return Vec::new();
        };
        if self.detail.as_ref().is_none_or(|detail| detail.line.id != id) {
            self.detail_scroll = 0;
        }
        vec![Effect::Ask(Request::Detail(id))]
    }

    /// Asks for everything the screens show, anew.
    pub(crate) fn refresh(&mut self) -> Vec<Effect> {
        let mut effects = self.ask_search();
        self.search.is_refresh = true;
        effects.push(Effect::Ask(Request::Inbox(self.filters.projects())));
        if self.view == View::Sessions {
            effects.push(Effect::Ask(Request::Sessions(self.filters.projects())));
        }
        if self.view == View::Injection {
            effects.extend(self.ask_injection());
        }
        effects.extend(self.ask_detail());
        effects
    }

    /// Shows another screen.
    pub(crate) fn show(&mut self, view: View) -> Vec<Effect> {
        self.view = view;
        // What was said belongs to the screen before, and hides the keys of this one.
        self.message = None;
        self.is_zoomed = false;
        self.detail_scroll = 0;
        self.focus = match view {
            View::Memories | View::Injection => Focus::Field,
            View::Review | View::Sessions => Focus::List,
        };
        match view {
            View::Memories | View::Review => {
                let mut effects = vec![Effect::Ask(Request::Inbox(self.filters.projects()))];
                effects.extend(self.ask_detail());
                effects
            }
            View::Sessions => vec![Effect::Ask(Request::Sessions(self.filters.projects()))],
            View::Injection => self.ask_injection(),
        }
    }

    /// Ends, once everything that was asked for is done.
    pub(crate) fn quit(&mut self, choice: Option<MemoryId>) -> Vec<Effect> {
        if !self.forgetting.is_empty() {
            self.overlay = Some(Overlay::ForgetBeforeQuit(choice));
            return Vec::new();
        }
        if self.acts_under_way > 0 {
            self.quit_when_done = Some(choice);
            return Vec::new();
        }
        vec![Effect::Quit(choice)]
    }

    /// Lists those sessions whose title or host holds the words of the field.
    pub(crate) fn filter_sessions(&mut self) {
        let wanted = self.sessions.field.text().to_lowercase();
        let holds = |line: &&SessionLine| {
            let text = format!("{} {} {}", line.title, line.host, line.project).to_lowercase();
            wanted.split_whitespace().all(|word| text.contains(word))
        };
        let rows = self.sessions.all.iter().filter(holds).cloned().collect();
        self.sessions.list.replace(rows, |one, other| one.id == other.id);
    }
}
