//! The trace info: the only event of the first packet.

use super::limits::{MAX_TRACE_SPAN_US, MIN_SAMPLE_RATE};
use super::packet::Header;
use super::reader::{Reader, Short};

/// The program and its recording, as described in the trace.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Info {
    pub version: u16,
    /// λ: the probability with which each allocated word is sampled.
    pub sample_rate: f64,
    /// 32 or 64.
    pub word_size_bits: u8,
    pub executable: String,
    pub host: String,
    /// In the format of `OCAMLRUNPARAM`.
    pub runtime_params: String,
    pub pid: u64,
    /// Empty if none was given, and before version 2.
    pub context: String,
    /// The begin of the first packet, in µs since the Unix epoch. 0 in anonymized traces.
    pub start_us: u64,
}

impl Info {
    /// Reads the body of the first packet. The error describes what is wrong with it.
    pub(super) fn of_packet(header: &Header, body: &[u8]) -> Result<Info, &'static str> {
        let mut r = Reader::new(body);
        match r.u32() {
            Ok(word) if word >> 25 == 0 => {}
            _ => return Err("its first event isn't the trace info"),
        }
        let info = Info::read(&mut r, header.version, header.time_begin).map_err(|_| "a text is too long")?;
        info.flaw().map_or(Ok(info), Err)
    }

    /// Reads the event's body.
    pub fn read(r: &mut Reader<'_>, version: u16, start_us: u64) -> Result<Info, Short> {
        Ok(Info {
            version,
            start_us,
            sample_rate: r.f64()?,
            word_size_bits: r.u8()?,
            executable: r.string()?,
            host: r.string()?,
            runtime_params: r.string()?,
            pid: r.u64()?,
            context: if version >= 2 { r.string()? } else { String::new() },
        })
    }

    /// Returns the problem that makes all figures meaningless, if any.
    pub fn flaw(&self) -> Option<&'static str> {
        let rate_is_sane = self.sample_rate > 0.0 && self.sample_rate <= 1.0;
        if !rate_is_sane {
            Some("the sampling rate isn't between 0 and 1")
        } else if self.sample_rate < MIN_SAMPLE_RATE {
            Some("the sampling rate is less than 1 in 10^18 words")
        } else if !matches!(self.word_size_bits, 32 | 64) {
            Some("the word size is neither 32 nor 64 bits")
        } else if self.start_us > 100 * MAX_TRACE_SPAN_US {
            Some("the start time is invalid")
        } else {
            None
        }
    }

    pub fn word_bytes(&self) -> f64 {
        f64::from(self.word_size_bits) / 8.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rate_that_makes_figures_infinite_is_a_flaw() {
        let with_rate = |sample_rate| Info { sample_rate, word_size_bits: 64, ..Info::default() };
        for rate in [3.4e-310, f64::MIN_POSITIVE, 1e-19, 0.0, -0.5, 1.5, f64::NAN, f64::INFINITY] {
            assert!(with_rate(rate).flaw().is_some(), "{rate}");
        }
        for rate in [1e-18, 1e-6, 1.0] {
            assert_eq!(with_rate(rate).flaw(), None, "{rate}");
        }
    }
}
