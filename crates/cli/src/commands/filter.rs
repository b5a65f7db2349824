//! Filter options, one for each clause. Options are combined with AND, even if the same option is given twice.

use clap::Args;

use super::arg_values::suggesting;
use super::context::Failure;
use camlscope_engine::query::filter::{self, Clause, Filter, FilterError, ParseError, Span, When};
use camlscope_engine::query::selection::Selection;
use camlscope_engine::query::summary::Summary;
use camlscope_engine::trace::Trace;
use camlscope_present::words::errors::{expected_value, filter_error, parse_error};

#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Filters")]
pub struct FilterArgs {
    /// Allocated in this time range: `1s..2s`, `..500ms`, `2min..`, `peak..end`.
    #[arg(long, value_name = "A..B", value_parser = |text: &str| Asked::read("allocated", text))]
    allocated: Vec<Asked>,
    /// Collected in this time range, or `never`.
    #[arg(long, value_name = "A..B", hide_possible_values = true,
        value_parser = suggesting(&["never"], |text| Asked::read("collected", text)))]
    collected: Vec<Asked>,
    /// Live at this time: `3.5s`, `peak` or `end`.
    #[arg(long, value_name = "TIME", hide_possible_values = true,
        value_parser = suggesting(MOMENTS, |text| Asked::read("live-at", text)))]
    live_at: Vec<Asked>,
    /// Live at some time in this time range.
    #[arg(long, value_name = "A..B", value_parser = |text: &str| Asked::read("live-within", text))]
    live_within: Vec<Asked>,
    /// Live during all of this time range.
    #[arg(long, value_name = "A..B", value_parser = |text: &str| Asked::read("live-through", text))]
    live_through: Vec<Asked>,
    /// With a lifetime in this range: `10ms..`. Objects that were never collected live until the end of the trace.
    #[arg(long, value_name = "A..B", value_parser = |text: &str| Asked::read("lifetime", text))]
    lifetime: Vec<Asked>,
    /// Collected within this time, or before the program allocated this much more: `10ms`, `4MiB`.
    #[arg(long, value_name = "TIME|BYTES", value_parser = |text: &str| Asked::read("temporary", text))]
    temporary: Vec<Asked>,
    /// With a size in this range, in words without the header (`257..`) or in bytes (`..64B`, `1k..2M`).
    #[arg(long, value_name = "A..B", value_parser = |text: &str| Asked::read("size", text))]
    size: Vec<Asked>,
    /// In these heaps: `minor`, `promoted`, `major`, `external`.
    #[arg(long, value_name = "HEAP,…", hide_possible_values = true,
        value_parser = suggesting(&["minor", "promoted", "major", "external"], |text| Asked::read("heap", text)))]
    heap: Vec<Asked>,
    /// Allocated by these domains: `0,1`.
    #[arg(long, value_name = "N,…", value_parser = |text: &str| Asked::read("domain", text))]
    domain: Vec<Asked>,
    /// With a matching function in the stack.
    #[arg(long, value_name = "RE", value_parser = |text: &str| Asked::read("function", text))]
    function: Vec<Asked>,
    /// Without a matching function in the stack.
    #[arg(long, value_name = "RE", value_parser = |text: &str| Asked::read("not-function", text))]
    not_function: Vec<Asked>,
    /// Allocated by a matching function.
    #[arg(long, value_name = "RE", value_parser = |text: &str| Asked::read("allocating-function", text))]
    allocating_function: Vec<Asked>,
    /// With a matching innermost function, not counting OCaml's own library.
    #[arg(long, value_name = "RE", value_parser = |text: &str| Asked::read("responsible-function", text))]
    responsible_function: Vec<Asked>,
    /// With a matching file in the stack.
    #[arg(long = "file", id = "in_file", value_name = "RE", value_parser = |text: &str| Asked::read("file", text))]
    in_file: Vec<Asked>,
    /// With a matching module in the stack.
    #[arg(long, value_name = "RE", value_parser = |text: &str| Asked::read("module", text))]
    module: Vec<Asked>,
    /// With this line in the stack: `src/orders.ml:88`, or the end of its path: `orders.ml:88`.
    #[arg(long, value_name = "FILE:LINE", value_parser = |text: &str| Asked::read("line", text))]
    line: Vec<Asked>,
    /// Without this line in the stack.
    #[arg(long, value_name = "FILE:LINE", value_parser = |text: &str| Asked::read("not-line", text))]
    not_line: Vec<Asked>,
    /// Allocated on this line.
    #[arg(long, value_name = "FILE:LINE", value_parser = |text: &str| Asked::read("allocating-line", text))]
    allocating_line: Vec<Asked>,
    /// With this direct call in the stack: `List.map>f`.
    #[arg(long, value_name = "CALLER>CALLEE", value_parser = |text: &str| Asked::read("calls", text))]
    calls: Vec<Asked>,
    /// Remove matching functions from stacks, and attribute their bytes to the callers.
    #[arg(long, value_name = "RE", value_parser = |text: &str| Asked::read("hide", text))]
    hide: Vec<Asked>,
    /// Keep only stacks through this function, starting at it.
    #[arg(long, value_name = "NAME", value_parser = |text: &str| Asked::read("focus", text))]
    focus: Vec<Asked>,
}

