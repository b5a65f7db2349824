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
use crate::query::filter::NameTest;
use crate::query::filter::presets::library_names;
use crate::query::selection::Selection;
use crate::query::timeline::split::Classes;
use crate::query::tree::{Allocators, Grain, KeyId, Shape};
use crate::trace::{MomentId, Trace};

/// For some sites, the name of the growing function that most of what they keep was allocated for.
pub fn growing_with(
    trace: &Trace,
    selection: &Selection,
    allocators: &Allocators,
    sites: &[KeyId],
    config: &LeaksConfig,
) -> FxHashMap<KeyId, String> {
    // A file or a module is no site of a function's.
    if sites.is_empty() || allocators.shape.grain.base() != allocators.shape.grain {
        return FxHashMap::default();
    }
    let library = library_names();
    if allocators.shape.grain == Grain::Function && allocators.shape.hide.contains(&library) {
        // The sites are these functions: what is undecided stays so.
        return FxHashMap::default();
    }
    let Some(owners) = program_functions(trace, &allocators.shape, library) else {
        return FxHashMap::default();
    };
    let of = Classes::frames(trace, &owners);
    let curves = curves_of(trace, selection, &of);
    let usual_age = old_age(&died_after(&curves), config).unwrap_or(0);
    let grows = |curve: &Curve| rules::verdict(&Signs::new(curve, usual_age, config), config) == Verdict::Growing;
    let is_growing: Vec<bool> = curves.iter().map(|curve| curve.as_ref().is_some_and(grows)).collect();

    let (wanted, keys): (FxHashSet<u32>, _) =
        (sites.iter().map(|key| key.0).collect(), Classes::frames(trace, allocators));
    let mut kept: FxHashMap<u32, FxHashMap<u32, u64>> = FxHashMap::default();
    selection.for_each(&trace.columns, |rows, place| {
        let key = keys.of(rows, place);
        if is_lasting(rows, place) && rows.end(place) == MomentId::NEVER && wanted.contains(&key) {
            *kept.entry(key).or_default().entry(of.of(rows, place)).or_default() += u64::from(rows.n_samples(place));
        }
    });
    let company = kept.into_iter().filter_map(|(key, by_owner)| {
        let (owner, _) = by_owner.into_iter().max_by_key(|&(owner, samples)| (samples, u32::MAX - owner))?;
        let function = owners.keys().get(KeyId(owner)).own_function()?;
        let name = trace.frames.text(trace.frames.function(function).name);
        is_growing[owner as usize].then(|| (KeyId(key), name.to_owned()))
    });
    company.collect()
}

/// The functions that objects were allocated for. None where a name in the shape is no pattern.
fn program_functions(trace: &Trace, shape: &Shape, library: NameTest) -> Option<Allocators> {
    let mut shape = Shape { grain: Grain::Function, ..shape.clone() };
    shape.hide.push(library);
    Allocators::new(trace, &shape).ok()
}
