//! speedscope's file format: stacks as lists of places in one table of frames.

use serde::Serialize;

use super::profile::Profile;
use crate::query::measure::Unit;

/// JSON that speedscope.app opens.
pub fn speedscope(profile: &Profile) -> Result<String, serde_json::Error> {
    let weights: Vec<f64> = profile.stacks.iter().map(|stack| stack.weight).collect();
    let frames = profile.frames.iter().map(|frame| FileFrame {
        name: &frame.name,
        file: (!frame.file.is_empty()).then_some(&frame.file),
        line: (frame.line > 0).then_some(frame.line),
    });
    let file = File {
        schema: "https://www.speedscope.app/file-format-schema.json",
        exporter: concat!("camlscope ", env!("CARGO_PKG_VERSION")),
        name: &profile.title,
        active_profile_index: 0,
        shared: Shared { frames: frames.collect() },
        profiles: [Sampled {
            kind: "sampled",
            name: &profile.title,
            unit: match profile.unit {
                Unit::Bytes => "bytes",
                Unit::Blocks | Unit::Samples | Unit::ByteSeconds => "none",
            },
            start_value: 0.0,
            end_value: weights.iter().sum(),
            samples: profile.stacks.iter().map(|stack| &stack.frames[..]).collect(),
            weights,
        }],
    };
    serde_json::to_string(&file)
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
    samples: Vec<&'a [u32]>,
    weights: Vec<f64>,
}
