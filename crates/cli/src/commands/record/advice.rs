//! What to do if a program can't be started, or its trace is missing or has few samples.

use std::ffi::OsStr;
use std::io::{self, ErrorKind};
use std::process::ExitCode;

use super::{Context, Summary};
use camlscope_present::format;

/// Reports why the program can't be started, and returns the exit status that shells use.
pub fn not_started(context: &Context, program: &OsStr, error: &io::Error) -> ExitCode {
    let (status, why) = match error.kind() {
        ErrorKind::NotFound => (127, "it wasn't found".to_owned()),
        ErrorKind::PermissionDenied => (126, "it isn't executable".to_owned()),
        _ => (126, error.to_string()),
    };
    context.complain(status, &format!("Can't start {}: {why}.", program.display()))
}

/// The lines that enable memtrace.
const LINES: &str = "\
Add memtrace to the libraries of the program in its dune file (opam install memtrace):
  (libraries memtrace)
Call it at the start of the program:
  let () = Memtrace.trace_if_requested ()
";

pub fn not_written(context: &Context, program: &OsStr) {
    let why = "it doesn't call memtrace, or it ended before the call";
    context.complain(1, &format!("{} didn't write a trace: {why}.", program.display()));
    context.print_aside(LINES);
}

/// With fewer samples, most error bars are larger than 20%.
const FEW_SAMPLES: u64 = 100;

pub fn few_samples(context: &Context, file: &Summary, rate: f64) {
    let n = file.samples.total;
    if n < FEW_SAMPLES && rate < 1.0 {
        let (samples, higher) = (if n == 1 { "sample" } else { "samples" }, (10.0 * rate).min(1.0));
        context.note(&format!("The trace has only {} {samples}. Use --rate {higher:e} for more.", format::count(n)));
    }
}
