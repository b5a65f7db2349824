//! Finds the stacks that pass a clause about frames. Parents come before children, so one forward pass over the tree is
//! enough. Names are tested once per function, frames once per code.

use super::lines::{PassingLines, passing_lines};
use super::{Clause, FilterError, FrameField, NameMatcher, NameTest, WhichFrame, presets};
use crate::query::label::{LOST, NO_DEBUG_INFO, Starts, frames_of};
use crate::trace::{Calls, Frame, FunctionId, StackId};
use camlscope_formats::ctf::CodeId;

/// Returns for each stack node whether it passes. Clauses that aren't about frames pass all stacks.
pub fn passing_stacks(calls: &Calls, clause: &Clause) -> Result<Vec<bool>, FilterError> {
    Ok(match clause {
        Clause::Frame(test) => {
            let names = NameTable::new(calls, test.part, &test.name)?;
            let mut passing = match test.which {
                WhichFrame::Any => anywhere(calls, &names),
                WhichFrame::Allocating => {
                    let allocates = names.by_code(calls, |frames| frames.last().copied().unwrap_or_default());
                    let stacks = calls.stacks.iter();
                    stacks.map(|(id, _, code)| id != StackId::EMPTY && allocates[code.0 as usize]).collect()
                }
                WhichFrame::Responsible => {
                    responsible(calls, &names, &NameTable::new(calls, FrameField::Function, &presets::library_names())?)
                }
            };
            if test.not {
                passing.iter_mut().for_each(|passes| *passes = !*passes);
            }
            passing
        }
        Clause::Focus(name) => anywhere(calls, &NameTable::new(calls, FrameField::Function, name)?),
        Clause::Calls { caller, callee } => edges(
            calls,
            &NameTable::new(calls, FrameField::Function, caller)?,
            &NameTable::new(calls, FrameField::Function, callee)?,
        ),
        _ => vec![true; calls.stacks.len()],
    })
}

fn anywhere(calls: &Calls, names: &NameTable) -> Vec<bool> {
    let has = names.by_code(calls, |frames| frames.contains(&true));
    downwards(calls, |_, code| has[code.0 as usize])
}

/// Tests the innermost frame outside the library.
fn responsible(calls: &Calls, names: &NameTable, library: &NameTable) -> Vec<bool> {
    let of_code: Vec<Option<bool>> = (0..calls.codes.len() as u32)
        .map(|code| {
            let (is_asked, is_library) = (names.frames(calls, CodeId(code)), library.frames(calls, CodeId(code)));
            let mut from_innermost = is_asked.into_iter().zip(is_library).rev();
            from_innermost.find(|(_, is_library)| !is_library).map(|(is_asked, _)| is_asked)
        })
        .collect();
    let mut passing = vec![false; calls.stacks.len()];
    for (id, parent, code) in calls.stacks.iter().skip(1) {
        passing[id.0 as usize] = of_code[code.0 as usize].unwrap_or(passing[parent.0 as usize]);
    }
    passing
}

fn edges(calls: &Calls, callers: &NameTable, callees: &NameTable) -> Vec<bool> {
    let does_call = callers.by_code(calls, |frames| frames.last().copied().unwrap_or_default());
    let is_called = callees.by_code(calls, |frames| frames.first().copied().unwrap_or_default());
    let inlined: Vec<bool> = (0..calls.codes.len() as u32)
        .map(|code| {
            let (callers, callees) = (callers.frames(calls, CodeId(code)), callees.frames(calls, CodeId(code)));
            callers.iter().zip(callees.iter().skip(1)).any(|(&does_call, &is_called)| does_call && is_called)
        })
        .collect();
    downwards(calls, |parent, code| {
        let from_parent = parent != StackId::EMPTY
            && does_call[calls.stacks.code(parent.0 as usize).0 as usize]
            && is_called[code.0 as usize];
        from_parent || inlined[code.0 as usize]
    })
}

/// A stack passes if its parent passes or its own code matches. Program start-up without a location isn't a frame of
/// the stacks that begin with it.
fn downwards(calls: &Calls, brings: impl Fn(StackId, CodeId) -> bool) -> Vec<bool> {
    let mut passing = vec![false; calls.stacks.len()];
    let mut starts = Starts::new(calls);
    for (id, parent, code) in calls.stacks.iter().skip(1) {
        let parent = if starts.follows(id, parent, code) { StackId::EMPTY } else { parent };
        passing[id.0 as usize] = passing[parent.0 as usize] || brings(parent, code);
    }
    passing
}

/// The names that pass a test.
#[derive(Debug)]
pub struct NameTable {
    /// By function. Whether all its frames pass.
    functions: Vec<bool>,
    /// For a test of lines. Empty for other tests.
    lines: PassingLines,
    /// Whether code without a location passes. `has_lost` is the same for frames lost to damage.
    pub has_no_debug_info: bool,
    pub has_lost: bool,
}

impl NameTable {
    pub fn new(calls: &Calls, part: FrameField, test: &NameTest) -> Result<NameTable, FilterError> {
        let bad_pattern = |why| FilterError::BadPattern { pattern: test.text.clone(), why };
        let matcher = NameMatcher::new(test).map_err(bad_pattern)?;
        let lines = match part {
            FrameField::Line => passing_lines(calls, test).map_err(bad_pattern)?,
            FrameField::Function | FrameField::File | FrameField::Module => PassingLines::default(),
        };
        let frames = &calls.frames;
        let functions = frames.functions().iter().map(|function| match part {
            FrameField::Function => matcher.is_match(frames.text(function.name)),
            FrameField::File => matcher.is_match(frames.text(function.file)),
            FrameField::Module => matcher.is_match(frames.text(function.module)),
            FrameField::Line => false,
        });
        let functions = functions.collect();
        let is_match = |name: &str| part == FrameField::Function && matcher.is_match(name);
        Ok(NameTable { functions, lines, has_no_debug_info: is_match(NO_DEBUG_INFO), has_lost: is_match(LOST) })
    }

    pub fn has_function(&self, function: FunctionId) -> bool {
        self.functions[function.0 as usize]
    }

    fn has_frame(&self, calls: &Calls, frame: &Frame) -> bool {
        let line = || (calls.frames.function(frame.function).file, frame.line);
        self.has_function(frame.function) || self.lines.get(&line()).copied().unwrap_or(false)
    }

    /// Returns which frames of a code pass, outermost first. A code without a location is a single frame.
    fn frames(&self, calls: &Calls, code: CodeId) -> Vec<bool> {
        match frames_of(calls, code) {
            Some(frames) => frames.iter().map(|frame| self.has_frame(calls, frame)).collect(),
            None => vec![if code == CodeId::LOST { self.has_lost } else { self.has_no_debug_info }],
        }
    }

    fn by_code(&self, calls: &Calls, sums_up: impl Fn(&[bool]) -> bool) -> Vec<bool> {
        (0..calls.codes.len() as u32).map(|code| sums_up(&self.frames(calls, CodeId(code)))).collect()
    }
}
