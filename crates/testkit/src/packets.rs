//! Splits a trace into its packets.

/// Returns the packets of an intact trace, in file order.
pub fn packets(bytes: &[u8]) -> Vec<&[u8]> {
    let mut packets = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let size = u32::from_le_bytes(bytes[at + 4..at + 8].try_into().expect("4 bytes")) as usize / 8;
        packets.push(&bytes[at..at + size]);
        at += size;
    }
    packets
}
