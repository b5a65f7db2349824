//! WebAssembly taken apart, so that it packs better: operations lie with operations, numbers of locals with numbers of
//! locals, and so on, instead of in turn. That makes the packed program a fifteenth smaller. `www/unpack.js` puts it
//! together again.
//!
//! What is written: 32-bit numbers, the lowest byte first (the program's length, its number of functions, and the length of
//! each part), then the parts, then what follows the functions. A function's size is not written: it ends where its blocks
//! do.

use anyhow::{Context, Result, bail, ensure};

/// Where something goes, in the order in which the parts are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    /// All up to the first function.
    Before,
    Operations,
    Locals,
    Constants,
    Offsets,
    Alignments,
    Calls,
    LongConstants,
    Branches,
    Blocks,
    Others,
}

const PARTS: usize = Part::Others as usize + 1;

/// The program in parts. One that holds something unknown stays whole, behind no functions.
pub fn split(wasm: &[u8]) -> Result<Vec<u8>> {
    let parts = match Parts::of(wasm) {
        Ok(parts) => parts,
        Err(why) => {
            println!("  the WebAssembly is packed whole: {why:#}");
            Parts::whole(wasm)
        }
    };
    parts.write(wasm)
}

struct Parts<'w> {
    n_functions: usize,
    parts: [Vec<u8>; PARTS],
    after: &'w [u8],
}

