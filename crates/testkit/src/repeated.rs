//! Long traces made from short ones.

use crate::packets::packets;

/// Repeats a trace's packets with shifted ids and times, like a program that keeps doing the same work.
pub fn repeated(bytes: &[u8], times: u64) -> Vec<u8> {
    let is_v3 = bytes[28] == 3;
    let read_u64 = |bytes: &[u8], at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().expect("8 bytes"));
    let packets = packets(bytes);
    let ids_at = if is_v3 { 52 } else { 50 };
    let last_id = packets.iter().map(|packet| read_u64(packet, ids_at + 8)).max().expect("packets");
    // A multiple of 2^25 µs doesn't change the low 25 bits, which events store themselves.
    let span = packets.iter().map(|packet| read_u64(packet, 16)).max().expect("packets") - read_u64(bytes, 8);
    let step_us = (span >> 25 << 25) + (1 << 25);
    let mut repeated = bytes.to_vec();
    for turn in 1..times {
        for packet in &packets[1..] {
            let mut packet = packet.to_vec();
            for (field, add) in [(8, step_us), (16, step_us), (ids_at, last_id), (ids_at + 8, last_id)] {
                let moved = read_u64(&packet, field) + add * turn;
                packet[field..field + 8].copy_from_slice(&moved.to_le_bytes());
            }
            // Disables the cache check, because the cache no longer holds what it held the first time.
            let verify_at = if is_v3 { 40 } else { 38 };
            packet[verify_at..verify_at + 2].copy_from_slice(&[0xff, 0xff]);
            repeated.extend(packet);
        }
    }
    repeated
}
