//! The summary of a profile, for the page's header and `camlscope summary`.

use rustc_hash::FxHashSet;
use serde::{Deserialize, Serialize};

use crate::profile::{Mark, Profile, Snapshot, WORD_BYTES};
use crate::query::filter::{Clause, Span, When};
use crate::query::summary::{InfoSummary, PeakSummary, Summary, WarningKind, WarningSummary};
use crate::trace::StackId;
use camlscope_formats::ctf::CodeId;
use camlscope_formats::spacetime;

/// The facts that a profile has and a trace doesn't. Words include headers.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ProfileSummary {
    pub has_call_counts: bool,
    /// `None` if the program was killed before it wrote them.
    pub allocation_points: Option<u64>,
    pub marks: Vec<Mark>,
    pub snapshots: Vec<Snapshot>,
    /// 1 in this many snapshots is in the model. `None` if all are.
    pub kept_one_in: Option<u32>,
}

impl ProfileSummary {
    /// Returns the latest snapshot at or before a time. Before the first snapshot, returns the first.
    pub fn snapshot_at(&self, time_us: u64) -> Option<&Snapshot> {
        let n_before = self.snapshots.partition_point(|snapshot| snapshot.at_us <= time_us);
        self.snapshots.get(n_before.saturating_sub(1))
    }

    /// Returns the time of the snapshot that a time refers to.
    pub fn fit_when(&self, when: When) -> When {
        match when {
            When::At(us) => self.snapshot_at(us).map_or(when, |snapshot| When::At(snapshot.at_us)),
            When::Peak | When::End => when,
        }
    }

    /// Returns the range that a time range refers to: from right after a snapshot up to a snapshot.
    pub fn fit_span(&self, span: Span) -> Span {
        let first_us = self.snapshots.first().map_or(0, |snapshot| snapshot.at_us);
        let at_us = |us: u64| self.snapshot_at(us).map_or(us, |snapshot| snapshot.at_us);
        Span { from: span.from.filter(|from| *from >= first_us).map(|from| at_us(from) + 1), to: span.to.map(at_us) }
    }

    /// Moves the times of a clause to those of snapshots.
    pub fn fit_clause(&self, clause: &mut Clause) {
        match clause {
            Clause::LiveAt(when) => *when = self.fit_when(*when),
            Clause::Allocated(span) => *span = self.fit_span(*span),
            _ => {}
        }
    }
}

/// Summarizes a profile. Fields that only a trace has are empty.
pub fn profile_summary(profile: &Profile) -> Summary {
    let words = |words: u64| words as f64 * WORD_BYTES;
    let peak = profile.peak().and_then(|at| profile.snapshots.get(at));
    let last = profile.snapshots.last();
    let codes: Vec<CodeId> =
        (0u32..).zip(&profile.calls.code_used).filter(|(_, used)| **used).map(|(id, _)| CodeId(id)).collect();
    let functions = codes.iter().filter_map(|&code| profile.calls.frames.of_code(code)).flatten();
    Summary {
        format: "spacetime".to_owned(),
        version: profile.header.version,
        file_bytes: profile.file_bytes,
        decompressed_bytes: profile.bytes,
        info: InfoSummary { sample_rate: 1.0, word_size: 64, ..InfoSummary::default() },
        allocated_bytes: words(last.map_or(0, |snapshot| snapshot.allocated_words)),
        peak: peak.map_or_else(PeakSummary::default, |snapshot| PeakSummary {
            samples: snapshot.all_words(),
            bytes: snapshot.all_bytes(),
            at_us: snapshot.at_us,
        }),
        last_event_us: last.map_or(0, |snapshot| snapshot.at_us),
        end_us: profile.end_us,
        location_codes: codes.len() as u64,
        functions: functions.map(|frame| frame.function).collect::<FxHashSet<_>>().len() as u64,
        max_depth: max_depth(profile),
        warnings: all_warnings(profile),
        profile: Some(Box::new(ProfileSummary {
            has_call_counts: profile.header.has_call_counts,
            allocation_points: profile.n_points,
            marks: profile.marks.clone(),
            snapshots: profile.snapshots.clone(),
            kept_one_in: (profile.kept_one_in > 1).then_some(profile.kept_one_in),
        })),
        ..Summary::default()
    }
}

fn max_depth(profile: &Profile) -> u64 {
    let mut depths: Vec<u32> = Vec::with_capacity(profile.calls.stacks.len());
    for (stack, parent, _) in profile.calls.stacks.iter() {
        let above = depths.get(parent.0 as usize).copied().unwrap_or(0);
        depths.push(if stack == StackId::EMPTY { 0 } else { above + 1 });
    }
    depths.into_iter().max().map_or(0, u64::from)
}

fn all_warnings(profile: &Profile) -> Vec<WarningSummary> {
    let warning = |kind, count, first_offset| WarningSummary { kind, count, first_offset, bytes: 0 };
    const NO_POINTS: WarningKind = WarningKind::Profile(spacetime::WarningKind::NoTrie);
    let mut all: Vec<WarningSummary> =
        profile.warnings.iter().map(|warning| warning.map(WarningKind::Profile)).collect();
    if profile.n_points.is_none() && !profile.snapshots.is_empty() && all.iter().all(|known| known.kind != NO_POINTS) {
        all.push(warning(NO_POINTS, 1, profile.bytes));
    }
    all.extend(profile.archive_damaged_at.map(|at| warning(WarningKind::DamagedProfileArchive, 1, at)));
    all.extend(
        (profile.kept_one_in > 1).then(|| warning(WarningKind::DownsampledProfile, u64::from(profile.kept_one_in), 0)),
    );
    all
}
