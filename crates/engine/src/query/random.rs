//! Reproducible random numbers for simulations.

#[derive(Debug)]
pub struct Random(pub u64);

impl Random {
    /// Returns a number between 0 and 1, both excluded.
    pub fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 11) as f64 + 0.5) / (1u64 << 53) as f64
    }

    /// Returns a Poisson-distributed count, by adding up the times between events.
    pub fn poisson(&mut self, mean: f64) -> f64 {
        let (mut n, mut left) = (0.0, mean + self.unit().ln());
        while left > 0.0 {
            n += 1.0;
            left += self.unit().ln();
        }
        n
    }
}
