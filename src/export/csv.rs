//! Tables as comma-separated values (RFC 4180), for spreadsheets and scripts.

/// A heading and rows of cells; a cell is quoted where it must be.
pub fn csv(heading: &[&str], rows: impl IntoIterator<Item = Vec<String>>) -> String {
    let mut text = String::new();
    push_row(&mut text, heading.iter().copied());
    for row in rows {
        push_row(&mut text, row.iter().map(String::as_str));
    }
    text
}

fn push_row<'a>(text: &mut String, cells: impl Iterator<Item = &'a str>) {
    for (n, cell) in cells.enumerate() {
        if n > 0 {
            text.push(',');
        }
        if cell.contains([',', '"', '\n', '\r']) {
            text.push('"');
            text.push_str(&cell.replace('"', "\"\""));
            text.push('"');
        } else {
            text.push_str(cell);
        }
    }
    text.push_str("\r\n");
}
