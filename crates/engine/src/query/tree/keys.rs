//! The things that the groups of a tree represent, and their labels.

use std::hash::Hash;

use rustc_hash::FxHashMap;
use serde::ser::SerializeStruct;
use serde::{Deserialize, Serialize, Serializer};

use super::Grain;
use crate::query::filter::line_name;
use crate::query::label::{LOST, NO_DEBUG_INFO, file_of_line, plain};
use crate::trace::{Calls, Frame, FunctionId, TextId};

/// A key of one tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct KeyId(pub u32);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Key {
    Root,
    Function(FunctionId),
    Site(Frame),
    File(TextId),
    Module(TextId),
    /// A line of a file, for figures by source line.
    Line {
        file: TextId,
        line: u32,
    },
    /// All code that has no location.
    NoDebugInfo,
    /// Frames lost to damage.
    Lost,
}

/// The name of a key.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Deserialize)]
pub struct Label {
    /// The compiler's name of a function, file or module. [`Label::plain`] is the readable one.
    pub name: String,
    /// Empty for files and modules.
    pub file: String,
    /// Only for call sites.
    pub place: Option<Place>,
}

impl Label {
    /// Returns the label of a source line, in trees that merge the call sites of each line.
    pub fn of_line(file: &str, line: u32) -> Label {
        Label { name: line_name(file, line), file: file.to_owned(), place: None }
    }

    /// Returns the readable name; see [`plain`]. File names stay as they are.
    pub fn plain(&self) -> String {
        if self.is_file() { self.name.clone() } else { plain(&self.name) }
    }

    /// Returns whether the name is a file or, as in a profile, a line of a file.
    fn is_file(&self) -> bool {
        let ending = self.name.rsplit_once('.').map_or("", |(_, ending)| ending);
        let is_source = matches!(ending, "ml" | "mli" | "mll" | "mlp" | "mly");
        self.file.is_empty() && is_source || file_of_line(&self.name).is_some()
    }

    /// Returns `orders.ml:88` for a call site, otherwise the file, which may be empty.
    pub fn location(&self) -> String {
        self.place.map_or_else(|| self.file.clone(), |place| format!("{}:{}", self.file, place.line))
    }

    /// Returns `orders.ml:88:4-21` for a call site, otherwise the file.
    pub fn exact_location(&self) -> String {
        match self.place {
            Some(Place { start_char, end_char, .. }) => format!("{}:{start_char}-{end_char}", self.location()),
            None => self.location(),
        }
    }

    /// Returns `name@file` or `name@file@line:start-end`, for links. Neither names nor files contain an `@`.
    pub fn to_text(&self) -> String {
        let Label { name, file, place } = self;
        let place =
            place.map_or_else(String::new, |place| format!("@{}:{}-{}", place.line, place.start_char, place.end_char));
        format!("{name}@{file}{place}")
    }

    /// Parses the output of [`Label::to_text`]. Any text is a label.
    pub fn from_text(text: &str) -> Label {
        let mut parts = text.splitn(3, '@').map(str::to_owned);
        let (name, file) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
        let place = parts.next().and_then(|place| {
            let (line, chars) = place.split_once(':')?;
            let (start, end) = chars.split_once('-')?;
            Some(Place { line: line.parse().ok()?, start_char: start.parse().ok()?, end_char: end.parse().ok()? })
        });
        Label { name, file, place }
    }
}

/// JSON has both the plain name and the compiler's. Messages between threads omit the plain name, which can be derived.
impl Serialize for Label {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let is_json = serializer.is_human_readable();
        let mut fields = serializer.serialize_struct("Label", if is_json { 4 } else { 3 })?;
        fields.serialize_field("name", &self.name)?;
        if is_json {
            fields.serialize_field("label", &self.plain())?;
        }
        fields.serialize_field("file", &self.file)?;
        fields.serialize_field("place", &self.place)?;
        fields.end()
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Place {
    pub line: u32,
    pub start_char: u16,
    pub end_char: u16,
}

impl Place {
    /// Returns `None` unless all parts are known.
    pub fn new(line: Option<u32>, start_char: Option<u16>, end_char: Option<u16>) -> Option<Place> {
        Some(Place { line: line?, start_char: start_char?, end_char: end_char? })
    }
}

/// All keys of a tree. The first is the root's.
#[derive(Clone, Debug)]
pub struct Keys {
    keys: Vec<Key>,
    ids: FxHashMap<Key, KeyId>,
}

impl Keys {
    pub const ROOT: KeyId = KeyId(0);

