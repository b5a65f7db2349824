//! Folded stacks, one per line: `main;f;g 42`. This is the oldest flame graph format, and every tool reads it.

use std::fmt::Write as _;
use std::io::{self, Write};

use super::weighted_stacks::{Rounding, WeightedStacks};

/// Writes one line per stack, with [`WeightedStacks::frame_names`], in the profile's order. Rounding preserves the sum
/// of the weights. Stacks that round to zero are left out.
pub fn folded(profile: &WeightedStacks<'_>, out: &mut dyn Write) -> io::Result<()> {
    let names: Vec<String> = profile.frame_names().iter().map(|name| clean(name)).collect();
    let mut rounding = Rounding::default();
    let mut line = String::new();
    // By depth: the offset of the frame's name in the line.
    let mut starts = Vec::new();
    for node in profile.nodes() {
        if let Some(&start) = starts.get(node.depth as usize) {
            line.truncate(start);
        }
        starts.truncate(node.depth as usize);
        starts.push(line.len());
        if node.depth > 0 {
            line.push(';');
        }
        line.push_str(&names[node.frame as usize]);
        let weight = rounding.round(node.own);
        if weight > 0 {
            let end = line.len();
            // Writing to a string can't fail.
            let _ = writeln!(line, " {weight}");
            out.write_all(line.as_bytes())?;
            line.truncate(end);
        }
    }
    Ok(())
}

/// Replaces semicolons, which separate frames, and line breaks, which separate stacks.
fn clean(name: &str) -> String {
    name.chars()
        .map(|c| {
            if c == ';' {
                ':'
            } else if c.is_control() {
                ' '
            } else {
                c
            }
        })
        .collect()
}
