//! Which stacks pass a clause about frames: a forward pass over the tree, since parents come before children. Names are
//! asked once a function, frames once a code.

use super::{Clause, FilterError, NameMatcher, NameTest, Part};
use crate::ctf::CodeId;
use crate::query::label::{LOST, NO_DEBUG_INFO, Starts, frames_of, module_of};
use crate::trace::{FunctionId, StackId, Trace};

/// By stack node; only for clauses that ask about frames.
pub fn passing_stacks(trace: &Trace, clause: &Clause) -> Result<Vec<bool>, FilterError> {
    Ok(match clause {
        Clause::Frame(test) => {
            let names = NameTable::new(trace, test.part, &test.name)?;
            let mut passing = if test.allocating_only {
                let allocates = names.by_code(trace, |frames| frames.last().copied().unwrap_or_default());
                trace.stacks.iter().map(|(id, _, code)| id != StackId::EMPTY && allocates[code.0 as usize]).collect()
            } else {
                anywhere(trace, &names)
            };
            if test.not {
                passing.iter_mut().for_each(|passes| *passes = !*passes);
            }
            passing
        }
        Clause::Focus(name) => anywhere(trace, &NameTable::new(trace, Part::Function, name)?),
        Clause::Calls { caller, callee } => edges(
            trace,
            &NameTable::new(trace, Part::Function, caller)?,
            &NameTable::new(trace, Part::Function, callee)?,
        ),
        _ => vec![true; trace.stacks.len()],
    })
}

fn anywhere(trace: &Trace, names: &NameTable) -> Vec<bool> {
    let has = names.by_code(trace, |frames| frames.contains(&true));
    downwards(trace, |_, code| has[code.0 as usize])
}

fn edges(trace: &Trace, callers: &NameTable, callees: &NameTable) -> Vec<bool> {
    let calls = callers.by_code(trace, |frames| frames.last().copied().unwrap_or_default());
    let is_called = callees.by_code(trace, |frames| frames.first().copied().unwrap_or_default());
    let inlined: Vec<bool> = (0..trace.codes.len() as u32)
        .map(|code| {
            let (callers, callees) = (callers.frames(trace, CodeId(code)), callees.frames(trace, CodeId(code)));
            callers.iter().zip(callees.iter().skip(1)).any(|(&calls, &is_called)| calls && is_called)
        })
        .collect();
    downwards(trace, |parent, code| {
        let from_parent = parent != StackId::EMPTY
            && calls[trace.stacks.code(parent.0 as usize).0 as usize]
            && is_called[code.0 as usize];
        from_parent || inlined[code.0 as usize]
    })
}

/// A stack passes if its parent does or its own frame brings what is asked for. Code without a location that the program
/// starts with is no frame of the stacks above it.
fn downwards(trace: &Trace, brings: impl Fn(StackId, CodeId) -> bool) -> Vec<bool> {
    let mut passing = vec![false; trace.stacks.len()];
    let mut starts = Starts::new(trace);
    for (id, parent, code) in trace.stacks.iter().skip(1) {
        let parent = if starts.follows(id, parent, code) { StackId::EMPTY } else { parent };
        passing[id.0 as usize] = passing[parent.0 as usize] || brings(parent, code);
    }
    passing
}

/// Which names pass a test.
#[derive(Debug)]
pub struct NameTable {
    /// By function.
    functions: Vec<bool>,
    /// Of code without a location, and of frames that damage took.
    no_debug_info: bool,
    lost: bool,
}

impl NameTable {
    pub fn new(trace: &Trace, part: Part, test: &NameTest) -> Result<NameTable, FilterError> {
        let matcher =
            NameMatcher::new(test).map_err(|why| FilterError::BadPattern { pattern: test.text.clone(), why })?;
        let frames = &trace.frames;
        let functions = frames.functions().iter().map(|function| match part {
            Part::Function => matcher.is_match(frames.text(function.name)),
            Part::File => matcher.is_match(frames.text(function.file)),
            Part::Module => matcher.is_match(module_of(frames.text(function.name))),
        });
        let functions = functions.collect();
        let is_match = |name: &str| part == Part::Function && matcher.is_match(name);
        Ok(NameTable { functions, no_debug_info: is_match(NO_DEBUG_INFO), lost: is_match(LOST) })
    }

    pub fn has_function(&self, function: FunctionId) -> bool {
        self.functions[function.0 as usize]
    }

    pub fn has_no_debug_info(&self) -> bool {
        self.no_debug_info
    }

    pub fn has_lost(&self) -> bool {
        self.lost
    }

    /// Which frames of a code pass, outermost first; a code without a location is a frame of its own.
    fn frames(&self, trace: &Trace, code: CodeId) -> Vec<bool> {
        match frames_of(trace, code) {
            Some(frames) => frames.iter().map(|frame| self.has_function(frame.function)).collect(),
            None => vec![if code == CodeId::LOST { self.lost } else { self.no_debug_info }],
        }
    }

    fn by_code(&self, trace: &Trace, sums_up: impl Fn(&[bool]) -> bool) -> Vec<bool> {
        (0..trace.codes.len() as u32).map(|code| sums_up(&self.frames(trace, CodeId(code)))).collect()
    }
}
