//! Formats numbers for people: three significant digits, in units of 1024 (KiB, MiB, GiB) or 1000 (kB, MB, GB),
//! whichever the user prefers.

mod read;

pub use read::{parse_bytes, read_decimal};

use camlscope_engine::query::measure::Unit;

/// The units of byte amounts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Units {
    /// Of 1024.
    #[default]
    Binary,
    /// Of 1000.
    Decimal,
}

impl Units {
    pub fn factor(self) -> f64 {
        match self {
            Units::Binary => 1024.0,
            Units::Decimal => 1000.0,
        }
    }

    pub fn names(self) -> [&'static str; 7] {
        match self {
            Units::Binary => ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"],
            Units::Decimal => ["B", "kB", "MB", "GB", "TB", "PB", "EB"],
        }
    }

    /// `1.42 GiB`, `1.52 GB`: three significant digits, or whole bytes below 1 KiB.
    pub fn bytes(self, n: f64) -> String {
        let (bytes, name) = self.byte_unit(n);
        let sign = if n < 0.0 { "−" } else { "" };
        let value = n.abs() / bytes;
        let digits = if bytes == 1.0 { format!("{value:.0}") } else { three_digits(value) };
        format!("{sign}{digits} {name}")
    }

    /// Returns the unit for an amount of bytes: its size in bytes and its name.
    pub fn byte_unit(self, n: f64) -> (f64, &'static str) {
        let (factor, names) = (self.factor(), self.names());
        let (mut bytes, mut unit) = (1.0, 0);
        // 1023.5 would round to "1024", so it moves up one unit early.
        while n.abs() / bytes >= 999.5 && unit + 1 < names.len() {
            bytes *= factor;
            unit += 1;
        }
        (bytes, names[unit])
    }

    /// ` ±0.9` after `22.1 MiB`: a margin in the unit of `value`. Empty if there is none.
    pub fn margin_of_bytes(self, value: f64, margin: f64) -> String {
        margin_text(margin / self.byte_unit(value).0)
    }

    /// `294 KiB/s (256–336)`: a rate and its interval, both in the unit of the rate.
    pub fn bytes_per_second_between(self, value: f64, low: f64, high: f64) -> String {
        // A rate of 0 has no unit of its own.
        let (bytes, name) = self.byte_unit(if value > 0.0 { value } else { high });
        let digits = |value: f64| match value / bytes {
            0.0 => "0".to_owned(),
            value if bytes == 1.0 => format!("{value:.0}"),
            value => three_digits(value),
        };
        format!("{} {name}/s ({}–{})", digits(value), digits(low), digits(high))
    }

    /// `1 sample per 78.1 KiB`: the amount of memory per sample.
    pub fn rate(self, sample_rate: f64, word_bytes: f64) -> String {
        if sample_rate >= 1.0 {
            "every word sampled".to_owned()
        } else if sample_rate > 0.0 {
            format!("1 sample per {}", self.bytes(word_bytes / sample_rate))
        } else {
            "unknown rate".to_owned()
        }
    }

    /// Formats an amount in its unit.
    pub fn amount(self, unit: Unit, value: f64) -> String {
        match unit {
            Unit::Bytes => self.bytes(value),
            Unit::ByteSeconds => format!("{}·s", self.bytes(value)),
            Unit::Blocks | Unit::Samples | Unit::Calls => count(value.abs().round() as u64),
            Unit::BytesPerSecond => format!("{}/s", self.bytes(value)),
            Unit::BlocksPerSecond | Unit::SamplesPerSecond => format!("{}/s", decimal(value.abs())),
        }
    }

    /// `22.1 MiB ±0.9`: an amount with the margin of its 95% interval, in the same unit. Exact amounts have no margin.
    pub fn amount_with_margin(self, unit: Unit, value: f64, margin: f64) -> String {
        format!("{}{}", self.amount(unit, value), self.margin(unit, value, margin))
    }

