//! Runs the UI. Reads files in pieces, handles keys in between, runs queries in slices, and restores the terminal,
//! whether the user quits, a signal ends the program, or it panics.

mod editor;
mod follow;
mod signals;

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use ratatui::DefaultTerminal;
use ratatui::crossterm::cursor::{Hide, Show};
use ratatui::crossterm::event::{
    self, DisableMouseCapture, EnableMouseCapture, Event, KeyCode, KeyEventKind, KeyModifiers, MouseButton, MouseEvent,
    MouseEventKind,
};
use ratatui::crossterm::execute;
use ratatui::crossterm::terminal::{Clear, ClearType, EnterAlternateScreen, disable_raw_mode, enable_raw_mode};

use self::editor::Editor;
use self::follow::Following;
use self::signals::Signals;
use super::app::App;
use super::colors::Colors;
use super::draw::draw;
use super::source_code::SourceCode;
use super::state::{FollowState, Load, State};
use crate::follow::unreadable;
use camlscope_engine::protocol::Slot;
use camlscope_engine::session::{Session, Step};
use camlscope_engine::trace::Budget;
use camlscope_present::layout::color::ModuleColors;
use camlscope_present::words::errors::UserError;

/// What to show, and how.
#[derive(Debug)]
pub struct Config {
    pub file: PathBuf,
    /// The file to compare with.
    pub other: Option<PathBuf>,
    /// How often to check a live trace for new data. Not used with `other`.
    pub follow_every: Option<Duration>,
    /// The folders with the source code.
    pub source: Vec<PathBuf>,
    pub budget: Budget,
    pub colors: Colors,
}

/// Why the UI ended, if the user didn't quit.
#[derive(Debug)]
pub enum Ended {
    /// A file isn't a trace or can't be read.
    Input(PathBuf, UserError),
    Terminal(io::Error),
    /// A signal asked the program to exit.
    Signal(i32),
}

impl From<io::Error> for Ended {
    fn from(error: io::Error) -> Ended {
        Ended::Terminal(error)
    }
}

/// How often keys are handled and the screen is drawn while there is work.
const TURN: Duration = Duration::from_millis(50);
/// How long to wait for a key when idle.
const REST: Duration = Duration::from_millis(200);
/// How often the preview is updated while a file is read.
const LOOK: Duration = Duration::from_millis(500);
const CHUNK_BYTES: usize = 1 << 18;
/// The longest time between the two clicks of a double click.
const DOUBLE_CLICK: Duration = Duration::from_millis(400);

/// Shows the files until the user quits or a signal ends the program.
pub fn run(config: &Config) -> Result<(), Ended> {
    let signals = Signals::new()?;
    on_terminal(|terminal| {
        let size = terminal.size()?;
        let mut state = State::new(name(&config.file), config.other.as_deref().map(name));
        state.follow = config.follow_every.map(|_| FollowState::default());
        let source = match config.follow_every {
            None => SessionSource::Read(Box::new(Session::with_budget(config.budget))),
            Some(every) => SessionSource::Following(Box::new(Following::new(&config.file, config.budget, every))),
        };
        let mut app = App::new(state, (size.width, size.height), config.colors);
        app.source_code = SourceCode::new(config.source.clone());
        let mut runner = Runner { app, source, signals, last_click: None, config };
        if config.follow_every.is_none() {
            runner.load(terminal, Slot::Main, &config.file)?;
        }
        if let Some(other) = &config.other {
            runner.load(terminal, Slot::Other, other)?;
        }
        runner.show(terminal)?;
        runner.signals.ending().map_or(Ok(()), |signal| Err(Ended::Signal(signal)))
    })
}

/// Takes over the terminal while `work` runs, and restores it even if `work` panics.
pub fn on_terminal<T>(work: impl FnOnce(&mut DefaultTerminal) -> Result<T, Ended>) -> Result<T, Ended> {
    // This sets a panic hook that restores the terminal, so that the message is readable.
    let mut terminal = ratatui::try_init()?;
    let _restored = Restored;
    execute!(io::stdout(), EnableMouseCapture)?;
    work(&mut terminal)
}

