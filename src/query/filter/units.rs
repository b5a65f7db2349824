//! Times, sizes and ranges as people type them. Decimals are read digit by digit: what was written comes back, to the µs.

use super::{SizeUnit, Span};

/// What a number counts, in the smallest unit.
const TIMES: [Unit; 6] = [
    Unit { name: "us", factor: 1 },
    Unit { name: "µs", factor: 1 },
    Unit { name: "ms", factor: 1_000 },
    Unit { name: "s", factor: 1_000_000 },
    Unit { name: "min", factor: 60_000_000 },
    Unit { name: "h", factor: 3_600_000_000 },
];
const BYTES: [Unit; 7] = [
    Unit { name: "B", factor: 1 },
    Unit { name: "KiB", factor: 1 << 10 },
    Unit { name: "MiB", factor: 1 << 20 },
    Unit { name: "GiB", factor: 1 << 30 },
    Unit { name: "kB", factor: 1_000 },
    Unit { name: "MB", factor: 1_000_000 },
    Unit { name: "GB", factor: 1_000_000_000 },
];

#[derive(Clone, Copy)]
struct Unit {
    name: &'static str,
    factor: u64,
}

/// `1.5s`, `20ms`; a plain number is seconds.
pub fn parse_time(text: &str) -> Option<u64> {
    let (number, unit) = split(text);
    scaled(number, time_factor(if unit.is_empty() { "s" } else { unit })?)
}

/// `1s..2s`, `..500ms`, `2min..`; a single time is both bounds, and a number without a unit takes the other's.
pub fn parse_times(text: &str) -> Option<Span> {
    let (from, to) = bounds(text);
    let unit = common_unit(from, to).unwrap_or("s");
    let time = |bound: &str| -> Option<Option<u64>> {
        let (number, own) = split(bound);
        if bound.is_empty() {
            return Some(None);
        }
        scaled(number, time_factor(if own.is_empty() { unit } else { own })?).map(Some)
    };
    Some(Span { from: time(from)?, to: time(to)? })
}

/// `257..` in words, `..64B`, `1KiB..2MiB`. Both bounds are words or both bytes.
pub fn parse_sizes(text: &str) -> Option<(Span, SizeUnit)> {
    let (from, to) = bounds(text);
    let unit = common_unit(from, to).unwrap_or("w");
    let mut kinds = Vec::new();
    let mut size = |bound: &str| -> Option<Option<u64>> {
        let (number, own) = split(bound);
        if bound.is_empty() {
            return Some(None);
        }
        let (factor, kind) = size_factor(if own.is_empty() { unit } else { own })?;
        kinds.push(kind);
        scaled(number, factor).map(Some)
    };
    let span = Span { from: size(from)?, to: size(to)? };
    let kind = kinds.first().copied().unwrap_or_default();
    kinds.iter().all(|&other| other == kind).then_some((span, kind))
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

/// Exact to the µs: `850us`, `1.5ms`, `61.3s`.
pub fn time(us: u64) -> String {
    let (number, unit) = time_parts(us);
    number + if unit == "µs" { "us" } else { unit }
}

/// The same to be read: `850 µs`, `1.5 ms`.
pub fn time_words(us: u64) -> String {
    let (number, unit) = time_parts(us);
    format!("{number} {unit}")
}

/// Exact: `100B`, `2KiB`.
pub fn bytes(n: u64) -> String {
    let (number, unit) = bytes_parts(n);
    format!("{number}{unit}")
}

pub fn bytes_words(n: u64) -> String {
    let (number, unit) = bytes_parts(n);
    format!("{number} {unit}")
}

fn time_parts(us: u64) -> (String, &'static str) {
    match us {
        0 => ("0".to_owned(), "s"),
        1..1_000 => (us.to_string(), "µs"),
        1_000..1_000_000 => (decimal(us, 1_000, 3), "ms"),
        _ => (decimal(us, 1_000_000, 6), "s"),
    }
}

fn bytes_parts(n: u64) -> (u64, &'static str) {
    let whole = BYTES[..4].iter().rev().find(|unit| n > 0 && n.is_multiple_of(unit.factor));
    whole.map_or((n, "B"), |unit| (n / unit.factor, unit.name))
}

/// `n / factor` in full, where the factor is ten to the power of `digits`.
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

fn bounds(text: &str) -> (&str, &str) {
    let (from, to) = text.split_once("..").unwrap_or((text, text));
    (from.trim(), to.trim())
}

/// The number and what stands behind it.
fn split(text: &str) -> (&str, &str) {
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    (&text[..end], text[end..].trim_start())
}

/// The unit of the one bound that has one.
fn common_unit<'a>(from: &'a str, to: &'a str) -> Option<&'a str> {
    [from, to].map(|bound| split(bound).1).into_iter().find(|unit| !unit.is_empty())
}

fn time_factor(unit: &str) -> Option<u64> {
    TIMES.iter().find(|known| known.name == unit).map(|known| known.factor)
}

fn size_factor(unit: &str) -> Option<(u64, SizeUnit)> {
    if matches!(unit, "w" | "word" | "words") {
        return Some((1, SizeUnit::Words));
    }
    BYTES.iter().find(|known| known.name == unit).map(|known| (known.factor, SizeUnit::Bytes))
}

/// A decimal number times a factor, rounded to the nearest whole.
fn scaled(number: &str, factor: u64) -> Option<u64> {
    /// Further digits cannot change what is left after rounding to whole µs or bytes.
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
    fn times_are_read_in_any_unit_to_the_microsecond() {
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
    fn a_bound_without_a_unit_takes_the_others() {
        assert_eq!(parse_times("1..2"), Some(Span::new(1_000_000, 2_000_000)));
        assert_eq!(parse_times("10..20ms"), Some(Span::new(10_000, 20_000)));
        assert_eq!(parse_times("500ms..1s"), Some(Span::new(500_000, 1_000_000)));
        assert_eq!(parse_times("3s"), Some(Span::new(3_000_000, 3_000_000)));
        assert_eq!(parse_times(".."), Some(Span::ANY));
        assert_eq!(parse_times("1...2"), Some(Span::new(1_000_000, 200_000)));
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
