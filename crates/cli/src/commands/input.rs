//! Reads files and standard input into a session, with a progress line on a terminal.

use std::fs::File;
use std::io::{self, Read};
use std::mem::ManuallyDrop;
use std::path::{Path, PathBuf};

use super::context::{Context, Failure};
use super::filter::ClauseArg;
use super::measure::{CountedArgs, check_time};
use super::progress::ProgressLine;
use super::snapshots::{SnapshotTimes, fit};
use crate::UNITS;
use crate::follow::unreadable;
use camlscope_engine::profile::Profile;
use camlscope_engine::protocol::{Answer, Error, Question, Request, Slot, View};
use camlscope_engine::query::filter::Filter;
use camlscope_engine::query::measure::Measure;
use camlscope_engine::query::profile::{NotInProfile, ObjectData};
use camlscope_engine::query::prominent_names::ProminentNames;
use camlscope_engine::query::stacks::EveryStack;
use camlscope_engine::query::summary::Summary;
use camlscope_engine::session::Session;
use camlscope_engine::trace::{Budget, Trace};
use camlscope_present::export::ChartWords;
use camlscope_present::facts::{subtitle, title};
use camlscope_present::layout::color::ModuleColors;
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
    pub fn open_between(&self, context: &Context, path: &Path, between: Option<&ClauseArg>) -> Result<Opened, Failure> {
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
        let summary = read(&mut self.session, slot, path, Some(ProgressLine::new()))
            .map_err(|error| Failure::input(path, error))?;
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

    /// Returns the colors of the page, where no two prominent modules look alike.
    pub fn module_colors(&self) -> ModuleColors {
        let ProminentNames { modules, files } = self.session.prominent_names(Slot::Main);
        ModuleColors::new(modules.iter().map(String::as_str), files.iter().map(String::as_str))
    }

    /// Returns the text above a picture: its name and that of the program, `about`, and the run.
    pub fn chart_words(&self, name: &str, mut about: Vec<String>) -> ChartWords {
        let file_name = self.path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
        about.push(format!("{file_name} · {}", subtitle(&self.file, UNITS)));
        ChartWords { heading: format!("{name} of {}", title(&self.file, &file_name)), about }
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

fn read(session: &mut Session, slot: Slot, path: &Path, line: Option<ProgressLine>) -> Result<Summary, UserError> {
    if path.as_os_str() == "-" {
        session.begin(slot, None);
        feed(session, io::stdin().lock(), line)?;
    } else {
        let file = File::open(path).map_err(|error| unreadable(&error))?;
        let metadata = file.metadata().map_err(|error| unreadable(&error))?;
        if metadata.is_dir() {
            return Err(UserError::directory());
        }
        // Pipes and devices report a size of 0.
        session.begin(slot, Some(metadata.len()).filter(|_| metadata.is_file()));
        feed(session, file, line)?;
    }
    Ok(session.finish()?)
}

fn feed(session: &mut Session, mut source: impl Read, mut line: Option<ProgressLine>) -> Result<(), UserError> {
    let mut chunk = vec![0; CHUNK_BYTES];
    loop {
        match source.read(&mut chunk) {
            Ok(0) => return Ok(()),
            Ok(n) => session.push(&chunk[..n])?,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(unreadable(&error)),
        }
        if let Some(line) = line.as_mut().filter(|line| line.is_due()) {
            let progress = session.progress();
            let total = progress.bytes_total.filter(|&total| total > 0);
            let share = total.map(|total| progress.bytes_read as f64 / total as f64);
            line.show(&UNITS.bytes(total.unwrap_or(progress.bytes_read) as f64), share);
        }
    }
}
