//! Reads files and standard input into a session, with a progress line on a terminal.

use std::fs::File;
use std::io::{self, IsTerminal, Read, Write};
use std::mem::ManuallyDrop;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::context::{Context, Failure};
use super::filter::Asked;
use super::measure::{CountedArgs, check_time};
use super::snapshots::{SnapshotTimes, fit};
use crate::UNITS;
use crate::follow::unreadable;
use camlscope_engine::profile::Profile;
use camlscope_engine::protocol::{Answer, Error, Question, Request, Slot, View};
use camlscope_engine::query::filter::Filter;
use camlscope_engine::query::measure::Measure;
use camlscope_engine::query::profile::{NotInProfile, ObjectData};
use camlscope_engine::query::stacks::EveryStack;
use camlscope_engine::query::summary::Summary;
use camlscope_engine::session::Session;
use camlscope_engine::trace::{Budget, Trace};
use camlscope_present::format;
use camlscope_present::words::errors::UserError;

/// A file that was read, and the session for its queries.
#[derive(Debug)]
pub struct Loaded {
    /// Not dropped, because the process exits after printing the result. Freeing the memory piece by piece would take
    /// longer.
    session: ManuallyDrop<Session>,
    path: PathBuf,
    /// The summary of the first file.
    pub file: Summary,
    /// The snapshots that correspond to the command's times.
    pub snapshots: SnapshotTimes,
}

/// A file, with the filter and measure adapted to it.
type Opened = (Loaded, Filter, Measure);

/// The number of bytes read at a time. They stay in the CPU cache until they are decoded.
const CHUNK_BYTES: usize = 1 << 18;

/// Reads a file, or standard input for `-`, and prints its warnings to standard error.
pub fn load(context: &Context, path: &Path) -> Result<Loaded, Failure> {
    let mut loaded = Loaded::new(context.budget(&[path])?, path);
    loaded.file = loaded.add(context, Slot::Main, path)?;
    Ok(loaded)
}

/// Reads one of many files without warnings or progress, which are up to the caller. The result must be closed.
pub fn load_quietly(budget: Budget, path: &Path) -> Result<Loaded, Failure> {
    let mut loaded = Loaded::new(budget, path);
    match read(&mut loaded.session, Slot::Main, path, None) {
        Ok(file) => {
            loaded.file = file;
            Ok(loaded)
        }
        Err(error) => {
            loaded.close();
            Err(Failure::input(path, error))
        }
    }
}

impl CountedArgs {
    /// Reads a trace and creates its filter. In a profile, times become those of snapshots.
    pub fn open(&self, context: &Context, path: &Path) -> Result<Opened, Failure> {
        self.open_with(context, path, self.measure.measure(&self.filter.check()?)?)
    }

    /// Like [`CountedArgs::open`], with an additional range of allocation times.
    pub fn open_between(&self, context: &Context, path: &Path, between: Option<&Asked>) -> Result<Opened, Failure> {
        let (loaded, mut filter, mut measure) = self.open(context, path)?;
        if let Some(between) = between {
            let mut asked = Filter { clauses: vec![between.of_file(&loaded.file)?] };
            fit(context, &loaded.file, &mut asked, &mut measure);
            filter.clauses.extend(asked.clauses);
        }
        Ok((loaded, filter, measure))
    }

    /// Like [`CountedArgs::open`], for a command whose figures are bytes.
    pub fn open_in_bytes(&self, context: &Context, path: &Path, command: &str) -> Result<Opened, Failure> {
        self.open_with(context, path, self.measure.in_bytes(&self.filter.check()?, command)?)
    }

    /// Like [`CountedArgs::open`], with a given measure. Its time must not be past the end of the trace.
    pub fn open_with(&self, context: &Context, path: &Path, mut measure: Measure) -> Result<Opened, Failure> {
        let mut loaded = load(context, path)?;
        check_time(measure, &loaded.file)?;
        let mut filter = self.filter.of_file(&loaded.file)?;
        loaded.snapshots = fit(context, &loaded.file, &mut filter, &mut measure);
        Ok((loaded, filter, measure))
    }
}

impl Loaded {
    fn new(budget: Budget, path: &Path) -> Loaded {
        let session = ManuallyDrop::new(Session::with_budget(budget));
        Loaded { session, path: path.to_owned(), file: Summary::default(), snapshots: SnapshotTimes::default() }
    }

    /// Frees the memory, for processes that continue.
    pub fn close(self) {
        drop(ManuallyDrop::into_inner(self.session));
    }

    /// Reads a second trace next to the first.
    pub fn load_other(&mut self, context: &Context, path: &Path) -> Result<Summary, Failure> {
        context.budget(&[&self.path, path])?;
        self.add(context, Slot::Other, path)
    }

