//! Whether a tab still shows the page. Each tab holds a request open, and the browser closes it with the tab.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// After the last tab has closed, in case the page is just moving to another tab.
const CLOSING: Duration = Duration::from_secs(2);
/// How long a reload may take from the page's request until its script runs.
const LOADING: Duration = Duration::from_secs(30);

#[derive(Debug, Default)]
pub struct Presence {
    state: Mutex<State>,
    has_changed: Condvar,
}

/// Why the page isn't needed anymore.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    Closed,
    Interrupted,
}

#[derive(Debug, Default)]
struct State {
    n_tabs: usize,
    /// Whether there was ever a tab. Before that, the page waits for one forever.
    was_open: bool,
    ends_at: Option<Instant>,
    is_interrupted: bool,
}

/// An open tab, until it's dropped.
#[derive(Debug)]
pub struct Tab(Arc<Presence>);

impl Presence {
    /// Called when a browser requests the page.
    pub fn on_page(&self) {
        self.change(|state| state.on_page(Instant::now()));
    }

    pub fn open_tab(presence: &Arc<Presence>) -> Tab {
        presence.change(State::on_open);
        Tab(Arc::clone(presence))
    }

    pub fn interrupt(&self) {
        self.change(|state| state.is_interrupted = true);
    }

    /// Waits until the last tab has closed.
    pub fn wait(&self) -> Ended {
        let mut state = self.lock();
        loop {
            if state.is_interrupted {
                return Ended::Interrupted;
            }
            let left = state.ends_at.map(|at| at.saturating_duration_since(Instant::now()));
            state = match left {
                Some(Duration::ZERO) => return Ended::Closed,
                Some(left) => self.has_changed.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0,
                None => self.has_changed.wait(state).unwrap_or_else(PoisonError::into_inner),
            };
        }
    }

    fn change(&self, change: impl FnOnce(&mut State)) {
        change(&mut self.lock());
        self.has_changed.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Tab {
    fn drop(&mut self) {
        self.0.change(|state| state.on_close(Instant::now()));
    }
}

impl State {
    /// A reload requests the page again before the browser closes the old one.
    fn on_page(&mut self, now: Instant) {
        if self.was_open && self.n_tabs <= 1 {
            self.ends_at = Some(now + LOADING);
        }
    }

    fn on_open(&mut self) {
        self.n_tabs += 1;
        (self.was_open, self.ends_at) = (true, None);
    }

    fn on_close(&mut self, now: Instant) {
        self.n_tabs -= 1;
        if self.n_tabs == 0 {
            self.ends_at = Some(self.ends_at.unwrap_or(now).max(now + CLOSING));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_closed_tab_ends_it_but_a_reload_does_not() {
        let start = Instant::now();
        let at = |seconds| start + Duration::from_secs(seconds);
        let mut state = State::default();
        state.on_page(at(0));
        assert_eq!(state.ends_at, None, "the page waits for its first tab");
        state.on_open();
        // A reload: the old page closes at once, and the new one is slow.
        state.on_page(at(10));
        state.on_close(at(10));
        assert_eq!(state.ends_at, Some(at(40)));
        state.on_open();
        assert_eq!(state.ends_at, None);
        // A reload whose new page opens before the old one closes.
        state.on_page(at(50));
        state.on_open();
        state.on_close(at(50));
        assert_eq!(state.ends_at, None);
        // A second tab stays open.
        state.on_open();
        state.on_close(at(60));
        assert_eq!(state.ends_at, None);
        state.on_close(at(70));
        assert_eq!(state.ends_at, Some(at(72)));
    }

    #[test]
    fn waiting_ends_when_it_is_interrupted() {
        let presence = Arc::<Presence>::default();
        let _tab = Presence::open_tab(&presence);
        presence.interrupt();
        assert_eq!(presence.wait(), Ended::Interrupted);
    }
}
