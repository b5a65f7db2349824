//! Figures by source line, for annotated source code.
//!
//! The lines are rows of a table whose frames are merged by file and line ([`Shape::by_line`]). So a line's total counts
//! each object once, however often the line occurs in its stack. Adding up the line's call sites would count an object
//! twice if two of them are in its stack.
//!
//! [`Shape::by_line`]: super::tree::Shape::by_line

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use super::label::{file_of_line, frames_of, is_library};
use super::measure::{GrowthUnit, Measure, Weight};
use super::sorting::sort_by;
use super::statistics;
use super::table::TableSums;
use super::tree::{Key, KeyId, Keys, ShapedTree};
use crate::trace::{Calls, FunctionId, Sampling, TextId};
use camlscope_formats::ctf::CodeId;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LinesConfig {
    /// The file's path in the trace.
    pub file: String,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FileLines {
    /// The total of all selected objects, in the unit of the measure.
    pub all: f64,
    /// The lines with selected objects in ascending order.
    pub lines: Vec<SourceLine>,
    /// By first line, then by name. Empty for profiles, which have no function names.
    pub functions: Vec<FunctionLines>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SourceLine {
    pub line: u32,
    pub figures: SourceFigures,
}

/// Which lines a function has, as far as the trace knows, regardless of the filter.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FunctionLines {
    /// The compiler's name.
    pub name: String,
    pub first_line: u32,
    pub last_line: u32,
    /// The function's line with the largest total. `None` if no selected object has one in its stack.
    pub hottest_line: Option<u32>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SourceFiles {
    /// The total of all selected objects, in the unit of the measure.
    pub all: f64,
    /// By total, largest first, then by name.
    pub files: Vec<SourceFile>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SourceFile {
    /// The path in the trace.
    pub file: String,
    /// Whether all its functions belong to OCaml's own library. Unknown, and so false, in a profile.
    pub is_library: bool,
    pub figures: SourceFigures,
}

/// The figures of a line or a file: what it allocates itself, and (`total`) what it and everything it calls allocates.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct SourceFigures {
    /// In the unit of the measure.
    pub own: f64,
    pub total: f64,
    /// The relative margin of the 95% interval of `total`, for bytes and samples.
    pub error: Option<f64>,
    pub self_bytes: f64,
    pub total_bytes: f64,
    pub self_blocks: f64,
    pub blocks: f64,
    pub self_samples: u64,
    pub total_samples: u64,
}

/// The sums of a tree, and everything that turns them into figures.
#[derive(Clone, Copy, Debug)]
pub struct Summed<'a> {
    pub calls: &'a Calls,
    pub tree: &'a ShapedTree,
    pub sums: &'a TableSums,
    pub sampling: Sampling,
    pub measure: Measure,
    /// The time that growth is measured over.
    pub growth_seconds: f64,
}

/// `of` must have the shape [`super::tree::Shape::by_line`].
pub fn lines(of: &Summed<'_>, config: &LinesConfig) -> FileLines {
    let frames = &of.calls.frames;
    let mut files = frames.functions().iter().map(|function| function.file);
    let Some(asked) = files.find(|&file| frames.text(file) == config.file) else {
        return FileLines { all: of.all(), lines: Vec::new(), functions: Vec::new() };
    };
    let of_line = |id| match of.tree.keys().get(id) {
        Key::Line { file, line } if file == asked => Some(SourceLine { line, figures: of.figures(id)? }),
        _ => None,
    };
    let mut lines: Vec<SourceLine> = of.sums.keys().filter_map(of_line).collect();
    sort_by(&mut lines, |one, two| one.line.cmp(&two.line));
    let functions = functions_in(of.calls, asked, &lines);
    FileLines { all: of.all(), lines, functions }
}

/// `of` must be grouped by file.
pub fn source_files(of: &Summed<'_>) -> SourceFiles {
    let is_library = library_files(of.calls);
    let mut files = Vec::new();
    for id in of.sums.keys() {
        if let Key::File(text) = of.tree.keys().get(id)
            && !of.calls.frames.text(text).is_empty()
            && let Some(figures) = of.figures(id)
        {
            files.push(SourceFile {
                file: of.calls.frames.text(text).to_owned(),
                is_library: is_library.get(&text).copied().unwrap_or(false),
                figures,
            });
        }
    }
    sort_by(&mut files, |one, two| {
        two.figures.total.total_cmp(&one.figures.total).then_with(|| one.file.cmp(&two.file))
    });
    SourceFiles { all: of.all(), files }
}

impl Summed<'_> {
    /// Returns `None` if the measure counted nothing.
    fn figures(&self, id: KeyId) -> Option<SourceFigures> {
        let (own, total) = (self.sums.own(id), self.sums.total(id));
        let (raw_own, raw_total) = match (self.measure, self.measure.weight()) {
            (Measure::Calls, _) => {
                let calls = self.sums.calls(id).unwrap_or_default();
                (calls.own as f64, calls.total as f64)
            }
            (_, Weight::Samples) => (own.samples as f64, total.samples as f64),
            (_, Weight::Blocks) => (own.blocks, total.blocks),
            (_, Weight::SampleMicros) => (own.sample_us, total.sample_us),
        };
        let is_counted = if self.measure == Measure::Calls { raw_total > 0.0 } else { total.samples > 0 };
        let (scale, bytes, blocks) = (self.scale(self.measure), self.bytes_scale(), self.blocks_scale());
        is_counted.then(|| SourceFigures {
            own: raw_own * scale,
            total: raw_total * scale,
            error: statistics::relative_margin(total.samples, self.sampling.rate),
            self_bytes: own.samples as f64 * bytes,
            total_bytes: total.samples as f64 * bytes,
            self_blocks: own.blocks * blocks,
            blocks: total.blocks * blocks,
            self_samples: own.samples,
            total_samples: total.samples,
        })
    }

    /// The total of all selected objects, including those whose stack is empty.
    fn all(&self) -> f64 {
        let all = self.sums.all();
        let raw = match (self.measure, self.measure.weight()) {
            (Measure::Calls, _) => self.sums.calls(Keys::ROOT).unwrap_or_default().total as f64,
            (_, Weight::Samples) => all.samples as f64,
            (_, Weight::Blocks) => all.blocks,
            (_, Weight::SampleMicros) => all.sample_us,
        };
        raw * self.scale(self.measure)
    }

    fn scale(&self, measure: Measure) -> f64 {
        measure.scale(self.sampling, self.growth_seconds)
    }

    fn bytes_scale(&self) -> f64 {
        self.scale(if self.measure.is_growth() { Measure::GROWTH } else { Measure::Allocated })
    }

    fn blocks_scale(&self) -> f64 {
        self.scale(if self.measure.is_growth() { Measure::Growth(GrowthUnit::Blocks) } else { Measure::Blocks })
    }
}

