//! The selected function, call site, file or module. A selection outlives a change of grouping, so its own grouping is
//! derived from its label.

use camlscope_engine::query::filter::{Clause, FrameField, FrameTest, NameTest, WhichFrame};
use camlscope_engine::query::tree::{Grain, Label};
use camlscope_present::layout::color::is_library;

#[derive(Clone, Debug, PartialEq)]
pub struct Subject {
    pub label: Label,
    pub grain: Grain,
}

impl Subject {
    /// `current` is the grouping of the views.
    pub fn new(label: &Label, current: Grain) -> Subject {
        let has_no_name = label.name.starts_with(['$', '<']);
        let grain = match (label.place, current) {
            (Some(_), _) => Grain::Site,
            (None, _) if !label.file.is_empty() => Grain::Function,
            // Codes without a location have the same name in every grouping.
            (None, current) if has_no_name => current,
            (None, Grain::File | Grain::Module) => current,
            (None, _) if label.name.ends_with(".ml") || label.name.contains('/') => Grain::File,
            (None, _) => Grain::Module,
        };
        Subject { label: label.clone(), grain }
    }

    /// A filter clause for objects with the selection in their stack, or without it if `not`. A call site is matched by
    /// its function.
    pub fn clause(&self, not: bool) -> Clause {
        let part = match self.grain {
            Grain::Function | Grain::Site => FrameField::Function,
            Grain::File => FrameField::File,
            Grain::Module => FrameField::Module,
        };
        let name = NameTest::is(&self.label.name);
        Clause::Frame(FrameTest { part, name, not, which: WhichFrame::Any })
    }

    /// Returns `None` for a file, because its functions have no common name.
    pub fn focus(&self) -> Option<Clause> {
        self.names().map(Clause::Focus)
    }

    pub fn hide(&self) -> Option<Clause> {
        self.names().map(Clause::Hide)
    }

    /// Whether the Leaks tab can have a verdict on it.
    pub fn can_have_verdict(&self) -> bool {
        self.grain == Grain::Function && !self.is_library()
    }

    pub fn is_library(&self) -> bool {
        matches!(self.grain, Grain::Function | Grain::Site | Grain::Module) && is_library(&self.label.name)
    }

    /// Returns a test that matches the names of the selection's functions.
    fn names(&self) -> Option<NameTest> {
        match self.grain {
            Grain::Function | Grain::Site => Some(NameTest::is(&self.label.name)),
            Grain::Module => {
                // Matches functions of the module, but not of its submodules.
                let module = self.label.name.replace('.', r"\.").replace('$', r"\$");
                Some(NameTest::matches(&format!(r"^{module}(\.[^A-Z]|$)")))
            }
            Grain::File => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use camlscope_engine::query::filter::NameMatcher;
    use camlscope_engine::query::tree::Place;

    #[test]
    fn a_selection_keeps_its_grouping_when_the_view_changes() {
        let label = |name: &str, file: &str| Label { name: name.to_owned(), file: file.to_owned(), place: None };
        let function = label("Orders.visit", "orders.ml");
        assert_eq!(Subject::new(&function, Grain::Module).grain, Grain::Function);
        let place = Some(Place { line: 3, start_char: 1, end_char: 4 });
        let site = Label { place, ..function };
        assert_eq!(Subject::new(&site, Grain::Function).grain, Grain::Site);
        assert_eq!(Subject::new(&label("orders.ml", ""), Grain::Function).grain, Grain::File);
        assert_eq!(Subject::new(&label("Orders", ""), Grain::Function).grain, Grain::Module);
        assert_eq!(Subject::new(&label("$4711", ""), Grain::Site).grain, Grain::Site);
    }

    #[test]
    fn a_module_matches_its_functions_but_not_its_submodules() {
        let module = Label { name: "Stdlib.List".to_owned(), ..Label::default() };
        let names = Subject::new(&module, Grain::Module).names().expect("a module has functions");
        let names = NameMatcher::new(&names).expect("a pattern");
        assert!(names.is_match("Stdlib.List.map.(fun)"));
        assert!(names.is_match("Stdlib.List"));
        assert!(!names.is_match("Stdlib.ListLabels.map"));
        assert!(!names.is_match("Stdlib.List.Assoc.find"));
    }
}
