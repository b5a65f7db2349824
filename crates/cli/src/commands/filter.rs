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
    #[arg(long, value_name = "A..B", value_parser = |text: &str| ClauseArg::read("allocated", text))]
    allocated: Vec<ClauseArg>,
    /// Collected in this time range, or `never`.
    #[arg(long, value_name = "A..B", hide_possible_values = true,
        value_parser = suggesting(&["never"], |text| ClauseArg::read("collected", text)))]
    collected: Vec<ClauseArg>,
    /// Live at this time: `3.5s`, `peak` or `end`.
    #[arg(long, value_name = "TIME", hide_possible_values = true,
        value_parser = suggesting(NAMED_TIMES, |text| ClauseArg::read("live-at", text)))]
    live_at: Vec<ClauseArg>,
    /// Live at some time in this time range.
    #[arg(long, value_name = "A..B", value_parser = |text: &str| ClauseArg::read("live-within", text))]
    live_within: Vec<ClauseArg>,
    /// Live during the entire time range.
    #[arg(long, value_name = "A..B", value_parser = |text: &str| ClauseArg::read("live-through", text))]
    live_through: Vec<ClauseArg>,
    /// With a lifetime in this range: `10ms..`. Objects that were never collected live until the end of the trace.
    #[arg(long, value_name = "A..B", value_parser = |text: &str| ClauseArg::read("lifetime", text))]
    lifetime: Vec<ClauseArg>,
    /// Collected within this time, or before the program allocated this much more: `10ms`, `4MiB`.
    #[arg(long, value_name = "TIME|BYTES", value_parser = |text: &str| ClauseArg::read("temporary", text))]
    temporary: Vec<ClauseArg>,
    /// With a size in this range, in words without the header (`257..`) or in bytes (`..64B`, `1k..2M`).
    #[arg(long, value_name = "A..B", value_parser = |text: &str| ClauseArg::read("size", text))]
    size: Vec<ClauseArg>,
    /// In these heaps: `minor`, `promoted`, `major`, `external`.
    #[arg(long, value_name = "HEAP,…", hide_possible_values = true,
        value_parser = suggesting(&["minor", "promoted", "major", "external"], |text| ClauseArg::read("heap", text)))]
    heap: Vec<ClauseArg>,
    /// Allocated by these domains: `0,1`.
    #[arg(long, value_name = "N,…", value_parser = |text: &str| ClauseArg::read("domain", text))]
    domain: Vec<ClauseArg>,
    /// With a matching function on the stack.
    #[arg(long, value_name = "RE", value_parser = |text: &str| ClauseArg::read("function", text))]
    function: Vec<ClauseArg>,
    /// Without a matching function on the stack.
    #[arg(long, value_name = "RE", value_parser = |text: &str| ClauseArg::read("not-function", text))]
    not_function: Vec<ClauseArg>,
    /// Allocated by a matching function.
    #[arg(long, value_name = "RE", value_parser = |text: &str| ClauseArg::read("allocating-function", text))]
    allocating_function: Vec<ClauseArg>,
    /// With a matching innermost function, not counting OCaml's own library.
    #[arg(long, value_name = "RE", value_parser = |text: &str| ClauseArg::read("responsible-function", text))]
    responsible_function: Vec<ClauseArg>,
    /// With a matching file on the stack.
    #[arg(long = "file", id = "in_file", value_name = "RE", value_parser = |text: &str| ClauseArg::read("file", text))]
    in_file: Vec<ClauseArg>,
    /// With a matching module on the stack.
    #[arg(long, value_name = "RE", value_parser = |text: &str| ClauseArg::read("module", text))]
    module: Vec<ClauseArg>,
    /// With this line on the stack: `src/orders.ml:88`, or the end of its path: `orders.ml:88`.
    #[arg(long, value_name = "FILE:LINE", value_parser = |text: &str| ClauseArg::read("line", text))]
    line: Vec<ClauseArg>,
    /// Without this line on the stack.
    #[arg(long, value_name = "FILE:LINE", value_parser = |text: &str| ClauseArg::read("not-line", text))]
    not_line: Vec<ClauseArg>,
    /// Allocated on this line.
    #[arg(long, value_name = "FILE:LINE", value_parser = |text: &str| ClauseArg::read("allocating-line", text))]
    allocating_line: Vec<ClauseArg>,
    /// With this direct call on the stack: `List.map>f`.
    #[arg(long, value_name = "CALLER>CALLEE", value_parser = |text: &str| ClauseArg::read("calls", text))]
    calls: Vec<ClauseArg>,
    /// Remove matching functions from stacks, and attribute their bytes to the callers.
    #[arg(long, value_name = "RE", value_parser = |text: &str| ClauseArg::read("hide", text))]
    hide: Vec<ClauseArg>,
    /// Keep only stacks through this function, starting at it.
    #[arg(long, value_name = "NAME", value_parser = |text: &str| ClauseArg::read("focus", text))]
    focus: Vec<ClauseArg>,
}

/// The times of a trace that have names.
pub const NAMED_TIMES: &[&str] = &["peak", "end"];

/// A clause from the command line. A time range may start or end at a named time, which is known only once the trace is
/// read.
#[derive(Clone, Debug)]
pub struct ClauseArg {
    key: &'static str,
    text: String,
    /// Unbounded where the text has a named time.
    clause: Clause,
}

impl FilterArgs {
    /// Checks the filter before a trace is read. A filter that nothing can pass is a usage error.
    pub fn check(&self) -> Result<Filter, Failure> {
        let filter = Filter { clauses: self.clauses().map(|asked| asked.clause.clone()).collect() };
        filter.check().map_err(wrong_filter)?;
        Ok(filter)
    }

    /// Returns the filter for a trace. A time past the end of the trace is a usage error, because nothing is known
    /// about it.
    pub fn of_file(&self, file: &Summary) -> Result<Filter, Failure> {
        let clauses = self.clauses().map(|asked| asked.of_file(file)).collect::<Result<_, _>>()?;
        let filter = Filter { clauses };
        filter.check().map_err(wrong_filter)?;
        Ok(filter)
    }

    /// Whether a range starts or ends at the peak or the end, so that its times depend on the trace.
    pub fn has_times(&self) -> bool {
        self.clauses().any(ClauseArg::has_times)
    }

    fn clauses(&self) -> impl Iterator<Item = &ClauseArg> {
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

impl ClauseArg {
    pub fn read(key: &'static str, text: &str) -> Result<ClauseArg, String> {
        let text = if key == "size" { map_bounds(text, short_bytes) } else { text.to_owned() };
        let clause = clause(key, &with_times(key, &text, |_| String::new()))?;
        Ok(ClauseArg { key, text, clause })
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
            Some(late) => Err(past_end(&format!("--{}", self.key), file, late)),
            None => Ok(clause),
        }
    }

    fn has_times(&self) -> bool {
        with_times(self.key, &self.text, |_| String::new()) != self.text
    }
}

/// The error for a time past the end of a trace.
pub fn past_end(option: &str, file: &Summary, late_us: u64) -> Failure {
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
