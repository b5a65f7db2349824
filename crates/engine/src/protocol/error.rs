//! Errors as data: offsets, names and values. They are turned into text elsewhere.

use serde::{Deserialize, Serialize};

use crate::load::NotLoaded;
use crate::query::filter::FilterError;
use crate::query::profile::NotInProfile;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Error {
    /// A message arrived for a load that isn't in progress.
    NoLoad,
    /// A request arrived before any trace was loaded.
    NoTrace,
    /// The requested frames don't exist in these stacks. A link made for another trace can ask for them.
    NotInStacks,
    /// A trace and a profile have no figures in common.
    TraceAndProfile,
    /// Only profiles have call counts.
    NoCallCounts,
    NotFollowed(NotFollowed),
    NotLoaded(NotLoaded),
    Filter(FilterError),
    NotInProfile(NotInProfile),
    /// The file couldn't be read, with the reason from the system or the browser.
    Unreadable(String),
    NotFetched {
        address: String,
        why: FetchError,
    },
    /// A copy of the trace couldn't be made for a report.
    NotEmbedded(String),
}

/// Files that can't be followed: only uncompressed traces are written packet by packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum NotFollowed {
    Profile,
    Compressed,
}

/// Why a file from the page's own host couldn't be fetched.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum FetchError {
    /// Also used for a redirect to another host, which the page may not contact.
    NoAnswer,
    NotFound,
    Status(u16),
    Empty,
    BrokenOff {
        offset: u64,
    },
}

impl From<NotLoaded> for Error {
    fn from(error: NotLoaded) -> Error {
        Error::NotLoaded(error)
    }
}

impl From<FilterError> for Error {
    fn from(error: FilterError) -> Error {
        Error::Filter(error)
    }
}

impl From<NotInProfile> for Error {
    fn from(error: NotInProfile) -> Error {
        Error::NotInProfile(error)
    }
}