impl<'w> Parts<'w> {
    fn whole(wasm: &'w [u8]) -> Parts<'w> {
        Parts { n_functions: 0, parts: Default::default(), after: wasm }
    }

    fn of(wasm: &'w [u8]) -> Result<Parts<'w>> {
        let mut parts = Parts::whole(&[]);
        let mut from = Cursor { bytes: wasm, at: find_code(wasm)? };
        parts.n_functions = from.number()? as usize;
        parts.parts[Part::Before as usize] = wasm[..from.at].to_vec();
        for number in 0..parts.n_functions {
            parts.take_function(&mut from).with_context(|| format!("function {number}"))?;
        }
        parts.after = &wasm[from.at..];
        Ok(parts)
    }

    fn write(&self, wasm: &[u8]) -> Result<Vec<u8>> {
        let lengths = self.parts.iter().map(Vec::len);
        let mut out = Vec::with_capacity(wasm.len());
        for number in [wasm.len(), self.n_functions].into_iter().chain(lengths) {
            out.extend(u32::try_from(number)?.to_le_bytes());
        }
        self.parts.iter().for_each(|part| out.extend(part));
        out.extend(self.after);
        Ok(out)
    }

    fn take_function(&mut self, from: &mut Cursor<'w>) -> Result<()> {
        let at = from.at;
        let size = from.number()?;
        ensure!(from.at - at == shortest(size), "its size is not written in the shortest way");
        let end = from.at + size as usize;
        move_function(&mut Taking { parts: &mut self.parts, from })?;
        ensure!(from.at == end, "it does not end where its blocks do");
        Ok(())
    }
}

/// Moves what stands next in a function, out of it or into it.
trait Move {
    fn byte(&mut self, part: Part) -> Result<u8>;

    /// Says what the number is; of a long one only the low bits, which count nothing.
    fn number(&mut self, part: Part) -> Result<u32>;

    fn numbers(&mut self, part: Part, n: u32) -> Result<()> {
        (0..n).try_for_each(|_| self.number(part).map(drop))
    }
}

struct Taking<'t, 'w> {
    parts: &'t mut [Vec<u8>; PARTS],
    from: &'t mut Cursor<'w>,
}

impl Move for Taking<'_, '_> {
    fn byte(&mut self, part: Part) -> Result<u8> {
        let byte = self.from.byte()?;
        self.parts[part as usize].push(byte);
        Ok(byte)
    }

    fn number(&mut self, part: Part) -> Result<u32> {
        let at = self.from.at;
        let number = self.from.number()?;
        self.parts[part as usize].extend(&self.from.bytes[at..self.from.at]);
        Ok(number)
    }
}

/// All of a function but its size.
fn move_function(moving: &mut impl Move) -> Result<()> {
    let n_locals = moving.number(Part::Others)?;
    moving.numbers(Part::Others, 2 * n_locals)?;
    let mut depth = 1;
    while depth > 0 {
        let operation = moving.byte(Part::Operations)?;
        match operation {
            END => depth -= 1,
            BLOCK..=IF => {
                depth += 1;
                moving.number(Part::Blocks)?;
            }
            BRANCH_BY_TABLE => {
                let n = moving.number(Part::Others)?;
                moving.numbers(Part::Others, n + 1)?;
            }
            TYPED_SELECT => {
                let n = moving.number(Part::Others)?;
                moving.numbers(Part::Others, n)?;
            }
            FLOAT | DOUBLE => {
                for _ in 0..if operation == FLOAT { 4 } else { 8 } {
                    moving.byte(Part::Others)?;
                }
            }
            PREFIXED => {
                let operation = moving.number(Part::Operations)?;
                let n = operands_of_prefixed(operation)
                    .with_context(|| format!("operation {PREFIXED:#x} {operation} is not known"))?;
                moving.numbers(Part::Others, n)?;
            }
            _ => {
                let operands = operands(operation).with_context(|| format!("operation {operation:#x} is not known"))?;
                for &part in operands {
                    moving.number(part)?;
                }
            }
        }
    }
    Ok(())
}

const BLOCK: u8 = 0x02;
const IF: u8 = 0x04;
const END: u8 = 0x0b;
const BRANCH_BY_TABLE: u8 = 0x0e;
const TYPED_SELECT: u8 = 0x1c;
const FLOAT: u8 = 0x43;
const DOUBLE: u8 = 0x44;
const PREFIXED: u8 = 0xfc;

/// Which numbers follow an operation.
fn operands(operation: u8) -> Option<&'static [Part]> {
    Some(match operation {
        0x0c | 0x0d => &[Part::Branches],
        0x10 => &[Part::Calls],
        0x11 => &[Part::Others, Part::Others],
        0x20..=0x22 => &[Part::Locals],
        0x23..=0x26 | 0x3f | 0x40 | 0xd0 | 0xd2 => &[Part::Others],
        0x28..=0x3e => &[Part::Alignments, Part::Offsets],
        0x41 => &[Part::Constants],
        0x42 => &[Part::LongConstants],
        0x00 | 0x01 | 0x05 | 0x0f | 0x1a | 0x1b | 0x45..=0xc4 | 0xd1 => &[],
        _ => return None,
    })
}

/// How many numbers follow an operation of two bytes.
fn operands_of_prefixed(operation: u32) -> Option<u32> {
    match operation {
        0..=7 => Some(0),
        9 | 11 | 13 | 15..=17 => Some(1),
        8 | 10 | 12 | 14 => Some(2),
        _ => None,
    }
}

/// Where the content of the section of functions begins.
fn find_code(wasm: &[u8]) -> Result<usize> {
    const MAGIC_AND_VERSION: usize = 8;
    const CODE: u8 = 10;
    let mut from = Cursor { bytes: wasm, at: MAGIC_AND_VERSION };
    loop {
        let (section, length) = (from.byte()?, from.number()?);
        if section == CODE {
            return Ok(from.at);
        }
        from.at += length as usize;
    }
}

struct Cursor<'w> {
    bytes: &'w [u8],
    at: usize,
}

impl Cursor<'_> {
    fn byte(&mut self) -> Result<u8> {
        let byte = *self.bytes.get(self.at).context("it breaks off")?;
        self.at += 1;
        Ok(byte)
    }

    /// Seven bits a byte, the lowest first; of more than 32 bits the rest is passed over.
    fn number(&mut self) -> Result<u32> {
        let mut number = 0;
        for shift in (0..70).step_by(7) {
            let byte = self.byte()?;
            number |= u32::from(byte & 0x7f).checked_shl(shift).unwrap_or(0);
            if byte < 0x80 {
                return Ok(number);
            }
        }
        bail!("a number is too long")
    }
}

