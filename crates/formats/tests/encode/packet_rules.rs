//! The rules for packets that memtrace's own reader asserts and its writer guarantees.

use std::collections::BTreeMap;

use camlscope_formats::ctf::{Header, Info};

/// Checks all packets and returns how many there are.
pub fn check_packets(bytes: &[u8], info: &Info) -> usize {
    const MAX_PACKET_BYTES: usize = 32 << 10;
    const MAX_SPAN_US: u64 = 30_000_000;
    let mut at = 0;
    let mut n = 0;
    let mut last_us: BTreeMap<u16, u64> = BTreeMap::new();
    while at < bytes.len() {
        let header = Header::read(&bytes[at..]).expect("a header");
        assert!(header.is_sound(), "{header:?}");
        assert!(header.size_bytes() <= MAX_PACKET_BYTES, "{header:?}");
        assert!(header.size_bytes() > Header::len(header.version), "an empty packet: {header:?}");
        assert!(header.time_begin <= header.time_end, "{header:?}");
        assert!(header.time_end - header.time_begin <= MAX_SPAN_US, "{header:?}");
        assert!(header.alloc_id_begin <= header.alloc_id_end, "{header:?}");
        assert_eq!((header.version, header.pid), (info.version, info.pid));
        let last_us = last_us.entry(header.domain).or_insert(info.start_us);
        assert!(*last_us <= header.time_begin, "{header:?}");
        *last_us = header.time_end;
        at += header.size_bytes();
        n += 1;
    }
    assert_eq!(at, bytes.len());
    n
}
