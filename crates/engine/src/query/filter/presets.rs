//! Clauses that several queries use.

use super::{Clause, NameTest, SizeUnit, Span};
use crate::trace::MAX_MINOR_WORDS;

/// Hides OCaml's standard library, the runtime and code without a location.
pub fn library() -> Clause {
    Clause::Hide(library_names())
}

/// The files of OCaml's standard library. Profiles need them because they have no function names.
pub const LIBRARY_FILES: &str = "arg|array|arrayLabels|bigarray|buffer|bytes|bytesLabels|callback|camlinternal[A-Za-z]*|char|complex\
    |digest|ephemeron|filename|float|format|gc|genlex|hashtbl|int32|int64|lazy|lexing|list|listLabels|map|marshal\
    |moreLabels|nativeint|obj|oo|parsing|pervasives|printexc|printf|queue|random|scanf|seq|set|sort|spacetime|stack\
    |std_exit|stdLabels|stdlib|stream|string|stringLabels|sys|uchar|weak";

/// Matches functions of OCaml's standard library, the runtime and memtrace, and code without a location.
pub fn library_names() -> NameTest {
    NameTest::matches(&format!(r"^((Stdlib|Memtrace)(__|[.$]|$)|Camlinternal|[$<(]|$|({LIBRARY_FILES})\.mlp?:)"))
}

/// Matches blocks that are never in the minor heap.
pub fn large_blocks() -> Clause {
    Clause::Size(Span { from: Some(MAX_MINOR_WORDS + 1), to: None }, SizeUnit::Words)
}
