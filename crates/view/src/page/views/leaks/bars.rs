//! The selected bars of the Leaks tab, and their description.

use camlscope_engine::query::filter::Span;
use camlscope_present::format::{self, Units};
use camlscope_present::layout::growth_bars::Bar;

/// Returns the bars that a time range covers completely or partly.
pub fn covered(bars: &[Bar], range: Span) -> Option<(usize, usize)> {
    let (from_us, to_us) = (range.from.unwrap_or(0), range.to.unwrap_or(u64::MAX));
    let is_in = |bar: &Bar| bar.to_us > from_us && bar.from_us <= to_us;
    Some((bars.iter().position(is_in)?, bars.iter().rposition(is_in)?))
}

/// Describes neighboring bars.
pub fn read(bars: &[Bar], units: Units) -> String {
    let (Some(first), Some(last)) = (bars.first(), bars.last()) else { return String::new() };
    let seconds = |bar: &Bar| (bar.to_us - bar.from_us) as f64;
    let mean = |of: fn(&Bar) -> f64| {
        bars.iter().map(|bar| of(bar) * seconds(bar)).sum::<f64>() / bars.iter().map(seconds).sum::<f64>().max(1.0)
    };
    let passing = match first.passing {
        Some(_) => format!(", {} selected", rate(mean(|bar| bar.passing.unwrap_or_default()), units)),
        None => String::new(),
    };
    let fate = if first.is_young { "still live, too young to judge" } else { "never freed" };
    format!(
        "Allocated {}: {} {fate}{passing}",
        time(first.from_us, last.to_us),
        rate(mean(|bar| bar.bytes_per_s), units)
    )
}

pub fn rate(bytes_per_s: f64, units: Units) -> String {
    format!("{}/s", units.bytes(bytes_per_s))
}

pub fn time(from_us: u64, to_us: u64) -> String {
    format!("from {} to {}", format::elapsed_us(from_us), format::elapsed_us(to_us))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bar(from_us: u64, to_us: u64, bytes_per_s: f64) -> Bar {
        Bar { from_us, to_us, bytes_per_s, passing: None, is_young: false }
    }

    #[test]
    fn a_time_range_covers_the_bars_it_was_selected_from() {
        let bars = [bar(0, 10, 1.0), bar(10, 20, 1.0), bar(20, 30, 1.0)];
        assert_eq!(covered(&bars, Span::new(10, 19)), Some((1, 1)));
        assert_eq!(covered(&bars, Span::new(0, 29)), Some((0, 2)));
        assert_eq!(covered(&bars, Span { from: Some(30), to: None }), None);
    }

    #[test]
    fn several_bars_show_their_average_over_time() {
        let words = read(&[bar(0, 1_000_000, 1024.0), bar(1_000_000, 4_000_000, 3072.0)], Units::Binary);
        assert_eq!(words, "Allocated from 0 s to 4 s: 2.50 KiB/s never freed");
    }
}
