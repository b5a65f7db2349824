//! What the page weighs on the wire, against its limit. The sample trace is fetched only when someone asks for it, and the
//! page as one file only for a report, so they do not count.

use std::cmp::Reverse;

use crate::assets::Files;
use crate::one_file::ONE_FILE;

/// What the page may weigh gzipped, in kilobytes.
const LIMIT_KB: f64 = 750.0;

/// The table of files with their sizes as they are and gzipped, and whether the page keeps its limit.
pub fn table(files: &Files) -> String {
    let gzipped = |path: &str| files.get(&format!("{path}.gz")).map(Vec::len);
    let mut rows: Vec<(&str, usize, usize)> =
        files.iter().filter_map(|(path, content)| Some((path.as_str(), content.len(), gzipped(path)?))).collect();
    rows.sort_by_key(|(_, _, gzipped)| Reverse(*gzipped));
    let kb = |bytes: usize| bytes as f64 / 1000.0;
    let mut text = format!("  {:>8} {:>8}\n", "KB", "gzipped");
    for (path, bytes, gzipped) in &rows {
        text += &format!("  {:>8.1} {:>8.1}  {path}\n", kb(*bytes), kb(*gzipped));
    }
    let page = rows.iter().filter(|(path, ..)| !path.ends_with(".ctf") && *path != ONE_FILE);
    let sum = kb(page.map(|(_, _, gzipped)| gzipped).sum());
    let place = if sum <= LIMIT_KB { "within" } else { "above" };
    text += &format!("  {sum:.0} KB gzipped without the sample: {place} the limit of {LIMIT_KB} KB\n");
    if let Some(one_file) = files.get(ONE_FILE) {
        text += &format!("  {:.0} KB is {ONE_FILE}, the page as one file\n", kb(one_file.len()));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_keeps_its_limit_without_the_sample() {
        let last_line = |page: usize| {
            let file = |path: &str, bytes: usize| (path.to_owned(), vec![7; bytes]);
            let files = [file("p.js", 9), file("p.js.gz", page), file("s.ctf", 9), file("s.ctf.gz", 900_000)];
            table(&Files::from(files)).lines().last().unwrap_or_default().trim().to_owned()
        };
        assert_eq!(last_line(749_900), "750 KB gzipped without the sample: within the limit of 750 KB");
        assert_eq!(last_line(812_000), "812 KB gzipped without the sample: above the limit of 750 KB");
    }
}
