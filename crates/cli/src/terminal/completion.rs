//! Completions of a filter while it's typed: the keys of clauses, the words that some of them take, and names from the
//! trace.

use super::answers::Answers;
use super::requests;
use super::state::{Input, InputKind, State};
use camlscope_engine::protocol::{Answer, Request};
use camlscope_engine::query::filter::{Clause, Filter, FrameField, FrameTest, Heap, NameTest};

/// How a clause could continue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Completion {
    /// The whole line with this completion.
    pub line: String,
    /// The part that differs from other completions.
    pub name: String,
    pub words: &'static str,
}

/// The completions of a line, and a note on what its last clause takes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Completions {
    pub list: Vec<Completion>,
    pub note: &'static str,
}

const TIMES: &str = "1s..2s, 500ms.. or ..3.5s";
const NAMES: &str = "a regular expression, or a name from the list";
const LINES: &str = "a line on the stack: orders.ml:88";
/// The keys of clauses, with what they take or mean.
const KEYS: [(&str, &str); 32] = [
    ("size", "words or bytes: 257.., ..64B"),
    ("lifetime", TIMES),
    ("allocated", "in a time range: 1s..2s"),
    ("collected", "in a time range, or never"),
    ("live-at", "a time, peak or end"),
    ("live-within", "live at some time in a range"),
    ("live-through", "live during an entire range"),
    ("heap", "minor, promoted, major, external"),
    ("function", "a function on the stack"),
    ("module", "a module on the stack"),
    ("file", "a file on the stack"),
    ("line", LINES),
    ("allocating-function", "the function that allocates"),
    ("allocating-module", "the module that allocates"),
    ("allocating-file", "the file that allocates"),
    ("allocating-line", "the line that allocates"),
    ("responsible-function", "the same, outside the standard library"),
    ("responsible-module", "the same, outside the standard library"),
    ("responsible-file", "the same, outside the standard library"),
    ("responsible-line", "the same, outside the standard library"),
    ("calls", "caller>callee"),
    ("hide", "functions to leave out of stacks"),
    ("focus", "a function to start stacks at"),
    ("domain", "0,1"),
    ("not-function", "no such function on the stack"),
    ("not-module", "no such module on the stack"),
    ("not-file", "no such file on the stack"),
    ("not-line", "no such line on the stack"),
    ("not-allocating-function", "not the function that allocates"),
    ("not-allocating-module", "not the module that allocates"),
    ("not-allocating-file", "not the file that allocates"),
    ("not-allocating-line", "not the line that allocates"),
];

/// The last clause of a line.
struct Last<'a> {
    /// The clauses before it, including the `&`.
    before: &'a str,
    key: &'a str,
    /// `None` until there is a `=`.
    value: Option<&'a str>,
}

