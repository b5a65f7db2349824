//! Names of saved files, derived from the trace's name.

use super::browser::Browser;
use super::state::Loaded;

/// Extensions of traces, which don't apply to exported files.
const ENDINGS: [&str; 5] = [".gz", ".zst", ".ctf", ".trace", ".prof"];

impl<B: Browser> Loaded<B> {
    /// Returns `leak-1.table.csv` for `table.csv`.
    pub fn file_name(&self, ending: &str) -> String {
        format!("{}.{ending}", stem(&self.main.name))
    }

    /// Returns `leak-1-and-leak-2.changes.csv` if two traces are compared.
    pub fn compared_file_name(&self, ending: &str) -> String {
        match &self.other {
            Some(other) => format!("{}-and-{}.{ending}", stem(&self.main.name), stem(&other.name)),
            None => self.file_name(ending),
        }
    }
}

/// Returns the name without its extensions, and with only characters that every file system supports.
fn stem(name: &str) -> String {
    let mut stem = name;
    while let Some(shorter) = ENDINGS.iter().find_map(|ending| stem.strip_suffix(ending)) {
        stem = shorter;
    }
    let is_plain = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.');
    let plain: String = stem.chars().map(|c| if is_plain(c) { c } else { '-' }).collect();
    match plain.trim_matches(['.', '-']) {
        "" => "trace".to_owned(),
        plain => plain.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exports_are_named_after_the_trace_without_its_extensions() {
        assert_eq!(stem("leak-1e-4-v3.ctf.gz"), "leak-1e-4-v3");
        assert_eq!(stem("the sample"), "the-sample");
        assert_eq!(stem("a/b: c?.ctf"), "a-b--c");
        assert_eq!(stem("trace.2026.ctf"), "trace.2026");
        assert_eq!(stem(".ctf"), "trace");
        assert_eq!(stem("spur-für-olga.ctf"), "spur-für-olga");
    }
}
