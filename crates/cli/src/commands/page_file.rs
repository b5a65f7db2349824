//! `camlscope.html`, the page as one file, for `report`, `open` and `record --open`.
//!
//! Release builds include it (the feature `page`). A build from source doesn't, since building the page needs a compiler
//! for the browser. It uses the file next to the program, or the one given with `--page`.

use std::borrow::Cow;
use std::env;
use std::fs;
use std::path::Path;

use super::context::Failure;
use camlscope_present::export::is_one_file;

#[cfg(feature = "page")]
const PAGE: Option<&str> = Some(include_str!("../../../../dist/camlscope.html"));
#[cfg(not(feature = "page"))]
const PAGE: Option<&str> = None;

/// The page's file, next to the program.
const NEXT_TO_PROGRAM: &str = "camlscope.html";

/// Returns the page's text. `instead` says what works without the page.
pub fn find(named: Option<&Path>, instead: &str) -> Result<Cow<'static, str>, Failure> {
    let next_to_program =
        || env::current_exe().ok().map(|program| program.with_file_name(NEXT_TO_PROGRAM)).filter(|path| path.is_file());
    let path = match (named, PAGE) {
        (Some(path), _) => path.to_owned(),
        (None, Some(page)) => return Ok(page.into()),
        (None, None) => next_to_program().ok_or_else(|| Failure::Usage(format!("{NO_PAGE} {instead}")))?,
    };
    let page = fs::read_to_string(&path);
    let page = page.map_err(|error| Failure::Usage(format!("Can't read {}: {error}.", path.display())))?;
    if is_one_file(&page) { Ok(page.into()) } else { Err(invalid(&path)) }
}

/// The error for a file that isn't the page.
pub fn invalid(path: &Path) -> Failure {
    let hint = "isn't a valid camlscope.html. Get it from a release, or build it with `cargo xtask build`.";
    Failure::Usage(format!("{} {hint}", path.display()))
}

const NO_PAGE: &str = "This build of camlscope doesn't include camlscope.html, the page. Get it from a release, or \
    build it with `cargo xtask build` (dist/camlscope.html). Then use --page camlscope.html, or put it next to the \
    program.";
