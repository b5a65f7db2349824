//! The text of a search field. It means the same in every view, so that a search finds the same functions everywhere.

use super::filter::{FilterError, How, NameMatcher, NameTest};
use super::tree::Label;

/// Finds names and files: plain text in any case, or a regular expression between slashes.
#[derive(Clone, Debug)]
pub struct Search(NameMatcher);

impl Search {
    /// Returns `None` for an empty text. An error quotes the text as typed.
    pub fn parse(text: &str) -> Result<Option<Search>, FilterError> {
        let text = text.trim();
        if text.is_empty() {
            return Ok(None);
        }
        let pattern = text.strip_prefix('/').and_then(|rest| rest.strip_suffix('/')).filter(|rest| !rest.is_empty());
        let test = match pattern {
            Some(pattern) if pattern.chars().any(char::is_uppercase) => NameTest::matches(pattern),
            Some(pattern) => NameTest::matches(&format!("(?i){pattern}")),
            None => NameTest { how: How::Contains, text: text.to_owned() },
        };
        match NameMatcher::new(&test) {
            Ok(matcher) => Ok(Some(Search(matcher))),
            Err(why) => Err(FilterError::BadPattern { pattern: text.to_owned(), why }),
        }
    }

    pub fn finds(&self, label: &Label) -> bool {
        self.0.is_match(&label.name) || self.0.is_match(&label.file)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finds(text: &str, name: &str) -> bool {
        let search = Search::parse(text).expect("a valid search").expect("a text");
        search.finds(&Label { name: name.to_owned(), file: "src/shop.ml".to_owned(), place: None })
    }

    #[test]
    fn plain_text_is_found_literally_in_names_and_files() {
        assert!(finds("json", "Orders.Json.print") && finds(" JSON ", "Orders.Json.print"));
        assert!(finds("List.map", "Stdlib__List.map") && !finds("List.map", "ListXmap"));
        assert!(finds("/shop.ml", "A.b") && finds("type_(", "type_(x)"));
        assert!(!finds("a|b", "a"));
    }

    #[test]
    fn text_between_slashes_is_a_regular_expression() {
        assert!(finds(r"/^list\.(map|iter)$/", "Stdlib__List.map"));
        assert!(finds("/Json|Xml/", "A.Xml.read") && !finds("/Json/", "json_of_string"));
        assert!(finds("/shop/", "A.b"));
    }

    #[test]
    fn an_error_quotes_the_text_as_typed() {
        match Search::parse(" /type_(/ ") {
            Err(FilterError::BadPattern { pattern, .. }) => assert_eq!(pattern, "/type_(/"),
            other => panic!("{other:?}"),
        }
        assert!(matches!(Search::parse("  "), Ok(None)));
        // Slashes alone are text.
        assert!(matches!(Search::parse("//"), Ok(Some(_))) && matches!(Search::parse("/"), Ok(Some(_))));
    }
}
