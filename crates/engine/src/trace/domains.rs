//! Which domain allocated each row. While a file streams, packets make long runs; merged by time, domains alternate almost
//! row by row, and then a byte a row is smaller.

use super::chunked::Chunked;
use super::ranked_bits::RankedBits;

#[derive(Debug)]
pub(super) enum Domains {
    /// From this row on, up to the next entry's. Rows ascend.
    Runs(Vec<(u32, u16)>),
    Bytes {
        ids: Vec<u16>,
        /// By row: the place of its domain in `ids`. Rows behind belong to `current`.
        places: Chunked<u8>,
        current: u8,
    },
}

/// Domains that a byte tells apart.
const MOST_IN_BYTES: usize = 1 << 8;

impl Default for Domains {
    fn default() -> Domains {
        Domains::Runs(Vec::new())
    }
}

impl Domains {
    /// For rows of these domains in any order; a byte each, if a byte can tell them apart.
    pub fn dense(ids: Vec<u16>) -> Domains {
        if ids.len() <= MOST_IN_BYTES {
            Domains::Bytes { ids, places: Chunked::default(), current: 0 }
        } else {
            Domains::default()
        }
    }

    /// The rows from `len` on belong to this domain.
    #[inline(always)]
    pub fn begin(&mut self, len: u32, domain: u16) {
        match self {
            Domains::Runs(runs) => match runs.last_mut() {
                Some((_, last)) if *last == domain => {}
                Some((first, last)) if *first == len => *last = domain,
                _ => runs.push((len, domain)),
            },
            Domains::Bytes { ids, places, current } => {
                if ids.get(usize::from(*current)) == Some(&domain) {
                    return;
                }
                while places.len() < len as usize {
                    places.push(*current);
                }
                if let Some(place) = ids.iter().position(|id| *id == domain) {
                    *current = place as u8;
                }
            }
        }
    }

    #[inline(always)]
    pub fn get(&self, row: u32) -> u16 {
        match self {
            Domains::Runs(runs) => {
                let run = runs.partition_point(|&(first, _)| first <= row);
                run.checked_sub(1).map_or(0, |run| runs[run].1)
            }
            Domains::Bytes { ids, places, current } => {
                let place = if (row as usize) < places.len() { places.get(row as usize) } else { *current };
                ids.get(usize::from(place)).copied().unwrap_or(0)
            }
        }
    }

    /// Only the first `len` rows are kept.
    pub fn truncate(&mut self, len: u32) {
        match self {
            Domains::Runs(runs) => runs.truncate(runs.partition_point(|&(first, _)| first < len)),
            Domains::Bytes { places, current, .. } => {
                while places.len() < len as usize {
                    places.push(*current);
                }
                places.truncate(len as usize);
            }
        }
    }

    /// Rows of one more domain will come. False if a byte cannot tell so many apart.
    pub fn add(&mut self, domain: u16) -> bool {
        let Domains::Bytes { ids, .. } = self else { return true };
        if !ids.contains(&domain) {
            ids.push(domain);
        }
        ids.len() <= MOST_IN_BYTES
    }

    /// Only these rows are kept, of a file that still streams. Those to come belong to the same domain as before.
    pub fn compact(&mut self, kept: &RankedBits) {
        let Domains::Runs(runs) = self else { return };
        let old = std::mem::take(runs);
        for (first, domain) in old {
            self.begin(kept.rank_before(u64::from(first)), domain);
        }
    }

    pub fn heap_bytes(&self) -> usize {
        match self {
            Domains::Runs(runs) => runs.capacity() * size_of::<(u32, u16)>(),
            Domains::Bytes { places, .. } => places.heap_bytes(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_domain_of_a_row_is_that_under_which_it_came() {
        for mut domains in [Domains::default(), Domains::dense(vec![0, 1, 3])] {
            for (row, domain) in [0, 0, 3, 3, 3, 1].into_iter().enumerate() {
                domains.begin(row as u32, domain);
            }
            let read: Vec<u16> = (0..6).map(|row| domains.get(row)).collect();
            assert_eq!(read, [0, 0, 3, 3, 3, 1], "{domains:?}");
        }
    }

    #[test]
    fn rows_that_come_again_have_the_domains_they_come_with() {
        for mut domains in [Domains::default(), Domains::dense(vec![0])] {
            assert!(domains.add(1) && domains.add(3));
            for (row, domain) in [(0, 0), (1, 3), (4, 1)] {
                domains.begin(row, domain);
            }
            domains.truncate(3);
            domains.begin(3, 0);
            domains.begin(4, 3);
            let read: Vec<u16> = (0..6).map(|row| domains.get(row)).collect();
            assert_eq!(read, [0, 3, 3, 0, 3, 3], "{domains:?}");
        }
    }

    #[test]
    fn rows_that_are_kept_keep_their_domains_and_rows_to_come_the_newest() {
        let mut domains = Domains::default();
        for (row, domain) in [(0, 0), (2, 3), (4, 0), (6, 1)] {
            domains.begin(row, domain);
        }
        let mut kept = RankedBits::default();
        [1, 4, 5].into_iter().for_each(|row| kept.append(row));
        domains.compact(&kept);
        let read: Vec<u16> = (0..5).map(|row| domains.get(row)).collect();
        assert_eq!(read, [0, 0, 0, 1, 1], "{domains:?}");
    }
}
