//! How stacks are read: grain, folded recursion, hidden and focused functions. Built from the base tree's groups, which
//! are far fewer than objects or stack nodes.

use std::rc::Rc;

use super::Grain;
use super::build::CallTree;
use super::groups::{GroupId, Groups, GroupsBuilder};
use super::keys::{Key, Keys, by_line, coarser};
use crate::query::filter::{Clause, Filter, FilterError, FrameField, NameTable, NameTest};
use crate::trace::Calls;

#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Shape {
    pub grain: Grain,
    /// Merges the call sites of each source line. Only with [`Grain::Site`].
    pub by_line: bool,
    /// Folds repeated frames of a stack into the outermost: a→b→a→c becomes a→b→c. The allocating frame stays last:
    /// a→b→a stays as it is, and a→a becomes a.
    pub fold_recursion: bool,
    pub hide: Vec<NameTest>,
    /// Stacks are rooted at the outermost match. If there are several tests, they must match one after the other, and
    /// stacks are rooted at the last match.
    pub focus: Vec<NameTest>,
}

/// A call tree with a shape applied.
#[derive(Clone, Debug)]
pub struct ShapedTree {
    pub shape: Shape,
    base: Rc<CallTree>,
    shaped: Option<Rc<Shaped>>,
}

#[derive(Debug)]
struct Shaped {
    keys: Keys,
    groups: Groups,
    /// By group of the base tree.
    of_base: Vec<u32>,
}

/// Marks groups of the base tree outside the focus.
const OUTSIDE: u32 = u32::MAX;

impl Shape {
    /// Takes hidden and focused functions from the filter.
    pub fn new(grain: Grain, fold_recursion: bool, filter: &Filter) -> Shape {
        let mut shape = Shape { grain, fold_recursion, ..Shape::default() };
        for clause in &filter.clauses {
            match clause {
                Clause::Hide(name) => shape.hide.push(name.clone()),
                Clause::Focus(name) => shape.focus.push(name.clone()),
                _ => {}
            }
        }
        shape
    }

    /// Returns the shape for figures by source line.
    pub fn by_line(fold_recursion: bool, filter: &Filter) -> Shape {
        Shape { by_line: true, ..Shape::new(Grain::Site, fold_recursion, filter) }
    }

    /// Returns whether the base tree is used as it is.
    fn is_plain(&self) -> bool {
        let merges_keys = self.grain != self.grain.base() || self.by_line;
        !merges_keys && !self.fold_recursion && self.hide.is_empty() && self.focus.is_empty()
    }
}

impl ShapedTree {
    /// `base` must be the tree of the shape's base grain.
    pub fn new(calls: &Calls, base: &Rc<CallTree>, shape: &Shape) -> Result<ShapedTree, FilterError> {
        let shaped = if shape.is_plain() { None } else { Some(Rc::new(Shaped::new(calls, base, shape)?)) };
        Ok(ShapedTree { shape: shape.clone(), base: Rc::clone(base), shaped })
    }

    pub fn groups(&self) -> &Groups {
        self.shaped.as_ref().map_or(&self.base.groups, |shaped| &shaped.groups)
    }

    pub fn keys(&self) -> &Keys {
        self.shaped.as_ref().map_or(&self.base.keys, |shaped| &shaped.keys)
    }

    /// Returns the group of a stack's objects, by the stack's index. `None` outside the focus.
    #[inline(always)]
    pub fn of_stack(&self, stack: usize) -> Option<GroupId> {
        let base = self.base.of_stack(stack);
        match &self.shaped {
            None => Some(GroupId(base as u32)),
            Some(shaped) => Some(shaped.of_base[base]).filter(|&group| group != OUTSIDE).map(GroupId),
        }
    }

    /// Returns an upper bound for the memory of a tree of this shape in addition to `base`, including while it is
    /// built.
    pub fn most_bytes(base: &CallTree, shape: &Shape) -> usize {
        let of_one = base.groups.heap_bytes() + base.groups.len() * size_of::<u32>();
        match (shape.is_plain(), shape.fold_recursion) {
            (true, _) => 0,
            (false, false) => of_one,
            (false, true) => 2 * of_one + base.groups.len() * size_of::<u32>(),
        }
    }

