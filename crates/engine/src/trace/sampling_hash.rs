//! Reproducible random decisions: hashes decide which samples are kept wherever a trace is downsampled.

/// The finalizer of splitmix64: every output bit depends on every input bit.
pub fn mix(n: u64) -> u64 {
    let n = n.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let n = (n ^ (n >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let n = (n ^ (n >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    n ^ (n >> 31)
}

/// Returns how many of `n` samples are kept, each with probability `p`. `n` must be large enough for a normal
/// approximation of the binomial.
pub fn binomial(seed: u64, n: u64, p: f64) -> u64 {
    // The sum of twelve uniform numbers minus six has variance 1.
    let uniform = |i: u64| mix(seed ^ (i << 56)) as f64 / u64::MAX as f64;
    let normal: f64 = (1..=12).map(uniform).sum::<f64>() - 6.0;
    let mean = n as f64 * p;
    ((mean + normal * (mean * (1.0 - p)).sqrt()).round() as u64).min(n)
}
