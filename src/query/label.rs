//! Names for what stands in a stack.

use crate::ctf::CodeId;
use crate::trace::{Frame, Trace};

/// For frames that damage took.
pub const LOST: &str = "<lost frames>";

/// For what allocates where a stack has no frame left.
pub const NO_FRAME: &str = "(no frame)";

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
    // A name that is all modules is a module's own initialisation.
    &function[..end]
}

/// A function's name as its author wrote it: without what the compiler and dune put before modules.
/// `Stdlib__List.map` is `List.map`, `Dune__exe__Front.run` is `Front.run`, `Base__Map.add` is `Base.Map.add`.
pub fn plain(name: &str) -> String {
    let name = name.strip_prefix("Dune__exe__").unwrap_or(name);
    let name = name.strip_prefix("Stdlib__").or_else(|| name.strip_prefix("Stdlib.")).unwrap_or(name);
    let (modules, rest) = name.split_at(module_of(name).len());
    // Most have nothing to be replaced, and looking for it is the slow part.
    let is_nested = modules.as_bytes().windows(2).any(|pair| pair == b"__");
    if is_nested { modules.replace("__", ".") + rest } else { name.to_owned() }
}

/// Whether a function belongs to OCaml's own library or to its runtime.
pub fn is_library(function: &str) -> bool {
    let first = function.split(['.', '$']).next().unwrap_or_default();
    first == "Stdlib"
        || first.starts_with("Stdlib__")
        || first.starts_with("Camlinternal")
        || function.starts_with(['$', '<', '('])
        || function.is_empty()
}

/// The frames that a code stands for, outermost first; none where no location explains it.
pub fn frames_of(trace: &Trace, code: CodeId) -> Option<&[Frame]> {
    trace.frames.of_code(code).filter(|frames| !frames.is_empty())
}

/// The name of a code that no location explains: the code itself.
pub fn name_of_code(trace: &Trace, code: CodeId) -> String {
    if code == CodeId::LOST {
        return LOST.to_owned();
    }
    format!("${}", trace.codes.get(code.0 as usize).copied().unwrap_or_default())
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
}
