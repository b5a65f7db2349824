//! Traces of large blocks, written byte by byte, so that they can contain any value in any encoding that memtrace's
//! reader accepts.

use camlscope_formats::ctf::Info;
use camlscope_formats::ctf::encode::Encoder;

/// The only frame of every stack.
const CODE: u64 = 0x40_1234;

/// Words and samples of an allocation.
pub type Block = (Number, Number);

/// A number in an event, with its encoding.
#[derive(Clone, Copy, Debug)]
pub enum Number {
    /// In four bytes. memtrace's first writers used this for numbers up to 2^32 − 1.
    Four(u32),
    /// In eight bytes.
    Eight(u64),
}

/// The blocks of [`valid_trace`].
pub const VALID: [(u64, u64); 6] =
    [(1 << 31, 3), (0xffff_ffff, 2), (1 << 40, (1 << 40) + 1), (7, 1 << 33), (12, 1), ((1 << 54) - 1, 1 << 45)];

/// A trace that an OCaml program can write at rate 1. Blocks are a millisecond apart, and none is ever freed.
pub fn valid_trace() -> Vec<u8> {
    let number = |n: u64| u32::try_from(n).map_or(Number::Eight(n), Number::Four);
    let blocks = VALID.map(|(words, samples)| (number(words), number(samples)));
    trace(&[&blocks])
}

/// Writes one packet for each list of blocks.
pub fn trace(packets: &[&[Block]]) -> Vec<u8> {
    let info = Info {
        version: 2,
        sample_rate: 1.0,
        word_size_bits: 64,
        executable: "large.exe".into(),
        pid: 4711,
        start_us: 1 << 50,
        ..Info::default()
    };
    let mut bytes = Vec::new();
    Encoder::new(&info, &mut bytes).expect("a version to write").finish().expect("written");
    let mut first_id = 0;
    for blocks in packets {
        bytes.extend(packet(&info, first_id, blocks));
        first_id += blocks.len() as u64;
    }
    bytes
}

fn packet(info: &Info, first_id: u64, blocks: &[Block]) -> Vec<u8> {
    let time_us = |id: u64| info.start_us + 1000 * id;
    let end_id = first_id + blocks.len() as u64;
    let mut events = Vec::new();
    // The code has no source position.
    events.extend((time_us(first_id) as u32 & 0x1ff_ffff | 1 << 25).to_le_bytes());
    events.extend(CODE.to_le_bytes());
    events.push(0);
    for (id, (words, samples)) in (first_id..).zip(blocks) {
        // The low 25 bits are the time, the high bits are the event type (allocation).
        events.extend((time_us(id) as u32 & 0x1ff_ffff | 2 << 25).to_le_bytes());
        words.write(&mut events);
        samples.write(&mut events);
        // In the major heap, with a stack of one code that shares nothing with the previous stack.
        events.extend([1, 0, 1, 0, 3, 0]);
        events.extend(CODE.to_le_bytes());
    }
    let mut packet = Vec::new();
    packet.extend(0xc1fc_1fc1_u32.to_le_bytes());
    packet.extend((8 * (66 + events.len()) as u32).to_le_bytes());
    packet.extend(time_us(first_id).to_le_bytes());
    packet.extend(time_us(end_id).to_le_bytes());
    packet.extend(0_u32.to_le_bytes());
    packet.extend(info.version.to_le_bytes());
    packet.extend(info.pid.to_le_bytes());
    packet.extend(0xffff_u16.to_le_bytes());
    packet.extend([0; 10]);
    packet.extend(first_id.to_le_bytes());
    packet.extend(end_id.to_le_bytes());
    packet.extend(events);
    packet
}

impl Number {
    fn write(self, bytes: &mut Vec<u8>) {
        match self {
            Number::Four(n) => {
                bytes.push(254);
                bytes.extend(n.to_le_bytes());
            }
            Number::Eight(n) => {
                bytes.push(255);
                bytes.extend(n.to_le_bytes());
            }
        }
    }
}
