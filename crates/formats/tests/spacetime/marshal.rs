//! Hand-written marshaled values, with anything a test needs in them, and profiles made of them.

use camlscope_formats::spacetime::{Finished, Section, WarningKind};

use crate::recorder::{Recorder, decode};

/// The bytes of a value and its number of objects.
#[derive(Clone, Debug, Default)]
pub struct Data {
    pub bytes: Vec<u8>,
    pub n_objects: u64,
}

impl Data {
    pub fn new() -> Data {
        Data::default()
    }

    pub fn int(mut self, n: i64) -> Data {
        match n {
            0..0x40 => self.bytes.push(0x40 + n as u8),
            _ => {
                self.bytes.push(0x03);
                self.bytes.extend(n.to_be_bytes());
            }
        }
        self
    }

    pub fn float(self, n: f64) -> Data {
        self.raw(&[0x0c], 1).raw(&n.to_le_bytes(), 0)
    }

    pub fn int64(self, n: u64) -> Data {
        self.raw(b"\x12_j\0", 1).raw(&n.to_be_bytes(), 0)
    }

    pub fn text(self, text: &str) -> Data {
        assert!(text.len() < 0x100);
        self.raw(&[0x09, text.len() as u8], 1).raw(text.as_bytes(), 0)
    }

    /// Its fields follow.
    pub fn block(self, tag: u8, n_fields: u32) -> Data {
        self.raw(&[0x08], 1).raw(&(n_fields << 10 | u32::from(tag)).to_be_bytes(), 0)
    }

    /// Refers to the object that began `distance` objects ago. The last one is 1.
    pub fn shared(self, distance: u32) -> Data {
        self.raw(&[0x06], 0).raw(&distance.to_be_bytes(), 0)
    }

    /// Points into the value that follows.
    pub fn infix(self, offset: u32) -> Data {
        self.raw(&[0x11], 0).raw(&offset.to_be_bytes(), 0)
    }

    pub fn raw(mut self, bytes: &[u8], n_objects: u64) -> Data {
        self.bytes.extend(bytes);
        self.n_objects += n_objects;
        self
    }

    pub fn then(self, other: &Data) -> Data {
        self.raw(&other.bytes, other.n_objects)
    }

    /// With its header.
    pub fn value(&self) -> Vec<u8> {
        self.value_that_claims(self.bytes.len() as u32, self.n_objects as u32)
    }

    pub fn value_that_claims(&self, data_bytes: u32, n_objects: u32) -> Vec<u8> {
        let mut value = b"\x84\x95\xa6\xbe".to_vec();
        value.extend(data_bytes.to_be_bytes());
        value.extend(n_objects.to_be_bytes());
        value.extend([0; 8]);
        value.extend(&self.bytes);
        value
    }

    /// With a header of 64-bit numbers.
    pub fn big_value(&self) -> Vec<u8> {
        self.big_value_that_claims(self.bytes.len() as u64)
    }

    pub fn big_value_that_claims(&self, data_bytes: u64) -> Vec<u8> {
        let mut value = b"\x84\x95\xa6\xbf\0\0\0\0".to_vec();
        value.extend(data_bytes.to_be_bytes());
        value.extend(self.n_objects.to_be_bytes());
        value.extend([0; 8]);
        value.extend(&self.bytes);
        value
    }
}

pub fn header(features: u64) -> Vec<u8> {
    Data::new().int((0xace0_0ace | features << 48) as i64).value()
}

/// A snapshot of one live block of 3 words from profinfo 1, which allocated `allocated` words.
pub fn snapshot(seconds: f64, allocated: i64) -> Data {
    let gc = (0..9).fold(Data::new().block(0, 9), |data, _| data.int(1));
    let entries = Data::new().block(0, 3).int(1).int(1).int(3);
    let allocated = Data::new().block(0, 3).int(1).int(allocated).int(0);
    Data::new().block(0, 6).float(seconds).then(&gc).then(&entries).int(4).int(3).then(&allocated)
}

/// The mark and the value of a snapshot.
pub fn snapshot_record(value: &[u8]) -> Vec<u8> {
    [&Data::new().int(0).value(), value].concat()
}

/// The values after the records, for one thread.
pub fn tables(frames: &Data, shapes: &Data, trie: &Data) -> Vec<u8> {
    let values = [
        Data::new().int(1),
        Data::new().float(9.0),
        frames.clone(),
        shapes.clone(),
        Data::new().int(1),
        trie.clone(),
        Data::new().int(0),
    ];
    values.iter().flat_map(Data::value).collect()
}

pub fn empty_tables() -> Vec<u8> {
    let empty = Data::new().int(0);
    tables(&empty, &empty, &empty)
}

/// A profile with this value as a snapshot between two valid ones.
pub fn between_snapshots(value: &[u8]) -> Vec<u8> {
    let sound = |seconds: f64| snapshot_record(&snapshot(seconds, 5).value());
    [header(1), sound(1.0), snapshot_record(value), sound(2.0), empty_tables()].concat()
}

/// Decodes at once and in small chunks, which must agree.
pub fn decode_alike(bytes: &[u8]) -> (Recorder, Finished) {
    let (whole, finished) = decode(bytes, bytes.len());
    let (chunked, finished_chunked) = decode(bytes, 7);
    assert_eq!(finished, finished_chunked);
    assert_eq!(whole, chunked);
    (whole, finished.expect("a profile"))
}

/// Checks that the snapshot is skipped with one warning, and the ones around it are decoded.
pub fn check_damaged_snapshot(value: &[u8]) {
    let (profile, finished) = decode_alike(&between_snapshots(value));
    assert_eq!(profile.snapshots.iter().map(|snapshot| snapshot.at_us).collect::<Vec<_>>(), [1_000_000, 2_000_000]);
    assert!(finished.is_complete);
    let [warning] = finished.warnings[..] else { panic!("one warning, not {:?}", finished.warnings) };
    assert_eq!(warning.kind, WarningKind::Damaged(Section::Snapshot));
    assert_eq!((warning.count, warning.bytes), (1, value.len() as u64));
    let before = header(1).len() + snapshot_record(&snapshot(1.0, 5).value()).len();
    assert_eq!(warning.first_offset, before as u64 + 21);
}

/// Checks that the value is read as an ordinary snapshot.
pub fn check_sound_snapshot(value: &[u8]) {
    let (profile, finished) = decode_alike(&between_snapshots(value));
    assert_eq!(profile.snapshots.len(), 3);
    assert_eq!(finished.warnings, []);
}
