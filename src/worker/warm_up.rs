//! Browsers run WebAssembly first as quick translations and replace the functions that prove busy by optimised ones. Left
//! alone, that happens during the first second of the first load, which then takes twice as long. So while the user still
//! looks at the empty page, a tiny trace is decoded again and again, in short turns that a real file ends at once.

use std::rc::Rc;

use super::WorkerContext;
use super::yield_to_events::yield_to_events;
use camlscope_engine::load::{Loader, NotLoaded};
use camlscope_engine::trace::Budget;

/// A trace of a few objects, with stacks, promotions and collections.
const TRACE: &[u8] = include_bytes!("warm-up.ctf");

/// As long as no message waits longer than this …
const TURN_MS: f64 = 8.0;
/// … the warm-up takes this much in all.
const TOTAL_MS: f64 = 400.0;
/// How often the trace's packets are repeated before it is finished.
const REPEATS: u64 = 64;

/// Ends if a load has come.
pub(super) async fn warm_up(context: Rc<WorkerContext>) {
    let mut spent_ms = 0.0;
    while context.current.get().is_none() && spent_ms < TOTAL_MS {
        let began = context.now_ms();
        while context.now_ms() - began < TURN_MS {
            // What it comes to is of no interest, and what it says of our own trace is known.
            drop(load_repeated());
        }
        spent_ms += context.now_ms() - began;
        yield_to_events().await;
    }
}

/// Loads the trace as if the program had gone on doing the same: each repetition's ids and times follow the last one's.
fn load_repeated() -> Result<(), NotLoaded> {
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
            // The cache holds other things than the first time.
            packet[VERIFY_FIELD] = 0xff;
            packet[VERIFY_FIELD + 1] = 0xff;
            loader.push(&packet)?;
        }
    }
    loader.finish().map(drop)
}

/// Times and ids in a header of version 3, and by how much they move on: times by a multiple of 2^25 µs, which leaves the
/// low bits that the events carry as they are.
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
    fn the_trace_goes_through_the_same_code_as_a_real_one() {
        assert_eq!(load_repeated(), Ok(()));
        let packets = packets_of(TRACE);
        assert_eq!(packets.iter().map(|packet| packet.len()).sum::<usize>(), TRACE.len());
    }
}
