//! Folded stacks, one line each: `main;f;g 42`. The oldest format of flame graphs; every tool reads it.

use std::fmt::Write;

use super::profile::Profile;

/// One line a stack, in the profile's order. Weights are rounded; stacks that round to nothing are left out.
pub fn folded(profile: &Profile) -> String {
    let names: Vec<String> = profile.frames.iter().map(|frame| clean(&frame.name)).collect();
    let mut text = String::new();
    for stack in &profile.stacks {
        let weight = stack.weight.round();
        if weight == 0.0 {
            continue;
        }
        for (n, &frame) in stack.frames.iter().enumerate() {
            if n > 0 {
                text.push(';');
            }
            text.push_str(&names[frame as usize]);
        }
        // Writing into a string cannot fail.
        let _ = writeln!(text, " {weight:.0}");
    }
    text
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