/// The times of a trace that have names.
pub const MOMENTS: &[&str] = &["peak", "end"];

/// A clause from the command line. A time range may start or end at a named time, which is known only once the trace is
/// read.
#[derive(Clone, Debug)]
pub struct Asked {
    key: &'static str,
    text: String,
    /// Unbounded where the text has a named time.
    clause: Clause,
}

impl FilterArgs {
    /// Checks the filter before a trace is read. A filter that nothing can pass is a usage error.
    pub fn check(&self) -> Result<Filter, Failure> {
        let filter = Filter { clauses: self.asked().map(|asked| asked.clause.clone()).collect() };
        filter.check().map_err(wrong_filter)?;
        Ok(filter)
    }

    /// Returns the filter for a trace. A time past the end of the trace is a usage error, because nothing is known
    /// about it.
    pub fn of_file(&self, file: &Summary) -> Result<Filter, Failure> {
        let clauses = self.asked().map(|asked| asked.of_file(file)).collect::<Result<_, _>>()?;
        let filter = Filter { clauses };
        filter.check().map_err(wrong_filter)?;
        Ok(filter)
    }

    /// Whether a range starts or ends at the peak or the end, so that its times depend on the trace.
    pub fn has_times(&self) -> bool {
        self.asked().any(Asked::has_times)
    }

    fn asked(&self) -> impl Iterator<Item = &Asked> {
        let options = [
            &self.allocated,
            &self.collected,
            &self.live_at,
            &self.live_within,
            &self.live_through,
            &self.lifetime,
            &self.temporary,
            &self.size,
            &self.heap,
            &self.domain,
            &self.function,
            &self.not_function,
            &self.allocating_function,
            &self.responsible_function,
            &self.in_file,
            &self.module,
            &self.line,
            &self.not_line,
            &self.allocating_line,
            &self.calls,
            &self.hide,
            &self.focus,
        ];
        options.into_iter().flatten()
    }
}

impl Asked {
    pub fn read(key: &'static str, text: &str) -> Result<Asked, String> {
        let text = if key == "size" { map_bounds(text, short_bytes) } else { text.to_owned() };
        let clause = clause(key, &with_times(key, &text, |_| String::new()))?;
        Ok(Asked { key, text, clause })
    }

