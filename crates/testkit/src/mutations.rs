//! Damaged copies of files, the same in every run.

use fastrand::Rng;

/// How to damage files of a format, in addition to damage that can happen to any file.
#[derive(Debug)]
pub struct DamageKinds {
    /// Bytes that encode extreme numbers or lengths.
    pub extremes: &'static [&'static [u8]],
    /// Damage specific to the format.
    pub special: fn(&mut Vec<u8>, &mut Rng),
}

pub const PROFILE: DamageKinds = DamageKinds {
    extremes: &[
        &[0],
        &[0xff],
        &[0xff; 4],
        &[0x7f, 0xff, 0xff, 0xff],
        &[0xff; 8],
        // A block, a string and an array of the maximum length.
        &[0x08, 0xff, 0xff, 0xfc, 0],
        &[0x0a, 0xff, 0xff, 0xff, 0xff],
        &[0x07, 0xff, 0xff, 0xff, 0xff],
    ],
    special: |bytes, rng| overwrite_a_header(bytes, rng),
};

/// Returns a copy of one of the sources with up to four kinds of damage.
pub fn mutated(rng: &mut Rng, sources: &[Vec<u8>], format: &DamageKinds) -> Vec<u8> {
    let mut bytes = sources[rng.usize(..sources.len())].clone();
    for _ in 0..1 + rng.usize(..4) {
        mutate(&mut bytes, sources, format, rng);
    }
    bytes
}

fn mutate(bytes: &mut Vec<u8>, sources: &[Vec<u8>], format: &DamageKinds, rng: &mut Rng) {
    if bytes.is_empty() {
        return;
    }
    let at = rng.usize(..bytes.len());
    let len = (1 + rng.usize(..64)).min(bytes.len() - at);
    match rng.usize(..11) {
        0 | 1 => bytes[at] ^= 1 << rng.usize(..8),
        2 => {
            for _ in 0..16 {
                let at = rng.usize(..bytes.len());
                bytes[at] ^= 1 << rng.usize(..8);
            }
        }
        3 => bytes.truncate(at),
        4 => drop(bytes.drain(at..at + len)),
        5 => {
            let other = &sources[rng.usize(..sources.len())];
            let from = rng.usize(..other.len());
            let piece = other[from..(from + len * 16).min(other.len())].to_vec();
            bytes.splice(at..at + len, piece);
        }
        6 => {
            let extreme = format.extremes[rng.usize(..format.extremes.len())];
            let len = extreme.len().min(bytes.len() - at);
            bytes[at..at + len].copy_from_slice(&extreme[..len]);
        }
        7 => (format.special)(bytes, rng),
        8 => {
            let other = rng.usize(..bytes.len());
            bytes.swap(at, other);
        }
        9 => bytes[at..at + len].fill(0),
        _ => drop(bytes.splice(at..at, (0..len).map(|_| rng.u8(..)).collect::<Vec<_>>())),
    }
}

/// Writes an extreme number into the header of a marshaled value.
fn overwrite_a_header(bytes: &mut [u8], rng: &mut Rng) {
    let starts: Vec<usize> = (0..bytes.len()).filter(|&at| bytes[at..].starts_with(b"\x84\x95\xa6\xbe")).collect();
    if starts.is_empty() {
        return;
    }
    let at = starts[rng.usize(..starts.len())] + 4 * (1 + rng.usize(..4));
    let extremes = [0, 1, 0x7fff_ffff, 0xffff_ffff, rng.u32(..), rng.u32(..1000)];
    let extreme = extremes[rng.usize(..extremes.len())].to_be_bytes();
    if let Some(field) = bytes.get_mut(at..at + 4) {
        field.copy_from_slice(&extreme);
    }
}

/// The number of copies that a test tries: `CAMLSCOPE_COPIES`, or `usual` if it isn't set.
pub fn n_copies(usual: u64) -> u64 {
    std::env::var("CAMLSCOPE_COPIES").ok().and_then(|n| n.parse().ok()).unwrap_or(usual)
}

/// Tries the copies on all cores and adds up the counts.
pub fn count_in_parallel<const N: usize>(copies: u64, count: impl Fn(u64) -> [u64; N] + Sync) -> [u64; N] {
    let n_threads = std::thread::available_parallelism().map_or(1, usize::from);
    let add = |sum: [u64; N], more: [u64; N]| std::array::from_fn(|at| sum[at] + more[at]);
    std::thread::scope(|scope| {
        let count = &count;
        let parts: Vec<_> = (0..n_threads as u64)
            .map(|part| scope.spawn(move || (part..copies).step_by(n_threads).map(count).fold([0; N], add)))
            .collect();
        parts.into_iter().map(|part| part.join().expect("a thread panicked")).fold([0; N], add)
    })
}

/// The maximum peak memory of a process that tries damaged files.
const MOST_MEMORY_KIB: u64 = 1 << 20;

/// Checks the peak memory of this process, on systems that report it.
pub fn assert_little_memory() {
    let Ok(status) = std::fs::read_to_string("/proc/self/status") else { return };
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("no VmHWM in /proc/self/status");
    let peak: u64 = line.trim().trim_end_matches(" kB").parse().expect("VmHWM isn't a number");
    assert!(peak < MOST_MEMORY_KIB, "{peak} KiB at the peak");
}
