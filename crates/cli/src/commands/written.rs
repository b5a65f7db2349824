//! A description of a written file, as JSON.

use std::fs;
use std::path::Path;

use serde::Serialize;

use super::context::{Context, Failure};
use camlscope_engine::query::measure::Measure;

/// A written file. Fields that don't apply to its format are missing.
#[derive(Debug, Serialize)]
pub struct WrittenFile {
    pub input: String,
    pub output: String,
    pub format: &'static str,
    /// The size of the file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bytes: Option<u64>,
    /// In the syntax of `--measure`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub measure: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unit: Option<&'static str>,
    /// The sum of the measure over all stacks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub total: Option<f64>,
    /// The number of stacks that were merged into their callers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub merged_stacks: Option<u64>,
    /// The number of objects in a trace.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub objects: Option<u64>,
    /// The id of a trace in tables.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trace: Option<String>,
}

impl WrittenFile {
    pub fn new(input: &Path, output: &Path, format: &'static str) -> WrittenFile {
        WrittenFile {
            input: input.display().to_string(),
            output: output.display().to_string(),
            format,
            bytes: fs::metadata(output).ok().filter(fs::Metadata::is_file).map(|metadata| metadata.len()),
            measure: None,
            unit: None,
            total: None,
            merged_stacks: None,
            objects: None,
            trace: None,
        }
    }

    pub fn with_measure(self, measure: Measure) -> WrittenFile {
        WrittenFile { measure: Some(measure.to_string()), unit: Some(measure.unit().name()), ..self }
    }

    pub fn with_stacks(self, total: f64, merged_stacks: u64) -> WrittenFile {
        WrittenFile { total: Some(total), merged_stacks: Some(merged_stacks), ..self }
    }
}

impl Context {
    /// Prints what was written if the user asked for JSON.
    pub fn print_written(&self, written: impl FnOnce() -> WrittenFile) -> Result<(), Failure> {
        if self.json { self.print_json(&written()) } else { Ok(()) }
    }

    /// Rejects `--json` if the file itself goes to standard output.
    pub fn check_output(&self, output: &Path) -> Result<(), Failure> {
        match self.json && output.as_os_str() == "-" {
            true => {
                Err(Failure::Usage("--json describes the written file, so -o can't be standard output.".to_owned()))
            }
            false => Ok(()),
        }
    }
}
