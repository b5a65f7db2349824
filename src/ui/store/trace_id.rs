//! Which trace a link was made for, so that the page can say what it waits for, and whether another one was opened.

use super::view::fields;
use camlscope_engine::query::summary::Summary;
use camlscope_present::format;

/// What tells a recording from others. Nothing of it says where a file or a program lies.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TraceId {
    /// The program's name without its folders; empty where the file does not say it.
    pub program: String,
    /// 0 where the file does not say it, as `start_us`.
    pub pid: u64,
    pub start_us: u64,
    pub file: String,
}

/// The field of the address that holds it.
pub const FIELD: &str = "trace";

impl TraceId {
    pub fn new(summary: &Summary, file_name: &str) -> TraceId {
        TraceId {
            program: last_part(&summary.info.executable).to_owned(),
            pid: summary.info.pid,
            start_us: summary.info.start_time_us,
            file: last_part(file_name).to_owned(),
        }
    }

    /// `orders.exe/4711/1763340000000000/orders.ctf`: no name has a slash.
    pub fn to_text(&self) -> String {
        format!("{}/{}/{}/{}", self.program, self.pid, self.start_us, self.file)
    }

    /// `None` if the text has no name in it.
    pub fn from_text(text: &str) -> Option<TraceId> {
        let mut fields = text.split('/');
        let mut next = || fields.next().unwrap_or_default().to_owned();
        let (program, pid, start, file) = (next(), next(), next(), next());
        let id = TraceId { program, pid: pid.parse().unwrap_or(0), start_us: start.parse().unwrap_or(0), file };
        (!id.program.is_empty() || !id.file.is_empty()).then_some(id)
    }

    /// Of the text behind the address's `#`; `None` if it does not say which trace it is of.
    pub fn from_hash(hash: &str) -> Option<TraceId> {
        let (_, text) = fields::read(hash).find(|(key, _)| *key == FIELD)?;
        TraceId::from_text(&text)
    }

    /// Whether both are of one recording, whatever its file is called now. Files that say nothing of their run go by name.
    pub fn is_same(&self, other: &TraceId) -> bool {
        let run = |id: &TraceId| (id.program.clone(), id.pid, id.start_us);
        match (self.pid, other.pid) {
            (0, _) | (_, 0) => self.file == other.file,
            _ => run(self) == run(other),
        }
    }

    /// `orders.exe, pid 4711, started 14 Nov 2026 10:03:12 (orders.ctf)`.
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
    fn an_id_reads_back_from_its_text() {
        for id in [id("orders.exe", 4711, "orders.ctf"), id("", 0, "a profile"), id("my program", 1, "")] {
            assert_eq!(TraceId::from_text(&id.to_text()), Some(id));
        }
        assert_eq!(TraceId::from_text(""), None);
        assert_eq!(TraceId::from_text("/1/2"), None);
        assert_eq!(TraceId::from_text("a/x/y").map(|id| (id.program, id.pid)), Some(("a".to_owned(), 0)));
    }

    #[test]
    fn a_recording_is_known_by_its_run_and_by_its_file_where_the_run_is_not_known() {
        assert!(id("a", 1, "old.ctf").is_same(&id("a", 1, "new.ctf")));
        assert!(!id("a", 1, "a.ctf").is_same(&id("a", 2, "a.ctf")));
        assert!(id("", 0, "a").is_same(&id("", 0, "a")));
        assert!(!id("", 0, "a").is_same(&id("b", 3, "b")));
    }
}
