//! Random decisions that are the same every time: hashes decide which samples stay, wherever a trace is downsampled.

/// splitmix64's finalizer: every bit of the outcome depends on every bit of the input.
pub fn mix(n: u64) -> u64 {
    let n = n.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let n = (n ^ (n >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let n = (n ^ (n >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    n ^ (n >> 31)
}

/// How many of `n` samples stay, each with probability `p`, for an `n` so large that a normal draw is closer to the
/// binomial than any trace can tell.
pub fn binomial(seed: u64, n: u64, p: f64) -> u64 {
    // The sum of twelve uniform numbers less six: variance 1.
    let uniform = |i: u64| mix(seed ^ (i << 56)) as f64 / u64::MAX as f64;
    let normal: f64 = (1..=12).map(uniform).sum::<f64>() - 6.0;
    let mean = n as f64 * p;
    ((mean + normal * (mean * (1.0 - p)).sqrt()).round() as u64).min(n)
}