fn name(path: &Path) -> String {
    path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}

/// Restores the terminal when dropped.
struct Restored;

impl Drop for Restored {
    fn drop(&mut self) {
        // If the terminal is gone, there is nothing left to do.
        let _ = execute!(io::stdout(), DisableMouseCapture, Show);
        // After a panic, the hook has already done this. Doing it again would move the cursor back above the message.
        if !std::thread::panicking() {
            ratatui::restore();
        }
    }
}

struct Runner<'a> {
    config: &'a Config,
    app: App,
    source: SessionSource,
    signals: Signals,
    last_click: Option<(Instant, u16, u16)>,
}

/// The source of responses.
enum SessionSource {
    Read(Box<Session>),
    Following(Box<Following>),
}

impl SessionSource {
    fn session(&mut self) -> &mut Session {
        match self {
            SessionSource::Read(session) => session,
            SessionSource::Following(following) => following.follower.session(),
        }
    }
}

/// Shows the progress of a load and updates the preview from time to time. `sketched` is the time of the last update.
fn show_load(state: &mut State, session: &Session, sketched: &mut Instant) {
    let load = state.load.get_or_insert_with(|| Load { name: state.name.clone(), ..Load::default() });
    load.progress = session.progress();
    if sketched.elapsed() >= LOOK {
        *sketched = Instant::now();
        load.so_far = session.so_far().map(Box::new).or(load.so_far.take());
    }
}

