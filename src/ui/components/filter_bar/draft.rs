//! A clause while it is being made: what stands in the fields, whether it can be read or not. Ranges and times stay text
//! until then, so that nothing is lost while someone types.

use camlscope_engine::query::filter::{Clause, FrameField, FrameTest, Heap, How, NameTest, Span, When, WhichFrame};
use camlscope_present::words::errors::parse_error;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Draft {
    pub kind: Kind,
    pub from: String,
    pub to: String,
    /// Of [`Kind::Collected`].
    pub never: bool,
    pub moment: Moment,
    /// Of [`Moment::At`].
    pub at: String,
    pub heaps: Vec<Heap>,
    pub domains: Vec<u16>,
    pub part: FrameField,
    pub not: bool,
    pub which: WhichFrame,
    /// The caller, of [`Kind::Calls`].
    pub name: NameTest,
    pub callee: NameTest,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Size,
    Lifetime,
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
pub enum Moment {
    Peak,
    End,
    At,
}

impl Draft {
    pub fn new(kind: Kind) -> Draft {
        let how = if kind == Kind::Frame || kind == Kind::Hide { How::Contains } else { How::Is };
        Draft {
            kind,
            from: String::new(),
            to: String::new(),
            never: false,
            moment: Moment::Peak,
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
        let ranged = |kind: Kind| {
            let value = clause.value();
            // A single value is both bounds.
            let (from, to) = value.split_once("..").unwrap_or((&value, &value));
            Draft { from: from.to_owned(), to: to.to_owned(), ..Draft::new(kind) }
        };
        let named = |kind: Kind, name: &NameTest| Draft { name: name.clone(), ..Draft::new(kind) };
        match clause {
            Clause::Allocated(_) => ranged(Kind::Allocated),
            Clause::Collected(_) => ranged(Kind::Collected),
            Clause::NeverCollected => Draft { never: true, ..Draft::new(Kind::Collected) },
            Clause::LiveWithin(_) => ranged(Kind::LiveWithin),
            Clause::LiveThrough(_) => ranged(Kind::LiveThrough),
            Clause::Size(..) => ranged(Kind::Size),
            Clause::Lifetime(_) => ranged(Kind::Lifetime),
            Clause::LiveAt(When::Peak) => Draft::new(Kind::LiveAt),
            Clause::LiveAt(When::End) => Draft { moment: Moment::End, ..Draft::new(Kind::LiveAt) },
            Clause::LiveAt(When::At(_)) => Draft { moment: Moment::At, at: clause.value(), ..Draft::new(Kind::LiveAt) },
            Clause::Heap(heaps) => Draft { heaps: heaps.clone(), ..Draft::new(Kind::Heap) },
            Clause::Domain(domains) => Draft { domains: domains.clone(), ..Draft::new(Kind::Domain) },
            Clause::Frame(FrameTest { part, name, not, which }) => {
                Draft { part: *part, not: *not, which: *which, ..named(Kind::Frame, name) }
            }
            Clause::Calls { caller, callee } => Draft { callee: callee.clone(), ..named(Kind::Calls, caller) },
            Clause::Hide(name) => named(Kind::Hide, name),
            Clause::Focus(name) => named(Kind::Focus, name),
        }
    }

    /// What was made, or in words what is still missing.
    pub fn clause(&self) -> Result<Clause, String> {
        let value = format!("{}..{}", self.from.trim(), self.to.trim());
        let ranged = |key: &str| match value.as_str() {
            ".." => Err("Type where the range begins, where it ends, or both.".to_owned()),
            value => parse(key, value),
        };
        let named = |name: &NameTest| match name.text.is_empty() {
            true => Err("Type a name, or a part of one.".to_owned()),
            false => Ok(name.clone()),
        };
        match self.kind {
            Kind::Size => ranged("size"),
            Kind::Lifetime => ranged("lifetime"),
            Kind::Allocated => ranged("allocated"),
            Kind::LiveWithin => ranged("live-within"),
            Kind::LiveThrough => ranged("live-through"),
            Kind::Collected if self.never => Ok(Clause::NeverCollected),
            // Whatever was collected at all is a range, too.
            Kind::Collected => parse("collected", &value),
            Kind::LiveAt => match self.moment {
                Moment::Peak => Ok(Clause::LiveAt(When::Peak)),
                Moment::End => Ok(Clause::LiveAt(When::End)),
                Moment::At if self.at.trim().is_empty() => Err("Type a time.".to_owned()),
                Moment::At => parse("live-at", self.at.trim()),
            },
            Kind::Heap if self.heaps.is_empty() => Err("Choose at least one.".to_owned()),
            Kind::Heap => Ok(Clause::Heap(self.heaps.clone())),
            Kind::Domain if self.domains.is_empty() => Err("Choose at least one.".to_owned()),
            Kind::Domain => Ok(Clause::Domain(self.domains.clone())),
            Kind::Frame => named(&self.name)
                .map(|name| Clause::Frame(FrameTest { part: self.part, name, not: self.not, which: self.which })),
            Kind::Calls => Ok(Clause::Calls { caller: named(&self.name)?, callee: named(&self.callee)? }),
            Kind::Hide => named(&self.name).map(Clause::Hide),
            Kind::Focus => named(&self.name).map(Clause::Focus),
        }
    }

    /// Whether nothing was typed yet: what is missing then is no mistake.
    pub fn is_blank(&self) -> bool {
        [&self.from, &self.to, &self.at, &self.name.text, &self.callee.text].iter().all(|text| text.trim().is_empty())
    }

    /// The range as far as it can be read.
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

impl Kind {
    pub const ALL: [Kind; 13] = [
        Kind::Size,
        Kind::Lifetime,
        Kind::Heap,
        Kind::Domain,
        Kind::Allocated,
        Kind::Collected,
        Kind::LiveAt,
        Kind::LiveWithin,
        Kind::LiveThrough,
        Kind::Frame,
        Kind::Calls,
        Kind::Hide,
        Kind::Focus,
    ];

    /// A profile knows no single blocks.
    pub const OF_PROFILE: [Kind; 5] = [Kind::Allocated, Kind::Frame, Kind::Calls, Kind::Hide, Kind::Focus];

    /// What it is about: the heading that it stands under.
    pub fn group(self) -> &'static str {
        match self {
            Kind::Size | Kind::Lifetime | Kind::Heap | Kind::Domain => "The block",
            Kind::Allocated | Kind::Collected | Kind::LiveAt | Kind::LiveWithin | Kind::LiveThrough => "Its time",
            Kind::Frame | Kind::Calls | Kind::Hide | Kind::Focus => "Its stack",
        }
    }

    pub fn title(self, is_profile: bool) -> &'static str {
        match self {
            Kind::Allocated if is_profile => "Allocated between snapshots",
            Kind::Frame if is_profile => "Line, file or module",
            Kind::Calls if is_profile => "One line calls another",
            Kind::Hide if is_profile => "Hide lines",
            Kind::Focus if is_profile => "Focus on a line",
            Kind::Size => "Size",
            Kind::Lifetime => "Lifetime",
            Kind::Heap => "Heap",
            Kind::Domain => "Domain",
            Kind::Allocated => "Allocated in a range of time",
            Kind::Collected => "Collected in a range, or never",
            Kind::LiveAt => "Live at a moment",
            Kind::LiveWithin => "Live at some time in a range",
            Kind::LiveThrough => "Live through all of a range",
            Kind::Frame => "Function, file or module",
            Kind::Calls => "One function calls another",
            Kind::Hide => "Hide functions",
            Kind::Focus => "Focus on a function",
        }
    }

    /// What the title leaves open; may be empty.
    pub fn hint(self, is_profile: bool) -> &'static str {
        match self {
            Kind::Allocated if is_profile => {
                "Processor times: 2.5, 500ms, 1min. Each means the snapshot before it; counts for what is allocated."
            }
            Kind::Frame if is_profile => "Keeps blocks whose stack has such a frame. A line is written leak.ml:4.",
            Kind::Calls if is_profile => "Keeps blocks whose stack has the second directly above the first.",
            Kind::Size => {
                "The block's own size, without its header. Plain numbers are words, 1k a thousand of them; bytes have a \
                 unit: 64B, 2KiB. A comparison does, too: >256."
            }
            Kind::Lifetime => "From allocation to collection; what was never collected counts with its age at the end.",
            Kind::Allocated | Kind::LiveWithin | Kind::LiveThrough => {
                "Times since the trace's start: 2.5, 500ms, 1min. An empty field leaves that end open."
            }
            Kind::Collected => {
                "Times since the trace's start: 2.5, 500ms, 1min. Two empty fields: whatever was collected at all."
            }
            Kind::LiveAt => "Allocated by then, and not collected yet.",
            Kind::Heap => "Where the block spent its life.",
            Kind::Domain => "The domain that allocated it.",
            Kind::Frame => "Keeps objects whose stack has such a frame.",
            Kind::Calls => "Keeps objects whose stack has the second directly above the first.",
            Kind::Hide => "Takes these frames out of the stacks; their bytes go to the callers.",
            Kind::Focus => "Keeps the stacks through it, and shows them from there.",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use camlscope_engine::query::filter::SizeUnit;

    #[test]
    fn every_clause_can_be_taken_up_again_and_is_the_same_when_nothing_was_changed() {
        let frame = FrameTest {
            part: FrameField::File,
            name: NameTest::matches("a|b"),
            not: true,
            which: WhichFrame::Allocating,
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
            Clause::Heap(vec![Heap::Minor, Heap::External]),
            Clause::Domain(vec![0, 3]),
            Clause::Frame(frame),
            Clause::Calls { caller: NameTest::is("a>b"), callee: NameTest::matches("~c") },
            Clause::Hide(NameTest::is("f")),
            Clause::Focus(NameTest::is("f")),
        ];
        for clause in clauses {
            assert_eq!(Draft::of(&clause).clause().as_ref(), Ok(&clause));
        }
    }

    #[test]
    fn a_comparison_may_be_typed_into_either_field() {
        let size = |from: &str, to: &str| {
            Draft { from: from.to_owned(), to: to.to_owned(), ..Draft::new(Kind::Size) }.clause().ok()
        };
        let words = |from, to| Some(Clause::Size(Span { from, to }, SizeUnit::Words));
        assert_eq!(size(">256", ""), words(Some(257), None));
        assert_eq!(size("< 8", ""), words(None, Some(7)));
        assert_eq!(size("", "≥ 1k"), words(Some(1_000), None));
        assert_eq!(size("> 1", "< 5"), words(Some(2), Some(4)));
    }

    #[test]
    fn what_cannot_be_read_is_told_in_words() {
        for kind in Kind::ALL.into_iter().filter(|kind| !matches!(kind, Kind::LiveAt | Kind::Collected)) {
            assert!(Draft::new(kind).clause().is_err(), "{kind:?}");
        }
        let size = Draft { from: "many".to_owned(), ..Draft::new(Kind::Size) };
        assert!(!size.is_blank() && Draft::new(Kind::Size).is_blank());
        assert!(size.clause().is_err_and(|words| words.contains("a number of words such as 257..")));
    }
}
