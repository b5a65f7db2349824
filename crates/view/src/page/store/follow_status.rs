//! Whether the open file is still being written, judged by checking it from time to time.

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FollowStatus {
    /// The file hasn't changed.
    #[default]
    Still,
    /// The file grew to `bytes`, and then was unchanged for `n_unchanged` checks.
    Growing { bytes: u64, n_unchanged: u32 },
    /// The file grew, and then was unchanged for [`IDLE_CHECKS`] checks.
    Idle { bytes: u64 },
    /// The file changed in a way that can't be followed, so it must be reopened.
    Stuck,
    /// The file was overwritten by another run.
    Replaced,
}

/// How often the page checks the file.
pub const CHECK_EVERY_MS: u32 = 2_000;

/// After this many checks without new data, the program has exited or is idle.
const IDLE_CHECKS: u32 = 15;

impl FollowStatus {
    /// Returns the status after a check. `bytes_now` is the file's current size, and `bytes_shown` the part that is
    /// loaded.
    pub(super) fn seen(self, bytes_now: u64, bytes_shown: u64) -> FollowStatus {
        match self {
            FollowStatus::Stuck | FollowStatus::Replaced => self,
            FollowStatus::Still if bytes_now == bytes_shown => self,
            FollowStatus::Idle { bytes } if bytes == bytes_now => self,
            FollowStatus::Growing { bytes, n_unchanged } if bytes == bytes_now => match n_unchanged + 1 {
                IDLE_CHECKS => FollowStatus::Idle { bytes },
                n_unchanged => FollowStatus::Growing { bytes, n_unchanged },
            },
            FollowStatus::Still | FollowStatus::Growing { .. } | FollowStatus::Idle { .. } => {
                FollowStatus::Growing { bytes: bytes_now, n_unchanged: 0 }
            }
        }
    }

    /// Returns the status if the trace can't be followed any further.
    pub(super) fn not_followed(is_another: bool) -> FollowStatus {
        if is_another { FollowStatus::Replaced } else { FollowStatus::Stuck }
    }

    /// Whether more data is expected, so that results may change.
    pub fn is_growing(self) -> bool {
        matches!(self, FollowStatus::Growing { .. })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_growing_until_it_is_unchanged_for_a_while() {
        assert_eq!(FollowStatus::Still.seen(10, 10), FollowStatus::Still);
        let mut growth = FollowStatus::Still.seen(20, 10);
        assert!(growth.is_growing());
        for _ in 0..IDLE_CHECKS - 1 {
            growth = growth.seen(20, 20);
            assert!(growth.is_growing());
        }
        growth = growth.seen(20, 20);
        assert_eq!(growth, FollowStatus::Idle { bytes: 20 });
        assert!(growth.seen(21, 20).is_growing());
    }

    #[test]
    fn a_file_that_must_be_reopened_stays_that_way() {
        assert_eq!(FollowStatus::not_followed(false).seen(30, 20), FollowStatus::Stuck);
        assert_eq!(FollowStatus::not_followed(true).seen(30, 20), FollowStatus::Replaced);
    }
}
