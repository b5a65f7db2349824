//! Memory for the model's columns and nodes, in blocks of 256 KiB.
//!
//! The kernel clears each page of memory when it is first touched, which takes a sixth of the load time. So where
//! threads are available, one of them touches blocks ahead of time, and returned blocks are reused.

#[cfg(not(target_family = "wasm"))]
use std::sync::mpsc::{Receiver, sync_channel};

/// The length of a block. An index into one is exactly a `u16`, so it needs no bounds check.
pub(super) const BLOCK: usize = 1 << 16;

pub(super) type Block = Box<[u32; BLOCK]>;

/// Hands out blocks with arbitrary contents.
#[derive(Debug, Default)]
pub(super) struct BlockPool {
    ready: Vec<Block>,
    #[cfg(not(target_family = "wasm"))]
    n_taken: u32,
    #[cfg(not(target_family = "wasm"))]
    ahead: Option<Receiver<Vec<Block>>>,
}

impl BlockPool {
    pub fn take(&mut self) -> Block {
        #[cfg(not(target_family = "wasm"))]
        if self.ready.is_empty() {
            self.fetch();
        }
        self.ready.pop().unwrap_or_else(block)
    }

    /// Returns blocks to the pool, for [`BlockPool::take`] to hand out again.
    pub fn give_back(&mut self, blocks: impl IntoIterator<Item = Block>) {
        self.ready.extend(blocks);
    }

    /// Takes the blocks that the thread has ready, without waiting for it.
    #[cfg(not(target_family = "wasm"))]
    fn fetch(&mut self) {
        /// A trace that needs fewer blocks is loaded before a thread could start.
        const BEFORE_AHEAD: u32 = 16;
        self.n_taken += 1;
        if self.n_taken == BEFORE_AHEAD {
            self.ahead = begin_ahead();
        }
        if let Some(ahead) = &self.ahead
            && let Ok(blocks) = ahead.try_recv()
        {
            self.ready = blocks;
        }
    }
}

/// Starts a thread that keeps some blocks ready and ends when nobody takes them anymore. `None` if no thread can start.
#[cfg(not(target_family = "wasm"))]
fn begin_ahead() -> Option<Receiver<Vec<Block>>> {
    /// Blocks handed over at once. Waking a thread takes longer than allocating a single block.
    const BATCH: usize = 8;
    let (sender, receiver) = sync_channel(1);
    let make_ready = move || while sender.send((0..BATCH).map(|_| touched_block()).collect()).is_ok() {};
    std::thread::Builder::new().name("blocks".to_owned()).spawn(make_ready).ok()?;
    Some(receiver)
}

#[cfg(not(target_family = "wasm"))]
fn touched_block() -> Block {
    /// No system has smaller pages.
    const PAGE: usize = 4096 / size_of::<u32>();
    let mut block = block();
    for page in block.chunks_mut(PAGE) {
        // Keeps the compiler from skipping the write because the block is already zero.
        page[0] = std::hint::black_box(0);
    }
    block
}

fn block() -> Block {
    // The length is BLOCK by construction, so the fallback is never used.
    vec![0; BLOCK].into_boxed_slice().try_into().unwrap_or_else(|_| Box::new([0; BLOCK]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_never_shared_and_returned_blocks_are_reused() {
        let mut blocks = BlockPool::default();
        let mut taken = Vec::new();
        for i in 0..100 {
            let mut block = blocks.take();
            block.fill(i);
            taken.push(block);
        }
        assert!((0..).zip(&taken).all(|(i, block)| block.iter().all(|&number| number == i)));
        let places: Vec<*const u32> = taken.iter().map(|block| block.as_ptr()).collect();
        blocks.give_back(taken);
        assert!((0..100).all(|_| places.contains(&blocks.take().as_ptr())));
    }
}
