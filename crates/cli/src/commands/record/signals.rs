//! Signals while a program runs. A terminal sends Ctrl+C to the program itself, so camlscope only stays to print the
//! summary.
//! What another process sends to camlscope is forwarded. After the program's end, signals end camlscope.

#[cfg(unix)]
pub use self::unix::Signals;
#[cfg(not(unix))]
pub use self::windows::Signals;

#[cfg(unix)]
mod unix {
    use std::io::{self, IsTerminal};
    use std::process::Child;
    use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
    use std::thread;

    use rustix::process::{Pid, Signal, kill_process};
    use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};
    use signal_hook::iterator;
    use signal_hook::low_level::emulate_default_handler;

    use super::super::Failure;
    use super::super::program::Program;
    use crate::serving::Presence;

    const HANDLED: [i32; 4] = [SIGINT, SIGQUIT, SIGTERM, SIGHUP];

    pub struct Signals {
        forwarding: iterator::Handle,
        receivers: Arc<Mutex<Vec<Pid>>>,
        /// The page that a signal closes after the program's end.
        page: OnceLock<Arc<Presence>>,
    }

    impl Signals {
        pub fn forward_to(program: &Program) -> Result<Signals, Failure> {
            let mut coming = iterator::Signals::new(HANDLED)?;
            let receivers = Arc::new(Mutex::new(Vec::from_iter(pid(program.id))));
            let signals =
                Signals { forwarding: coming.handle(), receivers: Arc::clone(&receivers), page: OnceLock::new() };
            let has_terminal = io::stdin().is_terminal() || io::stdout().is_terminal() || io::stderr().is_terminal();
            thread::spawn(move || {
                for signal in coming.forever() {
                    let is_from_terminal = has_terminal && matches!(signal, SIGINT | SIGQUIT);
                    let Some(signal) = Signal::from_named_raw(signal).filter(|_| !is_from_terminal) else { continue };
                    for process in lock(&receivers).iter() {
                        // It may have ended.
                        let _ = kill_process(*process, signal);
                    }
                }
            });
            Ok(signals)
        }

        /// Waits for another process, which also gets the signals.
        pub fn forward_also(&self, process: &mut Child) -> io::Result<()> {
            let other = pid(process.id());
            lock(&self.receivers).extend(other);
            let ended = process.wait();
            lock(&self.receivers).retain(|process| Some(*process) != other);
            ended.map(drop)
        }

        /// From now on, the page is closed by a signal that comes after the program's end.
        pub fn interrupt_afterwards(&self, page: Arc<Presence>) {
            // There is only one page.
            let _ = self.page.set(page);
        }

        /// From now on, signals are for camlscope itself. The one that ended the program isn't handled again.
        pub fn program_has_ended(&self) -> Result<(), Failure> {
            lock(&self.receivers).clear();
            self.forwarding.close();
            let mut coming = iterator::Signals::new(HANDLED)?;
            let page = self.page.get().cloned();
            thread::spawn(move || {
                for signal in coming.forever() {
                    match &page {
                        Some(page) => page.interrupt(),
                        // It ends this process.
                        None => drop(emulate_default_handler(signal)),
                    }
                }
            });
            Ok(())
        }
    }

    fn pid(id: u32) -> Option<Pid> {
        i32::try_from(id).ok().and_then(Pid::from_raw)
    }

    fn lock(receivers: &Mutex<Vec<Pid>>) -> MutexGuard<'_, Vec<Pid>> {
        receivers.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(not(unix))]
mod windows {
    use std::io;
    use std::process::Child;
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::sync::{Arc, OnceLock};

    use super::super::Failure;
    use super::super::program::Program;
    use crate::serving::Presence;

    /// Windows sends Ctrl+C to all processes of the console.
    #[derive(Clone, Default)]
    pub struct Signals(Arc<Inner>);

    #[derive(Default)]
    struct Inner {
        has_ended: AtomicBool,
        page: OnceLock<Arc<Presence>>,
    }

    impl Signals {
        pub fn forward_to(_: &Program) -> Result<Signals, Failure> {
            let signals = Signals::default();
            let handled = signals.clone();
            let handler = move || match handled.0.page.get() {
                _ if !handled.0.has_ended.load(Ordering::Relaxed) => {}
                Some(page) => page.interrupt(),
                None => std::process::exit(130),
            };
            ctrlc::set_handler(handler).map_err(|error| Failure::Usage(format!("Can't handle Ctrl+C: {error}.")))?;
            Ok(signals)
        }

        pub fn forward_also(&self, process: &mut Child) -> io::Result<()> {
            process.wait().map(drop)
        }

        pub fn interrupt_afterwards(&self, page: Arc<Presence>) {
            let _ = self.0.page.set(page);
        }

        pub fn program_has_ended(&self) -> Result<(), Failure> {
            self.0.has_ended.store(true, Ordering::Relaxed);
            Ok(())
        }
    }
}
