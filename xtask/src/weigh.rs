//! What the page weighs on the wire, against its goal. The sample trace is fetched only when someone asks for it, so it
//! is listed apart.

use std::io::Write;

use anyhow::Result;
use flate2::Compression;
use flate2::write::GzEncoder;

use crate::assemble::Files;

/// The whole page, gzipped.
const GOAL_BYTES: usize = 750_000;

/// The table of files with their sizes, and the verdict.
pub fn table(files: &Files) -> Result<String> {
    let mut page = Vec::new();
    let mut apart = Vec::new();
    for (name, content) in files.iter().filter(|(_, content)| !content.is_empty()) {
        let row = Row { name, bytes: content.len(), gzipped: gzipped_size(content)? };
        if name.ends_with(".ctf") { apart.push(row) } else { page.push(row) }
    }
    page.sort_by(|a, b| b.gzipped.cmp(&a.gzipped).then(a.name.cmp(b.name)));
    let width = files.keys().map(String::len).max().unwrap_or(0);
    let mut text = format!("  {:width$}  {:>10}  {:>10}\n", "file", "bytes", "gzipped");
    for Row { name, bytes, gzipped } in &page {
        text += &format!("  {name:width$}  {:>10}  {:>10}\n", grouped(*bytes), grouped(*gzipped));
    }
    let bytes = page.iter().map(|row| row.bytes).sum();
    let gzipped = page.iter().map(|row| row.gzipped).sum();
    text += &format!("  {:width$}  {:>10}  {:>10}\n", "the page together", grouped(bytes), grouped(gzipped));
    text += &format!("  {}\n", verdict(gzipped));
    for Row { name, bytes, gzipped } in &apart {
        text +=
            &format!("  apart, loaded on demand: {name}, {} bytes, {} gzipped\n", grouped(*bytes), grouped(*gzipped));
    }
    Ok(text)
}

/// The size after gzip at its best, which is about what a static host sends.
pub fn gzipped_size(content: &[u8]) -> Result<usize> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(content)?;
    Ok(encoder.finish()?.len())
}

/// `1,234,567`.
pub fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

struct Row<'a> {
    name: &'a str,
    bytes: usize,
    gzipped: usize,
}

fn verdict(gzipped: usize) -> String {
    let (kb, goal) = (gzipped.div_ceil(1000), GOAL_BYTES / 1000);
    if gzipped <= GOAL_BYTES {
        format!("{kb} KB gzipped: within the goal of {goal} KB")
    } else {
        format!("{kb} KB gzipped: {} KB over the goal of {goal} KB", kb - goal)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_grouped_by_three_digits() {
        let all: Vec<String> = [0, 12, 999, 1000, 65_536, 1_234_567].map(grouped).into();
        assert_eq!(all, ["0", "12", "999", "1,000", "65,536", "1,234,567"]);
    }

    #[test]
    fn the_sample_does_not_count() {
        let mut files = Files::new();
        files.insert("index.html".to_owned(), b"<p>hello".to_vec());
        let before = table(&files).expect("memory suffices");
        files.insert("s.ctf".to_owned(), vec![7; 100_000]);
        let after = table(&files).expect("memory suffices");
        assert!(after.starts_with(&before), "{after}");
        assert!(after.contains("apart, loaded on demand: s.ctf, 100,000 bytes"), "{after}");
    }

    #[test]
    fn the_goal_is_met_or_missed_in_words() {
        assert_eq!(verdict(749_100), "750 KB gzipped: within the goal of 750 KB");
        assert_eq!(verdict(812_000), "812 KB gzipped: 62 KB over the goal of 750 KB");
    }
}
