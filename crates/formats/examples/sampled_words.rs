use camlscope_formats::ctf::{Alloc, CodeId, Decoder, ObjectId, Sink, Stack, StackNode};
use camlscope_formats::decompress::Decompressor;

struct SampledWords(u64);

impl Sink for SampledWords {
    fn alloc(&mut self, alloc: &Alloc, _: Stack) {
        self.0 += alloc.n_samples;
    }
    fn promote(&mut self, _time_us: u64, _: ObjectId) {}
    fn collect(&mut self, _time_us: u64, _: ObjectId) {}
    // Stacks are nodes of a tree that the sink keeps; this one keeps none.
    fn child(&mut self, parent: StackNode, _: CodeId) -> StackNode {
        parent
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let (mut decompressor, mut decoder, mut words) = (Decompressor::new(), Decoder::new(), SampledWords(0));
    decompressor.push(&std::fs::read("program.ctf.gz")?, |bytes| decoder.push(bytes, &mut words))?;
    decompressor.finish(|bytes| decoder.push(bytes, &mut words))?;
    let finished = decoder.finish(&mut words)?;
    println!("{} sampled words, {} warnings", words.0, finished.warnings.len());
    Ok(())
}
