//! Which objects a command is about: every clause of the filter as an option. Options add up (AND), also the same one
//! given twice.

use clap::Args;

use super::context::Failure;
use crate::query::filter::{self, Clause, Filter, FilterError, When};
use crate::query::selection::Selection;
use crate::trace::Trace;

#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Filter")]
pub struct FilterArgs {
    /// Allocated in this window: `1s..2s`, `..500ms`, `2min..`.
    #[arg(long, value_name = "A..B", value_parser = |text: &str| clause("allocated", text))]
    allocated: Vec<Clause>,
    /// Collected in this window, or `never`.
    #[arg(long, value_name = "A..B", value_parser = |text: &str| clause("collected", text))]
    collected: Vec<Clause>,
    /// Live at this time, or at the `peak` or the `end`.
    #[arg(long, value_name = "TIME", value_parser = |text: &str| clause("live-at", text))]
    live_at: Vec<Clause>,
    /// Live at some time in this window.
    #[arg(long, value_name = "A..B", value_parser = |text: &str| clause("live-within", text))]
    live_within: Vec<Clause>,
    /// Live through all of this window.
    #[arg(long, value_name = "A..B", value_parser = |text: &str| clause("live-through", text))]
    live_through: Vec<Clause>,
    /// Lived so long; never collected: until the trace's end. `10ms..`.
    #[arg(long, value_name = "A..B", value_parser = |text: &str| clause("lifetime", text))]
    lifetime: Vec<Clause>,
    /// Size of the block in words, header excluded: `257..`, or in bytes: `..64B`.
    #[arg(long, value_name = "A..B", value_parser = |text: &str| clause("size", text))]
    size: Vec<Clause>,
    /// Where it lived: `minor`, `promoted`, `major`, `external`.
    #[arg(long, value_name = "HEAP,…", value_parser = |text: &str| clause("heap", text))]
    heap: Vec<Clause>,
    /// Domains that allocated it: `0,1`.
    #[arg(long, value_name = "N,…", value_parser = |text: &str| clause("domain", text))]
    domain: Vec<Clause>,
    /// A function of its stack matches.
    #[arg(long, value_name = "RE", value_parser = |text: &str| clause("function", text))]
    function: Vec<Clause>,
    /// No function of its stack matches.
    #[arg(long, value_name = "RE", value_parser = |text: &str| clause("not-function", text))]
    not_function: Vec<Clause>,
    /// The function that allocated it matches.
    #[arg(long, value_name = "RE", value_parser = |text: &str| clause("allocating-function", text))]
    allocating_function: Vec<Clause>,
    /// A file of its stack matches.
    #[arg(long = "file", id = "in_file", value_name = "RE", value_parser = |text: &str| clause("file", text))]
    in_file: Vec<Clause>,
    /// A module of its stack matches.
    #[arg(long, value_name = "RE", value_parser = |text: &str| clause("module", text))]
    module: Vec<Clause>,
    /// In its stack one function calls another directly: `List.map>f`.
    #[arg(long, value_name = "CALLER>CALLEE", value_parser = |text: &str| clause("calls", text))]
    calls: Vec<Clause>,
    /// Leave functions that match out of the stacks; their bytes go to the callers.
    #[arg(long, value_name = "RE", value_parser = |text: &str| clause("hide", text))]
    hide: Vec<Clause>,
    /// Only stacks through this function, rooted at it.
    #[arg(long, value_name = "NAME", value_parser = |text: &str| clause("focus", text))]
    focus: Vec<Clause>,
}

impl FilterArgs {
    /// One that nothing could ever pass is wrong usage.
    pub fn filter(&self) -> Result<Filter, Failure> {
        let options = [
            &self.allocated,
            &self.collected,
            &self.live_at,
            &self.live_within,
            &self.live_through,
            &self.lifetime,
            &self.size,
            &self.heap,
            &self.domain,
            &self.function,
            &self.not_function,
            &self.allocating_function,
            &self.in_file,
            &self.module,
            &self.calls,
            &self.hide,
            &self.focus,
        ];
        let filter = Filter { clauses: options.into_iter().flatten().cloned().collect() };
        filter.check().map_err(wrong_filter)?;
        Ok(filter)
    }
}

/// The objects that pass.
pub fn select(trace: &Trace, filter: &Filter) -> Result<Selection, Failure> {
    filter::select(trace, filter).map_err(wrong_filter)
}

pub fn wrong_filter(error: FilterError) -> Failure {
    Failure::Usage(error.to_string())
}

/// One clause as its option's value says it.
pub fn clause(key: &str, value: &str) -> Result<Clause, String> {
    let clause = Clause::parse(key, value).map_err(|error| error.to_string())?;
    // An invalid pattern is reported before a large file is read.
    let alone = Filter { clauses: vec![clause.clone()] };
    alone.check().map_err(|error| error.to_string())?;
    Ok(clause)
}

/// A time: `1.5s`, `peak`, `end`.
pub fn parse_when(text: &str) -> Result<When, String> {
    match clause("live-at", text)? {
        Clause::LiveAt(when) => Ok(when),
        _ => Err("a time is expected, such as 1.5s".to_owned()),
    }
}
