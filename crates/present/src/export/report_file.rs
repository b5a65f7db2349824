//! A report that is the viewer itself: `camlscope.html` with a trace and a view inside.
//!
//! It adds two scripts of types that no browser runs. The page reads them like a dropped file and a URL, so they enter
//! the page only as text.

use serde::{Deserialize, Serialize};

use camlscope_engine::trace::Whole;

/// The ids of the elements of a report.
pub const HEADER_ID: &str = "camlscope-report";
pub const TRACE_ID: &str = "camlscope-trace";
pub const SOURCES_ID: &str = "camlscope-sources";

/// An upper limit for a header without its texts. Totals and warnings are not known before the trace is embedded.
pub const ROOM_FOR_TOTALS: u64 = 4096;

/// Information in a report in addition to the trace.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ReportHeader {
    /// The name of the original file, or empty if it must not be revealed.
    pub name: String,
    /// The view, as the text of a URL's fragment.
    pub view: String,
    pub notes: Notes,
    /// The filter for the included objects, as [`camlscope_engine::query::filter`] writes it, or empty if all are
    /// included.
    pub filter: String,
    /// Only some objects are included, whether the filter is revealed or not.
    pub is_cut: bool,
    #[serde(alias = "is_anonymised")]
    pub is_anonymized: bool,
    /// `None` for a profile.
    pub whole: Option<Whole>,
}

/// The user's notes about a trace.
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

/// Source code in a report.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ReportSources {
    /// The name of the folder that the files come from.
    pub folder: String,
    pub files: Vec<ReportSource>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ReportSource {
    /// Below the folder.
    pub path: String,
    /// When the file was last changed, in milliseconds since 1970.
    pub modified_ms: u64,
    pub text: String,
}

/// Adds source code to `camlscope.html`, before [`around_trace`] makes a report of it.
pub fn with_sources(page: &str, sources: &ReportSources) -> Option<String> {
    let (before, behind) = page.split_at(page.rfind("</body>")?);
    let sources = json(sources)?;
    Some(format!("{before}<script type=\"application/json\" id=\"{SOURCES_ID}\">{sources}</script>\n{behind}"))
}

/// Whether a text is `camlscope.html` and not yet a report.
pub fn is_one_file(page: &str) -> bool {
    page.contains("<script id=\"camlscope-glue\">") && !page.contains(&format!("id=\"{HEADER_ID}\">"))
}

/// Returns the text before and after the base64 of the trace, or `None` if `page` isn't an HTML page.
pub fn around_trace(page: &str, header: &ReportHeader) -> Option<(String, String)> {
    let (before, behind) = page.split_at(page.rfind("</body>")?);
    let header = json(header)?;
    let before = format!(
        "{before}<script type=\"application/json\" id=\"{HEADER_ID}\">{header}</script>\n\
         <script type=\"application/gzip\" id=\"{TRACE_ID}\">"
    );
    Some((before, format!("</script>\n{behind}")))
}

/// In JSON, `<` occurs only in strings, where it could end the script.
fn json(value: &impl Serialize) -> Option<String> {
    Some(serde_json::to_string(value).ok()?.replace('<', "\\u003c"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_are_always_embedded_as_text() {
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
    fn sources_are_embedded_as_text() {
        let text = "let x = \"</script><script>\" (* é *)".to_owned();
        let files = vec![ReportSource { path: "a.ml".to_owned(), modified_ms: 7, text }];
        let sources = ReportSources { folder: "project".to_owned(), files };
        let page = with_sources("<html><body></body></html>", &sources).expect("a page");
        assert_eq!(page.matches('<').count(), "<html><body><script></script></body></html>".matches('<').count());
        let json = page.split_once("sources\">").and_then(|(_, rest)| rest.split_once("</script>")).expect("sources").0;
        assert_eq!(serde_json::from_str::<ReportSources>(json).expect("JSON"), sources);
        assert!(around_trace(&page, &ReportHeader::default()).is_some_and(|(before, _)| before.contains(json)));
    }

    #[test]
    fn a_header_may_lack_fields_but_not_be_damaged() {
        assert_eq!(serde_json::from_str::<ReportHeader>("{}").expect("JSON"), ReportHeader::default());
        assert!(serde_json::from_str::<ReportHeader>("{\"name\": 7}").is_err());
        assert_eq!(around_trace("no page", &ReportHeader::default()), None);
    }
}
