//! Source positions, functions and names, each stored once. A location code stands for a list of frames, outermost
//! first: several when the compiler inlined, none when it knew nothing.

use rustc_hash::FxHashMap;

use super::ids::{FunctionId, TextId};
use camlscope_formats::ctf::{CodeId, Location};

#[derive(Debug, Default)]
pub struct Frames {
    texts: Vec<Box<str>>,
    functions: Vec<Function>,
    frames: Vec<Frame>,
    /// By [`CodeId`]; none for a code that no location explains.
    by_code: Vec<Option<FrameRange>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Function {
    pub name: TextId,
    pub file: TextId,
    /// Empty where there is none.
    pub module: TextId,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Frame {
    pub function: FunctionId,
    pub line: u32,
    pub start_char: u16,
    pub end_char: u16,
}

#[derive(Clone, Copy, Debug)]
struct FrameRange {
    first: u32,
    len: u8,
}

/// A function's module: its name up to the last part that is a module's, `Stdlib.List` of `Stdlib.List.map.(fun)`.
/// Empty where the name has none.
pub fn module_of(function: &str) -> &str {
    let mut end = 0;
    let mut at = 0;
    for part in function.split('.') {
        if !part.starts_with(|c: char| c.is_uppercase()) {
            break;
        }
        end = at + part.len();
        at = end + 1;
    }
    // A name that is all modules is a module's own initialization.
    &function[..end]
}

/// The module that a source file becomes: `Sys` of `stdlib/sys.mlp`.
fn module_of_file(file: &str) -> String {
    let name = file.rsplit('/').next().unwrap_or(file);
    let stem = name.split('.').next().unwrap_or(name);
    let mut chars = stem.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}

/// Frames of one code: a memtrace event counts them in a byte.
const MAX_FRAMES: usize = u8::MAX as usize;

impl Frames {
    /// The frames of a code, outermost first; none if no location explains it.
    pub fn of_code(&self, code: CodeId) -> Option<&[Frame]> {
        let range = (*self.by_code.get(code.0 as usize)?)?;
        self.frames.get(range.first as usize..range.first as usize + usize::from(range.len))
    }

    /// All functions, by [`FunctionId`].
    pub fn functions(&self) -> &[Function] {
        &self.functions
    }

    pub fn function(&self, id: FunctionId) -> Function {
        self.functions[id.0 as usize]
    }

    pub fn text(&self, id: TextId) -> &str {
        &self.texts[id.0 as usize]
    }
}

/// The tables while they grow.
#[derive(Debug, Default)]
pub struct FrameTables {
    tables: Frames,
    text_ids: FxHashMap<Box<str>, TextId>,
    function_ids: FxHashMap<Function, FunctionId>,
}

/// Codes in stacks that no location explains. Counting again looks only at codes that are new or were not done with.
#[derive(Debug, Default)]
pub(super) struct Unexplained {
    n_known: u32,
    /// Of those known, the codes that do not occur in stacks yet, or are not explained.
    open: Vec<u32>,
}

impl Unexplained {
    pub fn count(&mut self, code_used: &[bool], frames: &Frames) -> u64 {
        let n_codes = code_used.len() as u32;
        self.open.extend((self.n_known..n_codes).filter(|&id| id != CodeId::LOST.0));
        self.n_known = n_codes;
        let is_used = |id: u32| code_used.get(id as usize) == Some(&true);
        self.open.retain(|&id| !is_used(id) || frames.of_code(CodeId(id)).is_none());
        self.open.iter().filter(|&&id| is_used(id)).count() as u64
    }
}

/// Whether a code's explanation fits the one it had.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Explained {
    Anew,
    Alike,
    Differently,
}

/// A location in a source file, where the function's name is not known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SourceLocation<'a> {
    pub file: &'a str,
    pub line: u32,
    pub start_char: u16,
    pub end_char: u16,
}

impl FrameTables {
    /// Takes what a code stands for; the first explanation holds.
    pub fn explain(&mut self, code: CodeId, locations: &[Location]) -> Explained {
        let frames: Vec<Frame> = locations.iter().map(|location| self.frame(location)).collect();
        self.explain_frames(code, frames)
    }

    /// The same where only places are known. A line then stands for the function: `leak.ml:4`.
    pub fn explain_locations(&mut self, code: CodeId, locations: &[SourceLocation<'_>]) -> Explained {
        let frames: Vec<Frame> = locations.iter().map(|location| self.frame_of_location(location)).collect();
        self.explain_frames(code, frames)
    }

    fn explain_frames(&mut self, code: CodeId, mut frames: Vec<Frame>) -> Explained {
        let at = code.0 as usize;
        if at >= self.tables.by_code.len() {
            self.tables.by_code.resize(at + 1, None);
        }
        frames.truncate(MAX_FRAMES);
        match self.tables.of_code(code) {
            Some(known) if known == frames => Explained::Alike,
            Some(_) => Explained::Differently,
            None => {
                let range = FrameRange { first: self.tables.frames.len() as u32, len: frames.len() as u8 };
                self.tables.by_code[at] = Some(range);
                self.tables.frames.extend(frames);
                Explained::Anew
            }
        }
    }

    pub fn so_far(&self) -> &Frames {
        &self.tables
    }

    pub fn finish(self) -> Frames {
        self.tables
    }

    /// Hands the tables out; no code is explained before they are back.
    pub(super) fn take(&mut self) -> Frames {
        std::mem::take(&mut self.tables)
    }

    pub(super) fn put_back(&mut self, tables: Frames) {
        self.tables = tables;
    }

    fn frame(&mut self, location: &Location) -> Frame {
        let function = Function {
            name: self.text(&location.name),
            file: self.text(&location.file),
            module: self.text(module_of(&location.name)),
        };
        let function = self.function(function);
        Frame { function, line: location.line, start_char: location.start_char, end_char: location.end_char }
    }

    fn frame_of_location(&mut self, location: &SourceLocation<'_>) -> Frame {
        let SourceLocation { file, line, start_char, end_char } = *location;
        let name = file.rsplit('/').next().unwrap_or(file);
        let function = Function {
            name: self.text(&format!("{name}:{line}")),
            file: self.text(file),
            module: self.text(&module_of_file(file)),
        };
        Frame { function: self.function(function), line, start_char, end_char }
    }

    fn function(&mut self, function: Function) -> FunctionId {
        let functions = &mut self.tables.functions;
        *self.function_ids.entry(function).or_insert_with(|| {
            functions.push(function);
            FunctionId(functions.len() as u32 - 1)
        })
    }

    fn text(&mut self, text: &str) -> TextId {
        if let Some(&id) = self.text_ids.get(text) {
            return id;
        }
        let id = TextId(self.tables.texts.len() as u32);
        self.tables.texts.push(text.into());
        self.text_ids.insert(text.into(), id);
        id
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_module_is_all_of_the_name_that_begins_with_capitals() {
        assert_eq!(module_of("Stdlib.List.map.(fun)"), "Stdlib.List");
        assert_eq!(module_of("Dune__exe__Main.run"), "Dune__exe__Main");
        assert_eq!(module_of("Main"), "Main");
        assert_eq!(module_of("caml_startup"), "");
        assert_eq!(module_of(""), "");
        assert_eq!(module_of("A.b.C.d"), "A");
    }

    #[test]
    fn a_files_module_is_its_name_with_a_capital() {
        assert_eq!(module_of_file("stdlib/sys.mlp"), "Sys");
        assert_eq!(module_of_file("leak.ml"), "Leak");
        assert_eq!(module_of_file("src/parser.pp.ml"), "Parser");
        assert_eq!(module_of_file(""), "");
    }
}
