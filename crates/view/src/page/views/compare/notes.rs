//! Warnings about a comparison of two traces: different programs, sampling rates or durations, or the same file twice.

use crate::Capabilities;
use camlscope_engine::query::summary::Summary;
use camlscope_present::format::{self, Units};
use camlscope_present::words::compare::rates_warning;

/// Durations whose ratio is smaller count as equal.
const LIKE: f64 = 1.25;

pub fn of_traces(a: &Summary, b: &Summary, names: &[String; 2], units: Units) -> Vec<String> {
    let capabilities = Capabilities::new(a);
    if is_same(a, b) {
        return vec![format!("A and B are the same {}, so nothing differs.", capabilities.file_noun())];
    }
    let mut words = Vec::new();
    // Profiles don't name their program.
    if names[0] != names[1] && a.profile.is_none() {
        words.push(format!(
            "The programs differ: A is {}, B is {}. Functions are matched by name and file.",
            names[0], names[1]
        ));
    }
    let rates = [a, b].map(Summary::kept_rate);
    let warning = rates_warning(a.info.sample_rate, b.info.sample_rate).filter(|_| capabilities.has_samples);
    if let Some(warning) = warning {
        words.push(warning);
    } else if rates[0] != rates[1] {
        let rate = |at: usize| units.rate(rates[at], f64::from([a, b][at].info.word_size) / 8.0);
        words.push(format!("Sampling rates differ: A has {}, B has {}. The ± margins include this.", rate(0), rate(1)));
    }
    let [one, two] = [a, b].map(|summary| summary.end_us.max(1) as f64);
    if (one / two).max(two / one) > LIKE {
        words.push(format!(
            "A lasts {}, B lasts {}. Compare allocations per second instead.",
            format::duration_us(a.end_us),
            format::duration_us(b.end_us)
        ));
    }
    words
}

/// Whether both are the same run.
fn is_same(a: &Summary, b: &Summary) -> bool {
    a.info == b.info && a.events == b.events && a.samples == b.samples && a.end_us == b.end_us && a.profile == b.profile
}

#[cfg(test)]
mod tests {
    use super::*;
    use camlscope_engine::query::summary::InfoSummary;

    fn trace(rate: f64, end_us: u64, pid: u64) -> Summary {
        let info = InfoSummary { sample_rate: rate, word_size: 64, pid, ..InfoSummary::default() };
        Summary { info, end_us, ..Summary::default() }
    }

    fn words(a: &Summary, b: &Summary, names: [&str; 2]) -> String {
        of_traces(a, b, &names.map(str::to_owned), Units::Binary).join("\n")
    }

    #[test]
    fn comparing_a_trace_with_itself_shows_a_warning() {
        let trace = trace(1e-4, 60, 1);
        assert_eq!(words(&trace, &trace, ["a", "a"]), "A and B are the same trace, so nothing differs.");
    }

    #[test]
    fn only_differing_programs_rates_and_durations_are_mentioned() {
        let (a, b) = (trace(1e-4, 60_000_000, 1), trace(1e-6, 20_000_000, 2));
        let text = words(&a, &b, ["orders.exe", "coqc"]);
        assert!(text.contains("A is orders.exe, B is coqc"), "{text}");
        assert!(text.contains("The sampling rates differ by 100× (1e-4 and 1e-6)"), "{text}");
        assert!(text.contains("A lasts 60.0 s, B lasts 20.0 s"), "{text}");
        assert_eq!(words(&a, &trace(1e-4, 61_000_000, 2), ["a", "a"]), "");
        let text = words(&a, &trace(2e-4, 60_000_000, 2), ["a", "a"]);
        assert_eq!(
            text,
            "Sampling rates differ: A has 1 sample per 78.1 KiB, B has 1 sample per 39.1 KiB. The ± margins include this."
        );
    }
}
