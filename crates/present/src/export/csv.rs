//! Tables as comma-separated values (RFC 4180), for spreadsheets and scripts.

use camlscope_engine::query::tree::{Label, Place};

/// Writes a heading and rows of cells. Cells are quoted if necessary.
pub fn csv(heading: &[&str], rows: impl IntoIterator<Item = Vec<String>>) -> String {
    let mut text = String::new();
    push_row(&mut text, heading.iter().copied());
    for row in rows {
        push_row(&mut text, row.iter().map(String::as_str));
    }
    text
}

/// The first columns of tables with labels: the compiler's name and the plain one, then the location.
pub const LABEL_HEADING: [&str; 6] = ["name", "label", "file", "line", "start_char", "end_char"];

pub fn label_cells(label: &Label) -> [String; 6] {
    let of_place = |value: fn(&Place) -> String| label.place.as_ref().map(value).unwrap_or_default();
    [
        label.name.clone(),
        label.plain(),
        label.file.clone(),
        of_place(|place| place.line.to_string()),
        of_place(|place| place.start_char.to_string()),
        of_place(|place| place.end_char.to_string()),
    ]
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
