//! What leaks together: a session, its name, the bucket that holds it. Each is a site with a part of the samples, and a
//! part may be too few to tell by itself. So a site that is undecided is looked at again if the function that it allocates
//! for grows as a whole: then that it grows too is what one expects, and less is needed to say so.
//!
//! A site allocates for the nearest function of its stack that is the program's own: what `Bytes.sub` allocates counts for
//! who called it. The functions are judged by all that counts for them, undecided sites or not, so looking for those that
//! grow favours none.

use rustc_hash::{FxHashMap, FxHashSet};

use super::LeaksConfig;
use super::curves::{Curve, curves_of, died_after, is_lasting};
use super::rules::{self, Verdict};
use super::signs::{Signs, old_age};
use crate::query::label::is_library;
use crate::query::selection::Selection;
use crate::query::timeline::split::Classes;
use crate::query::tree::{KeyId, ShapedTree};
use crate::trace::{FunctionId, MomentId, Trace};

/// For some sites, the name of the growing function that most of what they keep was allocated for.
pub fn growing_with(
    trace: &Trace,
    selection: &Selection,
    tree: &ShapedTree,
    sites: &[KeyId],
    config: &LeaksConfig,
) -> FxHashMap<KeyId, String> {
    if sites.is_empty() {
        return FxHashMap::default();
    }
    let Owners { of, functions } = Owners::new(trace, tree);
    let curves = curves_of(trace, selection, &of);
    let usual_age = old_age(&died_after(&curves), config).unwrap_or(0);
    let grows = |curve: &Curve| rules::verdict(&Signs::new(curve, usual_age, config), config) == Verdict::Growing;
    let is_growing: Vec<bool> = curves.iter().map(|curve| curve.as_ref().is_some_and(grows)).collect();

    let (wanted, keys): (FxHashSet<u32>, _) = (sites.iter().map(|key| key.0).collect(), Classes::frames(tree));
    let mut kept: FxHashMap<u32, FxHashMap<u32, u64>> = FxHashMap::default();
    selection.for_each(&trace.columns, |rows, place| {
        let key = keys.of(rows, place);
        if is_lasting(rows, place) && rows.end(place) == MomentId::NEVER && wanted.contains(&key) {
            *kept.entry(key).or_default().entry(of.of(rows, place)).or_default() += u64::from(rows.n_samples(place));
        }
    });
    let company = kept.into_iter().filter_map(|(key, by_owner)| {
        let (owner, _) = by_owner.into_iter().max_by_key(|&(owner, samples)| (samples, u32::MAX - owner))?;
        let function = *functions.get((owner as usize).checked_sub(1)?)?;
        let name = trace.frames.text(trace.frames.function(function).name);
        is_growing[owner as usize].then(|| (KeyId(key), name.to_owned()))
    });
    company.collect()
}

/// Whom each object was allocated for.
struct Owners<'t> {
    /// 0 where it is nobody; else one more than the place among the functions.
    of: Classes<'t, u32>,
    functions: Vec<FunctionId>,
}

impl Owners<'_> {
    /// Nobody owns anything where frames are files or modules.
    fn new<'t>(trace: &Trace, tree: &'t ShapedTree) -> Owners<'t> {
        let (groups, keys) = (tree.groups(), tree.keys());
        let mut functions = Vec::new();
        let mut places: FxHashMap<FunctionId, u32> = FxHashMap::default();
        let own: Vec<u32> = keys
            .iter()
            .map(|(_, key)| {
                let function =
                    key.own_function().filter(|&id| !is_library(trace.frames.text(trace.frames.function(id).name)));
                function.map_or(0, |id| {
                    *places.entry(id).or_insert_with(|| {
                        functions.push(id);
                        functions.len() as u32
                    })
                })
            })
            .collect();
        let mut owners = vec![0; groups.len()];
        // Parents come before their children.
        for group in groups.iter() {
            let own = own[groups.key(group).0 as usize];
            owners[group.0 as usize] = if own > 0 { own } else { owners[groups.parent(group).0 as usize] };
        }
        Owners { of: Classes::by_group(tree, owners, 0), functions }
    }
}
