//! A clause being edited: the contents of its input fields, valid or not. Ranges and times stay text until they are
//! parsed, so that nothing is lost while the user types.

use crate::Capabilities;
use camlscope_engine::query::filter::{Clause, FrameField, FrameTest, Heap, How, NameTest, Span, When, WhichFrame};
use camlscope_present::words::errors::parse_error;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Draft {
    pub kind: ClauseKind,
    pub from: String,
    pub to: String,
    /// For [`ClauseKind::Collected`].
    pub never: bool,
    pub time: LiveTime,
    /// For [`LiveTime::At`] and [`ClauseKind::Temporary`].
    pub at: String,
    pub heaps: Vec<Heap>,
    pub domains: Vec<u16>,
    pub part: FrameField,
    pub not: bool,
    pub which: WhichFrame,
    /// For [`ClauseKind::Calls`], the caller.
    pub name: NameTest,
    pub callee: NameTest,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClauseKind {
    Size,
    Lifetime,
    Temporary,
    Heap,
    Domain,
    Allocated,
    Collected,
    LiveAt,
    LiveWithin,
    LiveThrough,
    Frame,
    Calls,
    Hide,
    Focus,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LiveTime {
    Peak,
    End,
    At,
}

impl Draft {
    pub fn new(kind: ClauseKind) -> Draft {
        let how = if kind == ClauseKind::Frame || kind == ClauseKind::Hide { How::Contains } else { How::Is };
        Draft {
            kind,
            from: String::new(),
            to: String::new(),
            never: false,
            time: LiveTime::Peak,
            at: String::new(),
            heaps: Vec::new(),
            domains: Vec::new(),
            part: FrameField::Function,
            not: false,
            which: WhichFrame::Any,
            name: NameTest { how, text: String::new() },
            callee: NameTest::is(""),
        }
    }

    pub fn of(clause: &Clause) -> Draft {
        let ranged = |kind: ClauseKind| {
            let value = clause.value();
            // A single value is both bounds.
            let (from, to) = value.split_once("..").unwrap_or((&value, &value));
            Draft { from: from.to_owned(), to: to.to_owned(), ..Draft::new(kind) }
        };
        let named = |kind: ClauseKind, name: &NameTest| Draft { name: name.clone(), ..Draft::new(kind) };
        match clause {
            Clause::Allocated(_) => ranged(ClauseKind::Allocated),
            Clause::Collected(_) => ranged(ClauseKind::Collected),
            Clause::NeverCollected => Draft { never: true, ..Draft::new(ClauseKind::Collected) },
            Clause::LiveWithin(_) => ranged(ClauseKind::LiveWithin),
            Clause::LiveThrough(_) => ranged(ClauseKind::LiveThrough),
            Clause::Size(..) => ranged(ClauseKind::Size),
            Clause::Lifetime(_) => ranged(ClauseKind::Lifetime),
            Clause::Temporary(_) => Draft { at: clause.value(), ..Draft::new(ClauseKind::Temporary) },
            Clause::LiveAt(When::Peak) => Draft::new(ClauseKind::LiveAt),
            Clause::LiveAt(When::End) => Draft { time: LiveTime::End, ..Draft::new(ClauseKind::LiveAt) },
            Clause::LiveAt(When::At(_)) => {
                Draft { time: LiveTime::At, at: clause.value(), ..Draft::new(ClauseKind::LiveAt) }
            }
            Clause::Heap(heaps) => Draft { heaps: heaps.clone(), ..Draft::new(ClauseKind::Heap) },
            Clause::Domain(domains) => Draft { domains: domains.clone(), ..Draft::new(ClauseKind::Domain) },
            Clause::Frame(FrameTest { part, name, not, which }) => {
                Draft { part: *part, not: *not, which: *which, ..named(ClauseKind::Frame, name) }
            }
            Clause::Calls { caller, callee } => Draft { callee: callee.clone(), ..named(ClauseKind::Calls, caller) },
            Clause::Hide(name) => named(ClauseKind::Hide, name),
            Clause::Focus(name) => named(ClauseKind::Focus, name),
        }
    }

    /// Returns the clause, or a message about what is missing.
    pub fn clause(&self) -> Result<Clause, String> {
        let value = format!("{}..{}", self.from.trim(), self.to.trim());
        let ranged = |key: &str| match value.as_str() {
            ".." => Err("Enter a start, an end, or both.".to_owned()),
            value => parse(key, value),
        };
        let named = |name: &NameTest| match name.text.is_empty() {
            true => Err("Enter a name or part of one.".to_owned()),
            false => Ok(name.clone()),
        };
        match self.kind {
            ClauseKind::Size => ranged("size"),
            ClauseKind::Lifetime => ranged("lifetime"),
            ClauseKind::Temporary => parse("temporary", self.at.trim()),
            ClauseKind::Allocated => ranged("allocated"),
            ClauseKind::LiveWithin => ranged("live-within"),
            ClauseKind::LiveThrough => ranged("live-through"),
            ClauseKind::Collected if self.never => Ok(Clause::NeverCollected),
            // Two empty fields match all collected objects.
            ClauseKind::Collected => parse("collected", &value),
            ClauseKind::LiveAt => match self.time {
                LiveTime::Peak => Ok(Clause::LiveAt(When::Peak)),
                LiveTime::End => Ok(Clause::LiveAt(When::End)),
                LiveTime::At if self.at.trim().is_empty() => Err("Enter a time.".to_owned()),
                LiveTime::At => parse("live-at", self.at.trim()),
            },
            ClauseKind::Heap if self.heaps.is_empty() => Err("Select at least one.".to_owned()),
            ClauseKind::Heap => Ok(Clause::Heap(self.heaps.clone())),
            ClauseKind::Domain if self.domains.is_empty() => Err("Select at least one.".to_owned()),
            ClauseKind::Domain => Ok(Clause::Domain(self.domains.clone())),
            ClauseKind::Frame => {
                let name = named(&self.name)?;
                let clause = Clause::Frame(FrameTest { part: self.part, name, not: self.not, which: self.which });
                // A line needs a number.
                parse(&clause.key(), &clause.value())
            }
            ClauseKind::Calls => Ok(Clause::Calls { caller: named(&self.name)?, callee: named(&self.callee)? }),
            ClauseKind::Hide => named(&self.name).map(Clause::Hide),
            ClauseKind::Focus => named(&self.name).map(Clause::Focus),
        }
    }

    /// Chooses which part of a frame is tested. A line is one line unless the user says otherwise: part of its name would
    /// match line 88 as well as line 8.
    pub fn set_part(&mut self, part: FrameField) {
        if part == FrameField::Line && self.part != part {
            self.name.how = How::Is;
        }
        self.part = part;
    }

    /// Whether the user hasn't typed anything yet, in which case missing values aren't errors.
    pub fn is_blank(&self) -> bool {
        [&self.from, &self.to, &self.at, &self.name.text, &self.callee.text].iter().all(|text| text.trim().is_empty())
    }

    /// Returns the range, as far as it can be parsed.
    pub fn span(&self) -> Span {
        match self.clause() {
            Ok(Clause::Size(span, _) | Clause::Lifetime(span)) => span,
            _ => Span::ANY,
        }
    }
}

fn parse(key: &str, value: &str) -> Result<Clause, String> {
    Clause::parse(key, value).map_err(|error| parse_error(&error))
}

impl ClauseKind {
    pub const ALL: [ClauseKind; 14] = [
        ClauseKind::Size,
        ClauseKind::Lifetime,
        ClauseKind::Temporary,
        ClauseKind::Heap,
        ClauseKind::Domain,
        ClauseKind::Allocated,
        ClauseKind::Collected,
        ClauseKind::LiveAt,
        ClauseKind::LiveWithin,
        ClauseKind::LiveThrough,
        ClauseKind::Frame,
        ClauseKind::Calls,
        ClauseKind::Hide,
        ClauseKind::Focus,
    ];

    /// The kinds that don't need objects.
    pub const WITHOUT_OBJECTS: [ClauseKind; 5] =
        [ClauseKind::Allocated, ClauseKind::Frame, ClauseKind::Calls, ClauseKind::Hide, ClauseKind::Focus];

    /// The menu heading.
    pub fn group(self) -> &'static str {
        match self {
            ClauseKind::Size | ClauseKind::Lifetime | ClauseKind::Temporary | ClauseKind::Heap | ClauseKind::Domain => {
                "Block"
            }
            ClauseKind::Allocated
            | ClauseKind::Collected
            | ClauseKind::LiveAt
            | ClauseKind::LiveWithin
            | ClauseKind::LiveThrough => "Time",
            ClauseKind::Frame | ClauseKind::Calls | ClauseKind::Hide | ClauseKind::Focus => "Call stack",
        }
    }

    pub fn title(self, Capabilities { has_functions, has_snapshots, .. }: Capabilities) -> &'static str {
        match self {
            ClauseKind::Allocated if has_snapshots => "Allocated between snapshots",
            ClauseKind::Frame if !has_functions => "Line, file or module",
            ClauseKind::Calls if !has_functions => "One line calls another",
            ClauseKind::Hide if !has_functions => "Hide lines",
            ClauseKind::Focus if !has_functions => "Focus on a line",
            ClauseKind::Size => "Size",
            ClauseKind::Lifetime => "Lifetime",
            ClauseKind::Temporary => "Temporary",
            ClauseKind::Heap => "Heap",
            ClauseKind::Domain => "Domain",
            ClauseKind::Allocated => "Allocated in time range",
            ClauseKind::Collected => "Collected in time range",
            ClauseKind::LiveAt => "Live at a time",
            ClauseKind::LiveWithin => "Live during time range",
            ClauseKind::LiveThrough => "Live throughout time range",
            ClauseKind::Frame => "Function, file, module or line",
            ClauseKind::Calls => "One function calls another",
            ClauseKind::Hide => "Hide functions",
            ClauseKind::Focus => "Focus on a function",
        }
    }

    /// Help text for the editor.
    pub fn hint(self, Capabilities { has_objects, has_snapshots, .. }: Capabilities) -> &'static str {
        match self {
            ClauseKind::Allocated if has_snapshots => {
                "Processor time, such as 2.5, 500ms or 1min. Each time selects the snapshot before it."
            }
            ClauseKind::Frame if !has_objects => {
                "Keeps blocks with this frame in their call stack. Write a line as leak.ml:4."
            }
            ClauseKind::Calls if !has_objects => "Keeps blocks whose call stack contains this call.",
            ClauseKind::Size => {
                "Block size without the header. Plain numbers are words (256, 1k); bytes need a unit (64B, 2KiB). \
                 Comparisons work as well: >256."
            }
            ClauseKind::Lifetime => {
                "Time from allocation to collection. Objects that were never collected live until the end of the trace."
            }
            ClauseKind::Temporary => {
                "Keeps objects that were collected within this time, or before the program allocated this much more."
            }
            ClauseKind::Allocated | ClauseKind::LiveWithin | ClauseKind::LiveThrough => {
                "Time since the start of the trace, such as 2.5, 500ms or 1min. Leave a field empty for no limit."
            }
            ClauseKind::Collected => {
                "Time since the start of the trace, such as 2.5 or 500ms. Leave both empty for any collected object."
            }
            ClauseKind::LiveAt => "Allocated before this time and not yet collected.",
            ClauseKind::Heap => "The heap that held the block.",
            ClauseKind::Domain => "The domain that allocated the block.",
            ClauseKind::Frame => "Keeps objects with this frame in their call stack. Write a line as orders.ml:88.",
            ClauseKind::Calls => "Keeps objects whose call stack contains this call.",
            ClauseKind::Hide => "Removes these frames from all stacks. Their bytes count toward the callers.",
            ClauseKind::Focus => "Keeps only stacks through this function and makes it the root.",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use camlscope_engine::query::filter::{DiesWithin, SizeUnit};

    #[test]
    fn editing_a_clause_without_changes_keeps_it() {
        let frame = FrameTest {
            part: FrameField::File,
            name: NameTest::matches("a|b"),
            not: true,
            which: WhichFrame::Allocating,
        };
        let line = FrameTest {
            part: FrameField::Line,
            name: NameTest::is("src/orders.ml:88"),
            not: false,
            which: WhichFrame::Any,
        };
        let open = Span { from: Some(257), to: None };
        let clauses = [
            Clause::Allocated(Span::new(1_500_000, 2_000_001)),
            Clause::Collected(Span::ANY),
            Clause::NeverCollected,
            Clause::LiveAt(When::Peak),
            Clause::LiveAt(When::End),
            Clause::LiveAt(When::At(12_345)),
            Clause::LiveWithin(open),
            Clause::LiveThrough(Span::new(3, 4)),
            Clause::Size(open, SizeUnit::Words),
            Clause::Size(Span::new(64, 64), SizeUnit::Bytes),
            Clause::Lifetime(Span { from: None, to: Some(10) }),
            Clause::Temporary(DiesWithin::Micros(10)),
            Clause::Heap(vec![Heap::Minor, Heap::External]),
            Clause::Domain(vec![0, 3]),
            Clause::Frame(frame),
            Clause::Frame(line),
            Clause::Calls { caller: NameTest::is("a>b"), callee: NameTest::matches("~c") },
            Clause::Hide(NameTest::is("f")),
            Clause::Focus(NameTest::is("f")),
        ];
        for clause in clauses {
            assert_eq!(Draft::of(&clause).clause().as_ref(), Ok(&clause));
        }
    }

    #[test]
    fn comparisons_work_in_either_field() {
        let size = |from: &str, to: &str| {
            Draft { from: from.to_owned(), to: to.to_owned(), ..Draft::new(ClauseKind::Size) }.clause().ok()
        };
        let words = |from, to| Some(Clause::Size(Span { from, to }, SizeUnit::Words));
        assert_eq!(size(">256", ""), words(Some(257), None));
        assert_eq!(size("< 8", ""), words(None, Some(7)));
        assert_eq!(size("", "≥ 1k"), words(Some(1_000), None));
        assert_eq!(size("> 1", "< 5"), words(Some(2), Some(4)));
    }

    #[test]
    fn invalid_input_is_explained() {
        for kind in
            ClauseKind::ALL.into_iter().filter(|kind| !matches!(kind, ClauseKind::LiveAt | ClauseKind::Collected))
        {
            assert!(Draft::new(kind).clause().is_err(), "{kind:?}");
        }
        let size = Draft { from: "many".to_owned(), ..Draft::new(ClauseKind::Size) };
        assert!(!size.is_blank() && Draft::new(ClauseKind::Size).is_blank());
        assert!(size.clause().is_err_and(|words| words.contains("a number of words such as 257..")));
        let mut line = Draft { name: NameTest::is("orders.ml"), ..Draft::new(ClauseKind::Frame) };
        line.set_part(FrameField::Line);
        assert!(line.clause().is_err_and(|words| words.contains("a file and a line such as orders.ml:88")));
    }

    #[test]
    fn a_line_is_matched_exactly_unless_asked_otherwise() {
        let mut draft = Draft::new(ClauseKind::Frame);
        assert_eq!(draft.name.how, How::Contains);
        draft.set_part(FrameField::Line);
        assert_eq!(draft.name.how, How::Is);
        draft.name.how = How::Matches;
        draft.set_part(FrameField::Line);
        assert_eq!(draft.name.how, How::Matches);
    }
}
