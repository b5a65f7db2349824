//! Identifies the trace that a link was made for, so that the page can ask for it or warn if another one is open.

use super::source::SAMPLE_NAME;
use crate::fields;
use camlscope_engine::query::summary::Summary;
use camlscope_present::format;

/// Identifies a run. It contains no paths of files or programs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TraceId {
    /// The program's name without its path, or empty if unknown.
    program: String,
    /// 0 if unknown, like `start_us`.
    pid: u64,
    start_us: u64,
    file: String,
}

/// The field's name in the URL.
pub(super) const FIELD: &str = "trace";

impl TraceId {
    pub(super) fn new(summary: &Summary, file_name: &str) -> TraceId {
        TraceId {
            program: last_part(&summary.info.executable).to_owned(),
            pid: summary.info.pid,
            start_us: summary.info.start_time_us,
            file: last_part(file_name).to_owned(),
        }
    }

    /// Returns `orders.exe/4711/1763340000000000/orders.ctf`. No name contains a slash.
    pub(super) fn to_text(&self) -> String {
        format!("{}/{}/{}/{}", self.program, self.pid, self.start_us, self.file)
    }

    /// Returns `None` if the text has neither a program nor a file name.
    fn from_text(text: &str) -> Option<TraceId> {
        let mut fields = text.split('/');
        let mut next = || fields.next().unwrap_or_default().to_owned();
        let (program, pid, start, file) = (next(), next(), next(), next());
        let id = TraceId { program, pid: pid.parse().unwrap_or(0), start_us: start.parse().unwrap_or(0), file };
        (!id.program.is_empty() || !id.file.is_empty()).then_some(id)
    }

    /// Reads the text after the URL's `#`. Returns `None` if it doesn't name a trace.
    pub fn from_hash(hash: &str) -> Option<TraceId> {
        let (_, text) = fields::read(hash).find(|(key, _)| *key == FIELD)?;
        TraceId::from_text(&text)
    }

    /// Whether both are the same run, even if the file was renamed. Without run information, file names are compared.
    pub(super) fn is_same(&self, other: &TraceId) -> bool {
        let run = |id: &TraceId| (id.program.clone(), id.pid, id.start_us);
        match (self.pid, other.pid) {
            (0, _) | (_, 0) => self.file == other.file,
            _ => run(self) == run(other),
        }
    }

    /// Whether the page can open it without a file of the user's.
    pub fn is_sample(&self) -> bool {
        self.file == SAMPLE_NAME
    }

    /// Returns `orders.exe, pid 4711, started 14 Nov 2026 10:03:12 (orders.ctf)`.
    pub fn words(&self) -> String {
        if self.program.is_empty() {
            return self.file.clone();
        }
        let mut words = self.program.clone();
        if self.pid != 0 {
            words.push_str(&format!(", pid {}", self.pid));
        }
        if self.start_us != 0 {
            words.push_str(&format!(", started {}", format::date_time(self.start_us)));
        }
        if !self.file.is_empty() {
            words.push_str(&format!(" ({})", self.file));
        }
        words
    }
}

fn last_part(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(program: &str, pid: u64, file: &str) -> TraceId {
        TraceId { program: program.to_owned(), pid, start_us: 7, file: file.to_owned() }
    }

    #[test]
    fn ids_round_trip_through_text() {
        for id in [id("orders.exe", 4711, "orders.ctf"), id("", 0, "a profile"), id("my program", 1, "")] {
            assert_eq!(TraceId::from_text(&id.to_text()), Some(id));
        }
        assert_eq!(TraceId::from_text(""), None);
        assert_eq!(TraceId::from_text("/1/2"), None);
        assert_eq!(TraceId::from_text("a/x/y").map(|id| (id.program, id.pid)), Some(("a".to_owned(), 0)));
    }

    #[test]
    fn traces_are_identified_by_run_or_else_by_file_name() {
        assert!(id("a", 1, "old.ctf").is_same(&id("a", 1, "new.ctf")));
        assert!(!id("a", 1, "a.ctf").is_same(&id("a", 2, "a.ctf")));
        assert!(id("", 0, "a").is_same(&id("", 0, "a")));
        assert!(!id("", 0, "a").is_same(&id("b", 3, "b")));
    }
}
