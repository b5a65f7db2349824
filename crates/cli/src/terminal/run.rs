//! Runs the view: reads files piece by piece, hears keys in between, asks the session slice by slice, and leaves the terminal
//! as it was, whether the reader quits, a signal ends the program, or it panics.

mod follow;

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use ratatui::DefaultTerminal;
use ratatui::crossterm::event::{self, DisableMouseCapture, EnableMouseCapture, Event, KeyEventKind};
use ratatui::crossterm::execute;

use self::follow::Following;
use super::app::App;
use super::draw::draw;
use super::state::{FollowState, Load, State};
use crate::follow::unreadable;
use camlscope_engine::protocol::Slot;
use camlscope_engine::session::{Session, Step};
use camlscope_engine::trace::Budget;
use camlscope_present::words::errors::UserError;

/// What is to be shown, and how.
#[derive(Debug)]
pub struct Config {
    pub file: PathBuf,
    /// What it is compared with.
    pub other: Option<PathBuf>,
    /// The file is still being written, and is looked at so often. There is no other one then.
    pub follow_every: Option<Duration>,
    pub budget: Budget,
    pub has_color: bool,
}

/// Why the view ended before the reader wanted it to.
#[derive(Debug)]
pub enum Ended {
    /// A file is no trace, or cannot be read.
    Input(PathBuf, UserError),
    Terminal(io::Error),
}

impl From<io::Error> for Ended {
    fn from(error: io::Error) -> Ended {
        Ended::Terminal(error)
    }
}

/// Keys are heard, and the screen is drawn, so often while there is work.
const TURN: Duration = Duration::from_millis(50);
/// How long to wait for a key while there is none.
const REST: Duration = Duration::from_millis(200);
/// What is known of a file is worked out so often while it is read.
const LOOK: Duration = Duration::from_millis(500);
const CHUNK_BYTES: usize = 1 << 18;
/// How long a signal waits for what is being done. Reading keys from a terminal that is gone never ends.
#[cfg(unix)]
const GRACE: Duration = Duration::from_secs(1);

/// Shows the files until the reader quits, or a signal ends the program.
pub fn run(config: &Config) -> Result<(), Ended> {
    let is_killed = signals()?;
    on_terminal(|terminal| {
        let size = terminal.size()?;
        let mut state = State::new(name(&config.file), config.other.as_deref().map(name));
        state.follow = config.follow_every.map(|_| FollowState::default());
        let source = match config.follow_every {
            None => SessionSource::Read(Box::new(Session::with_budget(config.budget))),
            Some(every) => SessionSource::Following(Box::new(Following::new(&config.file, config.budget, every))),
        };
        let app = App::new(state, (size.width, size.height), config.has_color);
        let mut runner = Runner { app, source, is_killed };
        if config.follow_every.is_none() {
            runner.load(terminal, Slot::Main, &config.file)?;
        }
        if let Some(other) = &config.other {
            runner.load(terminal, Slot::Other, other)?;
        }
        runner.show(terminal)
    })
}

/// Takes the whole terminal for as long as `work` takes, and leaves it as it was, even if `work` panics.
pub fn on_terminal<T>(work: impl FnOnce(&mut DefaultTerminal) -> Result<T, Ended>) -> Result<T, Ended> {
    // The hook that this sets prints a panic's message where it can be read.
    let mut terminal = ratatui::try_init()?;
    let _restored = Restored;
    execute!(io::stdout(), EnableMouseCapture)?;
    work(&mut terminal)
}

fn name(path: &Path) -> String {
    path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}

/// Set once a signal asks the program to end.
fn signals() -> io::Result<Arc<AtomicBool>> {
    let is_killed: Arc<AtomicBool> = Arc::default();
    #[cfg(unix)]
    {
        use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
        let mut signals = signal_hook::iterator::Signals::new([SIGTERM, SIGINT, SIGHUP])?;
        let is_killed = Arc::clone(&is_killed);
        std::thread::spawn(move || {
            if let Some(signal) = signals.forever().next() {
                is_killed.store(true, Ordering::Relaxed);
                std::thread::sleep(GRACE);
                drop(Restored);
                std::process::exit(128 + signal);
            }
        });
    }
    Ok(is_killed)
}

/// Leaves the terminal as it was when it is dropped.
struct Restored;

impl Drop for Restored {
    fn drop(&mut self) {
        // Nothing is left to do for a terminal that is gone.
        let _ = execute!(io::stdout(), DisableMouseCapture);
        // In a panic its hook has done this already: once more, and the cursor would go back to before the message.
        if !std::thread::panicking() {
            ratatui::restore();
        }
    }
}

struct Runner {
    app: App,
    source: SessionSource,
    is_killed: Arc<AtomicBool>,
}

/// Who answers.
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

/// Shows how far a load is, and now and then what is known; `sketched` is when it was last worked out.
fn show_load(state: &mut State, session: &Session, sketched: &mut Instant) {
    let load = state.load.get_or_insert_with(|| Load { name: state.name.clone(), ..Load::default() });
    load.progress = session.progress();
    if sketched.elapsed() >= LOOK {
        *sketched = Instant::now();
        load.so_far = session.so_far().map(Box::new).or(load.so_far.take());
    }
}

impl Runner {
    fn is_ended(&self) -> bool {
        self.app.state.is_ended || self.is_killed.load(Ordering::Relaxed)
    }

    /// Reads a file; what is known of it so far is seen meanwhile.
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
            self.hear(Duration::ZERO)?;
            if self.is_ended() {
                return Ok(());
            }
            terminal.draw(|frame| draw(&self.app, frame))?;
        }
        let summary = self.source.session().finish().map_err(|error| failed(error.into()))?;
        self.app.state.load = None;
        match slot {
            Slot::Main => self.app.refresh(summary),
            Slot::Other => self.app.state.opened_other(&summary),
        }
        Ok(())
    }

    fn show(&mut self, terminal: &mut DefaultTerminal) -> Result<(), Ended> {
        while !self.is_ended() {
            terminal.draw(|frame| draw(&self.app, frame))?;
            let is_working = self.look()? || self.work();
            self.hear(if is_working { Duration::ZERO } else { REST })?;
        }
        Ok(())
    }

    /// Asks what the screen lacks, for one turn; whether something is still missing.
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
        // What came is drawn before the next key is waited for.
        began.elapsed() >= Duration::from_millis(1)
    }

    /// Waits for an event, and takes those that wait behind it until one asks for what is not known yet.
    fn hear(&mut self, patience: Duration) -> io::Result<()> {
        let mut patience = patience;
        while event::poll(patience)? {
            patience = Duration::ZERO;
            match event::read()? {
                Event::Key(key) if key.kind != KeyEventKind::Release => self.app.on_key(key),
                Event::Mouse(mouse) => self.app.on_mouse(mouse),
                Event::Resize(width, height) => self.app.resize(width, height),
                _ => {}
            }
            if self.app.missing().is_some() {
                break;
            }
        }
        Ok(())
    }
}
