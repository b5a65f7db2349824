//! Which files are annotated, and where their sources are.

use std::path::Path;

use super::Args;
use crate::commands::context::{Context, Failure};
use crate::commands::sources::{search, trace_file, user_error};
use crate::source::words::{listed, why_missing};
use crate::source::{SourcePath, shown};
use camlscope_engine::query::lines::SourceFile;
use camlscope_present::source_files::{RealFile, files_meant};

/// A file of the trace, and where its source is.
pub struct Chosen {
    pub file: SourceFile,
    pub place: SourcePath,
}

/// `files` are the trace's, largest total first. The result has the same order.
pub fn choose(args: &Args, context: &Context, files: Vec<SourceFile>) -> Result<Vec<Chosen>, Failure> {
    if args.files.is_empty() {
        return hottest(args, context, files);
    }
    // By file of the trace: the real file, if the user named one.
    let mut is_asked = vec![None; files.len()];
    for path in &args.files {
        for at in meant(args, path, &files)? {
            is_asked[at] = Some(path.is_file().then(|| path.clone()));
        }
    }
    let asked: Vec<_> = files.into_iter().zip(is_asked).filter_map(|(file, asked)| Some((file, asked?))).collect();
    let unknown: Vec<_> = asked.iter().filter(|(_, real)| real.is_none()).map(|(file, _)| trace_file(file)).collect();
    let found = if unknown.is_empty() { Vec::new() } else { search(context, &args.source, &unknown)?.found };
    let mut found = found.into_iter();
    let place = |(file, real): (SourceFile, Option<_>)| {
        let place = match real {
            Some(path) => SourcePath::At(path),
            None => found.next().unwrap_or(SourcePath::Missing),
        };
        match place {
            SourcePath::Ambiguous(_) => Err(ambiguous(args, &file, &place)),
            place => Ok(Chosen { file, place }),
        }
    };
    asked.into_iter().map(place).collect()
}

/// Returns the hottest files that have a source, and notes which hotter ones have none.
fn hottest(args: &Args, context: &Context, files: Vec<SourceFile>) -> Result<Vec<Chosen>, Failure> {
    let wanted: Vec<_> = files.iter().map(trace_file).collect();
    let found = search(context, &args.source, &wanted)?.found;
    let mut chosen = Vec::new();
    let mut missing = Vec::new();
    let mut others = Vec::new();
    for (file, place) in files.into_iter().zip(found) {
        if chosen.len() == args.top {
            break;
        }
        match place {
            SourcePath::At(_) => chosen.push(Chosen { file, place }),
            SourcePath::Missing => missing.push(file.file),
            SourcePath::Ambiguous(_) | SourcePath::GeneratedFrom(_) => others.extend(why_missing(&file.file, &place)),
        }
    }
    let folders: Vec<String> = args.source.iter().map(|folder| folder.display().to_string()).collect();
    let (folders, names) = (folders.join(" or "), listed(missing.iter().map(String::as_str)));
    others.iter().for_each(|why| context.warn(why));
    if chosen.is_empty() {
        let text = format!("No source code of the trace is in {folders}. Its files are {names}.");
        let advice =
            "Use --source DIR with the folder of the source code, or name a FILE to print its figures without code.";
        return Err(Failure::input(&args.trace, user_error("no-source", &text, advice)));
    }
    if !missing.is_empty() {
        context.note(&format!("No source code in {folders}: {names}."));
    }
    Ok(chosen)
}

/// Returns the files of the trace that a FILE means.
fn meant(args: &Args, path: &Path, files: &[SourceFile]) -> Result<Vec<usize>, Failure> {
    let is_real = path.is_file();
    let full = if is_real { path.canonicalize().unwrap_or_else(|_| path.to_owned()) } else { path.to_owned() };
    let of_trace: Vec<_> = files.iter().map(trace_file).collect();
    let full = full.to_string_lossy();
    let meant = files_meant(&RealFile { folder: "", path: &full }, is_real, &of_trace);
    let name = shown(path);
    let names = |of: &[usize]| listed(of.iter().map(|&at| files[at].file.as_str()));
    let (text, advice) = match meant.as_slice() {
        [] => {
            let all: Vec<usize> = (0..files.len()).collect();
            let text = format!("No object has code of {name} in its stack.");
            (text, format!("The files with the largest totals are {}.", names(&all)))
        }
        [_, _, ..] if is_real => {
            (format!("{name} could be any of {}.", names(&meant)), "Use one of these as FILE.".to_owned())
        }
        _ => return Ok(meant),
    };
    Err(Failure::input(&args.trace, user_error("no-such-file", &text, &advice)))
}

fn ambiguous(args: &Args, file: &SourceFile, place: &SourcePath) -> Failure {
    let text = why_missing(&file.file, place).unwrap_or_default();
    Failure::input(&args.trace, user_error("ambiguous", &text, "Use one of these as FILE."))
}
