//! The domain that allocated each row. While a file streams, packets form long runs. Once merged by time, domains
//! alternate almost row by row, and then one byte per row is smaller.

use super::chunked::Chunked;
use super::ranked_bits::RankedBits;

#[derive(Debug)]
pub(super) enum Domains {
    /// The first row of each run and its domain. Rows ascend.
    Runs(Vec<(u32, u16)>),
    Bytes {
        ids: Vec<u16>,
        /// For each row, the index of its domain in `ids`. Rows past the end belong to `current`.
        places: Chunked<u8>,
        current: u8,
    },
}

/// The most domains that a byte can tell apart.
const MOST_IN_BYTES: usize = 1 << 8;

impl Default for Domains {
    fn default() -> Domains {
        Domains::Runs(Vec::new())
    }
}

impl Domains {
    /// For rows of these domains in any order. Takes one byte per row if a byte can tell the domains apart.
    pub fn dense(ids: Vec<u16>) -> Domains {
        if ids.len() <= MOST_IN_BYTES {
            Domains::Bytes { ids, places: Chunked::default(), current: 0 }
        } else {
            Domains::default()
        }
    }

    /// Attributes the rows from `len` on to this domain.
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

    /// Keeps only the first `len` rows.
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

    /// Announces rows of one more domain. Returns false if there are too many for a byte.
    pub fn add(&mut self, domain: u16) -> bool {
        let Domains::Bytes { ids, .. } = self else { return true };
        if !ids.contains(&domain) {
            ids.push(domain);
        }
        ids.len() <= MOST_IN_BYTES
    }

    /// Keeps only these rows while the file still streams. New rows belong to the same domain as before.
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
    fn each_row_has_the_domain_it_was_added_with() {
        for mut domains in [Domains::default(), Domains::dense(vec![0, 1, 3])] {
            for (row, domain) in [0, 0, 3, 3, 3, 1].into_iter().enumerate() {
                domains.begin(row as u32, domain);
            }
            let read: Vec<u16> = (0..6).map(|row| domains.get(row)).collect();
            assert_eq!(read, [0, 0, 3, 3, 3, 1], "{domains:?}");
        }
    }

    #[test]
    fn rows_added_again_after_truncating_get_their_new_domains() {
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
    fn kept_rows_keep_their_domains_and_new_rows_get_the_newest() {
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
