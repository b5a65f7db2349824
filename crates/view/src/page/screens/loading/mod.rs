//! The curve and the status text of the loading screen.

pub mod progress;

use crate::page::store::browser::Browser;
use crate::page::store::source::TraceSource;
use crate::page::store::worker::WorkerState;

/// Returns the outline of the area below the curve, as an SVG path of 240 × 60.
pub fn area(live: &[f64], most: f64) -> String {
    let step = 240.0 / live.len().max(1) as f64;
    let mut outline = "M0 60".to_owned();
    for (at, live) in live.iter().enumerate() {
        outline.push_str(&format!("L{:.1} {:.1}", (at + 1) as f64 * step, 60.0 - live / most * 58.0));
    }
    outline.push_str("L240 60Z");
    outline
}

/// Returns the status text before anything has been read.
pub fn waiting<B: Browser>(source: &TraceSource<B>, worker: WorkerState) -> &'static str {
    match (worker, source) {
        (WorkerState::Starting { .. }, _) => "Starting the decoder…",
        (WorkerState::Dead, _) => "The decoder stopped.",
        (WorkerState::Ready, TraceSource::Sample) => "Downloading the sample…",
        (WorkerState::Ready, TraceSource::Address(_)) => "Downloading the file…",
        (WorkerState::Ready, TraceSource::File(_) | TraceSource::Host { .. } | TraceSource::Report(_)) => "Reading…",
    }
}

/// For screen readers, which should not read out twenty values per second.
pub fn announcement(percent: Option<u8>) -> String {
    percent.map_or_else(String::new, |percent| format!("{}% read", percent / 10 * 10))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_preview_curve_spans_the_full_width() {
        assert_eq!(area(&[1.0, 2.0], 2.0), "M0 60L120.0 31.0L240.0 2.0L240 60Z");
    }

    #[test]
    fn announcements_come_in_steps_of_ten_percent() {
        assert_eq!(announcement(Some(39)), announcement(Some(30)));
        assert_ne!(announcement(Some(39)), announcement(Some(40)));
        assert_eq!(announcement(None), "");
    }

    #[test]
    fn the_status_names_what_is_loading() {
        let words = |worker| waiting(&TraceSource::<()>::Sample, worker);
        assert!(words(WorkerState::default()).contains("decoder"));
        assert!(words(WorkerState::Ready).contains("Downloading"));
    }
}
