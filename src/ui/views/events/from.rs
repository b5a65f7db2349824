//! Where the list is to begin, as the reader types it and as a link carries it: a time (`1.5s`, `20ms`, `peak`), an object
//! (`#123`), or what happened to one (`#123 promoted`, `#123 collected`).

use crate::query::events::{Kind, Start};
use crate::query::filter::{Clause, When};
use crate::query::summary::Summary;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum From {
    Time(When),
    Object(u32, Kind),
}

impl From {
    pub fn parse(text: &str) -> Option<From> {
        let text = text.trim();
        let (number, what) =
            text.strip_prefix('#').unwrap_or(text).split_once(' ').unwrap_or((text.trim_start_matches('#'), ""));
        if let Ok(object) = number.replace(',', "").parse() {
            let kind = match what.trim() {
                "" | "allocated" => Kind::Alloc,
                "promoted" => Kind::Promote,
                "collected" => Kind::Collect,
                _ => return None,
            };
            return Some(From::Object(object, kind));
        }
        match Clause::parse("live-at", text) {
            Ok(Clause::LiveAt(when)) => Some(From::Time(when)),
            _ => None,
        }
    }

    pub fn word(self) -> String {
        match self {
            From::Time(when) => Clause::LiveAt(when).value(),
            From::Object(object, Kind::Alloc) => format!("#{object}"),
            From::Object(object, Kind::Promote) => format!("#{object} promoted"),
            From::Object(object, Kind::Collect) => format!("#{object} collected"),
        }
    }

    pub fn start(self, summary: &Summary) -> Start {
        match self {
            From::Time(When::At(us)) => Start::Time(us),
            From::Time(When::Peak) => Start::Time(summary.peak.at_us),
            From::Time(When::End) => Start::Time(summary.end_us),
            From::Object(object, Kind::Alloc) => Start::Object(object),
            From::Object(object, kind) => Start::Happening(object, kind),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_and_objects_are_read_as_people_write_them() {
        assert_eq!(From::parse(" 1.5s "), Some(From::Time(When::At(1_500_000))));
        assert_eq!(From::parse("peak"), Some(From::Time(When::Peak)));
        assert_eq!(From::parse("#12"), Some(From::Object(12, Kind::Alloc)));
        assert_eq!(From::parse("1,234"), Some(From::Object(1234, Kind::Alloc)));
        assert_eq!(From::parse("#12 collected"), Some(From::Object(12, Kind::Collect)));
        assert_eq!(From::parse("soon"), None);
        assert_eq!(From::parse(""), None);
    }

    #[test]
    fn a_link_says_the_same_again() {
        for text in ["#12", "#12 promoted", "#12 collected", "peak", "1.5s"] {
            let from = From::parse(text).expect(text);
            assert_eq!(From::parse(&from.word()), Some(from), "{text}");
        }
    }
}
