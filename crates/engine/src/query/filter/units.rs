//! Times, sizes and ranges as people type them. Decimals are parsed digit by digit, so values round-trip exactly, to
//! the µs.

use super::{DiesWithin, SizeUnit, Span};

/// Units and their factors to the smallest unit.
const TIMES: [(&str, u64); 6] =
    [("us", 1), ("µs", 1), ("ms", 1_000), ("s", 1_000_000), ("min", 60_000_000), ("h", 3_600_000_000)];
const BYTES: [(&str, u64); 7] = [
    ("B", 1),
    ("KiB", 1 << 10),
    ("MiB", 1 << 20),
    ("GiB", 1 << 30),
    ("kB", 1_000),
    ("MB", 1_000_000),
    ("GB", 1_000_000_000),
];

/// Parses `1.5s` or `20ms`. A plain number is in seconds.
pub fn parse_time(text: &str) -> Option<u64> {
    let (number, unit) = split(text);
    scaled(number, time_factor(if unit.is_empty() { "s" } else { unit })?)
}

/// Parses `1s..2s`, `..500ms`, `2min..` or `< 10ms`. A single time is both bounds. A number without a unit takes the
/// unit of the other bound.
pub fn parse_times(text: &str) -> Option<Span> {
    let bounds = Bounds::of(text)?;
    let unit = bounds.common_unit().unwrap_or("s");
    bounds.span(|number, own| scaled(number, time_factor(if own.is_empty() { unit } else { own })?))
}

/// Parses `257..` in words, `> 256`, `≥ 1k`, `..64B` or `1KiB..2MiB`. Both bounds must be words or both bytes.
pub fn parse_sizes(text: &str) -> Option<(Span, SizeUnit)> {
    let bounds = Bounds::of(text)?;
    let unit = bounds.common_unit().unwrap_or("w");
    let mut kinds = Vec::new();
    let span = bounds.span(|number, own| {
        let (factor, kind) = size_factor(if own.is_empty() { unit } else { own })?;
        kinds.push(kind);
        scaled(number, factor)
    })?;
    let kind = kinds.first().copied().unwrap_or_default();
    kinds.iter().all(|&other| other == kind).then_some((span, kind))
}

/// Parses `10ms`, or `4MiB`, `4M` or `64k` of further allocation. The unit says which of the two it is.
pub fn parse_dies_within(text: &str) -> Option<DiesWithin> {
    let (number, unit) = split(text.trim());
    let bytes = match unit {
        "k" | "K" => Some(1 << 10),
        "M" => Some(1 << 20),
        "G" => Some(1 << 30),
        _ => BYTES.iter().find(|(name, _)| *name == unit).map(|(_, factor)| *factor),
    };
    match bytes {
        Some(factor) => scaled(number, factor).map(DiesWithin::Bytes),
        None => scaled(number, time_factor(unit)?).map(DiesWithin::Micros),
    }
}

pub fn dies_within(within: DiesWithin) -> String {
    match within {
        DiesWithin::Micros(us) => time(us),
        DiesWithin::Bytes(n) => bytes(n),
    }
}

pub fn times(span: Span) -> String {
    range(span, time)
}

pub fn sizes(span: Span, unit: SizeUnit) -> String {
    match unit {
        SizeUnit::Words => range(span, |words| words.to_string()),
        SizeUnit::Bytes => range(span, bytes),
    }
}

/// Formats a time, exact to the µs: `850us`, `1.5ms`, `61.3s`.
pub fn time(us: u64) -> String {
    let (number, unit) = time_parts(us);
    number + if unit == "µs" { "us" } else { unit }
}

/// Formats a size exactly: `100B`, `2KiB`.
pub fn bytes(n: u64) -> String {
    let (number, unit) = bytes_parts(n);
    format!("{number}{unit}")
}

/// Returns a number and its unit.
pub fn time_parts(us: u64) -> (String, &'static str) {
    match us {
        0 => ("0".to_owned(), "s"),
        1..1_000 => (us.to_string(), "µs"),
        1_000..1_000_000 => (decimal(us, 1_000, 3), "ms"),
        _ => (decimal(us, 1_000_000, 6), "s"),
    }
}

/// Returns a whole number and its unit.
pub fn bytes_parts(n: u64) -> (u64, &'static str) {
    let whole = BYTES[..4].iter().rev().find(|(_, factor)| n > 0 && n.is_multiple_of(*factor));
    whole.map_or((n, "B"), |(name, factor)| (n / factor, name))
}