    /// Returns the clause for a trace.
    pub fn of_file(&self, file: &Summary) -> Result<Clause, Failure> {
        let in_seconds = |us: u64| format!("{}.{:06}s", us / 1_000_000, us % 1_000_000);
        let clause = match self.has_times() {
            false => self.clause.clone(),
            true => {
                let text = with_times(self.key, &self.text, |when| in_seconds(time_us(file, when)));
                clause(self.key, &text).map_err(Failure::Usage)?
            }
        };
        let late = match &clause {
            Clause::LiveAt(When::At(time_us)) => Some(*time_us),
            Clause::LiveWithin(span) => span.from,
            Clause::LiveThrough(Span { from, to }) => *from.max(to),
            _ => None,
        };
        match late.filter(|late| *late > file.end_us) {
            Some(late) => Err(behind_end(&format!("--{}", self.key), file, late)),
            None => Ok(clause),
        }
    }

    fn has_times(&self) -> bool {
        with_times(self.key, &self.text, |_| String::new()) != self.text
    }
}

/// The error for a time past the end of a trace.
pub fn behind_end(option: &str, file: &Summary, late_us: u64) -> Failure {
    let [late, end] = [late_us, file.end_us].map(exact_time);
    Failure::Usage(match option {
        "--live-at" | "--from-time" => {
            format!("{option} {late} is past the end of the trace ({end}). Use {option} end.")
        }
        "--measure live" => format!("{option}@{late} is past the end of the trace ({end}). Use {option}@end."),
        _ => format!("{option}: {late} is past the end of the trace ({end}). Use `end` for the end of the trace."),
    })
}

/// Formats a time with µs precision in the syntax of options: `1.5s`.
pub fn exact_time(us: u64) -> String {
    Clause::LiveAt(When::At(us)).value()
}

pub fn time_us(file: &Summary, when: When) -> u64 {
    match when {
        When::At(time_us) => time_us,
        When::Peak => file.peak.at_us,
        When::End => file.end_us,
    }
}

/// Replaces named times in the bounds of a time range. Other values stay as they are.
fn with_times(key: &str, text: &str, replace: impl Fn(When) -> String) -> String {
    if !matches!(key, "allocated" | "collected" | "live-within" | "live-through") {
        return text.to_owned();
    }
    map_bounds(text, |bound| match bound {
        "peak" => Some(replace(When::Peak)),
        "end" => Some(replace(When::End)),
        _ => None,
    })
}

/// `1k` → `1KiB`: converts bytes from the syntax of `--memory`.
fn short_bytes(bound: &str) -> Option<String> {
    let unit = match bound.chars().last()? {
        'k' | 'K' => "KiB",
        'M' => "MiB",
        'G' => "GiB",
        _ => return None,
    };
    let number = &bound[..bound.len() - 1];
    number.ends_with(|c: char| c.is_ascii_digit()).then(|| format!("{number}{unit}"))
}

/// Replaces the bounds of a range for which `replace` returns a value.
fn map_bounds(text: &str, replace: impl Fn(&str) -> Option<String>) -> String {
    let bound = |bound: &str| replace(bound.trim()).unwrap_or_else(|| bound.to_owned());
    match text.split_once("..") {
        Some((from, to)) => format!("{}..{}", bound(from), bound(to)),
        None => bound(text),
    }
}

/// Returns the objects that pass.
pub fn select(trace: &Trace, filter: &Filter) -> Result<Selection, Failure> {
    filter::select(trace, filter).map_err(wrong_filter)
}

pub fn wrong_filter(error: FilterError) -> Failure {
    Failure::Usage(filter_error(&error))
}

/// Parses the value of a filter option.
pub fn clause(key: &str, value: &str) -> Result<Clause, String> {
    let clause = Clause::parse(key, value).map_err(|error| match error {
        ParseError::BadValue { key, .. } => expected_value(&key).to_owned(),
        other => parse_error(&other),
    })?;
    // An invalid pattern is reported before a large file is read.
    let alone = Filter { clauses: vec![clause.clone()] };
    alone.check().map_err(|error| filter_error(&error))?;
    Ok(clause)
}

/// Parses a time: `1.5s`, `peak`, `end`.
pub fn parse_when(text: &str) -> Result<When, String> {
    match clause("live-at", text)? {
        Clause::LiveAt(when) => Ok(when),
        _ => Err("expected a time such as 1.5s".to_owned()),
    }
}
