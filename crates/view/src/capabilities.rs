//! The capabilities of the open file, determined once when it's loaded. Components check for what they need, not for
//! the kind of file.

use super::state::Tab;
use camlscope_engine::query::summary::Summary;
use camlscope_engine::query::tree::Grain;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Capabilities {
    /// Has individual objects, each with its size, lifetime and events.
    pub has_objects: bool,
    /// Figures are estimates from samples, with a margin of error. Otherwise they are exact.
    pub has_samples: bool,
    /// Frames are functions. Otherwise they are lines.
    pub has_functions: bool,
    /// Figures are known only at snapshots, and times are CPU times.
    pub has_snapshots: bool,
    /// Calls are counted.
    pub has_calls: bool,
}

impl Capabilities {
    pub fn new(summary: &Summary) -> Capabilities {
        let is_trace = summary.profile.is_none();
        Capabilities {
            has_objects: is_trace,
            has_samples: is_trace,
            has_functions: is_trace,
            has_snapshots: !is_trace,
            has_calls: summary.profile.as_ref().is_some_and(|profile| profile.has_call_counts),
        }
    }

    /// Tabs from left to right.
    pub fn tabs(self) -> &'static [Tab] {
        if self.has_objects { &Tab::ALL } else { &Tab::WITHOUT_OBJECTS }
    }

    pub fn file_noun(self) -> &'static str {
        if self.has_snapshots { "profile" } else { "trace" }
    }

    pub fn frame_noun(self, grain: Grain) -> &'static str {
        match grain {
            Grain::Function if !self.has_functions => "line",
            Grain::Site => "call site",
            Grain::Function | Grain::File | Grain::Module => grain.as_str(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use camlscope_engine::query::profile::ProfileSummary;

    fn profile(has_call_counts: bool) -> Capabilities {
        let profile = Some(Box::new(ProfileSummary { has_call_counts, ..ProfileSummary::default() }));
        Capabilities::new(&Summary { profile, ..Summary::default() })
    }

    #[test]
    fn a_trace_has_sampled_objects_and_functions() {
        let trace = Capabilities::new(&Summary::default());
        let expected = Capabilities {
            has_objects: true,
            has_samples: true,
            has_functions: true,
            has_snapshots: false,
            has_calls: false,
        };
        assert_eq!(trace, expected);
        assert_eq!((trace.file_noun(), trace.frame_noun(Grain::Function)), ("trace", "function"));
    }

    #[test]
    fn a_profile_has_snapshots_lines_and_counted_calls() {
        let expected = Capabilities {
            has_objects: false,
            has_samples: false,
            has_functions: false,
            has_snapshots: true,
            has_calls: true,
        };
        assert_eq!(profile(true), expected);
        assert_eq!(profile(false), Capabilities { has_calls: false, ..expected });
        assert_eq!((expected.file_noun(), expected.frame_noun(Grain::Function)), ("profile", "line"));
        assert!(![Tab::Histograms, Tab::Events].iter().any(|tab| expected.tabs().contains(tab)));
    }
}
