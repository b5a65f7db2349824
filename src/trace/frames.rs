//! Source positions, functions and names, each stored once. A location code stands for a list of frames, outermost
//! first: several when the compiler inlined, none when it knew nothing.

use rustc_hash::FxHashMap;

use super::ids::{FunctionId, TextId};
use crate::ctf::{CodeId, Location};

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

/// Whether a code's explanation fits the one it had.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Explained {
    Anew,
    Alike,
    Differently,
}

impl FrameTables {
    /// Takes what a code stands for; the first explanation holds.
    pub fn explain(&mut self, code: CodeId, locations: &[Location]) -> Explained {
        let at = code.0 as usize;
        if at >= self.tables.by_code.len() {
            self.tables.by_code.resize(at + 1, None);
        }
        let frames: Vec<Frame> = locations.iter().map(|location| self.frame(location)).collect();
        match self.tables.of_code(code) {
            Some(known) if known == frames => Explained::Alike,
            Some(_) => Explained::Differently,
            None => {
                // The event's count of locations is one byte.
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

    fn frame(&mut self, location: &Location) -> Frame {
        let function = Function { name: self.text(&location.name), file: self.text(&location.file) };
        let functions = &mut self.tables.functions;
        let function = *self.function_ids.entry(function).or_insert_with(|| {
            functions.push(function);
            FunctionId(functions.len() as u32 - 1)
        });
        Frame { function, line: location.line, start_char: location.start_char, end_char: location.end_char }
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