impl<'a> Last<'a> {
    fn new(line: &'a str) -> Last<'a> {
        let (before, clause) = line.split_at(line.rfind('&').map_or(0, |at| at + 1));
        match clause.split_once('=') {
            Some((key, value)) => Last { before, key, value: Some(value) },
            None => Last { before, key: clause, value: None },
        }
    }

    /// Returns which names the value may be, and the part of the value that is one.
    fn name(&self) -> Option<(FrameField, String)> {
        let value = self.value?;
        if self.key == "calls" {
            let side = value.rsplit('>').next().unwrap_or_default();
            return Some((FrameField::Function, side.trim_start_matches(['~', '*']).to_owned()));
        }
        let line = format!("{}={value}", self.key);
        match Filter::parse(&line).ok()?.clauses.pop()? {
            Clause::Frame(FrameTest { part, name, .. }) => Some((part, name.text)),
            Clause::Hide(name) | Clause::Focus(name) => Some((FrameField::Function, name.text)),
            _ => None,
        }
    }

    fn completion(&self, clause: &str, name: &str, words: &'static str) -> Completion {
        Completion { line: format!("{}{clause}", self.before), name: name.to_owned(), words }
    }

    fn keys(&self) -> Vec<Completion> {
        let typed = self.key.trim();
        let begins = |key: &str| key.split('-').any(|part| part.starts_with(typed)) || key.starts_with(typed);
        let fitting = KEYS.into_iter().filter(|(key, _)| begins(key));
        let mut keys: Vec<Completion> =
            fitting.map(|(key, words)| self.completion(&format!("{key}="), key, words)).collect();
        keys.sort_by_key(|completion| !completion.name.starts_with(typed));
        keys
    }

    /// Completes the value with one of a few words, which may follow other words and a comma.
    fn words(&self, value: &str, words: &[&'static str]) -> Vec<Completion> {
        let (before, typed) = value.split_at(value.rfind(',').map_or(0, |at| at + 1));
        let is_new = |word: &&&'static str| {
            word.starts_with(typed) && **word != typed && !before.split(',').any(|one| one == **word)
        };
        let completed = |word: &&'static str| self.completion(&format!("{}={before}{word}", self.key), word, "");
        words.iter().filter(is_new).map(completed).collect()
    }

    /// Completes the value with names, which are then matched exactly. As a regular expression, their dots would match
    /// anything.
    fn names(&self, names: &[String]) -> Vec<Completion> {
        let named = |name: &String| Some(self.completion(&self.clause_named(name)?, name, ""));
        names.iter().filter_map(named).filter(|completion| completion.line != self.line()).collect()
    }

    fn clause_named(&self, name: &str) -> Option<String> {
        if self.key == "calls" {
            let (caller, is_callee) = self.value?.rsplit_once('>').map_or(("", false), |(caller, _)| (caller, true));
            // The arrow is readable in a line that isn't a link.
            let written = Clause::Calls { caller: NameTest::is(name), callee: NameTest::is("") }.to_string();
            let name = written.strip_prefix("calls=")?.strip_suffix("%3E")?;
            return Some(if is_callee { format!("calls={caller}>{name}") } else { format!("calls={name}>") });
        }
        let bare =
            ["-is", "-contains", "-matches"].iter().find_map(|how| self.key.strip_suffix(how)).unwrap_or(self.key);
        Some(Clause::parse(&format!("{bare}-is"), name).ok()?.to_string())
    }

    fn line(&self) -> String {
        let value = self.value.map_or_else(String::new, |value| format!("={value}"));
        format!("{}{}{value}", self.before, self.key)
    }
}

/// Returns the request for names from the trace that the line needs.
pub fn request(state: &State) -> Option<Request> {
    let Input { kind: InputKind::Filter, text, .. } = state.input.as_ref()? else { return None };
    let (part, typed) = Last::new(text).name()?;
    Some(requests::suggestions(state, part, typed))
}

/// Returns how the typed filter could continue. Names appear once their response has arrived.
pub fn completions(state: &State, answers: &Answers) -> Completions {
    let Some(Input { kind: InputKind::Filter, text, .. }) = &state.input else { return Completions::default() };
    let last = Last::new(text);
    let Some(value) = last.value else {
        return Completions { list: last.keys(), note: "" };
    };
    if let Some(request) = request(state) {
        let list = match answers.ok(&request) {
            Some(Answer::Suggest(names)) => last.names(names),
            _ => Vec::new(),
        };
        return Completions { list, note: if last.key == "calls" { "caller>callee" } else { NAMES } };
    }
    let list = match last.key {
        "heap" => last.words(value, &Heap::ALL.map(Heap::name)),
        "live-at" => last.words(value, &["peak", "end"]),
        "collected" => last.words(value, &["never"]),
        _ => Vec::new(),
    };
    let note = match last.key {
        "allocated" | "live-within" | "live-through" => TIMES,
        key => KEYS.iter().find(|(known, _)| *known == key).map_or("", |(_, words)| words),
    };
    Completions { list, note }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(completions: &[Completion]) -> Vec<&str> {
        completions.iter().map(|completion| completion.line.as_str()).collect()
    }

    #[test]
    fn every_key_is_one_of_a_filter() {
        let values = ["1..2", "1s..2s", "never", "peak", "minor", "0", "a>b", "a", "a.ml:1"];
        for (key, _) in KEYS {
            assert!(values.iter().any(|value| Clause::parse(key, value).is_ok()), "{key}");
        }
    }

    #[test]
    fn keys_are_completed_after_other_clauses() {
        assert_eq!(lines(&Last::new("si").keys()), ["size="]);
        assert_eq!(lines(&Last::new("size=2..&not-mo").keys()), ["size=2..&not-module="]);
        let keys = Last::new("func").keys();
        assert_eq!(keys[0].line, "function=");
        assert!(lines(&keys).contains(&"allocating-function="), "{keys:?}");
        assert_eq!(Last::new("").keys().len(), KEYS.len());
        assert_eq!(Last::new("sise").keys(), []);
    }

    #[test]
    fn a_completed_name_is_matched_exactly() {
        let names = ["Stdlib.List.map".to_owned(), "Hashtbl.&fold".to_owned()];
        let completed = Last::new("size=2..&not-function=map").names(&names);
        assert_eq!(
            lines(&completed),
            ["size=2..&not-function-is=Stdlib.List.map", "size=2..&not-function-is=Hashtbl.%26fold"]
        );
        assert_eq!(Last::new("focus-contains=map").names(&names[..1])[0].line, "focus=Stdlib.List.map");
        assert_eq!(Last::new("function-is=Stdlib.List.map").names(&names[..1]), [], "it is complete");
        for completion in completed {
            assert!(Filter::parse(&completion.line).is_ok(), "{completion:?}");
        }
    }

    #[test]
    fn both_sides_of_a_call_are_completed() {
        let name = ["Seq.(>>=)".to_owned()];
        let caller = Last::new("calls=Seq").names(&name);
        assert_eq!(caller[0].name, "Seq.(>>=)");
        let callee = format!("{}Ma", caller[0].line);
        assert_eq!(Last::new(&callee).name(), Some((FrameField::Function, "Ma".to_owned())));
        let both = Last::new(&callee).names(&["Main.run".to_owned()]);
        let clauses = Filter::parse(&both[0].line).expect("it is a filter").clauses;
        let (caller, callee) = (NameTest::is("Seq.(>>=)"), NameTest::is("Main.run"));
        assert_eq!(clauses, [Clause::Calls { caller, callee }]);
    }

    #[test]
    fn heaps_are_completed_one_after_the_other() {
        let last = Last::new("heap=minor,m");
        assert_eq!(lines(&last.words("minor,m", &Heap::ALL.map(Heap::name))), ["heap=minor,major"]);
    }
}
