//! Source locations, functions and names, each stored once. A location code stands for a list of frames, outermost
//! first: several if the compiler inlined, none if it had no debug information.

use rustc_hash::FxHashMap;

use super::ids::{FunctionId, TextId};
use camlscope_formats::ctf::{CodeId, Location};

#[derive(Debug, Default)]
pub struct Frames {
    texts: Vec<Box<str>>,
    functions: Vec<Function>,
    frames: Vec<Frame>,
    /// Indexed by [`CodeId`]. `None` for a code without a location.
    by_code: Vec<Option<FrameRange>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Function {
    pub name: TextId,
    pub file: TextId,
    /// Empty if there is none.
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

/// Returns a function's module: the leading capitalized parts of its name, such as `Stdlib.List` for
/// `Stdlib.List.map.(fun)`. Empty if there are none.
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
    // A name that consists of modules only is the module's initialization.
    &function[..end]
}

/// Returns the module that a source file compiles to: `Sys` for `stdlib/sys.mlp`.
fn module_of_file(file: &str) -> String {
    let name = file.rsplit('/').next().unwrap_or(file);
    let stem = name.split('.').next().unwrap_or(name);
    let mut chars = stem.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}

/// The most frames per code: a memtrace event counts them in one byte.
const MAX_FRAMES: usize = u8::MAX as usize;

impl Frames {
    /// Returns the frames of a code, outermost first. `None` if the code has no location.
    pub fn of_code(&self, code: CodeId) -> Option<&[Frame]> {
        let range = (*self.by_code.get(code.0 as usize)?)?;
        self.frames.get(range.first as usize..range.first as usize + usize::from(range.len))
    }

    /// All functions, indexed by [`FunctionId`].
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

/// The tables while they are being filled.
#[derive(Debug, Default)]
pub struct FrameTables {
    tables: Frames,
    text_ids: FxHashMap<Box<str>, TextId>,
    function_ids: FxHashMap<Function, FunctionId>,
}

/// Counts the codes in stacks that have no location. A recount looks only at codes that are new or still open.
#[derive(Debug, Default)]
pub(super) struct Unexplained {
    n_known: u32,
    /// Known codes that don't occur in stacks yet or have no location.
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

/// How a code's explanation compares with the previous one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Explained {
    Anew,
    Alike,
    Differently,
}

/// A location in a source file without a known function name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SourceLocation<'a> {
    pub file: &'a str,
    pub line: u32,
    pub start_char: u16,
    pub end_char: u16,
}

impl FrameTables {
    /// Sets the locations that a code stands for. The first explanation wins.
    pub fn explain(&mut self, code: CodeId, locations: &[Location]) -> Explained {
        let frames: Vec<Frame> = locations.iter().map(|location| self.frame(location)).collect();
        self.explain_frames(code, frames)
    }

    /// Does the same where function names are unknown. A line then stands for the function: `leak.ml:4`.
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

    /// Moves the tables out. No code may be explained until they are put back.
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
    fn a_module_is_the_capitalized_start_of_a_name() {
        assert_eq!(module_of("Stdlib.List.map.(fun)"), "Stdlib.List");
        assert_eq!(module_of("Dune__exe__Main.run"), "Dune__exe__Main");
        assert_eq!(module_of("Main"), "Main");
        assert_eq!(module_of("caml_startup"), "");
        assert_eq!(module_of(""), "");
        assert_eq!(module_of("A.b.C.d"), "A");
    }

    #[test]
    fn a_files_module_is_its_capitalized_name() {
        assert_eq!(module_of_file("stdlib/sys.mlp"), "Sys");
        assert_eq!(module_of_file("leak.ml"), "Leak");
        assert_eq!(module_of_file("src/parser.pp.ml"), "Parser");
        assert_eq!(module_of_file(""), "");
    }
}
