//! Traces as lists of packets, each as it was written.

/// The packets of a sound trace, in the order of the file.
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
