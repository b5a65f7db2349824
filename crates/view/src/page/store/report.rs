//! The header of a report. Reports can come from anyone, so every field is validated like user input.

use camlscope_engine::query::filter::Filter;
use camlscope_present::export::{Notes, ReportHeader};
use camlscope_present::words;

/// Longer titles and remarks are truncated.
pub const MAX_TITLE_CHARS: usize = 200;
pub const MAX_REMARKS_CHARS: usize = 20_000;

/// Returns `None` if the text is damaged.
pub fn read(text: &str) -> Option<ReportHeader> {
    let header: ReportHeader = serde_json::from_str(text).ok()?;
    let cut = |text: &str, max: usize| text.chars().take(max).collect::<String>();
    let title = cut(&header.notes.title, MAX_TITLE_CHARS);
    let remarks = cut(&header.notes.remarks, MAX_REMARKS_CHARS);
    Some(ReportHeader { name: cut(&header.name, MAX_TITLE_CHARS), notes: Notes { title, remarks }, ..header })
}

/// Returns sentences about what is missing from the trace in a report, or an empty string.
pub fn lacks(header: &ReportHeader, downsampled: Option<u32>) -> String {
    let mut sentences = Vec::new();
    if header.is_cut {
        let filter = Filter::parse(&header.filter).ok().filter(|filter| !filter.clauses.is_empty());
        let words = filter.map_or_else(|| "some of the objects".to_owned(), |filter| words::filter::filter(&filter));
        sentences.push(format!("This report contains only {words}."));
    }
    if let Some(downsampled) = downsampled {
        sentences.push(format!("It keeps 1 in {downsampled} samples to stay small."));
    }
    if header.is_anonymized {
        sentences.push("Names are anonymized.".to_owned());
    }
    sentences.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_headers_are_truncated_and_damaged_ones_rejected() {
        let long = "x".repeat(1_000_000);
        let header = read(&format!("{{\"notes\": {{\"title\": \"{long}\", \"remarks\": \"{long}\"}}}}")).expect("JSON");
        let Notes { title, remarks } = header.notes;
        assert_eq!((title.len(), remarks.len()), (MAX_TITLE_CHARS, MAX_REMARKS_CHARS));
        assert_eq!(read("{\"notes\": 7}"), None);
        assert_eq!(read("{"), None);
    }

    #[test]
    fn a_report_states_what_is_missing() {
        let header = |filter: &str, is_cut, is_anonymized| ReportHeader {
            filter: filter.to_owned(),
            is_cut,
            is_anonymized,
            ..ReportHeader::default()
        };
        assert_eq!(lacks(&header("", false, false), None), "");
        let cut = lacks(&header("allocated=1s..2s", true, false), Some(4));
        assert_eq!(
            cut,
            "This report contains only objects allocated between 1 s and 2 s. It keeps 1 in 4 samples to stay small."
        );
        let nameless = lacks(&header("<b>=7", true, true), None);
        assert_eq!(nameless, "This report contains only some of the objects. Names are anonymized.");
    }
}
