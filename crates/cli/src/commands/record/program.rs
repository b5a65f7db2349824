//! The program that writes the trace, as a child process.

use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use super::Failure;

/// How to start it.
pub struct Launch<'a> {
    /// The program and its arguments.
    pub command: &'a [OsString],
    pub trace: &'a Path,
    pub rate: f64,
    /// Where its output goes, if not to that of this process. It then has no input.
    pub log: Option<&'a Path>,
}

pub struct Program {
    pub id: u32,
    ended: Receiver<u8>,
    status: Option<u8>,
}

impl Launch<'_> {
    /// The inner error is why the program can't be started.
    pub fn start(&self) -> Result<io::Result<Program>, Failure> {
        let mut command = Command::new(&self.command[0]);
        command.args(&self.command[1..]).env("MEMTRACE", self.trace).env("MEMTRACE_RATE", format!("{:e}", self.rate));
        if let Some(log) = self.log {
            let failed = |error| Failure::Output { path: Some(log.to_owned()), error };
            let file = File::create(log).map_err(failed)?;
            let same = file.try_clone().map_err(failed)?;
            command.stdin(Stdio::null()).stdout(file).stderr(same);
        }
        Ok(command.spawn().map(|mut child| {
            let (sender, ended) = channel();
            let id = child.id();
            thread::spawn(move || {
                // The receiver is gone only if this process is exiting anyway.
                let _ = sender.send(child.wait().map_or(1, status_of));
            });
            Program { id, ended, status: None }
        }))
    }
}

impl Program {
    /// Waits at most this long for the program to end, and returns its exit status as shells do.
    pub fn wait(&mut self, patience: Duration) -> Option<u8> {
        if self.status.is_none() {
            self.status = match self.ended.recv_timeout(patience) {
                Ok(status) => Some(status),
                Err(RecvTimeoutError::Timeout) => None,
                Err(RecvTimeoutError::Disconnected) => Some(1),
            };
        }
        self.status
    }
}

fn status_of(status: ExitStatus) -> u8 {
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        return u8::try_from(128 + signal).unwrap_or(u8::MAX);
    }
    // On Windows, it has more bits.
    status.code().map_or(1, |code| u8::try_from(code).unwrap_or(u8::MAX))
}