    /// ` ±0.9`, in the unit of `value`.
    pub fn margin(self, unit: Unit, value: f64, margin: f64) -> String {
        match unit.counted() {
            Unit::Bytes | Unit::ByteSeconds => self.margin_of_bytes(value, margin),
            _ if unit.is_per_second() => margin_text(margin),
            _ if margin > 0.0 => format!(" ±{}", count(margin.ceil() as u64)),
            _ => String::new(),
        }
    }
}

/// The explanation of ±.
pub const MARGIN: &str = "± is a 95% confidence interval, in the unit of the figure before it.";

/// ` ±1.6`: a margin with two digits, and at least the last digit of a three-digit figure. Empty if there is none.
pub fn margin_text(margin: f64) -> String {
    match margin {
        margin if margin.is_nan() || margin <= 0.0 => String::new(),
        margin if margin >= 9.95 => format!(" ±{}", count(margin.round() as u64)),
        margin if margin >= 0.995 => format!(" ±{margin:.1}"),
        margin if margin >= 0.01 => format!(" ±{margin:.2}"),
        _ => " ±0.01".to_owned(),
    }
}

/// `27% ±4`: a fraction with its margin, both in percent.
pub fn percent_with_margin(share: f64, margin: f64) -> String {
    match margin * 100.0 {
        points if points <= 0.0 => percent(share),
        ..0.05 => format!("{} ±0.1", percent(share)),
        points @ ..0.95 => format!("{} ±{points:.1}", percent(share)),
        points => format!("{} ±{points:.0}", percent(share)),
    }
}

/// `1,234`, `12.3`, `0.05`: three significant digits, or all digits of the integer part.
pub fn decimal(value: f64) -> String {
    if value >= 999.5 { count(value.round() as u64) } else { three_digits(value) }
}

