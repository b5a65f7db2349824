//! The thresholds behind the verdicts on leaks, as a table: a link carries those that are not the default
//! (`samples:10,sigmas:2`), and the leaks view makes a field of each.

use crate::format;
use crate::query::leaks::LeaksConfig;

pub struct Threshold {
    /// Its name in links.
    pub key: &'static str,
    pub title: &'static str,
    pub hint: &'static str,
    /// Shares are shown as percent.
    pub is_share: bool,
    pub most: f64,
    field: fn(&mut LeaksConfig) -> Field<'_>,
}

enum Field<'a> {
    Count(&'a mut u64),
    Real(&'a mut f64),
}

pub const THRESHOLDS: [Threshold; 11] = [
    Threshold {
        key: "trace",
        title: "samples of the trace",
        hint: "A trace with fewer carries no verdict at all",
        is_share: false,
        most: 1e9,
        field: |config| Field::Count(&mut config.min_trace_samples),
    },
    Threshold {
        key: "seconds",
        title: "seconds of the trace",
        hint: "In a shorter one, what grows is what the program builds up at its start",
        is_share: false,
        most: 1e9,
        field: |config| Field::Real(&mut config.min_seconds),
    },
    Threshold {
        key: "functions",
        title: "functions of a working set",
        hint: "Where so many grow, and the heap with them, the program builds up what it works with",
        is_share: false,
        most: 1e9,
        field: |config| Field::Count(&mut config.min_working_set),
    },
    Threshold {
        key: "samples",
        title: "samples of a site",
        hint: "A site with fewer is never called bounded or a burst",
        is_share: false,
        most: 1e9,
        field: |config| Field::Count(&mut config.min_samples),
    },
    Threshold {
        key: "sigmas",
        title: "growth in standard errors",
        hint: "How far above 0 the growth must be: among a thousand sites, chance passes one at 3",
        is_share: false,
        most: 100.0,
        field: |config| Field::Real(&mut config.min_sigmas),
    },
    Threshold {
        key: "together",
        title: "the same, where its function grows",
        hint: "A site with few samples is judged with the function that it allocates for: if that grows as a whole, less is needed",
        is_share: false,
        most: 100.0,
        field: |config| Field::Real(&mut config.min_sigmas_together),
    },
    Threshold {
        key: "growth",
        title: "growth, of what is kept",
        hint: "A site that grew by less since the first quarter counts as level, however certain that is",
        is_share: true,
        most: 1.0,
        field: |config| Field::Real(&mut config.min_growth),
    },
    Threshold {
        key: "steady",
        title: "rise of each quarter, of the mean",
        hint: "A leak goes on: every quarter since the first must rise by so much of the mean rise",
        is_share: true,
        most: 1.0,
        field: |config| Field::Real(&mut config.min_steadiness),
    },
    Threshold {
        key: "old",
        title: "old survivors, of what steady growth leaves",
        hint: "So many must be older than such objects get; younger ones may still be collected",
        is_share: true,
        most: 1.0,
        field: |config| Field::Real(&mut config.min_old_share),
    },
    Threshold {
        key: "early",
        title: "start-up, of the trace",
        hint: "What was allocated in this first part and kept is start-up",
        is_share: true,
        most: 1.0,
        field: |config| Field::Real(&mut config.early),
    },
    Threshold {
        key: "short",
        title: "a burst, of the trace",
        hint: "What came within so short a part of it is a burst",
        is_share: true,
        most: 1.0,
        field: |config| Field::Real(&mut config.short),
    },
];

/// Thresholds that cannot be read keep their default.
pub fn from_text(text: &str) -> LeaksConfig {
    let mut config = LeaksConfig::default();
    for (key, value) in text.split(',').filter_map(|part| part.split_once(':')) {
        let threshold = THRESHOLDS.iter().find(|threshold| threshold.key == key);
        if let (Some(threshold), Some(value)) = (threshold, format::read_decimal(value)) {
            threshold.set(&mut config, value);
        }
    }
    config
}

pub fn to_text(config: &LeaksConfig) -> String {
    let default = LeaksConfig::default();
    let changed = THRESHOLDS.iter().filter(|threshold| threshold.get(config) != threshold.get(&default));
    changed.map(|threshold| format!("{}:{}", threshold.key, threshold.get(config))).collect::<Vec<_>>().join(",")
}

impl Threshold {
    /// Whether it says what samples must show; figures of a profile are exact.
    pub fn is_of_samples(&self) -> bool {
        matches!(self.key, "trace" | "samples" | "sigmas" | "together")
    }

    pub fn get(&self, config: &LeaksConfig) -> f64 {
        match (self.field)(&mut config.clone()) {
            Field::Count(n) => *n as f64,
            Field::Real(value) => *value,
        }
    }

    pub fn set(&self, config: &mut LeaksConfig, value: f64) {
        if !value.is_finite() {
            return;
        }
        let value = value.clamp(0.0, self.most);
        match (self.field)(config) {
            Field::Count(n) => *n = value.round() as u64,
            Field::Real(real) => *real = value,
        }
    }

    /// What 1 in its field stands for.
    pub fn unit(&self) -> f64 {
        if self.is_share { 0.01 } else { 1.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_carries_the_thresholds_that_were_changed() {
        assert_eq!(to_text(&LeaksConfig::default()), "");
        let changed = LeaksConfig { min_samples: 10, min_sigmas: 2.5, early: 0.5, ..LeaksConfig::default() };
        assert_eq!(to_text(&changed), "samples:10,sigmas:2.5,early:0.5");
        assert_eq!(from_text(&to_text(&changed)), changed);
    }

    #[test]
    fn what_is_no_threshold_leaves_them_as_usual() {
        assert_eq!(from_text("colour:3,samples:x,sigmas:NaN,"), LeaksConfig::default());
        assert_eq!(from_text("early:7").early, 1.0);
    }
}
