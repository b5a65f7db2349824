//! speedscope's file format: stacks as lists of indices into a table of frames.

use std::io::{self, Write};

use serde::ser::SerializeSeq;
use serde::{Serialize, Serializer};

use super::weighted_stacks::{WeightedStacks, line_and_column};
use camlscope_engine::query::measure::Unit;

/// Writes JSON for speedscope.app. Reads the stacks twice, because the weights come after all stacks.
pub fn speedscope(profile: &WeightedStacks<'_>, out: &mut dyn Write) -> io::Result<()> {
    let names = profile.frame_names();
    let frames = profile.frames.iter().zip(&names).map(|(frame, name)| {
        let (line, col) = line_and_column(frame);
        FileFrame { name, file: (!frame.file.is_empty()).then_some(&frame.file), line, col }
    });
    let name = match profile.merged_words() {
        None => profile.title.clone(),
        Some(merged) => format!("{} ({merged})", profile.title),
    };
    let file = File {
        schema: "https://www.speedscope.app/file-format-schema.json",
        exporter: concat!("camlscope ", env!("CARGO_PKG_VERSION")),
        name: &name,
        active_profile_index: 0,
        shared: Shared { frames: frames.collect() },
        profiles: [Sampled {
            kind: "sampled",
            name: &name,
            unit: match profile.unit {
                // speedscope has no unit for bytes per second.
                Unit::Bytes | Unit::BytesPerSecond => "bytes",
                Unit::Blocks
                | Unit::Samples
                | Unit::ByteSeconds
                | Unit::Calls
                | Unit::BlocksPerSecond
                | Unit::SamplesPerSecond => "none",
            },
            start_value: 0.0,
            end_value: profile.total(),
            samples: Samples(profile),
            weights: Weights(profile),
        }],
    };
    Ok(serde_json::to_writer(out, &file)?)
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct File<'a> {
    #[serde(rename = "$schema")]
    schema: &'a str,
    exporter: &'a str,
    name: &'a str,
    active_profile_index: u32,
    shared: Shared<'a>,
    profiles: [Sampled<'a>; 1],
}

#[derive(Serialize)]
struct Shared<'a> {
    frames: Vec<FileFrame<'a>>,
}

#[derive(Serialize)]
struct FileFrame<'a> {
    name: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<&'a String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    col: Option<u32>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Sampled<'a> {
    #[serde(rename = "type")]
    kind: &'a str,
    name: &'a str,
    unit: &'a str,
    start_value: f64,
    end_value: f64,
    samples: Samples<'a>,
    weights: Weights<'a>,
}

/// The frames of every stack.
struct Samples<'a>(&'a WeightedStacks<'a>);

/// The weight of every stack, in the same order.
struct Weights<'a>(&'a WeightedStacks<'a>);

impl Serialize for Samples<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut list = serializer.serialize_seq(None)?;
        self.0.for_each_stack(|frames, _| list.serialize_element(frames))?;
        list.end()
    }
}

impl Serialize for Weights<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut list = serializer.serialize_seq(None)?;
        self.0.for_each_stack(|_, weight| list.serialize_element(&weight))?;
        list.end()
    }
}
