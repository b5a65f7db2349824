//! The synthetic program: functions in files, with their calls and allocation sites.
//!
//! Location codes are close together, like return addresses, and evenly spaced, so that a code converts to a table
//! index. One in eleven has two positions, as if the compiler had inlined a call. The outermost frame has none.

use std::io;
use std::rc::Rc;

use fastrand::Rng;

use camlscope_formats::ctf::Location;
use camlscope_formats::ctf::encode::Encoder;
use camlscope_formats::spacetime::{Address, SourcePosition};

#[derive(Debug)]
pub struct Program {
    functions: Vec<Function>,
    /// By code: the function that is called or that allocates there …
    callees: Vec<FunctionId>,
    /// … and its source locations.
    locations: Vec<Vec<Location>>,
}

/// The calls and allocations of a function, the most likely first. If there are fewer, the last one is repeated. It's
/// small, so that the most-called functions stay in the L1 cache.
#[derive(Clone, Copy, Debug)]
pub struct Function {
    pub calls: [Call; 4],
    pub allocs: [SiteId; 2],
}

#[derive(Clone, Copy, Debug)]
pub struct Call {
    pub site: SiteId,
    pub callee: FunctionId,
}

/// A call site or allocation site.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SiteId(u16);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FunctionId(u16);

const CODE_STEP: u64 = 16;

impl Program {
    const MAIN: FunctionId = FunctionId(0);
    /// The frame that calls main.
    pub const ROOT: u64 = 0x55d8_6a01_02c7;

    /// As large as a compiler: about 11,000 codes in 2,800 functions, most of them used.
    pub fn large(rng: &mut Rng) -> Program {
        Program::new(2_800, 20, rng)
    }

    /// As large as a daemon with many libraries: about 400 allocation sites.
    pub fn medium(rng: &mut Rng) -> Program {
        Program::new(280, 10, rng)
    }

    /// As large as a service with its libraries.
    pub fn small(rng: &mut Rng) -> Program {
        Program::new(50, 6, rng)
    }

    fn new(n_functions: u16, functions_a_file: u16, rng: &mut Rng) -> Program {
        let mut program = Program { functions: Vec::new(), callees: vec![Program::MAIN], locations: vec![Vec::new()] };
        for id in 0..n_functions {
            let names = Names::new(id / functions_a_file, id % functions_a_file);
            let mut line = 30 * u32::from(id % functions_a_file) + 1;
            let mut site = |callee: FunctionId, rng: &mut Rng| {
                line += rng.u32(1..6);
                let site = SiteId(program.callees.len() as u16);
                program.callees.push(callee);
                program.locations.push(names.locations(line, rng));
                Call { site, callee }
            };
            let n_calls = rng.usize(1..=4);
            let first = site(callee(id, n_functions, rng), rng);
            let mut calls = [first; 4];
            for at in 1..4 {
                calls[at] = if at < n_calls { site(callee(id, n_functions, rng), rng) } else { calls[at - 1] };
            }
            let alloc = site(FunctionId(id), rng).site;
            let allocs = [alloc, if rng.bool() { site(FunctionId(id), rng).site } else { alloc }];
            program.functions.push(Function { calls, allocs });
        }
        program
    }

    /// Registers the locations of all codes with the encoder.
    pub fn announce<W: io::Write>(&self, encoder: &mut Encoder<W>) {
        for (at, frames) in (0..).zip(&self.locations) {
            encoder.location(SiteId(at).code(), frames);
        }
    }

    /// Returns the positions of each code for a profile, which has no function names.
    pub fn positions(&self) -> impl Iterator<Item = (Address, Vec<SourcePosition>)> {
        let position = |location: &Location| SourcePosition {
            file: location.file.clone(),
            line: location.line,
            start_char: location.start_char.into(),
            end_char: location.end_char.into(),
        };
        (0..)
            .zip(&self.locations)
            .map(move |(at, frames)| (Address(SiteId(at).code()), frames.iter().map(position).collect()))
    }

