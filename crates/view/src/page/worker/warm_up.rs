//! The work of the worker's warm-up: a tiny trace that is loaded as a long one.

use camlscope_engine::load::{Loader, NotLoaded};
use camlscope_engine::trace::Budget;

/// A trace with a few objects, stacks, promotions and collections.
const TRACE: &[u8] = include_bytes!("warm-up.ctf");

/// How often the trace's packets are repeated in one load.
const REPEATS: u64 = 64;

/// Loads the trace as if the program had kept running. The IDs and times of each repetition continue those of the last
/// one.
pub fn load_repeated() -> Result<(), NotLoaded> {
    let mut loader = Loader::new(None, Budget::default());
    loader.push(TRACE)?;
    let packets = packets_of(TRACE);
    let mut packet = Vec::new();
    for repeat in 1..REPEATS {
        for bytes in packets.iter().skip(1) {
            packet.clear();
            packet.extend_from_slice(bytes);
            for (field, step) in MOVING_FIELDS {
                add(&mut packet, field, step * repeat);
            }
            // Disable the cache check, because the cache's contents differ from the first time.
            packet[VERIFY_FIELD] = 0xff;
            packet[VERIFY_FIELD + 1] = 0xff;
            loader.push(&packet)?;
        }
    }
    loader.finish().map(drop)
}

/// The offsets of times and IDs in a version 3 header, and their increments. Times advance by a multiple of 2^25 µs, so
/// that the low bits stored in events remain valid.
const MOVING_FIELDS: [(usize, u64); 4] = [(8, 1 << 25), (16, 1 << 25), (52, 10_000), (60, 10_000)];
const VERIFY_FIELD: usize = 40;

fn add(packet: &mut [u8], field: usize, step: u64) {
    if let Some((bytes, _)) = packet.get_mut(field..).and_then(|rest| rest.split_first_chunk_mut::<8>()) {
        *bytes = u64::from_le_bytes(*bytes).wrapping_add(step).to_le_bytes();
    }
}

fn packets_of(trace: &[u8]) -> Vec<&[u8]> {
    let mut packets = Vec::new();
    let mut rest = trace;
    while let Some(&[_, _, _, _, a, b, c, d]) = rest.first_chunk::<8>() {
        let size = u32::from_le_bytes([a, b, c, d]) as usize / 8;
        let Some((packet, behind)) = rest.split_at_checked(size).filter(|_| size > 0) else {
            break;
        };
        packets.push(packet);
        rest = behind;
    }
    packets
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_warm_up_trace_loads_without_errors() {
        assert_eq!(load_repeated(), Ok(()));
        let packets = packets_of(TRACE);
        assert_eq!(packets.iter().map(|packet| packet.len()).sum::<usize>(), TRACE.len());
    }
}