    /// Returns the memory of the tree in addition to its base tree.
    pub fn heap_bytes(&self) -> usize {
        self.shaped.as_ref().map_or(0, |shaped| shaped.groups.heap_bytes() + shaped.of_base.len() * size_of::<u32>())
    }
}

impl Shaped {
    fn new(calls: &Calls, base: &CallTree, shape: &Shape) -> Result<Shaped, FilterError> {
        let (keys, key_of) = match shape.by_line {
            true => by_line(calls, &base.keys),
            false => coarser(calls, &base.keys, shape.grain),
        };
        let hidden = matching_keys(calls, &base.keys, &shape.hide)?;
        let focused: Vec<Vec<bool>> = shape
            .focus
            .iter()
            .map(|test| matching_keys(calls, &base.keys, std::slice::from_ref(test)))
            .collect::<Result<_, _>>()?;
        let mut groups = GroupsBuilder::new(Keys::ROOT, base.groups.len());
        // How many focuses have been met on the way down to each group. Empty without any focus.
        let mut met = vec![0u32; if focused.is_empty() { 0 } else { base.groups.len() }];
        let mut of_base = vec![OUTSIDE; base.groups.len()];
        of_base[0] = if focused.is_empty() { GroupId::ROOT.0 } else { OUTSIDE };
        for group in base.groups.iter() {
            let (at, parent) = (group.0 as usize, base.groups.parent(group).0 as usize);
            let key = base.groups.key(group).0 as usize;
            if !focused.is_empty() {
                let met_above = met[parent];
                let is_met = focused.get(met_above as usize).is_some_and(|focused| focused[key]);
                met[at] = met_above + u32::from(is_met);
                if (met[at] as usize) < focused.len() {
                    continue;
                }
            }
            // The first group within the focus is a child of the root.
            let above = if of_base[parent] == OUTSIDE { GroupId::ROOT } else { GroupId(of_base[parent]) };
            of_base[at] = if hidden[key] { above.0 } else { groups.child(above, key_of[key]).0 };
        }
        let shaped = Shaped { groups: groups.finish(keys.len()), keys, of_base };
        Ok(if shape.fold_recursion { shaped.folded() } else { shaped })
    }

    /// A repeated frame is one below another frame with the same key. Its callees move up to its parent. What it
    /// allocates itself stays with it.
    fn folded(self) -> Shaped {
        let mut groups = GroupsBuilder::new(Keys::ROOT, self.groups.len());
        // By group: the group that its callees go below, and the group of what it allocated itself.
        let mut of_callees = vec![GroupId::ROOT; self.groups.len()];
        let mut of_own = vec![GroupId::ROOT; self.groups.len()];
        for group in self.groups.iter() {
            let (at, key) = (group.0 as usize, self.groups.key(group));
            let above = of_callees[self.groups.parent(group).0 as usize];
            of_own[at] = if groups.key(above) == key { above } else { groups.child(above, key) };
            of_callees[at] = if self.groups.is_outermost(group) { of_own[at] } else { above };
        }
        let mut of_base = self.of_base;
        for group in of_base.iter_mut().filter(|group| **group != OUTSIDE) {
            *group = of_own[*group as usize].0;
        }
        Shaped { groups: groups.finish(self.keys.len()), keys: self.keys, of_base }
    }
}

/// Returns for each key whether its function passes one of the tests.
pub fn matching_keys(calls: &Calls, keys: &Keys, tests: &[NameTest]) -> Result<Vec<bool>, FilterError> {
    let mut matching = vec![false; keys.len()];
    for test in tests {
        let names = NameTable::new(calls, FrameField::Function, test)?;
        for (id, key) in keys.iter() {
            matching[id.0 as usize] |= match key {
                Key::NoDebugInfo => names.has_no_debug_info,
                Key::Lost => names.has_lost,
                key => key.function().is_some_and(|function| names.has_function(function)),
            };
        }
    }
    Ok(matching)
}
