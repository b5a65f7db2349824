//! What the page weighs on the wire, against its limit. The sample trace is fetched only when someone asks for it, so it
//! does not count.

use crate::assets::Files;

/// What the page may weigh gzipped, in kilobytes.
const LIMIT_KB: usize = 750;

/// The table of files with their sizes as they are and gzipped, and whether the page keeps its limit.
pub fn table(files: &Files) -> String {
    let gzipped = |path: &str| files.get(&format!("{path}.gz")).map(Vec::len);
    let mut rows: Vec<(&str, usize, usize)> =
        files.iter().filter_map(|(path, content)| Some((path.as_str(), content.len(), gzipped(path)?))).collect();
    rows.sort_by_key(|(_, _, gzipped)| std::cmp::Reverse(*gzipped));
    let (samples, page): (Vec<_>, Vec<_>) = rows.into_iter().partition(|(path, ..)| path.ends_with(".ctf"));
    let width = files.keys().map(String::len).max().unwrap_or(0);
    let line = |name: &str, bytes: &str, gzipped: &str| format!("  {name:width$}  {bytes:>10}  {gzipped:>10}\n");
    let mut text = line("file", "bytes", "gzipped");
    for (path, bytes, gzipped) in page.iter().chain(&samples) {
        text += &line(path, &grouped(*bytes), &grouped(*gzipped));
    }
    text + "  " + &verdict(page.iter().map(|(_, _, gzipped)| gzipped).sum()) + "\n"
}

fn verdict(gzipped: usize) -> String {
    let kb = gzipped.div_ceil(1000);
    let rest = match kb.checked_sub(LIMIT_KB) {
        None | Some(0) => "within".to_owned(),
        Some(more) => format!("{more} KB over"),
    };
    format!("{kb} KB gzipped without the sample: {rest} the limit of {LIMIT_KB} KB")
}

/// `1,234,567`.
fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let groups: Vec<&str> = digits.as_bytes().rchunks(3).rev().filter_map(|group| str::from_utf8(group).ok()).collect();
    groups.join(",")
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
        let file = |path: &str, bytes: usize| (path.to_owned(), vec![7; bytes]);
        let files = [file("p.js", 9), file("p.js.gz", 4_000), file("s.ctf", 9), file("s.ctf.gz", 9_000)];
        assert!(
            table(&Files::from(files)).ends_with("  4 KB gzipped without the sample: within the limit of 750 KB\n")
        );
    }

    #[test]
    fn the_limit_is_kept_or_passed() {
        assert!(verdict(749_100).contains("750 KB gzipped without the sample: within the limit"));
        assert!(verdict(812_000).contains("62 KB over the limit of 750 KB"));
    }
}
