//! The merged bins of the histograms of both sides.

use std::collections::BTreeMap;

use camlscope_engine::query::histogram::Histogram;

/// One bin with the values of both sides.
#[derive(Debug, PartialEq)]
pub struct BinRow {
    /// `None` for objects that were never collected.
    pub ends: Option<(u64, u64)>,
    /// Before and after, each as a share of its own side.
    pub shares: [f64; 2],
}

pub fn rows(a: &Histogram, b: &Histogram) -> Vec<BinRow> {
    let mut bins: BTreeMap<u64, (u64, [f64; 2])> = BTreeMap::new();
    let mut never = [0.0; 2];
    for (which, histogram) in [a, b].into_iter().enumerate() {
        let kept = histogram.never.map_or(0.0, |never| never.bytes);
        let all = histogram.bins.iter().map(|bin| bin.bytes).sum::<f64>() + kept;
        let share = |bytes: f64| if all > 0.0 { bytes / all } else { 0.0 };
        never[which] = share(kept);
        for bin in &histogram.bins {
            // A side's last bin may end early, at its largest value.
            let row = bins.entry(bin.from).or_insert((bin.to, [0.0; 2]));
            row.0 = row.0.max(bin.to);
            row.1[which] += share(bin.bytes);
        }
    }
    let binned = bins.into_iter().map(|(from, (to, shares))| BinRow { ends: Some((from, to)), shares });
    let never = (a.never.is_some() || b.never.is_some()).then_some(BinRow { ends: None, shares: never });
    binned.chain(never).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use camlscope_engine::query::histogram::{Bin, BinAmounts};

    fn histogram(bins: &[(u64, u64, f64)], never: Option<f64>) -> Histogram {
        let bin = |&(from, to, bytes): &(u64, u64, f64)| Bin { from, to, bytes, ..Bin::default() };
        let never = never.map(|bytes| BinAmounts { bytes, ..BinAmounts::default() });
        Histogram { bins: bins.iter().map(bin).collect(), never, ..Histogram::default() }
    }

    #[test]
    fn bins_of_both_sides_are_merged_as_shares_of_their_side() {
        let a = histogram(&[(1, 2, 10.0), (2, 4, 30.0)], None);
        let b = histogram(&[(2, 3, 50.0), (8, 16, 50.0)], None);
        let row = |from, to, shares| BinRow { ends: Some((from, to)), shares };
        assert_eq!(rows(&a, &b), [row(1, 2, [0.25, 0.0]), row(2, 4, [0.75, 0.5]), row(8, 16, [0.0, 0.5])]);
    }

    #[test]
    fn never_collected_objects_have_their_own_row_and_an_empty_side_has_no_share() {
        let rows = rows(&histogram(&[(1, 2, 10.0)], Some(30.0)), &histogram(&[], Some(0.0)));
        assert_eq!(rows[1], BinRow { ends: None, shares: [0.75, 0.0] });
    }
}
