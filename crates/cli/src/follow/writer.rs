//! The program that writes a trace, as far as this machine can see it. It determines whether more data may come.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::Found;

#[derive(Debug)]
pub struct Writer {
    /// Set once the first packet is read, if its process runs on this machine.
    process: Option<Process>,
    /// The last check that found new data.
    last_new: Instant,
    is_known: bool,
}

/// The apparent state of the program.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Activity {
    /// There was new data recently.
    #[default]
    Writing,
    /// It's running, but there has been no new data for this long.
    Resting(Duration),
    /// It has exited.
    Ended,
    /// There has been no new data for this long, and the program isn't known to run on this machine.
    Silent(Duration),
}

impl Writer {
    /// Records the result of a check.
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

    /// `patience` is how long a program may write nothing before it counts as idle.
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

/// A process on this machine, identified by its folder in `/proc`. Linux only.
#[derive(Debug)]
struct Process(PathBuf);

impl Process {
    /// Returns `None` if it doesn't run here. The pid may belong to another machine or a container.
    fn find(pid: u64, host: &str) -> Option<Process> {
        let here = std::fs::read_to_string("/proc/sys/kernel/hostname").ok()?;
        let process = Process(Path::new("/proc").join(pid.to_string()));
        (here.trim_end() == host && process.is_running()).then_some(process)
    }

    fn is_running(&self) -> bool {
        self.0.exists()
    }
}
