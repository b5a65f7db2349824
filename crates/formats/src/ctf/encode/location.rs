//! Writes locations in 48 bits, with file and function names in move-to-front tables.
//!
//! A file that returns after it was evicted starts without names here. Readers give it those of the entry it evicts,
//! memtrace's oldest quirk. Positions are counted from the front, so both find the same names.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::super::location::Location;
use super::buffer::Buffer;

/// The locations of each code.
pub type Meanings = FxHashMap<u64, Vec<Location>>;

/// One domain's tables.
#[derive(Debug, Default)]
pub struct LocationTables {
    files: Vec<FileEntry>,
}

#[derive(Debug)]
struct FileEntry {
    file: Rc<str>,
    names: Vec<Rc<str>>,
}

/// A longer location is written as unknown.
pub const MAX_LOCATION_BYTES: usize = 4096;

const PLACES: usize = 31;
/// Not a position: the text follows.
const NEW: usize = PLACES;

const MAX_LINE: u32 = 0xf_ffff;
const MAX_START_CHAR: u16 = 0xff;
const MAX_END_CHAR: u16 = 0x3ff;

impl LocationTables {
    /// Writes a code and its locations, at most [`MAX_LOCATION_BYTES`].
    pub fn write(&mut self, code: u64, frames: &[Location], out: &mut Buffer) {
        const PACKED_AND_NULS: usize = 6 + 2;
        let bytes: usize =
            frames.iter().map(|frame| PACKED_AND_NULS + frame.file.len() + frame.name.len()).sum::<usize>() + 8 + 1;
        out.u64(code);
        match u8::try_from(frames.len()) {
            Ok(n) if bytes <= MAX_LOCATION_BYTES => {
                out.u8(n);
                for frame in frames {
                    self.write_frame(frame, out);
                }
            }
            _ => {
                out.u8(1);
                self.write_frame(&too_long(), out);
            }
        }
    }

    fn write_frame(&mut self, frame: &Location, out: &mut Buffer) {
        let file_place = self.file_to_front(&frame.file);
        let name_place = match self.files.first_mut() {
            Some(entry) => name_to_front(&mut entry.names, &frame.name),
            None => NEW,
        };
        let line = u64::from(frame.line.min(MAX_LINE));
        let start_char = u64::from(frame.start_char.min(MAX_START_CHAR));
        let end_char = u64::from(frame.end_char.min(MAX_END_CHAR));
        let places = (file_place as u64) << 38 | (name_place as u64) << 43;
        out.u48(line | start_char << 20 | end_char << 28 | places);
        if file_place == NEW {
            out.string(&frame.file);
        }
        if name_place == NEW {
            out.string(&frame.name);
        }
    }

    /// Moves a file to the front and returns its previous position.
    fn file_to_front(&mut self, file: &Rc<str>) -> usize {
        match self.files.iter().position(|entry| entry.file == *file) {
            Some(place) => {
                self.files[..=place].rotate_right(1);
                place
            }
            None => {
                self.files.truncate(PLACES - 1);
                self.files.insert(0, FileEntry { file: file.clone(), names: Vec::new() });
                NEW
            }
        }
    }
}

fn name_to_front(names: &mut Vec<Rc<str>>, name: &Rc<str>) -> usize {
    match names.iter().position(|known| known == name) {
        Some(place) => {
            names[..=place].rotate_right(1);
            place
        }
        None => {
            names.truncate(PLACES - 1);
            names.insert(0, name.clone());
            NEW
        }
    }
}

/// The same placeholder that memtrace writes.
fn too_long() -> Location {
    Location { file: "<unknown>".into(), name: "??".into(), line: 1, start_char: 1, end_char: 1 }
}
