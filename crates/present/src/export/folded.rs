//! Folded stacks, one line each: `main;f;g 42`. The oldest format of flame graphs; every tool reads it.

use std::fmt::Write as _;
use std::io::{self, Write};

use super::weighted_stacks::{Rounding, WeightedStacks};

/// Writes one line a stack, with [`WeightedStacks::frame_names`], in the profile's order. Weights are rounded so that their sum stays; stacks that round to
/// nothing are left out.
pub fn folded(profile: &WeightedStacks<'_>, out: &mut dyn Write) -> io::Result<()> {
    let names: Vec<String> = profile.frame_names().iter().map(|name| clean(name)).collect();
    let mut rounding = Rounding::default();
    let mut line = String::new();
    // By depth: where the frame's name begins in the line.
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
            // Writing into a string cannot fail.
            let _ = writeln!(line, " {weight}");
            out.write_all(line.as_bytes())?;
            line.truncate(end);
        }
    }
    Ok(())
}

/// A semicolon ends a frame and a line's end a stack, so neither may be in a name.
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