/// `lines` are the file's.
fn functions_in(calls: &Calls, file: TextId, lines: &[SourceLine]) -> Vec<FunctionLines> {
    let frames = &calls.frames;
    let totals: FxHashMap<u32, f64> = lines.iter().map(|line| (line.line, line.figures.total)).collect();
    // A profile names frames by file and line, which aren't functions.
    let is_wanted = |id: FunctionId| {
        let function = frames.function(id);
        function.file == file && file_of_line(frames.text(function.name)).is_none()
    };
    let wanted: Vec<bool> = (0..frames.functions().len() as u32).map(|id| is_wanted(FunctionId(id))).collect();
    let mut known: FxHashMap<FunctionId, FunctionLines> = FxHashMap::default();
    for code in (0..calls.codes.len() as u32).map(CodeId) {
        let of_file = frames_of(calls, code).into_iter().flatten().filter(|frame| wanted[frame.function.0 as usize]);
        for frame in of_file {
            let function = known.entry(frame.function).or_insert_with(|| FunctionLines {
                name: frames.text(frames.function(frame.function).name).to_owned(),
                first_line: frame.line,
                last_line: frame.line,
                hottest_line: None,
            });
            function.first_line = function.first_line.min(frame.line);
            function.last_line = function.last_line.max(frame.line);
            if let Some(total) = totals.get(&frame.line) {
                // Of equal lines, the first is the hottest, whatever the order of the codes.
                let is_hotter = function.hottest_line.is_none_or(|line| {
                    let known = totals.get(&line).copied().unwrap_or(0.0);
                    *total > known || *total == known && frame.line < line
                });
                function.hottest_line = if is_hotter { Some(frame.line) } else { function.hottest_line };
            }
        }
    }
    let mut functions: Vec<FunctionLines> = known.into_values().collect();
    sort_by(&mut functions, |one, two| one.first_line.cmp(&two.first_line).then_with(|| one.name.cmp(&two.name)));
    functions
}

/// Returns for each file whether all its functions belong to OCaml's own library.
fn library_files(calls: &Calls) -> FxHashMap<TextId, bool> {
    let mut files = FxHashMap::default();
    for function in calls.frames.functions() {
        let name = calls.frames.text(function.name);
        // In a profile, the name is only a guess: any file can be called list.ml.
        let is_library = is_library(name) && file_of_line(name).is_none();
        *files.entry(function.file).or_insert(true) &= is_library;
    }
    files
}
