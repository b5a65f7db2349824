//! Converts between times, amounts and canvas positions.

use camlscope_engine::query::timeline::Timeline;

/// The position of the timeline on its canvas, and its time range.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plot {
    pub left: f64,
    pub right: f64,
    pub top: f64,
    /// The bottom of the curve. Rates are between `rates_top` and `rates_bottom`, ticks below them.
    pub bottom: f64,
    pub rates_top: f64,
    pub rates_bottom: f64,
    pub from_us: f64,
    pub to_us: f64,
    pub max_bytes: f64,
}

impl Plot {
    const GUTTER: f64 = 64.0;
    /// Space for the peak's label, so that it doesn't cover anything.
    const TOP: f64 = 22.0;
    const RATES: f64 = 20.0;
    /// Without rates below this height, and without any labels below the second.
    const LOW: f64 = 132.0;
    const STRIP: f64 = 60.0;
    const TICKS: f64 = 20.0;

    pub fn new(width: f64, height: f64, timeline: &Timeline) -> Plot {
        let (top, ticks) = if height < Plot::STRIP { (4.0, 0.0) } else { (Plot::TOP, Plot::TICKS) };
        let rates_bottom = height - ticks;
        // If there is little space, the curve gets all of it.
        let rates_top = rates_bottom - if height < Plot::LOW { 0.0 } else { Plot::RATES };
        let highest = timeline.live_max.iter().copied().fold(0.0, f64::max);
        Plot {
            left: Plot::GUTTER.min(width / 4.0),
            right: width - 16.0,
            top,
            bottom: rates_top - 4.0,
            rates_top,
            rates_bottom,
            from_us: timeline.from_us as f64,
            to_us: (timeline.to_us as f64).max(timeline.from_us as f64 + 1.0),
            max_bytes: highest.max(1.0),
        }
    }

    /// Whether there is only room for the curve.
    pub(super) fn is_strip(&self) -> bool {
        self.top < Plot::TOP
    }

    pub fn x(&self, us: f64) -> f64 {
        self.left + (us - self.from_us) / (self.to_us - self.from_us) * (self.right - self.left)
    }

    /// Returns the time at a position, within the visible range.
    pub fn us(&self, x: f64) -> f64 {
        let share = ((x - self.left) / (self.right - self.left).max(1.0)).clamp(0.0, 1.0);
        self.from_us + share * (self.to_us - self.from_us)
    }

    /// Returns the time at a position, rounded to the largest power of ten that fits in a pixel.
    pub fn pointed_us(&self, x: f64) -> f64 {
        let us_a_pixel = (self.to_us - self.from_us) / (self.right - self.left).max(1.0);
        let mut round = 1.0;
        while round * 10.0 <= us_a_pixel {
            round *= 10.0;
        }
        ((self.us(x) / round).round() * round).clamp(self.from_us, self.to_us)
    }

    pub fn y(&self, bytes: f64) -> f64 {
        self.bottom - bytes / self.max_bytes * (self.bottom - self.top)
    }

    pub(super) fn shows(&self, us: f64) -> bool {
        (self.from_us..=self.to_us).contains(&us)
    }
}
