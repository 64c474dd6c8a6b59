//! Keys and answers in, pictures out, until the user ends it. One thread has the terminal; the store has another.

use crate::BrowseChoice;
use crate::clipboard::copy_sequence;
use crate::drawing::draw;
use crate::own_editor;
use crate::palette::Palette;
use crate::requests::{Answer, Request};
use crate::state::{EditTarget, Effect, State};
use crate::store_worker::StoreWorker;
use crate::terminal_screen::TerminalScreen;
use backstory_app::{App, AppError, app};
use backstory_memory::MemoryId;
use crossterm::event::{self, Event, KeyEventKind};
use ratatui_core::terminal::Terminal;
use std::io::{self, IsTerminal};
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::TryRecvError;
use std::time::{Duration, Instant};

/// As long is waited for a key while an answer is due: as late it is drawn at most.
const WHILE_ASKING: Duration = Duration::from_millis(4);
/// An answer is due for as long after a question; one that takes longer is seen a little later.
const ANSWER_TIME: Duration = Duration::from_secs(1);
/// As long otherwise: clocks, countdowns and the writes of others are seen so late.
const WHILE_IDLE: Duration = Duration::from_millis(250);
/// As often another process's writes are looked for, in ticks.
const POLL_MS: u64 = 2_000;

/// What the loop works with.
pub(crate) struct EventLoop<'a> {
    app: &'a App,
    state: State,
    palette: Palette,
    worker: StoreWorker,
    terminal: Terminal<TerminalScreen>,
    started: Instant,
    ends: Arc<AtomicBool>,
    /// When the store was last asked something, so that its answer is looked for.
    last_request: Instant,
    /// Whether the picture may be another one.
    is_stale: bool,
    polled: u64,
}

impl<'a> EventLoop<'a> {
    pub(crate) fn new(app: &'a App, state: State, palette: Palette) -> Result<EventLoop<'a>, AppError> {
        let cannot = |error: &io::Error| AppError::user("cannot use this terminal").because(error);
        let ends = backstory_platform::note_end_signals().map_err(|error| cannot(&error))?;
        let worker = StoreWorker::start(app.clone());
        let screen = TerminalScreen::enter().map_err(|error| cannot(&error))?;
        let terminal = Terminal::new(screen).map_err(|error| cannot(&error))?;
        Ok(EventLoop {
            app,
            state,
            palette,
            worker,
            terminal,
            started: Instant::now(),
            ends,
            last_request: Instant::now(),
            is_stale: true,
            polled: 0,
        })
    }

    /// Runs until the user ends it.
    pub(crate) fn run(mut self) -> Result<BrowseChoice, AppError> {
        loop {
            let turned = self.turn().map_err(|error| AppError::user("the terminal failed").because(&error));
            match turned? {
                ControlFlow::Continue(()) => {}
                ControlFlow::Break(choice) => return Ok(choice),
            }
        }
    }

    fn turn(&mut self) -> io::Result<ControlFlow<BrowseChoice>> {
        if std::mem::take(&mut self.is_stale) {
            self.draw()?;
        }
        let is_answer_due = self.last_request.elapsed() < ANSWER_TIME;
        let patience = if is_answer_due { WHILE_ASKING } else { WHILE_IDLE };
        let mut effects = Vec::new();
        if event::poll(patience)? {
            self.is_stale = true;
            // What was typed while we drew is read at once, and drawn once.
            loop {
                effects.extend(self.take_event(event::read()?));
                if !event::poll(Duration::ZERO)? {
                    break;
                }
            }
        } else if !is_answer_due {
            self.is_stale = true;
        }
        if self.ends.load(Ordering::Relaxed) {
            // Nobody agreed to forget what still could be kept.
            return Ok(ControlFlow::Break(BrowseChoice::None));
        }
        loop {
            match self.worker.answers.try_recv() {
                Ok(answer) => effects.extend(self.take_answer(answer)),
                Err(TryRecvError::Empty) => break,
                Err(TryRecvError::Disconnected) => {
                    let words = self.state.message.take().map(|message| message.words);
                    return Ok(ControlFlow::Break(BrowseChoice::Failed(words.unwrap_or_default())));
                }
            }
        }
        effects.extend(self.tick());
        self.perform(effects)
    }

    fn take_event(&mut self, event: Event) -> Vec<Effect> {
        match event {
            Event::Key(key) if key.kind != KeyEventKind::Release => self.state.press(key),
            Event::Paste(text) => self.state.paste(&text),
            // The next picture is drawn in the new size.
            _ => Vec::new(),
        }
    }

    fn take_answer(&mut self, answer: Answer) -> Vec<Effect> {
        self.is_stale = true;
        self.state.take(answer)
    }

    fn tick(&mut self) -> Vec<Effect> {
        let ticks = u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX);
        self.state.clock.now = app::now(&self.app.environment);
        if ticks.saturating_sub(self.polled) >= POLL_MS {
            self.polled = ticks;
            self.worker.ask(Request::Poll);
        }
        self.state.tick(ticks)
    }

    fn perform(&mut self, effects: Vec<Effect>) -> io::Result<ControlFlow<BrowseChoice>> {
        for effect in effects {
            match effect {
                Effect::Ask(request) => self.ask(request),
                Effect::Copy(text) => self.terminal.backend_mut().write_raw(&copy_sequence(&text))?,
                Effect::Redraw => self.terminal.clear()?,
                Effect::Suspend => self.suspend()?,
                Effect::OpenEditor { target, original, text } => {
                    // A change that was typed asks the store and nothing else.
                    for effect in self.open_editor(target, (&original, &text))? {
                        if let Effect::Ask(request) = effect {
                            self.ask(request);
                        }
                    }
                }
                Effect::Quit(choice) => return Ok(ControlFlow::Break(chosen(choice))),
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    fn suspend(&mut self) -> io::Result<()> {
        // A shell that waits for the choice is not a shell that could continue us.
        if !io::stdout().is_terminal() {
            self.state.say("cannot stop here: a command waits for what you choose");
            return Ok(());
        }
        self.terminal.backend_mut().pause()?;
        backstory_platform::stop_until_continued()?;
        self.terminal.backend_mut().resume()?;
        self.terminal.clear()
    }

    fn ask(&mut self, request: Request) {
        self.last_request = Instant::now();
        self.worker.ask(request);
    }

    fn open_editor(&mut self, target: EditTarget, (original, text): (&str, &str)) -> io::Result<Vec<Effect>> {
        self.terminal.backend_mut().pause()?;
        let edited = own_editor::edit(self.app, text);
        self.terminal.backend_mut().resume()?;
        self.terminal.clear()?;
        Ok(match edited {
            Ok(edited) => self.state.edited(target, (original, &edited)),
            Err(failure) => {
                self.state.fail(failure.line());
                Vec::new()
            }
        })
    }

    fn draw(&mut self) -> io::Result<()> {
        let (state, palette) = (&mut self.state, self.palette);
        self.terminal.draw(|frame| {
            if let Some(cursor) = draw(state, palette, frame.buffer_mut()) {
                frame.set_cursor_position(cursor);
            }
        })?;
        Ok(())
    }
}

fn chosen(choice: Option<MemoryId>) -> BrowseChoice {
    choice.map_or(BrowseChoice::None, BrowseChoice::Memory)
}
