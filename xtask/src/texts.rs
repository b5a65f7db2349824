//! Prints everything that users can read: the help of every command, and all texts in the code, by file. The test below checks
//! them against docs/glossary.md.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::shell;

/// Code with texts for users.
const FOLDERS: [&str; 7] = [
    "crates/cli/src",
    "crates/engine/src",
    "crates/formats/src",
    "crates/present/src",
    "crates/view/src",
    "src/ui",
    "src/worker",
];
const COMMANDS: [&str; 19] = [
    "record",
    "open",
    "summary",
    "view",
    "table",
    "sites",
    "annotate",
    "flame",
    "timeline",
    "histogram",
    "leaks",
    "compare",
    "watch",
    "dump",
    "convert",
    "fleet",
    "report",
    "completions",
    "man",
];

pub fn run(root: &Path) -> Result<()> {
    for command in [""].iter().chain(&COMMANDS) {
        let mut cargo = shell::cargo_in(root, "run");
        cargo.args(["--quiet", "--package", "camlscope", "--bin", "camlscope", "--"]);
        let help = shell::answer(cargo.args(Some(command).filter(|command| !command.is_empty())).arg("--help"));
        println!("# camlscope {command}\n\n{}\n", help.context("can't build the command line")?);
    }
    let mut file = PathBuf::new();
    for text in texts(root)? {
        if text.file != file {
            println!("\n# {}\n", text.file.display());
            file.clone_from(&text.file);
        }
        println!("{:>5}  {}", text.line, text.text);
    }
    Ok(())
}

/// A text in a file.
#[derive(Debug, PartialEq, Eq)]
struct Text {
    file: PathBuf,
    line: usize,
    text: String,
}

/// Returns all string literals with at least two words, except in tests.
fn texts(root: &Path) -> Result<Vec<Text>> {
    let mut files = Vec::new();
    for folder in FOLDERS {
        collect_files(&root.join(folder), &mut files)?;
    }
    files.sort();
    let mut texts = Vec::new();
    for path in files {
        let code = fs::read_to_string(&path)?;
        let file = path.strip_prefix(root).unwrap_or(&path).to_owned();
        let literals = literals(code.split("#[cfg(test)]").next().unwrap_or_default());
        let is_text = |text: &str| text.trim().contains(' ') && text.contains(char::is_alphabetic);
        let found = literals.into_iter().filter(|(_, text)| is_text(text));
        texts.extend(found.map(|(line, text)| Text { file: file.clone(), line, text }));
    }
    Ok(texts)
}

fn collect_files(folder: &Path, files: &mut Vec<PathBuf>) -> Result<()> {
    for entry in fs::read_dir(folder).with_context(|| format!("reading {}", folder.display()))? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if path.is_dir() {
            collect_files(&path, files)?;
        } else if name.ends_with(".rs") && name != "tests.rs" && name != "simulations.rs" {
            files.push(path);
        }
    }
    Ok(())
}

/// Returns the string literals in Rust code, each with its line number. Leaves out `expect("…")`, which isn't for users.
fn literals(code: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    let mut rest = code;
    let line = |rest: &str| code[..code.len() - rest.len()].matches('\n').count() + 1;
    while let Some(at) = rest.find(['"', '/', '\'', 'r']) {
        let (before, from) = rest.split_at(at);
        let is_word = before.ends_with(|c: char| c.is_alphanumeric() || c == '_');
        let hashes = from[1..].chars().take_while(|c| *c == '#').count();
        if from.starts_with("//") {
            rest = from.split_once('\n').map_or("", |(_, rest)| rest);
        } else if from.starts_with("'\"'") || from.starts_with("'\\'") {
            rest = &from[3..];
        } else if from.starts_with('r') && !is_word && from[1 + hashes..].starts_with('"') {
            let end = format!("\"{}", "#".repeat(hashes));
            let inside = &from[2 + hashes..];
            let (text, after) = inside.split_once(&end).unwrap_or((inside, ""));
            found.push((line(from), text.to_owned()));
            rest = after;
        } else if let Some(inside) = from.strip_prefix('"') {
            let (text, after) = quoted(inside);
            if !before.ends_with("expect(") {
                found.push((line(from), text));
            }
            rest = after;
        } else {
            rest = &from[1..];
        }
    }
    found
}