/// Formats `n / factor` in full. The factor must be ten to the power of `digits`.
fn decimal(n: u64, factor: u64, digits: usize) -> String {
    let fraction = format!("{:0digits$}", n % factor);
    match fraction.trim_end_matches('0') {
        "" => (n / factor).to_string(),
        fraction => format!("{}.{fraction}", n / factor),
    }
}

fn range(span: Span, text: impl Fn(u64) -> String) -> String {
    match (span.from, span.to) {
        (Some(from), Some(to)) if from == to => text(from),
        (from, to) => format!("{}..{}", from.map(&text).unwrap_or_default(), to.map(&text).unwrap_or_default()),
    }
}

/// The two ends of a range, as typed.
struct Bounds<'a> {
    from: Bound<'a>,
    to: Bound<'a>,
}

#[derive(Clone, Copy, Default, PartialEq)]
struct Bound<'a> {
    /// Empty if the range is open at this end.
    text: &'a str,
    sign: Option<Sign>,
}

#[derive(Clone, Copy, PartialEq)]
enum Sign {
    AtLeast,
    MoreThan,
    AtMost,
    LessThan,
}

/// Signs of two characters come first, since `>` is also the start of `>=`.
const SIGNS: [(&str, Sign); 6] = [
    (">=", Sign::AtLeast),
    ("<=", Sign::AtMost),
    ("≥", Sign::AtLeast),
    ("≤", Sign::AtMost),
    (">", Sign::MoreThan),
    ("<", Sign::LessThan),
];

impl<'a> Bounds<'a> {
    /// Returns `None` if a sign has no number or is at the wrong end of the range.
    fn of(text: &'a str) -> Option<Bounds<'a>> {
        let (from, to) = match text.split_once("..") {
            Some((from, to)) => (Bound::of(from)?, Bound::of(to)?),
            None => {
                let bound = Bound::of(text)?;
                (bound, if bound.sign.is_some() { Bound::default() } else { bound })
            }
        };
        let is_lower = |bound: &Bound<'_>| matches!(bound.sign, Some(Sign::AtLeast | Sign::MoreThan));
        let is_upper = |bound: &Bound<'_>| matches!(bound.sign, Some(Sign::AtMost | Sign::LessThan));
        // If there is only one comparison, its sign determines the end.
        if is_upper(&from) && to == Bound::default() || is_lower(&to) && from == Bound::default() {
            return Some(Bounds { from: to, to: from });
        }
        (!is_upper(&from) && !is_lower(&to)).then_some(Bounds { from, to })
    }

    /// Returns the unit of the first bound that has one.
    fn common_unit(&self) -> Option<&'a str> {
        [self.from, self.to].map(|bound| split(bound.text).1).into_iter().find(|unit| !unit.is_empty())
    }

    /// `read` gets a number and its unit, which may be empty.
    fn span(&self, mut read: impl FnMut(&str, &str) -> Option<u64>) -> Option<Span> {
        let mut end = |bound: Bound<'_>| -> Option<Option<u64>> {
            if bound.text.is_empty() {
                return Some(None);
            }
            let (number, unit) = split(bound.text);
            let value = read(number, unit)?;
            match bound.sign {
                Some(Sign::MoreThan) => value.checked_add(1).map(Some),
                Some(Sign::LessThan) => value.checked_sub(1).map(Some),
                _ => Some(Some(value)),
            }
        };
        Some(Span { from: end(self.from)?, to: end(self.to)? })
    }
}

