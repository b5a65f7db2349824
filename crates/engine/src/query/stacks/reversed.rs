//! Reverses stacks one by one, without building a tree.

use super::{StackNode, StackSource, StacksHead};

/// The same stacks from the allocation point to main. They keep the order of the source, so every stack is written out
/// with all its frames.
#[derive(Debug)]
pub struct Reversed<'a, S>(pub &'a S);

impl<S: StackSource> StackSource for Reversed<'_, S> {
    fn head(&self) -> &StacksHead {
        self.0.head()
    }

    fn nodes(&self) -> Box<dyn Iterator<Item = StackNode> + '_> {
        let mut path: Vec<u32> = Vec::new();
        let mut source = self.0.nodes();
        // The weight of the stack in `path`, and the number of its frames that are left.
        let (mut own, mut n_left) = (0.0, 0);
        Box::new(std::iter::from_fn(move || {
            while n_left == 0 {
                let node = source.next()?;
                path.truncate(node.depth as usize);
                path.push(node.frame);
                if node.own > 0.0 {
                    (own, n_left) = (node.own, path.len());
                }
            }
            n_left -= 1;
            let depth = (path.len() - 1 - n_left) as u32;
            Some(StackNode { depth, frame: path[n_left], own: if n_left == 0 { own } else { 0.0 } })
        }))
    }
}
