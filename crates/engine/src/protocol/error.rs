//! What can go wrong, as data: with offsets, names and values. Text for people is made of it elsewhere.

use serde::{Deserialize, Serialize};

use crate::load::NotLoaded;
use crate::query::filter::FilterError;
use crate::query::profile::NotInProfile;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Error {
    /// A message came for a load that is not, or no longer, under way.
    NoLoad,
    /// A request came before any trace was loaded.
    NoTrace,
    /// The stacks have no such place, as a link made for another trace may ask for.
    NotInStacks,
    /// A trace and a profile have no figures in common.
    TraceAndProfile,
    /// Only profiles have call counts.
    NoCallCounts,
    NotFollowed(NotFollowed),
    NotLoaded(NotLoaded),
    Filter(FilterError),
    NotInProfile(NotInProfile),
    /// The file could not be read, for the system's or the browser's reason.
    Unreadable(String),
    NotFetched {
        address: String,
        why: FetchError,
    },
    /// A copy of the trace could not be made for a report.
    NotEmbedded(String),
}

/// Files that can't be read while they are written: only plain traces are written packet by packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum NotFollowed {
    Profile,
    Compressed,
}

/// Why a file of the page's own host could not be fetched.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum FetchError {
    /// Or it led to another host, which the page may not ask.
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
