//! The browser's objects in the state.

use std::fmt::Debug;

/// The types of these objects. The store only passes them on, so tests need no browser.
pub trait Browser: Clone + Debug + Default + PartialEq + 'static {
    /// A file that the user opened.
    type File: Clone + Debug + PartialEq;
    /// A folder with source code.
    type Folder: Debug;
    /// A folder that was dropped on the page.
    type DroppedFolder: Clone + Debug + PartialEq;

    fn bytes(file: &Self::File) -> u64;

    /// Whether the folder comes with a report.
    fn is_of_report(folder: &Self::Folder) -> bool;
}

/// No browser, for tests.
#[cfg(test)]
impl Browser for () {
    type File = ();
    type Folder = ();
    type DroppedFolder = ();

    fn bytes((): &()) -> u64 {
        0
    }

    fn is_of_report((): &()) -> bool {
        false
    }
}
