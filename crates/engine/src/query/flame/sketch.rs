//! A flame graph of a few stacks, for a trace that is still being read.

use super::box_selector::BoxId;
use super::view::{Flame, FlameBox, FlameName};
use crate::query::sorting::sort_by;
use crate::query::tree::Label;

/// Boxes below this share of the total are merged.
const NARROWEST: f64 = 1.0 / 500.0;
/// The key of the top. The keys of the functions follow.
const TOP: u32 = 0;

/// `stacks` are indices into `functions`, outermost first, with the samples of each stack. `scale` is the weight of a
/// sample.
pub fn sketch(functions: &[Label], stacks: &[(Vec<u32>, u64)], scale: f64) -> Flame {
    let mut tree = vec![Node::default()];
    for (stack, samples) in stacks {
        let mut at = 0;
        tree[at].samples += samples;
        for &function in stack {
            at = child(&mut tree, at, function + 1);
            tree[at].samples += samples;
        }
    }
    let top = Label { name: "all".to_owned(), ..Label::default() };
    let labels = [top].into_iter().chain(functions.iter().cloned());
    let names: Vec<FlameName> = (TOP..).zip(labels).map(|(key, label)| FlameName { key, label }).collect();
    let boxes = Drawing { tree: &tree, names: &names, scale }.boxes();
    let samples = tree[0].samples;
    let total = samples as f64 * scale;
    Flame {
        root: BoxId { group: TOP, depth: 0 },
        path: vec![TOP],
        all: total,
        total,
        samples,
        n_depths: boxes.last().map_or(0, |last| last.depth + 1),
        is_deeper: false,
        names,
        boxes,
    }
}

#[derive(Default)]
struct Node {
    name: u32,
    samples: u64,
    children: Vec<usize>,
}

fn child(tree: &mut Vec<Node>, parent: usize, name: u32) -> usize {
    if let Some(known) = tree[parent].children.iter().find(|child| tree[**child].name == name) {
        return *known;
    }
    let new = tree.len();
    tree[parent].children.push(new);
    tree.push(Node { name, ..Node::default() });
    new
}

struct Drawing<'a> {
    tree: &'a [Node],
    names: &'a [FlameName],
    scale: f64,
}

impl Drawing<'_> {
    /// By depth, then from left to right.
    fn boxes(&self) -> Vec<FlameBox> {
        let mut boxes = Vec::new();
        let mut row = vec![(0, 0)];
        for depth in 1.. {
            let mut next = Vec::new();
            let mut merged = Vec::new();
            for &(place, left) in &row {
                self.unfold(place, left, depth, &mut next, &mut merged);
            }
            boxes
                .extend(row.iter().map(|&(place, left)| self.box_of(place, depth - 1, left, self.tree[place].samples)));
            boxes.append(&mut merged);
            if next.is_empty() {
                break;
            }
            row = next;
        }
        boxes.retain(|of| of.samples > 0);
        sort_by(&mut boxes, |one, two| one.depth.cmp(&two.depth).then(one.x0.total_cmp(&two.x0)));
        boxes
    }

    /// Adds the children that are wide enough, heaviest first, then by name. The others become one box.
    fn unfold(&self, place: usize, left: u64, depth: u32, next: &mut Vec<(usize, u64)>, merged: &mut Vec<FlameBox>) {
        let narrowest = self.tree[0].samples as f64 * NARROWEST;
        let samples = |child: &usize| self.tree[*child].samples;
        let name = |child: &usize| &self.names[self.tree[*child].name as usize].label;
        let mut children = self.tree[place].children.clone();
        sort_by(&mut children, |one, two| samples(two).cmp(&samples(one)).then_with(|| name(one).cmp(name(two))));
        let n_wide = children.iter().take_while(|child| samples(child) as f64 >= narrowest).count();
        let (wide, narrow) = children.split_at(n_wide);
        let mut left = left;
        for child in wide {
            next.push((*child, left));
            left += samples(child);
        }
        if !narrow.is_empty() {
            let rest = self.box_of(place, depth, left, narrow.iter().map(samples).sum());
            merged.push(FlameBox { n_merged: narrow.len() as u32, own: 0.0, ..rest });
        }
    }

    fn box_of(&self, place: usize, depth: u32, left: u64, samples: u64) -> FlameBox {
        let node = &self.tree[place];
        let all = self.tree[0].samples as f64;
        let above: u64 = node.children.iter().map(|child| self.tree[*child].samples).sum();
        FlameBox {
            id: BoxId { group: place as u32, depth },
            depth,
            x0: left as f64 / all,
            x1: (left + samples) as f64 / all,
            name: node.name,
            total: samples as f64 * self.scale,
            own: (node.samples - above) as f64 * self.scale,
            samples,
            n_merged: 0,
            hides_children: false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn children_are_below_their_parent_heaviest_first() {
        let functions = ["main", "light", "heavy"].map(|name| Label { name: name.to_owned(), ..Label::default() });
        let stacks = [(vec![0, 1], 1), (vec![0, 2], 6), (vec![0], 1), (vec![], 2)];
        let flame = sketch(&functions, &stacks, 8.0);
        let seen = flame.boxes.iter().map(|of| {
            let name = &flame.names[of.name as usize].label.name;
            format!("{} {name} {:.1}-{:.1} {} own {}", of.depth, of.x0, of.x1, of.total, of.own)
        });
        let expected = [
            "0 all 0.0-1.0 80 own 16",
            "1 main 0.0-0.8 64 own 8",
            "2 heavy 0.0-0.6 48 own 48",
            "2 light 0.6-0.7 8 own 8",
        ];
        assert_eq!(seen.collect::<Vec<_>>(), expected);
        assert_eq!((flame.total, flame.samples, flame.n_depths), (80.0, 10, 3));
    }

    #[test]
    fn narrow_boxes_are_merged_into_one_with_their_number() {
        let functions: Vec<Label> = (0..4).map(|i| Label { name: format!("f{i}"), ..Label::default() }).collect();
        let flame = sketch(&functions, &[(vec![0], 997), (vec![1], 1), (vec![2], 1), (vec![3], 1)], 1.0);
        let below: Vec<(u64, u32)> = flame.boxes.iter().skip(1).map(|of| (of.samples, of.n_merged)).collect();
        assert_eq!(below, [(997, 0), (3, 3)]);
    }

    #[test]
    fn without_stacks_there_are_no_boxes() {
        assert!(sketch(&[], &[], 1.0).boxes.is_empty());
    }
}
