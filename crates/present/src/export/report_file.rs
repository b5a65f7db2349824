//! A report that is the analyzer: `camlscope.html`, with a trace and what its reader is to see of it inside.
//!
//! What is added are two scripts of kinds that no browser runs. Whoever opens the file reads them as it would read a dropped
//! file and an address: nothing of them becomes part of the page but as text.

use serde::{Deserialize, Serialize};

use camlscope_engine::trace::Whole;

/// The elements of a report.
pub const HEADER_ID: &str = "camlscope-report";
pub const TRACE_ID: &str = "camlscope-trace";

/// More than a header takes beside its texts: totals and warnings, which are not known before the trace is embedded.
pub const ROOM_FOR_TOTALS: u64 = 4096;

/// What a report says beside its trace.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ReportHeader {
    /// The name of the file that the report was made of; empty where it is not to be told.
    pub name: String,
    /// The view, as the text behind an address's `#`.
    pub view: String,
    pub notes: Notes,
    /// Which objects are inside, as [`camlscope_engine::query::filter`] writes a filter; empty where all are.
    pub filter: String,
    /// Only some objects are inside, whether the filter is told or not.
    pub is_cut: bool,
    #[serde(alias = "is_anonymised")]
    pub is_anonymized: bool,
    /// `None` for a profile.
    pub whole: Option<Whole>,
}

/// What a reader has written about a trace.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Notes {
    pub title: String,
    pub remarks: String,
}

impl Notes {
    pub fn is_empty(&self) -> bool {
        self.title.is_empty() && self.remarks.is_empty()
    }
}

/// Whether a text is `camlscope.html`, and no report yet.
pub fn is_one_file(page: &str) -> bool {
    page.contains("<script id=\"camlscope-glue\">") && !page.contains(&format!("id=\"{HEADER_ID}\">"))
}

/// The text before and behind the trace, which is base64. `None` if `page` is no page.
pub fn around_trace(page: &str, header: &ReportHeader) -> Option<(String, String)> {
    let (before, behind) = page.split_at(page.rfind("</body>")?);
    // In JSON, this sign stands in texts alone; there it could end the script.
    let header = serde_json::to_string(header).ok()?.replace('<', "\\u003c");
    let before = format!(
        "{before}<script type=\"application/json\" id=\"{HEADER_ID}\">{header}</script>\n\
         <script type=\"application/gzip\" id=\"{TRACE_ID}\">"
    );
    Some((before, format!("</script>\n{behind}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_reader_wrote_stays_text_whatever_it_is() {
        let remarks = "</script><script>alert(1)</script> & \"<!--\"".to_owned();
        let header = ReportHeader { notes: Notes { remarks, ..Notes::default() }, ..ReportHeader::default() };
        let (before, behind) = around_trace("<html><body>'</body>'</body></html>", &header).expect("a page");
        assert_eq!(before.matches('<').count(), "<html><body>'</body>'<script></script><script>".matches('<').count());
        assert_eq!(behind, "</script>\n</body></html>");
        let json =
            before.split_once("report\">").and_then(|(_, rest)| rest.split_once("</script>")).expect("a header").0;
        assert_eq!(serde_json::from_str::<ReportHeader>(json).expect("JSON"), header);
    }

    #[test]
    fn a_header_that_lacks_fields_is_read_and_one_that_is_damaged_is_not() {
        assert_eq!(serde_json::from_str::<ReportHeader>("{}").expect("JSON"), ReportHeader::default());
        assert!(serde_json::from_str::<ReportHeader>("{\"name\": 7}").is_err());
        assert_eq!(around_trace("no page", &ReportHeader::default()), None);
    }
}
