//! Names of stack frames.

use super::filter::presets::LIBRARY_FILES;
pub use crate::trace::module_of;
use crate::trace::{Calls, Frame, StackId};
use camlscope_formats::ctf::CodeId;

/// The name of frames that were lost to damage.
pub const LOST: &str = "<lost frames>";

/// The name of all code without a location. Its address differs from run to run, so it can't serve as a name.
pub const NO_DEBUG_INFO: &str = "(no debug info)";

/// The name of the allocating frame if a stack has no frame left.
pub const NO_FRAME: &str = "(no frame)";

/// Returns the plain name of a function or module: the name its author wrote, without the prefixes that the compiler
/// and dune add. The compiler's names appear in tooltips, event lists and the `name` field in JSON.
/// `Stdlib__List.map` becomes `List.map`, `Dune__exe__Front.run` becomes `Front.run`, `Base__Map.add` becomes `Base.Map.add`.
pub fn plain(name: &str) -> String {
    let name = name.strip_prefix("Dune__exe__").unwrap_or(name);
    let name = name.strip_prefix("Stdlib__").or_else(|| name.strip_prefix("Stdlib.")).unwrap_or(name);
    let (modules, rest) = name.split_at(module_of(name).len());
    // Most names contain no `__`, and `replace` is slow to find that out.
    let is_nested = modules.as_bytes().windows(2).any(|pair| pair == b"__");
    if is_nested { modules.replace("__", ".") + rest } else { name.to_owned() }
}

/// Returns whether a function belongs to OCaml's standard library, its runtime or memtrace.
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

/// Returns the file of a name such as `list.ml:67`. Profiles name frames by file and line.
pub fn file_of_line(name: &str) -> Option<&str> {
    let (file, line) = name.rsplit_once(':')?;
    (!line.is_empty() && line.bytes().all(|byte| byte.is_ascii_digit())).then_some(file)
}

fn is_library_file(file: &str) -> bool {
    let Some((stem, "ml" | "mlp")) = file.rsplit_once('.') else { return false };
    stem.starts_with("camlinternal") || LIBRARY_FILES.split('|').any(|library| library == stem)
}

/// Returns the frames of a code, outermost first. `None` if the code has no location.
pub fn frames_of(calls: &Calls, code: CodeId) -> Option<&[Frame]> {
    calls.frames.of_code(code).filter(|frames| !frames.is_empty())
}

/// Finds program startup: the code without a location at the root of most stacks. It isn't a frame of the functions it
/// calls. A stack of nothing else is a single frame, [`NO_DEBUG_INFO`].
#[derive(Debug)]
pub struct Starts {
    /// By code.
    has_location: Vec<bool>,
    /// By stack node, for the nodes visited so far.
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

    /// Returns whether a stack node comes right after program startup. Call it for all nodes in order.
    #[inline(always)]
    pub fn follows(&mut self, node: StackId, parent: StackId, code: CodeId) -> bool {
        let follows = self.is_start[parent.0 as usize];
        self.is_start[node.0 as usize] = follows && !self.has_location[code.0 as usize];
        follows
    }
}

/// Returns the address of a code without a location, for event lists.
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
    fn plain_names_have_no_compiler_prefixes() {
        assert_eq!(plain("Stdlib__List.map"), "List.map");
        assert_eq!(plain("Stdlib.string_of_int"), "string_of_int");
        assert_eq!(plain("Dune__exe__Front.load.(fun)"), "Front.load.(fun)");
        assert_eq!(plain("Base__Map.Tree0.add"), "Base.Map.Tree0.add");
        assert_eq!(plain("Orders.Server.__handle__"), "Orders.Server.__handle__");
        assert_eq!(plain("$4711"), "$4711");
    }
}