    /// Extends the stack `way` by `n` frames. The last one allocates.
    pub fn descend(&self, way: &[u64], n: usize, rng: &mut Rng) -> Vec<u64> {
        let mut stack = way.to_vec();
        let mut at = self.callee(stack[stack.len() - 1]);
        for _ in 1..n {
            let call = self.function(at).calls[rng.usize(..4)];
            stack.push(call.site.code());
            at = call.callee;
        }
        stack.push(self.function(at).allocs[rng.usize(..2)].code());
        stack
    }

    /// Returns `n` stacks that branch off from one another, each ending in an allocation.
    pub fn branching_stacks(&self, n: usize, max_frames: usize, rng: &mut Rng) -> Vec<Vec<u64>> {
        let mut stacks = vec![self.descend(&[Program::ROOT], 5, rng)];
        while stacks.len() < n {
            let base = &stacks[rng.usize(..stacks.len())];
            let kept = rng.usize(base.len() / 2..base.len()).max(2);
            let n_frames = rng.usize(1..=7).min(max_frames - kept);
            stacks.push(self.descend(&base[..kept], n_frames, rng));
        }
        stacks
    }

    /// Returns the function that the call site `code` calls.
    #[inline]
    pub fn callee(&self, code: u64) -> FunctionId {
        self.callees[((code - Program::ROOT) / CODE_STEP) as usize]
    }

    #[inline]
    pub fn function(&self, id: FunctionId) -> &Function {
        &self.functions[usize::from(id.0)]
    }
}

impl SiteId {
    #[inline]
    pub fn code(self) -> u64 {
        Program::ROOT + CODE_STEP * u64::from(self.0)
    }
}

/// Half of the calls stay close. The others go to a few functions that everyone calls.
fn callee(caller: u16, n_functions: u16, rng: &mut Rng) -> FunctionId {
    if rng.bool() {
        FunctionId((caller + rng.u16(..40)) % n_functions)
    } else {
        FunctionId((f64::from(n_functions) * rng.f64().powi(3)) as u16)
    }
}

struct Names {
    file: Rc<str>,
    name: Rc<str>,
    helper: Rc<str>,
}

impl Names {
    fn new(file: u16, function: u16) -> Names {
        const MODULES: [&str; 16] = [
            "parser", "lexer", "typing", "env", "table", "printer", "json", "http", "cache", "session", "order",
            "report", "codegen", "spill", "buffer", "path",
        ];
        const VERBS: [&str; 12] =
            ["add", "find", "fold", "iter", "map", "make", "copy", "expand", "check", "print", "read", "merge"];
        let module = MODULES[usize::from(file) % MODULES.len()];
        let number = usize::from(file) / MODULES.len();
        let suffix = if number == 0 { String::new() } else { number.to_string() };
        let verb = VERBS[usize::from(function) % VERBS.len()];
        let (head, tail) = module.split_at(1);
        let module_name = format!("{}{tail}{suffix}", head.to_uppercase());
        let twin = if usize::from(function) >= VERBS.len() { "_all" } else { "" };
        Names {
            file: format!("src/{module}{suffix}.ml").into(),
            name: format!("{module_name}.{verb}{twin}").into(),
            helper: format!("{module_name}.{verb}{twin}.(fun)").into(),
        }
    }

    /// Outermost first.
    fn locations(&self, line: u32, rng: &mut Rng) -> Vec<Location> {
        let place = |name: &Rc<str>, line: u32, rng: &mut Rng| {
            let start_char = rng.u16(2..60);
            let end_char = start_char + rng.u16(3..70);
            Location { file: self.file.clone(), name: name.clone(), line, start_char, end_char }
        };
        if rng.u32(..11) == 0 {
            vec![place(&self.name, line, rng), place(&self.helper, line + 1, rng)]
        } else {
            vec![place(&self.name, line, rng)]
        }
    }
}
