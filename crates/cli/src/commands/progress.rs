//! A progress line on standard error: what is done, of how much, and the time left. Shown only on a terminal, and only if
//! the work takes long. It is erased at the end.

use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

use super::text;
use camlscope_present::format;

#[derive(Debug)]
pub struct ProgressLine {
    is_watched: bool,
    started: Instant,
    shown: Option<Instant>,
}

impl ProgressLine {
    const PATIENCE: Duration = Duration::from_millis(500);
    const BETWEEN: Duration = Duration::from_millis(100);

    pub fn new() -> ProgressLine {
        ProgressLine { is_watched: io::stderr().is_terminal(), started: Instant::now(), shown: None }
    }

    /// Whether it's time for the next line.
    pub fn is_due(&self) -> bool {
        self.is_watched
            && self.shown.map_or_else(
                || self.started.elapsed() > ProgressLine::PATIENCE,
                |at| at.elapsed() > ProgressLine::BETWEEN,
            )
    }

    /// `what` is what is done so far. `share` is `None` if the end isn't known.
    pub fn show(&mut self, what: &str, share: Option<f64>) {
        self.shown = Some(Instant::now());
        eprint!("\r{}\x1b[K", line(what, share, self.started.elapsed()));
        let _ = io::stderr().flush();
    }
}

impl Drop for ProgressLine {
    fn drop(&mut self) {
        if self.shown.is_some() {
            eprint!("\r\x1b[K");
        }
    }
}

/// `45% of 1.20 GiB ████       12 s left`.
fn line(what: &str, share: Option<f64>, elapsed: Duration) -> String {
    let Some(share) = share else { return what.to_owned() };
    let bar = text::bar(share, 20);
    match seconds_left(share, elapsed) {
        Some(seconds) => {
            format!("{:>3.0}% of {what} {bar:<20} {} left", 100.0 * share, format::elapsed_us(seconds * 1_000_000))
        }
        None => format!("{:>3.0}% of {what} {bar:<20}", 100.0 * share),
    }
}

/// Returns `None` if too little is done to tell.
fn seconds_left(share: f64, elapsed: Duration) -> Option<u64> {
    const LEAST_SHARE: f64 = 0.02;
    let seconds = elapsed.as_secs_f64();
    (share >= LEAST_SHARE && seconds >= 1.0).then(|| (seconds * (1.0 - share).max(0.0) / share).ceil() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_has_percent_size_and_time_left() {
        let line = |share, seconds| line("1.20 GiB", share, Duration::from_secs(seconds));
        assert_eq!(line(Some(0.25), 4), " 25% of 1.20 GiB █████                12 s left");
        assert_eq!(line(Some(0.01), 60), format!("  1% of 1.20 GiB {:<20}", text::bar(0.01, 20)), "too early to tell");
        assert_eq!(line(None, 60), "1.20 GiB");
    }

    #[test]
    fn nothing_is_shown_for_quick_work_or_in_a_pipe() {
        let watched = |is_watched, ago| {
            let started = Instant::now().checked_sub(ago).expect("the clock started earlier");
            ProgressLine { is_watched, started, shown: None }.is_due()
        };
        assert!(!watched(true, Duration::ZERO) && !watched(false, Duration::from_secs(9)));
        assert!(watched(true, Duration::from_secs(9)));
    }
}
