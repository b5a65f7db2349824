//! The progress of a load as text. The speed is the average since the start, which is steadier than the current speed.

use camlscope_engine::protocol::Progress;
use camlscope_present::format::{self, Units};

/// Before this time, the speed reflects the startup more than the file.
const SETTLED_MS: f64 = 400.0;

#[derive(Clone, Debug, PartialEq)]
pub struct Words {
    /// Rounded down. `None` if the size is unknown.
    pub percent: Option<u8>,
    /// Such as `12.0 MiB of 113 MiB`.
    pub read: String,
    /// Such as `1,234,567 events`, or for a profile `7 snapshots and events`.
    pub events: String,
    /// Such as `212 MiB/s`. Empty until the speed is stable.
    pub speed: String,
    /// Such as `about 3 s left`. Empty until it can be estimated.
    pub left: String,
}

pub fn words(progress: &Progress, units: Units) -> Words {
    let read = progress.bytes_read as f64;
    let total = progress.bytes_total.filter(|&total| total > 0).map(|total| total as f64);
    let settled = progress.elapsed_ms >= SETTLED_MS && read > 0.0;
    let bytes_per_ms = settled.then(|| read / progress.elapsed_ms);
    Words {
        percent: total.map(|total| (read / total * 100.0).clamp(0.0, 100.0) as u8),
        read: match total {
            Some(total) => format!("{} of {}", units.bytes(read), units.bytes(total)),
            None => units.bytes(read),
        },
        events: match progress.events {
            1 if progress.is_profile => "1 snapshot or event".to_owned(),
            n if progress.is_profile => format!("{} snapshots and events", format::count(n)),
            1 => "1 event".to_owned(),
            n => format!("{} events", format::count(n)),
        },
        speed: bytes_per_ms.map_or_else(String::new, |speed| format!("{}/s", units.bytes(speed * 1e3))),
        left: match (bytes_per_ms, total) {
            (Some(speed), Some(total)) => left((total - read).max(0.0) / speed),
            _ => String::new(),
        },
    }
}

fn left(ms: f64) -> String {
    let seconds = (ms / 1e3).round() as u64;
    match seconds {
        0 => "almost done".to_owned(),
        1..60 => format!("about {seconds} s left"),
        60..3600 => format!("about {} min left", (seconds as f64 / 60.0).round()),
        _ => format!("about {:.1} h left", seconds as f64 / 3600.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIB: u64 = 1 << 20;

    fn at(read: u64, total: Option<u64>, elapsed_ms: f64) -> Words {
        words(
            &Progress { bytes_read: read, bytes_total: total, events: 1_234_567, is_profile: false, elapsed_ms },
            Units::Binary,
        )
    }

    #[test]
    fn a_steady_load_shows_all_figures() {
        let words = at(200 * MIB, Some(800 * MIB), 1000.0);
        assert_eq!(words.percent, Some(25));
        assert_eq!(words.read, "200 MiB of 800 MiB");
        assert_eq!(words.events, "1,234,567 events");
        assert_eq!(words.speed, "200 MiB/s");
        assert_eq!(words.left, "about 3 s left");
    }

    #[test]
    fn progress_of_a_profile_counts_snapshots() {
        let progress = Progress { events: 7, is_profile: true, ..Progress::default() };
        assert_eq!(words(&progress, Units::Binary).events, "7 snapshots and events");
    }

    #[test]
    fn there_is_no_estimate_at_the_start() {
        let words = at(4 * MIB, Some(800 * MIB), 20.0);
        assert_eq!((words.speed.as_str(), words.left.as_str()), ("", ""));
    }

    #[test]
    fn an_unknown_or_empty_size_has_no_percent() {
        assert_eq!(at(MIB, None, 1000.0).percent, None);
        assert_eq!(at(MIB, None, 1000.0).left, "");
        assert_eq!(at(0, Some(0), 1000.0).percent, None);
    }

    #[test]
    fn a_file_that_grew_while_loading_stops_at_100_percent() {
        let words = at(9 * MIB, Some(8 * MIB), 1000.0);
        assert_eq!((words.percent, words.left.as_str()), (Some(100), "almost done"));
    }

    #[test]
    fn only_a_completely_read_file_is_at_100_percent() {
        assert_eq!(at(999, Some(1000), 1000.0).percent, Some(99));
    }

    #[test]
    fn long_times_are_in_minutes_and_hours() {
        assert_eq!(left(61_000.0), "about 1 min left");
        assert_eq!(left(150_000.0), "about 3 min left");
        assert_eq!(left(5_400_000.0), "about 1.5 h left");
    }
}
