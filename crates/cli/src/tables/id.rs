//! The id of a trace in a dataset. It identifies the run, regardless of the location of the file.

use flate2::Crc;

use camlscope_engine::query::summary::Summary;
use camlscope_present::format;

/// Returns program, start, pid, and a checksum of these, the host and the rate. Profiles and anonymized traces have no
/// start time. Their name and size are used instead.
pub fn run_id(summary: &Summary, file_name: &str) -> String {
    let info = &summary.info;
    let program = info.executable.rsplit(['/', '\\']).next().unwrap_or_default();
    let is_told = info.start_time_us > 0;
    let (name, start) = match is_told {
        true => (program, compact(&format::date_time(info.start_time_us))),
        false => (file_name, summary.decompressed_bytes.to_string()),
    };
    let whole = format!(
        "{}\n{}\n{}\n{}\n{}\n{name}\n{start}",
        info.host, info.executable, info.pid, info.start_time_us, info.sample_rate
    );
    let mut checksum = Crc::new();
    checksum.update(whole.as_bytes());
    format!("{}-{start}-{}-{:08x}", plain(name), info.pid, checksum.sum())
}

/// `20240229T120000Z`, from a date and time.
fn compact(date_time: &str) -> String {
    let digits: String = date_time.chars().filter(char::is_ascii_digit).take(14).collect();
    let (date, time) = digits.split_at(digits.len().min(8));
    format!("{date}T{time}Z")
}

/// Replaces characters that aren't allowed in folder names on every system, or that have a meaning for query engines.
fn plain(name: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
    let name: String = name.chars().map(|c| if is_plain(c) { c } else { '_' }).take(60).collect();
    if name.is_empty() { "trace".to_owned() } else { name }
}

#[cfg(test)]
mod tests {
    use super::*;
    use camlscope_engine::query::summary::InfoSummary;

    fn of(executable: &str, start_time_us: u64) -> Summary {
        let info = InfoSummary {
            executable: executable.to_owned(),
            pid: 17,
            start_time_us,
            sample_rate: 1e-4,
            ..InfoSummary::default()
        };
        Summary { info, decompressed_bytes: 4096, ..Summary::default() }
    }

    #[test]
    fn a_run_has_the_same_id_regardless_of_its_file() {
        let start_us = 1_709_208_000_000_000;
        let id = run_id(&of("/srv/bin/orders.exe", start_us), "a.ctf");
        assert_eq!(id, run_id(&of("/srv/bin/orders.exe", start_us), "copy of a.ctf"));
        assert!(id.starts_with("orders.exe-20240229T120000Z-17-"), "{id}");
        assert_ne!(id, run_id(&of("/srv/bin/orders.exe", start_us + 1), "a.ctf"));
    }

    #[test]
    fn runs_without_a_start_time_are_identified_by_file_name() {
        let (one, two) = (run_id(&of("", 0), "one/…=x.ctf"), run_id(&of("", 0), "two.ctf"));
        assert_ne!(one, two);
        assert!(one.chars().all(|c| c.is_ascii_alphanumeric() || "._-".contains(c)), "{one}");
    }
}
