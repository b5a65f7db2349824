//! Follows a trace while a program writes it. The session always has everything up to the last check.
//!
//! The path is reopened for each check, so that a file that doesn't exist yet, is replaced or shrinks is noticed. No
//! bytes are read twice except the first few, which identify the run.

mod writer;

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use camlscope_engine::protocol::Slot;
use camlscope_engine::query::summary::Summary;
use camlscope_engine::session::Session;
use camlscope_engine::trace::Budget;
use camlscope_present::words::errors::UserError;

pub use writer::{Activity, Writer};

#[derive(Debug)]
pub struct Follower {
    path: PathBuf,
    session: Session,
    budget: Budget,
    /// Bytes of the file that the session has read.
    taken: u64,
    /// The first of them, at most [`HEAD_BYTES`].
    head: Vec<u8>,
    /// The summary with the data read so far in the current check.
    grown: Option<Box<Summary>>,
}

/// The result of a check.
#[derive(Clone, Debug, PartialEq)]
pub enum Found {
    /// The file doesn't exist, or is too short to be recognized.
    Nothing,
    /// Nothing has changed, or the file is gone.
    Same,
    /// Part of the new data was read. The next step continues.
    Part,
    /// There was new data. This is the new summary.
    Grown(Box<Summary>),
    /// The file belongs to another run now. The session starts over with the next check.
    Replaced,
    /// The file got shorter, so it was rewritten. The session starts over with the next check.
    Shrunk,
}

/// These bytes identify the run and its start time.
const HEAD_BYTES: usize = 256;

/// Bytes read at a time, which take about 10 ms.
const PIECE_BYTES: usize = 4 << 20;

impl Follower {
    pub fn new(path: &Path, budget: Budget) -> Follower {
        let session = Session::with_budget(budget);
        Follower { path: path.to_owned(), session, budget, taken: 0, head: Vec::new(), grown: None }
    }

    /// Returns the session with everything that has been read.
    pub fn session(&mut self) -> &mut Session {
        &mut self.session
    }

    /// Reads everything written since the last check.
    pub fn look(&mut self) -> Result<Found, UserError> {
        loop {
            match self.step()? {
                Found::Part => {}
                found => return Ok(found),
            }
        }
    }

    /// Reads part of the new data, for callers that have other work to do in between.
    pub fn step(&mut self) -> Result<Found, UserError> {
        let mut file = match File::open(&self.path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(self.nothing_new()),
            Err(error) => return Err(unreadable(&error)),
        };
        let metadata = file.metadata().map_err(|error| unreadable(&error))?;
        if metadata.is_dir() {
            return Err(UserError::directory());
        }
        if metadata.len() < self.taken {
            self.begin_again();
            return Ok(Found::Shrunk);
        }
        let head = self.read_head(&mut file).map_err(|error| unreadable(&error))?;
        if !head.starts_with(&self.head) {
            self.begin_again();
            return Ok(Found::Replaced);
        }
        self.head = head;
        self.take(&mut file, metadata.len())
    }

    fn begin_again(&mut self) {
        *self = Follower::new(&self.path, self.budget);
    }

    fn read_head(&self, file: &mut File) -> io::Result<Vec<u8>> {
        let mut head = Vec::with_capacity(HEAD_BYTES);
        file.take(HEAD_BYTES as u64).read_to_end(&mut head)?;
        file.seek(SeekFrom::Start(self.taken))?;
        Ok(head)
    }

    /// Reads the next piece.
    fn take(&mut self, file: &mut File, len: u64) -> Result<Found, UserError> {
        let mut piece = vec![0; PIECE_BYTES.min(usize::try_from(len - self.taken).unwrap_or(PIECE_BYTES)).max(1)];
        if self.taken == 0 && len > 0 {
            self.session.begin(Slot::Main, Some(len));
        }
        let n = loop {
            match file.read(&mut piece) {
                Ok(n) => break n,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(unreadable(&error)),
            }
        };
        let is_open = self.session.is_open(Slot::Main);
        if n == 0 {
            if !is_open && self.session.can_pause() {
                self.grown = Some(Box::new(self.session.pause()?));
            }
            return Ok(self.nothing_new());
        }
        if is_open {
            self.grown = Some(Box::new(self.session.append(Slot::Main, &piece[..n])?));
        } else {
            self.session.push(&piece[..n])?;
            if let Some(error) = self.session.why_not_followed() {
                return Err(error.into());
            }
        }
        self.taken += n as u64;
        Ok(Found::Part)
    }

    /// Returns the result of a check once there is nothing more to read.
    fn nothing_new(&mut self) -> Found {
        match self.grown.take() {
            Some(summary) => Found::Grown(summary),
            None if self.session.is_open(Slot::Main) => Found::Same,
            None => Found::Nothing,
        }
    }
}

/// Describes an I/O error without its error number.
pub fn unreadable(error: &io::Error) -> UserError {
    let why = match error.kind() {
        io::ErrorKind::NotFound => "it doesn't exist".to_owned(),
        io::ErrorKind::PermissionDenied => "permission denied".to_owned(),
        _ => error.to_string(),
    };
    UserError { advice: String::new(), ..UserError::unreadable(&why) }
}