impl<'a> Bound<'a> {
    fn of(text: &'a str) -> Option<Bound<'a>> {
        let text = text.trim();
        let signed = SIGNS.iter().find_map(|(letters, sign)| Some((text.strip_prefix(letters)?.trim_start(), *sign)));
        match signed {
            Some(("", _)) => None,
            Some((text, sign)) => Some(Bound { text, sign: Some(sign) }),
            None => Some(Bound { text, sign: None }),
        }
    }
}

/// Splits a text into a number and its unit.
fn split(text: &str) -> (&str, &str) {
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    (&text[..end], text[end..].trim_start())
}

fn time_factor(unit: &str) -> Option<u64> {
    TIMES.iter().find(|(name, _)| *name == unit).map(|(_, factor)| *factor)
}

fn size_factor(unit: &str) -> Option<(u64, SizeUnit)> {
    match unit {
        "w" | "word" | "words" => Some((1, SizeUnit::Words)),
        "k" => Some((1_000, SizeUnit::Words)),
        "M" => Some((1_000_000, SizeUnit::Words)),
        _ => BYTES.iter().find(|(name, _)| *name == unit).map(|(_, factor)| (*factor, SizeUnit::Bytes)),
    }
}

/// Multiplies a decimal number by a factor and rounds to the nearest integer.
fn scaled(number: &str, factor: u64) -> Option<u64> {
    /// More digits don't change the result after rounding to whole µs or bytes.
    const MAX_FRACTION: usize = 16;
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    let is_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if whole.is_empty() && fraction.is_empty() || !is_digits(whole) || !is_digits(fraction) {
        return None;
    }
    let fraction = &fraction[..fraction.len().min(MAX_FRACTION)];
    let whole: u64 = if whole.is_empty() { 0 } else { whole.parse().ok()? };
    let of_fraction = match fraction {
        "" => 0,
        fraction => {
            let one = 10u128.pow(fraction.len() as u32);
            ((fraction.parse::<u128>().ok()? * u128::from(factor) * 2 + one) / (2 * one)) as u64
        }
    };
    whole.checked_mul(factor)?.checked_add(of_fraction)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_parse_in_any_unit_to_the_microsecond() {
        assert_eq!(parse_time("3.5"), Some(3_500_000));
        assert_eq!(parse_time("1.000001s"), Some(1_000_001));
        assert_eq!(parse_time("0.1ms"), Some(100));
        assert_eq!(parse_time("7µs"), Some(7));
        assert_eq!(parse_time("1.5 min"), Some(90_000_000));
        assert_eq!(parse_time("2h"), Some(7_200_000_000));
        assert_eq!(parse_time(".5s"), Some(500_000));
        for wrong in ["", "s", ".", "1.2.3s", "-1s", "1 fortnight", "99999999999999999999s", "1e3s"] {
            assert_eq!(parse_time(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn a_bound_without_a_unit_takes_the_other_bounds_unit() {
        assert_eq!(parse_times("1..2"), Some(Span::new(1_000_000, 2_000_000)));
        assert_eq!(parse_times("10..20ms"), Some(Span::new(10_000, 20_000)));
        assert_eq!(parse_times("500ms..1s"), Some(Span::new(500_000, 1_000_000)));
        assert_eq!(parse_times("3s"), Some(Span::new(3_000_000, 3_000_000)));
        assert_eq!(parse_times(".."), Some(Span::ANY));
        assert_eq!(parse_times("1...2"), Some(Span::new(1_000_000, 200_000)));
    }

    #[test]
    fn comparisons_are_ranges_open_at_one_end() {
        let (from, to) = (|from| Span { from: Some(from), to: None }, |to| Span { from: None, to: Some(to) });
        for (text, span) in [
            (">256", from(257)),
            ("≥ 1k", from(1_000)),
            (">= 2M", from(2_000_000)),
            ("<8", to(7)),
            ("≤ 8 w", to(8)),
            ("> 256..", from(257)),
            ("<8..", to(7)),
            ("..> 8", from(9)),
            (">1..<5", Span::new(2, 4)),
            ("≥1..≤5", Span::new(1, 5)),
        ] {
            assert_eq!(parse_sizes(text), Some((span, SizeUnit::Words)), "{text}");
        }
        assert_eq!(parse_sizes("> 1KiB"), Some((from(1025), SizeUnit::Bytes)));
        assert_eq!(parse_times("< 10ms"), Some(to(9_999)));
        assert_eq!(parse_times(">= 1.5s"), Some(from(1_500_000)));
        for wrong in [">", "<0", "> ..", "<1..<5", ">1..>5", "><1", "> 1 stone"] {
            assert_eq!(parse_sizes(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn the_unit_says_whether_a_threshold_is_a_time_or_an_amount() {
        assert_eq!(parse_dies_within(" 10 ms"), Some(DiesWithin::Micros(10_000)));
        assert_eq!(parse_dies_within("2min"), Some(DiesWithin::Micros(120_000_000)));
        assert_eq!(parse_dies_within("4MiB"), Some(DiesWithin::Bytes(4 << 20)));
        assert_eq!(parse_dies_within("1.5M"), Some(DiesWithin::Bytes(3 << 19)));
        for wrong in ["", "10", "ms", "4 stone", "10w", "..10ms", "-1s"] {
            assert_eq!(parse_dies_within(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn sizes_are_words_or_bytes_but_not_both() {
        assert_eq!(parse_sizes("257.."), Some((Span { from: Some(257), to: None }, SizeUnit::Words)));
        assert_eq!(parse_sizes("1..2KiB"), Some((Span::new(1024, 2048), SizeUnit::Bytes)));
        assert_eq!(parse_sizes("1.5MiB"), Some((Span::new(3 << 19, 3 << 19), SizeUnit::Bytes)));
        assert_eq!(parse_sizes("4w..1KiB"), None);
        assert_eq!(parse_sizes("4 stone"), None);
    }
}
