//! The program that writes a trace, as far as this machine knows it: whether more may come.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::Found;

#[derive(Debug)]
pub struct Writer {
    /// Set once the first packet is there, if its process runs here.
    process: Option<Process>,
    /// The last look that found something.
    last_new: Instant,
    is_known: bool,
}

/// What the program seems to do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Activity {
    /// Something has come lately.
    #[default]
    Writing,
    /// It runs, and nothing has come for so long.
    Resting(Duration),
    /// It ran, and runs no more.
    Ended,
    /// Nothing has come for so long, and this machine does not know the program.
    Silent(Duration),
}

impl Writer {
    /// Takes note of what a look found.
    pub fn on_found(&mut self, found: &Found) {
        match found {
            Found::Same => return,
            Found::Grown(summary) if !self.is_known => {
                self.is_known = true;
                self.process = Process::find(summary.info.pid, &summary.info.host);
            }
            Found::Replaced | Found::Shrunk => (self.process, self.is_known) = (None, false),
            Found::Nothing | Found::Part | Found::Grown(_) => {}
        }
        self.last_new = Instant::now();
    }

    /// `patience`: how long nothing comes from a program that writes.
    pub fn activity(&self, patience: Duration) -> Activity {
        let idle = self.last_new.elapsed();
        match &self.process {
            Some(process) if !process.is_running() => Activity::Ended,
            _ if idle < patience => Activity::Writing,
            Some(_) => Activity::Resting(idle),
            None => Activity::Silent(idle),
        }
    }
}

impl Default for Writer {
    fn default() -> Writer {
        Writer { process: None, last_new: Instant::now(), is_known: false }
    }
}

/// A process of this machine, which its folder tells of; only Linux has one.
#[derive(Debug)]
struct Process(PathBuf);

impl Process {
    /// `None` if it does not run here: the trace's number may be that of another machine, or of a container.
    fn find(pid: u64, host: &str) -> Option<Process> {
        let here = std::fs::read_to_string("/proc/sys/kernel/hostname").ok()?;
        let process = Process(Path::new("/proc").join(pid.to_string()));
        (here.trim_end() == host && process.is_running()).then_some(process)
    }

    fn is_running(&self) -> bool {
        self.0.exists()
    }
}
