//! Filters as text, for command-line options and the page's URL. A clause is a key and a value:
//!
//! | key | value |
//! | --- | --- |
//! | `allocated`, `live-within`, `live-through`, `lifetime` | `1s..2s`, `500ms..`, `..3.5s`; us, ms, s (default), min, h |
//! | `collected` | a time range, or `never` |
//! | `temporary` | `10ms`, or `4MiB` of further allocation |
//! | `live-at` | a time, `peak` or `end` |
//! | `size` | words: `257..`; bytes: `..64B`, `1KiB..2MiB` |
//! | `heap` | some of `minor,promoted,major,external` |
//! | `domain` | `0,1` |
//! | `function`, `file`, `module` | a regular expression for any frame of the stack |
//! | `line` | a file and a line for any frame of the stack: `src/orders.ml:88`, or the end of the path: `orders.ml:88` |
//! | `hide` | a regular expression for functions |
//! | `focus` | a function's name |
//! | `calls` | `caller>callee`, function names |
//!
//! A suffix of a key about names changes the comparison: `-is`, `-contains` or `-matches`. Before `function`, `file`,
//! `module` and `line`, the prefix `allocating-` tests only the allocating frame, and `responsible-` only the innermost
//! frame outside OCaml's standard library. `not-` goes before all of these and inverts the test: `not-allocating-file-is`. In
//! `calls`, `~` before a name makes it a pattern and `*` a substring. A `\` escapes `>`, `\`, or a leading `~` or `*`.
//!
//! A complete filter is `key=value&key=value`, percent-encoded where a URL needs it. Only the syntax is checked here.
//! [`Filter::check`] checks whether a filter makes sense.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};
use thiserror::Error;

use super::lines::parse_line;
use super::units::{dies_within, parse_dies_within, parse_sizes, parse_time, parse_times, sizes, time, times};
use super::{Clause, Filter, FrameField, FrameTest, Heap, How, NameTest, When, WhichFrame};

/// Why a text isn't a filter.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum ParseError {
    #[error("unknown filter: {0}")]
    UnknownKey(String),
    #[error("invalid value for {key}: {value}")]
    BadValue { key: String, value: String },
    #[error("filter without a value: {0}")]
    NoValue(String),
    #[error("invalid percent-encoding: {0}")]
    BadEscape(String),
}

impl Clause {
    pub fn parse(key: &str, value: &str) -> Result<Clause, ParseError> {
        let range = || parse_times(value);
        let clause = match key {
            "allocated" => range().map(Clause::Allocated),
            "collected" if value == "never" => Some(Clause::NeverCollected),
            "collected" => range().map(Clause::Collected),
            "live-at" => parse_when(value).map(Clause::LiveAt),
            "live-within" => range().map(Clause::LiveWithin),
            "live-through" => range().map(Clause::LiveThrough),
            "lifetime" => range().map(Clause::Lifetime),
            "temporary" => parse_dies_within(value).map(Clause::Temporary),
            "size" => parse_sizes(value).map(|(span, unit)| Clause::Size(span, unit)),
            "heap" => list(value, |name| Heap::ALL.into_iter().find(|heap| heap.name() == name)).map(Clause::Heap),
            "domain" => list(value, |id| id.parse().ok()).map(Clause::Domain),
            "calls" => parse_calls(value).map(|(caller, callee)| Clause::Calls { caller, callee }),
            key => {
                let clause = parse_name_clause(key, value).ok_or_else(|| ParseError::UnknownKey(key.to_owned()))?;
                Some(clause).filter(|clause| !clause.lacks_line())
            }
        };
        clause.ok_or_else(|| ParseError::BadValue { key: key.to_owned(), value: value.to_owned() })
    }

