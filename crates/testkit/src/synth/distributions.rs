//! Distributions that are sampled for every object, using tables built once.

use std::f64::consts::TAU;

use fastrand::Rng;

/// Outcomes, each repeated in proportion to its probability, so that a draw is one lookup.
#[derive(Clone, Debug)]
pub struct Table {
    outcomes: Box<[u16; Table::LEN]>,
}

impl Table {
    /// Small enough that a few tables fit in the L1 cache.
    const LEN: usize = 1 << 11;

    /// Builds a table from outcomes and weights. Outcomes rarer than 1 in 2048 may be missing.
    pub fn weighted(weights: &[(u16, f64)]) -> Table {
        let total: f64 = weights.iter().map(|(_, weight)| weight).sum();
        let mut outcomes = Box::new([0; Table::LEN]);
        let mut weights = weights.iter();
        let (mut outcome, mut up_to) = (0, 0.0);
        for (at, place) in outcomes.iter_mut().enumerate() {
            while up_to < (at as f64 + 0.5) / Table::LEN as f64
                && let Some((next, weight)) = weights.next()
            {
                outcome = *next;
                up_to += weight / total;
            }
            *place = outcome;
        }
        Table { outcomes }
    }

    /// Draws integers from a log-normal distribution. `spread` is the standard deviation of the logarithm.
    pub fn log_normal(mean: f64, spread: f64, rng: &mut Rng) -> Table {
        let mu = mean.ln() - spread * spread / 2.0;
        let mut outcomes = Box::new([0; Table::LEN]);
        outcomes.iter_mut().for_each(|place| *place = (mu + spread * normal(rng)).exp().round() as u16);
        Table { outcomes }
    }

    #[inline]
    pub fn draw(&self, rng: &mut Rng) -> u16 {
        self.pick(rng.u64(..))
    }

    /// Returns the outcome for a number. The same number always gives the same outcome.
    #[inline]
    pub fn pick(&self, number: u64) -> u16 {
        self.outcomes[number as usize % Table::LEN]
    }
}

/// Draws the number of sampled words in a block that has at least one. Each word is sampled with probability `rate`.
#[derive(Clone, Debug)]
pub struct Sampler {
    pub rate: f64,
    /// The logarithm of the probability that a word isn't sampled.
    ln_miss: f64,
    /// The probability that exactly one word was sampled, indexed by the number of words, up to 64.
    just_one: Vec<f64>,
}

impl Sampler {
    const SMALL_WORDS: u32 = 64;
    /// From this expected number of samples on, a normal approximation is used.
    const MANY: f64 = 400.0;

    pub fn new(rate: f64) -> Sampler {
        let ln_miss = (-rate).ln_1p();
        let just_one = |words: u32| {
            let words = f64::from(words);
            words * rate * (ln_miss * (words - 1.0)).exp() / -(ln_miss * words).exp_m1()
        };
        Sampler { rate, ln_miss, just_one: (0..=Sampler::SMALL_WORDS).map(just_one).collect() }
    }

    /// Returns the probability that a block is sampled at all.
    pub fn sees(&self, length_words: u64) -> f64 {
        -(self.ln_miss * (length_words + 1) as f64).exp_m1()
    }

    #[inline]
    pub fn n_samples(&self, length_words: u64, rng: &mut Rng) -> u64 {
        let words = length_words + 1;
        if self.rate >= 1.0 {
            return words;
        }
        match self.just_one.get(words as usize) {
            None => self.of_large(words, rng),
            Some(&just_one) => {
                let draw = rng.f64();
                if draw < just_one { 1 } else { u64::from(self.more_than_one(words as u32, just_one, draw)) }
            }
        }
    }

    /// Walks up the binomial distribution from one sample until the cumulative probability exceeds `draw`.
    #[cold]
    fn more_than_one(&self, words: u32, just_one: f64, draw: f64) -> u32 {
        let odds = self.rate / (1.0 - self.rate);
        let (mut n, mut likely, mut up_to) = (1, just_one, just_one);
        while n < words && up_to <= draw {
            likely *= odds * f64::from(words - n) / f64::from(n + 1);
            up_to += likely;
            n += 1;
        }
        n
    }

    /// Draws the position of the first sampled word among all words, then the gaps between the others.
    #[cold]
    fn of_large(&self, words: u64, rng: &mut Rng) -> u64 {
        let any = -(self.ln_miss * words as f64).exp_m1();
        let first = ((-rng.f64() * any).ln_1p() / self.ln_miss) as u64;
        let mut left = words - 1 - first.min(words - 1);
        let expected = left as f64 * self.rate;
        if expected > Sampler::MANY {
            let spread = (expected * (1.0 - self.rate)).sqrt();
            return 1 + (expected + spread * normal(rng)).max(0.0) as u64;
        }
        let mut n = 1;
        loop {
            let gap = ((1.0 - rng.f64()).ln() / self.ln_miss) as u64;
            if gap >= left {
                return n;
            }
            left -= gap + 1;
            n += 1;
        }
    }
}

/// Draws from the standard normal distribution with the Box–Muller transform.
fn normal(rng: &mut Rng) -> f64 {
    (-2.0 * (1.0 - rng.f64()).ln()).sqrt() * (TAU * rng.f64()).cos()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outcomes_are_drawn_in_proportion_to_their_weights() {
        let table = Table::weighted(&[(7, 1.0), (8, 0.0), (9, 3.0)]);
        let mut rng = Rng::with_seed(1);
        let nines = (0..10_000).filter(|_| table.draw(&mut rng) == 9).count();
        assert!((7_300..7_700).contains(&nines), "{nines}");
        assert!((0..10_000).all(|_| table.draw(&mut rng) != 8));
    }

    #[test]
    fn the_mean_sample_count_matches_the_rate() {
        let mut rng = Rng::with_seed(2);
        for (rate, length) in [(0.5, 1), (0.01, 4), (0.01, 63), (0.01, 500), (0.1, 100_000), (1e-6, 10)] {
            let sampler = Sampler::new(rate);
            let n = 20_000;
            let sum: f64 = (0..n).map(|_| sampler.n_samples(length, &mut rng) as f64).sum();
            let expected = (length + 1) as f64 * rate / sampler.sees(length);
            let mean = sum / f64::from(n);
            assert!((mean / expected - 1.0).abs() < 0.02, "{rate} {length}: {mean}, not {expected}");
        }
        assert_eq!(Sampler::new(1.0).n_samples(9, &mut rng), 10);
    }
}
