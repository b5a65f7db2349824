//! The signals of Unix: those that ask the program to exit, and those of a shell's jobs.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};

#[derive(Debug, Default)]
pub struct Signals {
    /// The signal that asked the program to exit, or 0.
    ending: Arc<AtomicI32>,
    was_continued: Arc<AtomicBool>,
    /// Another program has the terminal, and Ctrl-C is for that program.
    ignores_interrupts: Arc<AtomicBool>,
}

impl Signals {
    /// Whether the program can be stopped and continued.
    pub const CAN_STOP: bool = cfg!(unix);

    pub fn new() -> io::Result<Signals> {
        let signals = Signals::default();
        #[cfg(unix)]
        unix::handle(&signals)?;
        Ok(signals)
    }

    /// Returns the signal that asked the program to exit.
    pub fn ending(&self) -> Option<i32> {
        Some(self.ending.load(Ordering::Relaxed)).filter(|signal| *signal != 0)
    }

    /// Whether the program was stopped and continued since the last call.
    pub fn was_continued(&self) -> bool {
        self.was_continued.swap(false, Ordering::Relaxed)
    }

    /// Called before and after another program has the terminal.
    pub fn ignore_interrupts(&self, is_ignored: bool) {
        self.ignores_interrupts.store(is_ignored, Ordering::Relaxed);
    }

    /// Stops the program. Returns when it is continued, or at once if it has no shell that could continue it.
    pub fn stop(&self) -> io::Result<()> {
        #[cfg(unix)]
        signal_hook::low_level::raise(signal_hook::consts::SIGTSTP)?;
        self.was_continued();
        Ok(())
    }
}

#[cfg(unix)]
mod unix {
    use std::io;
    use std::sync::Arc;
    use std::sync::atomic::Ordering;
    use std::time::Duration;

    use signal_hook::consts::{SIGCONT, SIGHUP, SIGINT, SIGTERM};

    /// How long a signal waits for the current work. Reading keys from a closed terminal never ends.
    const GRACE: Duration = Duration::from_secs(1);

    pub fn handle(signals: &super::Signals) -> io::Result<()> {
        signal_hook::flag::register(SIGCONT, Arc::clone(&signals.was_continued))?;
        let mut endings = signal_hook::iterator::Signals::new([SIGTERM, SIGINT, SIGHUP])?;
        let (ending, ignores) = (Arc::clone(&signals.ending), Arc::clone(&signals.ignores_interrupts));
        std::thread::spawn(move || {
            let is_meant = |signal: &i32| *signal != SIGINT || !ignores.load(Ordering::Relaxed);
            if let Some(signal) = endings.forever().find(is_meant) {
                ending.store(signal, Ordering::Relaxed);
                std::thread::sleep(GRACE);
                drop(crate::terminal::run::Restored);
                std::process::exit(128 + signal);
            }
        });
        Ok(())
    }
}
