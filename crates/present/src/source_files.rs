//! Finds the source files of a trace among real files, without reading any.
//!
//! A trace has paths as the compiler saw them: relative to the folder it ran in (`src/foo.ml`), or absolute on the machine
//! that built the program (`/home/…/_build/default/src/foo.ml`). So paths are compared by their last components, and the
//! longest common end wins. `# line` directives of ocamllex, Menhir and ppx are already applied in the trace.

use rustc_hash::FxHashMap;

/// A file of the trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TraceFile<'a> {
    pub path: &'a str,
    /// It belongs to OCaml's own library, so a file of the same name in the project is another one.
    pub is_library: bool,
}

/// A file that exists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RealFile<'a> {
    /// The path of the folder that was searched, as far as it is known. May be empty.
    pub folder: &'a str,
    /// The path below that folder.
    pub path: &'a str,
}

/// Where a file of the trace is. Numbers are indices of real files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FoundFile {
    At(usize),
    /// Several files match equally well.
    Ambiguous(Vec<usize>),
    /// It was generated from this file, and isn't there itself.
    GeneratedFrom(usize),
    Missing,
}

/// Returns where each of the trace's files is.
pub fn find_files(wanted: &[TraceFile<'_>], files: &[RealFile<'_>]) -> Vec<FoundFile> {
    let files: Vec<RealPath<'_>> = files.iter().map(RealPath::new).collect();
    let mut by_name: FxHashMap<&str, Vec<usize>> = FxHashMap::default();
    for (at, file) in files.iter().enumerate() {
        if let Some(name) = file.parts.last() {
            by_name.entry(name).or_default().push(at);
        }
    }
    let wanted: Vec<TracePath<'_>> = wanted.iter().map(TracePath::new).collect();
    let mut found: Vec<(FoundFile, usize)> = wanted.iter().map(|path| find(path, &files, &by_name)).collect();
    // A name alone is a weak match: if the trace also has `bin/list.ml`, then its `list.ml` is another file.
    let mut strong: FxHashMap<usize, usize> = FxHashMap::default();
    for (found, common) in &found {
        if let FoundFile::At(at) = found {
            let most = strong.entry(*at).or_default();
            *most = (*common).max(*most);
        }
    }
    for (found, common) in &mut found {
        if let FoundFile::At(at) = found
            && *common == 1
            && strong.get(at).is_some_and(|most| *most > 1)
        {
            *found = FoundFile::Missing;
        }
    }
    found.into_iter().map(|(found, _)| found).collect()
}

/// Returns which of the trace's files a user means with a path: a real file, or the end of a path in the trace. Several
/// if they match equally well.
pub fn files_meant(path: &RealFile<'_>, is_real: bool, files: &[TraceFile<'_>]) -> Vec<usize> {
    let real = RealPath::new(path);
    let common_with = |file: &TraceFile<'_>| {
        let path = TracePath { is_library: file.is_library && is_real, ..TracePath::new(file) };
        path.common_with(&real).unwrap_or(0)
    };
    let common: Vec<usize> = files.iter().map(common_with).collect();
    let most = common.iter().copied().max().unwrap_or(0);
    (0..files.len()).filter(|&at| most > 0 && common[at] == most).collect()
}

/// Returns the last component of a path.
pub fn file_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

/// Whether a folder with this name may contain sources of a program.
pub fn is_searched(folder: &str) -> bool {
    !folder.starts_with('.') && folder != "node_modules"
}

/// Whether a file with this name may be the source of compiled code. There may be a hundred times as many other files.
pub fn is_source(name: &str) -> bool {
    let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
    matches!(ending, "ml" | "mll" | "mly" | "mlp" | "re" | "res" | "eliom" | "mli" | "rei" | "eliomi")
}

/// Returns the files that ocamllex and Menhir make a file of this name from.
pub fn sources_of_generated(name: &str) -> impl Iterator<Item = String> {
    let stem = name.strip_suffix(".ml").or_else(|| name.strip_suffix(".mli"));
    stem.into_iter().flat_map(|stem| ["mll", "mly"].map(|ending| format!("{stem}.{ending}")))
}

/// A path of the trace, split.
#[derive(Clone, Debug)]
struct TracePath<'a> {
    /// Without `.`, `..` and `_build/default`.
    parts: Vec<&'a str>,
    is_absolute: bool,
    is_library: bool,
    /// The opam package that the file was built in.
    package: Option<&'a str>,
}

/// The path of a real file, split.
#[derive(Clone, Debug)]
struct RealPath<'a> {
    /// Without `.`, `..` and `_build/default`.
    parts: Vec<&'a str>,
    /// How many of the last parts are below the folder that was searched.
    n_below: usize,
    is_in_build: bool,
}