impl Runner<'_> {
    fn is_ended(&self) -> bool {
        self.app.state.is_ended || self.signals.ending().is_some()
    }

    /// Reads a file, with a preview of what is known so far.
    fn load(&mut self, terminal: &mut DefaultTerminal, slot: Slot, path: &Path) -> Result<(), Ended> {
        let failed = |error| Ended::Input(path.to_owned(), error);
        let not_read = |error: io::Error| failed(unreadable(&error));
        let mut file = File::open(path).map_err(not_read)?;
        let metadata = file.metadata().map_err(not_read)?;
        if metadata.is_dir() {
            return Err(failed(UserError::directory()));
        }
        self.source.session().begin(slot, Some(metadata.len()).filter(|_| metadata.is_file()));
        self.app.state.load = Some(Load { name: name(path), ..Load::default() });
        let mut chunk = vec![0; CHUNK_BYTES];
        let (mut drawn, mut sketched) = (Instant::now(), Instant::now());
        loop {
            match file.read(&mut chunk) {
                Ok(0) => break,
                Ok(n) => self.source.session().push(&chunk[..n]).map_err(|error| failed(error.into()))?,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(not_read(error)),
            }
            if drawn.elapsed() < TURN {
                continue;
            }
            drawn = Instant::now();
            show_load(&mut self.app.state, self.source.session(), &mut sketched);
            self.hear(terminal, Duration::ZERO)?;
            if self.is_ended() {
                return Ok(());
            }
            terminal.draw(|frame| draw(&self.app, frame))?;
        }
        let summary = self.source.session().finish().map_err(|error| failed(error.into()))?;
        self.app.state.load = None;
        match slot {
            Slot::Main => self.app.refresh(summary),
            Slot::Other => self.app.state.opened_other(summary),
        }
        self.color_modules();
        Ok(())
    }

    fn show(&mut self, terminal: &mut DefaultTerminal) -> Result<(), Ended> {
        while !self.is_ended() {
            terminal.draw(|frame| draw(&self.app, frame))?;
            let is_working = self.look()? || self.work();
            self.app.read_missing_source([Some(&self.config.file), self.config.other.as_deref()]);
            self.edit(terminal)?;
            self.hear(terminal, if is_working { Duration::ZERO } else { REST })?;
        }
        Ok(())
    }

    /// Runs missing queries for one turn. Returns whether something is still missing.
    fn work(&mut self) -> bool {
        let began = Instant::now();
        while let Some(request) = self.app.missing() {
            if began.elapsed() >= TURN {
                return true;
            }
            if let Step::Done(answer) = self.source.session().advance(&request) {
                self.app.put(request, answer);
            }
        }
        // New responses are drawn before waiting for the next key.
        began.elapsed() >= Duration::from_millis(1)
    }

    /// Gives the modules of both files distinct colors. The first file's names come first, so its colors don't depend on
    /// the second file.
    fn color_modules(&mut self) {
        let session = self.source.session();
        let names = [Slot::Main, Slot::Other].map(|slot| session.prominent_names(slot));
        let modules = names.iter().flat_map(|names| &names.modules).map(String::as_str);
        let files = names.iter().flat_map(|names| &names.files).map(String::as_str);
        self.app.modules = ModuleColors::new(modules, files);
    }

    /// Waits for an event, and handles queued events until one needs data that isn't loaded yet.
    fn hear(&mut self, terminal: &mut DefaultTerminal, patience: Duration) -> io::Result<()> {
        if self.signals.was_continued() {
            self.take_over_again(terminal)?;
        }
        let mut patience = patience;
        while event::poll(patience)? {
            patience = Duration::ZERO;
            match event::read()? {
                Event::Key(key) if key.kind == KeyEventKind::Release => {}
                Event::Key(key) if key.code == KeyCode::Char('z') && key.modifiers.contains(KeyModifiers::CONTROL) => {
                    self.suspend(terminal)?;
                }
                Event::Key(key) => self.app.on_key(key),
                Event::Mouse(mouse) => {
                    let is_double = self.is_double_click(&mouse);
                    self.app.on_mouse(mouse, is_double);
                }
                Event::Resize(width, height) => self.app.resize(width, height),
                _ => {}
            }
            if self.app.missing().is_some() {
                break;
            }
        }
        Ok(())
    }

    /// Stops the program, as Ctrl+Z does in a shell, until the user continues it.
    fn suspend(&mut self, terminal: &mut DefaultTerminal) -> io::Result<()> {
        if !Signals::CAN_STOP {
            return Ok(());
        }
        drop(Restored);
        self.signals.stop()?;
        self.take_over_again(terminal)
    }

    /// Opens the line that the user wants to edit, and waits for the editor.
    fn edit(&mut self, terminal: &mut DefaultTerminal) -> io::Result<()> {
        let Some(edit) = self.app.take_edit() else { return Ok(()) };
        let Some(editor) = Editor::of_environment() else {
            self.app.state.problem = Some(editor::NO_EDITOR.to_owned());
            return Ok(());
        };
        drop(Restored);
        self.signals.ignore_interrupts(true);
        self.app.state.problem = editor.open(&edit).err();
        self.app.forget_source();
        // It may have been stopped and continued together with the editor.
        self.signals.was_continued();
        self.take_over_again(terminal)?;
        self.signals.ignore_interrupts(false);
        Ok(())
    }

    /// Takes over the terminal after others have used it, and draws everything again.
    fn take_over_again(&mut self, terminal: &mut DefaultTerminal) -> io::Result<()> {
        // Others may have changed the mode, which enabling it twice wouldn't notice.
        disable_raw_mode()?;
        enable_raw_mode()?;
        execute!(io::stdout(), EnterAlternateScreen, EnableMouseCapture, Hide, Clear(ClearType::All))?;
        let size = terminal.size()?;
        self.app.resize(size.width, size.height);
        // The next drawing is compared with an empty screen. `terminal.clear` would ask the terminal for its cursor.
        terminal.swap_buffers();
        terminal.draw(|frame| draw(&self.app, frame))?;
        Ok(())
    }

    fn is_double_click(&mut self, mouse: &MouseEvent) -> bool {
        if mouse.kind != MouseEventKind::Down(MouseButton::Left) {
            return false;
        }
        let click = (Instant::now(), mouse.column, mouse.row);
        let is_double = self.last_click.is_some_and(|(at, column, row)| {
            (column, row) == (mouse.column, mouse.row) && click.0 - at <= DOUBLE_CLICK
        });
        // A third click begins another double click.
        self.last_click = Some(click).filter(|_| !is_double);
        is_double
    }
}
