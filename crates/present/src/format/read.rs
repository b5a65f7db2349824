//! Parses numbers as people type them.

/// Parses a size such as `500M` or `5G`, in units of 1024.
pub fn parse_bytes(text: &str) -> Result<u64, String> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let shift = match &text[digits.len()..] {
        "" => 0,
        "K" | "k" => 10,
        "M" => 20,
        "G" => 30,
        unit => return Err(format!("unknown unit “{unit}”: use K, M or G")),
    };
    let n: u64 = digits.parse().map_err(|_| "expected a whole number, optionally followed by K, M or G".to_owned())?;
    n.checked_mul(1 << shift).ok_or_else(|| "the number is too large".to_owned())
}

/// Parses a plain decimal number such as `0.25` or `12` with at most fifteen digits. `str::parse` would add its tables
/// to the size of the page.
pub fn read_decimal(text: &str) -> Option<f64> {
    const MAX_DIGITS: usize = 15;
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let digits = format!("{whole}{fraction}");
    let is_plain = digits.bytes().all(|byte| byte.is_ascii_digit()) && (1..=MAX_DIGITS).contains(&digits.len());
    let value: u64 = is_plain.then(|| digits.parse().ok())??;
    // Both are exact, so the quotient is correctly rounded.
    Some(value as f64 / fraction.bytes().fold(1.0, |power, _| power * 10.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_parse_with_unit_suffixes() {
        assert_eq!(parse_bytes("500"), Ok(500));
        assert_eq!(parse_bytes("2K"), Ok(2048));
        assert_eq!(parse_bytes("5G"), Ok(5 << 30));
        assert!(parse_bytes("5T").is_err() && parse_bytes("G").is_err() && parse_bytes("99999999999G").is_err());
    }

    #[test]
    fn decimal_numbers_parse_like_the_standard_library() {
        for text in ["0", "12", "0.25", ".5", "7.", "0.1", "3.14159", "123456789.123456"] {
            assert_eq!(read_decimal(text), text.parse().ok(), "{text}");
        }
        for text in ["", ".", "-1", "1e3", "1.2.3", "x", "1234567890123456"] {
            assert_eq!(read_decimal(text), None, "{text}");
        }
    }
}