/// `13,861`: all digits in groups of three.
pub fn count(n: u64) -> String {
    let digits = n.to_string();
    let mut grouped = String::with_capacity(digits.len() + digits.len() / 3);
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

/// `850 µs`, `12.3 ms`, `60.1 s`, `2 min 14 s`, `3 h 5 min`, `2 d 4 h`.
pub fn duration_us(us: u64) -> String {
    const MS: f64 = 1e3;
    const S: f64 = 1e6;
    let value = us as f64;
    if value < 999.5 {
        return format!("{us} µs");
    }
    if value < 999.5 * MS {
        return format!("{} ms", three_digits(value / MS));
    }
    if value < 99.95 * S {
        return format!("{} s", three_digits(value / S));
    }
    let seconds = (value / S).round() as u64;
    let (minutes, hours, days) = (seconds / 60, seconds / 3600, seconds / 86_400);
    if hours == 0 {
        format!("{minutes} min {} s", seconds % 60)
    } else if days == 0 {
        format!("{hours} h {} min", minutes % 60)
    } else {
        format!("{} d {} h", count(days), hours % 24)
    }
}

/// `77%`, `0.9%`, `<0.1%`: a fraction in percent, without more digits than the samples support.
pub fn percent(share: f64) -> String {
    let value = share * 100.0;
    if value == 0.0 {
        "0%".to_owned()
    } else if value.abs() < 0.1 {
        "<0.1%".to_owned()
    } else if value.abs() < 9.95 || (99.0..99.95).contains(&value.abs()) {
        // Near the ends a tenth matters: 99.8% isn't all.
        format!("{value:.1}%")
    } else if (99.95..100.0).contains(&value.abs()) {
        ">99.9%".to_owned()
    } else {
        format!("{value:.0}%")
    }
}

/// A time since the start, for an axis or a marker: `0 s`, `1.5 s`, `12 ms`, `2:05`, `1:02:05`. Has only as many digits
/// as it needs to differ from its neighbors.
pub fn elapsed_us(us: u64) -> String {
    const MINUTE: u64 = 60_000_000;
    if us < 1_000 && us > 0 {
        return format!("{us} µs");
    }
    if us < 100_000 && us > 0 {
        return format!("{} ms", trimmed(us as f64 / 1e3, 3));
    }
    if us < 2 * MINUTE {
        return format!("{} s", trimmed(us as f64 / 1e6, 3));
    }
    let seconds = us / 1_000_000;
    let (hours, minutes, rest) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    if hours > 0 { format!("{hours}:{minutes:02}:{rest:02}") } else { format!("{minutes}:{rest:02}") }
}

/// `12:03:11` in UTC, from µs since the Unix epoch.
pub fn time_of_day(us: u64) -> String {
    let in_day = us / 1_000_000 % 86_400;
    format!("{:02}:{:02}:{:02}", in_day / 3600, in_day / 60 % 60, in_day % 60)
}

/// `12:03:11.042`, the same with milliseconds.
pub fn exact_time_of_day(us: u64) -> String {
    format!("{}.{:03}", time_of_day(us), us / 1_000 % 1_000)
}

/// Returns the largest integer power of `base` that doesn't exceed `value`, or 1 if there is none. It multiplies,
/// because `powf` would add its tables to the size of the page.
pub fn whole_power(base: f64, value: f64) -> f64 {
    let mut power = 1.0;
    if !(value > 0.0 && value.is_finite()) {
        return power;
    }
    while power > value {
        power /= base;
    }
    while power * base <= value {
        power *= base;
    }
    power
}

/// Formats with at most `decimals` decimals, without trailing zeros.
fn trimmed(value: f64, decimals: usize) -> String {
    let text = format!("{value:.decimals$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

/// `2026-11-14 12:03:11 UTC`, from µs since the Unix epoch.
pub fn date_time(us: u64) -> String {
    let (year, month, day) = civil_from_days(us / 1_000_000 / 86_400);
    format!("{year:04}-{month:02}-{day:02} {} UTC", time_of_day(us))
}

fn three_digits(value: f64) -> String {
    if value < 9.995 {
        format!("{value:.2}")
    } else if value < 99.95 {
        format!("{value:.1}")
    } else {
        format!("{value:.0}")
    }
}

/// Converts days since 1970-01-01 to (year, month, day) of the Gregorian calendar. Counts in eras of 400 years that
/// start on March 1.
fn civil_from_days(days: u64) -> (u64, u64, u64) {
    const DAYS_TO_EPOCH_FROM_YEAR_0: u64 = 719_468;
    let z = days + DAYS_TO_EPOCH_FROM_YEAR_0;
    let (era, day_of_era) = (z / 146_097, z % 146_097);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    let year = era * 400 + year_of_era + u64::from(month <= 2);
    (year, month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interval_has_the_unit_of_its_rate() {
        let kib = 1024.0;
        assert_eq!(
            Units::Binary.bytes_per_second_between(294.0 * kib, 256.0 * kib, 336.4 * kib),
            "294 KiB/s (256–336)"
        );
        assert_eq!(Units::Binary.bytes_per_second_between(0.0, 0.0, 12.0 * kib), "0 KiB/s (0–12.0)");
        assert_eq!(Units::Binary.bytes_per_second_between(500.0, 20.0, 2048.0), "500 B/s (20–2048)");
        assert_eq!(Units::Binary.bytes_per_second_between(0.0, 0.0, 0.0), "0 B/s (0–0)");
    }

    #[test]
    fn a_whole_power_does_not_exceed_the_value() {
        assert_eq!(
            [0.02, 1.0, 9.99, 10.0, 12_345.0].map(|value| whole_power(10.0, value)),
            [0.01, 1.0, 1.0, 10.0, 1e4]
        );
        assert_eq!([1023.0, 1024.0, 3e6].map(|value| whole_power(1024.0, value)), [1.0, 1024.0, 1_048_576.0]);
        assert_eq!([0.0, -1.0, f64::NAN, f64::INFINITY].map(|value| whole_power(10.0, value)), [1.0; 4]);
    }

    #[test]
    fn bytes_never_show_four_digits() {
        assert_eq!(Units::Binary.bytes(0.0), "0 B");
        assert_eq!(Units::Binary.bytes(999.0), "999 B");
        assert_eq!(Units::Binary.bytes(1000.0), "0.98 KiB");
        assert_eq!(Units::Binary.bytes(80_000.0), "78.1 KiB");
        assert_eq!(Units::Binary.bytes(1023.9 * 1024.0), "1.00 MiB");
        assert_eq!(Units::Binary.bytes(1.42 * 1024.0 * 1024.0 * 1024.0), "1.42 GiB");
        assert_eq!(Units::Binary.bytes(-2048.0), "−2.00 KiB");
    }

    #[test]
    fn decimal_units_are_powers_of_1000() {
        let written = [999.0, 1000.0, 80_000.0, 999_600.0, 1.42e9, -2048.0].map(|n| Units::Decimal.bytes(n));
        let rate = Units::Decimal.rate(1e-4, 8.0);
        assert_eq!(written, ["999 B", "1.00 kB", "80.0 kB", "1.00 MB", "1.42 GB", "−2.05 kB"]);
        assert_eq!(rate, "1 sample per 80.0 kB");
    }

    #[test]
    fn counts_are_grouped_in_threes() {
        assert_eq!(count(0), "0");
        assert_eq!(count(999), "999");
        assert_eq!(count(13_861), "13,861");
        assert_eq!(count(1_234_567), "1,234,567");
    }

    #[test]
    fn durations_use_at_most_two_units() {
        assert_eq!(duration_us(0), "0 µs");
        assert_eq!(duration_us(850), "850 µs");
        assert_eq!(duration_us(12_345), "12.3 ms");
        assert_eq!(duration_us(60_050_970), "60.1 s");
        assert_eq!(duration_us(134_000_000), "2 min 14 s");
        assert_eq!(duration_us(11_100_000_000), "3 h 5 min");
        assert_eq!(duration_us(187_200_000_000), "2 d 4 h");
    }

    #[test]
    fn percentages_have_few_digits_except_near_the_ends() {
        assert_eq!(percent(0.0), "0%");
        assert_eq!(percent(0.0004), "<0.1%");
        assert_eq!(percent(0.009), "0.9%");
        assert_eq!(percent(0.7712), "77%");
        assert_eq!(percent(0.998), "99.8%");
        assert_eq!(percent(0.9999), ">99.9%");
        assert_eq!(percent(1.0), "100%");
    }

    #[test]
    fn the_rate_is_shown_as_bytes_per_sample() {
        assert_eq!(Units::Binary.rate(1e-4, 8.0), "1 sample per 78.1 KiB");
        assert_eq!(Units::Binary.rate(1.0, 8.0), "every word sampled");
        assert_eq!(Units::Binary.rate(f64::NAN, 8.0), "unknown rate");
    }

    #[test]
    fn times_on_an_axis_are_short_and_exact() {
        assert_eq!(elapsed_us(0), "0 s");
        assert_eq!(elapsed_us(250), "250 µs");
        assert_eq!(elapsed_us(12_500), "12.5 ms");
        assert_eq!(elapsed_us(50_700_000), "50.7 s");
        assert_eq!(elapsed_us(125_000_000), "2:05");
        assert_eq!(elapsed_us(3_725_000_000), "1:02:05");
        assert_eq!(time_of_day(951_782_461_000_000), "00:01:01");
    }

    #[test]
    fn dates_are_gregorian() {
        assert_eq!(date_time(0), "1970-01-01 00:00:00 UTC");
        assert_eq!(date_time(951_782_400_000_000), "2000-02-29 00:00:00 UTC");
        assert_eq!(date_time(1_794_703_163_715_432), "2026-11-15 00:39:23 UTC");
    }
}
