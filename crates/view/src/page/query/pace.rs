//! Limits how often the page loads new data of a live trace.

/// When new data was last loaded, and how long that took.
#[derive(Clone, Copy, Debug, Default)]
pub struct Pace {
    began_ms: f64,
    spent_ms: f64,
}

/// Loading new data takes at most one part in `COST` of the time.
const COST: f64 = 10.0;

impl Pace {
    pub fn begin(&mut self, now_ms: f64) {
        *self = Pace { began_ms: now_ms, spent_ms: 0.0 };
    }

    /// Adds time that the worker spent on loading, or on a query.
    pub fn spent(&mut self, took_ms: f64) {
        self.spent_ms += took_ms;
    }

    pub fn may_begin(&self, now_ms: f64) -> bool {
        now_ms - self.began_ms >= COST * self.spent_ms
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slow_updates_run_less_often() {
        let mut pace = Pace::default();
        pace.begin(1_000.0);
        assert!(pace.may_begin(1_001.0));
        pace.spent(300.0);
        pace.spent(200.0);
        assert!(!pace.may_begin(5_900.0));
        assert!(pace.may_begin(6_000.0));
        pace.begin(6_000.0);
        assert!(pace.may_begin(6_001.0));
    }
}