/// Bytes that a number needs.
fn shortest(number: u32) -> usize {
    (u32::BITS - number.leading_zeros()).div_ceil(7).max(1) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What `www/unpack.js` does.
    fn join(split: &[u8]) -> Vec<u8> {
        let word = |at: usize| u32::from_le_bytes(split[4 * at..4 * at + 4].try_into().expect("four bytes")) as usize;
        let mut at = 4 * (2 + PARTS);
        let parts = std::array::from_fn(|part| {
            let start = at;
            at += word(2 + part);
            Cursor { bytes: &split[start..at], at: 0 }
        });
        let mut giving = Giving { parts, body: Vec::new() };
        let mut out = giving.parts[Part::Before as usize].bytes.to_vec();
        for _ in 0..word(1) {
            move_function(&mut giving).expect("all of it is known");
            let mut size = giving.body.len();
            while size >= 0x80 {
                out.push(size as u8 | 0x80);
                size >>= 7;
            }
            out.push(size as u8);
            out.append(&mut giving.body);
        }
        out.extend(&split[at..]);
        out
    }

    struct Giving<'s> {
        parts: [Cursor<'s>; PARTS],
        body: Vec<u8>,
    }

    impl Move for Giving<'_> {
        fn byte(&mut self, part: Part) -> Result<u8> {
            let byte = self.parts[part as usize].byte()?;
            self.body.push(byte);
            Ok(byte)
        }

        fn number(&mut self, part: Part) -> Result<u32> {
            let from = &mut self.parts[part as usize];
            let start = from.at;
            let number = from.number()?;
            self.body.extend(&from.bytes[start..from.at]);
            Ok(number)
        }
    }

    /// A program of one section before its functions and one behind them.
    fn program(functions: &[&[u8]]) -> Vec<u8> {
        let mut code = vec![functions.len() as u8];
        for body in functions {
            code.push(body.len() as u8);
            code.extend(*body);
        }
        let mut wasm = b"\0asm\x01\0\0\0".to_vec();
        wasm.extend([0, 3, 1, b'x', 9, 10, code.len() as u8]);
        wasm.extend(code);
        wasm.extend([11, 1, 0]);
        wasm
    }

    const PLAIN: &[u8] = &[1, 2, 0x7f, 0x20, 0, 0x41, 0x80, 1, 0x6a, 0x28, 2, 0x90, 1, 0x21, 1, 0x10, 5, 0x0b];
    const BLOCKS: &[u8] = &[0, 2, 0x40, 3, 0x40, 0x0c, 0, 0x0b, 0x41, 0, 0x0e, 2, 0, 1, 0, 0x0b, 0x0b];
    const FLOATS: &[u8] =
        &[0, 0x44, 0x0b, 0x0b, 1, 2, 3, 4, 5, 0xff, 0x43, 0x80, 0x80, 0x80, 0x80, 0xfc, 0x0a, 0, 0, 0x0b];

    #[test]
    fn what_is_split_is_whole_again_when_joined() {
        let wasm = program(&[PLAIN, BLOCKS, FLOATS]);
        let parts = split(&wasm).expect("small enough");
        assert_eq!(parts[4], 3, "three functions were taken apart");
        assert_eq!(join(&parts), wasm);
    }

    #[test]
    fn operations_lie_together() {
        let wasm = program(&[PLAIN]);
        let parts = Parts::of(&wasm).expect("all of it is known");
        assert_eq!(parts.parts[Part::Operations as usize], [0x20, 0x41, 0x6a, 0x28, 0x21, 0x10, 0x0b]);
        assert_eq!(parts.parts[Part::Locals as usize], [0, 1]);
        assert_eq!(parts.parts[Part::Offsets as usize], [0x90, 1]);
    }

    #[test]
    fn a_program_with_something_unknown_stays_whole() {
        let unknown = program(&[PLAIN, &[0, 0xfd, 12, 0x0b]]);
        let long_size = [&b"\0asm\x01\0\0\0"[..], &[10, 5, 1, 0x82, 0, 0, 0x0b]].concat();
        for wasm in [unknown, long_size, b"no program".to_vec(), Vec::new()] {
            let parts = split(&wasm).expect("small enough");
            assert_eq!((parts[4], join(&parts)), (0, wasm));
        }
    }
}
