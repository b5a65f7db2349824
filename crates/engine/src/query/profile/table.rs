//! The sums of a table, from the weights of stacks.

use crate::profile::Profile;
use crate::query::filter::Filter;
use crate::query::growth::HeapGrowth;
use crate::query::measure::Measure;
use crate::query::table::{StackSums, TableSums};
use crate::query::tree::ShapedTree;

use super::{NotInProfile, weights};

/// Sums up the words of the measure's stacks, the blocks at the same time, and the calls. A table of calls also has
/// live words.
pub fn table_sums(
    profile: &Profile,
    filter: &Filter,
    measure: Measure,
    heap: Option<&HeapGrowth>,
    tree: &ShapedTree,
) -> Result<TableSums, NotInProfile> {
    let of_words = match measure {
        Measure::Blocks | Measure::Calls => Measure::Live(super::time(filter, measure)),
        measure => measure,
    };
    let words = weights(profile, filter, of_words, heap)?;
    let blocks = match of_words {
        // Allocations are only counted in words.
        Measure::Allocated if !super::is_live(filter) => Vec::new(),
        Measure::Growth(_) => Vec::new(),
        _ => weights(profile, &super::at(filter, super::time(filter, of_words)), Measure::Blocks, None)?,
    };
    let calls = match profile.header.has_call_counts {
        true => weights(profile, filter, Measure::Calls, None)?,
        false if measure == Measure::Calls => return Err(NotInProfile::CallCounts),
        false => Vec::new(),
    };
    Ok(TableSums::of_stacks(tree, StackSums { words: &words, blocks: &blocks, calls: &calls }))
}
