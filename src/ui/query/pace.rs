//! How often the page takes in what a file has gained.

/// When that was done last, and what it cost.
#[derive(Clone, Copy, Debug, Default)]
pub struct Pace {
    began_ms: f64,
    spent_ms: f64,
}

/// All of it costs at most one part in so many of the time.
const COST: f64 = 10.0;

impl Pace {
    pub fn begin(&mut self, now_ms: f64) {
        *self = Pace { began_ms: now_ms, spent_ms: 0.0 };
    }

    /// The worker was busy with it, or with an answer, for so long.
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
    fn what_costs_much_is_done_rarely() {
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