    fn add(&mut self, context: &Context, slot: Slot, path: &Path) -> Result<Summary, Failure> {
        let summary =
            read(&mut self.session, slot, path, Some(Meter::new())).map_err(|error| Failure::input(path, error))?;
        context.warn_all(&summary.warnings);
        // Notes the limit only once for two traces.
        if slot == Slot::Main || self.file.downsampled.is_none() {
            context.note_limit(summary.downsampled);
        }
        Ok(summary)
    }

    /// Runs a query on the objects of a view.
    pub fn ask(&mut self, view: View, question: Question) -> Result<Answer, Failure> {
        self.session.handle(&Request { view, question }).map_err(|error| Failure::input(&self.path, error.into()))
    }

    /// Reads every stack of a view, one at a time.
    pub fn with_every_stack<T>(&mut self, view: &View, read: impl FnOnce(&EveryStack<'_>) -> T) -> Result<T, Failure> {
        self.session.with_every_stack(view, read).map_err(|error| Failure::input(&self.path, error.into()))
    }

    /// Returns the first file if it's a trace.
    pub fn trace(&self) -> Option<&Trace> {
        self.session.trace(Slot::Main)
    }

    /// Returns the first file if it's a profile.
    pub fn profile(&self) -> Option<&Profile> {
        self.session.profile(Slot::Main)
    }

    /// Like [`Loaded::trace`], for commands that need a trace. `what` is what a profile lacks.
    pub fn needed_trace(&self, what: ObjectData) -> Result<&Trace, Failure> {
        self.trace().ok_or_else(|| Failure::input(&self.path, Error::from(NotInProfile::Objects(what)).into()))
    }

    /// The error for a response of the wrong kind, which never happens.
    pub fn lost(&self) -> Failure {
        Failure::input(&self.path, Error::NoLoad.into())
    }
}

/// Whether both paths are the same existing file.
pub fn is_same_file(one: &Path, other: &Path) -> bool {
    matches!((one.canonicalize(), other.canonicalize()), (Ok(one), Ok(other)) if one == other)
}

fn read(session: &mut Session, slot: Slot, path: &Path, meter: Option<Meter>) -> Result<Summary, UserError> {
    if path.as_os_str() == "-" {
        session.begin(slot, None);
        feed(session, io::stdin().lock(), meter)?;
    } else {
        let file = File::open(path).map_err(|error| unreadable(&error))?;
        let metadata = file.metadata().map_err(|error| unreadable(&error))?;
        if metadata.is_dir() {
            return Err(UserError::directory());
        }
        // Pipes and devices report a size of 0.
        session.begin(slot, Some(metadata.len()).filter(|_| metadata.is_file()));
        feed(session, file, meter)?;
    }
    Ok(session.finish()?)
}

fn feed(session: &mut Session, mut source: impl Read, mut meter: Option<Meter>) -> Result<(), UserError> {
    let mut chunk = vec![0; CHUNK_BYTES];
    loop {
        match source.read(&mut chunk) {
            Ok(0) => return Ok(()),
            Ok(n) => session.push(&chunk[..n])?,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(unreadable(&error)),
        }
        if let Some(meter) = &mut meter {
            meter.show(session);
        }
    }
}

/// A progress line on standard error, erased at the end. Shown only on a terminal, and only if reading takes long.
struct Meter {
    is_watched: bool,
    started: Instant,
    shown: Option<Instant>,
}

impl Meter {
    const PATIENCE: Duration = Duration::from_millis(500);
    const BETWEEN: Duration = Duration::from_millis(100);

    fn new() -> Meter {
        Meter { is_watched: io::stderr().is_terminal(), started: Instant::now(), shown: None }
    }

    fn show(&mut self, session: &Session) {
        let is_due = self.shown.map_or(self.started.elapsed() > Meter::PATIENCE, |at| at.elapsed() > Meter::BETWEEN);
        if !self.is_watched || !is_due {
            return;
        }
        self.shown = Some(Instant::now());
        let progress = session.progress();
        let share =
            progress.bytes_total.filter(|&total| total > 0).map(|total| progress.bytes_read as f64 / total as f64);
        let done =
            share.map_or_else(|| UNITS.bytes(progress.bytes_read as f64), |share| format!("{:>3.0}%", 100.0 * share));
        let bar = share.map_or_else(String::new, |share| format!(" {:<20}", super::text::bar(share, 20)));
        eprint!("\r{done}{bar} {} events\x1b[K", format::count(progress.events));
        let _ = io::stderr().flush();
    }
}

impl Drop for Meter {
    fn drop(&mut self) {
        if self.shown.is_some() {
            eprint!("\r\x1b[K");
        }
    }
}