    pub fn id(&mut self, key: Key) -> KeyId {
        let keys = &mut self.keys;
        *self.ids.entry(key).or_insert_with(|| {
            keys.push(key);
            KeyId(keys.len() as u32 - 1)
        })
    }

    pub fn get(&self, id: KeyId) -> Key {
        self.keys[id.0 as usize]
    }

    pub fn find(&self, key: Key) -> Option<KeyId> {
        self.ids.get(&key).copied()
    }

    pub fn len(&self) -> usize {
        self.keys.len()
    }

    pub fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    /// All keys with their ids, the root's first.
    pub fn iter(&self) -> impl Iterator<Item = (KeyId, Key)> + '_ {
        self.keys.iter().enumerate().map(|(id, &key)| (KeyId(id as u32), key))
    }

    pub fn label(&self, calls: &Calls, id: KeyId) -> Label {
        self.get(id).label(calls)
    }
}

impl Default for Keys {
    fn default() -> Keys {
        let mut keys = Keys { keys: Vec::new(), ids: FxHashMap::default() };
        keys.id(Key::Root);
        keys
    }
}

impl Key {
    pub fn label(self, calls: &Calls) -> Label {
        let frames = &calls.frames;
        let function = |id: FunctionId| {
            let function = frames.function(id);
            Label {
                name: frames.text(function.name).to_owned(),
                file: frames.text(function.file).to_owned(),
                place: None,
            }
        };
        let named = |name: &str| Label { name: name.to_owned(), ..Label::default() };
        match self {
            Key::Root => named("all"),
            Key::Function(id) => function(id),
            Key::Site(Frame { function: id, line, start_char, end_char }) => {
                Label { place: Some(Place { line, start_char, end_char }), ..function(id) }
            }
            Key::File(text) => named(frames.text(text)),
            Key::Line { file, line } => Label::of_line(frames.text(file), line),
            Key::Module(text) => match frames.text(text) {
                "" => named("(no module)"),
                module => named(module),
            },
            Key::NoDebugInfo => named(NO_DEBUG_INFO),
            Key::Lost => named(LOST),
        }
    }

    /// Returns the function that a key of a base tree belongs to.
    pub fn function(self) -> Option<FunctionId> {
        match self {
            Key::Function(id) => Some(id),
            Key::Site(frame) => Some(frame.function),
            Key::Root | Key::File(_) | Key::Module(_) | Key::Line { .. } | Key::NoDebugInfo | Key::Lost => None,
        }
    }
}

/// Converts the keys of a base tree to a coarser grain.
pub fn coarser(calls: &Calls, keys: &Keys, grain: Grain) -> (Keys, Vec<KeyId>) {
    converted(keys, &|key| match (grain, key.function()) {
        (Grain::Function, Some(id)) => Key::Function(id),
        (Grain::File, Some(id)) => Key::File(calls.frames.function(id).file),
        (Grain::Module, Some(id)) => Key::Module(calls.frames.function(id).module),
        _ => key,
    })
}

/// Merges the call sites of each source line. `keys` are those of call sites.
pub fn by_line(calls: &Calls, keys: &Keys) -> (Keys, Vec<KeyId>) {
    converted(keys, &|key| match key {
        Key::Site(frame) => Key::Line { file: calls.frames.function(frame.function).file, line: frame.line },
        key => key,
    })
}

fn converted(keys: &Keys, convert: &dyn Fn(Key) -> Key) -> (Keys, Vec<KeyId>) {
    let mut coarse = Keys::default();
    let ids = keys.iter().map(|(_, key)| coarse.id(convert(key))).collect();
    (coarse, ids)
}
