//! Names for what stands in a stack.

use super::filter::presets::LIBRARY_FILES;
pub use crate::trace::module_of;
use crate::trace::{Calls, Frame, StackId};
use camlscope_formats::ctf::CodeId;

/// For frames that damage took.
pub const LOST: &str = "<lost frames>";

/// For all code without a location: its address is another one in each run, so it is no name.
pub const NO_DEBUG_INFO: &str = "(no debug info)";

/// For what allocates where a stack has no frame left.
pub const NO_FRAME: &str = "(no frame)";

/// The plain name of a function or module, as its author wrote it: without what the compiler and dune put before modules.
/// People read plain names; the compiler's are in tooltips, in lists of events and in JSON's `name`.
/// `Stdlib__List.map` is `List.map`, `Dune__exe__Front.run` is `Front.run`, `Base__Map.add` is `Base.Map.add`.
pub fn plain(name: &str) -> String {
    let name = name.strip_prefix("Dune__exe__").unwrap_or(name);
    let name = name.strip_prefix("Stdlib__").or_else(|| name.strip_prefix("Stdlib.")).unwrap_or(name);
    let (modules, rest) = name.split_at(module_of(name).len());
    // Most have nothing to be replaced, and looking for it is the slow part.
    let is_nested = modules.as_bytes().windows(2).any(|pair| pair == b"__");
    if is_nested { modules.replace("__", ".") + rest } else { name.to_owned() }
}

/// Whether a function belongs to OCaml's own library, to its runtime or to memtrace itself.
pub fn is_library(function: &str) -> bool {
    let first = function.split(['.', '$']).next().unwrap_or_default();
    ["Stdlib", "Memtrace"]
        .iter()
        .any(|name| first.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with("__")))
        || first.starts_with("Camlinternal")
        || function.starts_with(['$', '<', '('])
        || function.is_empty()
        || file_of_line(function).is_some_and(is_library_file)
}

/// The file of a line, by which profiles name frames: `list.ml:67`.
pub fn file_of_line(name: &str) -> Option<&str> {
    let (file, line) = name.rsplit_once(':')?;
    (!line.is_empty() && line.bytes().all(|byte| byte.is_ascii_digit())).then_some(file)
}

fn is_library_file(file: &str) -> bool {
    let Some((stem, "ml" | "mlp")) = file.rsplit_once('.') else { return false };
    stem.starts_with("camlinternal") || LIBRARY_FILES.split('|').any(|library| library == stem)
}

/// The frames that a code stands for, outermost first; none where no location explains it.
pub fn frames_of(calls: &Calls, code: CodeId) -> Option<&[Frame]> {
    calls.frames.of_code(code).filter(|frames| !frames.is_empty())
}

/// Finds what the program starts with: code without a location, with which most stacks begin. It is no frame of what it
/// calls; a stack that is nothing else is one frame, [`NO_DEBUG_INFO`].
#[derive(Debug)]
pub struct Starts {
    /// By code.
    has_location: Vec<bool>,
    /// By stack node, those asked about so far.
    is_start: Vec<bool>,
}

impl Starts {
    pub fn new(calls: &Calls) -> Starts {
        let codes = (0..calls.codes.len() as u32).map(CodeId);
        let has_location = codes.map(|code| code == CodeId::LOST || frames_of(calls, code).is_some()).collect();
        let mut is_start = vec![false; calls.stacks.len()];
        is_start[StackId::EMPTY.0 as usize] = true;
        Starts { has_location, is_start }
    }

    /// Whether a stack node comes right behind the start. To be asked about one node after the other.
    #[inline(always)]
    pub fn follows(&mut self, node: StackId, parent: StackId, code: CodeId) -> bool {
        let follows = self.is_start[parent.0 as usize];
        self.is_start[node.0 as usize] = follows && !self.has_location[code.0 as usize];
        follows
    }
}

/// A code that no location explains, by its address: for lists of events.
pub fn address_of_code(calls: &Calls, code: CodeId) -> String {
    if code == CodeId::LOST {
        return LOST.to_owned();
    }
    format!("${}", calls.codes.get(code.0 as usize).copied().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_shown_as_their_authors_wrote_them() {
        assert_eq!(plain("Stdlib__List.map"), "List.map");
        assert_eq!(plain("Stdlib.string_of_int"), "string_of_int");
        assert_eq!(plain("Dune__exe__Front.load.(fun)"), "Front.load.(fun)");
        assert_eq!(plain("Base__Map.Tree0.add"), "Base.Map.Tree0.add");
        assert_eq!(plain("Orders.Server.__handle__"), "Orders.Server.__handle__");
        assert_eq!(plain("$4711"), "$4711");
    }
}
