//! One sort for all query results. The standard library's sort is compiled again for each row type, which adds about
//! 5 KB to the page each time. Results are short, so they share one sort of row indices.

use std::cmp::Ordering;

/// Sorts rows. Equal rows keep their order.
pub fn sort_by<T>(rows: &mut Vec<T>, mut compare: impl FnMut(&T, &T) -> Ordering) {
    let places = sorted_places(rows.len(), &mut |one, two| compare(&rows[one], &rows[two]));
    let mut old: Vec<Option<T>> = std::mem::take(rows).into_iter().map(Some).collect();
    rows.extend(places.into_iter().filter_map(|place| old[place as usize].take()));
}

/// Returns the indices `0..n` in sorted order.
fn sorted_places(n: usize, compare: &mut dyn FnMut(usize, usize) -> Ordering) -> Vec<u32> {
    let mut places: Vec<u32> = (0..n as u32).collect();
    places.sort_by(|&one, &two| compare(one as usize, two as usize));
    places
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_rows_keep_their_order() {
        let mut rows: Vec<(u32, usize)> = (0..200).map(|at| ((at * 7919 % 13) as u32, at)).collect();
        let mut expected = rows.clone();
        expected.sort_by_key(|row| row.0);
        sort_by(&mut rows, |one, two| one.0.cmp(&two.0));
        assert_eq!(rows, expected);
    }
}