    pub fn key(&self) -> Cow<'static, str> {
        Cow::Borrowed(match self {
            Clause::Allocated(_) => "allocated",
            Clause::Collected(_) | Clause::NeverCollected => "collected",
            Clause::LiveAt(_) => "live-at",
            Clause::LiveWithin(_) => "live-within",
            Clause::LiveThrough(_) => "live-through",
            Clause::Size(..) => "size",
            Clause::Lifetime(_) => "lifetime",
            Clause::Temporary(_) => "temporary",
            Clause::Heap(_) => "heap",
            Clause::Domain(_) => "domain",
            Clause::Calls { .. } => "calls",
            Clause::Hide(name) => return Cow::Owned(suffixed("hide", name.how, How::Matches)),
            Clause::Focus(name) => return Cow::Owned(suffixed("focus", name.how, How::Is)),
            Clause::Frame(FrameTest { part, name, not, which }) => {
                let not = if *not { "not-" } else { "" };
                return Cow::Owned(format!(
                    "{not}{}{}",
                    which.prefix(),
                    suffixed(part.as_str(), name.how, part.usual_how())
                ));
            }
        })
    }

    /// Returns whether a clause about a line names none.
    fn lacks_line(&self) -> bool {
        let Clause::Frame(FrameTest { part: FrameField::Line, name, .. }) = self else { return false };
        name.how == How::Is && parse_line(&name.text).is_none()
    }

    pub fn value(&self) -> String {
        match self {
            Clause::Allocated(span) | Clause::Collected(span) | Clause::Lifetime(span) => times(*span),
            Clause::LiveWithin(span) | Clause::LiveThrough(span) => times(*span),
            Clause::NeverCollected => "never".to_owned(),
            Clause::LiveAt(When::At(time_us)) => time(*time_us),
            Clause::LiveAt(When::Peak) => "peak".to_owned(),
            Clause::LiveAt(When::End) => "end".to_owned(),
            Clause::Size(span, unit) => sizes(*span, *unit),
            Clause::Temporary(within) => dies_within(*within),
            Clause::Heap(heaps) => {
                let name = |heap: &Heap| heap.name();
                heaps.iter().map(name).collect::<Vec<_>>().join(",")
            }
            Clause::Domain(ids) => ids.iter().map(u16::to_string).collect::<Vec<_>>().join(","),
            Clause::Frame(FrameTest { name, .. }) | Clause::Hide(name) | Clause::Focus(name) => name.text.clone(),
            Clause::Calls { caller, callee } => format!("{}>{}", call_side(caller), call_side(callee)),
        }
    }
}

/// `key=value`, percent-encoded.
impl fmt::Display for Clause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}={}", self.key(), utf8_percent_encode(&self.value(), ESCAPED))
    }
}

impl Filter {
    /// Parses `key=value&key=value`. An empty text is the filter that passes everything.
    pub fn parse(text: &str) -> Result<Filter, ParseError> {
        let clauses = text.split('&').filter(|clause| !clause.is_empty()).map(|clause| {
            let (key, value) = clause.split_once('=').ok_or_else(|| ParseError::NoValue(clause.to_owned()))?;
            Clause::parse(&decode(key)?, &decode(value)?)
        });
        Ok(Filter { clauses: clauses.collect::<Result<_, _>>()? })
    }
}

impl FromStr for Filter {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Filter, ParseError> {
        Filter::parse(text)
    }
}

impl fmt::Display for Filter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, clause) in self.clauses.iter().enumerate() {
            write!(f, "{}{clause}", if at > 0 { "&" } else { "" })?;
        }
        Ok(())
    }
}

/// Escapes everything that a URL fragment doesn't allow, plus the characters that have a meaning in a filter or that
/// some programs read as a space.
const ESCAPED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~')
    .remove(b'!')
    .remove(b'$')
    .remove(b'\'')
    .remove(b'(')
    .remove(b')')
    .remove(b'*')
    .remove(b',')
    .remove(b';')
    .remove(b':')
    .remove(b'@')
    .remove(b'/')
    .remove(b'?');

fn decode(text: &str) -> Result<Cow<'_, str>, ParseError> {
    percent_decode_str(text).decode_utf8().map_err(|_| ParseError::BadEscape(text.to_owned()))
}

