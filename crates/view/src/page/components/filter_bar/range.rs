//! The positions of the two handles that choose a range on a logarithmic axis.

use camlscope_engine::query::histogram::Histogram;
use camlscope_present::format::whole_power;

/// The number of positions of a handle.
pub const STEPS: u32 = 400;

/// A logarithmic scale from the first bin to the last.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SliderScale {
    low: f64,
    high: f64,
}

impl SliderScale {
    pub fn of(histogram: &Histogram) -> Option<SliderScale> {
        let low = histogram.bins.first()?.from.max(1) as f64;
        // The last bin ends at a power of two, which its values may not reach.
        let high = histogram.bins.last()?.to as f64;
        Some(SliderScale { low, high: high.max(low * 2.0) })
    }

    pub fn place(self, value: u64) -> f64 {
        let share = ((value as f64).max(self.low) / self.low).ln() / (self.high / self.low).ln();
        share.clamp(0.0, 1.0) * f64::from(STEPS)
    }

    pub fn step(self, value: u64) -> u32 {
        self.place(value).round() as u32
    }

    /// Returns the value at a step, rounded to two digits. A pointer isn't more precise than that.
    pub fn value(self, step: u32) -> u64 {
        let value = self.low * ((self.high / self.low).ln() * f64::from(step) / f64::from(STEPS)).exp();
        let unit = whole_power(10.0, value / 10.0).max(1.0);
        ((value / unit).round() * unit) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use camlscope_engine::query::histogram::Bin;

    #[test]
    fn a_handle_is_at_the_position_of_its_value() {
        let bin = |from, to| Bin { from, to, samples: 1, ..Bin::default() };
        let histogram = Histogram { bins: vec![bin(0, 1), bin(1, 2), bin(2, 4096)], ..Histogram::default() };
        let scale = SliderScale::of(&histogram).unwrap();
        assert_eq!((scale.step(0), scale.step(1), scale.step(64), scale.step(9999)), (0, 0, STEPS / 2, STEPS));
        for step in 0..=STEPS {
            let value = scale.value(step);
            assert!(value < 100 || value.is_multiple_of(10), "{value}");
            assert!(scale.step(value).abs_diff(step) < 35, "{step} {value}");
        }
        assert_eq!(SliderScale::of(&Histogram::default()), None);
    }
}
