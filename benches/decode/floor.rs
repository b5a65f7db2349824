//! The minimum that any reader must do: go from packet to packet and from event to event. It doesn't decode times, IDs or stacks,
//! and only counts events.

/// Returns the number of allocations, promotions and collections. The trace must not be damaged.
pub fn walk(bytes: &[u8]) -> u64 {
    let header_len = if u16_at(bytes, 28) <= 2 { 66 } else { 68 };
    let mut n_events = 0;
    let mut at = 0;
    while at + header_len <= bytes.len() {
        let size = u32_at(bytes, at + 4) as usize / 8;
        let Some(body) = bytes.get(at + header_len..at + size) else {
            break;
        };
        n_events += walk_events(body);
        at += size;
    }
    n_events
}

fn walk_events(body: &[u8]) -> u64 {
    let mut n_events = 0;
    let mut at = 0;
    while at < body.len() {
        let code = u32_at(body, at) >> 25;
        at += 4;
        match code {
            101..=116 => {
                at = after_vint(body, at);
                at = after_codes(body, at + 1, usize::from(body[at]));
            }
            3 | 4 => at = after_vint(body, at),
            2 => {
                at = after_vint(body, after_vint(body, at)) + 1;
                at = after_vint(body, at);
                at = after_codes(body, at + 2, usize::from(u16_at(body, at)));
            }
            // Locations and the trace info are in separate packets.
            _ => return n_events,
        }
        n_events += 1;
    }
    n_events
}

fn after_vint(body: &[u8], at: usize) -> usize {
    at + match body[at] {
        253 => 3,
        254 => 5,
        255 => 9,
        _ => 1,
    }
}

fn after_codes(body: &[u8], mut at: usize, n: usize) -> usize {
    for _ in 0..n {
        at += match u16_at(body, at) & 3 {
            3 => 10,
            2 => 3,
            _ => 2,
        };
    }
    at
}

fn u16_at(bytes: &[u8], at: usize) -> u16 {
    u16::from_le_bytes([bytes[at], bytes[at + 1]])
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
}
