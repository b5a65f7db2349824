//! Signals while a program runs. A terminal sends Ctrl+C to the program itself, so camlscope only stays to print the
//! summary.
//! What another process sends to camlscope is forwarded. After the program's end, signals end camlscope.
//!
//! Signals that are ignored stay ignored, by the program as well: `nohup` and jobs in the background of a script rely on that.

#[cfg(unix)]
pub use self::unix::Signals;
#[cfg(not(unix))]
pub use self::windows::Signals;

#[cfg(unix)]
mod unix {
    use std::io::{self, IsTerminal};
    use std::mem::MaybeUninit;
    use std::process::Child;
    use std::ptr;
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
        /// Those of [`HANDLED`] that aren't ignored.
        handled: Vec<i32>,
        forwarding: iterator::Handle,
        forwarded: Arc<Mutex<Forwarded>>,
        /// The page that a signal closes after the program's end.
        page: OnceLock<Arc<Presence>>,
    }

    #[derive(Default)]
    struct Forwarded {
        receivers: Vec<Pid>,
        /// Signals that came before the program had started.
        early: Vec<Signal>,
    }

    impl Signals {
        /// Called before the program starts, so that a signal never ends camlscope alone.
        pub fn handle() -> Result<Signals, Failure> {
            let handled: Vec<i32> = HANDLED.into_iter().filter(|&signal| !is_ignored(signal)).collect();
            let mut coming = iterator::Signals::new(&handled)?;
            let forwarded = Arc::new(Mutex::new(Forwarded::default()));
            let signals = Signals {
                handled,
                forwarding: coming.handle(),
                forwarded: Arc::clone(&forwarded),
                page: OnceLock::new(),
            };
            let has_terminal = io::stdin().is_terminal() || io::stdout().is_terminal() || io::stderr().is_terminal();
            thread::spawn(move || {
                for signal in coming.forever() {
                    let is_from_terminal = has_terminal && matches!(signal, SIGINT | SIGQUIT);
                    let Some(signal) = Signal::from_named_raw(signal).filter(|_| !is_from_terminal) else { continue };
                    let mut forwarded = lock(&forwarded);
                    if forwarded.receivers.is_empty() {
                        forwarded.early.push(signal);
                    }
                    for process in &forwarded.receivers {
                        // It may have ended.
                        let _ = kill_process(*process, signal);
                    }
                }
            });
            Ok(signals)
        }

        pub fn forward_to(&self, program: &Program) {
            let mut forwarded = lock(&self.forwarded);
            forwarded.receivers.extend(pid(program.id));
            let Forwarded { receivers, early } = &mut *forwarded;
            for (process, signal) in
                receivers.iter().flat_map(|process| early.iter().map(move |signal| (process, signal)))
            {
                let _ = kill_process(*process, *signal);
            }
            early.clear();
        }

        /// Waits for another process, which also gets the signals.
        pub fn forward_also(&self, process: &mut Child) -> io::Result<()> {
            let other = pid(process.id());
            lock(&self.forwarded).receivers.extend(other);
            let ended = process.wait();
            lock(&self.forwarded).receivers.retain(|process| Some(*process) != other);
            ended.map(drop)
        }

        /// From now on, the page is closed by a signal that comes after the program's end.
        pub fn interrupt_afterwards(&self, page: Arc<Presence>) {
            // There is only one page.
            let _ = self.page.set(page);
        }

        /// From now on, signals are for camlscope itself. The one that ended the program isn't handled again.
        pub fn program_has_ended(&self) -> Result<(), Failure> {
            lock(&self.forwarded).receivers.clear();
            self.forwarding.close();
            let mut coming = iterator::Signals::new(&self.handled)?;
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

    fn lock(forwarded: &Mutex<Forwarded>) -> MutexGuard<'_, Forwarded> {
        forwarded.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns whether this process was started with a signal ignored.
    #[allow(unsafe_code)]
    fn is_ignored(signal: i32) -> bool {
        let mut action = MaybeUninit::<libc::sigaction>::zeroed();
        // SAFETY: Without a new action, the call changes nothing. It only writes the current action to `action`, which
        // lives until the end. Zeros are a valid action, so it is initialized even if the call fails.
        let action = unsafe {
            libc::sigaction(signal, ptr::null(), action.as_mut_ptr());
            action.assume_init()
        };
        action.sa_sigaction == libc::SIG_IGN
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
        pub fn handle() -> Result<Signals, Failure> {
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

        /// Nothing has to be forwarded.
        pub fn forward_to(&self, _: &Program) {}

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