/// Returns the literal up to its closing quote, with continued lines joined, and the rest of the code.
fn quoted(inside: &str) -> (String, &str) {
    let mut text = String::new();
    let mut chars = inside.char_indices();
    while let Some((at, c)) = chars.next() {
        match c {
            '"' => return (text, &inside[at + 1..]),
            '\\' => match chars.next() {
                Some((_, '\n')) => {
                    let blank = chars.as_str().len() - chars.as_str().trim_start().len();
                    for _ in 0..chars.as_str()[..blank].chars().count() {
                        chars.next();
                    }
                }
                Some((_, 'n')) => text.push('\n'),
                Some((_, escaped)) => text.push(escaped),
                None => {}
            },
            _ => text.push(c),
        }
    }
    (text, "")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the words in the last column of the glossary's tables, in lower case.
    fn avoided(glossary: &str) -> Vec<String> {
        let rows = glossary.lines().filter(|line| line.starts_with("| ") && !line.starts_with("| ---"));
        let last = rows.filter_map(|row| row.split('|').rev().nth(1));
        last.flat_map(|cell| cell.split(", "))
            .map(|word| word.trim().to_lowercase())
            .filter(|word| !word.is_empty() && word != "not")
            .collect()
    }

    fn contains_words(text: &str, words: &str) -> bool {
        let text = text.to_lowercase();
        let is_letter = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
        text.match_indices(words).any(|(at, _)| {
            !is_letter(text[..at].chars().next_back()) && !is_letter(text[at + words.len()..].chars().next())
        })
    }

    fn root() -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).with_file_name("")
    }

    #[test]
    fn texts_for_users_follow_the_glossary() {
        let root = root();
        let avoided = avoided(&fs::read_to_string(root.join("docs/glossary.md")).expect("a glossary"));
        assert!(avoided.iter().any(|word| word == "to be had") && avoided.len() > 20, "{avoided:?}");
        let mut texts = texts(&root).expect("the code can be read");
        for name in ["README.md", "docs/cli.md", "docs/hosting.md", "docs/reports.md", "docs/terminal.md", "index.html"]
        {
            let text = fs::read_to_string(root.join(name)).expect(name);
            let line = |(at, text): (usize, &str)| Text { file: name.into(), line: at + 1, text: text.to_owned() };
            texts.extend(text.lines().enumerate().map(line));
        }
        let mut wrong = Vec::new();
        // Column names stay the same, because users' queries contain them.
        for Text { file, line, text } in texts.into_iter().filter(|text| !text.text.contains("REQUIRED INT32")) {
            let words = avoided.iter().filter(|words| contains_words(&text, words));
            wrong.extend(words.map(|words| format!("{}:{line}: “{words}” in “{text}”", file.display())));
        }
        assert!(wrong.is_empty(), "docs/glossary.md has other words for these:\n{}", wrong.join("\n"));
    }

    #[test]
    fn literals_are_found_and_comments_are_ignored() {
        let code = "// \"no\"\nlet a = \"one \\\n    two\"; let c = '\"'; b(r#\"raw \"x\" y\"#); d.expect(\"no text\"); e(\"\\\"q\\\" z\")";
        let found: Vec<(usize, String)> = literals(code);
        let expected = [(2, "one two"), (3, "raw \"x\" y"), (3, "\"q\" z")];
        assert_eq!(found, expected.map(|(line, text)| (line, text.to_owned())));
    }

    #[test]
    fn only_whole_words_are_found() {
        assert!(contains_words("Not to be had.", "to be had") && contains_words("Thinned", "thinned"));
        assert!(!contains_words("nothing", "thin"));
    }
}