fn parse_when(value: &str) -> Option<When> {
    match value {
        "peak" => Some(When::Peak),
        "end" => Some(When::End),
        time => parse_time(time).map(When::At),
    }
}

fn list<T>(value: &str, read: impl Fn(&str) -> Option<T>) -> Option<Vec<T>> {
    value.split(',').map(|item| read(item.trim())).collect()
}

fn parse_name_clause(key: &str, value: &str) -> Option<Clause> {
    let (bare, how) = unsuffixed(key);
    let name = |default: How| NameTest { how: how.unwrap_or(default), text: value.to_owned() };
    match bare {
        "hide" => return Some(Clause::Hide(name(How::Matches))),
        "focus" => return Some(Clause::Focus(name(How::Is))),
        _ => {}
    }
    let (bare, not) = bare.strip_prefix("not-").map_or((bare, false), |bare| (bare, true));
    let named = [WhichFrame::Allocating, WhichFrame::Responsible].into_iter();
    let (bare, which) = { named }
        .find_map(|which| Some((bare.strip_prefix(which.prefix())?, which)))
        .unwrap_or((bare, WhichFrame::Any));
    let part = FrameField::ALL.into_iter().find(|part| part.as_str() == bare)?;
    Some(Clause::Frame(FrameTest { part, name: name(part.usual_how()), not, which }))
}

impl WhichFrame {
    fn prefix(self) -> &'static str {
        match self {
            WhichFrame::Any => "",
            WhichFrame::Allocating => "allocating-",
            WhichFrame::Responsible => "responsible-",
        }
    }
}

impl FrameField {
    pub const ALL: [FrameField; 4] = [FrameField::Function, FrameField::File, FrameField::Module, FrameField::Line];

    /// Returns the name used in filters.
    pub fn as_str(self) -> &'static str {
        match self {
            FrameField::Function => "function",
            FrameField::File => "file",
            FrameField::Module => "module",
            FrameField::Line => "line",
        }
    }

    /// Returns how names are compared in a filter whose key doesn't say it.
    fn usual_how(self) -> How {
        match self {
            FrameField::Function | FrameField::File | FrameField::Module => How::Matches,
            FrameField::Line => How::Is,
        }
    }
}

const WAYS: [(How, &str); 3] = [(How::Is, "-is"), (How::Contains, "-contains"), (How::Matches, "-matches")];

fn suffixed(key: &str, how: How, default: How) -> String {
    let suffix = WAYS.iter().find(|way| way.0 == how && how != default).map_or("", |way| way.1);
    format!("{key}{suffix}")
}

fn unsuffixed(key: &str) -> (&str, Option<How>) {
    let way = WAYS.iter().find_map(|way| key.strip_suffix(way.1).map(|bare| (bare, Some(way.0))));
    way.unwrap_or((key, None))
}

fn call_side(name: &NameTest) -> String {
    let text = name.text.replace('\\', r"\\").replace('>', r"\>");
    match name.how {
        How::Is if text.starts_with(['~', '*']) => format!(r"\{text}"),
        How::Is => text,
        How::Matches => format!("~{text}"),
        How::Contains => format!("*{text}"),
    }
}

fn parse_calls(value: &str) -> Option<(NameTest, NameTest)> {
    let mut sides = vec![NameTest::is("")];
    let mut letters = value.chars();
    let mut is_first = true;
    while let Some(letter) = letters.next() {
        let begins_side = std::mem::take(&mut is_first);
        let side = sides.last_mut()?;
        match letter {
            '\\' => side.text.push(letters.next()?),
            '~' if begins_side => side.how = How::Matches,
            '*' if begins_side => side.how = How::Contains,
            '>' => {
                sides.push(NameTest::is(""));
                is_first = true;
            }
            letter => side.text.push(letter),
        }
    }
    let callee = sides.pop()?;
    let caller = sides.pop()?;
    sides.is_empty().then_some((caller, callee))
}
