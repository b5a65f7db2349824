//! Decides which samples to keep when downsampling to 1 in N.
//!
//! Sampling is a Poisson process, so if each sample is kept with the same probability, the result is again a valid
//! trace with 1/N of the rate. The decision is a hash of the object's number, so the same trace always gives the same
//! copy.

use camlscope_engine::trace::sampling_hash::{binomial, mix};

/// Returns how many of an object's samples are kept.
pub fn survivors(object: u32, n_samples: u64, one_in: u32) -> u64 {
    /// Above this, the difference between a normal draw and the binomial is too small for any trace to show.
    const EXACT_UP_TO: u64 = 4096;
    if one_in <= 1 {
        return n_samples;
    }
    let seed = mix(u64::from(object) << 32 | u64::from(one_in));
    if n_samples <= EXACT_UP_TO {
        let limit = u64::MAX / u64::from(one_in);
        let stays = |sample: &u64| mix(seed ^ sample) <= limit;
        return (0..n_samples).filter(stays).count() as u64;
    }
    binomial(seed, n_samples, 1.0 / f64::from(one_in))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn downsampling_keeps_one_in_n_samples_within_sampling_error() {
        for one_in in [2, 3, 10, 1000] {
            for n in [1, 7, 1000, 5000, 1_000_000, 1 << 33, 1 << 50] {
                let objects = 300_000 / n.min(300_000) + 100;
                let stayed: u64 = (0..objects as u32).map(|object| survivors(object, n, one_in)).sum();
                let (all, p) = (objects as f64 * n as f64, 1.0 / f64::from(one_in));
                let error = (stayed as f64 - all * p) / (all * p * (1.0 - p)).sqrt();
                assert!(error.abs() < 4.5, "{stayed} of {all} at 1/{one_in}: {error} standard errors off");
            }
        }
    }

    #[test]
    fn one_in_one_keeps_everything() {
        assert_eq!(survivors(7, 123, 1), 123);
        assert_eq!(survivors(7, 123, 0), 123);
    }
}
