//! Whether the program still writes the file that is open, as far as looking at it now and then tells.

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FollowStatus {
    /// The file was not seen to change.
    #[default]
    Still,
    /// It became so long; since then it was found unchanged so many times.
    Growing { bytes: u64, n_quiet: u32 },
    /// It grew, and then did not for [`QUIET_LOOKS`].
    Rests { bytes: u64 },
    /// It changed, and what is open cannot go on with it: it must be opened again.
    Stuck,
    /// Another run writes it now.
    Replaced,
}

/// How often the page looks.
pub const LOOK_MS: u32 = 2_000;

/// So many looks without news, and the program exited or is idle.
const QUIET_LOOKS: u32 = 15;

impl FollowStatus {
    /// What it is when the file was found to be so long, of which so much is shown.
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

    /// What it is when the open trace could not go on with its file.
    pub fn not_followed(is_another: bool) -> FollowStatus {
        if is_another { FollowStatus::Replaced } else { FollowStatus::Stuck }
    }

    /// Whether more is to be expected, so that what is said may change.
    pub fn is_growing(self) -> bool {
        matches!(self, FollowStatus::Growing { .. })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_grows_until_nothing_has_come_for_a_while() {
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
    fn a_file_that_must_be_opened_again_stays_so() {
        assert_eq!(FollowStatus::not_followed(false).seen(30, 20), FollowStatus::Stuck);
        assert_eq!(FollowStatus::not_followed(true).seen(30, 20), FollowStatus::Replaced);
    }
}
