//! Whether the open file is still being written, judged by checking it from time to time.

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FollowStatus {
    /// The file hasn't changed.
    #[default]
    Still,
    /// The file grew to `bytes`, and then was unchanged for `n_quiet` checks.
    Growing { bytes: u64, n_quiet: u32 },
    /// The file grew, and then was unchanged for [`QUIET_LOOKS`] checks.
    Rests { bytes: u64 },
    /// The file changed in a way that can't be followed, so it must be reopened.
    Stuck,
    /// The file was overwritten by another run.
    Replaced,
}

/// How often the page checks the file.
pub const LOOK_MS: u32 = 2_000;

/// After this many checks without new data, the program has exited or is idle.
const QUIET_LOOKS: u32 = 15;

impl FollowStatus {
    /// Returns the status after a check. `bytes_now` is the file's current size, and `bytes_shown` the part that is
    /// loaded.
    pub fn seen(self, bytes_now: u64, bytes_shown: u64) -> FollowStatus {
        match self {
            FollowStatus::Stuck | FollowStatus::Replaced => self,
            FollowStatus::Still if bytes_now == bytes_shown => self,
            FollowStatus::Rests { bytes } if bytes == bytes_now => self,
            FollowStatus::Growing { bytes, n_quiet } if bytes == bytes_now => match n_quiet + 1 {
                QUIET_LOOKS => FollowStatus::Rests { bytes },
                n_quiet => FollowStatus::Growing { bytes, n_quiet },
            },
            FollowStatus::Still | FollowStatus::Growing { .. } | FollowStatus::Rests { .. } => {
                FollowStatus::Growing { bytes: bytes_now, n_quiet: 0 }
            }
        }
    }

    /// Returns the status if the trace can't be followed any further.
    pub fn not_followed(is_another: bool) -> FollowStatus {
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
        for _ in 0..QUIET_LOOKS - 1 {
            growth = growth.seen(20, 20);
            assert!(growth.is_growing());
        }
        growth = growth.seen(20, 20);
        assert_eq!(growth, FollowStatus::Rests { bytes: 20 });
        assert!(growth.seen(21, 20).is_growing());
    }

    #[test]
    fn a_file_that_must_be_reopened_stays_that_way() {
        assert_eq!(FollowStatus::not_followed(false).seen(30, 20), FollowStatus::Stuck);
        assert_eq!(FollowStatus::not_followed(true).seen(30, 20), FollowStatus::Replaced);
    }
}
