//! Locations take 48 bits, with file and function names in move-to-front tables.
//!
//! The tables mirror the writer's step by step, including its quirk that a new file inherits the function table of the
//! file it evicts. After damage an entry's position is still known but not its name: such entries are [`None`].

use std::rc::Rc;

use super::reader::{Reader, Short};

/// A source position. One location code stands for several if the compiler inlined.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Location {
    pub file: Rc<str>,
    pub name: Rc<str>,
    /// At most 0xfffff: the writer caps larger lines.
    pub line: u32,
    /// At most 0xff and 0x3ff.
    pub start_char: u16,
    pub end_char: u16,
}

/// Replace the name of a file or function that was lost.
pub const UNKNOWN_FILE: &str = "file?";
pub const UNKNOWN_NAME: &str = "name?";

/// Codes 0–30 are positions in the table, and 31 means that a string follows.
const PLACES: usize = 31;
const NEW: u64 = 31;

/// One domain's tables.
#[derive(Debug, Default)]
pub struct LocationTables {
    files: Vec<FileEntry>,
}

#[derive(Debug, Default)]
struct FileEntry {
    file: Option<Rc<str>>,
    names: Vec<Option<Rc<str>>>,
}

impl LocationTables {
    /// Reads one location. Counts in `dangling` each code that refers to nothing known.
    pub fn read(&mut self, r: &mut Reader<'_>, dangling: &mut u64) -> Result<Location, Short> {
        let packed = r.u48()?;
        let field = |low: u32, bits: u32| (packed >> low) & ((1 << bits) - 1);
        let (line, start_char, end_char) = (field(0, 20) as u32, field(20, 8) as u16, field(28, 10) as u16);
        let (file_code, name_code) = (field(38, 5), field(43, 5));

        let file_text = if file_code == NEW { Some(r.string()?) } else { None };
        let name_text = if name_code == NEW { Some(r.string()?) } else { None };

        let entry = match file_text {
            Some(text) => Some(self.push_file(text.into())),
            None => move_to_front(&mut self.files, file_code as usize),
        };
        let (file, name) = match entry {
            None => (None, name_text.map(Rc::from)),
            Some(entry) => {
                let name = match name_text {
                    Some(text) => {
                        entry.names.truncate(PLACES - 1);
                        entry.names.insert(0, Some(text.into()));
                        entry.names[0].clone()
                    }
                    None => move_to_front(&mut entry.names, name_code as usize).and_then(|name| name.clone()),
                };
                (entry.file.clone(), name)
            }
        };
        *dangling += u64::from(file.is_none()) + u64::from(name.is_none());
        let file = file.unwrap_or_else(|| UNKNOWN_FILE.into());
        let name = name.unwrap_or_else(|| UNKNOWN_NAME.into());
        Ok(Location { file, name, line, start_char, end_char })
    }

    /// Handles a gap in the trace: from here on the writer's tables have unknown contents.
    pub fn forget(&mut self) {
        let unknown_file = || FileEntry { file: None, names: vec![None; PLACES] };
        self.files = std::iter::repeat_with(unknown_file).take(PLACES).collect();
    }

    fn push_file(&mut self, file: Rc<str>) -> &mut FileEntry {
        let names = if self.files.len() == PLACES {
            self.files.pop().map(|fallen| fallen.names).unwrap_or_default()
        } else {
            Vec::new()
        };
        self.files.insert(0, FileEntry { file: Some(file), names });
        &mut self.files[0]
    }
}

fn move_to_front<T>(entries: &mut [T], place: usize) -> Option<&mut T> {
    entries.get_mut(..=place)?.rotate_right(1);
    entries.first_mut()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn packed(file_code: u64, name_code: u64, strings: &str) -> Vec<u8> {
        let bits: u64 = 7 | 1 << 20 | 2 << 28 | file_code << 38 | name_code << 43;
        let mut bytes = bits.to_le_bytes()[..6].to_vec();
        bytes.extend_from_slice(strings.as_bytes());
        bytes
    }

    fn read(tables: &mut LocationTables, bytes: &[u8]) -> (String, u64) {
        let mut dangling = 0;
        let location = tables.read(&mut Reader::new(bytes), &mut dangling).expect("long enough");
        assert_eq!((location.line, location.start_char, location.end_char), (7, 1, 2));
        (format!("{} {}", location.file, location.name), dangling)
    }

    #[test]
    fn a_repeated_name_is_found_by_its_position_and_moves_to_the_front() {
        let mut tables = LocationTables::default();
        assert_eq!(read(&mut tables, &packed(31, 31, "a.ml\0f\0")), ("a.ml f".into(), 0));
        assert_eq!(read(&mut tables, &packed(31, 31, "b.ml\0g\0")), ("b.ml g".into(), 0));
        assert_eq!(read(&mut tables, &packed(1, 0, "")), ("a.ml f".into(), 0));
        assert_eq!(read(&mut tables, &packed(0, 31, "h\0")), ("a.ml h".into(), 0));
        assert_eq!(read(&mut tables, &packed(0, 1, "")), ("a.ml f".into(), 0));
    }

    #[test]
    fn a_new_file_inherits_the_functions_of_the_one_it_evicts() {
        let mut tables = LocationTables::default();
        for i in 0..31 {
            read(&mut tables, &packed(31, 31, &format!("f{i}.ml\0in{i}\0")));
        }
        assert_eq!(read(&mut tables, &packed(31, 0, "new.ml\0")), ("new.ml in0".into(), 0));
    }

    #[test]
    fn dangling_codes_are_marked_and_counted() {
        let mut tables = LocationTables::default();
        assert_eq!(read(&mut tables, &packed(3, 31, "f\0")), ("file? f".into(), 1));
        assert_eq!(read(&mut tables, &packed(3, 4, "")), ("file? name?".into(), 2));
    }

    #[test]
    fn after_a_gap_entries_are_unknown_until_named_again() {
        let mut tables = LocationTables::default();
        read(&mut tables, &packed(31, 31, "a.ml\0f\0"));
        tables.forget();
        assert_eq!(read(&mut tables, &packed(0, 0, "")), ("file? name?".into(), 2));
        assert_eq!(read(&mut tables, &packed(31, 31, "b.ml\0g\0")), ("b.ml g".into(), 0));
        assert_eq!(read(&mut tables, &packed(1, 1, "")).0, "file? name?");
    }
}
