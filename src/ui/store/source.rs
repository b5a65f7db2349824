//! Where a trace comes from. The page keeps it as long as the trace is open, so that a new worker can open it again.

use std::fmt;
use std::ops::Deref;
use std::rc::Rc;

use web_sys::Blob;

use camlscope_engine::protocol::Whole;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TraceSource {
    /// A file of the user's.
    File(FileHandle),
    /// A file of the page's own host, by its whole address. The worker fetches it.
    Address(String),
    /// The sample, which has to be fetched first.
    Sample,
    /// The copy in the report that this page is, and what it says of the whole.
    Report(Option<Whole>),
}

/// A file of the user's. Two handles are equal only if one is a clone of the other.
#[derive(Clone)]
pub struct FileHandle(Rc<Blob>);

impl FileHandle {
    pub fn new(file: Blob) -> FileHandle {
        FileHandle(Rc::new(file))
    }
}

impl Deref for FileHandle {
    type Target = Blob;

    fn deref(&self) -> &Blob {
        &self.0
    }
}

impl PartialEq for FileHandle {
    fn eq(&self, other: &FileHandle) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for FileHandle {}

impl fmt::Debug for FileHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("FileHandle")
    }
}
