//! A file that was dropped while another is open.

use web_sys::File;

/// A file that may take the place of what is open, or be compared with it.
#[derive(Clone, Debug, PartialEq)]
pub struct DroppedFile {
    pub file: File,
    /// By its first bytes, or the first that are packed in it, it is a profile.
    pub is_profile: bool,
}