impl<'a> TracePath<'a> {
    fn new(file: &TraceFile<'a>) -> TracePath<'a> {
        let all: Vec<&str> = components(file.path).collect();
        TracePath {
            package: opam_package(&all),
            parts: without_build(all).0,
            is_absolute: file.path.starts_with(['/', '\\']) || file.path.get(1..2) == Some(":"),
            is_library: file.is_library,
        }
    }

    /// Returns how many components both paths have in common at their end. `None` if that's too little for the same
    /// file: the rest of both paths differs, and only the names are the same.
    fn common_with(&self, real: &RealPath<'_>) -> Option<usize> {
        let pairs = self.parts.iter().rev().zip(real.parts.iter().rev());
        let common = pairs.take_while(|(one, two)| one == two).count();
        let folders = real.parts.split_last().map_or(&[][..], |(_name, folders)| folders);
        // A program that was built elsewhere has other folders above the one that was searched.
        let n_known = if self.is_absolute { real.n_below } else { real.parts.len() };
        let is_enough = match self.package {
            // dune installs `src/map.ml` of the package base as `lib/base/map.ml`.
            Some(package) => common > 0 && folders.iter().any(|folder| package_name(folder) == package),
            None if self.is_library => common > 0 && matches!(folders.last(), Some(&("ocaml" | "stdlib"))),
            None => common > 1 || common > 0 && (common == self.parts.len() || common >= n_known),
        };
        is_enough.then_some(common)
    }

    /// Returns the same path with another name.
    fn named(&self, name: &'a str) -> TracePath<'a> {
        let mut path = self.clone();
        path.parts.pop();
        path.parts.push(name);
        path
    }
}

impl<'a> RealPath<'a> {
    fn new(file: &RealFile<'a>) -> RealPath<'a> {
        let n_folder = components(file.folder).count();
        let all: Vec<&str> = components(file.folder).chain(components(file.path)).collect();
        let n_all = all.len();
        let (parts, first_kept) = without_build(all);
        let n_below = match first_kept {
            // Components after `_build/default`, as far as they are below the folder.
            Some(first_kept) => n_all - n_folder.max(first_kept),
            None => n_all - n_folder,
        };
        RealPath { parts, n_below, is_in_build: first_kept.is_some() }
    }
}

/// Also returns how many components both paths have in common.
fn find(path: &TracePath<'_>, files: &[RealPath<'_>], by_name: &FxHashMap<&str, Vec<usize>>) -> (FoundFile, usize) {
    let Some(&name) = path.parts.last() else {
        return (FoundFile::Missing, 0);
    };
    let best = best_matches(path, files, by_name);
    match best.as_slice() {
        [] => {
            let sources: Vec<String> = sources_of_generated(name).collect();
            let source = sources.iter().find_map(|source| match *best_matches(&path.named(source), files, by_name) {
                [at] => Some(FoundFile::GeneratedFrom(at)),
                _ => None,
            });
            (source.unwrap_or(FoundFile::Missing), 0)
        }
        [at] => (FoundFile::At(*at), path.common_with(&files[*at]).unwrap_or(0)),
        _ => (FoundFile::Ambiguous(best), 0),
    }
}

/// Returns the files that match best: with the longest common end, then those at exactly this path below the folder,
/// then those outside of `_build`.
fn best_matches(path: &TracePath<'_>, files: &[RealPath<'_>], by_name: &FxHashMap<&str, Vec<usize>>) -> Vec<usize> {
    let named = path.parts.last().and_then(|name| by_name.get(name)).map_or(&[][..], Vec::as_slice);
    let rank = |at: usize| {
        let file = &files[at];
        path.common_with(file).map(|common| (common, common >= file.n_below, !file.is_in_build))
    };
    let best = named.iter().filter_map(|&at| rank(at)).max();
    named.iter().copied().filter(|&at| best.is_some() && rank(at) == best).collect()
}

/// Splits a path of any system. Leaves out `.` and `..`.
fn components(path: &str) -> impl Iterator<Item = &str> {
    path.split(['/', '\\']).filter(|part| !matches!(*part, "" | "." | ".."))
}

/// Removes dune's `_build/default`, so that a copy in it has the same path as its original. Then it also returns the index
/// of the first component after it.
fn without_build(mut parts: Vec<&str>) -> (Vec<&str>, Option<usize>) {
    let Some(at) = parts.iter().rposition(|part| *part == "_build") else {
        return (parts, None);
    };
    // `_build/.sandbox/HASH/default`
    let n_removed = if parts.get(at + 1) == Some(&".sandbox") { 4 } else { 2 };
    // The name itself stays.
    let end = (at + n_removed).min(parts.len().saturating_sub(1));
    parts.drain(at..end.max(at));
    (parts, Some(end))
}

/// Returns the package of a path in opam's build folder: `base` for `.opam-switch/build/base.v0.16/src/map.ml`.
fn opam_package<'a>(parts: &[&'a str]) -> Option<&'a str> {
    let at = parts.iter().position(|part| *part == ".opam-switch")?;
    matches!(parts.get(at + 1), Some(&("build" | "sources")))
        .then(|| parts.get(at + 2).map(|name| package_name(name)))?
}

/// `base` for `base.v0.16.3`.
fn package_name(name: &str) -> &str {
    name.split('.').next().unwrap_or(name)
}

#[cfg(test)]
mod tests;
