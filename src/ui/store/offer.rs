//! A file that was dropped while another is open.

use web_sys::File;

/// A file that may take the place of what is open, or be compared with it.
#[derive(Clone, Debug, PartialEq)]
pub struct Offer {
    pub file: File,
    /// By its first bytes it is a profile; one that is packed is taken for a trace.
    pub is_profile: bool,
}
